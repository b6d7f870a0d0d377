/* The tracks of the frames asked for: who is there when, who moves, their keys body by body, names, the camera.
 *
 * At the first frame asked for only the frame's own key counts: what led to it lies before. */
#include "io/export.h"

#include "scene/names.h"

#include <inttypes.h>
#include <string.h>

/* Whether key k is the frame's own one for its body, the last. */
static bool is_own(const cairn_frame *frame, uint32_t k)
{
	return k + 1 == frame->key_count || frame->keys[k + 1].track != frame->keys[k].track;
}

/* Whether key k of the frame is part of the export. */
static bool counts(const cn_export *e, const cairn_frame *frame, uint32_t k)
{
	return frame->frame != e->from || is_own(frame, k);
}

static bool same_pose(pose a, const cairn_key *b)
{
	v3 p = a.position, x = b->position;
	quat q = a.orientation, r = b->orientation;
	return p.x == x.x && p.y == x.y && p.z == x.z && q.w == r.w && q.x == r.x && q.y == r.y && q.z == r.z;
}

/* The time of key k in frames. A body added at a frame begins with a key there, which belongs to the next one. */
static double frame_number(const cn_export *e, const cairn_frame *frame, uint32_t k)
{
	double number = frame->keys[k].key.time * e->fps, whole = floor(number + 0.5);
	if (is_own(frame, k))
		return frame->frame;
	return fabs(number - whole) < 1e-6 ? whole : number;
}

static void note_key(cn_export *e, const cairn_frame *frame, uint32_t k)
{
	cn_export_track *t = e->tracks + frame->keys[k].track;
	const cairn_key *key = &frame->keys[k].key;
	if (t->keys == 0) {
		t->first = frame->frame;
		t->time = key->time, t->frame = frame_number(e, frame, k);
		t->start = (pose){key->position, key->orientation};
	}
	t->last = frame->frame;
	t->moves = t->moves || !same_pose(t->start, key);
	++t->keys;
}

/* The end of the block that begins at first, and how many keys are in it. */
static uint32_t block_end(const cn_export *e, uint32_t first, size_t *keys)
{
	uint32_t end = first;
	*keys = 0;
	for (; end < e->info.bodies; ++end) {
		size_t more = e->tracks[end].moves ? e->tracks[end].keys : 0;
		if (end > first && *keys + more > e->key_limit)
			break;
		*keys += more;
	}
	return end;
}

bool cn_export_survey(cn_export *e, cairn_error *error)
{
	uint32_t frames = cn_export_frames(e);
	e->tracks = cn_alloc(&e->allocator, e->info.bodies, sizeof *e->tracks);
	e->times = cn_alloc(&e->allocator, frames, sizeof *e->times);
	if (!e->times || (!e->tracks && e->info.bodies))
		return cn_fail_memory(error);
	cn_export_stage(e, frames, frames / 2);
	for (uint32_t i = 0; i < frames; ++i) {
		cairn_frame frame;
		if (!cn_export_read(e, e->from + i, &frame, error))
			return false;
		e->times[i] = frame.time;
		for (uint32_t k = 0; k < frame.key_count; ++k)
			if (counts(e, &frame, k))
				note_key(e, &frame, k);
	}
	size_t most = 0, keys;
	for (uint32_t first = 0; first < e->info.bodies; ++e->blocks) {
		first = block_end(e, first, &keys);
		most = keys > most ? keys : most;
	}
	e->keys = cn_alloc(&e->allocator, most, sizeof *e->keys);
	if (most && !e->keys)
		return cn_fail_memory(error);
	e->key_capacity = most;
	/* rods and a camera that moves each read all of it once more */
	uint64_t more = (e->def->rod_count > 0 ? 1u : 0u) + (cn_camera_moves(&e->view) ? 1u : 0u);
	cn_export_stage(e, (e->blocks + more) * frames, frames);
	return true;
}

void cn_export_hide(cn_export *e)
{
	for (uint32_t i = 0; i < e->info.bodies; ++i)
		if (cn_export_opacity(e, i) <= 0) {
			e->tracks[i].keys = 0;
			e->tracks[i].moves = false;
		}
}

static void gather_frame(cn_export *e, const cairn_frame *frame, uint32_t first, uint32_t end)
{
	for (uint32_t k = 0; k < frame->key_count; ++k) {
		uint32_t track = frame->keys[k].track;
		cn_export_track *t = e->tracks + track;
		if (track < first || track >= end || !t->moves || !counts(e, frame, k))
			continue;
		const cairn_key *key = &frame->keys[k].key;
		cn_export_key *to = e->keys + t->at + t->gathered;
		*to = (cn_export_key){key->time, frame_number(e, frame, k), key->position, q_unit(key->orientation)};
		if (t->gathered && q_dot(to->orientation, to[-1].orientation) < 0)
			to->orientation = q_neg(to->orientation);
		++t->gathered;
	}
}

bool cn_export_gather(cn_export *e, uint32_t first, uint32_t *end, cairn_error *error)
{
	size_t keys;
	*end = block_end(e, first, &keys);
	size_t at = 0;
	for (uint32_t i = first; i < *end; ++i) {
		e->tracks[i].at = at;
		e->tracks[i].gathered = 0;
		at += e->tracks[i].moves ? e->tracks[i].keys : 0;
	}
	assert(at == keys && keys <= e->key_capacity);
	for (uint32_t i = 0; i < cn_export_frames(e); ++i) {
		cairn_frame frame;
		if (!cn_export_read(e, e->from + i, &frame, error))
			return false;
		gather_frame(e, &frame, first, *end);
	}
	return true;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* The wish of a track: its name, cut to what the format takes, and room for numbers after it. */
static char *make_wish(const cn_export *e, uint32_t track, bool identifier, size_t *size)
{
	const char *name = cairn_recording_track(e->recording, track).info.name;
	*size = strlen(name) + 32;
	char *wish = cn_alloc(&e->allocator, *size, 1);
	if (!wish)
		return NULL;
	if (!name[0]) {
		snprintf(wish, *size, "body_%" PRIu32, track);
		return wish;
	}
	bool digit_first = name[0] >= '0' && name[0] <= '9';
	snprintf(wish, *size, "%s%s", identifier && digit_first ? "_" : "", name);
	for (char *at = wish; identifier && *at; ++at)
		if (!is_letter(*at) && !(*at >= '0' && *at <= '9'))
			*at = '_';
	return wish;
}

static char *choose_name(const cn_export *e, const cn_names *used, uint32_t track, bool identifier)
{
	size_t size;
	char *wish = make_wish(e, track, identifier, &size);
	if (!wish)
		return NULL;
	size_t length = strlen(wish);
	/* The track's own number nearly always settles it; someone else may have that very name, so count on. */
	for (uint64_t number = track; cn_names_find(used, wish); number += e->info.bodies)
		snprintf(wish + length, size - length, "_%" PRIu64, number);
	char *name = cn_dup_text(&e->allocator, wish);
	cn_free(&e->allocator, wish, size, 1);
	return name;
}

/* What the exporters add themselves. */
static bool take_names(const cn_export *e, cn_names *used)
{
	static const char *const taken[] = {"camera", "light", "rods"};
	bool ok = true;
	for (uint32_t i = 0; ok && i < CN_COUNT(taken); ++i) {
		ok = cn_names_reserve(&e->allocator, used, 1);
		if (ok)
			cn_names_add(used, taken[i], i + 1);
	}
	return ok;
}

char **cn_export_names(const cn_export *e, bool identifiers)
{
	const cairn_allocator *allocator = &e->allocator;
	cn_names used = {0};
	char **names = cn_alloc(allocator, (size_t)e->info.bodies + 1, sizeof *names);
	bool ok = names && take_names(e, &used);
	for (uint32_t i = 0; ok && i < e->info.bodies; ++i) {
		names[i] = choose_name(e, &used, i, identifiers);
		ok = names[i] && cn_names_reserve(allocator, &used, 1);
		if (ok)
			cn_names_add(&used, names[i], i + 1);
	}
	cn_names_free(allocator, &used);
	if (ok)
		return names;
	cn_export_names_free(e, names);
	return NULL;
}

void cn_export_names_free(const cn_export *e, char **names)
{
	for (uint32_t i = 0; names && i < e->info.bodies; ++i)
		cn_free_text(&e->allocator, names[i]);
	cn_free(&e->allocator, names, (size_t)e->info.bodies + 1, sizeof(char *));
}

/* The largest of the four is found from the trace (Shepperd 1978), so nothing small is divided by. */
static quat from_axes(v3 x, v3 y, v3 z)
{
	double w4 = 1 + x.x + y.y + z.z, x4 = 1 + x.x - y.y - z.z, y4 = 1 - x.x + y.y - z.z, z4 = 1 - x.x - y.y + z.z;
	if (w4 >= 1)
		return q_unit((quat){w4, y.z - z.y, z.x - x.z, x.y - y.x});
	if (x4 >= y4 && x4 >= z4)
		return q_unit((quat){y.z - z.y, x4, x.y + y.x, z.x + x.z});
	if (y4 >= z4)
		return q_unit((quat){z.x - x.z, x.y + y.x, y4, y.z + z.y});
	return q_unit((quat){x.y - y.x, z.x + x.z, y.z + z.y, z4});
}

bool cn_camera_moves(const cairn_view *view)
{
	return view->has_camera && (view->camera_follow.generation || view->camera_key_count);
}

quat cn_export_camera(const cairn_view *view)
{
	v3 ahead = v3_unit(v3_sub(view->camera_target, view->camera_position));
	/* Straight up or down there is no right-hand side; north is then up. */
	v3 up = fabs(ahead.z) > 0.9999 ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
	v3 right = v3_unit(v3_cross(ahead, up));
	return from_axes(right, v3_cross(right, ahead), v3_neg(ahead));
}

quat cn_export_light(const cairn_view *view)
{
	return cn_export_camera(&(cairn_view){.camera_target = view->light_direction});
}

double cn_export_brightness(const cairn_view *view, cairn_color *color)
{
	cairn_color c = view->light_color;
	double most = fmax(c.r, fmax(c.g, c.b));
	*color = most > 0 ? (cairn_color){c.r / most, c.g / most, c.b / most} : (cairn_color){1, 1, 1};
	return most;
}
