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
#include "plan/spacetime.h"

#include <string.h>

#define CN_GRIP_SHARE 12.0  /* by which what a foot cannot do counts more than torques */
#define CN_GRIP_MARGIN 0.02 /* of the weight: kept free of what a foot can do */

/* ---- the motion at one sample */

static p2 column(const cn_spacetime *p, uint32_t i, uint32_t k, uint32_t r)
{
	return p->columns[((size_t)i * p->f.count + k) * p->n + r];
}

static double turn(const cn_spacetime *p, uint32_t i, uint32_t k, uint32_t r)
{
	return p->turns[((size_t)i * p->f.count + k) * p->n + r];
}

static void put_all(cn_spacetime *p, const double *z)
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

static beside beside_of(const cn_spacetime *p, uint32_t i)
{
	double by = 1 / (p->h * p->h);
	return (beside){i == 0 ? 1 : i - 1, i == p->samples ? i - 1 : i + 1, by};
}

/* Acceleration of a link beyond that of falling. */
static p2 pull(const cn_spacetime *p, uint32_t i, uint32_t k)
{
	beside b = beside_of(p, i);
	p2 a = p2_add(p->states[b.before].x[k], p->states[b.after].x[k]);
	return p2_sub(p2_scale(p2_sub(a, p2_scale(p->states[i].x[k], 2)), b.by), p->f.gravity);
}

static double spin_up(const cn_spacetime *p, uint32_t i, uint32_t k)
{
	beside b = beside_of(p, i);
	return (p->states[b.before].angle[k] + p->states[b.after].angle[k] - 2 * p->states[i].angle[k]) * b.by;
}

/* The force along a coordinate, N or N m, that neither gravity nor the ground exerts. */
double cn_spacetime_force(const cn_spacetime *p, const double *z, uint32_t i, uint32_t r)
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

static void derive_force(const cn_spacetime *p, const double *z, uint32_t i, uint32_t r, cn_slopes *s)
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

static void emit(cn_spacetime *p, uint32_t unknown, double value)
{
	if (p->entries)
		p->entries[p->entry_count] = (cn_entry){.row = p->row, .column = unknown};
	if (p->values)
		p->values[p->entry_count] = value;
	++p->entry_count;
}

/* A row's derivatives, times something; at an end before and after are one sample. */
static void emit_slopes(cn_spacetime *p, uint32_t i, const cn_slopes *s, double by)
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

uint32_t cn_spacetime_sample(const cn_spacetime *p, double time) { return (uint32_t)floor(time / p->h + 0.5); }
static bool is_end(const cn_spacetime *p, uint32_t i) { return i == 0 || i == p->samples; }
bool cn_spacetime_acts(const cn_spacetime *p, uint32_t i)
{
	return (i > 0 || !p->def->free_start) && (i < p->samples || !p->def->free_end);
}
/* A coordinate that a motor, or thrust, pushes along. */
bool cn_spacetime_driven(const cn_spacetime *p, uint32_t r)
{
	return p->def->thrust || p->f.links[0].kind != CN_PLANAR_FREE || r >= 3;
}
/* The share of a sample in an integral over time, s. */
double cn_spacetime_share(const cn_spacetime *p, uint32_t i) { return is_end(p, i) ? 0.5 * p->h : p->h; }

static double rate_of(const cn_spacetime *p, const double *z, uint32_t i, uint32_t r)
{
	return is_end(p, i) ? 0 : (z[(size_t)(i + 1) * p->n + r] - z[(size_t)(i - 1) * p->n + r]) / (2 * p->h);
}

/* What the objective squares: N m, W or rad/s^2, unscaled. s: its derivatives, or NULL. */
double cn_spacetime_wanted(const cn_spacetime *p, const double *z, uint32_t i, uint32_t r, cn_slopes *s)
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
	u = cn_spacetime_force(p, z, i, r);
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

static double scale_of(const cn_spacetime *p, uint32_t i)
{
	double unit = p->def->objective == CAIRN_PLAN_SMOOTH ? 10 : p->force;
	return sqrt(cn_spacetime_share(p, i) / p->def->time) / unit;
}

/* What a foot cannot do, by the figure's weight: pull, slip to either side, tip over either edge. w: force and moment about
 * its centre; by: derivatives of it. */
double cn_spacetime_side(const cn_spacetime *p, const cn_grip *g, const double *w, uint32_t k, double by[3])
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

static void row(cn_spacetime *p, double *out, double value)
{
	if (out)
		out[p->row] = value;
	++p->row;
}

static void objective_rows(cn_spacetime *p, const double *z, double *out)
{
	cn_slopes s;
	for (uint32_t i = 0; i <= p->samples; ++i)
		for (uint32_t r = 0; r < p->n; ++r) {
			if (!cn_spacetime_driven(p, r) || !cn_spacetime_acts(p, i))
				continue;
			double by = scale_of(p, i), u = cn_spacetime_wanted(p, z, i, r, out ? NULL : &s);
			if (!out)
				emit_slopes(p, i, &s, by);
			row(p, out, u * by);
		}
}

static void grip_rows(cn_spacetime *p, const double *z, double *out)
{
	for (uint32_t g = 0; g < p->grip_count; ++g)
		for (uint32_t k = 0; k < CN_SPACETIME_SIDES; ++k) {
			double by[3], heavy = CN_GRIP_SHARE * sqrt(p->h / p->def->time);
			double off = cn_spacetime_side(p, &p->grips[g], z + p->grips[g].unknown, k, by) + CN_GRIP_MARGIN;
			bool on = off > 0 && (k < 3 || p->def->holds[p->grips[g].hold].sole > 0);
			for (uint32_t a = 0; !out && a < 3; ++a)
				emit(p, p->grips[g].unknown + a, on ? heavy * by[a] : 0);
			row(p, out, on ? heavy * off : 0);
		}
}

static void physics_rows(cn_spacetime *p, const double *z, double *out)
{
	cn_slopes s;
	for (uint32_t i = 0; i <= p->samples; ++i)
		for (uint32_t r = 0; r < p->n; ++r) {
			if (cn_spacetime_driven(p, r) || !cn_spacetime_acts(p, i))
				continue;
			if (!out) {
				derive_force(p, z, i, r, &s);
				emit_slopes(p, i, &s, 1 / p->force);
			}
			row(p, out, out ? cn_spacetime_force(p, z, i, r) / p->force : 0);
		}
}

static void start_rows(cn_spacetime *p, const double *z, double *out)
{
	for (uint32_t r = 0; r < p->n; ++r) {
		if (!out)
			emit(p, r, 1);
		row(p, out, z[r] - p->start[r]);
	}
}

static void hold_row(cn_spacetime *p, uint32_t h, uint32_t i, double *out)
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

static void hold_rows(cn_spacetime *p, double *out)
{
	for (uint32_t k = 0; k < p->def->hold_count; ++k)
		for (uint32_t i = p->begins[k] ? p->begins[k] : 1; i <= p->ends[k];
		     ++i) /* the start holds what is held there */
			hold_row(p, k, i, out);
}
/* The coordinate of a joint; CN_PLANAR_NONE: it is of another figure. */
uint32_t cn_spacetime_rate(const cn_spacetime *p, uint32_t joint, double *sign)
{
	for (uint32_t k = 0; k < p->f.count; ++k)
		if (p->f.links[k].joint == joint && p->f.links[k].rates == 1)
			return *sign = p->f.links[k].sign, p->f.links[k].rate;
	return CN_PLANAR_NONE;
}

static void key_rows(cn_spacetime *p, const double *z, double *out)
{
	for (uint32_t k = 0; k < p->def->key_count; ++k) {
		const cairn_plan_key *key = &p->def->keys[k];
		uint32_t i = cn_spacetime_sample(p, key->time);
		double sign = 1;
		if (key->joint.generation) {
			uint32_t at = i * p->n + cn_spacetime_rate(p, key->joint.index, &sign);
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
void cn_spacetime_rows(cn_spacetime *p, const double *z, double *out)
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
