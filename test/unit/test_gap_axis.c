/* The quick search for an axis (check/gap_axis.c) beside the full one, and gaps of meshes that are measured only up to
 * a limit beside whole ones. */
#include "overlap_things.h"

#include "check/parts.h"

typedef struct setting {
	thing a, b;
	cn_placed pa, pb;
	double bound;
} setting;

/* Two random things some way apart, or overlapping; convex ones, or meshes of the same surface. */
static void set_up(setting *s, bool mesh)
{
	thing *things[2] = {&s->a, &s->b};
	for (int i = 0; i < 2; ++i) {
		make_any(things[i], mesh ? 0 : below(4), 1);
		if (mesh) {
			cn_solid_free(&allocator, things[i]->solid);
			things[i]->shape.def.kind = CAIRN_MESH, things[i]->shape.def.shell = true;
			finish(things[i]);
		}
	}
	v3 d = v3_scale(in_cube(), 3);
	s->bound = cn_gap_bound(&s->a.solid->part, &s->b.solid->part, d);
	s->pa = cn_check_convex_place(&s->a.solid->part, rotation(), v3_scale(d, -0.5));
	s->pb = cn_check_convex_place(&s->b.solid->part, rotation(), v3_scale(d, 0.5));
}

static void put_away(setting *s)
{
	drop(&s->a);
	drop(&s->b);
}

TEST(an_axis_that_is_found_parts_by_more_than_asked)
{
	int found = 0, possible = 0, apart = 0;
	state = 3;
	for (int i = 0; i < FEWER(20000); ++i) {
		setting s;
		set_up(&s, false);
		cn_check_gap gap;
		cn_gap_find(&s.pa, &s.pb, s.bound, v3_make(1, 0, 0), &gap);
		double wanted = gap.least * between(-1, 1.2);
		v3 axis = below(2) ? v3_zero() : direction();
		bool yes = cn_gap_axis(&s.pa, &s.pb, cn_axis_above(wanted), &axis);
		apart += gap.least > 0;
		CHECK(!yes || (cn_gap_along(&s.pa, &s.pb, axis) > wanted - s.bound && gap.most > wanted - s.bound));
		if (gap.least > 0 && wanted < (1 - 1e-3) * gap.least)
			++possible, found += yes;
		put_away(&s);
	}
	CHECK(apart > FEWER(20000) / 4);
	CHECK(found >= 0.999 * possible && possible > 0);
}

TEST(an_axis_is_on_the_same_side_of_what_matters_as_the_gap)
{
	int above = 0, without = 0, possible = 0;
	state = 5;
	for (int i = 0; i < FEWER(20000); ++i) {
		setting s;
		set_up(&s, false);
		cn_check_gap gap;
		cn_gap_find(&s.pa, &s.pb, s.bound, v3_make(1, 0, 0), &gap);
		double matters = gap.least * between(0.9, 1.1);
		cn_axis_wish wish = {4 * gap.least, 0, matters};
		v3 start = below(2) ? v3_zero() : direction(), axis = start, plain = start;
		if (gap.least > 0) {
			(void)cn_gap_axis(&s.pa, &s.pb, wish, &axis);
			wish.matters = -INFINITY;
			(void)cn_gap_axis(&s.pa, &s.pb, wish, &plain);
			CHECK(cn_gap_along(&s.pa, &s.pb, axis) <= gap.most + s.bound);
			if (matters < (1 - 1e-3) * gap.least) {
				above += cn_gap_along(&s.pa, &s.pb, axis) > matters;
				without += cn_gap_along(&s.pa, &s.pb, plain) > matters;
				++possible;
			}
		}
		put_away(&s);
	}
	CHECK(possible > FEWER(20000) / 8 && above >= 0.99 * possible);
	CHECK(without < above); /* else it is no help */
}

TEST(meshes_beyond_a_limit_are_not_measured)
{
	int far = 0, near = 0;
	state = 4;
	for (int i = 0; i < FEWER(4000); ++i) {
		setting s;
		cn_overlap_answer whole, upto;
		set_up(&s, true);
		cn_solid_pair pair = {s.a.solid, &s.pa, s.b.solid, &s.pb};
		cn_mesh_pose(&pair, s.bound, NULL, INFINITY, &whole);
		v3 hint = direction();
		double enough = whole.verdict == CN_APART ? whole.least * between(0.5, 1.5) : between(0, 1);
		cn_mesh_pose(&pair, s.bound, &hint, enough, &upto);
		CHECK_INT(upto.verdict, whole.verdict);
		if (!(upto.most < INFINITY)) {
			++far;
			CHECK(upto.least >= enough - s.bound && whole.least >= enough - 2 * s.bound);
		} else if (whole.verdict == CN_APART) {
			++near;
			CHECK(fabs(upto.least - whole.least) <= 2 * s.bound && fabs(upto.most - whole.most) <= 2 * s.bound);
		}
		put_away(&s);
	}
	CHECK(far > FEWER(4000) / 20 && near > FEWER(4000) / 20);
}

int main(int argc, char **argv)
{
	static const test_case cases[] = {TEST_CASE(an_axis_that_is_found_parts_by_more_than_asked),
	                                  TEST_CASE(an_axis_is_on_the_same_side_of_what_matters_as_the_gap),
	                                  TEST_CASE(meshes_beyond_a_limit_are_not_measured)};
	allocator = cairn_default_allocator();
	return test_run(cases, CN_COUNT(cases), argc > 1 ? argv[1] : NULL);
}
