/* The thesis's own programs in place of the default ones (OBA 6.2.1, 6.3; A.3.2, A.3.3), on demand: momentum=thesis
 * and forces=qp. They are solved exactly, island by island, after the default program. If the thesis's program has no
 * solution (errata 15), adds energy or is too large, the default solution of the island stays, and the report counts
 * it. */
#include "step/context.h"

#include "num/text_programs.h"

#define CN_THESIS_NEAR 0.5      /* of the kept gap beyond what is held: contacts of the thesis's rest programs touch */
#define CN_THESIS_CONTACTS 2000 /* of an island for the thesis's own programs: some ten seconds, and memory to match */
#define CN_THESIS_GAIN 1e-9     /* relative: an impact that leaves more energy is no answer of the thesis */

static bool make_room(cairn_world *w)
{
	const cn_qp *qp = &w->context->program.qp;
	cn_thesis_program *t = &w->context->solve.thesis;
	uint32_t bodies = qp->body_count + 1, contacts = qp->contact_count + 1;
	return CN_ROOM(t->bodies, bodies) && CN_ROOM(t->u0, bodies) && CN_ROOM(t->u, bodies) &&
	       CN_ROOM(t->before, bodies) && CN_ROOM(t->body_of, bodies) && CN_ROOM(t->index, bodies) &&
	       CN_ROOM(t->island, bodies) && CN_ROOM(t->contacts, contacts) && CN_ROOM(t->y, contacts) &&
	       CN_ROOM(t->tips, contacts) && CN_ROOM(t->contact_of, contacts);
}

/* The thesis covers contacts that touch throughout the frame. Contacts that close, or open and close again, within
 * the frame keep their default impulses. */
static bool closed(const cairn_world *w, uint32_t contact)
{
	const cn_program *p = &w->context->program;
	return -p->contacts[contact].least * w->dt <=
	       CN_THESIS_NEAR * w->context->contacts.pairs[p->pair_of[contact]].gap_target;
}

/* Index of a body in the island's program. An immovable body is in every island that touches it. */
static uint32_t number_of(const cairn_world *w, uint32_t body, const cn_twist *start)
{
	const cn_program *p = &w->context->program;
	cn_thesis_program *t = &w->context->solve.thesis;
	if (body == CN_QP_NONE)
		return CN_QP_NONE;
	if (t->index[body] == CN_QP_NONE) {
		uint32_t at = t->index[body] = t->body_count++;
		t->body_of[at] = body;
		const cn_motion *m = &w->motion[p->slots[body]];
		t->bodies[at] = p->bodies[body], t->before[at] = t->u0[at] = start[body];
		if (p->bodies[body].inv_mass > 0)
			t->before[at] = (cn_twist){m->v, cn_spin(&w->rotors[p->slots[body]], m->q, m->l)};
	}
	return t->index[body];
}

/* Makes an island a program of its own, from given velocities. rest: only touching contacts, without restitution. */
static void take_island(cairn_world *w, uint32_t island, bool rest, const cn_twist *start)
{
	const cn_program *p = &w->context->program;
	cn_thesis_program *t = &w->context->solve.thesis;
	t->body_count = t->contact_count = 0;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		const cn_qp_contact *k = &p->contacts[i];
		uint32_t a = k->a != CN_QP_NONE ? t->island[k->a] : CN_QP_NONE;
		uint32_t of = a != CN_QP_NONE ? a : k->b != CN_QP_NONE ? t->island[k->b] : CN_QP_NONE;
		if (of != island || (rest && !closed(w, i)))
			continue;
		cn_qp_contact own = *k;
		own.a = number_of(w, k->a, start), own.b = number_of(w, k->b, start);
		own.least = 0, own.eps = rest ? 0 : k->eps;
		t->contact_of[t->contact_count] = i;
		t->contacts[t->contact_count++] = own;
	}
	for (uint32_t i = 0; i < t->body_count; ++i)
		t->index[t->body_of[i]] = CN_QP_NONE;
	t->qp = (cn_qp){.body_count = t->body_count,
	                .contact_count = t->contact_count,
	                .bodies = t->bodies,
	                .u0 = t->u0,
	                .contacts = t->contacts};
}

/* OBA 6.3.1: accelerations nearest to the free ones. The tip of each contact's cone is the acceleration that would
 * stop it within the frame. Tips that contacts are pressed against move, a limited number of times. */
static cn_qp_status solve_forces(cairn_world *w)
{
	cn_thesis_program *t = &w->context->solve.thesis;
	double rate = 1 / w->dt;
	uint32_t rounds = cn_option_count(w->scene->options.forces_rounds, CN_FORCES_ROUNDS);
	for (uint32_t k = 0; k < t->contact_count; ++k) {
		cn_qp_impulse v = cn_qp_speed(&t->qp, k, t->before);
		t->tips[k] = (cn_qp_impulse){-v.n * rate, -v.s * rate, -v.t * rate};
	}
	for (uint32_t i = 0; i < t->body_count; ++i)
		t->u0[i] = (cn_twist){v3_scale(v3_sub(t->u0[i].v, t->before[i].v), rate),
		                      v3_scale(v3_sub(t->u0[i].w, t->before[i].w), rate)};
	cn_qp_solution x = {.u = t->u, .contact = t->y};
	cn_qp_status status = cn_text_solve_forces(&w->allocator, &t->qp, true, t->tips, &x).status;
	for (uint32_t round = 0; status == CN_QP_SOLVED && round < rounds; ++round) {
		if (!cn_text_move_tips(&t->qp, &x, t->tips))
			break;
		status = cn_text_solve_forces(&w->allocator, &t->qp, true, t->tips, &x).status;
	}
	for (uint32_t k = 0; k < t->contact_count; ++k) /* as impulses over the frame */
		t->y[k] = (cn_qp_impulse){t->y[k].n * w->dt, t->y[k].s * w->dt, t->y[k].t * w->dt};
	return status;
}

/* Replaces the default impulses. */
static void put_back(cairn_world *w, const cn_qp_solution *x)
{
	const cn_thesis_program *t = &w->context->solve.thesis;
	for (uint32_t k = 0; k < t->contact_count; ++k)
		x->contact[t->contact_of[k]] = t->y[k];
}

/* An impact must not add energy, which restitution rows of several simultaneous contacts do not ensure. */
static bool gains(const cn_thesis_program *t)
{
	double before = cn_qp_energy(&t->qp, t->u0), after = cn_qp_energy(&t->qp, t->u);
	return after > before * (1 + CN_THESIS_GAIN);
}

/* A moving script is in the island. Minimal kinetic energy is no criterion then, as the script does work. */
static bool driven(const cn_thesis_program *t)
{
	bool any = false;
	for (uint32_t i = 0; i < t->body_count; ++i)
		any |= !(t->bodies[i].inv_mass > 0) && v3_length2(t->u0[i].v) + v3_length2(t->u0[i].w) > 0;
	return any;
}

/* Solves one island by the thesis's program. False: memory ran out. */
static bool solve_island(cairn_world *w, uint32_t island, bool rest, const cn_qp_solution *x, cn_frame *f)
{
	cn_thesis_program *t = &w->context->solve.thesis;
	cn_qp_status status = CN_QP_EARLY;
	take_island(w, island, rest, x->u);
	if (t->contact_count == 0) {
		status = CN_QP_SOLVED;
	} else if (t->contact_count <= CN_THESIS_CONTACTS && !driven(t)) {
		if (rest && w->scene->options.forces) {
			status = solve_forces(w);
		} else {
			cn_qp_solution own = {.u = t->u, .contact = t->y};
			status = cn_text_solve_momentum(&w->allocator, &t->qp, &own).status;
			if (status == CN_QP_SOLVED && !rest && gains(t))
				status = CN_QP_EARLY;
		}
		++f->report.programs;
	}
	if (status == CN_QP_SOLVED)
		put_back(w, x);
	else
		++f->report.text_fallbacks;
	return status != CN_QP_MEMORY;
}

bool cn_thesis_momentum(cairn_world *w, bool rest, const cn_qp_solution *x, cn_frame *f)
{
	const cn_program *p = &w->context->program;
	cn_thesis_program *t = &w->context->solve.thesis;
	if (!p->qp.contact_count || !(w->scene->options.momentum || (rest && w->scene->options.forces)))
		return true;
	if (!make_room(w))
		return false;
	cn_qp_islands(&p->qp, t->island);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		t->index[i] = CN_QP_NONE, x->u[i] = p->u0[i];
	for (uint32_t i = 0; rest && i < p->qp.contact_count; ++i)
		if (!closed(w, i))
			cn_qp_push_contact(&p->qp, i, x->contact[i], x->u);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		if (t->island[i] == i && !solve_island(w, i, rest, x, f))
			return false;
	cn_qp_apply(&p->qp, x->contact, x->row, x->u);
	return true;
}
