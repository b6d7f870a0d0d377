/* What a picture shows, before anything is drawn: who is where at a moment, who is seen and how, from where. */
#ifndef RENDER_STAGE_H
#define RENDER_STAGE_H

#include "render.h"

typedef enum stage_role {
	STAGE_SOLID,
	STAGE_GLASS, /* stands between the camera and what moves */
	STAGE_FLOOR, /* a half-space that faces up */
	STAGE_PANEL, /* another half-space: only a piece of it, as glass */
	STAGE_UNSEEN /* a half-space whose solid side the camera is in */
} stage_role;

typedef struct stage_track {
	stage_role role;
	cairn_body_type type;
	cairn_shape shape;
	cairn_shape shown; /* its visual, or its shape */
	cairn_pose offset; /* of what is shown, in the shape's frame */
	cairn_vec3 center;
	double radius;
	float color[3]; /* linear */
	float shine;    /* 1: as most bodies have it */
} stage_track;

typedef struct stage_pose {
	uint32_t track;
	cairn_pose pose; /* of the shape's frame */
	bool asleep;
} stage_pose;

/* Axes of the picture: x right, y up, z toward the viewer. */
typedef struct stage_view {
	cairn_vec3 eye, right, up, back;
	double tan_x, tan_y; /* of the half angles */
	double near, far;    /* m */
} stage_view;

typedef struct render_stage {
	cairn_recording *recording;
	const cairn_scene *scene;
	stage_track *tracks;
	uint32_t track_count, pose_capacity;
	stage_pose *poses; /* of the moment last read */
	uint32_t pose_count;
	stage_view view;
	cairn_view camera; /* that moves: keys, or a body that it follows */
	bool moves;
	uint32_t follow;                  /* its track */
	cairn_vec3 follow_from, followed; /* where the body began, where it is */
	cairn_vec3 sky;                   /* up: against gravity */
	cairn_vec3 sun;                   /* the way to it */
	cairn_color light;                /* its colour */
	cairn_vec3 middle;                /* of what moves and stands about it, over the frames in view */
	double extent;                    /* half its diagonal, m */
	double grain;                     /* the radius of a typical moving body, m */
} render_stage;

bool stage_open(render_stage *s, cairn_recording *recording, const render_def *def, cairn_error *error);
void stage_close(render_stage *s);

/* Fills poses with all that does not move, and half-spaces, whether they move or not: as they first were. */
void stage_read_standing(render_stage *s);
/* Fills poses: frame and part as for render_frame. A camera that moves is where it is then. */
bool stage_read(render_stage *s, uint32_t frame, double part, cairn_error *error);

/* render_camera.c: chooses view and sun, and with them the roles of what might hide something. */
bool stage_aim(render_stage *s, const render_def *def, cairn_error *error);
/* Puts a camera that moves to where it is at a time (s), with the poses of that moment read. */
void stage_move_camera(render_stage *s, double time);

#endif
