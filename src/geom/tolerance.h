/* Constants of the geometry that several of its files use; the others stand at the top of their files. */
#ifndef CN_GEOM_TOLERANCE_H
#define CN_GEOM_TOLERANCE_H

#define CN_PARALLEL 1e-8 /* rad: edges this close count as parallel; their axis would add less than this x size */
#define CN_HULL_ULPS                                                                                                   \
	32 /* a hull's points count as on it up to this x DBL_EPSILON x the largest coordinate: three times the worst rounding of a distance to a plane, so what is beyond it is outside */
#define CN_FLAT_VOLUME 1e-14 /* a closed surface with less volume than this x its area x its extent is flat: rounding */
#define CN_CONTACT_FLAT 0.5  /* cosine: a face steeper than this against the plane does not lie against it */
#define CN_CONTACT_STEEP 0.8 /* sine: nor an edge steeper than this; both keep the way back from the plane well posed */
#define CN_CONTACT_MERGE 1e-12 /* of the smaller part's size: corners of a contact polygon this close are one */
#define CN_CYLINDER_PARALLEL                                                                                           \
	1e-13 /* sine: an edge this close to the axis has no direction across both; the axis' own serves */
#define CN_CYLINDER_CONE 1e-14 /* rad: rounding of a normal that is to lie between two faces' */
#define CN_CYLINDER_FLAT 1e-8  /* rad: an end, a side or a face this close to the plane lies on it with all of it */

#endif
