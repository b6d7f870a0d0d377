/* Observers of worlds: spaces that are asked, watches that tell what touches. They may be of another frame, or of a world that
 * was restored since. */
#include "play.h"

#include <math.h>

void drop_observers(play *p, uint32_t at)
{
	CALL(cairn_space_destroy)(p->spaces[at]);
	CALL(cairn_watch_destroy)(p->watches[at]);
	CALL(cairn_sensor_destroy)(p->sensors[at]);
	p->spaces[at] = NULL, p->watches[at] = NULL, p->sensors[at] = NULL;
}

/* Touches since the last look, whatever happened to the world in between. */
void look_at_watch(play *p, uint32_t at)
{
	cairn_error e = {0};
	if (!p->watches[at])
		p->watches[at] = CALL(cairn_watch_create)(p->worlds[at], &e);
	EXPECT(p->watches[at] && CALL(cairn_watch_update)(p->watches[at], &e));
	uint32_t touches, contacts;
	const cairn_touch *t = CALL(cairn_watch_touches)(p->watches[at], &touches);
	(void)CALL(cairn_watch_contacts)(p->watches[at], &contacts);
	for (uint32_t i = 0; i < touches; ++i) {
		EXPECT(t[i].a.index < t[i].b.index && t[i].first + t[i].point_count <= contacts);
		EXPECT(isfinite(t[i].impulse.x + t[i].impulse.y + t[i].impulse.z + t[i].point.x + t[i].point.y + t[i].point.z));
		EXPECT(t[i].kind == CAIRN_TOUCH_END || cairn_world_has_body(p->worlds[at], t[i].a));
	}
}

/* Who came and went, as a space has it that may be of an earlier frame. */
void look_at_sensor(play *p, uint32_t at)
{
	cairn_error e = {0};
	if (!p->spaces[at])
		p->spaces[at] = CALL(cairn_space_create)(p->worlds[at], &e);
	if (!p->sensors[at]) {
		cairn_sensor_def d = CALL(cairn_default_sensor_def)();
		d.shape = PICK(p, p->shapes), d.pose = pose(p);
		if (flag(p))
			d.body = PICK(p, p->bodies), d.query.mask = byte(p);
		p->sensors[at] = CALL(cairn_sensor_create)(p->worlds[at], &d, &e);
		says_why(p->sensors[at] != NULL, &e);
	} else if (flag(p))
		says_why(CALL(cairn_sensor_place)(p->sensors[at], pose(p), &e), &e);
	if (!p->sensors[at])
		return;
	EXPECT(CALL(cairn_sensor_update)(p->sensors[at], p->spaces[at], &e));
	uint32_t count;
	const cairn_visit *v = CALL(cairn_sensor_visits)(p->sensors[at], &count);
	for (uint32_t i = 0; i < count; ++i)
		EXPECT(v[i].body.generation && (i == 0 || v[i - 1].body.index <= v[i].body.index));
}

void look_at_marks(play *p, const cairn_world *w)
{
	cairn_marks_def d = CALL(cairn_default_marks_def)();
	cairn_mark marks[8];
	if (flag(p))
		d.kinds = byte(p), d.length = number(p), d.seconds = number(p);
	uint32_t room = below(p, 9), count = CALL(cairn_world_marks)(w, flag(p) ? &d : NULL, marks, room);
	for (uint32_t i = 0; i < room && i < count; ++i)
		EXPECT((unsigned)marks[i].kind < CAIRN_MARK_KINDS);
}

static void check_hit(const cairn_hit *hit)
{
	EXPECT(hit->share >= 0 && hit->share <= 1 && hit->body.generation > 0);
	EXPECT(isfinite(hit->point.x + hit->point.y + hit->point.z));
	EXPECT(isfinite(hit->normal.x + hit->normal.y + hit->normal.z));
}

void ask_space(play *p, uint32_t at)
{
	cairn_error e = {0};
	if (!p->spaces[at])
		p->spaces[at] = CALL(cairn_space_create)(p->worlds[at], &e);
	else if (flag(p))
		EXPECT(CALL(cairn_space_update)(p->spaces[at], &e));
	const cairn_space *s = p->spaces[at];
	EXPECT(s);
	cairn_query q = CALL(cairn_default_query)();
	if (flag(p))
		q.group = byte(p), q.mask = byte(p), q.except = PICK(p, p->bodies);
	const cairn_query *query = flag(p) ? &q : NULL;
	cairn_ray rays[3];
	for (int i = 0; i < 3; ++i) {
		cairn_vec3 from = vector(p), way = vector(p);
		rays[i] = (cairn_ray){from, way};
	}
	cairn_shape shape = PICK(p, p->shapes);
	cairn_pose from = pose(p);
	cairn_vec3 way = vector(p), low = vector(p), high = vector(p);
	cairn_cast cast = {shape, from, way};
	cairn_hit hit, hits[3];
	cairn_body bodies[4];
	bool met = CALL(cairn_space_ray)(s, rays[0], query, &hit);
	EXPECT((CALL(cairn_space_ray_all)(s, rays[0], query, hits, below(p, 4)) > 0) == met);
	EXPECT(CALL(cairn_space_rays)(s, rays, 3, query, hits) <= 3 && (hits[0].body.generation > 0) == met);
	if (met)
		check_hit(&hit);
	met = CALL(cairn_space_cast)(s, &cast, query, &hit);
	EXPECT((CALL(cairn_space_cast_all)(s, &cast, query, hits, below(p, 4)) > 0) == met);
	if (met)
		check_hit(&hit);
	(void)CALL(cairn_space_overlap)(s, &cast, query, bodies, below(p, 5));
	(void)CALL(cairn_space_box)(s, (cairn_box){low, high}, query, bodies, below(p, 5));
}
