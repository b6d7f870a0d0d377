/* See script.h. */
#include "step/script.h"

uint32_t cn_script_cuts(const cairn_world *w, const cn_body *b, double times[CN_MAX_PIECES])
{
	double t0 = cairn_world_time(w), t1 = (w->frame + 1) / w->scene->settings.fps, from = t0;
	double least = CN_CUT_LEAST * (t1 - t0);
	uint32_t count = 0, key = 0;
	while (from < t1) {
		while (key < b->key_count && b->keys[key].time <= from + least)
			++key;
		double to = key < b->key_count && b->keys[key].time < t1 - least ? b->keys[key].time : t1;
		pose a = cn_script_pose(b->keys, b->key_count, from), c = cn_script_pose(b->keys, b->key_count, to);
		uint32_t parts = 1 + (uint32_t)(v3_length(q_turn(a.orientation, c.orientation)) * (1 / CN_PIECE_TURN));
		if (count + parts > CN_MAX_PIECES)
			return 0;
		for (uint32_t i = 1; i < parts; ++i)
			times[count++] = from + (to - from) * i / parts;
		times[count++] = to;
		from = to;
	}
	return count;
}
