/* Scenes rebuilt under a variation, and their motion read back without it. See trial.h. */
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double worst_ledger;

trial trial_plain(void) { return (trial){.method = "oba", .finer = 1, .scale = 1}; }

static quat turned(const trial *t) { return q_exp(v3_make(0, 0, t->turn)); }

static v3 place(const trial *t, v3 x) { return v3_scale(q_rotate(turned(t), v3_add(x, t->move)), t->scale); }

/* ---- the scene again */

typedef struct copy {
	const cairn_scene *from;
	cairn_scene *to;
	const trial *t;
	const edit *e;
	cairn_shape *shapes; /* of the copy, by the index of the original */
	cairn_material *materials;
	cairn_error error;
} copy;

static bool copy_settings(copy *c)
{
	cairn_settings s = cairn_scene_settings(c->from);
	s.fps = s.fps * c->t->finer / sqrt(c->t->scale);
	s.method = c->t->method;
	if (c->e && c->e->weightless)
		s.gravity = v3_zero();
	return cairn_scene_set_settings(c->to, &s, &c->error) && cairn_scene_set_option(c->to, "sleep", "off", &c->error) &&
	       cairn_scene_set_option(c->to, "freeze", "off", &c->error);
}

static bool copy_materials(copy *c)
{
	uint32_t count = cairn_scene_material_count(c->from);
	for (uint32_t i = 0; i < count; ++i) {
		cairn_material_def d = cairn_scene_material_at(c->from, i);
		if (c->e && c->e->material)
			c->e->material(c->e->context, i, &d);
		d.rolling *= c->t->scale;
		c->materials[i] = cairn_scene_add_material(c->to, &d, &c->error);
		if (!c->materials[i].generation)
			return false;
	}
	return true;
}

/* Half-spaces are told where they are by their shape, so these are moved and turned; all are scaled. */
static bool copy_shape(copy *c, uint32_t i)
{
	cairn_shape_def d = cairn_scene_shape_at(c->from, i);
	double s = c->t->scale;
	if (c->e && c->e->shape)
		c->e->shape(c->e->context, i, &d);
	d.radius *= s, d.length *= s, d.size = v3_scale(d.size, s);
	d.thickness *= s, d.gap *= s;
	v3 *points = d.point_count ? malloc(d.point_count * sizeof *points) : NULL;
	for (uint32_t k = 0; points && k < d.point_count; ++k)
		points[k] = v3_scale(d.points[k], s);
	if (points)
		d.points = points;
	if (d.kind == CAIRN_HALFSPACE) {
		d.offset = s * (d.offset + v3_dot(d.normal, c->t->move));
		d.normal = q_rotate(turned(c->t), d.normal);
	}
	c->shapes[i] = cairn_scene_add_shape(c->to, &d, &c->error);
	free(points);
	return c->shapes[i].generation != 0;
}

static bool copy_body(copy *c, run *r, uint32_t i)
{
	cairn_body_def d = cairn_scene_body_at(c->from, i);
	double s = c->t->scale;
	if (c->e && c->e->body && !c->e->body(c->e->context, i, &d))
		return true;
	bool plane = cairn_scene_shape_at(c->from, d.shape.index).kind == CAIRN_HALFSPACE;
	d.shape = c->shapes[d.shape.index];
	if (d.material.generation)
		d.material = c->materials[d.material.index];
	if (!plane) {
		d.pose.position = place(c->t, d.pose.position);
		d.pose.orientation = q_unit(q_mul(turned(c->t), d.pose.orientation));
	}
	d.velocity = v3_scale(q_rotate(turned(c->t), d.velocity), sqrt(s));
	d.spin = v3_scale(q_rotate(turned(c->t), d.spin), 1 / sqrt(s));
	d.linear_damping /= sqrt(s), d.angular_damping /= sqrt(s);
	d.mass *= s * s * s;
	d.center = v3_scale(d.center, s);
	for (int k = 0; k < 9; ++k)
		d.inertia[k] *= s * s * s * s * s;
	cairn_script_key *keys = d.key_count ? malloc(d.key_count * sizeof *keys) : NULL;
	for (uint32_t k = 0; keys && k < d.key_count; ++k) {
		keys[k].time = d.keys[k].time * sqrt(s);
		keys[k].pose.position = place(c->t, d.keys[k].pose.position);
		keys[k].pose.orientation = q_unit(q_mul(turned(c->t), d.keys[k].pose.orientation));
	}
	if (keys)
		d.keys = keys;
	r->bodies[i] = cairn_scene_add_body(c->to, &d, &c->error);
	free(keys);
	return r->bodies[i].generation != 0;
}

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static bool copy_bodies(copy *c, run *r)
{
	uint32_t count = cairn_scene_body_count(c->from), order[RUN_MOST];
	uint64_t state = c->t->order;
	if (count > RUN_MOST) {
		snprintf(c->error.message, sizeof c->error.message, "too many bodies");
		return false;
	}
	for (uint32_t i = 0; i < count; ++i)
		order[i] = c->t->order == 1 ? count - 1 - i : i;
	for (uint32_t i = count; c->t->order > 1 && i > 1; --i) {
		uint32_t k = (uint32_t)(draw(&state) % i), other = order[i - 1];
		order[i - 1] = order[k], order[k] = other;
	}
	r->count = count;
	for (uint32_t i = 0; i < count; ++i)
		if (!copy_body(c, r, order[i]))
			return false;
	return true;
}

/* Lengths go with the scale, forces with the weight, speeds with the root; joints of bodies left out go with them. */
static bool copy_joints(copy *c, const run *r)
{
	double s = c->t->scale, weight = s * s * s;
	for (uint32_t i = 0; i < cairn_scene_joint_count(c->from); ++i) {
		cairn_joint_def d = cairn_scene_joint_at(c->from, i);
		bool turns = d.type == CAIRN_HINGE;
		cairn_body a = d.a, b = d.b;
		if (a.generation)
			d.a = r->bodies[a.index];
		if (b.generation)
			d.b = r->bodies[b.index];
		if ((a.generation && !d.a.generation) || (b.generation && !d.b.generation))
			continue;
		d.point = place(c->t, d.point), d.point_b = place(c->t, d.point_b);
		d.axis = q_rotate(turned(c->t), d.axis);
		d.low *= turns ? 1 : s, d.high *= turns ? 1 : s;
		d.speed *= turns ? 1 / sqrt(s) : sqrt(s);
		d.most *= turns ? weight * s : weight;
		d.break_force *= weight, d.break_torque *= weight * s;
		if (!cairn_scene_add_joint(c->to, &d, &c->error).generation)
			return false;
	}
	return true;
}

static bool rebuild(copy *c, run *r)
{
	uint32_t shapes = cairn_scene_shape_count(c->from), materials = cairn_scene_material_count(c->from);
	c->to = cairn_scene_create(NULL);
	c->shapes = calloc(shapes + 1, sizeof *c->shapes);
	c->materials = calloc(materials + 1, sizeof *c->materials);
	bool ok = c->to && c->shapes && c->materials && copy_settings(c) && copy_materials(c);
	for (uint32_t i = 0; ok && i < shapes; ++i)
		ok = copy_shape(c, i);
	ok = ok && copy_bodies(c, r) && copy_joints(c, r);
	free(c->shapes);
	free(c->materials);
	return ok;
}

/* ---- the run */

static double kinetic_of(const cairn_body_info *info, const cairn_key *k)
{
	v3 w = q_unrotate(k->orientation, k->spin);
	const double *i = info->inertia;
	v3 l = v3_make(i[0] * w.x + i[1] * w.y + i[2] * w.z, i[3] * w.x + i[4] * w.y + i[5] * w.z,
	               i[6] * w.x + i[7] * w.y + i[8] * w.z);
	return 0.5 * (info->mass * v3_length2(k->velocity) + v3_dot(w, l));
}

double run_energy(const run *r, double *kinetic)
{
	double potential = 0;
	*kinetic = 0;
	for (uint32_t i = 0; i < r->count; ++i) {
		if (!r->bodies[i].generation || r->infos[i].type != CAIRN_DYNAMIC)
			continue;
		cairn_key k = cairn_world_body_key(r->world, r->bodies[i]);
		*kinetic += kinetic_of(&r->infos[i], &k);
		potential -= r->infos[i].mass * v3_dot(r->gravity, k.position);
	}
	return *kinetic + potential;
}

static void begin_books(run *r)
{
	double kinetic, mass = 0, size = 0, g = v3_length(r->gravity);
	const cairn_scene *s = cairn_world_scene(r->world);
	r->total = run_energy(r, &kinetic);
	for (uint32_t i = 0; i < r->count; ++i) {
		if (!r->bodies[i].generation || r->infos[i].type != CAIRN_DYNAMIC)
			continue;
		cairn_box box = cairn_scene_shape_facts(s, r->infos[i].shape).box;
		double extent = v3_max(v3_sub(box.max, box.min));
		mass += r->infos[i].mass;
		size = extent > size ? extent : size;
	}
	r->unit = g > 0 ? mass * g * size : kinetic > 0 ? kinetic : 1;
}

bool run_open(run *r, const trial *t, const char *scene, const edit *e)
{
	char path[512];
	copy c = {.t = t, .e = e};
	cairn_world_def d = cairn_default_world_def();
	d.threads = 1;
	memset(r, 0, sizeof *r);
	r->t = *t;
	snprintf(path, sizeof path, "%s/scenes/validation/%s.json", TEST_SOURCE_DIR, scene);
	cairn_scene *from = cairn_scene_read(path, &c.error);
	c.from = from;
	bool ok = from && rebuild(&c, r);
	if (ok) {
		r->world = cairn_world_create(c.to, &d, &c.error);
		r->gravity = cairn_scene_settings(c.to).gravity;
		r->dt = 1 / (cairn_scene_settings(from).fps * t->finer);
	}
	r->ok = ok && r->world;
	if (!r->ok)
		cairn_error_print(&c.error, r->trouble, sizeof r->trouble);
	for (uint32_t i = 0; r->ok && i < r->count; ++i)
		if (r->bodies[i].generation)
			r->infos[i] = cairn_world_body_info(r->world, r->bodies[i]);
	if (r->ok)
		begin_books(r);
	cairn_scene_destroy(from);
	cairn_scene_destroy(c.to);
	return r->ok;
}

bool run_step(run *r)
{
	if (!r->ok)
		return false;
	r->report = cairn_world_step(r->world);
	bool checked = strcmp(r->t.method, "free") != 0; /* bodies may pass through each other there */
	r->ok = r->report.status == CAIRN_STEP_OK && (!checked || r->report.certificate.verdict == CAIRN_CLEAN);
	if (!r->ok) {
		cairn_world_explain(r->world, &r->report, r->trouble, sizeof r->trouble);
		return false;
	}
	const cairn_energy *e = &r->report.energy;
	double kinetic, total = run_energy(r, &kinetic), made = total - r->total - e->events - e->fields;
	double off = made + e->damping + e->impacts + e->friction - e->position + e->dropped - e->drift - e->joints;
	r->total = total;
	r->rise = made / r->unit > r->rise ? made / r->unit : r->rise;
	r->ledger = fabs(off) / r->unit > r->ledger ? fabs(off) / r->unit : r->ledger;
	worst_ledger = r->ledger > worst_ledger ? r->ledger : worst_ledger;
	r->held += r->report.tiers[CAIRN_TIER_HOLD];
	return true;
}

double run_worst_ledger(void) { return worst_ledger; }

bool run_until(run *r, double time)
{
	while (r->ok && run_time(r) < time - 0.5 * r->dt)
		run_step(r);
	return r->ok;
}

void run_close(run *r)
{
	cairn_world_destroy(r->world);
	r->world = NULL;
}

double run_time(const run *r) { return cairn_world_frame(r->world) * r->dt; }

cairn_key run_key(const run *r, uint32_t body)
{
	cairn_key k = cairn_world_body_key(r->world, r->bodies[body]);
	quat back = q_conj(turned(&r->t));
	double s = r->t.scale;
	k.time = run_time(r);
	k.position = v3_sub(q_rotate(back, v3_scale(k.position, 1 / s)), r->t.move);
	k.orientation = q_mul(back, k.orientation);
	k.velocity = v3_scale(q_rotate(back, k.velocity), 1 / sqrt(s));
	k.spin = v3_scale(q_rotate(back, k.spin), sqrt(s));
	return k;
}

int run_find(const run *r, const char *name)
{
	for (uint32_t i = 0; i < r->count; ++i)
		if (r->bodies[i].generation && strcmp(r->infos[i].name, name) == 0)
			return (int)i;
	return -1;
}

double run_gap(const run *r, uint32_t a, uint32_t b)
{
	cairn_gap g;
	return cairn_world_gap(r->world, r->bodies[a], r->bodies[b], &g) ? g.gap / r->t.scale : NAN;
}

v3 run_momentum(const run *r, v3 *angular, double *scale, double *angular_scale)
{
	v3 p = v3_zero(), l = v3_zero();
	*scale = *angular_scale = 0;
	for (uint32_t i = 0; i < r->count; ++i) {
		if (!r->bodies[i].generation || r->infos[i].type != CAIRN_DYNAMIC)
			continue;
		cairn_key k = cairn_world_body_key(r->world, r->bodies[i]);
		const double *n = r->infos[i].inertia;
		double mass = r->infos[i].mass;
		v3 w = q_unrotate(k.orientation, k.spin), orbit = v3_scale(v3_cross(k.position, k.velocity), mass);
		v3 own = v3_make(n[0] * w.x + n[1] * w.y + n[2] * w.z, n[3] * w.x + n[4] * w.y + n[5] * w.z,
		                 n[6] * w.x + n[7] * w.y + n[8] * w.z);
		p = v3_madd(p, k.velocity, mass);
		l = v3_add(l, v3_add(orbit, q_rotate(k.orientation, own)));
		*scale += mass * v3_length(k.velocity);
		*angular_scale += v3_length(own) + mass * v3_length(k.position) * v3_length(k.velocity);
	}
	if (angular)
		*angular = l;
	return p;
}

/* ---- what a row measures */

static measure *keep(result *r, const char *what, double off, double limit)
{
	for (uint32_t i = 0; i < r->count; ++i) {
		measure *m = &r->list[i];
		if (strcmp(m->what, what) != 0)
			continue;
		++m->count;
		if (!(off > m->off) && off == off)
			return NULL;
		m->off = off, m->limit = limit;
		return m;
	}
	if (r->count == MEASURE_MOST)
		return NULL;
	measure *m = &r->list[r->count++];
	*m = (measure){.off = off, .limit = limit, .count = 1};
	snprintf(m->what, sizeof m->what, "%s", what);
	return m;
}

static void print_value(char *text, size_t size, double value, const char *unit)
{
	snprintf(text, size, "%.5g%s%s", value, *unit ? " " : "", unit);
}

static void print_share(char *text, size_t size, double share)
{
	if (share >= 1e-4)
		snprintf(text, size, "%.3g %%", 100 * share);
	else
		snprintf(text, size, "%.1e", share);
}

void near(result *r, const char *what, const char *unit, double expected, double measured, double relative)
{
	double off = fabs(measured - expected) / fabs(expected);
	measure *m = keep(r, what, off, relative);
	if (!m)
		return;
	m->met = off <= relative;
	print_value(m->expected, sizeof m->expected, expected, unit);
	print_value(m->measured, sizeof m->measured, measured, unit);
	print_share(m->error, sizeof m->error, off);
	print_share(m->wanted, sizeof m->wanted, relative);
}

void within(result *r, const char *what, const char *unit, double expected, double measured, double absolute)
{
	double off = fabs(measured - expected);
	measure *m = keep(r, what, off, absolute);
	if (!m)
		return;
	m->met = off <= absolute;
	print_value(m->expected, sizeof m->expected, expected, unit);
	print_value(m->measured, sizeof m->measured, measured, unit);
	snprintf(m->error, sizeof m->error, "%.2g%s%s", off, *unit ? " " : "", unit);
	snprintf(m->wanted, sizeof m->wanted, "%.2g%s%s", absolute, *unit ? " " : "", unit);
}

void below(result *r, const char *what, const char *unit, double measured, double limit)
{
	measure *m = keep(r, what, measured, limit);
	if (!m)
		return;
	m->met = measured <= limit;
	snprintf(m->expected, sizeof m->expected, "0");
	snprintf(m->measured, sizeof m->measured, "%.2g%s%s", measured, *unit ? " " : "", unit);
	snprintf(m->error, sizeof m->error, "%.2g%s%s", measured, *unit ? " " : "", unit);
	snprintf(m->wanted, sizeof m->wanted, "%.2g%s%s", limit, *unit ? " " : "", unit);
}

void above(result *r, const char *what, const char *unit, double measured, double least)
{
	double off = measured < least ? least - measured : 0;
	measure *m = keep(r, what, off, 0);
	if (!m)
		return;
	m->met = measured >= least;
	snprintf(m->expected, sizeof m->expected, "at least %.3g%s%s", least, *unit ? " " : "", unit);
	print_value(m->measured, sizeof m->measured, measured, unit);
	snprintf(m->error, sizeof m->error, m->met ? "none" : "%.2g%s%s", off, *unit ? " " : "", unit);
	snprintf(m->wanted, sizeof m->wanted, "none");
}

void at_most(result *r, const char *what, const char *unit, double measured, double most)
{
	double off = measured > most ? measured - most : 0;
	measure *m = keep(r, what, off, 0);
	if (!m)
		return;
	m->met = measured <= most;
	snprintf(m->expected, sizeof m->expected, "at most %.3g%s%s", most, *unit ? " " : "", unit);
	print_value(m->measured, sizeof m->measured, measured, unit);
	snprintf(m->error, sizeof m->error, m->met ? "none" : "%.2g%s%s", off, *unit ? " " : "", unit);
	snprintf(m->wanted, sizeof m->wanted, "none");
}

void verdict(result *r, const char *what, const char *expected, const char *measured, bool met)
{
	measure *m = keep(r, what, met ? 0 : 1, 0);
	if (!m)
		return;
	m->met = met;
	snprintf(m->expected, sizeof m->expected, "%s", expected);
	snprintf(m->measured, sizeof m->measured, "%s", measured);
	snprintf(m->error, sizeof m->error, "%s", met ? "none" : "wrong");
	snprintf(m->wanted, sizeof m->wanted, "none");
}

void trouble(result *r, const run *u)
{
	verdict(r, "the run reaches its end", "yes", "no", false);
	snprintf(r->note, sizeof r->note, "%s", u->trouble);
}

bool result_met(const result *r)
{
	for (uint32_t i = 0; i < r->count; ++i)
		if (!r->list[i].met)
			return false;
	return r->count > 0;
}

void result_free(result *r)
{
	for (uint32_t i = 0; i < r->plot.count; ++i) {
		free(r->plot.lines[i].x);
		free(r->plot.lines[i].y);
	}
	memset(r, 0, sizeof *r);
}

void axes(result *r, const char *x, const char *y)
{
	snprintf(r->plot.x_label, sizeof r->plot.x_label, "%s", x);
	snprintf(r->plot.y_label, sizeof r->plot.y_label, "%s", y);
}

void mark(result *r, const char *line, bool dashed, double x, double y)
{
	series *s = NULL;
	if (!r->plotting)
		return;
	for (uint32_t i = 0; i < r->plot.count; ++i)
		if (strcmp(r->plot.lines[i].name, line) == 0)
			s = &r->plot.lines[i];
	if (!s && r->plot.count < SERIES_MOST) {
		s = &r->plot.lines[r->plot.count++];
		snprintf(s->name, sizeof s->name, "%s", line);
		s->dashed = dashed;
	}
	if (!s)
		return;
	if (s->count == s->room) {
		uint32_t room = s->room ? 2 * s->room : 256;
		double *xs = realloc(s->x, room * sizeof *xs), *ys = xs ? realloc(s->y, room * sizeof *ys) : NULL;
		if (xs)
			s->x = xs;
		if (!ys)
			return;
		s->y = ys, s->room = room;
	}
	s->x[s->count] = x, s->y[s->count++] = y;
}
