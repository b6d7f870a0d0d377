/* See qp_fast_parts.h: groups, their colours, and the batches made of them.
 *
 * Colouring is greedy in the order of the program, with a mask of 64 colours for every body. A group whose bodies
 * have used them all up waits for another round with fresh masks and colours of its own, so one body may carry any
 * number of groups. Within a colour groups are ordered by kind and size (a stable counting sort), so that the lanes
 * of a batch have as many points as each other. */
#include "num/qp_fast_parts.h"

enum {
	CN_FAST_COLOURS = 64,
	CN_FAST_BINS = 2 * CN_FAST_POINTS
}; /* a bin: kind (contact, row), then size, largest first */

typedef struct bins {
	uint32_t count[CN_FAST_COLOURS][CN_FAST_BINS];
} bins;

static bool same_normal(v3 a, v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static uint32_t moving(const cn_fast *fast, uint32_t body)
{
	return body != CN_QP_NONE && fast->metric[body].moves ? body : CN_QP_NONE;
}

static void group_contacts(cn_fast *fast)
{
	const cn_qp_contact *contacts = fast->qp->contacts;
	cn_fast_group *g = NULL;
	for (uint32_t i = 0; i < fast->qp->contact_count; ++i) {
		const cn_qp_contact *c = &contacts[i];
		if (g && g->count < CN_FAST_POINTS && c->a == contacts[i - 1].a && c->b == contacts[i - 1].b &&
		    c->mu == contacts[i - 1].mu && same_normal(c->n, contacts[i - 1].n)) {
			++g->count;
			continue;
		}
		g = &fast->groups[fast->group_count++];
		*g = (cn_fast_group){i, moving(fast, c->a), moving(fast, c->b), CN_FAST_NORMAL, 1, 0};
		if (fast->coulomb)
			g->kind = CN_FAST_COULOMB;
	}
}

static void group_rows(cn_fast *fast)
{
	const cn_qp_row *rows = fast->qp->rows;
	cn_fast_group *g = NULL;
	for (uint32_t i = 0; i < fast->qp->row_count; ++i) {
		if (g && g->count < CN_FAST_POINTS && rows[i].a == rows[i - 1].a && rows[i].b == rows[i - 1].b) {
			++g->count;
			continue;
		}
		g = &fast->groups[fast->group_count++];
		*g = (cn_fast_group){i, moving(fast, rows[i].a), moving(fast, rows[i].b), CN_FAST_ROW, 1, 0};
	}
}

static uint32_t bin_of(const cn_fast_group *g)
{
	return (g->kind == CN_FAST_ROW ? CN_FAST_POINTS : 0) + (uint32_t)(CN_FAST_POINTS - g->count);
}

/* Gives the waiting groups colours as far as there are any and counts them; those that find none go to later. */
static uint32_t colour_round(cn_fast *fast, const uint32_t *waiting, uint32_t count, uint32_t *later, bins *counted)
{
	uint64_t *mask = fast->mask;
	uint32_t left = 0;
	memset(mask, 0, fast->qp->body_count * sizeof *mask);
	memset(counted, 0, sizeof *counted);
	for (uint32_t i = 0; i < count; ++i) {
		cn_fast_group *g = &fast->groups[waiting[i]];
		uint64_t used = (g->a == CN_QP_NONE ? 0 : mask[g->a]) | (g->b == CN_QP_NONE ? 0 : mask[g->b]);
		if (~used == 0) {
			g->colour = CN_FAST_COLOURS;
			later[left++] = waiting[i];
			continue;
		}
		g->colour = (uint8_t)__builtin_ctzll(~used);
		uint64_t bit = (uint64_t)1 << g->colour;
		if (g->a != CN_QP_NONE)
			mask[g->a] |= bit;
		if (g->b != CN_QP_NONE)
			mask[g->b] |= bit;
		++counted->count[g->colour][bin_of(g)];
	}
	return left;
}

/* Batches of a colour into chunks of like length. */
static bool add_colour(cn_fast *fast, uint32_t begin, uint32_t end)
{
	uint32_t count = end - begin, chunks = count / CN_FAST_CHUNK > 1 ? count / CN_FAST_CHUNK : 1;
	if (!cn_grow(&fast->allocator, (void **)&fast->chunks, &fast->room.chunks, fast->chunk_count + chunks,
	             sizeof *fast->chunks) ||
	    !cn_grow(&fast->allocator, (void **)&fast->colours, &fast->room.colours, fast->colour_count + 1,
	             sizeof *fast->colours))
		return false;
	fast->colours[fast->colour_count++] = (cn_fast_span){fast->chunk_count, fast->chunk_count + chunks};
	for (uint32_t i = 0; i < chunks; ++i) {
		uint32_t from = begin + (uint32_t)((uint64_t)count * i / chunks);
		uint32_t to = begin + (uint32_t)((uint64_t)count * (i + 1) / chunks);
		fast->chunks[fast->chunk_count++] = (cn_fast_span){from, to};
	}
	if (chunks > fast->state_count - fast->qp->body_count)
		fast->state_count = fast->qp->body_count + chunks;
	return true;
}

/* Where each bin's groups begin among the lanes; kinds and colours begin a batch. Turns counts into places. */
static bool place_bins(cn_fast *fast, bins *counted)
{
	for (uint32_t colour = 0; colour < CN_FAST_COLOURS; ++colour) {
		uint32_t begin = fast->batch_count;
		for (uint32_t kind = 0; kind < 2; ++kind) {
			uint32_t lane = fast->batch_count * CN_LANES;
			for (uint32_t size = 0; size < CN_FAST_POINTS; ++size) {
				uint32_t *bin = &counted->count[colour][kind * CN_FAST_POINTS + size], count = *bin;
				*bin = lane;
				lane += count;
			}
			fast->batch_count = (lane + CN_LANES - 1) / CN_LANES;
		}
		if (fast->batch_count > begin && !add_colour(fast, begin, fast->batch_count))
			return false;
	}
	return true;
}

/* The groups that got a colour in this round take their lanes. */
static bool fill_lanes(cn_fast *fast, uint32_t first_batch, bins *place, const uint32_t *waiting, uint32_t count)
{
	uint64_t lanes = (uint64_t)fast->batch_count * CN_LANES;
	if (lanes > UINT32_MAX ||
	    !cn_grow(&fast->allocator, (void **)&fast->order, &fast->room.order, (uint32_t)lanes, sizeof *fast->order))
		return false;
	size_t from = (size_t)first_batch * CN_LANES;
	memset(fast->order + from, 0xff, ((size_t)lanes - from) * sizeof *fast->order);
	for (uint32_t i = 0; i < count; ++i) {
		const cn_fast_group *g = &fast->groups[waiting[i]];
		if (g->colour < CN_FAST_COLOURS)
			fast->order[place->count[g->colour][bin_of(g)]++] = waiting[i];
	}
	return true;
}

static size_t batch_fields(cn_fast_kind kind, size_t points)
{
	switch (kind) {
	case CN_FAST_NORMAL: return NORMAL_HEAD + points * NORMAL_POINT;
	case CN_FAST_COULOMB: return COULOMB_HEAD + points * COULOMB_POINT;
	case CN_FAST_ROW: break;
	}
	return ROW_HEAD + points * ROW_POINT;
}

/* The first lane of a batch has the most points. */
static void describe_batches(cn_fast *fast)
{
	for (uint32_t colour = 0; colour < fast->colour_count; ++colour) {
		cn_fast_span chunks = fast->colours[colour];
		for (uint32_t chunk = chunks.begin; chunk < chunks.end; ++chunk) {
			uint32_t zero = fast->qp->body_count + (chunk - chunks.begin);
			for (uint32_t i = fast->chunks[chunk].begin; i < fast->chunks[chunk].end; ++i) {
				const uint32_t *order = fast->order + (size_t)i * CN_LANES;
				cn_fast_batch *batch = &fast->batches[i];
				batch->lanes = 0;
				for (int lane = 0; lane < CN_LANES; ++lane) {
					const cn_fast_group *g = order[lane] == CN_FAST_EMPTY ? NULL : &fast->groups[order[lane]];
					batch->body[0][lane] = g && g->a != CN_QP_NONE ? g->a : zero;
					batch->body[1][lane] = g && g->b != CN_QP_NONE ? g->b : zero;
					batch->lanes = (uint8_t)(batch->lanes + (g ? 1 : 0));
				}
				batch->kind = fast->groups[order[0]].kind;
				batch->points = fast->groups[order[0]].count;
				batch->data = fast->data_count;
				fast->data_count += CN_LANES * batch_fields((cn_fast_kind)batch->kind, batch->points);
			}
		}
	}
}

bool cn_fast_colour(cn_fast *fast)
{
	const cn_qp *qp = fast->qp;
	uint64_t most = (uint64_t)qp->contact_count + qp->row_count;
	const cairn_allocator *allocator = &fast->allocator;
	if (most > UINT32_MAX / 2 ||
	    !cn_grow(allocator, (void **)&fast->groups, &fast->room.groups, (uint32_t)most, sizeof *fast->groups) ||
	    !cn_grow(allocator, (void **)&fast->mask, &fast->room.mask, qp->body_count, sizeof *fast->mask))
		return false;
	fast->group_count = fast->batch_count = fast->chunk_count = fast->colour_count = 0;
	fast->state_count = qp->body_count;
	group_contacts(fast);
	group_rows(fast);
	fast->data_count = 0;
	uint32_t count = fast->group_count;
	if (count == 0)
		return true;
	if (!cn_grow(allocator, (void **)&fast->waiting, &fast->room.waiting, 2 * count, sizeof *fast->waiting))
		return false;
	uint32_t *waiting = fast->waiting, *later = fast->waiting + count;
	for (uint32_t i = 0; i < count; ++i)
		waiting[i] = i;
	while (count > 0) {
		bins counted;
		uint32_t first_batch = fast->batch_count, left = colour_round(fast, waiting, count, later, &counted);
		if (!place_bins(fast, &counted) || !fill_lanes(fast, first_batch, &counted, waiting, count))
			return false;
		uint32_t *swap = waiting;
		waiting = later;
		later = swap;
		count = left;
	}
	if (!cn_grow(allocator, (void **)&fast->batches, &fast->room.batches, fast->batch_count, sizeof *fast->batches))
		return false;
	describe_batches(fast);
	return true;
}
