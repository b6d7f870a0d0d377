/* The text's programs: known answers, its artefacts, and the position program against the form the library solves by
 * default. */
#include "base/hash.h"
#include "geom/contact.h"
#include "num/qp_check.h"
#include "num/qp_exact.h"
#include "num/text_programs.h"

#include "draw.h"
#include "solve_small.h"
#include "test.h"

enum { RANDOM = TEST_FEW ? 60 : 400 };

static const cn_qp_body cube = {1 / 800.0, {6 / 800.0, 0, 0, 6 / 800.0, 0, 6 / 800.0}}; /* edge 1 m, 800 kg */

/* The four lower corners of the cube on a floor. */
static void floor_contacts(cn_qp_contact contacts[4], double mu, double eps)
{
	for (int i = 0; i < 4; ++i)
		contacts[i] = (cn_qp_contact){.a = CN_QP_NONE,
		                              .b = 0,
		                              .n = {0, 0, 1},
		                              .rb = {i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, -0.5},
		                              .mu = mu,
		                              .eps = eps};
}

/* 5 m/s along a floor with mu 0.5, after a frame of gravity. Coulomb: slower by mu g dt, and no more. Least energy over
 * the cone: the velocity is projected on the cone's dual and leaves the floor with mu times the sliding speed, where
 * the octagon has its full mu; on the middles of its faces it has 0.924 mu. */
TEST(a_sliding_block_hops)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_qp_contact contacts[4];
	floor_contacts(contacts, 0.5, 0);
	v3 s, t;
	cn_qp_tangents(contacts[0].n, &s, &t);
	double g = 10, dt = 1 / 30.0, c, sine;
	cn_sincos(CN_PI / 8, &sine, &c);
	for (int corner = 0; corner < 2; ++corner) {
		v3 way = corner ? v3_add(v3_scale(s, c), v3_scale(t, sine)) : s;
		cn_twist u0 = {v3_add(v3_scale(way, 5), v3_make(0, 0, -g * dt)), {0, 0, 0}}, u;
		cn_qp_impulse y[4];
		cn_qp qp = {.body_count = 1, .contact_count = 4, .bodies = &cube, .u0 = &u0, .contacts = contacts};
		cn_qp_solution solution = {.u = &u, .contact = y};
		double mu = corner ? 0.5 : 0.5 * c, slide = (5 - mu * g * dt) / (1 + mu * mu);
		CHECK_INT(cn_text_solve_momentum(&allocator, &qp, &solution).status, CN_QP_SOLVED);
		CHECK_NEAR(u.v.z, mu * slide, 1e-7);
		CHECK_NEAR(v3_dot(u.v, way), slide, 1e-7);
		if (corner)
			CHECK_NEAR(u.v.z, 1.93, 0.005);
		cn_small_options options = {0};
		CHECK_INT(solve_small(&allocator, &qp, &options, &solution).status, CN_QP_SOLVED);
		CHECK_NEAR(u.v.z, 0, 1e-10);
		CHECK_NEAR(v3_dot(u.v, way), 5 - 0.5 * g * dt, 1e-10);
	}
}

/* A ball grazes a floor: 5 m/s along it, 1 m/s into it, mu = eps = 0.3, without turning. Newton's law says 0.3. */
TEST(a_graze_rebounds_too_high)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_qp_body ball = {1, {0, 0, 0, 0, 0, 0}};
	cn_qp_contact contact = {.a = CN_QP_NONE, .b = 0, .n = {0, 0, 1}, .mu = 0.3, .eps = 0.3};
	v3 s, t;
	cn_qp_tangents(contact.n, &s, &t);
	double c, sine;
	cn_sincos(CN_PI / 8, &sine, &c);
	v3 way = v3_add(v3_scale(s, c), v3_scale(t, sine));
	cn_twist u0 = {v3_add(v3_scale(way, 5), v3_make(0, 0, -1)), {0, 0, 0}}, u;
	cn_qp_impulse y;
	cn_qp qp = {.body_count = 1, .contact_count = 1, .bodies = &ball, .u0 = &u0, .contacts = &contact};
	cn_qp_solution solution = {.u = &u, .contact = &y};
	ball.inv_inertia[0] = ball.inv_inertia[3] = ball.inv_inertia[5] = 1;
	CHECK_INT(cn_text_solve_momentum(&allocator, &qp, &solution).status, CN_QP_SOLVED);
	CHECK_NEAR(u.v.z, 1.29, 0.005);
	cn_small_options options = {.bounce = true};
	solve_small(&allocator, &qp, &options, &solution);
	CHECK_NEAR(u.v.z, 0.3, 1e-9);
	CHECK_NEAR(v3_dot(u.v, way), 5 - 0.3 * 1.3, 1e-9);
}

/* Errata 15: between two opposite walls and bouncing off both there is no answer. */
TEST(two_walls_are_infeasible)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_qp_contact contacts[2] = {{.a = CN_QP_NONE, .b = 0, .n = {1, 0, 0}, .rb = {-0.5, 0, 0}, .eps = 0.5},
	                             {.a = CN_QP_NONE, .b = 0, .n = {-1, 0, 0}, .rb = {0.5, 0, 0}, .eps = 0.5}};
	cn_twist u0 = {{0, 0, 0}, {0, 0, 0}}, u;
	cn_qp_impulse y[2];
	cn_qp qp = {.body_count = 1, .contact_count = 2, .bodies = &cube, .u0 = &u0, .contacts = contacts};
	cn_qp_solution solution = {.u = &u, .contact = y};
	CHECK_INT(cn_text_solve_momentum(&allocator, &qp, &solution).status, CN_QP_SOLVED);
	u0.v.x = -1;
	CHECK_INT(cn_text_solve_momentum(&allocator, &qp, &solution).status, CN_QP_INFEASIBLE);
	CHECK_NEAR(u.v.x, -1, 0);
}

/* Forces: a cube at rest is held up by its weight; on a slope within the cone it stays, beyond it it leaves; without
 * friction it slides down. */
TEST(forces)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_qp_contact contacts[4];
	floor_contacts(contacts, 0.5, 0);
	cn_twist a0 = {{0, 0, -10}, {0, 0, 0}}, a;
	cn_qp_impulse f[4], tips[4] = {{0, 0, 0}};
	cn_qp qp = {.body_count = 1, .contact_count = 4, .bodies = &cube, .u0 = &a0, .contacts = contacts};
	cn_qp_solution solution = {.u = &a, .contact = f};
	for (int cones = 0; cones < 2; ++cones) {
		CHECK_INT(cn_text_solve_forces(&allocator, &qp, cones, NULL, &solution).status, CN_QP_SOLVED);
		CHECK_NEAR(f[0].n + f[1].n + f[2].n + f[3].n, 8000, 1e-4);
		CHECK_NEAR(v3_length(a.v), 0, 1e-7);
	}
	v3 s, t;
	cn_qp_tangents(contacts[0].n, &s, &t);
	a0.v = v3_add(v3_make(0, 0, -10), v3_scale(s, 4.5)); /* tan 0.45, and the octagon has 0.462 here */
	CHECK_INT(cn_text_solve_forces(&allocator, &qp, true, NULL, &solution).status, CN_QP_SOLVED);
	CHECK_NEAR(v3_length(a.v), 0, 1e-7);
	CHECK_INT(cn_text_solve_forces(&allocator, &qp, false, NULL, &solution).status, CN_QP_SOLVED);
	CHECK_NEAR(v3_dot(a.v, s), 4.5, 1e-7);
	CHECK_NEAR(a.v.z, 0, 1e-7);
	a0.v = v3_add(v3_make(0, 0, -10),
	              v3_scale(s, 6)); /* slides, and the cone's side lifts it: the artefact that tips mend */
	CHECK_INT(cn_text_solve_forces(&allocator, &qp, true, NULL, &solution).status, CN_QP_SOLVED);
	CHECK(a.v.z > 0.1);
	for (int round = 0; round < 200; ++round) {
		if (!cn_text_move_tips(&qp, &solution, tips))
			break;
		CHECK_INT(cn_text_solve_forces(&allocator, &qp, true, tips, &solution).status, CN_QP_SOLVED);
	}
	CHECK_NEAR(a.v.z, 0, 1e-3);
}

/* ---- A.3.1 */

enum { CUBES = 5, MOST_CONTACTS = CUBES * CUBES * 8 };

typedef struct heap {
	cn_qp_body bodies[CUBES];
	cn_twist u0[CUBES];
	cn_place at[CUBES];
	cn_text_plane planes[CUBES * CUBES];
	cn_text_vertex vertices[CUBES * CUBES * 16];
	cn_qp_contact contacts[MOST_CONTACTS];
	uint32_t plane_count, vertex_count, contact_count;
} heap;

/* A pile of cubes, each a little shifted, turned and tilted on the one below, and a fixed one under it. */
static void make_heap(heap *h, const cn_convex *box, double gap)
{
	*h = (heap){0};
	for (uint32_t i = 0; i < CUBES; ++i) {
		double x = uniform(), y = uniform(), z = uniform(), yaw = uniform(), tilt = uniform(), v = uniform(),
			   w = uniform();
		quat q = q_mul(q_exp(v3_make(0.002 * tilt, 0.002 * x, 0)), q_exp(v3_make(0, 0, 0.6 * yaw)));
		h->at[i] = cn_convex_place(box, (pose){{0.2 * x, 0.2 * y, 1.004 * i + 1e-3 * z}, q});
		h->bodies[i] = i ? cube : (cn_qp_body){0};
		h->u0[i] = i ? (cn_twist){{0.02 * v, 0.02 * w, -0.02}, {0.01 * w, 0.01 * v, 0.01 * x}}
		             : (cn_twist){{0, 0, 0}, {0, 0, 0}};
	}
	for (uint32_t i = 0; i + 1 < CUBES; ++i) {
		uint32_t j = i + 1;
		cn_separation s;
		cn_contact_set set;
		cn_separate(box, &h->at[i], box, &h->at[j], NULL, &s);
		cn_contact_find(&(cn_convex_pair){box, &h->at[i], box, &h->at[j]}, &s, 0.05, &set);
		for (uint32_t k = 0; k < set.count; ++k)
			h->contacts[h->contact_count++] = (cn_qp_contact){.a = i,
			                                                  .b = j,
			                                                  .n = s.n,
			                                                  .ra = set.points[k].a,
			                                                  .rb = set.points[k].b,
			                                                  .least = gap - set.points[k].gap};
		cn_text_plane *plane = &h->planes[h->plane_count++];
		*plane = (cn_text_plane){.a = i, .b = j, .p = v3_add(h->at[i].x, s.a), .n = s.n, .first = h->vertex_count};
		cn_qp_tangents(s.n, &plane->nx, &plane->ny);
		for (int side = 0; side < 2; ++side) {
			uint32_t body = side ? j : i;
			for (uint32_t k = 0; k < 8; ++k) {
				v3 r = cn_place_turn(&h->at[body], box->core.vertices[k]);
				if ((r.z > 0) != (side == 0))
					continue; /* the face that looks at the other one */
				h->vertices[h->vertex_count++] = (cn_text_vertex){r, v3_sub(v3_add(h->at[body].x, r), plane->p)};
				++*(side ? &plane->count_b : &plane->count_a);
			}
		}
	}
}

/* With the plane's unknowns eliminated the rows at the corners of the contact polygon say the same: the two programs
 * have the same answer up to the tilt of faces, which A.3.1 takes to first order at another place. */
TEST(position_forms_agree)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_shape_def def = cairn_default_shape_def(CAIRN_BOX);
	cn_shape shape;
	cairn_error error;
	double worst = 0;
	def.size = v3_make(1, 1, 1);
	REQUIRE(cn_shape_make(&allocator, &def, NULL, 0, &shape, &error));
	for (int k = 0; k < RANDOM; ++k) {
		static heap h;
		make_heap(&h, shape.convex, 1e-3);
		cn_twist u[CUBES], v[CUBES];
		cn_qp_impulse y[MOST_CONTACTS];
		cn_text_position text = {.body_count = CUBES,
		                         .plane_count = h.plane_count,
		                         .vertex_count = h.vertex_count,
		                         .bodies = h.bodies,
		                         .u0 = h.u0,
		                         .planes = h.planes,
		                         .vertices = h.vertices,
		                         .gap = 1e-3,
		                         .most_turn = 0.1};
		cn_qp_result r = cn_text_solve_position(&allocator, &text, u);
		CHECK_INT(r.status, CN_QP_SOLVED);
		cn_qp qp = {.body_count = CUBES,
		            .contact_count = h.contact_count,
		            .bodies = h.bodies,
		            .u0 = h.u0,
		            .contacts = h.contacts};
		cn_qp_solution solution = {.u = v, .contact = y};
		cn_qp_result e = cn_exact_solve(&allocator, &qp, NULL, &solution);
		CHECK_INT(e.status, CN_QP_SOLVED);
		double off = fabs(r.objective - e.objective) / (e.objective > 0 ? e.objective : 1);
		worst = off > worst ? off : worst;
		CHECK(off < 1e-8);
	}
	printf("objectives differ by at most %.2g\n", worst);
	cn_shape_free(&allocator, &shape);
}

static uint64_t hash_twist(uint64_t hash, cn_twist u)
{
	const double x[6] = {u.v.x, u.v.y, u.v.z, u.w.x, u.w.y, u.w.z};
	for (int k = 0; k < 6; ++k)
		hash = cn_hash_double(hash, x[k]);
	return hash;
}

/* A cube on a floor: momentum, forces, and the position program with the floor's plane. */
TEST(same_bits_everywhere)
{
	cairn_allocator allocator = cairn_default_allocator();
	uint64_t hash = CN_HASH_START;
	seed = 21;
	for (int k = 0; k < 20; ++k) {
		double vx = uniform(), vy = uniform(), vz = uniform(), wx = uniform(), wy = uniform(), wz = uniform();
		double mu = 1 + uniform(), eps = 0.5 + 0.5 * uniform();
		cn_qp_contact contacts[4];
		cn_qp_impulse y[4];
		cn_twist u0 = {{vx, vy, vz - 1}, {wx, wy, wz}}, u;
		floor_contacts(contacts, mu, eps);
		cn_qp qp = {.body_count = 1, .contact_count = 4, .bodies = &cube, .u0 = &u0, .contacts = contacts};
		cn_qp_solution solution = {.u = &u, .contact = y};
		for (int which = 0; which < 3; ++which) {
			cn_qp_result r = which ? cn_text_solve_forces(&allocator, &qp, which == 2, NULL, &solution)
			                       : cn_text_solve_momentum(&allocator, &qp, &solution);
			hash = hash_twist(cn_hash_u64(hash, (uint64_t)r.status << 32 | r.sweeps), u);
		}
		cn_text_plane plane = {.a = CN_QP_NONE, .b = 0, .p = {0, 0, 0}, .n = {0, 0, 1}, .count_a = 3, .count_b = 4};
		cn_text_vertex vertices[7] = {{{9, 0, 0}, {9, 0, 0}}, {{-9, 9, 0}, {-9, 9, 0}}, {{-9, -9, 0}, {-9, -9, 0}}};
		for (int i = 0; i < 4; ++i)
			vertices[3 + i] = (cn_text_vertex){contacts[i].rb, v3_add(contacts[i].rb, v3_make(0, 0, 0.5))};
		cn_qp_tangents(plane.n, &plane.nx, &plane.ny);
		u0 = (cn_twist){v3_scale(u0.v, 0.02), v3_scale(u0.w, 0.02)};
		cn_text_position text = {.body_count = 1,
		                         .plane_count = 1,
		                         .vertex_count = 7,
		                         .bodies = &cube,
		                         .u0 = &u0,
		                         .planes = &plane,
		                         .vertices = vertices,
		                         .gap = 1e-3,
		                         .most_turn = 0.1};
		cn_qp_result r = cn_text_solve_position(&allocator, &text, &u);
		CHECK_INT(r.status, CN_QP_SOLVED);
		hash = hash_twist(cn_hash_u64(hash, r.sweeps), u);
	}
	printf("hash of the text's programs %016" PRIx64 "\n", hash);
	CHECK(hash == UINT64_C(0xff9c20a57074e415));
}

TEST_MAIN(TEST_CASE(same_bits_everywhere), TEST_CASE(a_sliding_block_hops), TEST_CASE(a_graze_rebounds_too_high),
          TEST_CASE(two_walls_are_infeasible), TEST_CASE(forces), TEST_CASE(position_forms_agree))
