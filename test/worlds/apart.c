/* A check of overlap by sampling: bodies are put where their keys say at some times of the frame, shrunk by a little more
 * than rounding, and asked whether they share a point (the algorithm of Gilbert, Johnson and Keerthi). It knows shapes
 * by their definition alone. */
#include "worlds.h"

enum { PART_MOST = 16, SAMPLES = 4, ROUNDS = 64 };

static const double shrunk = 1 - 1e-6; /* of the size: an overlap less deep is not looked for */

typedef struct frame {
	vec x;
	cairn_quat q;
} frame;

/* A convex part of a body, in its place. */
typedef struct solid {
	cairn_shape_def def;
	frame at;
	const cairn_vec3 *corners[3]; /* a triangle of a mesh */
} solid;

typedef struct solids {
	solid list[PART_MOST];
	uint32_t count;
	bool known; /* all of the body is in the list */
} solids;

static vec cross(vec a, vec b) { return vec_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }

static vec turn(cairn_quat q, vec v)
{
	vec u = vec_make(q.x, q.y, q.z), t = vec_scale(cross(u, v), 2);
	return vec_add(vec_madd(v, t, q.w), cross(u, t));
}

static cairn_quat product(cairn_quat p, cairn_quat q)
{
	return (cairn_quat){p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
	                    p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}

static cairn_quat inverse(cairn_quat q) { return (cairn_quat){q.w, -q.x, -q.y, -q.z}; }

static frame within(frame outer, frame inner)
{
	return (frame){vec_add(outer.x, turn(outer.q, inner.x)), product(outer.q, inner.q)};
}

static double sign(double x, double of) { return x < 0 ? -of : of; }

static vec furthest_point(const cairn_vec3 *points, uint32_t count, vec n)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < count; ++i)
		if (vec_dot(points[i], n) > vec_dot(points[best], n))
			best = i;
	return points[best];
}

/* The point furthest along n, in the shape's own frame. */
static vec furthest(const cairn_shape_def *d, vec n)
{
	double length = vec_length(n), across = sqrt(n.x * n.x + n.y * n.y), half = 0.5 * d->length;
	switch (d->kind) {
	case CAIRN_SPHERE: return vec_scale(n, d->radius / length);
	case CAIRN_BOX: return vec_make(sign(n.x, 0.5 * d->size.x), sign(n.y, 0.5 * d->size.y), sign(n.z, 0.5 * d->size.z));
	case CAIRN_CAPSULE: return vec_madd(vec_make(0, 0, sign(n.z, half)), n, d->radius / length);
	case CAIRN_CYLINDER:
		return vec_make(across > 0 ? d->radius * n.x / across : 0, across > 0 ? d->radius * n.y / across : 0,
		                sign(n.z, half));
	default: return furthest_point(d->points, d->point_count, n);
	}
}

static vec middle_of(const cairn_shape_def *d)
{
	vec sum = vec_make(0, 0, 0);
	if (d->kind != CAIRN_HULL)
		return sum;
	for (uint32_t i = 0; i < d->point_count; ++i)
		sum = vec_madd(sum, d->points[i], 1.0 / d->point_count);
	return sum;
}

static vec support(const solid *s, vec n)
{
	if (s->corners[0]) {
		const cairn_vec3 corners[3] = {*s->corners[0], *s->corners[1], *s->corners[2]};
		vec local = turn(inverse(s->at.q), n);
		return vec_add(s->at.x, turn(s->at.q, furthest_point(corners, 3, local)));
	}
	vec local = furthest(&s->def, turn(inverse(s->at.q), n)), middle = middle_of(&s->def);
	return vec_add(s->at.x, turn(s->at.q, vec_madd(middle, vec_sub(local, middle), shrunk)));
}

/* ---- the simplex: its last point is the newest. Each case keeps what is nearest to the origin and looks from there. */

typedef struct simplex {
	vec p[4];
	int count;
} simplex;

static vec off_line(vec ab, vec ao) { return cross(cross(ab, ao), ab); }

static vec on_line(simplex *s)
{
	vec a = s->p[1], ao = vec_scale(a, -1), ab = vec_sub(s->p[0], a);
	if (vec_dot(ab, ao) > 0)
		return off_line(ab, ao);
	s->p[0] = a, s->count = 1;
	return ao;
}

static vec on_triangle(simplex *s)
{
	vec a = s->p[2], b = s->p[1], c = s->p[0], ao = vec_scale(a, -1), ab = vec_sub(b, a), ac = vec_sub(c, a);
	vec n = cross(ab, ac);
	if (vec_dot(cross(n, ac), ao) > 0 && vec_dot(ac, ao) > 0) {
		*s = (simplex){{c, a}, 2};
		return off_line(ac, ao);
	}
	if (vec_dot(cross(n, ac), ao) > 0 || vec_dot(cross(ab, n), ao) > 0) {
		*s = (simplex){{b, a}, 2};
		return on_line(s);
	}
	if (vec_dot(n, ao) > 0)
		return n;
	*s = (simplex){{b, c, a}, 3};
	return vec_scale(n, -1);
}

/* True: the origin is inside. */
static bool on_tetrahedron(simplex *s, vec *n)
{
	vec a = s->p[3], ao = vec_scale(a, -1);
	static const int faces[3][2] = {{2, 1}, {1, 0}, {0, 2}}; /* with a: counter-clockwise from outside */
	for (int i = 0; i < 3; ++i) {
		vec b = s->p[faces[i][0]], c = s->p[faces[i][1]], out = cross(vec_sub(b, a), vec_sub(c, a));
		vec rest = vec_sub(s->p[3 - faces[i][0] - faces[i][1]], a);
		if (vec_dot(out, rest) > 0)
			out = vec_scale(out, -1);
		if (vec_dot(out, ao) > 0) {
			*s = (simplex){{c, b, a}, 3};
			*n = on_triangle(s);
			return false;
		}
	}
	return true;
}

static bool share_point(const solid *a, const solid *b)
{
	vec n = vec_sub(b->at.x, a->at.x);
	if (!(vec_length(n) > 0))
		n = vec_make(1, 0, 0);
	simplex s = {{vec_sub(support(a, n), support(b, vec_scale(n, -1)))}, 1};
	n = vec_scale(s.p[0], -1);
	for (int round = 0; round < ROUNDS; ++round) {
		if (!(vec_length(n) > 0))
			return false; /* on the surface: it is shrunk, so the bodies may only just overlap */
		vec p = vec_sub(support(a, n), support(b, vec_scale(n, -1)));
		if (vec_dot(p, n) < 0)
			return false;
		s.p[s.count++] = p;
		if (s.count == 2)
			n = on_line(&s);
		else if (s.count == 3)
			n = on_triangle(&s);
		else if (on_tetrahedron(&s, &n))
			return true;
	}
	return false;
}

static bool reaches_plane(const solid *s, const solid *plane)
{
	vec n = turn(plane->at.q, plane->def.normal);
	return vec_dot(n, vec_sub(support(s, vec_scale(n, -1)), plane->at.x)) < plane->def.offset;
}

/* The triangles of a fixed mesh, against one part. */
static bool meets_mesh(const solid *s, const solid *mesh)
{
	for (uint32_t i = 0; i < mesh->def.triangle_count; ++i) {
		solid t = *mesh;
		for (int k = 0; k < 3; ++k)
			t.corners[k] = &mesh->def.points[mesh->def.triangles[3 * i + (uint32_t)k]];
		if (share_point(s, &t))
			return true;
	}
	return false;
}

static bool is_mesh(const solid *s) { return s->def.kind == CAIRN_MESH || s->def.kind == CAIRN_HEIGHTFIELD; }

static bool solids_meet(const solid *a, const solid *b)
{
	if (a->def.kind == CAIRN_HALFSPACE || b->def.kind == CAIRN_HALFSPACE) {
		const solid *plane = a->def.kind == CAIRN_HALFSPACE ? a : b, *other = plane == a ? b : a;
		return other->def.kind != CAIRN_HALFSPACE && !is_mesh(other) && reaches_plane(other, plane);
	}
	if (is_mesh(a) || is_mesh(b))
		return is_mesh(a) != is_mesh(b) && meets_mesh(is_mesh(a) ? b : a, is_mesh(a) ? a : b);
	return share_point(a, b);
}

/* ---- bodies */

static cairn_quat turned_by(vec turn_vector, double share)
{
	double angle = vec_length(turn_vector), half = 0.5 * angle * share, s = angle > 0 ? sin(half) / angle : 0;
	return (cairn_quat){cos(half), s * turn_vector.x, s * turn_vector.y, s * turn_vector.z};
}

/* A body's frame at a time of the last frame. */
static frame pose_at(const cairn_world *w, cairn_body body, const cairn_key *start, double time)
{
	cairn_key keys[66];
	keys[0] = *start;
	uint32_t count = 1 + cairn_world_body_keys(w, body, keys + 1, 65), i = 1;
	while (i + 1 < count && keys[i].time < time)
		++i;
	const cairn_key *from = &keys[i - 1], *to = &keys[i];
	double span = to->time - from->time, share = span > 0 ? fmin(fmax((time - from->time) / span, 0), 1) : 1;
	vec center = cairn_world_body_info(w, body).center;
	frame at = {vec_madd(from->position, vec_sub(to->position, from->position), share),
	            product(turned_by(to->turn, share), from->orientation)};
	at.x = vec_sub(at.x, turn(at.q, center));
	return at;
}

static void list_solids(const cairn_world *w, cairn_body body, frame at, solids *out)
{
	const cairn_scene *scene = cairn_world_scene(w);
	cairn_shape_def d = cairn_scene_shape_at(scene, cairn_world_body_info(w, body).shape.index);
	out->count = 0, out->known = true;
	if (d.kind != CAIRN_COMPOUND) {
		out->list[out->count++] = (solid){.def = d, .at = at};
		return;
	}
	out->known = d.part_count <= PART_MOST;
	for (uint32_t i = 0; i < d.part_count && out->known; ++i) {
		frame part = {d.parts[i].pose.position, d.parts[i].pose.orientation};
		out->list[out->count++] =
			(solid){.def = cairn_scene_shape_at(scene, d.parts[i].shape.index), .at = within(at, part)};
	}
}

bool bodies_overlap(const cairn_world *world, const cairn_body bodies[2], const cairn_key starts[2])
{
	double end = cairn_world_time(world), begin = starts[0].time;
	for (int i = 1; i <= SAMPLES; ++i) {
		double time = begin + (end - begin) * i / SAMPLES;
		solids s[2];
		for (int k = 0; k < 2; ++k)
			list_solids(world, bodies[k], pose_at(world, bodies[k], &starts[k], time), &s[k]);
		if (!s[0].known || !s[1].known)
			return false;
		for (uint32_t p = 0; p < s[0].count; ++p)
			for (uint32_t q = 0; q < s[1].count; ++q)
				if (solids_meet(&s[0].list[p], &s[1].list[q]))
					return true;
	}
	return false;
}
