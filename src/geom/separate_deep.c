/* Depth of two cores that overlap or touch. A polytope inside C is grown from corners of C at the face whose plane is
 * nearest the origin (an expanding polytope), until that plane is one of C's own. It lies inside C, so no plane of C
 * is nearer than its nearest; that plane touches C, so the depth is found. Planes have signs here: the origin may as
 * well be outside, by a hair or by more, which makes the passage from overlapping to apart nothing special.
 *
 * Gives up, and says so, where it has no room or a face degenerates. */
#include "geom/separate_cores.h"

#define CN_SEPARATE_SLIVER 1e-3 /* sine: flatter triangles are measured along their two shorter edges */
#define CN_SEPARATE_LINE 1e-14  /* sine: flatter triangles have no plane, up to rounding */
#define CN_SEPARATE_FULL                                                                                               \
	1e-3 /* volume of a tetrahedron, of the product of three edges: with less it is no good start */

enum { MOST_CORNERS = 160, MOST_FACES = 2 * MOST_CORNERS, NO_FACE = 0xffff };

typedef struct face {
	v3 m;     /* unit, outward */
	double d; /* m.x = d */
	uint16_t corner[3];
	uint16_t next[3];  /* the face across the edge from corner k to corner k + 1 */
	bool gone, passed; /* passed: its plane is not the one */
} face;

typedef struct blob {
	cn_cores *c;
	uint32_t corner_count, face_count;
	cn_corner corner[MOST_CORNERS];
	face face[MOST_FACES];
	uint16_t reuse[MOST_FACES], reuse_count; /* faces that are gone */
	uint16_t out_of[MOST_CORNERS];           /* of a corner on the horizon: the new face whose edge starts there */
} blob;

/* False: on a line, up to rounding. */
static bool set_plane(const blob *g, face *f)
{
	v3 p0 = g->corner[f->corner[0]].p, p1 = g->corner[f->corner[1]].p, p2 = g->corner[f->corner[2]].p;
	v3 e = v3_sub(p1, p0), h = v3_sub(p2, p0), m = v3_cross(e, h);
	double ee = v3_length2(e), hh = v3_length2(h), area2 = v3_length2(m);
	if (area2 < CN_SEPARATE_SLIVER * CN_SEPARATE_SLIVER * ee *
	                hh) { /* a sliver: its two shorter edges lose the fewest digits */
		v3 i = v3_sub(p2, p1);
		double ii = v3_length2(i);
		if (ii < ee && ee >= hh)
			m = v3_cross(i, v3_neg(h)), ee = ii;
		else if (ii < hh)
			m = v3_cross(e, i), hh = ii;
		area2 = v3_length2(m);
		if (!(area2 > CN_SEPARATE_LINE * CN_SEPARATE_LINE * ee * hh))
			return false;
	}
	f->m = v3_scale(m, 1 / sqrt(area2));
	f->d = v3_dot(f->m, p0);
	return true;
}

/* Of the corners along +-d, the one that stands out most by a measure. */
static cn_corner wider(cn_cores *c, v3 d, cn_corner from, v3 along, double *most, cn_corner best)
{
	for (int side = 0; side < 2; ++side) {
		cn_corner w = cn_cores_lowest(c, side ? v3_neg(d) : d);
		v3 off = v3_sub(w.p, from.p);
		double measure = v3_length2(v3_cross(off, along));
		if (measure > *most)
			*most = measure, best = w;
	}
	return best;
}

/* Four corners that span C as well as any: along the guess and back, then whatever stands out most from their line and
 * from their plane. For needles and plates; costs eight support points. */
static bool start_wide(cn_cores *c, v3 guess, cn_corner *p)
{
	p[0] = cn_cores_lowest(c, guess);
	p[1] = cn_cores_lowest(c, v3_neg(guess));
	v3 e = v3_unit(v3_sub(p[1].p, p[0].p));
	if (!(v3_length2(e) > 0))
		return false;
	double most = 0;
	v3 u = cn_core_square(e);
	p[2] = wider(c, u, p[0], e, &most, p[0]);
	p[2] = wider(c, v3_cross(e, u), p[0], e, &most, p[2]);
	v3 m = v3_unit(v3_cross(v3_sub(p[1].p, p[0].p), v3_sub(p[2].p, p[0].p)));
	cn_corner above = cn_cores_lowest(c, v3_neg(m)), below = cn_cores_lowest(c, m);
	p[3] = v3_dot(m, v3_sub(above.p, p[0].p)) > v3_dot(m, v3_sub(p[0].p, below.p)) ? above : below;
	return true;
}

/* Six times the volume as a share of the edges' product; positive where 0 1 2 is counter-clockwise from outside. */
static double volume(const cn_corner *p)
{
	v3 e = v3_sub(p[1].p, p[0].p), f = v3_sub(p[2].p, p[0].p), h = v3_sub(p[3].p, p[0].p);
	double scale2 = v3_length2(e) * v3_length2(f) * v3_length2(h);
	return scale2 > 0 ? -v3_dot(v3_cross(e, f), h) / sqrt(scale2) : 0;
}

static bool start(blob *g, v3 guess, const cn_simplex *around)
{
	static const uint16_t corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
	static const uint16_t nexts[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
	cn_corner *p = g->corner;
	double fill = 0;
	if (around && around->count == 4) {
		for (int k = 0; k < 4; ++k)
			p[k] = around->corner[k];
		fill = volume(p);
	} else if (cn_cores_last_corners(g->c, p) >= 3) { /* a triangle of the face of C that it was, and what is behind */
		p[3] = cn_cores_lowest(g->c, v3_neg(guess));
		fill = volume(p);
	}
	if (fabs(fill) < CN_SEPARATE_FULL) { /* along the guess and three directions evenly around it */
		v3 u = cn_core_square(guess), w = v3_cross(guess, u), back = v3_scale(guess, -1.0 / 3);
		p[0] = cn_cores_lowest(g->c, guess);
		p[1] = cn_cores_lowest(g->c, v3_madd(back, u, 0.9428));
		p[2] = cn_cores_lowest(g->c, v3_madd(v3_madd(back, u, -0.4714), w, 0.8165));
		p[3] = cn_cores_lowest(g->c, v3_madd(v3_madd(back, u, -0.4714), w, -0.8165));
		fill = volume(p);
	}
	if (fabs(fill) < CN_SEPARATE_FULL) {
		if (!start_wide(g->c, guess, p))
			return false;
		fill = volume(p);
	}
	if (fill < 0) {
		cn_corner swap = p[1];
		p[1] = p[2], p[2] = swap;
	}
	g->corner_count = g->face_count = 4;
	for (int f = 0; f < 4; ++f) {
		for (int k = 0; k < 3; ++k) {
			g->face[f].corner[k] = corners[f][k];
			g->face[f].next[k] = nexts[f][k];
		}
		g->face[f].gone = g->face[f].passed = false;
		if (!set_plane(g, &g->face[f]))
			return false;
	}
	return true;
}

static uint32_t nearest_face(const blob *g)
{
	uint32_t best = NO_FACE;
	double least = INFINITY;
	for (uint32_t f = 0; f < g->face_count; ++f)
		if (!g->face[f].gone && !g->face[f].passed && g->face[f].d < least)
			least = g->face[f].d, best = f;
	return best;
}

static uint16_t new_face(blob *g)
{
	if (g->reuse_count)
		return g->reuse[--g->reuse_count];
	return g->face_count < MOST_FACES ? (uint16_t)g->face_count++ : NO_FACE;
}

typedef struct rim { /* an edge of the horizon, as the face that stays sees it */
	uint16_t keeps, side;
} rim;

typedef struct hole { /* what a corner sees of the polytope: faces to go, and the edge around them */
	uint32_t gone_count, rim_count;
	uint16_t gone[MOST_FACES];
	rim rim[MOST_FACES];
} hole;

/* Marks the faces that the corner sees, from the first on, and gathers the horizon. Faces in whose plane it lies go
 * too: kept, they could leave an edge in line with the corner. */
static void clear(blob *g, uint16_t first, v3 w, hole *h)
{
	double plane = 0.25 * g->c->rounding;
	h->gone_count = h->rim_count = 0;
	g->face[first].gone = true;
	h->gone[h->gone_count++] = first;
	for (uint32_t i = 0; i < h->gone_count; ++i) {
		const face *f = &g->face[h->gone[i]];
		for (int k = 0; k < 3; ++k) {
			face *o = &g->face[f->next[k]];
			if (o->gone || !(v3_dot(o->m, w) - o->d > -plane))
				continue;
			o->gone = true;
			h->gone[h->gone_count++] = f->next[k];
		}
	}
	for (uint32_t i = 0; i < h->gone_count; ++i) {
		const face *f = &g->face[h->gone[i]];
		for (int k = 0; k < 3; ++k) {
			const face *o = &g->face[f->next[k]];
			uint16_t side = 0;
			if (o->gone)
				continue;
			while (side < 2 && o->corner[side] != f->corner[(k + 1) % 3])
				++side;
			h->rim[h->rim_count++] = (rim){f->next[k], side};
		}
	}
}

/* Joins the new faces around the corner. False: the horizon is not one loop, so the polytope would no longer be one. */
static bool close_fan(blob *g, uint16_t first, uint32_t count)
{
	uint32_t round = 0;
	uint16_t at = first;
	do {
		uint16_t after = g->out_of[g->face[at].corner[1]];
		if (after == NO_FACE)
			return false;
		g->face[at].next[1] = after;
		g->face[after].next[2] = at;
		at = after;
		++round;
	} while (at != first && round <= count);
	return round == count;
}

static bool expand(blob *g, uint16_t first, const cn_corner *w)
{
	hole h;
	if (g->corner_count == MOST_CORNERS)
		return false;
	uint16_t top = (uint16_t)g->corner_count, f = NO_FACE;
	g->corner[g->corner_count++] = *w;
	clear(g, first, w->p, &h);
	if (h.rim_count < 3)
		return false;
	for (uint32_t i = 0; i < h.gone_count; ++i)
		g->reuse[g->reuse_count++] = h.gone[i];
	for (uint32_t i = 0; i < g->corner_count; ++i)
		g->out_of[i] = NO_FACE;
	for (uint32_t i = 0; i < h.rim_count; ++i) {
		face *o = &g->face[h.rim[i].keeps];
		int side = h.rim[i].side;
		uint16_t from = o->corner[(side + 1) % 3], to = o->corner[side]; /* as the face that goes saw it */
		f = new_face(g);
		if (f == NO_FACE || g->out_of[from] != NO_FACE)
			return false;
		g->face[f] = (face){.corner = {from, to, top}, .next = {h.rim[i].keeps, NO_FACE, NO_FACE}};
		if (!set_plane(g, &g->face[f]))
			return false;
		o->next[side] = f;
		g->out_of[from] = f;
	}
	return close_fan(g, f, h.rim_count);
}

static bool has_corner(const blob *g, const cn_corner *w)
{
	for (uint32_t i = 0; i < g->corner_count; ++i)
		if (g->corner[i].a == w->a && g->corner[i].b == w->b)
			return true;
	return false;
}

/* Of the faces in the plane, the one that holds the foot of the origin. */
static bool finish(blob *g, const face *plane, cn_core_gap *out)
{
	cn_simplex best = {0};
	double least = INFINITY;
	v3 foot = v3_scale(plane->m, plane->d);
	for (uint32_t i = 0; i < g->face_count; ++i) {
		const face *f = &g->face[i];
		if (f->gone || f->d > plane->d + 0.25 * g->c->slack)
			continue;
		cn_simplex s = {.count = 3};
		for (int k = 0; k < 3; ++k)
			s.corner[k] = g->corner[f->corner[k]];
		(void)cn_simplex_nearest(&s);
		double off = v3_length2(v3_sub(s.v, foot));
		if (off < least)
			least = off, best = s;
	}
	return cn_cores_settle(g->c, &best, v3_neg(plane->m), out);
}

bool cn_cores_deep(cn_cores *c, v3 guess, const cn_simplex *around, cn_core_gap *out)
{
	blob g;
	g.c = c;
	g.reuse_count = 0;
	if (!start(&g, guess, around))
		return false;
	double most = INFINITY;
	for (;;) {
		uint32_t f = nearest_face(&g);
		if (f == NO_FACE || g.face[f].d > most)
			return false;
		double d = g.face[f].d;
		c->va = g.corner[g.face[f].corner[2]].a; /* near what is looked for */
		c->vb = g.corner[g.face[f].corner[2]].b;
		cn_corner w = cn_cores_lowest(c, v3_neg(g.face[f].m));
		double above = v3_dot(g.face[f].m, w.p) - d;
		if (above <= c->rounding || (above <= 0.5 * c->slack && has_corner(&g, &w))) {
			if (finish(&g, &g.face[f], out))
				return true;
			/* Several planes are the nearest, to the last digit, and this is not the one whose face holds its foot. */
			g.face[f].passed = true;
			most = d + c->rounding < most ? d + c->rounding : most;
		} else if (has_corner(&g, &w) || !expand(&g, (uint16_t)f, &w)) {
			return false;
		}
	}
}
