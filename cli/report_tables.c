/* The numbers of a report: those of the summary of the run, with their full digits in data-value beside the short text. */
#include "report.h"
#include "table.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACTS_MOST = 24, MORE_SIZE = 300 };

/* A number with a name; key is the one that `cairn run --json` has for it. */
typedef struct fact {
	const char *key, *name, *unit;
	double value;
	char more[MORE_SIZE]; /* what else is to be said; "" */
} fact;

typedef struct facts {
	fact all[FACTS_MOST];
	uint32_t count;
} facts;

static fact *add_fact(facts *f, const char *key, const char *name, double value, const char *unit)
{
	fact *one = &f->all[f->count < FACTS_MOST ? f->count++ : FACTS_MOST - 1];
	*one = (fact){.key = key, .name = name, .unit = unit, .value = value};
	return one;
}

static void add_times(facts *f, const report_run *run)
{
	step_times ms = summary_times(&run->sum);
	double budget = 1000 / run->settings.fps;
	fact *mean = add_fact(f, "ms_mean", "time a frame, mean", ms.mean, "ms");
	if (ms.mean > 0)
		snprintf(mean->more, MORE_SIZE, "%.3g times real time", budget / ms.mean);
	add_fact(f, "ms_p95", "95 % of frames below", ms.p95, "ms");
	fact *most = add_fact(f, "ms_max", "slowest frame", ms.most, "ms");
	if (run->worst_count > 0)
		snprintf(most->more, MORE_SIZE, "frame %.0f", run->columns[COLUMN_FRAME][run->worst[0]]);
}

static void add_contacts(facts *f, const report_run *run)
{
	const summary *s = &run->sum;
	fact *one = add_fact(f, "close_pairs_mean", "close pairs a frame", summary_mean(s, (double)s->close_pairs), "");
	snprintf(one->more, MORE_SIZE, "at most %u", s->close_pairs_max);
	one = add_fact(f, "collisions_mean", "collisions a frame", summary_mean(s, (double)s->collisions), "");
	snprintf(one->more, MORE_SIZE, "%" PRIu64 " in all", s->collisions);
	one = add_fact(f, "contacts_mean", "contacts solved a frame", summary_mean(s, (double)s->contacts), "");
	snprintf(one->more, MORE_SIZE, "at most %u", s->contacts_max);
	one = add_fact(f, "programs_mean", "programs a frame", summary_mean(s, (double)s->programs), "");
	snprintf(one->more, MORE_SIZE, "%.3g of them passes, %.2g %% taken back", summary_mean(s, (double)s->passes),
	         100 * summary_share((double)s->taken_back, (double)s->passes));
	one = add_fact(f, "worst_gap", "smallest gap at a frame's end", s->gap.value, "m");
	if (isfinite(s->gap.value))
		snprintf(one->more, MORE_SIZE, "frame %u, %.100s and %.100s", s->gap.frame,
		         s->gap.names[0] ? s->gap.names[0] : "?", s->gap.names[1] ? s->gap.names[1] : "?");
	else if (!summary_has_contact(run->settings.method))
		snprintf(one->more, MORE_SIZE, "not measured: method %.40s does not look at gaps", run->settings.method);
	else
		snprintf(one->more, MORE_SIZE, "nothing came near anything");
	one = add_fact(f, "held", "bodies held", (double)s->tiers[CAIRN_TIER_HOLD], "");
	if (one->value > 0)
		snprintf(one->more, MORE_SIZE, "put back by the last tier, in %u frame%s", s->tier_frames[CAIRN_TIER_HOLD],
		         s->tier_frames[CAIRN_TIER_HOLD] == 1 ? "" : "s");
	else if (!summary_has_contact(run->settings.method))
		snprintf(one->more, MORE_SIZE, "method %.40s keeps nothing apart", run->settings.method);
	else
		snprintf(one->more, MORE_SIZE, "none was put back by the last tier");
}

/* Infinite: not known. */
static void add_depth(facts *f, const report_run *run)
{
	const summary *s = &run->sum;
	if (s->measured == 0)
		return;
	fact *one = add_fact(f, "depth", "deepest overlap", s->depth.value, "m");
	if (s->depth.value > 0)
		snprintf(one->more, MORE_SIZE, "frame %u, %.90s and %.90s; %" PRIu64 " overlaps, %" PRIu64 " passages",
		         s->depth.frame, s->depth.names[0] ? s->depth.names[0] : "?",
		         s->depth.names[1] ? s->depth.names[1] : "?", s->certificate.overlaps, s->certificate.passages);
}

static void add_debt(facts *f, const report_run *run)
{
	const debt_sum *d = &run->sum.debt;
	double unknown = d->frames > 0 && summary_has_contact(run->settings.method) ? 0 : INFINITY;
	const char *why = summary_has_contact(run->settings.method) ? "not in this recording" : "no contact";
	fact *one =
		add_fact(f, "steps_mean", "steps inside a frame", unknown + summary_share((double)d->steps, d->frames), "");
	if (unknown == 0)
		snprintf(one->more, MORE_SIZE, "at most %u", d->steps_max);
	else
		snprintf(one->more, MORE_SIZE, "%s", why);
	one = add_fact(f, "debt", "largest debt of a body", unknown + d->most.value, "m");
	if (d->most.value > 0)
		snprintf(one->more, MORE_SIZE, "frame %u, %.100s", d->most.frame, d->most.names[0] ? d->most.names[0] : "?");
	else
		snprintf(one->more, MORE_SIZE, "%s", unknown == 0 ? "nobody owes anything" : why);
	one = add_fact(f, "debt_mean", "debt of a moving body, mean", unknown + summary_debt_mean(&run->sum), "m");
	if (unknown == 0)
		snprintf(one->more, MORE_SIZE, "%.2g %% of them owe more than 2 %% of their motion",
		         100 * summary_share((double)d->debtors, (double)d->movers));
	else
		snprintf(one->more, MORE_SIZE, "%s", why);
}

static void add_energies(facts *f, const report_run *run)
{
	const energy_sum *e = &run->sum.energy;
	double unit = run->energy_unit;
	char text[48];
	(void)add_fact(f, "energy_start", "energy at the start", e->start, "J");
	(void)add_fact(f, "energy_end", "energy at the end", e->end, "J");
	fact *one =
		add_fact(f, "energy_rise", "largest rise of energy without a cause", unit > 0 ? e->rise.value / unit : 0, "");
	text_quantity(unit, "J", text);
	if (e->rise.value > 0)
		snprintf(one->more, MORE_SIZE, "of a unit of %s, frame %u", text, e->rise.frame);
	one = add_fact(f, "lift", "largest lift of one body", e->lift.value, "");
	if (e->lift.value > 0)
		snprintf(one->more, MORE_SIZE, "of its size, frame %u, %.100s", e->lift.frame,
		         e->lift.names[0] ? e->lift.names[0] : "?");
}

/* The last, for not all runs that are compared may have it. */
static void add_joints(facts *f, const summary *s)
{
	if (s->joints == 0)
		return;
	fact *one = add_fact(f, "joint_error", "largest joint error", s->joint_error.value, "m");
	if (s->joint_error.value > 0)
		snprintf(one->more, MORE_SIZE, "frame %u, of %u joint%s, %u broke", s->joint_error.frame, s->joints,
		         s->joints == 1 ? "" : "s", s->broken);
}

/* Of the scripts that waited the one that was latest; the others are named beside it. */
static void add_late(facts *f, const summary *s)
{
	const late_sum *most = s->late;
	if (s->late_count == 0)
		return;
	for (uint32_t i = 1; i < s->late_count; ++i)
		if (s->late[i].lag.value > most->lag.value)
			most = &s->late[i];
	fact *one = add_fact(f, "late", "longest wait of a script", most->lag.value, "s");
	int used = 0;
	for (uint32_t i = 0; i < s->late_count && used >= 0 && used < MORE_SIZE; ++i) {
		const late_sum *l = &s->late[i];
		used +=
			snprintf(one->more + used, (size_t)(MORE_SIZE - used), "%s%.60s waited in %u frame%s from %u to %u",
		             i ? "; " : "", l->name ? l->name : "?", l->frames, l->frames == 1 ? "" : "s", l->first, l->last);
	}
}

static facts make_facts(const report_run *run)
{
	facts f = {.count = 0};
	fact *one = add_fact(&f, "frames", "last frame", run->info.last_frame, "");
	snprintf(one->more, MORE_SIZE, "%.4g s at %g frames a second", (double)run->steps / run->settings.fps,
	         run->settings.fps);
	one = add_fact(&f, "bodies", "bodies", run->info.bodies, "");
	snprintf(one->more, MORE_SIZE, "at the end %u movable, %u of them asleep%s", run->sum.moving, run->sum.asleep,
	         run->sum.frozen && run->sum.frozen == run->sum.asleep ? ", frozen"
	         : run->sum.frozen                                     ? ", some frozen"
	                                                               : "");
	if (run->steps == 0)
		return f;
	add_times(&f, run);
	add_contacts(&f, run);
	add_debt(&f, run);
	add_energies(&f, run);
	add_joints(&f, &run->sum);
	if (run->sum.text_fallbacks > 0)
		(void)add_fact(&f, "text_fallbacks", "programs left to the default, or cut short at a limit",
		               (double)run->sum.text_fallbacks, "");
	add_late(&f, &run->sum);
	add_depth(&f, run);
	return f;
}

static void put_value(const fact *f, html *out)
{
	char text[48];
	text_quantity(f->value, f->unit, text);
	html_put(out, " data-fact=\"%s\" data-value=\"", f->key);
	if (isfinite(f->value))
		html_put(out, "%.17g", f->value);
	html_put(out, "\">%s", text);
}

void report_facts(const report_run *run, html *out)
{
	facts f = make_facts(run);
	html_put(out, "<dl class=\"facts\">\n");
	for (uint32_t i = 0; i < f.count; ++i) {
		html_put(out, "<div><dt>%s</dt><dd", f.all[i].name);
		put_value(&f.all[i], out);
		html_put(out, "</dd>");
		if (f.all[i].more[0]) {
			html_put(out, "<dd class=\"more\">");
			html_text(out, f.all[i].more);
			html_put(out, "</dd>");
		}
		html_put(out, "</div>\n");
	}
	html_put(out, "</dl>\n");
}

/* ---- the certificate */

static const char *verdict_word(cairn_verdict verdict)
{
	return verdict == CAIRN_CLEAN     ? "clean"
	       : verdict == CAIRN_OVERLAP ? "overlap"
	       : verdict == CAIRN_PASSAGE ? "passage"
	                                  : "unchecked";
}

static const char *verdict_of(const report_run *run)
{
	if (run->sum.measured > 0)
		return "measured";
	return run->certified ? verdict_word(run->certificate.certificate.verdict) : summary_verdict(&run->sum);
}

static void put_names(const report_run *run, const uint32_t pair[2], html *out)
{
	char text[32];
	for (int i = 0; i < 2 && pair[i] != UINT32_MAX; ++i) {
		html_put(out, i ? " and " : "");
		html_text(out, report_track_name(run, pair[i], text));
	}
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void put_checked(const report_run *run, html *out)
{
	const cairn_certify_result *r = &run->certificate;
	char gap[48], pairs[48], proved[48];
	const cairn_certificate *c = &r->certificate;
	text_quantity((double)r->certificate.pairs, "", pairs);
	text_quantity((double)r->certificate.intervals, "", proved);
	html_put(out,
	         "Checked for this report from the keys alone: %s pair%s looked at closely in %u frame%s, %s piece%s of "
	         "motion proved. ",
	         pairs, plural(c->pairs), r->frames, plural(r->frames), proved, plural(c->intervals));
	if (r->first_frame != UINT32_MAX) {
		html_put(out, "%" PRIu64 " overlap%s, %" PRIu64 " passage%s; the first in frame %u, ", c->overlaps,
		         plural(c->overlaps), c->passages, plural(c->passages), r->first_frame);
		put_names(run, r->first_pair, out);
		html_put(out, ". ");
	}
	if (r->min_gap_frame != UINT32_MAX) {
		bool touching = fabs(r->certificate.min_gap) <= r->certificate.rounding_bound;
		text_quantity(touching ? 0 : r->certificate.min_gap, "m", gap);
		html_put(out, "Smallest gap at a key: %s%s in frame %u, ", gap, touching ? " to within rounding" : "",
		         r->min_gap_frame);
		put_names(run, r->min_gap_pair, out);
		html_put(out, ".");
	}
}

void report_verdict(const report_run *run, html *out)
{
	const char *word = verdict_of(run);
	static const struct {
		const char *word, *says;
	} all[] = {{"clean", "No frame shows one body inside another, and nothing passed through anything between frames."},
	           {"overlap", "At some key two bodies overlap."},
	           {"passage", "Between keys two bodies cross, or it could not be proved that they do not."},
	           {"measured", "The method promises nothing; what it did was measured."},
	           {"unchecked", "Not every frame was checked."}};
	html_put(out, "<p class=\"verdict %s\"><b>%s</b> <span>", word, word);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
		if (strcmp(word, all[i].word) == 0)
			html_put(out, "%s ", all[i].says);
	if (run->certified)
		put_checked(run, out);
	else if (run->sum.certified > 0)
		html_put(out, "That is what was found while it was simulated, in %u of %zu frames; it was not checked again.",
		         run->sum.certified, run->steps);
	html_put(out, "</span></p>\n");
}

/* ---- side by side */

static void put_heads(const report_run *runs, uint32_t count, html *out)
{
	html_put(out, "<thead><tr><th></th>");
	for (uint32_t i = 0; i < count; ++i) {
		html_put(out, "<th scope=\"col\">%s", count > 1 ? "<i class=\"key\" style=\"--c:var(--c" : "");
		if (count > 1)
			html_put(out, "%u)\"></i> ", i);
		html_text(out, runs[i].label);
		html_put(out, "</th>");
	}
	html_put(out, "</tr></thead>\n<tbody>\n");
}

void report_compare(const report_run *runs, uint32_t count, html *out)
{
	facts *all = memory_resize(NULL, count * sizeof all[0]);
	uint32_t rows = FACTS_MOST;
	for (uint32_t i = 0; i < count; ++i) {
		all[i] = make_facts(&runs[i]);
		rows = all[i].count < rows ? all[i].count : rows;
	}
	html_put(out, "<div class=\"wide\"><table class=\"compare\">");
	put_heads(runs, count, out);
	html_put(out, "<tr><th scope=\"row\">certificate</th>");
	for (uint32_t i = 0; i < count; ++i)
		html_put(out, "<td><b class=\"verdict %s\">%s</b></td>", verdict_of(&runs[i]), verdict_of(&runs[i]));
	html_put(out, "</tr>\n");
	for (uint32_t row = 0; row < rows; ++row) {
		html_put(out, "<tr><th scope=\"row\">%s</th>", all[0].all[row].name);
		for (uint32_t i = 0; i < count; ++i) {
			html_put(out, "<td");
			put_value(&all[i].all[row], out);
			html_put(out, "</td>");
		}
		html_put(out, "</tr>\n");
	}
	html_put(out, "</tbody></table></div>\n");
	free(all);
}

/* ---- the slowest frames */

static void put_frame_link(const report_run *run, uint32_t frame, html *out)
{
	html_put(out, "<a href=\"");
	html_link(out, run->stem);
	html_put(out, ".html#frame=%u\">%u</a>", frame, frame);
}

/* "restore 3, cut 1" */
static void put_tiers(const report_run *run, size_t step, html *out)
{
	bool any = false;
	for (int i = 0; i < CAIRN_TIER_COUNT; ++i) {
		double did = run->columns[COLUMN_TIER + i][step];
		if (did > 0)
			html_put(out, "%s%s\xC2\xA0%.0f", any ? ", " : "", summary_tier_name((cairn_tier)i), did);
		any = any || did > 0;
	}
	if (!any)
		html_put(out, "\xE2\x80\x93");
}

static void put_count(double count, html *out)
{
	if (isfinite(count))
		html_put(out, "<td>%.0f</td>", count);
	else
		html_put(out, "<td>\xE2\x80\x93</td>");
}

static void put_worst(const report_run *run, html *out)
{
	static const struct {
		report_column column;
		const char *name;
	} counts[] = {{COLUMN_MOVING, "movable"},        {COLUMN_CLOSE_PAIRS, "close pairs"},
	              {COLUMN_COLLISIONS, "collisions"}, {COLUMN_CONTACTS, "contacts solved"},
	              {COLUMN_STEPS, "steps"},           {COLUMN_PROGRAMS, "programs"},
	              {COLUMN_PASSES, "passes"}};
	enum { COUNTS = sizeof counts / sizeof counts[0] };
	html_put(out, "<div class=\"wide\"><table class=\"worst\"><thead><tr><th>frame</th><th>at</th><th>time</th>");
	for (size_t k = 0; k < COUNTS; ++k)
		html_put(out, "<th>%s</th>", counts[k].name);
	html_put(out, "<th class=\"left\">tiers</th></tr></thead>\n<tbody>\n");
	for (uint32_t i = 0; i < run->worst_count; ++i) {
		size_t step = run->worst[i];
		uint32_t frame = (uint32_t)run->columns[COLUMN_FRAME][step];
		html_put(out, "<tr><td>");
		put_frame_link(run, frame, out);
		html_put(out, "</td><td>%.3f\xC2\xA0s</td><td data-value=\"%.17g\">%.2f\xC2\xA0ms</td>",
		         frame / run->settings.fps, run->columns[COLUMN_MS][step], run->columns[COLUMN_MS][step]);
		for (size_t k = 0; k < COUNTS; ++k)
			put_count(run->columns[counts[k].column][step], out);
		html_put(out, "<td class=\"left\">");
		put_tiers(run, step, out);
		html_put(out, "</td></tr>\n");
	}
	html_put(out, "</tbody></table></div>\n");
}

void report_worst(const report_run *runs, uint32_t count, html *out)
{
	bool any = false;
	for (uint32_t i = 0; i < count; ++i)
		any = any || runs[i].worst_count > 0;
	if (!any)
		return;
	html_put(
		out,
		"<section id=\"worst\"><h2>The slowest frames</h2>\n<p class=\"hint\">The number of a frame opens it in the "
		"player, if its page lies beside this one: ");
	for (uint32_t i = 0; i < count; ++i) {
		char *name = text_shell(runs[i].path);
		html_put(out, "%s<code>cairn view ", i ? ", " : "");
		html_text(out, name);
		html_put(out, "</code>");
		free(name);
	}
	html_put(out, " %s.</p>\n", count > 1 ? "write them" : "writes it");
	for (uint32_t i = 0; i < count; ++i) {
		if (count > 1) {
			html_put(out, "<h3><i class=\"key\" style=\"--c:var(--c%u)\"></i> ", i);
			html_text(out, runs[i].label);
			html_put(out, "</h3>");
		}
		put_worst(&runs[i], out);
	}
	html_put(out, "</section>\n");
}

/* ---- what was run */

enum { SETTINGS_MOST = 32, SETTING_SIZE = 400 };

typedef struct setting {
	char name[40], value[SETTING_SIZE];
} setting;

typedef struct settings {
	setting all[SETTINGS_MOST];
	uint32_t count;
} settings;

static char *add_setting(settings *s, const char *name)
{
	setting *one = &s->all[s->count < SETTINGS_MOST ? s->count++ : SETTINGS_MOST - 1];
	snprintf(one->name, sizeof one->name, "%s", name);
	one->value[0] = 0;
	return one->value;
}

static settings *make_settings(const report_run *run)
{
	const cairn_scene *scene = cairn_recording_scene(run->recording);
	const cairn_recording_info *info = &run->info;
	settings *s = memory_resize(NULL, sizeof *s);
	char size[32];
	cairn_vec3 g = run->settings.gravity;
	s->count = 0;
	text_size(info->size, size);
	snprintf(add_setting(s, "file"), SETTING_SIZE, "%.300s, %s", run->path, size);
	snprintf(add_setting(s, "recorded"), SETTING_SIZE, "frames %u to %u of %u, %s", info->first_frame, info->last_frame,
	         run->settings.frames,
	         info->damaged     ? "damaged"
	         : info->truncated ? "ends in the middle of a frame"
	         : info->complete  ? "complete"
	                           : "incomplete");
	snprintf(add_setting(s, "hash"), SETTING_SIZE, "%016" PRIx64, info->hash);
	snprintf(add_setting(s, "written by"), SETTING_SIZE, "cairn %s", info->version);
	snprintf(add_setting(s, "scene"), SETTING_SIZE, "%.300s", run->settings.name);
	snprintf(add_setting(s, "method"), SETTING_SIZE, "%.100s", run->settings.method);
	snprintf(add_setting(s, "gravity"), SETTING_SIZE, "%g, %g, %g m/s\xC2\xB2", g.x, g.y, g.z);
	snprintf(add_setting(s, "seed"), SETTING_SIZE, "%" PRIu64, run->settings.seed);
	for (const char *const *name = cairn_option_names(); *name; ++name) {
		char value[64];
		if (!cairn_option_is_setting(*name) && cairn_scene_option(scene, *name, value, sizeof value))
			snprintf(add_setting(s, *name), SETTING_SIZE, "%s", value);
	}
	snprintf(add_setting(s, "scene has"), SETTING_SIZE,
	         "shapes %u, materials %u, joints %u, emitters %u, events %u, fields %u", cairn_scene_shape_count(scene),
	         cairn_scene_material_count(scene), cairn_scene_joint_count(scene), cairn_scene_emitter_count(scene),
	         cairn_scene_event_count(scene), cairn_scene_field_count(scene));
	return s;
}

void report_settings(const report_run *runs, uint32_t count, html *out)
{
	settings *all[REPORT_RUNS_MOST] = {NULL};
	assert(count > 0);
	for (uint32_t i = 0; i < count; ++i)
		all[i] = make_settings(&runs[i]);
	html_put(out, "<section id=\"settings\"><h2>What was run</h2>\n<div class=\"wide\"><table class=\"settings\">");
	if (count > 1)
		put_heads(runs, count, out);
	else
		html_put(out, "<tbody>\n");
	for (uint32_t row = 0; row < all[0]->count; ++row) {
		bool differs = false;
		for (uint32_t i = 1; i < count; ++i)
			differs = differs || strcmp(all[i]->all[row].value, all[0]->all[row].value) != 0;
		html_put(out, "<tr%s><th scope=\"row\">%s</th>", differs ? " class=\"differs\"" : "", all[0]->all[row].name);
		for (uint32_t i = 0; i < count; ++i) {
			html_put(out, "<td>");
			html_text(out, all[i]->all[row].value);
			html_put(out, "</td>");
		}
		html_put(out, "</tr>\n");
	}
	html_put(out, "</tbody></table></div></section>\n");
	for (uint32_t i = 0; i < count; ++i)
		free(all[i]);
}
