/* Scripts: the span of time for a frame, the cuts of that span, and the pose at a time. */
#include "step/motion/script.h"
#include "base/tolerance.h"
#include "step/tolerance.h"

#define CN_SCRIPT_CATCH_UP 2.0 /* x its own speed: the most at which a script makes up for time it lost */

cn_span cn_script_span(const cairn_world *w, const cn_body *b)
{
	double now = cn_step_time(w, 0), then = cn_step_time(w, 1);
	if (!(b->lag > 0))
		return (cn_span){now, then};
	double from = now - b->lag, faster = b->pace < 1 ? 1 : CN_SCRIPT_CATCH_UP, times[CN_MAX_PIECES];
	cn_span span;
	do { /* no faster than a frame has room for keys, or a late script would end the run */
		double max = from + faster * w->dt;
		span = (cn_span){from, max < then ? max : then};
		faster *= 0.5;
	} while (faster >= CN_SCRIPT_STEP_MIN && !cn_script_cuts(b, span, times));
	return span;
}

uint32_t cn_script_cuts(const cn_body *b, cn_span span, double times[CN_MAX_PIECES])
{
	double from = span.from, min = CN_CUT_MIN * (span.to - span.from);
	uint32_t count = 0, key = 0;
	while (from < span.to) {
		while (key < b->key_count && b->keys[key].time <= from + min)
			++key;
		double to = key < b->key_count && b->keys[key].time < span.to - min ? b->keys[key].time : span.to;
		pose a = cn_script_pose(b->keys, b->key_count, from), c = cn_script_pose(b->keys, b->key_count, to);
		uint32_t parts = 1 + (uint32_t)(v3_length(q_turn(a.orientation, c.orientation)) * (1 / CN_PIECE_TURN));
		if (count + parts > CN_MAX_PIECES)
			return 0;
		for (uint32_t i = 1; i < parts; ++i)
			times[count++] = from + (to - from) * i / parts;
		times[count++] = to;
		from = to;
	}
	if (count == 0)
		times[count++] = span.to;
	return count;
}

pose cn_script_at(const cn_body *b, double time, quat near)
{
	pose p = cn_script_center(b, time);
	p.orientation = q_unit(p.orientation);
	if (q_dot(p.orientation, near) < 0)
		p.orientation = q_neg(p.orientation);
	return p;
}
