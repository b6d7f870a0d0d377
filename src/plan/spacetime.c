/* Motion as the answer to one large problem (PBA 7.6.2): coordinates of a planar figure at every sample, and what holds its
 * feet there, such that forces that nothing exerts are 0 and those of the joints are least.
 *
 * With x the centres of mass (and angles) of all links, M their masses, G gravity, and J = dx/dq, the forces along the
 * coordinates at sample i are those of the discrete motion (7.97, 7.98):
 *
 *   u = J'(M (x[i+1] - 2 x[i] + x[i-1]) / h^2 - M G) - J_foot' w
 *
 * This is what remains of the equations of all links when the forces in the joints are taken out, so that momentum is kept
 * to rounding: in flight the centre of mass goes along its parabola at every sample. At the ends the velocity is given, and
 * 2 (x[1] - x[0]) / h^2 stands in place of the second difference. */
#include "geom/convex.h"
#include "num/sqp.h"
#include "plan/planar.h"

#include <stdio.h>
#include <string.h>

enum { RATES = CN_PLANAR_MAX + 2, SIDES = 5 };
#define CN_GRIP_SHARE 12.0  /* by which what a foot cannot do counts more than torques */
#define CN_GRIP_MARGIN 0.02 /* of the weight: kept free of what a foot can do */

/* A hold at a sample: where its three unknowns are. At the last one of a hold before flight the foot is still where it was,
 * but nothing pushes it: a push there would throw it off, as no ground does. */
typedef struct grip {
	uint32_t hold, sample, unknown;
} grip;

typedef struct plan {
	const cairn_scene *scene;
	const cairn_plan_def *def;
	cn_planar f;
	uint32_t n, samples; /* coordinates; intervals */
	double h, force;     /* s; N: the figure's weight, which forces are measured by */
	grip *grips;
	uint32_t grip_count, *first_grip; /* by sample, and one more */
	uint32_t *begins, *ends;          /* samples of the holds; nothing pushes at the last unless it is the plan's */
	uint32_t *links;                  /* of the holds' bodies */
	double *heights;                  /* of the holds: from sole to centre, m */
	double *start, *line;
	cn_planar_state *states;
	p2 *columns; /* by sample, link, coordinate */
	double *turns;
	cn_entry *entries; /* written where it is not NULL */
	double *values;
	uint32_t entry_count, row;
	uint32_t squares, equations;
} plan;

/* Derivatives of one row: by coordinates of the sample before, its own and the next, and by what its grips do. */
typedef struct slopes {
	double q[3][RATES];
	double w[3 * 8];
} slopes;

/* ---- the motion at one sample */

static p2 column(const plan *p, uint32_t i, uint32_t k, uint32_t r)
{
	return p->columns[((size_t)i * p->f.count + k) * p->n + r];
}

static double turn(const plan *p, uint32_t i, uint32_t k, uint32_t r)
{
	return p->turns[((size_t)i * p->f.count + k) * p->n + r];
}

static void put_all(plan *p, const double *z)
{
	for (uint32_t i = 0; i <= p->samples; ++i) {
		cn_planar_state *s = &p->states[i];
		cn_planar_put(&p->f, z + (size_t)i * p->n, s);
		for (uint32_t k = 0; k < p->f.count; ++k)
			for (uint32_t r = 0; r < p->n; ++r) {
				size_t at = ((size_t)i * p->f.count + k) * p->n + r;
				p->columns[at] = cn_planar_column(&p->f, s, k, s->x[k], r, &p->turns[at]);
			}
	}
}

/* Samples beside i, and how their second difference weighs them. At an end both are the same one. */
typedef struct beside {
	uint32_t before, after;
	double by; /* 1/s^2 */
} beside;

static beside beside_of(const plan *p, uint32_t i)
{
	double by = 1 / (p->h * p->h);
	return (beside){i == 0 ? 1 : i - 1, i == p->samples ? i - 1 : i + 1, by};
}

/* Acceleration of a link beyond that of falling. */
static p2 pull(const plan *p, uint32_t i, uint32_t k)
{
	beside b = beside_of(p, i);
	p2 a = p2_add(p->states[b.before].x[k], p->states[b.after].x[k]);
	return p2_sub(p2_scale(p2_sub(a, p2_scale(p->states[i].x[k], 2)), b.by), p->f.gravity);
}

static double spin_up(const plan *p, uint32_t i, uint32_t k)
{
	beside b = beside_of(p, i);
	return (p->states[b.before].angle[k] + p->states[b.after].angle[k] - 2 * p->states[i].angle[k]) * b.by;
}

/* The force along a coordinate, N or N m, that neither gravity nor the ground exerts. */
static double force_along(const plan *p, const double *z, uint32_t i, uint32_t r)
{
	double u = 0;
	for (uint32_t k = 0; k < p->f.count; ++k) {
		const cn_planar_link *l = &p->f.links[k];
		u += l->mass * p2_dot(column(p, i, k, r), pull(p, i, k)) + l->inertia * spin_up(p, i, k) * turn(p, i, k, r);
	}
	for (uint32_t g = p->first_grip[i]; g < p->first_grip[i + 1]; ++g) {
		const double *w = z + p->grips[g].unknown;
		uint32_t foot = p->links[p->grips[g].hold];
		u -= p->force * (p2_dot(column(p, i, foot, r), (p2){w[0], w[1]}) + turn(p, i, foot, r) * w[2]);
	}
	return u;
}

static void derive_force(const plan *p, const double *z, uint32_t i, uint32_t r, slopes *s)
{
	beside b = beside_of(p, i);
	memset(s, 0, sizeof *s);
	for (uint32_t k = 0; k < p->f.count; ++k) {
		const cn_planar_link *l = &p->f.links[k];
		p2 own = column(p, i, k, r), push = p2_scale(pull(p, i, k), l->mass);
		double t = turn(p, i, k, r) * l->inertia * b.by;
		if (own.x == 0 && own.z == 0 && t == 0)
			continue;
		p2 much = p2_scale(own, l->mass * b.by);
		for (uint32_t q = 0; q < p->n; ++q) {
			s->q[0][q] += p2_dot(much, column(p, b.before, k, q)) + t * turn(p, b.before, k, q);
			s->q[2][q] += p2_dot(much, column(p, b.after, k, q)) + t * turn(p, b.after, k, q);
			s->q[1][q] += p2_dot(cn_planar_bend(&p->f, &p->states[i], k, p->states[i].x[k], r, q), push) -
			              2 * (p2_dot(much, column(p, i, k, q)) + t * turn(p, i, k, q));
		}
	}
	for (uint32_t g = p->first_grip[i], at = 0; g < p->first_grip[i + 1]; ++g, at += 3) {
		const double *w = z + p->grips[g].unknown;
		uint32_t foot = p->links[p->grips[g].hold];
		p2 own = column(p, i, foot, r), f = {p->force * w[0], p->force * w[1]};
		for (uint32_t q = 0; q < p->n; ++q)
			s->q[1][q] -= p2_dot(cn_planar_bend(&p->f, &p->states[i], foot, p->states[i].x[foot], r, q), f);
		s->w[at] = -p->force * own.x, s->w[at + 1] = -p->force * own.z;
		s->w[at + 2] = -p->force * turn(p, i, foot, r);
	}
}

/* ---- rows */

static void emit(plan *p, uint32_t unknown, double value)
{
	if (p->entries)
		p->entries[p->entry_count] = (cn_entry){.row = p->row, .column = unknown};
	if (p->values)
		p->values[p->entry_count] = value;
	++p->entry_count;
}

/* A row's derivatives, times something; at an end before and after are one sample. */
static void emit_slopes(plan *p, uint32_t i, const slopes *s, double by)
{
	beside b = beside_of(p, i);
	for (uint32_t q = 0; q < p->n; ++q) {
		emit(p, b.before * p->n + q, by * (s->q[0][q] + (b.before == b.after ? s->q[2][q] : 0)));
		emit(p, i * p->n + q, by * s->q[1][q]);
		if (b.before != b.after)
			emit(p, b.after * p->n + q, by * s->q[2][q]);
	}
	for (uint32_t g = p->first_grip[i], at = 0; g < p->first_grip[i + 1]; ++g, at += 3)
		for (uint32_t k = 0; k < 3; ++k)
			emit(p, p->grips[g].unknown + k, by * s->w[at + k]);
}

static uint32_t sample_at(const plan *p, double time) { return (uint32_t)floor(time / p->h + 0.5); }
static bool is_end(const plan *p, uint32_t i) { return i == 0 || i == p->samples; }
static bool has_physics(const plan *p, uint32_t i)
{
	return (i > 0 || !p->def->free_start) && (i < p->samples || !p->def->free_end);
}
/* A coordinate that a motor, or thrust, pushes along. */
static bool is_driven(const plan *p, uint32_t r)
{
	return p->def->thrust || p->f.links[0].kind != CN_PLANAR_FREE || r >= 3;
}
/* The share of a sample in an integral over time, s. */
static double share(const plan *p, uint32_t i) { return is_end(p, i) ? 0.5 * p->h : p->h; }

static double rate_of(const plan *p, const double *z, uint32_t i, uint32_t r)
{
	return is_end(p, i) ? 0 : (z[(size_t)(i + 1) * p->n + r] - z[(size_t)(i - 1) * p->n + r]) / (2 * p->h);
}

/* What the objective squares: N m, W or rad/s^2, unscaled. s: its derivatives, or NULL. */
static double wanted(const plan *p, const double *z, uint32_t i, uint32_t r, slopes *s)
{
	double u = 0, rate = rate_of(p, z, i, r);
	beside b = beside_of(p, i);
	if (p->def->objective == CAIRN_PLAN_SMOOTH) {
		if (s) {
			memset(s, 0, sizeof *s);
			s->q[0][r] = s->q[2][r] = b.by, s->q[1][r] = -2 * b.by;
		}
		return (z[b.before * p->n + r] + z[b.after * p->n + r] - 2 * z[i * p->n + r]) * b.by;
	}
	u = force_along(p, z, i, r);
	if (s)
		derive_force(p, z, i, r, s);
	if (p->def->objective == CAIRN_PLAN_TORQUE)
		return u;
	if (s) {
		for (uint32_t q = 0; q < p->n; ++q)
			s->q[0][q] *= rate, s->q[1][q] *= rate, s->q[2][q] *= rate;
		for (uint32_t k = 0; k < CN_COUNT(s->w); ++k)
			s->w[k] *= rate;
		if (!is_end(p, i))
			s->q[2][r] += u / (2 * p->h), s->q[0][r] -= u / (2 * p->h);
	}
	return u * rate;
}

static double scale_of(const plan *p, uint32_t i)
{
	double unit = p->def->objective == CAIRN_PLAN_SMOOTH ? 10 : p->force;
	return sqrt(share(p, i) / p->def->time) / unit;
}

/* What a foot cannot do, by the figure's weight: pull, slip to either side, tip over either edge. w: force and moment about
 * its centre; by: derivatives of it. */
static double side(const plan *p, const grip *g, const double *w, uint32_t k, double by[3])
{
	const cairn_plan_hold *hold = &p->def->holds[g->hold];
	double mu = p->def->friction, high = p->heights[g->hold], sole = hold->sole;
	double sign = k & 1 ? 1 : -1;
	by[0] = by[1] = by[2] = 0;
	if (k == 0)
		by[1] = -1;
	else if (k < 3)
		by[0] = sign, by[1] = -mu;
	else if (sole > 0)
		by[0] = -sign * high / sole, by[1] = -1, by[2] = sign / sole;
	return by[0] * w[0] + by[1] * w[1] + by[2] * w[2];
}

/* ---- all rows, in one order: values of rows where out is there, derivatives by emit */

static void row(plan *p, double *out, double value)
{
	if (out)
		out[p->row] = value;
	++p->row;
}

static void objective_rows(plan *p, const double *z, double *out)
{
	slopes s;
	for (uint32_t i = 0; i <= p->samples; ++i)
		for (uint32_t r = 0; r < p->n; ++r) {
			if (!is_driven(p, r) || !has_physics(p, i))
				continue;
			double by = scale_of(p, i), u = wanted(p, z, i, r, out ? NULL : &s);
			if (!out)
				emit_slopes(p, i, &s, by);
			row(p, out, u * by);
		}
}

static void grip_rows(plan *p, const double *z, double *out)
{
	for (uint32_t g = 0; g < p->grip_count; ++g)
		for (uint32_t k = 0; k < SIDES; ++k) {
			double by[3], heavy = CN_GRIP_SHARE * sqrt(p->h / p->def->time);
			double off = side(p, &p->grips[g], z + p->grips[g].unknown, k, by) + CN_GRIP_MARGIN;
			bool on = off > 0 && (k < 3 || p->def->holds[p->grips[g].hold].sole > 0);
			for (uint32_t a = 0; !out && a < 3; ++a)
				emit(p, p->grips[g].unknown + a, on ? heavy * by[a] : 0);
			row(p, out, on ? heavy * off : 0);
		}
}

static void physics_rows(plan *p, const double *z, double *out)
{
	slopes s;
	for (uint32_t i = 0; i <= p->samples; ++i)
		for (uint32_t r = 0; r < p->n; ++r) {
			if (is_driven(p, r) || !has_physics(p, i))
				continue;
			if (!out) {
				derive_force(p, z, i, r, &s);
				emit_slopes(p, i, &s, 1 / p->force);
			}
			row(p, out, out ? force_along(p, z, i, r) / p->force : 0);
		}
}

static void start_rows(plan *p, const double *z, double *out)
{
	for (uint32_t r = 0; r < p->n; ++r) {
		if (!out)
			emit(p, r, 1);
		row(p, out, z[r] - p->start[r]);
	}
}

static void hold_row(plan *p, uint32_t h, uint32_t i, double *out)
{
	const cairn_plan_hold *hold = &p->def->holds[h];
	uint32_t foot = p->links[h];
	p2 to = p2_add(p->f.links[foot].at, cn_planar_flat(&p->f, hold->shift)), at = p->states[i].x[foot];
	double off[3] = {at.x - to.x, at.z - to.z, p->states[i].angle[foot] - hold->turn};
	for (int k = 0; k < 3; ++k) {
		for (uint32_t q = 0; !out && q < p->n; ++q) {
			p2 c = column(p, i, foot, q);
			emit(p, i * p->n + q, k == 0 ? c.x : k == 1 ? c.z : turn(p, i, foot, q));
		}
		row(p, out, off[k]);
	}
}

static void hold_rows(plan *p, double *out)
{
	for (uint32_t k = 0; k < p->def->hold_count; ++k)
		for (uint32_t i = p->begins[k] ? p->begins[k] : 1; i <= p->ends[k];
		     ++i) /* the start holds what is held there */
			hold_row(p, k, i, out);
}
/* The coordinate of a joint; CN_PLANAR_NONE: it is of another figure. */
static uint32_t rate_of_joint(const plan *p, uint32_t joint, double *sign)
{
	for (uint32_t k = 0; k < p->f.count; ++k)
		if (p->f.links[k].joint == joint && p->f.links[k].rates == 1)
			return *sign = p->f.links[k].sign, p->f.links[k].rate;
	return CN_PLANAR_NONE;
}

static void key_rows(plan *p, const double *z, double *out)
{
	for (uint32_t k = 0; k < p->def->key_count; ++k) {
		const cairn_plan_key *key = &p->def->keys[k];
		uint32_t i = sample_at(p, key->time);
		double sign = 1;
		if (key->joint.generation) {
			uint32_t at = i * p->n + rate_of_joint(p, key->joint.index, &sign);
			if (!out)
				emit(p, at, 1);
			row(p, out, z[at] - sign * key->value);
			continue;
		}
		uint32_t link = cn_planar_link_of(&p->f, key->body.index);
		const cn_planar_state *s = &p->states[i];
		p2 at = cn_planar_point(&p->f, s, link, key->point), off = p2_sub(at, cn_planar_flat(&p->f, key->target));
		for (int side = 0; side < 2; ++side) {
			for (uint32_t q = 0; !out && q < p->n; ++q) {
				double spin;
				p2 c = cn_planar_column(&p->f, s, link, at, q, &spin);
				emit(p, i * p->n + q, side ? c.z : c.x);
			}
			row(p, out, side ? off.z : off.x);
		}
	}
}

/* Rows from here on are equations. */
static void all_rows(plan *p, const double *z, double *out)
{
	put_all(p, z);
	p->row = p->entry_count = 0;
	objective_rows(p, z, out);
	grip_rows(p, z, out);
	p->squares = p->row;
	physics_rows(p, z, out);
	start_rows(p, z, out);
	hold_rows(p, out);
	key_rows(p, z, out);
	p->equations = p->row - p->squares;
}

static void look(void *context, const double *z, double *rows) { all_rows(context, z, rows); }

static void derive(void *context, const double *z, double *values)
{
	plan *p = context;
	p->values = values;
	all_rows(p, z, NULL);
	p->values = NULL;
}

/* ---- setting up */

/* Height of the centre above the lowest point of a body as it stands at the start. */
static double height_of(const plan *p, uint32_t link)
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

static bool find_feet(plan *p, cn_arena *arena, cairn_error *error)
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
		p->begins[k] = sample_at(p, d->holds[k].from), p->ends[k] = sample_at(p, d->holds[k].to);
	}
	for (uint32_t i = 0; i <= p->samples; ++i) {
		p->first_grip[i] = p->grip_count;
		for (uint32_t k = 0; k < d->hold_count; ++k)
			if (i >= p->begins[k] && (i < p->ends[k] || p->ends[k] == p->samples))
				p->grips[p->grip_count++] = (grip){k, i, 0};
		if (p->grip_count - p->first_grip[i] > 8)
			return cn_fail(error, CAIRN_INVALID, "holds", "more than eight bodies are held at once");
	}
	p->first_grip[p->samples + 1] = p->grip_count;
	for (uint32_t g = 0; g < p->grip_count; ++g)
		p->grips[g].unknown = (p->samples + 1) * p->n + 3 * g;
	return true;
}

static bool check_keys(const plan *p, cairn_error *error)
{
	for (uint32_t k = 0; k < p->def->key_count; ++k) {
		const cairn_plan_key *key = &p->def->keys[k];
		double sign;
		bool own = key->joint.generation ? rate_of_joint(p, key->joint.index, &sign) != CN_PLANAR_NONE
		                                 : cn_planar_link_of(&p->f, key->body.index) != CN_PLANAR_NONE;
		if (!own)
			return cn_fail(error, CAIRN_INVALID, "keys", "keys[%u] is about what the figure does not have", k);
	}
	return true;
}

/* Between two times that have a value the guess is straight; before the first it is the start's, after the last its own. */
static void draw_line(plan *p, uint32_t r, uint32_t from, uint32_t to, double end)
{
	double begin = p->line[(size_t)from * p->n + r];
	for (uint32_t i = from; i <= p->samples; ++i) {
		double t = i >= to ? 1 : (double)(i - from) / (to - from);
		p->line[(size_t)i * p->n + r] = begin + t * (end - begin);
	}
}

static void draw_lines(plan *p)
{
	for (uint32_t i = 0; i <= p->samples; ++i)
		memcpy(p->line + (size_t)i * p->n, p->start, p->n * sizeof *p->line);
	for (uint32_t r = 0; r < p->n; ++r) {
		uint32_t last = 0;
		for (uint32_t i = 1; i <= p->samples; ++i)
			for (uint32_t k = 0; k < p->def->key_count; ++k) {
				const cairn_plan_key *key = &p->def->keys[k];
				double sign = 1;
				if (key->joint.generation && sample_at(p, key->time) == i &&
				    rate_of_joint(p, key->joint.index, &sign) == r)
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

static bool prepare(plan *p, cn_arena *arena, cairn_error *error)
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

static uint32_t driven_joints(const plan *p)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < p->f.count; ++k)
		count += p->f.links[k].rates == 1;
	return count;
}

static cairn_clip *make_clip(const plan *p)
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

static void tell_motion(plan *p, const double *z, cairn_clip *c)
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
			c->torques[at] = has_physics(p, i) ? l->sign * force_along(p, z, i, l->rate) : 0;
		}
		c->centers[i] = sum;
	}
}

static void tell_forces(plan *p, const double *z, cairn_clip *c)
{
	for (uint32_t g = 0; g < p->grip_count; ++g) {
		const grip *at = &p->grips[g];
		const double *w = z + at->unknown;
		double by[3];
		c->forces[(size_t)at->sample * c->hold_count + at->hold] =
			v3_scale(v3_add(v3_scale(p->f.right, w[0]), v3_scale(p->f.up, w[1])), p->force);
		for (uint32_t k = 0; k < SIDES && has_physics(p, at->sample); ++k)
			if (k < 3 || p->def->holds[at->hold].sole > 0)
				c->grip = fmax(c->grip, side(p, at, w, k, by));
	}
}

/* Which equation is missed most, in the order in which they stand. */
static void tell_misses(plan *p, const double *rows, cairn_clip *c)
{
	uint32_t at = p->squares, physics = 0;
	for (uint32_t i = 0; i <= p->samples; ++i)
		for (uint32_t r = 0; r < p->n; ++r)
			physics += !is_driven(p, r) && has_physics(p, i);
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
		snprintf(c->worst, sizeof c->worst, "the laws of motion");
}

static void tell(plan *p, const double *z, const double *rows, cairn_clip *c)
{
	tell_motion(p, z, c);
	tell_forces(p, z, c);
	tell_misses(p, rows, c);
	for (uint32_t i = 0; i <= p->samples; ++i)
		for (uint32_t r = 0; r < p->n; ++r)
			if (is_driven(p, r) && has_physics(p, i)) {
				double u = wanted(p, z, i, r, NULL);
				c->cost += share(p, i) * u * u;
			}
}

/* Unknowns of the guess: the line, what the caller adds to it, and feet that carry the weight. */
static void guess_all(const plan *p, const double *guess, double *z)
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
static bool place_unknowns(const plan *p, cn_arena *arena, cn_sqp_problem *problem)
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

static bool solve(plan *p, const double *guess, cn_arena *arena, cairn_clip *c)
{
	uint32_t unknowns = (p->samples + 1) * p->n + 3 * p->grip_count;
	double *z = cn_arena_take(arena, unknowns, sizeof *z);
	if (!z)
		return false;
	guess_all(p, guess, z);
	all_rows(p, z, NULL); /* counts */
	p->entries = cn_arena_take(arena, p->entry_count, sizeof *p->entries);
	double *rows = cn_arena_take(arena, p->row, sizeof *rows);
	if (arena->failed)
		return false;
	cn_entry *entries = p->entries;
	all_rows(p, z, NULL);
	p->entries = NULL;
	cn_sqp_problem problem = {.unknowns = unknowns, .squares = p->squares, .equations = p->equations};
	problem.entries = entries, problem.entry_count = p->entry_count;
	problem.look = look, problem.derive = derive, problem.context = p;
	if (!place_unknowns(p, arena, &problem))
		return false;
	cn_sqp_result r = cn_sqp_solve(&p->scene->allocator, &problem, z, rows);
	if (r.end == CN_SQP_MEMORY)
		return false;
	all_rows(p, z, rows);
	c->steps = r.steps, c->unknowns = unknowns + p->row;
	tell(p, z, rows, c);
	return true;
}

cairn_clip *cairn_scene_plan(const cairn_scene *scene, uint32_t index, const double *guess, cairn_error *error)
{
	assert(index < scene->plan_count);
	plan p = {.scene = scene, .def = &scene->plans[index]};
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
