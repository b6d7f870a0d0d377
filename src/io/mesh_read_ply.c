/* PLY files, ASCII and binary in either byte order: the elements vertex (x, y, z; red, green, blue; s, t) and face (a list of
 * corners); other elements and properties are passed over. */
#include "base/tolerance.h"
#include "io/mesh_source.h"
#include "io/srgb.h"

#include <string.h>

enum { CN_PLY_ELEMENTS = 16, CN_PLY_PROPERTIES = 64 };

typedef enum ply_type { PLY_I8, PLY_U8, PLY_I16, PLY_U16, PLY_I32, PLY_U32, PLY_F32, PLY_F64 } ply_type;

typedef enum ply_role {
	PLY_OTHER,
	PLY_X,
	PLY_Y,
	PLY_Z,
	PLY_RED,
	PLY_GREEN,
	PLY_BLUE,
	PLY_S,
	PLY_T,
	PLY_CORNERS
} ply_role;
#define PLY_COLOR (1u << PLY_RED | 1u << PLY_GREEN | 1u << PLY_BLUE)
#define PLY_UV (1u << PLY_S | 1u << PLY_T)

typedef struct ply_property {
	bool list;
	ply_type count_type, type; /* count_type of lists only */
	ply_role role;
} ply_property;

typedef struct ply_element {
	bool vertex, face;
	uint32_t roles;                        /* of its properties, a bit each */
	uint32_t count, first, property_count; /* properties first .. */
} ply_element;

typedef struct ply {
	cn_mesh_source *s;
	enum { PLY_TEXT, PLY_LITTLE, PLY_BIG } format;
	ply_element elements[CN_PLY_ELEMENTS];
	ply_property properties[CN_PLY_PROPERTIES];
	uint32_t element_count, property_count;
} ply;

static const struct {
	const char *name, *other;
	uint32_t size;
} types[] = {{"char", "int8", 1}, {"uchar", "uint8", 1}, {"short", "int16", 2},   {"ushort", "uint16", 2},
             {"int", "int32", 4}, {"uint", "uint32", 4}, {"float", "float32", 4}, {"double", "float64", 8}};

static bool read_type(cn_mesh_source *s, ply_type *type)
{
	cn_word word = cn_mesh_word_in_line(s);
	char shown[48];
	for (size_t i = 0; i < CN_COUNT(types); ++i)
		if (cn_mesh_word_is(word, types[i].name) || cn_mesh_word_is(word, types[i].other))
			return *type = (ply_type)i, true;
	return cn_mesh_fail(s, "found \"%s\"; expected a type such as float, uchar or int", cn_mesh_shown(word, shown));
}

/* Colours count in 256 steps where they are bytes; others are passed over. */
static ply_role find_role(cn_word name, ply_type type)
{
	static const struct {
		const char *name;
		ply_role role;
	} roles[] = {{"x", PLY_X},         {"y", PLY_Y},     {"z", PLY_Z},         {"s", PLY_S},
	             {"t", PLY_T},         {"u", PLY_S},     {"v", PLY_T},         {"texture_u", PLY_S},
	             {"texture_v", PLY_T}, {"red", PLY_RED}, {"green", PLY_GREEN}, {"blue", PLY_BLUE}};
	for (size_t i = 0; i < CN_COUNT(roles); ++i)
		if (cn_mesh_word_is(name, roles[i].name) && (type == PLY_U8 || !(1u << roles[i].role & PLY_COLOR)))
			return roles[i].role;
	return PLY_OTHER;
}

static bool read_property(ply *p)
{
	cn_mesh_source *s = p->s;
	ply_property property = {0};
	if (!p->element_count)
		return cn_mesh_fail(s, "a property before any element");
	if (p->property_count == CN_PLY_PROPERTIES)
		return cn_mesh_fail(s, "more than %d properties", CN_PLY_PROPERTIES);
	size_t start = s->at;
	property.list = cn_mesh_word_is(cn_mesh_word_in_line(s), "list");
	s->at = property.list ? s->at : start;
	if ((property.list && !read_type(s, &property.count_type)) || !read_type(s, &property.type))
		return false;
	if (property.list && property.count_type >= PLY_F32)
		return cn_mesh_fail(s, "the count of a list is a whole number, not a float");
	ply_element *element = &p->elements[p->element_count - 1];
	cn_word name = cn_mesh_word_in_line(s);
	if (!name.length)
		return cn_mesh_fail(s, "the property has no name");
	if (element->vertex && !property.list)
		property.role = find_role(name, property.type);
	if (element->face && property.list &&
	    (cn_mesh_word_is(name, "vertex_indices") || cn_mesh_word_is(name, "vertex_index")))
		property.role = PLY_CORNERS;
	p->properties[p->property_count++] = property;
	++element->property_count;
	return true;
}

static bool read_element(ply *p)
{
	cn_mesh_source *s = p->s;
	cn_word name = cn_mesh_word_in_line(s);
	double count;
	if (p->element_count == CN_PLY_ELEMENTS)
		return cn_mesh_fail(s, "more than %d elements", CN_PLY_ELEMENTS);
	if (!name.length || !cn_mesh_number(s, cn_mesh_word_in_line(s), "the element's count", &count))
		return name.length ? false : cn_mesh_fail(s, "the element has no name");
	if (count < 0 || count > CN_COUNT_MAX || count != floor(count))
		return cn_mesh_fail(s, "a count of %g; expected a whole number from 0 to %u", count, CN_COUNT_MAX);
	p->elements[p->element_count++] = (ply_element){.vertex = cn_mesh_word_is(name, "vertex"),
	                                                .face = cn_mesh_word_is(name, "face"),
	                                                .count = (uint32_t)count,
	                                                .first = p->property_count};
	return true;
}

static bool read_format(ply *p)
{
	static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
	char shown[48];
	cn_word word = cn_mesh_word_in_line(p->s), version = cn_mesh_word_in_line(p->s);
	for (int i = 0; i < 3; ++i)
		if (cn_mesh_word_is(word, names[i])) {
			p->format = i == 0 ? PLY_TEXT : i == 1 ? PLY_LITTLE : PLY_BIG;
			return cn_mesh_word_is(version, "1.0") ||
			       cn_mesh_fail(p->s, "PLY version \"%s\"; expected 1.0", cn_mesh_shown(version, shown));
		}
	return cn_mesh_fail(p->s, "format \"%s\"; expected ascii, binary_little_endian or binary_big_endian",
	                    cn_mesh_shown(word, shown));
}

static bool check_header(ply *p)
{
	for (uint32_t i = 0; i < p->element_count; ++i) {
		ply_element *e = &p->elements[i];
		uint32_t seen = 0;
		for (uint32_t k = 0; k < e->property_count; ++k)
			seen |= 1u << p->properties[e->first + k].role;
		e->roles = seen;
		if (!e->property_count && e->count)
			return cn_mesh_fail(p->s, "an element has no properties");
		if (e->vertex && (seen & 0xeu) != 0xeu)
			return cn_mesh_fail(p->s, "the element vertex lacks a property x, y or z");
	}
	return true;
}

static bool read_header(ply *p)
{
	cn_mesh_source *s = p->s;
	char shown[48];
	bool format = false;
	if (!cn_mesh_word_is(cn_mesh_word_in_line(s), "ply"))
		return cn_mesh_fail(s, "the file does not begin with \"ply\"");
	for (;;) {
		cn_mesh_skip_line(s);
		cn_word key = cn_mesh_word_in_line(s);
		bool ok = true;
		if (s->at >= s->size)
			return cn_mesh_fail(s, "the file ends inside its header; expected \"end_header\"");
		if (cn_mesh_word_is(key, "format"))
			ok = read_format(p), format = true;
		else if (cn_mesh_word_is(key, "element"))
			ok = read_element(p);
		else if (cn_mesh_word_is(key, "property"))
			ok = read_property(p);
		else if (cn_mesh_word_is(key, "end_header"))
			break;
		else if (!cn_mesh_word_is(key, "comment") && !cn_mesh_word_is(key, "obj_info"))
			ok = cn_mesh_fail(s, "found \"%s\"; expected format, element, property or end_header",
			                  cn_mesh_shown(key, shown));
		if (!ok)
			return false;
	}
	cn_mesh_skip_line(s);
	return (format || cn_mesh_fail(s, "the header lacks a line \"format\"")) && check_header(p);
}

static bool read_binary(ply *p, ply_type type, double *x)
{
	cn_mesh_source *s = p->s;
	uint32_t size = types[type].size;
	uint64_t bits = 0;
	if (s->size - s->at < size)
		return cn_mesh_fail(s, "the file ends at byte %zu, before all that its header promises", s->size);
	for (uint32_t i = 0; i < size; ++i)
		bits |= (uint64_t)(uint8_t)s->data[s->at + (p->format == PLY_LITTLE ? i : size - 1 - i)] << 8 * i;
	s->at += size;
	uint32_t word = (uint32_t)bits;
	float f;
	memcpy(&f, &word, sizeof f);
	switch (type) {
	case PLY_I8: *x = word & 0x80 ? (double)word - 256 : word; break;
	case PLY_I16: *x = word & 0x8000 ? (double)word - 65536 : word; break;
	case PLY_I32: *x = word & 0x80000000 ? (double)word - 4294967296.0 : word; break;
	case PLY_U8:
	case PLY_U16:
	case PLY_U32: *x = word; break;
	case PLY_F32: *x = (double)f; break;
	case PLY_F64: memcpy(x, &bits, sizeof *x); break;
	}
	return true;
}

static bool read_scalar(ply *p, ply_type type, double *x)
{
	if (p->format != PLY_TEXT)
		return read_binary(p, type, x);
	return cn_mesh_number(p->s, cn_mesh_word(p->s), "a value", x);
}

/* The corners of a face: indices of points, a fan of triangles about the first. */
static bool read_list(ply *p, const ply_property *property)
{
	cn_mesh_source *s = p->s;
	uint32_t first = 0, last = 0, points = s->mesh->point_count;
	double count = 0, x = 0;
	if (!read_scalar(p, property->count_type, &count))
		return false;
	if (!(count >= 0 && count <= CN_COUNT_MAX) || count != floor(count) || count > (double)(s->size - s->at))
		return cn_mesh_fail(s, "a list of %g values does not fit the file (at byte %zu)", count, s->at);
	if (property->role == PLY_CORNERS && count < 3)
		return cn_mesh_fail(s, "a face of %g corners; expected at least 3 (at byte %zu)", count, s->at);
	for (uint32_t i = 0; i < (uint32_t)count; ++i) {
		if (!read_scalar(p, property->type, &x))
			return false;
		if (property->role != PLY_CORNERS)
			continue;
		if (!(x >= 0 && x < points) || x != floor(x))
			return cn_mesh_fail(s, "a face names vertex %g; there are %u, the first is 0 (at byte %zu)", x, points,
			                    s->at);
		uint32_t corner = (uint32_t)x;
		if (i == 0)
			first = corner;
		else if (i >= 2 && !cn_mesh_add_triangle(s, first, last, corner))
			return false;
		last = corner;
	}
	return true;
}

/* Of the point added last. */
static bool add_paint(ply *p, const ply_element *element, const double place[PLY_CORNERS + 1])
{
	cn_mesh *m = p->s->mesh;
	uint32_t count = m->point_count;
	if ((element->roles & PLY_COLOR) == PLY_COLOR) {
		if (!cn_grow(p->s->allocator, (void **)&m->colors, &m->color_capacity, count, sizeof *m->colors))
			return cn_fail_memory(p->s->error);
		double c[3];
		for (int i = 0; i < 3; ++i)
			c[i] = cn_linear_from_srgb((int)fmin(fmax(place[PLY_RED + i], 0), 255));
		m->colors[count - 1] = (cairn_color){c[0], c[1], c[2]};
	}
	if ((element->roles & PLY_UV) == PLY_UV) {
		if (!(fabs(place[PLY_S]) < FLT_MAX && fabs(place[PLY_T]) < FLT_MAX))
			return cn_mesh_fail(p->s, "a texture coordinate is not a finite number (before byte %zu)", p->s->at);
		if (!cn_grow(p->s->allocator, (void **)&m->uvs, &m->uv_capacity, 2 * count, sizeof *m->uvs))
			return cn_fail_memory(p->s->error);
		m->uvs[2 * (size_t)count - 2] = (float)place[PLY_S], m->uvs[2 * (size_t)count - 1] = (float)place[PLY_T];
	}
	return true;
}

static bool read_row(ply *p, const ply_element *element)
{
	double place[PLY_CORNERS + 1] = {0};
	for (uint32_t i = 0; i < element->property_count; ++i) {
		const ply_property *property = &p->properties[element->first + i];
		if (property->list ? !read_list(p, property) : !read_scalar(p, property->type, &place[property->role]))
			return false;
	}
	v3 point = {place[PLY_X], place[PLY_Y], place[PLY_Z]};
	if (!element->vertex)
		return true;
	if (!v3_finite(point))
		return cn_mesh_fail(p->s, "a point has a coordinate that is not a finite number (before byte %zu)", p->s->at);
	return cn_mesh_add_point(p->s, point) && add_paint(p, element, place);
}

bool cn_mesh_read_ply(cn_mesh_source *s)
{
	ply p = {.s = s};
	if (!read_header(&p))
		return false;
	if (p.format != PLY_TEXT)
		s->line = 0;
	for (uint32_t e = 0; e < p.element_count; ++e) {
		const ply_element *element = &p.elements[e];
		if (element->count > s->size - s->at) /* a row has at least a byte */
			return cn_mesh_fail(s, "the header promises %u rows of an element; only %zu bytes are left at byte %zu",
			                    element->count, s->size - s->at, s->at);
		for (uint32_t i = 0; i < element->count; ++i)
			if (!read_row(&p, element))
				return false;
	}
	if (p.format == PLY_TEXT ? cn_mesh_word(s).length != 0 : s->at != s->size)
		return cn_mesh_fail(s, "more data than the header promises (at byte %zu)", s->at);
	return s->mesh->point_count || cn_mesh_fail(s, "there are no points in the file");
}
