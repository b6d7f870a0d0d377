/* The page: head, what it was, what was found, pictures, plots, tables. One file that needs nothing else. */
#include "report.h"
#include "sha256.h"

#include <stdlib.h>
#include <string.h>

/* What the page may do: show its pictures and run its own script, which is told by the hash of its text, and no other. */
static void put_policy(html *out)
{
	const bundle_file *script = page_find("report.js");
	html_put(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
	              "'unsafe-inline'; base-uri 'none'; form-action 'none'");
	if (script) {
		html text = {0};
		unsigned char digest[32];
		html_script(&text, (const char *)script->data, script->size);
		sha256(text.text, text.size, digest);
		html_put(out, "; script-src 'sha256-");
		html_base64(out, digest, sizeof digest);
		html_put(out, "'");
		html_free(&text);
	}
	html_put(out, "\">\n");
}

static void put_head(const char *title, html *out)
{
	const bundle_file *more = page_find("report.css");
	html_put(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	              "<meta name=\"generator\" content=\"cairn report\">\n");
	put_policy(out);
	html_put(out, "<link rel=\"icon\" href=\"data:,\">\n<title>");
	html_text(out, title);
	html_put(out, "</title>\n<style>\n%s", report_style);
	if (more)
		html_script(out, (const char *)more->data, more->size);
	html_put(out, "</style>\n</head>\n<body>\n");
}

static const char *name_of(const report_run *run) { return *run->settings.name ? run->settings.name : run->stem; }

static void put_notes(const report_run *runs, uint32_t count, html *out)
{
	for (uint32_t i = 0; i < count; ++i) {
		if (!runs[i].info.note[0])
			continue;
		html_put(out, "<p class=\"warning\">");
		html_text(out, runs[i].path);
		html_put(out, ": ");
		html_text(out, runs[i].info.note);
		html_put(out, ". This report is of the frames before.</p>\n");
	}
}

static void put_one(const report_run *run, html *out)
{
	html_put(out, "<header>\n<p class=\"kind\">cairn report</p>\n<h1>");
	html_text(out, name_of(run));
	html_put(out, "</h1>\n");
	if (*run->settings.description) {
		html_put(out, "<p class=\"lead\">");
		html_text(out, run->settings.description);
		html_put(out, "</p>\n");
	}
	put_notes(run, 1, out);
	report_verdict(run, out);
	report_facts(run, out);
	if (run->steps == 0)
		html_put(out, "<p class=\"warning\">The recording holds its first frame alone: no step was taken, so there is "
		              "nothing to plot.</p>\n");
	html_put(out, "</header>\n<main>\n");
}

static void put_several(const report_run *runs, uint32_t count, html *out)
{
	html_put(out, "<header>\n<p class=\"kind\">cairn report</p>\n<h1>%u runs side by side</h1>\n", count);
	put_notes(runs, count, out);
	report_compare(runs, count, out);
	html_put(out, "</header>\n<main>\n");
}

/* ---- pictures */

static void put_strip(const report_run *run, html *out)
{
	html_put(out, "<div class=\"strip\">\n");
	for (uint32_t i = 0; i < run->picture_count; ++i) {
		const report_picture *picture = &run->pictures[i];
		html_put(out, "<a href=\"");
		html_link(out, run->stem);
		html_put(out,
		         ".html#frame=%u\"><img width=\"480\" height=\"270\" alt=\"frame %u\" src=\"data:image/png;base64,",
		         picture->frame, picture->frame);
		html_base64(out, picture->png, picture->size);
		html_put(out, "\">frame %u, %.2f\xC2\xA0s</a>\n", picture->frame, picture->frame / run->settings.fps);
	}
	html_put(out, "</div>\n");
}

static void put_pictures(const report_run *runs, uint32_t count, html *out)
{
	html_put(out, "<section id=\"pictures\"><h2>Over time</h2>\n");
	for (uint32_t i = 0; i < count; ++i) {
		if (count > 1) {
			html_put(out, "<h3><i class=\"key\" style=\"--c:var(--c%u)\"></i> ", i);
			html_text(out, runs[i].label);
			html_put(out, "</h3>\n");
		}
		if (runs[i].no_pictures[0]) {
			html_put(out, "<p class=\"hint\">No pictures: ");
			html_text(out, runs[i].no_pictures);
			html_put(out, ".</p>\n");
		} else {
			put_strip(&runs[i], out);
		}
	}
	html_put(out, "</section>\n");
}

/* ---- the end */

static void put_scripts(const html *data, html *out)
{
	const bundle_file *script = page_find("report.js");
	html_put(out, "</main>\n<footer>\n<p>Made by cairn %s. ", cairn_version());
	if (!script) {
		html_put(
			out,
			"This cairn was built without its web parts (<code>make web</code>), so the plots are still; with them "
			"one can zoom in and read off values.</p>\n</footer>\n</body>\n</html>\n");
		return;
	}
	html_put(out, "What the numbers mean is told in docs/summary.md and docs/report.md. <span class=\"howto\" "
	              "hidden>Drag across a plot to zoom all of them to those frames, double-click to see all again; "
	              "click to open the frame in the player.</span></p>\n</footer>\n"
	              "<script type=\"application/json\" id=\"report-data\">");
	html_add(out, data->text, data->size);
	html_put(out, "</script>\n<script>");
	html_script(out, (const char *)script->data, script->size);
	html_put(out, "</script>\n</body>\n</html>\n");
}

void report_page(const report_run *runs, uint32_t count, bool quick, html *out)
{
	html data = {0};
	char *title = count > 1 ? text_format("%u runs", count) : text_format("%s", name_of(&runs[0]));
	char *whole = text_format("%s \xC2\xB7 cairn report", title);
	put_head(whole, out);
	if (count > 1)
		put_several(runs, count, out);
	else
		put_one(&runs[0], out);
	if (!quick)
		put_pictures(runs, count, out);
	report_plots(runs, count, out, &data);
	report_worst(runs, count, out);
	if (count > 1) {
		html_put(out, "<section id=\"certificates\"><h2>Certificates</h2>\n");
		for (uint32_t i = 0; i < count; ++i) {
			html_put(out, "<h3><i class=\"key\" style=\"--c:var(--c%u)\"></i> ", i);
			html_text(out, runs[i].label);
			html_put(out, "</h3>\n");
			report_verdict(&runs[i], out);
		}
		html_put(out, "</section>\n");
	}
	report_settings(runs, count, out);
	put_scripts(&data, out);
	html_free(&data);
	free(title);
	free(whole);
}
