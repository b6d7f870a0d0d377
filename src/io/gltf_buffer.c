/* The bytes of a glTF file: chunks of a .glb, buffers inside and beside it, accessors. Nothing is read that a buffer does not
 * have. */
#include "base/tolerance.h"
#include "io/gltf_read.h"

#include <stdio.h>
#include <string.h>

static uint32_t word_at(const char *data)
{
	const uint8_t *b = (const uint8_t *)data;
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Header and chunks ("glTF 2.0 Specification", 4.4). */
static bool find_chunks(cn_gltf_file *f, const char **json, size_t *json_size)
{
	cn_asset_reader *r = f->r;
	const cn_asset_place none = {0};
	if (r->size < 20)
		return cn_asset_fail(r, none, "the file ends after %zu bytes, within its header", r->size);
	if (word_at(r->data + 4) != 2)
		return cn_asset_fail(r, none, "a .glb of version %u; this reads version 2", word_at(r->data + 4));
	if (word_at(r->data + 8) > r->size)
		return cn_asset_fail(r, none, "its header promises %u bytes; the file has %zu: it was cut off",
		                     word_at(r->data + 8), r->size);
	size_t end = word_at(r->data + 8), at = 12;
	*json = NULL;
	for (int chunk = 0; end - at >= 8; ++chunk) {
		uint32_t size = word_at(r->data + at);
		const char *kind = r->data + at + 4;
		if (size > end - at - 8)
			return cn_asset_fail(r, none, "chunk %d promises %u bytes; %zu are left", chunk, size, end - at - 8);
		if (chunk == 0 && memcmp(kind, "JSON", 4) != 0)
			return cn_asset_fail(r, none, "the first chunk of a .glb is JSON; this one is not");
		if (chunk == 0)
			*json = r->data + at + 8, *json_size = size;
		else if (!memcmp(kind, "BIN", 4) && !f->bin.loaded)
			f->bin = (cn_gltf_bytes){r->data + at + 8, size, true};
		at += 8 + (size_t)size;
	}
	return *json || cn_asset_fail(r, none, "there is no JSON in the file");
}

bool cn_gltf_open(cn_gltf_file *f)
{
	cn_asset_reader *r = f->r;
	const char *json = r->data;
	size_t size = r->size;
	if (size >= 4 && !memcmp(json, "glTF", 4) && !find_chunks(f, &json, &size))
		return false;
	while (size && (json[size - 1] == ' ' || json[size - 1] == 0))
		--size; /* chunks are filled up */
	f->root = cn_json_read(json, size, &r->asset->arena, r->error);
	if (!f->root) {
		snprintf(r->error->file, sizeof r->error->file, "%s", r->name);
		return false;
	}
	if (f->root->type != CN_JSON_OBJECT)
		return cn_asset_fail(r, cn_gltf_place(f->root), "a glTF file is an object { ... }");
	const cn_json *asset = cn_json_get(f->root, "asset");
	const cn_json *version = asset && asset->type == CN_JSON_OBJECT ? cn_json_get(asset, "version") : NULL;
	if (!version || version->type != CN_JSON_TEXT)
		return cn_asset_fail(r, cn_gltf_place(asset), "\"asset\": { \"version\": \"2.0\" } is missing: no glTF file");
	if (version->text[0] != '2')
		return cn_asset_fail(r, cn_gltf_place(version), "glTF of version %.20s; this reads 2.0", version->text);
	const cn_json *buffers = cn_json_get(f->root, "buffers");
	f->buffers = cn_arena_take(&r->asset->arena, buffers ? buffers->count : 0, sizeof *f->buffers);
	return f->buffers || cn_asset_fail_memory(r);
}

/* The items of a list by number; NULL when memory ran out. */
static const cn_json **items_of(cn_gltf_file *f, const cn_json *list)
{
	uint32_t i = 0, n = 0;
	while (i < CN_GLTF_LISTS - 1 && f->lists[i].list && f->lists[i].list != list)
		++i;
	if (f->lists[i].list == list)
		return f->lists[i].items;
	const cn_json **items = cn_arena_take(&f->r->asset->arena, list->count, sizeof *items);
	if (!items)
		return cn_asset_fail_memory(f->r), NULL;
	for (const cn_json *v = list->first; v; v = v->next)
		items[n++] = v;
	f->lists[i].list = list, f->lists[i].items = items;
	return items;
}

const cn_json *cn_gltf_item(cn_gltf_file *f, const cn_json *at, const char *list)
{
	const cn_json *all = cn_json_get(f->root, list), *found = NULL;
	if (at->type != CN_JSON_NUMBER || at->number != floor(at->number) || at->number < 0)
		return cn_asset_fail(f->r, cn_gltf_place(at), "expected the number of one of \"%s\"", list), NULL;
	if (all && all->type == CN_JSON_ARRAY && at->number < all->count) {
		const cn_json **items = items_of(f, all);
		if (!items)
			return NULL;
		found = items[(uint32_t)at->number];
	}
	if (!found || found->type != CN_JSON_OBJECT)
		return cn_asset_fail(f->r, cn_gltf_place(at), "there is no %s[%g]; the file has %u", list, at->number,
		                     all && all->type == CN_JSON_ARRAY ? all->count : 0),
		       NULL;
	return found;
}

bool cn_gltf_number(cn_gltf_file *f, const cn_json *object, const char *key, double *out)
{
	const cn_json *v = cn_json_get(object, key);
	if (!v)
		return true;
	if (v->type != CN_JSON_NUMBER || !isfinite(v->number))
		return cn_asset_fail(f->r, cn_gltf_place(v), "\"%s\" is a finite number", key);
	*out = v->number;
	return true;
}

bool cn_gltf_whole(cn_gltf_file *f, const cn_json *object, const char *key, double most, double *out)
{
	const cn_json *v = cn_json_get(object, key);
	if (!cn_gltf_number(f, object, key, out))
		return false;
	return !v || (*out >= 0 && *out <= most && *out == floor(*out)) ||
	       cn_asset_fail(f->r, cn_gltf_place(v), "\"%s\" is %g; expected a whole number from 0 to %.0f", key, *out,
	                     most);
}

bool cn_gltf_numbers(cn_gltf_file *f, const cn_json *object, const char *key, double *out, uint32_t count)
{
	const cn_json *all = cn_json_get(object, key);
	if (!all)
		return true;
	if (all->type != CN_JSON_ARRAY || all->count != count)
		return cn_asset_fail(f->r, cn_gltf_place(all), "\"%s\" is an array of %u numbers", key, count);
	for (const cn_json *v = all->first; v; v = v->next) {
		if (v->type != CN_JSON_NUMBER || !isfinite(v->number))
			return cn_asset_fail(f->r, cn_gltf_place(v), "\"%s\" has something in it that is no finite number", key);
		*out++ = v->number;
	}
	return true;
}

/* ---- buffers */

static int base64(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool decode(cn_gltf_file *f, const cn_json *uri, const char *text, cn_gltf_bytes *out)
{
	size_t length = strlen(text), used = 0;
	char *bytes = cn_arena_take(&f->r->asset->arena, length / 4 * 3 + 3, 1);
	uint32_t bits = 0, have = 0;
	if (!bytes)
		return cn_asset_fail_memory(f->r);
	for (size_t i = 0; i < length && text[i] != '='; ++i) {
		int six = base64(text[i]);
		if (six < 0)
			return cn_asset_fail(f->r, cn_gltf_place(uri), "its data is no base64 (character %zu)", i);
		bits = bits << 6 | (uint32_t)six, have += 6;
		if (have >= 8) {
			have -= 8;
			bytes[used++] = (char)(bits >> have & 0xff);
		}
	}
	*out = (cn_gltf_bytes){bytes, used, true};
	return true;
}

/* A uri as files are called: %20 is a space. */
static bool plain_uri(cn_gltf_file *f, const cn_json *uri, char **out)
{
	char *to = *out = cn_arena_take(&f->r->asset->arena, uri->count + 1, 1);
	if (!to)
		return cn_asset_fail_memory(f->r);
	for (const char *c = uri->text; *c; ++c) {
		unsigned code;
		if (*c == '%' && c[1] && c[2] && sscanf(c + 1, "%2x", &code) == 1 && code)
			*to++ = (char)code, c += 2;
		else
			*to++ = *c;
	}
	return true;
}

static bool load(cn_gltf_file *f, const cn_json *buffer, cn_gltf_bytes *out)
{
	const cn_json *uri = cn_json_get(buffer, "uri");
	double length = -1;
	if (!cn_gltf_whole(f, buffer, "byteLength", 4294967295.0, &length))
		return false;
	if (length < 0)
		return cn_asset_fail(f->r, cn_gltf_place(buffer), "the buffer has no \"byteLength\"");
	if (!uri && !(buffer->index == 0 && f->bin.loaded))
		return cn_asset_fail(f->r, cn_gltf_place(buffer),
		                     "the buffer has no \"uri\", and the file no binary chunk for it");
	if (uri && uri->type != CN_JSON_TEXT)
		return cn_asset_fail(f->r, cn_gltf_place(uri), "a \"uri\" is a text");
	if (!uri) {
		*out = f->bin;
	} else if (!strncmp(uri->text, "data:", 5)) {
		const char *data = strstr(uri->text, ";base64,");
		if (!data)
			return cn_asset_fail(f->r, cn_gltf_place(uri), "data in a uri is base64 (\"data:...;base64,\")");
		if (!decode(f, uri, data + 8, out))
			return false;
	} else {
		char *path;
		if (!plain_uri(f, uri, &path) || !cn_asset_file(f->r, cn_gltf_place(uri), path, &out->data, &out->size))
			return false;
		out->loaded = true;
	}
	return length <= (double)out->size ||
	       cn_asset_fail(f->r, cn_gltf_place(buffer), "the buffer promises %.0f bytes; there are %zu", length,
	                     out->size);
}

/* ---- accessors */

static const struct {
	double code;
	uint32_t size;
	double most; /* of a normalized one */
} components[] = {{5120, 1, 127},   {5121, 1, 255},          {5122, 2, 32767},
                  {5123, 2, 65535}, {5125, 4, 4294967295.0}, {5126, 4, 1}};

static double component(uint32_t kind, const char *at)
{
	const uint8_t *b = (const uint8_t *)at;
	uint32_t two = (uint32_t)b[0] | (components[kind].size > 1 ? (uint32_t)b[1] << 8 : 0);
	float x;
	switch (kind) {
	case 0: return b[0] & 0x80 ? (double)b[0] - 256 : b[0];
	case 1: return b[0];
	case 2: return two & 0x8000 ? (double)two - 65536 : two;
	case 3: return two;
	case 4: return word_at(at);
	default: {
		uint32_t bits = word_at(at);
		memcpy(&x, &bits, sizeof x);
		return (double)x;
	}
	}
}

typedef struct layout {
	double component, count, view_offset, length, stride, offset;
	uint32_t kind, width;
	bool normalized;
} layout;

static bool read_layout(cn_gltf_file *f, const cn_json *a, layout *l)
{
	static const struct {
		const char *name;
		uint32_t width;
	} types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT2", 4}, {"MAT3", 9}, {"MAT4", 16}};
	const cn_json *type = cn_json_get(a, "type"), *normalized = cn_json_get(a, "normalized");
	*l = (layout){.count = -1, .component = -1};
	if (cn_json_get(a, "sparse"))
		return cn_asset_fail(f->r, cn_gltf_place(cn_json_get(a, "sparse")),
		                     "a sparse accessor, which is not read here; export without sparse accessors");
	if (!cn_gltf_whole(f, a, "componentType", 1e5, &l->component) ||
	    !cn_gltf_whole(f, a, "count", CN_COUNT_MAX, &l->count) ||
	    !cn_gltf_whole(f, a, "byteOffset", 4294967295.0, &l->offset))
		return false;
	for (l->kind = 0; l->kind < CN_COUNT(components) && components[l->kind].code != l->component;)
		++l->kind;
	for (size_t i = 0; type && type->type == CN_JSON_TEXT && i < CN_COUNT(types); ++i)
		if (!strcmp(type->text, types[i].name))
			l->width = types[i].width;
	if (l->kind == CN_COUNT(components) || !l->width || l->count < 1)
		return cn_asset_fail(f->r, cn_gltf_place(a),
		                     "an accessor needs \"componentType\", \"type\" and \"count\" of glTF");
	l->normalized = normalized && normalized->type == CN_JSON_BOOL && normalized->boolean;
	return true;
}

/* The bytes of the view of an accessor. */
static bool find_view(cn_gltf_file *f, const cn_json *a, layout *l, const cn_gltf_bytes **bytes)
{
	const cn_json *at = cn_json_get(a, "bufferView");
	if (!at)
		return cn_asset_fail(f->r, cn_gltf_place(a), "the accessor has no \"bufferView\"");
	const cn_json *view = cn_gltf_item(f, at, "bufferViews");
	const cn_json *number = view ? cn_json_get(view, "buffer") : NULL;
	if (view && !number)
		return cn_asset_fail(f->r, cn_gltf_place(view), "the buffer view has no \"buffer\"");
	const cn_json *buffer = number ? cn_gltf_item(f, number, "buffers") : NULL;
	if (!buffer || !cn_gltf_whole(f, view, "byteOffset", 4294967295.0, &l->view_offset) ||
	    !cn_gltf_whole(f, view, "byteLength", 4294967295.0, &l->length) ||
	    !cn_gltf_whole(f, view, "byteStride", 1024, &l->stride))
		return false;
	cn_gltf_bytes *found = &f->buffers[buffer->index];
	*bytes = found;
	if (!found->loaded && !load(f, buffer, found))
		return false;
	return l->view_offset + l->length <= (double)found->size ||
	       cn_asset_fail(f->r, cn_gltf_place(view), "the buffer view ends at byte %.0f; its buffer has %zu",
	                     l->view_offset + l->length, found->size);
}

bool cn_gltf_accessor(cn_gltf_file *f, const cn_json *at, cn_gltf_values *out)
{
	const cn_json *a = cn_gltf_item(f, at, "accessors");
	const cn_gltf_bytes *bytes = NULL;
	layout l;
	if (!a || !read_layout(f, a, &l) || !find_view(f, a, &l, &bytes))
		return false;
	uint32_t size = components[l.kind].size, count = (uint32_t)l.count;
	double element = (double)size * l.width, stride = l.stride > 0 ? l.stride : element;
	if (stride < element)
		return cn_asset_fail(f->r, cn_gltf_place(a), "a stride of %.0f bytes for elements of %.0f", stride, element);
	if (l.offset + stride * (count - 1.0) + element > l.length)
		return cn_asset_fail(f->r, cn_gltf_place(a), "the accessor ends at byte %.0f; its buffer view has %.0f",
		                     l.offset + stride * (count - 1.0) + element, l.length);
	double *values = cn_arena_take(&f->r->asset->arena, (size_t)count * l.width, sizeof *values);
	if (!values)
		return cn_asset_fail_memory(f->r);
	const char *start = bytes->data + (size_t)l.view_offset + (size_t)l.offset;
	for (uint32_t i = 0; i < count; ++i)
		for (uint32_t k = 0; k < l.width; ++k) {
			double x = component(l.kind, start + (size_t)stride * i + (size_t)size * k);
			if (!isfinite(x))
				return cn_asset_fail(f->r, cn_gltf_place(a), "element %u is not a finite number", i);
			x = l.normalized ? fmax(x / components[l.kind].most, -1) : x;
			values[(size_t)i * l.width + k] = x;
		}
	*out = (cn_gltf_values){values, count, l.width};
	return true;
}
