/* The contact points of a substep, in a list, and impulses at them. */
#include "base/pool.h"
#include "step/classic/classic.h"
#include "step/context.h"
#include "step/motion/rotate.h"
#include "step/motion/script.h"

/* ---- the list */

/* The poses and velocities that boxes have to reach. */
static void guess_next(cairn_world *w)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		w->next[slot] = w->motion[slot];
		if (cn_body_movable(w, slot))
			w->next[slot].v = v3_madd(w->motion[slot].v, w->scene->settings.gravity, w->dt);
	}
}

static bool refuse(cn_frame *f, cairn_status status)
{
	f->report.status = status;
	return false;
}

/* What a run of pairs has. */
typedef struct listing {
	uint32_t points, pairs,
		touching; /* main points, and later where they begin in the list; pairs; points without a gap */
	uint32_t bad; /* the first pair that must not touch and does; pair_count: none */
} listing;

typedef struct listed {
	cairn_world *w;
	listing *chunks;
} listed;

static bool is_listed(const cn_pair *p) { return p->near && p->measured && !p->must_not_touch; }

static void count_points(void *context, uint32_t chunk)
{
	const listed *l = context;
	const cn_contacts *c = &l->w->context->contacts;
	listing sum = {0, 0, 0, c->pair_count};
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < cn_pool_end(chunk, CN_PAIR_CHUNK, c->pair_count); ++i) {
		const cn_pair *p = &c->pairs[i];
		if (p->near && p->measured && p->must_not_touch && p->at.gap < 0 && sum.bad == c->pair_count)
			sum.bad = i;
		if (!is_listed(p))
			continue;
		++sum.pairs;
		for (uint32_t k = 0; k < p->count; ++k)
			sum.points += c->points[p->first + k].main;
	}
	l->chunks[chunk] = sum;
}

/* Writes a pair's points from first on. Returns how many. */
static uint32_t list_points(cairn_world *w, uint32_t number, uint32_t first)
{
	const cn_contacts *c = &w->context->contacts;
	cn_classic_point *list = w->context->classic->points;
	const cn_pair *p = &c->pairs[number];
	uint32_t end = first;
	for (uint32_t i = 0; i < p->count; ++i) {
		const cn_pair_point *t = &c->points[p->first + i];
		if (t->main)
			list[end++] = (cn_classic_point){.a = p->a,
			                                 .b = p->b,
			                                 .pair = number,
			                                 .point = p->first + i,
			                                 .n = p->at.n,
			                                 .ra = t->ra,
			                                 .rb = t->rb,
			                                 .gap = t->gap,
			                                 .eps = p->eps,
			                                 .mu_static = p->mu_static,
			                                 .mu_kinetic = p->mu_kinetic,
			                                 .impulse = t->rest.impulse,
			                                 .sliding = t->rest.sliding};
	}
	for (uint32_t i = first; i < end; ++i)
		list[i].beside = end - first;
	return end - first;
}

static void fill_points(void *context, uint32_t chunk)
{
	const listed *l = context;
	const cn_contacts *c = &l->w->context->contacts;
	uint32_t begin = l->chunks[chunk].points, end = begin;
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < cn_pool_end(chunk, CN_PAIR_CHUNK, c->pair_count); ++i)
		end += is_listed(&c->pairs[i]) ? list_points(l->w, i, end) : 0;
	for (uint32_t i = begin; i < end; ++i)
		l->chunks[chunk].touching += l->w->context->classic->points[i].gap <= 0;
}

/* Counts, then writes: chunks of pairs on all threads. */
static bool list_all(cairn_world *w, cn_frame *f, listing *chunks)
{
	cn_classic *k = w->context->classic;
	const cn_contacts *c = &w->context->contacts;
	uint32_t count = (c->pair_count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, points = 0;
	listed l = {w, chunks};
	cn_pool_run(w->pool, count, count_points, &l);
	for (uint32_t i = 0; i < count; ++i) {
		if (chunks[i].bad < c->pair_count) {
			const cn_pair *p = &c->pairs[chunks[i].bad];
			f->report.pair_a = cn_handle(w, p->a), f->report.pair_b = cn_handle(w, p->b);
			return refuse(f, CAIRN_STEP_TOUCH);
		}
		f->report.close_pairs += chunks[i].pairs;
		uint32_t more = chunks[i].points;
		chunks[i].points = points;
		points += more;
	}
	if (!CN_ROOM(k->points, points + 1))
		return refuse(f, CAIRN_STEP_MEMORY);
	k->point_count = points;
	cn_pool_run(w->pool, count, fill_points, &l);
	for (uint32_t i = 0; i < count; ++i)
		f->report.contacts += chunks[i].touching;
	return true;
}

bool cn_classic_contacts(cairn_world *w, cn_frame *f)
{
	cn_classic *k = w->context->classic;
	guess_next(w);
	if (!cn_contacts_take(w))
		return refuse(f, CAIRN_STEP_MEMORY);
	k->point_count = 0;
	f->report.close_pairs = f->report.contacts = 0; /* of the last substep */
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	listing *chunks = cn_arena_take(arena, w->context->contacts.pair_count / CN_PAIR_CHUNK + 1, sizeof *chunks);
	bool ok = chunks ? list_all(w, f, chunks) : refuse(f, CAIRN_STEP_MEMORY);
	cn_arena_return(arena, mark);
	return ok;
}

static void hand_back(void *context, uint32_t chunk)
{
	const cairn_world *w = context;
	const cn_classic *k = w->context->classic;
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < cn_pool_end(chunk, CN_PAIR_CHUNK, k->point_count); ++i) {
		const cn_classic_point *p = &k->points[i];
		cn_point_set_load(&w->context->contacts.points[p->point], p->impulse, p->sliding);
	}
}

bool cn_classic_remember(cairn_world *w, cn_frame *f)
{
	uint32_t count = w->context->classic->point_count;
	cn_pool_run(w->pool, (count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, hand_back, w);
	return cn_contacts_remember(w, false) || refuse(f, CAIRN_STEP_MEMORY);
}

/* ---- motion at a point */

/* The mean velocity and spin of a scripted body over the step under way. */
static cn_twist script_twist(const cairn_world *w, uint32_t slot)
{
	const cn_body *b = &w->bodies[slot];
	cn_span span = cn_script_span(w, b);
	pose from = {w->motion[slot].x, w->motion[slot].q}, to = cn_script_at(b, span.to, from.orientation);
	return (cn_twist){v3_scale(v3_sub(to.position, from.position), 1 / w->dt),
	                  v3_scale(q_turn(from.orientation, to.orientation), 1 / w->dt)};
}

cn_twist cn_classic_twist(const cairn_world *w, uint32_t slot)
{
	if (w->rotors[slot].active)
		return cn_twist_of(w, slot, w->motion[slot].q, &w->motion[slot]);
	return w->bodies[slot].type == CAIRN_SCRIPTED ? script_twist(w, slot) : (cn_twist){v3_zero(), v3_zero()};
}

m3 cn_classic_inverse(const cn_rotor *r, quat q)
{
	m3 axes = m3_from_q(r->turned ? q_mul(q, r->axes) : q);
	if (r->kind == CN_ROTOR_BALL)
		return m3_diagonal(r->inv_moments);
	return m3_mul(axes, m3_mul(m3_diagonal(r->inv_moments), m3_transpose(axes)));
}

static v3 velocity_at(cn_twist t, v3 r) { return v3_add(t.v, v3_cross(t.w, r)); }

v3 cn_classic_approach(const cairn_world *w, const cn_classic_point *p)
{
	return cn_classic_seen(cn_classic_twist(w, p->a), cn_classic_twist(w, p->b), p);
}

/* ---- impulses */

static void add_impulse(const cairn_world *w, uint32_t slot, v3 r, v3 impulse, cn_motion *m)
{
	const cn_rotor *rotor = &w->rotors[slot];
	if (!rotor->active)
		return;
	m->v = v3_madd(m->v, impulse, rotor->inv_mass);
	m->l = v3_add(m->l, v3_cross(r, impulse));
}

/* The work of an impulse is its product with the mean of the velocities before and after at its point. What scripts do is
 * not in the relative velocity. */
void cn_classic_book(const cairn_world *w, cn_frame *f, const cn_classic_point *p, v3 impulse, v3 mean)
{
	double along = v3_dot(impulse, p->n) * v3_dot(mean, p->n);
	f->report.energy.impacts -= along;
	f->report.energy.friction -= v3_dot(impulse, mean) - along;
	const uint32_t slots[2] = {p->a, p->b};
	for (int i = 0; i < 2; ++i)
		if (w->bodies[slots[i]].type == CAIRN_SCRIPTED) {
			double work = v3_dot(impulse, velocity_at(cn_classic_twist(w, slots[i]), i ? p->rb : p->ra));
			f->events += i ? -work : work;
		}
}

void cn_classic_strike(cairn_world *w, cn_frame *f, const cn_classic_point *p, v3 impulse)
{
	v3 before = cn_classic_approach(w, p);
	add_impulse(w, p->a, p->ra, v3_neg(impulse), &w->motion[p->a]);
	add_impulse(w, p->b, p->rb, impulse, &w->motion[p->b]);
	cn_classic_book(w, f, p, impulse, cn_mean(before, cn_classic_approach(w, p)));
}
