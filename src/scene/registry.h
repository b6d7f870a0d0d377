/* The registry of methods, settings and options: one row each. From these rows come the fields that hold the values, the
 * names and checks of cairn_scene_set_option and of scene files, the order in a scene's bytes, what `--set` takes and says,
 * the help of the tool, the options of scenes/scene.schema.json and the table of docs/scene-format.md (tools/registry.c
 * writes these two; a test fails while they differ).
 *
 * To add an option, add a row to CN_OPTIONS at its end and read its value where it is used; then run `make registry`.
 * To add a method, write src/method/NAME.c with the function cn_method_NAME, add a row to CN_METHODS with what it can do,
 * and name it in the rows of the options that it takes. What a scene asks for beyond its row is refused. */
#ifndef CN_REGISTRY_H
#define CN_REGISTRY_H

#include "base/base.h"
#include "base/tolerance.h"

#define CN_SEED_MAX 9007199254740992ull /* 2^53 */

/* What a method can do; the rest is refused with the line that asks for it. */
typedef enum cn_ability {
	CN_CAN_CONTACT = 1 << 0,  /* bodies touch, and may not overlap at the start */
	CN_CAN_FRICTION = 1 << 1, /* Coulomb friction */
	CN_CAN_ROLLING = 1 << 2,  /* rolling resistance */
	CN_CAN_JOINTS = 1 << 3,
	CN_CAN_SCRIPTS = 1 << 4,
	CN_CAN_MESHES = 1 << 5,    /* fixed meshes */
	CN_CAN_GUARANTEE = 1 << 6, /* nothing overlaps; a frame that does is refused. Methods without it are measured */
	CN_CAN_TREES = 1 << 7,     /* of joints only those that form trees, and no motors */
	CN_CAN_MOVING = 1 << 8     /* meshes that may move */
} cn_ability;

/* clang-format off */

/* METHOD(name, abilities, substeps of a frame unless the scene says how many, description) */
#define CN_METHODS(METHOD)                                                                                             \
	METHOD(oba, CN_CAN_CONTACT | CN_CAN_FRICTION | CN_CAN_ROLLING | CN_CAN_JOINTS | CN_CAN_SCRIPTS | CN_CAN_MESHES |   \
	       CN_CAN_MOVING | CN_CAN_GUARANTEE, 1,                                                                        \
	       "optimisation-based animation: contact without interpenetration, certified")                                \
	METHOD(free, CN_CAN_SCRIPTS | CN_CAN_MESHES | CN_CAN_MOVING, 1,                                                    \
	       "motion without contact: bodies pass through each other")                                                   \
	METHOD(penalty, CN_CAN_CONTACT | CN_CAN_FRICTION | CN_CAN_SCRIPTS | CN_CAN_MESHES, 16,                             \
	       "springs and dampers where bodies overlap: they sink in and are pushed out, measured")                      \
	METHOD(kinematic, CN_CAN_CONTACT | CN_CAN_SCRIPTS | CN_CAN_MESHES, 16,                                             \
	       "velocities are mirrored where bodies overlap, without mass, turning and friction; measured")               \
	METHOD(impulse, CN_CAN_CONTACT | CN_CAN_FRICTION | CN_CAN_SCRIPTS | CN_CAN_MESHES, 16,                             \
	       "flights from impact to impact, each found to a hair; rest by micro-collisions; measured")                  \
	METHOD(propagation, CN_CAN_CONTACT | CN_CAN_FRICTION | CN_CAN_SCRIPTS | CN_CAN_MESHES, 16,                         \
	       "single impulses at contacts, one after another until none approaches; measured")                           \
	METHOD(simultaneous, CN_CAN_CONTACT | CN_CAN_SCRIPTS | CN_CAN_MESHES, 16,                                          \
	       "all impulses at once, by linear complementarity, without friction; measured")                                      \
	METHOD(analytic, CN_CAN_CONTACT | CN_CAN_SCRIPTS | CN_CAN_MESHES, 16,                                              \
	       "impulses where bodies meet, forces where they rest, without friction; measured")                           \
	METHOD(pgs, CN_CAN_CONTACT | CN_CAN_FRICTION | CN_CAN_JOINTS | CN_CAN_SCRIPTS | CN_CAN_MESHES, 1,                  \
	       "sequential impulses: one contact after the other, in ten sweeps a step, measured")                         \
	METHOD(soft, CN_CAN_CONTACT | CN_CAN_FRICTION | CN_CAN_JOINTS | CN_CAN_SCRIPTS | CN_CAN_MESHES, 1,                 \
	       "soft contacts in small inner steps, each with a sweep that relaxes them, measured")                        \
	METHOD(xpbd, CN_CAN_CONTACT | CN_CAN_FRICTION | CN_CAN_JOINTS | CN_CAN_SCRIPTS | CN_CAN_MESHES, 1,                 \
	       "positions moved apart in small inner steps, velocities from what they moved, measured")                    \
	METHOD(outward, CN_CAN_CONTACT | CN_CAN_FRICTION | CN_CAN_TREES | CN_CAN_SCRIPTS | CN_CAN_MESHES, 16,              \
	       "figures whose links follow the root by their distances and never pull it; impulses at contacts; measured")

/* SETTING(field of cairn_settings, kind, least, most, what to give, description) */
#define CN_SETTINGS(SETTING)                                                                                           \
	SETTING(gravity, VECTOR, 0, CN_SPEED_MAX, "three numbers such as 0,0,-9.81", "m/s^2")                             \
	SETTING(fps, NUMBER, 1e-3, 1e6, "a number such as 30", "frames a second")                                          \
	SETTING(frames, WHOLE32, 0, 100000000, "a whole number from 0 to 100000000", "how many frames a run takes")        \
	SETTING(seed, WHOLE64, 0, CN_SEED_MAX, "a whole number from 0 to 2^53", "the seed of every random choice")        \
	SETTING(method, METHOD, 0, 0, "the name of a method", "how bodies are moved")

/* CHOICE(field, key, words and the default first, methods that take it or "" for all, description, page of docs or "")
 * COUNT(field, key, default or CN_AUTO, least, most, methods, description, page)
 * REAL(field, key, default or NAN for auto, least, most, methods, description, page) */
#define CN_OPTIONS(CHOICE, COUNT, REAL)                                                                                      \
	CHOICE(sleep, "sleep", "on off", "",                                                                               \
	       "bodies that came to rest with all they touch cost nothing until something reaches them", "")               \
	CHOICE(freeze, "freeze", "off on", "oba",                                                                          \
	       "single bodies at rest on something fixed or frozen leave the programs until something moves them (OBA "    \
	       "6.7.2); only inside cold volumes, where there are any", "oba.md#freezing")                                 \
	CHOICE(certify, "certify", "auto keys off full measure", "",                                                       \
	       "the independent check of every frame: keys and the motion between them, keys alone, or none; measure: it " \
	       "refuses nothing and says how deep bodies overlap; auto: measure for methods without a guarantee, else full",\
	       "certificate.md")                                                                                           \
	CHOICE(momentum, "momentum", "coulomb thesis", "oba",                                                              \
	       "thesis: impulses of the text's own program, least kinetic energy over eight-sided cones (OBA 6.2.1); "     \
	       "slow, and refused with joints", "oba.md#the-texts-own-programs")                                           \
	CHOICE(forces, "forces", "impulse qp", "oba",                                                                      \
	       "qp: what holds bodies at rest by the text's program of accelerations (OBA 6.3.1); slow, and refused with " \
	       "joints", "oba.md#the-texts-own-programs")                                                                  \
	CHOICE(objective, "objective", "mass diameter", "oba free",                                                        \
	       "what the position program weighs displacements by (OBA eq. 6.7 and 6.8)", "")                              \
	CHOICE(precise, "precise", "off on", "oba free",                                                                   \
	       "groups of up to 64 bodies are solved to the last digits in every program: a heap without friction stays "  \
	       "symmetric to 1e-7 of its size where it is 1e-3 otherwise, at many times the cost", "")                     \
	COUNT(queue, "queue", CN_AUTO, 0, 1000000, "oba free",                                                             \
	      "the most bounces of a group that are worked out one by one before the rest is solved together; 0: none "    \
	      "(OBA 6.2.2)", "")                                                                                           \
	COUNT(freeze_frames, "freeze-frames", CN_FREEZE_FRAMES, 0, 250, "oba",                                             \
	      "with freeze: for more frames than this a body must have been slow enough; the text's c_f", "")              \
	COUNT(forces_rounds, "forces-rounds", CN_FORCES_ROUNDS, 0, 1000, "oba",                                            \
	      "with forces = qp: how often cones are moved at most", "")                                                   \
	CHOICE(distance_bounce, "distance-bounce", "off on", "oba",                                                        \
	       "what would meet within the next frame bounces now (OBA 6.7.1)", "")                                        \
	COUNT(hybrid, "hybrid", 0, 0, 1000, "oba free",                                                                    \
	      "the most bounces of a pair inside a frame, c_max; pairs that move further than a tenth of their thickness " \
	      "in it bounce at the time they meet, not at its end (OBA 6.6)", "oba.md#impacts-inside-the-frame")           \
	COUNT(steps, "steps", CN_AUTO, 1, CN_STEPS_MAX, "oba free",                                                       \
	      "how many steps a frame takes: auto takes several where contacts change within it and one "                 \
	      "elsewhere; a number gives that many to all bodies", "oba.md#substeps")                                      \
	COUNT(substeps, "substeps", CN_AUTO, 1, CN_SUBSTEPS_MAX,                                                           \
	      "penalty kinematic impulse propagation simultaneous analytic pgs soft xpbd outward",                                          \
	      "equal steps that a frame is cut into; auto: what the method usually takes", "methods.md#substeps")          \
	REAL(stiffness, "stiffness", NAN, 1e-3, 1e15, "penalty",                                                           \
	     "N/m, of the spring at a contact point; auto: as stiff as the substeps can follow",                           \
	     "methods.md#penalty")                                                                                         \
	REAL(damping, "damping", NAN, 0, 1e15, "penalty",                                                                  \
	     "N s/m, of the damper beside that spring; auto: what gives the restitution of the two materials",             \
	     "methods.md#penalty")                                                                                         \
	COUNT(iterations, "iterations", CN_ITERATIONS, 1, 10000, "pgs", "sweeps over all contacts and joints in a step",   \
	      "methods.md#pgs")                                                                                            \
	CHOICE(correction, "correction", "split baumgarte", "pgs",                                                         \
	       "how overlap is taken away: by speeds that are forgotten, or by speeds that stay", "methods.md#pgs")        \
	COUNT(inner, "inner", CN_AUTO, 1, 256, "soft xpbd",                                                                \
	      "inner steps that a step is taken in, with contacts found once for all of them; auto: 8",            \
	      "methods.md#soft")                                                                                           \
	REAL(slop, "slop", CN_SLOP, 0, 1, "pgs soft",                                                                      \
	     "overlap that is left alone, as a share of the thinner part's thickness", "methods.md#pgs")                   \
	REAL(compliance, "compliance", 0, 0, 1, "xpbd", "m/N: how far a contact gives for each newton",                    \
	     "methods.md#xpbd")                                                                                            \
	CHOICE(vanishing, "vanishing", "lcp guess", "analytic",                                                            \
	       "which resting contacts bear no force: exactly, by linear complementarity, or by the text's guess, its "    \
	       "linear program and its fall-back, each counted", "methods.md#analytic")                                    \
	CHOICE(impacts, "impacts", "simultaneous propagation", "analytic",                                                 \
	       "how bodies that meet part: by all impulses at once, or by one after another as in the text",               \
	       "methods.md#analytic")

/* clang-format on */

#define CN_AUTO UINT32_MAX
enum { CN_FREEZE_FRAMES = 3, CN_FORCES_ROUNDS = 3, CN_STEPS_MAX = 64, CN_SUBSTEPS_MAX = 4096, CN_ITERATIONS = 10 };
#define CN_SLOP 0.005 /* of the thinner part's thickness */

/* The values: of a choice the number of the word, 0 the default; of a count the number + 1, and 0 for the default; of a
 * real number whether it is set. So all zero is all default. */
typedef struct cn_real {
	double value;
	bool set;
} cn_real;
#define CN_CHOICE_FIELD(field, key, words, methods, help, page) uint8_t field;
#define CN_COUNT_FIELD(field, key, fallback, least, most, methods, help, page) uint32_t field;
#define CN_REAL_FIELD(field, key, fallback, least, most, methods, help, page) cn_real field;
typedef struct cn_options {
	CN_OPTIONS(CN_CHOICE_FIELD, CN_COUNT_FIELD, CN_REAL_FIELD)
} cn_options;

static inline uint32_t cn_option_count(uint32_t stored, uint32_t fallback) { return stored ? stored - 1 : fallback; }
static inline double cn_option_real(cn_real stored, double fallback) { return stored.set ? stored.value : fallback; }

typedef enum cn_option_kind {
	CN_OPTION_VECTOR, /* settings: fields of cairn_settings */
	CN_OPTION_NUMBER,
	CN_OPTION_WHOLE32,
	CN_OPTION_WHOLE64,
	CN_OPTION_METHOD,
	CN_OPTION_CHOICE, /* options: fields of cn_options */
	CN_OPTION_COUNT,
	CN_OPTION_REAL
} cn_option_kind;

enum { CN_OPTION_WORDS = 5, CN_OPTION_WORD = 16 }; /* of a choice, at most; bytes of one */

/* A row as a table has it. */
typedef struct cn_option_row {
	cairn_option_info info;
	cn_option_kind kind;
	size_t offset;      /* of the field */
	const char *words;  /* of a choice, a space between them */
	double least, most; /* of a number */
	uint32_t fallback;  /* of a count: the default, or CN_AUTO */
	double usual;       /* of a real number: the default, or NAN for auto */
	const char *wanted; /* of a setting: what to give */
	const char *page;   /* of docs, where there is more; "" */
} cn_option_row;

uint32_t cn_option_number(const char *key);             /* in cairn_option_names; their count where there is none */
const cn_option_row *cn_option_row_at(uint32_t number); /* NULL past the end */
/* The words of a choice, each terminated. Returns how many. */
uint32_t cn_option_words(const cn_option_row *row, char words[CN_OPTION_WORDS][CN_OPTION_WORD]);
bool cn_option_fits(const char *key, const char *method); /* the method takes values of it beside the default */

/* A method as its row has it. */
typedef struct cn_method_row {
	cairn_method_info info;
	uint32_t abilities; /* cn_ability */
	uint32_t substeps;  /* usual */
} cn_method_row;

const cn_method_row *cn_registry_method(const char *name); /* NULL: there is none */

#endif
