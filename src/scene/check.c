/* Checks that several parts of a scene share. */
#include "scene/scene.h"

bool cn_check_vector(v3 v, double most, const char *field, cairn_error *error)
{
	if (!v3_finite(v))
		return cn_fail(error, CAIRN_INVALID, field, "%s must be three finite numbers", field);
	if (v3_max(v3_abs(v)) > most)
		return cn_fail(error, CAIRN_INVALID, field, "%s is (%g, %g, %g); no part may be beyond %g", field, v.x, v.y,
		               v.z, most);
	return true;
}
