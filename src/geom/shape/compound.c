/* A compound: other shapes as its parts, each at a pose. */
#include "base/tolerance.h"
#include "geom/mass.h"
#include "geom/shape/kind.h"

static bool check_part(const cn_shape_making *m, const cairn_part *part, uint32_t i)
{
	cairn_error *error = m->error;
	char field[CN_FIELD_SIZE];
	cn_check_element(field, "parts", i, ".shape");
	if (part->shape.generation != 1 || part->shape.index >= m->shape_count)
		return cn_fail(error, CAIRN_INVALID, field, "the part names no shape of this scene");
	const cn_shape_kind *kind = m->shapes[part->shape.index].kind;
	if (m->shapes[part->shape.index].def.visual)
		return cn_fail(error, CAIRN_INVALID, field, "the part is a mesh of kind visual, which is to be seen only");
	if (kind->no_part)
		return cn_fail(error, CAIRN_INVALID, field, "the part is a %s, which cannot be a part of a compound",
		               kind->info.title);
	if (!cn_check_place(error, cn_check_element(field, "parts", i, ".pose.position"), "position", part->pose.position))
		return false;
	cn_check_element(field, "parts", i, ".pose.orientation");
	if (!q_finite(part->pose.orientation))
		return cn_fail(error, CAIRN_INVALID, field, "the quaternion has an entry that is not a finite number");
	double length = sqrt(q_dot(part->pose.orientation, part->pose.orientation));
	if (!(fabs(length - 1) <= CN_UNIT_ERROR))
		return cn_fail(error, CAIRN_INVALID, field, "the quaternion has length %g; give a unit quaternion", length);
	return true;
}

static bool make(const cn_shape_making *m)
{
	cn_shape *s = m->s;
	cairn_error *error = m->error;
	cairn_part *parts = (cairn_part *)s->def.parts;
	char field[CN_FIELD_SIZE];
	if (s->def.part_count == 0)
		return cn_fail(error, CAIRN_INVALID, "parts", "a compound needs at least one part");
	s->box = cn_box_empty();
	for (uint32_t i = 0; i < s->def.part_count; ++i) {
		if (!check_part(m, &parts[i], i))
			return false;
		quat *q = &parts[i].pose.orientation;
		double unit = cn_unit_factor(q_dot(*q, *q));
		*q = (quat){q->w * unit, q->x * unit, q->y * unit, q->z * unit};
		const cn_shape *part = &m->shapes[parts[i].shape.index];
		if (part->def.shell != m->shapes[parts[0].shape.index].def.shell)
			return cn_fail(error, CAIRN_INVALID, cn_check_element(field, "parts", i, ".shape"),
			               "the part is a %s and parts[0] is not; a density cannot be per area and per volume at once",
			               part->def.shell ? "shell" : "solid");
		s->mass = cn_mass_combine(s->mass, part->mass, parts[i].pose);
		cairn_box box = part->kind->box(part, parts[i].pose);
		cn_box_add(&s->box, box.min);
		cn_box_add(&s->box, box.max);
	}
	return true;
}

const cn_shape_kind cn_kind_compound = {
	.info = {"compound", "compound", CAIRN_LOOK_MIXED},
	.form = CN_FORM_PARTS,
	.arrays = CN_PARTS,
	.no_part = true,
	.make = make,
};
