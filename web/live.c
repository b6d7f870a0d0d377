/* The engine of the live page: one world, one recording of it, and what a hand may do to it, over the public header
 * alone. Built as a WebAssembly module without a main; web/src/worker.js calls it. Numbers go out as doubles in one
 * array (live_frame), everything else as text.
 *
 * Bodies are named by their serial numbers, as in recordings. */
#define _POSIX_C_SOURCE 200809L
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

/* Doubles before the bodies, of a body, of a key inside the frame, of a contact: worker.js has the same. */
enum { HEAD = 29, BODY = 15, KEY = 9, CONTACT = 13, KEYS_MOST = 65 };

static const char RECORDING[] = "/live.cairn";

static struct live {
	cairn_world *world;
	cairn_recording *recording;
	cairn_body *bodies; /* by serial; null handles for those that are gone */
	uint32_t known, room;
	cairn_body *alive;
	uint32_t alive_room;
	double *frame;
	size_t frame_size, frame_room; /* doubles */
	char *text;
	size_t text_size;
	cairn_shape ball;
	double ball_radius;
	cairn_material ball_material;
	uint32_t thrown; /* serial of the first ball thrown since the last step; UINT32_MAX: none */
	uint64_t chain;
	char message[800];
} live;

static void *resize(void *block, size_t size)
{
	void *grown = realloc(block, size);
	if (!grown)
		abort(); /* the worker tells the page, which says so */
	return grown;
}

static int fail(const cairn_error *error)
{
	cairn_error_print(error, live.message, sizeof live.message);
	return error->code ? (int)error->code : CAIRN_FAILED;
}

/* The chain of docs/determinism.md. */
static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static void close_all(void)
{
	cairn_recording_close(live.recording);
	cairn_world_destroy(live.world);
	live.recording = NULL;
	live.world = NULL;
	live.known = 0;
	live.thrown = UINT32_MAX;
	live.ball = (cairn_shape){0};
	live.ball_material = (cairn_material){0};
}

/* Finds the handles of bodies that appeared and forgets those that went; returns how many there are. */
static uint32_t take_stock(void)
{
	uint32_t count = cairn_world_body_count(live.world);
	if (count > live.alive_room) {
		live.alive_room = count * 2;
		live.alive = resize(live.alive, live.alive_room * sizeof live.alive[0]);
	}
	cairn_world_bodies(live.world, live.alive, count);
	for (uint32_t i = 0; i < live.known; ++i)
		if (live.bodies[i].generation && !cairn_world_has_body(live.world, live.bodies[i]))
			live.bodies[i] = (cairn_body){0};
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t serial = cairn_world_body_info(live.world, live.alive[i]).serial;
		if (serial >= live.room) {
			live.room = serial * 2 + 64;
			live.bodies = resize(live.bodies, live.room * sizeof live.bodies[0]);
		}
		while (live.known <= serial)
			live.bodies[live.known++] = (cairn_body){0};
		live.bodies[serial] = live.alive[i];
	}
	return count;
}

static cairn_body body_of(uint32_t serial) { return serial < live.known ? live.bodies[serial] : (cairn_body){0}; }

/* ---- What there is ---- */

/* Reads the scene file at path (settings: "key=value" lines), makes its world and begins its recording. 0 or a
 * cairn_code; live_message says what is wrong. */
int EXPORT(live_open)(const char *path, char *settings)
{
	cairn_error error = {0};
	cairn_scene_def def = cairn_default_scene_def();
	const char *set[64] = {0};
	size_t count = 0;
	close_all();
	live.message[0] = 0;
	for (char *line = strtok(settings, "\n"); line && count < 63; line = strtok(NULL, "\n"))
		set[count++] = line;
	def.set = set;
	def.trust = true; /* the page holds the files of its scene alone */
	cairn_scene *scene = cairn_scene_read_file(path, NULL, &def, &error);
	if (!scene)
		return fail(&error);
	live.world = cairn_world_create(scene, NULL, &error);
	cairn_scene_destroy(scene);
	if (!live.world)
		return fail(&error);
	cairn_recording_def how = cairn_default_recording_def();
	how.replace = true;
	live.recording = cairn_recording_create(RECORDING, live.world, &how, &error);
	if (!live.recording)
		return fail(&error);
	live.chain = mix(0x6361697265u, cairn_world_hash(live.world));
	take_stock();
	return CAIRN_OK;
}

const char *EXPORT(live_message)(void) { return live.message; }

/* The name of a method, in the order of the docs; empty past the end. */
const char *EXPORT(live_method)(uint32_t number)
{
	const cairn_method_info *method = cairn_method_at(number);
	return method ? method->name : "";
}

/* JSON: the scene, its shapes from number first_shape on, the bodies now alive from serial first_body on ("serials" says
 * which they are). Valid until the next call. */
const char *EXPORT(live_describe)(uint32_t first_shape, uint32_t first_body)
{
	cairn_error error = {0};
	const cairn_scene *scene = cairn_world_scene(live.world);
	uint32_t frame = cairn_world_frame(live.world);
	free(live.text);
	FILE *memory = open_memstream(&live.text, &live.text_size);
	if (!memory)
		abort();
	json j = json_begin(memory, false);
	cairn_view view = cairn_scene_view(scene);
	view_write_scene(&j, scene, &view, NULL); /* serials of the scene's bodies are their numbers in it */
	json_text(&j, "version", cairn_version());
	view_write_rods(&j, scene, NULL);
	view_write_shapes(&j, scene, first_shape, &error);
	json_open(&j, "serials", '[');
	for (uint32_t i = first_body; i < live.known; ++i)
		if (live.bodies[i].generation)
			json_count(&j, NULL, i);
	json_close(&j, ']');
	json_open(&j, "bodies", '[');
	for (uint32_t i = first_body; i < live.known; ++i) {
		if (!live.bodies[i].generation)
			continue;
		cairn_track track = {.info = cairn_world_body_info(live.world, live.bodies[i]),
		                     .first_frame = frame,
		                     .last_frame = UINT32_MAX,
		                     .first_key = cairn_world_body_key(live.world, live.bodies[i])};
		view_write_body(&j, &track);
	}
	json_close(&j, ']');
	json_end(&j);
	fclose(memory);
	return live.text;
}

/* ---- What moves ---- */

static double *more(size_t count)
{
	if (live.frame_size + count > live.frame_room) {
		live.frame_room = (live.frame_size + count) * 3 / 2 + 1024;
		live.frame = resize(live.frame, live.frame_room * sizeof live.frame[0]);
	}
	double *at = live.frame + live.frame_size;
	live.frame_size += count;
	return at;
}

static void put_pose(double *d, const cairn_key *k)
{
	d[0] = k->position.x, d[1] = k->position.y, d[2] = k->position.z;
	d[3] = k->orientation.w, d[4] = k->orientation.x, d[5] = k->orientation.y, d[6] = k->orientation.z;
}

static void put_body(cairn_body body)
{
	cairn_key k = cairn_world_body_key(live.world, body);
	double *d = more(BODY);
	d[0] = cairn_world_body_info(live.world, body).serial;
	d[1] = cairn_world_body_asleep(live.world, body);
	put_pose(d + 2, &k);
	d[9] = k.velocity.x, d[10] = k.velocity.y, d[11] = k.velocity.z;
	d[12] = k.spin.x, d[13] = k.spin.y, d[14] = k.spin.z;
}

static uint32_t put_keys(cairn_body body, double begin, double fps)
{
	cairn_key keys[KEYS_MOST];
	uint32_t count = cairn_world_body_keys(live.world, body, keys, KEYS_MOST);
	for (uint32_t i = 0; i + 1 < count; ++i) {
		double *d = more(KEY);
		d[0] = cairn_world_body_info(live.world, body).serial;
		d[1] = (keys[i].time - begin) * fps;
		put_pose(d + 2, &keys[i]);
	}
	return count - 1;
}

static uint32_t put_contacts(void)
{
	uint32_t count = cairn_world_contacts(live.world, NULL, 0);
	cairn_contact *contacts = resize(NULL, (count + 1) * sizeof contacts[0]);
	cairn_world_contacts(live.world, contacts, count);
	for (uint32_t i = 0; i < count; ++i) {
		const cairn_contact *c = &contacts[i];
		double *d = more(CONTACT);
		d[0] = cairn_world_body_info(live.world, c->a).serial, d[1] = cairn_world_body_info(live.world, c->b).serial;
		d[2] = c->point.x, d[3] = c->point.y, d[4] = c->point.z;
		d[5] = c->normal.x, d[6] = c->normal.y, d[7] = c->normal.z;
		d[8] = c->impulse.x, d[9] = c->impulse.y, d[10] = c->impulse.z;
		d[11] = c->gap, d[12] = c->sliding;
	}
	free(contacts);
	return count;
}

/* The hardest impact of the last step: N s, and who got it, the second body unless that does not move. */
static void find_blow(double *impulse, uint32_t *serial)
{
	uint32_t count = cairn_world_impacts(live.world, NULL, 0);
	cairn_impact *impacts = resize(NULL, (count + 1) * sizeof impacts[0]);
	count = cairn_world_impacts(live.world, impacts, count);
	*impulse = 0;
	*serial = 0;
	for (uint32_t i = 0; i < count; ++i) {
		cairn_vec3 p = impacts[i].impulse;
		double size = sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
		if (size <= *impulse)
			continue;
		cairn_body_info b = cairn_world_body_info(live.world, impacts[i].b);
		*impulse = size;
		*serial = b.type == CAIRN_DYNAMIC ? b.serial : cairn_world_body_info(live.world, impacts[i].a).serial;
	}
	free(impacts);
}

/* -1: none. */
static double serial_of(cairn_body body)
{
	return cairn_world_has_body(live.world, body) ? cairn_world_body_info(live.world, body).serial : -1;
}

static void put_frame(const cairn_step_report *r)
{
	double blow;
	uint32_t struck;
	find_blow(&blow, &struck);
	uint32_t count = take_stock(), keys = 0;
	double fps = cairn_scene_settings(cairn_world_scene(live.world)).fps;
	double frame = cairn_world_frame(live.world);
	uint64_t state = cairn_world_hash(live.world);
	live.frame_size = 0;
	more(HEAD);
	for (uint32_t i = 0; i < count; ++i)
		put_body(live.alive[i]);
	for (uint32_t i = 0; i < count; ++i)
		keys += put_keys(live.alive[i], (frame - 1) / fps, fps);
	uint32_t contacts = put_contacts();
	const double head[HEAD] = {frame,
	                           cairn_world_time(live.world),
	                           count,
	                           keys,
	                           contacts,
	                           r->contacts,
	                           r->close_pairs,
	                           r->asleep,
	                           r->moving,
	                           r->min_gap,
	                           r->ms,
	                           r->energy.kinetic,
	                           r->energy.potential,
	                           r->measured ? CAIRN_PASSAGE + 1 : r->certificate.verdict,
	                           (double)(uint32_t)state,
	                           (double)(uint32_t)(state >> 32),
	                           (double)(uint32_t)live.chain,
	                           (double)(uint32_t)(live.chain >> 32),
	                           live.known,
	                           cairn_scene_shape_count(cairn_world_scene(live.world)),
	                           live.recording != NULL,
	                           r->tiers[CAIRN_TIER_HOLD],
	                           blow,
	                           struck,
	                           r->depth,
	                           serial_of(r->deep_a),
	                           serial_of(r->deep_b),
	                           (double)r->certificate.overlaps,
	                           (double)r->certificate.passages};
	memcpy(live.frame, head, sizeof head);
}

const double *EXPORT(live_frame)(void) { return live.frame; }
uint32_t EXPORT(live_frame_size)(void) { return (uint32_t)live.frame_size; }

/* The frame that the world stands at, before any step. */
void EXPORT(live_look)(void)
{
	cairn_step_report none = {.min_gap = INFINITY};
	none.bodies = none.moving = cairn_world_body_count(live.world);
	put_frame(&none);
}

/* A ball that was thrown where something already is cannot stay: it is taken out again, as an input like any other. */
static bool take_back_ball(const cairn_step_report *r)
{
	const cairn_body pair[2] = {r->pair_b, r->pair_a};
	cairn_error error = {0};
	for (int i = 0; r->status == CAIRN_STEP_OVERLAP && i < 2; ++i)
		if (cairn_world_has_body(live.world, pair[i]) &&
		    cairn_world_body_info(live.world, pair[i]).serial >= live.thrown)
			return cairn_world_remove_body(live.world, pair[i], &error);
	return false;
}

static void keep(const cairn_step_report *r)
{
	cairn_error error = {0};
	if (!live.recording || cairn_recording_append(live.recording, live.world, r, &error))
		return;
	cairn_recording_close(live.recording); /* whole up to the frame before; the motion goes on */
	live.recording = NULL;
	fail(&error);
}

/* Ends the recording where it is; the motion goes on without. */
void EXPORT(live_rest)(void)
{
	cairn_recording_close(live.recording);
	live.recording = NULL;
}

/* One frame forward: 0, or a cairn_status with live_message saying what stopped it. */
int EXPORT(live_step)(void)
{
	live.message[0] = 0;
	cairn_step_report r = cairn_world_step(live.world);
	while (take_back_ball(&r)) { /* there may be several since the last step */
		take_stock();
		r = cairn_world_step(live.world);
		if (r.status == CAIRN_STEP_OK)
			snprintf(live.message, sizeof live.message, "there was no room for the ball");
	}
	if (r.status != CAIRN_STEP_OK) {
		cairn_world_explain(live.world, &r, live.message, sizeof live.message);
		return (int)r.status;
	}
	live.thrown = UINT32_MAX;
	live.chain = mix(live.chain, cairn_world_hash(live.world));
	keep(&r);
	put_frame(&r);
	return CAIRN_STEP_OK;
}

/* ---- What a hand does ---- */

/* Pulls the point of the body (in its shape's frame) to the target. */
int EXPORT(live_drag)(uint32_t serial, double x, double y, double z, double tx, double ty, double tz)
{
	cairn_error error = {0};
	cairn_drag_def def = cairn_default_drag_def();
	def.body = body_of(serial);
	def.anchor = (cairn_vec3){x, y, z};
	def.target = (cairn_vec3){tx, ty, tz};
	if (!def.body.generation)
		return CAIRN_OK; /* it is gone */
	return cairn_world_drag(live.world, &def, &error) ? CAIRN_OK : fail(&error);
}

int EXPORT(live_release)(uint32_t serial)
{
	cairn_error error = {0};
	cairn_body body = body_of(serial);
	return !body.generation || cairn_world_release(live.world, body, &error) ? CAIRN_OK : fail(&error);
}

static bool make_ball(double radius, cairn_error *error)
{
	if (!live.ball_material.generation) {
		cairn_material_def material = cairn_default_material_def();
		material.name = "thrown";
		material.restitution = 0.3;
		live.ball_material = cairn_world_add_material(live.world, &material, error);
	}
	if (live.ball_material.generation && (!live.ball.generation || live.ball_radius != radius)) {
		cairn_shape_def shape = cairn_default_shape_def(CAIRN_SPHERE);
		shape.radius = radius;
		live.ball = cairn_world_add_shape(live.world, &shape, error);
		live.ball_radius = radius;
	}
	return live.ball_material.generation && live.ball.generation;
}

/* mass 0: of its density. */
int EXPORT(live_throw)(double x, double y, double z, double vx, double vy, double vz, double radius, double mass)
{
	cairn_error error = {0};
	if (!make_ball(radius, &error))
		return fail(&error);
	char name[32];
	snprintf(name, sizeof name, "thrown.%u", live.known);
	cairn_body_def def = cairn_default_body_def();
	def.name = name;
	def.shape = live.ball;
	def.material = live.ball_material;
	def.pose.position = (cairn_vec3){x, y, z};
	def.velocity = (cairn_vec3){vx, vy, vz};
	def.mass = mass;
	def.has_color = true;
	def.color = (cairn_color){0.9, 0.16, 0.1};
	cairn_body ball = cairn_world_add_body(live.world, &def, &error);
	if (!ball.generation)
		return fail(&error);
	uint32_t serial = cairn_world_body_info(live.world, ball).serial;
	live.thrown = serial < live.thrown ? serial : live.thrown;
	take_stock();
	return CAIRN_OK;
}

int EXPORT(live_blast)(double x, double y, double z, double speed)
{
	cairn_error error = {0};
	cairn_event_def def = cairn_default_event_def(CAIRN_BLAST);
	def.point = (cairn_vec3){x, y, z};
	def.speed = speed;
	return cairn_world_apply_event(live.world, &def, &error) ? CAIRN_OK : fail(&error);
}

/* Friction (static and kinetic) and restitution of every material; negative: as it is. */
int EXPORT(live_material)(double friction, double restitution)
{
	cairn_error error = {0};
	const cairn_scene *scene = cairn_world_scene(live.world);
	for (uint32_t i = 0; i < cairn_scene_material_count(scene); ++i) {
		cairn_material_def def = cairn_scene_material_at(scene, i);
		if (friction >= 0)
			def.static_friction = def.kinetic_friction = friction;
		if (restitution >= 0)
			def.restitution = restitution;
		if (!cairn_world_set_material(live.world, (cairn_material){.index = i, .generation = 1}, &def, &error))
			return fail(&error);
	}
	return CAIRN_OK;
}

/* Material 0's friction and restitution: where the page's sliders begin. */
double EXPORT(live_friction)(void)
{
	const cairn_scene *scene = cairn_world_scene(live.world);
	return cairn_scene_material_count(scene) ? cairn_scene_material_at(scene, 0).kinetic_friction : 0.5;
}

double EXPORT(live_restitution)(void)
{
	const cairn_scene *scene = cairn_world_scene(live.world);
	return cairn_scene_material_count(scene) ? cairn_scene_material_at(scene, 0).restitution : 0;
}

/* Turns a copy of the recording into another format, by the ending of to. */
int EXPORT(live_export)(const char *from, const char *to)
{
	cairn_error error = {0};
	cairn_recording *recording = cairn_recording_open(from, NULL, &error);
	bool done = recording && cairn_export(recording, to, NULL, &error);
	cairn_recording_close(recording);
	return done ? CAIRN_OK : fail(&error);
}
