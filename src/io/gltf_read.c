/* glTF 2.0, .gltf and .glb (Khronos, "glTF 2.0 Specification", 2021), with KHR_physics_rigid_bodies and KHR_implicit_shapes.
 *
 * Nodes become things with a place in the world; what a node's transforms do beside turning and moving (scale, shear, mirror) goes
 * into its mesh, and nodes that agree in it share one. +Y up becomes +Z up: (x, y, z) -> (x, -z, y). What is not taken over is
 * noted; what cannot be read without being wrong is refused. */
#include "io/gltf_read.h"

#include "base/tolerance.h"
#include "io/gltf_physics.h"

#include <string.h>

enum { DEPTH = 100 }; /* nodes below nodes */

static v3 to_scene(v3 p) { return v3_make(p.x, -p.z, p.y); }

static const char *text_of(const cn_json *object, const char *key)
{
	const cn_json *v = cn_json_get(object, key);
	return v && v->type == CN_JSON_TEXT ? v->text : "";
}

/* Notes all keys of an object that are not known. */
static bool note_keys(cn_gltf_file *f, const cn_json *object, const char *of, const char *const *known)
{
	for (const cn_json *v = object->first; v; v = v->next) {
		bool found = !strcmp(v->key, "extras") || !strcmp(v->key, "name");
		for (int i = 0; known[i] && !found; ++i)
			found = !strcmp(v->key, known[i]);
		if (!found && !cn_asset_note(f->r, cn_gltf_place(v), "not taken over", "\"%.60s\" of %s", v->key, of))
			return false;
	}
	return true;
}

static bool note_extensions(cn_gltf_file *f, const cn_json *object, const char *of)
{
	const cn_json *all = cn_json_get(object, "extensions");
	for (const cn_json *v = all && all->type == CN_JSON_OBJECT ? all->first : NULL; v; v = v->next)
		if (strcmp(v->key, CN_GLTF_PHYSICS) != 0 && strcmp(v->key, CN_GLTF_SHAPES) != 0 &&
		    !cn_asset_note(f->r, cn_gltf_place(v), "an extension that is not read", "%.60s of %s", v->key, of))
			return false;
	return true;
}

static bool check_required(cn_gltf_file *f)
{
	static const char *const known[] = {"KHR_mesh_quantization", CN_GLTF_PHYSICS, CN_GLTF_SHAPES, NULL};
	const cn_json *all = cn_json_get(f->root, "extensionsRequired");
	for (const cn_json *v = all && all->type == CN_JSON_ARRAY ? all->first : NULL; v; v = v->next) {
		bool fine = v->type == CN_JSON_TEXT && !strncmp(v->text, "KHR_materials_", 14);
		for (int i = 0; known[i] && !fine; ++i)
			fine = v->type == CN_JSON_TEXT && !strcmp(v->text, known[i]);
		if (!fine)
			return cn_asset_fail(f->r, cn_gltf_place(v),
			                     "the file cannot be read without extension %.60s, which is not known here; export it "
			                     "without (compression, for example)",
			                     v->type == CN_JSON_TEXT ? v->text : "?");
	}
	return true;
}

/* ---- materials */

typedef struct paint {
	cairn_color color;
	double roughness;
	bool given;
} paint;

static bool note_metal(cn_gltf_file *f, const cn_json *pbr)
{
	double metallic = 1;
	if (!cn_gltf_number(f, pbr, "metallicFactor", &metallic))
		return false;
	return !(metallic > 0 && cn_json_get(pbr, "metallicFactor")) ||
	       cn_asset_note(f->r, cn_gltf_place(cn_json_get(pbr, "metallicFactor")), "bodies are shown without metal",
	                     "metallicFactor of a material");
}

static bool read_material(cn_gltf_file *f, const cn_json *at, paint *out)
{
	static const char *const known[] = {"pbrMetallicRoughness", "doubleSided", "extensions", "alphaMode", NULL},
							 *const known_pbr[] = {"baseColorFactor", "metallicFactor", "roughnessFactor", NULL};
	double color[4] = {1, 1, 1, 1};
	*out = (paint){{1, 1, 1}, 1, at != NULL};
	const cn_json *material = at ? cn_gltf_item(f, at, "materials") : NULL;
	if (!material)
		return at == NULL;
	const cn_json *pbr = cn_json_get(material, "pbrMetallicRoughness");
	if (!note_keys(f, material, "a material", known) || !note_extensions(f, material, "a material"))
		return false;
	if (pbr && pbr->type == CN_JSON_OBJECT &&
	    (!note_keys(f, pbr, "a material", known_pbr) || !cn_gltf_numbers(f, pbr, "baseColorFactor", color, 4) ||
	     !cn_gltf_number(f, pbr, "roughnessFactor", &out->roughness) || !note_metal(f, pbr)))
		return false;
	if (strcmp(text_of(material, "alphaMode"), "BLEND") == 0 &&
	    !cn_asset_note(f->r, cn_gltf_place(material), "bodies are shown without it", "transparency of a material"))
		return false;
	for (int i = 0; i < 3; ++i)
		color[i] = fmin(fmax(color[i], 0), 1);
	out->color = (cairn_color){color[0], color[1], color[2]};
	out->roughness = fmin(fmax(out->roughness, 0), 1);
	return true;
}

/* ---- meshes */

/* A primitive's values, and how many points and triangles it will bring. */
typedef struct primitive {
	cn_gltf_values points, indices, colors, uvs;
	paint look;
	uint32_t mode, triangles;
	const cn_json *at;
} primitive;

static uint32_t corner_of(const primitive *p, uint32_t i)
{
	return p->indices.count ? (uint32_t)p->indices.data[i] : i;
}

static bool read_attributes(cn_gltf_file *f, const cn_json *all, primitive *p)
{
	static const char *const known[] = {"POSITION", "NORMAL", "TANGENT", "TEXCOORD_0", "COLOR_0", NULL};
	const cn_json *position = cn_json_get(all, "POSITION"), *uv = cn_json_get(all, "TEXCOORD_0"),
				  *color = cn_json_get(all, "COLOR_0");
	if (!position)
		return cn_asset_fail(f->r, cn_gltf_place(all), "a primitive without POSITION");
	if (!note_keys(f, all, "a primitive's attributes", known) || !cn_gltf_accessor(f, position, &p->points) ||
	    (uv && !cn_gltf_accessor(f, uv, &p->uvs)) || (color && !cn_gltf_accessor(f, color, &p->colors)))
		return false;
	if (p->points.width != 3)
		return cn_asset_fail(f->r, cn_gltf_place(position), "positions have three numbers each; these have %u",
		                     p->points.width);
	if ((uv && (p->uvs.width != 2 || p->uvs.count != p->points.count)) ||
	    (color && (p->colors.width < 3 || p->colors.count != p->points.count)))
		return cn_asset_fail(f->r, cn_gltf_place(uv ? uv : color),
		                     "texture coordinates and colours need one value for each of %u positions",
		                     p->points.count);
	return true;
}

static bool read_primitive(cn_gltf_file *f, const cn_json *at, primitive *p)
{
	static const char *const known[] = {"attributes", "indices", "material", "mode", "extensions", NULL};
	const cn_json *attributes = cn_json_get(at, "attributes"), *indices = cn_json_get(at, "indices");
	double mode = 4;
	*p = (primitive){.at = at};
	if (at->type != CN_JSON_OBJECT || !attributes || attributes->type != CN_JSON_OBJECT)
		return cn_asset_fail(f->r, cn_gltf_place(at), "a primitive needs \"attributes\"");
	if (!note_keys(f, at, "a primitive", known) || !note_extensions(f, at, "a primitive") ||
	    !cn_gltf_whole(f, at, "mode", 6, &mode))
		return false;
	p->mode = (uint32_t)mode;
	if (p->mode < 4)
		return cn_asset_note(f->r, cn_gltf_place(at), "only triangles are bodies", "a primitive of points or lines");
	if (!read_attributes(f, attributes, p) || (indices && !cn_gltf_accessor(f, indices, &p->indices)) ||
	    !read_material(f, cn_json_get(at, "material"), &p->look))
		return false;
	for (uint32_t i = 0; i < p->indices.count; ++i)
		if (p->indices.width != 1 || !(p->indices.data[i] >= 0 && p->indices.data[i] < p->points.count))
			return cn_asset_fail(f->r, cn_gltf_place(indices), "index %u names point %.0f; there are %u", i,
			                     p->indices.data[i], p->points.count);
	uint32_t corners = p->indices.count ? p->indices.count : p->points.count;
	p->triangles = p->mode == 4 ? corners / 3 : corners >= 3 ? corners - 2 : 0;
	return true;
}

static void put_triangles(const primitive *p, uint32_t first, bool mirrored, uint32_t *out)
{
	for (uint32_t i = 0; i < p->triangles; ++i) {
		bool strip = p->mode == 5, fan = p->mode == 6;
		uint32_t a = strip ? i + (i & 1) : fan ? 0 : 3 * i, b = strip ? i + 1 - (i & 1) : fan ? i + 1 : 3 * i + 1;
		uint32_t c = strip || fan ? i + 2 : 3 * i + 2;
		*out++ = first + corner_of(p, a);
		*out++ = first + corner_of(p, mirrored ? c : b);
		*out++ = first + corner_of(p, mirrored ? b : c);
	}
}

static void put_points(const primitive *p, m3 scale, v3 *points, cairn_color *colors, float *uvs)
{
	for (uint32_t i = 0; i < p->points.count; ++i) {
		const double *x = p->points.data + 3 * (size_t)i;
		points[i] = to_scene(m3_apply(scale, v3_make(x[0], x[1], x[2])));
		const double *c = p->colors.data ? p->colors.data + (size_t)i * p->colors.width : (const double[3]){1, 1, 1};
		if (colors)
			colors[i] =
				(cairn_color){fmin(fmax(c[0], 0), 1) * p->look.color.r, fmin(fmax(c[1], 0), 1) * p->look.color.g,
			                  fmin(fmax(c[2], 0), 1) * p->look.color.b};
		if (uvs && p->uvs.data)
			uvs[2 * i] = (float)p->uvs.data[2 * (size_t)i],
					uvs[2 * i + 1] = (float)(1 - p->uvs.data[2 * (size_t)i + 1]);
	}
}

/* Puts primitives together. They have colours point by point where they do not all have one. */
static bool join(cn_gltf_file *f, const primitive *all, uint32_t count, m3 scale, cairn_asset_mesh *out)
{
	uint64_t points = 0, triangles = 0;
	bool painted = false, mapped = false, mixed = false;
	for (uint32_t i = 0; i < count; ++i) {
		const paint *a = &all[0].look, *b = &all[i].look;
		points += all[i].triangles ? all[i].points.count : 0, triangles += all[i].triangles;
		painted |= all[i].colors.data || a->given != b->given || memcmp(&a->color, &b->color, sizeof a->color) != 0;
		mixed |= a->roughness != b->roughness;
		mapped |= all[i].uvs.data != NULL;
	}
	if (points > CN_COUNT_MAX || triangles > CN_COUNT_MAX)
		return cn_asset_fail(f->r, cn_gltf_place(all[0].at), "a mesh of more than %u points or triangles",
		                     CN_COUNT_MAX);
	cn_arena *arena = &f->r->asset->arena;
	v3 *p = cn_arena_take(arena, (size_t)points, sizeof *p);
	uint32_t *t = cn_arena_take(arena, (size_t)triangles * 3, sizeof *t);
	cairn_color *c = painted ? cn_arena_take(arena, (size_t)points, sizeof *c) : NULL;
	float *uv = mapped ? cn_arena_take(arena, (size_t)points * 2, sizeof *uv) : NULL;
	if (arena->failed)
		return cn_asset_fail_memory(f->r);
	*out = (cairn_asset_mesh){.name = out->name, .points = p, .triangles = t, .colors = c, .uvs = uv};
	out->has_color = !painted && all[0].look.given, out->color = all[0].look.color;
	out->has_roughness = all[0].look.given, out->roughness = all[0].look.roughness;
	double volume = v3_dot(v3_make(scale.m[0][0], scale.m[1][0], scale.m[2][0]),
	                       v3_cross(v3_make(scale.m[0][1], scale.m[1][1], scale.m[2][1]),
	                                v3_make(scale.m[0][2], scale.m[1][2], scale.m[2][2])));
	for (uint32_t i = 0; i < count; ++i) {
		if (!all[i].triangles)
			continue;
		uint32_t at = out->point_count;
		put_points(&all[i], scale, p + at, c ? c + at : NULL, uv ? uv + 2 * (size_t)at : NULL);
		put_triangles(&all[i], at, volume < 0, t + 3 * (size_t)out->triangle_count);
		out->point_count += all[i].points.count, out->triangle_count += all[i].triangles;
	}
	return !mixed || cn_asset_note(f->r, cn_gltf_place(all[0].at), "a body has one; that of the first part is taken",
	                               "several roughnesses in a mesh");
}

typedef struct made_mesh {
	uint32_t source, index;
	m3 scale;
} made_mesh;

typedef struct walk {
	cn_gltf_file *f;
	bool *visited; /* by node */
	made_mesh *made;
	uint32_t made_count, made_capacity;
} walk;

static bool read_mesh(walk *w, const cn_json *mesh, m3 scale, uint32_t *index)
{
	static const char *const known[] = {"primitives", NULL};
	cn_gltf_file *f = w->f;
	const cn_json *all = cn_json_get(mesh, "primitives");
	if (!note_keys(f, mesh, "a mesh", known))
		return false;
	if (!all || all->type != CN_JSON_ARRAY || !all->count)
		return cn_asset_fail(f->r, cn_gltf_place(mesh), "a mesh needs \"primitives\"");
	primitive *p = cn_arena_take(&f->r->asset->arena, all->count, sizeof *p);
	cairn_asset_mesh made = {.name = text_of(mesh, "name")};
	if (!p)
		return cn_asset_fail_memory(f->r);
	uint32_t count = 0;
	for (const cn_json *v = all->first; v; v = v->next) {
		if (!read_primitive(f, v, &p[count]))
			return false;
		count += p[count].triangles > 0;
	}
	*index = UINT32_MAX;
	if (!count)
		return cn_asset_note(f->r, cn_gltf_place(mesh), "it has no triangles", "mesh \"%.60s\"", made.name);
	if (!join(f, p, count, scale, &made))
		return false;
	cairn_asset_mesh *to = cn_asset_add_mesh(f->r);
	if (!to)
		return false;
	*to = made;
	*index = f->r->asset->mesh_count - 1;
	return true;
}

/* Of a mesh with what a node does to it beside turning and moving. */
static bool find_mesh(void *context, const cn_json *at, m3 scale, uint32_t *index)
{
	walk *w = context;
	const cn_json *mesh = cn_gltf_item(w->f, at, "meshes");
	if (!mesh)
		return false;
	for (uint32_t i = 0; i < w->made_count; ++i) {
		double apart = 0;
		for (int k = 0; k < 9; ++k)
			apart = fmax(apart, fabs(w->made[i].scale.m[k / 3][k % 3] - scale.m[k / 3][k % 3]));
		if (w->made[i].source == mesh->index && apart <= 1e-9) {
			*index = w->made[i].index;
			return true;
		}
	}
	if (!read_mesh(w, mesh, scale, index))
		return false;
	if (!cn_grow(&w->f->r->asset->arena.allocator, (void **)&w->made, &w->made_capacity, w->made_count + 1,
	             sizeof *w->made))
		return cn_asset_fail_memory(w->f->r);
	w->made[w->made_count++] = (made_mesh){mesh->index, *index, scale};
	return true;
}

/* ---- nodes */

typedef struct affine {
	m3 turn;
	v3 move;
} affine;

static affine affine_mul(affine a, affine b)
{
	return (affine){m3_mul(a.turn, b.turn), v3_add(m3_apply(a.turn, b.move), a.move)};
}

static bool read_transform(cn_gltf_file *f, const cn_json *node, affine *out)
{
	double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
	double t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
	if (!cn_gltf_numbers(f, node, "matrix", matrix, 16) || !cn_gltf_numbers(f, node, "translation", t, 3) ||
	    !cn_gltf_numbers(f, node, "rotation", q, 4) || !cn_gltf_numbers(f, node, "scale", s, 3))
		return false;
	for (int i = 0; i < 3; ++i)
		for (int k = 0; k < 3; ++k)
			out->turn.m[i][k] = matrix[4 * k + i];
	out->move = v3_make(matrix[12], matrix[13], matrix[14]);
	if (cn_json_get(node, "matrix"))
		return true;
	quat turn = {q[3], q[0], q[1], q[2]};
	if (!(fabs(sqrt(q_dot(turn, turn)) - 1) < 0.01))
		return cn_asset_fail(f->r, cn_gltf_place(cn_json_get(node, "rotation")), "the rotation is no unit quaternion");
	out->turn = m3_mul(m3_from_q(q_unit(turn)), m3_diagonal(v3_make(s[0], s[1], s[2])));
	out->move = v3_make(t[0], t[1], t[2]);
	return true;
}

static quat q_from_columns(v3 x, v3 y, v3 z)
{
	double trace = x.x + y.y + z.z;
	quat q;
	if (trace > 0)
		q = (quat){trace + 1, y.z - z.y, z.x - x.z, x.y - y.x};
	else if (x.x >= y.y && x.x >= z.z)
		q = (quat){y.z - z.y, 1 + x.x - y.y - z.z, y.x + x.y, z.x + x.z};
	else if (y.y >= z.z)
		q = (quat){z.x - x.z, y.x + x.y, 1 + y.y - x.x - z.z, z.y + y.z};
	else
		q = (quat){x.y - y.x, z.x + x.z, z.y + y.z, 1 + z.z - x.x - y.y};
	return q_unit(q);
}

/* world = turn and move, after what goes into the mesh. False: it flattens things. */
static bool split(affine world, pose *place, m3 *rest)
{
	v3 x = v3_make(world.turn.m[0][0], world.turn.m[1][0], world.turn.m[2][0]);
	v3 y = v3_make(world.turn.m[0][1], world.turn.m[1][1], world.turn.m[2][1]);
	v3 z = v3_make(world.turn.m[0][2], world.turn.m[1][2], world.turn.m[2][2]);
	double volume = v3_dot(x, v3_cross(y, z));
	if (!(fabs(volume) > 1e-12 * v3_length(x) * v3_length(y) * v3_length(z)) || !isfinite(volume))
		return false;
	v3 u = v3_unit(x), v = v3_unit(v3_madd(y, u, -v3_dot(u, y))), w = v3_cross(u, v);
	const v3 axes[3] = {u, v, w}, columns[3] = {x, y, z};
	for (int i = 0; i < 3; ++i)
		for (int k = 0; k < 3; ++k) {
			double entry = v3_dot(axes[i], columns[k]), whole = i == k ? 1 : 0;
			rest->m[i][k] = fabs(entry - whole) < 1e-12 ? whole : entry;
		}
	quat q = q_from_columns(u, v, w);
	*place = (pose){to_scene(world.move), {q.w, q.x, -q.z, q.y}};
	return true;
}

static bool add_node(walk *w, const cn_json *node, affine world, uint32_t *body)
{
	static const char *const known[] = {"children", "matrix", "translation", "rotation",
	                                    "scale",    "mesh",   "extensions",  NULL};
	cn_gltf_file *f = w->f;
	cn_gltf_node n = {.json = node, .mesh = UINT32_MAX, .find_mesh = find_mesh, .context = w, .body = *body};
	const cn_json *mesh = cn_json_get(node, "mesh");
	if (!note_keys(f, node, "a node", known) || !note_extensions(f, node, "a node"))
		return false;
	if (!mesh && !cn_json_get(node, "extensions"))
		return true;
	if (!split(world, &n.pose, &n.scale))
		return cn_asset_note(f->r, cn_gltf_place(node), "its scale leaves no volume", "node \"%.60s\"",
		                     text_of(node, "name"));
	if (v3_max(v3_abs(n.pose.position)) > CN_LENGTH_MAX)
		return cn_asset_fail(f->r, cn_gltf_place(node), "the node is farther than %g m away", CN_LENGTH_MAX);
	if (mesh && !find_mesh(w, mesh, n.scale, &n.mesh))
		return false;
	n.name = text_of(node, "name");
	return cn_gltf_add_node(f, &n) && (*body = n.body, true);
}

static bool walk_node(walk *w, const cn_json *at, affine above, uint32_t body, int depth)
{
	cn_gltf_file *f = w->f;
	const cn_json *node = cn_gltf_item(f, at, "nodes");
	affine own;
	if (!node)
		return false;
	if (w->visited[node->index])
		return cn_asset_fail(f->r, cn_gltf_place(at), "nodes[%u] is reached twice; nodes form trees, without circles",
		                     node->index);
	if (depth >= DEPTH)
		return cn_asset_fail(f->r, cn_gltf_place(at), "more than %d nodes below each other", DEPTH);
	w->visited[node->index] = true;
	if (!read_transform(f, node, &own))
		return false;
	own = affine_mul(above, own);
	if (!add_node(w, node, own, &body))
		return false;
	const cn_json *children = cn_json_get(node, "children");
	for (const cn_json *v = children && children->type == CN_JSON_ARRAY ? children->first : NULL; v; v = v->next)
		if (!walk_node(w, v, own, body, depth + 1))
			return false;
	return true;
}

/* Nodes of the scene that is shown; a file without scenes shows all that are nobody's children. */
static bool walk_scene(walk *w)
{
	cn_gltf_file *f = w->f;
	const affine none = {m3_diagonal(v3_make(1, 1, 1)), v3_zero()};
	const cn_json *scenes = cn_json_get(f->root, "scenes"), *shown = cn_json_get(f->root, "scene");
	const cn_json *nodes = cn_json_get(f->root, "nodes");
	w->visited = cn_arena_take(&f->r->asset->arena, nodes ? nodes->count : 0, sizeof *w->visited);
	if (!w->visited)
		return cn_asset_fail_memory(f->r);
	if (!scenes || scenes->type != CN_JSON_ARRAY || !scenes->count)
		return cn_asset_fail(f->r, cn_gltf_place(f->root), "the file has no \"scenes\": nothing in it is placed");
	if (scenes->count > 1 &&
	    !cn_asset_note(f->r, cn_gltf_place(scenes), "one of them is taken", "%u scenes", scenes->count))
		return false;
	const cn_json *scene = shown ? cn_gltf_item(f, shown, "scenes") : scenes->first;
	const cn_json *roots = scene && scene->type == CN_JSON_OBJECT ? cn_json_get(scene, "nodes") : NULL;
	if (!scene)
		return false;
	for (const cn_json *v = roots && roots->type == CN_JSON_ARRAY ? roots->first : NULL; v; v = v->next)
		if (!walk_node(w, v, none, UINT32_MAX, 0))
			return false;
	return true;
}

bool cn_asset_read_gltf(cn_asset_reader *r)
{
	static const char *const known[] = {"asset",
	                                    "scene",
	                                    "scenes",
	                                    "nodes",
	                                    "meshes",
	                                    "accessors",
	                                    "bufferViews",
	                                    "buffers",
	                                    "materials",
	                                    "extensionsUsed",
	                                    "extensionsRequired",
	                                    "extensions",
	                                    NULL};
	cn_gltf_file f = {.r = r};
	walk w = {.f = &f};
	if (!cn_gltf_open(&f))
		return false;
	bool ok = check_required(&f) && note_keys(&f, f.root, "the file", known) &&
	          note_extensions(&f, f.root, "the file") && walk_scene(&w);
	cn_free(&r->asset->arena.allocator, w.made, w.made_capacity, sizeof *w.made);
	if (ok && !r->asset->node_count)
		return cn_asset_fail(r, (cn_asset_place){0}, "there is no mesh in the scene of the file");
	return ok;
}
