/* Goals as numbers that ought to be 0 (PBA 7.6.1). Every energy of the text is half, or all, of a sum of squares: N.M + 1 =
 * |N + M|^2 / 2 for unit normals. */
#include "base/trig.h"
#include "geom/shape/distance.h"
#include "scene/goal.h"

#include <string.h>

#define CN_BEND 1e-6 /* m: over which a surface's normal is compared with itself */
#define CN_HALF_ROOT 0.70710678118654752440

static v3 normal_at(const cairn_scene *s, uint32_t shape, v3 point)
{
	v3 n;
	cn_surface_distance(s->shapes, shape, point, &n);
	return n;
}

static void add_vector(cn_goal_rows *g, v3 r, double times)
{
	g->r[g->count] = times * r.x, g->r[g->count + 1] = times * r.y, g->r[g->count + 2] = times * r.z;
	g->count += 3;
}

static v3 axis_at(int k) { return v3_make(k == 0, k == 1, k == 2); }

/* Two points that ought to be one: rows 0 to 2. offset is carried by b. */
static void put_points(cn_goal_rows *g, v3 offset)
{
	for (int k = 0; k < 3; ++k) {
		g->a.by_velocity[k] = axis_at(k);
		g->b.by_velocity[k] = v3_neg(axis_at(k));
		g->b.by_spin[k] = v3_neg(v3_cross(offset, axis_at(k)));
	}
	v3 apart = v3_sub(v3_sub(g->at_a, g->at_b), offset);
	add_vector(g, apart, 1);
	g->miss.distance = v3_length(apart);
}

/* Two normals that ought to be opposite. */
static void put_normals(cn_goal_rows *g, v3 n, v3 m)
{
	uint32_t first = g->count;
	for (uint32_t k = 0; k < 3; ++k) {
		g->a.by_spin[first + k] = v3_scale(v3_cross(n, axis_at((int)k)), CN_HALF_ROOT);
		g->b.by_spin[first + k] = v3_add(g->b.by_spin[first + k], v3_scale(v3_cross(m, axis_at((int)k)), CN_HALF_ROOT));
	}
	add_vector(g, v3_add(n, m), CN_HALF_ROOT);
	g->miss.angle = cn_atan2(v3_length(v3_cross(n, m)), -v3_dot(n, m));
}

/* A point that ought to be on b's surface: row 0; *normal is the surface's there. */
static void put_surface(const cairn_scene *s, uint32_t shape, double gap, pose b, cn_goal_rows *g, v3 *normal)
{
	v3 p = q_unrotate(b.orientation, v3_sub(g->at_a, b.position)), n;
	g->at_b = g->at_a;
	g->r[0] = cn_surface_distance(s->shapes, shape, p, &n) - gap;
	g->miss.distance = fabs(g->r[0]);
	*normal = q_rotate(b.orientation, n);
	g->a.by_velocity[0] = *normal, g->b.by_velocity[0] = v3_neg(*normal);
	g->count = 1;
}

/* How the surface's normal bends where the point goes: rows 1 to 3 get its derivatives by differences. */
static void put_bend(const cairn_scene *s, uint32_t shape, pose b, cn_goal_rows *g)
{
	v3 p = q_unrotate(b.orientation, v3_sub(g->at_a, b.position));
	for (int k = 0; k < 3; ++k) {
		v3 off = v3_scale(q_unrotate(b.orientation, axis_at(k)), CN_BEND);
		v3 change = v3_sub(normal_at(s, shape, v3_add(p, off)), normal_at(s, shape, v3_sub(p, off)));
		change = v3_scale(q_rotate(b.orientation, change), CN_HALF_ROOT / (2 * CN_BEND));
		double by[3] = {change.x, change.y, change.z};
		for (int i = 0; i < 3; ++i) {
			g->a.by_velocity[1 + i] = v3_madd(g->a.by_velocity[1 + i], axis_at(k), by[i]);
			g->b.by_velocity[1 + i] = v3_madd(g->b.by_velocity[1 + i], axis_at(k), -by[i]);
		}
	}
}

void cn_goal_look(const cairn_scene *s, const cairn_goal_def *def, const cn_goal_side side[2], bool derive,
                  cn_goal_rows *g)
{
	pose a = side[0].at, b = side[1].at;
	v3 n = q_rotate(a.orientation, side[0].normal), m;
	memset(g, 0, sizeof *g);
	g->at_a = pose_apply(a, def->point);
	if (def->kind == CAIRN_GOAL_FIXED_POINT) {
		g->at_b = def->target;
		put_points(g, v3_zero());
		return;
	}
	if (def->kind >= CAIRN_GOAL_FLOATING) {
		put_surface(s, side[1].shape, def->gap, b, g, &m);
		if (def->kind == CAIRN_GOAL_FLOATING)
			return;
		put_normals(g, n, m);
		if (derive)
			put_bend(s, side[1].shape, b, g);
		return;
	}
	m = q_rotate(b.orientation, side[1].normal);
	g->at_b = pose_apply(b, def->point_b);
	put_points(g, v3_scale(m, def->gap));
	if (def->kind == CAIRN_GOAL_ABUTTING)
		put_normals(g, n, m);
}

void cn_goal_normals(const cairn_scene *s, const cairn_goal_def *g, cn_goal_side side[2])
{
	side[0].normal = side[1].normal = v3_zero();
	if (g->kind == CAIRN_GOAL_ABUTTING || g->kind == CAIRN_GOAL_FLOATING_ABUTTING)
		side[0].normal = v3_length(g->normal) > 0 ? v3_unit(g->normal) : normal_at(s, side[0].shape, g->point);
	if (g->kind == CAIRN_GOAL_ABUTTING)
		side[1].normal = v3_length(g->normal_b) > 0 ? v3_unit(g->normal_b) : normal_at(s, side[1].shape, g->point_b);
}
