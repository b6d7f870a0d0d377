/* The part of the sweep (qp_fast_kernel.h) that knows no friction: vectors of lanes, states of bodies in registers, and
 * the steps of flat and normal rows. */
#ifndef CN_QP_FAST_KERNEL_NORMAL_H
#define CN_QP_FAST_KERNEL_NORMAL_H

#include "num/qp_fast_parts.h"
#include "num/tolerance.h"

#include "num/lanes.h"

typedef struct vec {
	cn_lanes x, y, z;
} vec;

typedef struct twist {
	vec v, x;
} twist;

/* What is added up over a chunk. */
typedef struct sums {
	cn_lanes onward, change, largest;
} sums;

CN_LANES_INLINE cn_lanes field(const float *at, int index) { return lanes_load(at + index * CN_LANES); }
CN_LANES_INLINE void set_field(float *at, int index, cn_lanes x) { lanes_store(at + index * CN_LANES, x); }
CN_LANES_INLINE vec field3(const float *at, int index)
{
	return (vec){field(at, index), field(at, index + 1), field(at, index + 2)};
}

CN_LANES_INLINE cn_lanes dot(vec a, vec b)
{
	return lanes_add(lanes_add(lanes_mul(a.x, b.x), lanes_mul(a.y, b.y)), lanes_mul(a.z, b.z));
}
CN_LANES_INLINE vec minus(vec a, vec b) { return (vec){lanes_sub(a.x, b.x), lanes_sub(a.y, b.y), lanes_sub(a.z, b.z)}; }
CN_LANES_INLINE vec times(vec a, cn_lanes s) { return (vec){lanes_mul(a.x, s), lanes_mul(a.y, s), lanes_mul(a.z, s)}; }
CN_LANES_INLINE vec plus(vec a, vec b) { return (vec){lanes_add(a.x, b.x), lanes_add(a.y, b.y), lanes_add(a.z, b.z)}; }

/* A state is two vectors of four, (dv, x.x) and (x.y, x.z, 0, 0). */
CN_LANES_INLINE cn_lanes two(const cn_fast_state *states, const uint32_t *body, int lane, int part)
{
	return lanes_both(vf4_load(states[body[lane]].f + part), vf4_load(states[body[lane + 4]].f + part));
}

CN_LANES_INLINE twist gather(const cn_fast_state *states, const uint32_t *body)
{
	cn_lanes a = two(states, body, 0, 0), b = two(states, body, 1, 0), c = two(states, body, 2, 0);
	cn_lanes d = two(states, body, 3, 0);
	cn_lanes low = lanes_low_pairs(two(states, body, 0, 4), two(states, body, 1, 4));
	cn_lanes high = lanes_low_pairs(two(states, body, 2, 4), two(states, body, 3, 4));
	lanes_transpose(&a, &b, &c, &d);
	return (twist){{a, b, c}, {d, lanes_low_halves(low, high), lanes_high_halves(low, high)}};
}

CN_LANES_INLINE void put_two(cn_fast_state *states, const uint32_t *body, int lane, cn_lanes front, cn_lanes back)
{
	lanes_store(states[body[lane]].f, lanes_los(front, back));
	lanes_store(states[body[lane + 4]].f, lanes_his(front, back));
}

CN_LANES_INLINE void scatter(cn_fast_state *states, const uint32_t *body, twist t)
{
	cn_lanes a = t.v.x, b = t.v.y, c = t.v.z, d = t.x.x, zero = lanes_all(0);
	cn_lanes low = lanes_low_pairs(t.x.y, t.x.z), high = lanes_high_pairs(t.x.y, t.x.z);
	lanes_transpose(&a, &b, &c, &d);
	put_two(states, body, 0, a, lanes_low_halves(low, zero));
	put_two(states, body, 1, b, lanes_high_halves(low, zero));
	put_two(states, body, 2, c, lanes_low_halves(high, zero));
	put_two(states, body, 3, d, lanes_high_halves(high, zero));
}

/* D d of a step d; lanes without a row have a step of 0. */
CN_LANES_INLINE void measure(sums *to, cn_lanes d, cn_lanes step)
{
	cn_lanes change = lanes_where(step, lanes_all(0), lanes_div(d, step));
	to->change = lanes_add(to->change, lanes_mul(change, change));
	to->largest = lanes_larger(lanes_abs(change), to->largest);
}

/* A multiplier on its way: where it ended in the sweep before last and in the last one, and where it goes on to. */
typedef struct way {
	cn_lanes went, y;
} way;

CN_LANES_INLINE way go_on(float *at, int y, int last, const cn_fast_pass *pass)
{
	cn_lanes end = field(at, y), went = lanes_sub(end, field(at, last));
	set_field(at, last, end);
	return (way){went, lanes_add(end, lanes_mul(lanes_all(pass->beta), went))};
}

/* The fields of every row without friction stand in this order. */
enum { PUSH_B, PUSH_STEP, PUSH_Y, PUSH_LAST };
static_assert(NORMAL_STEP == NORMAL_B + PUSH_STEP && NORMAL_Y == NORMAL_B + PUSH_Y &&
                  NORMAL_LAST == NORMAL_B + PUSH_LAST,
              "fields of a push");
static_assert(FLAT_STEP == FLAT_B + PUSH_STEP && FLAT_Y == FLAT_B + PUSH_Y && FLAT_LAST == FLAT_B + PUSH_LAST,
              "fields of a push");

CN_LANES_INLINE cn_lanes push(float *at, cn_lanes lack, const cn_fast_pass *pass, sums *to)
{
	way w = go_on(at, PUSH_Y, PUSH_LAST, pass);
	cn_lanes step = field(at, PUSH_STEP), wanted = lanes_add(w.y, lanes_mul(lack, step));
	/* The states get the step that y took, rounding and all, or they would drift apart. */
	cn_lanes reached = lanes_where(wanted, lanes_all(CN_FAST_FLUSH), wanted), d = lanes_sub(reached, w.y);
	set_field(at, PUSH_Y, reached);
	to->onward = lanes_add(to->onward, lanes_mul(lack, w.went));
	if (pass->measure)
		measure(to, d, step);
	return d;
}

/* dv, and what stands beside it. */
typedef struct speeds {
	vec v;
	cn_lanes beside;
} speeds;

CN_LANES_INLINE speeds gather_speeds(const cn_fast_state *states, const uint32_t *body)
{
	cn_lanes a = two(states, body, 0, 0), b = two(states, body, 1, 0), c = two(states, body, 2, 0);
	cn_lanes d = two(states, body, 3, 0);
	lanes_transpose(&a, &b, &c, &d);
	return (speeds){{a, b, c}, d};
}

CN_LANES_INLINE void put_front(cn_fast_state *states, const uint32_t *body, int lane, cn_lanes front)
{
	vf4_store(states[body[lane]].f, lanes_lo(front));
	vf4_store(states[body[lane + 4]].f, lanes_hi(front));
}

CN_LANES_INLINE void scatter_speeds(cn_fast_state *states, const uint32_t *body, speeds s)
{
	lanes_transpose(&s.v.x, &s.v.y, &s.v.z, &s.beside);
	put_front(states, body, 0, s.v.x);
	put_front(states, body, 1, s.v.y);
	put_front(states, body, 2, s.v.z);
	put_front(states, body, 3, s.beside);
}

CN_LANES_INLINE void sweep_flat(const cn_fast *fast, const cn_fast_batch *batch, const cn_fast_pass *pass, sums *to,
                                bool warm)
{
	float *data = fast->data + batch->data, *at = data + FLAT_HEAD * CN_LANES;
	speeds a = gather_speeds(fast->state, batch->body[0]), b = gather_speeds(fast->state, batch->body[1]);
	cn_lanes mass_a = field(data, FLAT_MASS_A), mass_b = field(data, FLAT_MASS_B), mass = lanes_add(mass_a, mass_b);
	vec n = field3(data, FLAT_N);
	cn_lanes speed = dot(n, minus(b.v, a.v)), sum = lanes_all(0);
	for (int i = 0; i < batch->points; ++i, at += FLAT_POINT * CN_LANES) {
		cn_lanes d =
			warm ? field(at, FLAT_Y) : push(at + FLAT_B * CN_LANES, lanes_sub(field(at, FLAT_B), speed), pass, to);
		speed = lanes_add(speed, lanes_mul(mass, d));
		sum = lanes_add(sum, d);
	}
	b.v = plus(b.v, times(n, lanes_mul(mass_b, sum)));
	a.v = minus(a.v, times(n, lanes_mul(mass_a, sum)));
	scatter_speeds(fast->state, batch->body[0], a);
	scatter_speeds(fast->state, batch->body[1], b);
}

typedef struct normal_run {
	const cn_fast_batch *batch;
	twist a, b;
	cn_lanes speed, sum, mass;
	float *data, *at;
} normal_run;

CN_LANES_INLINE normal_run normal_begin(const cn_fast *fast, const cn_fast_batch *batch)
{
	normal_run run = {.batch = batch, .data = fast->data + batch->data};
	run.a = gather(fast->state, batch->body[0]);
	run.b = gather(fast->state, batch->body[1]);
	run.at = run.data + NORMAL_HEAD * CN_LANES;
	run.mass = lanes_add(field(run.data, NORMAL_MASS_A), field(run.data, NORMAL_MASS_B));
	run.speed = dot(field3(run.data, NORMAL_N), minus(run.b.v, run.a.v));
	run.sum = lanes_all(0);
	return run;
}

CN_LANES_INLINE void normal_point(normal_run *run, const cn_fast_pass *pass, sums *to, bool warm)
{
	vec ja = field3(run->at, NORMAL_JA), jb = field3(run->at, NORMAL_JB);
	cn_lanes d = field(run->at, NORMAL_Y);
	if (!warm) {
		cn_lanes turning = lanes_sub(dot(ja, run->a.x), dot(jb, run->b.x));
		d = push(run->at + NORMAL_B * CN_LANES, lanes_add(lanes_sub(field(run->at, NORMAL_B), run->speed), turning),
		         pass, to);
	}
	run->speed = lanes_add(run->speed, lanes_mul(run->mass, d));
	run->sum = lanes_add(run->sum, d);
	run->b.x = plus(run->b.x, times(jb, d));
	run->a.x = minus(run->a.x, times(ja, d));
	run->at += NORMAL_POINT * CN_LANES;
}

CN_LANES_INLINE void normal_end(const cn_fast *fast, normal_run *run)
{
	vec n = field3(run->data, NORMAL_N);
	run->b.v = plus(run->b.v, times(n, lanes_mul(field(run->data, NORMAL_MASS_B), run->sum)));
	run->a.v = minus(run->a.v, times(n, lanes_mul(field(run->data, NORMAL_MASS_A), run->sum)));
	scatter(fast->state, run->batch->body[0], run->a);
	scatter(fast->state, run->batch->body[1], run->b);
}

#endif
