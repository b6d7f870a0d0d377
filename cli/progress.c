/* Draws progress. The time left is that of the frames so far, wall clock, carried forward. */
#include "progress.h"
#include "json.h"
#include "message.h"
#include "screen.h"

#include <stdio.h>
#include <string.h>

static const double BAR_PERIOD = 0.1, LINE_PERIOD = 1.0; /* s */
enum { BAR_LEAST = 8, BAR_MOST = 40, LINE_SIZE = 256 };

void progress_begin(progress *p, progress_mode mode, const char *label, uint32_t first, uint32_t total)
{
	if (mode == PROGRESS_AUTO)
		mode = screen_is_terminal(stderr) ? PROGRESS_BAR : PROGRESS_PLAIN;
	*p = (progress){.mode = mode, .label = label, .first = first, .total = total, .shown = first, .latest = first};
	p->colors = screen_has_colors(stderr);
	p->erase = screen_is_terminal(stderr);
	p->begun = p->last = clock_seconds();
}

/* "0:07", "1:02:03" */
static void format_seconds(double seconds, char text[32])
{
	unsigned long whole = seconds < 3.6e6 ? (unsigned long)(seconds + 0.5) : 3600000;
	if (whole >= 3600)
		snprintf(text, 32, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
	else
		snprintf(text, 32, "%lu:%02lu", whole / 60, whole % 60);
}

/* "120/600 frames, 0.42 ms/frame, 0 contacts, 0:07 left" */
static void describe(const progress *p, double now, char text[LINE_SIZE])
{
	char left[32];
	uint32_t done = p->latest - p->first;
	int size = snprintf(text, LINE_SIZE, "%u/%u frames", p->latest, p->total);
	if (p->has_report)
		size += snprintf(text + size, LINE_SIZE - (size_t)size, ", %.2f ms/frame, %u contacts", p->ms, p->contacts);
	if (done > 0) {
		format_seconds((now - p->begun) / done * (p->total - p->latest), left);
		snprintf(text + size, LINE_SIZE - (size_t)size, ", %s left", left);
	}
}

/* Without escapes (TERM=dumb) the rest of the line is overwritten with spaces. */
static void draw_bar(progress *p, double now)
{
	char text[LINE_SIZE], bar[BAR_MOST + 1];
	describe(p, now, text);
	int width = screen_width(stderr) - 1, used = (int)(strlen(p->label) + strlen(text)) + 6;
	int cells = width - used > BAR_MOST ? BAR_MOST : width - used;
	fputc('\r', stderr);
	if (cells >= BAR_LEAST) {
		double part = p->total > p->first ? (double)(p->latest - p->first) / (p->total - p->first) : 1;
		int full = (int)(part * cells);
		memset(bar, '#', (size_t)cells);
		memset(bar + full, '.', (size_t)(cells - full));
		bar[cells] = 0;
		print_tame(stderr, "%s", p->label);
		fprintf(stderr, "  [%s%.*s%s%s]  %s", p->colors ? "\033[32m" : "", full, bar, p->colors ? "\033[0m" : "",
		        bar + full, text);
		used += cells;
	} else {
		used = (int)strlen(text) < width ? (int)strlen(text) : width;
		fprintf(stderr, "%.*s", used, text);
	}
	if (p->erase)
		fputs("\033[K", stderr);
	else
		fprintf(stderr, "%*s", width > used ? width - used : 0, "");
	fflush(stderr);
	p->drawn = true;
}

static void print_json(const progress *p, const cairn_step_report *report)
{
	json j = json_begin(stderr, false);
	json_count(&j, "frame", p->latest);
	json_count(&j, "total", p->total);
	if (report) {
		json_number(&j, "time", report->time);
		json_number(&j, "ms", report->ms);
		json_count(&j, "bodies", report->bodies);
		json_count(&j, "close_pairs", report->close_pairs);
		json_count(&j, "collisions", report->collisions);
		json_count(&j, "contacts", report->contacts);
		json_count(&j, "asleep", report->asleep);
		json_count(&j, "passes", report->passes);
		json_count(&j, "programs", report->programs);
		json_count(&j, "extra_keys", report->extra_keys);
		json_number(&j, "min_gap", report->min_gap);
		if (report->measured)
			json_number(&j, "depth", report->depth);
		json_count(&j, "steps", report->steps);
		json_number(&j, "debt", report->debt);
		json_number(&j, "energy", report->energy.kinetic + report->energy.potential);
		json_open(&j, "stages", '{');
		for (uint32_t i = 0; i < report->stage_count; ++i)
			json_number(&j, report->stage_names[i], report->stage_ms[i]);
		json_close(&j, '}');
	}
	json_end(&j);
}

static void show(progress *p, double now)
{
	char text[LINE_SIZE];
	if (p->mode == PROGRESS_BAR) {
		draw_bar(p, now);
	} else {
		describe(p, now, text);
		print_tame(stderr, "%s: %s\n", p->label, text);
	}
	p->shown = p->latest;
	p->last = now;
}

void progress_frame(progress *p, uint32_t frame, const cairn_step_report *report)
{
	p->latest = frame;
	if (report) {
		p->ms = p->has_report ? 0.9 * p->ms + 0.1 * report->ms : report->ms;
		p->contacts = report->contacts;
		p->has_report = true;
	}
	if (p->mode == PROGRESS_JSON)
		print_json(p, report);
	if (p->mode != PROGRESS_BAR && p->mode != PROGRESS_PLAIN)
		return;
	double now = clock_seconds();
	if (now - p->last >= (p->mode == PROGRESS_BAR ? BAR_PERIOD : LINE_PERIOD))
		show(p, now);
}

void progress_end(progress *p)
{
	bool lines = p->mode == PROGRESS_BAR || p->mode == PROGRESS_PLAIN;
	if (lines && p->shown != p->latest)
		show(p, clock_seconds());
	if (p->drawn)
		fputc('\n', stderr);
	p->mode = PROGRESS_NONE;
	p->drawn = false;
}
