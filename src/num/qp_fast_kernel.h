/* The sweep over a chunk's batches, included once for each width of the lanes (lanes.h); static, so that each has
 * its own. For every point the step that meets its row, cut to its cone, with the states of the two bodies in
 * registers from a group's first point to its last:
 *
 *   flat, normal
 *             d = max(0, y + (b - value)/D) - y
 *   Coulomb   the normal; then both tangents by their common effective mass, scaled onto the disc mu y_n
 *   row       y+ - y- of the two bounds: with equal ones no projection is left
 *
 * y first goes on by beta times its last change; the states have done so already. */
#ifndef CN_QP_FAST_KERNEL_H
#define CN_QP_FAST_KERNEL_H

#include "num/qp_fast_kernel_normal.h"
#include "num/tolerance.h"

/* The three numbers of a contact: along n, s and t. */
typedef struct three {
	cn_lanes n, s, t;
} three;

CN_LANES_INLINE cn_lanes normal_part(float *at, cn_lanes lack, const cn_fast_pass *pass, sums *to)
{
	way w = go_on(at, COULOMB_YN, COULOMB_LAST_N, pass);
	cn_lanes step = field(at, COULOMB_STEP_N), wanted = lanes_add(w.y, lanes_mul(lack, step));
	cn_lanes reached = lanes_where(wanted, lanes_all(CN_FAST_FLUSH), wanted), d = lanes_sub(reached, w.y);
	set_field(at, COULOMB_YN, reached);
	to->onward = lanes_add(to->onward, lanes_mul(lack, w.went));
	if (pass->measure)
		measure(to, d, step);
	return d;
}

/* d.n is done: s and t by what their speeds lack after it. */
CN_LANES_INLINE void tangent_part(float *at, three lack, cn_lanes mu, const cn_fast_pass *pass, three *d, sums *to)
{
	cn_lanes least = lanes_all(CN_FAST_FLUSH), step = field(at, COULOMB_STEP_T);
	way ws = go_on(at, COULOMB_YS, COULOMB_LAST_S, pass), wt = go_on(at, COULOMB_YT, COULOMB_LAST_T, pass);
	cn_lanes s = lanes_add(ws.y, lanes_mul(lack.s, step)), t = lanes_add(wt.y, lanes_mul(lack.t, step));
	cn_lanes edge = lanes_mul(mu, field(at, COULOMB_YN)), size = lanes_add(lanes_mul(s, s), lanes_mul(t, t));
	cn_lanes share = lanes_choose(size, lanes_mul(edge, edge), lanes_div(edge, lanes_sqrt(size)), lanes_all(1));
	s = lanes_flush(lanes_mul(s, share), least);
	t = lanes_flush(lanes_mul(t, share), least);
	set_field(at, COULOMB_YS, s);
	set_field(at, COULOMB_YT, t);
	d->s = lanes_sub(s, ws.y);
	d->t = lanes_sub(t, wt.y);
	/* What slides lacks speed for ever: its steps are what counts. */
	cn_lanes slid = lanes_add(lanes_mul(d->s, ws.went), lanes_mul(d->t, wt.went));
	to->onward = lanes_add(to->onward, lanes_where(step, lanes_all(0), lanes_div(slid, step)));
	if (pass->measure) {
		measure(to, d->s, step);
		measure(to, d->t, step);
	}
}

CN_LANES_INLINE cn_lanes coulomb_lack(const float *at, int b, int ja, cn_lanes speed, const twist *ta, const twist *tb)
{
	cn_lanes turning = lanes_sub(dot(field3(at, ja), ta->x), dot(field3(at, ja + 3), tb->x));
	return lanes_add(lanes_sub(field(at, b), speed), turning);
}

CN_LANES_INLINE vec weighted(const float *at, int n, int s, int t, three d)
{
	return plus(plus(times(field3(at, n), d.n), times(field3(at, s), d.s)), times(field3(at, t), d.t));
}

typedef struct coulomb_run {
	const cn_fast_batch *batch;
	twist a, b;
	three speed, sum;
	cn_lanes mass;
	float *data, *at;
} coulomb_run;

CN_LANES_INLINE coulomb_run coulomb_begin(const cn_fast *fast, const cn_fast_batch *batch)
{
	coulomb_run run = {.batch = batch, .data = fast->data + batch->data};
	run.a = gather(fast->state, batch->body[0]);
	run.b = gather(fast->state, batch->body[1]);
	run.at = run.data + COULOMB_HEAD * CN_LANES;
	run.mass = lanes_add(field(run.data, COULOMB_MASS_A), field(run.data, COULOMB_MASS_B));
	vec apart = minus(run.b.v, run.a.v);
	run.speed = (three){dot(field3(run.data, COULOMB_N), apart), dot(field3(run.data, COULOMB_S), apart),
	                    dot(field3(run.data, COULOMB_T), apart)};
	run.sum = (three){lanes_all(0), lanes_all(0), lanes_all(0)};
	return run;
}

CN_LANES_INLINE void coulomb_point(coulomb_run *run, const cn_fast_pass *pass, sums *to, bool warm)
{
	float *at = run->at;
	cn_lanes mass = run->mass;
	three d = {field(at, COULOMB_YN), field(at, COULOMB_YS), field(at, COULOMB_YT)};
	if (!warm)
		d.n = normal_part(at, coulomb_lack(at, COULOMB_BN, COULOMB_NA, run->speed.n, &run->a, &run->b), pass, to);
	run->speed.n = lanes_add(run->speed.n, lanes_mul(mass, d.n));
	run->b.x = plus(run->b.x, times(field3(at, COULOMB_NB), d.n));
	run->a.x = minus(run->a.x, times(field3(at, COULOMB_NA), d.n));
	if (!warm) {
		three lack = {.s = coulomb_lack(at, COULOMB_BS, COULOMB_SA, run->speed.s, &run->a, &run->b),
		              .t = coulomb_lack(at, COULOMB_BT, COULOMB_TA, run->speed.t, &run->a, &run->b)};
		tangent_part(at, lack, field(run->data, COULOMB_MU), pass, &d, to);
	}
	run->speed.s = lanes_add(run->speed.s, lanes_mul(mass, d.s));
	run->speed.t = lanes_add(run->speed.t, lanes_mul(mass, d.t));
	run->sum = (three){lanes_add(run->sum.n, d.n), lanes_add(run->sum.s, d.s), lanes_add(run->sum.t, d.t)};
	run->b.x = plus(run->b.x, plus(times(field3(at, COULOMB_SB), d.s), times(field3(at, COULOMB_TB), d.t)));
	run->a.x = minus(run->a.x, plus(times(field3(at, COULOMB_SA), d.s), times(field3(at, COULOMB_TA), d.t)));
	run->at += COULOMB_POINT * CN_LANES;
}

CN_LANES_INLINE void coulomb_end(const cn_fast *fast, coulomb_run *run)
{
	vec whole = weighted(run->data, COULOMB_N, COULOMB_S, COULOMB_T, run->sum);
	run->b.v = plus(run->b.v, times(whole, field(run->data, COULOMB_MASS_B)));
	run->a.v = minus(run->a.v, times(whole, field(run->data, COULOMB_MASS_A)));
	scatter(fast->state, run->batch->body[0], run->a);
	scatter(fast->state, run->batch->body[1], run->b);
}

CN_LANES_INLINE cn_lanes row_step(float *at, cn_lanes value, const cn_fast_pass *pass, sums *to)
{
	way w = go_on(at, ROW_Y, ROW_LAST, pass);
	cn_lanes step = field(at, ROW_STEP);
	cn_lanes up = lanes_add(w.y, lanes_mul(lanes_sub(field(at, ROW_LOW), value), step));
	cn_lanes down = lanes_neg(lanes_add(w.y, lanes_mul(lanes_sub(field(at, ROW_HIGH), value), step)));
	cn_lanes reached = lanes_flush(lanes_sub(lanes_max0(up), lanes_max0(down)), lanes_all(CN_FAST_FLUSH));
	cn_lanes d = lanes_sub(reached, w.y), change = lanes_where(step, lanes_all(0), lanes_div(d, step));
	set_field(at, ROW_Y, reached);
	to->onward = lanes_add(to->onward, lanes_mul(change, w.went));
	if (pass->measure)
		measure(to, d, step);
	return d;
}

CN_LANES_INLINE void sweep_row(const cn_fast_batch *batch, float *data, cn_fast_state *states, const cn_fast_pass *pass,
                               sums *to, bool warm)
{
	twist a = gather(states, batch->body[0]), b = gather(states, batch->body[1]);
	cn_lanes mass_a = field(data, ROW_MASS_A), mass_b = field(data, ROW_MASS_B);
	float *at = data + ROW_HEAD * CN_LANES;
	for (int i = 0; i < batch->points; ++i, at += ROW_POINT * CN_LANES) {
		vec va = field3(at, ROW_VA), wa = field3(at, ROW_WA), vb = field3(at, ROW_VB), wb = field3(at, ROW_WB);
		cn_lanes d = field(at, ROW_Y);
		if (!warm) {
			cn_lanes of_a = lanes_add(dot(va, a.v), dot(wa, a.x)), of_b = lanes_add(dot(vb, b.v), dot(wb, b.x));
			d = row_step(at, lanes_add(of_a, of_b), pass, to);
		}
		a.v = plus(a.v, times(va, lanes_mul(mass_a, d)));
		a.x = plus(a.x, times(wa, d));
		b.v = plus(b.v, times(vb, lanes_mul(mass_b, d)));
		b.x = plus(b.x, times(wb, d));
	}
	scatter(states, batch->body[0], a);
	scatter(states, batch->body[1], b);
}

/* One batch, or two of one kind side by side, the second of no more points: a point has to wait for the one before it, so
 * two rows of points that do not wait for each other take hardly longer than one. */
CN_LANES_INLINE void sweep_normals(const cn_fast *fast, const cn_fast_batch *batch, bool pair, const cn_fast_pass *pass,
                                   sums *to, bool warm)
{
	normal_run one = normal_begin(fast, batch);
	int done = 0;
	if (pair) {
		normal_run other = normal_begin(fast, batch + 1);
		for (; done < batch[1].points; ++done) {
			normal_point(&one, pass, to, warm);
			normal_point(&other, pass, to, warm);
		}
		normal_end(fast, &other);
	}
	for (; done < batch->points; ++done)
		normal_point(&one, pass, to, warm);
	normal_end(fast, &one);
}

CN_LANES_INLINE void sweep_coulombs(const cn_fast *fast, const cn_fast_batch *batch, bool pair,
                                    const cn_fast_pass *pass, sums *to, bool warm)
{
	coulomb_run one = coulomb_begin(fast, batch);
	int done = 0;
	if (pair) {
		coulomb_run other = coulomb_begin(fast, batch + 1);
		for (; done < batch[1].points; ++done) {
			coulomb_point(&one, pass, to, warm);
			coulomb_point(&other, pass, to, warm);
		}
		coulomb_end(fast, &other);
	}
	for (; done < batch->points; ++done)
		coulomb_point(&one, pass, to, warm);
	coulomb_end(fast, &one);
}

CN_LANES_INLINE void sweep_batches(const cn_fast *fast, const cn_fast_batch *batch, bool pair, const cn_fast_pass *pass,
                                   sums *to, bool warm)
{
	switch ((cn_fast_kind)batch->kind) {
	case CN_FAST_NORMAL: sweep_normals(fast, batch, pair, pass, to, warm); return;
	case CN_FAST_COULOMB: sweep_coulombs(fast, batch, pair, pass, to, warm); return;
	case CN_FAST_FLAT:
		sweep_flat(fast, batch, pass, to, warm);
		if (pair)
			sweep_flat(fast, batch + 1, pass, to, warm);
		return;
	case CN_FAST_ROW: break;
	}
	sweep_row(batch, fast->data + batch->data, fast->state, pass, to, warm);
	if (pair)
		sweep_row(batch + 1, fast->data + batch[1].data, fast->state, pass, to, warm);
}

/* Two functions, so that neither is slowed by what only the other does. */
static void step_batches(const cn_fast *fast, const cn_fast_batch *batch, bool pair, const cn_fast_pass *pass, sums *to)
{
	sweep_batches(fast, batch, pair, pass, to, false);
}

static void warm_batches(const cn_fast *fast, const cn_fast_batch *batch, bool pair, const cn_fast_pass *pass, sums *to)
{
	sweep_batches(fast, batch, pair, pass, to, true);
}

static void sweep_span(const cn_fast *fast, const cn_fast_pass *pass, uint32_t chunk)
{
	cn_fast_span span = fast->chunks[chunk];
	sums sum = {lanes_all(0), lanes_all(0), lanes_all(0)};
	for (uint32_t i = span.begin; i < span.end;) {
		const cn_fast_batch *batch = &fast->batches[i];
		bool pair = i + 1 < span.end && batch[1].kind == batch->kind && batch[1].points <= batch->points &&
		            batch[1].colour == batch->colour;
		if (pass->warm)
			warm_batches(fast, batch, pair, pass, &sum);
		else
			step_batches(fast, batch, pair, pass, &sum);
		i += pair ? 2 : 1;
	}
	cn_fast_tally *tally = &fast->tallies[chunk];
	lanes_store(tally->onward, sum.onward);
	lanes_store(tally->change, sum.change);
	lanes_store(tally->largest, sum.largest);
}

#endif
