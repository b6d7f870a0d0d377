/* What capsules and cylinders share: a radius and a length along z. */
#ifndef CN_SHAPE_ROD_H
#define CN_SHAPE_ROD_H

#include "geom/shape/kind.h"

/* Both lengths, checked, into the shape. */
bool cn_rod_make(const cn_shape_making *m);
/* The core of both: a segment along z, and the radius around it. */
bool cn_rod_core(const cairn_allocator *allocator, const cn_shape *s, cn_convex *c);

#define CN_ROD_FIELDS                                                                                                  \
	{"radius", CN_FIELD_NUMBER, offsetof(cairn_shape_def, radius), true},                                              \
	{                                                                                                                  \
		"length", CN_FIELD_NUMBER, offsetof(cairn_shape_def, length), true                                             \
	}

#endif
