/* Meshes from OBJ and STL files (PLY is in mesh_read_ply.c), strict: what does not fit together is refused with its
 * line, or with its byte offset in binary files. Nothing is taken from the allocator on a count's word alone. */
#include "base/file.h"
#include "base/number.h"
#include "io/mesh_source.h"

#include <stdio.h>
#include <string.h>

/* OBJ */

/* A corner "7", "7/2", "7/2/3" or "7//3" of which only the 7 matters here; from the end if negative. */
static bool read_corner(cn_mesh_source *s, cn_word word, uint32_t *out)
{
	uint32_t count = s->mesh->point_count, index = 0;
	bool negative = word.text[0] == '-';
	size_t i = negative, start = i;
	char shown[48];
	for (; i < word.length && word.text[i] >= '0' && word.text[i] <= '9'; ++i)
		index = index < 100000000 ? index * 10 + (uint32_t)(word.text[i] - '0') : index;
	if (i == start || (i < word.length && word.text[i] != '/'))
		return cn_mesh_fail(s, "found \"%s\" for a corner; expected a vertex number such as 7, 7/2/3 or -1",
		                    cn_mesh_shown(word, shown));
	if (index == 0 || index > count)
		return cn_mesh_fail(s, "a face names vertex %s; there are %u before it (the first is 1)",
		                    cn_mesh_shown((cn_word){word.text, i}, shown), count);
	*out = negative ? count - index : index - 1;
	return true;
}

/* A polygon becomes a fan of triangles about its first corner. */
static bool read_face(cn_mesh_source *s)
{
	uint32_t first = 0, last = 0, corners = 0, next = 0;
	for (cn_word word = cn_mesh_word_in_line(s); word.length; word = cn_mesh_word_in_line(s), ++corners, last = next) {
		if (!read_corner(s, word, &next))
			return false;
		if (corners == 0)
			first = next;
		else if (corners >= 2 && !cn_mesh_add_triangle(s, first, last, next))
			return false;
	}
	return corners >= 3 || cn_mesh_fail(s, "a face of %u corners; expected at least 3", corners);
}

static bool read_obj_line(cn_mesh_source *s, cn_word key)
{
	static const char *const ignored[] = {"vt", "vn", "vp", "g", "o", "s", "mg", "usemtl", "mtllib", "l", "p"};
	char shown[48];
	v3 p;
	if (cn_mesh_word_is(key, "v"))
		return cn_mesh_point_words(s, &p) && cn_mesh_add_point(s, p);
	if (cn_mesh_word_is(key, "f"))
		return read_face(s);
	for (size_t i = 0; i < CN_COUNT(ignored); ++i)
		if (cn_mesh_word_is(key, ignored[i]))
			return true;
	return key.text[0] == '#' || cn_mesh_fail(s, "found \"%s\"; expected an OBJ line of points (v) or polygons (f)",
	                                          cn_mesh_shown(key, shown));
}

static bool read_obj(cn_mesh_source *s)
{
	for (cn_word key = cn_mesh_word(s); key.length; key = cn_mesh_word(s)) {
		if (!read_obj_line(s, key))
			return false;
		cn_mesh_skip_line(s);
	}
	return s->mesh->point_count || cn_mesh_fail(s, "there are no points (v x y z) in the file");
}

/* STL: every triangle brings its own corners; equal ones become one point. */

typedef struct merger {
	uint32_t *slots; /* point + 1; 0 empty */
	uint32_t slot_count;
} merger;

static uint64_t hash_point(v3 p)
{
	double parts[3] = {p.x, p.y, p.z};
	uint64_t words[3];
	memcpy(words, parts, sizeof words);
	uint64_t h = (words[0] * 0x9e3779b97f4a7c15ull ^ words[1]) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 29 ^ words[2]) * 0x94d049bb133111ebull;
	return h ^ h >> 32;
}

static uint32_t find_slot(const merger *m, const cn_mesh *mesh, v3 p)
{
	assert(m->slots && mesh->point_count < m->slot_count);
	uint32_t i = (uint32_t)hash_point(p) & (m->slot_count - 1);
	while (m->slots[i]) {
		v3 q = mesh->points[m->slots[i] - 1];
		if (q.x == p.x && q.y == p.y && q.z == p.z)
			break;
		i = (i + 1) & (m->slot_count - 1);
	}
	return i;
}

static bool grow_merger(cn_mesh_source *s, merger *m)
{
	merger larger = {.slot_count = m->slot_count ? 2 * m->slot_count : 64};
	larger.slots = cn_alloc(s->allocator, larger.slot_count, sizeof *larger.slots);
	if (!larger.slots)
		return cn_fail_memory(s->error);
	for (uint32_t i = 0; i < s->mesh->point_count; ++i)
		larger.slots[find_slot(&larger, s->mesh, s->mesh->points[i])] = i + 1;
	cn_free(s->allocator, m->slots, m->slot_count, sizeof *m->slots);
	*m = larger;
	return true;
}

static bool merge_point(cn_mesh_source *s, merger *m, v3 p, uint32_t *index)
{
	p = v3_add(p, v3_zero()); /* -0 becomes 0 */
	if (2 * s->mesh->point_count >= m->slot_count && !grow_merger(s, m))
		return false;
	uint32_t slot = find_slot(m, s->mesh, p);
	if (!m->slots[slot]) {
		if (!cn_mesh_add_point(s, p))
			return false;
		m->slots[slot] = s->mesh->point_count;
	}
	*index = m->slots[slot] - 1;
	return true;
}

static float float_at(const uint8_t *b)
{
	uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

enum { CN_STL_HEAD = 84, CN_STL_FACET = 50 };

static bool read_stl_binary(cn_mesh_source *s, merger *m, uint32_t count)
{
	s->line = 0;
	for (uint32_t i = 0; i < count; ++i) {
		size_t at = CN_STL_HEAD + (size_t)i * CN_STL_FACET + 12;
		uint32_t corner[3];
		for (int k = 0; k < 3; ++k, at += 12) {
			const uint8_t *b = (const uint8_t *)s->data + at;
			v3 p = {float_at(b), float_at(b + 4), float_at(b + 8)};
			if (!v3_finite(p))
				return cn_mesh_fail(s, "triangle %u has a coordinate that is not a finite number (byte %zu)", i, at);
			if (!merge_point(s, m, p, &corner[k]))
				return false;
		}
		if (!cn_mesh_add_triangle(s, corner[0], corner[1], corner[2]))
			return false;
	}
	return count || cn_mesh_fail(s, "there are no triangles in the file");
}

/* The next words of the file must be these. */
static bool expect(cn_mesh_source *s, const char *first, const char *second)
{
	const char *wanted[] = {first, second};
	char shown[48];
	for (int i = 0; i < 2 && wanted[i]; ++i) {
		cn_word word = cn_mesh_word(s);
		if (!word.length)
			return cn_mesh_fail(s, "the file ends where \"%s\" should be", wanted[i]);
		if (!cn_mesh_word_is(word, wanted[i]))
			return cn_mesh_fail(s, "found \"%s\"; expected \"%s\"", cn_mesh_shown(word, shown), wanted[i]);
	}
	return true;
}

static bool read_facet(cn_mesh_source *s, merger *m)
{
	uint32_t corner[3];
	if (!expect(s, "normal", NULL))
		return false;
	cn_mesh_skip_line(s); /* the corners say it better, and some programs write nan */
	if (!expect(s, "outer", "loop"))
		return false;
	for (int k = 0; k < 3; ++k) {
		v3 p;
		if (!expect(s, "vertex", NULL) || !cn_mesh_point_words(s, &p) || !merge_point(s, m, p, &corner[k]))
			return false;
	}
	return expect(s, "endloop", "endfacet") && cn_mesh_add_triangle(s, corner[0], corner[1], corner[2]);
}

static bool read_stl_text(cn_mesh_source *s, merger *m)
{
	char shown[48];
	for (cn_word word = cn_mesh_word(s); word.length; word = cn_mesh_word(s)) {
		if (!cn_mesh_word_is(word, "solid"))
			return cn_mesh_fail(s, "found \"%s\"; expected \"solid\"", cn_mesh_shown(word, shown));
		cn_mesh_skip_line(s);
		for (word = cn_mesh_word(s); cn_mesh_word_is(word, "facet"); word = cn_mesh_word(s))
			if (!read_facet(s, m))
				return false;
		if (!word.length)
			return cn_mesh_fail(s, "the file ends where \"facet\" or \"endsolid\" should be");
		if (!cn_mesh_word_is(word, "endsolid"))
			return cn_mesh_fail(s, "found \"%s\"; expected \"facet\" or \"endsolid\"", cn_mesh_shown(word, shown));
		cn_mesh_skip_line(s);
	}
	return s->mesh->triangle_count || cn_mesh_fail(s, "there are no triangles in the file");
}

/* Binary files may begin with "solid" too, so their length decides. */
static bool read_stl(cn_mesh_source *s)
{
	const uint8_t *b = (const uint8_t *)s->data;
	merger m = {0};
	size_t blank = 0;
	while (blank < s->size &&
	       (s->data[blank] == ' ' || s->data[blank] == '\t' || s->data[blank] == '\n' || s->data[blank] == '\r'))
		++blank;
	bool ok, text = s->size - blank >= 5 && !memcmp(s->data + blank, "solid", 5);
	uint32_t count = 0;
	if (s->size >= CN_STL_HEAD)
		count = (uint32_t)b[80] | (uint32_t)b[81] << 8 | (uint32_t)b[82] << 16 | (uint32_t)b[83] << 24;
	if (s->size >= CN_STL_HEAD && CN_STL_HEAD + (uint64_t)count * CN_STL_FACET == s->size) {
		ok = read_stl_binary(s, &m, count);
	} else if (text) {
		ok = read_stl_text(s, &m);
	} else {
		s->line = 0;
		ok = s->size < CN_STL_HEAD
		         ? cn_mesh_fail(s, "neither an ASCII STL (begins with \"solid\") nor a binary one (at least %d bytes)",
		                        CN_STL_HEAD)
		         : cn_mesh_fail(s, "byte 80 promises %u triangles, so %llu bytes in all; the file has %zu", count,
		                        CN_STL_HEAD + (unsigned long long)count * CN_STL_FACET, s->size);
	}
	cn_free(s->allocator, m.slots, m.slot_count, sizeof *m.slots);
	return ok;
}

bool cn_mesh_read(const void *data, size_t size, const char *name, const cairn_allocator *allocator, cn_mesh *mesh,
                  cairn_error *error)
{
	cn_mesh_source s = {data ? data : "", size, 0, 1, name, allocator, mesh, error};
	bool ok;
	*mesh = (cn_mesh){0};
	if (cn_file_name_ends(name, ".obj")) {
		ok = read_obj(&s);
	} else if (cn_file_name_ends(name, ".stl")) {
		ok = read_stl(&s);
	} else if (cn_file_name_ends(name, ".ply")) {
		ok = cn_mesh_read_ply(&s);
	} else {
		s.line = 0;
		ok = cn_mesh_fail(&s, "a mesh is read from a file that ends in .obj, .stl or .ply");
	}
	if (!ok)
		cn_mesh_free(allocator, mesh);
	return ok;
}

void cn_mesh_free(const cairn_allocator *allocator, cn_mesh *mesh)
{
	cn_free(allocator, mesh->points, mesh->point_capacity, sizeof *mesh->points);
	cn_free(allocator, mesh->triangles, mesh->index_capacity, sizeof *mesh->triangles);
	cn_free(allocator, mesh->colors, mesh->color_capacity, sizeof *mesh->colors);
	cn_free(allocator, mesh->uvs, mesh->uv_capacity, sizeof *mesh->uvs);
	*mesh = (cn_mesh){0};
}
