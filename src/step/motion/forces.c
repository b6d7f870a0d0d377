/* Forces: gravity, fields, drags and damping turn the velocities at the frame's start into those at its end.
 * Displacements follow from the mean of the two, which is exact for constant acceleration.
 *
 * Work is computed with that mean velocity: a change dv changes the energy by m dv.(v0 + v1)/2. The potential energy
 * takes gravity's share to the last bit of rounding. */
#include "step/motion/forces.h"
#include "step/motion/rotate.h"
#include "step/stages.h"

static bool inside(const cairn_field_def *f, v3 x)
{
	return !f->has_box || (x.x >= f->box.min.x && x.x <= f->box.max.x && x.y >= f->box.min.y && x.y <= f->box.max.y &&
	                       x.z >= f->box.min.z && x.z <= f->box.max.z);
}

/* Applies one field to one body. It is evaluated at the middle of the frame's path and turn, which makes orbits and
 * tumbling accurate to second order. Resistance is stable for any coefficient: linear drag by its exponential, wind by u1 = u0 / (1 + k
 * |u0| dt/m), which solves u' = -(k/m) |u| u. */
static void apply_field(const cairn_field_def *f, const cn_body *b, const cn_rotor *r, v3 at, double dt, cn_motion *m)
{
	if (!inside(f, at))
		return;
	switch (f->kind) {
	case CAIRN_GRAVITY: m->v = v3_madd(m->v, f->acceleration, dt); break;
	case CAIRN_ATTRACTOR: {
		v3 to = v3_sub(f->point, at);
		double d2 = v3_length2(to) + f->softening * f->softening;
		m->v = v3_madd(m->v, to, dt * f->strength / (d2 * sqrt(d2)));
		break;
	}
	case CAIRN_WIND: {
		v3 u = v3_sub(f->velocity, m->v);
		double k = 0.5 * f->air_density * f->coefficient * b->area * v3_length(u) * dt * r->inv_mass;
		m->v = v3_madd(m->v, u, k / (1 + k));
		break;
	}
	case CAIRN_DRAG: {
		m->v = v3_scale(m->v, cn_exp(-f->linear * dt * r->inv_mass));
		if (f->angular > 0) {
			quat q = cn_rotate_free(r, m->q, m->l, 0.5 * dt);
			q = r->turned ? q_mul(q, r->axes) : q;
			v3 l = q_unrotate(q, m->l), k = v3_scale(r->inv_moments, -f->angular * dt);
			m->l = q_rotate(q, (v3){l.x * cn_exp(k.x), l.y * cn_exp(k.y), l.z * cn_exp(k.z)});
		}
		break;
	}
	}
}

/* Solves the symmetric positive definite system k x = b by cofactors. */
static v3 solve3(m3 k, v3 b)
{
	v3 r0 = {k.m[0][0], k.m[0][1], k.m[0][2]}, r1 = {k.m[1][0], k.m[1][1], k.m[1][2]},
	   r2 = {k.m[2][0], k.m[2][1], k.m[2][2]};
	v3 c0 = v3_cross(r1, r2), c1 = v3_cross(r2, r0), c2 = v3_cross(r0, r1);
	double det = v3_dot(r0, c0);
	return v3_scale(v3_add(v3_add(v3_scale(c0, b.x), v3_scale(c1, b.y)), v3_scale(c2, b.z)), 1 / det);
}

/* A drag: the anchor's velocity u follows a critically damped spring, implicitly,
 *   u1 = (u0 + dt w^2 (target - p)) / (1 + dt w)^2,
 * and the impulse that causes it acts at the anchor: K j = u1 - u0, K = 1/m - r* I^-1 r*. The body's own rotation about
 * the anchor decays at the spring's rate. */
static void apply_drag(const cn_drag *d, const cn_rotor *r, cn_motion *m, double dt)
{
	v3 arm = q_rotate(m->q, d->anchor), p = v3_add(m->x, arm);
	double omega = 2 * CN_PI * d->frequency,
		   max = 1 / dt; /* a spring stiffer than the frame can resolve would oscillate */
	omega = omega < max ? omega : max;
	double soft = 1 + dt * omega;
	m->l = v3_scale(m->l, 1 / soft);
	v3 u = v3_add(m->v, v3_cross(cn_spin(r, m->q, m->l), arm));
	v3 wanted = v3_scale(v3_madd(u, v3_sub(d->target, p), dt * omega * omega), 1 / (soft * soft));
	m3 k = m3_diagonal(v3_make(r->inv_mass, r->inv_mass, r->inv_mass));
	const v3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	for (int j = 0; j < 3; ++j) {
		v3 column = v3_cross(cn_spin(r, m->q, v3_cross(arm, unit[j])), arm);
		k.m[0][j] += column.x;
		k.m[1][j] += column.y;
		k.m[2][j] += column.z;
	}
	v3 impulse = solve3(k, v3_sub(wanted, u));
	m->v = v3_madd(m->v, impulse, r->inv_mass);
	m->l = v3_add(m->l, v3_cross(arm, impulse));
}

/* Force and torque are constant over the frame. */
static void apply_push(const cn_drag *d, const cn_rotor *r, cn_motion *m, double dt)
{
	m->v = v3_madd(m->v, d->anchor, dt * r->inv_mass);
	m->l = v3_madd(m->l, d->target, dt);
}

static void apply_drags(const cairn_world *w, uint32_t slot, cn_motion *m)
{
	for (uint32_t i = 0; i < w->drag.count; ++i) {
		const cn_drag *d = &w->drag.items[i];
		if (d->slot == slot)
			(d->frequency == 0 ? apply_push : apply_drag)(d, &w->rotors[slot], m, w->dt);
	}
}

/* J: what the torques of the step do to a body that goes on to turn with the mean of the angular momenta from and to,
 * beyond what they would do at its first pose: the change times the mean of the spins at the two ends. */
static double work_of_turning(const cn_rotor *r, quat q, v3 from, v3 to, double dt)
{
	v3 change = v3_sub(to, from), mean = cn_mean(from, to);
	if (r->kind == CN_ROTOR_BALL || v3_length2(change) == 0)
		return 0;
	quat end = cn_rotate_free(r, q, mean, dt);
	v3 late = cn_mean(mean, to);
	return 0.5 * v3_dot(change, v3_sub(cn_spin(r, end, late), cn_spin(r, q, late)));
}

/* Applies everything but the world's gravity to one body. It is rare, so it is kept out of the main loop. m has
 * gravity applied already. */
static void apply_others(const cairn_world *w, uint32_t slot, v3 v0, cn_motion *m, cn_chunk *sum)
{
	const cn_body *b = &w->bodies[slot];
	const cn_rotor *r = &w->rotors[slot];
	v3 l0 = m->l, v1 = m->v, middle = v3_madd(m->x, v0, 0.5 * w->dt);
	cn_motion turned = *m;
	turned.v = v3_zero();
	double spin0 = cn_kinetic(r, &turned);
	if (r->scaled)
		m->v = v3_madd(m->v, w->scene->settings.gravity, (b->gravity_scale - 1) * w->dt);
	for (uint32_t i = 0; i < w->scene->field_count; ++i)
		apply_field(&w->scene->fields[i], b, r, middle, w->dt, m);
	if (r->dragged)
		apply_drags(w, slot, m);
	v3 v2 = m->v;
	turned.l = m->l;
	double spin1 = cn_kinetic(r, &turned);
	if (r->damped) {
		m->v = v3_scale(m->v, cn_exp(-b->linear_damping * w->dt));
		m->l = v3_scale(m->l, cn_exp(-b->angular_damping * w->dt));
	}
	v3 mean = v3_scale(v3_add(v0, m->v), 0.5);
	turned.l = m->l;
	double turning = work_of_turning(r, m->q, l0, m->l, w->dt);
	sum->fields += r->mass * v3_dot(v3_sub(v2, v1), mean) + (spin1 - spin0) + turning;
	sum->drift -= turning;
	sum->damping += r->mass * v3_dot(v3_sub(v2, m->v), mean) + (spin1 - cn_kinetic(r, &turned));
}

typedef struct job {
	cairn_world *w;
	bool others; /* there are fields or drags */
} job;

static void apply(cairn_world *w, uint32_t slot, bool others, cn_chunk *sum)
{
	cn_motion m = w->motion[slot];
	if (w->rotors[slot].active && !w->rest_state[slot].asleep && !w->away[slot]) {
		m.v = v3_madd(m.v, w->scene->settings.gravity, w->dt);
		if (others || w->rotors[slot].damped || w->rotors[slot].scaled)
			apply_others(w, slot, w->motion[slot].v, &m, sum);
	}
	w->next[slot] = m;
}

static void apply_chunk(void *context, uint32_t chunk)
{
	const job *j = context;
	cairn_world *w = j->w;
	cn_chunk *sum = &w->chunks[chunk];
	*sum = (cn_chunk){0};
	uint32_t end = cn_pool_end(chunk, CN_CHUNK, w->slots);
	for (uint32_t i = chunk * CN_CHUNK; i < end; ++i)
		apply(w, i, j->others, sum);
}

static bool any_others(const cairn_world *w) { return w->scene->field_count > 0 || w->drag.count > 0; }

void cn_forces_body(cairn_world *w, uint32_t slot, cairn_energy *e)
{
	cn_chunk sum = {0};
	apply(w, slot, any_others(w), &sum);
	e->fields += sum.fields;
	e->damping += sum.damping;
	e->drift += sum.drift;
}

bool cn_forces_apply(cairn_world *w, cn_frame *f)
{
	job j = {w, any_others(w)};
	cn_pool_run(w->pool, cn_world_chunks(w), apply_chunk, &j);
	for (uint32_t c = 0; c < cn_world_chunks(w); ++c) {
		f->report.energy.fields += w->chunks[c].fields;
		f->report.energy.damping += w->chunks[c].damping;
		f->report.energy.drift += w->chunks[c].drift;
	}
	return true;
}
