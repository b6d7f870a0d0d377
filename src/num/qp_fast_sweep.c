/* See qp_fast_parts.h: a sweep, colour by colour, with lanes of two times four. */
#include "num/qp_fast_kernel.h"

typedef struct colour_task {
	const cn_fast *fast;
	const cn_fast_pass *pass;
	uint32_t first; /* chunk of the colour */
} colour_task;

static void sweep_chunk(void *context, uint32_t chunk)
{
	const colour_task *task = context;
	uint32_t number = task->first + chunk;
	if (task->pass->onward && number < task->fast->region_count)
		cn_fast_go_on(task->fast, task->fast->places[number], task->pass->beta);
	switch (task->fast->width) {
	case CN_FAST_DEEP: cn_fast_sweep_avx512(task->fast, task->pass, number); break;
	case CN_FAST_WIDE: cn_fast_sweep_avx2(task->fast, task->pass, number); break;
	case CN_FAST_NARROW: sweep_span(task->fast, task->pass, number); break;
	}
}

void cn_fast_sweep(cn_fast *fast, const cn_fast_pass *pass)
{
	if (pass->onward && fast->region_count == 0)
		cn_fast_go_on(fast, fast->places[0], pass->beta);
	for (uint32_t i = 0; i < fast->colour_count; ++i) {
		colour_task task = {fast, pass, fast->colours[i].begin};
		cn_fast_run(fast, fast->colours[i].end - fast->colours[i].begin, sweep_chunk, &task);
	}
}
