/* cairn import: files of robots, figures and things become scenes.
 *
 * An importer reads one kind of files into a model of links, joints and geometries, as the file has them, and notes
 * what it does not take over. What follows is the same for all: masses (import_mass.c), links without mass and links
 * with several joints (import_figure.c), who may touch whom (import_pass.c), and the scene (import_write.c). */
#ifndef IMPORT_H
#define IMPORT_H

#include "message.h"
#include "options.h"
#include "pool.h"
#include "xml.h"

#define IMPORT_NONE SIZE_MAX /* an index of nothing: the world */

/* Where something stood. */
typedef struct import_place {
	const char *file; /* NULL: nowhere */
	int line, column;
} import_place;

typedef enum import_shape {
	IMPORT_SPHERE,    /* size.x: radius */
	IMPORT_BOX,       /* size: full edge lengths */
	IMPORT_CAPSULE,   /* size.x: radius, size.z: length without the caps; axis z */
	IMPORT_CYLINDER,  /* size.x: radius, size.z: length */
	IMPORT_ELLIPSOID, /* size: half axes */
	IMPORT_HULL,      /* points */
	IMPORT_MESH,      /* file */
	IMPORT_PLANE      /* all below its z = 0 */
} import_shape;

/* What a body weighs, in the frame of its link. */
typedef struct import_mass {
	double mass;
	cairn_vec3 center;
	double inertia[9]; /* about the centre, axes of the link */
} import_mass;

typedef struct import_geom {
	const char *name; /* "": none */
	size_t link;      /* IMPORT_NONE: of the world */
	import_shape shape;
	cairn_vec3 size;
	cairn_pose pose; /* in the frame of the link */
	cairn_vec3 *points;
	size_t point_count;
	import_mass own;     /* of the geometry in its own frame, at density 1; a hull's is that of its mesh */
	double mass;         /* kg; below 0: from the density */
	double density;      /* kg/m^3 */
	bool weighs;         /* counts where the link's mass comes from geometries */
	bool collides;       /* else it is to be seen only */
	uint32_t type, with; /* two touch if the type of one has a bit of the with of the other */
	double friction;
	bool slick; /* touches without friction what is slick too */
	bool has_color;
	cairn_color color;  /* as files have it: on the sRGB scale */
	const char *file;   /* of a mesh, beside the scene */
	bool shell;         /* of a mesh: thin */
	const char *visual; /* a file of what is seen of its body, beside the scene; NULL: its shape */
	double restitution;
	double roughness; /* below 0: not said */
	import_place place;
} import_geom;

typedef enum import_joint_type { IMPORT_HINGE, IMPORT_SLIDE, IMPORT_BALL, IMPORT_FREE } import_joint_type;

/* It is pushed with stiffness (spring - value) - damping rate, and by an actuator with push - gain value - gain_speed rate,
 * up to most. Values are the file's own. */
typedef struct import_joint {
	const char *name;
	import_joint_type type;
	size_t link;         /* it moves this one against its parent */
	cairn_vec3 at, axis; /* in the frame of the link; the axis is a unit */
	bool limited;
	double low, high;
	double rest;              /* the value that the file's poses stand for */
	double start;             /* the value at the start */
	cairn_quat turn;          /* of a ball at the start */
	cairn_vec3 anchor, way;   /* world, at the start: import_figure.c */
	double stiffness, spring; /* passive: of its own spring, and where that is at rest */
	double damping;
	double gain, gain_speed, push, most; /* of an actuator; most infinite: no limit */
	bool driven;
	import_place place;
} import_joint;

typedef struct import_link {
	const char *name;
	size_t parent;   /* IMPORT_NONE: the world */
	cairn_pose pose; /* in the parent's frame, where joints have their rest value */
	size_t *joints, joint_count, joint_capacity;
	bool weighed; /* the file gives its mass */
	import_mass mass;
	cairn_vec3 velocity, spin; /* at the start, world axes */
	cairn_pose stands;         /* in the world, at the start */
	bool fixed, gone;          /* part of the world; without mass and part of its parent */
	bool carrier;              /* stands between two joints of one link of the file */
	size_t weld;               /* the first link that it is fixed to; IMPORT_NONE: the world */
	import_place place;
} import_link;

/* Two bodies of the world are held together at a point, or altogether: a loop. */
typedef struct import_tie {
	size_t a, b; /* IMPORT_NONE: the world */
	bool weld;
	cairn_vec3 at; /* in the frame of a */
	import_place place;
} import_tie;

typedef struct import_pair {
	size_t a, b;
	const char *why; /* NULL: the file says so */
} import_pair;

typedef struct import_note {
	import_place place;
	const char *what, *why;
} import_note;

/* A file that goes beside the scene. */
typedef struct import_file {
	const char *path; /* as the scene names it */
	const char *data;
	size_t size;
} import_file;

typedef struct import {
	pool memory;
	const options *asked;
	const char *path; /* of the file */
	char *folder;     /* that it lies in, links followed, with a slash at its end */
	cairn_error error;
	const char *title; /* the model's name */
	const char *stem;  /* of the scene's file, without its folder and ending: what files beside it begin with */
	bool things;       /* bodies of a picture rather than links of a figure */
	uint32_t exact;    /* of these, hollow ones that move as their meshes: slow */
	cairn_vec3 gravity;
	double lift;                      /* m: what is free is raised by */
	cairn_scene *made;                /* the scene that came out of it */
	cairn_scene *shapes;              /* where single shapes are tried */
	double total_mass;                /* kg that all links weigh; 0: as they are */
	double least_mass, least_inertia; /* of every link that weighs something */
	bool raised;                      /* a figure was raised out of a floor since the scene was written */
	bool balance;                     /* impossible moments become their mean */

	import_link *links;
	import_joint *joints;
	import_geom *geoms;
	import_tie *ties;
	import_pair *pairs; /* that do not collide */
	import_note *notes;
	import_file *files;
	size_t file_count, file_capacity;
	size_t link_count, link_capacity, joint_count, joint_capacity, geom_count, geom_capacity;
	size_t tie_count, tie_capacity, pair_count, pair_capacity, note_count, note_capacity;

	const char **bodies; /* for each link and then each geometry of the world: its name in the scene; NULL: none */
} import;

/* One kind of files. */
typedef struct importer {
	const char *endings; /* a space between; letters of any size */
	const char *title;   /* for people */
	bool xml;            /* cannot do without expat */
	bool (*read)(import *im);
} importer;

extern const importer importers[]; /* title NULL ends it */

/* ---- import.c: what importers use */

import_place place_of(const xml_node *node);
bool import_fail(import *im, import_place place, const char *format, ...) LIKE_PRINTF(3, 4); /* false */
void import_note_at(import *im, import_place place, const char *what, const char *why);      /* copies what */
size_t import_add_link(import *im, const char *name, size_t parent, cairn_pose pose);
import_joint *import_add_joint(import *im, size_t link, import_joint_type type, const char *name);
import_geom *import_add_geom(import *im, size_t link);
void import_add_tie(import *im, import_tie tie);
void import_add_pair(import *im, size_t a, size_t b, const char *why);
size_t import_find_link(const import *im, const char *name);
import_joint *import_find_joint(const import *im, const char *name);

/* A file that a file names, relative to the folder of the one that was asked for: its path, of which it has one, and its bytes.
 * It must lie in there unless the files are trusted. NULL: it failed, at the place. */
const char *import_find_file(import *im, import_place place, const char *path);
const char *import_read_file(import *im, import_place place, const char *path, size_t *size);
const char *import_open(import *im, size_t *size); /* the file itself */

/* Numbers of an attribute's text, separated by white space. */
bool import_numbers(import *im, const xml_node *node, const char *text, const char *name, double *numbers, size_t least,
                    size_t most, size_t *count);
/* Notes all that nobody asked for. reason gives the why, or NULL. */
typedef const char *import_reason(const char *tag, const char *attribute);
void import_note_unused(import *im, const xml_node *node, import_reason *reason);

/* ---- import_file.c */

/* A mesh as a file beside the scene, with what else it has (colours, texture coordinates); returns its path. The same mesh is one
 * file. */
const char *import_mesh_file(import *im, const char *name, const cairn_asset_mesh *mesh);
/* Reads the files that go beside the scene, for the library. */
cairn_files import_files(import *im);
/* Writes them into the folder of the scene. An exit status. */
int import_write_files(const import *im, const char *output, bool force);

/* ---- import_mesh.c */

/* The triangles of a mesh file as a hull, with the mass of the mesh at density 1. */
bool import_hull(import *im, import_geom *geom, const char *path, cairn_vec3 scale);
/* The hull of points that geom has, in place; own too. */
bool import_hull_points(import *im, import_geom *geom);

/* ---- import_mass.c */

void import_geom_own(import *im, import_geom *geom);   /* of what is no hull */
import_mass import_geom_mass(const import_geom *geom); /* in the frame of its link */
import_mass mass_add(import_mass a, import_mass b);
import_mass mass_moved(import_mass m, cairn_pose pose);
bool mass_possible(const import_mass *m, double slack);     /* moments above 0, none above the sum of the others */
void mass_moments(const import_mass *m, double moments[3]); /* rising */
bool import_weigh(import *im);                              /* every link, and says which is impossible */

/* ---- import_figure.c */

bool import_figure(import *im); /* who is part of whom, carriers, and where all stand at the start */
size_t import_free_root(const import *im, size_t link); /* the free link that it hangs on; IMPORT_NONE: none */
void import_raise(import *im, size_t root, double by);  /* all that hangs on a free link, or (IMPORT_NONE) on any */

/* ---- import_pass.c */

bool import_pass(import *im, const char *scene, size_t size); /* pairs that overlap at the start, by the scene so far */

/* ---- import_write.c */

void import_name_bodies(import *im);
/* bodies_only: without joints, for a method that lets bodies overlap. */
void import_write(import *im, FILE *out, bool bodies_only);

/* ---- importers */

bool import_read_xml(import *im);
bool import_read_asset(import *im);
bool import_urdf(import *im, xml_node *root);
bool import_mjcf(import *im, xml_node *root);

#endif
