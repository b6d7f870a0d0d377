/* docs/validation.md: every row measured, beside what was expected. */
#include "validate.h"

#include <string.h>

static const char *const intro =
	"# Validation\n"
	"\n"
	"A guarantee against overlap is worth little if the motion is wrong. These are scenes "
	"with known answers, simulated as any\n"
	"other scene: 30 frames a second, steps within them as they come, g = 9.81 m/s²; only sleeping is "
	"off. What is expected comes from a\n"
	"formula or from statics; the comments of `test/validation/rows_*.c` work it out. Of "
	"rows that sweep something (directions,\n"
	"phases, offsets) the worst counts.\n"
	"\n"
	"Rows about motion in contact (`rows_tipping.c`, `rows_truth.c`) are asked for 5 % "
	"here, for 1 % at 1/240 s, and for errors\n"
	"that fall from 30 frames a second to 60, 120, 240 and 1000: these five are shown in "
	"percent.\n"
	"\n"
	"`make validation` measures everything again and writes this page; each row is a "
	"test, `validation/ROW`. Under its\n"
	"heading a row names its scenes, as `cairn run` takes them; their numbers come from "
	"`tools/validation-scenes.mjs`.\n";

typedef struct line {
	bool met, free_met;
	bool small, half, last, shuffled; /* met in that variation */
	uint32_t met_count, count;
} line;

static const char *said(bool met) { return met ? "met" : "**not met**"; }

static void write_measures(FILE *f, const char *method, const result *r)
{
	for (uint32_t i = 0; i < r->count; ++i) {
		const measure *m = &r->list[i];
		char of[32] = "";
		if (m->count > 1)
			snprintf(of, sizeof of, " (worst of %u)", m->count);
		fprintf(f, "| %s | %s%s | %s | %s | %s | %s | %s |\n", method, m->what, of, m->expected, m->measured, m->error,
		        m->wanted, said(m->met));
	}
	if (*r->note)
		fprintf(f, "\n%s\n", r->note);
}

static const measure *find_measure(const result *r, const char *what)
{
	for (uint32_t i = 0; i < r->count; ++i)
		if (strcmp(r->list[i].what, what) == 0)
			return &r->list[i];
	return NULL;
}

/* Errors that are more than rounding, at three steps. */
static void write_steps(FILE *f, const result r[3])
{
	bool any = false;
	for (uint32_t i = 0; i < r[0].count; ++i) {
		const measure *m[3] = {&r[0].list[i], find_measure(&r[1], r[0].list[i].what),
		                       find_measure(&r[2], r[0].list[i].what)};
		if (!m[1] || !m[2] || !(m[0]->off > 1e-3 * m[0]->limit) || m[0]->limit == 0)
			continue;
		if (!any)
			fprintf(f, "\n| error of | at 1/30 s | 1/60 s | 1/120 s | order |\n| --- | --- | --- | --- | --- |\n");
		any = true;
		char order[16] = "";
		if (m[1]->off > 0 && m[2]->off > 0)
			snprintf(order, sizeof order, "%.1f", log2(m[0]->off / m[2]->off) / 2);
		fprintf(f, "| %s | %s | %s | %s | %s |\n", m[0]->what, m[0]->error, m[1]->error, m[2]->error, order);
	}
}

/* One row; what it says goes to f, its verdicts to the line. */
static bool write_row(FILE *f, const char *folder, const row *w, line *l)
{
	static result r[3], other;
	char path[600];
	trial t = trial_plain();
	fprintf(f, "\n## %s\n\n%s. Scene", w->title, w->setup);
	fprintf(f, strchr(w->scenes, ',') ? "s" : "");
	for (const char *s = w->scenes; *s; s += strcspn(s, ",") + (s[strcspn(s, ",")] == ','))
		fprintf(f, "%s `validation-%.*s`", s == w->scenes ? "" : ",", (int)strcspn(s, ","), s);
	fprintf(f, ".\n\n| method | what | expected | measured | error | wanted | |\n| --- | --- | --- | --- | --- | --- | "
	           "--- |\n");
	for (int k = 0; k < 3; ++k) {
		t.finer = 1 << k;
		r[k].plotting = k == 0;
		w->measure(&t, &r[k]);
	}
	t = trial_plain();
	write_measures(f, "`oba`", &r[0]);
	l->met = result_met(&r[0]), l->half = result_met(&r[1]);
	for (uint32_t i = 0; i < r[0].count; ++i)
		l->met_count += r[0].list[i].met;
	l->count = r[0].count;
	if (w->free) {
		t.method = "free";
		w->measure(&t, &other);
		write_measures(f, "`free`", &other);
		l->free_met = result_met(&other);
		result_free(&other);
		t.method = "oba";
	}
	bool ok = true;
	if (r[0].plot.count) {
		snprintf(path, sizeof path, "%s/validation/%s.svg", folder, w->name);
		ok = write_plot(path, &r[0].plot);
		fprintf(f, "\n![%s: %s over %s](validation/%s.svg)\n", w->title, r[0].plot.y_label, r[0].plot.x_label, w->name);
	}
	write_steps(f, r);
	for (uint32_t i = 0; i < r[0].count; ++i) {
		const unmet *u = find_unmet(w->name, r[0].list[i].what);
		if (!r[0].list[i].met && u)
			fprintf(f, "\n*Not met: %s.* %s\n", u->what, u->why);
	}
	bool *const met[3] = {&l->small, &l->last, &l->shuffled};
	for (int k = 0; k < 3; ++k) {
		t = trial_plain();
		t.scale = k == 0 ? 1e-3 : 1;
		t.order = k == 1 ? 1 : k == 2 ? 7 : 0;
		w->measure(&t, &other);
		*met[k] = result_met(&other);
		result_free(&other);
	}
	for (int k = 0; k < 3; ++k)
		result_free(&r[k]);
	return ok;
}

static void write_summary(FILE *f, const line *lines)
{
	uint32_t met = 0;
	for (uint32_t i = 0; i < row_count; ++i)
		met += lines[i].met;
	fprintf(f,
	        "\n**%u of %u rows are met at 1/30 s.** The columns beside: the same with half the step, with the bodies "
	        "listed from the last to the\n"
	        "first and shuffled, and at 1:1000 with frames shorter by √1000.\n\n",
	        met, row_count);
	fprintf(f, "| row | measures met | verdict | 1/60 s | from the last | shuffled | 1:1000 |\n| --- | --- | --- | --- "
	           "| --- | --- | --- |\n");
	for (uint32_t i = 0; i < row_count; ++i) {
		const line *l = &lines[i];
		fprintf(f, "| %s | %u of %u | %s | %s | %s | %s | %s |\n", rows[i].title, l->met_count, l->count, said(l->met),
		        said(l->half), said(l->last), said(l->shuffled), said(l->small));
	}
}

/* Measures called "SCENE: WAY" as a table of scenes and ways. */
static void write_grid(FILE *f, const result *r)
{
	const char *first = strchr(r->list[0].what, ':');
	uint32_t ways = 0;
	while (first && ways < r->count &&
	       strncmp(r->list[ways].what, r->list[0].what, (size_t)(first - r->list[0].what)) == 0)
		++ways;
	fprintf(f, "\n| scene |");
	for (uint32_t k = 0; k < ways; ++k)
		fprintf(f, " %s |", strchr(r->list[k].what, ':') + 2);
	fprintf(f, "\n| --- |");
	for (uint32_t k = 0; k < ways; ++k)
		fprintf(f, " --- |");
	for (uint32_t k = 0; ways && k < r->count; ++k) {
		const measure *m = &r->list[k];
		if (k % ways == 0)
			fprintf(f, "\n| %.*s |", (int)(strchr(m->what, ':') - m->what), m->what);
		fprintf(f, m->met ? " %s |" : " **%s** |", m->measured);
	}
	fprintf(f, "\n\nWanted: %s. What is not met is set in bold.\n", r->list[0].wanted);
}

static void write_list(FILE *f, const result *r)
{
	fprintf(f, "\n| what | measured | wanted | |\n| --- | --- | --- | --- |\n");
	for (uint32_t k = 0; k < r->count; ++k) {
		const measure *m = &r->list[k];
		bool asked = m->limit < INFINITY;
		fprintf(f, "| %s | %s | %s | %s |\n", m->what, m->measured, asked ? m->wanted : "",
		        asked ? said(m->met) : "shown only");
	}
}

static void write_checks(FILE *f)
{
	static result r;
	trial t = trial_plain();
	for (uint32_t i = 0; i < check_count; ++i) {
		checks[i].measure(&t, &r);
		fprintf(f, "\n## %s\n\n%s\n", checks[i].title, checks[i].says);
		if (strcmp(checks[i].name, "invariance") == 0)
			write_grid(f, &r);
		else
			write_list(f, &r);
		for (uint32_t k = 0; k < r.count; ++k) {
			const unmet *u = find_unmet(checks[i].name, r.list[k].what);
			if (!r.list[k].met && u)
				fprintf(f, "\n*Not met: %s.* %s\n", u->what, u->why);
		}
		result_free(&r);
	}
}

static bool append(FILE *to, FILE *from)
{
	char buffer[4096];
	size_t size;
	rewind(from);
	while ((size = fread(buffer, 1, sizeof buffer, from)) > 0)
		if (fwrite(buffer, 1, size, to) != size)
			return false;
	return !ferror(from);
}

bool write_page(const char *folder)
{
	char path[600], beside[620];
	line lines[64] = {0};
	FILE *body = tmpfile(); /* the summary stands first and is known last */
	snprintf(path, sizeof path, "%s/validation.md", folder);
	snprintf(beside, sizeof beside, "%s.part", path);
	FILE *f = body ? fopen(beside, "w") : NULL;
	bool ok = f != NULL;
	for (uint32_t i = 0; ok && i < row_count; ++i) {
		fprintf(stderr, "validate: %s\n", rows[i].name);
		ok = write_row(body, folder, &rows[i], &lines[i]);
	}
	if (ok) {
		write_checks(body);
		fputs(intro, f);
		write_summary(f, lines);
		ok = append(f, body) && !ferror(f);
	}
	if (f)
		ok = fclose(f) == 0 && ok;
	if (body)
		fclose(body);
	return ok && rename(beside, path) == 0;
}
