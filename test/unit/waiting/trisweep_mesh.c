/* Two rigid triangle meshes that move and turn.
 *
 * The interval is walked from its start in pieces. Over a piece in which the bodies turn by theta_a and theta_b every
 * vertex is taken to move straight; it is off by at most theta^2 r / 8, so with the gap thickened by the sum of both
 * the trees' swept boxes and the vertex/triangle and edge/edge tests miss nothing. A piece that is proved is followed
 * by a longer one; from the first touch in a piece that is too coarse (more than half the tolerance of chord) the
 * walk goes on with a shorter one, and a coarse piece with many pairs is left for a shorter one too; a touch in a
 * fine piece is the answer. Surfaces that do not cross at the start can come to touch in those two ways only; that
 * they do not is seen first. */
#include "waiting/trisweep.h"

#include "base/tolerance.h"
#include "waiting/tolerance.h"

typedef struct bounds {
	v3 low, high;
} bounds;

typedef struct mesh_pass {
	const cn_mesh_mover *meshes[2];
	m3 turned[2][2]; /* of each mesh at the start and the end of the piece */
	v3 centre[2][2]; /* about the point midway between the two, which moves straight too */
	double thickness, tolerance;
	bool at_rest; /* only the start of the piece */
	double first; /* of the piece: nothing touches before */
	bool found, spent;
	uint32_t triangles[2], budget, evaluations;
	v3 n;
} mesh_pass;

/* Of the centres only the difference is used, so that far from the origin no digits are lost. */
static void place_meshes(mesh_pass *p, double t0, double t1)
{
	const cn_mesh_mover *a = p->meshes[0], *b = p->meshes[1];
	v3 from = v3_sub(b->x0, a->x0), to = v3_sub(b->x1, a->x1);
	for (int m = 0; m < 2; ++m) {
		const cn_mesh_mover *mesh = p->meshes[m];
		for (int k = 0; k < 2; ++k) {
			double t = k ? t1 : t0;
			p->turned[m][k] = m3_from_q(q_mul(q_exp(v3_scale(mesh->turn, t)), mesh->q0));
			p->centre[m][k] = v3_scale(t == 1 ? to : v3_lerp(from, to, t), m ? 0.5 : -0.5);
		}
	}
}

/* Where the node's points are during the piece, up to the chords and rounding that the thickness holds. */
static bounds sweep_node(const mesh_pass *p, int m, uint32_t node)
{
	const cn_tree_node *box = &p->meshes[m]->tree->nodes[node];
	v3 middle = v3_lerp(box->low, box->high, 0.5), half = v3_scale(v3_sub(box->high, box->low), 0.5);
	bounds out = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	for (int k = 0; k < (p->at_rest ? 1 : 2); ++k) {
		m3 r = p->turned[m][k];
		v3 at = v3_add(p->centre[m][k], m3_apply(r, middle)), reach;
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				r.m[i][j] = fabs(r.m[i][j]);
		reach = m3_apply(r, half);
		out.low = v3_least(out.low, v3_sub(at, reach));
		out.high = v3_most(out.high, v3_add(at, reach));
	}
	return out;
}

static bool apart(const bounds *a, const bounds *b, double thickness)
{
	v3 gap = v3_most(v3_sub(a->low, b->high), v3_sub(b->low, a->high));
	return v3_max(gap) > thickness;
}

static void straighten(const mesh_pass *p, int m, uint32_t triangle, cn_straight out[3])
{
	const cn_mesh_mover *mesh = p->meshes[m];
	for (int k = 0; k < 3; ++k) {
		v3 point = mesh->points[mesh->triangles[(size_t)triangle * 3 + (size_t)k]];
		out[k].from = v3_add(p->centre[m][0], m3_apply(p->turned[m][0], point));
		out[k].to = v3_add(p->centre[m][1], m3_apply(p->turned[m][1], point));
	}
}

static bounds bound_triangle(const cn_straight t[3])
{
	bounds out = {v3_least(t[0].from, t[0].to), v3_most(t[0].from, t[0].to)};
	for (int k = 1; k < 3; ++k) {
		out.low = v3_least(out.low, v3_least(t[k].from, t[k].to));
		out.high = v3_most(out.high, v3_most(t[k].from, t[k].to));
	}
	return out;
}

/* A touch of two features, at a share of what was left of the piece. The features' ends are drawn in to it, so that
 * the next is asked only up to there. */
static void remember(mesh_pass *p, const cn_pair_point *touch, bool turned, const uint32_t triangles[2],
                     cn_straight ends[2][3])
{
	p->found = true;
	p->first *= touch->time;
	p->n = turned ? v3_neg(touch->n) : touch->n;
	p->triangles[0] = triangles[0];
	p->triangles[1] = triangles[1];
	for (int m = 0; m < 2; ++m)
		for (int k = 0; k < 3; ++k)
			ends[m][k].to = v3_lerp(ends[m][k].from, ends[m][k].to, touch->time);
}

static void try_features(mesh_pass *p, const uint32_t triangles[2], cn_straight t[2][3])
{
	cn_pair_point touch;
	for (int m = 0; m < 2; ++m)
		for (int i = 0; i < 3; ++i) {
			cn_straight vertex = t[m][i];
			if (p->first > 0 && cn_vertex_triangle(&vertex, t[1 - m], p->thickness, p->tolerance, &touch))
				remember(p, &touch, m == 1, triangles, t);
		}
	for (int i = 0; i < 3; ++i)
		for (int k = 0; k < 3; ++k) {
			cn_straight a[2] = {t[0][i], t[0][(i + 1) % 3]}, b[2] = {t[1][k], t[1][(k + 1) % 3]};
			if (p->first > 0 && cn_edge_edge(a, b, p->thickness, p->tolerance, &touch))
				remember(p, &touch, false, triangles, t);
		}
}

static void try_triangles(mesh_pass *p, uint32_t of_a, uint32_t of_b)
{
	cn_straight t[2][3];
	const uint32_t triangles[2] = {of_a, of_b};
	if (p->evaluations >= p->budget) {
		p->spent = true;
		return;
	}
	++p->evaluations;
	for (int m = 0; m < 2; ++m) {
		straighten(p, m, triangles[m], t[m]);
		for (int k = 0; k < 3; ++k)
			t[m][k].to = p->at_rest ? t[m][k].from : v3_lerp(t[m][k].from, t[m][k].to, p->first);
	}
	bounds a = bound_triangle(t[0]), b = bound_triangle(t[1]);
	if (apart(&a, &b, p->thickness))
		return;
	if (!p->at_rest) {
		try_features(p, triangles, t);
		return;
	}
	v3 first[3] = {t[0][0].from, t[0][1].from, t[0][2].from}, second[3] = {t[1][0].from, t[1][1].from, t[1][2].from};
	if (cn_triangle_triangle_distance(first, second) < p->thickness) {
		p->found = true;
		p->first = 0;
		p->triangles[0] = of_a;
		p->triangles[1] = of_b;
	}
}

/* Walks both trees; at most 2 CN_TREE_DEPTH deep. */
static void visit(mesh_pass *p, uint32_t node_a, const bounds *box_a, uint32_t node_b, const bounds *box_b)
{
	const cn_tree *ta = p->meshes[0]->tree, *tb = p->meshes[1]->tree;
	const cn_tree_node *a = &ta->nodes[node_a], *b = &tb->nodes[node_b];
	if (p->spent || p->first == 0 || apart(box_a, box_b, p->thickness))
		return;
	if (a->count && b->count) {
		for (uint32_t i = 0; i < a->count; ++i)
			for (uint32_t k = 0; k < b->count; ++k)
				if (!p->spent && p->first > 0)
					try_triangles(p, ta->order[a->first + i], tb->order[b->first + k]);
		return;
	}
	bool into_a = b->count || (!a->count && v3_length2(v3_sub(box_a->high, box_a->low)) >=
	                                            v3_length2(v3_sub(box_b->high, box_b->low)));
	for (uint32_t k = 0; k < 2; ++k) {
		bounds child = into_a ? sweep_node(p, 0, a->first + k) : sweep_node(p, 1, b->first + k);
		if (into_a)
			visit(p, a->first + k, &child, node_b, box_b);
		else
			visit(p, node_a, box_a, b->first + k, &child);
	}
}

/* One piece, or its start alone. What was found is in p. */
static void look(mesh_pass *p, double t0, double t1, double thickness)
{
	place_meshes(p, t0, t1);
	double largest = 0;
	for (int m = 0; m < 2; ++m)
		for (int k = 0; k < 2; ++k) {
			double reach = v3_length(p->centre[m][k]) + p->meshes[m]->radius;
			largest = reach > largest ? reach : largest;
		}
	p->thickness = thickness + CN_TOUCH_ULPS * DBL_EPSILON * largest;
	p->at_rest = t1 == t0;
	p->first = 1;
	p->found = false;
	if (p->meshes[0]->tree->node_count == 0 || p->meshes[1]->tree->node_count == 0)
		return;
	p->spent = p->evaluations >= p->budget;
	p->evaluations += !p->spent;
	bounds a = sweep_node(p, 0, 0), b = sweep_node(p, 1, 0);
	visit(p, 0, &a, 0, &b);
}

void cn_mesh_sweep(const cn_mesh_mover *a, const cn_mesh_mover *b, const cn_sweep_options *options,
                   cn_mesh_sweep_result *out)
{
	mesh_pass p = {.meshes = {a, b}, .tolerance = 0.5 * options->tolerance, .budget = options->budget};
	/* chord: the height of the whole interval, in a piece as the square of its length; fine: the length that has half
	 * the tolerance of it */
	double chord = (v3_length2(a->turn) * a->radius + v3_length2(b->turn) * b->radius) / 8, t = 0, step = 1;
	double fine = chord > 0.5 * options->tolerance ? sqrt(0.5 * options->tolerance / chord) : 1;
	*out = (cn_mesh_sweep_result){.status = CN_SWEEP_FREE};
	look(&p, 0, 0, options->gap);
	if (p.found)
		out->status = CN_SWEEP_CLOSE;
	else if (p.spent)
		out->status = CN_SWEEP_SPENT;
	while (out->status == CN_SWEEP_FREE && t < 1) {
		bool finest = step <= fine;
		double end = t + step < 1 ? t + step : 1, length = end - t;
		uint32_t left = options->budget - p.evaluations, share = finest ? left : CN_MESH_PIECE;
		p.budget = p.evaluations + (share < left ? share : left);
		look(&p, t, end, options->gap + chord * length * length);
		if (p.spent ? p.evaluations >= options->budget : !(length > 0)) {
			out->status = CN_SWEEP_SPENT; /* what was not looked at may touch anywhere in the piece */
			break;
		}
		if (!p.spent)
			t = p.found ? t + length * p.first : end;
		if (p.found && !p.spent && finest)
			out->status = CN_SWEEP_REACHED;
		step = p.found || p.spent ? 0.25 * step : 2 * step;
		step = step > fine ? step : fine;
	}
	out->time = t;
	out->of_a = p.triangles[0];
	out->of_b = p.triangles[1];
	out->n = p.n;
	out->evaluations = p.evaluations;
}
