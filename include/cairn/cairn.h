/* cairn: physically based animation without interpenetration.
 *
 * The whole public interface, in the order of the data flow:
 *
 *   values -> errors, memory -> scene -> world -> space, watch, recording -> exporters
 *
 * A scene describes, a world moves, a space answers, a recording remembers, an exporter tells.
 * Each is built from the one before it and never looks back.
 *
 * Units are SI (metres, kilograms, seconds, radians), right-handed, +Z up. Quaternions are (w, x, y, z).
 * No globals: different scenes, worlds and recordings may be used from different threads at once; one object
 * is used by one thread at a time. The library never prints and never exits. Misuse by the programmer (a NULL
 * where none is allowed, a null or stale handle where the call does not say what it does with one) asserts in debug
 * builds; bad input comes back as a cairn_error.
 *
 * Every xxx_def is filled by cairn_default_xxx_def() first and then changed; strings and arrays in a def are
 * copied by the call that takes it. */
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 1
#define CAIRN_VERSION_PATCH 0

#if defined(_WIN32)
#define CAIRN_API
#else
#define CAIRN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Values ------------------------------------------------------------------------------------------- */

typedef struct cairn_vec3 {
	double x, y, z;
} cairn_vec3;

typedef struct cairn_quat {
	double w, x, y, z;
} cairn_quat;

typedef struct cairn_pose {
	cairn_vec3 position;
	cairn_quat orientation;
} cairn_pose;

/* Linear RGB, each 0 to 1. */
typedef struct cairn_color {
	double r, g, b;
} cairn_color;

/* An axis-aligned box. */
typedef struct cairn_box {
	cairn_vec3 min, max;
} cairn_box;

/* Handles are values. Generation 0 is the null handle; a zeroed handle is null. A handle that a scene gave out
 * stays valid in every world made from that scene. */
typedef struct cairn_body {
	uint32_t index, generation;
} cairn_body;

typedef struct cairn_shape {
	uint32_t index, generation;
} cairn_shape;

typedef struct cairn_joint {
	uint32_t index, generation;
} cairn_joint;

typedef struct cairn_material {
	uint32_t index, generation;
} cairn_material;

/* ---- Errors and memory -------------------------------------------------------------------------------- */

/* The codes are those of the command-line tool's exit status; there CAIRN_MEMORY ends with 1. */
typedef enum cairn_code {
	CAIRN_OK = 0,
	CAIRN_FAILED = 1,  /* the simulation failed */
	CAIRN_USAGE = 2,   /* unknown option, method or value */
	CAIRN_INVALID = 3, /* the scene is wrong, or asks for what its method cannot do */
	CAIRN_FILE = 4,    /* cannot read or write, damaged recording */
	CAIRN_MISSING = 5, /* something needed is not on this machine */
	CAIRN_MEMORY = 6   /* the allocator returned NULL */
} cairn_code;

typedef struct cairn_error {
	cairn_code code;
	int line, column;  /* from 1; 0: does not apply */
	char file[256];    /* "" where there is none */
	char path[160];    /* JSON path ("bodies[3].mass"), or the field of a def ("mass"); "" where there is none */
	char message[480]; /* one sentence or two: what was found, what would be right; no trailing full stop */
} cairn_error;

/* All that is wrong with a scene, as far as it was found: by file, then line. */
enum { CAIRN_MAX_ERRORS = 20 };
typedef struct cairn_errors {
	uint32_t count;
	cairn_error items[CAIRN_MAX_ERRORS];
} cairn_errors;

/* Writes "file:line:column: path: message" with the parts that apply into text, always terminated. */
CAIRN_API void cairn_error_print(const cairn_error *error, char *text, size_t size);

/* One function that allocates (block NULL), resizes and frees (new_size 0, returns NULL). Blocks are aligned for
 * any type. May be called from one thread at a time per object. */
typedef struct cairn_allocator {
	void *context;
	void *(*resize)(void *context, void *block, size_t old_size, size_t new_size);
} cairn_allocator;

CAIRN_API cairn_allocator cairn_default_allocator(void); /* realloc and free */

/* "0.1.0" */
CAIRN_API const char *cairn_version(void);

/* ---- Scene: what there is at the start ---------------------------------------------------------------- */

typedef struct cairn_scene cairn_scene;

/* Reads a file for scenes, includes and meshes. On success fills data (taken from the allocator, size bytes) and
 * returns true; else fills the error's code and message and returns false. */
typedef struct cairn_files {
	void *context;
	bool (*read)(void *context, const char *path, const cairn_allocator *allocator, void **data, size_t *size,
	             cairn_error *error);
	/* Writes where path leads once links are followed, absolute and terminated; false: it leads nowhere, or there is no
	 * room. NULL: paths lead where their text says. */
	bool (*resolve)(void *context, const char *path, char *resolved, size_t size);
} cairn_files;

CAIRN_API cairn_files cairn_default_files(void); /* of the system: regular files alone, up to 1 GiB each */

typedef struct cairn_scene_def {
	cairn_allocator allocator;
	const char *const *set; /* reading: "key=value" as for cairn_scene_set_option, over what the file says and before
	                           generators draw from the seed, or with the path of a value in the file for a key,
	                           "bodies.crate.mass=5"; ends with NULL. NULL: nothing */
	bool
		trust; /* reading: includes and meshes may lie anywhere. Without it they must lie in the folder of the file that
	               is read, or below it, links followed */
	cairn_errors *errors; /* reading: all errors, at most 20, and not the first alone; NULL: not wanted */
} cairn_scene_def;

CAIRN_API cairn_scene_def cairn_default_scene_def(void);

/* def may be NULL. NULL is returned only when memory ran out. */
CAIRN_API cairn_scene *cairn_scene_create(const cairn_scene_def *def);
CAIRN_API cairn_scene *cairn_scene_copy(const cairn_scene *scene);
CAIRN_API void cairn_scene_destroy(cairn_scene *scene); /* NULL is fine */

/* A scene file (docs/scene-format.md). NULL on failure; error says where and why. */
CAIRN_API cairn_scene *cairn_scene_read(const char *path, cairn_error *error);

/* The same through files (may be NULL: the default), with what def says (may be NULL). */
CAIRN_API cairn_scene *cairn_scene_read_file(const char *path, const cairn_files *files, const cairn_scene_def *def,
                                             cairn_error *error);

/* The same from text in memory. name stands for the file's path in messages and for the folder that includes and
 * meshes are relative to; files (may be NULL: the default) reads them. def may be NULL. */
CAIRN_API cairn_scene *cairn_scene_read_text(const char *text, size_t size, const char *name, const cairn_files *files,
                                             const cairn_scene_def *def, cairn_error *error);

typedef struct cairn_settings {
	const char *name;        /* the scene's name: its file's stem when read; "" */
	const char *description; /* one line */
	cairn_vec3 gravity;      /* m/s^2; (0, 0, -9.81) */
	double fps;              /* frames a second; 30 */
	uint32_t frames;         /* how many frames a run takes; 300 */
	uint64_t seed;           /* of every random choice; 1 */
	const char *method;      /* "oba" */
} cairn_settings;

CAIRN_API cairn_settings cairn_default_settings(void);
CAIRN_API bool cairn_scene_set_settings(cairn_scene *scene, const cairn_settings *settings, cairn_error *error);
CAIRN_API cairn_settings cairn_scene_settings(const cairn_scene *scene); /* strings live as long as the scene */

/* One setting or option by name, as in "--set key=value": cairn_option_at lists them. CAIRN_USAGE when unknown. */
CAIRN_API bool cairn_scene_set_option(cairn_scene *scene, const char *key, const char *value, cairn_error *error);

/* Writes the value in force as text, always terminated; false for an unknown key. */
CAIRN_API bool cairn_scene_option(const cairn_scene *scene, const char *key, char *text, size_t size);

/* The names of all settings and options that cairn_scene_set_option knows, a NULL-terminated array. */
CAIRN_API const char *const *cairn_option_names(void);
/* Whether it is a setting of the world (gravity, fps, frames, seed, method) and not an option of the method. */
CAIRN_API bool cairn_option_is_setting(const char *key);

typedef struct cairn_option_info {
	const char *name;        /* "sleep" */
	const char *description; /* one line */
	const char *methods;     /* those that take it, a space between; "": all do */
	bool setting;            /* of the world, and not an option of the method */
} cairn_option_info;

/* The settings, then the options, in the order of the names. NULL past the end. */
CAIRN_API const cairn_option_info *cairn_option_at(uint32_t index);
/* Writes what values it takes ("one of on, off"), always terminated; false for an unknown key. */
CAIRN_API bool cairn_option_values(const char *key, char *text, size_t size);

typedef struct cairn_method_info {
	const char *name;        /* "oba" */
	const char *description; /* one line */
	bool guarantee;          /* nothing overlaps in its frames; else they are measured (docs/methods.md) */
} cairn_method_info;

/* The methods of this library, in the order of the docs. NULL past the end. */
CAIRN_API const cairn_method_info *cairn_method_at(uint32_t index);

/* Materials. For a pair: friction sqrt(a b), restitution and rolling the larger, unless overridden. */
typedef struct cairn_material_def {
	const char *name;
	double density;                /* kg/m^3; 1000 */
	double restitution;            /* 0 to 1; 0 */
	double static_friction;        /* coefficient while the contact sticks; 0.5 */
	double kinetic_friction;       /* once it slides, at most the static one; 0.5 */
	double rolling;                /* rolling resistance as a length, m; 0 */
	bool has_color, has_roughness; /* how bodies of it look that do not say it themselves */
	cairn_color color;
	double roughness; /* 0: polished, to 1: matt */
} cairn_material_def;

CAIRN_API cairn_material_def cairn_default_material_def(void);
CAIRN_API bool cairn_material_preset(const char *name, cairn_material_def *def); /* wood, rubber, steel, ice */
CAIRN_API const char *const *cairn_material_preset_names(void);                  /* NULL-terminated */
CAIRN_API cairn_material cairn_scene_add_material(cairn_scene *scene, const cairn_material_def *def,
                                                  cairn_error *error);

typedef struct cairn_pair_def {
	cairn_material a, b;
	double restitution, static_friction, kinetic_friction, rolling;
} cairn_pair_def;

/* What holds for contacts between two materials, by the rule above. */
CAIRN_API cairn_pair_def cairn_scene_pair(const cairn_scene *scene, cairn_material a, cairn_material b);
CAIRN_API bool cairn_scene_set_pair(cairn_scene *scene, const cairn_pair_def *def, cairn_error *error);

typedef enum cairn_shape_kind {
	CAIRN_SPHERE,     /* radius */
	CAIRN_BOX,        /* size: full edge lengths */
	CAIRN_CAPSULE,    /* radius, length without the caps; axis z */
	CAIRN_CYLINDER,   /* radius, length; axis z */
	CAIRN_HULL,       /* convex hull of points */
	CAIRN_HALFSPACE,  /* { x : normal.x <= offset }: the solid side is below; for fixed and scripted bodies */
	CAIRN_COMPOUND,   /* parts */
	CAIRN_MESH,       /* points and triangles (counter-clockwise from outside), solid or a thin shell */
	CAIRN_HEIGHTFIELD /* size.x and size.y, heights over a grid: becomes a mesh, a shell, as it is added; for fixed
	                     bodies */
} cairn_shape_kind;

/* How a kind of shapes looks. */
typedef enum cairn_look {
	CAIRN_LOOK_FLAT,  /* flat faces, sharp edges */
	CAIRN_LOOK_ROUND, /* curved, with or without edges */
	CAIRN_LOOK_MIXED, /* either: parts, meshes */
	CAIRN_LOOK_PLANE  /* infinite */
} cairn_look;

typedef struct cairn_shape_kind_info {
	const char *name;  /* in scene files: "halfspace" */
	const char *title; /* for people: "half-space" */
	cairn_look look;
} cairn_shape_kind_info;

/* NULL past the last kind. */
CAIRN_API const cairn_shape_kind_info *cairn_shape_kind_at(uint32_t kind);

typedef struct cairn_part {
	cairn_shape shape; /* any kind but half-space and compound */
	cairn_pose pose;   /* of the part's frame in the compound's */
} cairn_part;

typedef struct cairn_shape_def {
	cairn_shape_kind kind;
	const char *name; /* "" where there is none */
	double radius, length;
	cairn_vec3 size;
	cairn_vec3 normal;
	double offset;
	const cairn_vec3 *points;
	uint32_t point_count;
	const uint32_t *triangles; /* 3 indices each */
	uint32_t triangle_count;
	bool shell; /* mesh: a thin shell (mass per area: density is kg/m^2; see thickness) instead of a solid */
	/* Mesh: to be seen only, as the visual of bodies. Any triangles will do; it has no mass and touches nothing. It may have a
	 * colour for each point, and two texture coordinates, from the lower left corner; NULL: none. */
	bool visual;
	const cairn_color *colors;
	const float *uvs;
	const cairn_part *parts;
	uint32_t part_count;
	/* Height field: rows x columns heights above the frame's xy-plane, row after row; columns run along x, rows along y,
	 * both from the least to the greatest, about the frame's origin. At least 2 of each. The mesh that it becomes keeps
	 * the two counts; they are 0 for any other. */
	const double *heights;
	uint32_t columns, rows;
	/* Of a shell, m, each up to a tenth of the mesh's radius. thickness: the surface is everything within half of it, and the
	 * density is kg/m^3 of that skin; 0: a surface without thickness. gap: what its bodies keep to what they touch, unless that
	 * keeps less; 0: a 2000th of the body's radius. */
	double thickness, gap;
} cairn_shape_def;

CAIRN_API cairn_shape_def cairn_default_shape_def(cairn_shape_kind kind);
CAIRN_API cairn_shape cairn_scene_add_shape(cairn_scene *scene, const cairn_shape_def *def, cairn_error *error);

/* A closed mesh as a union of convex hulls: for bodies that move, much faster than the mesh itself. */
typedef struct cairn_decompose_def {
	double concavity;  /* how far a part may reach from the solid, as a share of the diagonal of the mesh's box; 0.02 */
	uint32_t parts;    /* the most; 32 */
	uint32_t vertices; /* of a part, the most; 64 */
} cairn_decompose_def;

CAIRN_API cairn_decompose_def cairn_default_decompose_def(void);
/* Adds a compound of hulls that has the mesh's name, and the mesh as a visual, which bodies of the compound show unless they have
 * another one. def may be NULL. cairn_scene_standoff says how near the parts are. */
CAIRN_API cairn_shape cairn_scene_decompose(cairn_scene *scene, const cairn_shape_def *mesh,
                                            const cairn_decompose_def *def, cairn_error *error);

typedef enum cairn_body_type { CAIRN_DYNAMIC, CAIRN_FIXED, CAIRN_SCRIPTED } cairn_body_type;

/* A scripted body passes through its keys: straight lines and shortest turns between them, held before the first
 * and after the last. Times rise strictly. */
typedef struct cairn_script_key {
	double time;
	cairn_pose pose; /* of the shape's own frame */
} cairn_script_key;

typedef struct cairn_body_def {
	const char *name; /* "" where there is none */
	cairn_body_type type;
	cairn_shape shape;
	cairn_material material; /* null: cairn_default_material_def() */
	cairn_pose pose;         /* of the shape's own frame */
	cairn_vec3 velocity;     /* of the centre of mass */
	cairn_vec3 spin;         /* rad/s, world axes */
	double mass;             /* 0: from the density */
	double density;          /* 0: the material's */
	bool has_inertia;        /* with mass: center and inertia are given, not computed */
	cairn_vec3 center;       /* centre of mass in the shape's frame */
	double inertia[9];       /* about the centre, shape axes, row by row, symmetric */
	double linear_damping;   /* 1/s: velocity decays as exp(-t d) */
	double angular_damping;  /* 1/s */
	uint32_t group, mask;    /* bits; two bodies collide when each one's group meets the other's mask; 1, all */
	bool has_color;
	cairn_color color;
	const cairn_script_key *keys; /* scripted only */
	uint32_t key_count;
	bool has_roughness;
	double roughness;       /* 0: polished, to 1: matt */
	cairn_shape visual;     /* what is shown in place of the shape; null: the shape. Not a half-space */
	cairn_pose visual_pose; /* of the visual's frame in the shape's */
} cairn_body_def;

CAIRN_API cairn_body_def cairn_default_body_def(void);
CAIRN_API cairn_body cairn_scene_add_body(cairn_scene *scene, const cairn_body_def *def, cairn_error *error);

/* What holds two bodies, or one and the world. Bodies that a joint holds do not collide with each other unless it says
 * so. Angles and offsets are measured from how the bodies stand at the start. */
typedef enum cairn_joint_type {
	CAIRN_BALL,     /* the two turn freely about point */
	CAIRN_HINGE,    /* b turns about axis through point as seen from a */
	CAIRN_SLIDER,   /* b slides along axis as seen from a and does not turn */
	CAIRN_WELD,     /* neither ("fixed" in scene files) */
	CAIRN_DISTANCE, /* point of a and point_b of b keep their distance, or stay within limits: a rod, a rope */
	CAIRN_PASS,     /* nothing: it only keeps the two from colliding; two bodies, no limits, no motor, never broken */
	CAIRN_PULLEY,   /* a rope from point of a over `over`, then over `over_b` to point_b of b: the length of the first
	                   part plus ratio times that of the second stays the same, or within limits */
	CAIRN_GEAR,     /* two hinges or sliders move together: value of joint = ratio times value of joint_b */
	CAIRN_SIX_DOF   /* each of six axes by itself is locked, limited or free ("6dof" in scene files) */
} cairn_joint_type;

/* What a CAIRN_SIX_DOF joint does with one of its axes. */
typedef enum cairn_axis_kind { CAIRN_AXIS_LOCKED, CAIRN_AXIS_LIMITED, CAIRN_AXIS_FREE } cairn_axis_kind;

typedef struct cairn_axis {
	cairn_axis_kind kind;
	double low, high; /* of a limited one: m or rad from the start; low <= 0 <= high */
} cairn_axis;

typedef enum cairn_motor_kind {
	CAIRN_NO_MOTOR,
	CAIRN_MOTOR_SPEED, /* holds the speed with what force or torque it takes, up to most */
	CAIRN_MOTOR_FORCE, /* pushes with most, whatever the speed */
	CAIRN_MOTOR_SERVO, /* pushes with stiffness (target - value) + damping (speed - rate), up to most */
	CAIRN_MOTOR_KEYS   /* a servo whose target goes through keys; its speed is theirs */
} cairn_motor_kind;

/* Where a servo's target is at a time: straight lines between keys, held before the first and after the last; a ball's
 * turns at a constant rate about one axis from key to key, by half a turn at most. Times rise strictly. */
typedef struct cairn_target_key {
	double time;     /* s */
	double value;    /* rad or m; not of a ball */
	cairn_vec3 turn; /* of a ball: as turn of the joint */
} cairn_target_key;

typedef struct cairn_joint_def {
	const char *name;
	cairn_joint_type type;
	cairn_body a, b; /* null: the world */
	cairn_vec3
		point; /* where they are held together, world coordinates at the start; distance, pulley: where a is held */
	cairn_vec3 point_b; /* distance, pulley: where b is held */
	cairn_vec3 axis;    /* hinge, slider, ball with limits: unit, world axes at the start; (0, 0, 1) */
	/* Hinge (rad), slider (m), distance and pulley (m, the length itself; without: that of the start). Ball: a cone; low is
	 * 0 and high is how far, in rad, b's axis may lean away from a's, up to 3.1. */
	bool has_limits;
	double low, high;       /* low <= high; a hinge's within -1e6 and 1e6: whole turns count */
	cairn_motor_kind motor; /* hinge, slider, distance: a servo of that is a spring between two points, of any length
	                                 if it has no limits of its own */
	double speed;           /* rad/s or m/s, of b against a, about or along axis; distance: away from each other */
	double most;            /* N m or N: the most it pushes with; a force motor's sign is its direction */
	double target;          /* of a servo: rad or m, where the joint is to be */
	double stiffness;       /* of a servo: N m a radian or N a metre, 0 to 1e12 */
	double damping;         /* of a servo: N m s a radian or N s a metre, 0 to 1e12 */
	double break_force;     /* N: the mean of a frame above which it breaks; infinite: never */
	double break_torque;    /* N m, the same */
	bool collide;           /* its two bodies collide with each other all the same */
	const cairn_target_key *keys; /* of CAIRN_MOTOR_KEYS alone */
	uint32_t key_count;
	cairn_vec3 over, over_b; /* pulley: where the rope leaves the two wheels, world */
	/* Gear: two joints that were added before; a and b are found from these and need not be given. Beside the world and
	 * fixed bodies the two joints hold exactly two bodies. */
	cairn_joint joint, joint_b;
	double ratio; /* gear, pulley: not 0, of a pulley above 0; 1 */
	/* Six axes: first along x, y, z of frame, as a carries it, then about them. Angles are those of three turns of b one
	 * after the other, about x, y and z. Where two or three are not locked, that about y is locked or limited within -1.4
	 * and 1.4, or all three are free. One that is a ball, a hinge, a slider or a fixed joint becomes that. */
	cairn_quat frame; /* orientation of the axes, world, at the start; (1, 0, 0, 0) */
	cairn_axis axes[6];
	/* Ball with a servo: how b is to be turned against a from the start, a rotation vector (rad, up to pi; world axes at the
	 * start). It pushes with stiffness times the turn that is left, less damping times the relative spin, up to most. */
	cairn_vec3 turn;
} cairn_joint_def;

CAIRN_API cairn_joint_def cairn_default_joint_def(void);
CAIRN_API cairn_joint cairn_scene_add_joint(cairn_scene *scene, const cairn_joint_def *def, cairn_error *error);

/* A happening at a frame: it acts on the poses of that frame, before the step to the next. */
typedef enum cairn_event_kind {
	CAIRN_IMPULSE, /* body, impulse (kg m/s), at point if has_point, else at the centre of mass */
	CAIRN_BLAST,   /* point, speed: every dynamic body's velocity changes by speed / max(1, r^2) away from the point */
	CAIRN_DRIVE    /* joint, motor and what belongs to it: from this frame on it has this motor */
} cairn_event_kind;

typedef struct cairn_event_def {
	cairn_event_kind kind;
	uint32_t frame;
	cairn_body body;
	cairn_vec3 impulse;
	bool has_point;
	cairn_vec3 point; /* world */
	double speed;
	cairn_joint joint;
	cairn_motor_kind motor;                  /* as of a cairn_joint_def, with speed */
	double most, target, stiffness, damping; /* the same */
	cairn_vec3 turn;                         /* the same */
} cairn_event_def;

CAIRN_API cairn_event_def cairn_default_event_def(cairn_event_kind kind);
CAIRN_API bool cairn_scene_add_event(cairn_scene *scene, const cairn_event_def *def, cairn_error *error);

/* Force fields act on dynamic bodies whose centre of mass is inside the box (everywhere if has_box is false) half
 * a frame ahead at its present velocity. */
typedef enum cairn_field_kind {
	CAIRN_GRAVITY,   /* acceleration: added to the world's gravity */
	CAIRN_ATTRACTOR, /* acceleration strength r / (r^2 + softening^2)^(3/2) toward point; strength in m^3/s^2 */
	CAIRN_WIND,      /* force 1/2 rho c A |u| u, u = velocity - v, A = (ab + bc + ca)/2 of the body's own box */
	CAIRN_DRAG       /* force -linear v, torque -angular w (kg/s, kg m^2/s) */
} cairn_field_kind;

typedef struct cairn_field_def {
	cairn_field_kind kind;
	bool has_box;
	cairn_box box;
	cairn_vec3 acceleration;
	cairn_vec3 point;
	double strength, softening;
	cairn_vec3 velocity;
	double air_density; /* rho: 1.2 kg/m^3 */
	double coefficient; /* c: 1 */
	double linear, angular;
} cairn_field_def;

CAIRN_API cairn_field_def cairn_default_field_def(cairn_field_kind kind);
CAIRN_API bool cairn_scene_add_field(cairn_scene *scene, const cairn_field_def *def, cairn_error *error);

/* What a scene asks of poses, as an energy that is 0 where it is met (PBA 7.6.1). Points and normals are of the bodies'
 * own frames. cairn_scene_assemble finds poses that meet them. In a run a goal with a stiffness is a virtual spring: its
 * energy is stiffness x weight / 2 times the sum of squares that are to be 0; without one it does nothing. */
typedef enum cairn_goal_kind {
	CAIRN_GOAL_FIXED_POINT,      /* point of a is at target, a place of the world */
	CAIRN_GOAL_POINT_TO_POINT,   /* point of a is at point_b of b */
	CAIRN_GOAL_ABUTTING,         /* and their normals are opposite */
	CAIRN_GOAL_FLOATING,         /* point of a is somewhere on the surface of b */
	CAIRN_GOAL_FLOATING_ABUTTING /* and its normal is opposite to that of the surface there */
} cairn_goal_kind;

typedef struct cairn_goal_def {
	cairn_goal_kind kind;
	cairn_body a, b; /* b of all kinds but the first */
	cairn_vec3 point, point_b;
	cairn_vec3 normal, normal_b; /* abutting ones; (0, 0, 0): that of the body's surface nearest to the point */
	cairn_vec3 target;           /* of a fixed point: world coordinates */
	double weight;               /* of its energy, above 0: 1. An angle of 1 rad counts as 1 m */
	double gap;                  /* m, abutting and floating ones: left between point and surface, 0 */
	double stiffness;            /* in a run: N/m, and N m/rad of normals, 0 to 1e12; 0: none */
	double damping;              /* in a run: N s/m, and N m s/rad of normals, 0 to 1e12 */
} cairn_goal_def;

CAIRN_API cairn_goal_def cairn_default_goal_def(cairn_goal_kind kind);
CAIRN_API bool cairn_scene_add_goal(cairn_scene *scene, const cairn_goal_def *def, cairn_error *error);
CAIRN_API uint32_t cairn_scene_goal_count(const cairn_scene *scene);
CAIRN_API cairn_goal_def cairn_scene_goal_at(const cairn_scene *scene, uint32_t index);

/* How a search for poses ended. */
typedef enum cairn_assembly_end {
	CAIRN_ASSEMBLED,       /* every goal is met to 1e-9 (m, rad) */
	CAIRN_ASSEMBLY_VALLEY, /* a local minimum of the energy: some goals contradict each other, or the start led there */
	CAIRN_ASSEMBLY_STOPPED /* the energy still falls, but the steps are used up */
} cairn_assembly_end;

typedef struct cairn_assembly {
	cairn_assembly_end end;
	uint32_t steps; /* taken, of the gradient and of Gauss-Newton */
	uint32_t kicks; /* how often it was pushed out of a place that was no minimum or a bad one */
	double energy;  /* m^2: the sum of all weighted energies; begun: that of the start */
	double begun;
	double slope;         /* the largest derivative of the energy by a coordinate, at the end */
	uint32_t coordinates; /* that were free */
} cairn_assembly;

/* How far a goal is from being met. */
typedef struct cairn_goal_miss {
	double distance; /* m */
	double angle;    /* rad, of abutting ones */
} cairn_goal_miss;

/* Poses of all bodies (of their shapes' own frames) at a minimum of the goals' energy, found from the scene's start.
 * Dynamic bodies move, and keep to their joints, which must form trees; others stay. misses has one for each goal. The
 * scene is not changed. False: bad input or no memory; a minimum that meets no goal is an answer. */
CAIRN_API bool cairn_scene_assemble(const cairn_scene *scene, cairn_pose *poses, cairn_goal_miss *misses,
                                    cairn_assembly *assembly, cairn_error *error);
/* Lets the bodies start at these poses, one for each body; a scripted or fixed body must keep its own. Joints go along:
 * they must hold there, and their limits and targets count from the new start. On failure nothing is changed. */
CAIRN_API bool cairn_scene_place(cairn_scene *scene, const cairn_pose *poses, cairn_error *error);

/* A motion that a figure is to find by itself (PBA 7.6.2): from how it stands at the start, in a time, past keys, held by
 * what its feet stand on, by its own torques and as little of them as will do. A figure is the bodies that joints tie to
 * one; it moves in a plane: its hinges are parallel, its sliders lie across them, and its joints form a tree. */
typedef struct cairn_plan_key { /* at a time a joint has a value, or a point of a body is at a place */
	double time;                /* s */
	cairn_joint joint;          /* null: a point */
	double value;               /* rad or m, from the start */
	cairn_body body;
	cairn_vec3 point, target; /* m: of the body's own frame, of the world */
} cairn_plan_key;

typedef struct cairn_plan_hold { /* a foot stands: the body is held from one time to another */
	cairn_body body;
	double from, to;  /* s */
	cairn_vec3 shift; /* m: where, as seen from its start; only what lies in the plane counts */
	double turn;      /* rad about the plane's axis */
	double sole;      /* m: half its length on the ground; 0: it may press anywhere */
} cairn_plan_hold;

typedef enum cairn_plan_objective {
	CAIRN_PLAN_TORQUE, /* the sum of torques squared over time */
	CAIRN_PLAN_EFFORT, /* of powers squared */
	CAIRN_PLAN_SMOOTH  /* of accelerations of the joints squared */
} cairn_plan_objective;

typedef struct cairn_plan_def {
	cairn_body figure; /* any of its bodies */
	double time;       /* s: 1 */
	uint32_t samples;  /* intervals: 60 */
	cairn_plan_objective objective;
	bool free_start, free_end; /* velocities there are free; otherwise 0 */
	bool thrust;               /* the figure can push itself with a force, which counts as a torque does */
	double friction;           /* between feet and ground: 0.7 */
	const cairn_plan_key *keys;
	uint32_t key_count;
	const cairn_plan_hold *holds;
	uint32_t hold_count;
} cairn_plan_def;

CAIRN_API cairn_plan_def cairn_default_plan_def(void);
CAIRN_API bool cairn_scene_add_plan(cairn_scene *scene, const cairn_plan_def *def, cairn_error *error);
CAIRN_API uint32_t cairn_scene_plan_count(const cairn_scene *scene);
CAIRN_API cairn_plan_def cairn_scene_plan_at(const cairn_scene *scene, uint32_t index);

/* The motion found: values at samples + 1 times, each in an array of so many rows. */
typedef struct cairn_clip {
	double step; /* s: from one to the next */
	uint32_t samples, joint_count, body_count, hold_count;
	cairn_joint *joints;
	cairn_body *bodies;
	double *values;      /* by time and joint: rad or m, from the start */
	double *torques;     /* by time and joint: N m or N, of b as seen from a */
	cairn_pose *poses;   /* by time and body, of their shapes' own frames */
	cairn_vec3 *centers; /* by time: the centre of mass of all */
	cairn_vec3 *forces;  /* by time and hold: N, what the ground does; 0 where it does not hold */
	double cost;         /* the objective: N^2 m^2 s, W^2 s, rad^2/s^3 */
	double residual;     /* of the physics: N or N m by the figure's weight, the largest */
	double violation;    /* m or rad: of keys and holds, the largest */
	char worst[64];      /* which, where it is not met */
	double grip;         /* by the figure's weight: by which feet pull, slip or tip, the largest; 0: none does */
	uint32_t steps, unknowns;
	bool met; /* physics to 1e-9, keys and holds to 1e-8 */
} cairn_clip;

/* Finds the motion of a scene's plan from a straight line between its keys. guess NULL, or one number for each joint
 * and time, added to that line. NULL: bad input or no memory. One that is not met is an answer. */
CAIRN_API cairn_clip *cairn_scene_plan(const cairn_scene *scene, uint32_t plan, const double *guess,
                                       cairn_error *error);
CAIRN_API void cairn_clip_destroy(const cairn_scene *scene, cairn_clip *clip); /* NULL is fine */

/* Bodies may freeze only inside cold volumes, where there are any (OBA 6.7.2). */
CAIRN_API bool cairn_scene_add_cold_volume(cairn_scene *scene, cairn_box box, cairn_error *error);

/* Uniform random offsets in [-1, 1] times these, drawn anew for each body from the scene's seed. */
typedef struct cairn_jitter {
	cairn_vec3 position;
	cairn_vec3 rotation; /* a rotation vector, rad */
	cairn_vec3 velocity;
	cairn_vec3 spin;
} cairn_jitter;

/* Bodies that appear during the run: the batch appears at frame start and every so many frames after it, and waits
 * while the place of any of its bodies is occupied; the next one counts from when it appeared. */
typedef struct cairn_emitter_def {
	const char *name; /* its bodies are called name.0, name.1, ... */
	const cairn_body_def *bodies;
	uint32_t body_count; /* a multiple of choices */
	uint32_t start, every, batches;
	cairn_jitter jitter;
	/* 1; with more, each body of a batch is one of so many that stand one after the other in bodies, drawn anew for every
	 * batch, and a batch has body_count / choices bodies. */
	uint32_t choices;
} cairn_emitter_def;

CAIRN_API cairn_emitter_def cairn_default_emitter_def(void);
CAIRN_API bool cairn_scene_add_emitter(cairn_scene *scene, const cairn_emitter_def *def, cairn_error *error);

/* Where a camera that moves is at a time. */
typedef struct cairn_camera_key {
	double time; /* s, from the start of the scene */
	cairn_vec3 position, target;
	double fov; /* vertical, rad */
} cairn_camera_key;

#define CAIRN_CAMERA_KEYS 64

/* How to look at it. A camera may have keys, which it goes through smoothly in their order, and a body that it follows: it
 * moves along as that body's centre of mass does, from where position and target, or the keys, put it. */
typedef struct cairn_view {
	bool has_camera;
	cairn_vec3 camera_position, camera_target; /* with keys: of the first one */
	double camera_fov;                         /* vertical, rad; with keys: of the first one */
	cairn_body camera_follow;                  /* null: none */
	const cairn_camera_key *camera_keys;       /* copied; those of a scene's view live until it is set again */
	uint32_t camera_key_count;                 /* at most CAIRN_CAMERA_KEYS; 0: it has none */
	bool has_light;
	cairn_vec3 light_direction; /* the way the light travels */
	cairn_color light_color;
} cairn_view;

CAIRN_API bool cairn_scene_set_view(cairn_scene *scene, const cairn_view *view, cairn_error *error);
CAIRN_API cairn_view cairn_scene_view(const cairn_scene *scene);

/* The view at a time (s), with a camera that stands: where the keys put it, and moved as the body that it follows has
 * moved since the start. */
CAIRN_API cairn_view cairn_view_at(const cairn_view *view, double time, cairn_vec3 moved);

/* What is in a scene. Arrays and strings of the defs belong to the scene and live until it is changed. */
CAIRN_API uint32_t cairn_scene_body_count(const cairn_scene *scene);
CAIRN_API uint32_t cairn_scene_shape_count(const cairn_scene *scene);
CAIRN_API uint32_t cairn_scene_material_count(const cairn_scene *scene);
CAIRN_API uint32_t cairn_scene_joint_count(const cairn_scene *scene);
CAIRN_API uint32_t cairn_scene_emitter_count(const cairn_scene *scene);
CAIRN_API uint32_t cairn_scene_event_count(const cairn_scene *scene);
CAIRN_API uint32_t cairn_scene_field_count(const cairn_scene *scene);
CAIRN_API uint32_t cairn_scene_cold_volume_count(const cairn_scene *scene);
CAIRN_API cairn_body_def cairn_scene_body_at(const cairn_scene *scene, uint32_t index);
CAIRN_API cairn_shape_def cairn_scene_shape_at(const cairn_scene *scene, uint32_t index);
CAIRN_API cairn_material_def cairn_scene_material_at(const cairn_scene *scene, uint32_t index);
CAIRN_API cairn_joint_def cairn_scene_joint_at(const cairn_scene *scene, uint32_t index);
CAIRN_API cairn_emitter_def cairn_scene_emitter_at(const cairn_scene *scene, uint32_t index);
CAIRN_API cairn_event_def cairn_scene_event_at(const cairn_scene *scene, uint32_t index);
CAIRN_API cairn_field_def cairn_scene_field_at(const cairn_scene *scene, uint32_t index);
CAIRN_API cairn_box cairn_scene_cold_volume_at(const cairn_scene *scene, uint32_t index);

/* By name; null handle when there is none. */
CAIRN_API cairn_body cairn_scene_find_body(const cairn_scene *scene, const char *name);
CAIRN_API cairn_shape cairn_scene_find_shape(const cairn_scene *scene, const char *name);
CAIRN_API cairn_material cairn_scene_find_material(const cairn_scene *scene, const char *name);

/* What is known of a shape before it has a material. */
typedef struct cairn_shape_facts {
	double volume;      /* m^3; of a shell without thickness its area, m^2; 0 for a half-space */
	cairn_vec3 center;  /* of mass, in the shape's frame */
	cairn_vec3 moments; /* principal, about the centre, at density 1 (kg/m^3, a shell without thickness: kg/m^2) */
	cairn_quat axes;    /* turns the principal axes to the shape's */
	cairn_box box;      /* in the shape's frame; infinite for a half-space */
	uint32_t vertices, edges, faces; /* of a box or a hull, coplanar faces taken together; 0 for other kinds */
	double
		missed; /* m: of a union of hulls that did not come as near to its mesh as asked (more parts were needed, or no plane
	                * cuts a part): how far its parts reach from the solid. 0 where it did */
	uint32_t dropped; /* triangles of a mesh that were left out: without area, or there twice */
	uint32_t hulls,
		leaves; /* of a mesh that moves: the tree that it became, hulls and leaves among them; only of a world's own
	                         * scene (cairn_world_scene), else 0 */
} cairn_shape_facts;

CAIRN_API cairn_shape_facts cairn_scene_shape_facts(const cairn_scene *scene, cairn_shape shape);

/* How far a body's shape and its visual are apart, by samples of both surfaces. */
typedef struct cairn_standoff {
	double
		shape_beyond; /* m: the farthest that the shape's surface is outside of the visual: it stops before it seems to touch */
	double visual_beyond; /* m: the farthest that the visual is outside of the shape: it seems to reach into others */
	double size;          /* m: diagonal of the visual's box */
	bool closed;          /* the visual is; where it is not, all of the shape's surface counts as outside */
} cairn_standoff;

/* Of the body of this number in the scene, which has a visual and is no half-space. */
CAIRN_API bool cairn_scene_standoff(const cairn_scene *scene, uint32_t body, cairn_standoff *standoff,
                                    cairn_error *error);

/* The surface of a shape as triangles in the shape's frame, for drawing: curved shapes within the given fraction of
 * their radius, a half-space as a square of the given half width. Arrays from the allocator, sizes in bytes. */
typedef struct cairn_surface {
	cairn_vec3 *points;
	uint32_t *triangles;
	uint32_t point_count, triangle_count;
	cairn_color *colors; /* of each point, of a visual that has them; else NULL */
	float *uvs;          /* two for each point, the same */
} cairn_surface;

CAIRN_API bool cairn_scene_surface(const cairn_scene *scene, cairn_shape shape, double tolerance, double halfspace,
                                   const cairn_allocator *allocator, cairn_surface *surface, cairn_error *error);
CAIRN_API void cairn_surface_free(cairn_surface *surface, const cairn_allocator *allocator);

/* ---- Assets: meshes and nodes of files of other programs (glTF, GLB, OBJ) ------------------------------ */

typedef struct cairn_asset cairn_asset;

/* As its nodes have it: in the scene's axes (+Z up) and scaled. */
typedef struct cairn_asset_mesh {
	const char *name;
	const cairn_vec3 *points;
	const uint32_t *triangles;
	const cairn_color *colors; /* of each point, where it has several; else NULL */
	const float *uvs;          /* two of each point, from the lower left corner; NULL: none */
	uint32_t point_count, triangle_count;
	bool has_color, has_roughness;
	cairn_color color;
	double roughness;
} cairn_asset_mesh;

typedef enum cairn_asset_motion {
	CAIRN_ASSET_UNSAID,   /* the file says nothing of physics */
	CAIRN_ASSET_STANDING, /* something to collide with that does not move */
	CAIRN_ASSET_MOVING,
	CAIRN_ASSET_DRIVEN /* moved by others (kinematic) */
} cairn_asset_motion;

/* One thing at a place. Nodes of one body follow its first one. */
typedef struct cairn_asset_node {
	const char *name;
	cairn_pose pose; /* in the world */
	uint32_t mesh;   /* UINT32_MAX: none */
	uint32_t body;   /* the node that it moves with: itself, or one before it */
	bool seen;       /* its mesh is to be seen */
	bool touches;    /* and what follows collides */
	bool hull;       /* by the hull of its mesh */
	bool has_shape;  /* by this shape: a sphere, box, capsule or cylinder about the pose */
	cairn_shape_kind shape;
	cairn_vec3 size;              /* edges of a box; radius in x and length in z of others */
	cairn_asset_motion motion;    /* of a body */
	double mass;                  /* kg; 0: not said */
	cairn_vec3 velocity, spin;    /* world axes */
	double friction, restitution; /* below 0: not said */
	int line, column;
} cairn_asset_node;

/* Something of the file that is not in the asset. */
typedef struct cairn_asset_note {
	const char *what, *why;
	int line, column;
} cairn_asset_note;

/* From the bytes of a file, whose kind its name's ending tells. files (NULL: the default) reads those that it names, beside it
 * unless trust. NULL on failure: CAIRN_INVALID, CAIRN_FILE or CAIRN_MEMORY. */
CAIRN_API cairn_asset *cairn_asset_read(const void *data, size_t size, const char *name, const cairn_files *files,
                                        const cairn_scene_def *def, cairn_error *error);
CAIRN_API void cairn_asset_destroy(cairn_asset *asset); /* NULL is fine */
CAIRN_API uint32_t cairn_asset_mesh_count(const cairn_asset *asset);
CAIRN_API uint32_t cairn_asset_node_count(const cairn_asset *asset);
CAIRN_API uint32_t cairn_asset_note_count(const cairn_asset *asset);
CAIRN_API cairn_asset_mesh cairn_asset_mesh_at(const cairn_asset *asset, uint32_t index);
CAIRN_API cairn_asset_node cairn_asset_node_at(const cairn_asset *asset, uint32_t index);
CAIRN_API cairn_asset_note cairn_asset_note_at(const cairn_asset *asset, uint32_t index);

/* ---- World: what moves -------------------------------------------------------------------------------- */

typedef struct cairn_world cairn_world;

/* Threads of the program's own, in place of those that a world starts: run calls task(data, index) once for every index below
 * count, on any threads and in any order, and returns when all are done. Tasks are short (some 10 us) and many; they do not
 * call run. Only ever called from within calls on the world. */
typedef struct cairn_jobs {
	void *context;
	uint32_t threads; /* how many may run tasks at once, at least 1 */
	void (*run)(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data);
} cairn_jobs;

/* Whether two bodies may touch, asked of the program once a pair: before the first step in which they may come near each
 * other, if their groups and masks let them collide and no joint keeps them apart. A no is a recorded input (a CAIRN_PASS
 * joint of the two), so recordings play without the filter, and the same bits come out if it answers the same. It may look at
 * the world but not change it, and is called by the thread that steps. docs/embedding/filters.md */
typedef struct cairn_filter {
	void *context;
	bool (*collide)(void *context, const cairn_world *world, cairn_body a, cairn_body b);
} cairn_filter;

typedef struct cairn_world_def {
	cairn_allocator allocator;
	uint32_t threads;    /* 0: one for each core. The motion is the same bits for any number. */
	cairn_jobs jobs;     /* run NULL: the world has threads of its own */
	cairn_filter filter; /* collide NULL: nobody is asked */
} cairn_world_def;

CAIRN_API cairn_world_def cairn_default_world_def(void);

/* The world keeps its own copy of the scene. def may be NULL. NULL on failure: CAIRN_INVALID when the scene asks for
 * what its method cannot do or starts with an overlap, CAIRN_USAGE for an unknown method, CAIRN_MEMORY. */
CAIRN_API cairn_world *cairn_world_create(const cairn_scene *scene, const cairn_world_def *def, cairn_error *error);
CAIRN_API void cairn_world_destroy(cairn_world *world); /* NULL is fine */

/* The world's copy: shapes, materials and joints added during the run are in it, bodies added during the run are not. */
CAIRN_API const cairn_scene *cairn_world_scene(const cairn_world *world);
CAIRN_API uint32_t cairn_world_frame(const cairn_world *world);   /* 0 at the start */
CAIRN_API double cairn_world_time(const cairn_world *world);      /* s: frame / fps, unless fps was changed */
CAIRN_API uint64_t cairn_world_hash(const cairn_world *world);    /* of the state: docs/determinism.md */
CAIRN_API uint32_t cairn_world_threads(const cairn_world *world); /* how many it runs on, the caller's own included */

typedef enum cairn_status {
	CAIRN_STEP_OK,
	CAIRN_STEP_TOUCH, /* a body that this method keeps out of contact (a mesh that may move; not oba) is touched; nothing moved */
	CAIRN_STEP_SPIN,       /* a body turns further in a frame than its keys can hold (64 of 1.5 rad); nothing moved */
	CAIRN_STEP_NOT_FINITE, /* a number overflowed; nothing moved */
	CAIRN_STEP_MEMORY,     /* the allocator returned NULL: nothing moved, or bodies that were to appear did not */
	CAIRN_STEP_OVERLAP,    /* bodies overlap that an input put there; nothing moved */
	CAIRN_STEP_UNCERTIFIED /* the certificate found an overlap or a passage in what the step made; nothing moved */
} cairn_status;

/* What keeps a frame free of crossings, in order; a frame goes no further than it must (docs/oba.md). */
typedef enum cairn_tier {
	CAIRN_TIER_FAST,    /* bodies that turn through several keys and would meet something: their turn was cut short */
	CAIRN_TIER_RESTORE, /* rounds that moved bodies apart by as little as possible */
	CAIRN_TIER_CUT,     /* bodies that got keys inside the frame because their straight way is not free */
	CAIRN_TIER_AXIS,    /* rounds that kept pairs on their own side of one axis */
	CAIRN_TIER_HALVE,   /* bodies whose way was halved */
	CAIRN_TIER_HOLD,    /* bodies put back to where a leg of their way began */
	CAIRN_TIER_COUNT
} cairn_tier;

enum { CAIRN_MAX_STAGES = 16, CAIRN_MAX_TIERS = 8, CAIRN_MAX_LATE = 8 };

/* Energies in joules. total(now) - total(before) = events + fields - damping - impacts - friction + position -
 * dropped + drift + joints up to rounding, where total is kinetic + potential. Emitted, added and removed bodies bring
 * and take theirs as events. */
typedef struct cairn_energy {
	double kinetic, potential; /* potential of the world's gravity, zero at the origin */
	double events, fields, damping;
	double impacts, friction; /* lost along contact normals; across them */
	double position;          /* brought by moving bodies away from where they were to go, and by turning when pushed */
	double dropped;           /* of bodies that came to rest, fell asleep, froze or were held */
	double drift;             /* what the integration of free turning made or lost */
	double joints;            /* brought by motors and by following joints on their curves; limits take theirs */
} cairn_energy;

/* What the certificate says of a frame or of a recording (docs/certificate.md). */
typedef enum cairn_verdict {
	CAIRN_UNCHECKED,
	CAIRN_CLEAN,
	CAIRN_OVERLAP, /* at a key two bodies overlap */
	CAIRN_PASSAGE  /* between keys two bodies cross, or it could not be proved that they do not */
} cairn_verdict;

typedef struct cairn_certificate {
	cairn_verdict verdict;
	uint64_t pairs, intervals; /* pairs of bodies looked at closely; pieces of motion proved for them */
	uint64_t overlaps, passages;
	double min_gap;        /* m: the smallest gap at a key, a proved lower bound; infinite: nothing came near */
	double rounding_bound; /* m: the largest; gaps within it count as touching */
} cairn_certificate;

/* A script that yielded in time: something that had no room was in its way, and its clock is behind (docs/oba.md). */
typedef struct cairn_late {
	cairn_body body;
	double lag; /* s */
} cairn_late;

/* What one step did. Times are the only part that differs from run to run. */
typedef struct cairn_step_report {
	cairn_status status;
	uint32_t frame; /* the frame reached; the one not left, if status is not OK */
	double time;
	uint32_t bodies, moving, asleep;            /* alive; dynamic and scripted; of these asleep, frozen ones too */
	uint32_t frozen, text_fallbacks;            /* of those asleep; islands the text's own programs left to the default,
	                                    and series of impulses that a limit ended or that grew (docs/methods.md) */
	uint32_t guesses, second_guesses;           /* of forces that the text's guess of vanishing contacts had right: none
	                                               vanishes; those do that its linear program lets go (method analytic) */
	uint32_t close_pairs, collisions, contacts; /* pairs in the position program; points that bounce; points that
	                                               hold what rests, none among sleeping bodies */
	uint32_t extra_keys, emitted, waiting;      /* keys inside the frame; bodies that appeared; emitters held up */
	uint32_t steps;                             /* that the frame took where contacts change: 1, or more */
	uint32_t passes, programs, taken_back;      /* of the position program; with those of momentum; passes taken back */
	uint32_t tiers[CAIRN_MAX_TIERS];            /* by cairn_tier */
	double min_gap; /* smallest gap at the end of the frame among pairs whose ways came near; infinite: none did */
	cairn_body pair_a, pair_b; /* where, or the pair that stopped the step */
	cairn_energy energy;
	/* The most that keeping bodies apart raised height + v^2/2g of a single one, of its size: beyond what the contacts
	 * that it rests on took from it in the frame, and as far as those in contact with it did not lose as much; no
	 * gravity: 0. */
	double lift;
	cairn_body lifted;
	/* Debt: how far a body is from where its velocities and the impulses of the frame lead it, beyond the gap that is kept
	 * (docs/oba.md). The largest, whose, and the mean over those that moved; how many moved, and how many of these owe
	 * more than 2 % of their motion. */
	double debt, debt_mean; /* m */
	cairn_body debtor;
	uint32_t movers, debtors;
	double joint_error; /* m: the furthest that a joint's points are apart at the frame; where they do not turn
	                       together, by how much at their bodies' radius */
	uint32_t broken;    /* joints that broke */
	uint32_t late;      /* scripts whose clocks are behind, and ... */
	cairn_late scripts[CAIRN_MAX_LATE]; /* ... those that are most, the latest first */
	cairn_certificate certificate;
	/* A frame that was measured, not promised (option certify): what the certificate found is counted in it and the frame
	 * is shown all the same. The deepest overlap at a key, and whose; 0: none. */
	bool measured;
	double depth; /* m */
	cairn_body deep_a, deep_b;
	uint32_t stage_count;
	const char *stage_names[CAIRN_MAX_STAGES]; /* static strings */
	double stage_ms[CAIRN_MAX_STAGES];
	double ms; /* the whole step */
} cairn_step_report;

/* One frame forward. */
CAIRN_API cairn_step_report cairn_world_step(cairn_world *world);

/* One line for people about a status that is not OK; names the bodies. */
CAIRN_API void cairn_world_explain(const cairn_world *world, const cairn_step_report *report, char *text, size_t size);

/* A key: where a body is at a time. Between keys the centre of mass moves on a straight line and the body turns at
 * constant rate about a fixed axis by the rotation vector turn (at most a quarter turn). */
typedef struct cairn_key {
	double time;
	cairn_vec3 position;    /* of the centre of mass */
	cairn_quat orientation; /* of the shape's axes */
	cairn_vec3 velocity;    /* that belong to the pose: before the next frame's forces */
	cairn_vec3 spin;
	cairn_vec3 turn; /* rotation vector, world axes, of the piece that ends here; zero at a body's first key */
} cairn_key;

/* What a body is. Strings and keys live as long as the body. */
typedef struct cairn_body_info {
	const char *name;
	cairn_body_type type;
	uint32_t serial; /* how many bodies came before it in this world, never used again */
	cairn_shape shape;
	cairn_material material;
	double mass;       /* 0 unless dynamic */
	cairn_vec3 center; /* of mass, in the shape's frame */
	double inertia[9]; /* about the centre, shape axes; 0 unless dynamic */
	double radius;     /* of the smallest ball about the centre that holds the body; infinite for a half-space */
	uint32_t group, mask;
	cairn_color color;
	double roughness;       /* 0: polished, to 1: matt; that of its material, or 0.6, where it has none of its own */
	cairn_shape visual;     /* what is shown in place of the shape; null: the shape */
	cairn_pose visual_pose; /* of the visual's frame in the shape's */
} cairn_body_info;

/* The colour, linear, that pictures, pages and exported files show a body in: its own, or by its number one of a palette, in one of
 * eight shades, so that neighbours are told apart. */
CAIRN_API cairn_color cairn_shown_color(const cairn_body_info *body);
/* What is drawn of a body: its visual, or its shape; pose (may be NULL) is that of its frame in the shape's. A visual with colours
 * of its own is shown in these. */
CAIRN_API cairn_shape cairn_shown_shape(const cairn_body_info *body, cairn_pose *pose);

CAIRN_API uint32_t cairn_world_body_count(const cairn_world *world);
/* Writes up to capacity handles in the world's order and returns how many there are. */
CAIRN_API uint32_t cairn_world_bodies(const cairn_world *world, cairn_body *bodies, uint32_t capacity);
CAIRN_API bool cairn_world_has_body(const cairn_world *world, cairn_body body);
/* A handle of a body that is not there (null, or removed since) is no harm in these: everything zero, the name "" and
 * orientations (1, 0, 0, 0), no keys (0 is returned), not asleep. cairn_world_has_body tells. */
CAIRN_API cairn_body_info cairn_world_body_info(const cairn_world *world, cairn_body body);
CAIRN_API cairn_key cairn_world_body_key(const cairn_world *world, cairn_body body); /* at the current frame */
/* All keys of the last frame, oldest first, the current one last: at least 1, at most 65. A moving body that an input
 * added before the last step begins with a key of where it started. Writes up to capacity, returns how many there
 * are. */
CAIRN_API uint32_t cairn_world_body_keys(const cairn_world *world, cairn_body body, cairn_key *keys, uint32_t capacity);
CAIRN_API cairn_pose cairn_world_body_pose(const cairn_world *world, cairn_body body);  /* of the shape's own frame */
CAIRN_API cairn_body cairn_world_find_body(const cairn_world *world, const char *name); /* null: there is none */

/* All bodies at once, in the order of cairn_world_bodies: poses of the shapes' own frames; velocities of the centres of mass
 * and spins. Each writes up to capacity and returns how many there are. */
typedef struct cairn_velocity {
	cairn_vec3 velocity, spin;
} cairn_velocity;

CAIRN_API uint32_t cairn_world_poses(const cairn_world *world, cairn_pose *poses, uint32_t capacity);
CAIRN_API uint32_t cairn_world_velocities(const cairn_world *world, cairn_velocity *velocities, uint32_t capacity);

/* How a joint of the scene stands, as the last step left it. */
typedef struct cairn_joint_state {
	double position,
		speed;    /* hinge: rad and rad/s, slider: m and m/s, distance and pulley: length and its change, ball with
	                           limits: how far it leans, rad and rad/s; else 0 */
	double error; /* m, as in cairn_step_report.joint_error */
	double force, torque; /* N, N m: what it took in the mean of the last frame; a motor's and a limit's included */
	bool broken;          /* or one of its bodies is gone */
} cairn_joint_state;

/* All zero and broken for a handle that names no joint. */
CAIRN_API cairn_joint_state cairn_world_joint(const cairn_world *world, cairn_joint joint);

#define CAIRN_NO_TRIANGLE UINT32_MAX

/* How far two bodies are apart at the current frame, whether or not filters let them touch. */
typedef struct cairn_gap {
	double gap;                  /* m: their distance; overlapping: minus the shortest translation that parts them */
	cairn_vec3 normal;           /* unit, from a to b: the axis of the widest plane between them */
	cairn_vec3 point_a, point_b; /* where they are closest (or deepest): point_b - point_a = gap x normal */
	bool exact;                  /* true: the gap is theirs up to rounding, and not only a bound of it */
	uint32_t triangle_a, triangle_b; /* that are closest, of bodies with meshes; else CAIRN_NO_TRIANGLE */
} cairn_gap;

/* False, and nothing written, if one of them is not there, for a body with itself and for two half-spaces. For bodies
 * of several parts it is the least gap of any two. */
CAIRN_API bool cairn_world_gap(const cairn_world *world, cairn_body a, cairn_body b, cairn_gap *gap);

CAIRN_API bool cairn_world_body_asleep(const cairn_world *world, cairn_body body); /* left out of the programs */
CAIRN_API bool cairn_world_body_frozen(const cairn_world *world, cairn_body body); /* the same, by itself (freeze) */

/* A point at which two bodies hold each other, as the last step left it (cairn_world_impacts has what hit). All points of two parts have the normal of the
 * widest plane between them: the one through the middle of the gap parts the two. */
typedef struct cairn_contact {
	cairn_body a, b;    /* b may be fixed */
	cairn_vec3 point;   /* on a, world */
	cairn_vec3 normal;  /* unit, from a to b */
	double gap;         /* m: of the two bodies' parts at the current frame */
	cairn_vec3 impulse; /* N s, on b: what held it as the frame began; zero: it touches (to a hundredth of the thinner
	                       part's thickness) without pressing */
	bool sliding;
} cairn_contact;

/* Writes up to capacity contacts and returns how many there are, in an order that does not depend on threads. Those of
 * sleeping bodies are as they were when they fell asleep. None before the first step, and none for methods without
 * contact. */
CAIRN_API uint32_t cairn_world_contacts(const cairn_world *world, cairn_contact *contacts, uint32_t capacity);

/* An impulse that two bodies gave each other at a moment of the last step: where they hit each other, and where a hit
 * is passed on through bodies in touch. What holds bodies at rest is a contact's impulse and no impact; where two come to
 * rest within a step, what holds them for the rest of it is one. */
typedef struct cairn_impact {
	cairn_body a, b;    /* one of them may be fixed or scripted */
	double time;        /* s: within the frame; hits whose moment the method does not look for count at a step's end */
	cairn_vec3 point;   /* world, at that time */
	cairn_vec3 normal;  /* unit, from a to b */
	cairn_vec3 impulse; /* N s, on b; a gets the opposite. Along the normal and across it: friction is in it */
} cairn_impact;

/* Writes up to capacity impacts and returns how many there are, in an order that does not depend on threads. Two bodies
 * are in it once for each point and moment; hits that are over before the frame's end are in it too. None before the
 * first step, after a step that was refused and after cairn_world_restore: impacts belong to a step, and are no state. A
 * step that is replayed has the same ones again. Those of bodies that were removed since are left out. */
CAIRN_API uint32_t cairn_world_impacts(const cairn_world *world, cairn_impact *impacts, uint32_t capacity);

/* Inputs. Each takes effect now, before the next step, and is logged with the current frame, so that a recording
 * replays it. They fail (false or a null handle) without changing anything. Removing a body, adding one that is not
 * dynamic, and a new material, script or gravity wake all bodies that sleep. A body may be added where another is; a
 * method that keeps bodies apart then refuses every step, naming the two (CAIRN_STEP_OVERLAP), until one of them is
 * removed. */
CAIRN_API cairn_shape cairn_world_add_shape(cairn_world *world, const cairn_shape_def *def, cairn_error *error);
CAIRN_API cairn_material cairn_world_add_material(cairn_world *world, const cairn_material_def *def,
                                                  cairn_error *error);
CAIRN_API cairn_body cairn_world_add_body(cairn_world *world, const cairn_body_def *def, cairn_error *error);
CAIRN_API bool cairn_world_remove_body(cairn_world *world, cairn_body body, cairn_error *error);
CAIRN_API bool cairn_world_apply_event(cairn_world *world, const cairn_event_def *def,
                                       cairn_error *error); /* frame is ignored */
CAIRN_API bool cairn_world_set_material(cairn_world *world, cairn_material material, const cairn_material_def *def,
                                        cairn_error *error); /* the masses of bodies stay */
CAIRN_API bool cairn_world_set_script(cairn_world *world, cairn_body body, const cairn_script_key *keys, uint32_t count,
                                      cairn_error *error); /* begins where the body is now; key times lie ahead */
CAIRN_API bool cairn_world_set_gravity(cairn_world *world, cairn_vec3 gravity, cairn_error *error);
/* Frames a second from the next step on; cairn_scene_settings of the world's scene has it then. Time goes on from where it is. Keys
 * of scripts and servos keep their seconds, events and emitters their frames. */
CAIRN_API bool cairn_world_set_fps(cairn_world *world, double fps, cairn_error *error);

CAIRN_API bool cairn_world_set_motor(cairn_world *world, cairn_joint joint, cairn_motor_kind motor, double speed,
                                     double most,
                                     cairn_error *error); /* of a hinge, slider or distance; as in its def */

/* A servo on a hinge, slider, ball or distance joint; the fields as in its def. It takes the place of any motor the joint has. */
typedef struct cairn_servo {
	double target, speed, stiffness, damping, most;
	cairn_vec3 turn; /* of a ball, in place of target and speed */
} cairn_servo;

CAIRN_API bool cairn_world_set_servo(cairn_world *world, cairn_joint joint, const cairn_servo *servo,
                                     cairn_error *error);

/* A hand on a body: a critically damped spring that pulls the anchor to the target until it is released. One a body;
 * dragging again moves the target. */
typedef struct cairn_drag_def {
	cairn_body body;
	cairn_vec3 anchor; /* in the shape's frame */
	cairn_vec3 target; /* world */
	double frequency;  /* of the spring, Hz; 2 */
} cairn_drag_def;

CAIRN_API cairn_drag_def cairn_default_drag_def(void);
CAIRN_API bool cairn_world_drag(cairn_world *world, const cairn_drag_def *def, cairn_error *error);
CAIRN_API bool cairn_world_release(cairn_world *world, cairn_body body, cairn_error *error);

/* A force at the centre of mass and a torque, world axes, for the next step: constant all through it, then gone. Given
 * several times they add up. N, N m. */
CAIRN_API bool cairn_world_push(cairn_world *world, cairn_body body, cairn_vec3 force, cairn_vec3 torque,
                                cairn_error *error);
/* Of dynamic bodies: the velocity of the centre of mass and the spin (m/s, rad/s, world axes); damping as in the def. */
CAIRN_API bool cairn_world_set_velocity(cairn_world *world, cairn_body body, cairn_vec3 velocity, cairn_vec3 spin,
                                        cairn_error *error);
CAIRN_API bool cairn_world_set_damping(cairn_world *world, cairn_body body, double linear, double angular,
                                       cairn_error *error);
/* What a body is made of from now on; null: the default. Its mass stays; a recording's track keeps the first material. */
CAIRN_API bool cairn_world_set_body_material(cairn_world *world, cairn_body body, cairn_material material,
                                             cairn_error *error);

/* A body becomes another one. It keeps its handle, its name and its joints; a recording ends its track and begins a new one (its
 * serial is new), so no certificate takes it for having moved. Refused where it would then overlap a body that it collides
 * with: the message names that body and the depth. All bodies that sleep wake. */

/* Where the shape's own frame is. What joints hold together moves along as one rigid whole, velocities turn with it.
 * Refused for scripted bodies, and for what a joint holds to the world or to a fixed or scripted body. */
CAIRN_API bool cairn_world_set_pose(cairn_world *world, cairn_body body, cairn_pose pose, cairn_error *error);
/* kg, of a dynamic body; its inertia grows in the same ratio. Velocity and spin stay. */
CAIRN_API bool cairn_world_set_mass(cairn_world *world, cairn_body body, double mass, cairn_error *error);
/* Its frame and its mass stay, centre and inertia are those of the new shape filled evenly; velocity and spin stay. */
CAIRN_API bool cairn_world_set_shape(cairn_world *world, cairn_body body, cairn_shape shape, cairn_error *error);
CAIRN_API bool cairn_world_set_filter(cairn_world *world, cairn_body body, uint32_t group, uint32_t mask,
                                      cairn_error *error);
/* One that becomes dynamic has the mass of its material's density and goes on as it moved; one that becomes fixed or scripted
 * stands (cairn_world_set_script leads it on). Refused while a joint holds it. */
CAIRN_API bool cairn_world_set_type(cairn_world *world, cairn_body body, cairn_body_type type, cairn_error *error);
/* Gravity times this pulls it, of a dynamic body: 0 it floats, 1 as all others. No new track. */
CAIRN_API bool cairn_world_set_gravity_scale(cairn_world *world, cairn_body body, double scale, cairn_error *error);
CAIRN_API double cairn_world_gravity_scale(const cairn_world *world, cairn_body body); /* 0: there is no such body */

/* Joints come and go. def's points and axis are where they are now, and now is where angles and offsets begin; its bodies are
 * of the world. One that is removed counts as broken, and its number is not used again: its bodies do not collide with each
 * other if it kept them from that, as they may overlap. For holding something and letting it go again, set collide. */
CAIRN_API cairn_joint cairn_world_add_joint(cairn_world *world, const cairn_joint_def *def, cairn_error *error);
CAIRN_API bool cairn_world_remove_joint(cairn_world *world, cairn_joint joint, cairn_error *error);

/* What a program keeps with a body: a pointer of its own that nothing here looks at. It is no input and no state: it stays with
 * the handle, also when a snapshot is put back. NULL at first, and for a body that is not there. */
CAIRN_API void cairn_world_set_user_data(cairn_world *world, cairn_body body, void *data);
CAIRN_API void *cairn_world_user_data(const cairn_world *world, cairn_body body);

/* The inputs that the last step consumed (those given before it), as bytes that cairn_world_replay takes; size 0 if
 * there were none. Valid until the next step. A recording keeps them with the frame that the step led to. */
CAIRN_API const void *cairn_world_step_inputs(const cairn_world *world, size_t *size);
/* Bytes of the inputs given since the last step: the next one will consume them. */
CAIRN_API size_t cairn_world_pending_inputs(const cairn_world *world);
/* Gives them again. On failure those before the faulty one have taken effect. */
CAIRN_API bool cairn_world_replay(cairn_world *world, const void *inputs, size_t size, cairn_error *error);

/* The whole state as bytes, the same on every machine. Restoring needs a world made from the same scene; bytes that
 * do not fit are refused and nothing changes. Handles given out after the snapshot was taken name nothing, until the
 * world gives the same ones out again. A recording that is being written goes on rightly only from the state of its last
 * frame: what follows another one is no motion that could be run again, and is refused where bodies are back. */
CAIRN_API size_t cairn_world_snapshot_size(const cairn_world *world); /* 0: the allocator returned NULL */
CAIRN_API bool cairn_world_snapshot(const cairn_world *world, void *bytes, size_t size, cairn_error *error);
CAIRN_API bool cairn_world_restore(cairn_world *world, const void *bytes, size_t size, cairn_error *error);

/* ---- Space: where everything is ----------------------------------------------------------------------- */

/* A space is where all bodies of a world are at one frame, sorted for questions: what a ray meets, what something would
 * meet on its way, what is in a place (docs/embedding/queries.md). It is no part of the world's state. Making and
 * updating one reads the world; asking reads the space alone and allocates nothing, so any number of threads may ask one
 * space at once. It is asked while its world is there; after cairn_world_restore nothing is
 * met until it is updated. */
typedef struct cairn_space cairn_space;

/* NULL on failure: CAIRN_MEMORY. Memory comes from the world's allocator. */
CAIRN_API cairn_space *cairn_space_create(const cairn_world *world, cairn_error *error);
/* Where bodies of the same world are now. False: memory ran out, and the space is empty. Allocates nothing unless there are
 * more bodies or parts than ever before. */
CAIRN_API bool cairn_space_update(cairn_space *space, cairn_error *error);
CAIRN_API void cairn_space_destroy(cairn_space *space); /* NULL is fine; after its world too */

/* Who is asked about. */
typedef struct cairn_query {
	uint32_t group,
		mask;          /* bits, as of a body: asked about is whoever would collide with one that has these; all, all */
	cairn_body except; /* one that is left out; null: nobody */
} cairn_query;

CAIRN_API cairn_query cairn_default_query(void);

/* A point that goes a straight way. */
typedef struct cairn_ray {
	cairn_vec3 from, way; /* m: it ends at from + way */
} cairn_ray;

/* A shape that goes a straight way without turning: any of the world's that is neither a half-space nor a mesh, nor has
 * such a part. */
typedef struct cairn_cast {
	cairn_shape shape;
	cairn_pose pose; /* of its own frame at the start */
	cairn_vec3 way;
} cairn_cast;

typedef struct cairn_hit {
	cairn_body body;
	uint32_t part;     /* of a compound; 0 */
	uint32_t triangle; /* of a mesh; UINT32_MAX: none, or it starts inside a solid one */
	double share;      /* of the way, 0 to 1; 0: it starts inside */
	cairn_vec3 point;  /* world; of a shape that starts inside: about where */
	cairn_vec3 normal; /* unit, out of the body; against the way for a ray that starts inside, or a shape in a mesh */
} cairn_hit;

/* The first body that is met. False: there is none, and hit is as it was. Of bodies met at the same share it is the one
 * that is first in the world's order. query may be NULL: everybody. What cannot be (numbers that are not finite or beyond
 * 1e9 m, a quaternion that is not unit to 1e-3, a shape that is not there or may not be cast) meets nothing. */
CAIRN_API bool cairn_space_ray(const cairn_space *space, cairn_ray ray, const cairn_query *query, cairn_hit *hit);
CAIRN_API bool cairn_space_cast(const cairn_space *space, const cairn_cast *cast, const cairn_query *query,
                                cairn_hit *hit);
/* All bodies that are met, each where it is met first, in order of shares: writes the first capacity of them and returns
 * how many there are. */
CAIRN_API uint32_t cairn_space_ray_all(const cairn_space *space, cairn_ray ray, const cairn_query *query,
                                       cairn_hit *hits, uint32_t capacity);
CAIRN_API uint32_t cairn_space_cast_all(const cairn_space *space, const cairn_cast *cast, const cairn_query *query,
                                        cairn_hit *hits, uint32_t capacity);
/* Many rays at once: hits[i] is the first that rays[i] meets; none: all zero but share 1 and triangle UINT32_MAX. Returns
 * how many met something. */
CAIRN_API uint32_t cairn_space_rays(const cairn_space *space, const cairn_ray *rays, uint32_t count,
                                    const cairn_query *query, cairn_hit *hits);
/* The bodies that a shape at a pose overlaps or touches (its way does not count); those whose boxes meet a box. In the world's order: writes up to
 * capacity and returns how many there are. */
CAIRN_API uint32_t cairn_space_overlap(const cairn_space *space, const cairn_cast *at, const cairn_query *query,
                                       cairn_body *bodies, uint32_t capacity);
CAIRN_API uint32_t cairn_space_box(const cairn_space *space, cairn_box box, const cairn_query *query,
                                   cairn_body *bodies, uint32_t capacity);

/* ---- Sensor: who comes and goes ------------------------------------------------------------------------ */

/* A sensor is a shape at a place, or one that a body carries along, that stops nobody and tells who is in it
 * (docs/embedding/sensors.md). It remembers what it told, as a watch does, and is no part of the world's state. */
typedef struct cairn_sensor cairn_sensor;

typedef struct cairn_sensor_def {
	cairn_shape shape; /* of the world; one that may be cast */
	cairn_body body;   /* that carries it and is not felt itself; null: the world */
	cairn_pose pose;   /* of the shape's frame, in the world or in the frame of the body's shape */
	cairn_query query; /* who is felt */
} cairn_sensor_def;

typedef enum cairn_visit_kind {
	CAIRN_VISIT_BEGIN,   /* the body is in it and was not at the last look */
	CAIRN_VISIT_PERSIST, /* it was, and is */
	CAIRN_VISIT_END      /* it was, and is not; it may be gone */
} cairn_visit_kind;

typedef struct cairn_visit {
	cairn_visit_kind kind;
	cairn_body body;
} cairn_visit;

CAIRN_API cairn_sensor_def cairn_default_sensor_def(void);
/* NULL on failure: CAIRN_INVALID for a shape that may not be cast or a pose that is none, CAIRN_MEMORY. */
CAIRN_API cairn_sensor *cairn_sensor_create(const cairn_world *world, const cairn_sensor_def *def, cairn_error *error);
/* Looks, through a space of the same world that is up to date. A sensor whose body is gone feels nobody. False: memory ran
 * out, and nothing was told. */
CAIRN_API bool cairn_sensor_update(cairn_sensor *sensor, const cairn_space *space, cairn_error *error);
/* Another place, from the next look on. False: it is no pose, and nothing changes. */
CAIRN_API bool cairn_sensor_place(cairn_sensor *sensor, cairn_pose pose, cairn_error *error);
/* What the last update told, in the world's order; the array lives until the next. */
CAIRN_API const cairn_visit *cairn_sensor_visits(const cairn_sensor *sensor, uint32_t *count);
CAIRN_API void cairn_sensor_destroy(cairn_sensor *sensor); /* NULL is fine; after its world too */

/* ---- Marks: what a debugger draws ----------------------------------------------------------------------- */

/* Lines that show what the eye does not see of a world (docs/embedding/drawing.md). A point is a line whose ends are the same. */
typedef enum cairn_mark_kind {
	CAIRN_MARK_BOX,     /* an edge of a body's box along the axes of the world */
	CAIRN_MARK_CENTER,  /* a body's centre of mass: a point */
	CAIRN_MARK_AXIS,    /* from there along a principal axis of its shape's frame, x red, y green, z blue */
	CAIRN_MARK_CONTACT, /* where two bodies hold each other: a point */
	CAIRN_MARK_NORMAL,  /* from there along the contact's normal */
	CAIRN_MARK_IMPULSE, /* from there along what holds b, seconds x impulse / mass of the lighter body */
	CAIRN_MARK_JOINT,   /* from a body's centre of mass to where a joint holds it; a pulley's rope */
	CAIRN_MARK_HINGE,   /* a joint's axis */
	CAIRN_MARK_GAP,     /* from a contact's point on a along its normal to b */
	CAIRN_MARK_KINDS
} cairn_mark_kind;

typedef struct cairn_mark {
	cairn_mark_kind kind;
	cairn_vec3 from, to; /* world */
	cairn_color color;   /* linear */
	cairn_body a, b;     /* whose it is; b null: of a alone */
} cairn_mark;

typedef struct cairn_marks_def {
	uint32_t kinds; /* a bit for each, 1u << kind; all */
	double length;  /* m: of axes and normals; 0.2 */
	double seconds; /* s: how long an impulse is drawn; 0.1 */
} cairn_marks_def;

CAIRN_API cairn_marks_def cairn_default_marks_def(void);
/* Writes up to capacity marks as the last step left the world and returns how many there are, in an order that does not depend on
 * threads. def may be NULL. Allocates nothing and changes nothing. Half-spaces have no box and no centre. */
CAIRN_API uint32_t cairn_world_marks(const cairn_world *world, const cairn_marks_def *def, cairn_mark *marks,
                                     uint32_t capacity);

/* ---- Watch: what began and ended ---------------------------------------------------------------------- */

/* A watch tells what changed about who touches whom between two looks at a world, and what hit what in the last step
 * (docs/embedding/touches.md). It remembers what it told, so that each begin has its end whatever happens to the world in
 * between: steps, inputs, removed bodies, cairn_world_restore. It is no part of the world's state. */
typedef struct cairn_watch cairn_watch;

typedef enum cairn_touch_kind {
	CAIRN_TOUCH_BEGIN,   /* two bodies touch that did not at the last look */
	CAIRN_TOUCH_PERSIST, /* they did, and do */
	CAIRN_TOUCH_END,     /* they did, and do not; one of them may be gone */
	CAIRN_TOUCH_HIT      /* an impact of the last step: see cairn_world_impacts */
} cairn_touch_kind;

typedef struct cairn_touch {
	cairn_touch_kind kind;
	cairn_body a, b; /* a is first in the world's order */
	uint32_t first,
		point_count;    /* of the watch's contacts; none at an end or a hit. a and b of a contact may be swapped */
	double time;        /* s: of the look; of a hit: of the impact */
	cairn_vec3 point;   /* world: the mean of the points; of a hit: where; of an end: zero */
	cairn_vec3 impulse; /* N s, on b: the sum over the points, what held them as the frame began; of a hit: its own */
} cairn_touch;

/* It has not looked yet: the first update tells all touches as begins. NULL on failure: CAIRN_MEMORY. */
CAIRN_API cairn_watch *cairn_watch_create(const cairn_world *world, cairn_error *error);
/* Looks. Touches are in the order of a, then b, then hits in the order of cairn_world_impacts; those of a step that a watch has
 * looked at are not told again. False: memory ran out, and nothing was told. */
CAIRN_API bool cairn_watch_update(cairn_watch *watch, cairn_error *error);
CAIRN_API void cairn_watch_destroy(cairn_watch *watch); /* NULL is fine; after its world too */
/* What the last update told; the arrays live until the next. */
CAIRN_API const cairn_touch *cairn_watch_touches(const cairn_watch *watch, uint32_t *count);
CAIRN_API const cairn_contact *cairn_watch_contacts(const cairn_watch *watch, uint32_t *count);

/* ---- Recording: what was ------------------------------------------------------------------------------ */

typedef struct cairn_recording cairn_recording;

typedef struct cairn_recording_def {
	cairn_allocator allocator;
	bool replace; /* an existing file is an error otherwise */
	uint32_t
		checkpoint_every; /* frames between full checkpoints; 60; 0: only the first. A resumed file keeps its own */
} cairn_recording_def;

CAIRN_API cairn_recording_def cairn_default_recording_def(void);

/* Writing. The file begins with the world's scene and its current frame, and is readable up to the last whole frame
 * at every moment. def may be NULL. */
CAIRN_API cairn_recording *cairn_recording_create(const char *path, const cairn_world *world,
                                                  const cairn_recording_def *def, cairn_error *error);
/* Goes on with a file: *world is made anew (caller owns it) and stands at the last whole frame. */
CAIRN_API cairn_recording *cairn_recording_resume(const char *path, const cairn_world_def *world_def,
                                                  const cairn_recording_def *def, cairn_world **world,
                                                  cairn_error *error);
/* After each step. The report is the one that step returned. */
CAIRN_API bool cairn_recording_append(cairn_recording *recording, const cairn_world *world,
                                      const cairn_step_report *report, cairn_error *error);
/* Marks the run as complete (the frames asked for were reached) and closes a recording being written, also when it
 * returns false. */
CAIRN_API bool cairn_recording_finish(cairn_recording *recording, cairn_error *error);
/* Closes one that is being read, or leaves one that is being written incomplete. NULL is fine. */
CAIRN_API void cairn_recording_close(cairn_recording *recording);

/* Reading. A file that ends in the middle of a frame opens up to its last whole one (info.truncated); so does one
 * with a damaged byte (info.damaged, and the message says at which frame). */
CAIRN_API cairn_recording *cairn_recording_open(const char *path, const cairn_recording_def *def, cairn_error *error);

typedef struct cairn_recording_info {
	uint32_t first_frame, last_frame; /* both recorded */
	uint32_t bodies;                  /* that were ever there */
	uint64_t hash;                    /* chained over all frames: docs/determinism.md */
	uint64_t size;                    /* bytes of the file */
	bool complete, truncated, damaged;
	char note[200];   /* what is wrong, for people; "" if nothing */
	char version[24]; /* of the library that wrote it */
} cairn_recording_info;

CAIRN_API cairn_recording_info cairn_recording_get_info(const cairn_recording *recording);
CAIRN_API const cairn_scene *cairn_recording_scene(const cairn_recording *recording);

/* A body's life in the recording; numbered by serial. */
typedef struct cairn_track {
	cairn_body_info info; /* strings live as long as the recording */
	cairn_body body;
	uint32_t first_frame, last_frame; /* both with keys */
	cairn_key first_key;
} cairn_track;

CAIRN_API cairn_track cairn_recording_track(const cairn_recording *recording, uint32_t index);

typedef struct cairn_track_key {
	uint32_t track;
	bool asleep;
	cairn_key key;
} cairn_track_key;

/* One frame: keys ordered by track, then time. Fixed bodies are in it too. Arrays live until the next read. */
typedef struct cairn_frame {
	uint32_t frame;
	double time;
	uint32_t key_count;
	const cairn_track_key *keys;
	cairn_step_report report;
	uint64_t state_hash;
	const void *inputs; /* given before the step that led here */
	size_t input_size;
} cairn_frame;

CAIRN_API bool cairn_recording_read(cairn_recording *recording, uint32_t frame, cairn_frame *out, cairn_error *error);

/* Pairs of tracks that the promise does not cover because a joint holds them together. Beside these, pairs are exempt
 * whose group and mask say so (in the track's info), and fixed and scripted bodies among themselves. */
CAIRN_API uint32_t cairn_recording_exempt_count(const cairn_recording *recording);
CAIRN_API void cairn_recording_exempt(const cairn_recording *recording, uint32_t index, uint32_t *a, uint32_t *b);

/* The certificate of a whole recording, from its keys alone: every pair, every frame, every interval. */
typedef struct cairn_certify_def {
	cairn_allocator allocator;
	uint32_t threads;  /* 0: one for each core */
	uint32_t from, to; /* frames, both included and recorded; 0, UINT32_MAX: the first, the last */
	bool (*progress)(void *context, uint32_t frame, uint32_t total); /* may be NULL; false stops */
	void *context;
} cairn_certify_def;

CAIRN_API cairn_certify_def cairn_default_certify_def(void);

typedef struct cairn_certify_result {
	cairn_certificate certificate; /* over all frames */
	uint32_t frames, bodies;
	uint64_t exempt;                         /* pairs of bodies that the promise does not cover */
	uint32_t min_gap_frame, min_gap_pair[2]; /* tracks; UINT32_MAX: nothing came near */
	uint32_t first_frame, first_pair[2];     /* of the first overlap or passage; UINT32_MAX: none */
	double first_time, first_depth;          /* s; m: how deep, a lower bound of the gap made positive */
	bool measured; /* of a recording that promised nothing: its method has no guarantee (docs/methods.md) */
} cairn_certify_result;

/* False when it could not be carried out: error says why; a progress call that stops it gives CAIRN_FAILED,
 * "stopped". */
CAIRN_API bool cairn_recording_certify(cairn_recording *recording, const cairn_certify_def *def,
                                       cairn_certify_result *result, cairn_error *error);

/* A world at the recording's first frame, for running it again: replay each frame's inputs, then step. */
CAIRN_API cairn_world *cairn_recording_world(cairn_recording *recording, const cairn_world_def *def,
                                             cairn_error *error);
/* The same at any of its frames: from the checkpoint before it, running again what lies between. The hash is compared
 * with the recorded one; another one is an error (a different library wrote the file). */
CAIRN_API cairn_world *cairn_recording_world_at(cairn_recording *recording, uint32_t frame, const cairn_world_def *def,
                                                cairn_error *error);

/* ---- Trajectories: what others made ------------------------------------------------------------------- */

/* The motion of bodies as plain text, by whatever program (docs/trajectory-format.md): what there is to certify of it. */
typedef struct cairn_trajectory cairn_trajectory;

/* Reads a file; files and allocator may be NULL: the default ones. NULL on failure: CAIRN_FILE with the line, or
 * CAIRN_MEMORY. */
CAIRN_API cairn_trajectory *cairn_trajectory_read(const char *path, const cairn_files *files,
                                                  const cairn_allocator *allocator, cairn_error *error);
/* The same from text in memory; name stands for the file's path in messages. */
CAIRN_API cairn_trajectory *cairn_trajectory_read_text(const char *text, size_t size, const char *name,
                                                       const cairn_allocator *allocator, cairn_error *error);
CAIRN_API void cairn_trajectory_free(cairn_trajectory *trajectory); /* NULL is fine */

typedef struct cairn_trajectory_info {
	uint32_t first_frame, last_frame; /* both there */
	uint32_t bodies;
} cairn_trajectory_info;

CAIRN_API cairn_trajectory_info cairn_trajectory_get_info(const cairn_trajectory *trajectory);
CAIRN_API const char *cairn_trajectory_body_name(const cairn_trajectory *trajectory, uint32_t body); /* "": none */
/* The certificate, as of a recording: the result's tracks are the numbers of bodies. */
CAIRN_API bool cairn_trajectory_certify(cairn_trajectory *trajectory, const cairn_certify_def *def,
                                        cairn_certify_result *result, cairn_error *error);

/* ---- Exporters: what others read ---------------------------------------------------------------------- */

/* Something long and thin between two bodies, or a body and a point: a rope, an arm. It is shown while its ends are as far apart
 * as it may be long. */
typedef struct cairn_rod_end {
	uint32_t track; /* of the recording, or the index of a body of the scene; UINT32_MAX: it stays where it is */
	cairn_vec3 at;  /* m, in the frame of the body's shape, or of the world */
} cairn_rod_end;

typedef struct cairn_rod {
	cairn_rod_end ends[2];
	double low, high; /* m */
} cairn_rod;

/* What a joint of a scene is seen as, by index: ropes between two points, and the arm of a body that hangs on a point
 * beyond it. Returns how many. Their tracks are indices of bodies. */
CAIRN_API uint32_t cairn_scene_rods(const cairn_scene *scene, uint32_t joint, cairn_rod rods[2]);
CAIRN_API double cairn_scene_rod_radius(const cairn_scene *scene, uint32_t joint); /* m; 0: it is not seen */

typedef struct cairn_export_def {
	cairn_allocator allocator;
	uint32_t from, to; /* frames, both included and recorded; 0, UINT32_MAX: the first, the last */
	/* What is seen of it in the formats that are for looking, .glb and .usda. view: camera and light; NULL: those of the scene. opacity: of each track, 0
	 * (left out) to 1; NULL: 1. */
	const cairn_view *view;
	const double *opacity;
	const cairn_rod *rods; /* rod_count of them; NULL: those of the scene's joints (cairn_scene_rods) */
	uint32_t rod_count;
	double rod_radius;                                               /* m; of the rods given */
	bool (*progress)(void *context, uint32_t frame, uint32_t total); /* may be NULL; false stops */
	void *context;
} cairn_export_def;

CAIRN_API cairn_export_def cairn_default_export_def(void);

/* The formats there are. NULL past the end. */
typedef struct cairn_export_format {
	const char *ending;  /* ".glb" */
	const char *title;   /* "glTF 2.0" */
	const char *readers; /* who or what it is for */
} cairn_export_format;

CAIRN_API const cairn_export_format *cairn_export_format_at(uint32_t index);
CAIRN_API const cairn_export_format *cairn_export_format_of(const char *path); /* by its ending; NULL: none of them */
/* Writes all endings as words, ".glb, .usda or .csv", always terminated. */
CAIRN_API void cairn_export_endings(char *text, size_t size);

/* The format is the file name's ending. Written beside the target and moved over it when whole. */
CAIRN_API bool cairn_export(cairn_recording *recording, const char *path, const cairn_export_def *def,
                            cairn_error *error);

#ifdef __cplusplus
}
#endif
#endif
