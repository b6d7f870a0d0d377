/* Penalty method (PBA 7.4.2, RBS 3.1, OBA 5.2): a spring of rest length zero pushes out every point that is inside another
 * body, a damper beside it takes energy, and springs across the normal hold the point by friction.
 *
 *   normal    f = k d + c u        d depth, u approach speed; f >= 0, as contacts push and never pull
 *   across    g = g' - k v dt - c v, no longer than mu f     g' the force of the last substep, v the velocity across
 *
 * The damper opposes the velocity of both bodies (errata 29). A force acts as an impulse f dt at the substep's start, so
 * that spring and motion take turns: half a swing lasts pi sqrt(m/k), and the swing neither grows nor shrinks. The
 * velocities u and v are the means of those before and after the impulse, or a body at rest would lean on its damper.
 *
 * Without a stiffness from the scene the springs of a pair are as stiff as the substeps can follow. Without a damping the
 * damper is the one that gives the restitution e of the two materials: a point that swings with the share z of critical
 * damping leaves where f becomes 0 with
 *
 *   e = exp(-z/s atan2(2 z s, 2 z^2 - 1)),   s = sqrt(1 - z^2),
 *
 * which falls from 1 to exp(-2) = 0.135 at z = 1. Less than that no damper gives; z stays 1. */
#include "base/trig.h"
#include "step/classic/classic.h"

#define CN_PENALTY_SWING                                                                                               \
	0.25 /* rad: a swing of a pair turns by so much in a substep; it bursts at 2, a stack's sooner */
#define CN_PENALTY_ROUNDS 48 /* halvings in the search for a damping: more than a double can tell apart */

/* The restitution of a share of critical damping, below 1. */
static double restitution_of(double z)
{
	double s = sqrt(1 - z * z);
	return cn_exp(-z / s * cn_atan2(2 * z * s, 2 * z * z - 1));
}

static double damping_for(double e)
{
	double low = 0, high = 1;
	for (int i = 0; i < CN_PENALTY_ROUNDS; ++i) {
		double z = 0.5 * (low + high);
		if (restitution_of(z) > e)
			low = z;
		else
			high = z;
	}
	return e < 1 ? 0.5 * (low + high) : 0;
}

/* Spring and damper of a point. */
typedef struct spring {
	double k, c; /* N/m, N s/m */
	double half; /* s/kg: half of the velocity that the pair's points give each other, for a force of 1 N on each */
} spring;

/* Those of the pair last asked for, whose restitution most others share. */
typedef struct tuning {
	double e, z;
} tuning;

/* 1/kg: the velocity that a unit impulse gives to the point, along the normal or across it, whichever is more. */
static double liveliest(const cairn_world *w, const cn_classic_point *p)
{
	v3 t = v3_unit(v3_cross(p->n, fabs(p->n.x) < 0.5 ? v3_make(1, 0, 0) : v3_make(0, 1, 0))), s = v3_cross(p->n, t);
	double along = cn_classic_response(w, p, p->n);
	return fmax(along, fmax(cn_classic_response(w, p, t), cn_classic_response(w, p, s)));
}

/* As stiff as the substeps can follow: the masses swing by so much in one, and the point by a radian at most, where it turns its
 * body much more easily than it moves it (of a uniform box, ball or rod it swings by some two thirds). */
static spring spring_of(const cairn_world *w, const cn_classic_point *p, tuning *t)
{
	double mass = 1 / (w->rotors[p->a].inv_mass + w->rotors[p->b].inv_mass), swing = CN_PENALTY_SWING / w->dt;
	double stiff = mass * swing * swing, most = liveliest(w, p), followed = 1 / (most * w->dt * w->dt);
	spring s;
	if (followed < stiff)
		stiff = followed, mass = 1 / most;
	if (t->e != p->eps)
		t->e = p->eps, t->z = damping_for(p->eps);
	s.k = cn_option_real(w->scene->options.stiffness, stiff / p->beside);
	s.c = cn_option_real(w->scene->options.damping, 2 * t->z * sqrt(s.k * mass / p->beside));
	s.half = 0.5 * w->dt * p->beside / mass;
	return s;
}

/* The force across the normal, as an impulse. */
static v3 friction(const cairn_world *w, cn_classic_point *p, const spring *s, v3 across, double normal)
{
	v3 before = v3_madd(p->impulse, p->n, -v3_dot(p->impulse, p->n));
	double c = s->k * w->dt + s->c;
	v3 wanted = v3_scale(v3_madd(before, across, -c * w->dt), 1 / (1 + c * s->half));
	double length = v3_length(wanted), most = (p->sliding ? p->mu_kinetic : p->mu_static) * normal;
	p->sliding = length > most;
	return p->sliding ? v3_scale(wanted, p->mu_kinetic * normal / length) : wanted;
}

static void push_out(cairn_world *w, cn_frame *f, cn_classic_point *p, tuning *t)
{
	bool touched = v3_length2(p->impulse) > 0;
	v3 u = cn_classic_approach(w, p), along = v3_scale(p->n, v3_dot(u, p->n));
	spring s = spring_of(w, p, t);
	double normal = (-s.k * p->gap - s.c * v3_dot(u, p->n)) * w->dt / (1 + s.c * s.half);
	if (!(p->gap < 0 && normal > 0)) {
		p->impulse = v3_zero(), p->sliding = false;
		return;
	}
	v3 across = p->mu_static > 0 ? friction(w, p, &s, v3_sub(u, along), normal) : v3_zero();
	p->impulse = v3_madd(across, p->n, normal);
	if (!touched)
		cn_classic_mark(w, p->a), cn_classic_mark(w, p->b);
	f->report.collisions += !touched;
}

bool cn_penalty_apply(cairn_world *w, cn_frame *f)
{
	cn_classic *k = w->context->classic;
	tuning t = {-1, 0};
	for (uint32_t i = 0; i < k->point_count; ++i) /* all forces first: each is that of the substep's start */
		push_out(w, f, &k->points[i], &t);
	for (uint32_t i = 0; i < k->point_count; ++i)
		if (v3_length2(k->points[i].impulse) > 0)
			cn_classic_strike(w, f, &k->points[i], k->points[i].impulse);
	return true;
}
