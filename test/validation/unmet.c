/* What is known not to be met. A test fails when one of these gets worse, and when one is met in every way a row is run,
 * so that it leaves the list. */
#include "validate.h"

#include <string.h>

/* Measured at the time of writing, and half as much again. */
static const char line_why[] =
	"Dominoes end within a centimetre of their line at 30 frames a second and at 240 within half of that. What is left "
	"does "
	"not fall with the step, for rigid bodies with Coulomb friction may fall out of line: with every program solved to "
	"the "
	"end, in double, the fall is its own mirror image to 1e-15 m for a second. Then, five dominoes down, a program "
	"that is its "
	"own mirror image to 1e-13 has an answer that is not, with a residual of 3e-14 m/s: so it has several, and "
	"rounding "
	"chooses. One corner of an edge then carries more than the other, and friction there turns the domino.";
static const char pitch_why[] =
	"Not mended yet. After 10 s some gaps between rings are still narrower than the 0.02 mm asked for (0.007 mm at the "
	"worst, 0.016 to 0.02 mm at the others), and what is pressed does not get them back; rings lean by up to 2e-4 rad.";

static const char crack_why[] =
	"Not mended yet. A spike and a wedge that slide along the bottom of a crack leave its middle by up to 1e-6 m while "
	"they slide, and go no further once they stand.";

static const char net_why[] = "Not mended yet, and why is not known. The net is its mirror image to the bit until its "
							  "links are drawn tight, after "
							  "0.2 s; from then on it is off by millimetres, and by 9 cm after two seconds.";

static const unmet list[] = {
	{"ring-chain", "pitch", 2e-5, pitch_why},
	{"erleben", "off the mirror plane, sliding in a crack", 1.5e-6, crack_why},
	{"net", "off the mirror image", 0.15, net_why},
	{"dominoes", "out of line at the end, errors fall", 3, line_why},
};

const unmet *find_unmet(const char *of, const char *what)
{
	for (size_t i = 0; i < sizeof list / sizeof *list; ++i)
		if (strcmp(list[i].row, of) == 0 && strcmp(list[i].what, what) == 0)
			return &list[i];
	return NULL;
}
