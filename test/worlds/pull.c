/* What pulls at a body besides gravity and contacts: fields, by the laws of docs/scene-format.md, and as much as its motors can. */
#include "watch.h"

static double square(double x) { return x * x; }

static bool inside(cairn_box box, vec p)
{
	return p.x >= box.min.x && p.x <= box.max.x && p.y >= box.min.y && p.y <= box.max.y && p.z >= box.min.z &&
	       p.z <= box.max.z;
}

static vec pull_of_field(const cairn_field_def *f, const actor *a, const cairn_key *k)
{
	vec to = vec_sub(f->point, k->position), u = vec_sub(f->velocity, k->velocity), e = a->edges;
	double area = 0.5 * (e.x * e.y + e.y * e.z + e.z * e.x);
	switch (f->kind) {
	case CAIRN_GRAVITY: return f->acceleration;
	case CAIRN_ATTRACTOR: return vec_scale(to, f->strength / pow(vec_dot(to, to) + square(f->softening), 1.5));
	case CAIRN_WIND: return vec_scale(u, 0.5 * f->air_density * f->coefficient * area * vec_length(u) / a->info.mass);
	case CAIRN_DRAG: return vec_scale(k->velocity, -f->linear / a->info.mass);
	}
	return vec_make(0, 0, 0);
}

/* A torque at the limb's own radius. */
static double drive_of(const watch *w, const actor *a)
{
	double sum = 0;
	for (uint32_t i = 0; i < cairn_scene_joint_count(w->scene); ++i) {
		cairn_joint_def d = cairn_scene_joint_at(w->scene, i);
		uint32_t at = find_actor(w, d.a);
		if (at == w->count)
			at = find_actor(w, d.b);
		if (d.motor != CAIRN_NO_MOTOR && at < w->count && w->actors[at].rig == a->rig)
			sum += fabs(d.most) / (d.type == CAIRN_HINGE ? a->info.radius : 1);
	}
	return sum / a->info.mass;
}

double pull_of(const watch *w, const actor *a, const cairn_key *k)
{
	vec sum = vec_make(0, 0, 0);
	for (uint32_t i = 0; i < cairn_scene_field_count(w->scene); ++i) {
		cairn_field_def f = cairn_scene_field_at(w->scene, i);
		if (!f.has_box || inside(f.box, k->position))
			sum = vec_add(sum, pull_of_field(&f, a, k));
	}
	return vec_length(sum) + (w->motors && !a->plain && a->touched ? drive_of(w, a) : 0);
}
