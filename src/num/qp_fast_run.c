/* What every stage of the fast solver needs: running chunks on threads, and going on beyond a state. */
#include "num/lanes.h"
#include "num/qp_fast_parts.h"

void cn_fast_run(cn_fast *fast, uint32_t chunks, void (*task)(void *context, uint32_t chunk), void *context)
{
	if (chunks > 1 && fast->options->pool) {
		cn_pool_run(fast->options->pool, chunks, task, context);
		return;
	}
	for (uint32_t i = 0; i < chunks; ++i)
		task(context, i);
}

void cn_fast_go_on(const cn_fast *fast, cn_fast_span states, float beta)
{
	vf4 more = vf4_all(beta);
	float *state = (float *)(fast->state + states.begin), *last = (float *)(fast->last + states.begin);
	for (size_t i = 0; i < (size_t)(states.end - states.begin) * 8; i += 4) {
		vf4 now = vf4_load(state + i);
		vf4_store(state + i, now + more * (now - vf4_load(last + i)));
		vf4_store(last + i, now);
	}
}
