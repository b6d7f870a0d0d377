/* cairn run: decides what is run and where it is written, drives it and sums it up. */
#include "cost.h"
#include "drive.h"
#include "json.h"
#include "limit.h"
#include "measure.h"
#include "screen.h"
#include "source.h"
#include "stop.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

typedef struct job {
	const options *o;
	source from;
	char *file; /* the recording to write */
	drive drive;
	bool changed; /* the recording's scene, by --set or --method: nothing to compare */
	bool has_info;
	cairn_recording_info info; /* of the file in the end */
} job;

static const char *status_name(const job *j, drive_end end)
{
	switch (end) {
	case DRIVE_DONE:
		return j->drive.differs                                          ? "different"
		       : j->o->strict_scripts && j->drive.summary.late_count > 0 ? "late"
		                                                                 : "done";
	case DRIVE_STOPPED:
		return stop_asked() == STATUS_TIME         ? "timeout"
		       : stop_asked() == STATUS_TERMINATED ? "terminated"
		                                           : "interrupted";
	case DRIVE_FAILED: return "failed";
	case DRIVE_UNWRITTEN: return "unwritten";
	}
	return "";
}

/* scene is the world's, or the recording's where nothing had to be run. */
static void sum_up(job *j, const cairn_scene *scene, drive_end end, double wall)
{
	const drive *d = &j->drive;
	cairn_settings settings = cairn_scene_settings(scene);
	char certify[32] = "";
	cairn_scene_option(scene, "certify", certify, sizeof certify);
	outcome out = {.scene = *settings.name ? settings.name : j->from.stem,
	               .file = j->file,
	               .method = settings.method,
	               .certify = certify,
	               .threads = d->world ? cairn_world_threads(d->world) : 0,
	               .total = d->total,
	               .fps = settings.fps,
	               .wall = wall,
	               .status = status_name(j, end),
	               .message = d->message[0] ? d->message : NULL,
	               .compared = d->compare ? j->from.argument : NULL,
	               .compared_first = d->compared_first,
	               .compared_last = d->compared_last,
	               .source_last = d->source_last,
	               .differs = d->differs,
	               .first_difference = d->first_difference};
	if (d->world)
		out.energy_unit = measure_energy_unit(d->world, d->summary.energy.kinetic_start);
	out.memory = limits_peak();
	out.has_info = j->has_info;
	out.info = j->info;
	if (j->o->json)
		summary_print_json(&d->summary, &out, stdout);
	else if (!j->o->quiet)
		summary_print(&d->summary, &out, stdout);
}

static cairn_world_def world_def(const options *o)
{
	cairn_world_def def = {.allocator = limits_allocator()};
	if (o->threads.given)
		def.threads = o->threads.value;
	return def;
}

static int check_usage(const job *j)
{
	const options *o = j->o;
	if (o->resume && j->from.kind != SOURCE_RECORDING)
		return say_and(STATUS_USAGE,
		               "--resume goes on with a recording, and '%s' is a scene; such as cairn run %s.cairn --resume",
		               j->from.argument, j->from.stem);
	if (o->resume && (o->output || o->force))
		return say_and(STATUS_USAGE, "--resume goes on with %s itself; leave out %s", j->from.argument,
		               o->output ? "-o" : "--force");
	if (o->resume && (o->method || o->sets.count))
		return say_and(STATUS_USAGE, "--resume cannot change the scene; leave out %s, or run without --resume",
		               o->method ? "--method" : "--set (--frames says how far to go)");
	if (o->output && cairn_export_format_of(o->output))
		return say_and(STATUS_USAGE,
		               "run writes a recording (.cairn), not %s; cairn export makes that from the recording",
		               o->output);
	return STATUS_DONE;
}

static int check_output(const job *j)
{
	if (j->from.kind != SOURCE_BUNDLED && file_is_same(j->file, j->from.argument))
		return say_and(STATUS_USAGE, "%s is what is being run and cannot be written over; give another -o", j->file);
	if (!j->o->force && file_exists(j->file))
		return say_and(STATUS_FILE, "%s exists; --force replaces it, -o FILE writes another", j->file);
	return STATUS_DONE;
}

static int fail_world(const job *j, cairn_error *error)
{
	if (error->code == CAIRN_USAGE && !j->o->method)
		error->code = CAIRN_INVALID;
	source_blame(&j->from, error);
	return say_error(error);
}

static int prepare_scene(job *j)
{
	cairn_error error;
	int result;
	cairn_scene *scene = source_read(&j->from, j->o, &result, &error);
	if (!scene) {
		say_error(&error);
		return result;
	}
	if (cost_check(scene) != STATUS_DONE) {
		cairn_scene_destroy(scene);
		return STATUS_FAILED;
	}
	cairn_world_def def = world_def(j->o);
	j->drive.world = cairn_world_create(scene, &def, &error);
	j->drive.total = cairn_scene_settings(scene).frames;
	cairn_scene_destroy(scene);
	return j->drive.world ? STATUS_DONE : fail_world(j, &error);
}

/* Whether --method or a --set other than frames changes what the recording's scene does. */
static bool changes_scene(const options *o)
{
	for (size_t i = 0; i < o->sets.count; ++i)
		if (strncmp(o->sets.items[i], "frames=", 7) != 0)
			return true;
	return o->method != NULL;
}

static bool asks_frames(const options *o)
{
	bool asks = o->frames.given;
	for (size_t i = 0; i < o->sets.count; ++i)
		asks |= strncmp(o->sets.items[i], "frames=", 7) == 0;
	return asks;
}

static int check_replay(const job *j, const cairn_recording_info *info)
{
	if (info->note[0])
		say("%s: %s", j->from.argument, info->note);
	if (info->damaged && j->drive.total > info->last_frame)
		return say_and(STATUS_FILE, "what was given to it after frame %u is lost; --frames %u runs what is whole",
		               info->last_frame, info->last_frame);
	if (j->drive.total < info->first_frame)
		return say_and(STATUS_USAGE, "%s begins at frame %u; give a larger --frames", j->from.argument,
		               info->first_frame);
	for (size_t i = 0; i < j->o->sets.count; ++i)
		if (strncmp(j->o->sets.items[i], "seed=", 5) == 0)
			return say_and(STATUS_USAGE,
			               "what %s drew from its seed is drawn already; run its scene file with --set %s",
			               j->from.argument, j->o->sets.items[i]);
	if (j->changed && info->first_frame > 0)
		return say_and(STATUS_USAGE, "%s begins at frame %u, in the middle of its scene, which can then not be changed",
		               j->from.argument, info->first_frame);
	return STATUS_DONE;
}

/* The scene as the recording began: inputs may have added to the one that a reader sees. */
static cairn_scene *first_scene(cairn_recording *recording, cairn_error *error)
{
	cairn_world_def def = {.allocator = limits_allocator(), .threads = 1};
	cairn_world *world = cairn_recording_world(recording, &def, error);
	cairn_scene *scene = world ? cairn_scene_copy(cairn_world_scene(world)) : NULL;
	if (world && !scene) {
		error->code = CAIRN_MEMORY;
		snprintf(error->message, sizeof error->message, "out of memory");
	}
	cairn_world_destroy(world);
	return scene;
}

static int prepare_replay(job *j)
{
	cairn_error error = {0};
	int result;
	drive *d = &j->drive;
	d->source = source_open(j->from.argument, &result);
	if (!d->source)
		return result;
	cairn_recording_info info = cairn_recording_get_info(d->source);
	cairn_scene *scene = first_scene(d->source, &error);
	if (!scene)
		return say_error(&error);
	result = source_change(scene, j->o, false, &error);
	if (result != STATUS_DONE) {
		say_error(&error);
		cairn_scene_destroy(scene);
		return result;
	}
	j->changed = changes_scene(j->o);
	d->compare = !j->changed;
	d->source_last = info.last_frame;
	uint32_t asked = cairn_scene_settings(scene).frames, least = asked > info.last_frame ? asked : info.last_frame;
	d->total = j->changed || asks_frames(j->o) ? asked : info.complete ? info.last_frame : least;
	result = check_replay(j, &info);
	if (result == STATUS_DONE) {
		cairn_world_def def = world_def(j->o);
		d->world =
			j->changed ? cairn_world_create(scene, &def, &error) : cairn_recording_world(d->source, &def, &error);
		result = d->world ? STATUS_DONE : fail_world(j, &error);
	}
	cairn_scene_destroy(scene);
	return result;
}

/* -1: there are frames to add, or the end is not marked yet; else the exit status. */
static int check_resume(job *j, const cairn_recording *old)
{
	cairn_recording_info info = cairn_recording_get_info(old);
	const cairn_scene *scene = cairn_recording_scene(old);
	const char *path = j->from.argument;
	uint32_t asked = cairn_scene_settings(scene).frames;
	uint32_t total = j->o->frames.given ? j->o->frames.value : asked > info.last_frame ? asked : info.last_frame;
	j->drive.total = total;
	if (info.note[0])
		say("%s: %s", path, info.note);
	if (j->o->frames.given && total < info.last_frame)
		return say_and(STATUS_USAGE, "%s has frame %u already; --frames must be at least that", path, info.last_frame);
	if (!info.complete && !info.damaged && !j->o->frames.given && info.last_frame >= asked)
		return say_and(STATUS_USAGE, "%s is beyond the %u frames of its scene; --frames N says how far to go on", path,
		               asked);
	if (!info.complete || info.damaged || total > info.last_frame)
		return -1;
	if (!j->o->quiet)
		say("%s is complete with frame %u; --frames N goes on beyond it", path, info.last_frame);
	j->info = info, j->has_info = true;
	sum_up(j, scene, DRIVE_DONE, 0);
	return STATUS_DONE;
}

static int prepare_resume(job *j)
{
	cairn_error error = {0};
	int result;
	cairn_recording *old = source_open(j->from.argument, &result);
	if (!old)
		return result;
	result = check_resume(j, old);
	cairn_recording_close(old);
	if (result >= 0)
		return result;
	cairn_world_def def = world_def(j->o);
	cairn_recording_def how = cairn_default_recording_def();
	how.allocator = limits_allocator();
	j->drive.output = cairn_recording_resume(j->from.argument, &def, &how, &j->drive.world, &error);
	return j->drive.output ? -1 : say_error(&error);
}

/* Makes the world and opens the recording. -1: go on; else the exit status. */
static int prepare(job *j)
{
	cairn_error error = {0};
	int result = check_usage(j);
	if (result != STATUS_DONE)
		return result;
	if (j->o->resume) {
		j->file = text_format("%s", j->from.argument);
		return prepare_resume(j);
	}
	bool again = j->from.kind == SOURCE_RECORDING;
	j->file =
		j->o->output ? text_format("%s", j->o->output) : text_format("%s%s.cairn", j->from.stem, again ? "-again" : "");
	result =
		again ? prepare_replay(j) : prepare_scene(j); /* what is wrong with the scene comes before what is in the way */
	if (result == STATUS_DONE)
		result = check_output(j);
	if (result != STATUS_DONE)
		return result;
	cairn_recording_def def = cairn_default_recording_def();
	def.allocator = limits_allocator();
	def.replace = j->o->force;
	j->drive.output = cairn_recording_create(j->file, j->drive.world, &def, &error);
	return j->drive.output ? -1 : say_error(&error);
}

/* Says how it ended, where that was not as asked, and returns the exit status. */
static int say_end(job *j, drive_end end)
{
	drive *d = &j->drive;
	uint32_t frame = cairn_world_frame(d->world);
	switch (end) {
	case DRIVE_STOPPED: {
		char *name = text_shell(j->file);
		char more[32] = "";
		if (d->total != cairn_scene_settings(cairn_world_scene(d->world)).frames)
			snprintf(more, sizeof more, " --frames %u", d->total);
		say("%s at frame %u of %u; %s is valid up to there, cairn run %s --resume%s goes on", status_name(j, end),
		    frame, d->total, j->file, name, more);
		free(name);
		return (int)stop_asked();
	}
	case DRIVE_FAILED:
		say("%s", d->message);
		say("%s holds the frames up to %u", j->file, frame);
		return STATUS_FAILED;
	case DRIVE_UNWRITTEN: say("%s", d->message); return STATUS_FILE;
	case DRIVE_DONE: break;
	}
	if (!d->differs && j->o->strict_scripts && d->summary.late_count > 0) {
		const late_sum *first = d->summary.late;
		snprintf(d->message, sizeof d->message, "script '%.80s' had to wait from frame %u on, %.3g s at most",
		         first->name ? first->name : "?", first->first, first->lag.value);
		return say_and(STATUS_FAILED, "%s; %s is valid", d->message, j->file);
	}
	if (!d->differs)
		return STATUS_DONE;
	snprintf(d->message, sizeof d->message, "the bits differ from those of %s from frame %u on", j->from.argument,
	         d->first_difference);
	return say_and(STATUS_FAILED, "%s; was it made by another version of cairn?", d->message);
}

static int run(job *j)
{
	cairn_error error = {0};
	drive *d = &j->drive;
	progress shown;
	double begun = clock_seconds();
	progress_begin(&shown, j->o->quiet ? PROGRESS_NONE : (progress_mode)j->o->progress, j->from.stem,
	               cairn_world_frame(d->world), d->total);
	d->progress = &shown;
	drive_end end = drive_run(d);
	progress_end(&shown);
	j->info = cairn_recording_get_info(d->output);
	if (end != DRIVE_DONE) {
		cairn_recording_close(d->output);
	} else if (!cairn_recording_finish(d->output, &error)) {
		cairn_error_print(&error, d->message, sizeof d->message);
		end = DRIVE_UNWRITTEN;
	}
	d->output = NULL;
	j->has_info = file_exists(j->file) && !file_is_special(j->file);
	j->info.complete = end == DRIVE_DONE;
	j->info.size = file_size(j->file);
	if (end == DRIVE_DONE && !file_exists(j->file)) {
		snprintf(d->message, sizeof d->message, "%s was taken away while it was written", j->file);
		end = DRIVE_UNWRITTEN;
	}
	double wall = clock_seconds() - begun;
	int result = say_end(j, end);
	sum_up(j, cairn_world_scene(d->world), end, wall);
	summary_free(&d->summary);
	return result;
}

/* Scripts that asked for JSON get some, also when nothing could be run. */
static void print_refusal(const job *j, int result)
{
	json out = json_begin(stdout, true);
	json_text(&out, "scene", j->o->operands[0]);
	json_text(&out, "status", "refused");
	json_count(&out, "code", (uint64_t)result);
	json_text(&out, "message", last_said());
	json_end(&out);
}

static int cmd_run(const options *o)
{
	job j = {.o = o};
	stop_listen(); /* before files are read: that may take a while */
	summary_begin(&j.drive.summary, NULL);
	int result = source_find(&j.from, o->operands[0]);
	if (result == STATUS_DONE)
		result = prepare(&j);
	if (result == -1)
		result = run(&j);
	else if (result != STATUS_DONE && o->json)
		print_refusal(&j, result);
	cairn_recording_close(j.drive.output);
	cairn_recording_close(j.drive.source);
	cairn_world_destroy(j.drive.world);
	free(j.file);
	return result;
}

static const text_pair examples[] = {
	{"cairn run tumble", "simulate a bundled scene into tumble.cairn"},
	{"cairn run my/scene.json -o a.cairn", "simulate your own scene file"},
	{"cairn run tumble --frames 60 --set gravity=0,0,-1.6", "a short run on the moon"},
	{"cairn run tumble.cairn --resume", "go on with an interrupted run"},
	{"cairn run tumble.cairn", "run it again, inputs included, and compare the bits"},
	{NULL, NULL},
};

static const text_pair fields[] = {
	{"scene", "name of the scene"},
	{"file", "the recording that was written"},
	{"method", "what it was simulated with"},
	{"threads", "how many it ran on"},
	{"status",
     "done, interrupted, terminated, timeout (--time), failed (the simulation), unwritten (the recording), different "
     "(the bits, "
     "from a recording run again) or late (a script, with --strict-scripts); refused if it could not begin: then only "
     "code and message stand beside it"},
	{"code", "exit status of a run that could not begin"},
	{"message", "what went wrong; null if nothing"},
	{"stop",
     "why the last step was refused: touch, spin, not finite, memory, overlap or uncertified; null if none was"},
	{"stop_pair", "names of the bodies at which; null if there are none"},
	{"frames", "number of the last frame recorded (frame 0 is the start)"},
	{"frames_run", "steps taken now; means, sums and shares below are over these"},
	{"complete", "whether the recording reached the frames asked for"},
	{"fps", "frames a second"},
	{"bodies", "bodies that were ever there"},
	{"moving, asleep", "dynamic and scripted bodies at the end, sleepers included, and how many of them sleep"},
	{"frozen, frozen_mean", "sleepers at the end that are frozen by themselves; frozen bodies a frame (option freeze)"},
	{"emitted", "bodies that appeared during the run"},
	{"close_pairs_mean, close_pairs_max", "pairs with rows in the position program, a frame"},
	{"collisions, collisions_mean",
     "contact points that approached faster than the restitution threshold, in all; a frame"},
	{"contacts_mean, contacts_max", "contact points solved, a frame; those among sleeping bodies are left out"},
	{"extra_keys", "keys inside frames, in all"},
	{"programs_mean, passes_mean", "programs solved a frame, and how many of them were passes of the position program"},
	{"text_fallbacks", "islands that the text's own programs could not solve and left to the default, in all "
                       "(momentum, forces); with methods that "
                       "promise nothing series of impulses or of flights that a limit cut short or that grew, and "
                       "guesses that were wrong"},
	{"guesses, second_guesses",
     "islands whose vanishing contacts the text's guess had right at once, and at the second, in all (vanishing)"},
	{"taken_back, taken_back_share", "passes taken back, in all; as a part of all passes, 0 to 1"},
	{"worst_gap", "the smallest gap between two bodies at the end of a frame, m; null if nothing came near anything"},
	{"worst_gap_frame, worst_gap_pair", "where that was: the frame and the names of the two bodies"},
	{"joints, broken", "joints of the scene; those that broke"},
	{"joint_error, joint_error_frame",
     "the most that a joint was off at the end of a frame, m; where; null without joints"},
	{"late",
     "scripts that had to wait, each with script (its name), first_frame, last_frame, frames (how many), lag (s, the "
     "most) and lag_frame"},
	{"tiers",
     "what each tier did, in all: fast, cut, halve and hold in bodies, restore and axis in rounds (docs/summary.md)"},
	{"tier_frames", "in how many frames each tier was needed"},
	{"held, held_share", "bodies put back by the last tier, summed over the frames; as a part of all movable bodies"},
	{"held_frames, held_frames_share", "frames with held bodies; as a part of all frames"},
	{"steps_mean, steps_max", "steps that frames took inside, where contacts change (option steps): the mean and the "
                              "most; null without contact"},
	{"debt, debt_frame, debt_body", "the furthest that a body was from where its velocities and the impulses of a "
                                    "frame lead it, beyond the gap that is "
                                    "kept, m; where and whose; null without contact (docs/oba.md)"},
	{"debt_mean, debtors_share", "m: the mean over all moving bodies of all frames; the part of these that owe more "
                                 "than 2 % of their motion, 0 to 1"},
	{"certificate",
     "mode (full, keys, off or measure), verdict (clean, overlap, passage, unchecked or measured), frames that were "
     "checked, pairs looked "
     "at "
     "closely, intervals proved, overlaps, passages, min_gap and rounding_bound in m, ms a frame, and its share of the "
     "time of the steps"},
	{"energy_start, energy_end", "kinetic and potential energy, J"},
	{"energy",
     "the ledger, J: kinetic and potential at the end; in all, put in by events, by fields and by position (keeping "
     "bodies apart), made by drift (turning), brought by joints (motors, and following them on curves), lost by "
     "damping, in "
     "impacts, by friction and dropped (at rest or held)"},
	{"energy_unit", "J: the moving mass x gravity x the largest body size; without gravity the initial kinetic energy"},
	{"energy_rise, energy_rise_frame", "the most that the energy rose from one frame to the next without a cause (an "
                                       "event, a script, a field, a motor), in units; "
                                       "where"},
	{"energy_climb", "the same over any stretch of frames, in units"},
	{"energy_residue, energy_residue_frame", "the most that the ledger of a frame does not explain, in units; where"},
	{"lift, lift_frame, lift_body", "the most that keeping bodies apart raised height + v^2/2g of a single one, as a "
                                    "part of its size; where and whose"},
	{"ms_mean, ms_p95, ms_max", "milliseconds a step"},
	{"ms_write", "milliseconds a frame for the recording, mean"},
	{"stages", "milliseconds a step by stage, mean"},
	{"wall_s", "seconds in all"},
	{"hash", "chained over all frames of the recording: 16 hexadecimal digits, the same on every machine"},
	{"size_bytes", "of the recording"},
	{"memory_bytes", "the most that the scene, the world and the recording took at once; --memory bounds it"},
	{"same_as", "the recording that was run again with the same bits; null if none was compared"},
	{"compared_frames", "how many frames were compared with that recording; null if none"},
	{"first_difference", "the first frame with other bits than that recording; null if there is none"},
	{NULL, NULL},
};

static const option_spec own[] = {
	{"output", 'o', "FILE", OPTION_TEXT, WORDS_FILE, OPTION_FIELD(output),
     "the recording to write (default: the scene's name with .cairn, in this folder; for a recording its name with "
     "-again.cairn)"},
	{"resume", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(resume),
     "go on with the recording to the end of its scene, or to --frames"},
	{"strict-scripts", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(strict_scripts),
     "exit status 1 if a scripted body had to wait for what was in its way; the recording stands"},
	{0},
};

const command_spec command_run = {
	"run",
	cmd_run,
	"SCENE|REC",
	WORDS_SOURCE,
	1,
	1,
	"simulate a scene into a recording",
	"Simulates SCENE and writes a recording (.cairn), which stays readable at every moment: a run that is interrupted "
	"or killed leaves a file that is whole up to its last frame. A summary goes to stdout, progress to stderr.\nGiven "
	"a recording instead, runs its scene again with its recorded inputs into a new file and says whether the bits are "
	"the same; with --set or --method it runs the changed scene and compares nothing. With --resume it goes on with "
	"that very file.",
	examples,
	fields,
	own,
	"output force resume strict-scripts frames threads method set trust memory time progress json quiet"};
