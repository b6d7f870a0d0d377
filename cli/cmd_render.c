/* cairn render: pictures and films of a recording. */
#include "message.h"
#include "moments.h"
#include "progress.h"
#include "render.h"
#include "render_sink.h"
#include "source.h"
#include "stop.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLOW_MOST = 1000, FPS_MOST = 1000 };

typedef struct job {
	const options *o;
	source from;
	cairn_recording *recording;
	cairn_recording_info info;
	sink_def out;
	render_def look;
	uint32_t first, last, slow; /* frames; pictures for each */
} job;

/* count numbers with commas between them; the rest of the text, or NULL. */
static const char *read_numbers(const char *text, double *numbers, int count)
{
	for (int i = 0; i < count; ++i) {
		char *end;
		numbers[i] = strtod(text, &end);
		if (end == text || !isfinite(numbers[i]) || (i + 1 < count && *end != ','))
			return NULL;
		text = i + 1 < count ? end + 1 : end;
	}
	return text;
}

static int read_camera(const char *text, render_def *look)
{
	static const double FOV = 0.8, PI = 3.14159265358979;
	double eye[3], target[3], fov = FOV;
	if (!strcmp(text, "fit")) {
		look->fits = true;
		return STATUS_DONE;
	}
	const char *at = read_numbers(text, eye, 3);
	at = at && *at == ':' ? read_numbers(at + 1, target, 3) : NULL;
	if (at && *at == ':')
		at = read_numbers(at + 1, &fov, 1);
	if (!at || *at)
		return say_and(STATUS_USAGE,
		               "--camera cannot be '%.80s'; give fit, EYE:TARGET or EYE:TARGET:FOV, such as "
		               "8,-12,6:0,0,1 or 8,-12,6:0,0,1:0.8",
		               text);
	if (!(fov > 0.001 && fov < PI - 0.001))
		return say_and(STATUS_USAGE, "--camera: an angle of view of %g rad; give one between 0 and %g, such as %g", fov,
		               PI, FOV);
	if (eye[0] == target[0] && eye[1] == target[1] && eye[2] == target[2])
		return say_and(STATUS_USAGE, "--camera looks at the place where it is; give two different ones");
	look->has_camera = true;
	look->position = (cairn_vec3){eye[0], eye[1], eye[2]};
	look->target = (cairn_vec3){target[0], target[1], target[2]};
	look->fov = fov;
	return STATUS_DONE;
}

static int read_light(const char *text, render_def *look)
{
	double way[3];
	const char *at = read_numbers(text, way, 3);
	if (!at || *at || (way[0] == 0 && way[1] == 0 && way[2] == 0))
		return say_and(STATUS_USAGE, "--light cannot be '%.80s'; give the way the light travels, such as 1,2,-3", text);
	look->has_light = true;
	look->light = (cairn_vec3){way[0], way[1], way[2]};
	return STATUS_DONE;
}

static int read_size(const char *text, render_def *look)
{
	char *end;
	unsigned long width = strtoul(text, &end, 10), height = *end == 'x' ? strtoul(end + 1, &end, 10) : 0;
	if (*text < '0' || *text > '9' || *end || width < RENDER_SIZE_LEAST || width > RENDER_SIZE_MOST ||
	    height < RENDER_SIZE_LEAST || height > RENDER_SIZE_MOST)
		return say_and(STATUS_USAGE, "--size cannot be '%.40s'; give pixels from %d to %d both ways, such as 1280x720",
		               text, RENDER_SIZE_LEAST, RENDER_SIZE_MOST);
	look->width = (uint32_t)width;
	look->height = (uint32_t)height;
	return STATUS_DONE;
}

/* A number of pictures, or of pictures a second. */
static int check_count(const char *name, const option_count *count, uint32_t most)
{
	if (count->given && (count->value < 1 || count->value > most))
		return say_and(STATUS_USAGE, "--%s cannot be %u; give a whole number from 1 to %u", name, count->value, most);
	return STATUS_DONE;
}

static int check_usage(job *j)
{
	const options *o = j->o;
	cairn_error error;
	int result;
	if (j->from.kind != SOURCE_RECORDING)
		return say_and(STATUS_USAGE, "render takes a recording, and '%s' is a scene; cairn run %s makes one",
		               j->from.argument, j->from.argument);
	if (!o->output)
		return say_and(STATUS_USAGE,
		               "render needs -o FILE: a picture, such as -o %s.png, pictures, such as -o %s-%%04d.png, or a "
		               "film, such as -o %s.mp4",
		               j->from.stem, j->from.stem, j->from.stem);
	j->out.path = o->output;
	if (!sink_kind_of(o->output, &j->out.kind, &error))
		return say_error(&error);
	if (file_is_same(o->output, j->from.argument))
		return say_and(STATUS_USAGE, "%s is the recording itself; give another -o", o->output);
	if (file_is_special(o->output))
		return say_and(STATUS_FILE, "%s is not a regular file and is not replaced", o->output);
	if (j->out.kind == SINK_PICTURE && (o->from.given || o->to.given || o->slow.given))
		return say_and(STATUS_USAGE,
		               "%s is one picture, of --frame N; for many give a number, such as -o %s-%%04d.png, or a film",
		               o->output, j->from.stem);
	if (j->out.kind != SINK_PICTURE && (o->frame.given || o->midway))
		return say_and(STATUS_USAGE, "--%s is for one picture; give --from and --to for many",
		               o->midway ? "midway" : "frame");
	if (o->frame.given && o->midway)
		return say_and(STATUS_USAGE, "--frame and --midway contradict each other");
	if (j->out.kind != SINK_FILM && o->fps.given)
		return say_and(STATUS_USAGE, "--fps is for a film (.mp4)");
	result = check_count("slow", &o->slow, SLOW_MOST);
	return result == STATUS_DONE ? check_count("fps", &o->fps, FPS_MOST) : result;
}

static int choose_look(job *j)
{
	const options *o = j->o;
	int result = STATUS_DONE;
	j->look = render_default_def(j->recording);
	j->look.contacts = o->contacts;
	j->look.planes = o->planes;
	j->look.wireframe = o->wireframe;
	j->look.no_glass = o->no_glass;
	j->look.sleeping = o->sleeping;
	j->look.follow = o->follow;
	if (o->size)
		result = read_size(o->size, &j->look);
	if (o->camera && result == STATUS_DONE)
		result = read_camera(o->camera, &j->look);
	if (o->light && result == STATUS_DONE)
		result = read_light(o->light, &j->look);
	if (j->out.kind == SINK_FILM && result == STATUS_DONE && (j->look.width % 2 || j->look.height % 2))
		return say_and(STATUS_USAGE, "a film has an even number of pixels both ways, not %ux%u", j->look.width,
		               j->look.height);
	bool fine = o->quality ? o->quality == 2 : j->out.kind == SINK_PICTURE;
	j->look.quality = fine ? RENDER_FINE : RENDER_FAST;
	return result;
}

/* The frame of a single picture. */
static int choose_frame(const job *j, uint32_t *frame)
{
	cairn_error error = {0};
	moments m;
	*frame = j->o->frame.given ? j->o->frame.value : j->info.last_frame;
	if (!j->o->midway)
		return STATUS_DONE;
	if (!moments_read(&m, j->recording, j->info.first_frame, j->info.last_frame, &error))
		return say_error(&error);
	*frame = moments_at(&m, 0.5);
	moments_free(&m);
	return STATUS_DONE;
}

static int choose_frames(job *j)
{
	const options *o = j->o;
	int result = source_range(o, &j->info, &j->first, &j->last);
	if (result != STATUS_DONE)
		return result;
	if (j->out.kind == SINK_PICTURE) {
		uint32_t frame;
		result = choose_frame(j, &frame);
		if (result != STATUS_DONE)
			return result;
		if (frame < j->info.first_frame || frame > j->info.last_frame)
			return say_and(STATUS_USAGE, "--frame %u is out of range; the recording has frames %u to %u", frame,
			               j->info.first_frame, j->info.last_frame);
		j->first = j->last = j->look.frame = frame;
		j->look.single = true;
	} else {
		j->look.from = j->first;
		j->look.to = j->last;
	}
	j->slow = o->slow.given ? o->slow.value : 1;
	j->out.width = j->look.width;
	j->out.height = j->look.height;
	j->out.fps = o->fps.given ? o->fps.value : cairn_scene_settings(cairn_recording_scene(j->recording)).fps;
	return STATUS_DONE;
}

/* Pictures of the first frame, then slow of them up to and with each later one. */
static uint32_t count_pictures(const job *j) { return (j->last - j->first) * j->slow + 1; }

/* Picture i: part of slow of the way to a frame. */
static bool begin_picture(const job *j, renderer *r, uint32_t i, cairn_error *error)
{
	uint32_t frame = (i + j->slow - 1) / j->slow, part = i == 0 ? j->slow : i - (frame - 1) * j->slow;
	return render_begin(r, j->first + frame, (double)part / j->slow, error);
}

static bool draw_all(const job *j, renderer *r, sink *out, progress *shown, cairn_error *error)
{
	uint32_t count = count_pictures(j);
	if (!begin_picture(j, r, 0, error))
		return false;
	for (uint32_t i = 0; i < count; ++i) {
		if (!render_wait(r, error))
			return false;
		bool more = i + 1 == count || begin_picture(j, r, i + 1, error);
		render_finish(r, sink_room(out));
		if (!sink_put(out, j->slow == 1 ? j->first + i : i) || stop_asked() != STATUS_DONE || !more)
			return false;
		progress_frame(shown, i + 1, NULL);
	}
	return true;
}

static int draw(const job *j, renderer *r)
{
	cairn_error error = {0}, closing = {0};
	progress shown;
	sink *out = sink_open(&j->out, &error);
	if (!out)
		return say_error(&error);
	progress_begin(&shown, j->o->quiet ? PROGRESS_NONE : (progress_mode)j->o->progress, j->from.stem, 0,
	               count_pictures(j));
	stop_listen();
	bool drawn = draw_all(j, r, out, &shown, &error);
	bool written = sink_close(out, drawn, &closing);
	progress_end(&shown);
	if (stop_asked() != STATUS_DONE && !(drawn && written))
		return say_and(stop_asked(), "stopped; %s was not finished", j->o->output);
	if (!written)
		return say_error(&closing);
	return drawn ? STATUS_DONE : say_error(&error);
}

static void print_done(const job *j)
{
	char size[32];
	char *first = sink_path(&j->out, j->slow == 1 ? j->first : 0);
	char *last = sink_path(&j->out, j->slow == 1 ? j->last : count_pictures(j) - 1);
	text_size(file_size(first), size);
	if (j->out.kind == SINK_PICTURE)
		print_tame(stdout, "%s: frame %u, %ux%u, %s\n", first, j->first, j->out.width, j->out.height, size);
	else if (j->out.kind == SINK_FILM)
		print_tame(stdout, "%s: frames %u to %u, %u pictures of %ux%u, %g a second, %s\n", first, j->first, j->last,
		           count_pictures(j), j->out.width, j->out.height, j->out.fps, size);
	else
		print_tame(stdout, "%s to %s: frames %u to %u, %u pictures of %ux%u\n", first, last, j->first, j->last,
		           count_pictures(j), j->out.width, j->out.height);
	free(first);
	free(last);
}

static int run(job *j)
{
	cairn_error error = {0};
	if (j->info.note[0])
		say("%s: %s", j->from.argument, j->info.note);
	int result = choose_look(j);
	if (result == STATUS_DONE)
		result = choose_frames(j);
	if (result != STATUS_DONE)
		return result;
	renderer *r = render_open(j->recording, &j->look, &error);
	if (!r)
		return say_error(&error);
	result = draw(j, r);
	render_close(r);
	if (result == STATUS_DONE && !j->o->quiet)
		print_done(j);
	return result == STATUS_DONE && j->info.damaged ? STATUS_FILE : result;
}

static int cmd_render(const options *o)
{
	job j = {.o = o};
	int result = source_find(&j.from, o->operands[0]);
	if (result == STATUS_DONE)
		result = check_usage(&j);
	if (result != STATUS_DONE)
		return result;
	j.recording = source_open(j.from.argument, &result);
	if (!j.recording)
		return result;
	j.info = cairn_recording_get_info(j.recording);
	result = run(&j);
	cairn_recording_close(j.recording);
	return result;
}

static const text_pair examples[] = {
	{"cairn render wall.cairn -o wall.png", "a picture of the last frame"},
	{"cairn render wall.cairn -o wall.mp4", "a film of all frames, where there is ffmpeg"},
	{"cairn render wall.cairn -o frames/%04d.png --from 300 --to 420", "a picture of each of these frames"},
	{"cairn render wall.cairn -o slow.mp4 --from 300 --to 360 --slow 4", "four pictures a frame"},
	{"cairn render stack.cairn -o c.png --frame 90 --contacts --camera 6,-9,4:0,0,2", "what holds what, from near by"},
	{NULL, NULL},
};

static const option_spec own[] = {
	{"output", 'o', "FILE", OPTION_TEXT, WORDS_FILE, OPTION_FIELD(output),
     "a picture (.png), many of them (a name with a number, such as frames/%04d.png) or a film (.mp4)"},
	{"frame", 0, "N", OPTION_COUNT, WORDS_NONE, OPTION_FIELD(frame),
     "the frame of a picture (default: the last there is)"},
	{"midway", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(midway),
     "a picture of the frame by which half of all motion has happened"},
	{"size", 0, "WxH", OPTION_TEXT, WORDS_NONE, OPTION_FIELD(size), "pixels (default: 1280x720)"},
	{"camera", 0, "EYE:TARGET[:FOV]", OPTION_TEXT, WORDS_NONE, OPTION_FIELD(camera),
     "where to look from and at, m, such as 8,-12,6:0,0,1, and the vertical angle of view in rad; fit: from where all "
     "that "
     "moves fills the picture (default: the scene's own camera; else fit)"},
	{"follow", 0, "BODY", OPTION_TEXT, WORDS_NONE, OPTION_FIELD(follow),
     "move the camera along with this body: the one of --camera, else one from near it"},
	{"light", 0, "X,Y,Z", OPTION_TEXT, WORDS_NONE, OPTION_FIELD(light),
     "the way the sun's light travels, such as 1,2,-3 (default: the scene's own)"},
	{"contacts", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(contacts),
     "show contact points with normals and impulses; runs the recording again for them"},
	{"planes", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(planes),
     "show the planes between bodies in contact; runs the recording again for them"},
	{"wireframe", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(wireframe), "show edges only"},
	{"no-glass", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(no_glass),
     "fixed bodies stay solid also where they stand in front; endless walls are not shown"},
	{"sleeping", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(sleeping), "tint bodies that sleep"},
	{"slow", 0, "N", OPTION_COUNT, WORDS_NONE, OPTION_FIELD(slow),
     "N pictures a frame: slow motion, with the poses between frames as they were (default: 1)"},
	{"fps", 0, "N", OPTION_COUNT, WORDS_NONE, OPTION_FIELD(fps),
     "pictures a second of a film (default: the scene's frames a second)"},
	{"quality", 0, "MODE", OPTION_CHOICE, WORDS_QUALITY, OPTION_FIELD(quality),
     "fast, fine (ten times slower), or auto: fine for one picture, fast for many"},
	{0},
};

const command_spec command_render = {
	"render",
	cmd_render,
	"REC",
	WORDS_RECORDING,
	1,
	1,
	"draw pictures or a film of a recording",
	"Draws frames of REC into a picture, pictures or a film, with or without a screen or a graphics card: it needs "
	"OpenGL 3.3 through EGL, which is looked for when it runs, and for a film ffmpeg. Without --camera the scene's own "
	"is taken, or else one that has all that moves in view; fixed bodies that stand in front become glass. Files are "
	"written beside their place and moved there when whole; older ones are replaced (docs/render.md).",
	examples,
	NULL,
	own,
	"output frame midway from to size camera follow light contacts planes wireframe no-glass sleeping slow fps quality "
	"memory "
	"time "
	"progress "
	"quiet"};
