/* The page: what was compared, a column a method, pictures, plots. No script; nothing from elsewhere. */
#include "compare.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A dozen columns fit on a usual screen; on a narrower one the table moves below the names of its rows. */
static const char STYLE[] =
	"main,header,footer{max-width:1560px}\n"
	".compare{font-size:13px}.compare th,.compare td{padding:6px 8px}\n"
	".compare thead th{text-align:right;min-width:0;white-space:nowrap;overflow-wrap:normal;vertical-align:bottom}\n"
	".compare thead th:first-child{text-align:left}\n"
	".compare td small,.compare th small{display:block;color:var(--soft);font-size:11.5px;font-weight:400;"
	"white-space:normal;overflow-wrap:anywhere;max-width:15ch;margin-left:auto}\n"
	".compare th:first-child{position:sticky;left:0;background:var(--card);white-space:normal;min-width:118px;"
	"max-width:170px;line-height:1.3}\n"
	".compare th[scope=row] small{margin-left:0}\n"
	".compare td.bad{color:var(--bad)}.compare td.good{color:var(--good)}.compare td.none{color:var(--soft)}\n"
	".reasons{margin:.8em 0 0;padding:0;list-style:none;font-size:13px;color:var(--soft)}"
	".reasons b{color:var(--ink)}.reasons li{margin:.25em 0;overflow-wrap:anywhere}\n"
	".over{overflow-x:auto}.frames{border-collapse:separate;border-spacing:6px;width:auto;font-size:13px}\n"
	".frames th,.frames td{padding:0;border:0;vertical-align:middle;color:var(--soft)}"
	".frames th[scope=row]{padding-right:8px;color:var(--ink);font-weight:600}\n"
	".frames img{display:block;width:100%;min-width:120px;height:auto;border-radius:6px;background:var(--grid)}\n"
	".frames td{text-align:center;white-space:normal;min-width:120px}\n"
	".key.dashed,.legend i.dashed{background:repeating-linear-gradient(90deg,var(--c) 0 5px,transparent 5px 8px)}\n";

static uint8_t color_of(uint32_t column) { return (uint8_t)(column % PLOT_COLORS); }

static bool is_dashed(uint32_t column) { return column >= PLOT_COLORS; }

static void put_head(const compare *c, html *out)
{
	html_put(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	              "<meta name=\"generator\" content=\"cairn compare\">\n"
	              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
	              "'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
	              "<link rel=\"icon\" href=\"data:,\">\n<title>");
	html_text(out, c->from.stem);
	html_put(out, " \xC2\xB7 cairn compare</title>\n<style>\n%s%s</style>\n</head>\n<body>\n", report_style, STYLE);
}

static void put_key(html *out, uint32_t column)
{
	html_put(out, "<i class=\"key%s\" style=\"--c:var(--c%u)\"></i> ", is_dashed(column) ? " dashed" : "",
	         color_of(column));
}

/* ---- the table */

typedef enum tone { TONE_PLAIN, TONE_GOOD, TONE_BAD } tone;

static void open_cell(html *out, const char *fact, double value, tone t)
{
	html_put(out, "<td%s data-fact=\"%s\"",
	         t == TONE_GOOD  ? " class=\"good\""
	         : t == TONE_BAD ? " class=\"bad\""
	                         : "",
	         fact);
	if (isfinite(value))
		html_put(out, " data-value=\"%.17g\"", value);
	html_put(out, ">");
}

static void put_small(html *out, const char *text)
{
	html_put(out, "<small>");
	html_text(out, text);
	html_put(out, "</small>");
}

static void put_status(const compare *c, const compare_column *column, html *out)
{
	bool done = column->end == COMPARE_DONE;
	open_cell(out, "status", NAN, done ? TONE_PLAIN : TONE_BAD);
	if (column->end == COMPARE_REFUSED)
		html_put(out, "cannot do it");
	else if (column->end == COMPARE_ENDED)
		html_put(out, "ended after frame %u of %u", column->frames, c->frames);
	else
		html_put(out, "%u frames", column->frames);
	html_put(out, "</td>");
}

/* Why columns were not run, or not to the end: too long for cells. */
static void put_reasons(const compare *c, html *out)
{
	bool any = false;
	for (uint32_t i = 0; i < c->count; ++i) {
		const compare_column *column = &c->columns[i];
		if (column->end == COMPARE_DONE)
			continue;
		html_put(out, "%s<li><b>", any ? "" : "<ul class=\"reasons\">\n");
		html_text(out, column->label);
		html_put(out, "</b> %s: ", column->end == COMPARE_REFUSED ? "cannot do it" : "ended");
		html_text(out, column->reason);
		html_put(out, "</li>\n");
		any = true;
	}
	html_put(out, any ? "</ul>\n" : "");
}

static void put_depth(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	char text[300];
	open_cell(out, "depth_share", column->share,
	          column->share > COMPARE_DEEP ? TONE_BAD
	          : column->share == 0         ? TONE_GOOD
	                                       : TONE_PLAIN);
	if (!isfinite(column->share))
		html_put(out, "not measured");
	else if (column->share == 0)
		html_put(out, "none");
	else {
		html_put(out, "%.3g %%", 100 * column->share);
		snprintf(text, sizeof text, "%.3g mm, frame %u: %s", 1000 * column->depth, column->depth_frame,
		         column->depth_pair);
		put_small(out, text);
		snprintf(text, sizeof text, "%.3g %% of thickness", 100 * column->share_thin);
		if (column->share_thin > 1.001 * column->share)
			put_small(out, text);
	}
	html_put(out, "</td>");
}

static void put_certificate(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	const char *verdict = summary_verdict(&column->sum);
	bool clean = strcmp(verdict, "clean") == 0;
	open_cell(out, "certificate", NAN, clean ? TONE_GOOD : strcmp(verdict, "unchecked") == 0 ? TONE_PLAIN : TONE_BAD);
	html_text(out, verdict);
	html_put(out, "</td>");
}

static void put_count(html *out, const char *fact, bool known, uint64_t count)
{
	if (!known) {
		html_put(out, "<td data-fact=\"%s\">not measured</td>", fact);
		return;
	}
	open_cell(out, fact, (double)count, count ? TONE_BAD : TONE_GOOD);
	html_put(out, "%llu</td>", (unsigned long long)count);
}

static void put_overlaps(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	put_count(out, "overlaps", column->sum.certified > 0, column->sum.certificate.overlaps);
}

static void put_passages(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	put_count(out, "passages", column->sum.certified > 0, column->sum.certificate.passages);
}

static void put_escaped(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	put_count(out, "escaped", true, column->escaped);
}

static void put_limits(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	put_count(out, "limits", true, column->sum.text_fallbacks);
}

static void put_mean(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	open_cell(out, "ms_mean", column->ms_mean, TONE_PLAIN);
	html_put(out, "%.3g ms</td>", column->ms_mean);
}

static void put_p95(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	open_cell(out, "ms_p95", column->ms_p95, TONE_PLAIN);
	html_put(out, "%.3g ms</td>", column->ms_p95);
}

static void put_energy(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	char text[48];
	open_cell(out, "energy_end", column->sum.energy.end, TONE_PLAIN);
	text_quantity(column->sum.energy.end, "J", text);
	html_text(out, text);
	html_put(out, "</td>");
}

static void put_rise(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	char text[48];
	double rise = column->energy_unit > 0 ? column->sum.energy.rise.value / column->energy_unit : NAN;
	open_cell(out, "energy_rise", rise, rise > 0.01 ? TONE_BAD : TONE_PLAIN);
	html_put(out, "%.2g", rise);
	snprintf(text, sizeof text, "frame %u", (column->sum.energy.rise.frame + column->finer - 1) / column->finer);
	if (rise > 0)
		put_small(out, text);
	html_put(out, "</td>");
}

static void put_rest(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	open_cell(out, "at_rest", column->at_rest ? 1.0 : 0.0, TONE_PLAIN);
	html_put(out, "%s</td>", column->at_rest ? "yes" : "no");
}

static void put_distance(const compare *c, const compare_column *column, html *out)
{
	bool known = c->truth >= 0 && column != &c->columns[c->truth] && column->frames > 0;
	double last = known ? column->series[SERIES_DISTANCE][column->frames - 1] : NAN;
	open_cell(out, "distance", last, TONE_PLAIN);
	if (isfinite(last))
		html_put(out, "%.3g</td>", last);
	else
		html_put(out, "\xE2\x80\x93</td>");
}

static void put_trials(const compare *c, const compare_column *column, html *out)
{
	(void)c;
	uint32_t least = 0;
	for (uint32_t i = 0; i < column->trial_count && !least; ++i)
		if (!column->trials[i].ended && column->trials[i].share < COMPARE_DEEP)
			least = column->trials[i].substeps;
	open_cell(out, "substeps", least ? (double)least : NAN, TONE_PLAIN);
	if (column->trial_count == 0)
		html_put(out, "\xE2\x80\x93");
	else if (least)
		html_put(out, "%u", least);
	else
		html_put(out, "none tried");
	for (uint32_t i = 0; i < column->trial_count; ++i) {
		char text[80];
		const compare_trial *t = &column->trials[i];
		snprintf(text, sizeof text, "%u: %.3g %%, %.3g ms%s", t->substeps, 100 * t->share, t->ms,
		         t->ended ? ", ended" : "");
		put_small(out, text);
	}
	html_put(out, "</td>");
}

typedef struct row {
	const char *name;
	void (*put)(const compare *c, const compare_column *column, html *out);
	bool always; /* also where the method could not run */
} row;

/* A row for each thing that is known of the scene. */
static void put_answers(const compare *c, html *out)
{
	const compare_column *some = NULL;
	for (uint32_t i = 0; i < c->count && !some; ++i)
		some = c->columns[i].answer_count ? &c->columns[i] : NULL;
	for (uint32_t k = 0; some && k < some->answer_count; ++k) {
		html_put(out, "<tr><th scope=\"row\">%s<small>known: %.4g %s</small></th>", some->answers[k].what,
		         some->answers[k].expected, some->answers[k].unit);
		for (uint32_t i = 0; i < c->count; ++i) {
			const compare_answer *a = &c->columns[i].answers[k];
			if (k >= c->columns[i].answer_count) {
				html_put(out, "<td></td>");
				continue;
			}
			open_cell(out, "known", a->measured, isnan(a->measured) ? TONE_PLAIN : a->met ? TONE_GOOD : TONE_BAD);
			html_put(out, "%s", compare_answer_word(a));
			if (!isnan(a->measured))
				html_put(out, "<small>%.4g %s</small>", a->measured, a->unit);
			html_put(out, "</td>");
		}
		html_put(out, "</tr>\n");
	}
}

static bool any_limit(const compare *c)
{
	bool any = false;
	for (uint32_t i = 0; i < c->count; ++i)
		any |= c->columns[i].sum.text_fallbacks > 0;
	return any;
}

static void put_table(const compare *c, html *out)
{
	static const row rows[] = {{"frames run", put_status, true},
	                           {"time a frame, mean", put_mean, false},
	                           {"95 % of frames below", put_p95, false},
	                           {"certificate", put_certificate, false},
	                           {"worst depth, of the smaller moving body\xE2\x80\x99s size", put_depth, false},
	                           {"overlaps, pairs and keys", put_overlaps, false},
	                           {"passages", put_passages, false},
	                           {"bodies that escaped", put_escaped, false},
	                           {"energy at the end", put_energy, false},
	                           {"largest rise in a frame, units", put_rise, false},
	                           {"at rest at the end", put_rest, false},
	                           {"distance from the truth, sizes", put_distance, false},
	                           {"limits and fall-backs, times", put_limits, false},
	                           {"least steps that stay under 5 %", put_trials, false}};
	html_put(out, "<div class=\"wide\"><table class=\"compare\">\n<thead><tr><th>method</th>");
	for (uint32_t i = 0; i < c->count; ++i) {
		html_put(out, "<th scope=\"col\">");
		put_key(out, i);
		html_text(out, c->columns[i].label);
		if (c->columns[i].options[0])
			put_small(out, c->columns[i].options);
		html_put(out, "</th>");
	}
	html_put(out, "</tr></thead>\n<tbody>\n");
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
		if ((rows[r].put == put_distance && c->truth < 0) || (rows[r].put == put_trials && c->try_count == 0) ||
		    (rows[r].put == put_limits && !any_limit(c)))
			continue;
		html_put(out, "<tr><th scope=\"row\">%s</th>", rows[r].name);
		for (uint32_t i = 0; i < c->count; ++i)
			if (rows[r].always || c->columns[i].end != COMPARE_REFUSED)
				rows[r].put(c, &c->columns[i], out);
			else
				html_put(out, "<td class=\"none\">\xE2\x80\x93</td>");
		html_put(out, "</tr>\n");
	}
	put_answers(c, out);
	html_put(out, "</tbody></table></div>\n");
	put_reasons(c, out);
}

/* ---- pictures */

static void put_pictures(const compare *c, html *out)
{
	uint32_t most = 0;
	html_put(out, "<section id=\"pictures\"><h2>The same frames</h2>\n");
	if (c->no_pictures[0]) {
		html_put(out, "<p class=\"hint\">No pictures: ");
		html_text(out, c->no_pictures);
		html_put(out, ".</p></section>\n");
		return;
	}
	most = c->frames + 1 < COMPARE_PICTURES ? c->frames + 1 : COMPARE_PICTURES;
	html_put(out, "<div class=\"over\"><table class=\"frames\">\n");
	for (uint32_t i = 0; i < c->count; ++i) {
		const compare_column *column = &c->columns[i];
		html_put(out, "<tr><th scope=\"row\">");
		html_text(out, column->label);
		html_put(out, "</th>");
		for (uint32_t k = 0; k < most; ++k) {
			const compare_picture *picture = &column->pictures[k];
			if (k >= column->picture_count) {
				html_put(out, "<td>%s</td>", column->end == COMPARE_REFUSED ? "cannot do it" : "ended");
				continue;
			}
			html_put(out, "<td><img width=\"%u\" height=\"%u\" alt=\"", c->picture_width, c->picture_height);
			html_text(out, column->label);
			html_put(out, ", frame %u\" src=\"data:image/png;base64,", picture->frame);
			html_base64(out, picture->png, picture->size);
			html_put(out, "\"></td>");
		}
		html_put(out, "</tr>\n");
	}
	html_put(out, "<tr><th></th>");
	for (uint32_t k = 0; k < most; ++k) {
		uint32_t frame = most > 1 ? (uint32_t)((uint64_t)c->frames * k / (most - 1)) : 0;
		html_put(out, "<td>frame %u, %.2f\xC2\xA0s</td>", frame, frame / c->settings.fps);
	}
	html_put(out, "</tr>\n</table></div></section>\n");
}

/* ---- plots */

static void put_legend(const compare *c, html *out)
{
	html_put(out, "<ul class=\"legend\">");
	for (uint32_t i = 0; i < c->count; ++i) {
		if (c->columns[i].end == COMPARE_REFUSED)
			continue;
		html_put(out, "<li><i%s style=\"--c:var(--c%u)\"></i>", is_dashed(i) ? " class=\"dashed\"" : "", color_of(i));
		html_text(out, c->columns[i].label);
		html_put(out, "</li>");
	}
	html_put(out, "</ul>\n");
}

static void put_plot(const compare *c, plot p, compare_series what, html *out)
{
	for (uint32_t i = 0; i < c->count; ++i) {
		const compare_column *column = &c->columns[i];
		if (column->end == COMPARE_REFUSED)
			continue;
		p.series[p.count++] = (plot_series){.name = column->label,
		                                    .color = color_of(i),
		                                    .dashed = is_dashed(i),
		                                    .width = 1.6,
		                                    .x = column->series[SERIES_FRAME],
		                                    .y = column->series[what],
		                                    .count = column->frames};
	}
	if (!plot_has_values(&p))
		return;
	html_put(out, "<figure id=\"%s\"><figcaption><h3>", p.id);
	html_text(out, p.title);
	html_put(out, "</h3><p>");
	html_text(out, p.note);
	html_put(out, "</p></figcaption>\n");
	put_legend(c, out);
	html_put(out, "<div class=\"drawing\">");
	plot_draw(&p, out);
	html_put(out, "</div></figure>\n");
}

static void put_plots(const compare *c, html *out)
{
	html_put(out, "<section id=\"plots\"><h2>Over time</h2>\n<div class=\"grid\">\n");
	put_plot(
		c,
		(plot){.id = "depth",
	           .title = "How deep bodies are in each other",
	           .note = "The deepest pair of each frame, as a share of the smaller moving body's size; nothing is drawn "
	                   "where nothing overlaps.",
	           .x_name = "frame",
	           .y_name = "depth, of the size",
	           .mark = COMPARE_DEEP,
	           .mark_name = "5 %",
	           .unit = "",
	           .log_y = true},
		SERIES_DEPTH, out);
	put_plot(c,
	         (plot){.id = "energy",
	                .title = "Energy",
	                .note = "Kinetic energy and the potential energy of gravity, 0 at the origin.",
	                .x_name = "frame",
	                .y_name = "energy",
	                .unit = "J"},
	         SERIES_ENERGY, out);
	put_plot(
		c,
		(plot){.id = "time",
	           .title = "Time a frame",
	           .note =
	               "All steps of the frame. A method that guarantees counts with its certificate, the others without "
	               "what the measuring of depths takes.",
	           .x_name = "frame",
	           .y_name = "time",
	           .unit = "ms",
	           .log_y = true},
		SERIES_MS, out);
	put_plot(c,
	         (plot){.id = "contacts",
	                .title = "Contact points",
	                .note = "That hold what rests or pushes, at the frame's end.",
	                .x_name = "frame",
	                .y_name = "contacts",
	                .unit = ""},
	         SERIES_CONTACTS, out);
	put_plot(
		c,
		(plot){.id = "distance",
	           .title = "Distance from the truth",
	           .note =
	               "How far bodies are from where the finest run has them: the mean over dynamic bodies of the "
	               "distance of their centres, in their own sizes. Where motion is chaotic all part from it in time.",
	           .x_name = "frame",
	           .y_name = "distance, sizes",
	           .unit = "",
	           .log_y = true},
		SERIES_DISTANCE, out);
	html_put(out, "</div></section>\n");
}

void compare_page(const compare *c, html *out)
{
	char size[COMPARE_SIZE_TEXT];
	put_head(c, out);
	html_put(out, "<header>\n<p class=\"kind\">cairn compare</p>\n<h1>");
	html_text(out, *c->settings.name ? c->settings.name : c->from.stem);
	html_put(out, "</h1>\n");
	if (*c->settings.description) {
		html_put(out, "<p class=\"lead\">");
		html_text(out, c->settings.description);
		html_put(out, "</p>\n");
	}
	compare_size(c, size);
	html_put(out, "<p>%s.</p>\n", size);
	put_table(c, out);
	html_put(out, "</header>\n<main>\n");
	put_pictures(c, out);
	put_plots(c, out);
	html_put(
		out,
		"</main>\n<footer>\n<p>Made by cairn %s. What the rows mean is told in docs/compare.md, what the methods do in "
		"docs/methods.md.</p>\n</footer>\n</body>\n</html>\n",
		cairn_version());
}
