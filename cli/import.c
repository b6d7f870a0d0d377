/* The model that importers fill: its arrays, its notes, the files it may read. */
#define _POSIX_C_SOURCE 200809L
#include "import.h"

#include "limit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const importer importers[] = {
	{".urdf .xml .mjcf", "URDF (robots of ROS) and MJCF (models of MuJoCo)", true, import_read_xml},
	{".gltf .glb .obj", "glTF, GLB and OBJ (things from Blender and other modellers)", false, import_read_asset},
	{NULL, NULL, false, NULL},
};

import_place place_of(const xml_node *node) { return (import_place){node->file, node->line, node->column}; }

bool import_fail(import *im, import_place place, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	im->error = (cairn_error){.code = CAIRN_INVALID, .line = place.line, .column = place.column};
	snprintf(im->error.file, sizeof im->error.file, "%s", place.file ? place.file : im->path);
	vsnprintf(im->error.message, sizeof im->error.message, format, arguments);
	va_end(arguments);
	return false;
}

#define ROOM(items, count, capacity)                                                                                   \
	((items) = pool_room(&im->memory, (items), (count), &(capacity), sizeof *(items)), &(items)[(count)++])

void import_note_at(import *im, import_place place, const char *what, const char *why)
{
	*ROOM(im->notes, im->note_count, im->note_capacity) = (import_note){place, pool_text(&im->memory, what), why};
}

size_t import_add_link(import *im, const char *name, size_t parent, cairn_pose pose)
{
	*ROOM(im->links, im->link_count, im->link_capacity) =
		(import_link){.name = name, .parent = parent, .pose = pose, .weld = IMPORT_NONE};
	return im->link_count - 1;
}

import_joint *import_add_joint(import *im, size_t link, import_joint_type type, const char *name)
{
	import_joint *j = ROOM(im->joints, im->joint_count, im->joint_capacity);
	*j = (import_joint){
		.name = name, .type = type, .link = link, .axis = {0, 0, 1}, .turn = {1, 0, 0, 0}, .most = INFINITY};
	import_link *l = &im->links[link];
	*ROOM(l->joints, l->joint_count, l->joint_capacity) = im->joint_count - 1;
	return j;
}

import_geom *import_add_geom(import *im, size_t link)
{
	import_geom *g = ROOM(im->geoms, im->geom_count, im->geom_capacity);
	*g = (import_geom){.name = "",
	                   .link = link,
	                   .pose = {.orientation = {1, 0, 0, 0}},
	                   .mass = -1,
	                   .density = 1000,
	                   .weighs = true,
	                   .collides = true,
	                   .type = 1,
	                   .with = 1,
	                   .friction = 0.5,
	                   .roughness = -1};
	return g;
}

void import_add_tie(import *im, import_tie tie) { *ROOM(im->ties, im->tie_count, im->tie_capacity) = tie; }

void import_add_pair(import *im, size_t a, size_t b, const char *why)
{
	*ROOM(im->pairs, im->pair_count, im->pair_capacity) = (import_pair){a, b, why};
}

size_t import_find_link(const import *im, const char *name)
{
	for (size_t i = 0; i < im->link_count; ++i)
		if (strcmp(im->links[i].name, name) == 0)
			return i;
	return IMPORT_NONE;
}

import_joint *import_find_joint(const import *im, const char *name)
{
	for (size_t i = 0; i < im->joint_count; ++i)
		if (strcmp(im->joints[i].name, name) == 0)
			return &im->joints[i];
	return NULL;
}

/* ---- files */

static const char *read_bytes(import *im, import_place place, const char *path, const char *shown, size_t *size)
{
	cairn_files files = cairn_default_files();
	cairn_allocator allocator = limits_allocator();
	void *data = NULL;
	cairn_error error = {0};
	if (!files.read(files.context, path, &allocator, &data, size, &error)) {
		if (place.file)
			import_fail(im, place, "\"%s\" cannot be read: %s", shown, error.message);
		else
			im->error = error; /* the file itself, which the message names */
		return NULL;
	}
	char *kept = pool_take(&im->memory, *size + 1);
	if (*size)
		memcpy(kept, data, *size);
	allocator.resize(allocator.context, data, *size, 0);
	return kept;
}

const char *import_find_file(import *im, import_place place, const char *path)
{
	cairn_files files = cairn_default_files();
	char *joined = path[0] == '/' ? pool_text(&im->memory, path) : pool_format(&im->memory, "%s%s", im->folder, path);
	char resolved[4096];
	bool there = files.resolve(files.context, joined, resolved, sizeof resolved);
	if (!there) {
		import_fail(im, place, "there is no file \"%s\" in %s", path, im->folder);
		return NULL;
	}
	if (!im->asked->trust && strncmp(resolved, im->folder, strlen(im->folder)) != 0) {
		import_fail(im, place, "\"%s\" leads out of the folder of %s; --trust lets it", path, im->path);
		return NULL;
	}
	return pool_text(&im->memory, resolved);
}

const char *import_read_file(import *im, import_place place, const char *path, size_t *size)
{
	const char *resolved = import_find_file(im, place, path);
	return resolved ? read_bytes(im, place, resolved, path, size) : NULL;
}

const char *import_open(import *im, size_t *size)
{
	cairn_files files = cairn_default_files();
	char resolved[4096];
	const char *data = read_bytes(im, (import_place){0}, im->path, im->path, size);
	if (!data || !files.resolve(files.context, im->path, resolved, sizeof resolved))
		return NULL;
	im->folder = pool_text(&im->memory, resolved);
	strrchr(im->folder, '/')[1] = 0;
	return data;
}

/* ---- values */

bool import_numbers(import *im, const xml_node *node, const char *text, const char *name, double *numbers, size_t least,
                    size_t most, size_t *count)
{
	size_t n = 0;
	for (const char *s = text;; ++n) {
		while (isspace((unsigned char)*s))
			++s;
		if (!*s)
			break;
		char *after;
		double x = strtod(s, &after);
		if (after == s || (*after && !isspace((unsigned char)*after)) || !isfinite(x))
			return import_fail(im, place_of(node), "%s of <%s>: \"%.40s\" is no number", name, node->name, s);
		if (n == most)
			return import_fail(im, place_of(node), "%s of <%s>: more than %zu numbers", name, node->name, most);
		numbers[n] = x;
		s = after;
	}
	if (count)
		*count = n;
	return n >= least ||
	       import_fail(im, place_of(node), "%s of <%s>: %zu numbers, where %zu are needed", name, node->name, n, least);
}

void import_note_unused(import *im, const xml_node *node, import_reason *reason)
{
	for (const xml_node *n = node->first; n; n = n->next) {
		if (!n->used) {
			char *what = pool_format(&im->memory, "<%s>", n->name);
			const char *why = reason(n->name, NULL);
			import_note_at(im, place_of(n), what, why ? why : "unknown here");
			continue;
		}
		for (const xml_attribute *a = n->attributes; a; a = a->next) {
			if (a->used || strncmp(a->name, "xmlns", 5) == 0)
				continue;
			const char *why = reason(n->name, a->name);
			import_note_at(im, place_of(n), pool_format(&im->memory, "%s of <%s>", a->name, n->name),
			               why ? why : "unknown here");
		}
		import_note_unused(im, n, reason);
	}
}

bool import_read_xml(import *im)
{
	size_t size;
	const char *text = import_open(im, &size);
	xml_node *root = text ? xml_read(&im->memory, text, size, im->path, &im->error) : NULL;
	if (!root)
		return false;
	root->used = true;
	if (strcmp(root->name, "robot") == 0)
		return import_urdf(im, root);
	if (strcmp(root->name, "mujoco") == 0)
		return import_mjcf(im, root);
	return import_fail(im, place_of(root),
	                   "the file begins with <%.60s>; a URDF begins with <robot>, an MJCF with <mujoco>", root->name);
}
