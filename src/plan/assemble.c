/* Goals as energies, and the way down (PBA 7.6.1): damped steps that begin along the gradient (7.92) and, as the damping
 * falls, become those of Gauss and Newton, which end fast. Every energy of the text is half, or all, of a sum of squares:
 * N.M + 1 = |N + M|^2 / 2 for unit normals, so that one list of numbers that ought to be 0, and their derivatives by the
 * coordinates, is all that a goal is. */
#include "plan/forest.h"
#include "scene/goal.h"

#include <string.h>

enum {
	ROWS = CN_GOAL_ROWS,
	STEPS_MAX = 2000, /* all descents together */
	KICKS_MAX = 12,
	LOOK_BACK = 25 /* steps */
};
#define CN_CREEP 1e-3 /* of the energy: less in so many steps is a valley; the last descent goes on to CN_CREEP_LAST */
#define CN_CREEP_LAST 1e-9
#define CN_GOAL_MET 1e-9    /* m and rad */
#define CN_GOAL_SHARP 1e-13 /* of the misses: below it steps change nothing any more */
#define CN_DAMPING_MAX 1e10 /* where the shortest steps still do not go down */

typedef struct descent {
	const cairn_scene *scene;
	cn_forest forest;
	cn_arena arena;
	uint32_t n;                   /* rates */
	double *place, *tried, *best; /* coordinates */
	double *gradient, *step, *diagonal;
	double *square, *factor; /* n x n */
	double *row;             /* ROWS x n */
	v3 *normals;             /* two a goal, of the bodies' own frames */
	double energy;
	cairn_assembly *out;
} descent;

/* ---- all goals */

/* A goal's two bodies; the second of a fixed point is not asked for. */
static void sides_of(const descent *d, const cairn_goal_def *g, cn_goal_side side[2])
{
	cairn_body bodies[2] = {g->a, g->kind == CAIRN_GOAL_FIXED_POINT ? g->a : g->b};
	for (int i = 0; i < 2; ++i)
		side[i].shape = d->scene->bodies[bodies[i].index].shape.index,
		side[i].at = cn_forest_pose(&d->forest, bodies[i].index);
}

static void look(const descent *d, uint32_t index, bool derive, cn_goal_rows *g)
{
	const cairn_goal_def *def = &d->scene->asked.goals[index];
	cn_goal_side side[2];
	sides_of(d, def, side);
	side[0].normal = d->normals[2 * index], side[1].normal = d->normals[2 * index + 1];
	cn_goal_look(d->scene, def, side, derive, g);
}

static double energy_at(descent *d, const double *place)
{
	double sum = 0;
	cn_joint_tree_put(d->forest.tree, place);
	for (uint32_t i = 0; i < d->scene->asked.goal_count; ++i) {
		cn_goal_rows g;
		double own = 0;
		look(d, i, false, &g);
		for (uint32_t k = 0; k < g.count; ++k)
			own += g.r[k] * g.r[k];
		sum += d->scene->asked.goals[i].weight * own;
	}
	return sum;
}

typedef struct chain {
	descent *d;
	const cn_goal_part *part;
	uint32_t count;
} chain;

static void use_rate(void *context, uint32_t rate, v3 velocity, v3 spin)
{
	chain *c = context;
	for (uint32_t k = 0; k < c->count; ++k)
		c->d->row[k * c->d->n + rate] += v3_dot(c->part->by_velocity[k], velocity) + v3_dot(c->part->by_spin[k], spin);
}

/* Gradient of half the energy, and the product of the derivatives with themselves, at place, which is put. */
static void derive(descent *d)
{
	uint32_t n = d->n;
	memset(d->gradient, 0, n * sizeof *d->gradient);
	memset(d->square, 0, (size_t)n * n * sizeof *d->square);
	cn_joint_tree_put(d->forest.tree, d->place);
	for (uint32_t i = 0; i < d->scene->asked.goal_count; ++i) {
		const cairn_goal_def *def = &d->scene->asked.goals[i];
		cn_goal_rows g;
		look(d, i, true, &g);
		memset(d->row, 0, (size_t)ROWS * n * sizeof *d->row);
		cn_forest_rates(&d->forest, def->a.index, g.at_a, use_rate, &(chain){d, &g.a, g.count});
		if (def->kind != CAIRN_GOAL_FIXED_POINT)
			cn_forest_rates(&d->forest, def->b.index, g.at_b, use_rate, &(chain){d, &g.b, g.count});
		for (uint32_t k = 0; k < g.count; ++k) {
			const double *row = d->row + (size_t)k * n;
			for (uint32_t x = 0; x < n; ++x) {
				double w = def->weight * row[x];
				if (w == 0)
					continue;
				d->gradient[x] += w * g.r[k];
				for (uint32_t y = 0; y <= x; ++y)
					d->square[(size_t)x * n + y] += w * row[y];
			}
		}
	}
}

/* ---- a step */

/* L L' of square + damping x diagonal, then the step. False: not positive, which rounding can do. */
static bool solve(descent *d, double damping)
{
	uint32_t n = d->n;
	for (uint32_t i = 0; i < n; ++i)
		for (uint32_t j = 0; j <= i; ++j) {
			double s = d->square[(size_t)i * n + j] + (i == j ? damping * d->diagonal[i] : 0);
			const double *a = d->factor + (size_t)i * n, *b = d->factor + (size_t)j * n;
			for (uint32_t k = 0; k < j; ++k)
				s -= a[k] * b[k];
			if (i == j && !(s > 0))
				return false;
			d->factor[(size_t)i * n + j] = i == j ? sqrt(s) : s / b[j];
		}
	for (uint32_t i = 0; i < n; ++i) {
		double s = -d->gradient[i];
		for (uint32_t k = 0; k < i; ++k)
			s -= d->factor[(size_t)i * n + k] * d->step[k];
		d->step[i] = s / d->factor[(size_t)i * n + i];
	}
	for (uint32_t i = n; i-- > 0;) {
		double s = d->step[i];
		for (uint32_t k = i + 1; k < n; ++k)
			s -= d->factor[(size_t)k * n + i] * d->step[k];
		d->step[i] = s / d->factor[(size_t)i * n + i];
	}
	return true;
}

/* The scale of each coordinate: its own square, or what is left of earlier ones, so that a coordinate that does little just
 * now is not sent far. */
static void scale(descent *d)
{
	for (uint32_t i = 0; i < d->n; ++i) {
		double own = d->square[(size_t)i * d->n + i];
		d->diagonal[i] = fmax(d->diagonal[i], fmax(own, 1e-3));
	}
}

/* Down to where no step goes further down. */
static void descend(descent *d, double creep)
{
	double damping = 1, before = INFINITY;
	memset(d->diagonal, 0, d->n * sizeof *d->diagonal);
	d->energy = energy_at(d, d->place);
	while (d->out->steps < STEPS_MAX && d->energy > CN_GOAL_SHARP * CN_GOAL_SHARP) {
		bool better = false;
		if (d->out->steps % LOOK_BACK == 0) {
			if (d->energy > before * (1 - creep))
				return;
			before = d->energy;
		}
		derive(d);
		scale(d);
		for (; !better && damping < CN_DAMPING_MAX; damping = better ? damping * 0.1 : damping * 4) {
			if (!solve(d, damping + 1e-14))
				continue;
			cn_forest_advance(&d->forest, d->place, d->step, d->tried);
			double energy = energy_at(d, d->tried);
			better = energy < d->energy * (1 - 1e-12);
			if (better)
				d->energy = energy, memcpy(d->place, d->tried, d->forest.tree->places * sizeof *d->place);
			cn_joint_tree_put(d->forest.tree, d->place);
		}
		++d->out->steps;
		if (!better)
			return;
		damping = fmax(damping, 1e-12);
	}
}

/* The slope by coordinates that may go that way: one at a limit that pushes against it does not count. */
static double slope_of(descent *d)
{
	double most = 0;
	derive(d);
	for (uint32_t i = 0; i < d->forest.tree->count; ++i) {
		const cn_tree_link *l = &d->forest.tree->links[i];
		for (uint32_t k = 0; k < l->rates; ++k) {
			double g = 2 * d->gradient[l->rate + k], at = d->place[l->place];
			bool held = l->rates == 1 && ((at <= d->forest.low[i] && g > 0) || (at >= d->forest.high[i] && g < 0));
			most = held ? most : fmax(most, fabs(g));
		}
	}
	return most;
}

/* ---- the search */

static bool look_at_misses(descent *d, cairn_goal_miss *misses)
{
	bool met = true;
	if (d->forest.tree)
		cn_joint_tree_put(d->forest.tree, d->place);
	for (uint32_t i = 0; i < d->scene->asked.goal_count; ++i) {
		cn_goal_rows g;
		look(d, i, false, &g);
		misses[i] = g.miss;
		met &= g.miss.distance <= CN_GOAL_MET && g.miss.angle <= CN_GOAL_MET;
	}
	return met;
}

/* A push along every coordinate, of a size that grows with the tries and a sign that does not depend on anything. */
static void kick(descent *d, uint32_t number)
{
	uint64_t state = number + 1;
	for (uint32_t i = 0; i < d->n; ++i) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		d->step[i] = ((double)(state >> 40) / (1 << 24) - 0.5) * 0.4 * number;
	}
	cn_joint_tree_put(d->forest.tree, d->place);
	cn_forest_advance(&d->forest, d->place, d->step, d->tried);
	memcpy(d->place, d->tried, d->forest.tree->places * sizeof *d->place);
}

static void search(descent *d, cairn_goal_miss *misses)
{
	size_t bytes = d->forest.tree->places * sizeof *d->place;
	double best;
	d->out->begun = energy_at(d, d->place);
	descend(d, CN_CREEP);
	best = d->energy, memcpy(d->best, d->place, bytes);
	while (!look_at_misses(d, misses) && d->out->kicks < KICKS_MAX && d->out->steps < STEPS_MAX) {
		kick(d, ++d->out->kicks);
		descend(d, CN_CREEP);
		if (d->energy < best)
			best = d->energy, memcpy(d->best, d->place, bytes);
		memcpy(d->place, d->best, bytes);
	}
	if (!look_at_misses(d, misses))
		descend(d, CN_CREEP_LAST);
	d->out->energy = d->energy = fmin(d->energy, best);
	d->out->slope = slope_of(d);
	d->out->coordinates = d->n;
	if (look_at_misses(d, misses))
		d->out->end = CAIRN_ASSEMBLED;
	else
		d->out->end = d->out->steps < STEPS_MAX ? CAIRN_ASSEMBLY_VALLEY : CAIRN_ASSEMBLY_STOPPED;
}

static bool take_memory(descent *d, cairn_error *error)
{
	const cn_joint_tree *t = d->forest.tree;
	uint32_t n = d->n = t->rates;
	if (n > 3000)
		return cn_fail(error, CAIRN_INVALID, "goals", "the goals move %u coordinates; the most is 3000", n);
	double *numbers =
		cn_arena_take(&d->arena, 3 * (size_t)t->places + (3 + ROWS) * (size_t)n + 2 * (size_t)n * n, sizeof *numbers);
	if (!numbers)
		return cn_fail_memory(error);
	d->place = numbers, d->tried = d->place + t->places, d->best = d->tried + t->places;
	d->gradient = d->best + t->places, d->step = d->gradient + n, d->diagonal = d->step + n;
	d->row = d->diagonal + n, d->square = d->row + (size_t)ROWS * n, d->factor = d->square + (size_t)n * n;
	cn_forest_start(&d->forest, d->place);
	return true;
}

static bool prepare(descent *d, cairn_error *error)
{
	const cairn_scene *s = d->scene;
	bool *wanted = cn_arena_take(&d->arena, s->body_count, sizeof *wanted);
	d->normals = cn_arena_take(&d->arena, 2 * (size_t)s->asked.goal_count, sizeof *d->normals);
	if (d->arena.failed)
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < s->asked.goal_count; ++i) {
		const cairn_goal_def *g = &s->asked.goals[i];
		wanted[g->a.index] = true;
		if (g->kind != CAIRN_GOAL_FIXED_POINT)
			wanted[g->b.index] = true;
	}
	if (!cn_forest_make(&d->forest, s, wanted, &d->arena, error) || !take_memory(d, error))
		return false;
	for (uint32_t i = 0; i < s->asked.goal_count; ++i) {
		cn_goal_side side[2];
		sides_of(d, &s->asked.goals[i], side);
		cn_goal_normals(s, &s->asked.goals[i], side);
		d->normals[2 * i] = side[0].normal, d->normals[2 * i + 1] = side[1].normal;
	}
	return true;
}

bool cairn_scene_assemble(const cairn_scene *scene, cairn_pose *poses, cairn_goal_miss *misses,
                          cairn_assembly *assembly, cairn_error *error)
{
	descent d = {.scene = scene, .arena = cn_arena_make(&scene->allocator), .out = assembly};
	*assembly = (cairn_assembly){.end = CAIRN_ASSEMBLED};
	for (uint32_t i = 0; i < scene->body_count; ++i)
		poses[i] = scene->bodies[i].pose;
	bool ok = !scene->asked.goal_count || prepare(&d, error);
	if (ok && scene->asked.goal_count) {
		search(&d, misses);
		for (uint32_t i = 0; i < scene->body_count; ++i)
			poses[i] = cn_forest_pose(&d.forest, i);
	}
	cn_forest_free(&d.forest);
	cn_arena_free(&d.arena);
	return ok;
}
