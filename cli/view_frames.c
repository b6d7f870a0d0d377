/* Frames as whole numbers. A position is a multiple of the step, an orientation its three smaller components, each a
 * multiple of 2^-16; what is written is how far a number lies from where it would be if it went on as before, so a body
 * at rest takes one byte and one in free flight about twelve. Each block begins anew, so that a page can go to any. */
#define _POSIX_C_SOURCE 200809L
#include "export_look.h"
#include "limit.h"
#include "message.h"
#include "moments.h"
#include "rods.h"
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 12, POSE = 6, BLOCK_MOST = 32, BLOCK_LEAST = 4, BLOCK_KEYS = 64000 };
enum { BIT_ASLEEP = 1, BIT_MOVED = 2, LARGEST_SHIFT = 2, BIT_KEYS = 16 };
enum { VIEW_MEASURED = CAIRN_PASSAGE + 1 }; /* in place of a verdict: the frame promises nothing */
enum { BIT_SLIDING = 1, BIT_PRESSING = 2 };
enum { BLOWS_MOST = 60 }; /* marks on a time line */

static const double TURN_STEP = 1.0 / 65536, NORMAL_STEP = 1.0 / 4096; /* 1 */
static const double SPIN_STEP = 1.0 / 512;                             /* rad/s */
static const double GAP_PART = 1.0 / 64;                               /* of the step of positions */
static const double NUMBER_MOST = 4503599627370496.0;                  /* 2^52: what a page reads exactly */

/* A key in whole numbers: position, three components of the orientation, velocity, spin. */
typedef struct packed {
	int64_t n[NUMBERS];
	unsigned largest; /* which component of the orientation is left out: it is positive and follows from the others */
} packed;

/* What the page knows of a track: its last two keys in this block. */
typedef struct past {
	packed last, before;
	int known;
} past;

typedef struct packer {
	view_job *job;
	view_bytes *out;
	cairn_error *error;
	past *pasts; /* of each track */
	bool *still; /* tracks of fixed bodies: they are in the scene alone */
	uint32_t tracks, block_frames;
	double fps;
	cairn_world *world; /* that runs again for contacts; NULL: none are asked for */
	cairn_contact *contacts;
	uint32_t contact_room;
	view_bytes now, then; /* contacts as bytes, of this frame and of the one before */
	bool has_contacts;    /* then: is of this block */
	size_t block;         /* where the present one begins */
} packer;

static int64_t whole(double value, double step)
{
	double n = nearbyint(value / step);
	return !(fabs(n) < NUMBER_MOST) ? (int64_t)(n < 0 ? -NUMBER_MOST : n > 0 ? NUMBER_MOST : 0) : (int64_t)n;
}

static packed pack_key(const packer *p, const cairn_key *key)
{
	const double q[4] = {key->orientation.w, key->orientation.x, key->orientation.y, key->orientation.z};
	double step = p->job->step, fast = step * p->fps;
	packed k = {.n = {whole(key->position.x, step), whole(key->position.y, step), whole(key->position.z, step), 0, 0, 0,
	                  whole(key->velocity.x, fast), whole(key->velocity.y, fast), whole(key->velocity.z, fast),
	                  whole(key->spin.x, SPIN_STEP), whole(key->spin.y, SPIN_STEP), whole(key->spin.z, SPIN_STEP)}};
	for (unsigned i = 1; i < 4; ++i)
		if (fabs(q[i]) > fabs(q[k.largest]))
			k.largest = i;
	double sign = q[k.largest] < 0 ? -1 : 1;
	for (unsigned i = 0, n = 3; i < 4; ++i)
		if (i != k.largest)
			k.n[n++] = whole(sign * q[i], TURN_STEP);
	return k;
}

static int64_t guess(const past *t, const packed *key, int i)
{
	bool turn = i >= 3 && i < POSE;
	if (t->known == 0 || (turn && t->last.largest != key->largest))
		return 0;
	if (t->known == 1 || i >= POSE || (turn && t->before.largest != key->largest))
		return t->last.n[i];
	return 2 * t->last.n[i] - t->before.n[i];
}

static bool same(const packed *a, const packed *b)
{
	return a->largest == b->largest && memcmp(a->n, b->n, sizeof a->n) == 0;
}

/* The keys inside the frame, by their distance from its last one. */
static void put_extra(packer *p, const cairn_frame *frame, const cairn_track_key *keys, uint32_t count,
                      const packed *last)
{
	double begin = (frame->frame - 1.0) / p->fps;
	view_put_count(p->out, count);
	for (uint32_t i = 0; i < count; ++i) {
		packed key = pack_key(p, &keys[i].key);
		double part = (keys[i].key.time - begin) * p->fps * 65536;
		view_put_count(p->out, (uint64_t)fmin(fmax(nearbyint(part), 0), 65535));
		view_put_byte(p->out, key.largest);
		for (int k = 0; k < POSE; ++k)
			view_put_signed(p->out, key.n[k] - (k >= 3 && key.largest != last->largest ? 0 : last->n[k]));
	}
}

static void grow_bounds(cairn_box *b, cairn_vec3 p)
{
	b->min = (cairn_vec3){fmin(b->min.x, p.x), fmin(b->min.y, p.y), fmin(b->min.z, p.z)};
	b->max = (cairn_vec3){fmax(b->max.x, p.x), fmax(b->max.y, p.y), fmax(b->max.z, p.z)};
}

/* All keys of one track in the frame, the frame's own last. */
static void put_track(packer *p, const cairn_frame *frame, const cairn_track_key *keys, uint32_t count)
{
	const cairn_track_key *own = &keys[count - 1];
	past *t = &p->pasts[own->track];
	packed key = pack_key(p, &own->key);
	bool moved = t->known == 0 || !same(&key, &t->last);
	uint32_t extra = frame->frame == p->job->from ? 0 : count - 1; /* what led to the first frame lies before it */
	unsigned head = (own->asleep ? BIT_ASLEEP : 0) | (moved ? BIT_MOVED | key.largest << LARGEST_SHIFT : 0) |
	                (extra ? BIT_KEYS : 0);
	view_put_byte(p->out, head);
	for (int i = 0; i < NUMBERS && moved; ++i)
		view_put_signed(p->out, key.n[i] - guess(t, &key, i));
	if (extra)
		put_extra(p, frame, keys, extra, &key);
	t->before = moved && t->known > 0 ? t->last : key;
	t->known = moved && t->known == 0 ? 1 : 2;
	t->last = key;
	grow_bounds(&p->job->bounds, own->key.position);
}

static bool take_contacts(packer *p, const cairn_frame *frame, uint32_t *count)
{
	*count = 0;
	if (frame->frame > cairn_world_frame(p->world)) {
		if (frame->input_size > 0 && !cairn_world_replay(p->world, frame->inputs, frame->input_size, p->error))
			return false;
		cairn_step_report report = cairn_world_step(p->world);
		if (report.status != CAIRN_STEP_OK || cairn_world_hash(p->world) != frame->state_hash) {
			p->error->code = CAIRN_FAILED;
			snprintf(p->error->message, sizeof p->error->message,
			         "run again for its contacts, the recording comes to other bits at frame %u; was it made by "
			         "another version of cairn? Without --contacts it can be viewed",
			         frame->frame);
			return false;
		}
	}
	*count = cairn_world_contacts(p->world, p->contacts, p->contact_room);
	if (*count > p->contact_room) {
		p->contact_room = *count * 2;
		p->contacts = memory_resize(p->contacts, p->contact_room * sizeof p->contacts[0]);
		*count = cairn_world_contacts(p->world, p->contacts, p->contact_room);
	}
	return true;
}

static void put_vector(view_bytes *out, cairn_vec3 v, double step)
{
	view_put_signed(out, whole(v.x, step));
	view_put_signed(out, whole(v.y, step));
	view_put_signed(out, whole(v.z, step));
}

/* The frame's contacts, or a 0 where they are those of the frame before. Points are measured from the first body's
 * centre, so that those of bodies at rest stay the same numbers. */
static void put_contacts(packer *p, uint32_t count)
{
	view_bytes *out = &p->now;
	out->size = 0;
	for (uint32_t i = 0; i < count; ++i) {
		const cairn_contact *c = &p->contacts[i];
		cairn_vec3 from = cairn_world_body_key(p->world, c->a).position;
		view_put_count(out, cairn_world_body_info(p->world, c->a).serial);
		view_put_count(out, cairn_world_body_info(p->world, c->b).serial);
		put_vector(out, (cairn_vec3){c->point.x - from.x, c->point.y - from.y, c->point.z - from.z}, p->job->step);
		put_vector(out, c->normal, NORMAL_STEP);
		view_put_signed(out, whole(c->gap, p->job->step * GAP_PART));
		bool pressing = c->impulse.x != 0 || c->impulse.y != 0 || c->impulse.z != 0;
		view_put_byte(out, (c->sliding ? BIT_SLIDING : 0) | (pressing ? BIT_PRESSING : 0));
		if (!pressing)
			continue;
		view_put_float(out, c->impulse.x);
		view_put_float(out, c->impulse.y);
		view_put_float(out, c->impulse.z);
	}
	bool repeated = p->has_contacts && p->now.size == p->then.size &&
	                (p->now.size == 0 || memcmp(p->now.data, p->then.data, p->now.size) == 0);
	view_put_count(p->out, repeated ? 0 : (uint64_t)count + 1);
	if (!repeated)
		view_put_bytes(p->out, p->now.data, p->now.size);
	view_bytes swap = p->then;
	p->then = p->now, p->now = swap;
	p->has_contacts = true;
}

/* A body as its track plus 1; 0: none. */
static uint32_t told_track(const packer *p, cairn_body body)
{
	for (uint32_t i = body.generation ? p->tracks : 0; i-- > 0;) {
		cairn_body of = cairn_recording_track(p->job->recording, i).body;
		if (of.index == body.index && of.generation == body.generation)
			return i + 1;
	}
	return 0;
}

static void put_depth(packer *p, const cairn_step_report *r)
{
	view_put_float(p->out, r->depth);
	view_put_count(p->out, told_track(p, r->deep_a));
	view_put_count(p->out, told_track(p, r->deep_b));
	view_put_count(p->out, r->certificate.overlaps);
	view_put_count(p->out, r->certificate.passages);
}

static void put_report(packer *p, const cairn_frame *frame)
{
	const cairn_step_report *r = &frame->report;
	view_put_u64(p->out, frame->state_hash);
	view_put_float(p->out, r->min_gap);
	view_put_float(p->out, r->ms);
	view_put_float(p->out, r->energy.kinetic);
	view_put_float(p->out, r->energy.potential);
	view_put_count(p->out, r->contacts);
	view_put_count(p->out, r->close_pairs);
	view_put_count(p->out, r->asleep);
	view_put_byte(p->out, r->measured ? VIEW_MEASURED : (unsigned)r->certificate.verdict);
	if (r->measured)
		put_depth(p, r);
}

static bool put_frame(packer *p, uint32_t number)
{
	cairn_frame frame;
	uint32_t contacts = 0;
	if (!cairn_recording_read(p->job->recording, number, &frame, p->error) ||
	    (p->world && !take_contacts(p, &frame, &contacts)))
		return false;
	put_report(p, &frame);
	for (uint32_t k = 0; k < frame.key_count;) {
		uint32_t track = frame.keys[k].track, end = k + 1;
		while (end < frame.key_count && frame.keys[end].track == track)
			++end;
		if (!p->still[track])
			put_track(p, &frame, frame.keys + k, end - k);
		k = end;
	}
	if (p->world)
		put_contacts(p, contacts);
	return true;
}

static void begin_block(packer *p, uint32_t frame)
{
	memset(p->pasts, 0, p->tracks * sizeof p->pasts[0]);
	p->has_contacts = false;
	p->block = p->out->size;
	view_put_u32(p->out, 0); /* its size, when that is known */
	view_put_u32(p->out, frame);
}

static void end_block(const packer *p)
{
	uint32_t size = (uint32_t)(p->out->size - p->block - 8);
	for (int i = 0; i < 4; ++i)
		p->out->data[p->block + (size_t)i] = (unsigned char)(size >> (8 * i) & 255);
}

static view_end put_frames(packer *p)
{
	view_job *job = p->job;
	for (uint32_t frame = job->from;; ++frame) {
		if ((frame - job->from) % p->block_frames == 0)
			begin_block(p, frame);
		if (!put_frame(p, frame))
			return VIEW_FAILED;
		if (p->out->size > job->most)
			return VIEW_FULL;
		job->reached = frame;
		if (frame == job->to || (frame - job->from + 1) % p->block_frames == 0)
			end_block(p);
		if (job->progress && !job->progress(job->context, frame - job->from + 1, job->to - job->from + 1))
			return VIEW_STOPPED;
		if (frame == job->to)
			return VIEW_DONE;
	}
}

/* A power of two that is at most a ten thousandth of the thinnest moving body. */
static double choose_step(const cairn_recording *recording)
{
	const cairn_scene *scene = cairn_recording_scene(recording);
	uint32_t count = cairn_recording_get_info(recording).bodies, shapes = cairn_scene_shape_count(scene);
	double thinnest = INFINITY;
	bool *used = memory_resize(NULL, shapes + 1);
	memset(used, 0, shapes + 1);
	for (uint32_t i = 0; i < count; ++i) {
		cairn_track track = cairn_recording_track(recording, i);
		if (track.info.type != CAIRN_FIXED)
			used[track.info.shape.index] = true;
	}
	for (uint32_t i = 0; i < shapes; ++i) {
		if (!used[i])
			continue;
		cairn_box box = cairn_scene_shape_facts(scene, (cairn_shape){.index = i, .generation = 1}).box;
		thinnest = fmin(thinnest, fmin(box.max.x - box.min.x, fmin(box.max.y - box.min.y, box.max.z - box.min.z)));
	}
	free(used);
	double wanted = isfinite(thinnest) && thinnest > 0 ? thinnest * 1e-4 : 1e-4;
	return exp2(fmin(fmax(floor(log2(wanted)), -30), -2));
}

static void write_mark(json *j, uint32_t frame, const char *kind, const moment *blow)
{
	json_open(j, NULL, '{');
	json_count(j, "frame", frame);
	json_text(j, "kind", kind);
	if (blow) {
		json_count(j, "track", blow->track);
		json_number(j, "speed", blow->speed);
		json_number(j, "impulse", blow->impulse);
	}
	json_close(j, '}');
}

/* What happened when, for the time line: blows, events of the scene, and inputs. */
static void write_marks(json *j, const packer *p, const moments *m)
{
	static const char *const kinds[] = {"impulse", "blast", "drive"};
	const cairn_scene *scene = cairn_recording_scene(p->job->recording);
	uint32_t blows[BLOWS_MOST], count = moments_blows(m, blows, BLOWS_MOST);
	json_open(j, "marks", '[');
	for (uint32_t i = 0; i < cairn_scene_event_count(scene); ++i) {
		cairn_event_def event = cairn_scene_event_at(scene, i);
		if (event.frame >= m->from && event.frame <= m->to)
			write_mark(j, event.frame, kinds[event.kind], NULL);
	}
	for (uint32_t frame = m->from + 1; frame <= m->to; ++frame)
		if (m->frames[frame - m->from].given)
			write_mark(j, frame - 1, "input", NULL);
	for (uint32_t i = 0; i < count; ++i)
		write_mark(j, blows[i], "blow", &m->frames[blows[i] - m->from]);
	json_close(j, ']');
}

static bool put_scene(packer *p, view_bytes *out)
{
	char *text = NULL;
	size_t size = 0;
	cairn_view view = cairn_scene_view(cairn_recording_scene(p->job->recording));
	moments happened;
	if (!export_look_view(&view, p->job->recording, p->job->from, p->job->to, p->error) ||
	    !moments_read(&happened, p->job->recording, p->job->from, p->job->to, p->error))
		return false;
	FILE *memory = open_memstream(&text, &size);
	if (!memory) {
		moments_free(&happened);
		*p->error = (cairn_error){.code = CAIRN_MEMORY, .message = "out of memory"};
		return false;
	}
	const view_job *job = p->job;
	const cairn_scene *scene = cairn_recording_scene(job->recording);
	cairn_recording_info info = cairn_recording_get_info(job->recording);
	json j = json_begin(memory, false);
	uint32_t *tracks = memory_resize(NULL, ((size_t)cairn_scene_body_count(scene) + 1) * sizeof *tracks);
	rods_find_tracks(job->recording, tracks);
	view_write_scene(&j, scene, &view, tracks);
	json_text(&j, "file", job->file);
	json_count(&j, "from", job->from);
	json_count(&j, "to", job->to);
	json_count(&j, "last", info.last_frame);
	json_hash(&j, "hash", info.hash);
	json_bool(&j, "complete", info.complete);
	json_text(&j, "note", info.note);
	json_text(&j, "version", info.version);
	json_number(&j, "step", job->step);
	json_count(&j, "block", p->block_frames);
	json_bool(&j, "contacts", job->contacts);
	if (job->bounds.min.x <= job->bounds.max.x) {
		json_open(&j, "bounds", '[');
		json_vec3(&j, NULL, job->bounds.min);
		json_vec3(&j, NULL, job->bounds.max);
		json_close(&j, ']');
	}
	write_marks(&j, p, &happened);
	moments_free(&happened);
	view_write_rods(&j, scene, tracks);
	free(tracks);
	bool written = view_write_shapes(&j, scene, 0, p->error);
	json_open(&j, "bodies", '[');
	for (uint32_t i = 0; i < p->tracks; ++i) {
		cairn_track track = cairn_recording_track(job->recording, i);
		view_write_body(&j, &track);
	}
	json_close(&j, ']');
	json_end(&j);
	if (fclose(memory) != 0 && written) {
		*p->error = (cairn_error){.code = CAIRN_MEMORY, .message = "out of memory"};
		written = false;
	}
	if (written) {
		view_put_bytes(out, "CVW2", 4);
		view_put_u32(out, (uint32_t)size);
		view_put_bytes(out, text, size);
	}
	free(text);
	return written;
}

static bool begin_contacts(packer *p)
{
	cairn_world_def def = cairn_default_world_def();
	def.allocator = limits_allocator();
	uint32_t first = cairn_recording_get_info(p->job->recording).first_frame, from = p->job->from;
	def.threads = p->job->threads;
	p->contact_room = 1024;
	p->contacts = memory_resize(NULL, p->contact_room * sizeof p->contacts[0]);
	p->world = cairn_recording_world_at(p->job->recording, from > first ? from - 1 : from, &def, p->error);
	return p->world != NULL;
}

view_end view_pack(view_job *job, view_bytes *out, cairn_error *error)
{
	view_bytes frames = {0};
	packer p = {.job = job, .out = &frames, .error = error};
	p.tracks = cairn_recording_get_info(job->recording).bodies;
	p.fps = cairn_scene_settings(cairn_recording_scene(job->recording)).fps;
	p.block_frames = BLOCK_KEYS / (p.tracks + 1);
	p.block_frames = p.block_frames < BLOCK_LEAST  ? BLOCK_LEAST
	                 : p.block_frames > BLOCK_MOST ? BLOCK_MOST
	                                               : p.block_frames;
	p.pasts = memory_resize(NULL, (p.tracks + 1) * sizeof p.pasts[0]);
	p.still = memory_resize(NULL, p.tracks + 1);
	for (uint32_t i = 0; i < p.tracks; ++i)
		p.still[i] = cairn_recording_track(job->recording, i).info.type == CAIRN_FIXED;
	job->step = choose_step(job->recording);
	job->bounds = (cairn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
	view_end end = job->contacts && !begin_contacts(&p) ? VIEW_FAILED : put_frames(&p);
	if (end == VIEW_DONE && !put_scene(&p, out))
		end = VIEW_FAILED;
	if (end == VIEW_DONE)
		view_put_bytes(out, frames.data, frames.size);
	view_free_bytes(&frames);
	view_free_bytes(&p.now);
	view_free_bytes(&p.then);
	cairn_world_destroy(p.world);
	free(p.contacts);
	free(p.pasts);
	free(p.still);
	return end;
}
