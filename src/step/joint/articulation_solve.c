/* Direct solution of the equations of an articulation. Impulses y change the velocities u of its links by M^-1 J' y,
 * and rows J u = b require S y = b - J u0 with S = J M^-1 J'. Where joints form a loop S may be singular: rows depend
 * on each other, and some impulses move nothing. A small term on the diagonal makes S factorable. The part of a
 * solution that moves nothing is then removed, or it would grow without bound. Rows are scaled to a diagonal of about 1: those of
 * a slider whose ends are far apart have arms that are as long. */
#include "num/power.h"
#include "step/joint/articulation.h"
#include "step/motion/script.h"
#include "step/tolerance.h"

#define CN_ARTICULATION_SOLVES 2 /* solves for velocities: the second for what rounding left in the first */
#define CN_ARTICULATION_SOFT                                                                                           \
	1e-7 /* of the diagonal of S where joints close loops, which repeat rows; its square is well above rounding */
#define CN_ARTICULATION_PIVOT 1e-14 /* of a row's own part of the diagonal, about: a smaller pivot is rounding */
#define CN_ARTICULATION_ULPS 16     /* x DBL_EPSILON x distance: rounding of a joint's points */

/* Pose at a share of the frame of a body that no impulse moves. */
static pose held_at(const cairn_world *w, uint32_t slot, double share)
{
	if (slot == CN_NO_BODY)
		return pose_identity();
	const cn_motion *from = &w->motion[slot], *now = &w->next[slot];
	if (w->context->articulations->trial)
		return (pose){now->x, now->q};
	if (w->bodies[slot].type != CAIRN_SCRIPTED || share == 0)
		return (pose){from->x, from->q};
	pose to = cn_script_center(&w->bodies[slot], cn_script_span(w, &w->bodies[slot]).to);
	return (pose){v3_lerp(from->x, to.position, share),
	              q_mul(q_exp(v3_scale(q_turn(from->q, to.orientation), share)), from->q)};
}

cn_twist cn_articulation_carrier(const cairn_world *w, uint32_t slot)
{
	if (slot == CN_NO_BODY || w->bodies[slot].type != CAIRN_SCRIPTED)
		return (cn_twist){{0, 0, 0}, {0, 0, 0}};
	pose a = {w->motion[slot].x, w->motion[slot].q}, b = held_at(w, slot, 1);
	return (cn_twist){v3_scale(v3_sub(b.position, a.position), 1 / w->dt),
	                  v3_scale(q_turn(a.orientation, b.orientation), 1 / w->dt)};
}

static m3 inverse_inertia(const cn_rotor *r, quat q)
{
	m3 m = m3_from_q(r->turned ? q_mul(q, r->axes) : q), out;
	const double d[3] = {r->inv_moments.x, r->inv_moments.y, r->inv_moments.z};
	for (int i = 0; i < 3; ++i)
		for (int k = 0; k < 3; ++k)
			out.m[i][k] = m.m[i][0] * d[0] * m.m[k][0] + m.m[i][1] * d[1] * m.m[k][1] + m.m[i][2] * d[2] * m.m[k][2];
	return out;
}

static cn_twist by_mass(const cairn_world *w, const cn_articulations *g, uint32_t link, const cn_twist *j)
{
	if (link == CN_QP_NONE)
		return (cn_twist){{0, 0, 0}, {0, 0, 0}};
	const cn_link *l = &g->links[link];
	return (cn_twist){v3_scale(j->v, w->rotors[l->slot].inv_mass), m3_apply(l->inverse, j->w)};
}

static double dot(const cn_twist *a, const cn_twist *b) { return v3_dot(a->v, b->v) + v3_dot(a->w, b->w); }

/* J_r M^-1 J_c' over the links that both rows share. */
static double entry(const cn_articulation_row *r, const cn_articulation_row *c)
{
	double sum = 0;
	if (r->a != CN_QP_NONE)
		sum += r->a == c->a ? dot(&r->row.ja, &c->ma) : r->a == c->b ? dot(&r->row.ja, &c->mb) : 0;
	if (r->b != CN_QP_NONE)
		sum += r->b == c->a ? dot(&r->row.jb, &c->ma) : r->b == c->b ? dot(&r->row.jb, &c->mb) : 0;
	return sum;
}

/* Evaluates a joint's rows with its sides at these poses. */
static void fill(cairn_world *w, cn_articulation_row *rows, uint32_t count, pose a, pose b)
{
	cn_joint_row at[CN_JOINT_ROWS];
	uint32_t equations = cn_joint_equations(w, rows->joint, a, b, at);
	for (uint32_t i = 0; i < equations; ++i)
		rows[i].row = at[i];
	for (uint32_t i = equations; i < count; ++i) {
		rows[i].row = cn_joint_axis(w, rows->joint, rows[i].axis, a, b);
		rows[i].row.off -= cn_row_held(&rows[i]) ? rows[i].at : 0;
	}
}

static uint32_t rows_of(const cn_articulations *g, const cn_articulation *art, uint32_t row)
{
	uint32_t count = 1;
	while (row + count < art->row + art->rows && g->rows[row + count].joint == g->rows[row].joint)
		++count;
	return count;
}

static pose at_link(const cairn_world *w, const cn_articulations *g, uint32_t slot, uint32_t link, double share)
{
	if (link == CN_QP_NONE)
		return held_at(w, slot, share);
	return (pose){g->links[link].at.x, g->links[link].at.q};
}

cn_joint_row cn_articulation_axis(const cairn_world *w, const cn_articulation_row *r, double share)
{
	const cn_articulations *g = w->context->articulations;
	const cn_joint *j = &w->joints[r->joint];
	return cn_joint_axis(w, r->joint, r->axis, at_link(w, g, j->a, r->a, share), at_link(w, g, j->b, r->b, share));
}

void cn_articulation_fill(cairn_world *w, const cn_articulation *art, double share)
{
	cn_articulations *g = w->context->articulations;
	for (uint32_t i = art->row, count; i < art->row + art->rows; i += count) {
		cn_articulation_row *r = &g->rows[i];
		const cn_joint *j = &w->joints[r->joint];
		count = rows_of(g, art, i);
		fill(w, r, count, at_link(w, g, j->a, r->a, share), at_link(w, g, j->b, r->b, share));
	}
}

void cn_articulation_factor_rows(cairn_world *w, cn_articulation *art)
{
	cn_articulations *g = w->context->articulations;
	cn_articulation_row *rows = &g->rows[art->row];
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		g->links[i].inverse = inverse_inertia(&w->rotors[g->links[i].slot], g->links[i].at.q);
	for (uint32_t i = art->row; i < art->row + art->rows; ++i) {
		cn_articulation_row *r = &g->rows[i];
		r->ma = by_mass(w, g, r->a, &r->row.ja), r->mb = by_mass(w, g, r->b, &r->row.jb);
	}
	for (uint32_t e = art->entry; e < art->entry + art->entries; ++e) {
		cn_articulation_row *r = &rows[g->entries[e].r];
		const cn_articulation_row *c = &rows[g->entries[e].c];
		g->values[e] = cn_row_held(r) && cn_row_held(c) ? entry(r, c) : r == c;
		if (r != c)
			continue;
		r->soft = art->loops ? CN_ARTICULATION_SOFT * g->values[e] : 0;
		g->values[e] += r->soft;
		r->scale = cn_power_of_two(1 / sqrt(g->values[e]));
	}
	for (uint32_t e = art->entry; e < art->entry + art->entries; ++e)
		g->values[e] *= rows[g->entries[e].r].scale * rows[g->entries[e].c].scale;
	if (art->rows)
		cn_ldl_factor(art->ldl, &g->values[art->entry], CN_ARTICULATION_PIVOT);
}

void cn_articulation_factor(cairn_world *w, cn_articulation *art, double share)
{
	cn_articulation_fill(w, art, share);
	cn_articulation_factor_rows(w, art);
}

void cn_articulation_violations(cairn_world *w, const cn_articulation *art, double share, double *off)
{
	cn_articulations *g = w->context->articulations;
	for (uint32_t i = art->row, count; i < art->row + art->rows; i += count) {
		const cn_articulation_row *r = &g->rows[i];
		const cn_joint *j = &w->joints[r->joint];
		cn_joint_row at[CN_JOINT_ROWS];
		pose a = r->a == CN_QP_NONE ? held_at(w, j->a, share) : (pose){g->links[r->a].x1, g->links[r->a].q1};
		pose b = r->b == CN_QP_NONE ? held_at(w, j->b, share) : (pose){g->links[r->b].x1, g->links[r->b].q1};
		count = rows_of(g, art, i);
		uint32_t equations = cn_joint_equations(w, r->joint, a, b, at);
		for (uint32_t k = 0; k < equations; ++k)
			off[i - art->row + k] = at[k].off;
		for (uint32_t k = equations; k < count; ++k)
			off[i - art->row + k] = cn_row_held(&r[k]) ? cn_joint_axis(w, r->joint, r[k].axis, a, b).off - r[k].at : 0;
	}
}

static void solve(const cn_articulations *g, const cn_articulation *art, double *y)
{
	const cn_articulation_row *rows = &g->rows[art->row];
	for (uint32_t i = 0; i < art->rows; ++i)
		y[i] *= rows[i].scale;
	cn_ldl_solve(art->ldl, y);
	for (uint32_t i = 0; i < art->rows; ++i)
		y[i] *= rows[i].scale;
}

/* With E on the diagonal, (S + E)^-1 b grows like b/E along impulses that move nothing. Subtracting (S + E)^-1 E
 * times the solution removes that part. It changes the rest by about E/S, which the caller's next iteration corrects.
 * */
void cn_articulation_solve(const cn_articulations *g, const cn_articulation *art, double *y)
{
	double *soft = g->y + 2 * g->row_count;
	if (!art->rows)
		return;
	solve(g, art, y);
	if (!art->loops)
		return;
	for (uint32_t i = 0; i < art->rows; ++i)
		soft[i] = g->rows[art->row + i].soft * y[i];
	solve(g, art, soft);
	for (uint32_t i = 0; i < art->rows; ++i)
		y[i] -= soft[i];
}

static void push(const cairn_world *w, uint32_t link, const cn_twist *j, double y)
{
	if (link == CN_QP_NONE)
		return;
	cn_link *l = &w->context->articulations->links[link];
	l->at.v = v3_madd(l->at.v, j->v, y * w->rotors[l->slot].inv_mass);
	l->at.l = v3_madd(l->at.l, j->w, y);
}

void cn_articulation_push_row(cairn_world *w, const cn_articulation_row *r, double y)
{
	push(w, r->a, &r->row.ja, y);
	push(w, r->b, &r->row.jb, y);
}

void cn_articulation_push(cairn_world *w, const cn_articulation *art, const double *y)
{
	const cn_articulation_row *rows = &w->context->articulations->rows[art->row];
	for (uint32_t i = 0; i < art->rows; ++i)
		if (cn_row_held(&rows[i]))
			cn_articulation_push_row(w, &rows[i], y[i]);
}

static cn_twist twist_of(const cairn_world *w, const cn_articulations *g, uint32_t slot, uint32_t link)
{
	if (link == CN_QP_NONE)
		return cn_articulation_carrier(w, slot);
	const cn_link *l = &g->links[link];
	return (cn_twist){l->at.v, m3_apply(l->inverse, l->at.l)};
}

void cn_articulation_fix_velocities(cairn_world *w, cn_articulation *art, double *sum)
{
	cn_articulations *g = w->context->articulations;
	double *y = g->y, last = INFINITY;
	for (int round = 0; round < (art->loops ? CN_ARTICULATION_ROUNDS : CN_ARTICULATION_SOLVES); ++round) {
		double off = 0;
		for (uint32_t i = 0; i < art->rows; ++i) {
			const cn_articulation_row *r = &g->rows[art->row + i];
			const cn_joint *j = &w->joints[r->joint];
			cn_twist a = twist_of(w, g, j->a, r->a), b = twist_of(w, g, j->b, r->b);
			y[i] = cn_row_held(r) ? -(dot(&r->row.ja, &a) + dot(&r->row.jb, &b)) : 0;
			off = fabs(y[i]) > off ? fabs(y[i]) : off;
		}
		if (round >= CN_ARTICULATION_SOLVES && !(off < 0.5 * last))
			break; /* only rounding is left */
		last = off;
		cn_articulation_solve(g, art, y);
		cn_articulation_push(w, art, y);
		for (uint32_t i = 0; sum && i < art->rows; ++i)
			sum[i] += y[i];
	}
}

double cn_articulation_rounding(const cn_articulations *g, const cn_articulation *art)
{
	double far = art->size;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		double d = v3_max(v3_abs(g->links[i].at.x));
		far = d > far ? d : far;
	}
	return CN_ARTICULATION_ULPS * DBL_EPSILON * far;
}

double cn_articulation_broken(const cn_articulations *g, const cn_articulation *art)
{
	return CN_ARTICULATION_BROKEN * art->size + cn_articulation_rounding(g, art);
}
