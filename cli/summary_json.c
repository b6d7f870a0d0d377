/* The summary for scripts. Every member is explained in the table of commands (commands.c) and in docs/summary.md. */
#include "json.h"
#include "summary.h"

#include <math.h>
#include <string.h>

/* The number of a frame that there may not be. */
static void write_frame(json *j, const char *key, bool is_there, uint32_t frame)
{
	if (is_there)
		json_count(j, key, frame);
	else
		json_null(j, key);
}

static void write_pair(json *j, const char *key, char *const names[2])
{
	if (!names[0]) {
		json_null(j, key);
		return;
	}
	json_open(j, key, '[');
	json_text(j, NULL, names[0]);
	json_text(j, NULL, names[1]);
	json_close(j, ']');
}

static void write_counts(const summary *s, json *j)
{
	json_count(j, "moving", s->moving);
	json_count(j, "asleep", s->asleep);
	json_count(j, "frozen", s->frozen);
	json_number(j, "frozen_mean", summary_mean(s, (double)s->frozen_frames));
	json_count(j, "emitted", s->emitted);
	json_number(j, "close_pairs_mean", summary_mean(s, (double)s->close_pairs));
	json_count(j, "close_pairs_max", s->close_pairs_max);
	json_count(j, "collisions", s->collisions);
	json_number(j, "collisions_mean", summary_mean(s, (double)s->collisions));
	json_number(j, "contacts_mean", summary_mean(s, (double)s->contacts));
	json_count(j, "contacts_max", s->contacts_max);
	json_count(j, "extra_keys", s->extra_keys);
	json_number(j, "programs_mean", summary_mean(s, (double)s->programs));
	json_number(j, "passes_mean", summary_mean(s, (double)s->passes));
	json_count(j, "text_fallbacks", s->text_fallbacks);
	json_count(j, "guesses", s->guesses);
	json_count(j, "second_guesses", s->second_guesses);
	json_count(j, "taken_back", s->taken_back);
	json_number(j, "taken_back_share", summary_share((double)s->taken_back, (double)s->passes));
}

static void write_tiers(const summary *s, json *j)
{
	json_open(j, "tiers", '{');
	for (int i = 0; i < CAIRN_TIER_COUNT; ++i)
		json_count(j, summary_tier_name((cairn_tier)i), s->tiers[i]);
	json_close(j, '}');
	json_open(j, "tier_frames", '{');
	for (int i = 0; i < CAIRN_TIER_COUNT; ++i)
		json_count(j, summary_tier_name((cairn_tier)i), s->tier_frames[i]);
	json_close(j, '}');
	json_count(j, "held", s->tiers[CAIRN_TIER_HOLD]);
	json_number(j, "held_share", summary_share((double)s->tiers[CAIRN_TIER_HOLD], (double)s->body_frames));
	json_count(j, "held_frames", s->tier_frames[CAIRN_TIER_HOLD]);
	json_number(j, "held_frames_share", summary_mean(s, s->tier_frames[CAIRN_TIER_HOLD]));
}

static void write_gap(const summary *s, json *j)
{
	bool measured = isfinite(s->gap.value);
	json_number(j, "worst_gap", s->gap.value);
	write_frame(j, "worst_gap_frame", measured, s->gap.frame);
	if (measured)
		write_pair(j, "worst_gap_pair", s->gap.names);
	else
		json_null(j, "worst_gap_pair");
}

static void write_joints(const summary *s, json *j)
{
	json_count(j, "joints", s->joints);
	if (s->joints)
		json_number(j, "joint_error", s->joint_error.value);
	else
		json_null(j, "joint_error");
	write_frame(j, "joint_error_frame", s->joint_error.value > 0, s->joint_error.frame);
	json_count(j, "broken", s->broken);
}

static void write_late(const summary *s, json *j)
{
	json_open(j, "late", '[');
	for (uint32_t i = 0; i < s->late_count; ++i) {
		const late_sum *one = &s->late[i];
		json_open(j, NULL, '{');
		json_text(j, "script", one->name);
		json_count(j, "first_frame", one->first);
		json_count(j, "last_frame", one->last);
		json_count(j, "frames", one->frames);
		json_number(j, "lag", one->lag.value);
		json_count(j, "lag_frame", one->lag.frame);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Null where nothing is known of it: no method of contact, or a recording of an older version. */
static void write_debt(const summary *s, const outcome *o, json *j)
{
	const debt_sum *d = &s->debt;
	double unknown = d->frames > 0 && summary_has_contact(o->method) ? 0 : NAN;
	json_number(j, "steps_mean", unknown + summary_share((double)d->steps, d->frames));
	write_frame(j, "steps_max", isfinite(unknown), d->steps_max);
	json_number(j, "debt", unknown + d->most.value);
	write_frame(j, "debt_frame", d->most.value > 0, d->most.frame);
	json_text(j, "debt_body", d->most.names[0]);
	json_number(j, "debt_mean", unknown + summary_debt_mean(s));
	json_number(j, "debtors_share", unknown + summary_share((double)d->debtors, (double)d->movers));
}

/* In units; null where there is no unit to measure a rise by. */
static double in_units(const outcome *o, double joules)
{
	return o->energy_unit > 0 ? joules / o->energy_unit : joules > 0 ? INFINITY : 0;
}

static void write_energy(const summary *s, const outcome *o, json *j)
{
	const energy_sum *e = &s->energy;
	const cairn_energy *a = &e->accounts;
	json_number(j, "energy_start", e->start);
	json_number(j, "energy_end", e->end);
	json_open(j, "energy", '{');
	json_number(j, "kinetic", a->kinetic);
	json_number(j, "potential", a->potential);
	json_number(j, "events", a->events);
	json_number(j, "fields", a->fields);
	json_number(j, "damping", a->damping);
	json_number(j, "impacts", a->impacts);
	json_number(j, "friction", a->friction);
	json_number(j, "position", a->position);
	json_number(j, "dropped", a->dropped);
	json_number(j, "drift", a->drift);
	json_number(j, "joints", a->joints);
	json_close(j, '}');
	json_number(j, "energy_unit", o->energy_unit);
	json_number(j, "energy_rise", in_units(o, e->rise.value));
	write_frame(j, "energy_rise_frame", e->rise.value > 0, e->rise.frame);
	json_number(j, "energy_climb", in_units(o, e->climb));
	json_number(j, "energy_residue", in_units(o, e->residue.value));
	write_frame(j, "energy_residue_frame", e->residue.value > 0, e->residue.frame);
	json_number(j, "lift", e->lift.value);
	write_frame(j, "lift_frame", e->lift.value > 0, e->lift.frame);
	json_text(j, "lift_body", e->lift.names[0]);
}

static void write_certificate(const summary *s, const outcome *o, json *j)
{
	const cairn_certificate *c = &s->certificate;
	double ms = summary_certificate_ms(s);
	json_open(j, "certificate", '{');
	json_text(j, "mode", strcmp(o->certify, "auto") != 0 ? o->certify : s->measured ? "measure" : "full");
	json_text(j, "verdict", summary_verdict(s));
	json_count(j, "frames", s->certified);
	json_count(j, "pairs", c->pairs);
	json_count(j, "intervals", c->intervals);
	json_count(j, "overlaps", c->overlaps);
	json_count(j, "passages", c->passages);
	json_number(j, "depth", s->measured ? s->depth.value : NAN);
	write_frame(j, "depth_frame", s->depth.value > 0, s->depth.frame);
	write_pair(j, "depth_pair", s->depth.names);
	json_number(j, "min_gap", c->min_gap);
	json_number(j, "rounding_bound", c->rounding_bound);
	json_number(j, "ms", summary_mean(s, ms));
	json_number(j, "share", summary_share(ms, summary_times(s).total));
	json_close(j, '}');
}

static void write_times(const summary *s, const outcome *o, json *j)
{
	step_times ms = summary_times(s);
	json_number(j, "ms_mean", ms.mean);
	json_number(j, "ms_p95", ms.p95);
	json_number(j, "ms_max", ms.most);
	json_number(j, "ms_write", summary_mean(s, s->write_ms));
	json_open(j, "stages", '{');
	for (uint32_t i = 0; i < s->stage_count; ++i)
		json_number(j, s->stages[i].name, summary_mean(s, s->stages[i].ms));
	json_close(j, '}');
	json_number(j, "wall_s", o->wall);
}

static void write_file(const outcome *o, json *j)
{
	if (o->has_info)
		json_hash(j, "hash", o->info.hash);
	else
		json_null(j, "hash");
	json_count(j, "size_bytes", o->info.size);
	json_count(j, "memory_bytes", o->memory);
	json_text(j, "same_as", o->differs ? NULL : o->compared);
	write_frame(j, "compared_frames", o->compared != NULL, o->compared_last - o->compared_first + 1);
	write_frame(j, "first_difference", o->differs, o->first_difference);
}

void summary_print_json(const summary *s, const outcome *o, FILE *out)
{
	json j = json_begin(out, true);
	json_text(&j, "scene", o->scene);
	json_text(&j, "file", o->file);
	json_text(&j, "method", o->method);
	json_count(&j, "threads", o->threads);
	json_text(&j, "status", o->status);
	json_text(&j, "message", o->message);
	json_text(&j, "stop", summary_stop_name(s->stop));
	write_pair(&j, "stop_pair", s->stop_pair);
	json_count(&j, "frames", o->info.last_frame);
	json_count(&j, "frames_run", s->steps);
	json_bool(&j, "complete", o->info.complete);
	json_number(&j, "fps", o->fps);
	json_count(&j, "bodies", o->info.bodies);
	write_counts(s, &j);
	write_gap(s, &j);
	write_joints(s, &j);
	write_late(s, &j);
	write_tiers(s, &j);
	write_debt(s, o, &j);
	write_certificate(s, o, &j);
	write_energy(s, o, &j);
	write_times(s, o, &j);
	write_file(o, &j);
	json_end(&j);
}
