/* Calls on worlds: steps, inputs, looks, snapshots. */
#include "play.h"

#include <math.h>
#include <string.h>

static void check_finite(const cairn_world *w)
{
	cairn_body bodies[200];
	uint32_t count = cairn_world_bodies(w, bodies, 200);
	for (uint32_t i = 0; i < count && i < 200; ++i) {
		cairn_key k = cairn_world_body_key(w, bodies[i]);
		EXPECT(isfinite(k.position.x + k.position.y + k.position.z + k.orientation.w + k.orientation.x +
		                k.orientation.y + k.orientation.z));
		EXPECT(isfinite(k.velocity.x) && isfinite(k.velocity.y) && isfinite(k.velocity.z) && isfinite(k.spin.x) &&
		       isfinite(k.spin.y) && isfinite(k.spin.z));
	}
}

void step(play *p, cairn_world *w)
{
	uint64_t before = cairn_world_hash(w);
	cairn_step_report r = CALL(cairn_world_step)(w);
	if (r.status != CAIRN_STEP_OK) {
		char text[200];
		CALL(cairn_world_explain)(w, &r, text, below(p, 200));
		EXPECT(cairn_world_hash(w) == before);
		return;
	}
	check_finite(w);
	cairn_error e = {0};
	if (p->recording && p->recorded == w && !CALL(cairn_recording_append)(p->recording, w, &r, &e))
		says_why(false, &e);
}

/* What a body is given beside impulses and drags. */
static bool set_body(play *p, cairn_world *w, uint32_t what, cairn_error *e)
{
	cairn_body body = PICK(p, p->bodies);
	if (what == 12) {
		cairn_vec3 force = vector(p), torque = vector(p);
		return CALL(cairn_world_push)(w, body, force, torque, e);
	}
	if (what == 13) {
		cairn_vec3 velocity = vector(p), spin = vector(p);
		return CALL(cairn_world_set_velocity)(w, body, velocity, spin, e);
	}
	if (what == 14) {
		double linear = number(p), angular = number(p);
		return CALL(cairn_world_set_damping)(w, body, linear, angular, e);
	}
	return CALL(cairn_world_set_body_material)(w, body, PICK(p, p->materials), e);
}

/* What makes a body another one, and joints. */
static bool change_body(play *p, cairn_world *w, uint32_t what, cairn_error *e)
{
	cairn_body body = PICK(p, p->bodies);
	uint32_t at = below(p, HANDLES);
	switch (what) {
	case 16: return CALL(cairn_world_set_pose)(w, body, pose(p), e);
	case 17: return CALL(cairn_world_set_mass)(w, body, number(p), e);
	case 18: return CALL(cairn_world_set_shape)(w, body, PICK(p, p->shapes), e);
	case 19: {
		uint32_t group = below(p, 8), mask = below(p, 8);
		return CALL(cairn_world_set_filter)(w, body, group, mask, e);
	}
	case 20: return CALL(cairn_world_set_type)(w, body, (cairn_body_type)below(p, 4), e);
	case 21: return CALL(cairn_world_set_gravity_scale)(w, body, number(p), e);
	case 22: {
		cairn_joint_def d = joint_def(p);
		p->joints[at] = CALL(cairn_world_add_joint)(w, &d, e);
		return p->joints[at].generation != 0;
	}
	default:
		CALL(cairn_world_set_user_data)(w, body, p);
		return CALL(cairn_world_remove_joint)(w, PICK(p, p->joints), e);
	}
}

void give_input(play *p, cairn_world *w)
{
	cairn_error e = {0};
	bool ok = true;
	uint32_t at = below(p, HANDLES), what = below(p, 24);
	uint64_t before = cairn_world_hash(w);
	if (what == 0 && cairn_world_body_count(w) < p->most) {
		cairn_body_def d = body_def(p);
		p->bodies[at] = CALL(cairn_world_add_body)(w, &d, &e), ok = p->bodies[at].generation != 0;
	} else if (what == 1) {
		cairn_shape_def d = shape_def(p);
		p->shapes[at] = CALL(cairn_world_add_shape)(w, &d, &e), ok = p->shapes[at].generation != 0;
	} else if (what == 2) {
		cairn_material_def d = material_def(p);
		p->materials[at] = CALL(cairn_world_add_material)(w, &d, &e), ok = p->materials[at].generation != 0;
	} else if (what == 3) {
		ok = CALL(cairn_world_remove_body)(w, PICK(p, p->bodies), &e);
	} else if (what < 6) {
		cairn_event_def d = event_def(p);
		ok = CALL(cairn_world_apply_event)(w, &d, &e);
	} else if (what == 6) {
		cairn_material_def d = material_def(p);
		ok = CALL(cairn_world_set_material)(w, PICK(p, p->materials), &d, &e);
	} else if (what == 7) {
		cairn_script_key keys[3];
		double time = cairn_world_time(w);
		for (int i = 0; i < 3; ++i)
			keys[i] = (cairn_script_key){time += size_of(p), pose(p)};
		ok = CALL(cairn_world_set_script)(w, PICK(p, p->bodies), keys, below(p, 4), &e);
	} else if (what == 8) {
		ok = flag(p) ? CALL(cairn_world_set_gravity)(w, vector(p), &e)
		             : CALL(cairn_world_set_fps)(w, size_of(p) * 30, &e);
	} else if (what == 9) {
		cairn_motor_kind m = (cairn_motor_kind)below(p, 4);
		cairn_servo servo = {.speed = number(p), .most = number(p), .turn = {number(p), number(p), number(p)}};
		if (m == CAIRN_MOTOR_SERVO) {
			servo.target = number(p), servo.stiffness = number(p), servo.damping = number(p);
			ok = CALL(cairn_world_set_servo)(w, PICK(p, p->joints), &servo, &e);
		} else
			ok = CALL(cairn_world_set_motor)(w, PICK(p, p->joints), m, servo.speed, servo.most, &e);
	} else if (what == 10) {
		cairn_drag_def d = CALL(cairn_default_drag_def)();
		d.body = PICK(p, p->bodies), d.anchor = vector(p), d.target = vector(p);
		if (flag(p))
			d.frequency = number(p);
		ok = CALL(cairn_world_drag)(w, &d, &e);
	} else if (what == 11) {
		ok = CALL(cairn_world_release)(w, PICK(p, p->bodies), &e);
	} else if (what < 16) {
		ok = set_body(p, w, what, &e);
	} else {
		ok = change_body(p, w, what, &e);
	}
	says_why(ok, &e);
	EXPECT(ok || cairn_world_hash(w) == before);
}

static void look_at_hits(play *p, const cairn_world *w)
{
	cairn_contact contacts[4];
	cairn_impact impacts[4];
	uint32_t room = below(p, 5), hits = CALL(cairn_world_impacts)(w, impacts, room);
	for (uint32_t i = 0; i < hits && i < room; ++i) {
		cairn_vec3 j = impacts[i].impulse, x = impacts[i].point;
		EXPECT(isfinite(j.x + j.y + j.z) && isfinite(x.x + x.y + x.z) && cairn_world_has_body(w, impacts[i].a));
		EXPECT(impacts[i].time <= cairn_world_time(w) * (1 + 1e-12));
	}
	(void)CALL(cairn_world_contacts)(w, contacts, below(p, 5));
}

static void look_at_body(play *p, const cairn_world *w)
{
	cairn_body a = PICK(p, p->bodies);
	cairn_key keys[70];
	bool there = CALL(cairn_world_has_body)(w, a);
	cairn_body_info info = CALL(cairn_world_body_info)(w, a);
	cairn_pose seen;
	(void)CALL(cairn_shown_shape)(&info, &seen);
	EXPECT(info.name && isfinite(info.mass) && (there || (info.mass == 0 && !info.name[0])));
	uint32_t room = below(p, 70), count = CALL(cairn_world_body_keys)(w, a, keys, room);
	EXPECT(there ? count >= 1 && count <= 65 : count == 0);
	cairn_pose at = CALL(cairn_world_body_pose)(w, a);
	EXPECT(isfinite(at.position.x + at.orientation.w));
	if (flag(p))
		(void)CALL(cairn_world_body_asleep)(w, a), (void)CALL(cairn_world_body_frozen)(w, a);
	const void *user = CALL(cairn_world_user_data)(w, a);
	EXPECT(isfinite(CALL(cairn_world_gravity_scale)(w, a)) && (!user || (there && user == p)));
}

void look_at_world(play *p, const cairn_world *w)
{
	uint32_t what = below(p, 8);
	if (what == 0) {
		look_at_hits(p, w);
		look_at_marks(p, w);
	} else if (what < 3) {
		look_at_body(p, w);
	} else if (what == 3) {
		cairn_joint_state j = CALL(cairn_world_joint)(w, PICK(p, p->joints));
		EXPECT(!isnan(j.position) && !isnan(j.speed));
	} else if (what == 4) {
		cairn_gap gap;
		if (CALL(cairn_world_gap)(w, PICK(p, p->bodies), PICK(p, p->bodies), &gap))
			EXPECT(!isnan(gap.gap));
	} else if (what == 5) {
		cairn_body bodies[8];
		uint32_t room = below(p, 9), count = CALL(cairn_world_bodies)(w, bodies, room);
		EXPECT(count == CALL(cairn_world_body_count)(w) && (!count || !room || cairn_world_has_body(w, bodies[0])));
	} else if (what == 6) {
		EXPECT(CALL(cairn_world_threads)(w) >= 1 && isfinite(CALL(cairn_world_time)(w)));
		(void)CALL(cairn_world_frame)(w), (void)CALL(cairn_world_pending_inputs)(w), (void)CALL(cairn_world_hash)(w);
	} else {
		cairn_body a = PICK(p, p->bodies);
		(void)CALL(cairn_world_find_body)(w, flag(p) ? "e.0" : "b"), (void)CALL(cairn_world_body_key)(w, a);
		cairn_pose poses[4];
		cairn_velocity velocities[4];
		EXPECT(CALL(cairn_world_poses)(w, poses, below(p, 5)) == cairn_world_body_count(w));
		EXPECT(CALL(cairn_world_velocities)(w, velocities, below(p, 5)) == cairn_world_body_count(w));
	}
}

void take_snapshot(play *p, const cairn_world *w)
{
	cairn_error e = {0};
	free(p->snapshot);
	p->snapshot_size = CALL(cairn_world_snapshot_size)(w);
	p->snapshot = malloc(p->snapshot_size ? p->snapshot_size : 1);
	if (p->snapshot && flag(p) && p->snapshot_size > 0) /* too little room */
		EXPECT(!CALL(cairn_world_snapshot)(w, p->snapshot, p->snapshot_size - 1, &e) && e.message[0]);
	EXPECT(p->snapshot && CALL(cairn_world_snapshot)(w, p->snapshot, p->snapshot_size, &e));
}

/* Whole, damaged or cut; into the world it is of, or another. */
void restore(play *p, cairn_world *w)
{
	cairn_error e = {0};
	if (!p->snapshot || p->snapshot_size == 0)
		return;
	uint8_t *bytes = malloc(p->snapshot_size);
	if (!bytes)
		return;
	memcpy(bytes, p->snapshot, p->snapshot_size);
	size_t size = p->snapshot_size;
	uint32_t harm = below(p, 4), count = below(p, 6);
	for (uint32_t i = 0; harm == 1 && i < count; ++i) {
		size_t at = ((size_t)byte(p) << 8 | byte(p)) % size;
		bytes[at] = (uint8_t)byte(p);
	}
	if (harm == 2)
		size -= byte(p) % size;
	uint64_t before = cairn_world_hash(w);
	bool ok = CALL(cairn_world_restore)(w, bytes, size, &e);
	says_why(ok, &e);
	EXPECT(ok || cairn_world_hash(w) == before);
	free(bytes);
}

void replay(play *p, cairn_world *w, const cairn_world *of)
{
	cairn_error e = {0};
	size_t size = 0;
	const uint8_t *inputs = CALL(cairn_world_step_inputs)(of, &size);
	uint8_t *bytes = malloc(size + 1);
	if (!bytes)
		return;
	if (size)
		memcpy(bytes, inputs, size);
	if (size && flag(p))
		bytes[byte(p) % size] ^= (uint8_t)byte(p);
	if (size && flag(p))
		size -= byte(p) % size;
	says_why(CALL(cairn_world_replay)(w, bytes, size, &e), &e);
	free(bytes);
}
