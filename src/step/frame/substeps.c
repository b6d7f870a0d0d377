/* Substeps of a frame. One step is enough for bodies that fly, rest, slide, or roll on a plane: their motion is
 * accurate to second order. It is not where contacts change within the frame, where bodies turn about edges or meet.
 * There rest, motion and bounce are repeated several times inside the frame, and every substep ends with keys.
 *
 * The number that a pair needs follows from how far it turns and approaches in the frame, relative to its thinner part.
 * A component of near bodies takes the number that its worst pair needs. Bodies that need several substeps go through
 * the frame first, while all others are away, as neither group comes near the other within the frame. If they do meet,
 * the certificate says so, and the frame begins again: those that met take several together, and if it is refused all the
 * same there are half as many substeps, in the end one. */
#include "step/frame/substeps.h"
#include "base/tolerance.h"
#include "step/flight/flight.h"
#include "step/hooks.h"
#include "step/tolerance.h"

#include <string.h>

#define CN_SUBSTEP_STEPS                                                                                               \
	8                    /* of a frame at most, unless the scene says how many: dominoes are within 2 % with so many */
#define CN_LINK_TURN 1.3 /* x the turn of such a link with the spin it has at first: what it may gain in the frame */
#define CN_SUBSTEP_WORK                                                                                                \
	4800 /* near pairs x steps of a component beyond the second step: 100 cubes that fall together take 8, 1000 take 2 */
#define CN_SUBSTEP_AWAY 4 /* bodies that are away, or pairs that stand still, cost as much as one pair that moves */
#define CN_MESH_STRIDES 4 /* steps in which a mesh goes its radius against others */
#define CN_FRONT_SHARE 16 /* pairs of fronts cost about as much as one other pair, as few of their points are solved */
#define CN_SUBSTEP_LINE                                                                                                \
	1e-14 /* of a body's radius and coordinates: a key this near to the way between its neighbours says nothing */

static double frame_time(const cairn_world *w) { return 1 / w->scene->settings.fps; }

static cn_substeps *substeps_of(cairn_world *w)
{
	if (!w->part.memory)
		w->part.memory = cn_alloc(&w->allocator, 1, sizeof *w->part.memory);
	return w->part.memory;
}

void cn_substeps_destroy(cairn_world *w)
{
	cn_substeps *n = w->part.memory;
	const cairn_allocator *a = &w->allocator;
	if (!n)
		return;
	cn_free(a, n->spare, n->spare_room, sizeof *n->spare);
	cn_free(a, n->memory.pairs, n->memory.pair_capacity, sizeof *n->memory.pairs);
	cn_free(a, n->memory.points, n->memory.point_capacity, sizeof *n->memory.points);
	cn_free(a, n, 1, sizeof *n);
	w->part.memory = NULL;
}

/* ---- number of substeps */

static v3 spin_of(const cairn_world *w, uint32_t slot)
{
	if (cn_path_driven(&w->context->paths.by_slot[slot]))
		return cn_script_twist(w, slot, false).w;
	return cn_body_movable(w, slot) ? cn_spin(&w->rotors[slot], w->motion[slot].q, w->motion[slot].l) : v3_zero();
}

/* What a script and a body that it carries turn as one, which changes no contact between them: the point nearest to zero
 * between their two spins. */
static v3 common_spin(const cairn_world *w, const cn_pair *p)
{
	if (!p->script_moves)
		return v3_zero();
	v3 a = spin_of(w, p->a), d = v3_sub(spin_of(w, p->b), a);
	double length2 = v3_length2(d), share = length2 > 0 ? -v3_dot(a, d) / length2 : 0;
	return v3_madd(a, d, share < 0 ? 0 : share > 1 ? 1 : share);
}

/* Of a body's spin the part that changes its shape: not that of a wheel about its axle, or of a ball about its centre. */
static v3 turns(const cairn_world *w, uint32_t slot, v3 spin)
{
	const cn_context *c = w->context;
	const cn_part *part = &c->contacts.parts[c->contacts.part_first[slot]];
	v3 at = part->in_body.position;
	bool alone = c->contacts.part_first[slot + 1] - c->contacts.part_first[slot] == 1;
	if (!alone || (part->convex->kind != CAIRN_SPHERE && part->convex->kind != CAIRN_CAPSULE &&
	               part->convex->kind != CAIRN_CYLINDER))
		return spin;
	v3 axis = q_rotate(part->in_body.orientation, v3_make(0, 0, 1));
	double beside = part->convex->kind == CAIRN_SPHERE ? v3_length(at) : v3_length(v3_cross(axis, at));
	if (beside > CN_SAME * w->bodies[slot].radius)
		return spin;
	axis = q_rotate(w->motion[slot].q, axis);
	return part->convex->kind == CAIRN_SPHERE ? v3_zero() : v3_madd(spin, axis, -v3_dot(spin, axis));
}

/* m: how far rotation moves points of a body in the frame, with the velocities at its start less a common spin. */
static double swing_of(const cairn_world *w, uint32_t slot, v3 common)
{
	if (!cn_body_movable(w, slot) || w->context->paths.by_slot[slot].round)
		return 0;
	v3 spin = v3_sub(spin_of(w, slot), common);
	double across = v3_length(turns(w, slot, spin)), all = v3_length(spin);
	return sqrt(across * all) * w->bodies[slot].radius * w->dt;
}

/* m: where the centre of a body goes in the frame with the velocity at its start, seen from what turns with the common
 * spin about the end of the arm; of a script, which has no swing of its own, the end of the arm. */
static v3 moves(const cairn_world *w, uint32_t slot, v3 arm, v3 common)
{
	if (cn_body_movable(w, slot))
		return v3_scale(v3_add(w->motion[slot].v, v3_cross(common, arm)), w->dt);
	if (!cn_path_driven(&w->context->paths.by_slot[slot]))
		return v3_zero();
	cn_twist u = cn_script_twist(w, slot, false);
	return v3_scale(v3_add(u.v, v3_cross(u.w, arm)), w->dt);
}

/* m: how far the bodies of a pair go against each other in the frame; *nears: along the pair's axis, at the point at
 * which they near each other most. */
static double goes(const cairn_world *w, const cn_pair *p, v3 common, double *nears)
{
	const cn_pair_point *points = &w->context->contacts.points[p->first];
	double far = 0;
	*nears = -INFINITY;
	for (uint32_t k = 0; k < p->count || k == 0; ++k) {
		v3 ra = p->count ? points[k].ra : v3_zero(), rb = p->count ? points[k].rb : v3_zero();
		v3 d = v3_sub(moves(w, p->b, rb, common), moves(w, p->a, ra, common));
		*nears = fmax(*nears, -v3_dot(p->at.n, d)), far = fmax(far, v3_length(d));
	}
	return far;
}

/* m: how much closer to the other a body of a pair can come by turning than it reaches now. */
static double swings_out(const cairn_world *w, const cn_pair *p, bool of_b)
{
	const cn_context *c = w->context;
	double radius = w->bodies[of_b ? p->b : p->a].radius, reaches = -radius;
	for (uint32_t k = 0; k < p->count; ++k) {
		const cn_pair_point *t = &c->contacts.points[p->first + k];
		double along = of_b ? -v3_dot(p->at.n, t->rb) : v3_dot(p->at.n, t->ra);
		reaches = along > reaches ? along : reaches;
	}
	return reaches < radius ? radius - reaches : 0;
}

/* The place of a part after a share of the free motion of its body in the frame. */
static cn_place place_after(const cairn_world *w, uint32_t part, double share)
{
	const cn_context *c = w->context;
	const cn_part *k = &c->contacts.parts[part];
	const cn_motion *m = &w->motion[k->slot];
	pose at = {v3_madd(m->x, c->contacts.strides[k->slot].dx, share), m->q};
	if (cn_body_movable(w, k->slot))
		at.orientation = q_unit(q_mul(q_exp(v3_scale(cn_spin(&w->rotors[k->slot], m->q, m->l), share * w->dt)), m->q));
	return cn_convex_place(k->convex, pose_mul(at, k->in_body));
}

/* The two are apart now and meet within the frame if nothing stops them, by conservative advancement: they go on by
 * no more than what closes their gap. */
static bool run_into(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	const cn_stride *a = &c->contacts.strides[p->a], *b = &c->contacts.strides[p->b];
	double far = v3_length(v3_sub(b->dx, a->dx)) + a->swing + b->swing, share = 0, gap = p->at.gap;
	double margin =
		p->gap_target + (cn_body_movable(w, p->a) ? 0 : a->swing) + (cn_body_movable(w, p->b) ? 0 : b->swing);
	enum { ROUNDS = 16 }; /* what is still apart then counts as meeting */
	cn_witness witness = {0};
	bool flat =
		c->contacts.parts[p->pa].kind == CN_PART_HALF_SPACE || c->contacts.parts[p->pb].kind == CN_PART_HALF_SPACE;
	if (flat || gap < CN_PUSHING_GAP * p->gap_target)
		return false;
	for (int i = 0; i < ROUNDS && gap > margin; ++i) {
		cn_separation s;
		share += (gap - 0.5 * margin) / far;
		if (!(share < 1))
			return false;
		cn_place at_a = place_after(w, p->pa, share), at_b = place_after(w, p->pb, share);
		cn_separate(c->contacts.parts[p->pa].convex, &at_a, c->contacts.parts[p->pb].convex, &at_b, &witness, &s);
		gap = s.gap;
	}
	return true;
}

/* Number of substeps in each of which a pair turns and approaches by no more than a share of its thinner part. */
static double needed(const cairn_world *w, const cn_pair *p)
{
	if (!p->near || p->must_not_touch || (cn_substeps_flies(w, p->a) && cn_substeps_flies(w, p->b)))
		return 1;
	v3 common = common_spin(w, p);
	double a = swing_of(w, p->a, common), b = swing_of(w, p->b, common), nears, far = goes(w, p, common, &nears);
	double out_a = swings_out(w, p, false), out_b = swings_out(w, p, true);
	if (nears + (a < out_a ? a : out_a) + (b < out_b ? b : out_b) > p->at.gap)
		return (a + b + (nears > 0 ? nears : 0)) / (CN_SUBSTEP_MOTION * p->thin);
	/* the plane between them now says little of where bodies meet that go further than their size */
	if (far > p->thin && far + a + b > p->at.gap && run_into(w, p))
		return (a + b + far) / (CN_SUBSTEP_MOTION * p->thin);
	return 1;
}

/* Number of substeps in each of which no link of the pair's articulations turns further than between two keys. An
 * articulation that touches something goes no further in a step than to the first key of its path, so all of it would
 * move too slowly because of one link that spins. */
static double needed_by_links(const cairn_world *w, const cn_pair *p)
{
	const uint32_t slots[2] = {p->a, p->b};
	double fastest = 0;
	for (int i = 0; i < 2 && p->near && !p->must_not_touch; ++i)
		for (uint32_t n = 0, link; (link = cn_joints_bodies(w, slots[i], n)) != CN_QP_NONE; ++n) {
			double spin = v3_length(cn_spin(&w->rotors[link], w->motion[link].q, w->motion[link].l));
			fastest = spin > fastest ? spin : fastest;
		}
	return CN_LINK_TURN * fastest * w->dt / CN_PIECE_TURN;
}

/* A component of bodies, at its lowest slot. */
typedef struct component {
	uint32_t pairs;        /* that are near; those of fronts and those that stand still count less */
	uint32_t bodies;       /* that may move */
	bool other;            /* some body of it is no ball, or a script */
	uint32_t stands;       /* pairs that stand still */
	uint32_t front;        /* pairs of fronts that are near */
	double meshes;         /* steps in which no mesh goes further against others than a share of its radius */
	double needed, linked; /* substeps, by its pairs and by its links */
	bool links;            /* some body of it is a link */
	uint32_t keys;         /* of an articulation that owed too much in the last try */
	bool hits;             /* an impact is to come */
	bool owes;             /* some body of it owed too much in the last try */
	bool waits;            /* for a script that is late, or has too many keys, so it takes one */
	bool meets;            /* some body of it met one of the other group in the last try */
} component;

/* The component of a pair, once components are known. */
static component *component_of(const cairn_world *w, component *components, const cn_pair *p)
{
	return &components[w->context->graph.root[cn_body_movable(w, p->a) ? p->a : p->b]];
}

/* The steps that a component takes alone while so many pairs' worth of bodies is away: a power of two, or as many as
 * their work allows. */
static uint32_t steps_of(const component *k, uint32_t away)
{
	double need = k->needed < CN_SUBSTEP_STEPS ? k->needed : CN_SUBSTEP_STEPS,
		   links = k->linked < CN_MAX_PIECES ? k->linked : CN_MAX_PIECES;
	uint32_t steps = 1, pairs = k->pairs + away;
	if (k->owes) { /* errors of a step fall with its square */
		need = 0.5 * CN_SUBSTEP_STEPS * (need > 1 ? need : 1);
		links = links > k->keys ? links : k->keys;
	}
	/* one step mends what two need not: 1000 cubes that fall cost the same in both; and what goes less far has shorter
	 * fronts: a crowd of shells costs less in several steps than in one */
	while (((steps < need || steps < links) && (steps == 1 || 2 * steps * pairs <= CN_SUBSTEP_WORK)) ||
	       (!k->waits && steps < k->meshes && steps < CN_SUBSTEP_STEPS))
		steps *= 2;
	while (steps > 1 && (steps < need || steps < links) && (steps + 1) * pairs <= CN_SUBSTEP_WORK)
		++steps;
	return steps;
}

/* Number of substeps in each of which two bodies that meet by a front go no further against each other than a share of
 * the smaller one's radius. */
static double needed_by_mesh(const cairn_world *w, const cn_pair *p)
{
	double a = w->bodies[p->a].radius, b = w->bodies[p->b].radius, radius = a < b ? a : b;
	return CN_MESH_STRIDES * cn_pair_motion(w->context, p) / radius;
}

/* Both bodies of a pair have been calm: what a step does to it costs little, as nothing is measured, led or proved anew. */
static bool stands(const cairn_world *w, const cn_pair *p)
{
	return (!cn_body_movable(w, p->a) || w->rest_state[p->a].still_frames) &&
	       (!cn_body_movable(w, p->b) || w->rest_state[p->b].still_frames);
}

/* n->flies: balls of small groups, whose impacts are worked out at their own times, unless a script may strike them. */
static void find_flyers(const cairn_world *w, cn_substeps *n, component *components)
{
	const cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		component *k = &components[c->graph.root[slot]];
		bool movable = cn_body_movable(w, slot);
		k->bodies += movable;
		k->other |= cn_path_driven(&c->paths.by_slot[slot]) || (movable && !c->paths.by_slot[slot].round);
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const component *k = &components[c->graph.root[slot]];
		n->flies[slot] = !k->other && k->bodies <= CN_IMPACT_BALLS;
	}
}

/* What each component needs. */
static void find_needs(const cairn_world *w, cn_substeps *n, component *components)
{
	const cn_context *c = w->context;
	find_flyers(w, n, components);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		component *k = component_of(w, components, p);
		if (!p->near || p->must_not_touch)
			continue;
		if (c->contacts.has_front && cn_pair_of_front(&c->contacts, p))
			k->pairs += ++k->front % CN_FRONT_SHARE == 0, k->meshes = fmax(k->meshes, needed_by_mesh(w, p));
		else
			k->pairs += !stands(w, p) || ++k->stands % CN_SUBSTEP_AWAY == 0;
	}
	/* A script that is late waits frame by frame, and so do the bodies that it pushes or that hang on it. */
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		component *k = &components[c->graph.root[slot]];
		bool late = cn_path_driven(&c->paths.by_slot[slot]) && (w->bodies[slot].lag > 0 || w->bodies[slot].pace < 1);
		k->waits |= late || n->denied[slot], k->meets |= n->met[slot];
	}
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		component *k = component_of(w, components, p);
		if (k->waits || (!cn_body_movable(w, p->a) && !cn_body_movable(w, p->b)))
			continue;
		double need = needed(w, p), links = needed_by_links(w, p);
		k->hits = k->hits || (2 * k->pairs <= CN_SUBSTEP_WORK && cn_next_hit(w, i) < w->dt);
		if (n->owes[p->a] || n->owes[p->b])
			k->owes = true;
		k->needed = need > k->needed ? need : k->needed, k->linked = links > k->linked ? links : k->linked;
	}
	/* An articulation that owes may have met what was near none of its links where the frame began, and links may spin that did
	 * not. */
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		component *k = &components[c->graph.root[slot]];
		if (cn_joints_of(w, slot) == CN_QP_NONE)
			continue;
		k->links = true;
		if (!n->owes[slot] || k->waits)
			continue;
		k->owes = true;
		k->keys = n->owes[slot] > k->keys ? n->owes[slot] : k->keys;
	}
}

/* As many of the steps as components of so many pairs together may take. */
static uint32_t affordable(uint32_t steps, uint32_t pairs)
{
	while (steps > 2 && steps * pairs > 2 * CN_SUBSTEP_WORK)
		steps /= 2;
	return steps;
}

/* n->takes: bodies of components in which a pair needs several substeps. Returns their number: the
 * largest that one of them would take alone, so that nobody moves worse because others are elsewhere, as far as all
 * together cost no more than two components of the largest size; 0: memory ran out. */
static uint32_t choose(cairn_world *w, cn_substeps *n)
{
	cn_context *c = w->context;
	const uint32_t *root = c->graph.root;
	uint32_t pairs, away = 0, steps = 1;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	component *components;
	uint8_t *more; /* by slot: the most that its component could take */
	if (!CN_LOCAL(components, w->slots + 1) || !CN_LOCAL(more, w->slots + 1))
		return 0;
	cn_graph_components(w);
	find_needs(w, n, components);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		away +=
			components[root[slot]].needed <= 1 && components[root[slot]].linked <= 1 && !components[root[slot]].hits;
	away /= CN_SUBSTEP_AWAY;
	pairs = away;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const component *k = &components[root[slot]];
		uint32_t own = steps_of(k, away);
		n->takes[slot] = own > 1 || k->hits || (k->meets && !k->waits);
		if (root[slot] == slot && n->takes[slot])
			pairs += k->pairs, ++n->crowds;
		steps = own > steps ? own : steps;
		component all = *k;
		all.owes = !all.waits, all.keys = all.links ? CN_MAX_PIECES : 1;
		more[slot] =
			(uint8_t)(cn_body_movable(w, slot) && (k->pairs + k->front || k->links) ? steps_of(&all, away) : 0);
	}
	uint32_t alone = steps;
	steps = affordable(steps, pairs);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		uint32_t joining = n->takes[slot] ? 0 : components[root[slot]].pairs,
				 all = affordable(more[slot] > alone ? more[slot] : alone, pairs + joining);
		n->could[slot] = more[slot] > 1 && all > (n->takes[slot] ? steps : 1);
	}
	cn_arena_return(&c->temporary, mark);
	while (n->cuts < CN_SUBSTEP_STEPS && (steps + n->cuts + 1) * pairs <= CN_SUBSTEP_WORK)
		++n->cuts;
	return steps;
}

/* ---- before the first substep */

/* The spare array is exchanged with the world's arrays, so it has the same size. */
static bool make_spare(cairn_world *w, cn_substeps *n)
{
	if (n->spare_room == w->capacity)
		return true;
	cn_free(&w->allocator, n->spare, n->spare_room, sizeof *n->spare);
	n->spare = cn_alloc(&w->allocator, w->capacity, sizeof *n->spare);
	n->spare_room = n->spare ? w->capacity : 0;
	return n->spare;
}

static bool make_room(cairn_world *w, cn_substeps *n)
{
	uint32_t slots = w->slots;
	return CN_ROOM(n->takes, slots + 1) && CN_ROOM(n->denied, slots + 1) && CN_ROOM(n->met, slots + 1) &&
	       CN_ROOM(n->could, slots + 1) && CN_ROOM(n->owes, slots + 1) && CN_ROOM(n->flies, slots + 1) &&
	       CN_ROOM(n->keyed, slots + 1) && CN_ROOM(n->places, slots + 1) && CN_ROOM(n->rest_state, slots + 1) &&
	       CN_ROOM(n->joints, w->scene->joint_count + 1) && CN_ROOM(n->clocks, 2 * slots + 1) &&
	       CN_GROW(n->memory.pairs, n->memory.pair_capacity, w->memory.pair_count + 1) &&
	       CN_GROW(n->memory.points, n->memory.point_capacity, w->memory.point_count + 1) && make_spare(w, n);
}

static void copy_memory(cn_memory *to, const cn_memory *from)
{
	if (from->pair_count)
		memcpy(to->pairs, from->pairs, from->pair_count * sizeof *to->pairs);
	if (from->point_count)
		memcpy(to->points, from->points, from->point_count * sizeof *to->points);
	to->pair_count = from->pair_count, to->point_count = from->point_count;
}

static void save(cairn_world *w, cn_substeps *n, const cn_frame *f)
{
	n->report = f->report, n->events = f->events, n->first = NULL;
	n->report.energy = (cairn_energy){0};
	copy_memory(&n->memory, &w->memory);
	memcpy(n->rest_state, w->rest_state, w->slots * sizeof *n->rest_state);
	if (w->scene->joint_count)
		memcpy(n->joints, w->joints, w->scene->joint_count * sizeof *n->joints);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		n->clocks[2 * slot] = w->bodies[slot].lag, n->clocks[2 * slot + 1] = w->bodies[slot].pace;
}

/* Sets bodies of the other group away. Sleeping bodies stay for both groups, as they may be met. */
static void part(cairn_world *w, const cn_substeps *n, bool several)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_body *b = &w->bodies[slot];
		bool there = b->alive && b->type != CAIRN_FIXED && !w->rest_state[slot].asleep;
		w->away[slot] = there && (n->takes[slot] != 0) != several;
	}
}

static bool refuse(cn_frame *f)
{
	f->report.status = CAIRN_STEP_MEMORY;
	return false;
}

/* ---- length of a substep */

/* The next substep ends where the equal part of the frame does that it begins in. */
static void set_length(cairn_world *w, cn_substeps *n, const cn_frame *f)
{
	n->cut = false, n->energy = f->report.energy;
	cn_paths_share_keys(w, n->keyed, n->steps - n->done);
	w->part.length = (n->done + 1.0) / n->steps - w->part.from;
	w->dt = w->part.length * frame_time(w);
}

/* The step under way has another length than that with which its contacts were found. */
static bool search_again(cairn_world *w, cn_frame *f)
{
	cn_parts_begin_again(w);
	return cn_forces_apply(w, f) && cn_contacts_find(w, f);
}

/* Cuts the substep where the next impact comes. Impacts nearer to its start than a share of an equal part come with
 * that, and impacts nearer to its end come there. */
static bool cut(cairn_world *w, cn_substeps *n, cn_frame *f)
{
	const cn_contacts *c = &w->context->contacts;
	double least = CN_SCRIPT_STEP_MIN * frame_time(w) / n->steps, hit = INFINITY;
	if (n->cuts == 0 || w->dt < 2 * least)
		return true;
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		double t = cn_next_hit(w, i);
		hit = t < hit ? t : hit;
	}
	hit = hit < least ? least : hit;
	if (hit > w->dt - least)
		return true;
	--n->cuts, ++f->report.steps, n->cut = true;
	w->part.length = hit / frame_time(w), w->dt = hit;
	f->report.energy = n->energy;
	return search_again(w, f);
}

/* Chooses the bodies that take several substeps and their number, and begins the first. */
static bool choose_steps(cairn_world *w, cn_frame *f)
{
	cn_substeps *n = substeps_of(w);
	if (!n)
		return refuse(f);
	if (n->phase != CN_SUBSTEPS_NONE)
		return n->phase == CN_SUBSTEPS_LAST || cut(w, n, f);
	uint32_t asked = cn_option_count(w->scene->options.steps, CN_AUTO), steps = asked;
	if (n->most == 1 || asked == 1)
		return true;
	if (!make_room(w, n))
		return refuse(f);
	n->cuts = n->crowds = 0;
	if (n->most == 0 && !n->redone)
		memset(n->denied, 0, w->slots), memset(n->owes, 0, w->slots), memset(n->met, 0, w->slots);
	memset(n->could, 0, w->slots);
	memset(n->takes, asked != CN_AUTO, w->slots);
	if (asked == CN_AUTO)
		steps = cn_thesis_wanted(w) || w->scene->options.hybrid ? 1 : choose(w, n);
	if (steps == 0)
		return refuse(f);
	if (n->most && steps > n->most)
		steps = n->most;
	n->saved = memchr(n->could, 1, w->slots) || memchr(n->takes, 1, w->slots);
	if (n->saved)
		save(w, n, f);
	if (steps <= 1 && !memchr(n->takes, 1, w->slots))
		return true;
	f->report.energy = (cairn_energy){0};
	n->phase = CN_SUBSTEPS_ALL, n->key_count = 0;
	memset(n->keyed, 0, w->slots);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if ((cn_body_movable(w, slot) || cn_path_driven(&w->context->paths.by_slot[slot])) && !n->takes[slot])
			n->phase = CN_SUBSTEPS_FIRST;
	/* a partial certificate would not notice that bodies of the two groups met; who freezes is judged with all that weighs on it */
	if (cn_scene_certify(w->scene) != CN_CERTIFY_FULL || cn_may_freeze(w))
		n->phase = CN_SUBSTEPS_ALL, memset(n->takes, 1, w->slots);
	part(w, n, true);
	w->step = 0, w->part.from = 0;
	f->report.steps = n->steps = w->steps = steps, n->done = 0;
	set_length(w, n, f);
	return search_again(w, f) && cut(w, n, f);
}

bool cn_substeps_choose(cairn_world *w, cn_frame *f)
{
	if (!choose_steps(w, f))
		return false;
	cn_debt_begin(w);
	return true;
}

/* ---- keys */

static bool put_key(cairn_world *w, cn_substeps *n, cn_extra key)
{
	if (!CN_ROOM(n->keys, n->key_count + 1))
		return false;
	n->keys[n->key_count++] = key;
	n->keyed[key.slot] = (uint8_t)(n->keyed[key.slot] + (n->keyed[key.slot] < UINT8_MAX));
	return true;
}

static cn_extra key_at(const cairn_world *w, uint32_t slot, const cn_motion *m, double time, v3 turn)
{
	return (cn_extra){slot, cn_key_of(w, slot, m, time, turn)};
}

/* Stores the keys of a finished substep. A body that has not moved in the frame has none; one that begins to move
 * gets a key where it begins. */
static bool keep_keys(cairn_world *w, cn_substeps *n, bool over)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
		const cn_extra *extras;
		if (!w->bodies[slot].alive || w->bodies[slot].type == CAIRN_FIXED || w->away[slot])
			continue;
		uint32_t count = cn_extras_find(w->next_extras, w->next_extra_count, slot, &extras);
		quat q = from->q;
		if (!n->keyed[slot] && !count && cn_same_pose(from->x, from->q, to))
			continue;
		if (!n->keyed[slot] && w->step > 0 && !put_key(w, n, key_at(w, slot, from, cn_step_time(w, 0), v3_zero())))
			return false;
		for (uint32_t i = 0; i < count; ++i) {
			q = extras[i].key.orientation;
			if (!put_key(w, n, extras[i]))
				return false;
		}
		if (!over && !put_key(w, n, key_at(w, slot, to, cn_step_time(w, 1), q_turn(q, to->q))))
			return false;
	}
	return true;
}

/* The key lies, up to rounding, on the straight motion at a constant rate about one axis between its neighbours, so
 * it is redundant. */
static bool needless(const cairn_world *w, uint32_t slot, const cairn_key *from, const cairn_key *key,
                     const cairn_key *to)
{
	double share = (key->time - from->time) / (to->time - from->time), radius = w->bodies[slot].radius;
	v3 turn = v3_add(key->turn, to->turn), line = v3_lerp(from->position, to->position, share);
	double scale = radius + v3_max(v3_abs(key->position)), off = v3_distance(line, key->position);
	return off <= CN_SUBSTEP_LINE * scale && v3_length(turn) < CN_PIECE_TURN &&
	       v3_distance(v3_scale(turn, share), key->turn) * radius <= CN_SUBSTEP_LINE * scale;
}

/* Removes redundant keys of a slot. Returns how many are left. */
static uint32_t thin_out(cairn_world *w, uint32_t slot, cn_extra *keys, uint32_t count)
{
	const cn_motion *end = &w->next[slot];
	cairn_key from = cn_key_of(w, slot, &w->motion[slot], cairn_world_time(w), v3_zero());
	double end_time = cn_frame_time(w, w->frame + 1, 0);
	uint32_t left = 0;
	for (uint32_t i = 0; i < count; ++i) {
		quat last = left ? keys[left - 1].key.orientation : from.orientation;
		cairn_key key = keys[i].key;
		cairn_key to =
			i + 1 < count ? keys[i + 1].key : cn_key_of(w, slot, end, end_time, q_turn(key.orientation, end->q));
		key.turn = q_turn(last, key.orientation);
		if (needless(w, slot, left ? &keys[left - 1].key : &from, &key, &to))
			continue;
		keys[left] = keys[i];
		keys[left++].key.turn = key.turn;
	}
	return left;
}

/* w->next_extras: the keys of all substeps, by slot, then time. False: a body has more than a frame can hold, or
 * memory ran out. */
static bool order_keys(cairn_world *w, cn_substeps *n, cn_frame *f)
{
	uint32_t first = 0, all = 0;
	memset(n->places, 0, (w->slots + 1) * sizeof *n->places);
	for (uint32_t i = 0; i < n->key_count; ++i)
		++n->places[n->keys[i].slot];
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		uint32_t count = n->places[slot];
		n->places[slot] = first;
		first += count;
	}
	if (!CN_GROW(w->next_extras, w->next_extra_capacity, n->key_count + 1))
		return refuse(f);
	for (uint32_t i = 0; i < n->key_count; ++i)
		w->next_extras[n->places[n->keys[i].slot]++] = n->keys[i];
	first = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) { /* places[slot] is now where the keys of the next slot begin */
		uint32_t count = thin_out(w, slot, &w->next_extras[first], n->places[slot] - first);
		if (count >= CN_MAX_PIECES) {
			f->report.status = CAIRN_STEP_SPIN, f->report.pair_a = cn_handle(w, slot);
			return false;
		}
		memmove(&w->next_extras[all], &w->next_extras[first], count * sizeof *w->next_extras);
		w->pieces[slot] = (uint8_t)(w->bodies[slot].alive ? count + 1 : 0);
		first = n->places[slot];
		all += count;
	}
	w->next_extra_count = f->report.extra_keys = all;
	return true;
}

/* ---- between substeps */

/* The next substep begins where this one ended. The motion at the frame's start is kept. */
static void advance(cairn_world *w, cn_substeps *n)
{
	cn_motion *old = w->motion;
	w->motion = w->next;
	if (!n->first)
		n->first = old, w->next = n->spare, n->spare = NULL;
	else
		w->next = old;
}

/* Makes w->motion that of the frame's start again. */
static void go_back_to_first(cairn_world *w, cn_substeps *n)
{
	if (!n->first)
		return;
	n->spare = w->motion;
	w->motion = n->first, n->first = NULL;
}

static void one_step(cairn_world *w)
{
	w->step = 0, w->steps = 1, w->dt = frame_time(w);
	cn_paths_share_keys(w, NULL, 1);
	w->part.from = w->part.length = 0;
}

/* Begins the single step of the other bodies. Bodies that woke meanwhile took several substeps. */
static void begin_last(cairn_world *w, cn_substeps *n)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		n->takes[slot] |= n->rest_state[slot].asleep && !w->rest_state[slot].asleep;
	part(w, n, false);
	n->phase = CN_SUBSTEPS_LAST;
	one_step(w);
}

static void begin_next(cairn_world *w, cn_substeps *n, cn_frame *f)
{
	n->done += !n->cut, ++w->step;
	w->part.from = n->cut ? w->part.from + w->part.length : (double)n->done / n->steps;
	set_length(w, n, f);
	f->report.close_pairs = f->report.contacts = 0; /* these are of the last substep alone */
}

/* The pieces that the articulation of a body had in the frame, if all its steps were as the last; else 1. */
static uint8_t keys_of(const cairn_world *w, const cn_substeps *n, uint32_t slot)
{
	uint32_t steps = n->phase != CN_SUBSTEPS_NONE && n->takes[slot] ? n->steps : 1, pieces = cn_joints_pieces(w, slot);
	return (uint8_t)(pieces * steps > CN_MAX_PIECES ? CN_MAX_PIECES : pieces ? pieces * steps : 1);
}

/* The frame is over. It begins again, once, if some body owes too much and could take more substeps. */
static void find_owing(const cairn_world *w, cn_substeps *n)
{
	if (!n->saved || n->redone || n->most)
		return;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (n->could[slot] && (cn_debt_counts(w, slot) || cn_debt_slows(w, slot)))
			n->owes[slot] = keys_of(w, n, slot), n->redo = true;
}

/* Scripts that had to wait in this step do so frame by frame: the frame begins again, with one step for who is near them. */
static void deny_late(const cairn_world *w, cn_substeps *n)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_path *y = &w->context->paths.by_slot[slot];
		if (n->takes[slot] && !w->away[slot] && cn_path_driven(y) &&
		    (y->drive.clock < y->drive.due || y->drive.share < 1))
			n->denied[slot] = 1, n->redo = true;
	}
}

bool cn_substeps_over(const cairn_world *w) { return !w->part.memory || !w->part.memory->redo; }

bool cn_substeps_next(cairn_world *w, cn_frame *f)
{
	cn_substeps *n = w->part.memory;
	if (f->report.status == CAIRN_STEP_OK)
		cn_debt_note(w);
	if (n && n->phase == CN_SUBSTEPS_NONE && f->report.status == CAIRN_STEP_OK)
		find_owing(w, n);
	if (!n || n->phase == CN_SUBSTEPS_NONE || f->report.status != CAIRN_STEP_OK)
		return false;
	if (n->phase != CN_SUBSTEPS_LAST && n->steps > 1 && cn_option_count(w->scene->options.steps, CN_AUTO) == CN_AUTO)
		deny_late(w, n);
	if (n->redo)
		return false;
	bool over = n->phase == CN_SUBSTEPS_LAST || (!n->cut && n->done + 1 == n->steps),
		 more = !over || n->phase == CN_SUBSTEPS_FIRST;
	if (!keep_keys(w, n, over))
		return refuse(f);
	if (more) {
		if (!cn_contacts_remember(w, false))
			return refuse(f);
		cn_joints_keep(w, f);
		cn_scripts_keep(w);
		advance(w, n);
		if (over)
			begin_last(w, n);
		else
			begin_next(w, n, f);
		return true;
	}
	find_owing(w, n);
	if (n->redo)
		return false;
	go_back_to_first(w, n);
	(void)order_keys(w, n, f);
	return false;
}

/* ---- the end of the frame */

static void restore(cairn_world *w, cn_substeps *n)
{
	go_back_to_first(w, n);
	copy_memory(&w->memory, &n->memory);
	w->memory.stamp = 0;
	w->log.impacts.count = 0;
	memcpy(w->rest_state, n->rest_state, w->slots * sizeof *n->rest_state);
	if (w->scene->joint_count)
		memcpy(w->joints, n->joints, w->scene->joint_count * sizeof *n->joints);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		w->bodies[slot].lag = n->clocks[2 * slot], w->bodies[slot].pace = n->clocks[2 * slot + 1];
}

static void whole_again(cairn_world *w)
{
	memset(w->away, 0, w->slots);
	one_step(w);
	w->part.memory->phase = CN_SUBSTEPS_NONE;
}

/* The frame was refused because bodies of the two groups met. They are to go together: at first those two with their
 * components, and if that is not all, all bodies. */
static bool join(cairn_world *w, cn_substeps *n, const cn_frame *f)
{
	uint32_t a = f->report.pair_a.index, b = f->report.pair_b.index;
	if (f->report.status != CAIRN_STEP_UNCERTIFIED || n->phase != CN_SUBSTEPS_LAST || n->steps == 1 ||
	    !n->takes[a] == !n->takes[b] || (n->met[a] && n->met[b]))
		return false;
	memset(n->met, memchr(n->met, 1, w->slots) != NULL, w->slots);
	n->met[a] = n->met[b] = 1;
	return true;
}

bool cn_substeps_again(cairn_world *w, cn_frame *f)
{
	cn_substeps *n = w->part.memory;
	if (!n || f->report.status == CAIRN_STEP_MEMORY ||
	    (!n->redo && (n->phase == CN_SUBSTEPS_NONE || f->report.status == CAIRN_STEP_OK)))
		return false;
	uint32_t stages = f->report.stage_count, spins = f->report.pair_a.index;
	bool denies = f->report.status == CAIRN_STEP_SPIN && n->crowds > 1, joins = join(w, n, f);
	restore(w, n);
	cairn_step_report r = n->report;
	r.stage_count = stages;
	memcpy(r.stage_names, f->report.stage_names, sizeof r.stage_names);
	memcpy(r.stage_ms, f->report.stage_ms, sizeof r.stage_ms);
	f->report = r, f->events = n->events;
	whole_again(w);
	if (denies)
		n->denied[spins] = 1;
	if (!n->redo)
		n->most = n->steps == 1 ? 1 : joins || (denies && n->most == 0) ? n->steps : n->steps / 2;
	n->redone |= n->redo, n->redo = false;
	return true;
}

void cn_substeps_drop(cairn_world *w)
{
	if (w->part.memory && w->part.memory->phase != CN_SUBSTEPS_NONE)
		restore(w, w->part.memory);
	cn_substeps_end(w);
}

void cn_substeps_end(cairn_world *w)
{
	if (!w->part.memory)
		return;
	if (w->part.memory->phase != CN_SUBSTEPS_NONE)
		whole_again(w);
	w->part.memory->most = 0;
	w->part.memory->saved = w->part.memory->redo = w->part.memory->redone = false;
}
