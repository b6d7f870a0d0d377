/* Scenes for tests of methods without a guarantee, built with yard.h. Every step has to succeed and to have been measured;
 * the ledger is added up. */
#ifndef CLASSIC_YARD_H
#define CLASSIC_YARD_H

#include "yard.h"

#include <math.h>

typedef struct classic {
	cairn_world *world;
	cairn_step_report report; /* of the last step */
	double total, unit;       /* J */
	double ledger;            /* units: the most by which the accounts of a frame were off */
	double rise;              /* units: the most that energy rose in a frame without events and fields */
	double deepest;           /* m, so far */
	bool ok;
} classic;

static inline cairn_scene *classic_scene(const char *method, v3 gravity, double fps)
{
	cairn_scene *s = cairn_scene_create(NULL);
	cairn_settings settings = cairn_default_settings();
	settings.method = method, settings.gravity = gravity, settings.fps = fps;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	return s;
}

static inline void classic_set(cairn_scene *s, const char *key, const char *value)
{
	cairn_error e = {0};
	CHECK(cairn_scene_set_option(s, key, value, &e));
}

/* The scene is used up. */
static inline classic classic_open(cairn_scene *s, uint32_t threads)
{
	yard y = yard_open(s, threads);
	return (classic){.world = y.world, .total = y.total, .unit = y.unit, .ok = y.ok};
}

static inline void classic_step(classic *c)
{
	if (!c->ok)
		return;
	cairn_step_report r = c->report = cairn_world_step(c->world);
	c->ok = r.status == CAIRN_STEP_OK;
	CHECK(c->ok);
	if (!c->ok) {
		char text[256];
		cairn_world_explain(c->world, &r, text, sizeof text);
		printf("%s\n", text);
		return;
	}
	const cairn_energy *e = &r.energy;
	double kinetic, total = yard_energy(c->world, &kinetic), change = total - c->total;
	double accounts =
		e->events + e->fields - e->damping - e->impacts - e->friction + e->position - e->dropped + e->drift + e->joints;
	c->ledger = fmax(c->ledger, fabs(change - accounts) / c->unit);
	c->rise = fmax(c->rise, (change - e->events - e->fields) / c->unit);
	c->deepest = fmax(c->deepest, r.depth);
	c->total = total;
}

static inline cairn_key classic_key(const classic *c, const char *name)
{
	return cairn_world_body_key(c->world, cairn_world_find_body(c->world, name));
}

static inline void classic_close(classic *c)
{
	cairn_world_destroy(c->world);
	c->world = NULL;
}

#endif
