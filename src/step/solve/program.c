/* Programs over some of the bodies: which bodies are in them with what weights, their joint rows, and regions for the
 * parallel solver. */
#include "step/context.h"

#include <string.h>

#define CN_REGION_CONTACTS 1600 /* of a program that is cut in two: ten microseconds of a sweep */
#define CN_REGION_MORE 16       /* x that: it is cut into twice as many, which leaves more between them */

void cn_inverse_inertia(const cn_rotor *r, quat q, double out[6])
{
	if (r->kind == CN_ROTOR_BALL) {
		out[0] = out[3] = out[5] = r->inv_moments.x;
		out[1] = out[2] = out[4] = 0;
		return;
	}
	m3 m = m3_from_q(r->turned ? q_mul(q, r->axes) : q);
	const double d[3] = {r->inv_moments.x, r->inv_moments.y, r->inv_moments.z};
	int k = 0;
	for (int i = 0; i < 3; ++i)
		for (int j = i; j < 3; ++j)
			out[k++] = m.m[i][0] * d[0] * m.m[j][0] + m.m[i][1] * d[1] * m.m[j][1] + m.m[i][2] * d[2] * m.m[j][2];
}

/* OBA eq. 6.7: mass and inertia. OBA eq. 6.8: all bodies alike, rotation weighted by the diameter. */
static cn_qp_body body_of(const cairn_world *w, uint32_t slot, bool diameter)
{
	const cn_rotor *r = &w->rotors[slot];
	cn_qp_body b = {.inv_mass = r->inv_mass};
	if (w->context->paths.by_slot[slot].drive.moves)
		return b;
	if (diameter) {
		double d = 2 * w->bodies[slot].radius, turn = 1 / (d * d);
		return (cn_qp_body){1, {turn, 0, 0, turn, 0, turn}};
	}
	cn_inverse_inertia(r, w->next[slot].q, b.inv_inertia);
	return b;
}

cn_qp_body cn_program_body(const cairn_world *w, uint32_t slot) { return body_of(w, slot, false); }

bool cn_program_begin(cairn_world *w, const uint8_t *free, bool diameter)
{
	cn_program *p = &w->context->program;
	uint32_t max = w->slots + 1, count = 0;
	if (!CN_ROOM(p->bodies, max) || !CN_ROOM(p->u0, max) || !CN_ROOM(p->u, max) || !CN_ROOM(p->index, max) ||
	    !CN_ROOM(p->slots, max) || !CN_ROOM(p->island, max) || !CN_ROOM(p->region, max))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		p->index[slot] = CN_QP_NONE;
		const cn_path *y = &w->context->paths.by_slot[slot];
		if (!(cn_body_movable(w, slot) || y->drive.moves) || (free && (!free[slot] || y->key_count)))
			continue;
		p->bodies[count] = body_of(w, slot, diameter);
		p->u0[count] = (cn_twist){{0, 0, 0}, {0, 0, 0}};
		p->slots[count] = slot;
		p->index[slot] = count++;
	}
	p->qp = (cn_qp){.body_count = count, .bodies = p->bodies, .u0 = p->u0};
	return true;
}

bool cn_program_moves(const cn_program *p, uint32_t slot)
{
	return p->index[slot] != CN_QP_NONE && p->bodies[p->index[slot]].inv_mass > 0;
}

bool cn_program_add_row(cairn_world *w, cn_qp_row row, uint32_t joint, cn_row_kind kind)
{
	cn_program *p = &w->context->program;
	uint32_t at = p->qp.row_count, more = at + 1;
	if (!CN_ROOM(p->rows, more) || !CN_ROOM(p->row_y, more) || !CN_ROOM(p->row_joint, more) ||
	    !CN_ROOM(p->row_kind, more))
		return false;
	p->rows[at] = row;
	p->row_y[at] = 0;
	p->row_joint[at] = joint;
	p->row_kind[at] = (uint8_t)kind;
	p->qp.rows = p->rows;
	p->qp.row_count = more;
	return true;
}

uint32_t cn_program_island(const cn_program *p, uint32_t contact)
{
	const cn_qp_contact *k = &p->contacts[contact];
	uint32_t a = k->a != CN_QP_NONE ? p->island[k->a] : CN_QP_NONE;
	return a != CN_QP_NONE ? a : p->island[k->b];
}

/* ---- regions */

static double part_of(v3 x, int axis) { return axis == 0 ? x.x : axis == 1 ? x.y : x.z; }

typedef struct spread {
	double middle, width; /* mean and standard deviation */
	int axis;
} spread;

/* The axis along which bodies are spread most. */
static spread find_spread(const cairn_world *w, const cn_program *p)
{
	spread max = {0, 0, 0};
	v3 sum = v3_zero(), squares = v3_zero();
	double count = p->qp.body_count;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		sum = v3_add(sum, w->next[p->slots[i]].x);
	v3 middle = v3_make(sum.x / count, sum.y / count, sum.z / count);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		v3 d = v3_sub(w->next[p->slots[i]].x, middle);
		squares = v3_make(squares.x + d.x * d.x, squares.y + d.y * d.y, squares.z + d.z * d.z);
	}
	for (int axis = 0; axis < 3; ++axis) {
		double width = sqrt(part_of(squares, axis) / count);
		if (width > max.width)
			max = (spread){part_of(middle, axis), width, axis};
	}
	return max;
}

enum { BINS = 256 }; /* fits into a byte */

static uint32_t bin_of(const spread *s, v3 x)
{
	double at = (part_of(x, s->axis) - s->middle) / s->width; /* nearly all are within two standard deviations */
	at = (at + 2) * (BINS / 4.0);
	return !(at > 0) ? 0 : at < BINS - 1 ? (uint32_t)at : BINS - 1;
}

enum { BIN_CONTACTS = 1024 }; /* contacts per chunk */

typedef struct bin_task {
	const cn_program *p;
	uint32_t *counts; /* BINS per chunk */
} bin_task;

static void count_bins(void *context, uint32_t chunk)
{
	const bin_task *t = context;
	const cn_program *p = t->p;
	uint32_t *bins = t->counts + (size_t)chunk * BINS, begin = chunk * BIN_CONTACTS,
			 end = p->qp.contact_count - begin < BIN_CONTACTS ? p->qp.contact_count : begin + BIN_CONTACTS;
	memset(bins, 0, BINS * sizeof *bins);
	for (uint32_t i = begin; i < end; ++i)
		++bins[p->region[p->contacts[i].a != CN_QP_NONE ? p->contacts[i].a : p->contacts[i].b]];
}

bool cn_program_regions_room(cairn_world *w, uint32_t contacts)
{
	return CN_ROOM(w->context->contacts.counts, (contacts / BIN_CONTACTS + 1) * BINS);
}

const uint8_t *cn_program_regions(const cairn_world *w)
{
	const cn_program *p = &w->context->program;
	uint32_t count = p->qp.body_count, regions = 1, passed = 0, bins[BINS] = {0};
	uint64_t all = p->qp.contact_count;
	for (uint64_t min = CN_REGION_CONTACTS; all >= min && regions < CN_FAST_REGIONS; min *= CN_REGION_MORE)
		regions *= 2;
	if (regions < 2)
		return NULL;
	spread s = find_spread(w, p);
	if (!(s.width > 0))
		return NULL;
	for (uint32_t i = 0; i < count; ++i)
		p->region[i] = (uint8_t)bin_of(&s, w->next[p->slots[i]].x);
	uint32_t chunks = (p->qp.contact_count + BIN_CONTACTS - 1) / BIN_CONTACTS;
	bin_task task = {p, w->context->contacts.counts};
	cn_pool_run(w->pool, chunks, count_bins, &task);
	for (uint32_t i = 0; i < chunks * BINS; ++i)
		bins[i % BINS] += task.counts[i];
	for (uint32_t k = 0; k < BINS; ++k) { /* from counts to offsets */
		uint32_t here = bins[k];
		bins[k] = (uint32_t)((uint64_t)(passed + here / 2) * regions / (all + 1));
		passed += here;
	}
	for (uint32_t i = 0; i < count; ++i)
		p->region[i] = (uint8_t)bins[p->region[i]];
	return p->region;
}
