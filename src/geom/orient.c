/* The sign of the determinant |b - a, c - a, p - a|: from the rounded value where that is larger than its error, else
 * from one of twice as many digits, else from an exact sum of doubles. Sums and products of two doubles are written as
 * two doubles each, so the determinant is a sum of up to 192, added one by one to a sum whose terms do not overlap;
 * its last term has its sign. */
#include "geom/orient.h"

typedef struct two {
	double high, low; /* high + low is exact, and high is that rounded */
} two;

static two add(double a, double b)
{
	double high = a + b, of_b = high - a;
	return (two){high, (a - (high - of_b)) + (b - of_b)};
}

/* Two halves of at most 26 bits each, whose products are exact. */
static two split(double a)
{
	double c = 134217729.0 * a, high = c - (c - a);
	return (two){high, a - high};
}

static two multiply(double a, double b)
{
	double high = a * b;
	two x = split(a), y = split(b);
	double left = ((high - x.high * y.high) - x.low * y.high) - x.high * y.low;
	return (two){high, x.low * y.low - left};
}

typedef struct difference {
	two x, y, z;
} difference;

static difference subtract(v3 a, v3 b) { return (difference){add(a.x, -b.x), add(a.y, -b.y), add(a.z, -b.z)}; }

/* ab - cd, off by at most DBL_EPSILON of itself and 16 DBL_EPSILON^2 of the larger product. */
static double minor(two a, two b, two c, two d)
{
	two p = multiply(a.high, b.high), q = multiply(c.high, d.high);
	double small = (a.high * b.low + a.low * b.high) - (c.high * d.low + c.low * d.high);
	return (p.high - q.high) + ((p.low - q.low) + small);
}

static double largest(difference d) { return v3_max(v3_make(fabs(d.x.high), fabs(d.y.high), fabs(d.z.high))); }

cn_plane cn_plane_through(v3 a, v3 b, v3 c)
{
	difference u = subtract(b, a), v = subtract(c, a);
	v3 n = {minor(u.y, v.z, u.z, v.y), minor(u.z, v.x, u.x, v.z), minor(u.x, v.y, u.y, v.x)};
	double products = 48 * DBL_EPSILON * largest(u) * largest(v);
	return (cn_plane){n, DBL_EPSILON * (4 * (fabs(n.x) + fabs(n.y) + fabs(n.z)) + products)};
}

/* As minor, with what its rounding takes. Where u = DBL_EPSILON / 2 and S = |ab| + |cd|, high + low is off by at most
 * 20 u^2 S: products of two lower halves (1), rounding of small (7) and of the sum of lower parts (12). |low| <= 4 u
 * S. */
static two long_minor(two a, two b, two c, two d)
{
	two p = multiply(a.high, b.high), q = multiply(c.high, d.high), high = add(p.high, -q.high);
	double small = (a.high * b.low + a.low * b.high) - (c.high * d.low + c.low * d.high);
	return (two){high.high, ((p.low - q.low) + small) + high.low};
}

/* m w, off by at most 41 u^2 S |w|: m's own error, m.low w.low (4) and rounding (17). */
static two long_product(two m, two w)
{
	two p = multiply(m.high, w.high);
	return (two){p.high, (m.low * w.high + m.high * w.low) + p.low};
}

/* The determinant of three differences where its sign is sure, else 0. Adding the three products costs another 32 u^2,
 * so the error is below 73 u^2 x 6 x the product of their largest coordinates: less than 2^-96 of that. Where that is
 * next to underflow nothing is sure. */
static double long_determinant(const difference *u, const difference *v, const difference *w)
{
	two x = long_product(long_minor(u->y, v->z, u->z, v->y), w->x);
	two y = long_product(long_minor(u->z, v->x, u->x, v->z), w->y);
	two z = long_product(long_minor(u->x, v->y, u->y, v->x), w->z);
	two xy = add(x.high, y.high), all = add(xy.high, z.high);
	double det = all.high + (((x.low + y.low) + z.low) + (xy.low + all.low));
	double doubt = 0x1p-96 * (largest(*u) * largest(*v) * largest(*w));
	return doubt > 0x1p-960 && fabs(det) > doubt ? det : 0;
}

typedef struct sum {
	double terms[192];
	int count;
} sum;

static void grow(sum *s, double x)
{
	int kept = 0;
	for (int i = 0; i < s->count; ++i) {
		two t = add(x, s->terms[i]);
		x = t.high;
		if (t.low != 0)
			s->terms[kept++] = t.low;
	}
	if (x != 0)
		s->terms[kept++] = x;
	s->count = kept;
}

static void grow_product(sum *s, double a, double b, double c)
{
	if (a == 0 || b == 0 || c == 0)
		return;
	two ab = multiply(a, b), low = multiply(ab.low, c), high = multiply(ab.high, c);
	grow(s, low.low);
	grow(s, low.high);
	grow(s, high.low);
	grow(s, high.high);
}

/* s += sign abc, all eight products of the halves; most lower halves are zero. */
static void grow_term(sum *s, double sign, two a, two b, two c)
{
	for (int i = 0; i < 8; ++i)
		grow_product(s, sign * (i & 1 ? a.high : a.low), i & 2 ? b.high : b.low, i & 4 ? c.high : c.low);
}

int cn_plane_side(const cn_plane *plane, v3 a, v3 b, v3 c, v3 p)
{
	v3 n = plane->normal, rounded = v3_sub(p, a);
	double det = v3_dot(n, rounded);
	if (fabs(det) > plane->doubt * v3_max(v3_abs(rounded)))
		return det > 0 ? 1 : -1;
	difference u = subtract(b, a), v = subtract(c, a), w = subtract(p, a);
	det = long_determinant(&u, &v, &w);
	if (det != 0)
		return det > 0 ? 1 : -1;
	sum s;
	s.count = 0;
	grow_term(&s, 1, u.y, v.z, w.x);
	grow_term(&s, -1, u.z, v.y, w.x);
	grow_term(&s, 1, u.z, v.x, w.y);
	grow_term(&s, -1, u.x, v.z, w.y);
	grow_term(&s, 1, u.x, v.y, w.z);
	grow_term(&s, -1, u.y, v.x, w.z);
	return s.count ? (s.terms[s.count - 1] > 0 ? 1 : -1) : 0;
}
