/* Bodies, keys and reports as bytes. What is written here is what is checked here, side by side. */
#include "record/frame_bytes.h"

#include "base/tolerance.h"
#include "base/vec.h"

#include <string.h>

#define CN_DEBT_ROUNDING 1e-6 /* relative: of a mean over ten million bodies, and some */

#define CN_QUARTER_TURN 1.5708 /* rad, pi/2 rounded up: longest turn that ends at a key */

static void require(cn_reader *r, bool condition)
{
	if (!condition)
		r->failed = true;
}

static double get_finite(cn_reader *r)
{
	double x = cn_get_f64(r);
	require(r, isfinite(x));
	return x;
}

static double get_positive(cn_reader *r)
{
	double x = get_finite(r);
	require(r, x >= 0);
	return x;
}

static void put_state(cn_writer *w, const cairn_key *key)
{
	cn_put_v3(w, key->position);
	cn_put_quat(w, key->orientation);
	cn_put_v3(w, key->velocity);
	cn_put_v3(w, key->spin);
}

static cairn_key get_state(cn_reader *r)
{
	cairn_key key = {.position = cn_get_v3(r)};
	key.orientation = cn_get_quat(r);
	key.velocity = cn_get_v3(r);
	key.spin = cn_get_v3(r);
	/* Their squares too: else lengths and energies made from them are not finite. */
	require(r, isfinite(v3_length2(key.position)) && isfinite(v3_length2(key.velocity)));
	require(r, isfinite(v3_length2(key.spin)));
	require(r, q_finite(key.orientation) && fabs(q_dot(key.orientation, key.orientation) - 1) <= CN_UNIT_ERROR);
	return key;
}

void cn_put_key(cn_writer *w, const cairn_key *key)
{
	put_state(w, key);
	cn_put_v3(w, key->turn);
}

cairn_key cn_get_key(cn_reader *r)
{
	cairn_key key = get_state(r);
	key.turn = cn_get_v3(r);
	require(r, v3_length2(key.turn) <= CN_QUARTER_TURN * CN_QUARTER_TURN); /* false for NaN too */
	return key;
}

/* Of a body that has a visual, or another roughness than most: its type has this bit. */
#define HAS_LOOK 128u
#define PLAIN_ROUGHNESS 0.6

static void put_look(cn_writer *w, const cairn_body_info *info)
{
	cn_put_f64(w, info->roughness);
	cn_put_handle(w, info->visual.index, info->visual.generation);
	cn_put_v3(w, info->visual_pose.position);
	cn_put_quat(w, info->visual_pose.orientation);
}

static void get_look(cn_reader *r, cairn_body_info *info)
{
	info->roughness = get_finite(r);
	require(r, info->roughness >= 0 && info->roughness <= 1);
	cairn_body visual = cn_get_handle(r);
	info->visual = (cairn_shape){visual.index, visual.generation};
	info->visual_pose.position = cn_get_v3(r);
	info->visual_pose.orientation = cn_get_quat(r);
	quat q = info->visual_pose.orientation;
	require(r, v3_finite(info->visual_pose.position) && fabs(q_dot(q, q) - 1) <= 1e-9);
}

void cn_put_body(cn_writer *w, cairn_body body, const cairn_body_info *info, const cairn_key *key)
{
	cn_put_u32(w, info->serial);
	cn_put_handle(w, body.index, body.generation);
	bool look = info->visual.generation || info->roughness != PLAIN_ROUGHNESS;
	cn_put_u8(w, (uint8_t)(info->type | (look ? HAS_LOOK : 0)));
	cn_put_handle(w, info->shape.index, info->shape.generation);
	cn_put_handle(w, info->material.index, info->material.generation);
	cn_put_f64(w, info->mass);
	cn_put_v3(w, info->center);
	for (int i = 0; i < 9; ++i)
		cn_put_f64(w, info->inertia[i]);
	cn_put_f64(w, info->radius);
	cn_put_u32(w, info->group);
	cn_put_u32(w, info->mask);
	cn_put_f64(w, info->color.r);
	cn_put_f64(w, info->color.g);
	cn_put_f64(w, info->color.b);
	if (look)
		put_look(w, info);
	cn_put_text(w, info->name);
	if (info->type == CAIRN_FIXED)
		put_state(w, key);
}

bool cn_get_body(cn_reader *r, const cairn_allocator *allocator, cairn_track *track)
{
	*track = (cairn_track){.info.serial = cn_get_u32(r)};
	cairn_body_info *info = &track->info;
	track->body = cn_get_handle(r);
	require(r, track->body.generation != 0);
	uint8_t type = cn_get_u8(r);
	require(r, (type & ~HAS_LOOK) <= CAIRN_SCRIPTED);
	info->type = (cairn_body_type)(type & ~HAS_LOOK);
	cairn_body shape = cn_get_handle(r), material = cn_get_handle(r);
	info->shape = (cairn_shape){shape.index, shape.generation};
	info->material = (cairn_material){material.index, material.generation};
	info->mass = get_positive(r);
	info->center = cn_get_v3(r);
	require(r, v3_finite(info->center) && v3_length(info->center) <= 2 * CN_LENGTH_MAX);
	for (int i = 0; i < 9; ++i)
		info->inertia[i] = get_finite(r);
	info->radius = cn_get_f64(r);
	require(r, info->radius >= 0); /* infinite for a half-space */
	info->group = cn_get_u32(r);
	info->mask = cn_get_u32(r);
	info->color.r = get_finite(r);
	info->color.g = get_finite(r);
	info->color.b = get_finite(r);
	info->roughness = PLAIN_ROUGHNESS;
	info->visual_pose = pose_identity();
	if (type & HAS_LOOK)
		get_look(r, info);
	info->name = cn_get_text(r, allocator);
	if (!info->name)
		return false;
	if (info->type == CAIRN_FIXED)
		track->first_key = get_state(r);
	return !r->failed;
}

/* The accounts in the order of the bytes. */
enum { ENERGIES = 11 };

static void list_energies(cairn_energy *e, double *list[ENERGIES])
{
	double *all[ENERGIES] = {&e->kinetic,  &e->potential, &e->events,  &e->fields, &e->damping, &e->impacts,
	                         &e->friction, &e->position,  &e->dropped, &e->drift,  &e->joints};
	memcpy(list, all, sizeof all);
}

static void put_energy(cn_writer *w, cairn_energy energy)
{
	double *list[ENERGIES];
	list_energies(&energy, list);
	cn_put_u32(w, ENERGIES);
	for (int i = 0; i < ENERGIES; ++i)
		cn_put_f64(w, *list[i]);
}

/* A later version may keep more accounts; those that this one does not know are passed over. */
static cairn_energy get_energy(cn_reader *r)
{
	cairn_energy energy = {0};
	double *list[ENERGIES];
	list_energies(&energy, list);
	uint32_t count = cn_get_count(r, 8);
	for (uint32_t i = 0; i < count && !r->failed; ++i) {
		double one = get_finite(r);
		if (i < ENERGIES)
			*list[i] = one;
	}
	return energy;
}

static void put_certificate(cn_writer *w, const cairn_certificate *certificate)
{
	cn_put_u8(w, (uint8_t)certificate->verdict);
	cn_put_u64(w, certificate->pairs);
	cn_put_u64(w, certificate->intervals);
	cn_put_u64(w, certificate->overlaps);
	cn_put_u64(w, certificate->passages);
	cn_put_f64(w, certificate->min_gap);
	cn_put_f64(w, certificate->rounding_bound);
}

static cairn_certificate get_certificate(cn_reader *r)
{
	uint8_t verdict = cn_get_u8(r);
	require(r, verdict <= CAIRN_PASSAGE);
	cairn_certificate certificate = {.verdict = (cairn_verdict)verdict, .pairs = cn_get_u64(r)};
	certificate.intervals = cn_get_u64(r);
	certificate.overlaps = cn_get_u64(r);
	certificate.passages = cn_get_u64(r);
	certificate.min_gap = cn_get_f64(r);
	require(r, !isnan(certificate.min_gap)); /* infinite: nothing came near */
	certificate.rounding_bound = get_positive(r);
	return certificate;
}

/* The counts in the order of the bytes. */
enum { COUNTS = 12 };

static void list_counts(cairn_step_report *report, uint32_t *list[COUNTS])
{
	uint32_t *all[COUNTS] = {&report->bodies,     &report->moving,   &report->asleep,     &report->close_pairs,
	                         &report->collisions, &report->contacts, &report->extra_keys, &report->emitted,
	                         &report->waiting,    &report->passes,   &report->programs,   &report->taken_back};
	memcpy(list, all, sizeof all);
}

void cn_put_report(cn_writer *w, const cairn_step_report *report)
{
	cairn_step_report copy = *report;
	uint32_t *counts[COUNTS];
	list_counts(&copy, counts);
	cn_put_u8(w, (uint8_t)report->status);
	for (int i = 0; i < COUNTS; ++i)
		cn_put_u32(w, *counts[i]);
	cn_put_u32(w, CAIRN_MAX_TIERS);
	for (int i = 0; i < CAIRN_MAX_TIERS; ++i)
		cn_put_u32(w, report->tiers[i]);
	cn_put_f64(w, report->min_gap);
	cn_put_handle(w, report->pair_a.index, report->pair_a.generation);
	cn_put_handle(w, report->pair_b.index, report->pair_b.generation);
	put_energy(w, report->energy);
	cn_put_f64(w, report->lift);
	cn_put_handle(w, report->lifted.index, report->lifted.generation);
	put_certificate(w, &report->certificate);
}

void cn_get_report(cn_reader *r, cairn_step_report *report)
{
	*report = (cairn_step_report){0};
	uint8_t status = cn_get_u8(r);
	require(r, status <= CAIRN_STEP_UNCERTIFIED);
	report->status = (cairn_status)status;
	uint32_t *counts[COUNTS];
	list_counts(report, counts);
	for (int i = 0; i < COUNTS; ++i)
		*counts[i] = cn_get_u32(r);
	uint32_t tiers = cn_get_u32(r);
	require(r, tiers <= CAIRN_MAX_TIERS);
	for (uint32_t i = 0; i < tiers && !r->failed; ++i)
		report->tiers[i] = cn_get_u32(r);
	report->min_gap = cn_get_f64(r);
	require(r, !isnan(report->min_gap)); /* infinite: not measured */
	report->pair_a = cn_get_handle(r);
	report->pair_b = cn_get_handle(r);
	report->energy = get_energy(r);
	report->lift = get_finite(r);
	report->lifted = cn_get_handle(r);
	report->certificate = get_certificate(r);
}

void cn_put_depth(cn_writer *w, const cairn_step_report *report)
{
	cn_put_f64(w, report->depth);
	cn_put_handle(w, report->deep_a.index, report->deep_a.generation);
	cn_put_handle(w, report->deep_b.index, report->deep_b.generation);
}

/* Two bodies overlap where there is a depth, and nowhere else. */
void cn_get_depth(cn_reader *r, cairn_step_report *report)
{
	report->measured = true;
	report->depth = get_positive(r);
	report->deep_a = cn_get_handle(r);
	report->deep_b = cn_get_handle(r);
	require(r, (report->depth > 0) == (report->deep_a.generation != 0) &&
	               (report->depth > 0) == (report->deep_b.generation != 0));
}

void cn_put_debt(cn_writer *w, const cairn_step_report *report)
{
	cn_put_u32(w, report->steps);
	cn_put_u32(w, report->movers);
	cn_put_u32(w, report->debtors);
	cn_put_f64(w, report->debt);
	cn_put_f64(w, report->debt_mean);
	cn_put_handle(w, report->debtor.index, report->debtor.generation);
}

/* Only what moved can owe, and who owes most is named. A mean of equal debts may round to more than each of them. */
void cn_get_debt(cn_reader *r, cairn_step_report *report)
{
	report->steps = cn_get_u32(r);
	report->movers = cn_get_u32(r);
	report->debtors = cn_get_u32(r);
	report->debt = get_positive(r);
	report->debt_mean = get_positive(r);
	report->debtor = cn_get_handle(r);
	require(r, report->steps > 0 && report->debtors <= report->movers);
	require(r, report->debt_mean <= report->debt * (1 + CN_DEBT_ROUNDING));
	require(r, report->debt > 0 ? report->movers > 0 && report->debtor.generation != 0
	                            : report->debtors == 0 && report->debtor.generation == 0);
}

void cn_put_late(cn_writer *w, const cairn_step_report *report)
{
	uint32_t listed = report->late < CAIRN_MAX_LATE ? report->late : CAIRN_MAX_LATE;
	cn_put_u32(w, report->late);
	cn_put_u32(w, listed);
	for (uint32_t i = 0; i < listed; ++i) {
		cn_put_handle(w, report->scripts[i].body.index, report->scripts[i].body.generation);
		cn_put_f64(w, report->scripts[i].lag);
	}
}

/* A later version may list more; those that this one has no room for are passed over. */
void cn_get_late(cn_reader *r, cairn_step_report *report)
{
	report->late = cn_get_u32(r);
	uint32_t listed = cn_get_count(r, 16);
	require(r, listed <= report->late);
	for (uint32_t i = 0; i < listed && !r->failed; ++i) {
		cairn_late one = {.body = cn_get_handle(r)};
		one.lag = get_positive(r);
		if (i < CAIRN_MAX_LATE)
			report->scripts[i] = one;
	}
}

void cn_put_joints(cn_writer *w, const cairn_step_report *report)
{
	cn_put_f64(w, report->joint_error);
	cn_put_u32(w, report->broken);
}

void cn_get_joints(cn_reader *r, cairn_step_report *report)
{
	report->joint_error = get_positive(r);
	report->broken = cn_get_u32(r);
}

/* In the order of the bytes. */
enum { RARE_COUNTS = 4 };

static void list_rare(cairn_step_report *report, uint32_t *list[RARE_COUNTS])
{
	list[0] = &report->frozen, list[1] = &report->text_fallbacks;
	list[2] = &report->guesses, list[3] = &report->second_guesses;
}

bool cn_has_counts(const cairn_step_report *report)
{
	cairn_step_report copy = *report;
	uint32_t *list[RARE_COUNTS];
	bool any = false;
	list_rare(&copy, list);
	for (int i = 0; i < RARE_COUNTS; ++i)
		any |= *list[i] != 0;
	return any;
}

void cn_put_counts(cn_writer *w, const cairn_step_report *report)
{
	cairn_step_report copy = *report;
	uint32_t *list[RARE_COUNTS];
	list_rare(&copy, list);
	cn_put_u32(w, RARE_COUNTS);
	for (int i = 0; i < RARE_COUNTS; ++i)
		cn_put_u32(w, *list[i]);
}

/* A later version may keep more of them; those that this one does not know are passed over. */
void cn_get_counts(cn_reader *r, cairn_step_report *report)
{
	uint32_t *list[RARE_COUNTS], count = cn_get_count(r, 4);
	list_rare(report, list);
	for (uint32_t i = 0; i < count && !r->failed; ++i) {
		uint32_t one = cn_get_u32(r);
		if (i < RARE_COUNTS)
			*list[i] = one;
	}
}

void cn_put_times(cn_writer *w, const cairn_step_report *report)
{
	cn_put_f64(w, report->ms);
	cn_put_u32(w, report->stage_count);
	for (uint32_t i = 0; i < report->stage_count; ++i) {
		assert(strlen(report->stage_names[i]) <= CN_STAGE_NAME_MAX);
		cn_put_f64(w, report->stage_ms[i]);
		cn_put_text(w, report->stage_names[i]);
	}
}

void cn_get_times(cn_reader *r, cairn_step_report *report, cn_stage_name names[CAIRN_MAX_STAGES])
{
	report->ms = get_positive(r);
	report->stage_count = cn_get_u32(r);
	require(r, report->stage_count <= CAIRN_MAX_STAGES);
	for (uint32_t i = 0; i < report->stage_count && !r->failed; ++i) {
		report->stage_ms[i] = get_positive(r);
		names[i].length = cn_get_count(r, 1);
		names[i].text = (const char *)cn_get_bytes(r, names[i].length);
		require(r, names[i].length <= CN_STAGE_NAME_MAX);
		require(r, names[i].text && !memchr(names[i].text, 0, names[i].length));
	}
}
