/* The check's own broad phase: boxes sorted by where they begin along one axis, and each compared with those that have
 * not ended there. The axis is the one along which the middles of the finite boxes spread most. */
#include "geom/overlap.h"

typedef struct span {
	double low, high;
	uint32_t box;
} span;

static bool before(const span *a, const span *b) { return a->low < b->low || (a->low == b->low && a->box < b->box); }

/* Merges runs of 1, 2, 4, ...; the sorted array is the one returned. */
static span *sort_spans(span *from, span *to, uint32_t count)
{
	for (uint64_t run = 1; run < count; run *= 2) {
		for (uint64_t first = 0; first < count; first += 2 * run) {
			uint64_t middle = first + run < count ? first + run : count;
			uint64_t last = first + 2 * run < count ? first + 2 * run : count;
			uint64_t i = first, j = middle;
			for (uint64_t k = first; k < last; ++k)
				to[k] = j == last || (i < middle && !before(&from[j], &from[i])) ? from[i++] : from[j++];
		}
		span *swap = from;
		from = to, to = swap;
	}
	return from;
}

static bool is_box(const cn_overlap_box *b)
{
	return b->low.x <= b->high.x && b->low.y <= b->high.y && b->low.z <= b->high.z;
}

static int widest_axis(const cn_overlap_box *boxes, uint32_t count)
{
	v3 sum = v3_zero(), squares = v3_zero();
	double number = 0;
	for (uint32_t i = 0; i < count; ++i) {
		v3 middle = v3_scale(v3_add(boxes[i].low, boxes[i].high), 0.5);
		if (!is_box(&boxes[i]) || !v3_finite(boxes[i].low) || !v3_finite(boxes[i].high))
			continue;
		sum = v3_add(sum, middle), squares = v3_add(squares, v3_mul(middle, middle));
		++number;
	}
	if (!(number > 0))
		return 0;
	v3 mean = v3_scale(sum, 1 / number), spread = v3_sub(v3_scale(squares, 1 / number), v3_mul(mean, mean));
	return spread.x >= spread.y && spread.x >= spread.z ? 0 : spread.y >= spread.z ? 1 : 2;
}

static bool overlap(const cn_overlap_box *a, const cn_overlap_box *b)
{
	return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
	       a->low.z <= b->high.z && b->low.z <= a->high.z;
}

bool cn_overlap_pairs(const cairn_allocator *allocator, const cn_overlap_box *boxes, uint32_t count,
                      void (*visit)(void *context, uint32_t a, uint32_t b), void *context)
{
	if (count == 0)
		return true;
	span *spans = cn_alloc(allocator, count, sizeof *spans), *room = cn_alloc(allocator, count, sizeof *room);
	if (!spans || !room) {
		cn_free(allocator, spans, count, sizeof *spans);
		cn_free(allocator, room, count, sizeof *room);
		return false;
	}
	int axis = widest_axis(boxes, count);
	uint32_t used = 0, open = 0;
	for (uint32_t i = 0; i < count; ++i)
		if (is_box(&boxes[i]))
			spans[used++] = (span){v3_at(boxes[i].low, axis), v3_at(boxes[i].high, axis), i};
	span *sorted = sort_spans(spans, room, used), *active = sorted == spans ? room : spans;
	for (uint32_t i = 0; i < used; ++i) {
		uint32_t kept = 0, box = sorted[i].box;
		for (uint32_t j = 0; j < open; ++j) {
			if (active[j].high < sorted[i].low)
				continue;
			uint32_t other = active[j].box;
			active[kept++] = active[j];
			if (overlap(&boxes[other], &boxes[box]))
				visit(context, other < box ? other : box, other < box ? box : other);
		}
		active[kept] = sorted[i];
		open = kept + 1;
	}
	cn_free(allocator, spans, count, sizeof *spans);
	cn_free(allocator, room, count, sizeof *room);
	return true;
}
