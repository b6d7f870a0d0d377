/* Scenes of bodies in contact for tests, through the public interface alone. Every step is checked for what holds in
 * each frame: the step succeeds, the certificate is clean, the energies reported are those of the keys. What else was
 * seen is summed up for the end: whether the ledger added up, and whether energy came from nowhere. */
#ifndef YARD_H
#define YARD_H

#include "base/vec.h"
#include "test.h"

typedef struct yard {
	cairn_world *world;
	cairn_step_report report; /* of the last step */
	double
		unit; /* J: all moving mass x g x the largest extent of a body; without gravity the first kinetic energy; else 1 */
	double total;  /* J: at the last frame */
	double rise;   /* units: the largest in one frame without cause */
	double climb;  /* units: the same over any stretch of frames */
	double ledger; /* units: the most by which the accounts were off */
	double since;  /* J: change without cause, from its least value on */
	uint64_t tiers[CAIRN_MAX_TIERS];
	double lift;
	bool ok;
} yard;

/* ---- building scenes */

static inline cairn_scene *yard_scene(v3 gravity)
{
	cairn_scene *s = cairn_scene_create(NULL);
	cairn_settings settings = cairn_default_settings();
	settings.gravity = gravity;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	return s;
}

static inline cairn_material yard_material(cairn_scene *s, double restitution, double friction)
{
	cairn_material_def d = cairn_default_material_def();
	d.restitution = restitution, d.static_friction = d.kinetic_friction = friction, d.density = 800;
	return cairn_scene_add_material(s, &d, NULL);
}

static inline cairn_shape yard_box(cairn_scene *s, double x, double y, double z)
{
	cairn_shape_def d = cairn_default_shape_def(CAIRN_BOX);
	d.size = v3_make(x, y, z);
	return cairn_scene_add_shape(s, &d, NULL);
}

/* Sphere, capsule or cylinder. */
static inline cairn_shape yard_round(cairn_scene *s, cairn_shape_kind kind, double radius, double length)
{
	cairn_shape_def d = cairn_default_shape_def(kind);
	d.radius = radius, d.length = length;
	return cairn_scene_add_shape(s, &d, NULL);
}

static inline cairn_body_def yard_body(cairn_shape shape, cairn_material material, v3 at)
{
	cairn_body_def d = cairn_default_body_def();
	d.shape = shape, d.material = material, d.pose.position = at;
	return d;
}

static inline cairn_body yard_add(cairn_scene *s, cairn_shape shape, cairn_material material, v3 at, v3 velocity)
{
	cairn_body_def d = yard_body(shape, material, at);
	d.velocity = velocity;
	return cairn_scene_add_body(s, &d, NULL);
}

static inline cairn_body yard_plane(cairn_scene *s, cairn_material material, v3 normal, double offset)
{
	cairn_shape_def d = cairn_default_shape_def(CAIRN_HALFSPACE);
	d.normal = normal, d.offset = offset;
	cairn_body_def b = yard_body(cairn_scene_add_shape(s, &d, NULL), material, v3_zero());
	b.type = CAIRN_FIXED;
	return cairn_scene_add_body(s, &b, NULL);
}

/* A floor at z = 0 and walls at |x|, |y| = half. */
static inline void yard_shaft(cairn_scene *s, cairn_material material, double half)
{
	const v3 normals[5] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
	for (int i = 0; i < 5; ++i)
		yard_plane(s, material, normals[i], i ? -half : 0);
}

/* ---- measuring */

static inline double yard_kinetic(const cairn_body_info *info, const cairn_key *k)
{
	v3 w = q_unrotate(k->orientation, k->spin), l = v3_zero();
	const double *i = info->inertia;
	l = v3_make(i[0] * w.x + i[1] * w.y + i[2] * w.z, i[3] * w.x + i[4] * w.y + i[5] * w.z,
	            i[6] * w.x + i[7] * w.y + i[8] * w.z);
	return 0.5 * (info->mass * v3_length2(k->velocity) + v3_dot(w, l));
}

enum { YARD_MOST = 1024 };

/* Kinetic and potential energy of all that moves, from keys and masses. */
static inline double yard_energy(const cairn_world *w, double *kinetic)
{
	cairn_body bodies[YARD_MOST];
	uint32_t count = cairn_world_bodies(w, bodies, YARD_MOST);
	v3 g = cairn_scene_settings(cairn_world_scene(w)).gravity;
	double potential = 0;
	*kinetic = 0;
	for (uint32_t i = 0; i < count; ++i) {
		cairn_body_info info = cairn_world_body_info(w, bodies[i]);
		cairn_key k = cairn_world_body_key(w, bodies[i]);
		if (info.type != CAIRN_DYNAMIC)
			continue;
		*kinetic += yard_kinetic(&info, &k);
		potential -= info.mass * v3_dot(g, k.position);
	}
	return *kinetic + potential;
}

static inline double yard_unit(const cairn_world *w, double kinetic)
{
	cairn_body bodies[YARD_MOST];
	uint32_t count = cairn_world_bodies(w, bodies, YARD_MOST);
	const cairn_scene *s = cairn_world_scene(w);
	double mass = 0, size = 0, g = v3_length(cairn_scene_settings(s).gravity);
	for (uint32_t i = 0; i < count; ++i) {
		cairn_body_info info = cairn_world_body_info(w, bodies[i]);
		if (info.type != CAIRN_DYNAMIC)
			continue;
		cairn_box box = cairn_scene_shape_facts(s, info.shape).box;
		double extent = v3_max(v3_sub(box.max, box.min));
		mass += info.mass;
		size = extent > size ? extent : size;
	}
	return g > 0 ? mass * g * size : kinetic > 0 ? kinetic : 1;
}

/* ---- running; the scene is used up */

static inline yard yard_open(cairn_scene *s, uint32_t threads)
{
	cairn_error e = {0};
	cairn_world_def d = cairn_default_world_def();
	d.threads = threads;
	yard y = {.world = cairn_world_create(s, &d, &e)};
	cairn_scene_destroy(s);
	y.ok = y.world != NULL;
	CHECK(y.ok);
	if (!y.ok) {
		printf("%s: %s\n", e.path, e.message);
		return y;
	}
	double kinetic;
	y.total = yard_energy(y.world, &kinetic);
	y.unit = yard_unit(y.world, kinetic);
	return y;
}

/* A world on so many threads, which the caller owns. */
static inline cairn_world *yard_world(const cairn_scene *s, uint32_t threads)
{
	cairn_error e = {0};
	cairn_world_def d = cairn_default_world_def();
	d.threads = threads;
	cairn_world *w = cairn_world_create(s, &d, &e);
	if (!w)
		printf("%s\n", e.message);
	return w;
}

/* False once a step failed. */
static inline bool yard_step(yard *y)
{
	char text[300];
	if (!y->ok)
		return false;
	cairn_step_report r = y->report = cairn_world_step(y->world);
	y->ok = r.status == CAIRN_STEP_OK && r.certificate.verdict == CAIRN_CLEAN;
	CHECK(y->ok);
	if (!y->ok) {
		cairn_world_explain(y->world, &r, text, sizeof text);
		printf("%s\n", text);
		return false;
	}
	const cairn_energy *e = &r.energy;
	double kinetic, total = yard_energy(y->world, &kinetic), made = total - y->total - e->events - e->fields;
	CHECK_NEAR(e->kinetic + e->potential, total, 1e-9 * y->unit);
	double off = made + e->damping + e->impacts + e->friction - e->position + e->dropped - e->drift - e->joints;
	y->total = total;
	y->since = y->since + made > 0 ? y->since + made : 0;
	y->rise = made / y->unit > y->rise ? made / y->unit : y->rise;
	y->climb = y->since / y->unit > y->climb ? y->since / y->unit : y->climb;
	y->ledger = fabs(off) / y->unit > y->ledger ? fabs(off) / y->unit : y->ledger;
	y->lift = r.lift > y->lift ? r.lift : y->lift;
	for (int i = 0; i < CAIRN_TIER_COUNT; ++i)
		y->tiers[i] += r.tiers[i];
	return true;
}

static inline bool yard_run(yard *y, int frames)
{
	for (int i = 0; i < frames; ++i)
		if (!yard_step(y))
			return false;
	return true;
}

/* No frame so far gained energy without cause. */
static inline void yard_no_gain(const yard *y)
{
	CHECK(y->rise < 1e-4);
	if (!(y->rise < 1e-4))
		printf("a frame gained %g units, the run %g\n", y->rise, y->climb);
}

/* The ledger added up in every frame. */
static inline void yard_close(yard *y)
{
	CHECK_NEAR(y->ledger, 0, 1e-6);
	cairn_world_destroy(y->world);
	y->world = NULL;
}

static inline cairn_key yard_key(const yard *y, cairn_body body) { return cairn_world_body_key(y->world, body); }

static inline bool yard_push(yard *y, cairn_body body, v3 impulse)
{
	cairn_event_def e = cairn_default_event_def(CAIRN_IMPULSE);
	e.body = body, e.impulse = impulse;
	return cairn_world_apply_event(y->world, &e, NULL);
}

#endif
