/* What every scene has to go through: memory that runs out at any moment, and a world that is brought back from bytes. */
#ifndef HARDSHIP_H
#define HARDSHIP_H

#include "ledger.h"
#include "yard.h"

#include <stdlib.h>

/* One step in which so many allocations are granted. */
static inline cairn_step_report hardship_starve(cairn_world *w, ledger *l, size_t granted)
{
	ledger_allow(l, granted);
	cairn_step_report r = cairn_world_step(w);
	l->fail_at = 0;
	return r;
}

/* Memory that runs out at any allocation: the step says so and changes nothing. Given memory again, the run goes on to
 * the bit. What a refused step got, the world keeps: more is granted only when it got nothing to keep, so that each
 * allocation is the one that fails. Returns how many steps were refused; the scene is used up. */
static inline uint64_t hardship_memory(cairn_scene *s, int frames)
{
	uint64_t wanted[60], refused = 0;
	cairn_world_def d = cairn_default_world_def();
	d.threads = 1;
	cairn_world *w = cairn_world_create(s, &d, NULL);
	CHECK(w);
	for (int k = 0; w && k < frames; ++k) {
		CHECK(cairn_world_step(w).status == CAIRN_STEP_OK);
		wanted[k] = cairn_world_hash(w);
	}
	cairn_world_destroy(w);
	ledger l = {0};
	d.allocator = (cairn_allocator){&l, ledger_resize};
	w = cairn_world_create(s, &d, NULL);
	CHECK(w);
	for (int k = 0; w && k < frames; ++k) {
		uint64_t before = cairn_world_hash(w);
		bool enough = false;
		size_t earlier = 0; /* held before the last try: what one try gives back and the next one takes is no gain */
		for (size_t granted = 0, tries = 0; !enough && tries < 5000; ++tries) {
			size_t held = l.bytes;
			cairn_step_report r = hardship_starve(w, &l, granted);
			enough = l.calls <= granted;
			CHECK(r.status == (enough ? CAIRN_STEP_OK : CAIRN_STEP_MEMORY));
			CHECK(enough || cairn_world_hash(w) == before);
			refused += !enough;
			granted += l.bytes == held || l.bytes == earlier;
			earlier = held;
		}
		CHECK(enough && cairn_world_hash(w) == wanted[k]);
	}
	cairn_world_destroy(w);
	CHECK_INT(l.bytes, 0);
	cairn_scene_destroy(s);
	return refused;
}

/* Two worlds in memory that held different things, on one thread and on three; one is brought back from the bytes of the other now and then. The
 * scene is used up. */
static inline void hardship_state(cairn_scene *s, int frames)
{
	ledger l[2] = {{.fill = 0x01}, {.fill = 0xBF}};
	cairn_world *w[2];
	for (int i = 0; i < 2; ++i) {
		cairn_world_def d = cairn_default_world_def();
		d.threads = i ? 3 : 1, d.allocator = (cairn_allocator){&l[i], ledger_resize};
		w[i] = cairn_world_create(s, &d, NULL);
		CHECK(w[i]);
	}
	for (int k = 0; w[0] && w[1] && k < frames; ++k) {
		if (k % 7 == 6) {
			size_t size = cairn_world_snapshot_size(w[0]);
			void *bytes = malloc(size);
			CHECK(bytes && cairn_world_snapshot(w[0], bytes, size, NULL) &&
			      cairn_world_restore(w[1], bytes, size, NULL));
			free(bytes);
		}
		CHECK(cairn_world_step(w[0]).status == CAIRN_STEP_OK && cairn_world_step(w[1]).status == CAIRN_STEP_OK);
		CHECK(cairn_world_hash(w[0]) == cairn_world_hash(w[1]));
	}
	for (int i = 0; i < 2; ++i) {
		cairn_world_destroy(w[i]);
		CHECK_INT(l[i].bytes, 0);
	}
	cairn_scene_destroy(s);
}

#endif
