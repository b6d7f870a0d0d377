/* OBJ as an asset: each object (o) or group (g) is a thing of its own, with colours of the .mtl beside it. Its numbers are taken as
 * they are, +Z up. */
#include "base/tolerance.h"
#include "io/asset.h"
#include "io/mesh_source.h"

#include <string.h>

typedef struct obj_color {
	const char *name;
	cairn_color color;
	double shine; /* exponent; below 0: not said */
} obj_color;

typedef struct obj_corner {
	uint32_t point, uv; /* uv + 1; 0: none */
	uint32_t color;     /* + 1 */
} obj_corner;

typedef struct obj {
	cn_asset_reader *r;
	cn_mesh_source s;
	cn_mesh all; /* points of the file; its triangles stay empty */
	float (*uvs)[2];
	uint32_t uv_count, uv_capacity;
	obj_color *colors;
	uint32_t color_count, color_capacity, color; /* color: in use, + 1 */
	obj_corner *corners;                         /* of the group: three a triangle */
	uint32_t corner_count, corner_capacity;
	uint32_t *number; /* room for each point of the file */
	uint32_t number_capacity;
	const char *group;
	uint32_t line;
	bool noted_library;
} obj;

static bool fail_line(obj *o, const char *what)
{
	return cn_asset_fail(o->r, (cn_asset_place){o->s.line, 0}, "%s", what);
}

static const char *keep_word(obj *o, cn_word w) { return cn_arena_text(&o->r->asset->arena, w.text, w.length); }

/* The rest of a line, without space around it. */
static cn_word rest_of_line(cn_mesh_source *s)
{
	cn_word first = cn_mesh_word_in_line(s), last = first;
	for (cn_word w = first; w.length; w = cn_mesh_word_in_line(s))
		last = w;
	return (cn_word){first.text, (size_t)(last.text + last.length - first.text)};
}

/* ---- materials */

static bool read_library_line(obj *o, cn_mesh_source *s, cn_word key)
{
	obj_color *last = o->color_count ? &o->colors[o->color_count - 1] : NULL;
	static const char *const taken[] = {"Kd", "Ns", "#"};
	double c[3];
	if (cn_mesh_word_is(key, "newmtl")) {
		if (!cn_grow(&o->r->asset->arena.allocator, (void **)&o->colors, &o->color_capacity, o->color_count + 1,
		             sizeof *o->colors))
			return cn_asset_fail_memory(o->r);
		o->colors[o->color_count++] = (obj_color){keep_word(o, rest_of_line(s)), {1, 1, 1}, -1};
		return o->colors[o->color_count - 1].name || cn_asset_fail_memory(o->r);
	}
	if (last && cn_mesh_word_is(key, "Kd")) {
		for (int i = 0; i < 3; ++i)
			if (!cn_mesh_number(s, cn_mesh_word_in_line(s), "a colour", &c[i]))
				return false;
		last->color = (cairn_color){fmin(fmax(c[0], 0), 1), fmin(fmax(c[1], 0), 1), fmin(fmax(c[2], 0), 1)};
		return true;
	}
	if (last && cn_mesh_word_is(key, "Ns"))
		return cn_mesh_number(s, cn_mesh_word_in_line(s), "an exponent", &last->shine);
	for (size_t i = 0; i < CN_COUNT(taken); ++i)
		if (key.text[0] == '#' || cn_mesh_word_is(key, taken[i]))
			return true;
	char shown[48];
	return cn_asset_note(o->r, (cn_asset_place){0}, "not taken over", "%s of a .mtl", cn_mesh_shown(key, shown));
}

static bool read_library(obj *o, const char *name)
{
	const char *data;
	size_t size;
	if (!cn_asset_file(o->r, (cn_asset_place){o->s.line, 0}, name, &data, &size))
		return false;
	cn_mesh_source s = {data, size, 0, 1, name, o->s.allocator, &o->all, o->r->error};
	for (cn_word key = cn_mesh_word(&s); key.length; key = cn_mesh_word(&s)) {
		if (!read_library_line(o, &s, key))
			return false;
		cn_mesh_skip_line(&s);
	}
	return true;
}

static bool use_material(obj *o, const char *name)
{
	for (o->color = 0; o->color < o->color_count; ++o->color)
		if (!strcmp(o->colors[o->color].name, name)) {
			++o->color;
			return true;
		}
	o->color = 0;
	return cn_asset_note(o->r, (cn_asset_place){o->s.line, 0}, "no .mtl has it", "material \"%.60s\"", name);
}

/* ---- groups */

/* One vertex for each point, texture coordinate and colour that go together. */
typedef struct vertices {
	v3 *points;
	cairn_color *colors;
	float *uvs;
	obj_corner *keys;
	uint32_t *next; /* of the same point, + 1 */
	uint32_t count;
} vertices;

static uint32_t add_vertex(obj *o, vertices *v, obj_corner c)
{
	uint32_t *link = &o->number[c.point];
	while (*link) {
		const obj_corner *k = &v->keys[*link - 1];
		if (k->uv == c.uv && k->color == c.color)
			return *link - 1;
		link = &v->next[*link - 1];
	}
	uint32_t at = v->count++;
	*link = at + 1;
	v->keys[at] = c;
	v->points[at] = o->all.points[c.point];
	if (v->colors)
		v->colors[at] = c.color ? o->colors[c.color - 1].color : (cairn_color){1, 1, 1};
	if (v->uvs && c.uv)
		memcpy(v->uvs + 2 * (size_t)at, o->uvs[c.uv - 1], 2 * sizeof *v->uvs);
	return at;
}

static bool fill_mesh(obj *o, cairn_asset_mesh *mesh)
{
	cn_arena *arena = &o->r->asset->arena;
	bool several = false, mapped = false;
	for (uint32_t i = 0; i < o->corner_count; ++i)
		several |= o->corners[i].color != o->corners[0].color, mapped |= o->corners[i].uv != 0;
	vertices v = {.points = cn_arena_take(arena, o->corner_count, sizeof *v.points),
	              .colors = several ? cn_arena_take(arena, o->corner_count, sizeof *v.colors) : NULL,
	              .uvs = mapped ? cn_arena_take(arena, o->corner_count, 2 * sizeof *v.uvs) : NULL,
	              .keys = cn_arena_take(arena, o->corner_count, sizeof *v.keys),
	              .next = cn_arena_take(arena, o->corner_count, sizeof *v.next)};
	uint32_t *triangles = cn_arena_take(arena, o->corner_count, sizeof *triangles);
	if (arena->failed ||
	    !cn_grow(&arena->allocator, (void **)&o->number, &o->number_capacity, o->all.point_count, sizeof *o->number))
		return cn_asset_fail_memory(o->r);
	memset(o->number, 0, o->all.point_count * sizeof *o->number);
	for (uint32_t i = 0; i < o->corner_count; ++i)
		triangles[i] = add_vertex(o, &v, o->corners[i]);
	uint32_t color = o->corners[0].color;
	*mesh = (cairn_asset_mesh){.name = o->group,
	                           .points = v.points,
	                           .triangles = triangles,
	                           .colors = v.colors,
	                           .uvs = v.uvs,
	                           .point_count = v.count,
	                           .triangle_count = o->corner_count / 3};
	if (color && !several)
		mesh->has_color = true, mesh->color = o->colors[color - 1].color;
	if (color && o->colors[color - 1].shine >= 0) /* as Blender turns one into the other */
		mesh->has_roughness = true, mesh->roughness = 1 - sqrt(fmin(o->colors[color - 1].shine, 1000) / 1000);
	return true;
}

/* The group that ends here becomes a node, with its frame in the middle of its box. */
static bool end_group(obj *o)
{
	if (!o->corner_count)
		return true;
	cairn_asset_mesh *mesh = cn_asset_add_mesh(o->r);
	if (!mesh || !fill_mesh(o, mesh))
		return false;
	v3 *points = (v3 *)mesh->points, low = points[0], high = points[0];
	for (uint32_t i = 0; i < mesh->point_count; ++i)
		low = v3_least(low, points[i]), high = v3_most(high, points[i]);
	v3 middle = v3_scale(v3_add(low, high), 0.5);
	for (uint32_t i = 0; i < mesh->point_count; ++i)
		points[i] = v3_sub(points[i], middle);
	cairn_asset_node *node = cn_asset_add_node(o->r, o->group, (cn_asset_place){o->line, 1});
	if (!node)
		return false;
	node->pose.position = middle;
	node->mesh = o->r->asset->mesh_count - 1;
	node->seen = node->touches = true;
	o->corner_count = 0;
	return true;
}

static bool begin_group(obj *o)
{
	cn_word name = rest_of_line(&o->s);
	if (!end_group(o))
		return false;
	o->group = name.length ? keep_word(o, name) : "";
	o->line = o->s.line;
	return o->group || cn_asset_fail_memory(o->r);
}

/* ---- faces */

/* A number of a corner, from 1 or from the end; 0 where there is none. */
static bool read_index(obj *o, cn_word *w, uint32_t count, uint32_t *out)
{
	size_t i = w->length && w->text[0] == '-', start = i;
	uint32_t index = 0;
	for (; i < w->length && w->text[i] >= '0' && w->text[i] <= '9'; ++i)
		index = index < 100000000 ? index * 10 + (uint32_t)(w->text[i] - '0') : index;
	char shown[48];
	if (i == start && start == 0 && (!w->length || w->text[0] == '/')) {
		*out = 0;
	} else if (i == start || !index || index > count) {
		return cn_asset_fail(o->r, (cn_asset_place){o->s.line, 0},
		                     "a face names \"%s\"; there are %u of them before it", cn_mesh_shown(*w, shown), count);
	} else {
		*out = start ? count - index + 1 : index;
	}
	w->text += i, w->length -= i;
	if (w->length && w->text[0] == '/')
		++w->text, --w->length;
	return true;
}

static bool read_corner(obj *o, cn_word w, obj_corner *out)
{
	uint32_t point;
	*out = (obj_corner){.color = o->color};
	if (!read_index(o, &w, o->all.point_count, &point) || (w.length && !read_index(o, &w, o->uv_count, &out->uv)))
		return false;
	out->point = point - 1;
	return point > 0 || fail_line(o, "a corner of a face names no point");
}

static bool read_face(obj *o)
{
	obj_corner first = {0}, last = {0}, next;
	uint32_t n = 0;
	for (cn_word w = cn_mesh_word_in_line(&o->s); w.length; w = cn_mesh_word_in_line(&o->s), ++n, last = next) {
		if (!read_corner(o, w, &next))
			return false;
		if (n == 0)
			first = next;
		if (n < 2)
			continue;
		if (o->corner_count >= CN_COUNT_MAX)
			return fail_line(o, "too many faces");
		if (!cn_grow(&o->r->asset->arena.allocator, (void **)&o->corners, &o->corner_capacity, o->corner_count + 3,
		             sizeof *o->corners))
			return cn_asset_fail_memory(o->r);
		o->corners[o->corner_count++] = first;
		o->corners[o->corner_count++] = last;
		o->corners[o->corner_count++] = next;
	}
	return n >= 3 || fail_line(o, "a face of less than three corners");
}

static bool read_uv(obj *o)
{
	double u, v = 0;
	cn_word second;
	if (!cn_mesh_number(&o->s, cn_mesh_word_in_line(&o->s), "a texture coordinate", &u))
		return false;
	second = cn_mesh_word_in_line(&o->s);
	if (second.length && !cn_mesh_number(&o->s, second, "a texture coordinate", &v))
		return false;
	if (o->uv_count >= CN_COUNT_MAX)
		return fail_line(o, "too many texture coordinates");
	void *uvs = o->uvs;
	if (!cn_grow(&o->r->asset->arena.allocator, &uvs, &o->uv_capacity, o->uv_count + 1, sizeof *o->uvs))
		return cn_asset_fail_memory(o->r);
	o->uvs = uvs;
	o->uvs[o->uv_count][0] = (float)u, o->uvs[o->uv_count][1] = (float)v;
	++o->uv_count;
	return true;
}

static bool read_line(obj *o, cn_word key)
{
	static const char *const plain[] = {"vn", "s"};
	char shown[48];
	v3 p;
	if (cn_mesh_word_is(key, "v"))
		return cn_mesh_point_words(&o->s, &p) && cn_mesh_add_point(&o->s, p);
	if (cn_mesh_word_is(key, "vt"))
		return read_uv(o);
	if (cn_mesh_word_is(key, "f"))
		return read_face(o);
	if (cn_mesh_word_is(key, "o") || cn_mesh_word_is(key, "g"))
		return begin_group(o);
	if (cn_mesh_word_is(key, "usemtl") || cn_mesh_word_is(key, "mtllib")) {
		const char *name = keep_word(o, rest_of_line(&o->s));
		return name ? (key.text[0] == 'u' ? use_material(o, name) : read_library(o, name)) : cn_asset_fail_memory(o->r);
	}
	for (size_t i = 0; i < CN_COUNT(plain); ++i)
		if (key.text[0] == '#' || cn_mesh_word_is(key, plain[i]))
			return true;
	return cn_asset_note(o->r, (cn_asset_place){o->s.line, 1},
	                     "only points, polygons, groups and colours are taken over", "lines \"%s\"",
	                     cn_mesh_shown(key, shown));
}

bool cn_asset_read_obj(cn_asset_reader *r)
{
	const cairn_allocator *a = &r->asset->arena.allocator;
	obj o = {.r = r, .group = "", .line = 1};
	o.s = (cn_mesh_source){r->data, r->size, 0, 1, r->name, a, &o.all, r->error};
	bool ok = true;
	for (cn_word key = cn_mesh_word(&o.s); ok && key.length; key = cn_mesh_word(&o.s)) {
		ok = read_line(&o, key);
		cn_mesh_skip_line(&o.s);
	}
	ok = ok && end_group(&o);
	cn_mesh_free(a, &o.all);
	cn_free(a, o.uvs, o.uv_capacity, sizeof *o.uvs);
	cn_free(a, o.colors, o.color_capacity, sizeof *o.colors);
	cn_free(a, o.corners, o.corner_capacity, sizeof *o.corners);
	cn_free(a, o.number, o.number_capacity, sizeof *o.number);
	if (ok && !r->asset->node_count)
		return cn_asset_fail(r, (cn_asset_place){0}, "there are no faces in the file");
	return ok;
}
