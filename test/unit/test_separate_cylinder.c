/* Cylinders against everything, compared with a certified reference that knows support functions only.
 *
 * The reference encloses the maximum of s(n) = min n.B - max n.A over the unit sphere in an interval. s, taken for
 * all vectors, is concave and positively homogeneous, so at every n the difference of the support points there is
 * the gradient of a linear function above s. The sphere is cut into triangles; over the flat triangle with corners
 * n1 n2 n3 s is below the least of its three tangents, and their largest least value is at most the largest entry
 * of any convex combination of the rows of G, G[i][j] = tangent i at corner j. */
#include "geom/separate_cylinder.h"
#include "test.h"

#include "base/hash.h"

enum {
	CERTIFIED = TEST_FEW ? 2000 : 20000,
	CONSTRUCTED = TEST_FEW ? 2000 : 20000,
	CHEAP = TEST_FEW ? 10000 : 100000,
	DIRECTIONS = TEST_FEW ? 500 : 2000
};

typedef struct part {
	cn_shape shape;
	cn_convex convex;
	cn_place place;
	v3 points[24];
} part;

static uint64_t seed;
static double draw(void) { return cn_random_signed(&seed); }
static uint32_t pick(uint32_t count) { return (uint32_t)(cn_random_u64(&seed) >> 33) % count; }
static v3 draw_v3(void)
{
	double x = draw(), y = draw(), z = draw();
	return v3_make(x, y, z);
}
static double power_of_ten(double x) { return cn_exp(x * 2.302585092994046); }
static v3 draw_unit(void)
{
	for (;;) {
		v3 v = draw_v3();
		double l = v3_length(v);
		if (l > 0.05 && l <= 1)
			return v3_scale(v, 1 / l);
	}
}
static quat draw_turn(void)
{
	v3 axis = draw_unit();
	double angle = draw() * CN_PI;
	return q_exp(v3_scale(axis, angle));
}

static const cairn_allocator *memory(void)
{
	static cairn_allocator heap;
	heap = cairn_default_allocator();
	return &heap;
}

static bool make_part(part *p, cairn_shape_def def)
{
	cairn_error error;
	if (!cn_shape_make(memory(), &def, NULL, 0, &p->shape, &error)) {
		printf("shape: %s\n", error.message);
		return false;
	}
	return cn_convex_make(memory(), &p->shape, &p->convex);
}

static void free_part(part *p)
{
	cn_convex_free(memory(), &p->convex);
	cn_shape_free(memory(), &p->shape);
}

static v3 support_point(const part *p, v3 n)
{
	const cairn_shape_def *def = &p->shape.def;
	v3 d = cn_place_unturn(&p->place, n), x = {0, 0, 0};
	double across = sqrt(d.x * d.x + d.y * d.y), l = 0.5 * def->length;
	switch (def->kind) {
	case CAIRN_SPHERE: x = v3_scale(d, def->radius / v3_length(d)); break;
	case CAIRN_CAPSULE:
		x = v3_scale(d, def->radius / v3_length(d));
		x.z += d.z > 0 ? l : -l;
		break;
	case CAIRN_CYLINDER:
		if (across > 0)
			x.x = def->radius * d.x / across, x.y = def->radius * d.y / across;
		x.z = d.z > 0 ? l : -l;
		break;
	case CAIRN_BOX:
		x = v3_make(d.x > 0 ? def->size.x / 2 : -def->size.x / 2, d.y > 0 ? def->size.y / 2 : -def->size.y / 2,
		            d.z > 0 ? def->size.z / 2 : -def->size.z / 2);
		break;
	default: {
		double most = -INFINITY;
		for (uint32_t i = 0; i < def->point_count; ++i) {
			v3 y = v3_sub(def->points[i], p->convex.center);
			if (v3_dot(y, d) > most)
				most = v3_dot(y, d), x = y;
		}
	}
	}
	return cn_place_turn(&p->place, x);
}

/* The tangent of s at n: s(n) = n.tangent, s(m) <= m.tangent for all m. */
static v3 tangent_at(const part *a, const part *b, v3 n)
{
	v3 xa = support_point(a, n), xb = support_point(b, v3_neg(n)), d = v3_sub(b->place.x, a->place.x);
	return v3_add(d, v3_sub(xb, xa));
}
static double width_along(const part *a, const part *b, v3 n) { return v3_dot(n, tangent_at(a, b, n)); }

typedef struct corner {
	v3 n, t;
} corner;
typedef struct triangle {
	corner c[3];
} triangle;

/* Least over w in [0, 1] of the largest of three lines from x[j] to y[j]. */
static double combine(const double x[3], const double y[3])
{
	double least = INFINITY;
	for (int j = 0; j < 3; ++j) {
		for (int k = j; k < 3; ++k) {
			double w, low = x[j] - x[k], high = y[j] - y[k], most = -INFINITY;
			for (int end = 0; end < (k == j ? 2 : 1); ++end) {
				if (k == j)
					w = end;
				else if ((low < 0) == (high < 0))
					break;
				else
					w = low / (low - high);
				most = -INFINITY;
				for (int i = 0; i < 3; ++i) {
					double v = x[i] + w * (y[i] - x[i]);
					most = v > most ? v : most;
				}
				least = most < least ? most : least;
			}
		}
	}
	return least;
}

static double bound_triangle(const triangle *t)
{
	double g[3][3], least = INFINITY;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			g[i][j] = v3_dot(t->c[i].t, t->c[j].n);
	for (int i = 0; i < 3; ++i) {
		double most = combine(g[i], g[(i + 1) % 3]);
		least = most < least ? most : least;
	}
	/* The combination that makes all three entries equal: w with (G^T w)_j the same for all j. */
	v3 c0 = {g[0][0] - g[0][1], g[1][0] - g[1][1], g[2][0] - g[2][1]};
	v3 c1 = {g[0][1] - g[0][2], g[1][1] - g[1][2], g[2][1] - g[2][2]};
	v3 w = v3_cross(c0, c1);
	double sum = w.x + w.y + w.z;
	if (sum != 0) {
		w = v3_scale(w, 1 / sum);
		if (w.x >= 0 && w.y >= 0 && w.z >= 0 && isfinite(w.x + w.y + w.z)) {
			double most = -INFINITY;
			for (int j = 0; j < 3; ++j) {
				double v = (w.x * g[0][j] + w.y * g[1][j] + w.z * g[2][j]) / (w.x + w.y + w.z);
				most = v > most ? v : most;
			}
			least = most < least ? most : least;
		}
	}
	if (least <= 0)
		return least;
	/* The flat triangle's nearest distance from the centre: that of its plane is below it. */
	v3 normal = v3_cross(v3_sub(t->c[1].n, t->c[0].n), v3_sub(t->c[2].n, t->c[0].n));
	return least / (fabs(v3_dot(normal, t->c[0].n)) / v3_length(normal));
}

typedef struct interval {
	double low, high;
	long visits;
} interval;

static corner make_corner(const part *a, const part *b, v3 n, interval *i)
{
	corner c = {n, tangent_at(a, b, n)};
	double s = v3_dot(c.n, c.t);
	i->low = s > i->low ? s : i->low;
	return c;
}

/* hint: a direction that may be good; what it is worth is evaluated here. [low, high] holds the maximum; high - low
 * <= tolerance unless the budget ran out (then high is infinite). */
static interval certify(const part *a, const part *b, v3 hint, double tolerance, long budget)
{
	static triangle stack[4096];
	int count = 0;
	interval out = {width_along(a, b, hint), -INFINITY, 0};
	v3 e[3] = {v3_unit(v3_make(1, 0.13, -0.21)), {0, 0, 0}, {0, 0, 0}};
	e[1] = v3_unit(v3_cross(e[0], v3_make(0.3, 0.2, 1)));
	e[2] = v3_cross(e[0], e[1]);
	for (int i = 0; i < 8; ++i) {
		for (int k = 0; k < 3; ++k)
			stack[count].c[k] = make_corner(a, b, v3_scale(e[k], i >> k & 1 ? -1 : 1), &out);
		++count;
	}
	while (count) {
		triangle t = stack[--count];
		double most = bound_triangle(&t);
		if (most <= out.low + tolerance) {
			out.high = most > out.high ? most : out.high;
			continue;
		}
		if (++out.visits > budget || count + 2 > 4096) {
			out.high = INFINITY;
			return out;
		}
		int longest = 0;
		double length = 0;
		for (int k = 0; k < 3; ++k) {
			double l = v3_length2(v3_sub(t.c[k].n, t.c[(k + 1) % 3].n));
			if (l > length)
				length = l, longest = k;
		}
		int next = (longest + 1) % 3;
		corner middle = make_corner(a, b, v3_unit(v3_add(t.c[longest].n, t.c[next].n)), &out);
		stack[count] = stack[count + 1] = t;
		stack[count].c[longest] = middle;
		stack[count + 1].c[next] = middle;
		/* The half whose corners are higher last, so that it is looked at first: low rises soon. */
		if (v3_dot(t.c[longest].n, t.c[longest].t) > v3_dot(t.c[next].n, t.c[next].t)) {
			triangle swap = stack[count];
			stack[count] = stack[count + 1];
			stack[count + 1] = swap;
		}
		count += 2;
	}
	out.high = out.high > out.low ? out.high : out.low;
	return out;
}

static double smaller_size(const part *a, const part *b)
{
	return a->convex.size < b->convex.size ? a->convex.size : b->convex.size;
}
static double ulps(const part *a, const part *b)
{
	return 8 * DBL_EPSILON * (v3_length(a->place.x) + v3_length(b->place.x) + a->convex.reach + b->convex.reach);
}

static int complaints;
static void complain(const char *what, const part *a, const part *b, double found, double wanted)
{
	if (complaints++ > 20)
		return;
	const part *p[2] = {a, b};
	printf("%s: found %.17g wanted %.17g\n", what, found, wanted);
	for (int i = 0; i < 2; ++i) {
		const cairn_shape_def *d = &p[i]->shape.def;
		printf("  kind %d radius %.17g length %.17g size %g %g %g points %u at %.17g %.17g %.17g z %.17g %.17g %.17g\n",
		       (int)d->kind, d->radius, d->length, d->size.x, d->size.y, d->size.z, d->point_count, p[i]->place.x.x,
		       p[i]->place.x.y, p[i]->place.x.z, p[i]->place.r.m[0][2], p[i]->place.r.m[1][2], p[i]->place.r.m[2][2]);
	}
}

/* How far x (about the centre, world axes) is outside a part, by its own definition; negative inside. */
static double outside(const part *p, v3 x)
{
	const cairn_shape_def *def = &p->shape.def;
	v3 y = cn_place_unturn(&p->place, x);
	double l = 0.5 * def->length, across = sqrt(y.x * y.x + y.y * y.y), z = fabs(y.z), most = -INFINITY;
	switch (def->kind) {
	case CAIRN_SPHERE: return v3_length(y) - def->radius;
	case CAIRN_CAPSULE: return sqrt(across * across + (z > l ? (z - l) * (z - l) : 0)) - def->radius;
	case CAIRN_CYLINDER: return across - def->radius > z - l ? across - def->radius : z - l;
	case CAIRN_BOX: return v3_max(v3_sub(v3_abs(y), v3_scale(def->size, 0.5)));
	default:
		for (uint32_t i = 0; i < p->convex.core.face_count; ++i) {
			double h = v3_dot(p->convex.core.normals[i], y) - p->convex.core.offsets[i];
			most = h > most ? h : most;
		}
		return most;
	}
}

static bool check_answer(const part *a, const part *b, const cn_separation *s)
{
	double size = smaller_size(a, b), rounding = ulps(a, b);
	if (!v3_finite(s->n) || !v3_finite(s->a) || !v3_finite(s->b) || !isfinite(s->gap)) {
		complain("not finite", a, b, s->gap, 0);
		return false;
	}
	if (fabs(v3_length(s->n) - 1) > 1e-14) {
		complain("length of n", a, b, v3_length(s->n), 1);
		return false;
	}
	double along = width_along(a, b, s->n);
	if (fabs(along - s->gap) > 1e-11 * size + rounding) {
		complain("gap is not that of n", a, b, s->gap, along);
		return false;
	}
	v3 d = v3_add(v3_sub(b->place.x, a->place.x), v3_sub(s->b, s->a));
	if (v3_length(v3_madd(d, s->n, -s->gap)) > 1e-12 * size + rounding) {
		complain("points do not belong to gap and n", a, b, v3_length(v3_madd(d, s->n, -s->gap)), 0);
		return false;
	}
	/* On the surface: inside, and as far along n as any point.  */
	/* s is flat at its maximum: turned so that the points miss by x it loses x^2/2 gap, which may be rounding. */
	double turn = sqrt(2 * rounding * fabs(s->gap));
	double flat_a = 1e-7 * a->convex.size + turn + rounding, flat_b = 1e-7 * b->convex.size + turn + rounding;
	double out_a = outside(a, s->a), out_b = outside(b, s->b);
	double below_a = v3_dot(s->n, v3_sub(support_point(a, s->n), s->a));
	double below_b = v3_dot(s->n, v3_sub(s->b, support_point(b, v3_neg(s->n))));
	if (out_a > flat_a || out_b > flat_b) {
		complain("point outside its part", a, b, out_a, out_b);
		return false;
	}
	if (fabs(below_a) > flat_a || fabs(below_b) > flat_b) {
		complain("point not on the plane", a, b, below_a, below_b);
		return false;
	}
	return true;
}

/* Swapped, and again with the witness of the first call and with one that lies. */
static bool check_again(const part *a, const part *b, const cn_separation *s)
{
	double size = smaller_size(a, b), slack = 1e-8 * size + ulps(a, b);
	cn_separation again;
	cn_separate_cylinder(&b->convex, &b->place, &a->convex, &a->place, NULL, &again);
	bool good = check_answer(b, a, &again);
	if (fabs(again.gap - s->gap) > slack) {
		complain("swapped", a, b, again.gap, s->gap);
		good = false;
	}
	cn_witness witness = {0};
	for (int i = 0; i < 3; ++i) {
		cn_separate_cylinder(&a->convex, &a->place, &b->convex, &b->place, &witness, &again);
		good = check_answer(a, b, &again) && good;
		if (fabs(again.gap - s->gap) > slack) {
			complain("with a witness", a, b, again.gap, s->gap);
			good = false;
		}
		if (i == 1)
			witness = (cn_witness){{0.6f, -0.64f, 0.48f}, 0xffffffffu, 77, 12345, 999, 1};
	}
	return good;
}

static bool draw_part(part *p, cairn_shape_kind kind, double size)
{
	cairn_shape_def def = {.kind = kind};
	double x = draw(), y = draw(), z = draw(), spread = pick(4) ? 0.5 : 2; /* some discs, needles and plates */
	def.radius = size * 0.5 * power_of_ten(spread * (x - 1));
	def.length = size * power_of_ten(spread * (y - 1));
	def.size = v3_make(2 * def.radius, def.length, size * power_of_ten(spread * (z - 1)));
	if (kind == CAIRN_HULL) {
		uint32_t count = 4 + pick(20);
		for (uint32_t i = 0; i < count; ++i) {
			v3 v = draw_unit();
			p->points[i] = v3_mul(v, def.size);
		}
		def.points = p->points;
		def.point_count = count;
	}
	return make_part(p, def);
}

static const cairn_shape_kind kinds[] = {CAIRN_SPHERE, CAIRN_CAPSULE, CAIRN_BOX, CAIRN_HULL, CAIRN_CYLINDER};

/* Anywhere from deep inside to well apart, turned at random or nearly alike. */
static bool draw_pair(part *a, part *b, uint32_t other)
{
	double ratio = pick(4) ? draw() * 0.5 : draw() * 5;
	double size = power_of_ten(draw() * 2 + (ratio < 0 ? -ratio : 0)); /* nothing below the least length allowed */
	if (!draw_part(a, CAIRN_CYLINDER, size))
		return false;
	if (!draw_part(b, kinds[other], size * power_of_ten(ratio))) {
		free_part(a);
		return false;
	}
	quat qa = draw_turn(), qb = draw_turn();
	if (!pick(3)) {
		double tilt = power_of_ten(-12 * (draw() * 0.5 + 0.5));
		v3 axis = draw_unit();
		qb = q_unit(q_mul(q_exp(v3_scale(axis, tilt)), qa));
	}
	a->place.r = m3_from_q(qa);
	b->place.r = m3_from_q(qb);
	a->place.x = b->place.x = v3_zero();
	/* Along a direction, where they just touch, and from there a little or far in or out; then a little aside. */
	v3 n = draw_unit();
	double touch = -width_along(a, b, n), deep = pick(2) ? draw() : draw() * power_of_ten(draw() * 3 - 3);
	v3 x = v3_scale(n, touch * (1 + deep)), aside = draw_v3();
	x = v3_madd(x, aside, smaller_size(a, b) * (pick(2) ? 0.3 : 1e-3));
	v3 origin = pick(2) ? v3_zero() : v3_scale(draw_v3(), 10 * size);
	a->place.x = origin;
	b->place.x = v3_add(origin, x);
	return true;
}

/* Sizes, turns and offsets from short lists, so that faces, edges, rims and axes coincide, touch and line up. */
static bool construct_pair(part *a, part *b, uint32_t other)
{
	static const double lengths[] = {1, 1, 2, 0.5, 1e-3, 50};
	static const double offsets[] = {0, 0, 0.25, 0.5, 0.5, 0.75, 1, 1, 1.25, 1.5, 2, 0.70710678118654757, 25, 25.5};
	static const double bits[] = {0, 0, 0, 1e-15, 1e-13, 1e-10, 1e-8, 1e-6, 1e-3};
	static const double turns[] = {0, 0, 1, 1, 2, 0.5, 0.25};
	double l[6], x[3];
	for (int i = 0; i < 6; ++i)
		l[i] = lengths[pick(CN_COUNT(lengths))];
	for (int i = 0; i < 3; ++i) {
		double sign = pick(2) ? 1 : -1, bit = bits[pick(CN_COUNT(bits))] * (pick(2) ? 1 : -1);
		x[i] = sign * offsets[pick(CN_COUNT(offsets))] + bit;
	}
	cairn_shape_def da = {.kind = CAIRN_CYLINDER, .radius = l[0] / 2, .length = l[1]};
	cairn_shape_def db = {.kind = kinds[other], .radius = l[2] / 2, .length = l[3]};
	db.size = v3_make(l[3], l[4], l[5]);
	if (kinds[other] == CAIRN_HULL) { /* a prism or a pyramid */
		static const double at[6][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}};
		uint32_t sides = 3 + pick(3), n = 0;
		bool prism = pick(2);
		for (uint32_t i = 0; i < sides; ++i)
			b->points[n++] = v3_make(at[i][0] * l[3] / 2, at[i][1] * l[4] / 2, -l[5] / 2);
		for (uint32_t i = 0; prism && i < sides; ++i)
			b->points[n++] = v3_make(at[i][0] * l[3] / 2, at[i][1] * l[4] / 2, l[5] / 2);
		if (!prism)
			b->points[n++] = v3_make(0, 0, l[5] / 2);
		db.points = b->points;
		db.point_count = n;
	}
	if (!make_part(a, da))
		return false;
	if (!make_part(b, db)) {
		free_part(a);
		return false;
	}
	quat q[2];
	for (int i = 0; i < 2; ++i) {
		double bit = bits[pick(CN_COUNT(bits))];
		v3 axis = {pick(3) == 0, 0, 0}, aside = draw_unit();
		double angle = turns[pick(CN_COUNT(turns))] * CN_PI / 2;
		axis.y = axis.x == 0 && pick(2);
		axis.z = axis.x == 0 && axis.y == 0;
		q[i] = q_unit(q_mul(q_exp(v3_scale(aside, bit)), q_exp(v3_scale(axis, angle))));
	}
	a->place = (cn_place){v3_zero(), m3_from_q(q[0])};
	b->place = (cn_place){v3_make(x[0], x[1], x[2]), m3_from_q(q[1])};
	return true;
}

/* Against the certified interval. Returns 1 when it was narrow enough to judge. */
static int certified_case(const part *a, const part *b, long budget)
{
	double size = smaller_size(a, b), rounding = ulps(a, b);
	cn_separation s;
	cn_separate_cylinder(&a->convex, &a->place, &b->convex, &b->place, NULL, &s);
	interval truth = certify(a, b, s.n, 9e-9 * size + rounding, budget);
	bool good = check_answer(a, b, &s) && check_again(a, b, &s);
	double allowed = 1e-7 * size + rounding;
	/* Below its lower end is always wrong; above its upper end where there is one. */
	if (s.gap < truth.low - allowed)
		complain("narrower than the truth", a, b, s.gap, truth.low), good = false;
	if (s.gap > truth.high + allowed)
		complain("wider than the truth", a, b, s.gap, truth.high), good = false;
	CHECK(good);
	return isfinite(truth.high);
}

static void run_certified(bool (*make)(part *, part *, uint32_t), int count, long budget, int *judged, int *made)
{
	*judged = *made = 0;
	for (int i = 0; i < count; ++i) {
		part a, b;
		if (!make(&a, &b, (uint32_t)i % (uint32_t)CN_COUNT(kinds)))
			continue;
		++*made;
		*judged += certified_case(&a, &b, budget);
		free_part(&a);
		free_part(&b);
	}
}

TEST(random_certified)
{
	int judged, made;
	seed = 11;
	run_certified(draw_pair, CERTIFIED, 30000, &judged, &made);
	printf("random: %d of %d certified\n", judged, made);
	CHECK(made > CERTIFIED * 9 / 10);
	CHECK(judged > made * 9 / 10);
}

TEST(constructed_certified)
{
	int judged, made;
	seed = 12;
	run_certified(construct_pair, CONSTRUCTED, 30000, &judged, &made);
	printf("constructed: %d of %d certified\n", judged, made);
	CHECK(made > CONSTRUCTED * 8 / 10);
	CHECK(judged > made * 8 / 10);
}

/* A part in world axes for many support heights. */
typedef struct solid {
	cairn_shape_kind kind;
	v3 axis[3]; /* box: times the half sizes; else [2] is the unit axis */
	double half, radius;
	uint32_t count;
	v3 points[24];
} solid;

static solid make_solid(const part *p)
{
	const cairn_shape_def *def = &p->shape.def;
	solid s = {.kind = def->kind, .half = 0.5 * def->length, .radius = def->radius, .count = def->point_count};
	for (int i = 0; i < 3; ++i) {
		double half = def->kind == CAIRN_BOX ? 0.5 * v3_at(def->size, i) : 1;
		s.axis[i] = v3_scale(v3_make(p->place.r.m[0][i], p->place.r.m[1][i], p->place.r.m[2][i]), half);
	}
	for (uint32_t i = 0; i < s.count; ++i)
		s.points[i] = cn_place_turn(&p->place, v3_sub(def->points[i], p->convex.center));
	return s;
}

static double height(const solid *s, v3 n)
{
	double z = v3_dot(n, s->axis[2]), most = -INFINITY;
	switch (s->kind) {
	case CAIRN_SPHERE: return s->radius;
	case CAIRN_CAPSULE: return s->radius + s->half * fabs(z);
	case CAIRN_CYLINDER: return s->half * fabs(z) + s->radius * v3_length(v3_madd(n, s->axis[2], -z));
	case CAIRN_BOX: return fabs(v3_dot(n, s->axis[0])) + fabs(v3_dot(n, s->axis[1])) + fabs(z);
	default:
		for (uint32_t i = 0; i < s->count; ++i) {
			double h = v3_dot(n, s->points[i]);
			most = h > most ? h : most;
		}
		return most;
	}
}

/* No better plane among many, nor uphill from the best of them. */
static double search_better(const part *a, const part *b, const v3 *directions)
{
	solid sa = make_solid(a), sb = make_solid(b);
	v3 n = directions[0], d = v3_sub(b->place.x, a->place.x);
	double best = -INFINITY;
	for (int i = 0; i < DIRECTIONS; ++i) {
		double s = v3_dot(directions[i], d) - height(&sa, directions[i]) - height(&sb, v3_neg(directions[i]));
		if (s > best)
			best = s, n = directions[i];
	}
	int steps = 0;
	for (double step = 0.05; step > 1e-9 && ++steps < 200; step *= 0.5) {
		v3 e = v3_unit(fabs(n.x) < 0.6 ? v3_make(0, -n.z, n.y) : v3_make(-n.y, n.x, 0)), f = v3_cross(n, e);
		static const double around[8][2] = {{1, 0},   {0, 1},    {-1, 0},   {0, -1},
		                                    {.7, .7}, {-.7, .7}, {.7, -.7}, {-.7, -.7}};
		for (int k = 0; k < 8; ++k) {
			v3 m = v3_unit(v3_madd(v3_madd(n, e, step * around[k][0]), f, step * around[k][1]));
			double s = v3_dot(m, d) - height(&sa, m) - height(&sb, v3_neg(m));
			if (s > best) {
				best = s, n = m, step *= 4;
				break;
			}
		}
	}
	return best;
}

TEST(random_many)
{
	static v3 directions[DIRECTIONS];
	seed = 13;
	for (int i = 0; i < DIRECTIONS; ++i)
		directions[i] = draw_unit();
	int made = 0;
	for (int i = 0; i < CHEAP; ++i) {
		part a, b;
		bool (*make)(part *, part *, uint32_t) = i % 4 ? draw_pair : construct_pair;
		if (!make(&a, &b, (uint32_t)i % (uint32_t)CN_COUNT(kinds)))
			continue;
		++made;
		cn_separation s;
		cn_separate_cylinder(&a.convex, &a.place, &b.convex, &b.place, NULL, &s);
		bool good = check_answer(&a, &b, &s) && check_again(&a, &b, &s);
		double found = search_better(&a, &b, directions);
		if (found > s.gap + 1e-7 * smaller_size(&a, &b) + ulps(&a, &b)) {
			complain("a wider plane was found", &a, &b, s.gap, found);
			good = false;
		}
		CHECK(good);
		free_part(&a);
		free_part(&b);
	}
	CHECK(made > CHEAP * 9 / 10);
}

/* A half-space: the answer is one support height. Flat on an end, lying, and turned anyhow; from either side. */
TEST(half_space)
{
	part ground, can;
	REQUIRE(make_part(&ground, (cairn_shape_def){.kind = CAIRN_HALFSPACE, .normal = {0, 0.6, 0.8}, .offset = 2}));
	REQUIRE(make_part(&can, (cairn_shape_def){.kind = CAIRN_CYLINDER, .radius = 0.5, .length = 3}));
	seed = 21;
	for (int i = 0; i < 2000; ++i) {
		quat qg = draw_turn(), qc = draw_turn();
		v3 origin = v3_scale(draw_v3(), 5), to = v3_scale(draw_v3(), 3);
		ground.place = cn_convex_place(&ground.convex, (pose){origin, qg});
		v3 up = q_rotate(qg, v3_make(0, 0.6, 0.8));
		if (i % 4 == 1) /* upright */
			qc = q_unit((quat){1 + up.z, -up.y, up.x, 0});
		if (i % 4 == 2) /* lying */
			qc = q_mul(q_unit((quat){1 + up.z, -up.y, up.x, 0}), q_exp(v3_make(CN_PI / 2, 0, 0)));
		can.place = (cn_place){v3_add(origin, to), m3_from_q(qc)};
		v3 axis = q_rotate(qc, v3_make(0, 0, 1));
		double c = v3_dot(axis, up),
			   wanted = v3_dot(to, up) - 2 - 1.5 * fabs(c) - 0.5 * v3_length(v3_madd(up, axis, -c));
		cn_separation s[2];
		cn_witness witness = {0};
		cn_separate_cylinder(&can.convex, &can.place, &ground.convex, &ground.place, NULL, &s[0]);
		cn_separate_cylinder(&ground.convex, &ground.place, &can.convex, &can.place, &witness, &s[1]);
		for (int k = 0; k < 2; ++k) {
			CHECK_NEAR(s[k].gap, wanted, 1e-13);
			CHECK(v3_distance(s[k].n, v3_scale(up, k ? 1 : -1)) < 1e-14);
			v3 on = k ? s[k].b : s[k].a, foot = k ? s[k].a : s[k].b;
			CHECK(outside(&can, on) < 1e-8);
			CHECK_NEAR(v3_dot(foot, up), 0, 1e-7);
			CHECK_NEAR(v3_dot(v3_sub(v3_add(can.place.x, on), v3_add(ground.place.x, foot)), up), wanted, 1e-12);
		}
		cn_feature_kind kind = cn_feature_kind_of(s[0].feature_a);
		CHECK(kind == (i % 4 == 1 ? CN_FACE : i % 4 == 2 ? CN_SIDE : CN_RIM));
		CHECK(s[0].feature_b == cn_feature_make(CN_FACE, 0));
	}
	free_part(&can);
	free_part(&ground);
}

/* A ball against a can, by the distance of a point from a rectangle. */
TEST(ball)
{
	part ball, can;
	REQUIRE(make_part(&ball, (cairn_shape_def){.kind = CAIRN_SPHERE, .radius = 0.25}));
	REQUIRE(make_part(&can, (cairn_shape_def){.kind = CAIRN_CYLINDER, .radius = 1, .length = 4}));
	static const double across[] = {0, 1e-12, 0.3, 1, 1.25, 3}, up[] = {0, 1e-12, 1.9, 2, 2.25, 5};
	for (int i = 0; i < 36; ++i) {
		double x = across[i % 6], z = up[i / 6], beside = x - 1, over = z - 2;
		double wanted = beside > 0 && over > 0 ? sqrt(beside * beside + over * over) : beside > over ? beside : over;
		can.place = (cn_place){v3_make(3, 4, 5), m3_from_q(q_identity())};
		ball.place = (cn_place){v3_make(3 - 0.6 * x, 4 + 0.8 * x, 5 - z), m3_from_q(q_identity())};
		cn_separation s;
		cn_separate_cylinder(&can.convex, &can.place, &ball.convex, &ball.place, NULL, &s);
		CHECK_NEAR(s.gap, wanted - 0.25, 1e-14);
		CHECK(check_answer(&can, &ball, &s) && check_again(&can, &ball, &s));
		CHECK(s.feature_b == cn_feature_make(CN_VERTEX, 0));
	}
	free_part(&can);
	free_part(&ball);
}

/* Among equally wide planes the last one is kept: coaxial cans, whose planes around the axis are all alike, and a box
 * round a can, whose four sides are. */
TEST(keeps_the_last_plane)
{
	part can, other, box;
	REQUIRE(make_part(&can, (cairn_shape_def){.kind = CAIRN_CYLINDER, .radius = 1, .length = 40}));
	REQUIRE(make_part(&other, (cairn_shape_def){.kind = CAIRN_CYLINDER, .radius = 1, .length = 50}));
	REQUIRE(make_part(&box, (cairn_shape_def){.kind = CAIRN_BOX, .size = {2, 2, 50}}));
	can.place = other.place = box.place = (cn_place){v3_make(1, 2, 3), m3_from_q(q_identity())};
	for (int k = 0; k < 8; ++k) {
		v3 n = k < 4 ? v3_make(k & 1 ? -0.6 : 0.6, k & 2 ? -0.8 : 0.8, 0) : v3_make((k - 5) % 2, (k - 6) % 2, 0);
		part *b = k < 4 ? &other : &box;
		cn_witness witness = {.axis = {(float)n.x, (float)n.y, 0}, .known = 1};
		cn_separation s;
		for (int i = 0; i < 3; ++i) {
			cn_separate_cylinder(&can.convex, &can.place, &b->convex, &b->place, &witness, &s);
			CHECK_NEAR(s.gap, -2, 1e-9);
			CHECK(v3_distance(s.n, n) < 1e-6);
		}
	}
	free_part(&can);
	free_part(&other);
	free_part(&box);
}

/* What a witness holds is never trusted, not even to be a number. */
TEST(witness_of_rubbish)
{
	part a, b;
	seed = 31;
	for (uint32_t i = 0; i < 200; ++i) {
		REQUIRE(draw_pair(&a, &b, i % (uint32_t)CN_COUNT(kinds)));
		cn_separation s, again;
		cn_separate_cylinder(&a.convex, &a.place, &b.convex, &b.place, NULL, &s);
		float rubbish[] = {NAN, INFINITY, 0, -1e38f, 1e-40f};
		cn_witness witness = {
			{rubbish[i % 5], rubbish[i / 5 % 5], rubbish[i / 25 % 5]}, i * 2654435761u, ~i, ~0u, i, ~0u};
		cn_separate_cylinder(&a.convex, &a.place, &b.convex, &b.place, &witness, &again);
		CHECK_NEAR(again.gap, s.gap, 1e-8 * smaller_size(&a, &b) + ulps(&a, &b));
		CHECK(check_answer(&a, &b, &again));
		free_part(&a);
		free_part(&b);
	}
}

TEST_MAIN(TEST_CASE(half_space), TEST_CASE(ball), TEST_CASE(keeps_the_last_plane), TEST_CASE(witness_of_rubbish),
          TEST_CASE(random_certified), TEST_CASE(constructed_certified), TEST_CASE(random_many))
