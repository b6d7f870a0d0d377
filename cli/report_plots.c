/* Which plots a report has, and what is said under each. One recording: quantities of a kind share a plot. Several: a
 * plot for each quantity, a colour for each recording. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES_SHOWN = 6, DATA_MOST = 4000 }; /* stages with a colour of their own; numbers of a series in a script */

static const double FIT_LEAST = 0.5; /* of the spread that a power law has to explain */

typedef struct builder {
	const report_run *runs;
	uint32_t count;
	html *out, *data;
	uint32_t figures; /* in data so far */
} builder;

/* ---- numbers for scripts */

static void put_number(html *data, double value)
{
	if (isfinite(value))
		html_put(data, "%.5g,", value);
	else
		html_put(data, "null,");
}

/* Long series by their envelope: of each bucket the least and the largest value, which stand for its two halves. */
static size_t bucket_size(size_t steps) { return steps > DATA_MOST ? 2 * ((steps + DATA_MOST - 1) / DATA_MOST) : 1; }

static void put_bucket(html *data, const double *y, size_t from, size_t to)
{
	double least = NAN, most = NAN;
	for (size_t i = from; i < to; ++i)
		least = fmin(least, y[i]), most = fmax(most, y[i]);
	put_number(data, least);
	put_number(data, most);
}

static void put_series(html *data, const double *y, size_t steps, bool places)
{
	size_t size = bucket_size(steps);
	html_put(data, "[");
	for (size_t from = 0; from < steps; from += size) {
		size_t to = from + size < steps ? from + size : steps;
		if (size == 1)
			put_number(data, y[from]);
		else if (places)
			html_put(data, "%.17g,%.17g,", y[from], y[from + (to - from) / 2] + (to - from == 1 ? 0.5 : 0));
		else
			put_bucket(data, y, from, to);
	}
	if (steps > 0)
		--data->size; /* the last comma */
	html_put(data, "]");
}

static void put_runs(const builder *b)
{
	html_put(b->data, "{\"runs\":[");
	for (uint32_t i = 0; i < b->count; ++i) {
		const report_run *run = &b->runs[i];
		html_put(b->data, "%s{\"label\":", i ? "," : "");
		html_json_text(b->data, run->label);
		html_put(b->data, ",\"page\":\"");
		html_link(b->data, run->stem);
		html_put(b->data, ".html\",\"fps\":%.17g,\"x\":", run->settings.fps);
		put_series(b->data, run->columns[COLUMN_FRAME], run->steps, true);
		html_put(b->data, "}");
	}
	html_put(b->data, "],\"figures\":[");
}

static void put_figure_data(builder *b, const plot *p)
{
	html *d = b->data;
	html_put(d, "%s{\"id\":\"%s\",\"stack\":%s,\"log\":%s,\"unit\":\"%s\",\"name\":", b->figures++ ? "," : "", p->id,
	         p->kind == PLOT_STACK ? "true" : "false", p->log_y ? "true" : "false", p->unit);
	html_json_text(d, p->y_name);
	if (p->mark > 0) {
		html_put(d, ",\"mark\":%.6g,\"markName\":", p->mark);
		html_json_text(d, p->mark_name);
	}
	html_put(d, ",\"series\":[");
	for (uint32_t i = 0; i < p->count; ++i) {
		const plot_series *s = &p->series[i];
		html_put(d, "%s{\"name\":", i ? "," : "");
		html_json_text(d, s->name);
		html_put(d, ",\"color\":%u,\"width\":%.2g,\"run\":%u,\"y\":", s->color, s->width, s->run);
		put_series(d, s->y, s->count, false);
		html_put(d, "}");
	}
	html_put(d, "]}");
}

/* ---- figures */

static void put_legend(const plot *p, html *out)
{
	html_put(out, "<ul class=\"legend\">");
	for (uint32_t i = 0; i < p->count; ++i) {
		html_put(out, "<li><i style=\"--c:var(--c%u)\"></i>", p->series[i].color);
		html_text(out, p->series[i].name);
		html_put(out, "</li>");
	}
	html_put(out, "</ul>\n");
}

static void put_figure(builder *b, const plot *p)
{
	if (p->count == 0 || !plot_has_values(p))
		return;
	html_put(b->out, "<figure id=\"%s\"><figcaption><h3>", p->id);
	html_text(b->out, p->title);
	html_put(b->out, "</h3>");
	if (*p->note) {
		html_put(b->out, "<p>");
		html_text(b->out, p->note);
		html_put(b->out, "</p>");
	}
	html_put(b->out, "</figcaption>\n");
	if (p->count > 1 || b->count > 1)
		put_legend(p, b->out);
	html_put(b->out, "<div class=\"drawing\">");
	plot_draw(p, b->out);
	html_put(b->out, "</div></figure>\n");
	if (p->kind != PLOT_DOTS)
		put_figure_data(b, p);
}

static void add_series(plot *p, const report_run *run, report_column column, const char *name)
{
	if (p->count == PLOT_SERIES_MOST)
		return;
	p->series[p->count] = (plot_series){.name = name,
	                                    .color = (uint8_t)(p->count % PLOT_COLORS),
	                                    .width = 1.6,
	                                    .x = run->columns[COLUMN_FRAME],
	                                    .y = run->columns[column],
	                                    .count = run->steps};
	++p->count;
}

static bool has_other_than_zero(const report_run *run, report_column column)
{
	for (size_t i = 0; i < run->steps; ++i)
		if (isfinite(run->columns[column][i]) && run->columns[column][i] != 0)
			return true;
	return false;
}

static plot over_frames(const char *id, const char *title, const char *y_name, const char *unit)
{
	return (plot){.id = id, .title = title, .note = "", .x_name = "frame", .y_name = y_name, .unit = unit};
}

/* One quantity of every recording. Later ones are drawn over earlier ones, and thinner, so that the same shows as the
 * same. */
static void compare_column(builder *b, plot p, report_column column)
{
	bool any = false;
	for (uint32_t i = 0; i < b->count; ++i) {
		add_series(&p, &b->runs[i], column, b->runs[i].label);
		p.series[i].run = i;
		p.series[i].width = 1.4 + 2.0 * (b->count - 1 - i) / (b->count - 1);
		any = any || has_other_than_zero(&b->runs[i], column);
	}
	if (any)
		put_figure(b, &p);
}

/* ---- time */

static int compare_stages(const void *a, const void *b)
{
	const stage_sum *x = *(const stage_sum *const *)a, *y = *(const stage_sum *const *)b;
	return x->ms != y->ms ? (x->ms < y->ms) - (x->ms > y->ms) : (x > y) - (x < y);
}

/* The stages that took most, in the order in which a frame goes through them, and all others together. */
static void plot_stages(builder *b, plot *p)
{
	const report_run *run = &b->runs[0];
	const stage_sum *order[CAIRN_MAX_STAGES] = {NULL};
	for (uint32_t i = 0; i < run->sum.stage_count; ++i)
		order[i] = &run->sum.stages[i];
	qsort(order, run->sum.stage_count, sizeof order[0], compare_stages);
	double *other = memory_resize(NULL, (run->steps + 1) * sizeof other[0]);
	memcpy(other, run->columns[COLUMN_MS], run->steps * sizeof other[0]);
	for (uint32_t s = 0; s < run->sum.stage_count; ++s) {
		uint32_t rank = 0;
		while (order[rank] != &run->sum.stages[s])
			++rank;
		if (rank >= STAGES_SHOWN || run->sum.stages[s].ms <= 0)
			continue;
		report_column column = (report_column)(COLUMN_STAGE + s);
		add_series(p, run, column, run->sum.stages[s].name);
		for (size_t i = 0; i < run->steps; ++i)
			other[i] = fmax(0, other[i] - run->columns[column][i]);
	}
	bool alone = p->count == 0;
	if (p->count < PLOT_SERIES_MOST) {
		p->series[p->count] = (plot_series){.name = alone ? "whole step" : "all else",
		                                    .color = alone ? 0 : PLOT_COLORS - 1,
		                                    .x = run->columns[COLUMN_FRAME],
		                                    .y = other,
		                                    .count = run->steps};
		++p->count;
	}
	put_figure(b, p);
	free(other);
}

static void plot_time(builder *b)
{
	char mark[64], note[160];
	double fps = b->runs[0].settings.fps, budget = 1000 / fps;
	plot p = over_frames("time", "Time per frame", "time", "ms");
	snprintf(mark, sizeof mark, "%.3g ms: real time at %g frames a second", budget, fps);
	p.mark = budget, p.mark_name = mark;
	if (b->count > 1) {
		compare_column(b, p, COLUMN_MS);
		return;
	}
	step_times ms = summary_times(&b->runs[0].sum);
	snprintf(note, sizeof note, "By stage. Mean %.3g ms, 95 %% of the frames below %.3g ms, slowest %.3g ms.", ms.mean,
	         ms.p95, ms.most);
	p.note = note;
	p.kind = PLOT_STACK;
	plot_stages(b, &p);
}

/* ---- contact */

static void plot_counts(builder *b)
{
	const report_run *run = &b->runs[0];
	if (b->count > 1) {
		compare_column(b, over_frames("pairs", "Close pairs", "close pairs", ""), COLUMN_CLOSE_PAIRS);
		compare_column(b, over_frames("contacts", "Contacts solved", "contacts solved", ""), COLUMN_CONTACTS);
		compare_column(b, over_frames("collisions", "Collisions", "collisions", ""), COLUMN_COLLISIONS);
		return;
	}
	plot p = over_frames("counts", "Close pairs, collisions, contacts solved", "a frame", "");
	p.note = "Pairs in the position program; contact points that bounce; contact points that were solved for. Sleeping "
			 "bodies touch too, but have nothing to solve.";
	if (!has_other_than_zero(run, COLUMN_CLOSE_PAIRS) && !has_other_than_zero(run, COLUMN_CONTACTS))
		return;
	add_series(&p, run, COLUMN_CLOSE_PAIRS, "close pairs");
	add_series(&p, run, COLUMN_COLLISIONS, "collisions");
	add_series(&p, run, COLUMN_CONTACTS, "contacts solved");
	put_figure(b, &p);
}

static bool any_measured(const builder *b)
{
	for (uint32_t i = 0; i < b->count; ++i)
		if (b->runs[i].sum.measured > 0)
			return true;
	return false;
}

static void plot_gaps(builder *b)
{
	plot p = over_frames("gap", "Smallest gap at the frame's end", "gap", "m");
	p.log_y = true;
	p.note =
		"Between any two bodies whose ways came near each other, at the end of the frame. Nothing is drawn where none "
		"did; a gap of 0 or less lies on the lower edge.";
	plot j = over_frames("joint", "Joint error", "distance", "m");
	j.log_y = true;
	j.note =
		"How far apart the points are that a joint holds together, or what it does not let turn, the worst joint of "
		"each frame.";
	plot d = over_frames("depth", "Deepest overlap", "depth", "m");
	d.note = "How deep the two bodies overlap that overlap most, at a key of the frame. Drawn for methods that promise "
			 "nothing.";
	if (b->count > 1) {
		compare_column(b, p, COLUMN_GAP);
		if (any_measured(b))
			compare_column(b, d, COLUMN_DEPTH);
		compare_column(b, j, COLUMN_JOINT);
		return;
	}
	add_series(&p, &b->runs[0], COLUMN_GAP, "smallest gap");
	put_figure(b, &p);
	add_series(&d, &b->runs[0], COLUMN_DEPTH, "depth");
	if (any_measured(b))
		put_figure(b, &d);
	add_series(&j, &b->runs[0], COLUMN_JOINT, "joint error");
	if (b->runs[0].sum.joints > 0)
		put_figure(b, &j);
}

/* ---- motion */

static void plot_motion(builder *b)
{
	const report_run *run = &b->runs[0];
	plot d = over_frames("debt", "Debt", "debt", "m");
	d.log_y = true;
	d.note =
		"How far bodies are from where their velocities and the impulses of the frame lead them, beyond the gap that "
		"is kept: the furthest one, and the mean of those that moved. Less than a millionth of the largest is not "
		"drawn.";
	plot s = over_frames("steps", "Steps inside the frame", "steps", "");
	s.note = "One where bodies fly, slide, roll or rest; more where contacts change within the frame.";
	if (b->count > 1) {
		compare_column(b, d, COLUMN_DEBT);
		compare_column(b, s, COLUMN_STEPS);
		return;
	}
	if (!summary_has_contact(run->settings.method))
		return;
	add_series(&d, run, COLUMN_DEBT, "largest");
	add_series(&d, run, COLUMN_DEBT_MEAN, "mean");
	d.series[0].width = d.series[1].width = 2.2; /* many stand alone, as dots */
	put_figure(b, &d);
	add_series(&s, run, COLUMN_STEPS, "steps");
	put_figure(b, &s);
}

/* ---- energy */

static void plot_energy(builder *b)
{
	const report_run *run = &b->runs[0];
	if (b->count > 1) {
		compare_column(b, over_frames("total", "Total energy", "energy", "J"), COLUMN_TOTAL);
		compare_column(b, over_frames("kinetic", "Kinetic energy", "energy", "J"), COLUMN_KINETIC);
		return;
	}
	plot p = over_frames("energy", "Energy", "energy", "J");
	p.note = "Potential energy is that of gravity, 0 at the origin.";
	add_series(&p, run, COLUMN_TOTAL, "total");
	add_series(&p, run, COLUMN_KINETIC, "kinetic");
	add_series(&p, run, COLUMN_POTENTIAL, "potential");
	put_figure(b, &p);
	static const struct {
		report_column column;
		const char *name;
	} accounts[] = {{COLUMN_IMPACTS, "lost in impacts"},
	                {COLUMN_FRICTION, "lost by friction"},
	                {COLUMN_DROPPED, "dropped at rest"},
	                {COLUMN_DAMPING, "lost by damping"},
	                {COLUMN_EVENTS, "brought by events"},
	                {COLUMN_FIELDS, "brought by fields"},
	                {COLUMN_POSITION, "brought by keeping bodies apart"},
	                {COLUMN_DRIFT, "made by turning"},
	                {COLUMN_JOINTS, "brought by joints"}};
	plot l = over_frames("ledger", "The ledger", "since the start", "J");
	l.note = "Where energy went to and came from, added up from the first frame on.";
	for (size_t i = 0; i < sizeof accounts / sizeof accounts[0]; ++i)
		if (has_other_than_zero(run, accounts[i].column))
			add_series(&l, run, accounts[i].column, accounts[i].name);
	put_figure(b, &l);
}

/* ---- work */

static void plot_tiers(builder *b)
{
	static const char *const names[CAIRN_TIER_COUNT] = {[CAIRN_TIER_FAST] = "fast: turns cut short",
	                                                    [CAIRN_TIER_RESTORE] = "restore: rounds",
	                                                    [CAIRN_TIER_CUT] = "cut: bodies with more keys",
	                                                    [CAIRN_TIER_AXIS] = "axis: rounds",
	                                                    [CAIRN_TIER_HALVE] = "halve: bodies",
	                                                    [CAIRN_TIER_HOLD] = "hold: bodies put back"};
	plot p = over_frames("tiers", "Tiers", "a frame", "");
	p.note = "What it took to keep motion free of crossings, tier by tier. Held bodies should be few.";
	for (int i = 0; i < CAIRN_TIER_COUNT; ++i)
		if (has_other_than_zero(&b->runs[0], (report_column)(COLUMN_TIER + i)))
			add_series(&p, &b->runs[0], (report_column)(COLUMN_TIER + i), names[i]);
	put_figure(b, &p);
}

static void plot_work(builder *b)
{
	const report_run *run = &b->runs[0];
	if (b->count > 1) {
		compare_column(b, over_frames("programs", "Programs", "programs", ""), COLUMN_PROGRAMS);
		compare_column(b, over_frames("passes", "Passes of the position program", "passes", ""), COLUMN_PASSES);
		plot held = over_frames("held", "Bodies held", "bodies", "");
		held.note = "Put back by the last tier; it should be few.";
		compare_column(b, held, (report_column)(COLUMN_TIER + CAIRN_TIER_HOLD));
		compare_column(b, over_frames("asleep", "Sleeping bodies", "bodies", ""), COLUMN_ASLEEP);
		return;
	}
	plot p = over_frames("programs", "Programs and passes", "a frame", "");
	p.note = "Quadratic programs solved; how many of them were passes of the position program; passes taken back.";
	if (has_other_than_zero(run, COLUMN_PROGRAMS)) {
		add_series(&p, run, COLUMN_PROGRAMS, "programs");
		add_series(&p, run, COLUMN_PASSES, "passes");
		if (has_other_than_zero(run, COLUMN_TAKEN_BACK))
			add_series(&p, run, COLUMN_TAKEN_BACK, "taken back");
		put_figure(b, &p);
	}
	plot_tiers(b);
	plot s = over_frames("bodies", "Movable and sleeping bodies", "bodies", "");
	add_series(&s, run, COLUMN_MOVING, "movable");
	add_series(&s, run, COLUMN_ASLEEP, "asleep");
	if (has_other_than_zero(run, COLUMN_FROZEN))
		add_series(&s, run, COLUMN_FROZEN, "frozen");
	put_figure(b, &s);
}

/* ---- how the cost grows: OBA figures 7.2 to 7.4, and against the number of bodies */

typedef struct growth {
	const char *id, *title, *what, *stage; /* stage NULL: the column y */
	report_column x, y;
	bool per_pass, log;
	const char *y_name, *unit;
} growth;

/* The exponent of y = c x^p by least squares on logarithms; NaN where the points do not tell, or hardly follow it. */
static double fit_power(const double *x, const double *y, size_t count)
{
	double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0, least = INFINITY, most = 0;
	for (size_t i = 0; i < count; ++i) {
		if (!(x[i] > 0) || !(y[i] > 0))
			continue;
		double u = log(x[i]), v = log(y[i]);
		n += 1, sx += u, sy += v, sxx += u * u, sxy += u * v, syy += v * v;
		least = fmin(least, x[i]), most = fmax(most, x[i]);
	}
	double spread = n * sxx - sx * sx, rises = n * syy - sy * sy, both = n * sxy - sx * sy;
	bool told = n >= 12 && most >= 4 * least && spread > 0 && both * both > FIT_LEAST * spread * rises;
	return told ? both / spread : NAN;
}

static double *growth_values(const report_run *run, const growth *g)
{
	double *y = memory_resize(NULL, (run->steps + 1) * sizeof y[0]);
	const double *from = run->columns[g->y];
	for (uint32_t s = 0; g->stage && s < run->sum.stage_count; ++s)
		if (strcmp(run->sum.stages[s].name, g->stage) == 0)
			from = run->columns[COLUMN_STAGE + s];
	for (size_t i = 0; i < run->steps; ++i) {
		double passes = run->columns[COLUMN_PASSES][i];
		y[i] = g->per_pass ? (passes > 0 ? from[i] / passes : NAN) : from[i];
	}
	return y;
}

static bool has_stage(const report_run *run, const char *name)
{
	for (uint32_t s = 0; s < run->sum.stage_count; ++s)
		if (strcmp(run->sum.stages[s].name, name) == 0)
			return true;
	return false;
}

static bool varies(const report_run *run, report_column column)
{
	for (size_t i = 1; i < run->steps; ++i)
		if (run->columns[column][i] != run->columns[column][0])
			return true;
	return false;
}

/* "; growth like n^1.10", in a comparison "; growth like NAME n^1.10, OTHER n^1.20". */
static void note_power(const builder *b, const char *label, double power, char note[400])
{
	size_t used = strlen(note);
	if (!isfinite(power) || used + 100 > 400)
		return;
	snprintf(note + used, 400 - used, "%s%.40s%sn^%.2f", strchr(note, '^') ? ", " : "; growth like ",
	         b->count > 1 ? label : "", b->count > 1 ? " " : "", power);
}

static void plot_growth(builder *b, const growth *g)
{
	double *y[REPORT_RUNS_MOST] = {NULL};
	char note[400] = "A dot a frame";
	plot p = {.id = g->id, .title = g->title, .note = note, .x_name = g->what, .y_name = g->y_name, .unit = g->unit};
	p.kind = PLOT_DOTS, p.log_x = p.log_y = g->log;
	bool any = false;
	for (uint32_t i = 0; i < b->count; ++i) {
		const report_run *run = &b->runs[i];
		bool fits = !g->stage || has_stage(run, g->stage);
		y[i] = growth_values(run, g);
		any = any || (fits && varies(run, g->x));
		p.series[i] = (plot_series){.name = b->count > 1 ? run->label : g->y_name,
		                            .color = (uint8_t)i,
		                            .x = run->columns[g->x],
		                            .y = y[i],
		                            .count = fits ? run->steps : 0};
		++p.count;
		note_power(b, run->label, fits ? fit_power(run->columns[g->x], y[i], run->steps) : NAN, note);
	}
	strcat(note, ".");
	if (any)
		put_figure(b, &p);
	for (uint32_t i = 0; i < b->count; ++i)
		free(y[i]);
}

static void plot_all_growth(builder *b)
{
	static const growth all[] = {
		{"time-bodies", "Time per frame against bodies", "movable bodies", NULL, COLUMN_MOVING, COLUMN_MS, false, false,
	     "time", "ms"},
		{"pairs-bodies", "Close pairs against bodies", "movable bodies", NULL, COLUMN_MOVING, COLUMN_CLOSE_PAIRS, false,
	     false, "close pairs", ""},
		{"contacts-bodies", "Contacts solved against bodies", "movable bodies", NULL, COLUMN_MOVING, COLUMN_CONTACTS,
	     false, false, "contacts solved", ""},
		{"programs-bodies", "Programs against bodies", "movable bodies", NULL, COLUMN_MOVING, COLUMN_PROGRAMS, false,
	     false, "programs", ""},
		{"bounce", "Bounces: time against collisions", "collisions", "bounce", COLUMN_COLLISIONS, COLUMN_MS, false,
	     true, "time of the stage", "ms"},
		{"rest", "Rest: time against contacts solved", "contacts solved", "rest", COLUMN_CONTACTS, COLUMN_MS, false,
	     true, "time of the stage", "ms"},
		{"position", "Position: time of a pass against close pairs", "close pairs", "position", COLUMN_CLOSE_PAIRS,
	     COLUMN_MS, true, true, "time of a pass", "ms"},
	};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
		plot_growth(b, &all[i]);
}

/* A section that came out empty is taken back. */
static void put_section(builder *b, const char *title, void (*fill)(builder *), void (*more)(builder *))
{
	size_t before = b->out->size;
	html_put(b->out, "<section class=\"plots\"><h2>%s</h2><div class=\"grid\">\n", title);
	size_t begun = b->out->size;
	fill(b);
	if (more)
		more(b);
	if (b->out->size == begun) {
		b->out->size = before;
		b->out->text[before] = 0;
		return;
	}
	html_put(b->out, "</div></section>\n");
}

void report_plots(const report_run *runs, uint32_t count, html *out, html *data)
{
	builder b = {.runs = runs, .count = count, .out = out, .data = data};
	put_runs(&b);
	put_section(&b, "Time and contact", plot_time, plot_counts);
	put_section(&b, "Motion", plot_motion, NULL);
	put_section(&b, "Gaps and energy", plot_gaps, plot_energy);
	put_section(&b, "Work", plot_work, NULL);
	put_section(&b, "How the cost grows", plot_all_growth, NULL);
	html_put(data, "]}");
}
