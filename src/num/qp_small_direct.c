/* Where a direct solve of the small solver (qp_small_kernel_direct.h) is worth it, and the envelope of its matrix. */
#include "num/qp_small_parts.h"

#define CN_SMALL_DIRECT_ROOM 32768 /* doubles of the matrix: a quarter of a megabyte, forty bodies that all touch */
#define CN_SMALL_DIRECT_WORK 1000  /* multiplications of a row: a direct solve may cost as much as a hundred sweeps */

size_t cn_small_matrix_room(uint32_t bodies)
{
	size_t all = (size_t)18 * bodies * ((size_t)bodies + 1);
	return bodies > CN_SMALL_BODIES || all > CN_SMALL_DIRECT_ROOM ? CN_SMALL_DIRECT_ROOM : all;
}

static void tie(const cn_small_run *run, uint32_t a, uint32_t b)
{
	uint32_t *first = run->memory->matrix.first;
	if (!cn_small_moves(run, a) || !cn_small_moves(run, b))
		return;
	if (a < b)
		first[b] = a < first[b] ? a : first[b];
	else
		first[a] = b < first[a] ? b : first[a];
}

static void tie_all(const cn_small_run *run, uint32_t a, uint32_t b, const cn_small_far *f)
{
	tie(run, a, b);
	for (uint32_t i = 0; i < f->count; ++i) /* a is the first of all */
		tie(run, a, f->seat[i]);
}

bool cn_small_direct_plan(const cn_small_run *run)
{
	cn_small_matrix *m = &run->memory->matrix;
	uint32_t bodies = run->memory->seats;
	for (uint32_t i = 0; i < bodies; ++i)
		m->first[i] = i;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		tie_all(run, run->memory->touch[i].a, run->memory->touch[i].b, &run->memory->touch[i].far);
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		tie_all(run, run->memory->bond[i].a, run->memory->bond[i].b, &run->memory->bond[i].far);
	size_t at = 0;
	double work = 0;
	for (uint32_t i = 0; i < bodies; ++i) {
		size_t width = (size_t)6 * (i - m->first[i] + 1);
		m->at[i] = at;
		at += 6 * width;
		work += 3 * (double)width * (double)width;
	}
	double rows = 3 * (double)run->qp->contact_count + run->qp->row_count;
	return bodies > 0 && at <= CN_SMALL_DIRECT_ROOM && work <= CN_SMALL_DIRECT_WORK * rows;
}

bool cn_small_slides(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		if (s->touch_state[i] == CN_SMALL_PUSHES && s->touch[i].mu > 0)
			return true;
	return false;
}
