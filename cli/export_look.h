/* What exported files and pages show a recording with where its scene does not say: the camera, the light,
 * the glass and the rods of its picture. */
#ifndef EXPORT_LOOK_H
#define EXPORT_LOOK_H

#include "cairn/cairn.h"

typedef struct export_look {
	cairn_view view;
	double *opacity; /* of each track */
	cairn_rod *rods;
} export_look;

/* Gives a view what it does not have: the camera and the light of the picture of these frames. */
bool export_look_view(cairn_view *view, cairn_recording *recording, uint32_t from, uint32_t to, cairn_error *error);
/* Gives the def its view, opacity and rods, which live as long as the look. */
bool export_look_open(export_look *look, cairn_recording *recording, cairn_export_def *def, cairn_error *error);
void export_look_close(export_look *look);

#endif
