/* Room for the answer to a program, zeroed. */
#ifndef QP_ROOM_H
#define QP_ROOM_H

#include "num/qp.h"

#include <stdlib.h>

static inline cn_qp_solution qp_room(const cn_qp *qp)
{
	cn_qp_solution s = {calloc(qp->body_count + 1, sizeof *s.u), calloc(qp->contact_count + 1, sizeof *s.contact),
	                    calloc(qp->row_count + 1, sizeof *s.row)};
	if (!s.u || !s.contact || !s.row)
		abort();
	return s;
}

static inline void qp_room_free(cn_qp_solution *s) { free(s->u), free(s->contact), free(s->row); }

#endif
