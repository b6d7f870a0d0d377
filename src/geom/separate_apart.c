/* Distance of two cores that are apart (Gilbert, Johnson, Keerthi): C is searched for the point nearest the origin by
 * simplices of its corners. What the iteration finds is a guess of the features; the answer is made from those. */
#include "geom/separate_cores.h"

enum { MOST_ROUNDS = 96, MOST_TURNS = 12 };

static bool holds(const cn_simplex *s, const cn_corner *w)
{
	for (uint32_t k = 0; k < s->count; ++k)
		if (s->corner[k].a == w->a && s->corner[k].b == w->b)
			return true;
	return false;
}

static uint32_t vertices_of(const cn_polytope *p, cn_feature f, uint32_t *out)
{
	uint32_t i = cn_feature_index(f);
	switch (cn_feature_kind_of(f)) {
	case CN_VERTEX: out[0] = i; return i < p->vertex_count;
	case CN_EDGE:
		if (i >= p->edge_count)
			return 0;
		out[0] = p->edges[i].tail;
		out[1] = p->edges[i].head;
		return 2;
	case CN_FACE:
		if (i >= p->face_count)
			return 0;
		for (uint32_t k = 0; k < 3; ++k)
			out[k] = p->loop[p->face_first[i] + k];
		return 3;
	default: return 0;
	}
}

uint32_t cn_cores_last_corners(const cn_cores *c, cn_corner *out)
{
	uint32_t a[3], b[3], na = vertices_of(&c->a->core, c->last_a, a), nb = vertices_of(&c->b->core, c->last_b, b);
	if (!c->warm || !na || !nb || (na > 1 && nb > 1 && na + nb > 4))
		return 0;
	uint32_t count = na > nb ? na : nb;
	for (uint32_t k = 0; k < count; ++k)
		out[k] = cn_cores_corner(c, a[na > 1 ? k : 0], b[nb > 1 ? k : 0]);
	if (na == 2 && nb == 2) {
		out[2] = cn_cores_corner(c, a[1], b[0]);
		out[3] = cn_cores_corner(c, a[0], b[1]);
		count = 4;
	}
	return count;
}

/* Begins with what the last features span: mostly the answer, at once. False: they are of no use. */
static bool begin_warm(const cn_cores *c, cn_simplex *s)
{
	s->count = cn_cores_last_corners(c, s->corner);
	if (!s->count)
		return false;
	if (s->count == 4) { /* a parallelogram: the half that is nearer */
		cn_simplex other = *s;
		other.corner[2] = s->corner[3];
		s->count = other.count = 3;
		(void)cn_simplex_nearest(&other);
		(void)cn_simplex_nearest(s);
		if (v3_length2(other.v) < v3_length2(s->v))
			*s = other;
		return true;
	}
	(void)cn_simplex_nearest(s);
	return true;
}

cn_cores_verdict cn_cores_apart(cn_cores *c, v3 guess, cn_simplex *s, cn_core_gap *out)
{
	if (!begin_warm(c, s)) {
		s->count = 1;
		s->corner[0] = cn_cores_lowest(c, guess);
		s->weight[0] = 1;
		s->v = s->corner[0].p;
	} else if (v3_dot(s->v, c->last) > 0 && cn_cores_settle_last(c, s, out)) {
		return CN_CORES_APART;
	}
	int turns = 0;
	for (int round = 0; round < MOST_ROUNDS; ++round) {
		double length2 = v3_length2(s->v);
		if (length2 <= c->rounding * c->rounding)
			return CN_CORES_OVERLAP;
		cn_corner w = cn_cores_lowest(c, s->v);
		double along = v3_dot(s->v, w.p), short_of = length2 - along; /* |v| less what v separates by, both times |v| */
		if (along > 0 && along * along >= length2 * c->beyond * c->beyond) {
			double length = sqrt(length2);
			out->n = v3_scale(s->v, 1 / length), out->gap = along / length - c->rounding;
			if (out->gap >= c->beyond)
				return CN_CORES_BEYOND;
		}
		if (short_of <= 0 || short_of * short_of <= length2 * c->rounding * c->rounding || holds(s, &w))
			break;
		cn_simplex before = *s;
		s->corner[s->count++] = w;
		if (!cn_simplex_nearest(s))
			return CN_CORES_OVERLAP;
		/* Close to the end v may turn without becoming shorter by a digit; what it turns to is better. */
		double after = v3_length2(s->v);
		if (after > length2 * (1 + 8 * DBL_EPSILON) || (after >= length2 && ++turns > MOST_TURNS)) {
			*s = before;
			break;
		}
	}
	return cn_cores_settle(c, s, v3_unit(s->v), out) ? CN_CORES_APART : CN_CORES_UNSURE;
}
