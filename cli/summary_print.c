/* The summary for people: what the run was, what is proved, where the energy went, where the time went; last the row
 * by which runs are compared. */
#include "screen.h"
#include "summary.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A line that grows item by item. */
typedef struct list {
	char text[512];
} list;

static void list_add(list *l, const char *format, ...) LIKE_PRINTF(2, 3);
static void list_add(list *l, const char *format, ...)
{
	size_t used = strlen(l->text);
	if (used > 0 && used + 2 < sizeof l->text) {
		memcpy(l->text + used, ", ", 3);
		used += 2;
	}
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(l->text + used, sizeof l->text - used, format, arguments);
	va_end(arguments);
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void add_run_rows(const summary *s, const outcome *o, table *t)
{
	list bodies = {""};
	double played = (double)s->steps / o->fps;
	list_add(&bodies, "%u, %u of them movable", s->bodies, s->moving);
	if (s->asleep)
		list_add(&bodies, "%u asleep at the end", s->asleep);
	if (s->frozen)
		list_add(&bodies, "%u of these frozen", s->frozen);
	if (s->emitted)
		list_add(&bodies, "%" PRIu64 " appeared during the run", s->emitted);
	table_add(t, "bodies", "%s", bodies.text);
	table_add(t, "frames", "%zu at %g fps with method %s: %.3g s of motion in %.3g s", s->steps, o->fps, o->method,
	          played, o->wall);
}

/* Of a method that promises nothing. */
static void add_measured_row(const summary *s, double percent, table *t)
{
	const cairn_certificate *c = &s->certificate;
	const extreme *deep = &s->depth;
	list worst = {"no overlap"};
	if (deep->value > 0)
		snprintf(worst.text, sizeof worst.text, "worst depth %.3g m (frame %u, %.80s and %.80s)", deep->value,
		         deep->frame, deep->names[0] ? deep->names[0] : "?", deep->names[1] ? deep->names[1] : "?");
	table_add(t, "certificate",
	          "measured, not promised, in %u frame%s: %s, %" PRIu64 " overlap%s, %" PRIu64
	          " passage%s; %.0f %% of the time",
	          s->measured, plural(s->measured), worst.text, c->overlaps, plural(c->overlaps), c->passages,
	          plural(c->passages), percent);
}

static void add_certificate_row(const summary *s, const outcome *o, table *t)
{
	const cairn_certificate *c = &s->certificate;
	list more = {""};
	if (c->verdict == CAIRN_UNCHECKED) {
		table_add(t, "certificate", "none: nothing was checked");
		return;
	}
	double share = summary_share(summary_certificate_ms(s), summary_times(s).total);
	if (s->measured) {
		add_measured_row(s, 100 * share, t);
		return;
	}
	list_add(&more, "%" PRIu64 " pairs looked at", c->pairs);
	list_add(&more, "%" PRIu64 " pieces of motion proved", c->intervals);
	if (c->overlaps)
		list_add(&more, "%" PRIu64 " overlap%s", c->overlaps, plural(c->overlaps));
	if (c->passages)
		list_add(&more, "%" PRIu64 " passage%s", c->passages, plural(c->passages));
	if (isfinite(c->min_gap))
		list_add(&more, "no gap below %.3g m at any key", c->min_gap);
	list_add(&more, "rounding %.1g m", c->rounding_bound);
	list_add(&more, "%.0f %% of the time", 100 * share);
	table_add(t, "certificate", "%s, %u frame%s checked%s: %s", summary_verdict(s), s->certified, plural(s->certified),
	          strcmp(o->certify, "keys") == 0 ? " at their keys, not between" : "", more.text);
}

/* Of the ends of frames; the certificate's is that of all keys. */
static void add_gap_row(const summary *s, const outcome *o, table *t)
{
	const extreme *gap = &s->gap;
	if (!summary_has_contact(o->method))
		table_add(t, "smallest gap", "not measured: method %s does not look at gaps, and bodies may overlap",
		          o->method);
	else if (!isfinite(gap->value))
		table_add(t, "smallest gap", "not measured: nothing came near anything");
	else if (gap->names[0] && gap->names[1])
		table_add(t, "smallest gap", "%.3g m at the end of frame %u between %s and %s", gap->value, gap->frame,
		          gap->names[0], gap->names[1]);
	else
		table_add(t, "smallest gap", "%.3g m at the end of frame %u", gap->value, gap->frame);
}

static void add_joint_row(const summary *s, table *t)
{
	list broken = {""};
	if (s->joints == 0)
		return;
	if (s->broken)
		list_add(&broken, "; %u broke", s->broken);
	if (s->joint_error.value > 0)
		table_add(t, "joint error", "%.2g m at most, at the end of frame %u%s", s->joint_error.value,
		          s->joint_error.frame, broken.text);
	else
		table_add(t, "joint error", "none%s", broken.text);
}

/* A row for each of the first few scripts that had to wait. */
static void add_late_rows(const summary *s, table *t)
{
	enum { MOST = 6 };
	for (uint32_t i = 0; i < s->late_count && i < MOST; ++i) {
		const late_sum *one = &s->late[i];
		table_add(t, i ? "" : "waiting", "script %s in %u frame%s from %u to %u, at most %.3g s late (frame %u)",
		          one->name ? one->name : "?", one->frames, plural(one->frames), one->first, one->last, one->lag.value,
		          one->lag.frame);
	}
	if (s->late_count > MOST)
		table_add(t, "", "and %u more", s->late_count - MOST);
}

/* What a tier counts. */
static const char *tier_word(cairn_tier tier, uint64_t count)
{
	bool rounds = tier == CAIRN_TIER_RESTORE || tier == CAIRN_TIER_AXIS;
	return rounds ? (count == 1 ? "round" : "rounds") : (count == 1 ? "body" : "bodies");
}

static void add_text_row(const summary *s, const outcome *o, table *t)
{
	const char *many = plural(s->text_fallbacks);
	if (s->text_fallbacks > 0 && summary_has_guarantee(o->method))
		table_add(t, "text's programs", "%" PRIu64 " island%s left to the default program", s->text_fallbacks, many);
	else if (s->text_fallbacks > 0)
		table_add(t, "limits",
		          "%" PRIu64 " time%s: a series of impulses or of flights was cut short or grew, or a guess "
		          "was wrong",
		          s->text_fallbacks, many);
	if (s->guesses + s->second_guesses > 0)
		table_add(t, "guesses", "%" PRIu64 " right at once, %" PRIu64 " at the second", s->guesses, s->second_guesses);
}

static void add_tier_rows(const summary *s, table *t)
{
	list tiers = {""};
	for (int i = 0; i < CAIRN_TIER_COUNT; ++i)
		if (s->tiers[i])
			list_add(&tiers, "%s %" PRIu64 " %s in %u frame%s", summary_tier_name((cairn_tier)i), s->tiers[i],
			         tier_word((cairn_tier)i, s->tiers[i]), s->tier_frames[i], plural(s->tier_frames[i]));
	table_add(t, "tiers", "%s", tiers.text[0] ? tiers.text : "none was needed");
	uint64_t held = s->tiers[CAIRN_TIER_HOLD];
	uint32_t frames = s->tier_frames[CAIRN_TIER_HOLD];
	if (held)
		table_add(t, "held", "%" PRIu64 " body-frame%s (%.2g %%) in %u frame%s (%.2g %%)", held, plural(held),
		          100 * summary_share((double)held, (double)s->body_frames), frames, plural(frames),
		          100 * summary_mean(s, frames));
	else
		table_add(t, "held", "no body in any frame");
}

/* How finely time was taken where contacts change, and what no velocity explains all the same. */
static void add_debt_rows(const debt_sum *d, double mean, table *t)
{
	const extreme *most = &d->most;
	if (d->frames == 0)
		return;
	if (d->steps_max > 1)
		table_add(t, "steps", "%.3g a frame, at most %u, where contacts change", (double)d->steps / d->frames,
		          d->steps_max);
	else
		table_add(t, "steps", "one a frame");
	if (most->value > 0)
		table_add(t, "debt",
		          "%.2g m at most (%s, frame %u), %.2g m on average; %.2g %% of what moves owes more than 2 %% of its "
		          "motion",
		          most->value, most->names[0] ? most->names[0] : "a body that is gone", most->frame, mean,
		          100 * summary_share((double)d->debtors, (double)d->movers));
	else
		table_add(t, "debt", "none");
}

/* Rounding is no news. */
static void add_account(list *l, double joules, double unit, const char *what)
{
	if (fabs(joules) > 1e-9 * unit)
		list_add(l, "%.4g J %s", joules, what);
}

static void add_energy_rows(const summary *s, const outcome *o, table *t)
{
	const energy_sum *e = &s->energy;
	const cairn_energy *a = &e->accounts;
	bool units = o->energy_unit > 0;
	double unit = units ? o->energy_unit : 1;
	const char *name = units ? "units" : "J";
	list ledger = {""};
	table_add(t, "energy", "%.6g J at the start, %.6g J at the end", e->start, e->end);
	add_account(&ledger, a->events, unit, "by events");
	add_account(&ledger, a->fields, unit, "by fields");
	add_account(&ledger, -a->damping, unit, "by damping");
	add_account(&ledger, -a->impacts, unit, "in impacts");
	add_account(&ledger, -a->friction, unit, "by friction");
	add_account(&ledger, a->position, unit, "by keeping bodies apart");
	add_account(&ledger, -a->dropped, unit, "by coming to rest");
	add_account(&ledger, a->drift, unit, "by turning");
	add_account(&ledger, a->joints, unit, "by joints");
	table_add(t, "energy ledger", "%s; adds up within %.1g %s a frame",
	          ledger.text[0] ? ledger.text : "nothing to account for", e->residue.value / unit, name);
	list rise = {""};
	if (e->rise.value > 0) {
		list_add(&rise, "%.2g %s at frame %u", e->rise.value / unit, name, e->rise.frame);
		list_add(&rise, "%.2g over any stretch", e->climb / unit);
		list_add(&rise, "without cause");
	} else {
		list_add(&rise, "none without cause");
	}
	if (units)
		table_add(t, "largest rise", "%s (a unit is %.4g J)", rise.text, o->energy_unit);
	else
		table_add(t, "largest rise", "%s", rise.text);
	if (e->lift.value > 0)
		table_add(t, "largest lift", "%.2g of its size: %s at frame %u", e->lift.value,
		          e->lift.names[0] ? e->lift.names[0] : "a body that is gone", e->lift.frame);
}

static void add_time_rows(const summary *s, table *t)
{
	step_times ms = summary_times(s);
	list stages = {""};
	for (uint32_t i = 0; i < s->stage_count; ++i) {
		double percent = 100 * summary_share(s->stages[i].ms, ms.total);
		if (percent >= 0.5)
			list_add(&stages, "%s %.0f %%", s->stages[i].name, percent);
	}
	if (stages.text[0])
		table_add(t, "time by stage", "%s", stages.text);
	table_add(t, "recording", "%.3f ms a frame beside the step", summary_mean(s, s->write_ms));
}

static void add_file_rows(const outcome *o, table *t)
{
	char size[32];
	if (o->compared && o->differs)
		table_add(t, "bits", "not those of %s, from frame %u on", o->compared, o->first_difference);
	else if (o->compared)
		table_add(t, "bits", "same bits as %s in frames %u to %u%s", o->compared, o->compared_first, o->compared_last,
		          o->compared_last < o->source_last ? ", not compared beyond" : "");
	if (!o->has_info)
		return;
	text_size(o->info.size, size);
	table_add(t, "hash", "%016" PRIx64, o->info.hash);
	table_add(t, "file", "%s, %s", o->file, size);
}

/* A column of the row: two lines of heading and a value. */
typedef struct column {
	const char *above, *below;
	char value[24];
} column;

static void fill(column *c, const char *above, const char *below, const char *format, double value)
{
	c->above = above;
	c->below = below;
	snprintf(c->value, sizeof c->value, format, value);
}

static int column_width(const column *c)
{
	size_t wide = strlen(c->below);
	wide = strlen(c->value) > wide ? strlen(c->value) : wide;
	return (int)(strlen(c->above) > wide ? strlen(c->above) : wide);
}

/* Milliseconds with three figures or two decimals. */
static const char *ms_format(double ms)
{
	return ms < 0.0995 ? "%.4f" : ms < 0.995 ? "%.3f" : ms < 999.5 ? "%.2f" : "%.0f";
}

/* The row of OBA tables 7.1 and 7.2. */
static void print_row(const summary *s, FILE *out, int width)
{
	enum { COLUMNS = 10, INDENT = 2 };
	column c[COLUMNS];
	step_times ms = summary_times(s);
	fill(&c[0], "movable", "bodies", "%.0f", s->moving);
	fill(&c[1], "close", "pairs", "%.1f", summary_mean(s, (double)s->close_pairs));
	fill(&c[2], "", "collisions", "%.1f", summary_mean(s, (double)s->collisions));
	fill(&c[3], "contacts", "solved", "%.1f", summary_mean(s, (double)s->contacts));
	fill(&c[4], "", "frames", "%.0f", (double)s->steps);
	fill(&c[5], "ms", "mean", ms_format(ms.mean), ms.mean);
	fill(&c[6], "ms", "p95", ms_format(ms.p95), ms.p95);
	fill(&c[7], "ms", "max", ms_format(ms.most), ms.most);
	fill(&c[8], "", "programs", "%.2f", summary_mean(s, (double)s->programs));
	fill(&c[9], "passes", "back", "%.1f %%", 100 * summary_share((double)s->taken_back, (double)s->passes));
	int left = width - INDENT;
	for (int i = 0; i < COLUMNS; ++i)
		left -= column_width(&c[i]);
	int gap = left < 2 * (COLUMNS - 1) ? 1 : left < 3 * (COLUMNS - 1) ? 2 : 3;
	fputc('\n', out);
	for (int line = 0; line < 3; ++line) {
		for (int i = 0; i < COLUMNS; ++i)
			fprintf(out, "%*s%*s", i == 0 ? INDENT : gap, "", column_width(&c[i]),
			        line == 0   ? c[i].above
			        : line == 1 ? c[i].below
			                    : c[i].value);
		fputc('\n', out);
	}
}

static void print_next(const outcome *o, FILE *out, int width)
{
	char *name = text_shell(o->file), *glb;
	size_t size = strlen(o->file);
	if (size > 6 && strcmp(o->file + size - 6, ".cairn") == 0)
		size -= 6;
	char *plain = text_format("%.*s.glb", (int)size, o->file);
	glb = text_shell(plain);
	table next = {0};
	char *export = text_format("cairn export %s -o %s", name, glb), *info = text_format("cairn info %s", name);
	char *resume = text_format("cairn run %s --resume", name), *again = text_format("cairn run %s", name);
	char *certify = text_format("cairn certify %s", name), *report = text_format("cairn report %s", name);
	char *view = text_format("cairn view %s", name);
	if (!o->info.complete && !o->differs && strcmp(o->status, "failed") != 0)
		table_add(&next, resume, "go on to frame %u", o->total);
	table_add(&next, view, "look at it in the browser");
	table_add(&next, export, "for Blender and other programs");
	table_add(&next, report, "plots of time, contacts, debt, gaps and energy");
	table_add(&next, info, "what is in the recording");
	table_add(&next, certify, "check it again, from its keys alone");
	if (o->info.complete && !o->compared)
		table_add(&next, again, "run it again and compare the bits");
	fputs("\nNext\n", out);
	table_print(&next, out, width);
	table_free(&next);
	free(name), free(plain), free(glb), free(export), free(info), free(resume), free(again), free(certify),
		free(report), free(view);
}

void summary_print(const summary *s, const outcome *o, FILE *out)
{
	table t = {0};
	int width = screen_width(out);
	bool colors = screen_has_colors(out);
	fputs(colors ? "\033[1m" : "", out);
	print_tame(out, "%s", o->scene);
	fprintf(out, "%s: %s at frame %u of %u\n", colors ? "\033[0m" : "", o->status, o->has_info ? o->info.last_frame : 0,
	        o->total);
	if (s->steps > 0) {
		add_run_rows(s, o, &t);
		add_certificate_row(s, o, &t);
		add_gap_row(s, o, &t);
		add_late_rows(s, &t);
		add_joint_row(s, &t);
		add_text_row(s, o, &t);
		if (summary_has_contact(o->method)) {
			add_tier_rows(s, &t);
			add_debt_rows(&s->debt, summary_debt_mean(s), &t);
		}
		add_energy_rows(s, o, &t);
		add_time_rows(s, &t);
	}
	add_file_rows(o, &t);
	table_print(&t, out, width);
	table_free(&t);
	if (s->steps > 0)
		print_row(s, out, width);
	if (o->has_info)
		print_next(o, out, width);
}
