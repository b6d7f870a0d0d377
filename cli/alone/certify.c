/* cairn-certify: the checker as a program of its own. It reads a trajectory (docs/trajectory-format.md), whoever made it,
 * and holds nothing of the simulation: what it is linked from is the independent check, shapes and arithmetic. */
#include "cairn/cairn.h"
#include "message.h"
#include "verdict.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: cairn-certify FILE.traj [--from FRAME] [--to FRAME] [--threads COUNT] [--json | --quiet]\n"
	"\n"
	"Checks the motion of bodies from its keys alone: does anything overlap, did anything pass through anything?\n"
	"Exit status: 0 clean, 1 not, 2 usage, 4 the file cannot be read or is wrong (its line is said).\n";

typedef struct wish {
	const char *path;
	bool json, quiet, help;
	cairn_certify_def def;
} wish;

static bool read_count(const char *text, uint32_t *out)
{
	char *end;
	if (!text || text[0] < '0' || text[0] > '9')
		return false;
	unsigned long long value = strtoull(text, &end, 10);
	if (*end || value >= UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	return true;
}

/* False: it makes no sense. */
static bool read_words(int count, char **words, wish *w)
{
	*w = (wish){.def = cairn_default_certify_def()};
	for (int i = 1; i < count; ++i) {
		const char *word = words[i], *next = i + 1 < count ? words[i + 1] : NULL;
		uint32_t *number = strcmp(word, "--from") == 0      ? &w->def.from
		                   : strcmp(word, "--to") == 0      ? &w->def.to
		                   : strcmp(word, "--threads") == 0 ? &w->def.threads
		                                                    : NULL;
		if (number) {
			if (!read_count(next, number))
				return false;
			++i;
		} else if (strcmp(word, "--json") == 0) {
			w->json = true;
		} else if (strcmp(word, "--quiet") == 0 || strcmp(word, "-q") == 0) {
			w->quiet = true;
		} else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
			w->help = true;
		} else if (word[0] == '-' || w->path) {
			return false;
		} else {
			w->path = word;
		}
	}
	return w->help || w->path;
}

static const char *name_of(const void *context, uint32_t body) { return cairn_trajectory_body_name(context, body); }

static int complain(const cairn_error *error)
{
	char text[1000];
	cairn_error_print(error, text, sizeof text);
	print_tame(stderr, "cairn-certify: %s\n", text);
	return error->code == CAIRN_MEMORY ? STATUS_FAILED : (int)error->code;
}

static int check(const wish *w, cairn_trajectory *trajectory)
{
	cairn_error error = {0};
	cairn_certify_result result;
	if (!cairn_trajectory_certify(trajectory, &w->def, &result, &error))
		return complain(&error);
	cairn_trajectory_info info = cairn_trajectory_get_info(trajectory);
	const verdict_names names = {name_of, trajectory};
	if (w->json)
		verdict_print_json(&names, &result, NULL);
	else if (!w->quiet)
		verdict_print_text(&names, &result, w->def.from > info.first_frame ? w->def.from : info.first_frame,
		                   w->def.to < info.last_frame ? w->def.to : info.last_frame);
	if (fflush(stdout) != 0)
		return STATUS_FILE;
	if (result.certificate.verdict == CAIRN_CLEAN)
		return STATUS_DONE;
	char text[320];
	verdict_describe(&names, &result, text, sizeof text);
	print_tame(stderr, "cairn-certify: %s is not clean: %s\n", w->path, text);
	return STATUS_FAILED;
}

int main(int count, char **words)
{
	wish w;
	cairn_error error = {0};
	if (!read_words(count, words, &w)) {
		fputs(usage, stderr);
		return STATUS_USAGE;
	}
	if (w.help)
		return fputs(usage, stdout) < 0 || fflush(stdout) != 0 ? STATUS_FILE : STATUS_DONE;
	cairn_trajectory *trajectory = cairn_trajectory_read(w.path, NULL, NULL, &error);
	if (!trajectory)
		return complain(&error);
	int result = check(&w, trajectory);
	cairn_trajectory_free(trajectory);
	return result;
}
