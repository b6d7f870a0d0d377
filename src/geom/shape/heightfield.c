/* A height field, which becomes a mesh as it is added (geom/heightfield.h). */
#include "geom/shape/kind.h"

const cn_shape_kind cn_kind_heightfield = {
	.info = {"heightfield", "height field", CAIRN_LOOK_MIXED},
	.form = CN_FORM_HEIGHTS,
};
