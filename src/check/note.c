/* Where a check found something first, and the keys of a body. */
#include "check/frame_parts.h"

static bool earlier(const cn_check_place *p, const cn_check_place *q)
{
	if (p->t != q->t)
		return p->t < q->t;
	return p->a != q->a ? p->a < q->a : p->b < q->b;
}

void cn_check_note(cn_check_place *first, cn_check_place place)
{
	if (first->a == CN_CHECK_NONE || earlier(&place, first))
		*first = place;
}

const cn_check_key *cn_check_keys(const cn_certifier *c, const cn_check_body *b)
{
	return b->key_count ? c->frame.keys + b->key_first : NULL;
}
