/* The answer when quicker ways did not confirm theirs: every plane that can be the widest (OBA 3.1.1 to 3.1.4) is
 * tried. Those are the faces of A, the faces of B, and the edge pairs whose arcs cross on the sphere of directions: an
 * edge of A is an arc between the normals of its faces; walking it, the vertex of B that is nearest changes over an
 * edge of B just where the arcs cross. So no edge pair is looked at in vain. If the planes say that the cores are
 * apart, the nearest features are among those that the widest plane's slab leaves, and all of them are measured. */
#include "geom/separate_cores.h"

typedef struct widest {
	cn_cores *c;
	v3 n;
	double gap;
	cn_feature feature_a, feature_b;
} widest;

static void offer(widest *w, v3 n, cn_feature fa, cn_feature fb)
{
	double gap = cn_cores_along(w->c, n);
	if (gap > w->gap) {
		w->gap = gap;
		w->n = n;
		w->feature_a = fa;
		w->feature_b = fb;
	}
}

static void offer_edges(widest *w, uint32_t ea, uint32_t eb, v3 toward)
{
	cn_feature fa = cn_feature_make(CN_EDGE, ea), fb = cn_feature_make(CN_EDGE, eb);
	v3 n = cn_cores_axis(w->c, fa, fb, toward);
	if (v3_length2(n) > 0)
		offer(w, n, fa, fb);
}

static void try_faces(widest *w)
{
	cn_cores *c = w->c;
	for (uint32_t f = 0; f < c->a->core.face_count; ++f) {
		offer(w, c->a->core.normals[f], cn_feature_make(CN_FACE, f), 0);
		w->feature_b = w->feature_a == cn_feature_make(CN_FACE, f) ? cn_feature_make(CN_VERTEX, c->vb) : w->feature_b;
	}
	for (uint32_t f = 0; f < c->b->core.face_count; ++f) {
		v3 n = v3_neg(cn_cores_turn_b(c, c->b->core.normals[f]));
		offer(w, n, 0, cn_feature_make(CN_FACE, f));
		w->feature_a = w->feature_b == cn_feature_make(CN_FACE, f) ? cn_feature_make(CN_VERTEX, c->va) : w->feature_a;
	}
}

/* From the normal of one face of A's edge to that of the other; along the way B's nearest vertex moves over edges. */
static void walk_arc(widest *w, uint32_t ea, v3 from, v3 to)
{
	cn_cores *c = w->c;
	const cn_polytope *b = &c->b->core;
	v3 d0 = v3_neg(cn_cores_to_b(c, from)), d1 = v3_neg(cn_cores_to_b(c, to));
	uint32_t at = cn_core_furthest(c->b, d0, c->vb);
	double time = 0;
	for (uint32_t steps = 0; steps < b->vertex_count; ++steps) {
		uint32_t next = UINT32_MAX;
		double first = 1, steepest = 0;
		for (uint32_t k = b->ring_first[at]; k < b->ring_first[at + 1]; ++k) {
			v3 e = v3_sub(b->vertices[b->ring[k]], b->vertices[at]);
			double f0 = v3_dot(d0, e), f1 = v3_dot(d1, e), slope = f1 - f0;
			if (!(f1 > 0) || !(slope > 0))
				continue;
			double when = -f0 / slope;
			when = when > time ? when : time;
			if (when < first || (when == first && slope > steepest))
				first = when, steepest = slope, next = b->ring[k];
		}
		if (next == UINT32_MAX)
			break;
		time = first;
		offer_edges(w, ea, cn_polytope_edge(b, at, next), v3_lerp(from, to, time));
		at = next;
	}
	c->vb = at;
}

static void try_edges(widest *w)
{
	const cn_polytope *a = &w->c->a->core, *b = &w->c->b->core;
	if (a->face_count && b->face_count) {
		for (uint32_t e = 0; e < a->edge_count; ++e) {
			v3 left = a->normals[a->edges[e].left], right = a->normals[a->edges[e].right];
			if (a->face_count > 2) {
				walk_arc(w, e, left, right);
				continue;
			}
			v3 out = v3_cross(a->directions[e], left); /* of a flat one half a circle, by way of what faces outward */
			walk_arc(w, e, left, out);
			walk_arc(w, e, out, right);
		}
		return;
	}
	for (uint32_t ea = 0; ea < a->edge_count; ++ea) /* one is a segment: its arc is a whole circle */
		for (uint32_t eb = 0; eb < b->edge_count; ++eb) {
			cn_feature fa = cn_feature_make(CN_EDGE, ea), fb = cn_feature_make(CN_EDGE, eb);
			v3 n = cn_cores_axis(w->c, fa, fb, v3_zero());
			if (v3_length2(n) > 0) {
				offer(w, n, fa, fb);
				offer(w, v3_neg(n), fa, fb);
			}
		}
}

/* What of a core lies within depth of its furthest along d. */
static bool in_slab(const cn_polytope *p, v3 d, double level, uint32_t vertex)
{
	return v3_dot(p->vertices[vertex], d) >= level;
}

typedef struct slab {
	cn_cores *c;
	v3 da, db;       /* outward, each in its core's axes */
	double la, lb;   /* the levels that count */
	bool whole;      /* a feature counts only if all of it is in the slab */
	cn_simplex best; /* nearest so far */
	double least;
} slab;

static void measure(slab *s, const cn_corner *p, const cn_corner *q, const cn_corner *r)
{
	cn_simplex trial = {.count = 3, .corner = {*p, *q, *r}};
	(void)cn_simplex_nearest(&trial);
	double length2 = v3_length2(trial.v);
	/* Of the same length to the last digits, more corners know the direction better. */
	if (length2 < s->least * (trial.count > s->best.count ? 1 + 8 * DBL_EPSILON : 1))
		s->least = length2, s->best = trial;
}

static bool counts(const slab *s, bool one, bool other) { return s->whole ? one && other : one || other; }

static void measure_edges(slab *s)
{
	const cn_cores *c = s->c;
	const cn_polytope *a = &c->a->core, *b = &c->b->core;
	for (uint32_t i = 0; i < a->edge_count; ++i) {
		const cn_edge *ea = &a->edges[i];
		if (!counts(s, in_slab(a, s->da, s->la, ea->tail), in_slab(a, s->da, s->la, ea->head)))
			continue;
		for (uint32_t j = 0; j < b->edge_count; ++j) {
			const cn_edge *eb = &b->edges[j];
			if (!counts(s, in_slab(b, s->db, s->lb, eb->tail), in_slab(b, s->db, s->lb, eb->head)))
				continue;
			cn_corner p = cn_cores_corner(c, ea->tail, eb->tail), q = cn_cores_corner(c, ea->head, eb->tail);
			cn_corner r = cn_cores_corner(c, ea->head, eb->head), o = cn_cores_corner(c, ea->tail, eb->head);
			measure(s, &p, &q, &r);
			measure(s, &p, &o, &r);
		}
	}
}

/* Faces of one core against vertices of the other. */
static void measure_faces(slab *s, bool of_a)
{
	const cn_cores *c = s->c;
	const cn_polytope *p = of_a ? &c->a->core : &c->b->core, *q = of_a ? &c->b->core : &c->a->core;
	v3 dp = of_a ? s->da : s->db, dq = of_a ? s->db : s->da;
	double lp = of_a ? s->la : s->lb, lq = of_a ? s->lb : s->la;
	for (uint32_t f = 0; f < p->face_count; ++f) {
		const uint32_t *loop = p->loop + p->face_first[f];
		uint32_t count = p->face_first[f + 1] - p->face_first[f];
		bool near = s->whole;
		for (uint32_t k = 0; k < count; ++k)
			near = counts(s, near, in_slab(p, dp, lp, loop[k]));
		for (uint32_t v = 0; near && v < q->vertex_count; ++v) {
			if (!in_slab(q, dq, lq, v))
				continue;
			for (uint32_t k = 1; k + 1 < count; ++k) {
				uint32_t t[3] = {loop[0], loop[k], loop[k + 1]};
				cn_corner corner[3];
				for (int i = 0; i < 3; ++i)
					corner[i] = of_a ? cn_cores_corner(c, t[i], v) : cn_cores_corner(c, v, t[i]);
				measure(s, &corner[0], &corner[1], &corner[2]);
			}
		}
	}
}

/* min n.b - max n.a = g and |b - a| <= u for the nearest points, so they are within u - g of the plane's support. */
static void measure_all(slab *s, v3 n, double depth)
{
	cn_cores *c = s->c;
	s->da = n;
	s->db = v3_neg(cn_cores_to_b(c, n));
	cn_corner low = cn_cores_lowest(c, n);
	s->la = v3_dot(c->a->core.vertices[low.a], s->da) - depth;
	s->lb = v3_dot(c->b->core.vertices[low.b], s->db) - depth;
	measure_edges(s);
	measure_faces(s, true);
	measure_faces(s, false);
}

void cn_cores_every(cn_cores *c, cn_core_gap *out)
{
	widest w = {.c = c, .n = v3_make(1, 0, 0), .gap = -INFINITY};
	try_faces(&w);
	try_edges(&w);
	slab s = {.c = c, .least = INFINITY};
	if (w.gap > c->slack) {
		/* Any pair of points bounds the distance from above; the slab of that bound then holds the nearest ones. */
		measure_all(&s, w.n, c->slack);
		measure_all(&s, w.n, sqrt(s.least) - w.gap + c->slack);
		v3 n = v3_unit(s.best.v);
		if (cn_cores_settle(c, &s.best, n, out))
			return;
		offer(&w, n, out->feature_a, out->feature_b);
	} else {
		/* The foot of the origin is in the face of C that lies in the plane. */
		s.whole = true;
		measure_all(&s, w.n, c->slack);
		if (cn_cores_settle(c, &s.best, w.n, out))
			return;
		if (w.gap < -c->slack && cn_cores_settle(c, &s.best, v3_neg(v3_unit(s.best.v)), out))
			return;
	}
	if (!s.best.count) { /* nothing is flat enough to lie in the plane: its support points will do */
		s.best = (cn_simplex){.count = 1, .weight = {1}};
		s.best.corner[0] = cn_cores_lowest(c, w.n);
	}
	out->n = w.n;
	out->gap = w.gap;
	out->feature_a = w.feature_a;
	out->feature_b = w.feature_b;
	cn_cores_points(c, &s.best, out);
}
