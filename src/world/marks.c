/* Marks: lines for whoever draws a world to find a fault. They are read from the state between steps. */
#include "world/joint.h"
#include "world/query.h"
#include "world/world.h"

static const cairn_color colors[CAIRN_MARK_KINDS] = {
	[CAIRN_MARK_BOX] = {0.2, 0.2, 0.2}, [CAIRN_MARK_CENTER] = {1, 1, 1},      [CAIRN_MARK_CONTACT] = {1, 0.1, 0.05},
	[CAIRN_MARK_NORMAL] = {1, 0.6, 0},  [CAIRN_MARK_IMPULSE] = {0.9, 0, 0.9}, [CAIRN_MARK_JOINT] = {0, 0.4, 1},
	[CAIRN_MARK_HINGE] = {0, 0.9, 0.9}, [CAIRN_MARK_GAP] = {0.1, 0.9, 0.1}};

typedef struct drawing {
	const cairn_world *w;
	cairn_marks_def def;
	cairn_mark *marks;
	uint32_t count, capacity;
} drawing;

static bool wanted(const drawing *d, cairn_mark_kind kind) { return d->def.kinds >> kind & 1; }

static void add(drawing *d, cairn_mark mark)
{
	if (!wanted(d, mark.kind))
		return;
	if (d->count < d->capacity)
		d->marks[d->count] = mark;
	++d->count;
}

static void add_line(drawing *d, cairn_mark_kind kind, v3 from, v3 to, cairn_body a, cairn_body b)
{
	add(d, (cairn_mark){kind, from, to, colors[kind], a, b});
}

/* ---- bodies */

/* The twelve edges: for each axis, four corners of the other two. */
static void add_box(drawing *d, cairn_body body, cairn_box box)
{
	const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
	for (int axis = 0; axis < 3; ++axis)
		for (int corner = 0; corner < 4; ++corner) {
			double from[3], to[3];
			int second = (axis + 1) % 3, third = (axis + 2) % 3;
			from[axis] = low[axis], to[axis] = high[axis];
			from[second] = to[second] = corner & 1 ? high[second] : low[second];
			from[third] = to[third] = corner & 2 ? high[third] : low[third];
			add_line(d, CAIRN_MARK_BOX, v3_make(from[0], from[1], from[2]), v3_make(to[0], to[1], to[2]), body,
			         (cairn_body){0, 0});
		}
}

/* The box of all its parts. */
static cairn_box box_of(const cairn_world *w, uint32_t slot)
{
	const cn_shape *shapes = w->scene->shapes;
	pose frame = cn_body_frame(&w->bodies[slot], &w->motion[slot]);
	cairn_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	uint32_t shape = w->bodies[slot].shape;
	for (uint32_t i = 0; i < cn_shape_part_count(shapes, shape); ++i) {
		cairn_part part = cn_shape_part(shapes, shape, i);
		const cn_convex *convex = shapes[part.shape.index].convex;
		cn_place at = cn_convex_place(convex, pose_mul(frame, part.pose));
		v3 low = {cn_convex_support(convex, &at, v3_make(-1, 0, 0)), cn_convex_support(convex, &at, v3_make(0, -1, 0)),
		          cn_convex_support(convex, &at, v3_make(0, 0, -1))};
		v3 high = {cn_convex_support(convex, &at, v3_make(1, 0, 0)), cn_convex_support(convex, &at, v3_make(0, 1, 0)),
		           cn_convex_support(convex, &at, v3_make(0, 0, 1))};
		low = v3_sub(at.x, low), high = v3_add(at.x, high);
		box.min = v3_make(fmin(box.min.x, low.x), fmin(box.min.y, low.y), fmin(box.min.z, low.z));
		box.max = v3_make(fmax(box.max.x, high.x), fmax(box.max.y, high.y), fmax(box.max.z, high.z));
	}
	return box;
}

static void add_body(drawing *d, uint32_t slot)
{
	const cairn_world *w = d->w;
	const cn_motion *m = &w->motion[slot];
	cairn_body body = cn_handle(w, slot), none = {0, 0};
	if (w->scene->shapes[w->bodies[slot].shape].def.kind == CAIRN_HALFSPACE)
		return;
	if (wanted(d, CAIRN_MARK_BOX))
		add_box(d, body, box_of(w, slot));
	add_line(d, CAIRN_MARK_CENTER, m->x, m->x, body, none);
	for (int i = 0; i < 3; ++i) {
		v3 axis = q_rotate(m->q, v3_make(i == 0, i == 1, i == 2));
		add(d, (cairn_mark){CAIRN_MARK_AXIS, m->x, v3_madd(m->x, axis, d->def.length),
		                    (cairn_color){i == 0, i == 1, i == 2}, body, none});
	}
}

/* ---- contacts */

static void add_contact(void *context, const cairn_contact *c)
{
	drawing *d = context;
	const cn_body *a = &d->w->bodies[c->a.index], *b = &d->w->bodies[c->b.index];
	double mass = a->mass > 0 && (b->mass == 0 || a->mass < b->mass) ? a->mass : b->mass;
	add_line(d, CAIRN_MARK_CONTACT, c->point, c->point, c->a, c->b);
	add_line(d, CAIRN_MARK_NORMAL, c->point, v3_madd(c->point, c->normal, d->def.length), c->a, c->b);
	if (v3_length2(c->impulse) > 0)
		add_line(d, CAIRN_MARK_IMPULSE, c->point, v3_madd(c->point, c->impulse, d->def.seconds / mass), c->a, c->b);
	add_line(d, CAIRN_MARK_GAP, c->point, v3_madd(c->point, c->normal, c->gap), c->a, c->b);
}

/* ---- joints */

static void add_joint(drawing *d, uint32_t joint)
{
	const cairn_world *w = d->w;
	const cn_joint *j = &w->joints[joint];
	const cairn_joint_def *def = &w->scene->joints[joint];
	const cairn_body none = {0, 0}, a = j->a == CN_NO_BODY ? none : cn_handle(w, j->a),
					 b = j->b == CN_NO_BODY ? none : cn_handle(w, j->b);
	const uint32_t slots[2] = {j->a, j->b};
	bool turns = def->type == CAIRN_HINGE || def->type == CAIRN_SLIDER || (def->type == CAIRN_BALL && def->has_limits);
	v3 at[2], axis = j->axis_a;
	if (!cn_joint_stands(w, j) || def->type == CAIRN_GEAR)
		return;
	for (int i = 0; i < 2; ++i) {
		v3 arm = i ? j->arm_b : j->arm_a;
		const cn_motion *m = slots[i] == CN_NO_BODY ? NULL : &w->motion[slots[i]];
		at[i] = m ? v3_add(m->x, q_rotate(m->q, arm)) : arm;
		if (m)
			add_line(d, CAIRN_MARK_JOINT, m->x, at[i], i ? b : a, i ? a : b);
		axis = m && !i ? q_rotate(m->q, axis) : axis;
	}
	if (def->type == CAIRN_DISTANCE)
		add_line(d, CAIRN_MARK_JOINT, at[0], at[1], a, b);
	if (def->type == CAIRN_PULLEY) {
		add_line(d, CAIRN_MARK_JOINT, at[0], def->over, a, b);
		add_line(d, CAIRN_MARK_JOINT, def->over, def->over_b, a, b);
		add_line(d, CAIRN_MARK_JOINT, def->over_b, at[1], a, b);
	}
	if (turns)
		add_line(d, CAIRN_MARK_HINGE, v3_madd(at[0], axis, -d->def.length), v3_madd(at[0], axis, d->def.length), a, b);
}

cairn_marks_def cairn_default_marks_def(void)
{
	return (cairn_marks_def){.kinds = UINT32_MAX, .length = 0.2, .seconds = 0.1};
}

uint32_t cairn_world_marks(const cairn_world *w, const cairn_marks_def *def, cairn_mark *marks, uint32_t capacity)
{
	drawing d = {w, def ? *def : cairn_default_marks_def(), marks, 0, capacity};
	for (uint32_t i = 0; i < w->slots; ++i)
		if (w->bodies[i].alive)
			add_body(&d, i);
	cn_contacts_each(w, add_contact, &d);
	for (uint32_t i = 0; i < w->scene->joint_count; ++i)
		add_joint(&d, i);
	return d.count;
}
