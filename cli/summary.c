/* Adds up a run.
 *
 * Energy that rises without a cause: of a step's change of kinetic and potential energy, what events and fields brought
 * is taken away, and where there are motors what joints did; all the rest counts. The residue is what is left when every account of the ledger is taken away. */
#include "summary.h"
#include "measure.h"
#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_scripted(const cairn_scene *scene, cairn_body body)
{
	return body.generation && cairn_scene_body_at(scene, body.index).type == CAIRN_SCRIPTED;
}

/* A joint that brings energy: by a motor, or because a script moves one of its bodies. */
static bool is_driven(const cairn_scene *scene, uint32_t joint)
{
	cairn_joint_def d = cairn_scene_joint_at(scene, joint);
	return d.motor != CAIRN_NO_MOTOR || is_scripted(scene, d.a) || is_scripted(scene, d.b);
}

void summary_begin_recorded(summary *s, const cairn_scene *scene, double kinetic, double potential)
{
	*s = (summary){.gap.value = INFINITY, .certificate.min_gap = INFINITY};
	s->joints = scene ? cairn_scene_joint_count(scene) : 0;
	for (uint32_t i = 0; i < s->joints; ++i)
		s->energy.driven |= is_driven(scene, i);
	for (uint32_t i = 0; scene && i < cairn_scene_event_count(scene); ++i)
		s->energy.driven |= cairn_scene_event_at(scene, i).kind == CAIRN_DRIVE;
	s->energy.kinetic_start = kinetic;
	s->energy.start = s->energy.end = kinetic + potential;
}

void summary_begin(summary *s, const cairn_world *world)
{
	double kinetic = 0, potential = 0;
	if (world)
		measure_energy(world, &kinetic, &potential);
	summary_begin_recorded(s, world ? cairn_world_scene(world) : NULL, kinetic, potential);
}

/* Who knows the bodies' names: a world, or a recording at a frame. */
typedef struct namer {
	const cairn_world *world;
	const cairn_recording *recording;
	uint32_t frame;
} namer;

static bool find_body(const namer *from, cairn_body body, cairn_body_info *info)
{
	if (from->world) {
		bool there = cairn_world_has_body(from->world, body);
		if (there)
			*info = cairn_world_body_info(from->world, body);
		return there;
	}
	for (uint32_t i = cairn_recording_get_info(from->recording).bodies; i-- > 0;) {
		cairn_track track = cairn_recording_track(from->recording, i);
		*info = track.info;
		if (track.body.index == body.index && track.body.generation == body.generation)
			return track.first_frame <= from->frame;
	}
	return false;
}

static char *body_name(const namer *from, cairn_body body)
{
	cairn_body_info info;
	if (!body.generation || !find_body(from, body, &info))
		return NULL;
	return *info.name ? text_format("%s", info.name) : text_format("#%u", info.serial);
}

static void replace_names(char *names[2], const namer *from, cairn_body a, cairn_body b)
{
	free(names[0]);
	free(names[1]);
	names[0] = body_name(from, a);
	names[1] = body_name(from, b);
}

static void note_most(extreme *e, double value, uint32_t frame)
{
	if (value > e->value)
		*e = (extreme){.value = value, .frame = frame};
}

static void add_energy(energy_sum *sum, const cairn_step_report *report)
{
	const cairn_energy *e = &report->energy;
	double end = e->kinetic + e->potential, motors = sum->driven ? e->joints : 0;
	double uncaused = end - sum->end - e->events - e->fields - motors;
	double rest =
		uncaused + e->damping + e->impacts + e->friction - e->position + e->dropped - e->drift - (e->joints - motors);
	cairn_energy *a = &sum->accounts;
	*a = (cairn_energy){.kinetic = e->kinetic,
	                    .potential = e->potential,
	                    .events = a->events + e->events,
	                    .fields = a->fields + e->fields,
	                    .damping = a->damping + e->damping,
	                    .impacts = a->impacts + e->impacts,
	                    .friction = a->friction + e->friction,
	                    .position = a->position + e->position,
	                    .dropped = a->dropped + e->dropped,
	                    .drift = a->drift + e->drift,
	                    .joints = a->joints + e->joints};
	sum->end = end;
	sum->uncaused += uncaused;
	sum->least = fmin(sum->least, sum->uncaused);
	sum->climb = fmax(sum->climb, sum->uncaused - sum->least);
	note_most(&sum->rise, uncaused, report->frame);
	note_most(&sum->residue, fabs(rest), report->frame);
}

static void add_stages(summary *s, const cairn_step_report *report)
{
	for (uint32_t i = 0; i < report->stage_count; ++i) {
		uint32_t at = 0;
		while (at < s->stage_count && strcmp(s->stages[at].name, report->stage_names[i]) != 0)
			++at;
		if (at == CAIRN_MAX_STAGES)
			continue;
		if (at == s->stage_count)
			s->stages[s->stage_count++].name = report->stage_names[i];
		s->stages[at].ms += report->stage_ms[i];
	}
}

static void add_counts(summary *s, const cairn_step_report *report)
{
	s->bodies = report->bodies;
	s->moving = report->moving;
	s->asleep = report->asleep;
	s->frozen = report->frozen;
	s->frozen_frames += report->frozen;
	s->text_fallbacks += report->text_fallbacks;
	s->guesses += report->guesses, s->second_guesses += report->second_guesses;
	s->body_frames += report->moving;
	s->emitted += report->emitted;
	s->close_pairs += report->close_pairs;
	s->collisions += report->collisions;
	s->contacts += report->contacts;
	s->extra_keys += report->extra_keys;
	s->passes += report->passes;
	s->programs += report->programs;
	s->taken_back += report->taken_back;
	for (int i = 0; i < CAIRN_TIER_COUNT; ++i) {
		s->tiers[i] += report->tiers[i];
		s->tier_frames[i] += report->tiers[i] > 0;
	}
	if (report->close_pairs > s->close_pairs_max)
		s->close_pairs_max = report->close_pairs;
	if (report->contacts > s->contacts_max)
		s->contacts_max = report->contacts;
}

static void add_certificate(summary *s, const cairn_certificate *c)
{
	cairn_certificate *sum = &s->certificate;
	if (c->verdict == CAIRN_UNCHECKED)
		return;
	++s->certified;
	sum->verdict = c->verdict > sum->verdict ? c->verdict : sum->verdict;
	sum->pairs += c->pairs;
	sum->intervals += c->intervals;
	sum->overlaps += c->overlaps;
	sum->passages += c->passages;
	sum->min_gap = fmin(sum->min_gap, c->min_gap);
	sum->rounding_bound = fmax(sum->rounding_bound, c->rounding_bound);
}

static void add_depth(summary *s, const namer *from, const cairn_step_report *report)
{
	s->measured += report->measured;
	if (report->depth > s->depth.value) {
		s->depth.value = report->depth;
		s->depth.frame = report->frame;
		replace_names(s->depth.names, from, report->deep_a, report->deep_b);
	}
}

static late_sum *find_late(summary *s, const namer *from, cairn_body body, uint32_t frame)
{
	for (uint32_t i = 0; i < s->late_count; ++i)
		if (s->late[i].body.index == body.index && s->late[i].body.generation == body.generation)
			return &s->late[i];
	s->late = memory_resize(s->late, (s->late_count + 1) * sizeof s->late[0]);
	late_sum *one = &s->late[s->late_count++];
	*one = (late_sum){.body = body, .name = body_name(from, body), .first = frame};
	return one;
}

static void add_late(summary *s, const namer *from, const cairn_step_report *report)
{
	for (uint32_t i = 0; i < report->late && i < CAIRN_MAX_LATE; ++i) {
		late_sum *one = find_late(s, from, report->scripts[i].body, report->frame);
		one->last = report->frame;
		++one->frames;
		note_most(&one->lag, report->scripts[i].lag, report->frame);
	}
}

static void add_debt(debt_sum *d, const namer *from, const cairn_step_report *report)
{
	if (report->steps == 0)
		return;
	++d->frames;
	d->steps += report->steps;
	d->steps_max = report->steps > d->steps_max ? report->steps : d->steps_max;
	d->movers += report->movers;
	d->debtors += report->debtors;
	d->sum += report->debt_mean * report->movers;
	if (report->debt > d->most.value) {
		d->most.value = report->debt;
		d->most.frame = report->frame;
		replace_names(d->most.names, from, report->debtor, (cairn_body){0, 0});
	}
}

static void add(summary *s, const namer *from, const cairn_step_report *report, double write_ms)
{
	if (s->steps == s->capacity) {
		s->capacity = s->capacity ? 2 * s->capacity : 1024;
		s->ms = memory_resize(s->ms, s->capacity * sizeof s->ms[0]);
	}
	s->ms[s->steps++] = report->ms;
	s->write_ms += write_ms;
	add_stages(s, report);
	add_counts(s, report);
	add_energy(&s->energy, report);
	add_certificate(s, &report->certificate);
	add_depth(s, from, report);
	add_late(s, from, report);
	add_debt(&s->debt, from, report);
	if (report->min_gap < s->gap.value) {
		s->gap.value = report->min_gap;
		s->gap.frame = report->frame;
		replace_names(s->gap.names, from, report->pair_a, report->pair_b);
	}
	s->broken += report->broken;
	note_most(&s->joint_error, report->joint_error, report->frame);
	extreme *lift = &s->energy.lift;
	if (report->lift > lift->value) {
		lift->value = report->lift;
		lift->frame = report->frame;
		replace_names(lift->names, from, report->lifted, (cairn_body){0, 0});
	}
}

void summary_add(summary *s, const cairn_world *world, const cairn_step_report *report, double write_ms)
{
	add(s, &(namer){.world = world}, report, write_ms);
}

void summary_add_recorded(summary *s, const cairn_recording *recording, const cairn_step_report *report)
{
	add(s, &(namer){.recording = recording, .frame = report->frame}, report, 0);
}

void summary_stop(summary *s, const cairn_world *world, const cairn_step_report *report)
{
	s->stop = report->status;
	replace_names(s->stop_pair, &(namer){.world = world}, report->pair_a, report->pair_b);
	add_certificate(s, &report->certificate);
}

void summary_free(summary *s)
{
	char **names[] = {s->gap.names, s->depth.names, s->energy.lift.names, s->debt.most.names, s->stop_pair};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
		free(names[i][0]);
		free(names[i][1]);
	}
	for (uint32_t i = 0; i < s->late_count; ++i)
		free(s->late[i].name);
	free(s->late);
	free(s->ms);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The 95th percentile is the smallest time that 95 % of the steps did not exceed. */
step_times summary_times(const summary *s)
{
	step_times t = {0};
	if (s->steps == 0)
		return t;
	double *sorted = memory_resize(NULL, s->steps * sizeof sorted[0]);
	memcpy(sorted, s->ms, s->steps * sizeof sorted[0]);
	qsort(sorted, s->steps, sizeof sorted[0], compare_doubles);
	for (size_t i = 0; i < s->steps; ++i)
		t.total += sorted[i];
	t.mean = t.total / (double)s->steps;
	t.p95 = sorted[(95 * s->steps + 99) / 100 - 1];
	t.most = sorted[s->steps - 1];
	free(sorted);
	return t;
}

double summary_share(double part, double whole) { return whole > 0 ? part / whole : 0; }

double summary_mean(const summary *s, double sum) { return summary_share(sum, (double)s->steps); }

double summary_debt_mean(const summary *s) { return summary_share(s->debt.sum, (double)s->debt.movers); }

double summary_certificate_ms(const summary *s)
{
	double ms = 0;
	for (uint32_t i = 0; i < s->stage_count; ++i)
		if (strcmp(s->stages[i].name, "certify") == 0)
			ms += s->stages[i].ms;
	return ms;
}

const char *summary_verdict(const summary *s)
{
	if (s->measured > 0)
		return "measured";
	switch (s->certificate.verdict) {
	case CAIRN_OVERLAP: return "overlap";
	case CAIRN_PASSAGE: return "passage";
	case CAIRN_CLEAN: return s->certified >= s->steps ? "clean" : "unchecked";
	case CAIRN_UNCHECKED: break;
	}
	return "unchecked";
}

const char *summary_stop_name(cairn_status why)
{
	switch (why) {
	case CAIRN_STEP_OK: break;
	case CAIRN_STEP_TOUCH: return "touch";
	case CAIRN_STEP_SPIN: return "spin";
	case CAIRN_STEP_NOT_FINITE: return "not finite";
	case CAIRN_STEP_MEMORY: return "memory";
	case CAIRN_STEP_OVERLAP: return "overlap";
	case CAIRN_STEP_UNCERTIFIED: return "uncertified";
	}
	return NULL;
}

bool summary_has_contact(const char *method) { return strcmp(method, "free") != 0; }

bool summary_has_guarantee(const char *method)
{
	const cairn_method_info *m;
	for (uint32_t i = 0; (m = cairn_method_at(i)) != NULL; ++i)
		if (strcmp(m->name, method) == 0)
			return m->guarantee;
	return false;
}

const char *summary_tier_name(cairn_tier tier)
{
	static const char *const names[CAIRN_TIER_COUNT] = {
		[CAIRN_TIER_FAST] = "fast", [CAIRN_TIER_RESTORE] = "restore", [CAIRN_TIER_CUT] = "cut",
		[CAIRN_TIER_AXIS] = "axis", [CAIRN_TIER_HALVE] = "halve",     [CAIRN_TIER_HOLD] = "hold"};
	return names[tier];
}
