/* The memory that a step works in: made with the first frame, given back with the world. */
#include "step/context.h"

static bool create(cairn_world *w)
{
	cn_context *c = w->context = cn_alloc(&w->allocator, 1, sizeof *c);
	if (!c)
		return false;
	c->arrays.allocator = &w->allocator;
	c->contacts.broad = cn_broad_create(&w->allocator);
	c->solve.momentum = cn_momentum_create(&w->allocator);
	c->solve.fast = cn_fast_create(&w->allocator);
	c->solve.small = cn_small_create(&w->allocator);
	if (c->contacts.broad && c->solve.momentum && c->solve.fast && c->solve.small)
		return true;
	cn_context_destroy(w);
	return false;
}

void cn_context_destroy(cairn_world *w)
{
	cn_context *c = w->context;
	const cairn_allocator *a = &w->allocator;
	if (!c)
		return;
	cn_broad_destroy(c->contacts.broad);
	cn_momentum_destroy(c->solve.momentum);
	cn_fast_destroy(c->solve.fast);
	cn_small_destroy(c->solve.small);
	cn_free(a, c->paths.extras, c->paths.extra_room, sizeof *c->paths.extras);
	cn_arrays_free(&c->arrays);
	cn_free(a, c, 1, sizeof *c);
	w->context = NULL;
}
