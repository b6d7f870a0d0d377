/* See contact_side.h. Which feature lies against the plane (OBA 3.2): of the vertices within the slab of the furthest
 * one, the edge most parallel to the plane and then, if at least three of its vertices are within the slab, the more
 * parallel of the two faces at that edge. So the feature holds every vertex that is as near as the nearest one. */
#include "geom/contact_side.h"

#include "geom/tolerance.h"

/* The frame and the direction to the other part, in the part's own axes. */
typedef struct view {
	const cn_place *at;
	v3 u, v, n, out;
	double merge;
	bool is_b;
} view;

static void add_corner(cn_contact_side *s, const view *w, v3 p, cn_feature corner, cn_feature edge)
{
	uint32_t i = s->count++;
	s->u[i] = v3_dot(w->u, p) + s->u0;
	s->v[i] = v3_dot(w->v, p) + s->v0;
	s->corner[i] = corner;
	s->edge[i] = edge;
}

static void take_point(cn_contact_side *s, const view *w, v3 p, cn_feature feature)
{
	add_corner(s, w, p, feature, feature);
	s->whole = feature;
	s->lift = CN_LIFT_POINT;
	s->base = cn_place_turn(w->at, p);
}

/* t runs from 0 at the first end to 1 at the second. */
static void take_line(cn_contact_side *s, const view *w, const v3 end[2], const cn_feature corner[2], cn_feature edge)
{
	add_corner(s, w, end[0], corner[0], edge);
	add_corner(s, w, end[1], corner[1], edge);
	s->whole = edge;
	s->lift = CN_LIFT_LINE;
	s->base = cn_place_turn(w->at, end[0]);
	s->along = cn_place_turn(w->at, v3_sub(end[1], end[0]));
	double du = s->u[1] - s->u[0], dv = s->v[1] - s->v[0], scale = 1 / (du * du + dv * dv);
	s->tu = du * scale;
	s->tv = dv * scale;
	s->t0 = -(s->tu * s->u[0] + s->tv * s->v[0]);
}

/* normal.x = offset solved for the height along n. */
static void take_plane(cn_contact_side *s, const view *w, v3 normal, double offset, cn_feature face)
{
	double scale = 1 / v3_dot(normal, w->n);
	s->whole = face;
	s->lift = CN_LIFT_PLANE;
	s->tu = -v3_dot(normal, w->u) * scale;
	s->tv = -v3_dot(normal, w->v) * scale;
	s->t0 = offset * scale;
}

/* At least three vertices of the face above the floor. */
static bool touches(const cn_polytope *p, uint32_t face, v3 out, double floor)
{
	uint32_t found = 0;
	for (uint32_t k = p->face_first[face]; k < p->face_first[face + 1] && found < 3; ++k)
		found += v3_dot(p->vertices[p->loop[k]], out) >= floor;
	return found == 3;
}

static void take_face(cn_contact_side *s, const view *w, const cn_convex *c, uint32_t face)
{
	const cn_polytope *p = &c->core;
	uint32_t first = p->face_first[face], count = p->face_first[face + 1] - first;
	uint32_t stride = (count + CN_SIDE_CORNERS - 1) / CN_SIDE_CORNERS;
	v3 out = v3_scale(p->normals[face], c->radius);
	for (uint32_t k = 0; k < count; k += stride)
		add_corner(s, w, v3_add(p->vertices[p->loop[first + k]], out), cn_feature_make(CN_VERTEX, p->loop[first + k]),
		           cn_feature_make(CN_EDGE, p->loop_edges[first + k]));
	take_plane(s, w, p->normals[face], p->offsets[face] + c->radius, cn_feature_make(CN_FACE, face));
}

static uint32_t begin_at(const cn_polytope *p, cn_feature hint)
{
	uint32_t i = cn_feature_index(hint);
	switch (cn_feature_kind_of(hint)) {
	case CN_VERTEX: return i < p->vertex_count ? i : 0;
	case CN_EDGE: return i < p->edge_count ? p->edges[i].tail : 0;
	case CN_FACE: return i < p->face_count ? p->loop[p->face_first[i]] : 0;
	default: return 0;
	}
}

/* What is around the core is taken along with the feature: on a face along its normal, on an edge straight across it. Where
 * these are not quite parallel to the plane, the true surface bulges a little further out; the separation's own point is
 * there for that. */
static void take_polytope(cn_contact_side *s, const view *w, const cn_convex *c, cn_feature hint, double slab)
{
	const cn_polytope *p = &c->core;
	uint32_t top = cn_polytope_climb(p, w->out, begin_at(p, hint)), edge = UINT32_MAX;
	double height = v3_dot(p->vertices[top], w->out), flattest = CN_CONTACT_STEEP;
	s->support = height + c->radius;
	for (uint32_t k = p->ring_first[top]; k < p->ring_first[top + 1]; ++k) {
		if (v3_dot(p->vertices[p->ring[k]], w->out) < height - slab)
			continue;
		uint32_t e = cn_polytope_edge(p, top, p->ring[k]);
		double slope = fabs(v3_dot(p->directions[e], w->out));
		if (slope < flattest || (slope == flattest && e < edge))
			flattest = slope, edge = e;
	}
	if (edge == UINT32_MAX) {
		take_point(s, w, v3_madd(p->vertices[top], w->out, c->radius), cn_feature_make(CN_VERTEX, top));
		return;
	}
	const cn_edge *e = &p->edges[edge];
	uint32_t least = e->left < e->right ? e->left : e->right, most = e->left < e->right ? e->right : e->left;
	uint32_t face = v3_dot(p->normals[most], w->out) > v3_dot(p->normals[least], w->out) ? most : least;
	if (!touches(p, face, w->out, height - slab))
		face = face == least ? most : least;
	if (v3_dot(p->normals[face], w->out) > CN_CONTACT_FLAT && touches(p, face, w->out, height - slab)) {
		take_face(s, w, c, face);
		return;
	}
	v3 end[2] = {p->vertices[e->tail], p->vertices[e->head]};
	if (c->radius > 0) {
		v3 along = p->directions[edge], across = v3_unit(v3_madd(w->out, along, -v3_dot(w->out, along)));
		end[0] = v3_madd(end[0], across, c->radius), end[1] = v3_madd(end[1], across, c->radius);
	}
	cn_feature corner[2] = {cn_feature_make(CN_VERTEX, e->tail), cn_feature_make(CN_VERTEX, e->head)};
	take_line(s, w, end, corner, cn_feature_make(CN_EDGE, edge));
}

/* out makes the angle acos(c) with the core's direction e towards the nearer end P. The side that faces the plane is
 * the line along the core moved out by radius m, m = (out - c e)/sqrt(1 - c^2); between it and P + radius out lies an
 * arc of the ball about P. With t the distance along the plane from P towards the other end, the line begins at
 * t = radius c and before it the height over P is sqrt(radius^2 - t^2). */
static void take_capsule(cn_contact_side *s, const view *w, const cn_convex *c, double slab)
{
	uint32_t near = w->out.z > 0 ? 1 : 0;
	double slope = fabs(w->out.z), half = c->half.z, flat = sqrt(w->out.x * w->out.x + w->out.y * w->out.y);
	v3 e = {0, 0, near ? 1 : -1}, end[2] = {v3_scale(e, half), v3_scale(e, -half)};
	s->support = half * slope + c->radius;
	if (!(slope < CN_CONTACT_STEEP) || 2 * half * slope > slab || !(half > 0)) {
		take_point(s, w, v3_madd(end[0], w->out, c->radius), cn_feature_make(CN_VERTEX, near));
		return;
	}
	v3 m = v3_scale(v3_make(w->out.x, w->out.y, 0), c->radius / flat);
	v3 toward = v3_scale(v3_madd(e, w->out, -slope), -1 / flat); /* unit, in the plane, from P to the other end */
	cn_feature side = cn_feature_make(CN_EDGE, 0);
	add_corner(s, w, v3_madd(end[0], w->out, c->radius), cn_feature_make(CN_VERTEX, near), side);
	add_corner(s, w, v3_add(end[1], m), cn_feature_make(CN_VERTEX, 1 - near), side);
	s->whole = side;
	s->lift = CN_LIFT_CAPSULE;
	s->tu = v3_dot(toward, w->u);
	s->tv = v3_dot(toward, w->v);
	s->t0 = -(s->tu * s->u[0] + s->tv * s->v[0]);
	s->start = c->radius * slope;
	s->radius = w->is_b ? -c->radius : c->radius;
	s->cap = cn_place_turn(w->at, end[0]);
	s->base = cn_place_turn(w->at, v3_add(end[0], m));
	s->along = cn_place_turn(w->at, v3_scale(e, -1 / flat)); /* a metre along the plane */
}

static void take_cap(cn_contact_side *s, const view *w, const cn_convex *c, uint32_t end, v3 nearest)
{
	static const double turn[CN_CAP_CORNERS + 4] = {
		0,  0.38268343236508977,  0.70710678118654752,  0.92387953251128674,
		1,  0.92387953251128674,  0.70710678118654752,  0.38268343236508977,
		0,  -0.38268343236508977, -0.70710678118654752, -0.92387953251128674,
		-1, -0.92387953251128674, -0.70710678118654752, -0.38268343236508977,
		0,  0.38268343236508977,  0.70710678118654752,  0.92387953251128674};
	double z = end ? c->half.z : -c->half.z;
	bool tilted = c->radius * sqrt(w->out.x * w->out.x + w->out.y * w->out.y) > w->merge;
	for (uint32_t k = 0; k < CN_CAP_CORNERS; ++k) {
		v3 p = {c->radius * turn[k + 4], c->radius * turn[k], z};
		v3 q = {c->radius * turn[(k + 1) % CN_CAP_CORNERS + 4], c->radius * turn[(k + 1) % CN_CAP_CORNERS], z};
		add_corner(s, w, p, cn_feature_make(CN_RIM, end | (k + 1) << 1), cn_feature_make(CN_RIM, end));
		if (tilted && p.x * nearest.y - p.y * nearest.x > 0 && nearest.x * q.y - nearest.y * q.x > 0 &&
		    p.x * nearest.x + p.y * nearest.y > 0)
			add_corner(s, w, nearest, cn_feature_make(CN_RIM, end), cn_feature_make(CN_RIM, end));
	}
	take_plane(s, w, v3_make(0, 0, end ? 1 : -1), c->half.z, cn_feature_make(CN_FACE, end));
	cn_disc *g = &s->disc;
	g->radius = c->radius;
	g->end = end;
	g->xu = w->u.x + w->n.x * s->tu;
	g->xv = w->v.x + w->n.x * s->tv;
	g->yu = w->u.y + w->n.y * s->tu;
	g->yv = w->v.y + w->n.y * s->tv;
	/* where x = y = 0 */
	v3 middle = {0, 0, z};
	g->u0 = v3_dot(w->u, middle) + s->u0;
	g->v0 = v3_dot(w->v, middle) + s->v0;
}

static void take_cylinder(cn_contact_side *s, const view *w, const cn_convex *c, double slab)
{
	const double one_less_cosine = 0.07612046748871326; /* of an eighth of a half turn, from one azimuth to the next */
	double across = sqrt(w->out.x * w->out.x + w->out.y * w->out.y), slope = fabs(w->out.z);
	uint32_t end = w->out.z > 0 ? 1 : 0;
	v3 rim = across > 0 ? v3_scale(v3_make(w->out.x, w->out.y, 0), c->radius / across) : v3_make(c->radius, 0, 0);
	v3 low = {rim.x, rim.y, -c->half.z}, high = {rim.x, rim.y, c->half.z};
	s->support = c->half.z * slope + c->radius * across;
	/* the point nearest the plane and an azimuth on either side of it within the slab */
	if (slope > CN_CONTACT_FLAT && c->radius * across * one_less_cosine <= slab) {
		take_cap(s, w, c, end, end ? high : low);
	} else if (across > CN_CONTACT_FLAT && 2 * c->half.z * slope <= slab) {
		v3 ends[2] = {low, high};
		cn_feature corner[2] = {cn_feature_make(CN_RIM, 0), cn_feature_make(CN_RIM, 1)};
		take_line(s, w, ends, corner, cn_feature_make(CN_SIDE, 0));
	} else {
		take_point(s, w, end ? high : low, cn_feature_make(CN_RIM, end));
	}
}

void cn_contact_side_find(const cn_convex *c, const cn_place *at, const cn_contact_frame *frame, bool is_b,
                          cn_feature hint, cn_contact_side *s)
{
	view w = {at,
	          cn_place_unturn(at, frame->u),
	          cn_place_unturn(at, frame->v),
	          cn_place_unturn(at, frame->n),
	          {0, 0, 0},
	          frame->merge,
	          is_b};
	w.out = is_b ? v3_neg(w.n) : w.n;
	double slab = frame->slab + frame->rounding;
	bool away = is_b != frame->at_b;
	s->count = 0;
	s->disc.radius = 0;
	s->u0 = away ? (is_b ? frame->du : -frame->du) : 0;
	s->v0 = away ? (is_b ? frame->dv : -frame->dv) : 0;
	s->winding = is_b ? -1 : 1;
	switch (c->kind) {
	case CAIRN_SPHERE:
		s->support = c->radius;
		take_point(s, &w, v3_scale(w.out, c->radius), cn_feature_make(CN_VERTEX, 0));
		break;
	case CAIRN_CAPSULE: take_capsule(s, &w, c, slab); break;
	case CAIRN_CYLINDER: take_cylinder(s, &w, c, slab); break;
	case CAIRN_HALFSPACE:
		/* A direction far from the normal cannot come from a separation; it is taken for the normal. */
		s->support = 0;
		if (v3_dot(c->normal, w.out) < CN_CONTACT_FLAT) {
			s->tu = s->tv = s->t0 = 0;
			s->whole = cn_feature_make(CN_FACE, 0);
			s->lift = CN_LIFT_PLANE;
		} else {
			take_plane(s, &w, c->normal, 0, cn_feature_make(CN_FACE, 0));
		}
		break;
	default: take_polytope(s, &w, c, hint, slab); break;
	}
}

v3 cn_contact_side_lift(const cn_contact_side *s, const cn_contact_frame *frame, double u, double v)
{
	double pu = u - s->u0, pv = v - s->v0, t;
	switch (s->lift) {
	case CN_LIFT_POINT: return s->base;
	case CN_LIFT_LINE:
		t = s->t0 + s->tu * u + s->tv * v;
		t = t < 0 ? 0 : t > 1 ? 1 : t;
		return v3_madd(s->base, s->along, t);
	case CN_LIFT_CAPSULE:
		t = s->t0 + s->tu * u + s->tv * v;
		t = t < 0 ? 0 : t;
		if (t < s->start) {
			v3 toward = v3_add(v3_scale(frame->u, s->tu), v3_scale(frame->v, s->tv));
			double height = sqrt(s->radius * s->radius - t * t);
			return v3_madd(v3_madd(s->cap, toward, t), frame->n, s->radius < 0 ? -height : height);
		}
		return v3_madd(s->base, s->along, t - s->start);
	default:
		t = s->t0 + s->tu * pu + s->tv * pv;
		return v3_madd(v3_add(v3_scale(frame->u, pu), v3_scale(frame->v, pv)), frame->n, t);
	}
}
