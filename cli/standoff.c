/* See standoff.h. Bodies of one shape, visual and place are measured once. */
#include "standoff.h"
#include "message.h"
#include "screen.h"

#include <string.h>

static bool same(const cairn_body_def *a, const cairn_body_def *b)
{
	return a->shape.index == b->shape.index && a->visual.index == b->visual.index &&
	       memcmp(&a->visual_pose, &b->visual_pose, sizeof a->visual_pose) == 0;
}

/* The next body from index on whose visual is to be measured; the count of bodies: there is none. */
static uint32_t next_body(const cairn_scene *scene, uint32_t index)
{
	for (uint32_t count = cairn_scene_body_count(scene); index < count; ++index) {
		cairn_body_def d = cairn_scene_body_at(scene, index);
		bool known = !d.visual.generation || cairn_scene_shape_at(scene, d.shape.index).kind == CAIRN_HALFSPACE;
		for (uint32_t i = 0; i < index && !known; ++i) {
			cairn_body_def before = cairn_scene_body_at(scene, i);
			known = before.visual.generation && same(&before, &d);
		}
		if (!known)
			break;
	}
	return index;
}

static uint32_t parts_of(const cairn_scene *scene, const cairn_body_def *d)
{
	cairn_shape_def shape = cairn_scene_shape_at(scene, d->shape.index);
	return shape.kind == CAIRN_COMPOUND ? shape.part_count : 1;
}

void standoff_print(const cairn_scene *scene, FILE *out)
{
	table rows = {0};
	for (uint32_t i = next_body(scene, 0); i < cairn_scene_body_count(scene); i = next_body(scene, i + 1)) {
		cairn_body_def d = cairn_scene_body_at(scene, i);
		cairn_standoff s;
		if (!cairn_scene_standoff(scene, i, &s, NULL))
			continue;
		uint32_t parts = parts_of(scene, &d);
		bool missed = cairn_scene_shape_facts(scene, d.shape).missed > 0;
		table_add(
			&rows, d.name,
			"%u part%s; reach%s up to %.3g mm (%.2g %%) beyond what is seen, which reaches up to %.3g mm (%.2g %%) "
			"beyond %s%s%s",
			parts, parts == 1 ? "" : "s", parts == 1 ? "es" : "", 1e3 * s.shape_beyond, 100 * s.shape_beyond / s.size,
			1e3 * s.visual_beyond, 100 * s.visual_beyond / s.size, parts == 1 ? "it" : "them",
			s.closed ? "" : " (it is not closed)", missed ? "; not as near as asked: allow more parts" : "");
	}
	if (rows.count) {
		fprintf(out, "Visuals (%% of the size of what is seen, by samples of both surfaces)\n");
		table_print(&rows, out, screen_width(out));
	}
	table_free(&rows);
}

void standoff_write(json *j, const cairn_scene *scene)
{
	json_open(j, "visuals", '[');
	for (uint32_t i = next_body(scene, 0); i < cairn_scene_body_count(scene); i = next_body(scene, i + 1)) {
		cairn_body_def d = cairn_scene_body_at(scene, i);
		cairn_standoff s;
		if (!cairn_scene_standoff(scene, i, &s, NULL))
			continue;
		json_open(j, NULL, '{');
		json_text(j, "body", d.name);
		json_count(j, "parts", parts_of(scene, &d));
		json_number(j, "size", s.size);
		json_number(j, "shape_beyond", s.shape_beyond);
		json_number(j, "visual_beyond", s.visual_beyond);
		json_bool(j, "closed", s.closed);
		json_bool(j, "as_asked", cairn_scene_shape_facts(scene, d.shape).missed == 0);
		json_close(j, '}');
	}
	json_close(j, ']');
}
