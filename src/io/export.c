/* cairn_export: which format, which frames, and a target file that is either whole or untouched.
 *
 * The output goes to a new file "TARGET.part" in the target's folder, which is moved over the target at the end, so
 * nobody ever sees half a file; on any failure it is removed and an older target stays as it was. */
#include "io/export.h"

#include "base/atomic_file.h"
#include "base/file.h"
#include "base/number.h"
#include "io/json.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Why a file operation failed, in words of our own: strerror is not safe among threads. */
static bool fail_file(cairn_error *error, const char *path, const char *what, int reason)
{
	static const struct {
		int reason;
		const char *text;
	} known[] = {{0, "no reason given"},
	             {ENOENT, "the folder does not exist"},
	             {ENOTDIR, "a part of the path is not a folder"},
	             {EACCES, "not allowed"},
	             {EPERM, "not allowed"},
	             {ENOSPC, "the disk is full"},
	             {EROFS, "the disk is read-only"},
	             {EISDIR, "there is a folder of that name"},
	             {EFBIG, "the file is too large for this disk"},
	             {ENAMETOOLONG, "the name is too long"}};
	char why[256];
	snprintf(why, sizeof why, "system error %d", reason);
	for (size_t i = 0; i < CN_COUNT(known); ++i)
		if (known[i].reason == reason)
			snprintf(why, sizeof why, "%s", known[i].text);
	const char *slash = strrchr(path, '/');
	if (reason == ENOENT && slash && slash - path < 200)
		snprintf(why, sizeof why, "the folder %.*s does not exist", (int)(slash - path), path);
	cn_fail(error, CAIRN_FILE, "", "%s: %s", what, why);
	if (error)
		snprintf(error->file, sizeof error->file, "%s", path);
	return false;
}

#define FORMAT_INFO(name, ending, title, readers) {ending, title, readers},
static const cairn_export_format formats[] = {CN_FORMATS(FORMAT_INFO)};
#define FORMAT_WRITER(name, ending, title, readers) cn_##name##_write,
static cn_export_write *const writers[] = {CN_FORMATS(FORMAT_WRITER)};

const cairn_export_format *cairn_export_format_at(uint32_t index)
{
	return index < CN_COUNT(formats) ? &formats[index] : NULL;
}

void cairn_export_endings(char *text, size_t size)
{
	size_t count = CN_COUNT(formats), used = 0;
	if (size)
		*text = '\0';
	for (size_t i = 0; i < count && used < size; ++i)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
		                         i == 0          ? ""
		                         : i + 1 < count ? ", "
		                                         : " or ",
		                         formats[i].ending);
}

/* Whether a path ends so, in letters of either size, and has a name before. */
static bool ends_in(const char *path, const char *ending)
{
	size_t length = strlen(path), size = strlen(ending);
	if (length <= size)
		return false;
	for (const char *at = path + length - size; *at; ++at, ++ending) {
		char letter = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
		if (letter != *ending)
			return false;
	}
	return true;
}

const cairn_export_format *cairn_export_format_of(const char *path)
{
	for (size_t i = 0; i < CN_COUNT(formats); ++i)
		if (ends_in(path, formats[i].ending))
			return &formats[i];
	return NULL;
}

static bool choose_frames(cn_export *e, cairn_error *error)
{
	uint32_t first = e->info.first_frame, last = e->info.last_frame;
	e->from = e->def->from == 0 ? first : e->def->from;
	e->to = e->def->to == UINT32_MAX ? last : e->def->to;
	bool from_there = e->from >= first && e->from <= last, to_there = e->to >= first && e->to <= last;
	if (!from_there || !to_there)
		return cn_fail(error, CAIRN_USAGE, from_there ? "to" : "from",
		               "frame %" PRIu32 " is not in the recording, which has frames %" PRIu32 " to %" PRIu32,
		               from_there ? e->to : e->from, first, last);
	if (e->from > e->to)
		return cn_fail(error, CAIRN_USAGE, "from",
		               "frame %" PRIu32 " comes after the last frame asked for, %" PRIu32 "; the recording has %" PRIu32
		               " to %" PRIu32,
		               e->from, e->to, first, last);
	return true;
}

static bool write_part(cn_export *e, cn_export_write *write, const char *path, const char *part, cairn_error *error)
{
	bool written = write(e, error);
	bool synced = !written || cn_file_sync(e->out.file);
	if ((fclose(e->out.file) != 0 || !synced) && !e->out.failed) {
		e->out.failed = true;
		e->out.reason = errno;
	}
	if (e->out.failed)
		written = fail_file(error, path, "cannot write", e->out.reason);
	if (written && rename(part, path) != 0)
		written = fail_file(error, path, "cannot put the finished file in place", errno);
	if (written)
		cn_file_sync_folder(path);
	else
		remove(part);
	return written;
}

static bool write_beside(cn_export *e, cn_export_write *write, const char *path, cairn_error *error)
{
	size_t size = strlen(path) + CN_ATOMIC_FILE_MORE;
	char *part = cn_alloc(&e->allocator, size, 1);
	if (!part)
		return cn_fail_memory(error);
	e->out.file = cn_atomic_file_open(path, part, size);
	bool written = e->out.file != NULL;
	if (written)
		written = write_part(e, write, path, part, error);
	else
		fail_file(error, path, "cannot write", errno);
	cn_free(&e->allocator, part, size, 1);
	return written;
}

cairn_export_def cairn_default_export_def(void)
{
	return (cairn_export_def){.allocator = cairn_default_allocator(), .from = 0, .to = UINT32_MAX};
}

bool cairn_export(cairn_recording *recording, const char *path, const cairn_export_def *def, cairn_error *error)
{
	assert(recording && path);
	cairn_export_def plain = cairn_default_export_def();
	cn_export e = {.recording = recording, .def = def ? def : &plain, .key_limit = CN_EXPORT_KEYS};
	e.allocator = e.def->allocator;
	e.scene = cairn_recording_scene(recording);
	e.view = e.def->view ? *e.def->view : cairn_scene_view(e.scene);
	e.info = cairn_recording_get_info(recording);
	e.fps = cairn_scene_settings(e.scene).fps;
	const cairn_export_format *format = cairn_export_format_of(path);
	char endings[80];
	cairn_export_endings(endings, sizeof endings);
	if (!format)
		return cn_fail(error, CAIRN_USAGE, "", "cannot tell the format of \"%.200s\": the name must end in %s", path,
		               endings);
	if (!choose_frames(&e, error))
		return false;
	cairn_rod *rods = NULL;
	cairn_export_def own = *e.def;
	size_t room = 2 * (size_t)cairn_scene_joint_count(e.scene);
	if (!own.rods && room > 0) {
		e.def = &own;
		rods = cn_rods_find(&e, &own);
		if (!rods)
			return cn_fail_memory(error);
	}
	bool written = write_beside(&e, writers[format - formats], path, error);
	cn_free(&e.allocator, rods, room, sizeof *rods);
	cn_free(&e.allocator, e.tracks, e.info.bodies, sizeof *e.tracks);
	cn_free(&e.allocator, e.times, cn_export_frames(&e), sizeof *e.times);
	cn_free(&e.allocator, e.keys, e.key_capacity, sizeof *e.keys);
	return written;
}
