/* What a scene is made of: materials and their pairs, shapes, bodies. */
#include "base/tolerance.h"
#include "io/mesh_read.h"
#include "io/scene_read.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

static bool read_friction(cn_scene_reader *r, const cn_json *object, double *fixed, double *kinetic)
{
	static const char *const known[] = {"static", "kinetic", NULL};
	const cn_json *v = cn_json_get(object, "friction");
	if (!v)
		return true;
	if (v->type != CN_JSON_OBJECT) {
		if (!cn_read_number(r, object, "friction", fixed))
			return false;
		*kinetic = *fixed;
		return true;
	}
	return cn_read_keys(r, v, known) && cn_read_need(r, v, "static") && cn_read_need(r, v, "kinetic") &&
	       cn_read_number(r, v, "static", fixed) && cn_read_number(r, v, "kinetic", kinetic);
}

static bool read_look(cn_scene_reader *r, const cn_json *at, bool *has, cairn_color *color)
{
	*has = cn_json_get(at, "color") != NULL;
	return cn_read_color(r, at, "color", color);
}

static bool read_roughness(cn_scene_reader *r, const cn_json *at, bool *has, double *roughness)
{
	*has = cn_json_get(at, "roughness") != NULL;
	return cn_read_number(r, at, "roughness", roughness);
}

static bool read_material(cn_scene_reader *r, const cn_json *at)
{
	static const char *const known[] = {"preset",  "density", "restitution", "friction",
	                                    "rolling", "color",   "roughness",   NULL};
	cairn_material_def def = cairn_default_material_def();
	const char *preset = NULL;
	if (!cn_read_keys(r, at, known) || !cn_read_text(r, at, "preset", &preset))
		return false;
	if (preset && !cairn_material_preset(preset, &def))
		return cn_read_fail_unknown(r, cn_json_get(at, "preset"), "preset", cairn_material_preset_names());
	def.name = at->key;
	if (!*def.name)
		return cn_read_fail(r, at, "a material needs a name; its key is empty");
	return cn_read_number(r, at, "density", &def.density) && cn_read_number(r, at, "restitution", &def.restitution) &&
	       read_friction(r, at, &def.static_friction, &def.kinetic_friction) &&
	       cn_read_number(r, at, "rolling", &def.rolling) && read_look(r, at, &def.has_color, &def.color) &&
	       read_roughness(r, at, &def.has_roughness, &def.roughness) &&
	       (cairn_scene_add_material(r->scene, &def, r->error).generation || cn_read_place(r, at)) &&
	       cn_read_note(r, at, CN_PLACE_MATERIALS, cairn_scene_material_count(r->scene) - 1);
}

/* Objects whose keys are names: a comment is none of them. */
static bool is_entry(const cn_json *v) { return strcmp(v->key, "comment") != 0 && strcmp(v->key, "$schema") != 0; }

bool cn_read_materials(cn_scene_reader *r)
{
	const cn_json *all = cn_json_get(r->file->root, "materials");
	if (!all)
		return true;
	if (!cn_read_type(r, all, CN_JSON_OBJECT))
		return false;
	for (const cn_json *v = all->first; v; v = v->next)
		if (is_entry(v) && !read_material(r, v) && !cn_read_go_on(r))
			return false;
	return true;
}

static const char *name_of_material(const cairn_scene *s, uint32_t i) { return cairn_scene_material_at(s, i).name; }
static const char *name_of_shape(const cairn_scene *s, uint32_t i) { return cairn_scene_shape_at(s, i).name; }
static const char *name_of_body(const cairn_scene *s, uint32_t i) { return cairn_scene_body_at(s, i).name; }

/* A file says what this is, and that was wrong: the name is not. */
static bool is_said(const cn_scene_reader *r, const char *section, const char *name)
{
	for (const cn_scene_file *f = r->first; f && r->errors && r->errors->count > 0; f = f->follow) {
		const cn_json *all = cn_json_get(f->root, section);
		if (all && all->type == CN_JSON_OBJECT && cn_json_get(all, name))
			return true;
		for (const cn_json *v = all && all->type == CN_JSON_ARRAY ? all->first : NULL; v; v = v->next) {
			const cn_json *text = v->type == CN_JSON_OBJECT ? cn_json_get(v, "name") : NULL;
			if (text && text->type == CN_JSON_TEXT && !strcmp(text->text, name))
				return true;
		}
	}
	return false;
}

/* at names something that is not there: the error lists what is, and the names in more. */
static bool fail_reference(cn_scene_reader *r, const cn_json *at, const char *kind, uint32_t count,
                           const char *(*name_at)(const cairn_scene *, uint32_t), const char *const *more)
{
	static const char *const sections[][2] = {{"material", "materials"}, {"shape", "shapes"}, {"body", "bodies"}};
	for (size_t i = 0; i < CN_COUNT(sections); ++i)
		r->follows |= !strcmp(kind, sections[i][0]) && is_said(r, sections[i][1], at->text);
	uint32_t used = 0, extra = 0;
	while (more && more[extra])
		++extra;
	const char **names = cn_arena_take(&r->arena, (size_t)count + extra + 1, sizeof *names);
	if (!names)
		return cn_read_fail_memory(r);
	for (uint32_t i = 0; i < count; ++i) {
		const char *name = name_at(r->scene, i);
		if (name && *name)
			names[used++] = name;
	}
	for (uint32_t i = 0; i < extra; ++i)
		names[used++] = more[i];
	return cn_read_fail_unknown(r, at, kind, names);
}

bool cn_read_material(cn_scene_reader *r, const cn_json *at, cairn_material *out)
{
	cairn_material_def def;
	if (!cn_read_type(r, at, CN_JSON_TEXT))
		return false;
	*out = cairn_scene_find_material(r->scene, at->text);
	if (out->generation)
		return true;
	if (!cairn_material_preset(at->text, &def))
		return fail_reference(r, at, "material", cairn_scene_material_count(r->scene), name_of_material,
		                      cairn_material_preset_names());
	*out = cairn_scene_add_material(r->scene, &def, r->error);
	return out->generation || cn_read_place(r, at);
}

static bool read_pair(cn_scene_reader *r, const cn_json *at)
{
	static const char *const known[] = {"materials", "restitution", "friction", "rolling", NULL};
	cairn_material m[2];
	const cn_json *two = cn_read_keys(r, at, known) ? cn_read_need(r, at, "materials") : NULL;
	if (!two)
		return false;
	if (two->type != CN_JSON_ARRAY || two->count != 2)
		return cn_read_fail(r, two, "expected the names of two materials, as in [\"wood\", \"ice\"]");
	if (!cn_read_material(r, two->first, &m[0]) || !cn_read_material(r, two->first->next, &m[1]))
		return false;
	cairn_pair_def def = cairn_scene_pair(r->scene, m[0], m[1]);
	return cn_read_number(r, at, "restitution", &def.restitution) &&
	       read_friction(r, at, &def.static_friction, &def.kinetic_friction) &&
	       cn_read_number(r, at, "rolling", &def.rolling) &&
	       (cairn_scene_set_pair(r->scene, &def, r->error) || cn_read_place(r, at)) &&
	       cn_read_note(r, at, CN_PLACE_PAIRS, r->scene->pair_count - 1);
}

bool cn_read_pairs(cn_scene_reader *r) { return cn_read_each(r, "pairs", read_pair); }

static bool read_field(cn_scene_reader *r, const cn_json *object, const char *key, const cn_shape_field *field,
                       cairn_shape_def *def)
{
	void *out = (char *)def + field->offset;
	return field->type == CN_FIELD_NUMBER ? cn_read_number(r, object, key, out) : cn_read_vector(r, object, key, out);
}

/* An object with the fields of a kind. */
static bool read_fields(cn_scene_reader *r, const cn_json *at, cairn_shape_def *def)
{
	const char *known[CN_SHAPE_FIELDS + 1] = {0};
	const cn_shape_field *field;
	for (uint32_t i = 0; (field = cn_shape_kind_field(def->kind, i)) != NULL; ++i)
		known[i] = field->key;
	if (!cn_read_keys(r, at, known))
		return false;
	for (uint32_t i = 0; (field = cn_shape_kind_field(def->kind, i)) != NULL; ++i)
		if (field->needed && !cn_read_need(r, at, field->key))
			return false;
	for (uint32_t i = 0; (field = cn_shape_kind_field(def->kind, i)) != NULL; ++i)
		if (!read_field(r, at, field->key, field, def))
			return false;
	return true;
}

/* Colours and texture coordinates, into the arena. */
static bool keep_paint(cn_scene_reader *r, const cn_mesh *mesh, cairn_shape_def *def)
{
	cairn_color *colors = mesh->colors ? cn_arena_take(&r->arena, mesh->point_count, sizeof *colors) : NULL;
	float *uvs = mesh->uvs ? cn_arena_take(&r->arena, mesh->point_count, 2 * sizeof *uvs) : NULL;
	if (colors)
		memcpy(colors, mesh->colors, mesh->point_count * sizeof *colors);
	if (uvs)
		memcpy(uvs, mesh->uvs, 2 * (size_t)mesh->point_count * sizeof *uvs);
	def->colors = colors, def->uvs = uvs;
	return (colors || !mesh->colors) && (uvs || !mesh->uvs);
}

/* The mesh of at.file into def, scaled; arrays in the arena. */
static bool read_mesh_file(cn_scene_reader *r, const cn_json *at, cairn_shape_def *def)
{
	const cn_json *file = cn_read_need(r, at, "file");
	v3 scale = {1, 1, 1};
	const char *path = "";
	void *data = NULL;
	size_t size = 0;
	cn_mesh mesh;
	if (!file || !cn_read_spread(r, at, "scale", &scale))
		return false;
	if (!(v3_min(scale) > 0))
		return cn_read_fail(r, cn_json_get(at, "scale"), "a scale of %g; give numbers above 0", v3_min(scale));
	if (!cn_read_bytes(r, file, &path, &data, &size))
		return false;
	bool ok = cn_mesh_read(data, size, path, &r->arena.allocator, &mesh, r->error);
	cn_free(&r->arena.allocator, data, size, 1);
	if (!ok) {
		cairn_error e = *r->error;
		char line[24] = "";
		if (e.code == CAIRN_MEMORY)
			return cn_read_fail_memory(r);
		if (e.line)
			snprintf(line, sizeof line, ":%d", e.line);
		return cn_read_fail(r, file, "%s%s: %s", path, line, e.message);
	}
	v3 *points = cn_arena_take(&r->arena, mesh.point_count, sizeof *points);
	uint32_t *triangles = cn_arena_take(&r->arena, 3 * (size_t)mesh.triangle_count, sizeof *triangles);
	ok = (points || !mesh.point_count) && (triangles || !mesh.triangle_count);
	for (uint32_t i = 0; ok && i < mesh.point_count; ++i)
		points[i] = v3_mul(mesh.points[i], scale);
	if (ok && mesh.triangle_count)
		memcpy(triangles, mesh.triangles, 3 * (size_t)mesh.triangle_count * sizeof *triangles);
	def->points = points, def->point_count = mesh.point_count;
	def->triangles = triangles, def->triangle_count = mesh.triangle_count;
	ok = ok && keep_paint(r, &mesh, def);
	cn_mesh_free(&r->arena.allocator, &mesh);
	return ok || cn_read_fail_memory(r);
}

static bool read_points(cn_scene_reader *r, const cn_json *given, cairn_shape_def *def)
{
	if (!cn_read_type(r, given, CN_JSON_ARRAY))
		return false;
	v3 *points = cn_arena_take(&r->arena, given->count, sizeof *points);
	if (!points && given->count)
		return cn_read_fail_memory(r);
	def->points = points, def->point_count = given->count;
	for (const cn_json *v = given->first; v; v = v->next)
		if (!cn_read_vector_at(r, v, points++))
			return false;
	return true;
}

static bool read_hull(cn_scene_reader *r, const cn_json *at, cairn_shape_def *def)
{
	static const char *const known[] = {"points", "file", "scale", NULL};
	if (!cn_read_keys(r, at, known))
		return false;
	const cn_json *given = cn_json_get(at, "points");
	if (!given) {
		if (!cn_json_get(at, "file"))
			return cn_read_fail(r, at, "a hull needs \"points\" or a \"file\"");
		bool ok = read_mesh_file(r, at, def);
		def->triangles = NULL, def->triangle_count = 0;
		return ok;
	}
	if (cn_json_get(at, "file") || cn_json_get(at, "scale"))
		return cn_read_fail(r, at, "a hull has \"points\" or a \"file\" (with \"scale\"), not both");
	return read_points(r, given, def);
}

static bool read_triangles(cn_scene_reader *r, const cn_json *at, cairn_shape_def *def)
{
	if (!cn_read_type(r, at, CN_JSON_ARRAY))
		return false;
	uint32_t *corner = cn_arena_take(&r->arena, 3 * (size_t)at->count, sizeof *corner);
	if (!corner && at->count)
		return cn_read_fail_memory(r);
	def->triangles = corner, def->triangle_count = at->count;
	for (const cn_json *v = at->first; v; v = v->next) {
		if (v->type != CN_JSON_ARRAY || v->count != 3)
			return cn_read_fail(r, v, "expected the numbers of three points, from 0");
		for (const cn_json *k = v->first; k; k = k->next) {
			double x = 0;
			if (!cn_read_whole(r, k, 0, CN_COUNT_MAX, &x))
				return false;
			assert(corner);
			*corner++ = (uint32_t)x;
		}
	}
	return true;
}

static bool read_mesh(cn_scene_reader *r, const cn_json *at, cairn_shape_def *def)
{
	static const char *const known[] = {"points",    "triangles", "file",      "kind", "scale",
	                                    "thickness", "gap",       "decompose", NULL};
	static const char *const kinds[] = {"solid", "shell", "visual", NULL};
	const char *kind = r->seen ? "visual" : "solid";
	if (!cn_read_keys(r, at, known) || !cn_read_text(r, at, "kind", &kind))
		return false;
	def->shell = !strcmp(kind, "shell");
	def->visual = !strcmp(kind, "visual");
	const cn_json *decompose = cn_json_get(at, "decompose"), *gap = cn_json_get(at, "gap");
	if (!cn_read_number(r, at, "thickness", &def->thickness) || !cn_read_number(r, at, "gap", &def->gap))
		return false;
	if (gap && def->gap == 0)
		return cn_read_fail(r, gap, "the gap is 0; give a positive length, or leave it out");
	if (decompose && strcmp(kind, "solid") != 0)
		return cn_read_fail(r, decompose,
		                    "a mesh of kind %s has no inside to decompose; leave out \"kind\" or \"decompose\"", kind);
	if (!def->shell && !def->visual && strcmp(kind, "solid") != 0)
		return cn_read_fail_unknown(r, cn_json_get(at, "kind"), "kind", kinds);
	const cn_json *points = cn_json_get(at, "points"), *triangles = cn_json_get(at, "triangles");
	if (!points && !triangles)
		return cn_json_get(at, "file")
		           ? read_mesh_file(r, at, def)
		           : cn_read_fail(r, at, "a mesh needs \"points\" and \"triangles\", or a \"file\"");
	if (cn_json_get(at, "file") || cn_json_get(at, "scale"))
		return cn_read_fail(r, at, "a mesh has \"points\" and \"triangles\" or a \"file\" (with \"scale\"), not both");
	if (!points || !triangles)
		return cn_read_fail(r, at, "a mesh needs both \"points\" and \"triangles\"");
	return read_points(r, points, def) && read_triangles(r, triangles, def);
}

/* Rows of numbers, all equally long. */
static bool read_heights(cn_scene_reader *r, const cn_json *at, cairn_shape_def *def)
{
	if (!cn_read_type(r, at, CN_JSON_ARRAY))
		return false;
	uint32_t columns = at->first && at->first->type == CN_JSON_ARRAY ? at->first->count : 0;
	if ((uint64_t)at->count * columns > CN_COUNT_MAX)
		return cn_read_fail(r, at, "more than %u heights", CN_COUNT_MAX);
	double *heights = cn_arena_take(&r->arena, (size_t)at->count * columns, sizeof *heights);
	if (!heights && at->count && columns)
		return cn_read_fail_memory(r);
	def->heights = heights, def->rows = at->count, def->columns = columns;
	for (const cn_json *row = at->first; row; row = row->next) {
		if (!cn_read_type(r, row, CN_JSON_ARRAY))
			return false;
		if (row->count != columns)
			return cn_read_fail(r, row, "a row of %u heights; the first one has %u", row->count, columns);
		for (const cn_json *v = row->first; v; v = v->next) {
			if (!cn_read_type(r, v, CN_JSON_NUMBER))
				return false;
			assert(heights);
			*heights++ = v->number;
		}
	}
	return true;
}

static bool read_heightfield(cn_scene_reader *r, const cn_json *at, cairn_shape_def *def)
{
	static const char *const known[] = {"size", "heights", NULL};
	const cn_json *size = cn_read_keys(r, at, known) ? cn_read_need(r, at, "size") : NULL;
	const cn_json *heights = size ? cn_read_need(r, at, "heights") : NULL;
	if (!heights)
		return false;
	if (size->type != CN_JSON_ARRAY || size->count != 2 || size->first->type != CN_JSON_NUMBER ||
	    size->first->next->type != CN_JSON_NUMBER)
		return cn_read_fail(r, size, "expected two lengths [along x, along y]");
	def->size = v3_make(size->first->number, size->first->next->number, 0);
	return read_heights(r, heights, def);
}

static bool read_compound(cn_scene_reader *r, const cn_json *at, cairn_shape_def *def)
{
	static const char *const known[] = {"parts", NULL}, *const part_keys[] = {"shape", "position", "orientation", NULL};
	const cn_json *all = cn_read_keys(r, at, known) ? cn_read_need(r, at, "parts") : NULL;
	if (!all || !cn_read_type(r, all, CN_JSON_ARRAY))
		return false;
	cairn_part *parts = cn_arena_take(&r->arena, all->count, sizeof *parts);
	if (!parts && all->count)
		return cn_read_fail_memory(r);
	def->parts = parts, def->part_count = all->count;
	for (const cn_json *v = all->first; v && parts; v = v->next, ++parts) {
		const cn_json *shape = cn_read_keys(r, v, part_keys) ? cn_read_need(r, v, "shape") : NULL;
		parts->pose = pose_identity();
		if (shape &&
		    cn_json_get(shape, "compound")) /* here, so that compounds inside compounds are not followed down */
			return cn_read_fail(r, shape, "a compound inside a compound; its parts are simple shapes");
		if (!shape || !cn_read_shape(r, shape, &parts->shape) || !cn_read_pose(r, v, &parts->pose))
			return false;
	}
	return true;
}

enum { KINDS_MOST = 64 };

/* The names of the kinds of shapes, NULL-terminated. */
static void list_kinds(const char *names[KINDS_MOST])
{
	uint32_t count = 0;
	for (; count + 1 < KINDS_MOST && cairn_shape_kind_at(count); ++count)
		names[count] = cairn_shape_kind_at(count)->name;
	names[count] = NULL;
}

/* The one key that says what the shape is. */
static const cn_json *find_kind(cn_scene_reader *r, const cn_json *at, cairn_shape_kind *kind)
{
	const char *names[KINDS_MOST];
	char list[200] = "";
	const cn_json *found = NULL;
	list_kinds(names);
	for (int i = 0; names[i]; ++i)
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
	if (!cn_read_keys(r, at, names))
		return NULL;
	for (int i = 0; names[i]; ++i) {
		const cn_json *v = cn_json_get(at, names[i]);
		if (v && found)
			return cn_read_fail(r, at, "a shape is one thing; found both \"%s\" and \"%s\"", found->key, v->key), NULL;
		if (v)
			found = v, *kind = (cairn_shape_kind)i;
	}
	if (!found)
		cn_read_fail(r, at, "a shape needs one of %s", list);
	return found;
}

/* A ball that is given as an object, a mesh that is given by its file's name alone: how these are written. */
static bool has_form(cn_scene_reader *r, const cn_json *v, cairn_shape_kind kind)
{
	cn_shape_form form = cn_shape_kind_form(kind);
	if (form == CN_FORM_VALUE && v->type == CN_JSON_OBJECT) {
		const cn_shape_field *field = cn_shape_kind_field(kind, 0);
		return cn_read_fail(r, v, "found an object; expected the %s itself, %s", field->key,
		                    field->type == CN_FIELD_NUMBER ? "a number" : "three numbers [x, y, z]");
	}
	if ((form == CN_FORM_HULL || form == CN_FORM_MESH) && v->type == CN_JSON_TEXT)
		return cn_read_fail(r, v, "found a text; expected an object, such as { \"file\": \"thing.obj\" }");
	return true;
}

/* What stands behind the key of a kind; at is the object with that key. */
static bool read_kind(cn_scene_reader *r, const cn_json *at, const cn_json *v, cairn_shape_def *def)
{
	if (!has_form(r, v, def->kind))
		return false;
	switch (cn_shape_kind_form(def->kind)) {
	case CN_FORM_VALUE: return read_field(r, at, v->key, cn_shape_kind_field(def->kind, 0), def);
	case CN_FORM_FIELDS:
	case CN_FORM_PLANE: return read_fields(r, v, def);
	case CN_FORM_HULL: return read_hull(r, v, def);
	case CN_FORM_MESH: return read_mesh(r, v, def);
	case CN_FORM_HEIGHTS: return read_heightfield(r, v, def);
	case CN_FORM_PARTS: break;
	}
	return read_compound(r, v, def);
}

/* As its object "decompose" asks. */
static bool add_decomposed(cn_scene_reader *r, const cn_json *v, const cn_json *at, const cairn_shape_def *def,
                           cairn_shape *out)
{
	static const char *const known[] = {"concavity", "parts", "vertices", NULL};
	cairn_decompose_def how = cairn_default_decompose_def();
	if (!cn_read_keys(r, at, known) || !cn_read_number(r, at, "concavity", &how.concavity) ||
	    !cn_read_u32(r, at, "parts", &how.parts) || !cn_read_u32(r, at, "vertices", &how.vertices))
		return false;
	*out = cairn_scene_decompose(r->scene, def, &how, r->error);
	return out->generation || cn_read_place(r, v);
}

/* name is "" for a shape that stands inside a body or a part. */
static bool add_shape(cn_scene_reader *r, const cn_json *at, const char *name, cairn_shape *out)
{
	cairn_shape_kind kind = CAIRN_SPHERE;
	const cn_json *v = find_kind(r, at, &kind);
	cairn_shape_def def = cairn_default_shape_def(kind);
	def.name = name;
	if (!v || !read_kind(r, at, v, &def))
		return false;
	const cn_json *decompose = kind == CAIRN_MESH ? cn_json_get(v, "decompose") : NULL;
	if (decompose && decompose->type != CN_JSON_BOOL)
		return add_decomposed(r, v, decompose, &def, out);
	*out = decompose && decompose->boolean ? cairn_scene_decompose(r->scene, &def, NULL, r->error)
	                                       : cairn_scene_add_shape(r->scene, &def, r->error);
	return out->generation || cn_read_place(r, v);
}

/* Compounds come second, so that their parts may be named before or after them and in any file. */
static bool read_shapes(cn_scene_reader *r, bool compounds)
{
	const cn_json *all = cn_json_get(r->file->root, "shapes");
	cairn_shape shape;
	if (!all)
		return true;
	if (!cn_read_type(r, all, CN_JSON_OBJECT))
		return false;
	for (const cn_json *v = all->first; v; v = v->next) {
		if (!is_entry(v) || (cn_json_get(v, "compound") != NULL) != compounds)
			continue;
		if (!*v->key)
			return cn_read_fail(r, v, "a shape needs a name; its key is empty");
		if (!add_shape(r, v, v->key, &shape) && !cn_read_go_on(r))
			return false;
	}
	return true;
}

bool cn_read_simple_shapes(cn_scene_reader *r) { return read_shapes(r, false); }
bool cn_read_compounds(cn_scene_reader *r) { return read_shapes(r, true); }

bool cn_read_shape(cn_scene_reader *r, const cn_json *at, cairn_shape *out)
{
	if (at->type == CN_JSON_OBJECT)
		return add_shape(r, at, "", out);
	if (at->type != CN_JSON_TEXT)
		return cn_read_fail(r, at, "found %s; expected the name of a shape, or a shape { ... }",
		                    cn_json_type_name(at->type));
	*out = cairn_scene_find_shape(r->scene, at->text);
	for (const cn_scene_file *f = r->first; f && !out->generation; f = f->follow) {
		const cn_json *all = cn_json_get(f->root, "shapes");
		r->follows |= is_said(r, "shapes", at->text);
		if (all && cn_json_get(all, at->text)) /* only a compound can still be missing */
			return cn_read_fail(r, at, "\"%s\" is a compound; the parts of a compound are simple shapes", at->text);
	}
	const char *names[KINDS_MOST];
	list_kinds(names);
	for (int i = 0; !out->generation && names[i]; ++i)
		if (!strcmp(names[i], at->text))
			return cn_read_fail(r, at, "there is no shape of the name \"%s\"; one of that kind is { \"%s\": ... }",
			                    at->text, at->text);
	const char *kind = out->generation ? NULL : cn_read_other_word(at->text, names);
	if (kind)
		return cn_read_fail(r, at, "there is no shape of the name \"%s\"; a shape is written { \"%s\": ... }", at->text,
		                    kind);
	return out->generation || fail_reference(r, at, "shape", cairn_scene_shape_count(r->scene), name_of_shape, NULL);
}

bool cn_read_body_name(cn_scene_reader *r, const cn_json *at, bool or_world, cairn_body *out)
{
	static const char *const world[] = {"world", NULL};
	*out = (cairn_body){0, 0};
	if (!cn_read_type(r, at, CN_JSON_TEXT))
		return false;
	if (or_world && !strcmp(at->text, "world"))
		return true;
	*out = cairn_scene_find_body(r->scene, at->text);
	return out->generation ||
	       fail_reference(r, at, "body", cairn_scene_body_count(r->scene), name_of_body, or_world ? world : NULL);
}

/* Three moments, or three rows of three. */
static bool read_inertia(cn_scene_reader *r, const cn_json *at, double out[9])
{
	v3 rows[3] = {{0, 0, 0}};
	if (at->type != CN_JSON_ARRAY || at->count != 3)
		return cn_read_fail(r, at, "expected three moments [Ixx, Iyy, Izz], or three rows of three numbers");
	if (at->first->type == CN_JSON_ARRAY) {
		for (const cn_json *v = at->first; v; v = v->next)
			if (!cn_read_vector_at(r, v, &rows[v->index]))
				return false;
	} else {
		v3 d;
		if (!cn_read_vector_at(r, at, &d))
			return false;
		rows[0].x = d.x, rows[1].y = d.y, rows[2].z = d.z;
	}
	memcpy(out, rows, 9 * sizeof *out);
	return true;
}

/* Zero stands for "not given" in a def, so a zero that is given is refused here. */
static bool read_above_zero(cn_scene_reader *r, const cn_json *at, const char *key, double *out)
{
	const cn_json *v = cn_json_get(at, key);
	if (!cn_read_number(r, at, key, out))
		return false;
	return !v || *out > 0 || cn_read_fail(r, v, "a %s of %g; give a number above 0, or leave it out", key, *out);
}

static bool read_mass(cn_scene_reader *r, const cn_json *at, cairn_body_def *def)
{
	const cn_json *inertia = cn_json_get(at, "inertia"), *center = cn_json_get(at, "center");
	if (!read_above_zero(r, at, "mass", &def->mass) || !read_above_zero(r, at, "density", &def->density) ||
	    !cn_read_vector(r, at, "center", &def->center))
		return false;
	if (center && !inertia)
		return cn_read_fail(r, center, "a \"center\" needs \"mass\" and \"inertia\" beside it");
	if (!inertia)
		return true;
	def->has_inertia = true;
	if (!cn_json_get(at, "mass"))
		return cn_read_fail(r, inertia, "an \"inertia\" needs a \"mass\" beside it");
	if (!center && def->shape.generation) /* else it was refused, and reading goes on to find what else is wrong */
		def->center = r->scene->shapes[def->shape.index].mass.center;
	return read_inertia(r, inertia, def->inertia);
}

/* Between two keys comes a cubic that stands at both, as straight pieces. */
static bool ease_script(cn_scene_reader *r, cairn_body_def *def)
{
	uint32_t pieces = def->key_count > 1 ? def->key_count - 1 : 0;
	cairn_script_key *keys = cn_arena_take(&r->arena, (size_t)pieces * CN_EASE_STEPS + 1, sizeof *keys);
	if (!keys)
		return cn_read_fail_memory(r);
	for (uint32_t i = 0; i < pieces; ++i)
		for (uint32_t k = 0; k < CN_EASE_STEPS; ++k) {
			const cairn_script_key *from = &def->keys[i], *to = from + 1;
			quat turn = q_exp(v3_scale(q_turn(from->pose.orientation, to->pose.orientation), cn_ease(k)));
			keys[i * CN_EASE_STEPS + k] =
				(cairn_script_key){from->time + (to->time - from->time) * k / CN_EASE_STEPS,
			                       {v3_lerp(from->pose.position, to->pose.position, cn_ease(k)),
			                        k ? q_unit(q_mul(turn, from->pose.orientation)) : from->pose.orientation}};
		}
	if (def->key_count)
		keys[pieces * CN_EASE_STEPS] = def->keys[pieces], def->keys = keys, def->key_count = pieces * CN_EASE_STEPS + 1;
	return true;
}

static bool read_keys(cn_scene_reader *r, const cn_json *at, cairn_body_def *def)
{
	static const char *const known[] = {"time", "position", "orientation", NULL};
	const cn_json *all = cn_json_get(at, "keys"), *ease = cn_json_get(at, "ease");
	if (!all)
		return !ease || cn_read_fail(r, ease, "\"ease\" says how a body goes between \"keys\", and there are none");
	if (!cn_read_type(r, all, CN_JSON_ARRAY))
		return false;
	cairn_script_key *keys = cn_arena_take(&r->arena, all->count, sizeof *keys);
	if (!keys && all->count)
		return cn_read_fail_memory(r);
	def->keys = keys, def->key_count = all->count;
	for (const cn_json *v = all->first; v && keys; v = v->next, ++keys) {
		keys->pose = def->pose;
		if (!cn_read_keys(r, v, known) || !cn_read_need(r, v, "time") || !cn_read_number(r, v, "time", &keys->time) ||
		    !cn_read_pose(r, v, &keys->pose))
			return false;
	}
	bool smooth = false;
	return cn_read_ease(r, at, &smooth) && (!smooth || ease_script(r, def));
}

/* A shape, or one with its place in the body's: { "shape": ..., "position": ..., "orientation": ... }. */
static bool read_visual(cn_scene_reader *r, const cn_json *at, cairn_body_def *def)
{
	static const char *const known[] = {"shape", "position", "orientation", NULL};
	const cn_json *v = cn_json_get(at, "visual");
	if (!v)
		return true;
	const cn_json *shape = v->type == CN_JSON_OBJECT ? cn_json_get(v, "shape") : NULL;
	if (shape && (!cn_read_keys(r, v, known) || !cn_read_pose(r, v, &def->visual_pose)))
		return false;
	bool seen = r->seen;
	r->seen = true;
	bool ok = cn_read_shape(r, shape ? shape : v, &def->visual);
	r->seen = seen;
	return ok;
}

static bool read_small(cn_scene_reader *r, const cn_json *at, cairn_body_def *def)
{
	static const char *const damping_keys[] = {"linear", "angular", NULL}, *const filter_keys[] = {"group", "mask",
	                                                                                               NULL};
	const cn_json *damping = cn_json_get(at, "damping"), *filter = cn_json_get(at, "filter");
	if (damping &&
	    (!cn_read_keys(r, damping, damping_keys) || !cn_read_number(r, damping, "linear", &def->linear_damping) ||
	     !cn_read_number(r, damping, "angular", &def->angular_damping)))
		return false;
	if (filter && (!cn_read_keys(r, filter, filter_keys) || !cn_read_u32(r, filter, "group", &def->group) ||
	               !cn_read_u32(r, filter, "mask", &def->mask)))
		return false;
	return read_look(r, at, &def->has_color, &def->color) &&
	       read_roughness(r, at, &def->has_roughness, &def->roughness) && read_visual(r, at, def);
}

static bool read_type(cn_scene_reader *r, const cn_json *at, cairn_body_type *out)
{
	static const char *const types[] = {"dynamic", "fixed", "scripted", "static", "kinematic", NULL};
	const char *type = "dynamic";
	if (!cn_read_text(r, at, "type", &type))
		return false;
	uint32_t i = 0;
	while (types[i] && strcmp(types[i], type) != 0)
		++i;
	if (!types[i])
		return cn_read_fail_unknown(r, cn_json_get(at, "type"), "type", types);
	*out = (cairn_body_type)(i < 3 ? i : i - 2); /* other engines' words for fixed and scripted */
	return true;
}

bool cn_read_body_def(cn_scene_reader *r, const cn_json *at, bool named, cairn_body_def *out)
{
	static const char *const known[] = {"name",   "type", "shape",   "material",  "position", "orientation", "velocity",
	                                    "spin",   "mass", "density", "center",    "inertia",  "damping",     "color",
	                                    "filter", "keys", "visual",  "roughness", "ease",     NULL};
	*out = cairn_default_body_def();
	if (!cn_read_keys(r, at, named ? known : known + 1))
		return false;
	bool all = true;
	const cn_json *shape = cn_read_need(r, at, "shape"), *material = cn_json_get(at, "material");
	return cn_read_part(r, shape && cn_read_shape(r, shape, &out->shape), &all) &&
	       cn_read_part(r, read_type(r, at, &out->type), &all) &&
	       cn_read_part(r, cn_read_text(r, at, "name", &out->name), &all) &&
	       cn_read_part(r, !material || cn_read_material(r, material, &out->material), &all) &&
	       cn_read_part(r, cn_read_pose(r, at, &out->pose), &all) &&
	       cn_read_part(r, cn_read_vector(r, at, "velocity", &out->velocity), &all) &&
	       cn_read_part(r, cn_read_vector(r, at, "spin", &out->spin), &all) &&
	       cn_read_part(r, read_mass(r, at, out), &all) && cn_read_part(r, read_keys(r, at, out), &all) &&
	       cn_read_part(r, read_small(r, at, out), &all) && cn_read_parts(r, at, all);
}

static bool read_body(cn_scene_reader *r, const cn_json *at)
{
	cairn_body_def def;
	return cn_read_body_def(r, at, true, &def) &&
	       (cairn_scene_add_body(r->scene, &def, r->error).generation || cn_read_place(r, at)) &&
	       cn_read_note(r, at, CN_PLACE_BODIES, cairn_scene_body_count(r->scene) - 1);
}

bool cn_read_bodies(cn_scene_reader *r) { return cn_read_each(r, "bodies", read_body); }
