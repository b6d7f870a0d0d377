#include "tree_terms.h"

#include <math.h>

static double dot(const double *a, const double *b)
{
	double sum = 0;
	for (int i = 0; i < 6; ++i)
		sum += a[i] * b[i];
	return sum;
}

/* Inertia of a link about the origin, applied. */
static void apply(const cn_joint_tree *t, uint32_t link, const double *s, double *out)
{
	const cn_tree_link *l = &t->links[link];
	const cn_tree_body *b = &t->bodies[link];
	v3 r = v3_sub(b->x, t->origin), w = {s[0], s[1], s[2]}, v = {s[3], s[4], s[5]};
	m3 m = m3_from_q(q_mul(b->q, l->axes));
	v3 p = v3_scale(v3_add(v, v3_cross(w, r)), l->mass);
	v3 turn = v3_add(m3_apply(m, v3_mul(l->moments, m3_unapply(m, w))), v3_cross(r, p));
	out[0] += turn.x, out[1] += turn.y, out[2] += turn.z;
	out[3] += p.x, out[4] += p.y, out[5] += p.z;
}

static bool carries(const cn_joint_tree *t, uint32_t link, uint32_t other)
{
	while (other != CN_TREE_BASE && other != link)
		other = t->links[other].parent;
	return other == link;
}

void cn_tree_mass(const cn_joint_tree *t, double *mass)
{
	uint32_t n = t->rates;
	for (uint32_t i = 0; i < n * n; ++i)
		mass[i] = 0;
	for (uint32_t i = 0; i < t->count; ++i)
		for (uint32_t c = t->links[i].rate; c < t->links[i].rate + t->links[i].rates; ++c) {
			double force[6] = {0};
			for (uint32_t k = i; k < t->count; ++k)
				if (carries(t, i, k))
					apply(t, k, t->columns[c].s, force);
			for (uint32_t a = i; a != CN_TREE_BASE; a = t->links[a].parent)
				for (uint32_t r = t->links[a].rate; r < t->links[a].rate + t->links[a].rates; ++r)
					mass[r * n + c] = mass[c * n + r] = dot(t->columns[r].s, force);
			mass[c * n + c] += t->added[c];
		}
}

bool cn_tree_cholesky(double *m, uint32_t n)
{
	for (uint32_t j = 0; j < n; ++j) {
		for (uint32_t k = 0; k < j; ++k)
			m[j * n + j] -= m[j * n + k] * m[j * n + k];
		if (!(m[j * n + j] > 0))
			return false;
		m[j * n + j] = sqrt(m[j * n + j]);
		for (uint32_t i = j + 1; i < n; ++i) {
			for (uint32_t k = 0; k < j; ++k)
				m[i * n + j] -= m[i * n + k] * m[j * n + k];
			m[i * n + j] /= m[j * n + j];
		}
	}
	return true;
}

void cn_tree_cholesky_solve(const double *m, uint32_t n, double *x)
{
	for (uint32_t i = 0; i < n; ++i) {
		for (uint32_t k = 0; k < i; ++k)
			x[i] -= m[i * n + k] * x[k];
		x[i] /= m[i * n + i];
	}
	for (uint32_t i = n; i-- > 0;) {
		for (uint32_t k = i + 1; k < n; ++k)
			x[i] -= m[k * n + i] * x[k];
		x[i] /= m[i * n + i];
	}
}

enum { MOST = 64 };

void cn_tree_inverse(cn_joint_tree *t, const double *place, const double *rate, const double *change, double *push)
{
	v3 force[MOST], moment[MOST];
	v3 w = t->base_spin, v = t->base_v, base = v3_cross(v, w);
	const double rise[6] = {0, 0, 0, base.x, base.y, base.z}, still[6] = {0};
	cn_joint_tree_put(t, place);
	cn_joint_tree_move(t, rate);
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		cn_tree_body *b = &t->bodies[i];
		const double *from = l->parent != CN_TREE_BASE ? t->bodies[l->parent].rise
		                     : l->kind == CN_TREE_FREE ? still
		                                               : rise;
		for (int k = 0; k < 6; ++k)
			b->rise[k] = from[k] + b->lag[k];
		for (uint32_t c = l->rate; c < l->rate + l->rates; ++c)
			for (int k = 0; k < 6; ++k)
				b->rise[k] += t->columns[c].s[k] * change[c];
	}
	cn_joint_tree_loads(t, force, moment);
	for (uint32_t i = 0; i < t->count; ++i) {
		const cn_tree_link *l = &t->links[i];
		v3 m = v3_add(moment[i], v3_cross(t->bodies[i].joint, force[i]));
		const double all[6] = {m.x, m.y, m.z, force[i].x, force[i].y, force[i].z};
		for (uint32_t c = l->rate; c < l->rate + l->rates; ++c)
			push[c] = dot(t->columns[c].s, all) + t->added[c] * change[c];
	}
}

void cn_tree_jacobian(const cn_joint_tree *t, uint32_t link, v3 point, double *rows)
{
	uint32_t n = t->rates;
	v3 r = v3_sub(point, t->origin);
	for (uint32_t i = 0; i < 6 * n; ++i)
		rows[i] = 0;
	for (uint32_t a = link; a != CN_TREE_BASE; a = t->links[a].parent)
		for (uint32_t c = t->links[a].rate; c < t->links[a].rate + t->links[a].rates; ++c) {
			const double *s = t->columns[c].s;
			v3 w = {s[0], s[1], s[2]}, v = v3_add(v3_make(s[3], s[4], s[5]), v3_cross(w, r));
			const double all[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
			for (uint32_t k = 0; k < 6; ++k)
				rows[k * n + c] = all[k];
		}
}
