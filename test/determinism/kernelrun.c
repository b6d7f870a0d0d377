/* Runs a fixed set of geometric queries and solves and prints the hash of what came out, a line each: the same numbers with every
 * compiler, optimization level and thread count, and under WebAssembly, or a bug.
 *
 *   kernelrun [--threads N] [--golden FILE] */
#include "pile.h"
#include "qp_room.h"
#include "solve_small.h"

#include "check/overlap.h"
#include "geom/broad.h"
#include "geom/contact.h"
#include "geom/sweep.h"
#include "num/lcp.h"
#include "num/lp.h"
#include "num/qp_exact.h"
#include "num/qp_fast.h"
#include "num/text_programs.h"

#include <inttypes.h>
#include <stdio.h>

enum { KINDS = 6, PAIRS = 600 };

static uint64_t random_state = 20;
static double draw(void) { return cn_random_signed(&random_state); }
static v3 draw_v3(void)
{
	double x = draw(), y = draw(), z = draw();
	return v3_make(x, y, z);
}
static quat draw_turn(void) { return q_exp(v3_scale(draw_v3(), 3)); }

static uint64_t hash_v3(uint64_t hash, v3 v)
{
	return cn_hash_double(cn_hash_double(cn_hash_double(hash, v.x), v.y), v.z);
}

static uint64_t hash_twists(uint64_t hash, const cn_twist *u, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
		hash = hash_v3(hash_v3(hash, u[i].v), u[i].w);
	return hash;
}

static char found[4096];
static void report(const char *name, uint64_t hash)
{
	size_t used = strlen(found);
	snprintf(found + used, sizeof found - used, "%s %016" PRIx64 "\n", name, hash);
}

/* ---- geometry */

static cn_shape shapes[KINDS];
static cn_solid *solids[KINDS];

static void make_shapes(const cairn_allocator *allocator)
{
	static v3 points[30];
	static const cairn_shape_kind kinds[KINDS] = {CAIRN_SPHERE,   CAIRN_BOX,  CAIRN_CAPSULE,
	                                              CAIRN_CYLINDER, CAIRN_HULL, CAIRN_HALFSPACE};
	cairn_error error;
	for (int i = 0; i < 30; ++i)
		points[i] = v3_scale(v3_unit(draw_v3()), 0.5);
	for (int i = 0; i < KINDS; ++i) {
		cairn_shape_def def = cairn_default_shape_def(kinds[i]);
		def.radius = kinds[i] == CAIRN_CAPSULE ? 0.2 : 0.5;
		def.length = 0.7;
		def.size = v3_make(1, 0.8, 0.6);
		def.normal = v3_make(0, 0, 1);
		def.points = points;
		def.point_count = 30;
		if (!cn_shape_make(allocator, &def, NULL, 0, &shapes[i], &error))
			abort();
		solids[i] = cn_solid_make(allocator, &shapes[i], &error);
		if (!solids[i])
			abort();
	}
}

static uint64_t hash_separation(uint64_t hash, const cn_separation *s)
{
	hash = cn_hash_double(hash_v3(hash_v3(hash_v3(hash, s->n), s->a), s->b), s->gap);
	return cn_hash_u64(hash, (uint64_t)s->feature_a << 32 | s->feature_b);
}

static void run_pairs(void)
{
	uint64_t separate = CN_HASH_START, contact = separate, sweep = separate, overlap = separate;
	for (int k = 0; k < PAIRS; ++k) {
		int i = k % (KINDS - 1), j = k / (KINDS - 1) % KINDS;
		const cn_convex *a = shapes[i].convex, *b = shapes[j].convex;
		double distance = j == KINDS - 1 ? 0.3 : 0.9 + 0.3 * draw();
		pose at = {v3_zero(), draw_turn()}, other = {v3_scale(v3_unit(draw_v3()), distance), draw_turn()};
		if (j == KINDS - 1)
			other.position = v3_scale(q_rotate(other.orientation, v3_make(0, 0, 1)), -distance);
		cn_place pa = cn_convex_place(a, at), pb = cn_convex_place(b, other);
		cn_witness witness = {0};
		cn_separation s;
		cn_contact_set set;
		cn_separate(a, &pa, b, &pb, &witness, &s);
		separate = hash_separation(separate, &s);
		pb.x = v3_add(pb.x, v3_scale(draw_v3(), 0.01));
		cn_separate(a, &pa, b, &pb, &witness, &s);
		separate = hash_separation(separate, &s);
		cn_contact_find(&(cn_convex_pair){a, &pa, b, &pb}, &s, 0.05, &set);
		for (uint32_t p = 0; p < set.count; ++p) {
			contact = hash_v3(hash_v3(contact, set.points[p].a), set.points[p].b);
			contact = cn_hash_u64(cn_hash_double(contact, set.points[p].gap), set.points[p].feature);
		}
		cn_mover ma = {a, pose_identity(), at.position, v3_scale(draw_v3(), 0.5), at.orientation, draw_v3(), a->reach};
		cn_mover mb = {b,
		               pose_identity(),
		               v3_scale(other.position, 1.5),
		               v3_scale(other.position, 0.9),
		               other.orientation,
		               j == KINDS - 1 ? v3_zero() : draw_v3(),
		               b->reach};
		cn_sweep_result r;
		cn_sweep(&ma, &mb, &(cn_sweep_options){.gap = 0.01, .tolerance = 1e-5, .budget = 100}, NULL, NULL, &r);
		sweep = cn_hash_u64(cn_hash_double(hash_v3(sweep, r.n), r.time), r.status << 8 | r.tier);
		cn_overlap_answer answer;
		cn_overlap_pose(solids[i], at, solids[j], other, NULL, &answer);
		overlap = cn_hash_double(cn_hash_double(cn_hash_u64(overlap, answer.verdict), answer.least), answer.most);
	}
	report("separate", separate);
	report("contact", contact);
	report("sweep", sweep);
	report("overlap", overlap);
}

static void run_broad(const cairn_allocator *allocator, cn_pool *pool)
{
	enum { COUNT = 4000 };
	static cn_broad_item items[COUNT];
	cn_broad *broad = cn_broad_create(allocator);
	uint64_t hash = CN_HASH_START;
	for (int i = 0; i < COUNT; ++i) {
		v3 x = v3_scale(draw_v3(), 8), half = v3_scale(v3_abs(draw_v3()), 1);
		items[i] = (cn_broad_item){v3_sub(x, half), v3_add(x, half), i % 50 == 0, 1, 1};
	}
	for (int frame = 0; frame < 5; ++frame) {
		uint32_t count;
		if (!broad || !cn_broad_update(broad, items, COUNT, pool))
			abort();
		const cn_broad_pair *pairs = cn_broad_pairs(broad, &count);
		for (uint32_t i = 0; i < count; ++i)
			hash = cn_hash_u64(hash, (uint64_t)pairs[i].a << 32 | pairs[i].b);
		for (int i = 0; i < COUNT; ++i) {
			v3 step = v3_scale(draw_v3(), 0.05);
			items[i].low = v3_add(items[i].low, step);
			items[i].high = v3_add(items[i].high, step);
		}
	}
	cn_broad_destroy(broad);
	report("broad", hash);
}

/* ---- solvers */

static void finish(const char *name, const cn_qp *qp, cn_qp_solution *s, cn_qp_result r)
{
	uint64_t hash = hash_twists(CN_HASH_START, s->u, qp->body_count);
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		hash = cn_hash_double(cn_hash_double(cn_hash_double(hash, s->contact[i].n), s->contact[i].s), s->contact[i].t);
	hash = cn_hash_double(cn_hash_double(hash, r.violation), r.residual);
	report(name, cn_hash_u64(cn_hash_u64(hash, r.status), r.sweeps));
	qp_room_free(s);
}

static pile make_pile(uint32_t bodies, bool momentum)
{
	pile_options options = {.bodies = bodies, .edge = 1, .slab = 0.02, .tilt = 1e-3, .gap = 5e-3, .mu = 0.5, .seed = 3};
	pile p = pile_make(&options);
	if (momentum)
		pile_ask_speeds(&p, NULL, 1.0 / 30);
	else
		pile_ask_positions(&p, 0.3, 1, 1.0 / 30, 1e-3);
	for (uint32_t i = 0; i < p.qp.contact_count; ++i)
		p.contacts[i].eps = 0.3;
	return p;
}

static void run_fast(const cairn_allocator *allocator, cn_pool *pool)
{
	cn_fast *fast = cn_fast_create(allocator);
	if (!fast)
		abort();
	pile p = make_pile(3000, false);
	cn_qp_solution s = qp_room(&p.qp);
	cn_fast_options options = {.sweeps = 40, .pool = pool};
	finish("fast-position", &p.qp, &s, cn_fast_position(fast, &p.qp, &options, &s));
	pile_free(&p);
	p = make_pile(3000, true);
	s = qp_room(&p.qp);
	options.bounce = true;
	finish("fast-momentum", &p.qp, &s, cn_fast_momentum(fast, &p.qp, &options, &s));
	pile_free(&p);
	cn_fast_destroy(fast);
}

static void run_exact(const cairn_allocator *allocator)
{
	pile p = make_pile(60, false);
	cn_qp_solution s = qp_room(&p.qp);
	finish("exact", &p.qp, &s, cn_exact_solve(allocator, &p.qp, NULL, &s));
	pile_free(&p);
	p = make_pile(12, true);
	s = qp_room(&p.qp);
	finish("coulomb", &p.qp, &s, cn_exact_coulomb(allocator, &p.qp, NULL, &s));
	s = qp_room(&p.qp);
	finish("small", &p.qp, &s, solve_small(allocator, &p.qp, &(cn_small_options){.bounce = true}, &s));
	s = qp_room(&p.qp);
	finish("text", &p.qp, &s, cn_text_solve_momentum(allocator, &p.qp, &s));
	pile_free(&p);
}

static void run_lcp(const cairn_allocator *allocator)
{
	enum { N = 40 };
	double m[N * N], q[N], z[N], y[N];
	uint64_t hash = CN_HASH_START;
	for (int i = 0; i < N; ++i)
		q[i] = draw();
	for (int i = 0; i < N; ++i)
		for (int j = 0; j <= i; ++j)
			m[i * N + j] = m[j * N + i] = i == j ? 4 : 0.2 * draw();
	cn_arena arena = cn_arena_make(allocator);
	cn_lcp_solve(&arena, N, m, q, z, NULL);
	for (int i = 0; i < N; ++i)
		hash = cn_hash_double(hash, z[i]), z[i] = fabs(q[i]);
	double x[N];
	cn_lp_solve(&arena, &(cn_lp){N, N, m, q, z}, x, y, NULL);
	cn_arena_free(&arena);
	for (int i = 0; i < N; ++i)
		hash = cn_hash_double(cn_hash_double(hash, x[i]), y[i]);
	report("lcp", hash);
}

int main(int argc, char **argv)
{
	cairn_allocator allocator = cairn_default_allocator();
	uint32_t threads = 1;
	const char *golden = NULL;
	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--threads") == 0)
			threads = (uint32_t)strtoul(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--golden") == 0)
			golden = argv[i + 1];
	}
	cn_pool *pool = cn_pool_create(&allocator, threads);
	make_shapes(&allocator);
	run_pairs();
	run_broad(&allocator, pool);
	run_fast(&allocator, pool);
	run_exact(&allocator);
	run_lcp(&allocator);
	for (int i = 0; i < KINDS; ++i) {
		cn_solid_free(&allocator, solids[i]);
		cn_shape_free(&allocator, &shapes[i]);
	}
	cn_pool_destroy(pool);
	fputs(found, stdout);
	if (!golden)
		return 0;
	char wanted[sizeof found] = "";
	FILE *file = fopen(golden, "r");
	size_t size = file ? fread(wanted, 1, sizeof wanted - 1, file) : 0;
	wanted[size] = 0;
	if (file)
		fclose(file);
	bool same = strcmp(found, wanted) == 0;
	printf(same ? "as in %s\n" : "NOT as in %s\n", golden);
	return !same;
}
