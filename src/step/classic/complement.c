/* Contact points of an island as a linear complementarity problem (RBS 3.4): w = M z + q, z >= 0, w >= 0, z w = 0, where M_ik
 * is the speed along its normal that a unit impulse at point k gives point i. M is symmetric and has no negative eigenvalue, so
 * Lemke's method finds a solution; where points are redundant it is one of many, and the motion is the same. In stacks whose points
 * say the same many times rounding may lead it in circles: then the same is solved as a quadratic program over the bodies. */
#include "num/lcp.h"
#include "num/qp_exact.h"
#include "num/vanishing.h"
#include "step/classic/classic.h"

#include <math.h>
#include <string.h>

#define CN_COMPLEMENT_LEMKE 60 /* points: of larger islands the program over bodies is quicker, where either will do */
#define CN_COMPLEMENT_OFF 1e-9 /* of the sum of a row: by how much w of an answer may be below zero, or z w from it */

/* ---- the matrix */

/* The speed along np that a unit impulse along nq at rq gives the point at rp by way of one body. */
static double by_body(const cairn_world *w, uint32_t slot, const v3 p[2], const v3 q[2])
{
	const cn_rotor *r = &w->rotors[slot];
	if (!r->active)
		return 0;
	v3 turn = cn_spin(r, w->motion[slot].q, v3_cross(q[0], q[1]));
	return r->inv_mass * v3_dot(p[1], q[1]) + v3_dot(v3_cross(p[0], p[1]), turn);
}

static double coupling(const cairn_world *w, const cn_classic_point *p, const cn_classic_point *q)
{
	const v3 pa[2] = {p->ra, p->n}, pb[2] = {p->rb, p->n}, qa[2] = {q->ra, q->n}, qb[2] = {q->rb, q->n};
	double sum = 0;
	sum += p->a == q->a ? by_body(w, p->a, pa, qa) : 0;
	sum -= p->a == q->b ? by_body(w, p->a, pa, qb) : 0;
	sum -= p->b == q->a ? by_body(w, p->b, pb, qa) : 0;
	sum += p->b == q->b ? by_body(w, p->b, pb, qb) : 0;
	return sum;
}

typedef struct island {
	const uint32_t *points;
	uint32_t count;
	const double *q;
	double *z;
} island;

/* ---- the same over bodies: least 1/2 u'Mu with n.(u_b - u_a) >= -q, whose multipliers are z */

static cn_qp_body body_of(const cairn_world *w, uint32_t slot)
{
	const cn_rotor *r = &w->rotors[slot];
	quat q = w->motion[slot].q;
	v3 x = cn_spin(r, q, v3_make(1, 0, 0)), y = cn_spin(r, q, v3_make(0, 1, 0)), z = cn_spin(r, q, v3_make(0, 0, 1));
	return (cn_qp_body){r->inv_mass, {x.x, x.y, x.z, y.y, y.z, z.z}};
}

/* numbers: by slot. */
static uint32_t number_of(const cairn_world *w, uint32_t slot, uint32_t *numbers, cn_qp_body *bodies, uint32_t *count)
{
	if (!w->rotors[slot].active)
		return CN_QP_NONE;
	if (numbers[slot] == 0) {
		bodies[*count] = body_of(w, slot);
		numbers[slot] = ++*count;
	}
	return numbers[slot] - 1;
}

static cn_qp_status solve_bodies(cairn_world *w, const island *i)
{
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	uint32_t *numbers = cn_arena_take(arena, w->slots, sizeof *numbers), most = 2 * i->count, count = 0;
	cn_qp_body *bodies = cn_arena_take(arena, most, sizeof *bodies);
	cn_twist *u = cn_arena_take(arena, 2 * (size_t)most, sizeof *u);
	cn_qp_contact *contacts = cn_arena_take(arena, i->count, sizeof *contacts);
	cn_qp_impulse *y = cn_arena_take(arena, i->count, sizeof *y);
	cn_qp_status status = CN_QP_MEMORY;
	if (numbers && bodies && u && contacts && y) {
		for (uint32_t k = 0; k < i->count; ++k) {
			const cn_classic_point *p = &w->context->classic->points[i->points[k]];
			uint32_t a = number_of(w, p->a, numbers, bodies, &count), b = number_of(w, p->b, numbers, bodies, &count);
			contacts[k] = (cn_qp_contact){.a = a, .b = b, .n = p->n, .ra = p->ra, .rb = p->rb, .least = -i->q[k]};
		}
		cn_qp qp = {.body_count = count, .contact_count = i->count, .bodies = bodies, .u0 = u, .contacts = contacts};
		cn_qp_solution x = {.u = u + most, .contact = y};
		status = cn_exact_solve(&w->allocator, &qp, NULL, &x).status;
		for (uint32_t k = 0; k < i->count; ++k)
			i->z[k] = status == CN_QP_SOLVED && y[k].n > 0 ? y[k].n : 0;
	}
	cn_arena_return(arena, mark);
	return status;
}

/* ---- an island */

static bool is_solved(const island *i, const double *m)
{
	bool good = true;
	for (uint32_t r = 0; r < i->count && good; ++r) {
		double sum = i->q[r], size = fabs(i->q[r]);
		for (uint32_t c = 0; c < i->count; ++c) {
			double one = m[(size_t)r * i->count + c] * i->z[c];
			sum += one, size += fabs(one);
		}
		good = sum >= -CN_COMPLEMENT_OFF * size && (i->z[r] == 0 || sum <= CN_COMPLEMENT_OFF * size);
	}
	return good;
}

/* False: memory ran out. */
static bool solve_matrix(cairn_world *w, cn_frame *f, const island *i, const double *m, cn_complement_way way)
{
	cn_arena *arena = &w->context->temporary;
	++f->report.programs;
	if (way == CN_COMPLEMENT_GUESS) {
		cn_vanishing found = cn_vanishing_guess(arena, i->count, m, i->q, i->z);
		f->report.guesses += found == CN_VANISHING_NONE;
		f->report.second_guesses += found == CN_VANISHING_GUESSED;
		f->report.text_fallbacks += found == CN_VANISHING_WRONG || found == CN_VANISHING_FAILED;
		if (found != CN_VANISHING_FAILED)
			return found != CN_VANISHING_MEMORY;
	}
	cn_lcp_status status = CN_LCP_LIMIT;
	if (way == CN_COMPLEMENT_LEMKE_ALL || i->count <= CN_COMPLEMENT_LEMKE)
		status = cn_lcp_solve(arena, i->count, m, i->q, i->z, NULL);
	if (status == CN_LCP_MEMORY || (status == CN_LCP_SOLVED && is_solved(i, m)))
		return status != CN_LCP_MEMORY;
	cn_qp_status again = solve_bodies(w, i);
	f->report.text_fallbacks += again != CN_QP_SOLVED;
	return again != CN_QP_MEMORY;
}

static bool solve_island(cairn_world *w, cn_frame *f, const island *i, cn_complement_way way)
{
	const cn_classic_point *all = w->context->classic->points;
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	uint32_t count = i->count;
	double *m = cn_arena_take(arena, (size_t)count * count, sizeof *m);
	for (uint32_t r = 0; m && r < count; ++r)
		for (uint32_t c = 0; c <= r; ++c)
			m[(size_t)r * count + c] = m[(size_t)c * count + r] = coupling(w, &all[i->points[r]], &all[i->points[c]]);
	bool ok = m && solve_matrix(w, f, i, m, way);
	cn_arena_return(arena, mark);
	return ok;
}

/* ---- islands: bodies that points connect, but for those that cannot move */

static uint32_t root_of(uint32_t *root, uint32_t slot)
{
	while (root[slot] != slot)
		slot = root[slot] = root[root[slot]];
	return slot;
}

static void join_bodies(const cairn_world *w, const uint8_t *takes, uint32_t *root)
{
	const cn_classic *k = w->context->classic;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		root[slot] = slot;
	for (uint32_t i = 0; i < k->point_count; ++i) {
		const cn_classic_point *p = &k->points[i];
		if (!takes[i] || !w->rotors[p->a].active || !w->rotors[p->b].active)
			continue;
		uint32_t a = root_of(root, p->a), b = root_of(root, p->b);
		root[a < b ? b : a] = a < b ? a : b;
	}
}

static uint32_t island_of(const cairn_world *w, uint32_t *root, const cn_classic_point *p)
{
	return root_of(root, w->rotors[p->a].active ? p->a : p->b);
}

bool cn_classic_complement(cairn_world *w, cn_frame *f, const cn_complement *c)
{
	const cn_classic *k = w->context->classic;
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	uint32_t *root = cn_arena_take(arena, w->slots + 1, sizeof *root), count;
	uint32_t *list = cn_arena_take(arena, k->point_count + 1, sizeof *list);
	double *own = cn_arena_take(arena, 2 * (size_t)k->point_count + 2, sizeof *own);
	bool ok = root && list && own;
	memset(c->z, 0, k->point_count * sizeof *c->z);
	if (ok)
		join_bodies(w, c->takes, root);
	for (uint32_t number = 0; ok && number < w->slots; ++number) {
		count = 0;
		for (uint32_t i = 0; i < k->point_count; ++i)
			if (c->takes[i] && island_of(w, root, &k->points[i]) == number)
				own[count] = c->q[i], list[count++] = i;
		ok = !count || solve_island(w, f, &(island){list, count, own, own + count}, c->way);
		for (uint32_t i = 0; i < count; ++i)
			c->z[list[i]] = own[count + i];
	}
	cn_arena_return(arena, mark);
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}
