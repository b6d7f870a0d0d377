/* Two boxes: see separate_box.c. */
#ifndef CN_SEPARATE_BOX_H
#define CN_SEPARATE_BOX_H

#include "geom/separate_cores.h"

/* True: answered and confirmed. The witness is read, not written; c->va and vb are set for it. */
bool cn_boxes_separate(cn_cores *c, const cn_witness *witness, cn_core_gap *out);
bool cn_boxes_again(const cn_cores *c, const cn_core_gap *found); /* cn_separation.again, of what it answered */

#endif
