/* Which triangles of a mesh belong together: clusters of neighbours are united two by two, those first whose union is
 * small and flat, until one is left. A cluster is known by its area and second moments, so a union costs the same however
 * many triangles it has. Coplanar neighbours come first of all, so that flat facets become patches. */
#include "base/hash.h"
#include "base/sort.h"
#include "geom/hull_tree.h"

#define COPLANAR 1e-6 /* of the spread: flatter clusters lie in a plane; second moments lose half of the digits */
#define ROUND 0.05    /* of the spread squared: what a flat union costs, against its spread x its thickness */

/* Area and moments about the middle of the mesh. */
typedef struct cluster {
	double area;
	v3 first;         /* area x centroid */
	double second[6]; /* xx yy zz xy xz yz */
	uint32_t into;    /* the cluster it is now part of; itself: it stands */
	uint32_t merge;   /* its node */
	uint32_t made;    /* how often it grew */
} cluster;

/* Two neighbours, and what their union would cost as they were when it was worked out. */
typedef struct offer {
	double cost;
	uint32_t a, b, made_a, made_b, number;
} offer;

typedef struct merger {
	const cairn_allocator *allocator;
	const cn_triangles *mesh;
	cn_hull_merge *merges;
	cluster *clusters; /* by triangle */
	offer *heap;
	uint32_t heap_count, heap_capacity, offers, merge_count;
} merger;

static uint32_t root_of(merger *m, uint32_t at)
{
	while (m->clusters[at].into != at)
		at = m->clusters[at].into = m->clusters[m->clusters[at].into].into;
	return at;
}

static cluster unite(const cluster *a, const cluster *b)
{
	cluster u = *a;
	u.area += b->area;
	u.first = v3_add(a->first, b->first);
	for (int i = 0; i < 6; ++i)
		u.second[i] += b->second[i];
	return u;
}

/* Spread: square root of the sum of the variances; thickness: about that of the least one. */
static void extents(const cluster *u, double *spread, double *thickness)
{
	v3 c = v3_scale(u->first, 1 / u->area);
	double xx = u->second[0] / u->area - c.x * c.x, yy = u->second[1] / u->area - c.y * c.y,
		   zz = u->second[2] / u->area - c.z * c.z, xy = u->second[3] / u->area - c.x * c.y,
		   xz = u->second[4] / u->area - c.x * c.z, yz = u->second[5] / u->area - c.y * c.z;
	double trace = xx + yy + zz, minors = xx * yy - xy * xy + xx * zz - xz * xz + yy * zz - yz * yz;
	double det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
	*spread = trace > 0 ? sqrt(trace) : 0;
	*thickness = det > 0 && minors > 0 ? sqrt(det / minors) : 0;
}

static double cost_of(const cluster *a, const cluster *b)
{
	cluster u = unite(a, b);
	double spread, thickness;
	extents(&u, &spread, &thickness);
	double cost = spread * (thickness + ROUND * spread);
	return thickness < COPLANAR * spread ? COPLANAR * cost : cost;
}

/* ---- the heap of offers: the cheapest first, of equals the one made first */

static bool cheaper(const offer *a, const offer *b)
{
	return a->cost != b->cost ? a->cost < b->cost : a->number < b->number;
}

static void sift_up(merger *m, uint32_t at)
{
	offer moving = m->heap[at];
	for (; at > 0 && cheaper(&moving, &m->heap[(at - 1) / 2]); at = (at - 1) / 2)
		m->heap[at] = m->heap[(at - 1) / 2];
	m->heap[at] = moving;
}

static bool push(merger *m, uint32_t a, uint32_t b)
{
	if (!cn_grow(m->allocator, (void **)&m->heap, &m->heap_capacity, m->heap_count + 1, sizeof *m->heap))
		return false;
	const cluster *ca = &m->clusters[a], *cb = &m->clusters[b];
	m->heap[m->heap_count] = (offer){cost_of(ca, cb), a, b, ca->made, cb->made, m->offers++};
	sift_up(m, m->heap_count++);
	return true;
}

static offer pop(merger *m)
{
	offer top = m->heap[0], moving = m->heap[--m->heap_count];
	uint32_t at = 0;
	for (uint32_t child; (child = 2 * at + 1) < m->heap_count; at = child) {
		if (child + 1 < m->heap_count && cheaper(&m->heap[child + 1], &m->heap[child]))
			++child;
		if (!cheaper(&m->heap[child], &moving))
			break;
		m->heap[at] = m->heap[child];
	}
	m->heap[at] = moving;
	return top;
}

/* Takes offers until none is left. An offer whose clusters have grown since is made again. */
static bool take_offers(merger *m)
{
	while (m->heap_count) {
		offer o = pop(m);
		uint32_t a = root_of(m, o.a), b = root_of(m, o.b);
		if (a == b)
			continue;
		if (a != o.a || b != o.b || m->clusters[a].made != o.made_a || m->clusters[b].made != o.made_b) {
			if (!push(m, a, b))
				return false;
			continue;
		}
		cluster u = unite(&m->clusters[a], &m->clusters[b]);
		double spread, thickness;
		extents(&u, &spread, &thickness);
		m->merges[m->merge_count] =
			(cn_hull_merge){{m->clusters[a].merge, m->clusters[b].merge}, thickness < COPLANAR * spread};
		u.into = a, u.merge = m->merge_count++, u.made = m->clusters[a].made + 1;
		m->clusters[a] = u;
		m->clusters[b].into = a;
	}
	return true;
}

/* ---- neighbours */

static void weigh(merger *m, uint32_t triangle, v3 middle, double extent)
{
	const uint32_t *t = &m->mesh->triangles[(size_t)triangle * 3];
	v3 p[3], sum = v3_zero();
	for (int i = 0; i < 3; ++i)
		p[i] = v3_sub(m->mesh->points[t[i]], middle), sum = v3_add(sum, p[i]);
	double area = 0.5 * v3_length(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])));
	area = area > 1e-12 * extent * extent ? area : 1e-12 * extent * extent; /* one without area still has a place */
	cluster c = {.area = area, .first = v3_scale(sum, area / 3), .into = triangle, .merge = triangle};
	v3 all[4] = {p[0], p[1], p[2], sum};
	for (int i = 0; i < 4; ++i) {
		v3 v = all[i];
		double s = area / 12;
		c.second[0] += s * v.x * v.x, c.second[1] += s * v.y * v.y, c.second[2] += s * v.z * v.z;
		c.second[3] += s * v.x * v.y, c.second[4] += s * v.x * v.z, c.second[5] += s * v.y * v.z;
	}
	m->clusters[triangle] = c;
	m->merges[triangle] = (cn_hull_merge){{CN_HULL_LEAF, triangle}, true};
}

static bool same_place(v3 a, v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* names: of each point the least point at the same place. items and scratch: room for all points. */
static void weld(const cn_triangles *mesh, uint32_t *names, cn_sort_item *items, cn_sort_item *scratch)
{
	for (uint32_t i = 0; i < mesh->point_count; ++i) {
		v3 p = mesh->points[i];
		uint64_t key = cn_hash_double(cn_hash_double(cn_hash_double(CN_HASH_START, p.x), p.y), p.z);
		items[i] = (cn_sort_item){key, i};
		names[i] = i;
	}
	if (mesh->point_count)
		cn_sort(items, scratch, mesh->point_count);
	for (uint32_t i = 1; i < mesh->point_count; ++i)
		for (uint32_t j = i; j > 0 && items[j - 1].key == items[i].key; --j)
			if (same_place(mesh->points[items[j - 1].value], mesh->points[items[i].value])) {
				names[items[i].value] = names[items[j - 1].value];
				break;
			}
}

/* Offers every two triangles that share an edge; of more than two at an edge, each with the next. */
static bool offer_neighbours(merger *m, const uint32_t *names, cn_sort_item *items, cn_sort_item *scratch)
{
	uint32_t count = m->mesh->triangle_count * 3;
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t a = names[m->mesh->triangles[i]], b = names[m->mesh->triangles[i % 3 == 2 ? i - 2 : i + 1]];
		items[i] = (cn_sort_item){(uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a), i / 3};
	}
	cn_sort(items, scratch, count);
	for (uint32_t i = 1; i < count; ++i)
		if (items[i].key == items[i - 1].key && items[i].value != items[i - 1].value &&
		    !push(m, items[i - 1].value, items[i].value))
			return false;
	return true;
}

static uint64_t spread_bits(uint32_t x)
{
	uint64_t bits = 0;
	for (int i = 0; i < 20; ++i)
		bits |= (uint64_t)(x >> i & 1) << 3 * i;
	return bits;
}

/* Offers pieces that do not hang together, each with the next along a curve through space. */
static bool offer_pieces(merger *m, v3 low, double extent, cn_sort_item *items, cn_sort_item *scratch)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < m->mesh->triangle_count; ++i) {
		if (m->clusters[i].into != i)
			continue;
		const uint32_t *t = &m->mesh->triangles[(size_t)i * 3];
		v3 p = v3_scale(v3_sub(m->mesh->points[t[0]], low), 1048575 / extent);
		items[count++] = (cn_sort_item){
			spread_bits((uint32_t)p.x) | spread_bits((uint32_t)p.y) << 1 | spread_bits((uint32_t)p.z) << 2, i};
	}
	cn_sort(items, scratch, count);
	for (uint32_t i = 1; i < count; ++i)
		if (!push(m, items[i - 1].value, items[i].value))
			return false;
	return true;
}

bool cn_hull_tree_merge(const cairn_allocator *allocator, const cn_triangles *mesh, cn_hull_merge *merges)
{
	uint32_t count = mesh->triangle_count, room = 3 * count > mesh->point_count ? 3 * count : mesh->point_count;
	merger m = {.allocator = allocator, .mesh = mesh, .merges = merges, .merge_count = count};
	v3 low = mesh->points[mesh->triangles[0]], high = low;
	for (size_t i = 0; i < (size_t)count * 3; ++i) {
		low = v3_least(low, mesh->points[mesh->triangles[i]]);
		high = v3_most(high, mesh->points[mesh->triangles[i]]);
	}
	double extent = v3_max(v3_sub(high, low));
	v3 middle = v3_scale(v3_add(low, high), 0.5);
	m.clusters = cn_alloc(allocator, count, sizeof *m.clusters);
	uint32_t *names = cn_alloc(allocator, mesh->point_count, sizeof *names);
	cn_sort_item *items = cn_alloc(allocator, room, sizeof *items),
				 *scratch = cn_alloc(allocator, room, sizeof *scratch);
	bool ok = m.clusters && names && items && scratch;
	for (uint32_t i = 0; ok && i < count; ++i)
		weigh(&m, i, middle, extent);
	if (ok)
		weld(mesh, names, items, scratch);
	ok = ok && offer_neighbours(&m, names, items, scratch) && take_offers(&m) &&
	     offer_pieces(&m, low, extent, items, scratch) && take_offers(&m);
	assert(!ok || m.merge_count == 2 * count - 1);
	cn_free(allocator, m.clusters, count, sizeof *m.clusters);
	cn_free(allocator, names, mesh->point_count, sizeof *names);
	cn_free(allocator, items, room, sizeof *items);
	cn_free(allocator, scratch, room, sizeof *scratch);
	cn_free(allocator, m.heap, m.heap_capacity, sizeof *m.heap);
	return ok;
}
