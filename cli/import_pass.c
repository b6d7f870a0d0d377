/* Which bodies overlap at the start. Neighbours do not collide anyway; other links of figures that overlap where they
 * stand are let pass and noted, and a floor that a link stands in is an error. The library measures. */
#include "import.h"
#include "limit.h"
#include "render_math.h"

#include <stdlib.h>
#include <string.h>

#define RAISE_MAX 1e-6   /* m: a link so deep in a floor is there by the digits of its file */
#define RAISE_HAIR 1e-12 /* m: above it afterwards, whatever is rounded */

enum { PAIRS_MAX = 10000 }; /* each is named in the notes; more are no figure, and a file that holds up its reader */

/* The scene's body of a link, or of a geometry of the world. */
typedef struct thing {
	size_t number; /* a link, or the number of links and a geometry */
	cairn_body body;
	uint32_t group, mask;
	cairn_vec3 center; /* of the ball that holds it */
	double radius;
} thing;

static const char *geom_name(const import *im, size_t number)
{
	const import_geom *g = number < im->link_count ? NULL : &im->geoms[number - im->link_count];
	for (size_t i = 0; !g && i < im->geom_count; ++i)
		if (im->geoms[i].link == number && im->geoms[i].collides && im->geoms[i].name[0])
			g = &im->geoms[i];
	return g && g->name[0] ? g->name : "without a name";
}

static bool is_plane(const import *im, size_t number)
{
	return number >= im->link_count && im->geoms[number - im->link_count].shape == IMPORT_PLANE;
}

static bool exempt(const import *im, size_t a, size_t b)
{
	if (b < im->link_count && (im->links[a].parent == b || im->links[b].parent == a))
		return true;
	size_t owner = b >= im->link_count ? im->geoms[b - im->link_count].link : b;
	for (size_t i = 0; i < im->pair_count; ++i) {
		const import_pair *p = &im->pairs[i];
		if ((p->a == a && (p->b == b || p->b == owner)) || (p->b == a && (p->a == b || p->a == owner)))
			return true;
	}
	for (size_t i = 0; i < im->tie_count; ++i)
		if ((im->ties[i].a == a && im->ties[i].b == b) || (im->ties[i].a == b && im->ties[i].b == a))
			return true;
	return false;
}

/* A free link in a floor: what is in it by rounding is raised, more is an error. */
static bool meet_floor(import *im, size_t a, size_t b, size_t root, double depth)
{
	import_place place = im->links[a].place;
	if (depth > RAISE_MAX)
		return import_fail(
			im, place, "link \"%.60s\" stands %.3g m deep in \"%.60s\" at the start; --lift %.3g raises what is free",
			im->bodies[a], depth, im->bodies[b], depth * 1.01 + RAISE_MAX);
	import_raise(im, root, 2 * depth + RAISE_HAIR);
	im->raised = true;
	return true;
}

/* a is a link. */
static bool let_pass(import *im, size_t a, size_t b, double depth)
{
	if (im->pair_count >= PAIRS_MAX)
		return import_fail(im, im->links[a].place, "more than %d pairs of bodies overlap at the start", PAIRS_MAX);
	size_t root = import_free_root(im, a);
	if (is_plane(im, b) && root != IMPORT_NONE)
		return meet_floor(im, a, b, root, depth);
	char *what = pool_format(&im->memory, "contact of \"%s\" and \"%s\"", im->bodies[a], im->bodies[b]);
	import_note_at(
		im, im->links[a].place, what,
		pool_format(&im->memory,
	                "they overlap by %.3g m at the start (geometries \"%s\" and \"%s\"), and pass through each other",
	                depth, geom_name(im, a), geom_name(im, b)));
	import_add_pair(im, a, b, "overlap");
	return true;
}

/* By their balls; rounding is far less than the thousandth. */
static bool far(const thing *a, const thing *b)
{
	double reach = 1.001 * (a->radius + b->radius);
	return fabs(a->center.x - b->center.x) > reach || fabs(a->center.y - b->center.y) > reach ||
	       fabs(a->center.z - b->center.z) > reach;
}

static bool look(import *im, const cairn_world *world, const thing *things, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		for (size_t k = i + 1; k < count; ++k) {
			const thing *a = &things[i], *b = &things[k];
			cairn_gap gap;
			if (a->number >= im->link_count || far(a, b) || !(a->group & b->mask) || !(b->group & a->mask) ||
			    exempt(im, a->number, b->number))
				continue;
			if (cairn_world_gap(world, a->body, b->body, &gap) && gap.exact && gap.gap < 0 &&
			    !let_pass(im, a->number, b->number, -gap.gap))
				return false;
		}
	return true;
}

static bool look_at_scene(import *im, const cairn_scene *scene)
{
	cairn_world_def def = {.allocator = limits_allocator()};
	size_t all = im->link_count + im->geom_count, count = 0;
	thing *things = pool_take(&im->memory, all * sizeof *things);
	cairn_world *world = cairn_world_create(scene, &def, &im->error);
	if (!world)
		return false;
	for (size_t i = 0; i < all; ++i) {
		if (!im->bodies[i])
			continue;
		cairn_body body = cairn_scene_find_body(scene, im->bodies[i]);
		cairn_body_def d = cairn_scene_body_at(scene, body.index);
		things[count++] = (thing){i,
		                          body,
		                          d.group,
		                          d.mask,
		                          cairn_world_body_key(world, body).position,
		                          cairn_world_body_info(world, body).radius};
	}
	bool ok = look(im, world, things, count);
	cairn_world_destroy(world);
	return ok;
}

bool import_pass(import *im, const char *scene, size_t size)
{
	cairn_scene_def def = {.allocator = limits_allocator()};
	cairn_files files = import_files(im);
	cairn_scene *read = cairn_scene_read_text(scene, size, "the scene of it", &files, &def, &im->error);
	if (!read)
		return false;
	bool ok = look_at_scene(im, read);
	cairn_scene_destroy(read);
	return ok;
}
