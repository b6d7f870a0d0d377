/* See qp_fast_parts.h: groups, their colours, and the batches made of them.
 *
 * Where the caller names regions, groups inside one come first, region by region: one chunk each, whatever the number
 * of its colours, so that a sweep is a single loop of all threads. Those that tie two regions are the rest.
 *
 * Colouring is greedy in the order of the program, with a mask of 64 colours for every body. A group whose bodies
 * have used them all up waits for another round with fresh masks and colours of its own, so one body may carry any
 * number of groups. Within a colour groups are ordered by kind and size (a stable counting sort), so that the lanes
 * of a batch have as many points as each other. */
#include "num/qp_fast_parts.h"

#define CN_FAST_NO_TURN                                                                                                \
	1e-20 /* of an arm's square: across the normal it has no more than rounding, and turns nothing */

enum {
	CN_FAST_COLOURS = 64,
	CN_FAST_BINS = CN_FAST_KINDS * CN_FAST_POINTS
}; /* a bin: kind, then size, largest first */

typedef struct bins {
	uint32_t colours; /* that are used */
	uint32_t count[CN_FAST_COLOURS][CN_FAST_BINS];
} bins;

/* Groups that are coloured together: of a region, or those in none alone. */
typedef struct cn_fast_share {
	uint32_t first, count; /* in fast->waiting */
	uint32_t left;         /* of them, after the first round: in its second half from first on */
	bins counted;
} cn_fast_share;

size_t cn_fast_share_size(void) { return sizeof(cn_fast_share); }

static bool same_normal(v3 a, v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static uint32_t moving(const cn_fast *fast, uint32_t body)
{
	return body != CN_QP_NONE && fast->qp->bodies[body].inv_mass > 0 ? body : CN_QP_NONE;
}

static bool along(v3 r, v3 n) { return v3_length2(v3_cross(r, n)) <= CN_FAST_NO_TURN * v3_length2(r); }

/* The arms of those that move lie along the normal. */
static bool turns_nothing(const cn_fast *fast, const cn_qp_contact *c)
{
	return (moving(fast, c->a) == CN_QP_NONE || along(c->ra, c->n)) &&
	       (moving(fast, c->b) == CN_QP_NONE || along(c->rb, c->n));
}

static cn_fast_kind kind_of(const cn_fast *fast, const cn_qp_contact *c)
{
	if (fast->coulomb && c->mu > 0)
		return CN_FAST_COULOMB;
	return turns_nothing(fast, c) ? CN_FAST_FLAT : CN_FAST_NORMAL;
}

/* The region that a group lies in; CN_FAST_REGIONS: in none alone. */
static uint32_t region_of(const cn_fast *fast, const cn_fast_group *g)
{
	const uint8_t *region = fast->options->region;
	if (!region)
		return CN_FAST_REGIONS;
	uint32_t a = g->a == CN_QP_NONE ? CN_FAST_REGIONS : region[g->a];
	uint32_t b = g->b == CN_QP_NONE ? CN_FAST_REGIONS : region[g->b];
	return a == b || b == CN_FAST_REGIONS ? a : a == CN_FAST_REGIONS ? b : CN_FAST_REGIONS;
}

static void find_kinds(cn_fast *fast, cn_fast_span contacts)
{
	const cn_qp_contact *all = fast->qp->contacts;
	cn_fast_kind before =
		contacts.begin > 0 && contacts.begin < contacts.end ? kind_of(fast, &all[contacts.begin - 1]) : CN_FAST_ROW;
	for (uint32_t i = contacts.begin; i < contacts.end; ++i) {
		const cn_qp_contact *c = &all[i];
		cn_fast_kind kind = kind_of(fast, c);
		bool same =
			kind == before && c->a == c[-1].a && c->b == c[-1].b && c->mu == c[-1].mu && same_normal(c->n, c[-1].n);
		fast->kinds[i] = (uint8_t)(same ? (int)kind | CN_FAST_SAME : (int)kind);
		before = kind;
	}
}

/* Groups of some contacts as if there were none before them. */
static uint32_t group_contacts(const cn_fast *fast, cn_fast_span contacts, cn_fast_group *to)
{
	uint32_t count = 0;
	for (uint32_t i = contacts.begin; i < contacts.end; ++i) {
		if (count > 0 && (fast->kinds[i] & CN_FAST_SAME) && to[count - 1].count < CN_FAST_POINTS) {
			++to[count - 1].count;
			continue;
		}
		const cn_qp_contact *c = &fast->qp->contacts[i];
		cn_fast_group *g = &to[count++];
		*g = (cn_fast_group){.first = i, .a = moving(fast, c->a), .b = moving(fast, c->b), .count = 1};
		g->kind = (uint8_t)(fast->kinds[i] & ~CN_FAST_SAME);
		g->region = (uint8_t)region_of(fast, g);
	}
	return count;
}

uint32_t cn_fast_find_groups(cn_fast *fast, cn_fast_span contacts)
{
	if (contacts.begin == contacts.end)
		return 0;
	find_kinds(fast, contacts);
	return group_contacts(fast, contacts, fast->found + contacts.begin);
}

/* The groups of all chunks. One that goes on in the next chunk is one; if it has no room for that all are found anew. */
static void collect_groups(cn_fast *fast)
{
	uint32_t contacts = fast->qp->contact_count;
	fast->group_count = 0;
	for (uint32_t begin = 0, chunk = 0; begin < contacts; begin += CN_FAST_CONTACTS, ++chunk) {
		const cn_fast_group *found = fast->found + begin;
		uint32_t count = fast->surveys[chunk].groups, skip = begin > 0 && (fast->kinds[begin] & CN_FAST_SAME) ? 1 : 0;
		cn_fast_group *last = skip ? &fast->groups[fast->group_count - 1] : NULL;
		if (last && last->count + found->count > CN_FAST_POINTS) {
			fast->group_count = group_contacts(fast, (cn_fast_span){0, contacts}, fast->groups);
			return;
		}
		if (last)
			last->count = (uint8_t)(last->count + found->count);
		memcpy(fast->groups + fast->group_count, found + skip, (count - skip) * sizeof *found);
		fast->group_count += count - skip;
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
		*g = (cn_fast_group){i, moving(fast, rows[i].a), moving(fast, rows[i].b), CN_FAST_ROW, 1, 0, 0};
		g->region = (uint8_t)region_of(fast, g);
	}
}

static uint32_t bin_of(const cn_fast_group *g)
{
	return (uint32_t)g->kind * CN_FAST_POINTS + (uint32_t)(CN_FAST_POINTS - g->count);
}

/* Gives the waiting groups colours as far as there are any and counts them; those that find none go to later. mask:
 * of no colours yet. */
static uint32_t colour_round(cn_fast *fast, uint64_t *mask, const uint32_t *waiting, uint32_t count, uint32_t *later,
                             bins *counted)
{
	uint32_t left = 0;
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
		counted->colours = g->colour >= counted->colours ? g->colour + 1u : counted->colours;
	}
	return left;
}

/* Batches of a colour into chunks: so many, or of like length. */
static bool add_colour(cn_fast *fast, uint32_t begin, uint32_t end, uint32_t chunks)
{
	uint32_t count = end - begin;
	if (chunks == 0)
		chunks = count / CN_FAST_CHUNK > 1 ? count / CN_FAST_CHUNK : 1;
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
	if (CN_FAST_ZEROS * chunks > fast->state_count - fast->place_count)
		fast->state_count = fast->place_count + CN_FAST_ZEROS * chunks;
	return true;
}

/* Where each bin's groups begin among the lanes; kinds and colours begin a batch. Turns counts into places. split: the
 * batches of a colour are chunks. */
static bool place_bins(cn_fast *fast, bins *counted, bool split)
{
	for (uint32_t colour = 0; colour < counted->colours; ++colour) {
		uint32_t begin = fast->batch_count;
		for (uint32_t kind = 0; kind < CN_FAST_KINDS; ++kind) {
			uint32_t lane = fast->batch_count * CN_LANES;
			for (uint32_t size = 0; size < CN_FAST_POINTS; ++size) {
				uint32_t *bin = &counted->count[colour][kind * CN_FAST_POINTS + size], count = *bin;
				*bin = lane;
				lane += count;
			}
			fast->batch_count = (lane + CN_LANES - 1) / CN_LANES;
		}
		if (split && fast->batch_count > begin && !add_colour(fast, begin, fast->batch_count, 0))
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
	case CN_FAST_FLAT: return FLAT_HEAD + points * FLAT_POINT;
	case CN_FAST_NORMAL: return NORMAL_HEAD + points * NORMAL_POINT;
	case CN_FAST_COULOMB: return COULOMB_HEAD + points * COULOMB_POINT;
	case CN_FAST_ROW: break;
	}
	return ROW_HEAD + points * ROW_POINT;
}

static void describe_batch(const cn_fast *fast, uint32_t number, uint32_t zero)
{
	const uint32_t *order = fast->order + (size_t)number * CN_LANES;
	cn_fast_batch *batch = &fast->batches[number];
	batch->lanes = 0;
	for (int lane = 0; lane < CN_LANES; ++lane) {
		const cn_fast_group *g = order[lane] == CN_FAST_EMPTY ? NULL : &fast->groups[order[lane]];
		batch->body[0][lane] = g && g->a != CN_QP_NONE ? fast->place[g->a] : zero;
		batch->body[1][lane] = g && g->b != CN_QP_NONE ? fast->place[g->b] : zero;
		batch->lanes = (uint8_t)(batch->lanes + (g ? 1 : 0));
	}
	batch->kind = fast->groups[order[0]].kind;
	batch->points = fast->groups[order[0]].count; /* the first lane has the most */
	batch->colour = fast->groups[order[0]].colour;
}

static void describe_chunk(void *context, uint32_t chunk)
{
	const cn_fast *fast = context;
	uint32_t colour = 0;
	while (chunk >= fast->colours[colour].end)
		++colour;
	uint32_t zero = fast->place_count + CN_FAST_ZEROS * (chunk - fast->colours[colour].begin);
	for (uint32_t i = fast->chunks[chunk].begin; i < fast->chunks[chunk].end; ++i)
		describe_batch(fast, i, zero + i % CN_FAST_ZEROS);
}

static void describe_batches(cn_fast *fast)
{
	cn_fast_run(fast, fast->chunk_count, describe_chunk, fast);
	for (uint32_t i = 0; i < fast->batch_count; ++i) {
		cn_fast_batch *batch = &fast->batches[i];
		batch->data = fast->data_count;
		fast->data_count += CN_LANES * batch_fields((cn_fast_kind)batch->kind, batch->points);
	}
}

/* The first round of a share, whose groups it finds, in order. Shares have no body in common, but for the last. */
static void colour_share(void *context, uint32_t number)
{
	cn_fast *fast = context;
	cn_fast_share *s = &fast->shares[number];
	bool last = number == fast->region_count;
	uint32_t region = last ? CN_FAST_REGIONS : number, count = 0, *waiting = fast->waiting + s->first;
	for (uint32_t i = 0; i < fast->group_count; ++i)
		if (fast->groups[i].region == region)
			waiting[count++] = i;
	s->left = colour_round(fast, last ? fast->mask + fast->qp->body_count : fast->mask, waiting, count,
	                       waiting + fast->group_count, &s->counted);
}

/* Batches of a share; what the first round left gets other colours, round by round. */
static bool place_share(cn_fast *fast, cn_fast_share *s, bool split)
{
	uint32_t *waiting = fast->waiting + s->first, *later = waiting + fast->group_count, count = s->count,
			 left = s->left;
	while (count > 0) {
		uint32_t first_batch = fast->batch_count, *swap = waiting;
		if (!place_bins(fast, &s->counted, split) || !fill_lanes(fast, first_batch, &s->counted, waiting, count))
			return false;
		waiting = later, later = swap, count = left;
		if (count == 0)
			break;
		memset(fast->mask, 0, fast->qp->body_count * sizeof *fast->mask);
		left = colour_round(fast, fast->mask, waiting, count, later, &s->counted);
	}
	return true;
}

/* A chunk for each region, though it may have no groups. */
static bool place_regions(cn_fast *fast)
{
	cn_fast_span spans[CN_FAST_REGIONS];
	for (uint32_t region = 0; region < fast->region_count; ++region) {
		spans[region].begin = fast->batch_count;
		if (!place_share(fast, &fast->shares[region], false))
			return false;
		spans[region].end = fast->batch_count;
	}
	if (!add_colour(fast, 0, fast->batch_count, fast->region_count))
		return false;
	for (uint32_t i = 0; i < fast->region_count; ++i)
		fast->chunks[i] = spans[i];
	return true;
}

static bool colour_groups(cn_fast *fast)
{
	if (!cn_grow(&fast->allocator, (void **)&fast->waiting, &fast->room.waiting, 2 * fast->group_count,
	             sizeof *fast->waiting))
		return false;
	if (fast->qp->body_count)
		memset(fast->mask, 0, 2 * (size_t)fast->qp->body_count * sizeof *fast->mask);
	cn_fast_run(fast, fast->region_count + 1, colour_share, fast);
	return (fast->region_count == 0 || place_regions(fast)) &&
	       place_share(fast, &fast->shares[fast->region_count], true);
}

enum { LOOSE, INSIDE, BETWEEN }; /* bodies that nothing ties, that groups of a region alone do, and the others */

/* mask: what ties a body. */
static void mark_tied(cn_fast *fast)
{
	if (fast->qp->body_count)
		memset(fast->mask, 0, fast->qp->body_count * sizeof *fast->mask);
	for (uint32_t i = 0; i < fast->group_count; ++i) {
		const cn_fast_group *g = &fast->groups[i];
		uint64_t how = g->region < fast->region_count ? INSIDE : BETWEEN;
		if (g->a != CN_QP_NONE && fast->mask[g->a] < how)
			fast->mask[g->a] = how;
		if (g->b != CN_QP_NONE && fast->mask[g->b] < how)
			fast->mask[g->b] = how;
	}
}

static uint32_t whole_lines(uint32_t states) { return (states + CN_FAST_LINE - 1) / CN_FAST_LINE * CN_FAST_LINE; }

/* The bodies of a region that are tied like this, in order. */
static uint32_t place_some(cn_fast *fast, uint32_t region, uint64_t how, uint32_t from)
{
	const uint8_t *of = fast->options->region;
	for (uint32_t i = 0; i < fast->qp->body_count; ++i)
		if (fast->mask[i] == how && (!of || of[i] == region))
			fast->place[i] = from++;
	return whole_lines(from);
}

/* States stand by region, so that no two threads work on the same line of memory. Those that groups between regions work
 * on too go from thread to thread in every sweep, so they stand together; last those of bodies that nothing ties, which
 * sweeps leave alone. */
static void place_bodies(cn_fast *fast)
{
	uint32_t from = 0, regions = fast->region_count > 0 ? fast->region_count : 1;
	mark_tied(fast);
	for (uint32_t k = 0; k < regions; ++k) {
		fast->places[k].begin = from;
		from = place_some(fast, k, INSIDE, from);
		from = place_some(fast, k, BETWEEN, from);
		fast->places[k].end = from;
	}
	for (uint32_t k = 0; k < regions; ++k)
		from = place_some(fast, k, LOOSE, from);
	fast->state_count = fast->place_count = from;
}

/* How many groups there are of each region. */
static bool find_regions(cn_fast *fast)
{
	const uint8_t *region = fast->options->region;
	uint32_t count = fast->qp->body_count, first = 0;
	fast->region_count = 0;
	for (uint32_t i = 0; i < count && region; ++i)
		fast->region_count = region[i] >= fast->region_count ? region[i] + 1u : fast->region_count;
	uint32_t shares = fast->region_count + 1;
	if (!cn_grow(&fast->allocator, (void **)&fast->shares, &fast->room.shares, shares, sizeof *fast->shares))
		return false;
	for (uint32_t i = 0; i < shares; ++i)
		fast->shares[i].count = 0;
	for (uint32_t i = 0; i < fast->group_count; ++i) {
		uint32_t of = fast->groups[i].region;
		++fast->shares[of < fast->region_count ? of : fast->region_count].count;
	}
	for (uint32_t i = 0; i < shares; ++i) {
		fast->shares[i].first = first;
		first += fast->shares[i].count;
	}
	return true;
}

bool cn_fast_colour(cn_fast *fast)
{
	const cn_qp *qp = fast->qp;
	uint64_t most = (uint64_t)qp->contact_count + qp->row_count;
	const cairn_allocator *allocator = &fast->allocator;
	if (most > UINT32_MAX / 2 ||
	    !cn_grow(allocator, (void **)&fast->groups, &fast->room.groups, (uint32_t)most, sizeof *fast->groups) ||
	    qp->body_count > UINT32_MAX / 2 ||
	    !cn_grow(allocator, (void **)&fast->mask, &fast->room.mask, 2 * qp->body_count, sizeof *fast->mask) ||
	    !cn_grow(allocator, (void **)&fast->place, &fast->room.place, qp->body_count, sizeof *fast->place))
		return false;
	fast->batch_count = fast->chunk_count = fast->colour_count = 0;
	collect_groups(fast);
	group_rows(fast);
	fast->data_count = 0;
	if (!find_regions(fast))
		return false;
	place_bodies(fast);
	if (fast->group_count == 0)
		return true;
	if (!colour_groups(fast) ||
	    !cn_grow(allocator, (void **)&fast->batches, &fast->room.batches, fast->batch_count, sizeof *fast->batches))
		return false;
	describe_batches(fast);
	return true;
}
