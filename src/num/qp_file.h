/* Programs as bytes, so that one that made trouble can be kept and one from a real scene can be timed. Little-endian, doubles
 * to the bit, a version and a checksum. */
#ifndef CN_QP_FILE_H
#define CN_QP_FILE_H

#include "base/bytes.h"
#include "num/qp.h"

/* Owns the arrays of a program read. */
typedef struct cn_qp_owned {
	cn_qp qp;
	cn_qp_solution warm; /* the warm start that was stored with it; arrays of zeros where there was none */
	void *memory;
	size_t size;
} cn_qp_owned;

bool cn_qp_encode(const cairn_allocator *allocator, const cn_qp *qp, const cn_qp_solution *warm, void **bytes,
                  size_t *size, cairn_error *error);
/* Refuses truncated, damaged and senseless programs (indices, NaN, negative masses, low > high) with a message. */
bool cn_qp_decode(const cairn_allocator *allocator, const void *bytes, size_t size, cn_qp_owned *out,
                  cairn_error *error);
void cn_qp_release(const cairn_allocator *allocator, cn_qp_owned *owned);

#endif
