/* See qp_file.h.
 *
 *   "CAIRNQP\0", u32 version, u32 bodies, contacts, rows, u32 1 with a warm start else 0
 *   bodies:   f64 inverse mass, 6 f64 inverse inertia, 6 f64 u0
 *   contacts: u32 a, b, 9 f64 n ra rb, f64 least, mu, eps
 *   rows:     u32 a, b, 12 f64 ja jb, f64 low, high
 *   warm:     6 f64 u of each body, 3 f64 of each contact, f64 of each row
 *   u32 CRC-32 of everything before it
 *
 * The counts say how long the whole is, so they are believed only if the bytes are that many. */
#include "num/qp_file.h"

#include "base/hash.h"

#include <string.h>

#define CN_QP_UNIT 1e-9      /* a stored normal's squared length may be off 1 by this */
#define CN_QP_ROUNDING 1e-12 /* of the products: a stored inertia's minors may be below 0 by this */

static const char magic[8] = "CAIRNQP";
enum { VERSION = 1, HEAD = 28, BODY = 104, CONTACT = 104, ROW = 120, WARM_BODY = 48, WARM_CONTACT = 24, WARM_ROW = 8 };

/* ---- what makes sense */

static bool refuse(cairn_error *error, const char *what, uint32_t at, const char *why)
{
	return cn_fail(error, CAIRN_FILE, what, "%s %u: %s", what, (unsigned)at, why);
}

static bool finite_twist(cn_twist u) { return v3_finite(u.v) && v3_finite(u.w); }

/* Positive semidefinite up to rounding: no principal minor is negative. */
static bool sound_inertia(const double *i)
{
	double size = i[0] + i[3] + i[5], slack = CN_QP_ROUNDING * size * size;
	double xy = i[0] * i[3] - i[1] * i[1], xz = i[0] * i[5] - i[2] * i[2], yz = i[3] * i[5] - i[4] * i[4];
	double all = i[0] * yz - i[1] * (i[1] * i[5] - i[2] * i[4]) + i[2] * (i[1] * i[4] - i[2] * i[3]);
	return i[0] >= 0 && i[3] >= 0 && i[5] >= 0 && xy >= -slack && xz >= -slack && yz >= -slack && all >= -slack * size;
}

static bool check_body(const cn_qp *qp, uint32_t at, cairn_error *error)
{
	const cn_qp_body *b = &qp->bodies[at];
	bool finite = isfinite(b->inv_mass) && finite_twist(qp->u0[at]), turns = false;
	for (int i = 0; i < 6; ++i) {
		finite = finite && isfinite(b->inv_inertia[i]);
		turns = turns || b->inv_inertia[i] != 0;
	}
	if (!finite)
		return refuse(error, "body", at, "a value that is not finite");
	if (b->inv_mass < 0)
		return refuse(error, "body", at, "a negative mass");
	if (b->inv_mass == 0 && turns)
		return refuse(error, "body", at, "cannot move but can turn");
	if (!sound_inertia(b->inv_inertia))
		return refuse(error, "body", at, "an inertia that is not positive");
	return true;
}

static bool check_pair(const cn_qp *qp, const char *what, uint32_t at, uint32_t a, uint32_t b, cairn_error *error)
{
	if ((a >= qp->body_count && a != CN_QP_NONE) || (b >= qp->body_count && b != CN_QP_NONE))
		return refuse(error, what, at, "a body that is not there");
	if (a == b)
		return refuse(error, what, at, a == CN_QP_NONE ? "no body at all" : "twice the same body");
	return true;
}

static bool check_contact(const cn_qp *qp, uint32_t at, cairn_error *error)
{
	const cn_qp_contact *c = &qp->contacts[at];
	if (!check_pair(qp, "contact", at, c->a, c->b, error))
		return false;
	if (!v3_finite(c->n) || !v3_finite(c->ra) || !v3_finite(c->rb) || !isfinite(c->least) || !isfinite(c->mu))
		return refuse(error, "contact", at, "a value that is not finite");
	if (!(fabs(v3_length2(c->n) - 1) <= CN_QP_UNIT))
		return refuse(error, "contact", at, "a normal that is not of length 1");
	if (c->mu < 0)
		return refuse(error, "contact", at, "a negative friction");
	if (!(c->eps >= 0 && c->eps <= 1))
		return refuse(error, "contact", at, "a restitution outside 0 to 1");
	return true;
}

static bool check_row(const cn_qp *qp, uint32_t at, cairn_error *error)
{
	const cn_qp_row *r = &qp->rows[at];
	if (r->a == CN_QP_NONE)
		return refuse(error, "row", at, "its first body is missing");
	if (!check_pair(qp, "row", at, r->a, r->b, error))
		return false;
	if (!finite_twist(r->ja) || !finite_twist(r->jb))
		return refuse(error, "row", at, "a value that is not finite");
	if (!(r->low <= r->high)) /* a NaN too */
		return refuse(error, "row", at, "its lower bound is not below its upper one");
	if (r->low > DBL_MAX || r->high < -DBL_MAX)
		return refuse(error, "row", at, "a bound that nothing reaches");
	return true;
}

static bool check_warm(const cn_qp *qp, const cn_qp_solution *x, cairn_error *error)
{
	for (uint32_t i = 0; i < qp->body_count; ++i)
		if (!finite_twist(x->u[i]))
			return refuse(error, "warm start, body", i, "a value that is not finite");
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		if (!isfinite(x->contact[i].n) || !isfinite(x->contact[i].s) || !isfinite(x->contact[i].t))
			return refuse(error, "warm start, contact", i, "a value that is not finite");
	for (uint32_t i = 0; i < qp->row_count; ++i)
		if (!isfinite(x->row[i]))
			return refuse(error, "warm start, row", i, "a value that is not finite");
	return true;
}

static bool check_program(const cn_qp *qp, cairn_error *error)
{
	bool well = true;
	for (uint32_t i = 0; i < qp->body_count && well; ++i)
		well = check_body(qp, i, error);
	for (uint32_t i = 0; i < qp->contact_count && well; ++i)
		well = check_contact(qp, i, error);
	for (uint32_t i = 0; i < qp->row_count && well; ++i)
		well = check_row(qp, i, error);
	return well;
}

/* ---- writing */

static void put_twist(cn_writer *w, cn_twist u)
{
	cn_put_v3(w, u.v);
	cn_put_v3(w, u.w);
}

static void put_program(cn_writer *w, const cn_qp *qp)
{
	for (uint32_t i = 0; i < qp->body_count; ++i) {
		cn_put_f64(w, qp->bodies[i].inv_mass);
		for (int k = 0; k < 6; ++k)
			cn_put_f64(w, qp->bodies[i].inv_inertia[k]);
		put_twist(w, qp->u0[i]);
	}
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		cn_put_u32(w, c->a);
		cn_put_u32(w, c->b);
		cn_put_v3(w, c->n);
		cn_put_v3(w, c->ra);
		cn_put_v3(w, c->rb);
		cn_put_f64(w, c->least);
		cn_put_f64(w, c->mu);
		cn_put_f64(w, c->eps);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		const cn_qp_row *r = &qp->rows[i];
		cn_put_u32(w, r->a);
		cn_put_u32(w, r->b);
		put_twist(w, r->ja);
		put_twist(w, r->jb);
		cn_put_f64(w, r->low);
		cn_put_f64(w, r->high);
	}
}

static void put_warm(cn_writer *w, const cn_qp *qp, const cn_qp_solution *x)
{
	for (uint32_t i = 0; i < qp->body_count; ++i)
		put_twist(w, x->u[i]);
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		cn_put_f64(w, x->contact[i].n);
		cn_put_f64(w, x->contact[i].s);
		cn_put_f64(w, x->contact[i].t);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i)
		cn_put_f64(w, x->row[i]);
}

bool cn_qp_encode(const cairn_allocator *allocator, const cn_qp *qp, const cn_qp_solution *warm, void **bytes,
                  size_t *size, cairn_error *error)
{
	*bytes = NULL;
	*size = 0;
	if (!check_program(qp, error) || (warm && !check_warm(qp, warm, error)))
		return false;
	cn_writer w = {.allocator = *allocator};
	cn_put_bytes(&w, magic, sizeof magic);
	cn_put_u32(&w, VERSION);
	cn_put_u32(&w, qp->body_count);
	cn_put_u32(&w, qp->contact_count);
	cn_put_u32(&w, qp->row_count);
	cn_put_u32(&w, warm != NULL);
	put_program(&w, qp);
	if (warm)
		put_warm(&w, qp, warm);
	if (!w.failed)
		cn_put_u32(&w, cn_crc32(0, w.data, w.size));
	/* A block of just its size, so that the caller can free it. */
	void *copy = w.failed ? NULL : cn_dup(allocator, w.data, w.size, 1);
	*bytes = copy;
	*size = copy ? w.size : 0;
	cn_writer_free(&w);
	return copy ? true : cn_fail_memory(error);
}

/* ---- reading */

static cn_twist get_twist(cn_reader *r)
{
	cn_twist u;
	u.v = cn_get_v3(r);
	u.w = cn_get_v3(r);
	return u;
}

typedef struct arrays {
	cn_qp_body *bodies;
	cn_twist *u0;
	cn_qp_contact *contacts;
	cn_qp_row *rows;
} arrays;

static void get_program(cn_reader *r, const cn_qp *qp, const arrays *to)
{
	for (uint32_t i = 0; i < qp->body_count; ++i) {
		to->bodies[i].inv_mass = cn_get_f64(r);
		for (int k = 0; k < 6; ++k)
			to->bodies[i].inv_inertia[k] = cn_get_f64(r);
		to->u0[i] = get_twist(r);
	}
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		cn_qp_contact *c = &to->contacts[i];
		c->a = cn_get_u32(r);
		c->b = cn_get_u32(r);
		c->n = cn_get_v3(r);
		c->ra = cn_get_v3(r);
		c->rb = cn_get_v3(r);
		c->least = cn_get_f64(r);
		c->mu = cn_get_f64(r);
		c->eps = cn_get_f64(r);
		c->slip = v3_zero(); /* not of the programs that are kept */
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		cn_qp_row *row = &to->rows[i];
		row->a = cn_get_u32(r);
		row->b = cn_get_u32(r);
		row->ja = get_twist(r);
		row->jb = get_twist(r);
		row->low = cn_get_f64(r);
		row->high = cn_get_f64(r);
	}
}

static void get_warm(cn_reader *r, const cn_qp *qp, cn_qp_solution *x)
{
	for (uint32_t i = 0; i < qp->body_count; ++i)
		x->u[i] = get_twist(r);
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		x->contact[i].n = cn_get_f64(r);
		x->contact[i].s = cn_get_f64(r);
		x->contact[i].t = cn_get_f64(r);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i)
		x->row[i] = cn_get_f64(r);
}

/* One block for all arrays. Every element is a multiple of 8 bytes long. */
static bool make_room(const cairn_allocator *allocator, cn_qp_owned *out, arrays *to)
{
	uint64_t bodies = out->qp.body_count, contacts = out->qp.contact_count, rows = out->qp.row_count;
	uint64_t size = bodies * (sizeof *to->bodies + 2 * sizeof *to->u0) +
	                contacts * (sizeof *to->contacts + sizeof *out->warm.contact) +
	                rows * (sizeof *to->rows + sizeof *out->warm.row);
	if (size > (uint64_t)PTRDIFF_MAX)
		return false;
	out->size = size ? (size_t)size : 1;
	out->memory = cn_alloc(allocator, out->size, 1);
	if (!out->memory)
		return false;
	unsigned char *at = out->memory;
	to->bodies = (void *)at, at += bodies * sizeof *to->bodies;
	to->u0 = (void *)at, at += bodies * sizeof *to->u0;
	out->warm.u = (void *)at, at += bodies * sizeof *to->u0;
	to->contacts = (void *)at, at += contacts * sizeof *to->contacts;
	out->warm.contact = (void *)at, at += contacts * sizeof *out->warm.contact;
	to->rows = (void *)at, at += rows * sizeof *to->rows;
	out->warm.row = (void *)at;
	out->qp.bodies = to->bodies, out->qp.u0 = to->u0, out->qp.contacts = to->contacts, out->qp.rows = to->rows;
	return true;
}

/* The head: counts that agree with the number of bytes, and the checksum. */
static bool get_head(cn_reader *r, cn_qp *qp, bool *warm, cairn_error *error)
{
	const uint8_t *first = cn_get_bytes(r, sizeof magic);
	if (!first || memcmp(first, magic, sizeof magic) != 0)
		return cn_fail(error, CAIRN_FILE, "", "not a program: it does not begin with CAIRNQP");
	uint32_t version = cn_get_u32(r);
	if (!r->failed && version != VERSION)
		return cn_fail(error, CAIRN_FILE, "version", "a program of version %u; this reads version %u",
		               (unsigned)version, (unsigned)VERSION);
	qp->body_count = cn_get_u32(r);
	qp->contact_count = cn_get_u32(r);
	qp->row_count = cn_get_u32(r);
	uint32_t flag = cn_get_u32(r);
	if (r->failed)
		return cn_fail(error, CAIRN_FILE, "", "the program is cut off in its head");
	if (flag > 1)
		return cn_fail(error, CAIRN_FILE, "warm", "the program is damaged: warm start %u", (unsigned)flag);
	*warm = flag == 1;
	uint64_t size = HEAD + 4 + (uint64_t)qp->body_count * (BODY + flag * WARM_BODY) +
	                (uint64_t)qp->contact_count * (CONTACT + flag * WARM_CONTACT) +
	                (uint64_t)qp->row_count * (ROW + flag * WARM_ROW);
	if (r->size != size)
		return cn_fail(error, CAIRN_FILE, "", "the program has %llu bytes, its counts ask for %llu: it is %s",
		               (unsigned long long)r->size, (unsigned long long)size, r->size < size ? "cut off" : "damaged");
	cn_reader last = {.data = r->data + (r->size - 4), .size = 4};
	if (cn_get_u32(&last) != cn_crc32(0, r->data, r->size - 4))
		return cn_fail(error, CAIRN_FILE, "", "the program is damaged: its checksum is wrong");
	return true;
}

bool cn_qp_decode(const cairn_allocator *allocator, const void *bytes, size_t size, cn_qp_owned *out,
                  cairn_error *error)
{
	*out = (cn_qp_owned){0};
	cn_reader r = {.data = bytes, .size = size};
	arrays to = {0};
	bool warm = false;
	if (!get_head(&r, &out->qp, &warm, error))
		return false;
	if (!make_room(allocator, out, &to)) {
		*out = (cn_qp_owned){0};
		return cn_fail_memory(error);
	}
	get_program(&r, &out->qp, &to);
	if (warm)
		get_warm(&r, &out->qp, &out->warm);
	if (check_program(&out->qp, error) && check_warm(&out->qp, &out->warm, error))
		return true;
	cn_qp_release(allocator, out);
	return false;
}

void cn_qp_release(const cairn_allocator *allocator, cn_qp_owned *owned)
{
	cn_free(allocator, owned->memory, owned->size, 1);
	*owned = (cn_qp_owned){0};
}
