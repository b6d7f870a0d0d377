/* Meshes become hulls. They are read by the library, which keeps them in the folder of the file that names them. */
#define _POSIX_C_SOURCE 200809L
#include "import.h"
#include "json.h"
#include "limit.h"
#include "render_math.h"

#include <stdlib.h>
#include <string.h>

/* Second moments of the tetrahedra between the origin and the triangles. */
static import_mass weigh_mesh(const cairn_shape_def *mesh)
{
	double volume = 0, c[3] = {0}, S[9] = {0};
	for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
		double p[3][3];
		for (int i = 0; i < 3; ++i) {
			cairn_vec3 x = mesh->points[mesh->triangles[3 * t + (uint32_t)i]];
			p[i][0] = x.x, p[i][1] = x.y, p[i][2] = x.z;
		}
		double six = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
		             p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
		             p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
		volume += six / 6;
		for (int i = 0; i < 3; ++i) {
			double sum_i = p[0][i] + p[1][i] + p[2][i];
			c[i] += six / 24 * sum_i;
			for (int k = 0; k < 3; ++k) {
				double sum_k = p[0][k] + p[1][k] + p[2][k];
				S[3 * i + k] += six / 120 * (sum_i * sum_k + p[0][i] * p[0][k] + p[1][i] * p[1][k] + p[2][i] * p[2][k]);
			}
		}
	}
	import_mass m = {0};
	if (volume == 0)
		return m;
	m.mass = fabs(volume);
	m.center = vec(c[0] / volume, c[1] / volume, c[2] / volume);
	double sign = volume > 0 ? 1 : -1, at[3] = {m.center.x, m.center.y, m.center.z}, trace = 0;
	for (int i = 0; i < 9; ++i)
		S[i] = sign * S[i] - m.mass * at[i / 3] * at[i % 3];
	trace = S[0] + S[4] + S[8];
	for (int i = 0; i < 9; ++i)
		m.inertia[i] = (i % 4 == 0 ? trace : 0) - S[i];
	return m;
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
	g->own = weigh_mesh(&mirrored);
	bool ok = import_hull_points(im, g);
	cairn_scene_destroy(scene);
	return ok;
}
