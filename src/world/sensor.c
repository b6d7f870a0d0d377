/* A sensor: who is in a place, compared with the look before. Both lists are in the world's order. */
#include "world/space.h"

struct cairn_sensor {
	const cairn_world *world;
	cairn_allocator allocator; /* the world's; a sensor may outlive it, to be destroyed */
	cairn_sensor_def def;
	cairn_body *inside, *now;
	cairn_visit *visits;
	uint32_t inside_count, visit_count;
	uint32_t inside_capacity, now_capacity, visit_capacity;
};

cairn_sensor_def cairn_default_sensor_def(void)
{
	return (cairn_sensor_def){.pose = {{0, 0, 0}, {1, 0, 0, 0}}, .query = cairn_default_query()};
}

/* As a body's: the numbers are finite, the quaternion is of length 1 but for a slip. */
static bool check_pose(cairn_pose *at, cairn_error *error)
{
	double length = q_dot(at->orientation, at->orientation);
	if (!v3_finite(at->position) || !(fabs(length - 1) <= 2e-3))
		return cn_fail(error, CAIRN_INVALID, "pose", "this is no pose; give finite numbers and a unit quaternion");
	at->orientation = q_unit(at->orientation);
	return true;
}

cairn_sensor *cairn_sensor_create(const cairn_world *w, const cairn_sensor_def *def, cairn_error *error)
{
	cairn_sensor_def d = *def;
	if (!check_pose(&d.pose, error))
		return NULL;
	if (!cn_world_may_cast(w, d.shape)) {
		cn_fail(error, CAIRN_INVALID, "shape",
		        "a sensor is a shape of the world that is neither a half-space nor a mesh, nor has such a part");
		return NULL;
	}
	cairn_sensor *s = cn_alloc(&w->allocator, 1, sizeof *s);
	if (!s) {
		cn_fail_memory(error);
		return NULL;
	}
	s->world = w, s->allocator = w->allocator, s->def = d;
	if (d.body.generation)
		s->def.query.except = d.body;
	return s;
}

void cairn_sensor_destroy(cairn_sensor *s)
{
	if (!s)
		return;
	cairn_allocator a = s->allocator;
	cn_free(&a, s->inside, s->inside_capacity, sizeof *s->inside);
	cn_free(&a, s->now, s->now_capacity, sizeof *s->now);
	cn_free(&a, s->visits, s->visit_capacity, sizeof *s->visits);
	cn_free(&a, s, 1, sizeof *s);
}

bool cairn_sensor_place(cairn_sensor *s, cairn_pose at, cairn_error *error)
{
	if (!check_pose(&at, error))
		return false;
	s->def.pose = at;
	return true;
}

static void tell(cairn_sensor *s, cairn_visit_kind kind, cairn_body body)
{
	s->visits[s->visit_count++] = (cairn_visit){kind, body};
}

/* A slot that is used again has another body: the one that was there ends first. */
static void compare(cairn_sensor *s, uint32_t count)
{
	uint32_t i = 0, k = 0;
	s->visit_count = 0;
	while (i < s->inside_count || k < count) {
		bool old = i < s->inside_count, fresh = k < count;
		if (old && fresh && s->inside[i].index == s->now[k].index && s->inside[i].generation == s->now[k].generation)
			tell(s, CAIRN_VISIT_PERSIST, s->now[k]), ++i, ++k;
		else if (!fresh || (old && s->inside[i].index <= s->now[k].index))
			tell(s, CAIRN_VISIT_END, s->inside[i++]);
		else
			tell(s, CAIRN_VISIT_BEGIN, s->now[k++]);
	}
}

bool cairn_sensor_update(cairn_sensor *s, const cairn_space *space, cairn_error *error)
{
	const cairn_allocator *a = &s->allocator;
	bool rides = s->def.body.generation != 0, there = !rides || cairn_world_has_body(s->world, s->def.body);
	cairn_cast at = {.shape = s->def.shape, .pose = s->def.pose};
	if (rides && there)
		at.pose = pose_mul(cairn_world_body_pose(s->world, s->def.body), s->def.pose);
	uint32_t count = there ? cairn_space_overlap(space, &at, &s->def.query, NULL, 0) : 0;
	if (!cn_grow(a, (void **)&s->now, &s->now_capacity, count + 1, sizeof *s->now) ||
	    !cn_grow(a, (void **)&s->visits, &s->visit_capacity, s->inside_count + count + 1, sizeof *s->visits))
		return cn_fail_memory(error);
	if (count)
		(void)cairn_space_overlap(space, &at, &s->def.query, s->now, count);
	compare(s, count);
	cairn_body *swap = s->inside;
	uint32_t capacity = s->inside_capacity;
	s->inside = s->now, s->inside_capacity = s->now_capacity, s->inside_count = count;
	s->now = swap, s->now_capacity = capacity;
	return true;
}

const cairn_visit *cairn_sensor_visits(const cairn_sensor *s, uint32_t *count)
{
	*count = s->visit_count;
	return s->visits;
}
