/* The part of CRC-32 that some machines do many bytes at a time (crc_wide.c). */
#ifndef CN_CRC_WIDE_H
#define CN_CRC_WIDE_H

#include "base/base.h"

enum { CN_CRC_WIDE = 256 }; /* bytes: for fewer it is not worth it */

/* Folds a run of bytes, with the register before it, into sixteen that leave the same remainder from a register of 0. Returns how
 * many bytes are folded; 0: none, because there are too few or the machine cannot. */
size_t cn_crc32_fold(uint32_t crc, const uint8_t *p, size_t size, uint8_t out[16]);

#endif
