/* From corners of C to the answer: the axis is made anew from features (a face's normal, the square to two edges), so
 * it has all its digits however small the gap is, and is then put to the test: what it separates by, along the support
 * points of both cores, must equal the length of a vector that the corners span, and point along it. Both bound the
 * gap, from below and from above, so an axis that passes is right whoever proposed it. */
#include "geom/separate_cores.h"

#define CN_SEPARATE_PLACE                                                                                              \
	1e-12 /* of both cores: error of a point's place along an edge, where edges are nearly parallel */
#define CN_SEPARATE_TURNED 0.99 /* cosine: a face or edge pair further from a guessed axis is not what it stands for */
#define CN_SEPARATE_PARALLEL 1e-15 /* sine: edges nearer than this have no common square; it would be rounding alone */

static uint32_t box_face(v3 d)
{
	v3 size = v3_abs(d);
	uint32_t axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
	return 2 * axis + (v3_at(d, (int)axis) > 0);
}

/* The face at a vertex whose normal is nearest d; UINT32_MAX if none can lie in the plane across d: a face that does
 * has two of the vertex's neighbours in it, up to drop. */
static uint32_t find_face(const cn_convex *c, v3 d, uint32_t vertex, double drop)
{
	const cn_polytope *p = &c->core;
	if (c->kind == CAIRN_BOX)
		return box_face(d);
	uint32_t best = UINT32_MAX, flat = 0;
	double most = -INFINITY;
	v3 here = p->vertices[vertex];
	for (uint32_t k = p->ring_first[vertex]; k < p->ring_first[vertex + 1]; ++k)
		flat += v3_dot(d, v3_sub(p->vertices[p->ring[k]], here)) >= -drop;
	if (flat < 2)
		return best;
	for (uint32_t k = p->ring_first[vertex]; k < p->ring_first[vertex + 1]; ++k) {
		if (v3_dot(d, v3_sub(p->vertices[p->ring[k]], here)) < -drop)
			continue;
		const cn_edge *e = &p->edges[cn_polytope_edge(p, vertex, p->ring[k])];
		for (int side = 0; side < 2; ++side) {
			uint32_t face = side ? e->right : e->left;
			double cosine = v3_dot(p->normals[face], d);
			if (cosine > most)
				most = cosine, best = face;
		}
	}
	return best;
}

/* Square to two unit vectors, on the side of toward; zero where they are parallel to the last digit. Squared against
 * ea once more: of nearly parallel edges the product alone has lost that. */
static v3 square_to(v3 ea, v3 eb, v3 toward)
{
	v3 n = v3_cross(ea, eb);
	double length2 = v3_length2(n);
	if (length2 < CN_SEPARATE_PARALLEL * CN_SEPARATE_PARALLEL)
		return v3_zero();
	n = v3_scale(n, 1 / sqrt(length2));
	n = v3_unit(v3_madd(n, ea, -v3_dot(n, ea)));
	return v3_dot(n, toward) < 0 ? v3_neg(n) : n;
}

v3 cn_cores_axis(const cn_cores *c, cn_feature fa, cn_feature fb, v3 toward)
{
	const cn_polytope *a = &c->a->core, *b = &c->b->core;
	uint32_t ia = cn_feature_index(fa), ib = cn_feature_index(fb);
	if (cn_feature_kind_of(fa) == CN_FACE && ia < a->face_count)
		return a->normals[ia];
	if (cn_feature_kind_of(fb) == CN_FACE && ib < b->face_count)
		return v3_neg(cn_cores_turn_b(c, b->normals[ib]));
	if (cn_feature_kind_of(fa) == CN_EDGE && ia < a->edge_count && cn_feature_kind_of(fb) == CN_EDGE &&
	    ib < b->edge_count)
		return square_to(a->directions[ia], cn_cores_turn_b(c, b->directions[ib]), toward);
	return v3_zero();
}

typedef struct carried { /* the vertices of one core that carry the simplex */
	uint32_t count, vertex[4];
} carried;

static void carry(carried *set, uint32_t vertex)
{
	for (uint32_t k = 0; k < set->count; ++k)
		if (set->vertex[k] == vertex)
			return;
	set->vertex[set->count++] = vertex;
}

/* What the points of a core lie on, d its outward axis. */
static cn_feature feature_of(const cn_convex *c, const carried *set, v3 d)
{
	if (set->count == 1)
		return cn_feature_make(CN_VERTEX, set->vertex[0]);
	if (set->count == 2) {
		uint32_t edge = cn_polytope_edge(&c->core, set->vertex[0], set->vertex[1]);
		if (edge != UINT32_MAX)
			return cn_feature_make(CN_EDGE, edge);
	}
	return cn_feature_make(CN_FACE, find_face(c, d, set->vertex[0], INFINITY));
}

typedef struct settling {
	cn_cores *c;
	const cn_simplex *s;
	carried a, b;
	double wanted; /* m: the signed length of s.v */
	v3 pa, pb;     /* the points of A and B that the simplex spans */
	double loose;  /* m: how far these may be off: their place along long edges is known less well than v */
	cn_core_gap *out;
} settling;

static bool try_axis(settling *t, v3 n)
{
	if (!(v3_length2(n) > 0.5)) /* no axis: the way between points that coincide has none */
		return false;
	double gap = cn_cores_along(t->c, n);
	if (gap < t->wanted - t->c->slack || v3_length2(v3_madd(t->s->v, n, -gap)) > t->c->slack * t->c->slack ||
	    v3_length2(v3_madd(v3_sub(t->pb, t->pa), n, -gap)) > t->loose * t->loose)
		return false;
	t->out->n = n;
	t->out->gap = gap;
	return true;
}

static bool try_faces(settling *t, v3 guess)
{
	cn_cores *c = t->c;
	double drop = 4 * t->loose; /* the guess comes of corners that are as far off */
	if (c->a->core.face_count) {
		uint32_t face = find_face(c->a, guess, t->a.vertex[0], drop);
		v3 n = face != UINT32_MAX ? c->a->core.normals[face] : v3_zero();
		if (v3_dot(n, guess) > CN_SEPARATE_TURNED && try_axis(t, n)) {
			t->out->feature_a = cn_feature_make(CN_FACE, face);
			t->out->feature_b = feature_of(c->b, &t->b, v3_neg(cn_cores_to_b(c, n)));
			return true;
		}
	}
	if (c->b->core.face_count) {
		v3 inward = v3_neg(cn_cores_to_b(c, guess));
		uint32_t face = find_face(c->b, inward, t->b.vertex[0], drop);
		v3 n = face != UINT32_MAX ? v3_neg(cn_cores_turn_b(c, c->b->core.normals[face])) : v3_zero();
		if (v3_dot(n, guess) > CN_SEPARATE_TURNED && try_axis(t, n)) {
			t->out->feature_a = feature_of(c->a, &t->a, n);
			t->out->feature_b = cn_feature_make(CN_FACE, face);
			return true;
		}
	}
	return false;
}

static bool try_edges(settling *t, v3 guess)
{
	const cn_polytope *a = &t->c->a->core, *b = &t->c->b->core;
	for (uint32_t i = 0; i < t->a.count; ++i)
		for (uint32_t j = i + 1; j < t->a.count; ++j)
			for (uint32_t k = 0; k < t->b.count; ++k)
				for (uint32_t l = k + 1; l < t->b.count; ++l) {
					uint32_t ea = cn_polytope_edge(a, t->a.vertex[i], t->a.vertex[j]);
					uint32_t eb = cn_polytope_edge(b, t->b.vertex[k], t->b.vertex[l]);
					if (ea == UINT32_MAX || eb == UINT32_MAX)
						continue;
					v3 n = square_to(a->directions[ea], cn_cores_turn_b(t->c, b->directions[eb]), guess);
					if (v3_length2(n) > 0 && v3_dot(n, guess) > CN_SEPARATE_TURNED && try_axis(t, n)) {
						t->out->feature_a = cn_feature_make(CN_EDGE, ea);
						t->out->feature_b = cn_feature_make(CN_EDGE, eb);
						return true;
					}
				}
	return false;
}

/* The points of A and B that the weights give. */
static void weigh(const cn_cores *c, const cn_simplex *s, v3 *a, v3 *b)
{
	v3 pa = v3_zero(), pb = v3_zero();
	for (uint32_t k = 0; k < s->count; ++k) {
		pa = v3_madd(pa, c->a->core.vertices[s->corner[k].a], s->weight[k]);
		pb = v3_madd(pb, c->b->core.vertices[s->corner[k].b], s->weight[k]);
	}
	*a = pa;
	*b = v3_add(c->t, cn_cores_turn_b(c, pb));
}

/* What rounding left between the points is given to the larger core: it is along its longer edges. */
static void place_points(const cn_cores *c, v3 pa, v3 pb, cn_core_gap *out)
{
	v3 rest = v3_madd(v3_sub(pb, pa), out->n, -out->gap);
	bool move_a = c->a->core.radius > c->b->core.radius;
	out->a = move_a ? v3_add(pa, rest) : pa;
	out->b = move_a ? pb : v3_sub(pb, rest);
}

void cn_cores_points(const cn_cores *c, const cn_simplex *s, cn_core_gap *out)
{
	v3 pa, pb;
	weigh(c, s, &pa, &pb);
	place_points(c, pa, pb, out);
}

static bool try_last(settling *t, v3 guess)
{
	cn_cores *c = t->c;
	if (!(v3_dot(c->last, guess) > CN_SEPARATE_TURNED) || !try_axis(t, c->last))
		return false;
	t->out->feature_a = c->last_a;
	t->out->feature_b = c->last_b;
	return true;
}

static settling begin(cn_cores *c, const cn_simplex *s, double wanted, cn_core_gap *out)
{
	settling t = {.c = c, .s = s, .wanted = wanted, .out = out};
	weigh(c, s, &t.pa, &t.pb);
	t.loose = c->slack + CN_SEPARATE_PLACE * (c->a->core.radius + c->b->core.radius);
	return t;
}

bool cn_cores_settle_last(cn_cores *c, const cn_simplex *s, cn_core_gap *out)
{
	settling t = begin(c, s, v3_dot(s->v, c->last), out);
	if (!try_last(&t, c->last))
		return false;
	place_points(c, t.pa, t.pb, out);
	return true;
}

bool cn_cores_settle(cn_cores *c, const cn_simplex *s, v3 guess, cn_core_gap *out)
{
	settling t = begin(c, s, v3_dot(s->v, guess), out);
	for (uint32_t k = 0; k < s->count; ++k) {
		carry(&t.a, s->corner[k].a);
		carry(&t.b, s->corner[k].b);
	}
	/* A flat simplex may be part of a face of A or B, or of an edge pair's parallelogram. */
	bool good = try_last(&t, guess) || (s->count == 3 && (try_faces(&t, guess) || try_edges(&t, guess)));
	if (!good) {
		good = try_axis(&t, guess);
		out->feature_a = feature_of(c->a, &t.a, guess);
		out->feature_b = feature_of(c->b, &t.b, v3_neg(cn_cores_to_b(c, guess)));
	}
	if (good)
		place_points(c, t.pa, t.pb, out);
	return good;
}
