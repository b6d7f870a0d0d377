/* Masses and inertias: of geometries, of links, put together and moved. */
#include "import.h"
#include "render_math.h"

#include <float.h>
#include <string.h>

#define PI 3.14159265358979323846

static void add_point(double I[9], double m, cairn_vec3 d, double sign)
{
	double s = sign * m, dd = vec_dot(d, d), v[3] = {d.x, d.y, d.z};
	for (int i = 0; i < 3; ++i)
		for (int k = 0; k < 3; ++k)
			I[3 * i + k] += s * ((i == k ? dd : 0) - v[i] * v[k]);
}

import_mass mass_add(import_mass a, import_mass b)
{
	import_mass m = {.mass = a.mass + b.mass};
	if (!(m.mass > 0))
		return m;
	m.center = vec_scale(1 / m.mass, vec_add(vec_scale(a.mass, a.center), vec_scale(b.mass, b.center)));
	for (int i = 0; i < 9; ++i)
		m.inertia[i] = a.inertia[i] + b.inertia[i];
	add_point(m.inertia, a.mass, vec_sub(a.center, m.center), 1);
	add_point(m.inertia, b.mass, vec_sub(b.center, m.center), 1);
	return m;
}

import_mass mass_moved(import_mass m, cairn_pose pose)
{
	cairn_vec3 axes[3] = {quat_turn(pose.orientation, vec(1, 0, 0)), quat_turn(pose.orientation, vec(0, 1, 0)),
	                      quat_turn(pose.orientation, vec(0, 0, 1))};
	double R[9] = {axes[0].x, axes[1].x, axes[2].x, axes[0].y, axes[1].y, axes[2].y, axes[0].z, axes[1].z, axes[2].z};
	import_mass moved = {.mass = m.mass, .center = vec_add(pose.position, quat_turn(pose.orientation, m.center))};
	for (int i = 0; i < 3; ++i)
		for (int k = 0; k < 3; ++k)
			for (int p = 0; p < 3; ++p)
				for (int q = 0; q < 3; ++q)
					moved.inertia[3 * i + k] += R[3 * i + p] * m.inertia[3 * p + q] * R[3 * k + q];
	return moved;
}

/* Jacobi's rotations: sure, and as good as rounding allows. */
void mass_moments(const import_mass *m, double moments[3])
{
	double a[9];
	memcpy(a, m->inertia, sizeof a);
	for (int sweep = 0; sweep < 30; ++sweep)
		for (int p = 0; p < 2; ++p)
			for (int q = p + 1; q < 3; ++q) {
				double apq = a[3 * p + q];
				if (apq == 0)
					continue;
				double theta = (a[4 * q] - a[4 * p]) / (2 * apq);
				double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
				double c = 1 / sqrt(t * t + 1), s = t * c;
				for (int k = 0; k < 3; ++k) {
					double x = a[3 * k + p], y = a[3 * k + q];
					a[3 * k + p] = c * x - s * y, a[3 * k + q] = s * x + c * y;
				}
				for (int k = 0; k < 3; ++k) {
					double x = a[3 * p + k], y = a[3 * q + k];
					a[3 * p + k] = c * x - s * y, a[3 * q + k] = s * x + c * y;
				}
			}
	double x = a[0], y = a[4], z = a[8];
	moments[0] = fmin(x, fmin(y, z)), moments[2] = fmax(x, fmax(y, z));
	moments[1] = x + y + z - moments[0] - moments[2];
}

bool mass_possible(const import_mass *m, double slack)
{
	double e[3];
	mass_moments(m, e);
	return e[0] > 1e-12 * e[2] && e[2] <= (e[0] + e[1]) * (1 + slack);
}

static import_mass weigh_own(double volume, cairn_vec3 moments)
{
	return (import_mass){.mass = volume, .inertia = {moments.x, 0, 0, 0, moments.y, 0, 0, 0, moments.z}};
}

void import_geom_own(import *im, import_geom *g)
{
	cairn_vec3 s = g->size;
	double r = s.x, l = s.z, round = 4. / 3 * PI * r * r * r, tube = PI * r * r * l;
	(void)im;
	switch (g->shape) {
	case IMPORT_SPHERE: g->own = weigh_own(round, vec_scale(0.4 * round * r * r, vec(1, 1, 1))); break;
	case IMPORT_BOX: {
		double v = s.x * s.y * s.z;
		g->own =
			weigh_own(v, vec_scale(v / 12, vec(s.y * s.y + s.z * s.z, s.z * s.z + s.x * s.x, s.x * s.x + s.y * s.y)));
		break;
	}
	case IMPORT_ELLIPSOID: {
		double v = 4. / 3 * PI * s.x * s.y * s.z;
		g->own =
			weigh_own(v, vec_scale(v / 5, vec(s.y * s.y + s.z * s.z, s.z * s.z + s.x * s.x, s.x * s.x + s.y * s.y)));
		break;
	}
	case IMPORT_CYLINDER:
		g->own =
			weigh_own(tube, vec(tube * (3 * r * r + l * l) / 12, tube * (3 * r * r + l * l) / 12, tube * r * r / 2));
		break;
	case IMPORT_CAPSULE: { /* a half ball has its centre 3/8 r from its flat side */
		double across = tube * (3 * r * r + l * l) / 12 + round * (0.4 * r * r + l * l / 4 + 0.375 * l * r);
		g->own = weigh_own(tube + round, vec(across, across, tube * r * r / 2 + 0.4 * round * r * r));
		break;
	}
	case IMPORT_MESH:
	case IMPORT_HULL:
	case IMPORT_PLANE: break;
	}
}

import_mass import_geom_mass(const import_geom *g)
{
	import_mass m = g->own;
	double scale = g->mass >= 0 ? (m.mass > 0 ? g->mass / m.mass : 0) : g->density;
	m.mass *= scale;
	for (int i = 0; i < 9; ++i)
		m.inertia[i] *= scale;
	return mass_moved(m, g->pose);
}

static bool check_link(import *im, const import_link *l)
{
	const import_mass *m = &l->mass;
	double e[3];
	mass_moments(m, e);
	if (m->mass < 0 || !isfinite(m->mass))
		return import_fail(im, l->place, "link \"%.80s\" has a mass of %g kg; give a number above 0", l->name, m->mass);
	if (m->mass == 0 || (!l->joint_count && !(e[2] > 0))) /* a point that is fast to another link becomes part of it */
		return true;
	if (!(e[2] > 0))
		return import_fail(
			im, l->place,
			"link \"%.80s\" has a mass of %g kg and no inertia; give its moments, or leave out what it weighs", l->name,
			m->mass);
	return mass_possible(m, 1e-6) ||
	       import_fail(
			   im, l->place,
			   "link \"%.80s\" has moments of inertia of %g, %g and %g kg m^2; no body has: each is above 0 and none "
			   "above the sum of the others",
			   l->name, e[0], e[1], e[2]);
}

/* What the file asks for all links: least masses and moments, possible moments, a total. */
static void adjust(import *im)
{
	double total = 0;
	for (size_t i = 0; i < im->link_count; ++i) {
		import_mass *m = &im->links[i].mass;
		if (!(m->mass > 0))
			continue;
		m->mass = fmax(m->mass, im->least_mass);
		for (int k = 0; k < 3; ++k)
			m->inertia[4 * k] = fmax(m->inertia[4 * k], im->least_inertia);
		if (im->balance && !mass_possible(m, 1e-6)) {
			double mean = (m->inertia[0] + m->inertia[4] + m->inertia[8]) / 3;
			memset(m->inertia, 0, sizeof m->inertia);
			m->inertia[0] = m->inertia[4] = m->inertia[8] = mean;
		}
		total += m->mass;
	}
	double scale = im->total_mass > 0 && total > 0 ? im->total_mass / total : 1;
	for (size_t i = 0; scale != 1 && i < im->link_count; ++i) {
		im->links[i].mass.mass *= scale;
		for (int k = 0; k < 9; ++k)
			im->links[i].mass.inertia[k] *= scale;
	}
}

bool import_weigh(import *im)
{
	for (size_t i = 0; i < im->geom_count; ++i) {
		import_geom *g = &im->geoms[i];
		if (g->link == IMPORT_NONE || im->links[g->link].weighed || !g->weighs || g->shape == IMPORT_PLANE)
			continue;
		import_link *l = &im->links[g->link];
		import_mass more = import_geom_mass(g);
		l->mass = l->mass.mass > 0 ? (more.mass > 0 ? mass_add(l->mass, more) : l->mass) : more;
	}
	adjust(im);
	for (size_t i = 0; i < im->link_count; ++i)
		if (!check_link(im, &im->links[i]))
			return false;
	return true;
}
