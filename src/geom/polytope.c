/* See polytope.h: memory, the polytopes of primitives, and the search for the furthest vertex. */
#include "geom/polytope.h"

bool cn_polytope_alloc(const cairn_allocator *allocator, uint32_t vertices, uint32_t edges, uint32_t faces,
                       cn_polytope *out)
{
	cn_polytope p = {.vertex_count = vertices, .edge_count = edges, .face_count = faces};
	p.vertices = cn_alloc(allocator, vertices, sizeof *p.vertices);
	p.sources = cn_alloc(allocator, vertices, sizeof *p.sources);
	p.ring_first = cn_alloc(allocator, (size_t)vertices + 1, sizeof *p.ring_first);
	bool whole = p.vertices && p.sources && p.ring_first;
	if (edges) {
		p.edges = cn_alloc(allocator, edges, sizeof *p.edges);
		p.directions = cn_alloc(allocator, edges, sizeof *p.directions);
		p.ring = cn_alloc(allocator, (size_t)edges * 2, sizeof *p.ring);
		whole = whole && p.edges && p.directions && p.ring;
	}
	p.face_first = cn_alloc(allocator, (size_t)faces + 1, sizeof *p.face_first);
	whole = whole && p.face_first;
	if (faces) {
		p.normals = cn_alloc(allocator, faces, sizeof *p.normals);
		p.offsets = cn_alloc(allocator, faces, sizeof *p.offsets);
		p.loop = cn_alloc(allocator, (size_t)edges * 2, sizeof *p.loop);
		p.loop_edges = cn_alloc(allocator, (size_t)edges * 2, sizeof *p.loop_edges);
		whole = whole && p.normals && p.offsets && p.loop && p.loop_edges;
	}
	if (whole)
		*out = p;
	else
		cn_polytope_free(allocator, &p);
	return whole;
}

void cn_polytope_free(const cairn_allocator *allocator, cn_polytope *p)
{
	size_t vertices = p->vertex_count, edges = p->edge_count, faces = p->face_count;
	cn_free(allocator, p->vertices, vertices, sizeof *p->vertices);
	cn_free(allocator, p->sources, vertices, sizeof *p->sources);
	cn_free(allocator, p->ring_first, vertices + 1, sizeof *p->ring_first);
	cn_free(allocator, p->edges, edges, sizeof *p->edges);
	cn_free(allocator, p->directions, edges, sizeof *p->directions);
	cn_free(allocator, p->ring, edges * 2, sizeof *p->ring);
	cn_free(allocator, p->face_first, faces + 1, sizeof *p->face_first);
	cn_free(allocator, p->normals, faces, sizeof *p->normals);
	cn_free(allocator, p->offsets, faces, sizeof *p->offsets);
	cn_free(allocator, p->loop, edges * 2, sizeof *p->loop);
	cn_free(allocator, p->loop_edges, edges * 2, sizeof *p->loop_edges);
	*p = (cn_polytope){0};
}

bool cn_polytope_point(const cairn_allocator *allocator, cn_polytope *out)
{
	return cn_polytope_alloc(allocator, 1, 0, 0, out);
}

bool cn_polytope_segment(const cairn_allocator *allocator, double half, cn_polytope *out)
{
	if (!cn_polytope_alloc(allocator, 2, 1, 0, out))
		return false;
	out->vertices[0] = v3_make(0, 0, -half);
	out->vertices[1] = v3_make(0, 0, half);
	out->sources[1] = 1;
	out->edges[0] = (cn_edge){.tail = 0, .head = 1};
	out->directions[0] = v3_make(0, 0, 1);
	out->ring[0] = 1;
	out->ring[1] = 0;
	out->ring_first[1] = 1;
	out->ring_first[2] = 2;
	out->radius = half;
	return true;
}

uint32_t cn_polytope_edge(const cn_polytope *p, uint32_t a, uint32_t b)
{
	uint32_t tail = a < b ? a : b, head = a < b ? b : a, low = 0, high = p->edge_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const cn_edge *e = &p->edges[middle];
		if (e->tail < tail || (e->tail == tail && e->head < head))
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->edge_count && p->edges[low].tail == tail && p->edges[low].head == head ? low : UINT32_MAX;
}

bool cn_polytope_box(const cairn_allocator *allocator, v3 half, cn_polytope *out)
{
	/* Counter-clockwise from outside, the least vertex first. */
	static const uint8_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
	                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
	if (!cn_polytope_alloc(allocator, 8, 12, 6, out))
		return false;
	uint32_t edge = 0, ring = 0;
	for (uint32_t i = 0; i < 8; ++i) {
		out->vertices[i] = v3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
		out->sources[i] = i;
		out->ring_first[i] = ring;
		for (uint32_t bit = 1; bit < 8; bit *= 2) {
			out->ring[ring++] = i ^ bit;
			if (i & bit)
				continue;
			out->edges[edge] = (cn_edge){.tail = i, .head = i | bit};
			out->directions[edge++] = v3_make(bit == 1, bit == 2, bit == 4);
		}
	}
	out->ring_first[8] = ring;
	for (uint32_t f = 0; f < 6; ++f) {
		uint32_t axis = f / 2;
		double side = f & 1 ? 1 : -1;
		out->normals[f] = v3_make(axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0);
		out->offsets[f] = v3_at(half, (int)axis);
		out->face_first[f + 1] = 4 * (f + 1);
		for (uint32_t k = 0; k < 4; ++k) {
			uint32_t from = faces[f][k], to = faces[f][(k + 1) % 4], e = cn_polytope_edge(out, from, to);
			out->loop[4 * f + k] = from;
			out->loop_edges[4 * f + k] = e;
			*(from < to ? &out->edges[e].left : &out->edges[e].right) = f;
		}
	}
	out->radius = v3_length(half);
	out->opposite = true;
	return true;
}

uint32_t cn_polytope_climb(const cn_polytope *p, v3 d, uint32_t from)
{
	if (p->crowded)
		return cn_polytope_furthest(p, d);
	uint32_t at = from < p->vertex_count ? from : 0;
	double most = v3_dot(p->vertices[at], d);
	for (;;) {
		uint32_t next = at;
		for (uint32_t k = p->ring_first[at]; k < p->ring_first[at + 1]; ++k) {
			double height = v3_dot(p->vertices[p->ring[k]], d);
			if (height > most)
				most = height, next = p->ring[k];
		}
		if (next == at)
			return at;
		at = next;
	}
}
