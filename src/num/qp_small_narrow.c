/* See qp_small_parts.h: the kernel of the small solver with what every machine of its kind has. */
#include "num/qp_small_kernel.h"

const cn_small_kernel *cn_small_narrow(void) { return &kernel; }
