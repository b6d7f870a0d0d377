/* Two boxes (OBA 3.1). Fifteen axes can be the widest plane of boxes that overlap: three faces of each and nine edge
 * pairs, all written out in A's axes, where box A is |x_i| <= h_i and B's axes are the columns of R.
 *
 * An axis that separates by s is proved right by a point of A and a point of B that are s apart along it: then no two
 * points are nearer and no axis is wider. For boxes that are apart, as those of a pile that rests on kept gaps, one
 * axis is enough, that of the last call. Boxes whose nearest features are a vertex or parallel edges have no such axis
 * among the fifteen and are left to the general way, with the widest of them as its first guess. */
#include "geom/separate_box.h"

typedef double v3a[3];

typedef struct boxes {
	double r[3][3]; /* B's axes are its columns */
	v3a t, ha, hb;
	double slack;
} boxes;

/* An axis: a face of one box or an edge pair. */
typedef struct axis {
	enum { OF_A, OF_B, OF_EDGES } kind;
	int i, j;    /* the box axis of the face, or of A's and B's edge */
	double side; /* +-1: n is side x the box axis; of an edge pair 0: n is +-(e_i x R_j), on the side of t */
	double gap;
	v3a n; /* of an edge pair */
} axis;

static const int after[3] = {1, 2, 0}, before[3] = {2, 0, 1};

static double face_gap_a(const boxes *b, int i, double side)
{
	return side * b->t[i] -
	       (b->ha[i] + b->hb[0] * fabs(b->r[i][0]) + b->hb[1] * fabs(b->r[i][1]) + b->hb[2] * fabs(b->r[i][2]));
}

static double along_b(const boxes *b, const v3a v, int j)
{
	return v[0] * b->r[0][j] + v[1] * b->r[1][j] + v[2] * b->r[2][j];
}

static double face_gap_b(const boxes *b, int j, double side)
{
	return side * along_b(b, b->t, j) -
	       (b->hb[j] + b->ha[0] * fabs(b->r[0][j]) + b->ha[1] * fabs(b->r[1][j]) + b->ha[2] * fabs(b->r[2][j]));
}

/* e_i x R_j, unit, on the side of t, and what it separates by along each box's support; exact however nearly parallel
 * the edges are: n is square to e_i by its zero and to R_j because the two products are the same number. False: no axis
 * at all. */
static bool edge_axis(const boxes *b, int i, int j, v3a n, double *gap)
{
	int p = after[i], q = before[i], k = after[j], l = before[j];
	double length2 = b->r[p][j] * b->r[p][j] + b->r[q][j] * b->r[q][j];
	if (!(length2 > 0))
		return false;
	double scale = 1 / sqrt(length2);
	n[i] = 0;
	n[p] = -b->r[q][j] * scale;
	n[q] = b->r[p][j] * scale;
	double middle = n[p] * b->t[p] + n[q] * b->t[q];
	if (middle < 0)
		n[p] = -n[p], n[q] = -n[q], middle = -middle;
	*gap = middle -
	       (b->ha[p] * fabs(n[p]) + b->ha[q] * fabs(n[q]) + b->hb[k] * fabs(n[p] * b->r[p][k] + n[q] * b->r[q][k]) +
	        b->hb[l] * fabs(n[p] * b->r[p][l] + n[q] * b->r[q][l]));
	return true;
}

/* The face of one box (h, axis i, side) seen from its own axes, and the other box beside it. */
typedef struct facing {
	const double *h, *k; /* half edges of the face's box and of the other */
	double r[3][3];      /* the other's axes are its columns */
	v3a t;
	int i;
	double side, slack;
} facing;

typedef struct spot { /* a point of the other box over the face */
	v3a x;
	uint32_t from, to; /* the vertices of the other box that it lies between: equal, an edge's, or a face's diagonal */
} spot;

/* Takes the part of p + u e (0 <= u <= 1) over the face; the first of it. */
static bool clip(const facing *f, const v3a p, const v3a e, double *u)
{
	double low = 0, high = 1;
	for (int m = 0; m < 2; ++m) {
		int q = m ? before[f->i] : after[f->i];
		double h = f->h[q];
		if (e[q] == 0) {
			if (fabs(p[q]) > h)
				return false;
			continue;
		}
		double in = (-h - p[q]) / e[q], out = (h - p[q]) / e[q];
		double first = in < out ? in : out, last = in < out ? out : in;
		low = first > low ? first : low;
		high = last < high ? last : high;
	}
	*u = low;
	return low <= high;
}

/* The middle of the face below the parallelogram at v with sides e and g. */
static bool middle_covered(const facing *f, const v3a v, const v3a e, const v3a g, v3a x)
{
	int p = after[f->i], q = before[f->i];
	double det = e[p] * g[q] - e[q] * g[p];
	if (det == 0)
		return false;
	double u = (v[q] * g[p] - v[p] * g[q]) / det, w = (v[p] * e[q] - v[q] * e[p]) / det;
	if (!(u >= 0 && u <= 1 && w >= 0 && w <= 1))
		return false;
	for (int k = 0; k < 3; ++k)
		x[k] = v[k] + u * e[k] + w * g[k];
	return true;
}

/* The nearest vertex of the other box has no face below it: an edge or a face of it may, if it lies along the face. */
static bool find_beside(const facing *f, const v3a v, uint32_t vertex, spot *out)
{
	int flat[2], count = 0;
	v3a edge[2];
	for (int j = 0; j < 3 && count < 2; ++j) {
		if (2 * f->k[j] * fabs(f->r[f->i][j]) > 0.25 * f->slack)
			continue;
		double step = vertex >> j & 1 ? -2 * f->k[j] : 2 * f->k[j];
		for (int m = 0; m < 3; ++m)
			edge[count][m] = step * f->r[m][j];
		flat[count++] = j;
	}
	for (int first = 0; first < count; ++first) /* edges from the vertex, then those opposite */
		for (int far = 0; far < (count > 1 ? 2 : 1); ++far) {
			uint32_t from = far ? vertex ^ 1u << flat[1 - first] : vertex;
			v3a p;
			double u;
			for (int m = 0; m < 3; ++m)
				p[m] = v[m] + (far ? edge[1 - first][m] : 0);
			if (!clip(f, p, edge[first], &u))
				continue;
			for (int m = 0; m < 3; ++m)
				out->x[m] = p[m] + u * edge[first][m];
			out->from = from;
			out->to = u > 0 ? from ^ 1u << flat[first] : from;
			return true;
		}
	if (count < 2 || !middle_covered(f, v, edge[0], edge[1], out->x))
		return false;
	out->from = vertex;
	out->to = vertex ^ 1u << flat[0] ^ 1u << flat[1];
	return true;
}

static bool find_spot(const facing *f, spot *out)
{
	int p = after[f->i], q = before[f->i];
	v3a v = {f->t[0], f->t[1], f->t[2]};
	uint32_t vertex = 0;
	for (int j = 0; j < 3; ++j) {
		bool down = f->side * f->r[f->i][j] > 0;
		double step = down ? -f->k[j] : f->k[j];
		vertex |= (uint32_t)!down << j;
		for (int m = 0; m < 3; ++m)
			v[m] += step * f->r[m][j];
	}
	if (fabs(v[p]) > f->h[p] || fabs(v[q]) > f->h[q])
		return find_beside(f, v, vertex, out);
	*out = (spot){{v[0], v[1], v[2]}, vertex, vertex};
	return true;
}

static cn_feature spot_feature(const cn_convex *box, const spot *s)
{
	uint32_t apart = s->from ^ s->to;
	if (!apart)
		return cn_feature_make(CN_VERTEX, s->from);
	if (!(apart & (apart - 1)))
		return cn_feature_make(CN_EDGE, cn_polytope_edge(&box->core, s->from, s->to));
	uint32_t across = apart == 6 ? 0 : apart == 5 ? 1 : 2; /* the axis in which a face's diagonal does not run */
	return cn_feature_make(CN_FACE, 2 * across + (s->from >> across & 1));
}

static void set_facing(const boxes *b, const axis *x, facing *f)
{
	f->i = x->i;
	f->slack = b->slack;
	if (x->kind == OF_A) {
		f->h = b->ha;
		f->k = b->hb;
		f->side = x->side;
		for (int m = 0; m < 3; ++m) {
			f->t[m] = b->t[m];
			for (int n = 0; n < 3; ++n)
				f->r[m][n] = b->r[m][n];
		}
	} else {
		f->h = b->hb;
		f->k = b->ha;
		f->side = -x->side;
		for (int m = 0; m < 3; ++m) {
			f->t[m] = -along_b(b, b->t, m);
			for (int n = 0; n < 3; ++n)
				f->r[m][n] = b->r[n][m];
		}
	}
}

static bool settle_face(const cn_cores *c, const boxes *b, const axis *x, cn_core_gap *out)
{
	facing f;
	spot s;
	set_facing(b, x, &f);
	if (!find_spot(&f, &s))
		return false;
	v3 on = v3_make(s.x[0], s.x[1], s.x[2]), beside = on; /* on the face, and on the other box */
	double level = f.side * f.h[f.i];
	*(f.i == 0 ? &on.x : f.i == 1 ? &on.y : &on.z) = level;
	*(f.i == 0 ? &beside.x : f.i == 1 ? &beside.y : &beside.z) = level + f.side * x->gap;
	cn_feature flat = cn_feature_make(CN_FACE, (uint32_t)(2 * x->i + (f.side > 0)));
	out->gap = x->gap;
	if (x->kind == OF_A) {
		out->n = v3_make(x->i == 0 ? x->side : 0, x->i == 1 ? x->side : 0, x->i == 2 ? x->side : 0);
		out->a = on;
		out->b = beside;
		out->feature_a = flat;
		out->feature_b = spot_feature(c->b, &s);
	} else {
		out->n = v3_make(x->side * b->r[0][x->i], x->side * b->r[1][x->i], x->side * b->r[2][x->i]);
		out->a = v3_add(c->t, cn_cores_turn_b(c, beside));
		out->b = v3_add(c->t, cn_cores_turn_b(c, on));
		out->feature_a = spot_feature(c->a, &s);
		out->feature_b = flat;
	}
	return true;
}

/* The points where the two edges' lines are nearest: u - w c = d.e_i and w - u c = -d.R_j, c = R_ij. */
static bool settle_edges(const boxes *b, const axis *x, cn_core_gap *out)
{
	int i = x->i, j = x->j, p = after[i], q = before[i], k = after[j], l = before[j];
	v3a pa, pb;
	const double *n = x->n, gap = x->gap;
	bool up_p = n[p] > 0, up_q = n[q] > 0;
	pa[i] = 0;
	pa[p] = up_p ? b->ha[p] : -b->ha[p];
	pa[q] = up_q ? b->ha[q] : -b->ha[q];
	bool down_k = along_b(b, n, k) > 0, down_l = along_b(b, n, l) > 0;
	double sk = down_k ? -b->hb[k] : b->hb[k], sl = down_l ? -b->hb[l] : b->hb[l];
	for (int m = 0; m < 3; ++m)
		pb[m] = b->t[m] + sk * b->r[m][k] + sl * b->r[m][l];
	v3a d = {pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2]};
	double cosine = b->r[i][j], sine2 = b->r[p][j] * b->r[p][j] + b->r[q][j] * b->r[q][j], dj = along_b(b, d, j);
	double u = (d[i] - cosine * dj) / sine2, w = (cosine * d[i] - dj) / sine2;
	if (!(fabs(u) <= b->ha[i] && fabs(w) <= b->hb[j]))
		return false;
	double rest2 = 0;
	pa[i] = u;
	for (int m = 0; m < 3; ++m) {
		double rest = pb[m] + w * b->r[m][j] - pa[m] - gap * n[m];
		rest2 += rest * rest;
	}
	if (!(rest2 <= b->slack * b->slack))
		return false;
	out->n = v3_make(n[0], n[1], n[2]);
	out->gap = gap;
	out->a = v3_make(pa[0], pa[1], pa[2]);
	out->b = v3_madd(out->a, out->n, gap);
	uint32_t va = (uint32_t)up_p << p | (uint32_t)up_q << q, vb = (uint32_t)!down_k << k | (uint32_t)!down_l << l;
	out->feature_a = cn_feature_make(CN_EDGE, cn_polytope_box_edge(va, (uint32_t)i));
	out->feature_b = cn_feature_make(CN_EDGE, cn_polytope_box_edge(vb, (uint32_t)j));
	return true;
}

static bool settle_axis(const cn_cores *c, const boxes *b, const axis *x, cn_core_gap *out)
{
	return x->kind == OF_EDGES ? settle_edges(b, x, out) : settle_face(c, b, x, out);
}

static int edge_direction(const cn_convex *box, uint32_t edge)
{
	const cn_edge *e = &box->core.edges[edge];
	uint32_t bit = e->tail ^ e->head;
	return bit == 1 ? 0 : bit == 2 ? 1 : 2;
}

/* The axis of the last call, if its features say which. */
static bool last_axis(const cn_cores *c, const boxes *b, const cn_witness *w, axis *x)
{
	if (!w || !w->known)
		return false;
	uint32_t ia = cn_feature_index(w->feature_a), ib = cn_feature_index(w->feature_b);
	if (cn_feature_kind_of(w->feature_a) == CN_FACE && ia < 6) {
		*x = (axis){.kind = OF_A, .i = (int)ia / 2, .side = ia & 1 ? 1 : -1};
		x->gap = face_gap_a(b, x->i, x->side);
		return true;
	}
	if (cn_feature_kind_of(w->feature_b) == CN_FACE && ib < 6) {
		*x = (axis){.kind = OF_B, .i = (int)ib / 2, .side = ib & 1 ? -1 : 1};
		x->gap = face_gap_b(b, x->i, x->side);
		return true;
	}
	if (cn_feature_kind_of(w->feature_a) != CN_EDGE || ia >= 12 || cn_feature_kind_of(w->feature_b) != CN_EDGE ||
	    ib >= 12)
		return false;
	*x = (axis){.kind = OF_EDGES, .i = edge_direction(c->a, ia), .j = edge_direction(c->b, ib)};
	return edge_axis(b, x->i, x->j, x->n, &x->gap);
}

static void scan_faces(const boxes *b, axis *best)
{
	double same = 0.25 * b->slack;
	*best = (axis){.kind = OF_A, .side = 1, .gap = -INFINITY};
	for (int i = 0; i < 3; ++i) {
		double side = b->t[i] < 0 ? -1 : 1, gap = face_gap_a(b, i, side);
		if (gap > best->gap)
			*best = (axis){.kind = OF_A, .i = i, .side = side, .gap = gap};
	}
	double least = best->gap + same;
	for (int j = 0; j < 3; ++j) {
		double side = along_b(b, b->t, j) < 0 ? -1 : 1, gap = face_gap_b(b, j, side);
		if (gap > least) {
			*best = (axis){.kind = OF_B, .i = j, .side = side, .gap = gap};
			least = gap;
		}
	}
}

/* Whether num / sqrt(length2) > bar, without the root. */
static bool above(double num, double length2, double bar) { return num * fabs(num) > bar * fabs(bar) * length2; }

/* The edge pairs, tried in short form first: |t.(e_i x R_j)| less both boxes' extents along it, all times its length.
 * The short form uses that R is a rotation, which holds to rounding only; what passes with that much allowed is
 * measured in full. Edges so nearly parallel that over their length they part by less than the slack have no axis of
 * their own: what it could add to that of a face is less. */
static void scan_edges(const boxes *b, double rounding, axis *best)
{
	double bar = best->gap + 0.25 * b->slack;
	for (int i = 0; i < 3; ++i) {
		int p = after[i], q = before[i];
		for (int j = 0; j < 3; ++j) {
			int k = after[j], l = before[j];
			double rp = b->r[p][j], rq = b->r[q][j], length2 = rp * rp + rq * rq;
			double num =
				fabs(b->t[q] * rp - b->t[p] * rq) -
				(b->ha[p] * fabs(rq) + b->ha[q] * fabs(rp) + b->hb[k] * fabs(b->r[i][l]) + b->hb[l] * fabs(b->r[i][k]));
			if (!above(num + rounding, length2, bar))
				continue;
			double over = b->ha[i] + b->hb[j];
			if (length2 * over * over < 0.01 * b->slack * b->slack)
				continue;
			v3a n;
			double gap;
			if (edge_axis(b, i, j, n, &gap) && gap > bar) {
				bar = gap;
				*best = (axis){OF_EDGES, i, j, 0, gap, {n[0], n[1], n[2]}};
			}
		}
	}
}

static v3 axis_vector(const boxes *b, const axis *x)
{
	if (x->kind == OF_EDGES)
		return v3_make(x->n[0], x->n[1], x->n[2]);
	v3a n = {0, 0, 0};
	if (x->kind == OF_A)
		n[x->i] = x->side;
	else
		for (int m = 0; m < 3; ++m)
			n[m] = x->side * b->r[m][x->i];
	return v3_make(n[0], n[1], n[2]);
}

/* Down to touching, a pair of points is the proof; deeper, all axes must be seen. */
static double touching_of(const cn_cores *c) { return -0.25 * c->slack; }

/* The features name the axis, which is then tried first, unless both are faces: then it may have been B's. */
bool cn_boxes_again(const cn_cores *c, const cn_core_gap *found)
{
	return found->gap >= touching_of(c) &&
	       !(cn_feature_kind_of(found->feature_a) == CN_FACE && cn_feature_kind_of(found->feature_b) == CN_FACE);
}

bool cn_boxes_separate(cn_cores *c, const cn_witness *witness, cn_core_gap *out)
{
	boxes b = {.t = {c->t.x, c->t.y, c->t.z},
	           .ha = {c->a->half.x, c->a->half.y, c->a->half.z},
	           .hb = {c->b->half.x, c->b->half.y, c->b->half.z},
	           .slack = c->slack};
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			b.r[i][j] = c->r.m[i][j];
	axis last, best;
	double touching = touching_of(c);
	bool warm = last_axis(c, &b, witness, &last);
	if (warm && last.gap >= touching && settle_axis(c, &b, &last, out))
		return true;
	scan_faces(&b, &best);
	if (best.gap >= touching && settle_axis(c, &b, &best, out))
		return true;
	axis face = best;
	scan_edges(&b, c->rounding, &best);
	if (warm && last.gap >= best.gap - 0.5 * c->slack && settle_axis(c, &b, &last, out))
		return true;
	if (settle_axis(c, &b, &best, out))
		return true;
	if (face.gap >= best.gap - 0.5 * c->slack && settle_axis(c, &b, &face, out))
		return true;
	out->n = axis_vector(&b, &best);
	out->gap = best.gap;
	return false;
}
