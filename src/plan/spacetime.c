/* Sets a plan up, has it solved, and tells what came of it. */
#include "plan/spacetime.h"

#include "geom/convex.h"

#include <stdio.h>
#include <string.h>

static void look(void *context, const double *z, double *rows) { cn_spacetime_rows(context, z, rows); }

static void derive(void *context, const double *z, double *values)
{
	cn_spacetime *p = context;
	p->values = values;
	cn_spacetime_rows(p, z, NULL);
	p->values = NULL;
}

/* ---- setting up */

/* Height of the centre above the lowest point of a body as it stands at the start. */
static double height_of(const cn_spacetime *p, uint32_t link)
{
	const cn_planar *f = &p->f;
	const cairn_body_def *d = &p->scene->bodies[f->links[link].body];
	uint32_t shape = d->shape.index;
	v3 down = v3_neg(f->up);
	double low = -INFINITY;
	for (uint32_t i = 0; i < cn_shape_part_count(p->scene->shapes, shape); ++i) {
		cairn_part part = cn_shape_part(p->scene->shapes, shape, i);
		const cn_convex *c = p->scene->shapes[part.shape.index].convex;
		cn_place at = cn_convex_place(c, pose_mul(d->pose, part.pose));
		low = fmax(low, cn_convex_support(c, &at, down) + v3_dot(at.x, down));
	}
	return f->links[link].at.z + low;
}

static bool find_feet(cn_spacetime *p, cn_arena *arena, cairn_error *error)
{
	const cairn_plan_def *d = p->def;
	p->links = cn_arena_take(arena, d->hold_count, sizeof *p->links);
	p->heights = cn_arena_take(arena, d->hold_count, sizeof *p->heights);
	p->begins = cn_arena_take(arena, 2 * (size_t)d->hold_count, sizeof *p->begins);
	p->ends = p->begins + d->hold_count;
	p->first_grip = cn_arena_take(arena, p->samples + 2, sizeof *p->first_grip);
	p->grips = cn_arena_take(arena, (size_t)d->hold_count * (p->samples + 1), sizeof *p->grips);
	if (arena->failed)
		return cn_fail_memory(error);
	for (uint32_t k = 0; k < d->hold_count; ++k) {
		p->links[k] = cn_planar_link_of(&p->f, d->holds[k].body.index);
		if (p->links[k] == CN_PLANAR_NONE)
			return cn_fail(error, CAIRN_INVALID, "holds", "holds[%u] is about a body that is not of the figure", k);
		p->heights[k] = height_of(p, p->links[k]);
		p->begins[k] = cn_spacetime_sample(p, d->holds[k].from), p->ends[k] = cn_spacetime_sample(p, d->holds[k].to);
	}
	for (uint32_t i = 0; i <= p->samples; ++i) {
		p->first_grip[i] = p->grip_count;
		for (uint32_t k = 0; k < d->hold_count; ++k)
			if (i >= p->begins[k] && (i < p->ends[k] || p->ends[k] == p->samples))
				p->grips[p->grip_count++] = (cn_grip){k, i, 0};
		if (p->grip_count - p->first_grip[i] > 8)
			return cn_fail(error, CAIRN_INVALID, "holds", "more than eight bodies are held at once");
	}
	p->first_grip[p->samples + 1] = p->grip_count;
	for (uint32_t g = 0; g < p->grip_count; ++g)
		p->grips[g].unknown = (p->samples + 1) * p->n + 3 * g;
	return true;
}

static bool check_keys(const cn_spacetime *p, cairn_error *error)
{
	for (uint32_t k = 0; k < p->def->key_count; ++k) {
		const cairn_plan_key *key = &p->def->keys[k];
		double sign;
		bool own = key->joint.generation ? cn_spacetime_rate(p, key->joint.index, &sign) != CN_PLANAR_NONE
		                                 : cn_planar_link_of(&p->f, key->body.index) != CN_PLANAR_NONE;
		if (!own)
			return cn_fail(error, CAIRN_INVALID, "keys", "keys[%u] is about what the figure does not have", k);
	}
	return true;
}

/* Between two times that have a value the guess is straight; before the first it is the start's, after the last its own. */
static void draw_line(cn_spacetime *p, uint32_t r, uint32_t from, uint32_t to, double end)
{
	double begin = p->line[(size_t)from * p->n + r];
	for (uint32_t i = from; i <= p->samples; ++i) {
		double t = i >= to ? 1 : (double)(i - from) / (to - from);
		p->line[(size_t)i * p->n + r] = begin + t * (end - begin);
	}
}

static void draw_lines(cn_spacetime *p)
{
	for (uint32_t i = 0; i <= p->samples; ++i)
		memcpy(p->line + (size_t)i * p->n, p->start, p->n * sizeof *p->line);
	for (uint32_t r = 0; r < p->n; ++r) {
		uint32_t last = 0;
		for (uint32_t i = 1; i <= p->samples; ++i)
			for (uint32_t k = 0; k < p->def->key_count; ++k) {
				const cairn_plan_key *key = &p->def->keys[k];
				double sign = 1;
				if (key->joint.generation && cn_spacetime_sample(p, key->time) == i &&
				    cn_spacetime_rate(p, key->joint.index, &sign) == r)
					draw_line(p, r, last, i, sign * key->value), last = i;
			}
	}
	if (p->f.links[0].kind != CN_PLANAR_FREE)
		return;
	for (uint32_t g = 0, last = 0; g < p->grip_count; ++g) { /* the whole goes where its feet do */
		p2 shift = cn_planar_flat(&p->f, p->def->holds[p->grips[g].hold].shift);
		uint32_t i = p->grips[g].sample;
		if (i > last) {
			draw_line(p, 0, last, i, p->start[0] + shift.x);
			draw_line(p, 1, last, i, p->start[1] + shift.z);
		}
		last = i;
	}
}

static bool prepare(cn_spacetime *p, cn_arena *arena, cairn_error *error)
{
	if (!cn_planar_make(&p->f, p->scene, p->def->figure, error))
		return false;
	p->n = p->f.rates, p->samples = p->def->samples, p->h = p->def->time / p->samples;
	double g = sqrt(p2_dot(p->f.gravity, p->f.gravity));
	p->force = p->f.mass * (g > 0 ? g : 1);
	size_t times = p->samples + 1;
	p->states = cn_arena_take(arena, times, sizeof *p->states);
	p->columns = cn_arena_take(arena, times * p->f.count * p->n, sizeof *p->columns);
	p->turns = cn_arena_take(arena, times * p->f.count * p->n, sizeof *p->turns);
	p->start = cn_arena_take(arena, p->n, sizeof *p->start);
	p->line = cn_arena_take(arena, times * p->n, sizeof *p->line);
	if (arena->failed)
		return cn_fail_memory(error);
	if (p->n == 0)
		return cn_fail(error, CAIRN_INVALID, "figure", "the figure has nothing that moves");
	cn_planar_start(&p->f, p->start);
	if (!find_feet(p, arena, error) || !check_keys(p, error))
		return false;
	draw_lines(p);
	return true;
}

/* ---- the answer */

static void *take(const cairn_scene *s, size_t count, size_t size, bool *ok)
{
	void *block = cn_alloc(&s->allocator, count ? count : 1, size);
	*ok &= block != NULL;
	return block;
}

static uint32_t driven_joints(const cn_spacetime *p)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < p->f.count; ++k)
		count += p->f.links[k].rates == 1;
	return count;
}

static cairn_clip *make_clip(const cn_spacetime *p)
{
	const cairn_scene *s = p->scene;
	bool ok = true;
	size_t times = p->samples + 1;
	cairn_clip *c = take(s, 1, sizeof *c, &ok);
	if (!c)
		return NULL;
	c->samples = p->samples, c->step = p->h;
	c->joint_count = driven_joints(p), c->body_count = p->f.count, c->hold_count = p->def->hold_count;
	c->joints = take(s, c->joint_count, sizeof *c->joints, &ok);
	c->bodies = take(s, c->body_count, sizeof *c->bodies, &ok);
	c->values = take(s, times * c->joint_count, sizeof *c->values, &ok);
	c->torques = take(s, times * c->joint_count, sizeof *c->torques, &ok);
	c->poses = take(s, times * c->body_count, sizeof *c->poses, &ok);
	c->centers = take(s, times, sizeof *c->centers, &ok);
	c->forces = take(s, times * c->hold_count, sizeof *c->forces, &ok);
	if (!ok)
		cairn_clip_destroy(s, c);
	return ok ? c : NULL;
}

static void give(const cairn_scene *s, void *block, size_t count, size_t size)
{
	if (block)
		cn_free(&s->allocator, block, count ? count : 1, size);
}

void cairn_clip_destroy(const cairn_scene *scene, cairn_clip *c)
{
	if (!c)
		return;
	size_t times = c->samples + 1;
	give(scene, c->joints, c->joint_count, sizeof *c->joints);
	give(scene, c->bodies, c->body_count, sizeof *c->bodies);
	give(scene, c->values, times * c->joint_count, sizeof *c->values);
	give(scene, c->torques, times * c->joint_count, sizeof *c->torques);
	give(scene, c->poses, times * c->body_count, sizeof *c->poses);
	give(scene, c->centers, times, sizeof *c->centers);
	give(scene, c->forces, times * c->hold_count, sizeof *c->forces);
	give(scene, c, 1, sizeof *c);
}

static void tell_motion(cn_spacetime *p, const double *z, cairn_clip *c)
{
	for (uint32_t i = 0; i <= p->samples; ++i) {
		v3 sum = v3_zero();
		for (uint32_t k = 0, j = 0; k < p->f.count; ++k) {
			const cn_planar_link *l = &p->f.links[k];
			c->bodies[k] = (cairn_body){l->body, 1};
			c->poses[(size_t)i * c->body_count + k] = cn_planar_pose(&p->f, &p->states[i], k);
			v3 x = v3_add(v3_scale(p->f.right, p->states[i].x[k].x), v3_scale(p->f.up, p->states[i].x[k].z));
			sum = v3_madd(sum, x, l->mass / p->f.mass);
			if (l->rates != 1)
				continue;
			size_t at = (size_t)i * c->joint_count + j;
			c->joints[j++] = (cairn_joint){l->joint, 1};
			c->values[at] = l->sign * z[(size_t)i * p->n + l->rate];
			c->torques[at] = cn_spacetime_acts(p, i) ? l->sign * cn_spacetime_force(p, z, i, l->rate) : 0;
		}
		c->centers[i] = sum;
	}
}

static void tell_forces(cn_spacetime *p, const double *z, cairn_clip *c)
{
	for (uint32_t g = 0; g < p->grip_count; ++g) {
		const cn_grip *at = &p->grips[g];
		const double *w = z + at->unknown;
		double by[3];
		c->forces[(size_t)at->sample * c->hold_count + at->hold] =
			v3_scale(v3_add(v3_scale(p->f.right, w[0]), v3_scale(p->f.up, w[1])), p->force);
		for (uint32_t k = 0; k < CN_SPACETIME_SIDES && cn_spacetime_acts(p, at->sample); ++k)
			if (k < 3 || p->def->holds[at->hold].sole > 0)
				c->grip = fmax(c->grip, cn_spacetime_side(p, at, w, k, by));
	}
}

/* Which equation is missed most, in the order in which they stand. */
static void tell_misses(cn_spacetime *p, const double *rows, cairn_clip *c)
{
	uint32_t at = p->squares, physics = 0;
	for (uint32_t i = 0; i <= p->samples; ++i)
		for (uint32_t r = 0; r < p->n; ++r)
			physics += !cn_spacetime_driven(p, r) && cn_spacetime_acts(p, i);
	for (uint32_t k = 0; k < physics; ++k, ++at)
		c->residual = fmax(c->residual, fabs(rows[at]));
	at += p->n;
	for (uint32_t h = 0; h < p->def->hold_count; ++h)
		for (uint32_t i = p->begins[h] ? p->begins[h] : 1, k = 0; i <= p->ends[h]; i += ++k % 3 == 0, ++at)
			if (fabs(rows[at]) > c->violation) {
				c->violation = fabs(rows[at]);
				snprintf(c->worst, sizeof c->worst, "holds[%u] at %.4g s", h, i * p->h);
			}
	for (uint32_t k = 0; k < p->def->key_count; ++k)
		for (int side = 0; side < (p->def->keys[k].joint.generation ? 1 : 2); ++side, ++at)
			if (fabs(rows[at]) > c->violation) {
				c->violation = fabs(rows[at]);
				snprintf(c->worst, sizeof c->worst, "keys[%u] at %.4g s", k, p->def->keys[k].time);
			}
	c->met = c->residual <= 1e-9 && c->violation <= 1e-8;
	if (c->met)
		c->worst[0] = 0;
	else if (c->residual > c->violation)
		snprintf(c->worst, sizeof c->worst, "a law of motion");
}

static void tell(cn_spacetime *p, const double *z, const double *rows, cairn_clip *c)
{
	tell_motion(p, z, c);
	tell_forces(p, z, c);
	tell_misses(p, rows, c);
	for (uint32_t i = 0; i <= p->samples; ++i)
		for (uint32_t r = 0; r < p->n; ++r)
			if (cn_spacetime_driven(p, r) && cn_spacetime_acts(p, i)) {
				double u = cn_spacetime_wanted(p, z, i, r, NULL);
				c->cost += cn_spacetime_share(p, i) * u * u;
			}
}

/* Unknowns of the guess: the line, what the caller adds to it, and feet that carry the weight. */
static void guess_all(const cn_spacetime *p, const double *guess, double *z)
{
	memcpy(z, p->line, (size_t)(p->samples + 1) * p->n * sizeof *z);
	uint32_t joints = driven_joints(p);
	for (uint32_t i = 1; guess && i <= p->samples; ++i)
		for (uint32_t k = 0, j = 0; k < p->f.count; ++k)
			if (p->f.links[k].rates == 1)
				z[(size_t)i * p->n + p->f.links[k].rate] += p->f.links[k].sign * guess[(size_t)i * joints + j++];
	for (uint32_t g = 0; g < p->grip_count; ++g)
		z[p->grips[g].unknown + 1] = 1;
}

/* Coordinates first, then what the ground does; rows reach over three samples. */
static bool place_unknowns(const cn_spacetime *p, cn_arena *arena, cn_sqp_problem *problem)
{
	uint32_t *time = cn_arena_take(arena, problem->unknowns, sizeof *time);
	uint32_t *slot = cn_arena_take(arena, problem->unknowns, sizeof *slot);
	if (arena->failed)
		return false;
	problem->time = time, problem->slot = slot, problem->reach = 2, problem->times = p->samples + 1;
	problem->slots = p->n;
	for (uint32_t i = 0; i < (p->samples + 1) * p->n; ++i)
		time[i] = i / p->n, slot[i] = i % p->n;
	for (uint32_t g = 0; g < p->grip_count; ++g)
		for (uint32_t k = 0; k < 3; ++k) {
			uint32_t at = p->grips[g].unknown + k, nth = g - p->first_grip[p->grips[g].sample];
			time[at] = p->grips[g].sample, slot[at] = p->n + 3 * nth + k;
			problem->slots = slot[at] >= problem->slots ? slot[at] + 1 : problem->slots;
		}
	return true;
}

static bool solve(cn_spacetime *p, const double *guess, cn_arena *arena, cairn_clip *c)
{
	uint32_t unknowns = (p->samples + 1) * p->n + 3 * p->grip_count;
	double *z = cn_arena_take(arena, unknowns, sizeof *z);
	if (!z)
		return false;
	guess_all(p, guess, z);
	cn_spacetime_rows(p, z, NULL); /* counts */
	p->entries = cn_arena_take(arena, p->entry_count, sizeof *p->entries);
	double *rows = cn_arena_take(arena, p->row, sizeof *rows);
	if (arena->failed)
		return false;
	cn_entry *entries = p->entries;
	cn_spacetime_rows(p, z, NULL);
	p->entries = NULL;
	cn_sqp_problem problem = {.unknowns = unknowns, .squares = p->squares, .equations = p->equations};
	problem.entries = entries, problem.entry_count = p->entry_count;
	problem.look = look, problem.derive = derive, problem.context = p;
	if (!place_unknowns(p, arena, &problem))
		return false;
	cn_sqp_result r = cn_sqp_solve(&p->scene->allocator, &problem, z, rows);
	if (r.end == CN_SQP_MEMORY)
		return false;
	cn_spacetime_rows(p, z, rows);
	c->steps = r.steps, c->unknowns = unknowns + p->row;
	tell(p, z, rows, c);
	return true;
}

cairn_clip *cairn_scene_plan(const cairn_scene *scene, uint32_t index, const double *guess, cairn_error *error)
{
	assert(index < scene->asked.plan_count);
	cn_spacetime p = {.scene = scene, .def = &scene->asked.plans[index]};
	cn_arena arena = cn_arena_make(&scene->allocator);
	cairn_clip *clip = NULL;
	if (prepare(&p, &arena, error)) {
		clip = make_clip(&p);
		if (!clip || !solve(&p, guess, &arena, clip)) {
			cairn_clip_destroy(scene, clip);
			clip = NULL;
			cn_fail_memory(error);
		}
	}
	cn_arena_free(&arena);
	return clip;
}
