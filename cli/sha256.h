/* SHA-256 (FIPS 180-4), for the policy of pages: a script is let in by the hash of its text. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

void sha256(const void *data, size_t size, unsigned char digest[32]);

#endif
