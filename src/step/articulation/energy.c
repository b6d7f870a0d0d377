/* What the ways of following an articulation share: keys within the frame, and the energy of its links. */
#include "base/tolerance.h"
#include "step/articulation/follow.h"
#include "step/tolerance.h"

#define CN_ARTICULATION_ENERGY_ERROR                                                                                   \
	5e-3 /* of the kinetic energy: what steps have made of it is mended up to this; beyond it steps are made finer */

bool cn_articulation_cut(cairn_world *w, cn_articulation *art, double h, double share)
{
	cn_articulations *g = w->context->articulations;
	bool far = false, coarse = false;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		double ahead = 1.2 * h * v3_length(cn_spin(&w->rotors[l->slot], l->at.q, l->at.l));
		coarse |= !(ahead <= CN_PIECE_TURN);
		far |= v3_length(q_turn(l->cut, l->at.q)) + ahead > CN_PIECE_TURN;
	}
	if (coarse || (far && art->pieces == CN_MAX_PIECES))
		art->result = CN_ARTICULATION_COARSE;
	if (!far || art->result == CN_ARTICULATION_COARSE)
		return true;
	if (!CN_ROOM(g->keys, g->key_count + art->links))
		return false;
	for (uint32_t i = 0; i < art->links; ++i) {
		cn_link *l = &g->links[art->link + i];
		cairn_key key = cn_key_of(w, l->slot, &l->at, cn_step_time(w, share), q_turn(l->cut, l->at.q));
		g->keys[g->key_count++] = (cn_extra){l->slot, key};
		l->cut = l->at.q;
	}
	++art->pieces;
	return true;
}

double cn_link_energy(const cairn_world *w, const cn_link *l)
{
	return cn_kinetic(&w->rotors[l->slot], &l->at) -
	       w->rotors[l->slot].mass * v3_dot(w->scene->settings.gravity, l->at.x);
}

double cn_articulation_energy(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	double sum = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		sum += cn_link_energy(w, &g->links[i]);
	return sum;
}

/* ---- the whole */

static m3 inertia_of(const cn_rotor *r, quat q)
{
	m3 m = m3_from_q(r->turned ? q_mul(q, r->axes) : q);
	return m3_mul(m3_mul(m, m3_diagonal(r->moments)), m3_transpose(m));
}

/* a^-1 b for a symmetric, positive matrix. */
static v3 divided(m3 a, v3 b)
{
	v3 x = v3_make(a.m[0][0], a.m[1][0], a.m[2][0]), y = v3_make(a.m[0][1], a.m[1][1], a.m[2][1]),
	   z = v3_make(a.m[0][2], a.m[1][2], a.m[2][2]);
	double det = v3_dot(x, v3_cross(y, z));
	return v3_scale(v3_make(v3_dot(b, v3_cross(y, z)), v3_dot(x, v3_cross(b, z)), v3_dot(x, v3_cross(y, b))), 1 / det);
}

cn_whole cn_articulation_whole(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	cn_whole all = {.mass = 0};
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		double mass = w->rotors[l->slot].mass;
		all.mass += mass;
		all.center = v3_madd(all.center, l->at.x, mass), all.momentum = v3_madd(all.momentum, l->at.v, mass);
	}
	all.center = v3_scale(all.center, 1 / all.mass);
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		v3 r = v3_sub(l->at.x, all.center);
		all.turning = v3_add(all.turning, v3_add(l->at.l, v3_cross(r, v3_scale(l->at.v, w->rotors[l->slot].mass))));
	}
	return all;
}

/* A motion of the whole as one rigid body. */
typedef struct rigid {
	v3 center, v, spin;
} rigid;

/* Inertia of the whole, rigid, about its centre. */
static m3 inertia_whole(const cairn_world *w, const cn_articulations *g, const cn_articulation *art, v3 center)
{
	m3 sum = m3_diagonal(v3_zero());
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		const cn_rotor *o = &w->rotors[l->slot];
		v3 r = v3_sub(l->at.x, center);
		const double x[3] = {r.x, r.y, r.z};
		sum = m3_add(sum, inertia_of(o, l->at.q));
		for (int j = 0; j < 3; ++j)
			for (int k = 0; k < 3; ++k)
				sum.m[j][k] += o->mass * ((j == k ? v3_length2(r) : 0) - x[j] * x[k]);
	}
	return sum;
}

/* The motion of the whole with its momenta, about which links may be made faster or slower without changing these. One
 * that is tied to something has none to keep. */
static rigid whole_motion(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	cn_whole all = cn_articulation_whole(w, g, art);
	rigid r = {all.center, v3_zero(), v3_zero()};
	if (art->tied)
		return r;
	r.v = v3_scale(all.momentum, 1 / all.mass);
	if (art->tree)
		r.spin = divided(inertia_whole(w, g, art, all.center), all.turning);
	return r;
}

/* A link's motion relative to that of the whole. */
static cn_motion relative(const cairn_world *w, const cn_link *l, const rigid *all)
{
	cn_motion m = l->at;
	m.v = v3_sub(m.v, v3_add(all->v, v3_cross(all->spin, v3_sub(m.x, all->center))));
	m.l = v3_sub(m.l, cn_angular(&w->rotors[l->slot], m.q, all->spin));
	return m;
}

/* J: kinetic energy relative to a motion of the whole. */
static double kinetic_about(const cairn_world *w, const cn_articulations *g, const cn_articulation *art,
                            const rigid *all)
{
	double sum = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_motion m = relative(w, &g->links[i], all);
		sum += cn_kinetic(&w->rotors[g->links[i].slot], &m);
	}
	return sum;
}

/* Adds kinetic energy by scaling all velocities relative to a motion of the whole, which the joints allow. */
static void add_energy(cairn_world *w, const cn_articulation *art, const rigid *all, double more)
{
	cn_articulations *g = w->context->articulations;
	double kinetic = kinetic_about(w, g, art, all);
	double share = kinetic > 0 ? sqrt(more > -kinetic ? 1 + more / kinetic : 0) : 1;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		cn_motion m = relative(w, l, all);
		l->at.v = v3_madd(l->at.v, m.v, share - 1), l->at.l = v3_madd(l->at.l, m.l, share - 1);
	}
}

void cn_articulation_set_whole(cairn_world *w, const cn_articulation *art, const cn_whole *to)
{
	cn_articulations *g = w->context->articulations;
	cn_whole all = cn_articulation_whole(w, g, art);
	v3 move = v3_sub(to->center, all.center), v = v3_scale(v3_sub(to->momentum, all.momentum), 1 / all.mass);
	v3 spin = divided(inertia_whole(w, g, art, all.center), v3_sub(to->turning, all.turning));
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		l->at.v = v3_add(l->at.v, v3_add(v, v3_cross(spin, v3_sub(l->at.x, all.center))));
		l->at.l = v3_add(l->at.l, cn_angular(&w->rotors[l->slot], l->at.q, spin));
		l->at.x = v3_add(l->at.x, move);
	}
}

/* J: an error of energy that is small beside what moves. */
static double little_energy(const cairn_world *w, const cn_articulations *g, const cn_articulation *art, v3 center)
{
	rigid none = {center, v3_zero(), v3_zero()};
	/* a tree's steps are accurate where nothing but the whole moves */
	double little = (art->tree ? CN_TREE_ACCURACY : CN_UNIT_ROUNDING) * kinetic_about(w, g, art, &none);
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		little += CN_PAY_MIN * w->rotors[l->slot].mass * w->context->gravity * w->bodies[l->slot].radius;
	}
	return little;
}

bool cn_articulation_mendable(const cairn_world *w, const cn_articulation *art, double error)
{
	const cn_articulations *g = w->context->articulations;
	rigid all = whole_motion(w, g, art);
	return art->follows || fabs(error) <= CN_ARTICULATION_ENERGY_ERROR * kinetic_about(w, g, art, &all) ||
	       fabs(error) <= little_energy(w, g, art, all.center);
}

/* Corrects the energy error of finite steps by scaling the motion relative to that of the whole, so that momenta are
 * kept. False: the error is too large for that. */
bool cn_articulation_keep_energy(cairn_world *w, const cn_articulation *art, double wanted)
{
	const cn_articulations *g = w->context->articulations;
	rigid all = whole_motion(w, g, art);
	double kinetic = kinetic_about(w, g, art, &all), more = wanted - cn_articulation_energy(w, g, art);
	if (art->follows)
		return true; /* a script does an unknown amount of work on it */
	if (!(fabs(more) <= CN_ARTICULATION_ENERGY_ERROR * kinetic))
		return fabs(more) <= little_energy(w, g, art, all.center);
	add_energy(w, art, &all, more);
	return true;
}

/* Contacts and limits must not add energy. They seem to when their forces, constant over the frame, do not turn with
 * the articulation; that work is taken back. If only limits, or contacts between its own links, did it, momentum is
 * kept. */
void cn_articulation_take_back(cairn_world *w, const cn_articulation *art, double held)
{
	const cn_articulations *g = w->context->articulations;
	v3 push = v3_zero();
	double all = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		double mass = w->rotors[l->slot].mass;
		push = v3_madd(push, l->held_a, mass), all += mass * v3_length(l->held_a);
	}
	bool touched = v3_length(push) > CN_UNIT_ROUNDING * all;
	rigid about = touched ? (rigid){v3_zero(), v3_zero(), v3_zero()} : whole_motion(w, g, art);
	if (held > 0 && !art->follows)
		add_energy(w, art, &about, -held);
}
