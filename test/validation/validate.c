/* Scenes with known answers (docs/validation.md).
 *
 *   validate --list                 names of rows and checks
 *   validate --test NAME [--short]  exit 1 where something is not met that is not known, or known and worse; or known and met
 *   validate --json NAME            what a row or check measures
 *   validate --page FOLDER          FOLDER/validation.md and FOLDER/validation/NAME.svg
 *
 * --short: shorter and fewer runs, for builds in which a step takes long. */
#include "validate.h"

#include <stdlib.h>
#include <string.h>

static bool run_named(const char *name, const trial *t, result *r)
{
	for (uint32_t i = 0; i < row_count; ++i)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].measure(t, r), true;
	for (uint32_t i = 0; i < check_count; ++i)
		if (strcmp(checks[i].name, name) == 0)
			return checks[i].measure(t, r), true;
	return false;
}

/* ---- JSON */

static void print_number(const char *key, double value)
{
	if (isfinite(value))
		printf("\"%s\":%.17g,", key, value);
	else
		printf("\"%s\":null,", key);
}

static int print_json(const char *name)
{
	static result r;
	trial t = trial_plain();
	if (!run_named(name, &t, &r))
		return 2;
	printf("{\"name\":\"%s\",\"met\":%s,\"measures\":[", name, result_met(&r) ? "true" : "false");
	for (uint32_t i = 0; i < r.count; ++i) {
		const measure *m = &r.list[i];
		printf("%s{\"what\":\"%s\",\"expected\":\"%s\",\"measured\":\"%s\",", i ? "," : "", m->what, m->expected,
		       m->measured);
		print_number("error", m->off);
		print_number("wanted", m->limit);
		printf("\"runs\":%u,\"met\":%s}", m->count, m->met ? "true" : "false");
	}
	printf("]}\n");
	result_free(&r);
	return 0;
}

/* ---- tests */

static int complain(const char *name, const char *way, const measure *m, const char *what)
{
	printf("%s, %s: %s: expected %s, measured %s, error %s, wanted %s: %s\n", name, way, m->what, m->expected,
	       m->measured, m->error, m->wanted, what);
	return 1;
}

/* What is known not to be met may be met in some way by luck: it leaves the list when it is in all. */
typedef struct seen {
	uint32_t known, met; /* measures of the list, and those of them that are met */
} seen;

static int judge(const char *name, const char *way, const trial *t, seen *s)
{
	static result r;
	int failed = 0;
	if (!run_named(name, t, &r)) {
		fprintf(stderr, "validate: there is no row %s; validate --list\n", name);
		return 2;
	}
	for (uint32_t i = 0; i < r.count; ++i) {
		const measure *m = &r.list[i];
		const unmet *known = find_unmet(name, m->what);
		s->known += known != NULL, s->met += known && m->met;
		if (!m->met && !known)
			failed |= complain(name, way, m, "not met");
		else if (known && !t->brief && !m->met && !(m->off <= known->most))
			failed |= complain(name, way, m, "worse than what unmet.c says");
	}
	if (*r.note)
		printf("%s, %s: %s\n", name, way, r.note);
	printf("%s, %s: %u measures%s\n", name, way, r.count, result_met(&r) ? ", all met" : "");
	failed |= r.count == 0;
	result_free(&r);
	return failed;
}

static int run_test(const char *name, bool brief)
{
	trial t = trial_plain();
	t.brief = brief;
	seen s = {0, 0};
	int failed = judge(name, "as it is", &t, &s);
	for (uint32_t i = 0; i < row_count && !brief; ++i) {
		if (strcmp(rows[i].name, name) != 0)
			continue;
		trial small = t, half = t, last = t, shuffled = t, free_flight = t;
		small.scale = 1e-3, half.finer = 2, last.order = 1, shuffled.order = 7, free_flight.method = "free";
		failed |= judge(name, "at 1:1000", &small, &s);
		if (rows[i].free)
			failed |= judge(name, "with method free", &free_flight, &s);
		if (!rows[i].structure)
			continue;
		failed |= judge(name, "with half the step", &half, &s);
		failed |= judge(name, "listed from the last", &last, &s);
		failed |= judge(name, "shuffled", &shuffled, &s);
	}
	if (!brief && s.known && s.met == s.known) {
		printf("%s: met in every way: take it off the list in unmet.c\n", name);
		failed = 1;
	}
	return failed;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (uint32_t i = 0; i < row_count; ++i)
			puts(rows[i].name);
		for (uint32_t i = 0; i < check_count; ++i)
			puts(checks[i].name);
		return 0;
	}
	if (argc >= 3 && strcmp(argv[1], "--test") == 0)
		return run_test(argv[2], argc > 3 && strcmp(argv[3], "--short") == 0);
	if (argc == 3 && strcmp(argv[1], "--json") == 0)
		return print_json(argv[2]);
	if (argc == 3 && strcmp(argv[1], "--page") == 0) {
		if (write_page(argv[2]))
			return 0;
		fprintf(stderr, "validate: cannot write the page to %s\n", argv[2]);
		return 1;
	}
	fprintf(stderr, "validate: --list, --test NAME [--short], --json NAME or --page FOLDER\n");
	return 2;
}
