/* How long a pair of convex parts takes, beside libccd and Bullet on the same queries in one run, and what a frame of a
 * settled pile of 1000 cubes takes: separation, contact polygon and the check of the interval.
 *
 *   bench_pairs [repetitions]      15
 *
 * Every set is a list of pairs that move a little from one repetition to the next; all libraries see the same poses. A
 * figure is the median of the repetitions, in time of the one thread. What each gives:
 *   cairn   signed gap, plane, closest points and features, right to 1e-9 of the size; warm: with the pair's witness;
 *           "apart or not" is cn_separate_beyond with 0, the whole answer where they overlap: what libccd answers
 *   libccd  ccdGJKPenetration: depth, direction and point where they overlap; apart it only says so (no distance)
 *   Bullet  btGjkPairDetector with btGjkEpaPenetrationDepthSolver, margins 0, one detector kept for each pair: signed
 *           gap, normal and one point; single precision as packaged
 * An answer counts as invalid when it is not a number, or off by more than 1 % of the size from cairn's. That one is
 * confirmed: "doubt" is the most its gap differs from what the parts' support along its normal gives, and from the
 * distance of its closest points. */
extern "C" {
#include "base/hash.h"
#include "geom/contact.h"
#include "geom/sweep.h"
}

#include <ccd/ccd.h>

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

namespace
{

struct random_source {
	uint64_t state;
	double in(double from, double to) { return from + (to - from) * (0.5 + 0.5 * cn_random_signed(&state)); }
	v3 direction()
	{
		for (;;) {
			double x = in(-1, 1), y = in(-1, 1), z = in(-1, 1), l = x * x + y * y + z * z;
			if (l > 0.01 && l < 1)
				return v3_unit(v3_make(x, y, z));
		}
	}
	quat turn()
	{
		v3 axis = direction();
		double angle = in(-3, 3);
		return q_exp(v3_scale(axis, angle));
	}
};

/* Time of this thread alone, so that a busy machine does not show. */
double now()
{
	timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

/* One shape for all three libraries. */
struct body_shape {
	cn_shape shape;
	cn_convex convex;
	std::unique_ptr<btConvexShape> bullet;

	explicit body_shape(const cairn_shape_def &def)
	{
		cairn_allocator allocator = cairn_default_allocator();
		cairn_error error;
		if (!cn_shape_make(&allocator, &def, nullptr, 0, &shape, &error) ||
		    !cn_convex_make(&allocator, &shape, &convex)) {
			std::fprintf(stderr, "bench_pairs: a shape could not be made\n");
			std::exit(1);
		}
		if (def.kind == CAIRN_BOX) {
			bullet = std::make_unique<btBoxShape>(
				btVector3((btScalar)convex.half.x, (btScalar)convex.half.y, (btScalar)convex.half.z));
		} else {
			auto hull = std::make_unique<btConvexHullShape>();
			for (uint32_t i = 0; i < convex.core.vertex_count; ++i) {
				v3 p = convex.core.vertices[i];
				hull->addPoint(btVector3((btScalar)p.x, (btScalar)p.y, (btScalar)p.z), false);
			}
			hull->recalcLocalAabb();
			bullet = std::move(hull);
		}
		bullet->setMargin(0);
	}
	~body_shape()
	{
		cairn_allocator allocator = cairn_default_allocator();
		cn_convex_free(&allocator, &convex);
		cn_shape_free(&allocator, &shape);
	}
	body_shape(const body_shape &) = delete;
	body_shape &operator=(const body_shape &) = delete;
};

struct placed {
	const cn_convex *convex;
	cn_place at;
};

/* The support function that libccd asks for: the furthest point in the world. */
void furthest(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
	const placed *p = static_cast<const placed *>(object);
	v3 d = cn_place_unturn(&p->at, v3_make(direction->v[0], direction->v[1], direction->v[2])), best;
	if (p->convex->kind == CAIRN_BOX) {
		v3 h = p->convex->half;
		best = v3_make(d.x < 0 ? -h.x : h.x, d.y < 0 ? -h.y : h.y, d.z < 0 ? -h.z : h.z);
	} else {
		best = p->convex->core.vertices[cn_polytope_furthest(&p->convex->core, d)];
	}
	best = v3_add(p->at.x, cn_place_turn(&p->at, best));
	ccdVec3Set(out, best.x, best.y, best.z);
}

struct pair_query {
	const body_shape *a, *b;
	pose pa, pb;
	v3 drift, spin; /* of b, from one repetition to the next */
};

struct answer {
	double gap;
	bool apart_only;
};

struct detector {
	btVoronoiSimplexSolver simplex;
	btGjkEpaPenetrationDepthSolver depth;
	std::unique_ptr<btGjkPairDetector> pair;
};

struct bench_set {
	const char *name;
	double size;
	std::vector<pair_query> queries;
};

btTransform transform_of(const cn_place &p)
{
	btMatrix3x3 m;
	for (int i = 0; i < 3; ++i)
		m[i].setValue((btScalar)p.r.m[i][0], (btScalar)p.r.m[i][1], (btScalar)p.r.m[i][2]);
	return btTransform(m, btVector3((btScalar)p.x.x, (btScalar)p.x.y, (btScalar)p.x.z));
}

double ns_since(double start, size_t count) { return (now() - start) / (double)count; }

uint32_t count_invalid(const std::vector<answer> &found, const std::vector<cn_separation> &truth, double size)
{
	uint32_t bad = 0;
	for (size_t i = 0; i < found.size(); ++i) {
		double gap = truth[i].gap;
		bool fine = found[i].apart_only ? gap > -0.01 * size : std::fabs(found[i].gap - gap) <= 0.01 * size;
		bad += !fine;
	}
	return bad;
}

struct figures {
	std::vector<double> cold, warm, beyond, contact, ccd, bullet;
	uint32_t ccd_invalid = 0, bullet_invalid = 0, asked = 0;
	double doubt = 0, points = 0;
};

/* The poses of one repetition, for everybody. */
void place_all(const bench_set &set, int step, std::vector<placed> &a, std::vector<placed> &b)
{
	a.clear();
	b.clear();
	for (const pair_query &q : set.queries) {
		pose pb = {v3_madd(q.pb.position, q.drift, step), q_mul(q_exp(v3_scale(q.spin, step)), q.pb.orientation)};
		a.push_back({&q.a->convex, cn_convex_place(&q.a->convex, q.pa)});
		b.push_back({&q.b->convex, cn_convex_place(&q.b->convex, pb)});
	}
}

void run_cairn(const std::vector<placed> &a, const std::vector<placed> &b, double slab, std::vector<cn_witness> &known,
               std::vector<cn_separation> &out, figures &f)
{
	size_t n = a.size();
	std::vector<cn_witness> other = known, third = known;
	cn_separation unused;
	cn_contact_set set;
	double start = now();
	for (size_t i = 0; i < n; ++i)
		cn_separate(a[i].convex, &a[i].at, b[i].convex, &b[i].at, nullptr, &out[i]);
	f.cold.push_back(ns_since(start, n));
	start = now();
	for (size_t i = 0; i < n; ++i)
		cn_separate(a[i].convex, &a[i].at, b[i].convex, &b[i].at, &known[i], &out[i]);
	f.warm.push_back(ns_since(start, n));
	start = now();
	for (size_t i = 0; i < n; ++i) {
		const cn_convex_pair pair = {a[i].convex, &a[i].at, b[i].convex, &b[i].at};
		cn_separate_beyond(&pair, 0, &third[i], &unused);
	}
	f.beyond.push_back(ns_since(start, n));
	f.points = 0;
	start = now();
	for (size_t i = 0; i < n; ++i) {
		cn_separate(a[i].convex, &a[i].at, b[i].convex, &b[i].at, &other[i], &out[i]);
		const cn_convex_pair pair = {a[i].convex, &a[i].at, b[i].convex, &b[i].at};
		cn_contact_find(&pair, &out[i], slab, &set);
		f.points += set.count;
	}
	f.contact.push_back(ns_since(start, n));
	f.points /= (double)n;
	for (size_t i = 0; i < n; ++i) {
		const cn_separation &s = out[i];
		v3 apart = v3_sub(v3_add(v3_sub(b[i].at.x, a[i].at.x), s.b), s.a);
		double low = cn_separate_along(a[i].convex, &a[i].at, b[i].convex, &b[i].at, s.n), high = v3_length(apart);
		f.doubt = std::max({f.doubt, std::fabs(low - s.gap), std::fabs(high - std::fabs(s.gap))});
	}
}

void run_ccd(const std::vector<placed> &a, const std::vector<placed> &b, std::vector<answer> &out, figures &f)
{
	ccd_t ccd;
	CCD_INIT(&ccd);
	ccd.support1 = furthest;
	ccd.support2 = furthest;
	ccd.max_iterations = 100;
	ccd.epa_tolerance = 1e-4;
	ccd.dist_tolerance = 1e-6;
	double start = now();
	for (size_t i = 0; i < a.size(); ++i) {
		ccd_real_t depth = 0;
		ccd_vec3_t direction, position;
		int apart = ccdGJKPenetration(&a[i], &b[i], &ccd, &depth, &direction, &position);
		out[i] = {-depth, apart != 0};
	}
	f.ccd.push_back(ns_since(start, a.size()));
}

void run_bullet(const std::vector<placed> &a, const std::vector<placed> &b, std::vector<detector> &detectors,
                std::vector<answer> &out, figures &f)
{
	std::vector<btGjkPairDetector::ClosestPointInput> inputs(a.size());
	for (size_t i = 0; i < a.size(); ++i) {
		inputs[i].m_transformA = transform_of(a[i].at);
		inputs[i].m_transformB = transform_of(b[i].at);
	}
	double start = now();
	for (size_t i = 0; i < a.size(); ++i) {
		btPointCollector result;
		detectors[i].pair->getClosestPoints(inputs[i], result, nullptr);
		out[i] = {result.m_hasResult ? (double)result.m_distance : NAN, false};
	}
	f.bullet.push_back(ns_since(start, a.size()));
}

void print_row(const char *name, double ns, double than, const char *note)
{
	std::printf("  %-34s %9.0f ns   %6.2f x  %s\n", name, ns, ns / than, note);
}

void run_set(const bench_set &set, int repetitions)
{
	size_t n = set.queries.size();
	std::vector<placed> a, b;
	std::vector<cn_witness> known(n);
	std::vector<cn_separation> truth(n);
	std::vector<answer> ccd(n), bullet(n);
	std::vector<detector> detectors(n);
	figures f;
	for (size_t i = 0; i < n; ++i)
		detectors[i].pair = std::make_unique<btGjkPairDetector>(
			set.queries[i].a->bullet.get(), set.queries[i].b->bullet.get(), &detectors[i].simplex, &detectors[i].depth);
	for (int step = 0; step <= repetitions; ++step) {
		place_all(set, step, a, b);
		run_cairn(a, b, 4e-3 * set.size, known, truth, f);
		run_ccd(a, b, ccd, f);
		run_bullet(a, b, detectors, bullet, f);
		if (step == 0) { /* nothing was known yet */
			f = figures();
			continue;
		}
		f.asked += (uint32_t)n;
		f.ccd_invalid += count_invalid(ccd, truth, set.size);
		f.bullet_invalid += count_invalid(bullet, truth, set.size);
	}
	double warm = median(f.warm);
	char note[128];
	std::printf("%s: %zu pairs, %d repetitions; doubt %.1e m\n", set.name, n, repetitions, f.doubt);
	print_row("cairn separate, warm", warm, warm, "");
	print_row("cairn separate, cold", median(f.cold), warm, "");
	print_row("cairn apart or not, warm", median(f.beyond), warm, "");
	std::snprintf(note, sizeof note, "%.1f points a pair", f.points);
	print_row("cairn separate + contact, warm", median(f.contact), warm, note);
	std::snprintf(note, sizeof note, "%.1f x the same question; %u of %u answers invalid",
	              median(f.ccd) / median(f.beyond), f.ccd_invalid, f.asked);
	print_row("libccd GJK + EPA", median(f.ccd), warm, note);
	std::snprintf(note, sizeof note, "%.1f x the same question; %u of %u answers invalid", median(f.bullet) / warm,
	              f.bullet_invalid, f.asked);
	print_row("Bullet GJK + EPA", median(f.bullet), warm, note);
}

enum kind_of_set { TOUCHING, APART, OVERLAPPING };

/* Pairs in a random direction, turned so that faces meet in two of three, with the gap that the kind asks for. */
bench_set make_set(const char *name, const std::vector<std::unique_ptr<body_shape>> &shapes, kind_of_set kind,
                   uint64_t seed)
{
	enum { PAIRS = 1000 };
	bench_set set = {name, shapes[0]->convex.size, {}};
	random_source random = {seed};
	for (int i = 0; i < PAIRS; ++i) {
		pair_query q = {};
		q.a = shapes[(size_t)random.in(0, (double)shapes.size())].get();
		q.b = shapes[(size_t)random.in(0, (double)shapes.size())].get();
		quat world = random.turn();
		double twist = random.in(0, 1.5), x = random.in(-0.4, 0.4), y = random.in(-0.4, 0.4);
		double tilt = kind == TOUCHING ? 1e-3 : i % 3 == 0 ? 1 : 0.1, gap = 0;
		v3 lean = v3_scale(random.direction(), tilt);
		gap = kind == TOUCHING ? random.in(1e-4, 1e-3) : kind == APART ? random.in(0, 0.5) : random.in(-0.3, 0);
		q.pa = {v3_make(3, -2, 1), world};
		q.pb = {v3_zero(), q_mul(world, q_mul(q_exp(lean), q_exp(v3_make(0, 0, twist))))};
		v3 n = q_rotate(world, v3_make(0, 0, 1)), shift = q_rotate(world, v3_make(x, y, 0));
		/* along n the supports are apart by the gap; the true gap then differs where another plane is wider */
		cn_place at_a = cn_convex_place(&q.a->convex, q.pa), at_b = cn_convex_place(&q.b->convex, q.pb);
		double reach = cn_convex_support(&q.a->convex, &at_a, n) + cn_convex_support(&q.b->convex, &at_b, v3_neg(n));
		q.pb.position = v3_add(v3_sub(at_a.x, v3_sub(at_b.x, q.pb.position)),
		                       v3_add(v3_scale(shift, set.size), v3_scale(n, reach + gap * set.size)));
		q.drift = v3_scale(random.direction(), 1e-5);
		q.spin = v3_scale(random.direction(), 1e-5);
		set.queries.push_back(q);
	}
	return set;
}

std::vector<std::unique_ptr<body_shape>> make_boxes()
{
	std::vector<std::unique_ptr<body_shape>> shapes;
	cairn_shape_def def = {};
	def.kind = CAIRN_BOX;
	def.name = "";
	def.size = v3_make(1, 1, 1);
	shapes.push_back(std::make_unique<body_shape>(def));
	return shapes;
}

std::vector<std::unique_ptr<body_shape>> make_hulls(uint32_t vertices)
{
	std::vector<std::unique_ptr<body_shape>> shapes;
	random_source random = {42};
	for (int k = 0; k < 8; ++k) {
		std::vector<v3> points;
		for (uint32_t i = 0; i < vertices; ++i)
			points.push_back(v3_mul(random.direction(), v3_make(0.5, 0.45, 0.4)));
		cairn_shape_def def = {};
		def.kind = CAIRN_HULL;
		def.name = "";
		def.points = points.data();
		def.point_count = vertices;
		shapes.push_back(std::make_unique<body_shape>(def));
	}
	return shapes;
}

struct touching {
	uint32_t a, b;
	cn_witness witness;
};

struct pile {
	std::vector<pose> poses, before;
	std::vector<cn_place> now, then;
	std::vector<v3> turns;
	std::vector<touching> pairs;
};

/* Ten layers of a hundred unit cubes with gaps of 1e-4 to 1e-3, tilts up to 1e-3 rad and any yaw; every second layer is
 * shifted so that a cube rests on those under its corners. */
pile make_pile(const cn_convex &cube)
{
	const double spacing = 1.45;
	pile p;
	random_source random = {7};
	for (int layer = 0; layer < 10; ++layer)
		for (int i = 0; i < 100; ++i) {
			double shift = layer % 2 ? 0.38 * spacing : 0, yaw = random.in(0, 6.28), z = random.in(0, 9e-4);
			double lean_x = random.in(-7e-4, 7e-4), lean_y = random.in(-7e-4, 7e-4);
			v3 lean = v3_make(lean_x, lean_y, 0);
			int row = i / 10;
			pose at = {v3_make(i % 10 * spacing + shift, row * spacing + shift, layer * 1.0018 + z),
			           q_mul(q_exp(lean), q_exp(v3_make(0, 0, yaw)))};
			p.poses.push_back(at);
		}
	for (const pose &at : p.poses) {
		p.now.push_back(cn_convex_place(&cube, at));
		p.turns.push_back(v3_zero());
	}
	for (uint32_t b = 0; b < 1000; ++b)
		for (uint32_t a = 0; a < b; ++a) {
			cn_separation s;
			if (v3_distance(p.now[a].x, p.now[b].x) > 2)
				continue;
			cn_separate(&cube, &p.now[a], &cube, &p.now[b], nullptr, &s);
			if (s.gap < 4e-3)
				p.pairs.push_back({a, b, {}});
		}
	p.before = p.poses;
	p.then = p.now;
	return p;
}

/* Moves every body a little and makes its matrix; what a frame does before it looks at pairs. */
void move_pile(pile &p, const cn_convex &cube, random_source &random)
{
	p.before = p.poses;
	p.then = p.now;
	for (size_t i = 0; i < p.poses.size(); ++i) {
		v3 step = v3_scale(random.direction(), 1e-5);
		p.turns[i] = v3_scale(random.direction(), 1e-5);
		p.poses[i].position = v3_add(p.poses[i].position, step);
		p.poses[i].orientation = q_mul(q_exp(p.turns[i]), p.poses[i].orientation);
		p.now[i] = cn_convex_place(&cube, p.poses[i]);
	}
}

void run_pile(int repetitions)
{
	std::vector<std::unique_ptr<body_shape>> boxes = make_boxes();
	const cn_convex &cube = boxes[0]->convex;
	pile p = make_pile(cube);
	random_source random = {11};
	std::vector<double> separate, contact, interval, all;
	std::vector<cn_separation> found(p.pairs.size());
	double points = 0, least = 1;
	size_t free_pairs = 0;
	for (int frame = 0; frame <= repetitions; ++frame) {
		cn_contact_set set;
		points = 0;
		free_pairs = 0;
		least = 1;
		move_pile(p, cube, random);
		double start = now();
		for (size_t i = 0; i < p.pairs.size(); ++i) {
			touching &t = p.pairs[i];
			cn_separate(&cube, &p.now[t.a], &cube, &p.now[t.b], &t.witness, &found[i]);
		}
		double first = ns_since(start, 1);
		for (size_t i = 0; i < p.pairs.size(); ++i) {
			touching &t = p.pairs[i];
			const cn_convex_pair pair = {&cube, &p.now[t.a], &cube, &p.now[t.b]};
			cn_contact_find(&pair, &found[i], 4e-3, &set);
			points += set.count;
			least = std::min(least, found[i].gap);
		}
		double second = ns_since(start, 1);
		for (size_t i = 0; i < p.pairs.size(); ++i) {
			/* the end's axis at the start, and what turning can add between (sweep.h) */
			touching &t = p.pairs[i];
			double at_start = cn_separate_along(&cube, &p.then[t.a], &cube, &p.then[t.b], found[i].n);
			double chord = cube.reach * (v3_length2(p.turns[t.a]) + v3_length2(p.turns[t.b])) / 8;
			free_pairs += at_start >= chord && found[i].gap >= chord;
		}
		double third = ns_since(start, 1);
		if (frame == 0)
			continue;
		separate.push_back(first);
		contact.push_back(second - first);
		interval.push_back(third - second);
		all.push_back(third);
	}
	std::printf(
		"settled pile: 1000 cubes, %zu touching pairs, %.2f points a pair, least gap %.1e m, %zu pairs free over "
		"the frame\n",
		p.pairs.size(), points / (double)p.pairs.size(), least, free_pairs);
	double each = 1 / (double)p.pairs.size();
	std::printf("  %-34s %9.3f ms   %6.0f ns a pair\n", "separation, warm", median(separate) / 1e6,
	            median(separate) * each);
	std::printf("  %-34s %9.3f ms   %6.0f ns a pair\n", "contact polygon", median(contact) / 1e6,
	            median(contact) * each);
	std::printf("  %-34s %9.3f ms   %6.0f ns a pair\n", "interval check", median(interval) / 1e6,
	            median(interval) * each);
	std::printf("  %-34s %9.3f ms   (asked for: below 2 ms)\n", "a frame", median(all) / 1e6);
}

} // namespace

int main(int argc, char **argv)
{
	int repetitions = argc > 1 ? std::atoi(argv[1]) : 15;
	if (repetitions < 1) {
		std::fprintf(stderr, "usage: bench_pairs [repetitions]\n");
		return 2;
	}
	std::vector<std::unique_ptr<body_shape>> boxes = make_boxes(), hulls = make_hulls(64);
	run_set(make_set("boxes touching", boxes, TOUCHING, 1), repetitions);
	run_set(make_set("boxes apart by up to half an edge", boxes, APART, 2), repetitions);
	run_set(make_set("boxes overlapping", boxes, OVERLAPPING, 3), repetitions);
	run_set(make_set("64-vertex hulls touching", hulls, TOUCHING, 4), repetitions);
	run_set(make_set("64-vertex hulls apart", hulls, APART, 5), repetitions);
	run_set(make_set("64-vertex hulls overlapping", hulls, OVERLAPPING, 6), repetitions);
	run_pile(repetitions);
	return 0;
}
