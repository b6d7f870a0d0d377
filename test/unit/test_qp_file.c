/* Programs as bytes: back to the bit, every cut and every flipped bit noticed, senseless values refused by name. */
#include "test.h"

#include "ledger.h"
#include "num/qp_file.h"
#include "programs.h"

static ledger book;
static const cairn_allocator allocator = {&book, ledger_resize};

static void draw(program *p, uint64_t seed, bool momentum)
{
	program_wish wish = {
		.most_bodies = 6, .scales = 3, .ratios = 4, .position = !momentum, .driven = true, .joints = true};
	program_draw(p, seed, &wish);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		p->u[i] = program_twist(p, 1);
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		double n = program_unit(p), s = program_signed(p), t = program_signed(p);
		p->contact[i] = (cn_qp_impulse){n, s, t};
	}
	for (uint32_t i = 0; i < p->qp.row_count; ++i)
		p->row[i] = program_signed(p);
}

/* A program with two bodies, a contact and a row at least. */
static void draw_full(program *p)
{
	uint64_t seed = 1;
	do
		draw(p, seed++, true);
	while (p->qp.body_count < 2 || p->qp.contact_count < 2 || p->qp.row_count < 2);
}

static bool same(const void *a, const void *b, size_t count, size_t size)
{
	return count == 0 || memcmp(a, b, count * size) == 0;
}

TEST(round_trip)
{
	static program p;
	cairn_error error = {0};
	for (uint64_t seed = 1; seed <= 200; ++seed) {
		bool warm = seed % 3 != 0;
		draw(&p, seed, seed % 2 == 0);
		void *bytes, *again;
		size_t size, again_size;
		cn_qp_owned o;
		REQUIRE(cn_qp_encode(&allocator, &p.qp, warm ? &p.x : NULL, &bytes, &size, &error));
		REQUIRE(cn_qp_decode(&allocator, bytes, size, &o, &error));
		CHECK_INT(o.qp.body_count, p.qp.body_count);
		CHECK_INT(o.qp.contact_count, p.qp.contact_count);
		CHECK_INT(o.qp.row_count, p.qp.row_count);
		CHECK(same(o.qp.bodies, p.bodies, p.qp.body_count, sizeof *p.bodies));
		CHECK(same(o.qp.u0, p.u0, p.qp.body_count, sizeof *p.u0));
		CHECK(same(o.qp.contacts, p.contacts, p.qp.contact_count, sizeof *p.contacts));
		CHECK(same(o.qp.rows, p.rows, p.qp.row_count, sizeof *p.rows));
		if (warm) {
			CHECK(same(o.warm.u, p.u, p.qp.body_count, sizeof *p.u));
			CHECK(same(o.warm.contact, p.contact, p.qp.contact_count, sizeof *p.contact));
			CHECK(same(o.warm.row, p.row, p.qp.row_count, sizeof *p.row));
		} else {
			for (uint32_t i = 0; i < p.qp.contact_count; ++i)
				CHECK(o.warm.contact[i].n == 0 && o.warm.contact[i].s == 0 && o.warm.contact[i].t == 0);
		}
		REQUIRE(cn_qp_encode(&allocator, &o.qp, warm ? &o.warm : NULL, &again, &again_size, &error));
		CHECK(again_size == size && memcmp(bytes, again, size) == 0);
		cn_free(&allocator, bytes, size, 1);
		cn_free(&allocator, again, again_size, 1);
		cn_qp_release(&allocator, &o);
		CHECK_INT(book.bytes, 0);
	}
}

TEST(nothing_at_all)
{
	cn_qp empty = {0};
	cairn_error error = {0};
	void *bytes;
	size_t size;
	cn_qp_owned o;
	REQUIRE(cn_qp_encode(&allocator, &empty, NULL, &bytes, &size, &error));
	CHECK_INT(size, 32);
	REQUIRE(cn_qp_decode(&allocator, bytes, size, &o, &error));
	CHECK_INT(o.qp.body_count, 0);
	cn_qp_release(&allocator, &o);
	cn_free(&allocator, bytes, size, 1);
	CHECK_INT(book.bytes, 0);
}

TEST(cuts_and_flips_are_noticed)
{
	static program p;
	cairn_error error = {0};
	void *whole;
	size_t size;
	cn_qp_owned o;
	draw_full(&p);
	REQUIRE(cn_qp_encode(&allocator, &p.qp, &p.x, &whole, &size, &error));
	for (size_t k = 0; k < size; ++k) {
		void *part = malloc(k ? k : 1); /* its own block, so that a read past its end is seen */
		REQUIRE(part != NULL);
		memcpy(part, whole, k);
		error = (cairn_error){0};
		CHECK(!cn_qp_decode(&allocator, part, k, &o, &error));
		CHECK(error.code == CAIRN_FILE && error.message[0] != 0 && o.memory == NULL);
		free(part);
	}
	unsigned char *bytes = whole;
	for (size_t k = 0; k < size; ++k)
		for (int bit = 0; bit < 8; bit += 1 + (k > 64)) {
			bytes[k] ^= (unsigned char)(1 << bit);
			error = (cairn_error){0};
			CHECK(!cn_qp_decode(&allocator, bytes, size, &o, &error));
			CHECK(error.code == CAIRN_FILE && o.memory == NULL);
			bytes[k] ^= (unsigned char)(1 << bit);
		}
	CHECK(cn_qp_decode(&allocator, bytes, size, &o, &error));
	cn_qp_release(&allocator, &o);
	cn_free(&allocator, whole, size, 1);
	CHECK_INT(book.bytes, 0);
}

/* Writes a u32 and mends the checksum. */
static void forge(unsigned char *bytes, size_t size, size_t at, uint32_t word)
{
	uint32_t crc;
	for (int i = 0; i < 4; ++i)
		bytes[at + (size_t)i] = (unsigned char)(word >> (8 * i));
	crc = cn_crc32(0, bytes, size - 4);
	for (int i = 0; i < 4; ++i)
		bytes[size - 4 + (size_t)i] = (unsigned char)(crc >> (8 * i));
}

TEST(absurd_counts_take_no_memory)
{
	static program p;
	cairn_error error = {0};
	void *whole;
	size_t size;
	cn_qp_owned o;
	draw_full(&p);
	REQUIRE(cn_qp_encode(&allocator, &p.qp, NULL, &whole, &size, &error));
	static const uint32_t absurd[] = {0xffffffffu, 0x7fffffffu, 0x80000000u, 1u << 24, 1000};
	for (size_t at = 12; at < 24; at += 4)
		for (size_t k = 0; k < sizeof absurd / sizeof *absurd; ++k) {
			unsigned char *bytes = malloc(size);
			REQUIRE(bytes != NULL);
			memcpy(bytes, whole, size);
			forge(bytes, size, at, absurd[k]);
			size_t calls = book.calls;
			error = (cairn_error){0};
			CHECK(!cn_qp_decode(&allocator, bytes, size, &o, &error));
			CHECK_HAS(error.message, "cut off");
			CHECK(book.calls == calls);
			free(bytes);
		}
	forge(whole, size, 8, 2);
	CHECK(!cn_qp_decode(&allocator, whole, size, &o, &error));
	CHECK_HAS(error.message, "version 2");
	forge(whole, size, 8, 1);
	forge(whole, size, 24, 2);
	CHECK(!cn_qp_decode(&allocator, whole, size, &o, &error));
	CHECK_HAS(error.message, "warm start 2");
	CHECK(!cn_qp_decode(&allocator, "CAIRNREC", 8, &o, &error));
	CHECK_HAS(error.message, "not a program");
	cn_free(&allocator, whole, size, 1);
	CHECK_INT(book.bytes, 0);
}

/* The program as it stands is refused when written; and when read, where the bytes of a good one were changed to it. */
static void refused(const program *p, const cn_qp_solution *warm, const char *word)
{
	cairn_error error = {0};
	void *bytes;
	size_t size;
	CHECK(!cn_qp_encode(&allocator, &p->qp, warm, &bytes, &size, &error));
	CHECK_INT(error.code, CAIRN_FILE);
	CHECK_HAS(error.message, word);
	CHECK(bytes == NULL && size == 0);
}

/* The place of a double in the bytes, found by its own value. */
static void refused_bytes(size_t at, double value, const char *word)
{
	static program p;
	cairn_error error = {0};
	void *bytes;
	size_t size;
	cn_qp_owned o;
	uint64_t bits;
	draw_full(&p);
	REQUIRE(cn_qp_encode(&allocator, &p.qp, &p.x, &bytes, &size, &error));
	memcpy(&bits, &value, sizeof bits);
	forge(bytes, size, at, (uint32_t)bits);
	forge(bytes, size, at + 4, (uint32_t)(bits >> 32));
	CHECK(!cn_qp_decode(&allocator, bytes, size, &o, &error));
	CHECK_HAS(error.message, word);
	CHECK(o.memory == NULL);
	cn_free(&allocator, bytes, size, 1);
	CHECK_INT(book.bytes, 0);
}

TEST(senseless_values_are_refused)
{
	static program good, p;
	draw_full(&good);
#define TRY(change, word)                                                                                              \
	do {                                                                                                               \
		draw_full(&p);                                                                                                 \
		change;                                                                                                        \
		refused(&p, &p.x, word);                                                                                       \
	} while (0)
	TRY(p.bodies[1].inv_mass = NAN, "body 1: a value that is not finite");
	TRY(p.bodies[1].inv_mass = -1, "body 1: a negative mass");
	TRY((p.bodies[0].inv_mass = 0, p.bodies[0].inv_inertia[3] = 1), "body 0: cannot move but can turn");
	TRY((p.bodies[0].inv_mass = 1, p.bodies[0].inv_inertia[0] = -1), "body 0: an inertia that is not positive");
	TRY((p.bodies[0].inv_mass = 1, p.bodies[0].inv_inertia[1] = 100 * p.bodies[0].inv_inertia[0] + 1),
	    "body 0: an inertia that is not positive");
	TRY(p.u0[1].w.y = INFINITY, "body 1: a value that is not finite");
	TRY(p.contacts[1].a = p.qp.body_count, "contact 1: a body that is not there");
	TRY(p.contacts[1].b = p.contacts[1].a, "contact 1: ");
	TRY((p.contacts[0].a = 1, p.contacts[0].b = 1), "contact 0: twice the same body");
	TRY((p.contacts[0].a = CN_QP_NONE, p.contacts[0].b = CN_QP_NONE), "contact 0: no body at all");
	TRY(p.contacts[1].n.x += 0.1, "contact 1: a normal that is not of length 1");
	TRY(p.contacts[1].n.x = NAN, "contact 1: a value that is not finite");
	TRY(p.contacts[1].rb.z = NAN, "contact 1: a value that is not finite");
	TRY(p.contacts[1].least = NAN, "contact 1: a value that is not finite");
	TRY(p.contacts[1].mu = -1e-300, "contact 1: a negative friction");
	TRY(p.contacts[1].mu = INFINITY, "contact 1: a value that is not finite");
	TRY(p.contacts[1].eps = 1.01, "contact 1: a restitution outside 0 to 1");
	TRY(p.contacts[1].eps = NAN, "contact 1: a restitution outside 0 to 1");
	TRY(p.rows[1].a = CN_QP_NONE, "row 1: its first body is missing");
	TRY(p.rows[1].b = p.rows[1].a, "row 1: twice the same body");
	TRY(p.rows[1].b = 77, "row 1: a body that is not there");
	TRY((p.rows[1].low = 2, p.rows[1].high = 1), "row 1: its lower bound");
	TRY(p.rows[1].low = NAN, "row 1: its lower bound");
	TRY((p.rows[1].low = INFINITY, p.rows[1].high = INFINITY), "row 1: a bound that nothing reaches");
	TRY(p.rows[1].jb.w.x = NAN, "row 1: a value that is not finite");
	TRY(p.u[0].v.x = NAN, "warm start, body 0");
	TRY(p.contact[1].t = NAN, "warm start, contact 1");
	TRY(p.row[1] = INFINITY, "warm start, row 1");
#undef TRY
	size_t contacts = 28 + 104 * (size_t)good.qp.body_count, rows = contacts + 104 * (size_t)good.qp.contact_count;
	size_t warm = rows + 120 * (size_t)good.qp.row_count;
	refused_bytes(28, -1, "body 0: a negative mass");
	refused_bytes(28 + 7 * 8, NAN, "body 0: a value that is not finite");
	refused_bytes(contacts + 8, 2, "contact 0: a normal");
	refused_bytes(contacts + 88, -2, "contact 0: a negative friction");
	refused_bytes(rows + 104, INFINITY, "row 0: ");
	refused_bytes(warm, NAN, "warm start, body 0");
	CHECK_INT(book.bytes, 0);
}

TEST(refused_memory_is_survived)
{
	static program p;
	draw_full(&p);
	cairn_error error = {0};
	void *bytes = NULL;
	size_t size = 0, tries = 0;
	cn_qp_owned o;
	bool done = false;
	for (; !done && tries < 100; ++tries) {
		ledger_allow(&book, tries);
		done = cn_qp_encode(&allocator, &p.qp, &p.x, &bytes, &size, &error);
		CHECK(done || (error.code == CAIRN_MEMORY && bytes == NULL && book.bytes == 0));
	}
	CHECK(done && tries > 2);
	ledger_allow(&book, 0);
	CHECK(!cn_qp_decode(&allocator, bytes, size, &o, &error));
	CHECK_INT(error.code, CAIRN_MEMORY);
	book.fail_at = 0;
	CHECK(cn_qp_decode(&allocator, bytes, size, &o, &error));
	cn_qp_release(&allocator, &o);
	cn_qp_release(&allocator, &o); /* twice is harmless */
	cn_free(&allocator, bytes, size, 1);
	CHECK_INT(book.bytes, 0);
}

/* The bytes themselves are the agreement between machines. */
TEST(same_bytes_everywhere)
{
	static program p;
	cairn_error error = {0};
	void *bytes;
	size_t size;
	draw_full(&p);
	REQUIRE(cn_qp_encode(&allocator, &p.qp, &p.x, &bytes, &size, &error));
	uint64_t hash = cn_hash_bytes(bytes, size);
	printf("hash of a stored program %016" PRIx64 "\n", hash);
	CHECK(hash == UINT64_C(0x54288ad1f89aec4a));
	cn_free(&allocator, bytes, size, 1);
}

TEST_MAIN(TEST_CASE(round_trip), TEST_CASE(nothing_at_all), TEST_CASE(cuts_and_flips_are_noticed),
          TEST_CASE(absurd_counts_take_no_memory), TEST_CASE(senseless_values_are_refused),
          TEST_CASE(refused_memory_is_survived), TEST_CASE(same_bytes_everywhere))
