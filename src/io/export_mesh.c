/* Bodies as triangles: round shapes with the normals of the true surface, all others with flat ones. A corner is a
 * vertex of its own for each normal and colour it has, and is shared by the triangles that agree on it. Balls and wheels that
 * move have stripes, as in pictures: their triangles are cut where the colour changes. */
#include "io/export_mesh.h"

#include "base/hash.h"
#include "scene/scene.h"

#define CN_EXPORT_ROUND 0.01 /* a fraction of the radius: how far the triangles of round shapes are from the surface */

uint64_t cn_intern_word(double x)
{
	uint64_t word;
	x += 0.0;
	memcpy(&word, &x, sizeof word);
	return word;
}

static uint32_t *find_slot(const cn_intern *table, const uint64_t key[CN_INTERN_WORDS])
{
	uint64_t hash = CN_HASH_START;
	for (int i = 0; i < CN_INTERN_WORDS; ++i)
		hash = cn_hash_u64(hash, key[i]);
	uint32_t slot = (uint32_t)hash & (table->slot_count - 1);
	while (table->slots[slot] && memcmp(table->keys[table->slots[slot] - 1], key, sizeof table->keys[0]) != 0)
		slot = (slot + 1) & (table->slot_count - 1);
	return table->slots + slot;
}

static bool grow_slots(const cairn_allocator *allocator, cn_intern *table)
{
	if (table->count < table->slot_count / 2)
		return true;
	if (table->slot_count >= 1u << 31)
		return false;
	cn_intern next = *table;
	next.slot_count = table->slot_count ? table->slot_count * 2 : 64;
	next.slots = cn_alloc(allocator, next.slot_count, sizeof *next.slots);
	if (!next.slots)
		return false;
	for (uint32_t i = 0; i < table->count; ++i)
		*find_slot(&next, table->keys[i]) = i + 1;
	cn_free(allocator, table->slots, table->slot_count, sizeof *table->slots);
	*table = next;
	return true;
}

uint32_t cn_intern_add(const cairn_allocator *allocator, cn_intern *table, const uint64_t key[CN_INTERN_WORDS])
{
	if (!grow_slots(allocator, table))
		return UINT32_MAX;
	uint32_t *slot = find_slot(table, key);
	if (*slot)
		return *slot - 1;
	void *keys = table->keys;
	if (!cn_grow(allocator, &keys, &table->capacity, table->count + 1, sizeof table->keys[0]))
		return UINT32_MAX;
	table->keys = keys;
	memcpy(table->keys[table->count], key, sizeof table->keys[0]);
	*slot = ++table->count;
	return table->count - 1;
}

void cn_intern_free(const cairn_allocator *allocator, cn_intern *table)
{
	cn_free(allocator, table->keys, table->capacity, sizeof table->keys[0]);
	cn_free(allocator, table->slots, table->slot_count, sizeof *table->slots);
	*table = (cn_intern){0};
}

#define CN_GROUND_REACH 6 /* times as far as the farthest body: a ground whose end is out of the way */

/* As pictures have it (body_fragment of cli/render_shaders.c): a band about a ball, two quarters of a wheel. */
#define CN_BAND 0.3 /* half the width of a ball's band, in radii */
#define CN_BAND_LIGHT 0.75
#define CN_QUARTER_LIGHT 0.45
static const cairn_color CN_STRIPE = {0.85, 0.83, 0.78};

/* A mesh in the making. */
typedef struct builder {
	const cn_export *e;
	cn_export_mesh *mesh;
	cn_intern corners;
	v3 center;
	double halfspace;
	double band;           /* of a ball, m */
	bool striped;          /* a ball with a band, or a wheel with quarters */
	cairn_color colors[2]; /* the body's, and that of its stripes */
} builder;

static uint32_t add_vertex(builder *b, cn_vertex vertex)
{
	uint64_t key[CN_INTERN_WORDS] = {0};
	for (int i = 0; i < 3; ++i) {
		key[i] = cn_intern_word((double)vertex.point[i]);
		key[i + 3] = cn_intern_word((double)vertex.normal[i]);
		key[i + 6] = cn_intern_word((double)vertex.color[i]);
	}
	key[9] = cn_intern_word((double)vertex.uv[0]);
	key[10] = cn_intern_word((double)vertex.uv[1]);
	uint32_t index = cn_intern_add(&b->e->allocator, &b->corners, key);
	if (index != b->mesh->vertex_count)
		return index;
	void *vertices = b->mesh->vertices;
	if (!cn_grow(&b->e->allocator, &vertices, &b->mesh->vertex_capacity, index + 1, sizeof vertex))
		return UINT32_MAX;
	b->mesh->vertices = vertices;
	b->mesh->vertices[b->mesh->vertex_count++] = vertex;
	return index;
}

static cn_vertex make_vertex(const cairn_surface *surface, uint32_t at, v3 point, v3 normal)
{
	cn_vertex vertex = {{(float)point.x, (float)point.y, (float)point.z},
	                    {(float)normal.x, (float)normal.y, (float)normal.z},
	                    {0},
	                    {0}};
	if (surface->uvs)
		memcpy(vertex.uv, surface->uvs + 2 * (size_t)at, sizeof vertex.uv);
	if (surface->colors) {
		cairn_color c = surface->colors[at];
		vertex.color[0] = (float)c.r, vertex.color[1] = (float)c.g, vertex.color[2] = (float)c.b;
	}
	return vertex;
}

static bool add_corners(builder *b, const uint32_t corner[3])
{
	if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
		return true;
	void *triangles = b->mesh->triangles;
	if (!cn_grow(&b->e->allocator, &triangles, &b->mesh->index_capacity, b->mesh->index_count + 3, sizeof *corner))
		return false;
	b->mesh->triangles = triangles;
	memcpy(b->mesh->triangles + b->mesh->index_count, corner, 3 * sizeof *corner);
	b->mesh->index_count += 3;
	return true;
}

/* Triangles without area have no normal and show nothing: left out. */
static bool add_triangle(builder *b, const cairn_shape_def *def, pose place, const cairn_surface *surface,
                         const uint32_t at[3])
{
	const v3 p[3] = {surface->points[at[0]], surface->points[at[1]], surface->points[at[2]]};
	v3 flat = v3_unit(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])));
	uint32_t corner[3];
	if (v3_length2(flat) == 0)
		return true;
	for (int i = 0; i < 3; ++i) {
		v3 normal = q_rotate(place.orientation, cn_shape_normal(def, p[i], flat));
		corner[i] = add_vertex(b, make_vertex(surface, at[i], v3_sub(pose_apply(place, p[i]), b->center), normal));
		if (corner[i] == UINT32_MAX)
			return false;
	}
	return add_corners(b, corner);
}

/* How far a point of the shape is beyond the i-th of the two planes at which the colour changes. */
static double beyond(const builder *b, const cairn_shape_def *def, int i, v3 p)
{
	if (def->kind == CAIRN_SPHERE)
		return i == 0 ? p.z - b->band : p.z + b->band;
	return i == 0 ? p.x : p.y;
}

/* Where an edge meets a plane; the same point from either end, so that neighbours stay joined. */
static v3 cut_edge(v3 p, double p_beyond, v3 q, double q_beyond)
{
	if (p_beyond > q_beyond)
		return cut_edge(q, q_beyond, p, p_beyond);
	return v3_add(p, v3_scale(v3_sub(q, p), p_beyond / (p_beyond - q_beyond)));
}

/* A convex piece of a triangle. */
typedef struct piece {
	v3 p[8];
	int count;
	v3 flat; /* the triangle's normal */
} piece;

/* A piece on one side of both planes. */
static bool add_piece(builder *b, const cairn_shape_def *def, pose place, const piece *whole)
{
	v3 middle = v3_zero();
	uint32_t corner[8];
	for (int i = 0; i < whole->count; ++i)
		middle = v3_add(middle, v3_scale(whole->p[i], 1.0 / whole->count));
	bool side[2] = {beyond(b, def, 0, middle) > 0, beyond(b, def, 1, middle) > 0};
	bool light = def->kind == CAIRN_SPHERE ? side[0] != side[1] : side[0] == side[1];
	cairn_color c = b->colors[light];
	for (int i = 0; i < whole->count; ++i) {
		v3 normal = q_rotate(place.orientation, cn_shape_normal(def, whole->p[i], whole->flat));
		v3 point = v3_sub(pose_apply(place, whole->p[i]), b->center);
		corner[i] = add_vertex(b, (cn_vertex){.point = {(float)point.x, (float)point.y, (float)point.z},
		                                      .normal = {(float)normal.x, (float)normal.y, (float)normal.z},
		                                      .color = {(float)c.r, (float)c.g, (float)c.b}});
		if (corner[i] == UINT32_MAX)
			return false;
	}
	for (int i = 2; i < whole->count; ++i)
		if (!add_corners(b, (uint32_t[]){corner[0], corner[i - 1], corner[i]}))
			return false;
	return true;
}

/* Cuts a convex piece at the planes from the i-th on; each adds a corner at most to either half. */
static bool add_cut(builder *b, const cairn_shape_def *def, pose place, const piece *whole, int i)
{
	if (i == 2)
		return add_piece(b, def, place, whole);
	piece half[2] = {{.flat = whole->flat}, {.flat = whole->flat}};
	bool apart[2] = {false, false}; /* something lies off the plane on that side */
	for (int k = 0; k < whole->count; ++k) {
		v3 p = whole->p[k], q = whole->p[(k + 1) % whole->count];
		double here = beyond(b, def, i, p), next = beyond(b, def, i, q);
		if (here <= 0)
			half[0].p[half[0].count++] = p, apart[0] |= here != 0;
		if (here >= 0)
			half[1].p[half[1].count++] = p, apart[1] |= here != 0;
		if ((here < 0 && next > 0) || (here > 0 && next < 0))
			half[0].p[half[0].count++] = half[1].p[half[1].count++] = cut_edge(p, here, q, next);
	}
	for (int s = 0; s < 2; ++s)
		if (apart[s] && !add_cut(b, def, place, &half[s], i + 1))
			return false;
	return apart[0] || apart[1] || add_cut(b, def, place, whole, i + 1);
}

static bool add_striped(builder *b, const cairn_shape_def *def, pose place, const cairn_surface *surface,
                        const uint32_t at[3])
{
	piece p = {.p = {surface->points[at[0]], surface->points[at[1]], surface->points[at[2]]}, .count = 3};
	p.flat = v3_unit(v3_cross(v3_sub(p.p[1], p.p[0]), v3_sub(p.p[2], p.p[0])));
	return v3_length2(p.flat) == 0 || add_cut(b, def, place, &p, 0);
}

static bool add_shape(builder *b, cairn_shape shape, pose place, cairn_error *error)
{
	cairn_shape_def def = cairn_scene_shape_at(b->e->scene, shape.index);
	cairn_surface surface;
	if (!cairn_scene_surface(b->e->scene, shape, CN_EXPORT_ROUND, b->halfspace, &b->e->allocator, &surface, error))
		return false;
	bool ok = true;
	b->mesh->has_uvs = surface.uvs != NULL, b->mesh->has_colors = b->striped || surface.colors;
	b->mesh->striped = b->striped;
	b->band = CN_BAND * def.radius;
	for (uint32_t i = 0; ok && i < surface.triangle_count; ++i)
		ok = (b->striped ? add_striped : add_triangle)(b, &def, place, &surface, surface.triangles + (size_t)i * 3);
	cairn_surface_free(&surface, &b->e->allocator);
	return ok || cn_fail_memory(error);
}

static bool build(builder *b, const cairn_body_info *body, cairn_error *error)
{
	pose place;
	cairn_shape shown = cairn_shown_shape(body, &place);
	cairn_shape_def def = cairn_scene_shape_at(b->e->scene, shown.index);
	bool ok = true;
	if (def.kind != CAIRN_COMPOUND)
		ok = add_shape(b, shown, place, error);
	for (uint32_t i = 0; ok && def.kind == CAIRN_COMPOUND && i < def.part_count; ++i)
		ok = add_shape(b, def.parts[i].shape, pose_mul(place, def.parts[i].pose), error);
	if (ok && b->mesh->index_count == 0)
		ok = cn_fail(error, CAIRN_FAILED, "", "body \"%.100s\" has no surface to draw", body->name);
	cn_intern_free(&b->e->allocator, &b->corners);
	return ok;
}

static void free_mesh(const cairn_allocator *allocator, cn_export_mesh *mesh)
{
	cn_free(allocator, mesh->vertices, mesh->vertex_capacity, sizeof *mesh->vertices);
	cn_free(allocator, mesh->triangles, mesh->index_capacity, sizeof *mesh->triangles);
}

/* The numbers of a shape's fields, three at most. */
static void field_key(const cairn_shape_def *def, uint64_t key[3])
{
	const cn_shape_field *field;
	uint32_t count = 0;
	for (uint32_t i = 0; (field = cn_shape_kind_field(def->kind, i)) != NULL; ++i) {
		const double *value = (const double *)(const void *)((const char *)def + field->offset);
		for (int k = 0; k < (field->type == CN_FIELD_VECTOR ? 3 : 1); ++k) {
			assert(count < 3);
			key[count++] = cn_intern_word(value[k]);
		}
	}
}

/* Shapes of equal size are one mesh though a scene lists them one by one, as it may for every body. */
static void shape_key(const cairn_shape_def *def, const cairn_body_info *body, uint64_t key[CN_INTERN_WORDS])
{
	memset(key, 0, CN_INTERN_WORDS * sizeof *key);
	key[0] = (uint64_t)def->kind;
	if (body->visual.generation) { /* as seen from the centre */
		v3 at = v3_sub(body->visual_pose.position, body->center);
		quat turn = body->visual_pose.orientation;
		const double words[7] = {at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z};
		key[0] = UINT64_MAX, key[1] = body->visual.index;
		for (int i = 0; i < 7; ++i)
			key[2 + i] = cn_intern_word(words[i]);
		return;
	}
	if (cn_shape_kind_form(def->kind) > CN_FORM_FIELDS)
		key[1] = body->shape.index;
	else
		field_key(def, &key[1]);
	key[4] = cn_intern_word(body->center.x);
	key[5] = cn_intern_word(body->center.y);
	key[6] = cn_intern_word(body->center.z);
}

/* One sees balls and wheels turn. Each colour is a mesh of its own then. */
static void stripe(builder *b, const cairn_shape_def *def, const cairn_body_info *body, uint64_t key[CN_INTERN_WORDS])
{
	bool ball = def->kind == CAIRN_SPHERE, wheel = def->kind == CAIRN_CYLINDER;
	if (body->visual.generation || body->type == CAIRN_FIXED || !(ball || wheel))
		return;
	double light = ball ? CN_BAND_LIGHT : CN_QUARTER_LIGHT;
	cairn_color c = cairn_shown_color(body), s = CN_STRIPE;
	b->striped = true;
	b->colors[0] = c;
	b->colors[1] = (cairn_color){c.r + light * (s.r - c.r), c.g + light * (s.g - c.g), c.b + light * (s.b - c.b)};
	key[8] = 1;
	key[9] = cn_intern_word(c.r), key[10] = cn_intern_word(c.g), key[11] = cn_intern_word(c.b);
}

uint32_t cn_meshes_add(const cn_export *e, cn_meshes *meshes, const cairn_body_info *body, cairn_error *error)
{
	cairn_shape_def def = cairn_scene_shape_at(e->scene, body->shape.index);
	uint64_t key[CN_INTERN_WORDS];
	uint32_t before = meshes->table.count;
	void *all = meshes->all;
	builder b = {.e = e, .center = body->center, .halfspace = meshes->halfspace};
	shape_key(&def, body, key);
	stripe(&b, &def, body, key);
	if (!cn_grow(&e->allocator, &all, &meshes->capacity, before + 1, sizeof *meshes->all)) {
		cn_fail_memory(error);
		return UINT32_MAX;
	}
	meshes->all = all;
	uint32_t index = cn_intern_add(&e->allocator, &meshes->table, key);
	if (index == UINT32_MAX)
		cn_fail_memory(error);
	if (index != before)
		return index;
	meshes->all[index] = (cn_export_mesh){0};
	b.mesh = meshes->all + index;
	return build(&b, body, error) ? index : UINT32_MAX;
}

void cn_meshes_begin(const cn_export *e, cn_meshes *meshes)
{
	cairn_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	*meshes = (cn_meshes){0};
	for (uint32_t i = 0; i < e->info.bodies; ++i) {
		cairn_track track = cairn_recording_track(e->recording, i);
		v3 p = track.first_key.position, r = v3_make(track.info.radius, track.info.radius, track.info.radius);
		if (!isfinite(track.info.radius))
			continue;
		box.min = v3_least(box.min, v3_sub(p, r));
		box.max = v3_most(box.max, v3_add(p, r));
	}
	for (uint32_t i = 0; i < e->info.bodies && box.min.x <= box.max.x; ++i) {
		cairn_track track = cairn_recording_track(e->recording, i);
		if (isfinite(track.info.radius))
			continue;
		cairn_shape_def def = cairn_scene_shape_at(e->scene, track.info.shape.index);
		v3 foot = v3_sub(v3_scale(def.normal, def.offset), track.info.center);
		v3 p = v3_add(track.first_key.position, q_rotate(track.first_key.orientation, foot));
		v3 far = v3_most(v3_abs(v3_sub(box.min, p)), v3_abs(v3_sub(box.max, p)));
		double reach = CN_GROUND_REACH * v3_max(far);
		meshes->halfspace = reach > meshes->halfspace ? reach : meshes->halfspace;
	}
	if (!(meshes->halfspace > 0))
		meshes->halfspace = 10;
}

void cn_meshes_free(const cn_export *e, cn_meshes *meshes)
{
	for (uint32_t i = 0; i < meshes->table.count; ++i)
		free_mesh(&e->allocator, meshes->all + i);
	cn_free(&e->allocator, meshes->all, meshes->capacity, sizeof *meshes->all);
	cn_intern_free(&e->allocator, &meshes->table);
}
