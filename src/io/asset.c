/* Assets: how they grow while they are read, and how they are looked at. */
#include "io/asset.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool cn_asset_fail(cn_asset_reader *r, cn_asset_place at, const char *format, ...)
{
	char message[sizeof r->error->message];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	cn_fail(r->error, CAIRN_INVALID, "", "%s", message);
	snprintf(r->error->file, sizeof r->error->file, "%s", r->name);
	r->error->line = (int)at.line, r->error->column = (int)at.column;
	return false;
}

bool cn_asset_fail_memory(cn_asset_reader *r) { return cn_fail_memory(r->error); }

bool cn_asset_note(cn_asset_reader *r, cn_asset_place at, const char *why, const char *what, ...)
{
	cairn_asset *a = r->asset;
	char text[200];
	va_list args;
	va_start(args, what);
	vsnprintf(text, sizeof text, what, args);
	va_end(args);
	const char *kept = cn_arena_text(&a->arena, text, strlen(text));
	if (!kept ||
	    !cn_grow(&a->arena.allocator, (void **)&a->notes, &a->note_capacity, a->note_count + 1, sizeof *a->notes))
		return cn_asset_fail_memory(r);
	a->notes[a->note_count++] = (cairn_asset_note){kept, why, (int)at.line, (int)at.column};
	return true;
}

cairn_asset_mesh *cn_asset_add_mesh(cn_asset_reader *r)
{
	cairn_asset *a = r->asset;
	if (!cn_grow(&a->arena.allocator, (void **)&a->meshes, &a->mesh_capacity, a->mesh_count + 1, sizeof *a->meshes))
		return cn_asset_fail_memory(r), NULL;
	a->meshes[a->mesh_count] = (cairn_asset_mesh){.name = ""};
	return &a->meshes[a->mesh_count++];
}

cairn_asset_node *cn_asset_add_node(cn_asset_reader *r, const char *name, cn_asset_place at)
{
	cairn_asset *a = r->asset;
	if (!cn_grow(&a->arena.allocator, (void **)&a->nodes, &a->node_capacity, a->node_count + 1, sizeof *a->nodes))
		return cn_asset_fail_memory(r), NULL;
	cairn_asset_node *node = &a->nodes[a->node_count];
	*node = (cairn_asset_node){.name = name,
	                           .pose = pose_identity(),
	                           .mesh = UINT32_MAX,
	                           .body = a->node_count,
	                           .friction = -1,
	                           .restitution = -1,
	                           .line = (int)at.line,
	                           .column = (int)at.column};
	++a->node_count;
	return node;
}

/* Whether it leads out of the folder by its text; links are for files.read to mind. */
static bool leads_out(const char *path)
{
	if (path[0] == '/' || strchr(path, '\\') || strchr(path, ':'))
		return true;
	for (const char *step = path; step; step = strchr(step, '/') ? strchr(step, '/') + 1 : NULL)
		if (!strncmp(step, "..", 2) && (step[2] == '/' || !step[2]))
			return true;
	return false;
}

bool cn_asset_file(cn_asset_reader *r, cn_asset_place at, const char *path, const char **data, size_t *size)
{
	cairn_allocator *allocator = &r->asset->arena.allocator;
	const char *slash = strrchr(r->name, '/');
	size_t folder = slash && path[0] != '/' ? (size_t)(slash - r->name) + 1 : 0;
	void *bytes = NULL;
	cairn_error why = {0};
	if (!r->trust && leads_out(path))
		return cn_asset_fail(r, at, "\"%.100s\" leads out of the folder of the file, which only --trust (trust) allows",
		                     path);
	char *joined = cn_arena_take(&r->asset->arena, folder + strlen(path) + 1, 1);
	if (!joined)
		return cn_asset_fail_memory(r);
	memcpy(joined, r->name, folder);
	memcpy(joined + folder, path, strlen(path) + 1);
	if (!r->files.read(r->files.context, joined, allocator, &bytes, size, &why))
		return why.code == CAIRN_MEMORY ? cn_asset_fail_memory(r)
		                                : cn_asset_fail(r, at, "\"%.100s\" cannot be read: %.200s", path, why.message);
	char *kept = cn_arena_take(&r->asset->arena, *size + 1, 1);
	if (kept && *size)
		memcpy(kept, bytes, *size);
	cn_free(allocator, bytes, *size, 1);
	*data = kept;
	return kept || cn_asset_fail_memory(r);
}

void cairn_asset_destroy(cairn_asset *asset)
{
	if (!asset)
		return;
	cairn_allocator a = asset->arena.allocator;
	cn_free(&a, asset->meshes, asset->mesh_capacity, sizeof *asset->meshes);
	cn_free(&a, asset->nodes, asset->node_capacity, sizeof *asset->nodes);
	cn_free(&a, asset->notes, asset->note_capacity, sizeof *asset->notes);
	cn_arena_free(&asset->arena);
	cn_free(&a, asset, 1, sizeof *asset);
}

uint32_t cairn_asset_mesh_count(const cairn_asset *asset) { return asset->mesh_count; }
uint32_t cairn_asset_node_count(const cairn_asset *asset) { return asset->node_count; }
uint32_t cairn_asset_note_count(const cairn_asset *asset) { return asset->note_count; }

cairn_asset_mesh cairn_asset_mesh_at(const cairn_asset *asset, uint32_t index)
{
	assert(index < asset->mesh_count);
	return asset->meshes[index];
}

cairn_asset_node cairn_asset_node_at(const cairn_asset *asset, uint32_t index)
{
	assert(index < asset->node_count);
	return asset->nodes[index];
}

cairn_asset_note cairn_asset_note_at(const cairn_asset *asset, uint32_t index)
{
	assert(index < asset->note_count);
	return asset->notes[index];
}
