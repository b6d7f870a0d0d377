/* Reads BVH: the hierarchy for the names of its channels, then the numbers of every frame. Where bones are is not looked at. */
#include "io/bvh_read.h"

#include "io/mesh_source.h"

#include <stdio.h>
#include <string.h>

enum { CHANNELS_MAX = 10000, DEPTH_MAX = 1000, FRAMES_MAX = 10000000 };

typedef struct bvh_source {
	cn_mesh_source words;
	cn_arena *arena;
	cn_bvh *out;
	const char *bone; /* whose channels come next */
	int depth;
} bvh_source;

static bool fail_memory(bvh_source *s) { return cn_fail_memory(s->words.error); }

static bool need(bvh_source *s, const char *wanted)
{
	cn_word word = cn_mesh_word(&s->words);
	char shown[48];
	return cn_mesh_word_is(word, wanted) ||
	       cn_mesh_fail(&s->words, "found \"%s\" where \"%s\" is expected", cn_mesh_shown(word, shown), wanted);
}

static bool read_number(bvh_source *s, const char *what, double *x)
{
	return cn_mesh_number(&s->words, cn_mesh_word(&s->words), what, x);
}

/* "CHANNELS 3 Zrotation Xrotation Yrotation" */
static bool read_channels(bvh_source *s)
{
	double count;
	if (!read_number(s, "a number of channels", &count))
		return false;
	if (!(count >= 0 && count <= 6 && count == (int)count) || s->out->channel_count + count > CHANNELS_MAX)
		return cn_mesh_fail(&s->words, "a joint with %g channels; there are up to 6, and %d in all", count,
		                    CHANNELS_MAX);
	for (int i = 0; i < (int)count; ++i) {
		cn_word word = cn_mesh_word(&s->words);
		size_t bone = strlen(s->bone);
		char *name = cn_arena_take(s->arena, bone + word.length + 2, 1);
		if (!name)
			return fail_memory(s);
		memcpy(name, s->bone, bone);
		name[bone] = ' ';
		memcpy(name + bone + 1, word.text, word.length);
		name[bone + 1 + word.length] = 0;
		s->out->channels[s->out->channel_count++] = name;
	}
	return true;
}

static bool read_bone(bvh_source *s)
{
	cn_word word = cn_mesh_word_in_line(&s->words);
	char *name = cn_arena_text(s->arena, word.text, word.length);
	if (!name)
		return fail_memory(s);
	s->bone = name;
	return word.length || cn_mesh_fail(&s->words, "a joint without a name");
}

/* Up to the word MOTION. */
static bool read_hierarchy(bvh_source *s)
{
	for (;;) {
		cn_word word = cn_mesh_word(&s->words);
		char shown[48];
		bool ok = true;
		if (cn_mesh_word_is(word, "MOTION"))
			return s->depth == 0 || cn_mesh_fail(&s->words, "%d braces are open where the motion begins", s->depth);
		if (cn_mesh_word_is(word, "ROOT") || cn_mesh_word_is(word, "JOINT"))
			ok = read_bone(s);
		else if (cn_mesh_word_is(word, "CHANNELS"))
			ok = s->bone ? read_channels(s) : cn_mesh_fail(&s->words, "channels before any joint");
		else if (cn_mesh_word_is(word, "OFFSET") || cn_mesh_word_is(word, "End"))
			cn_mesh_skip_line(&s->words);
		else if (cn_mesh_word_is(word, "{"))
			ok = ++s->depth <= DEPTH_MAX || cn_mesh_fail(&s->words, "joints are more than %d deep", DEPTH_MAX);
		else if (cn_mesh_word_is(word, "}"))
			ok = --s->depth >= 0 || cn_mesh_fail(&s->words, "a brace closes that was not opened");
		else
			ok = cn_mesh_fail(
				&s->words, word.length ? "\"%s\" is no word of a BVH's hierarchy" : "the file ends before its MOTION%s",
				word.length ? cn_mesh_shown(word, shown) : "");
		if (!ok)
			return false;
	}
}

static bool read_motion(bvh_source *s)
{
	cn_bvh *b = s->out;
	double frames;
	if (!need(s, "Frames:") || !read_number(s, "a number of frames", &frames) || !need(s, "Frame") ||
	    !need(s, "Time:") || !read_number(s, "a frame's time", &b->frame_time))
		return false;
	if (!(frames >= 1 && frames <= FRAMES_MAX && frames == (uint32_t)frames))
		return cn_mesh_fail(&s->words, "%g frames; there is at least one, and %d at most", frames, FRAMES_MAX);
	if (!(b->frame_time > 0))
		return cn_mesh_fail(&s->words, "a frame takes %g s; give a time above 0", b->frame_time);
	b->frame_count = (uint32_t)frames;
	size_t count = (size_t)b->frame_count * b->channel_count;
	if (count > s->words.size) /* each number takes a byte at least */
		return cn_mesh_fail(&s->words, "the file ends before its %u frames", b->frame_count);
	b->values = cn_arena_take(s->arena, count + 1, sizeof *b->values);
	if (!b->values)
		return fail_memory(s);
	for (size_t i = 0; i < count; ++i)
		if (!read_number(s, b->channels[i % b->channel_count], &b->values[i]))
			return false;
	return true;
}

bool cn_bvh_read(const char *data, size_t size, const char *name, cn_arena *arena, cn_bvh *out, cairn_error *error)
{
	bvh_source s = {.words = {.data = data ? data : "", .size = size, .line = 1, .name = name, .error = error},
	                .arena = arena,
	                .out = out};
	*out = (cn_bvh){.channels = cn_arena_take(arena, CHANNELS_MAX + 1, sizeof *out->channels)};
	if (!out->channels)
		return fail_memory(&s);
	if (!need(&s, "HIERARCHY") || !read_hierarchy(&s))
		return false;
	out->channels[out->channel_count] = NULL;
	return read_motion(&s);
}
