/* Joints that ask for what can hardly be: rods in one line with another joint, and drives without bound. */
#include "test.h"
#include "yard.h"

static const v3 none = {0, 0, 0};
static const cairn_body world = {0, 0};

static void hold(cairn_scene *s, cairn_joint_type type, cairn_body a, cairn_body b, v3 point, v3 point_b)
{
	cairn_joint_def d = cairn_default_joint_def();
	d.type = type, d.a = a, d.b = b, d.point = point, d.point_b = point_b, d.axis = v3_make(0, 1, 0);
	CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
}

/* Two boxes, the first of which turns about all axes, with a joint at the origin and a rod from one to a point of the other. */
static void in_line(cairn_joint_type type, double to)
{
	cairn_scene *s = yard_scene(none);
	cairn_material m = yard_material(s, 0, 0);
	cairn_shape box = yard_box(s, 1, 0.2, 0.3);
	cairn_body_def d = yard_body(box, m, v3_make(-0.6, 0, 0));
	d.spin = v3_make(3, 4, -2);
	cairn_body a = cairn_scene_add_body(s, &d, NULL), b = yard_add(s, box, m, v3_make(0.6, 0, 0), none);
	hold(s, type, a, b, none, none);
	hold(s, CAIRN_DISTANCE, a, b, v3_make(-0.6, 0, 0), v3_make(to, 0, 0));
	yard y = yard_open(s, 1);
	double turned = 0;
	for (int i = 0; i < 60 && yard_step(&y); ++i) {
		cairn_key p = yard_key(&y, a), q = yard_key(&y, b);
		v3 along = q_rotate(p.orientation, v3_make(1, 0, 0));
		CHECK(v3_distance(along, q_rotate(q.orientation, v3_make(1, 0, 0))) < 1e-9);
		CHECK(y.report.joint_error < 1e-9);
		turned = v3_distance(q_rotate(p.orientation, v3_make(0, 1, 0)), q_rotate(q.orientation, v3_make(0, 1, 0)));
		if (type == CAIRN_HINGE)
			CHECK(turned < 1e-9);
	}
	if (type == CAIRN_BALL)
		CHECK(turned > 0.01); /* about the line they are free */
	yard_no_gain(&y);
	yard_close(&y);
}

/* A rod that is as long as a ball or hinge lets it be at most, or at least, holds its bodies in line: its length alone has no
 * slope there, and steps in which it gave way were refined without end, or shot the bodies off. */
TEST(rods_hold_bodies_in_line)
{
	in_line(CAIRN_BALL, 0.6);
	in_line(CAIRN_HINGE, 0.6);
	in_line(CAIRN_BALL, -0.3);
}

/* One that could be shorter and longer takes one freedom, and is left as it is. */
TEST(other_rods_do_not)
{
	cairn_scene *s = yard_scene(none);
	cairn_material m = yard_material(s, 0, 0);
	cairn_shape box = yard_box(s, 1, 0.2, 0.3);
	cairn_body_def d = yard_body(box, m, v3_make(-0.6, 0, 0));
	d.spin = v3_make(0, 0, 2);
	cairn_body a = cairn_scene_add_body(s, &d, NULL), b = yard_add(s, box, m, v3_make(0.6, 0, 0), none);
	hold(s, CAIRN_BALL, a, b, none, none);
	hold(s, CAIRN_DISTANCE, a, b, v3_make(-0.6, 0, 0), v3_make(0.6, 0, 0.2));
	yard y = yard_open(s, 1);
	bool bent = false;
	for (int i = 0; i < 60 && yard_step(&y); ++i) {
		cairn_key p = yard_key(&y, a), q = yard_key(&y, b);
		v3 along = q_rotate(p.orientation, v3_make(1, 0, 0));
		bent |= v3_distance(along, q_rotate(q.orientation, v3_make(1, 0, 0))) > 0.01;
		CHECK(y.report.joint_error < 1e-9);
	}
	CHECK(bent);
	yard_no_gain(&y);
	yard_close(&y);
}

/* A torque without bound and without load whips a chain round. It goes on as fast as keys can show, and no frame is refused. */
TEST(rigs_without_bound_are_slowed)
{
	for (int loop = 0; loop < 2; ++loop) {
		cairn_scene *s = yard_scene(none);
		cairn_material m = yard_material(s, 0, 0);
		cairn_shape box = yard_box(s, 1, 0.1, 0.2);
		cairn_joint_def motor = cairn_default_joint_def();
		cairn_body last = yard_add(s, box, m, v3_make(0.6, 0, 0), none);
		motor.type = CAIRN_HINGE, motor.a = world, motor.b = last, motor.axis = v3_make(0, 1, 0);
		motor.motor = CAIRN_MOTOR_FORCE, motor.most = 1e7;
		CHECK(cairn_scene_add_joint(s, &motor, NULL).generation);
		for (int i = 1; i < 3; ++i) {
			cairn_body next = yard_add(s, box, m, v3_make(0.6 + 1.2 * i, 0, 0), none);
			hold(s, CAIRN_BALL, last, next, v3_make(1.2 * i, 0, 0), none);
			if (loop && i == 2)
				hold(s, CAIRN_DISTANCE, last, next, v3_make(1.2 * i, 0, 0.3), v3_make(1.2 * i, 0.4, 0));
			last = next;
		}
		cairn_world *w = yard_world(s, 1);
		cairn_scene_destroy(s);
		for (int i = 0; i < 4; ++i)
			CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
		cairn_world_destroy(w);
	}
}

TEST_MAIN(TEST_CASE(rods_hold_bodies_in_line), TEST_CASE(other_rods_do_not), TEST_CASE(rigs_without_bound_are_slowed))
