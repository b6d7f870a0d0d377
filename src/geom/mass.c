/* Mass properties at density 1, and whether a surface is closed.
 *
 * Solids and skins are summed over their triangles (RBS 3.2, with the 1/60 of errata 19 for the square terms, which
 * the closing 1/120 form has right). The first pass finds volume and centre about the mean corner, the second the
 * inertia about the centre: tetrahedra are then as fat as they can be, and a surface far from its origin loses no
 * digits to the parallel axis theorem. Tetrahedra seen from behind count negative, so concave surfaces and cavities
 * come out right. Overlapping parts of a compound simply add: what is inside two parts weighs twice. */
#include "geom/mass.h"

#include "base/tolerance.h"
#include "geom/orient.h"

#define CN_INERTIA_ERROR 1e-9 /* relative slack of the triangle inequality of moments: rounding of printed numbers */

static cn_mass centered(double volume, v3 moments) { return (cn_mass){volume, v3_zero(), m3_diagonal(moments)}; }

cn_mass cn_mass_sphere(double radius)
{
	double volume = 4.0 / 3.0 * CN_PI * radius * radius * radius, moment = 0.4 * volume * radius * radius;
	return centered(volume, v3_make(moment, moment, moment));
}

cn_mass cn_mass_box(v3 size)
{
	double volume = size.x * size.y * size.z, share = volume / 12;
	v3 square = v3_mul(size, size);
	return centered(
		volume, v3_make(share * (square.y + square.z), share * (square.x + square.z), share * (square.x + square.y)));
}

cn_mass cn_mass_cylinder(double radius, double length)
{
	double square = radius * radius, volume = CN_PI * square * length;
	double across = volume * (length * length / 12 + square / 4);
	return centered(volume, v3_make(across, across, volume * square / 2));
}

/* The cylinder and two half balls, each with its centre 3/8 r beyond the cylinder's end. */
cn_mass cn_mass_capsule(double radius, double length)
{
	cn_mass middle = cn_mass_cylinder(radius, length), ball = cn_mass_sphere(radius);
	double shift = ball.volume * (length * length / 4 + 0.375 * radius * length);
	double across = middle.inertia.m[0][0] + (ball.inertia.m[0][0] + shift);
	return centered(middle.volume + ball.volume,
	                v3_make(across, across, middle.inertia.m[2][2] + ball.inertia.m[2][2]));
}

/* second moments sum += weight (s s' + b b' + c c' + d d'), s = b + c + d; the upper triangle only. */
static void add_moments(m3 *sum, double weight, v3 b, v3 c, v3 d)
{
	v3 s = v3_add(v3_add(b, c), d);
	const double bs[3] = {b.x, b.y, b.z}, cs[3] = {c.x, c.y, c.z}, ds[3] = {d.x, d.y, d.z}, ss[3] = {s.x, s.y, s.z};
	for (int i = 0; i < 3; ++i)
		for (int j = i; j < 3; ++j)
			sum->m[i][j] += weight * (ss[i] * ss[j] + bs[i] * bs[j] + cs[i] * cs[j] + ds[i] * ds[j]);
}

/* The inertia of second moments C (upper triangle): tr(C) 1 - C. */
static m3 inertia_of(m3 c)
{
	double xx = c.m[0][0], yy = c.m[1][1], zz = c.m[2][2], xy = c.m[0][1], xz = c.m[0][2], yz = c.m[1][2];
	return (m3){{{yy + zz, -xy, -xz}, {-xy, xx + zz, -yz}, {-xz, -yz, xx + yy}}};
}

/* The mean of all corners, summed as offsets from the first so that a far origin costs no digits. */
static v3 mean_corner(const v3 *points, const uint32_t *triangles, uint32_t triangle_count)
{
	v3 first = points[triangles[0]], sum = v3_zero();
	size_t count = (size_t)triangle_count * 3;
	for (size_t i = 0; i < count; ++i)
		sum = v3_add(sum, v3_sub(points[triangles[i]], first));
	return v3_madd(first, sum, 1 / (double)count);
}

/* Six times the signed volume of the tetrahedron from the origin to a triangle given by one corner there and its plane.
 * b.(c x d) as b.((c - b) x (d - b)): the normal keeps its digits where a long thin body would cancel them away. */
static double six_volumes(v3 b, const v3 *points, const uint32_t *t)
{
	return v3_dot(b, cn_plane_through(points[t[0]], points[t[1]], points[t[2]]).normal);
}

static double two_areas(const v3 *points, const uint32_t *t)
{
	return v3_length(cn_plane_through(points[t[0]], points[t[1]], points[t[2]]).normal);
}

cn_mass cn_mass_solid(const v3 *points, const uint32_t *triangles, uint32_t triangle_count)
{
	assert(triangle_count > 0);
	v3 inside = mean_corner(points, triangles, triangle_count), moment = v3_zero();
	double six = 0; /* times the volume */
	for (const uint32_t *t = triangles, *end = t + (size_t)triangle_count * 3; t < end; t += 3) {
		v3 b = v3_sub(points[t[0]], inside), c = v3_sub(points[t[1]], inside), d = v3_sub(points[t[2]], inside);
		double det = six_volumes(b, points, t);
		six += det;
		moment = v3_madd(moment, v3_add(v3_add(b, c), d), det);
	}
	cn_mass mass = {.volume = six / 6, .center = inside};
	if (six == 0)
		return mass;
	mass.center = v3_madd(inside, moment, 1 / (4 * six));
	m3 second = {0};
	for (const uint32_t *t = triangles, *end = t + (size_t)triangle_count * 3; t < end; t += 3) {
		v3 b = v3_sub(points[t[0]], mass.center), c = v3_sub(points[t[1]], mass.center);
		v3 d = v3_sub(points[t[2]], mass.center);
		add_moments(&second, six_volumes(b, points, t) / 120, b, c, d);
	}
	mass.inertia = inertia_of(second);
	return mass;
}

cn_mass cn_mass_skin(const v3 *points, const uint32_t *triangles, uint32_t triangle_count)
{
	assert(triangle_count > 0);
	v3 inside = mean_corner(points, triangles, triangle_count), moment = v3_zero();
	double two = 0; /* times the area */
	for (const uint32_t *t = triangles, *end = t + (size_t)triangle_count * 3; t < end; t += 3) {
		v3 b = v3_sub(points[t[0]], inside), c = v3_sub(points[t[1]], inside), d = v3_sub(points[t[2]], inside);
		double length = two_areas(points, t);
		two += length;
		moment = v3_madd(moment, v3_add(v3_add(b, c), d), length);
	}
	cn_mass mass = {.volume = two / 2, .center = inside};
	if (two == 0)
		return mass;
	mass.center = v3_madd(inside, moment, 1 / (3 * two));
	m3 second = {0};
	for (const uint32_t *t = triangles, *end = t + (size_t)triangle_count * 3; t < end; t += 3) {
		v3 b = v3_sub(points[t[0]], mass.center), c = v3_sub(points[t[1]], mass.center);
		v3 d = v3_sub(points[t[2]], mass.center);
		add_moments(&second, two_areas(points, t) / 24, b, c, d);
	}
	mass.inertia = inertia_of(second);
	return mass;
}

/* R I R', symmetric to the bit. */
static m3 turn_inertia(m3 inertia, quat q)
{
	m3 r = m3_from_q(q), turned = m3_mul(m3_mul(r, inertia), m3_transpose(r));
	for (int i = 0; i < 3; ++i)
		for (int j = i + 1; j < 3; ++j)
			turned.m[i][j] = turned.m[j][i] = 0.5 * (turned.m[i][j] + turned.m[j][i]);
	return turned;
}

cn_mass cn_mass_combine(cn_mass sum, cn_mass part, pose placed)
{
	part.center = pose_apply(placed, part.center);
	part.inertia = turn_inertia(part.inertia, placed.orientation);
	if (sum.volume == 0)
		return part;
	double total = sum.volume + part.volume, reduced = sum.volume * (part.volume / total);
	v3 d = v3_sub(part.center, sum.center), square = v3_mul(d, d);
	m3 apart = {{{square.y + square.z, -(d.x * d.y), -(d.x * d.z)},
	             {-(d.x * d.y), square.x + square.z, -(d.y * d.z)},
	             {-(d.x * d.z), -(d.y * d.z), square.x + square.y}}};
	cn_mass both = {.volume = total, .center = v3_madd(sum.center, d, part.volume / total)};
	both.inertia = m3_add(m3_add(sum.inertia, part.inertia), m3_scale(apart, reduced));
	return both;
}

static uint64_t edge_key(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }

/* The slot of a key, or the empty one where it would go. 0 is no key: an edge has two different ends. */
static uint32_t find_slot(const uint64_t *table, uint32_t mask, uint64_t key)
{
	uint64_t mixed = key * 0x9e3779b97f4a7c15ull;
	uint32_t slot = (uint32_t)((mixed ^ mixed >> 29) >> 3) & mask;
	while (table[slot] && table[slot] != key)
		slot = (slot + 1) & mask;
	return slot;
}

/* A closed surface has each directed edge once and its opposite once. The edge named is the first in the order of the
 * triangles that breaks this. */
bool cn_mesh_open_edge(const cairn_allocator *allocator, const uint32_t *triangles, uint32_t triangle_count,
                       uint32_t *a, uint32_t *b, cairn_error *memory)
{
	size_t count = (size_t)triangle_count * 3;
	uint32_t slots = 8;
	assert(triangle_count <= CN_COUNT_MAX);
	*a = *b = 0;
	if (memory)
		memory->code = CAIRN_OK;
	while (slots < count + count / 2)
		slots *= 2;
	uint64_t *table = cn_alloc(allocator, slots, sizeof *table);
	if (!table) {
		cn_fail_memory(memory);
		return true;
	}
	bool open = false;
	for (int pass = 0; pass < 2 && !open; ++pass)
		for (size_t i = 0; i < count && !open; ++i) {
			*a = triangles[i], *b = triangles[i % 3 == 2 ? i - 2 : i + 1];
			uint64_t key = pass ? edge_key(*b, *a) : edge_key(*a, *b);
			uint32_t slot = find_slot(table, slots - 1, key);
			open = *a == *b || (pass ? !table[slot] : table[slot] != 0);
			if (!pass)
				table[slot] = key;
		}
	cn_free(allocator, table, slots, sizeof *table);
	return open;
}

/* One Jacobi rotation by the angle t = tan(theta), |theta| <= pi/4, about axis k = 3 - i - j that makes m[i][j] zero:
 * t^2 + 2 tau t - 1 = 0 with tau = (m_ii - m_jj) / (2 m_ij), the smaller root. (i, j, k) is cyclic. */
static void rotate(m3 *m, quat *axes, int i, int j)
{
	int k = 3 - i - j;
	double tau = (m->m[i][i] - m->m[j][j]) / (2 * m->m[i][j]);
	double t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(tau * tau + 1));
	double c = 1 / sqrt(t * t + 1), s = t * c, ki = m->m[k][i], kj = m->m[k][j], shift = t * m->m[i][j];
	m->m[i][i] += shift, m->m[j][j] -= shift;
	m->m[i][j] = m->m[j][i] = 0;
	m->m[k][i] = m->m[i][k] = c * ki + s * kj;
	m->m[k][j] = m->m[j][k] = c * kj - s * ki;
	double half = sqrt(0.5 + 0.5 * c), sine = s / (2 * half);
	*axes = q_mul(*axes, (quat){half, k == 0 ? sine : 0, k == 1 ? sine : 0, k == 2 ? sine : 0});
}

/* What this is below is the rounding of the matrix itself, and counts as zero. */
static double negligible(m3 m)
{
	return 4 * DBL_EPSILON * v3_max(v3_make(fabs(m.m[0][0]), fabs(m.m[1][1]), fabs(m.m[2][2])));
}

void cn_principal(m3 inertia, v3 *moments, quat *axes)
{
	m3 m = inertia;
	bool turned = false;
	*axes = q_identity();
	double small = negligible(m);
	for (int sweep = 0; sweep < 30; ++sweep) { /* converges quadratically: 6 or 7 are enough */
		bool done = true;
		for (int i = 0; i < 3; ++i) {
			int j = (i + 1) % 3;
			if (fabs(m.m[i][j]) > small) {
				rotate(&m, axes, i, j);
				turned = true, done = false;
			}
		}
		if (done)
			break;
	}
	if (turned) { /* the moments that belong to the axes as rounded */
		*axes = q_unit(*axes);
		m3 r = m3_from_q(*axes);
		m = m3_mul(m3_mul(m3_transpose(r), inertia), r);
	}
	*moments = v3_make(m.m[0][0], m.m[1][1], m.m[2][2]);
}

const char *cn_inertia_fault(m3 inertia)
{
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			if (!isfinite(inertia.m[i][j]))
				return "the inertia has an entry that is not a finite number";
	v3 moments;
	quat axes;
	cn_principal(inertia, &moments, &axes);
	bool exact =
		axes.x == 0 && axes.y == 0 && axes.z == 0; /* moments were given, not computed: no rounding to forgive */
	double most = v3_max(moments), slack = 1 + CN_INERTIA_ERROR;
	if (!(v3_min(moments) > (exact ? 0 : negligible(inertia))))
		return "a principal moment of inertia is not positive";
	if (most > (moments.x + moments.y + moments.z - most) * slack)
		return "a principal moment of inertia is larger than the sum of the other two, which no body has";
	return NULL;
}
