/* Soft contacts in small steps. Contacts are found once; then the step is taken in so many inner steps of h, each with one
 * sweep over soft rows, the motion, and one sweep over rigid rows, which relaxes: what the cn_relax_give_in put into velocities to
 * push bodies apart is taken out again.
 *
 * A soft row is a spring and a damper, solved implicitly. With the frequency w and the damping ratio z,
 *
 *   a = 2 z + h w,  b = h w a,  c = 1/(1 + b),    j = -m b c (u + s w/a) - c j0
 *
 * where s is the gap now (below 0), u the speed along the normal and j0 the impulse so far. The spring is as stiff as inner
 * steps can follow, up to a limit, and much overdamped, so overlap goes away evenly and brings little speed; and no faster
 * than a limit. Bounces come last, from what the points neared each other with before the step. */
#include "step/relax/sweeps.h"

#define CN_SOFT_INNER 8     /* inner steps: with four a house of cards sways until it falls */
#define CN_SOFT_STEPS 0.25  /* of an inner step's rate: frequency of the springs, ... */
#define CN_SOFT_HERTZ 30.0  /* ... and the most it is, Hz */
#define CN_SOFT_DAMPING 10. /* damping ratio */
#define CN_SOFT_JOINT 2.0   /* damping ratio of joints, whose springs are twice as fast */
#define CN_SOFT_SPEED 3.0   /* x the thickness of the thinner part a second: how fast overlap is pushed out at most */

static cn_relax_give_in soften(double hertz, double damping, double h)
{
	double w = 2 * CN_PI * hertz, a = 2 * damping + h * w, b = h * w * a, c = 1 / (1 + b);
	return (cn_relax_give_in){w / a, b * c, c};
}

/* ---- warm starts
 *
 * Rows begin each inner step with the impulses of the one before, and what these do to a body is the same as long as rows
 * stay: the sum of all that sweeps over contacts have done to it so far. So a body remembers this sum, and only the first
 * inner step asks the rows. */

/* Sweeps over contacts begin with the speeds of now, or have ended with them. */
static void note(cn_relax *s, uint32_t slot) { s->other[slot] = s->speed[slot]; }

static void learn(cn_relax *s, uint32_t slot)
{
	cn_relax_twist *load = &s->load[slot];
	load->v = v3_add(load->v, v3_sub(s->speed[slot].v, s->other[slot].v));
	load->w = v3_add(load->w, v3_sub(s->speed[slot].w, s->other[slot].w));
}

/* Forces act, and the impulses so far. */
static void start(const cairn_world *w, uint32_t slot, double h)
{
	(void)h;
	cn_relax *s = w->context->relax;
	cn_relax_twist *u = &s->speed[slot];
	learn(s, slot);
	u->v = v3_add(u->v, v3_add(s->bodies[slot].dv, s->load[slot].v));
	u->w = v3_add(u->w, v3_add(s->bodies[slot].dw, s->load[slot].w));
	note(s, slot);
}

static void move(const cairn_world *w, uint32_t slot, double h)
{
	cn_relax *s = w->context->relax;
	learn(s, slot);
	cn_relax_move_body(w, slot, h);
	note(s, slot);
}

/* The first sweep begins without any load. */
static void begin(const cairn_world *w, uint32_t slot, double h)
{
	(void)h;
	cn_relax *s = w->context->relax;
	s->load[slot] = (cn_relax_twist){.beside_v = 0};
	note(s, slot);
}

static void learn_and_note(const cairn_world *w, uint32_t slot, double h)
{
	(void)h;
	learn(w->context->relax, slot);
	note(w->context->relax, slot);
}

static void note_body(const cairn_world *w, uint32_t slot, double h)
{
	(void)h;
	note(w->context->relax, slot);
}

/* Joints change speeds too; what they do is no load of contacts. */
static void sweep_joints(cairn_world *w, const cn_soft *g, bool soft)
{
	cn_relax_joints_sweep(w, g->h, soft ? g->joint : (cn_relax_give_in){0, 1, 0});
	if (g->s->row_count > 0)
		cn_relax_each(w, note_body, g->h);
}

static void inner_step(cairn_world *w, const cn_soft *g, bool first)
{
	cn_relax_each(w, start, g->h);
	if (first) {
		cn_relax_run(w, g->s->sweeps->warm, g->s);
		cn_relax_each(w, learn_and_note, g->h);
	}
	cn_relax_joints_make(w, g->h);
	cn_relax_joints_warm(w);
	sweep_joints(w, g, true);
	cn_relax_run(w, g->s->sweeps->soft.push, g);
	cn_relax_each(w, move, g->h);
	sweep_joints(w, g, false);
	cn_relax_run(w, g->s->sweeps->soft.relax, g);
}

bool cn_soft_solve(cairn_world *w, cn_frame *f)
{
	const cn_options *o = &w->scene->options;
	uint32_t inner = cn_option_count(o->inner, CN_SOFT_INNER);
	if (!cn_relax_begin(w, f, inner, 1.0 / inner))
		return false;
	double h = w->dt / inner, hertz = fmin(CN_SOFT_HERTZ, CN_SOFT_STEPS / h);
	cn_soft g = {w->context->relax,
	             h,
	             cn_option_real(o->slop, CN_SLOP),
	             w->context->threshold,
	             CN_SOFT_SPEED,
	             soften(hertz, CN_SOFT_DAMPING, h),
	             soften(2 * hertz, CN_SOFT_DAMPING, h),
	             soften(2 * hertz, CN_SOFT_JOINT, h)};
	cn_relax_each(w, begin, h);
	for (uint32_t i = 0; i < inner; ++i) {
		inner_step(w, &g, i == 0);
		cn_relax_joints_load(w, f);
	}
	cn_relax_run(w, g.s->sweeps->soft.bounce, &g);
	return cn_relax_finish(w, f, inner);
}
