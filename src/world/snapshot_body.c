/* Bodies and their motion as bytes and back: the part of a snapshot that there is most of. Values that always come together are
 * written and read in one piece. */
#include "world/snapshot_body.h"

enum { MOTION_BYTES = 104, BODY_BYTES = 194 }; /* of values that come in one piece */

void cn_motion_put(cn_writer *o, const cn_motion *m)
{
	uint8_t *at = cn_writer_extend(o, MOTION_BYTES);
	if (at)
		cn_lay_v3(cn_lay_v3(cn_lay_quat(cn_lay_v3(at, m->x), m->q), m->v), m->l);
}

bool cn_motion_get(cn_reader *r, cn_motion *m)
{
	const uint8_t *at = cn_get_bytes(r, MOTION_BYTES);
	if (!at)
		return false;
	m->x = cn_take_v3(&at);
	m->q = cn_take_quat(&at);
	m->v = cn_take_v3(&at);
	m->l = cn_take_v3(&at);
	return v3_finite(m->x) && q_finite(m->q) && v3_finite(m->v) && v3_finite(m->l) &&
	       !(fabs(q_dot(m->q, m->q) - 1) > 1e-9);
}

/* What all living bodies have, after the name. */
static void put_traits(cn_writer *o, const cn_body *b, bool look)
{
	uint8_t *at = cn_writer_extend(o, BODY_BYTES);
	if (!at)
		return;
	at = cn_lay_u8(at, (uint8_t)(b->type | (look ? CN_HAS_LOOK : 0)));
	at = cn_lay_u32(cn_lay_u32(at, b->serial), b->birth);
	at = cn_lay_u8(at, b->late);
	at = cn_lay_u32(cn_lay_u32(at, b->shape), b->material);
	at = cn_lay_u32(cn_lay_u32(at, b->group), b->mask);
	at = cn_lay_v3(cn_lay_f64(at, b->mass), b->center);
	for (int i = 0; i < 9; ++i)
		at = cn_lay_f64(at, b->inertia.m[i / 3][i % 3]);
	at = cn_lay_f64(cn_lay_f64(at, b->radius), b->area);
	at = cn_lay_f64(cn_lay_f64(at, b->linear_damping), b->angular_damping);
	at = cn_lay_f64(at, b->gravity_scale);
	cn_lay_v3(at, (v3){b->color.r, b->color.g, b->color.b});
}

static void get_look(cn_reader *r, bool given, cn_body *b)
{
	b->roughness = given ? cn_get_f64(r) : CN_PLAIN_ROUGHNESS;
	b->visual = given ? cn_get_u32(r) : 0;
	b->visual_pose = pose_identity();
	if (given) {
		b->visual_pose.position = cn_get_v3(r);
		b->visual_pose.orientation = cn_get_quat(r);
	}
}

void cn_body_traits_get(cn_reader *r, cn_body *b)
{
	const uint8_t *at = cn_get_bytes(r, BODY_BYTES);
	if (!at)
		return;
	uint8_t type = cn_take_u8(&at);
	b->type = type & (uint8_t)~CN_HAS_LOOK;
	b->serial = cn_take_u32(&at);
	b->birth = cn_take_u32(&at);
	b->late = cn_is_bool(r, cn_take_u8(&at));
	b->shape = cn_take_u32(&at);
	b->material = cn_take_u32(&at);
	b->group = cn_take_u32(&at);
	b->mask = cn_take_u32(&at);
	b->mass = cn_take_f64(&at);
	b->center = cn_take_v3(&at);
	for (int i = 0; i < 9; ++i)
		b->inertia.m[i / 3][i % 3] = cn_take_f64(&at);
	b->radius = cn_take_f64(&at);
	b->area = cn_take_f64(&at);
	b->linear_damping = cn_take_f64(&at);
	b->angular_damping = cn_take_f64(&at);
	b->gravity_scale = cn_take_f64(&at);
	v3 color = cn_take_v3(&at);
	b->color = (cairn_color){color.x, color.y, color.z};
	get_look(r, type & CN_HAS_LOOK, b);
}

void cn_body_put(cn_writer *o, const cn_body *b)
{
	cn_put_u32(o, b->generation);
	cn_put_u8(o, b->alive);
	if (!b->alive)
		return;
	cn_put_text(o, b->name);
	bool look = b->visual || b->roughness != CN_PLAIN_ROUGHNESS;
	put_traits(o, b, look);
	if (look) {
		cn_put_f64(o, b->roughness);
		cn_put_u32(o, b->visual);
		cn_put_v3(o, b->visual_pose.position);
		cn_put_quat(o, b->visual_pose.orientation);
	}
	cn_put_script(o, b->keys, b->key_count);
	cn_put_f64(o, b->lag);
	cn_put_f64(o, b->pace);
}
