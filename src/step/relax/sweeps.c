/* The sweeps for every machine. */
#define CN_SWEEPS const cn_relax_sweeps cn_relax_sweeps_plain

#include "step/relax/sweeps_all.h"
