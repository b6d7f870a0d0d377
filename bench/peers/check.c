/* The overlap of two boxes is the least over their fifteen axes (faces, and edges across edges); of a ball and a box the
 * way from the nearest point of the box; of two balls the distance of their centres. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double *a, const double *b, double *out)
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

static bool is_somewhere(const double *x) { return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); }

peer_solid peer_solid_at(const peer_body *body, const double *state)
{
	const double *q = state + 3;
	double n = 1 / sqrt(q[0] * q[0] + dot(q + 1, q + 1)), w = q[0] * n, x = q[1] * n, y = q[2] * n, z = q[3] * n;
	peer_solid s = {.body = body,
	                .axes = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
	                         {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
	                         {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}};
	memcpy(s.x, state, sizeof s.x);
	for (int k = 0; k < 3; ++k) {
		double reach = body->ball ? body->half[0] : 0;
		for (int i = 0; i < 3 && !body->ball; ++i)
			reach += fabs(s.axes[i][k]) * body->half[i];
		s.low[k] = s.x[k] - reach, s.high[k] = s.x[k] + reach;
	}
	if (!is_somewhere(state)) /* an engine that has lost a body */
		s.low[0] = 1, s.high[0] = -1;
	return s;
}

/* m: half of a box's width along an axis, times the axis' length. */
static double reach(const peer_solid *s, const double *axis)
{
	const double *h = s->body->half;
	return h[0] * fabs(dot(axis, s->axes[0])) + h[1] * fabs(dot(axis, s->axes[1])) + h[2] * fabs(dot(axis, s->axes[2]));
}

static double along(const peer_solid *a, const peer_solid *b, const double *axis)
{
	double d[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]};
	double length = sqrt(dot(axis, axis));
	if (length < 1e-5) /* edges that are parallel: the faces' axes tell */
		return INFINITY;
	return (reach(a, axis) + reach(b, axis) - fabs(dot(axis, d))) / length;
}

static double boxes_overlap(const peer_solid *a, const peer_solid *b)
{
	double least = INFINITY;
	for (int i = 0; i < 15 && least > 0; ++i) {
		double axis[3];
		if (i < 6)
			memcpy(axis, i < 3 ? a->axes[i] : b->axes[i - 3], sizeof axis);
		else
			cross(a->axes[(i - 6) / 3], b->axes[(i - 6) % 3], axis);
		least = fmin(least, along(a, b, axis));
	}
	return least;
}

static double ball_overlap(const peer_solid *ball, const peer_solid *box)
{
	double d[3] = {ball->x[0] - box->x[0], ball->x[1] - box->x[1], ball->x[2] - box->x[2]};
	double out2 = 0, in = INFINITY;
	for (int i = 0; i < 3; ++i) {
		double beyond = fabs(dot(d, box->axes[i])) - box->body->half[i];
		out2 += beyond > 0 ? beyond * beyond : 0;
		in = fmin(in, -beyond);
	}
	return ball->body->half[0] + (out2 > 0 ? -sqrt(out2) : in);
}

double peer_solid_overlap(const peer_solid *a, const peer_solid *b)
{
	if (!a->body->ball && !b->body->ball)
		return boxes_overlap(a, b);
	if (a->body->ball != b->body->ball)
		return a->body->ball ? ball_overlap(a, b) : ball_overlap(b, a);
	double d[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]};
	return a->body->half[0] + b->body->half[0] - sqrt(dot(d, d));
}

/* ---- a frame */

static double energy(const peer_check *c, const double *states)
{
	double sum = 0;
	for (uint32_t i = 0; i < c->scene->count; ++i) {
		const peer_body *b = &c->scene->bodies[i];
		const double *s = states + (size_t)i * PEER_STATE, *h = b->half;
		if (b->fixed || !is_somewhere(s))
			continue;
		sum += b->mass * (c->scene->gravity * s[2] + 0.5 * dot(s + 7, s + 7));
		double h2 = dot(h, h);
		for (int k = 0; k < 3; ++k) {
			double moment = b->ball ? 0.4 * b->mass * h[0] * h[0] : b->mass / 3 * (h2 - h[k] * h[k]);
			double spin = dot(s + 10, c->solids[i].axes[k]);
			sum += 0.5 * moment * spin * spin;
		}
	}
	return sum;
}

static void place_all(peer_check *c, const double *states)
{
	for (uint32_t i = 0; i < c->scene->count; ++i)
		c->solids[i] = peer_solid_at(&c->scene->bodies[i], states + (size_t)i * PEER_STATE);
}

static double size_of(const peer_body *b)
{
	return b->fixed ? INFINITY : 2 * fmin(b->half[0], fmin(b->half[1], b->half[2]));
}

/* Along x bodies keep nearly the order of the frame before. */
static void sort(peer_check *c)
{
	for (uint32_t i = 1; i < c->scene->count; ++i) {
		uint32_t moving = c->order[i], j = i;
		for (; j > 0 && c->solids[c->order[j - 1]].low[0] > c->solids[moving].low[0]; --j)
			c->order[j] = c->order[j - 1];
		c->order[j] = moving;
	}
}

static double worst_overlap(peer_check *c)
{
	double worst = 0;
	sort(c);
	for (uint32_t i = 0; i < c->scene->count; ++i) {
		const peer_solid *a = &c->solids[c->order[i]];
		for (uint32_t j = i + 1; j < c->scene->count; ++j) {
			const peer_solid *b = &c->solids[c->order[j]];
			if (b->low[0] > a->high[0])
				break;
			if (b->low[0] > b->high[0] || a->low[1] > b->high[1] || b->low[1] > a->high[1] || a->low[2] > b->high[2] ||
			    b->low[2] > a->high[2] || (a->body->fixed && b->body->fixed))
				continue;
			worst = fmax(worst, peer_solid_overlap(a, b) / fmin(size_of(a->body), size_of(b->body)));
		}
	}
	return worst;
}

/* Where bodies are that cannot be there, and who went through the wall of plates. */
static void look_for_lost(peer_check *c, const double *states)
{
	const double *in = c->scene->inside;
	c->escaped = c->through = 0;
	for (uint32_t i = 0; i < c->scene->count; ++i) {
		const double *x = states + (size_t)i * PEER_STATE;
		const peer_solid *s = &c->solids[i];
		if (c->scene->bodies[i].fixed)
			continue;
		c->escaped += !is_somewhere(x) || (in[0] > 0 && (fabs(x[0]) > in[0] || fabs(x[1]) > in[1] || x[2] < in[2]));
		c->pierced[i] |= c->scene->thin && s->low[0] < -PEER_PIERCES && s->high[0] > PEER_PIERCES && fabs(x[1]) < 19 &&
		                 fabs(x[2]) < 19;
		c->through += c->scene->thin && (c->pierced[i] || !(x[0] < 0));
	}
}

void peer_check_frame(peer_check *c, const double *states)
{
	bool pushed = c->scene->blast && c->frames == c->scene->blast; /* the blast brings energy */
	++c->frames;
	place_all(c, states);
	c->overlap_last = worst_overlap(c);
	c->overlap = fmax(c->overlap, c->overlap_last);
	double now = energy(c, states);
	if (!pushed && !((now - c->before) / c->unit <= c->rise))
		c->rise = (now - c->before) / c->unit;
	c->before = now;
	for (uint32_t i = 0; i < c->scene->count && (!c->scene->blast || c->frames <= c->scene->blast); ++i) {
		const double *x = states + (size_t)i * PEER_STATE, *o = c->first + (size_t)i * PEER_STATE;
		double d[3] = {x[0] - o[0], x[1] - o[1], x[2] - o[2]};
		c->moved = fmax(c->moved, sqrt(dot(d, d)));
	}
	look_for_lost(c, states);
}

bool peer_check_passes(const peer_check *c)
{
	if (c->scene->thin)
		return c->through == 0 && c->escaped == 0;
	return c->overlap <= PEER_OVERLAP_MAX && c->rise <= PEER_RISE_MAX && c->escaped == 0 &&
	       (c->scene->stands == 0 || c->moved <= c->scene->stands);
}

bool peer_check_begin(peer_check *c, const peer_scene *scene)
{
	double mass = 0, longest = 0;
	*c = (peer_check){.scene = scene};
	c->solids = calloc(scene->count, sizeof *c->solids);
	c->order = calloc(scene->count, sizeof *c->order);
	c->pierced = calloc(scene->count, sizeof *c->pierced);
	c->first = calloc(scene->count, PEER_STATE * sizeof *c->first);
	if (!c->solids || !c->order || !c->pierced || !c->first)
		return false;
	for (uint32_t i = 0; i < scene->count; ++i) {
		const peer_body *b = &scene->bodies[i];
		memcpy(c->first + (size_t)i * PEER_STATE, b->state, sizeof b->state);
		c->order[i] = i;
		mass += b->mass;
		for (int k = 0; k < 3 && !b->fixed; ++k)
			longest = fmax(longest, 2 * b->half[k]);
	}
	c->unit = mass * scene->gravity * longest;
	place_all(c, c->first);
	c->start = c->before = energy(c, c->first);
	return true;
}

void peer_check_end(peer_check *c)
{
	free(c->solids);
	free(c->order);
	free(c->pierced);
	free(c->first);
}
