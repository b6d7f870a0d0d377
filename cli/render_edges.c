/* Antialiasing after the fact, by the idea of FXAA (Lottes 2009): where brightness jumps there is an edge, nearly along a
 * row or a column; how far away its steps are to both sides tells how much of the pixel lies across it.
 *
 * A software driver shades every hidden surface when it takes several samples a pixel, which costs more than twice the
 * whole picture; this costs a few milliseconds. */
#include "render_edges.h"

#include <stdlib.h>
#include <string.h>

enum { JUMP = 12, REACH = 10 }; /* of brightness that is an edge, of 255; pixels to look along it */

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

/* Pixels until the edge ends, one way: step goes along it, across to its other side. */
static int find_end(const uint8_t *at, ptrdiff_t step, ptrdiff_t across, int room, int *off)
{
	int own = at[0] + at[across], jump = abs(at[across] - at[0]);
	int count = room < REACH ? room : REACH, i = 1;
	for (; i <= count; ++i) {
		const uint8_t *there = at + i * step;
		*off = there[0] + there[across] - own;
		if (2 * abs(*off) >= jump)
			return i;
	}
	*off = 0;
	return i;
}

/* How much of the pixel belongs to the other side, of 256. */
static int share_across(const uint8_t *at, ptrdiff_t step, ptrdiff_t across, int before, int after)
{
	int off_before, off_after, rise = at[across] - at[0];
	int back = find_end(at, -step, across, before, &off_before), ahead = find_end(at, step, across, after, &off_after);
	int near = back < ahead ? back : ahead, off = back < ahead ? off_before : off_after;
	/* The step at the nearer end must go toward the other side's brightness, else this pixel is wholly its own. */
	if (off == 0 || (off > 0) != (rise > 0))
		return 0;
	return most(0, 128 - 256 * near / (back + ahead) + 256 / (2 * (back + ahead)));
}

static void smooth_pixel(const uint8_t *from, const uint8_t *luma, int32_t width, int32_t height, int32_t x, int32_t y,
                         uint8_t *to)
{
	ptrdiff_t w = width;
	const uint8_t *m = luma + y * w + x;
	int along_row =
		abs(m[-w - 1] - 2 * m[-1] + m[w - 1]) + 2 * abs(m[-w] - 2 * m[0] + m[w]) + abs(m[-w + 1] - 2 * m[1] + m[w + 1]);
	int along_column =
		abs(m[-w - 1] - 2 * m[-w] + m[-w + 1]) + 2 * abs(m[-1] - 2 * m[0] + m[1]) + abs(m[w - 1] - 2 * m[w] + m[w + 1]);
	bool row = along_row >= along_column;
	ptrdiff_t side = row ? w : 1, step = row ? 1 : w;
	ptrdiff_t across = abs(m[side] - m[0]) >= abs(m[-side] - m[0]) ? side : -side;
	int before = row ? x - 1 : y - 1, after = row ? width - 2 - x : height - 2 - y;
	int share = share_across(m, step, across, before, after);
	const uint8_t *own = from + 4 * (m - luma), *other = own + 4 * across;
	for (int c = 0; c < 3; ++c)
		to[c] = (uint8_t)(own[c] + (other[c] - own[c]) * share / 256);
}

void render_smooth_edges(const uint8_t *from, uint8_t *luma, int32_t width, int32_t height, uint8_t *to)
{
	size_t w = (size_t)width, count = w * (size_t)height;
	for (size_t i = 0; i < count; ++i)
		luma[i] = (uint8_t)((from[4 * i] * 5 + from[4 * i + 1] * 9 + from[4 * i + 2] * 2) / 16);
	for (int32_t y = 0; y < height; ++y) {
		uint8_t *out = to + 3 * w * (size_t)(height - 1 - y);
		const uint8_t *in = from + 4 * w * (size_t)y, *m = luma + w * (size_t)y;
		bool inner = y > 0 && y < height - 1;
		for (int32_t x = 0; x < width; ++x, out += 3, in += 4, ++m) {
			memcpy(out, in, 3);
			if (!inner || x == 0 || x == width - 1)
				continue;
			int low = least(least(m[-1], m[1]), least(m[-width], m[width]));
			int high = most(most(m[-1], m[1]), most(m[-width], m[width]));
			if (most(high, m[0]) - least(low, m[0]) >= JUMP)
				smooth_pixel(from, luma, width, height, x, y, out);
		}
	}
}
