/* What exported files show a recording with where its scene does not say: the camera, the light,
 * the glass and the rods of its picture. */
#ifndef EXPORT_LOOK_H
#define EXPORT_LOOK_H

#include "cairn/cairn.h"

typedef struct export_look {
	cairn_view view;
	double *opacity; /* of each track */
	cairn_rod *rods;
} export_look;

/* Gives the def its view, opacity and rods, which live as long as the look. */
bool export_look_open(export_look *look, cairn_recording *recording, cairn_export_def *def, cairn_error *error);
void export_look_close(export_look *look);

#endif
