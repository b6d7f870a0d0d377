/* LDL' of a sparse symmetric matrix whose pivots have known signs (quasi-definite): the pattern is ordered and analysed once,
 * then factored as often as values change. */
#ifndef CN_LDL_H
#define CN_LDL_H

#include "num/sparse_qp.h"

typedef struct cn_ldl cn_ldl;

/* entries: the upper triangle (row <= column), no place twice, every diagonal place among them; their values are not read.
 * signs[i]: +1 or -1, that of the pivot of row i. NULL when memory ran out. */
cn_ldl *cn_ldl_make(const cairn_allocator *allocator, uint32_t n, const cn_entry *entries, uint32_t entry_count,
                    const int8_t *signs);
void cn_ldl_free(const cairn_allocator *allocator, cn_ldl *ldl); /* NULL is fine */

/* values[e] belongs to entries[e]. A pivot smaller than least, or of the wrong sign, is replaced by least with its sign. */
void cn_ldl_factor(cn_ldl *ldl, const double *values, double least);
void cn_ldl_solve(const cn_ldl *ldl, double *x); /* in place */

#endif
