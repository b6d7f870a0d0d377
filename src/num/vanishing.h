/* Forces at resting contacts by the text's guess of which of them vanish (RBS 3.4, "Finding the Vanishing Contact Points"), dense, a
 * few hundred at most. What it looks for is the solution of a linear complementarity problem, which num/lcp.h finds without a
 * guess; it is here to be compared. */
#ifndef CN_VANISHING_H
#define CN_VANISHING_H

#include "base/arena.h"

typedef enum cn_vanishing {
	CN_VANISHING_NONE,    /* right: no contact vanishes */
	CN_VANISHING_GUESSED, /* right: those vanish that the least sum of forces lets accelerate apart */
	CN_VANISHING_WRONG,   /* neither: f is the least sum of forces, which does work */
	CN_VANISHING_FAILED,  /* not even that was found; f is 0 */
	CN_VANISHING_MEMORY
} cn_vanishing;

/* a = Mf + b, f >= 0, a >= 0, f.a = 0; m row by row. Memory comes from the arena and is given back. */
cn_vanishing cn_vanishing_guess(cn_arena *arena, uint32_t n, const double *m, const double *b, double *f);

#endif
