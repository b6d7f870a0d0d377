/* The public header: bytes become calls, with any arguments that a program can hand over without breaking C's own rules.
 * Handles may be stale or of another world, numbers may be none, infinite or tiny, counts may be wrong in a way that the
 * header speaks of, snapshots may be damaged. Every call returns, says why it failed where it fails, and after each step
 * that is done all numbers are finite. */
#include "play.h"

enum { CALLS = 240 };

/* An answer that is the same whoever asks. */
static bool every_other(void *context, const cairn_world *w, cairn_body a, cairn_body b)
{
	(void)context;
	EXPECT(cairn_world_has_body(w, a) && cairn_world_has_body(w, b));
	return (a.index + b.index) % 2 == 0;
}

static void make_world(play *p, uint32_t at)
{
	cairn_error e = {0};
	cairn_world_def d = CALL(cairn_default_world_def)();
	d.threads = below(p, 8) ? 1 : 2 + below(p, 2);
	if (below(p, 4) == 0)
		d.filter = (cairn_filter){NULL, every_other};
	if (p->recorded == p->worlds[at])
		drop_recording(p);
	drop_observers(p, at);
	CALL(cairn_world_destroy)(p->worlds[at]);
	p->worlds[at] = CALL(cairn_world_create)(p->scenes[flag(p)], &d, &e);
	says_why(p->worlds[at] != NULL, &e);
	if (p->worlds[at] && !p->recording && !NO_FILES && below(p, 4) == 0)
		record(p, p->worlds[at]); /* before inputs that a recording cannot begin after */
}

static void call_on_scene(play *p, uint32_t at)
{
	uint32_t what = below(p, 32);
	if (what < 20)
		add_to_scene(p, p->scenes[at]);
	else if (what < 24)
		look_at_scene(p, p->scenes[at]);
	else
		make_world(p, at);
}

static void call_on_world(play *p, uint32_t at)
{
	cairn_world *w = p->worlds[at];
	uint32_t what = below(p, 32);
	if (what < 7)
		step(p, w);
	else if (what < 18)
		give_input(p, w);
	else if (what < 22)
		look_at_world(p, w);
	else if (what == 22)
		ask_space(p, at);
	else if (what == 23)
		look_at_watch(p, at);
	else if (what == 24)
		look_at_sensor(p, at);
	else if (what < 26)
		take_snapshot(p, w);
	else if (what < 28)
		restore(p, w);
	else if (what == 28)
		replay(p, w, p->worlds[1 - at] ? p->worlds[1 - at] : w);
	else if (what == 29 && !NO_FILES)
		record(p, w);
	else if (what == 30)
		make_world(p, at);
	else
		look_at_scene(p, CALL(cairn_world_scene)(w));
}

static void call(play *p)
{
	uint32_t at = below(p, WORLDS), what = below(p, 32);
	p->sound = flag(p);
	++draws;
	if (what == 0)
		ask_registry(p);
	else if (what == 1)
		read_text(p);
	else if (what < 4 || !p->worlds[at])
		call_on_scene(p, at);
	else
		call_on_world(p, at);
}

/* A floor, a few bodies and a joint, so that calls meet something. The last two handles of each kind stay null. */
static void begin(play *p, cairn_scene *s, uint32_t bodies)
{
	static const cairn_shape_kind kinds[] = {CAIRN_HALFSPACE, CAIRN_BOX, CAIRN_SPHERE, CAIRN_CAPSULE};
	cairn_material_def m = cairn_default_material_def();
	cairn_material material = cairn_scene_add_material(s, &m, NULL);
	for (uint32_t i = 0; i < 4; ++i) {
		cairn_shape_def d = cairn_default_shape_def(kinds[i]);
		d.size = (cairn_vec3){1, 1, 1}, d.radius = 0.5, d.length = 0.3;
		p->shapes[i] = cairn_scene_add_shape(s, &d, NULL);
	}
	for (uint32_t i = 0; i < bodies; ++i) {
		cairn_body_def d = cairn_default_body_def();
		d.shape = p->shapes[i == 0 ? 0 : i < 4 ? 1 : 2], d.material = material;
		d.type = i == 0 ? CAIRN_FIXED : i == 3 ? CAIRN_SCRIPTED : CAIRN_DYNAMIC;
		d.pose.position = (cairn_vec3){2.0 * (i % 4), 2.0 * (i / 4), i == 0 ? 0 : 0.6};
		p->bodies[i] = cairn_scene_add_body(s, &d, NULL);
	}
	cairn_joint_def d = cairn_default_joint_def();
	d.type = CAIRN_HINGE, d.a = p->bodies[1], d.b = p->bodies[2], d.point = (cairn_vec3){3, 0, 0.6};
	cairn_joint joint = cairn_scene_add_joint(s, &d, NULL);
	for (uint32_t i = 0; i < HANDLES - 2; ++i) {
		p->shapes[i] = p->shapes[i % 4], p->materials[i] = material;
		p->bodies[i] = p->bodies[i % bodies], p->joints[i] = joint;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static play p;
	static bool begun;
	if (!begun)
		(void)atexit(tell_calls);
	begun = true;
	p = (play){.data = data, .size = size};
	/* Mostly few bodies: calls are many then, and what goes wrong is small. */
	uint32_t crowd = byte(&p), first = crowd < 200 ? 4 : 8;
	p.most = crowd < 200 ? 6 : crowd < 250 ? 16 : 60;
	for (int i = 0; i < WORLDS; ++i) {
		p.scenes[i] = CALL(cairn_scene_create)(NULL);
		EXPECT(p.scenes[i]);
		begin(&p, p.scenes[i], first);
	}
	for (int i = 0; i < CALLS && p.at < p.size; ++i)
		call(&p);
	drop_recording(&p);
	for (int i = 0; i < WORLDS; ++i) {
		drop_observers(&p, (uint32_t)i);
		CALL(cairn_world_destroy)(p.worlds[i]);
		CALL(cairn_scene_destroy)(p.scenes[i]);
	}
	free(p.snapshot);
	return 0;
}
