/* Normals, edges and shared corners of a surface of triangles. */
#include "render_mesh.h"
#include "message.h"
#include "render_math.h"

#include <stdlib.h>
#include <string.h>

/* A set of things of one size, numbered in the order in which they came. */
typedef struct pool {
	uint8_t *items;
	size_t size;
	uint32_t count, capacity;
	uint32_t *table; /* item + 1; 0: free */
	uint32_t table_size;
} pool;

/* size is a multiple of four. */
static uint32_t hash_words(const uint8_t *bytes, size_t size)
{
	uint32_t hash = 2166136261u, word;
	for (size_t i = 0; i < size; i += sizeof word) {
		memcpy(&word, bytes + i, sizeof word);
		hash = (hash ^ word) * 0x9e3779b1u;
		hash ^= hash >> 15;
	}
	return hash;
}

static pool pool_make(size_t size, uint32_t most)
{
	pool p = {.size = size, .capacity = most, .table_size = 16};
	while (p.table_size < 2 * most)
		p.table_size *= 2;
	p.items = memory_resize(NULL, size * (most + 1));
	p.table = memory_resize(NULL, p.table_size * sizeof *p.table);
	memset(p.table, 0, p.table_size * sizeof *p.table);
	return p;
}

static uint32_t pool_add(pool *p, const void *item)
{
	uint32_t at = hash_words(item, p->size) & (p->table_size - 1);
	for (; p->table[at]; at = (at + 1) & (p->table_size - 1))
		if (memcmp(p->items + p->size * (p->table[at] - 1), item, p->size) == 0)
			return p->table[at] - 1;
	memcpy(p->items + p->size * p->count, item, p->size);
	p->table[at] = ++p->count;
	return p->count - 1;
}

/* What is worked on: triangles of welded points. */
typedef struct work {
	cairn_vec3 *points;
	uint32_t *corners; /* 3 a triangle: points */
	uint32_t *given;   /* 3 a triangle: points of the surface */
	const cairn_color *colors;
	cairn_vec3 *normals;
	uint32_t *edges;       /* 3 a triangle: the edge opposite to its corner */
	uint32_t (*sides)[2];  /* of an edge: its triangles; the second UINT32_MAX if there is none */
	uint32_t (*ends)[2];   /* of an edge: its points */
	uint32_t *first, *fan; /* the triangles round a point: fan[first[p]..first[p + 1]] */
	uint32_t point_count, triangle_count, edge_count;
	double crease;
} work;

static void weld(work *w, const cairn_surface *surface)
{
	pool points = pool_make(sizeof(cairn_vec3), surface->point_count);
	uint32_t *number = memory_resize(NULL, (surface->point_count + 1) * sizeof *number);
	for (uint32_t i = 0; i < surface->point_count; ++i) {
		cairn_vec3 p = surface->points[i];
		p = vec(p.x + 0.0, p.y + 0.0, p.z + 0.0); /* -0 is 0 */
		number[i] = pool_add(&points, &p);
	}
	w->corners = memory_resize(NULL, (3 * (size_t)surface->triangle_count + 1) * sizeof *w->corners);
	w->given = memory_resize(NULL, (3 * (size_t)surface->triangle_count + 1) * sizeof *w->given);
	w->colors = surface->colors;
	w->normals = memory_resize(NULL, (surface->triangle_count + 1) * sizeof *w->normals);
	w->points = (cairn_vec3 *)(void *)points.items;
	for (uint32_t t = 0; t < surface->triangle_count; ++t) {
		uint32_t *to = w->corners + 3 * (size_t)w->triangle_count, *given = w->given + 3 * (size_t)w->triangle_count;
		memcpy(given, surface->triangles + 3 * (size_t)t, 3 * sizeof *given);
		for (int i = 0; i < 3; ++i)
			to[i] = number[given[i]];
		cairn_vec3 a = w->points[to[0]], b = w->points[to[1]], c = w->points[to[2]];
		cairn_vec3 normal = vec_unit(vec_cross(vec_sub(b, a), vec_sub(c, a)));
		if (vec_dot(normal, normal) > 0)
			w->normals[w->triangle_count++] = normal;
	}
	w->point_count = points.count;
	free(points.table);
	free(number);
}

static void find_edges(work *w)
{
	uint32_t most = 3 * w->triangle_count;
	pool edges = pool_make(2 * sizeof(uint32_t), most);
	w->edges = memory_resize(NULL, (most + 1) * sizeof *w->edges);
	w->sides = memory_resize(NULL, (most + 1) * sizeof *w->sides);
	for (uint32_t i = 0; i < most; ++i) {
		uint32_t t = i / 3, a = w->corners[3 * t + (i + 1) % 3], b = w->corners[3 * t + (i + 2) % 3];
		uint32_t ends[2] = {a < b ? a : b, a < b ? b : a}, before = edges.count;
		uint32_t e = w->edges[i] = pool_add(&edges, ends);
		if (e == before)
			w->sides[e][0] = t, w->sides[e][1] = UINT32_MAX;
		else
			w->sides[e][1] = t;
	}
	w->edge_count = edges.count;
	w->ends = (uint32_t(*)[2])(void *)edges.items;
	free(edges.table);
}

static void find_fans(work *w)
{
	uint32_t corners = 3 * w->triangle_count;
	w->first = memory_resize(NULL, (w->point_count + 2) * sizeof *w->first);
	w->fan = memory_resize(NULL, (corners + 1) * sizeof *w->fan);
	memset(w->first, 0, (w->point_count + 2) * sizeof *w->first);
	for (uint32_t i = 0; i < corners; ++i)
		++w->first[w->corners[i] + 2];
	for (uint32_t p = 0; p < w->point_count; ++p)
		w->first[p + 2] += w->first[p + 1];
	for (uint32_t i = 0; i < corners; ++i)
		w->fan[w->first[w->corners[i] + 1]++] = i / 3;
}

static bool is_seen(const work *w, uint32_t edge)
{
	const uint32_t *sides = w->sides[edge];
	return sides[1] == UINT32_MAX || vec_dot(w->normals[sides[0]], w->normals[sides[1]]) < cos(w->crease);
}

/* The angle of triangle t at point p. */
static double angle_at(const work *w, uint32_t t, uint32_t p)
{
	const uint32_t *c = w->corners + 3 * (size_t)t;
	int i = c[0] == p ? 0 : c[1] == p ? 1 : 2;
	cairn_vec3 u = vec_unit(vec_sub(w->points[c[(i + 1) % 3]], w->points[p]));
	cairn_vec3 v = vec_unit(vec_sub(w->points[c[(i + 2) % 3]], w->points[p]));
	return acos(fmax(-1, fmin(1, vec_dot(u, v))));
}

static void put(float to[3], cairn_vec3 v)
{
	to[0] = (float)v.x;
	to[1] = (float)v.y;
	to[2] = (float)v.z;
}

static mesh_vertex make_vertex(const work *w, uint32_t t, uint32_t i)
{
	mesh_vertex v = {0};
	uint32_t p = w->corners[3 * t + i];
	cairn_vec3 normal = vec(0, 0, 0), soft = normal;
	for (uint32_t f = w->first[p]; f < w->first[p + 1]; ++f) {
		cairn_vec3 part = vec_scale(angle_at(w, w->fan[f], p), w->normals[w->fan[f]]);
		soft = vec_add(soft, part);
		if (vec_dot(w->normals[w->fan[f]], w->normals[t]) >= cos(w->crease))
			normal = vec_add(normal, part);
	}
	put(v.at, w->points[p]);
	put(v.normal, vec_unit(normal));
	put(v.soft, vec_unit(soft));
	cairn_color paint = w->colors ? w->colors[w->given[3 * t + i]] : (cairn_color){1, 1, 1};
	put(v.paint, vec(paint.r, paint.g, paint.b));
	uint32_t turn = is_seen(w, w->edges[3 * t]) ? is_seen(w, w->edges[3 * t + 1]) ? 0 : 2 : 1;
	for (uint32_t j = 0; j < 3; ++j) {
		/* What is no edge comes last, so that two triangles of a square share corners. */
		uint32_t k = (j + turn) % 3;
		cairn_vec3 a = w->points[w->corners[3 * t + (k + 1) % 3]], b = w->points[w->corners[3 * t + (k + 2) % 3]];
		cairn_vec3 far = vec_sub(w->points[p], a);
		double height = vec_length(vec_cross(far, vec_unit(vec_sub(b, a))));
		v.edge[j] = !is_seen(w, w->edges[3 * t + k]) ? RENDER_NO_EDGE : i == k ? (float)height : 0;
	}
	return v;
}

/* A surface without an edge that is seen, such as a ball's, has all of them as lines. */
static void collect_lines(render_mesh *mesh, const work *w)
{
	mesh->lines = memory_resize(NULL, (2 * (size_t)w->edge_count + 1) * sizeof *mesh->lines);
	for (int all = 0; all < 2 && mesh->line_count == 0; ++all)
		for (uint32_t e = 0; e < w->edge_count; ++e)
			if (all || is_seen(w, e)) {
				mesh->lines[mesh->line_count++] = w->ends[e][0];
				mesh->lines[mesh->line_count++] = w->ends[e][1];
			}
}

void render_mesh_build(render_mesh *mesh, const cairn_surface *surface, double crease)
{
	work w = {.crease = crease};
	*mesh = (render_mesh){0};
	weld(&w, surface);
	find_edges(&w);
	find_fans(&w);
	uint32_t corners = 3 * w.triangle_count;
	pool vertices = pool_make(sizeof(mesh_vertex), corners);
	mesh->indices = memory_resize(NULL, (corners + 1) * sizeof *mesh->indices);
	for (uint32_t i = 0; i < corners; ++i) {
		mesh_vertex v = make_vertex(&w, i / 3, i % 3);
		mesh->indices[i] = pool_add(&vertices, &v);
	}
	mesh->points = memory_resize(NULL, (w.point_count + 1) * sizeof *mesh->points);
	for (uint32_t p = 0; p < w.point_count; ++p)
		put(mesh->points[p], w.points[p]);
	collect_lines(mesh, &w);
	mesh->vertices = (mesh_vertex *)(void *)vertices.items;
	mesh->vertex_count = vertices.count;
	mesh->index_count = mesh->point_index_count = corners;
	mesh->point_count = w.point_count;
	mesh->point_indices = w.corners;
	void *unused[] = {vertices.table, w.points, w.normals, w.edges, w.sides, w.ends, w.first, w.fan, w.given};
	for (size_t i = 0; i < sizeof unused / sizeof unused[0]; ++i)
		free(unused[i]);
}

void render_mesh_free(render_mesh *mesh)
{
	free(mesh->vertices);
	free(mesh->points);
	free(mesh->indices);
	free(mesh->point_indices);
	free(mesh->lines);
	*mesh = (render_mesh){0};
}
