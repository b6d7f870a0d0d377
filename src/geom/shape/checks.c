/* Checks and boxes that several kinds share. */
#include "base/tolerance.h"
#include "geom/shape/kind.h"

#include <stdio.h>

const char *cn_check_element(char field[CN_FIELD_SIZE], const char *array, uint32_t index, const char *member)
{
	snprintf(field, CN_FIELD_SIZE, "%s[%u]%s", array, (unsigned)index, member);
	return field;
}

bool cn_check_length(cairn_error *error, const char *field, const char *what, double x)
{
	if (!isfinite(x))
		return cn_fail(error, CAIRN_INVALID, field, "the %s is not a finite number", what);
	if (x <= 0)
		return cn_fail(error, CAIRN_INVALID, field, "the %s is %g; give a positive length", what, x);
	if (x < CN_LENGTH_MIN)
		return cn_fail(error, CAIRN_INVALID, field, "the %s is %g m; the least is %g m", what, x, CN_LENGTH_MIN);
	if (x > CN_LENGTH_MAX)
		return cn_fail(error, CAIRN_INVALID, field, "the %s is %g m; the most is %g m", what, x, CN_LENGTH_MAX);
	return true;
}

static bool within(v3 v, double most) { return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most; }

bool cn_check_place(cairn_error *error, const char *field, const char *what, v3 v)
{
	if (!v3_finite(v))
		return cn_fail(error, CAIRN_INVALID, field, "the %s has a coordinate that is not a finite number", what);
	if (!within(v, CN_LENGTH_MAX))
		return cn_fail(error, CAIRN_INVALID, field, "the %s (%g, %g, %g) is farther out than %g m", what, v.x, v.y, v.z,
		               CN_LENGTH_MAX);
	return true;
}

cairn_box cn_box_empty(void) { return (cairn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

cairn_box cn_box_about(v3 center, v3 half) { return (cairn_box){v3_sub(center, half), v3_add(center, half)}; }

void cn_box_add(cairn_box *box, v3 p)
{
	box->min = v3_least(box->min, p);
	box->max = v3_most(box->max, p);
}

double cn_box_extent(cairn_box box) { return v3_max(v3_sub(box.max, box.min)); }

bool cn_check_points(const cn_shape_making *m)
{
	char field[CN_FIELD_SIZE];
	for (uint32_t i = 0; i < m->def->point_count; ++i)
		if (!cn_check_place(m->error, cn_check_element(field, "points", i, ""), "point", m->def->points[i]))
			return false;
	return true;
}

bool cn_check_extent(const cn_shape_making *m)
{
	double extent = cn_box_extent(m->s->kind->box(m->s, pose_identity()));
	if (extent < CN_LENGTH_MIN)
		return cn_fail(m->error, CAIRN_INVALID, "points", "all points lie within %g m; the least size is %g m", extent,
		               CN_LENGTH_MIN);
	return true;
}
