/* cairn scenes: the bundled scenes, a line each; or one of them as it is. */
#include "message.h"
#include "screen.h"
#include "source.h"
#include "table.h"

/* The scenes of one kind as a table, with what comes before it. */
static int print_kind(const char *title, bundle_kind kind)
{
	table t = {0};
	int result = STATUS_DONE;
	for (size_t i = 0; bundle_scene_at(i) && result == STATUS_DONE; ++i) {
		const char *name = bundle_scene_at(i);
		if (bundle_kind_of(name) != kind)
			continue;
		cairn_error error = {0};
		cairn_scene *scene = bundle_read_scene(bundle_find_scene(name), NULL, &error);
		if (!scene) {
			result = say_error(&error);
			break;
		}
		table_add(&t, name, "%s", cairn_scene_settings(scene).description);
		cairn_scene_destroy(scene);
	}
	if (result == STATUS_DONE) {
		fputs(title, stdout);
		table_print(&t, stdout, screen_width(stdout));
	}
	table_free(&t);
	return result;
}

static int print_list(void)
{
	int result = print_kind("", BUNDLE_SHOW);
	if (result == STATUS_DONE)
		result = print_kind("\nValidation: with known answers\n", BUNDLE_VALIDATION);
	if (result == STATUS_DONE)
		result = print_kind("\nTorture: hard on purpose\n", BUNDLE_TORTURE);
	if (result == STATUS_DONE)
		puts("\nNext\n  cairn run NAME      simulate one\n  cairn scenes NAME   print its file");
	return result;
}

static int cmd_scenes(const options *o)
{
	source from;
	if (o->operand_count == 0)
		return print_list();
	int result = source_find(&from, o->operands[0]);
	if (result != STATUS_DONE)
		return result;
	if (from.kind != SOURCE_BUNDLED)
		return say_and(STATUS_FILE, "'%s' is not the name of a bundled scene; cairn scenes lists them", from.argument);
	fwrite(from.file->data, 1, from.file->size, stdout);
	return STATUS_DONE;
}

static const text_pair examples[] = {
	{"cairn scenes", "list the bundled scenes"},
	{"cairn scenes tumble > my.json", "take one as a start for your own"},
	{NULL, NULL},
};

const command_spec command_scenes = {
	"scenes",
	cmd_scenes,
	"[NAME]",
	WORDS_BUNDLED,
	0,
	1,
	"list the bundled scenes, or print one",
	"Lists the scenes that come with the tool, a line each; with NAME prints that scene's file.",
	examples,
	NULL,
	NULL,
	""};
