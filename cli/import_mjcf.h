/* MJCF: what the parts of its importer share. */
#ifndef IMPORT_MJCF_H
#define IMPORT_MJCF_H

#include "import.h"

typedef struct mjcf_class {
	const char *name, *above; /* above NULL: the outermost */
	xml_node *node;
} mjcf_class;

typedef struct mjcf_word {
	const char *tag, *name;
} mjcf_word;

typedef struct mjcf_mesh {
	const char *name, *path; /* path NULL: points */
	cairn_vec3 scale;
	cairn_vec3 *points;
	size_t point_count;
	bool turned; /* it has a frame of its own, which is not taken over */
	xml_node *node;
} mjcf_mesh;

typedef struct mjcf {
	import *im;
	xml_node *root;
	/* compiler */
	double angle; /* rad in a unit of angles */
	char euler[4];
	const char *mesh_folder;
	bool unlimited;   /* a range alone does not limit */
	bool from_geoms;  /* masses come from geometries even where they are given */
	bool strip;       /* paths are names */
	bool global;      /* poses are of the world, not of the parent */
	cairn_pose frame; /* of the body that is read, in the world; with global alone */
	double groups[2]; /* of geometries that weigh */
	mjcf_class *classes;
	mjcf_mesh *meshes;
	mjcf_word *asked; /* for, in defaults too */
	size_t class_count, class_capacity, mesh_count, mesh_capacity, asked_count, asked_capacity;
	const double *qpos, *ctrl; /* of the key that was asked for; NULL: none */
	size_t qpos_count, ctrl_count;
} mjcf;

/* An attribute of an element, its own or that of its class; NULL: neither. */
const char *mjcf_ask(mjcf *m, xml_node *node, const char *name);
/* The same as numbers: those that are there replace the first of to. *count (may be NULL) is how many. */
bool mjcf_numbers(mjcf *m, xml_node *node, const char *name, double *to, size_t most, size_t *count);
bool mjcf_number(mjcf *m, xml_node *node, const char *name, double *to);
/* "true" or "false"; what it was where it is neither. */
bool mjcf_bool(mjcf *m, xml_node *node, const char *name, bool otherwise);
const char *mjcf_own(xml_node *node, const char *name); /* no class has it */
/* quat, axisangle, euler, xyaxes or zaxis of an element, and pos. */
bool mjcf_pose(mjcf *m, xml_node *node, cairn_pose *pose);

bool mjcf_bodies(mjcf *m); /* worldbody: import_mjcf_body.c */
bool mjcf_drives(mjcf *m); /* actuators, equalities, contacts: import_mjcf_drive.c */
bool mjcf_find_key(mjcf *m);
void mjcf_set_key(mjcf *m); /* joints begin where the key has them */

#endif
