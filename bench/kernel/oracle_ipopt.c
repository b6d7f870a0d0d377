/* The exact programs beside Ipopt: a method of others on the same programs, written down a second time from their
 * definitions. Only the measures of qp.h are shared with what is judged.
 *
 *   oracle_ipopt [FILE...]     piles of 20, 100 and 1000 cubes, then the position program of each file of qp_file.h
 *
 * position   qp.h without friction: cn_exact_solve, and cn_fast_position after 40 cold sweeps
 * A.3.1      position with plane unknowns: cn_text_solve_position
 * A.3.2      least kinetic energy over eight-sided cones, restitution 0 and 0.5: cn_text_solve_momentum
 *
 * Objective, its difference from Ipopt's over Ipopt's, largest difference of a twist's component, largest violation of
 * a row (m or m/s), milliseconds of this process (the best of three; Ipopt once, with its set-up). Ends with 1 when an
 * exact method is off by more than 1e-6 or has no answer, or when Ipopt has none within a minute. */
#include "clock.h"
#include "oracle.h"
#include "pile.h"

#include "num/qp_exact.h"
#include "num/qp_fast.h"
#include "num/qp_file.h"
#include "num/text_programs.h"

#include <stdio.h>

enum { SIDES = 8, REPEATS = 3, SWEEPS = 40 };
static const double dt = 1.0 / 30, most_off = 1e-6, pi = 3.14159265358979323846;

static cairn_allocator allocator; /* set by main */

/* ---- Bodies: u = u0 + L x with L L' = M^-1, so that 1/2 |x|^2 is the square of the step in the metric of mass */

typedef struct root {
	double mass, turn[3][3];
} root;

static root root_of(const cn_qp_body *body)
{
	const double *m = body->inv_inertia;
	double a[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
	root l = {sqrt(body->inv_mass), {{0}}};
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j <= i; ++j) {
			double sum = a[i][j];
			for (int k = 0; k < j; ++k)
				sum -= l.turn[i][k] * l.turn[j][k];
			if (i == j)
				l.turn[i][i] = sum > 0 ? sqrt(sum) : 0;
			else
				l.turn[i][j] = l.turn[j][j] > 0 ? sum / l.turn[j][j] : 0;
		}
	return l;
}

/* L'j */
static void turn_row(const cn_qp_body *body, cn_twist j, double out[6])
{
	root l = root_of(body);
	for (int i = 0; i < 3; ++i) {
		out[i] = l.mass * v3_at(j.v, i);
		out[3 + i] = 0;
		for (int k = i; k < 3; ++k)
			out[3 + i] += l.turn[k][i] * v3_at(j.w, k);
	}
}

/* u = Lx */
static cn_twist twist_of(const cn_qp_body *body, const double *x)
{
	root l = root_of(body);
	double w[3] = {0, 0, 0};
	for (int i = 0; i < 3; ++i)
		for (int k = 0; k <= i; ++k)
			w[i] += l.turn[i][k] * x[3 + k];
	return (cn_twist){{l.mass * x[0], l.mass * x[1], l.mass * x[2]}, {w[0], w[1], w[2]}};
}

/* x = L^-1 u; 0 for what cannot move. */
static void scale_twist(const cn_qp_body *body, cn_twist u, double x[6])
{
	root l = root_of(body);
	for (int i = 0; i < 3; ++i) {
		double sum = v3_at(u.w, i);
		for (int k = 0; k < i; ++k)
			sum -= l.turn[i][k] * x[3 + k];
		x[i] = l.mass > 0 ? v3_at(u.v, i) / l.mass : 0;
		x[3 + i] = l.turn[i][i] > 0 ? sum / l.turn[i][i] : 0;
	}
}

/* The row of n.(velocity of a point at r). */
static cn_twist point_row(v3 n, v3 r) { return (cn_twist){n, v3_cross(r, n)}; }

/* sign j.u of a body into the row being written; what u0 gives is returned. */
static double put_twist(oracle *p, const cn_qp *qp, uint32_t body, cn_twist j, double sign)
{
	double scaled[6];
	if (body == CN_QP_NONE)
		return 0;
	turn_row(&qp->bodies[body], j, scaled);
	for (uint32_t i = 0; i < 6; ++i)
		oracle_put(p, p->rows, 6 * body + i, sign * scaled[i]);
	return sign * (v3_dot(j.v, qp->u0[body].v) + v3_dot(j.w, qp->u0[body].w));
}

static double put_contact(oracle *p, const cn_qp *qp, const cn_qp_contact *c)
{
	double a = put_twist(p, qp, c->a, point_row(c->n, c->ra), -1);
	return a + put_twist(p, qp, c->b, point_row(c->n, c->rb), 1);
}

static void read_twists(const oracle *p, const cn_qp *qp, cn_twist *u)
{
	for (uint32_t i = 0; i < qp->body_count; ++i) {
		cn_twist step = twist_of(&qp->bodies[i], &p->x[6 * (size_t)i]);
		u[i] = (cn_twist){v3_add(qp->u0[i].v, step.v), v3_add(qp->u0[i].w, step.w)};
	}
}

/* ---- The table */

typedef struct line {
	const char *method;
	cn_qp_status status;
	double objective, violation, ms;
	uint32_t iterations;
	bool exact;
} line;

typedef struct verdict {
	double worst; /* of the exact methods' answers */
	int unsolved; /* exact methods without an answer */
	int unjudged; /* programs for which Ipopt has none */
} verdict;

static const char *word(cn_qp_status status)
{
	static const char *const words[] = {"solved", "early", "infeasible", "cycled", "memory"};
	return words[status];
}

static void print_program(const char *what, const cn_qp *qp, const oracle *p)
{
	printf("%s: %u bodies, %u contacts; %d unknowns, %d rows, %d entries\n", what, qp->body_count, qp->contact_count,
	       p->unknowns, p->rows, p->entries);
	printf("  %-24s %-20s %10s %10s %10s %10s %6s\n", "", "objective", "off by", "in u", "violation", "ms", "steps");
}

static void print_oracle(line l, enum ApplicationReturnStatus status, verdict *v)
{
	printf("  %-24s %-20.13g %10s %10s %10.1e %10.2f %6u  ", "Ipopt", l.objective, "", "", l.violation, l.ms,
	       l.iterations);
	if (status == Solve_Succeeded) {
		printf("solved\n");
	} else {
		printf("no answer: %d of IpReturnCodes.h\n", (int)status);
		++v->unjudged;
	}
}

static double largest_difference(uint32_t bodies, const cn_twist *a, const cn_twist *b)
{
	double most = 0;
	for (uint32_t i = 0; i < bodies; ++i) {
		v3 d[2] = {v3_abs(v3_sub(a[i].v, b[i].v)), v3_abs(v3_sub(a[i].w, b[i].w))};
		for (int k = 0; k < 6; ++k)
			most = v3_at(d[k / 3], k % 3) > most ? v3_at(d[k / 3], k % 3) : most;
	}
	return most;
}

static void print_line(line l, double wanted, double in_u, verdict *v)
{
	double off = (l.objective - wanted) / (fabs(wanted) > 0 ? fabs(wanted) : 1);
	printf("  %-24s %-20.13g %+10.1e %10.1e %10.1e %10.2f %6u  %s\n", l.method, l.objective, off, in_u, l.violation,
	       l.ms, l.iterations, word(l.status));
	if (l.exact && l.status != CN_QP_SOLVED)
		++v->unsolved;
	else if (l.exact && fabs(off) > v->worst)
		v->worst = fabs(off);
}

/* ---- Position */

static oracle draft_position(const cn_qp *qp)
{
	oracle p = oracle_open(6 * qp->body_count, qp->contact_count + qp->row_count);
	for (int i = 0; i < p.unknowns; ++i)
		p.weight[i] = 1;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		double known = put_contact(&p, qp, &qp->contacts[i]);
		oracle_end_row(&p, qp->contacts[i].least - known, ORACLE_NO_BOUND);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		const cn_qp_row *r = &qp->rows[i];
		double a = put_twist(&p, qp, r->a, r->ja, 1), known = a + put_twist(&p, qp, r->b, r->jb, 1);
		oracle_end_row(&p, r->low - known, r->high - known);
	}
	return p;
}

static line take_exact(const cn_qp *qp, cn_qp_solution *solution)
{
	line l = {.method = "cn_exact_solve", .ms = 1e300, .exact = true};
	for (int k = 0; k < REPEATS; ++k) {
		double from = process_ms();
		cn_qp_result r = cn_exact_solve(&allocator, qp, NULL, solution);
		double took = process_ms() - from;
		l.ms = took < l.ms ? took : l.ms;
		l.status = r.status;
		l.iterations = r.sweeps;
	}
	return l;
}

static line take_fast(const cn_qp *qp, cn_qp_solution *solution)
{
	line l = {.method = "cn_fast_position", .ms = 1e300};
	cn_fast *fast = cn_fast_create(&allocator);
	if (!fast)
		abort();
	for (int k = 0; k < REPEATS; ++k) {
		double from = process_ms();
		cn_qp_result r = cn_fast_position(fast, qp, &(cn_fast_options){.sweeps = SWEEPS}, solution);
		double took = process_ms() - from;
		l.ms = took < l.ms ? took : l.ms;
		l.status = r.status;
		l.iterations = r.sweeps;
	}
	cn_fast_destroy(fast);
	return l;
}

static cn_qp_solution open_solution(const cn_qp *qp)
{
	return (cn_qp_solution){.u = oracle_take(qp->body_count, sizeof(cn_twist)),
	                        .contact = oracle_take(qp->contact_count, sizeof(cn_qp_impulse)),
	                        .row = oracle_take(qp->row_count, sizeof(double))};
}

static void close_solution(cn_qp_solution *s)
{
	free(s->u);
	free(s->contact);
	free(s->row);
}

static void compare_position(const char *what, const cn_qp *qp, verdict *v)
{
	cn_qp_solution s = open_solution(qp);
	cn_twist *u = oracle_take(qp->body_count, sizeof *u);
	double from = process_ms();
	oracle p = draft_position(qp);
	enum ApplicationReturnStatus status = oracle_solve(&p);
	line found = {.ms = process_ms() - from, .iterations = (uint32_t)p.iterations};
	read_twists(&p, qp, u);
	found.objective = cn_qp_objective(qp, u);
	found.violation = cn_qp_violation(qp, u);
	print_program(what, qp, &p);
	print_oracle(found, status, v);
	for (int k = 0; k < 2; ++k) {
		line l = k == 0 ? take_exact(qp, &s) : take_fast(qp, &s);
		l.objective = cn_qp_objective(qp, s.u);
		l.violation = cn_qp_violation(qp, s.u);
		print_line(l, found.objective, largest_difference(qp->body_count, s.u, u), v);
	}
	oracle_close(&p);
	close_solution(&s);
	free(u);
}

/* ---- A.3.1 */

static bool same_pair(const cn_qp_contact *a, const cn_qp_contact *b)
{
	return a->a == b->a && a->b == b->b && a->n.x == b->n.x && a->n.y == b->n.y && a->n.z == b->n.z;
}

/* A plane through the first point of every pair of the pile; each point is a vertex of a, and with its gap one of b. */
static cn_text_position open_planes(const pile *heap, double gap)
{
	const cn_qp *qp = &heap->qp;
	cn_text_plane *planes = oracle_take(qp->contact_count, sizeof *planes);
	cn_text_vertex *vertices = oracle_take(2 * (size_t)qp->contact_count, sizeof *vertices);
	cn_text_position t = {
		.body_count = qp->body_count, .bodies = qp->bodies, .u0 = qp->u0, .gap = gap, .most_turn = 0.1};
	for (uint32_t first = 0, end; first < qp->contact_count; first = end) {
		const cn_qp_contact *c = &qp->contacts[first];
		for (end = first + 1; end < qp->contact_count && same_pair(c, &qp->contacts[end]);)
			++end;
		uint32_t count = end - first;
		cn_text_plane *plane = &planes[t.plane_count++];
		*plane = (cn_text_plane){
			.a = c->a, .b = c->b, .n = c->n, .first = t.vertex_count, .count_a = count, .count_b = count};
		cn_qp_tangents(c->n, &plane->nx, &plane->ny);
		for (uint32_t k = 0; k < count; ++k) {
			const cn_qp_contact *point = &c[k];
			v3 x = c->a == CN_QP_NONE ? v3_sub(point->rb, c->rb) : v3_sub(point->ra, c->ra);
			cn_text_vertex *of_a = &vertices[t.vertex_count + k], *of_b = of_a + count;
			*of_a = (cn_text_vertex){c->a == CN_QP_NONE ? x : point->ra, x};
			*of_b = (cn_text_vertex){point->rb, v3_madd(x, c->n, heap->gaps[first + k])};
			of_b->r = c->b == CN_QP_NONE ? of_b->x : of_b->r;
		}
		t.vertex_count += 2 * count;
	}
	t.planes = planes;
	t.vertices = vertices;
	return t;
}

/* The plane of n + s nx + t ny at distance d from its point keeps a's vertices gap/2 below and b's gap/2 above, to
 * first order in the motions, s, t and d. */
static oracle draft_planes(const cn_qp *qp, const cn_text_position *t)
{
	uint32_t planes = 6 * t->body_count;
	oracle p = oracle_open(planes + 3 * t->plane_count, t->vertex_count + 3 * t->body_count);
	for (uint32_t i = 0; i < planes; ++i)
		p.weight[i] = 1;
	for (uint32_t i = 0; i < t->body_count; ++i)
		for (int k = 0; k < 3; ++k) {
			cn_twist axis = {{0, 0, 0}, {k == 0, k == 1, k == 2}};
			double known = put_twist(&p, qp, i, axis, 1);
			oracle_end_row(&p, -t->most_turn - known, t->most_turn - known);
		}
	for (uint32_t i = 0; i < t->plane_count; ++i) {
		const cn_text_plane *plane = &t->planes[i];
		for (uint32_t k = 0; k < plane->count_a + plane->count_b; ++k) {
			const cn_text_vertex *q = &t->vertices[plane->first + k];
			bool of_a = k < plane->count_a;
			double sign = of_a ? -1 : 1;
			double known = put_twist(&p, qp, of_a ? plane->a : plane->b, point_row(plane->n, q->r), sign);
			oracle_put(&p, p.rows, planes + 3 * i, -sign);
			oracle_put(&p, p.rows, planes + 3 * i + 1, sign * v3_dot(plane->nx, q->x));
			oracle_put(&p, p.rows, planes + 3 * i + 2, sign * v3_dot(plane->ny, q->x));
			oracle_end_row(&p, t->gap / 2 - sign * v3_dot(plane->n, q->x) - known, ORACLE_NO_BOUND);
		}
	}
	return p;
}

/* The text's answer has no planes with it: its violation is the one against Ipopt's planes, so at most that large. */
static void compare_planes(const char *what, const pile *heap, double gap, verdict *v)
{
	const cn_qp *qp = &heap->qp;
	cn_text_position t = open_planes(heap, gap);
	cn_twist *u = oracle_take(qp->body_count, sizeof *u), *text = oracle_take(qp->body_count, sizeof *text);
	double from = process_ms();
	oracle p = draft_planes(qp, &t);
	enum ApplicationReturnStatus status = oracle_solve(&p);
	line found = {.ms = process_ms() - from, .iterations = (uint32_t)p.iterations};
	read_twists(&p, qp, u);
	found.objective = cn_qp_objective(qp, u);
	found.violation = oracle_violation(&p);
	print_program(what, qp, &p);
	print_oracle(found, status, v);
	line l = {.method = "cn_text_solve_position", .ms = 1e300, .exact = true};
	for (int k = 0; k < REPEATS; ++k) {
		from = process_ms();
		cn_qp_result r = cn_text_solve_position(&allocator, &t, text);
		double took = process_ms() - from;
		l.ms = took < l.ms ? took : l.ms;
		l.status = r.status;
		l.iterations = r.sweeps;
	}
	l.objective = cn_qp_objective(qp, text);
	for (uint32_t i = 0; i < qp->body_count; ++i) {
		cn_twist step = {v3_sub(text[i].v, qp->u0[i].v), v3_sub(text[i].w, qp->u0[i].w)};
		scale_twist(&qp->bodies[i], step, &p.x[6 * (size_t)i]);
	}
	l.violation = oracle_violation(&p);
	print_line(l, found.objective, largest_difference(qp->body_count, text, u), v);
	oracle_close(&p);
	free((void *)t.planes);
	free((void *)t.vertices);
	free(u);
	free(text);
}

/* ---- A.3.2 */

/* What a contact's normal velocity has to reach: restitution times the approach. */
static double wanted_speed(const cn_qp *qp, uint32_t contact)
{
	double before = cn_qp_speed(qp, contact, qp->u0).n;
	return before < 0 ? -qp->contacts[contact].eps * before : 0;
}

/* How far inside side h of the eight-sided cone that stands in the circle of mu y_n. */
static cn_qp_impulse cone_side(double mu, int h)
{
	return (cn_qp_impulse){mu * cos(pi / SIDES), cos(2 * pi * h / SIDES), sin(2 * pi * h / SIDES)};
}

static double lightest(const cn_qp *qp)
{
	double most = 0;
	for (uint32_t i = 0; i < qp->body_count; ++i)
		most = qp->bodies[i].inv_mass > most ? qp->bodies[i].inv_mass : most;
	return most;
}

/* Unknowns: the scaled change of u, then three impulses a contact as velocities of the lightest body. */
static oracle draft_momentum(const cn_qp *qp)
{
	uint32_t impulses = 6 * qp->body_count;
	oracle p = oracle_open(impulses + 3 * qp->contact_count, impulses + (SIDES + 1) * qp->contact_count);
	double unit = 1 / lightest(qp);
	for (uint32_t i = 0; i < qp->body_count; ++i)
		scale_twist(&qp->bodies[i], qp->u0[i], &p.linear[6 * (size_t)i]);
	for (uint32_t i = 0; i < impulses; ++i) {
		p.weight[i] = 1;
		oracle_put(&p, p.rows, i, 1);
		oracle_end_row(&p, 0, 0);
	}
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		v3 frame[3] = {c->n, {0, 0, 0}, {0, 0, 0}};
		cn_qp_tangents(c->n, &frame[1], &frame[2]);
		for (uint32_t k = 0; k < 6; ++k) {
			uint32_t body = k < 3 ? c->a : c->b;
			double change[6], sign = k < 3 ? 1 : -1;
			if (body == CN_QP_NONE)
				continue;
			turn_row(&qp->bodies[body], point_row(frame[k % 3], k < 3 ? c->ra : c->rb), change);
			for (uint32_t m = 0; m < 6; ++m)
				oracle_put(&p, (int)(6 * body + m), impulses + 3 * i + k % 3, sign * unit * change[m]);
		}
		double known = put_contact(&p, qp, c);
		oracle_end_row(&p, wanted_speed(qp, i) - known, ORACLE_NO_BOUND);
		for (int h = 0; h < SIDES; ++h) {
			cn_qp_impulse side = cone_side(c->mu, h);
			oracle_put(&p, p.rows, impulses + 3 * i, side.n);
			oracle_put(&p, p.rows, impulses + 3 * i + 1, side.s);
			oracle_put(&p, p.rows, impulses + 3 * i + 2, side.t);
			oracle_end_row(&p, 0, ORACLE_NO_BOUND);
		}
	}
	return p;
}

/* With u out of the impulses: speeds and cones, these as velocities of the lightest body. */
static double momentum_violation(const cn_qp *qp, const cn_qp_solution *s)
{
	double most = 0, light = lightest(qp);
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		double lack = wanted_speed(qp, i) - cn_qp_speed(qp, i, s->u).n;
		most = lack > most ? lack : most;
		for (int h = 0; h < SIDES; ++h) {
			cn_qp_impulse side = cone_side(qp->contacts[i].mu, h), y = s->contact[i];
			double outside = -light * (side.n * y.n + side.s * y.s + side.t * y.t);
			most = outside > most ? outside : most;
		}
	}
	return most;
}

static void compare_momentum(const char *what, const cn_qp *qp, verdict *v)
{
	cn_qp_solution s = open_solution(qp), text = open_solution(qp);
	double from = process_ms();
	oracle p = draft_momentum(qp);
	enum ApplicationReturnStatus status = oracle_solve(&p);
	line found = {.ms = process_ms() - from, .iterations = (uint32_t)p.iterations};
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const double *y = &p.x[6 * (size_t)qp->body_count + 3 * (size_t)i];
		double unit = 1 / lightest(qp);
		s.contact[i] = (cn_qp_impulse){unit * y[0], unit * y[1], unit * y[2]};
	}
	cn_qp_apply(qp, s.contact, s.row, s.u);
	found.objective = cn_qp_energy(qp, s.u);
	found.violation = momentum_violation(qp, &s);
	print_program(what, qp, &p);
	print_oracle(found, status, v);
	line l = {.method = "cn_text_solve_momentum", .ms = 1e300, .exact = true};
	for (int k = 0; k < REPEATS; ++k) {
		from = process_ms();
		cn_qp_result r = cn_text_solve_momentum(&allocator, qp, &text);
		double took = process_ms() - from;
		l.ms = took < l.ms ? took : l.ms;
		l.status = r.status;
		l.iterations = r.sweeps;
	}
	l.objective = cn_qp_energy(qp, text.u);
	l.violation = momentum_violation(qp, &text);
	print_line(l, found.objective, largest_difference(qp->body_count, text.u, s.u), v);
	oracle_close(&p);
	close_solution(&s);
	close_solution(&text);
}

/* ---- */

static pile make_pile(uint32_t bodies)
{
	pile_options o = {.bodies = bodies, .edge = 1, .slab = 0.015, .tilt = 4e-3, .gap = 0.02, .mu = 0.5, .seed = 7};
	return pile_make(&o);
}

static void compare_piles(verdict *v)
{
	static const uint32_t sizes[] = {20, 100, 1000};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
		pile p = make_pile(sizes[i]);
		pile_ask_positions(&p, 0.3, 1, dt, 1e-3);
		compare_position("position", &p.qp, v);
		if (i == 0)
			compare_planes("A.3.1", &p, 1e-3, v);
		pile_free(&p);
	}
	pile p = make_pile(sizes[0]);
	pile_ask_positions(&p, 0.3, 1, 1, 0);
	cn_twist *drawn = oracle_take(p.qp.body_count, sizeof *drawn);
	for (uint32_t i = 0; i < p.qp.body_count; ++i)
		drawn[i] = p.u0[i];
	pile_ask_speeds(&p, drawn, dt - 1); /* the draw has a second's gravity */
	free(drawn);
	compare_momentum("A.3.2", &p.qp, v);
	for (uint32_t i = 0; i < p.qp.contact_count; ++i)
		p.contacts[i].eps = 0.5;
	compare_momentum("A.3.2, restitution 0.5", &p.qp, v);
	pile_free(&p);
}

static void compare_file(const char *path, verdict *v)
{
	FILE *file = fopen(path, "rb");
	size_t room = (size_t)1 << 28, size = 0;
	void *bytes = malloc(room);
	cn_qp_owned owned;
	cairn_error error;
	if (file && bytes)
		size = fread(bytes, 1, room, file);
	if (file)
		fclose(file);
	if (size > 0 && cn_qp_decode(&allocator, bytes, size, &owned, &error)) {
		compare_position(path, &owned.qp, v);
		cn_qp_release(&allocator, &owned);
	} else {
		fprintf(stderr, "oracle_ipopt: %s is not a program\n", path);
		++v->unjudged;
	}
	free(bytes);
}

int main(int argc, char **argv)
{
	allocator = cairn_default_allocator();
	verdict v = {0};
	compare_piles(&v);
	for (int i = 1; i < argc; ++i)
		compare_file(argv[i], &v);
	bool good = v.worst <= most_off && v.unsolved == 0 && v.unjudged == 0;
	printf("exact methods: off by %.1e of Ipopt's objective at most, %.0e allowed; %d without an answer, %d not "
	       "judged%s\n",
	       v.worst, most_off, v.unsolved, v.unjudged, good ? "" : ": FAILED");
	return good ? 0 : 1;
}
