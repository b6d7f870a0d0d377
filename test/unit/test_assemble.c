/* Goals: each kind is met from random starts, figures keep to their joints, and what cannot be met is told. */
#include "hardship.h"
#include "random.h"

static cairn_scene *pair_scene(uint64_t *state, cairn_shape_kind kind)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_material m = yard_material(s, 0, 0);
	cairn_shape round = kind == CAIRN_BOX ? yard_box(s, 0.5, 0.7, 0.9) : yard_round(s, kind, 0.4, 0.6);
	cairn_body_def a = yard_body(yard_box(s, 0.2, 0.3, 0.4), m, v3_scale(random_in_cube(state), 3));
	a.pose.orientation = random_turn(state);
	cairn_body_def b = yard_body(round, m, v3_scale(random_in_cube(state), 3));
	b.pose.orientation = random_turn(state);
	CHECK(cairn_scene_add_body(s, &a, NULL).generation && cairn_scene_add_body(s, &b, NULL).generation);
	return s;
}

static cairn_goal_def goal_of(cairn_goal_kind kind)
{
	cairn_goal_def g = cairn_default_goal_def(kind);
	g.a = (cairn_body){0, 1}, g.b = kind == CAIRN_GOAL_FIXED_POINT ? (cairn_body){0, 0} : (cairn_body){1, 1};
	g.point = v3_make(0.03, -0.02, 0.2), g.point_b = v3_make(0.1, 0.05, -0.3);
	g.target = v3_make(1, 2, 3);
	return g;
}

/* The misses again, by poses alone. */
static double miss_of(const cairn_scene *s, cairn_goal_def g, const cairn_pose *p)
{
	v3 at = pose_apply(p[0], g.point), n = q_rotate(p[0].orientation, v3_make(0, 0, 1));
	v3 local = q_unrotate(p[1].orientation, v3_sub(at, p[1].position));
	cairn_shape_def b = cairn_scene_shape_at(s, 0);
	double radius = b.radius, far = v3_length(local) - radius;
	switch (g.kind) {
	case CAIRN_GOAL_FIXED_POINT: return v3_distance(at, g.target);
	case CAIRN_GOAL_POINT_TO_POINT: return v3_distance(at, pose_apply(p[1], g.point_b));
	case CAIRN_GOAL_ABUTTING:
		return v3_distance(at, pose_apply(p[1], g.point_b)) +
		       v3_length(v3_add(n, q_rotate(p[1].orientation, v3_unit(g.normal_b))));
	case CAIRN_GOAL_FLOATING: return fabs(far);
	default: return fabs(far) + v3_length(v3_add(n, v3_unit(v3_sub(at, p[1].position))));
	}
}

TEST(every_kind_is_met_from_a_hundred_starts)
{
	uint64_t state = 7;
	for (int kind = 0; kind <= CAIRN_GOAL_FLOATING_ABUTTING; ++kind)
		for (int i = 0; i < 100; ++i) {
			cairn_scene *s = pair_scene(&state, CAIRN_SPHERE);
			cairn_goal_def g = goal_of((cairn_goal_kind)kind);
			g.normal_b = v3_make(0, 0.6, -0.8);
			cairn_pose poses[2];
			cairn_goal_miss miss;
			cairn_assembly found;
			CHECK(cairn_scene_add_goal(s, &g, NULL));
			CHECK(cairn_scene_assemble(s, poses, &miss, &found, NULL));
			CHECK(found.end == CAIRN_ASSEMBLED && miss.distance <= 1e-9 && miss.angle <= 1e-9);
			CHECK(miss_of(s, g, poses) <= 3e-9);
			cairn_scene_destroy(s);
		}
}

/* Edges and rims are places where a normal jumps: those starts may end there, and say so. */
TEST(surfaces_with_edges_are_met_or_told)
{
	const cairn_shape_kind kinds[] = {CAIRN_BOX, CAIRN_CAPSULE, CAIRN_CYLINDER};
	uint64_t state = 11;
	uint32_t met = 0;
	for (int i = 0; i < 90; ++i) {
		cairn_scene *s = pair_scene(&state, kinds[i % 3]);
		cairn_goal_def g = goal_of(i & 1 ? CAIRN_GOAL_FLOATING : CAIRN_GOAL_FLOATING_ABUTTING);
		cairn_pose poses[2];
		cairn_goal_miss miss;
		cairn_assembly found;
		CHECK(cairn_scene_add_goal(s, &g, NULL) && cairn_scene_assemble(s, poses, &miss, &found, NULL));
		met += found.end == CAIRN_ASSEMBLED;
		CHECK(found.end != CAIRN_ASSEMBLED || (miss.distance <= 1e-9 && miss.angle <= 1e-9));
		cairn_scene_destroy(s);
	}
	CHECK(met >= 80); /* the rest ends where an edge of a box or a rim of a cylinder is in the way */
}

/* An arm of two links on a hinge at the world: its hand goes where it is asked to, joints stay together. */
static cairn_scene *arm_scene(double reach)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_material m = yard_material(s, 0, 0);
	cairn_shape stick = yard_box(s, 0.1, 0.1, 1);
	cairn_body upper = yard_add(s, stick, m, v3_make(0, 0, 0.5), v3_zero());
	cairn_body fore = yard_add(s, stick, m, v3_make(0, 0, 1.5), v3_zero());
	cairn_joint_def j = cairn_default_joint_def();
	j.type = CAIRN_HINGE, j.a = (cairn_body){0, 0}, j.b = upper, j.axis = v3_make(0, 1, 0);
	CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	j.a = upper, j.b = fore, j.point = v3_make(0, 0, 1), j.has_limits = true, j.low = -0.5, j.high = 2.5;
	j.motor = CAIRN_MOTOR_SERVO, j.target = 0.4, j.stiffness = 1, j.most = 1;
	CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	cairn_goal_def g = cairn_default_goal_def(CAIRN_GOAL_FIXED_POINT);
	g.a = fore, g.point = v3_make(0, 0, 0.5), g.target = v3_make(0.6 * reach, 0, 0.8 * reach);
	CHECK(cairn_scene_add_goal(s, &g, NULL));
	return s;
}

TEST(an_arm_reaches_and_starts_there)
{
	cairn_scene *s = arm_scene(1.2);
	cairn_pose poses[2];
	cairn_goal_miss miss;
	cairn_assembly found;
	CHECK(cairn_scene_assemble(s, poses, &miss, &found, NULL) && found.end == CAIRN_ASSEMBLED);
	CHECK(found.coordinates == 2);
	v3 elbow = pose_apply(poses[0], v3_make(0, 0, 0.5));
	CHECK(v3_distance(elbow, pose_apply(poses[1], v3_make(0, 0, -0.5))) < 1e-12);
	/* two sides of 1 m and one of 1.2 m */
	double bent = 2 * acos(0.6);
	CHECK(cairn_scene_place(s, poses, NULL));
	cairn_joint_def j = cairn_scene_joint_at(s, 1);
	CHECK(fabs(j.low + 0.5 + bent) < 1e-9 && fabs(j.high - 2.5 + bent) < 1e-9 && fabs(j.target - 0.4 + bent) < 1e-9);
	CHECK(v3_distance(j.point, elbow) < 1e-12);
	cairn_scene *copy = cairn_scene_copy(s);
	CHECK(copy && cairn_scene_goal_count(copy) == 1 && cairn_scene_goal_at(copy, 0).point.z == 0.5);
	cairn_world *w = cairn_world_create(copy, NULL, NULL);
	CHECK(w && cairn_world_step(w).status == CAIRN_STEP_OK);
	cairn_world_destroy(w);
	cairn_scene_destroy(copy);
	cairn_scene_destroy(s);
}

/* Out of reach: the nearest that an arm can be is straight, and that is a minimum of the energy. */
TEST(what_cannot_be_met_ends_nearest)
{
	cairn_scene *s = arm_scene(2.5);
	cairn_pose poses[2];
	cairn_goal_miss miss;
	cairn_assembly found;
	CHECK(cairn_scene_assemble(s, poses, &miss, &found, NULL) && found.end == CAIRN_ASSEMBLY_VALLEY);
	CHECK(fabs(miss.distance - 0.5) < 1e-6 && fabs(found.energy - 0.25) < 1e-9);
	CHECK(found.slope < 1e-3);
	cairn_scene_destroy(s);
}

TEST(weights_share_what_contradicts)
{
	uint64_t state = 3;
	cairn_scene *s = pair_scene(&state, CAIRN_SPHERE);
	cairn_goal_def g = goal_of(CAIRN_GOAL_FIXED_POINT);
	cairn_pose poses[2];
	cairn_goal_miss misses[2];
	cairn_assembly found;
	g.target = v3_zero();
	CHECK(cairn_scene_add_goal(s, &g, NULL));
	g.target = v3_make(4, 0, 0), g.weight = 3;
	CHECK(cairn_scene_add_goal(s, &g, NULL) && cairn_scene_assemble(s, poses, misses, &found, NULL));
	CHECK(found.end == CAIRN_ASSEMBLY_VALLEY && fabs(misses[0].distance - 3) < 1e-6 && fabs(found.energy - 12) < 1e-9);
	cairn_scene_destroy(s);
}

static void refuse(cairn_scene *s, cairn_goal_def g, const char *field, const char *words)
{
	cairn_error e = {0};
	CHECK(!cairn_scene_add_goal(s, &g, &e) && e.code == CAIRN_INVALID);
	CHECK(strcmp(e.path, field) == 0 && strstr(e.message, words));
}

TEST(bad_goals_are_refused)
{
	uint64_t state = 5;
	cairn_scene *s = pair_scene(&state, CAIRN_SPHERE);
	cairn_body floor = yard_plane(s, yard_material(s, 0, 0), v3_make(0, 0, 1), -9);
	cairn_goal_def g = goal_of(CAIRN_GOAL_FLOATING);
	g.weight = 0;
	refuse(s, g, "weight", "above 0");
	g = goal_of(CAIRN_GOAL_FLOATING), g.b = g.a;
	refuse(s, g, "bodies", "two different");
	g = goal_of(CAIRN_GOAL_POINT_TO_POINT), g.gap = 1;
	refuse(s, g, "gap", "has no gap");
	g = goal_of(CAIRN_GOAL_ABUTTING), g.gap = -1;
	refuse(s, g, "gap", "from 0");
	g = goal_of(CAIRN_GOAL_FIXED_POINT), g.a = floor;
	refuse(s, g, "body", "not dynamic");
	g = goal_of(CAIRN_GOAL_FIXED_POINT), g.target.x = NAN;
	refuse(s, g, "target", "three numbers");
	g = goal_of(CAIRN_GOAL_FIXED_POINT), g.a = (cairn_body){9, 1};
	refuse(s, g, "body", "of this scene");
	g = goal_of((cairn_goal_kind)17);
	refuse(s, g, "type", "unknown");
	cairn_scene_destroy(s);
}

TEST(rings_and_rods_are_refused)
{
	for (int k = 0; k < 2; ++k) {
		cairn_scene *s = arm_scene(1);
		cairn_joint_def j = cairn_default_joint_def();
		cairn_pose poses[2];
		cairn_goal_miss miss;
		cairn_assembly found;
		cairn_error e = {0};
		j.type = k ? CAIRN_DISTANCE : CAIRN_BALL, j.a = (cairn_body){0, 0}, j.b = (cairn_body){1, 1};
		j.point = v3_make(0, 0, 2), j.point_b = v3_make(0, 0, 1.5);
		CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
		CHECK(!cairn_scene_assemble(s, poses, &miss, &found, &e) && strstr(e.message, k ? "distance" : "ring"));
		cairn_scene_destroy(s);
	}
}

TEST(a_start_that_tears_joints_is_refused)
{
	cairn_scene *s = arm_scene(1);
	cairn_pose poses[2] = {cairn_scene_body_at(s, 0).pose, cairn_scene_body_at(s, 1).pose};
	cairn_error e = {0};
	poses[1].position.x += 0.01;
	CHECK(!cairn_scene_place(s, poses, &e) && strstr(e.message, "does not hold"));
	poses[1].position.x = NAN;
	CHECK(!cairn_scene_place(s, poses, &e) && strstr(e.message, "no place"));
	CHECK(cairn_scene_body_at(s, 1).pose.position.x == 0);
	cairn_scene_destroy(s);
}

TEST_MAIN(TEST_CASE(every_kind_is_met_from_a_hundred_starts), TEST_CASE(surfaces_with_edges_are_met_or_told),
          TEST_CASE(an_arm_reaches_and_starts_there), TEST_CASE(what_cannot_be_met_ends_nearest),
          TEST_CASE(weights_share_what_contradicts), TEST_CASE(bad_goals_are_refused),
          TEST_CASE(rings_and_rods_are_refused), TEST_CASE(a_start_that_tears_joints_is_refused))
