/* Meshes become hulls. They are read by the library, which keeps them in the folder of the file that names them. */
#define _POSIX_C_SOURCE 200809L
#include "import.h"
#include "json.h"
#include "limit.h"
#include "render_math.h"

#include <stdlib.h>
#include <string.h>

/* The signed tetrahedra between a point and the triangles: volume, first and second moments about the point. Of a closed
 * mesh they add up to those of its inside, wherever the point is. */
typedef struct moments {
	double volume, without_sign, first[3], second[9];
} moments;

static moments sum_tetrahedra(const cairn_shape_def *mesh, cairn_vec3 apex)
{
	moments m = {0};
	for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
		cairn_vec3 c[3];
		for (uint32_t i = 0; i < 3; ++i)
			c[i] = vec_sub(mesh->points[mesh->triangles[3 * t + i]], apex);
		const double p[3][3] = {{c[0].x, c[0].y, c[0].z}, {c[1].x, c[1].y, c[1].z}, {c[2].x, c[2].y, c[2].z}};
		double volume = vec_dot(c[0], vec_cross(c[1], c[2])) / 6;
		m.volume += volume, m.without_sign += fabs(volume);
		for (int i = 0; i < 3; ++i) {
			double sum_i = p[0][i] + p[1][i] + p[2][i];
			m.first[i] += volume / 4 * sum_i;
			for (int k = 0; k < 3; ++k)
				m.second[3 * i + k] +=
					volume / 20 *
					(sum_i * (p[0][k] + p[1][k] + p[2][k]) + p[0][i] * p[0][k] + p[1][i] * p[1][k] + p[2][i] * p[2][k]);
		}
	}
	return m;
}

/* The middle of the surface. */
static cairn_vec3 surface_center(const cairn_shape_def *mesh)
{
	cairn_vec3 sum = {0};
	double area = 0;
	for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
		const uint32_t *k = &mesh->triangles[3 * t];
		cairn_vec3 a = mesh->points[k[0]], b = mesh->points[k[1]], c = mesh->points[k[2]];
		double share = vec_length(vec_cross(vec_sub(b, a), vec_sub(c, a))) / 2;
		sum = vec_add(sum, vec_scale(share / 3, vec_add(a, vec_add(b, c))));
		area += share;
	}
	return area > 0 ? vec_scale(1 / area, sum) : sum;
}

/* *dented: it is not convex as seen from its middle, where programs differ. */
static import_mass weigh_mesh(const cairn_shape_def *mesh, bool *dented)
{
	cairn_vec3 middle = surface_center(mesh);
	moments m = sum_tetrahedra(mesh, middle);
	*dented = m.without_sign > fabs(m.volume) * (1 + 1e-9);
	import_mass own = {.mass = fabs(m.volume)};
	if (m.volume == 0)
		return own;
	own.center = vec_add(middle, vec_scale(1 / m.volume, vec(m.first[0], m.first[1], m.first[2])));
	m = sum_tetrahedra(mesh, own.center);
	double sign = m.volume > 0 ? 1 : -1, trace = sign * (m.second[0] + m.second[4] + m.second[8]);
	for (int i = 0; i < 9; ++i)
		own.inertia[i] = (i % 4 == 0 ? trace : 0) - sign * m.second[i];
	return own;
}

static import_mass weigh_hull(const cairn_shape_facts *f)
{
	import_mass m = {.mass = f->volume, .inertia = {f->moments.x, 0, 0, 0, f->moments.y, 0, 0, 0, f->moments.z}};
	m = mass_moved(m, (cairn_pose){.orientation = f->axes});
	m.center = f->center;
	return m;
}

bool import_hull_points(import *im, import_geom *g)
{
	cairn_shape_def def = cairn_default_shape_def(CAIRN_HULL);
	def.points = g->points, def.point_count = (uint32_t)g->point_count;
	cairn_error error = {0};
	cairn_allocator allocator = limits_allocator();
	cairn_surface surface;
	cairn_shape shape = cairn_scene_add_shape(im->shapes, &def, &error);
	if (!shape.generation || !cairn_scene_surface(im->shapes, shape, 0.1, 1, &allocator, &surface, &error))
		return import_fail(im, g->place, "its points make no hull: %s", error.message);
	if (g->own.mass == 0) {
		cairn_shape_facts facts = cairn_scene_shape_facts(im->shapes, shape);
		g->own = weigh_hull(&facts);
	}
	cairn_vec3 *corners = pool_take(&im->memory, surface.point_count * sizeof *corners);
	size_t count = 0;
	for (uint32_t i = 0; i < surface.point_count; ++i) {
		bool known = false;
		for (size_t k = 0; k < count && !known; ++k)
			known = memcmp(&corners[k], &surface.points[i], sizeof *corners) == 0;
		if (!known)
			corners[count++] = surface.points[i];
	}
	g->points = corners, g->point_count = count;
	cairn_surface_free(&surface, &allocator);
	return true;
}

/* A scene of that mesh alone, so that the library reads it. */
static cairn_scene *read_mesh(import *im, const char *path, cairn_vec3 scale, cairn_error *error)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	json j = json_begin(out, false);
	json_count(&j, "version", 1);
	json_open(&j, "shapes", '{');
	json_open(&j, "mesh", '{');
	json_open(&j, "mesh", '{');
	json_text(&j, "file", path);
	json_text(&j, "kind", "shell");
	json_vec3(&j, "scale", scale);
	json_close(&j, '}');
	json_close(&j, '}');
	json_close(&j, '}');
	json_end(&j);
	fclose(out);
	cairn_scene_def def = {.allocator = limits_allocator(), .trust = im->asked->trust};
	cairn_scene *scene = cairn_scene_read_text(text, size, im->path, NULL, &def, error);
	free(text);
	return scene;
}

bool import_hull(import *im, import_geom *g, const char *path, cairn_vec3 scale)
{
	cairn_error error = {0};
	/* A mirrored mesh: turned inside out, which neither hull nor weight mind. */
	cairn_vec3 size = vec(fabs(scale.x), fabs(scale.y), fabs(scale.z));
	cairn_scene *scene = read_mesh(im, path, size, &error);
	if (!scene)
		return import_fail(im, g->place, "mesh \"%.200s\": %s", path, error.message);
	cairn_shape_def mesh = cairn_scene_shape_at(scene, 0);
	g->shape = IMPORT_HULL;
	g->point_count = mesh.point_count;
	g->points = pool_take(&im->memory, mesh.point_count * sizeof *g->points);
	for (size_t i = 0; i < g->point_count; ++i) {
		cairn_vec3 p = mesh.points[i];
		g->points[i] = vec(copysign(1, scale.x) * p.x, copysign(1, scale.y) * p.y, copysign(1, scale.z) * p.z);
	}
	cairn_shape_def mirrored = mesh;
	mirrored.points = g->points;
	bool dented;
	g->own = weigh_mesh(&mirrored, &dented);
	if (dented && g->weighs && g->link != IMPORT_NONE && !im->links[g->link].weighed)
		import_note_at(im, g->place, "the weight of a mesh that is not convex",
		               "it is that of its inside; MuJoCo counts some of it twice");
	bool ok = import_hull_points(im, g);
	cairn_scene_destroy(scene);
	return ok;
}
