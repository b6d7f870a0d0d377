/* The point of a simplex of at most four corners that is nearest the origin, by the regions of its edges and faces.
 * What lies flat is decided by its edges alone, so that a sliver cannot give a wrong direction, only a larger
 * distance. */
#include "geom/separate_cores.h"

typedef struct nearest {
	double length2;
	v3 v;
	uint32_t count;
	uint32_t corner[3]; /* numbers in the simplex */
	double weight[3];
} nearest;

static void take_point(const cn_corner *p, uint32_t i, nearest *out)
{
	*out = (nearest){.length2 = v3_length2(p[i].p), .v = p[i].p, .count = 1, .corner = {i}, .weight = {1}};
}

static void segment(const cn_corner *p, uint32_t i, uint32_t j, nearest *out)
{
	v3 e = v3_sub(p[j].p, p[i].p);
	double ee = v3_length2(e), before = -v3_dot(p[i].p, e), after = v3_dot(p[j].p, e);
	if (!(before > 0)) {
		take_point(p, i, out);
	} else if (!(after > 0)) {
		take_point(p, j, out);
	} else {
		v3 v = before < after ? v3_madd(p[i].p, e, before / ee) : v3_madd(p[j].p, e, -after / ee);
		v = v3_madd(v, e, -v3_dot(v, e) / ee); /* square to the edge, also when v is short */
		double sum = before + after;
		*out = (nearest){v3_length2(v), v, 2, {i, j}, {after / sum, before / sum}};
	}
}

static void triangle(const cn_corner *p, const uint32_t at[3], nearest *out)
{
	v3 e[3];
	double length2[3], inside[3];
	for (int k = 0; k < 3; ++k) {
		e[k] = v3_sub(p[at[(k + 1) % 3]].p, p[at[k]].p);
		length2[k] = v3_length2(e[k]);
	}
	/* The two shorter edges lose the fewest digits; the three products are equal otherwise. */
	int longest = length2[0] > length2[1] ? (length2[0] > length2[2] ? 0 : 2) : (length2[1] > length2[2] ? 1 : 2);
	v3 m = v3_cross(e[(longest + 1) % 3], e[(longest + 2) % 3]);
	double mm = v3_length2(m);
	bool all = mm > 0;
	for (int k = 0; k < 3; ++k) {
		inside[k] = -v3_dot(m, v3_cross(e[k], p[at[k]].p));
		all = all && inside[k] >= 0;
	}
	double sum = inside[0] + inside[1] + inside[2];
	if (all && sum > 0) {
		int base = 0;
		for (int k = 1; k < 3; ++k)
			if (v3_length2(p[at[k]].p) < v3_length2(p[at[base]].p))
				base = k;
		v3 v = v3_scale(m, v3_dot(m, p[at[base]].p) / mm);
		*out =
			(nearest){v3_length2(v), v, 3, {at[0], at[1], at[2]}, {inside[1] / sum, inside[2] / sum, inside[0] / sum}};
		return;
	}
	*out = (nearest){.length2 = INFINITY};
	for (int k = 0; k < 3; ++k) {
		nearest trial;
		if (inside[k] > 0 && mm > 0)
			continue;
		segment(p, at[k], at[(k + 1) % 3], &trial);
		if (trial.length2 < out->length2)
			*out = trial;
	}
	if (!(out->length2 < INFINITY))
		take_point(p, at[0], out);
}

/* False: the origin is inside. */
static bool tetrahedron(const cn_corner *p, nearest *out)
{
	static const uint32_t face[4][4] = {
		{0, 1, 3, 2}, {1, 2, 3, 0}, {2, 0, 3, 1}, {0, 1, 2, 3}}; /* and what is opposite */
	out->length2 = INFINITY;
	for (int f = 0; f < 4; ++f) {
		v3 base = p[face[f][2]].p;
		v3 m = v3_cross(v3_sub(p[face[f][0]].p, base), v3_sub(p[face[f][1]].p, base));
		double origin = -v3_dot(m, base), other = v3_dot(m, v3_sub(p[face[f][3]].p, base));
		if ((origin > 0 && other > 0) || (origin < 0 && other < 0))
			continue;
		nearest trial;
		triangle(p, face[f], &trial);
		if (trial.length2 < out->length2)
			*out = trial;
	}
	return out->length2 < INFINITY;
}

bool cn_simplex_nearest(cn_simplex *s)
{
	static const uint32_t three[3] = {0, 1, 2};
	nearest best;
	switch (s->count) {
	case 1: take_point(s->corner, 0, &best); break;
	case 2: segment(s->corner, 0, 1, &best); break;
	case 3: triangle(s->corner, three, &best); break;
	default:
		if (!tetrahedron(s->corner, &best))
			return false;
	}
	cn_simplex reduced = {.count = best.count, .v = best.v};
	for (uint32_t k = 0; k < best.count; ++k) {
		reduced.corner[k] = s->corner[best.corner[k]];
		reduced.weight[k] = best.weight[k];
	}
	*s = reduced;
	return true;
}
