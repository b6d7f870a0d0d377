/* Meshes watched through the pieces of a frame (check/frame_watch.c) beside the check of single motions: what is proved
 * is what that proves too, and the gap that is told at the end of a piece is there. */
#include "overlap_things.h"

#include "check/frame_parts.h"

static const double RATIO[3] = {1, 1, 0.02}; /* of the second body's size */

/* An open part of the surface of a hull, a closed one, or something convex. */
static void make_side(thing *t, double size)
{
	uint32_t kind = below(4);
	if (kind == 3) {
		make_any(t, below(4), size);
		return;
	}
	make_cloud(t, 6 + below(20), v3_make(size, 0.7 * size, 0.5 * size), true);
	if (kind == 2)
		return;
	cn_solid_free(&allocator, t->solid);
	t->shape.def.shell = true;
	t->shape.triangle_count = t->triangle_count = t->triangle_count * (kind + 1) / 3;
	finish(t);
}

typedef struct mover {
	thing thing;
	cn_check_leg leg;
	cn_track track;
} mover;

static void set_off(mover *m, v3 x, v3 *center)
{
	cn_check_part part = {m->thing.solid, pose_identity()};
	*center = v3_scale(in_cube(), 0.3 * m->thing.size);
	m->track = (cn_track){.in_body = {v3_neg(*center), q_identity()}, .x1 = x, .q0 = rotation(), .turn = v3_zero()};
	m->leg = (cn_check_leg){.x1 = x, .end = cn_check_placed(&part, *center, m->track.q0)};
	m->leg.rho = cn_check_convex_radius(&m->thing.solid->part, m->track.in_body);
	m->leg.reach = m->thing.solid->part.reach + v3_length(*center);
}

/* On from where it is. */
static void move_on(mover *m, v3 center, v3 way, v3 turn)
{
	cn_check_part part = {m->thing.solid, pose_identity()};
	m->track.q0 = q_unit(q_mul(q_exp(m->track.turn), m->track.q0));
	m->track.x0 = m->track.x1, m->track.x1 = v3_add(m->track.x0, way), m->track.turn = turn;
	m->leg.start = m->leg.end, m->leg.x0 = m->track.x0, m->leg.x1 = m->track.x1, m->leg.turn = turn;
	m->leg.end = cn_check_placed(&part, center, q_unit(q_mul(q_exp(turn), m->track.q0)));
}

static pose end_of(const mover *m)
{
	return pose_mul((pose){m->track.x1, q_unit(q_mul(q_exp(m->track.turn), m->track.q0))}, m->track.in_body);
}

typedef struct tally {
	int pieces, proved, apart, near;
} tally;

/* Two bodies that fly at each other, or go side by side, in pieces; every few of them a frame ends. */
static void follow(tally *t)
{
	mover a, b;
	v3 center_a, center_b, off = v3_scale(direction(), between(0.6, 2.2));
	double ratio = RATIO[below(3)], speed = between(0, 1) < 0.5 ? between(0, 0.3) : between(0, 0.02);
	make_side(&a.thing, 1);
	make_side(&b.thing, ratio);
	set_off(&a, v3_zero(), &center_a);
	set_off(&b, off, &center_b);
	cn_watched known[CN_WATCH_MOST];
	cn_watch w = {.a = a.thing.solid, .b = b.thing.solid, .usual = between(0, 0.01), .enough = between(0.01, 0.04)};
	cn_overlap_answer start;
	cn_overlap_pose(w.a, end_of(&a), w.b, end_of(&b), NULL, &start);
	bool sound = start.verdict == CN_APART && (w.a->mesh || w.b->mesh);
	v3 common = v3_scale(direction(), speed), toward = v3_scale(v3_unit(off), -between(0, 0.2));
	cn_watch_begin(&w, NULL, 0);
	for (int i = 0; i < 10 && sound; ++i, ++t->pieces) {
		cn_passage p;
		move_on(&a, center_a, common, v3_scale(direction(), between(0, 6 * speed)));
		move_on(&b, center_b, v3_add(common, toward), v3_scale(direction(), between(0, 6 * speed)));
		bool proved = cn_watch_piece(&w, &a.leg, &b.leg);
		cn_overlap_motion(&(cn_moving_solid){w.a, &a.track}, &(cn_moving_solid){w.b, &b.track}, NULL, 20000, NULL, &p);
		cn_overlap_pose(w.a, end_of(&a), w.b, end_of(&b), NULL, &start);
		CHECK(!proved || p.verdict == CN_APART);
		CHECK(!proved || (start.verdict == CN_APART && w.gap <= start.most + 1e-13));
		t->proved += proved, t->apart += p.verdict == CN_APART, t->near += proved && start.most < 0.05;
		sound = p.verdict == CN_APART && start.verdict == CN_APART;
		if (i % 4 == 3) {
			cn_watch_end(&w, known);
			cn_watch_begin(&w, known, w.count);
		}
	}
	drop(&a.thing);
	drop(&b.thing);
}

TEST(what_is_watched_is_clean)
{
	tally t = {0};
	state = 7;
	for (int i = 0; i < FEWER(6000); ++i)
		follow(&t);
	CHECK(t.pieces > FEWER(6000) * 3 && t.near > t.pieces / 100);
	CHECK(t.proved >= 0.98 * t.apart);
}

int main(int argc, char **argv)
{
	static const test_case cases[] = {TEST_CASE(what_is_watched_is_clean)};
	allocator = cairn_default_allocator();
	return test_run(cases, CN_COUNT(cases), argc > 1 ? argv[1] : NULL);
}
