/* Reads trajectories (docs/trajectory-format.md): a line at a time, every number checked, every error with its line.
 * Nothing that a file announces is believed before there is room for it in the file. */
#include "base/number.h"
#include "base/tolerance.h"
#include "certify/trajectory.h"
#include "geom/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CN_TRAJECTORY_TURN                                                                                             \
	1.5 /* rad: a piece of motion turns at most so far; longer ones are cut, which changes nothing */
#define CN_TRAJECTORY_UNIT 1e-3  /* an orientation's square is so near to 1, or it is none */
#define CN_TRAJECTORY_SAME 1e-12 /* ... and is taken as it is, to the bit, if it is as near as this */

static const uint64_t ALL_BITS = UINT64_C(1) << 32;

typedef struct reader {
	cairn_trajectory *t;
	cairn_error *error;
	const char *text;
	size_t size, at;       /* at: where the next line begins */
	const char *word;      /* of the line under way ... */
	const char *end;       /* ... to its end */
	int line;              /* its number, from 1 */
	uint32_t frame_number; /* of the last frame */
	uint32_t shape_count;
	bool whole; /* the last line was there */
	/* by body: where its last key left it */
	struct place {
		bool there;
		double time;
		cairn_key key;
	} * places;
	uint32_t place_capacity;
} reader;

/* ---- words */

static bool wrong(reader *r, const char *format, ...) CN_PRINTF(2, 3);
static bool wrong(reader *r, const char *format, ...)
{
	char text[400];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	(void)cn_fail(r->error, CAIRN_FILE, "", "%s", text);
	if (r->error)
		r->error->line = r->line;
	return false;
}

static bool memory(reader *r) { return cn_fail_memory(r->error); }

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* The next line that says something. False at the end of the text. */
static bool next_line(reader *r)
{
	while (r->at < r->size) {
		const char *from = r->text + r->at, *end = memchr(from, '\n', r->size - r->at);
		r->end = end ? end : r->text + r->size;
		r->at = (size_t)(r->end - r->text) + (end != NULL);
		++r->line;
		while (from < r->end && blank(*from))
			++from;
		r->word = from;
		if (from < r->end && *from != '#')
			return true;
	}
	return false;
}

/* Length of the word under the cursor; 0 at the line's end. */
static size_t word_length(const reader *r)
{
	const char *p = r->word;
	while (p < r->end && !blank(*p))
		++p;
	return (size_t)(p - r->word);
}

static void pass(reader *r, size_t length)
{
	r->word += length;
	while (r->word < r->end && blank(*r->word))
		++r->word;
}

/* Whether the next word is this one, which is then passed. */
static bool take(reader *r, const char *word)
{
	size_t length = word_length(r);
	if (length != strlen(word) || memcmp(r->word, word, length) != 0)
		return false;
	pass(r, length);
	return true;
}

/* For messages: what stands there. */
static const char *shown(const reader *r, char out[40])
{
	size_t length = word_length(r);
	if (length == 0)
		return "the end of the line";
	length = length < 30 ? length : 30;
	out[0] = '\'';
	for (size_t i = 0; i < length; ++i)
		out[i + 1] = (char)(r->word[i] > ' ' && r->word[i] < 127 ? r->word[i] : '?');
	out[length + 1] = '\'', out[length + 2] = '\0';
	return out;
}

static bool number(reader *r, const char *what, double most, double *out)
{
	char found[40];
	size_t length = word_length(r);
	if (length == 0 || cn_parse_double(r->word, length, out) != length)
		return wrong(r, "%s is %s; a number should stand here", what, shown(r, found));
	if (!(*out >= -most && *out <= most))
		return wrong(r, "%s is %s; it must lie between -%g and %g", what, shown(r, found), most, most);
	pass(r, length);
	return true;
}

static bool whole(reader *r, const char *what, uint64_t below, uint32_t *out)
{
	char found[40];
	size_t length = word_length(r);
	uint64_t value = 0;
	bool digits = length > 0 && length <= 10;
	for (size_t i = 0; i < length && digits; ++i) {
		digits = r->word[i] >= '0' && r->word[i] <= '9';
		value = 10 * value + (uint64_t)(r->word[i] - '0');
	}
	if (!digits)
		return wrong(r, "%s is %s; a whole number should stand here", what, shown(r, found));
	if (value >= below)
		return wrong(r, "%s is %" PRIu64 "; it must be below %" PRIu64, what, value, below);
	pass(r, length);
	*out = (uint32_t)value;
	return true;
}

static bool vector(reader *r, const char *what, v3 *out)
{
	return number(r, what, CN_LENGTH_MAX, &out->x) && number(r, what, CN_LENGTH_MAX, &out->y) &&
	       number(r, what, CN_LENGTH_MAX, &out->z);
}

static bool orientation(reader *r, quat *q)
{
	if (!number(r, "orientation", 2, &q->w) || !number(r, "orientation", 2, &q->x) ||
	    !number(r, "orientation", 2, &q->y) || !number(r, "orientation", 2, &q->z))
		return false;
	double off = fabs(q_dot(*q, *q) - 1);
	if (off > CN_TRAJECTORY_UNIT)
		return wrong(r, "the orientation is no unit quaternion: its square is %g", q_dot(*q, *q));
	if (off > CN_TRAJECTORY_SAME)
		*q = q_unit(*q);
	return true;
}

static bool line_ends(reader *r)
{
	char found[40];
	return r->word == r->end || wrong(r, "%s is one word too many", shown(r, found));
}

/* How many lines are to follow. */
static bool announced(reader *r, const char *what, uint32_t *count)
{
	size_t room = (r->size - r->at) / 2;
	if (!whole(r, what, UINT32_MAX, count))
		return false;
	return *count <= room || wrong(r, "%" PRIu32 " %s are announced, and the file ends before", *count, what);
}

static bool following(reader *r, const char *what)
{
	return next_line(r) || wrong(r, "the file ends where %s should stand", what);
}

/* ---- shapes */

static bool read_points(reader *r, uint32_t count, v3 *out)
{
	for (uint32_t i = 0; i < count; ++i)
		if (!following(r, "a point") || !vector(r, "a point", &out[i]) || !line_ends(r))
			return false;
	return true;
}

static bool read_triangles(reader *r, uint32_t count, uint32_t points, uint32_t *out)
{
	for (uint32_t i = 0; i < 3 * count; ++i) {
		if (i % 3 == 0 && !following(r, "a triangle"))
			return false;
		if (!whole(r, "a corner", points, &out[i]) || (i % 3 == 2 && !line_ends(r)))
			return false;
	}
	return true;
}

static bool read_parts(reader *r, uint32_t count, cairn_part *out)
{
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t index;
		if (!following(r, "a part") || !whole(r, "the part's shape", r->shape_count, &index) ||
		    !vector(r, "position", &out[i].pose.position) || !orientation(r, &out[i].pose.orientation) || !line_ends(r))
			return false;
		out[i].shape = (cairn_shape){index, 1};
	}
	return true;
}

/* The numbers of a kind in the order in which a scene file has them. */
static bool read_numbers(reader *r, cairn_shape_def *d)
{
	const cn_shape_field *field;
	for (uint32_t i = 0; (field = cn_shape_kind_field(d->kind, i)) != NULL; ++i) {
		void *value = (char *)d + field->offset;
		if (field->type == CN_FIELD_VECTOR ? !vector(r, field->key, value)
		                                   : !number(r, field->key, CN_LENGTH_MAX, value))
			return false;
	}
	return line_ends(r);
}

static bool read_compound(reader *r, cairn_shape_def *d)
{
	if (!announced(r, "parts", &d->part_count) || !line_ends(r))
		return false;
	cairn_part *parts = cn_arena_take(&r->t->arena, d->part_count, sizeof *parts);
	d->parts = parts;
	return parts ? read_parts(r, d->part_count, parts) : memory(r);
}

static bool read_surface(reader *r, cairn_shape_def *d, bool mesh)
{
	d->shell = mesh && take(r, "shell");
	if (mesh && !d->shell && !take(r, "solid"))
		return wrong(r, "a mesh is solid or shell");
	if (!announced(r, "points", &d->point_count) || (mesh && !announced(r, "triangles", &d->triangle_count)) ||
	    (d->shell && r->word != r->end && !number(r, "thickness", CN_LENGTH_MAX, &d->thickness)) || !line_ends(r))
		return false;
	v3 *points = cn_arena_take(&r->t->arena, d->point_count, sizeof *points);
	uint32_t *triangles = cn_arena_take(&r->t->arena, d->triangle_count, 3 * sizeof *triangles);
	if (!points || !triangles)
		return memory(r);
	d->points = points, d->triangles = triangles;
	return read_points(r, d->point_count, points) && read_triangles(r, d->triangle_count, d->point_count, triangles);
}

/* The rest of the line after the kind, and the lines that follow it. Arrays are of the arena. */
static bool read_fields(reader *r, cairn_shape_def *d)
{
	switch (cn_shape_kind_form(d->kind)) {
	case CN_FORM_PARTS: return read_compound(r, d);
	case CN_FORM_HULL: return read_surface(r, d, false);
	case CN_FORM_MESH: return read_surface(r, d, true);
	case CN_FORM_HEIGHTS: return wrong(r, "a height field is written as a mesh");
	default: return read_numbers(r, d);
	}
}

static bool read_shape(reader *r)
{
	char found[40];
	int line = r->line;
	uint32_t kind = 0;
	while (cairn_shape_kind_at(kind) && !take(r, cairn_shape_kind_at(kind)->name))
		++kind;
	if (!cairn_shape_kind_at(kind))
		return wrong(
			r, "%s is no kind of shape; there are sphere, box, capsule, cylinder, hull, mesh, halfspace, compound",
			shown(r, found));
	cairn_shape_def d = cairn_default_shape_def((cairn_shape_kind)kind);
	cn_arena_mark mark = cn_arena_here(&r->t->arena);
	if (!read_fields(r, &d))
		return false;
	if (!cairn_scene_add_shape(r->t->scene, &d, r->error).generation) {
		if (r->error && r->error->code != CAIRN_MEMORY)
			r->error->code = CAIRN_FILE, r->error->line = line;
		return false;
	}
	cn_arena_return(&r->t->arena, mark);
	++r->shape_count;
	return true;
}

/* ---- bodies */

/* What stands behind "name", to the line's end, without control characters. */
static bool read_name(reader *r, const char **name)
{
	const char *end = r->end;
	while (end > r->word && blank(end[-1]))
		--end;
	size_t length = (size_t)(end - r->word);
	if (length > 200)
		return wrong(r, "the name has %zu bytes; the most is 200", length);
	char *copy = cn_arena_text(&r->t->arena, r->word, length);
	if (!copy)
		return memory(r);
	for (char *p = copy; *p; ++p)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	*name = copy;
	r->word = r->end;
	return true;
}

static bool read_body(reader *r)
{
	cairn_trajectory *t = r->t;
	cairn_track k = {.info = {.name = "", .group = 1, .mask = UINT32_MAX}, .first_frame = UINT32_MAX};
	char found[40];
	uint32_t shape;
	if (t->frame_count > 0)
		return wrong(r, "bodies stand before the first frame");
	if (take(r, "fixed"))
		k.info.type = CAIRN_FIXED;
	else if (take(r, "scripted"))
		k.info.type = CAIRN_SCRIPTED;
	else if (take(r, "dynamic"))
		k.info.type = CAIRN_DYNAMIC;
	else
		return wrong(r, "%s is no kind of body; there are dynamic, fixed, scripted", shown(r, found));
	if (!whole(r, "the body's shape", r->shape_count, &shape))
		return false;
	k.info.shape = (cairn_shape){shape, 1};
	k.info.serial = t->track_count;
	if (take(r, "center") && !vector(r, "center", &k.info.center))
		return false;
	if (take(r, "filter") && (!whole(r, "group", ALL_BITS, &k.info.group) || !whole(r, "mask", ALL_BITS, &k.info.mask)))
		return false;
	if (take(r, "name") && !read_name(r, &k.info.name))
		return false;
	if (!line_ends(r))
		return false;
	if (!cn_grow(&t->allocator, (void **)&t->tracks, &t->track_capacity, t->track_count + 1, sizeof *t->tracks) ||
	    !cn_grow(&t->allocator, (void **)&r->places, &r->place_capacity, t->track_count + 1, sizeof *r->places))
		return memory(r);
	r->places[t->track_count] = (struct place){.there = false};
	t->tracks[t->track_count++] = k;
	return true;
}

static bool read_exempt(reader *r)
{
	cairn_trajectory *t = r->t;
	uint32_t a, b;
	if (!whole(r, "the first body", t->track_count, &a) || !whole(r, "the second body", t->track_count, &b) ||
	    !line_ends(r))
		return false;
	if (a == b)
		return wrong(r, "a body is exempt from itself already");
	if (!cn_grow(&t->allocator, (void **)&t->exempt, &t->exempt_capacity, t->exempt_count + 1, sizeof *t->exempt))
		return memory(r);
	t->exempt[t->exempt_count][0] = a < b ? a : b, t->exempt[t->exempt_count++][1] = a < b ? b : a;
	return true;
}

/* ---- frames */

static bool read_frame(reader *r)
{
	cairn_trajectory *t = r->t;
	uint32_t frame;
	double time;
	if (!whole(r, "the frame", UINT32_MAX, &frame) || !number(r, "the time", CN_LENGTH_MAX, &time) || !line_ends(r))
		return false;
	if (t->frame_count > 0 && frame != r->frame_number + 1)
		return wrong(r, "frame %" PRIu32 " follows frame %" PRIu32 "; none may be left out", frame, r->frame_number);
	if (t->frame_count > 0 && !(time > t->frames[t->frame_count - 1].time))
		return wrong(r, "time does not go on: %.17g after %.17g", time, t->frames[t->frame_count - 1].time);
	if (!cn_grow(&t->allocator, (void **)&t->frames, &t->frame_capacity, t->frame_count + 1, sizeof *t->frames))
		return memory(r);
	if (t->frame_count == 0)
		t->first_frame = frame;
	r->frame_number = frame;
	t->frames[t->frame_count++] = (cn_trajectory_frame){time, t->key_count};
	return true;
}

static bool put_key(reader *r, uint32_t body, const cairn_key *key)
{
	cairn_trajectory *t = r->t;
	if (t->key_count >= UINT32_MAX / 2 ||
	    !cn_grow(&t->allocator, (void **)&t->keys, &t->key_capacity, t->key_count + 1, sizeof *t->keys))
		return memory(r);
	t->keys[t->key_count++] = (cairn_track_key){.track = body, .key = *key};
	return true;
}

/* The key, after those that cut a long turn: the same motion in shorter pieces. */
static bool put_piece(reader *r, uint32_t body, cairn_key *key, double from_time, bool told)
{
	const cairn_key *from = &r->places[body].key;
	if (!told)
		key->turn = q_turn(from->orientation, key->orientation);
	double angle = v3_length(key->turn);
	uint32_t pieces = told ? 1 : 1 + (uint32_t)(angle / CN_TRAJECTORY_TURN);
	v3 turn = v3_scale(key->turn, 1.0 / pieces);
	quat q = from->orientation;
	for (uint32_t i = 1; i < pieces; ++i) {
		double share = (double)i / pieces;
		q = q_unit(q_mul(q_exp(turn), q));
		const cairn_key cut = {.time = from_time + share * (key->time - from_time),
		                       .position = v3_lerp(from->position, key->position, share),
		                       .orientation = q,
		                       .turn = turn};
		if (!put_key(r, body, &cut))
			return false;
	}
	if (pieces > 1)
		key->turn = q_turn(q, key->orientation);
	return put_key(r, body, key);
}

static bool same_pose(const cairn_key *a, const cairn_key *b)
{
	return v3_distance(a->position, b->position) == 0 && fabs(q_dot(a->orientation, b->orientation)) >= 1 - 1e-15;
}

/* A fixed body has one key. More of them say the same. */
static bool put_fixed(reader *r, uint32_t body, const cairn_key *key)
{
	cairn_track *k = &r->t->tracks[body];
	if (k->first_frame == UINT32_MAX) {
		k->first_frame = r->frame_number, k->first_key = *key;
		return true;
	}
	return same_pose(&k->first_key, key) ||
	       wrong(r, "body %" PRIu32 " is fixed, and is not where it was; bodies that move are scripted or dynamic",
	             body);
}

/* There is a key that the body comes from: in this frame, or in the one before. */
static bool goes_on(const reader *r, uint32_t body)
{
	uint32_t last = r->t->tracks[body].last_frame;
	return r->places[body].there && (last == r->frame_number || last + 1 == r->frame_number);
}

/* Where the body's piece of motion begins, s. Keys that are not in order are refused. */
static bool begin_piece(reader *r, uint32_t body, double time, bool inside, double *from)
{
	cairn_trajectory *t = r->t;
	const cn_trajectory_frame *f = &t->frames[t->frame_count - 1];
	const struct place *p = &r->places[body];
	uint32_t last = t->key_count > f->first ? t->keys[t->key_count - 1].track : 0;
	*from = t->frame_count > 1 ? f[-1].time : f->time;
	if (body < last)
		return wrong(r, "body %" PRIu32 " stands after body %" PRIu32 "; the keys of a frame go by body", body, last);
	bool again = t->key_count > f->first && body == last;
	*from = again ? p->time : *from;
	if (again && *from == f->time)
		return wrong(r, "body %" PRIu32 " has its key of this frame already", body);
	if (inside && !((goes_on(r, body) ? time > *from : time >= *from) && time < f->time))
		return wrong(r, "time %.17g does not lie between %.17g and %.17g", time, *from, f->time);
	return true;
}

static bool read_key(reader *r, bool inside)
{
	cairn_trajectory *t = r->t;
	uint32_t body;
	double from;
	if (t->frame_count == 0 || (inside && t->frame_count == 1))
		return wrong(r, inside ? "the first frame has no keys within it" : "a key stands before the first frame");
	cairn_key key = {.time = t->frames[t->frame_count - 1].time};
	if (!whole(r, "the body", t->track_count, &body) || (inside && !number(r, "the time", CN_LENGTH_MAX, &key.time)) ||
	    !vector(r, "position", &key.position) || !orientation(r, &key.orientation))
		return false;
	bool told = r->word < r->end;
	if (told && (!vector(r, "turn", &key.turn) || !line_ends(r)))
		return false;
	if (t->tracks[body].info.type == CAIRN_FIXED)
		return put_fixed(r, body, &key);
	struct place *p = &r->places[body];
	if (!begin_piece(r, body, key.time, inside, &from))
		return false;
	cairn_track *k = &t->tracks[body];
	if (goes_on(r, body) ? !put_piece(r, body, &key, from, told) : !put_key(r, body, &key))
		return false;
	if (k->first_frame == UINT32_MAX)
		k->first_frame = r->frame_number, k->first_key = key;
	k->last_frame = r->frame_number;
	*p = (struct place){true, key.time, key};
	return true;
}

/* ---- all of it */

static bool read_line(reader *r)
{
	char found[40];
	if (take(r, "key"))
		return read_key(r, false);
	if (take(r, "within"))
		return read_key(r, true);
	if (take(r, "frame"))
		return read_frame(r);
	if (take(r, "shape"))
		return read_shape(r);
	if (take(r, "body"))
		return read_body(r);
	if (take(r, "exempt"))
		return read_exempt(r);
	if (take(r, "end")) {
		r->whole = true;
		return line_ends(r);
	}
	return wrong(r, "a line begins with %s; there are shape, body, exempt, frame, key, within, end", shown(r, found));
}

static bool read_all(reader *r)
{
	char found[40];
	uint32_t version;
	if (!next_line(r) || !take(r, "trajectory"))
		return wrong(r, "this is no trajectory: its first line should be 'trajectory 1'");
	if (!whole(r, "the version", UINT32_MAX, &version) || !line_ends(r))
		return false;
	if (version != 1)
		return wrong(r, "version %" PRIu32 " is not known; this program reads version 1", version);
	while (!r->whole && next_line(r))
		if (!read_line(r))
			return false;
	if (!r->whole)
		return wrong(r, "the file ends without 'end': it was cut off");
	if (next_line(r))
		return wrong(r, "%s stands after the end", shown(r, found));
	if (r->t->frame_count == 0)
		return wrong(r, "there is no frame");
	for (uint32_t i = 0; i < r->t->track_count; ++i)
		if (r->t->tracks[i].info.type == CAIRN_FIXED)
			r->t->tracks[i].last_frame = r->frame_number;
	return true;
}

bool cn_trajectory_parse(cairn_trajectory *t, const char *text, size_t size, cairn_error *error)
{
	reader r = {.t = t, .error = error, .text = text, .size = size};
	bool ok = read_all(&r);
	cn_free(&t->allocator, r.places, r.place_capacity, sizeof *r.places);
	return ok;
}
