/* See separate.h. Rounded parts are cores with a ball around: the axis of the cores is that of the parts, and the
 * radii come off the gap. Boxes have their own way (separate_box.c); everything else is answered for the cores by the
 * quickest of several ways that confirms its answer: apart (separate_apart.c), overlapping (separate_deep.c), every
 * candidate plane (separate_every.c), and points and segments (separate_thin.c). */
#include "geom/separate.h"

#include "base/tolerance.h"
#include "geom/separate_box.h"
#include "geom/separate_cores.h"
#include "geom/separate_cylinder.h"

#define CN_BALLS_APART 1e-9 /* of the radii: centres nearer than this have no line between them to speak of */
#define CN_SEPARATE_ULPS 8  /* x DBL_EPSILON x (the centres' distance and both radii): rounding of a separation */

static double smaller(double a, double b) { return a < b ? a : b; }

static v3 between(const cn_place *pa, const cn_place *pb) { return v3_sub(pb->x, pa->x); }

/* The witness's axis as a unit vector in A's axes; zero if there is none that is fit to be used. */
static v3 known_axis(const cn_witness *w)
{
	if (!w || !w->known)
		return v3_zero();
	v3 n = v3_make((double)w->axis[0], (double)w->axis[1], (double)w->axis[2]);
	double length2 = v3_length2(n);
	return length2 > 0.5 && length2 < 2 ? v3_scale(n, 1 / sqrt(length2)) : v3_zero();
}

/* What a witness knows: that its axis is one, and how its cores were. */
enum { APART = 1, OVERLAPPED = 2 };

static void remember(cn_witness *w, v3 n, cn_feature fa, cn_feature fb, uint32_t va, uint32_t vb)
{
	if (w)
		*w = (cn_witness){{(float)n.x, (float)n.y, (float)n.z}, fa, fb, va, vb, APART};
}

void cn_cores_set(cn_cores *c, const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb)
{
	c->a = a;
	c->b = b;
	c->t = cn_place_unturn(pa, between(pa, pb));
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			c->r.m[i][j] =
				pa->r.m[0][i] * pb->r.m[0][j] + pa->r.m[1][i] * pb->r.m[1][j] + pa->r.m[2][i] * pb->r.m[2][j];
	c->rounding = CN_SEPARATE_ULPS * DBL_EPSILON * (v3_length(c->t) + a->core.radius + b->core.radius);
	c->slack = CN_SEPARATE_SLACK * smaller(a->size, b->size) + c->rounding;
	c->va = c->vb = 0;
	c->last = v3_zero();
	c->last_a = c->last_b = 0;
	c->warm = false;
	c->beyond = INFINITY;
	c->shallow = false;
}

/* What is known of the last call, checked: its axis is made anew of its features where they give one. */
static v3 recall(cn_cores *c, const cn_witness *w)
{
	v3 axis = known_axis(w);
	if (!w || !w->known)
		return axis;
	c->va = w->vertex_a < c->a->core.vertex_count ? w->vertex_a : 0;
	c->vb = w->vertex_b < c->b->core.vertex_count ? w->vertex_b : 0;
	if (v3_length2(axis) > 0) {
		c->last = cn_cores_axis(c, w->feature_a, w->feature_b, axis);
		c->last_a = w->feature_a;
		c->last_b = w->feature_b;
		c->warm = true;
	}
	return axis;
}

/* axis: to begin with, zero where none is known. overlapped: as far as is known; only the order of the ways hangs on
 * it. False: the cores are further apart than is asked, and out has an axis that shows it, and what that separates by. */
static bool solve(cn_cores *c, v3 axis, bool overlapped, cn_core_gap *out)
{
	if (!c->a->core.face_count && !c->b->core.face_count) {
		cn_cores_thin(c, out);
		return true;
	}
	bool warm = v3_length2(axis) > 0;
	v3 guess = warm ? axis : v3_unit(c->t);
	if (!(v3_length2(guess) > 0))
		guess = v3_make(1, 0, 0);
	if (overlapped && warm && !c->shallow && cn_cores_deep(c, guess, NULL, out))
		return true;
	cn_simplex met;
	cn_cores_verdict verdict = cn_cores_apart(c, guess, &met, out);
	if (verdict == CN_CORES_BEYOND)
		return false;
	if (verdict == CN_CORES_OVERLAP && c->shallow) {
		*out = (cn_core_gap){.n = guess, .gap = -INFINITY};
		return true;
	}
	if (verdict != CN_CORES_APART && !cn_cores_deep(c, guess, &met, out))
		cn_cores_every(c, out);
	return true;
}

/* From the cores in A's axes to the parts in the world's. */
static void dress(const cn_cores *c, const cn_place *pa, const cn_core_gap *core, cn_separation *out)
{
	double ra = c->a->radius, rb = c->b->radius;
	out->n = cn_place_turn(pa, core->n);
	out->gap = core->gap - ra - rb;
	out->a = cn_place_turn(pa, v3_madd(core->a, core->n, ra));
	out->b = cn_place_turn(pa, v3_sub(v3_madd(core->b, core->n, -rb), c->t));
	out->feature_a = core->feature_a;
	out->feature_b = core->feature_b;
}

/* A half-space, which is the pair's first or its second, and anything with a core: the plane is the half-space's own. */
static void from_plane(const cn_convex_pair *pair, bool plane_first, cn_witness *witness, cn_separation *out)
{
	const cn_convex *plane = plane_first ? pair->a : pair->b, *part = plane_first ? pair->b : pair->a;
	const cn_place *pp = plane_first ? pair->pa : pair->pb, *pq = plane_first ? pair->pb : pair->pa;
	v3 up = cn_place_turn(pp, plane->normal), d = v3_neg(cn_place_unturn(pq, up)), x = between(pp, pq);
	uint32_t from = witness && witness->known ? (plane_first ? witness->vertex_b : witness->vertex_a) : 0;
	uint32_t vertex = cn_core_furthest(part, d, from < part->core.vertex_count ? from : 0);
	v3 lowest = cn_place_turn(pq, part->core.vertices[vertex]);
	double gap = v3_dot(up, v3_add(lowest, x)) - part->radius;
	v3 on_part = v3_madd(lowest, up, -part->radius), on_plane = v3_madd(v3_add(on_part, x), up, -gap);
	cn_feature flat = cn_feature_make(CN_FACE, 0), corner = cn_feature_make(CN_VERTEX, vertex);
	v3 n = plane_first ? up : v3_neg(up), in_a = cn_place_unturn(plane_first ? pp : pq, n);
	if (plane_first)
		*out = (cn_separation){n, gap, on_plane, on_part, flat, corner, false};
	else
		*out = (cn_separation){n, gap, on_part, on_plane, corner, flat, false};
	remember(witness, in_a, out->feature_a, out->feature_b, plane_first ? 0 : vertex, plane_first ? vertex : 0);
}

/* Two balls: the line of the centres. False where they are in one place and any axis is as good as another. */
static bool from_balls(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb,
                       cn_witness *witness, cn_separation *out)
{
	v3 t = between(pa, pb);
	double distance = v3_length(t);
	if (!(distance > CN_BALLS_APART * (a->radius + b->radius)))
		return false;
	v3 n = v3_scale(t, 1 / distance);
	cn_feature centre = cn_feature_make(CN_VERTEX, 0);
	*out = (cn_separation){
		n, distance - a->radius - b->radius, v3_scale(n, a->radius), v3_scale(n, -b->radius), centre, centre, true};
	remember(witness, cn_place_unturn(pa, n), centre, centre, 0, 0);
	return true;
}

/* True: the parts are beyond what is asked: the axis is in out, a lower bound of the gap too, and nothing else. */
static bool separate(const cn_convex_pair *pair, double beyond, bool shallow, cn_witness *witness, cn_separation *out)
{
	const cn_convex *a = pair->a, *b = pair->b;
	const cn_place *pa = pair->pa, *pb = pair->pb;
	out->again = false;
	if (a->kind == CAIRN_SPHERE && b->kind == CAIRN_SPHERE && from_balls(a, pa, b, pb, witness, out))
		return false;
	if (a->kind == CAIRN_CYLINDER || b->kind == CAIRN_CYLINDER) {
		cn_separate_cylinder(a, pa, b, pb, witness, out);
		return false;
	}
	assert(a->kind != CAIRN_HALFSPACE || b->kind != CAIRN_HALFSPACE);
	if (a->kind == CAIRN_HALFSPACE || b->kind == CAIRN_HALFSPACE) {
		from_plane(pair, a->kind == CAIRN_HALFSPACE, witness, out);
		return false;
	}
	cn_cores c;
	cn_core_gap core;
	cn_cores_set(&c, a, pa, b, pb);
	c.beyond = beyond + a->radius + b->radius, c.shallow = shallow;
	bool again = false;
	if (a->kind != CAIRN_BOX || b->kind != CAIRN_BOX) {
		v3 axis = recall(&c, witness);
		if (!solve(&c, axis, witness && witness->known == OVERLAPPED, &core)) {
			out->n = cn_place_turn(pa, core.n), out->gap = core.gap - a->radius - b->radius;
			remember(witness, core.n, cn_feature_make(CN_VERTEX, c.va), cn_feature_make(CN_VERTEX, c.vb), c.va, c.vb);
			return true;
		}
	} else if (cn_boxes_separate(&c, witness, &core)) {
		again = cn_boxes_again(&c, &core);
	} else {
		(void)recall(&c, witness);
		c.beyond = INFINITY, c.shallow = false;
		(void)solve(&c, core.n, core.gap < 0, &core);
	}
	dress(&c, pa, &core, out);
	out->again = again;
	remember(witness, core.n, core.feature_a, core.feature_b, c.va, c.vb);
	if (witness && core.gap < 0)
		witness->known = OVERLAPPED;
	return false;
}

void cn_separate(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb, cn_witness *witness,
                 cn_separation *out)
{
	(void)separate(&(cn_convex_pair){a, pa, b, pb}, INFINITY, false, witness, out);
}

static double largest_of_part(const cn_convex *c, const cn_place *at, v3 d, uint32_t from)
{
	if (c->kind == CAIRN_CYLINDER || c->kind == CAIRN_HALFSPACE || c->kind == CAIRN_BOX)
		return cn_convex_support(c, at, d);
	v3 local = cn_place_unturn(at, d);
	return v3_dot(c->core.vertices[cn_core_furthest(c, local, from)], local) + c->radius;
}

double cn_separate_along(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb, v3 n)
{
	return v3_dot(n, between(pa, pb)) - largest_of_part(a, pa, n, 0) - largest_of_part(b, pb, v3_neg(n), 0);
}

/* The balls about the parts, then one axis: the last one, or that of the centres where none is known. */
static bool quick(const cn_convex_pair *pair, double beyond, cn_witness *witness, cn_separation *out)
{
	const cn_convex *a = pair->a, *b = pair->b;
	const cn_place *pa = pair->pa, *pb = pair->pb;
	v3 t = between(pa, pb), known = known_axis(witness);
	double distance = v3_length(t), room = CN_SEPARATE_ULPS * DBL_EPSILON * (distance + a->reach + b->reach);
	bool warm = v3_length2(known) > 0;
	out->again = false;
	if (isfinite(room) && distance > 0) { /* a half-space has but one axis */
		double balls = distance - a->reach - b->reach - room;
		if (balls >= beyond) {
			out->n = v3_scale(t, 1 / distance);
			out->gap = balls;
			return true;
		}
		v3 n = warm ? cn_place_turn(pa, known) : v3_scale(t, 1 / distance);
		uint32_t va = warm && witness->vertex_a < a->core.vertex_count ? witness->vertex_a : 0;
		uint32_t vb = warm && witness->vertex_b < b->core.vertex_count ? witness->vertex_b : 0;
		double gap = v3_dot(n, t) - room - largest_of_part(a, pa, n, va) - largest_of_part(b, pb, v3_neg(n), vb);
		if (gap >= beyond) {
			out->n = n;
			out->gap = gap;
			if (!warm)
				remember(witness, cn_place_unturn(pa, n), 0, 0, va, vb);
			return true;
		}
	}
	return false;
}

bool cn_separate_beyond(const cn_convex_pair *pair, double beyond, cn_witness *witness, cn_separation *out)
{
	return quick(pair, beyond, witness, out) || separate(pair, beyond, false, witness, out) || out->gap >= beyond;
}

bool cn_separate_shallow(const cn_convex_pair *pair, double beyond, cn_witness *witness, cn_separation *out)
{
	return quick(pair, beyond, witness, out) || separate(pair, beyond, true, witness, out) || out->gap >= beyond;
}
