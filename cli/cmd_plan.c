/* cairn plan: finds the motion that a scene's plan asks for and writes it: as a clip, or as a scene that plays it. */
#define _POSIX_C_SOURCE 200809L
#include "json.h"
#include "limit.h"
#include "message.h"
#include "source.h"
#include "whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct planned {
	cairn_scene *scene;
	uint32_t number;
	cairn_clip *clip;
} planned;

typedef enum play { PLAY_CLIP, PLAY_TORQUES, PLAY_SERVO } play;
static const char *const plays[] = {"clip", "torques", "servo"};

/* ---- the clip */

static void put_numbers(json *j, const char *key, const double *x, uint32_t count, uint32_t stride)
{
	json_open(j, key, '[');
	for (uint32_t i = 0; i < count; ++i)
		json_number(j, NULL, x[(size_t)i * stride]);
	json_close(j, ']');
}

static void put_pose(json *j, cairn_pose p)
{
	const double x[3] = {p.position.x, p.position.y, p.position.z};
	const double q[4] = {p.orientation.w, p.orientation.x, p.orientation.y, p.orientation.z};
	put_numbers(j, "position", x, 3, 1);
	put_numbers(j, "orientation", q, 4, 1);
}

static const char *joint_name(const planned *p, uint32_t k)
{
	return cairn_scene_joint_at(p->scene, p->clip->joints[k].index).name;
}

static void put_joints(json *j, const planned *p)
{
	const cairn_clip *c = p->clip;
	json_open(j, "joints", '[');
	for (uint32_t k = 0; k < c->joint_count; ++k) {
		json_open(j, NULL, '{');
		json_text(j, "joint", joint_name(p, k));
		put_numbers(j, "values", c->values + k, c->samples + 1, c->joint_count);
		put_numbers(j, "torques", c->torques + k, c->samples + 1, c->joint_count);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Keys of a body, as those of a script: "keys": [{"time": t, "position": ..., "orientation": ...}, ...]. */
static void put_keys(json *j, const cairn_clip *c, uint32_t k)
{
	json_open(j, "keys", '[');
	for (uint32_t i = 0; i <= c->samples; ++i) {
		json_open(j, NULL, '{');
		json_number(j, "time", i * c->step);
		put_pose(j, c->poses[(size_t)i * c->body_count + k]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_bodies(json *j, const planned *p)
{
	json_open(j, "bodies", '[');
	for (uint32_t k = 0; k < p->clip->body_count; ++k) {
		json_open(j, NULL, '{');
		json_text(j, "body", cairn_scene_body_at(p->scene, p->clip->bodies[k].index).name);
		put_keys(j, p->clip, k);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_found(json *j, const cairn_clip *c)
{
	json_bool(j, "met", c->met);
	json_text(j, "worst", c->worst[0] ? c->worst : NULL);
	json_number(j, "cost", c->cost);
	json_number(j, "residual", c->residual);
	json_number(j, "violation", c->violation);
	json_number(j, "grip", c->grip);
	json_count(j, "steps", c->steps);
	json_count(j, "unknowns", c->unknowns);
	json_count(j, "samples", c->samples);
	json_number(j, "step", c->step);
}

static char *clip_text(const planned *p)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	json j = json_begin(out, true);
	json_text(&j, "clip", cairn_scene_settings(p->scene).name);
	put_found(&j, p->clip);
	put_joints(&j, p);
	put_bodies(&j, p);
	json_end(&j);
	fclose(out);
	return text;
}

/* ---- a scene that plays it */

/* A value between samples: at a time, s; the last one stays. */
static double value_at(const cairn_clip *c, const double *x, uint32_t k, double time)
{
	double at = time / c->step;
	uint32_t i = at >= c->samples ? c->samples - 1 : (uint32_t)at;
	double t = fmin(at - i, 1);
	return x[(size_t)i * c->joint_count + k] * (1 - t) + x[(size_t)(i + 1) * c->joint_count + k] * t;
}

/* The mean of the plan's torque over a frame that begins at t. */
static double mean_torque(const cairn_clip *c, uint32_t k, double t, double h)
{
	enum { PIECES = 8 };
	double sum = 0;
	for (int i = 0; i < PIECES; ++i)
		sum += value_at(c, c->torques, k, t + (i + 0.5) * h / PIECES) / PIECES;
	return sum;
}

#define HOLD_STIFFNESS 10000.0 /* N m/rad or N/m, of servos where the scene's joint has none of its own */
#define HOLD_DAMPING 100.0

/* A servo goes where the plan is at the frame's end, and its target is as much further as gives the plan's torque there. */
static void put_servo(json *j, const planned *p, uint32_t k, double t, double h)
{
	const cairn_clip *c = p->clip;
	cairn_joint_def d = cairn_scene_joint_at(p->scene, c->joints[k].index);
	bool own = d.motor == CAIRN_MOTOR_SERVO && d.stiffness > 0;
	double stiffness = own ? d.stiffness : HOLD_STIFFNESS, at = value_at(c, c->values, k, t + h);
	json_number(j, "target", at + mean_torque(c, k, t, h) / stiffness);
	json_number(j, "speed", (at - value_at(c, c->values, k, t)) / h);
	json_number(j, "stiffness", stiffness);
	json_number(j, "damping", own ? d.damping : HOLD_DAMPING);
}

static void put_drive(json *j, const planned *p, uint32_t k, uint32_t frame, play as)
{
	const cairn_clip *c = p->clip;
	double h = 1 / cairn_scene_settings(p->scene).fps, t = frame * h;
	bool hinge = cairn_scene_joint_at(p->scene, c->joints[k].index).type == CAIRN_HINGE;
	json_open(j, "motor", '{');
	if (as == PLAY_TORQUES)
		json_number(j, hinge ? "torque" : "force", mean_torque(c, k, t, h));
	else
		put_servo(j, p, k, t, h);
	json_close(j, '}');
}

/* "events": [...], the member that plays the clip. */
static char *events_text(const planned *p, play as)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	const cairn_clip *c = p->clip;
	uint32_t frames = (uint32_t)ceil(c->samples * c->step * cairn_scene_settings(p->scene).fps - 1e-9);
	json j = json_begin(out, false);
	json_open(&j, "events", '[');
	for (uint32_t frame = 0; frame < frames; ++frame)
		for (uint32_t k = 0; k < c->joint_count; ++k) {
			json_open(&j, NULL, '{');
			json_count(&j, "frame", frame);
			json_open(&j, "drive", '{');
			json_text(&j, "joint", joint_name(p, k));
			put_drive(&j, p, k, frame, as);
			json_close(&j, '}');
			json_close(&j, '}');
		}
	json_close(&j, ']');
	json_end(&j);
	fclose(out);
	text[strlen(text) - 2] = 0;
	memmove(text, text + 1, strlen(text));
	return text;
}

static int write_play(const planned *p, const source *from, const options *o, play as)
{
	size_t size;
	char *own = from->file ? text_format("%.*s", (int)from->file->size, (const char *)from->file->data)
	                       : whole_read(from->argument, &size);
	if (!own)
		return STATUS_FILE;
	if (whole_has_member(own, "events"))
		say("%s: its own events are left out; the plan's take their place", from->argument);
	char *events = events_text(p, as), *text = whole_with_member(own, strlen(own), "events", events);
	int result = whole_write(o->output, text, strlen(text));
	free(own);
	free(events);
	free(text);
	return result;
}

static int write_file(const planned *p, const source *from, const options *o, play as)
{
	if (as != PLAY_CLIP)
		return write_play(p, from, o, as);
	char *text = clip_text(p);
	int result = whole_write(o->output, text, strlen(text));
	free(text);
	return result;
}

/* ---- the command */

static void print_found(const planned *p, const source *from)
{
	const cairn_clip *c = p->clip;
	static const char *const units[] = {"N^2 m^2 s", "W^2 s", "rad^2/s^3"};
	print_tame(stdout, "%s: plans[%u], %s\n", from->argument, p->number, c->met ? "found" : "not found");
	print_tame(stdout, "  %u samples of %.4g s, %u bodies, %u joints; %u unknowns and equations, %u steps\n",
	           c->samples, c->step, c->body_count, c->joint_count, c->unknowns, c->steps);
	print_tame(stdout, "  cost %.10g %s; physics to %.1e, keys and holds to %.1e\n", c->cost,
	           units[cairn_scene_plan_at(p->scene, p->number).objective], c->residual, c->violation);
	if (c->grip > 0)
		print_tame(stdout, "  feet pull, slip or tip by %.3g of the weight somewhere: a world will not follow there\n",
		           c->grip);
}

static int finish(planned *p, const source *from, const options *o, play as)
{
	if (!o->json && !o->quiet)
		print_found(p, from);
	if (!p->clip->met)
		return say_and(
			STATUS_FAILED,
			"%s: plans[%u] asks for what cannot be, or no way there was found: %s is missed by %.3g; nothing was "
			"written",
			from->argument, p->number, p->clip->worst, fmax(p->clip->violation, p->clip->residual));
	int result = write_file(p, from, o, as);
	if (result != STATUS_DONE)
		return result;
	if (o->json) {
		json j = json_begin(stdout, true);
		put_found(&j, p->clip);
		json_text(&j, "file", o->output);
		json_end(&j);
	} else if (!o->quiet) {
		print_tame(stdout, "%s: %s\n", o->output, as == PLAY_CLIP ? "the clip" : "a scene that plays it");
	}
	return STATUS_DONE;
}

static int find(planned *p, const source *from, const options *o, play as)
{
	cairn_error error = {0};
	if (p->number >= cairn_scene_plan_count(p->scene))
		return say_and(STATUS_SCENE, "%s: there is no plans[%u]; give some under \"plans\"", from->argument, p->number);
	p->clip = cairn_scene_plan(p->scene, p->number, NULL, &error);
	if (!p->clip) {
		source_blame(from, &error);
		return say_error(&error);
	}
	return finish(p, from, o, as);
}

static int cmd_plan(const options *o)
{
	source from;
	cairn_error error = {0};
	planned p = {.number = o->frame.given ? o->frame.value : 0};
	play as = PLAY_CLIP;
	int result = source_find(&from, o->operands[0]);
	if (result != STATUS_DONE)
		return result;
	if (from.kind == SOURCE_RECORDING)
		return say_and(STATUS_USAGE, "%s is a recording, not a scene", from.argument);
	while (o->play && strcmp(plays[as], o->play) != 0 && as < PLAY_SERVO)
		++as;
	if (o->play && strcmp(plays[as], o->play) != 0)
		return say_and(STATUS_USAGE, "--as cannot be '%.40s'; it is clip, torques or servo", o->play);
	if (!o->output)
		return say_and(STATUS_USAGE, "plan needs -o FILE, such as -o %s-clip.json", from.stem);
	result = whole_check(o->output, o->force);
	if (result != STATUS_DONE)
		return result;
	p.scene = source_read(&from, o, &result, &error);
	result = p.scene ? find(&p, &from, o, as) : (say_error(&error), result);
	if (p.scene)
		cairn_clip_destroy(p.scene, p.clip);
	cairn_scene_destroy(p.scene);
	return result;
}

static const text_pair examples[] = {
	{"cairn plan lamp -o clip.json", "the motion of the bundled scene's plan, with torques"},
	{"cairn plan lamp -o hop.json --as torques", "a scene in which the lamp's motors give these torques"},
	{"cairn run hop.json", "and what becomes of it"},
	{NULL, NULL},
};

static const text_pair fields[] = {
	{"met, worst", "whether all that was asked for holds; if not, what is missed most"},
	{"cost", "what the objective came to"},
	{"residual, violation, grip",
     "the most by which physics (by the figure's weight), keys and holds (m, rad) and feet (by weight) are missed"},
	{"steps, unknowns, samples, step", "how large it was, and what it took; s between samples"},
	{"file", "what was written"},
	{NULL, NULL},
};

static const option_spec own[] = {
	{"output", 'o', "FILE", OPTION_TEXT, WORDS_FILE, OPTION_FIELD(output), "the clip or scene to write"},
	{"as", 0, "WHAT", OPTION_TEXT, WORDS_NONE, OPTION_FIELD(play),
     "write a clip (default), or the scene with the plan as torques of its motors, or as targets of servos"},
	{"plan", 0, "N", OPTION_COUNT, WORDS_NONE, OPTION_FIELD(frame),
     "which of the scene's plans (default: the first, 0)"},
	{0},
};

const command_spec command_plan = {
	"plan",
	cmd_plan,
	"SCENE",
	WORDS_SCENE,
	1,
	1,
	"find the motion that a scene's plan asks for",
	"Finds how a figure of SCENE can move past the keys of its plan, held where its feet stand, by its own torques and "
	"with "
	"as little of them as will do, and writes that to FILE. Nothing is written where no such motion was found; what is "
	"missed most is said, with exit status 1.",
	examples,
	fields,
	own,
	"output as plan force trust memory json quiet"};
