/* Calls on recordings and what is made from them. */
#include "play.h"

static const char path[] = "fuzz_interface.cairn";

static void begin(play *p, cairn_world *w)
{
	cairn_error e = {0};
	cairn_recording_def d = CALL(cairn_default_recording_def)();
	d.replace = true, d.checkpoint_every = below(p, 4);
	p->recording = CALL(cairn_recording_create)(path, w, &d, &e), p->recorded = w;
	says_why(p->recording != NULL, &e);
}

/* What was written goes on in the world that comes with it, for a step or two. */
static void go_on(play *p)
{
	cairn_error e = {0};
	cairn_world_def d = CALL(cairn_default_world_def)();
	cairn_world *w = NULL;
	d.threads = 1;
	cairn_recording *r = CALL(cairn_recording_resume)(path, &d, NULL, &w, &e);
	says_why(r != NULL, &e);
	EXPECT(!r == !w);
	for (uint32_t i = below(p, 3); r && i; --i) {
		cairn_step_report report = CALL(cairn_world_step)(w);
		if (report.status == CAIRN_STEP_OK)
			says_why(CALL(cairn_recording_append)(r, w, &report, &e), &e);
	}
	CALL(cairn_recording_close)(r);
	CALL(cairn_world_destroy)(w);
}

/* A path of the recording's own, or one that nothing can be written to. */
static void export_somewhere(play *p, cairn_recording *r)
{
	static const char *const targets[] = {
		"fuzz_interface.csv", "fuzz_interface.glb", "fuzz_interface.usda", "fuzz_interface.traj", "no.xyz",
		"no/where.csv"};
	cairn_error e = {0};
	cairn_export_def d = CALL(cairn_default_export_def)();
	uint32_t target = below(p, 6);
	d.from = below(p, 4), d.to = flag(p) ? UINT32_MAX : below(p, 5);
	bool ok = CALL(cairn_export)(r, targets[target], flag(p) ? &d : NULL, &e);
	says_why(ok, &e);
	EXPECT(!ok || target < 4);
	if (!ok || target != 3)
		return;
	cairn_trajectory *t = CALL(cairn_trajectory_read)(targets[target], NULL, NULL, &e);
	says_why(t != NULL, &e);
	EXPECT(t); /* what was exported reads */
	CALL(cairn_trajectory_free)(t);
}

static void look(play *p, cairn_recording *r)
{
	cairn_error e = {0};
	cairn_recording_info info = CALL(cairn_recording_get_info)(r);
	if (info.damaged)
		fprintf(stderr, "%s\n", info.note);
	EXPECT(!info.damaged && cairn_scene_body_count(CALL(cairn_recording_scene)(r)) <= 1000);
	if (info.bodies)
		EXPECT(CALL(cairn_recording_track)(r, byte(p) % info.bodies).info.name);
	uint32_t exempt = CALL(cairn_recording_exempt_count)(r), a = 0, b = 0;
	if (exempt)
		CALL(cairn_recording_exempt)(r, byte(p) % exempt, &a, &b);
	EXPECT(!exempt || (a < info.bodies && b < info.bodies));
	cairn_frame frame;
	says_why(CALL(cairn_recording_read)(r, byte(p), &frame, &e), &e);
}

static void certify(play *p, cairn_recording *r)
{
	cairn_error e = {0};
	cairn_certify_def c = CALL(cairn_default_certify_def)();
	cairn_certify_result result;
	c.threads = 1, c.from = below(p, 5), c.to = flag(p) ? UINT32_MAX : below(p, 5);
	says_why(CALL(cairn_recording_certify)(r, &c, &result, &e), &e);
}

static void look_back(play *p, cairn_recording *r)
{
	cairn_error e = {0};
	cairn_world_def d = CALL(cairn_default_world_def)();
	d.threads = 1;
	cairn_world *w =
		flag(p) ? CALL(cairn_recording_world)(r, &d, &e) : CALL(cairn_recording_world_at)(r, below(p, 4), &d, &e);
	says_why(w != NULL, &e);
	CALL(cairn_world_destroy)(w);
}

void record(play *p, cairn_world *w)
{
	cairn_error e = {0};
	if (!p->recording) {
		begin(p, w);
		return;
	}
	if (flag(p))
		says_why(CALL(cairn_recording_finish)(p->recording, &e), &e);
	else
		CALL(cairn_recording_close)(p->recording);
	p->recording = NULL;
	if (flag(p))
		go_on(p);
	cairn_recording *r = CALL(cairn_recording_open)(path, NULL, &e);
	says_why(r != NULL, &e);
	EXPECT(r); /* what was written opens */
	look(p, r);
	if (flag(p))
		certify(p, r);
	if (flag(p))
		look_back(p, r);
	if (flag(p))
		export_somewhere(p, r);
	CALL(cairn_recording_close)(r);
}

void drop_recording(play *p)
{
	cairn_recording_close(p->recording);
	p->recording = NULL;
}
