/* Which bodies joints hold together, and what that means for the rest of a frame. See rig.h. */
#include "step/joint/articulation.h"

/* ---- memory */

static void free_factors(cairn_world *w, cn_articulations *g)
{
	for (uint32_t i = 0; i < g->count; ++i) {
		cn_ldl_free(&w->allocator, g->all[i].ldl);
		g->all[i].ldl = NULL;
	}
	g->count = 0;
}

void cn_articulations_destroy(cairn_world *w)
{
	cn_articulations *g = w->context ? w->context->articulations : NULL;
	if (!g)
		return;
	free_factors(w, g);
	cn_free(&w->allocator, g, 1, sizeof *g);
	w->context->articulations = NULL;
}

/* ---- making */

static bool limb(const cairn_world *w, uint32_t slot) { return slot != CN_NO_BODY && w->rotors[slot].active; }

static uint32_t root_of(uint32_t *root, uint32_t slot)
{
	while (root[slot] != slot)
		slot = root[slot] = root[root[slot]];
	return slot;
}

/* root[slot]: the least slot that joints tie it to. */
static void tie(const cairn_world *w, const uint8_t *stands, uint32_t *root)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		root[slot] = slot;
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		if (!stands[i] || !limb(w, j->a) || !limb(w, j->b))
			continue;
		uint32_t a = root_of(root, j->a), b = root_of(root, j->b);
		root[a > b ? a : b] = a < b ? a : b;
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		root[slot] = root_of(root, slot);
}

/* Rigs by their least body; bodies and joints of each in order. */
static bool list_rigs(cairn_world *w, cn_articulations *g)
{
	uint32_t *root = w->context->scratch.queue;
	for (uint32_t i = 0; i < w->slots; ++i)
		g->of[i] = g->link[i] = CN_QP_NONE;
	tie(w, g->stands, root);
	g->link_count = g->joint_count = 0;
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		uint32_t any = limb(w, j->a) ? j->a : j->b;
		if (g->stands[i] && limb(w, any))
			g->of[root[any]] = 0; /* a mark: there is one */
	}
	for (uint32_t i = 0; i < w->slots; ++i) {
		if (g->of[i] == CN_QP_NONE || root[i] != i)
			continue;
		if (!CN_ROOM(g->all, g->count + 1))
			return false;
		g->all[g->count] = (cn_articulation){0};
		g->of[i] = g->count++;
	}
	for (uint32_t i = 0; i < w->slots; ++i)
		if (limb(w, i) && root[i] != i)
			g->of[i] = g->of[root[i]];
	for (uint32_t k = 0; k < g->count; ++k) {
		cn_articulation *rig = &g->all[k];
		rig->link = g->link_count, rig->joint = g->joint_count;
		for (uint32_t i = 0; i < w->slots; ++i) {
			if (g->of[i] != k)
				continue;
			if (!CN_ROOM(g->links, g->link_count + 1))
				return false;
			g->link[i] = g->link_count;
			g->links[g->link_count++] = (cn_link){.slot = i};
		}
		for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
			const cn_joint *j = &w->joints[i];
			uint32_t any = limb(w, j->a) ? j->a : j->b;
			if (!g->stands[i] || !limb(w, any) || g->of[any] != k)
				continue;
			if (!CN_ROOM(g->joints, g->joint_count + 1))
				return false;
			g->joints[g->joint_count++] = i;
		}
		rig->links = g->link_count - rig->link, rig->joints = g->joint_count - rig->joint;
	}
	return true;
}

static uint32_t limb_of(const cairn_world *w, const cn_articulations *g, uint32_t slot)
{
	return limb(w, slot) ? g->link[slot] : CN_QP_NONE;
}

/* Rows of a rig's joints, in order: equations, then what is free. */
static bool list_rows(cairn_world *w, cn_articulations *g, cn_articulation *rig)
{
	rig->row = g->row_count;
	for (uint32_t k = 0; k < rig->joints; ++k) {
		uint32_t joint = g->joints[rig->joint + k], count = cn_joint_equation_count(w, joint);
		const cn_joint *j = &w->joints[joint];
		bool way = cn_joint_has_way(w, joint);
		const uint32_t slots[2] = {j->a, j->b};
		if (!CN_ROOM(g->rows, g->row_count + count + 1))
			return false;
		for (uint32_t i = 0; i < count + way; ++i)
			g->rows[g->row_count++] = (cn_articulation_row){.a = limb_of(w, g, j->a),
			                                                .b = limb_of(w, g, j->b),
			                                                .joint = joint,
			                                                .way = i == count,
			                                                .held = i < count};
		for (int i = 0; i < 2; ++i) {
			double arm = v3_length(i ? j->arm_b : j->arm_a);
			if (limb(w, slots[i]) && arm > rig->size)
				rig->size = arm;
			rig->tied |= !limb(w, slots[i]);
			rig->follows |= slots[i] != CN_NO_BODY && w->bodies[slots[i]].type == CAIRN_SCRIPTED;
		}
	}
	rig->rows = g->row_count - rig->row;
	rig->loops = rig->joints + !rig->tied > rig->links; /* more than a tree has */
	for (uint32_t i = 0; i < rig->links; ++i)
		if (w->bodies[g->links[rig->link + i].slot].radius > rig->size)
			rig->size = w->bodies[g->links[rig->link + i].slot].radius;
	return true;
}

static bool share_limb(const cn_articulation_row *r, const cn_articulation_row *c)
{
	return (r->a != CN_QP_NONE && (r->a == c->a || r->a == c->b)) ||
	       (r->b != CN_QP_NONE && (r->b == c->a || r->b == c->b));
}

/* The pattern of S: rows of joints that share a body. */
static bool analyse(cairn_world *w, cn_articulations *g, cn_articulation *rig)
{
	const cairn_allocator *a = &w->allocator;
	rig->entry = g->entry_count;
	for (uint32_t c = 0; c < rig->rows; ++c)
		for (uint32_t r = 0; r <= c; ++r) {
			if (r != c && !share_limb(&g->rows[rig->row + r], &g->rows[rig->row + c]))
				continue;
			if (!CN_ROOM(g->entries, g->entry_count + 1))
				return false;
			g->entries[g->entry_count++] = (cn_articulation_entry){r, c};
		}
	rig->entries = g->entry_count - rig->entry;
	if (!rig->rows)
		return true;
	cn_entry *pattern = cn_alloc(a, rig->entries, sizeof *pattern);
	int8_t *signs = cn_alloc(a, rig->rows, sizeof *signs);
	for (uint32_t i = 0; pattern && i < rig->entries; ++i)
		pattern[i] = (cn_entry){.row = g->entries[rig->entry + i].r, .column = g->entries[rig->entry + i].c};
	for (uint32_t i = 0; signs && i < rig->rows; ++i)
		signs[i] = 1;
	if (pattern && signs)
		rig->ldl = cn_ldl_make(a, rig->rows, pattern, rig->entries, signs);
	cn_free(a, pattern, rig->entries, sizeof *pattern);
	cn_free(a, signs, rig->rows, sizeof *signs);
	return rig->ldl != NULL;
}

/* Pairs that joints keep from colliding: those of broken ones too, which may lie in each other. */
static bool list_exempt(cairn_world *w, cn_articulations *g)
{
	g->exempt_count = 0;
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		if (w->scene->joints[i].collide || j->a == CN_NO_BODY || j->b == CN_NO_BODY || !cn_joint_there(w, j))
			continue;
		if (!CN_ROOM(g->exempt, g->exempt_count + 1))
			return false;
		uint64_t low = j->a < j->b ? j->a : j->b, high = j->a < j->b ? j->b : j->a, key = low << 32 | high;
		uint32_t at = g->exempt_count++;
		for (; at > 0 && g->exempt[at - 1] > key; --at)
			g->exempt[at] = g->exempt[at - 1];
		g->exempt[at] = key;
	}
	return true;
}

static bool make_rigs(cairn_world *w, cn_articulations *g)
{
	g->row_count = g->entry_count = 0;
	if (!list_rigs(w, g))
		return false;
	for (uint32_t k = 0; k < g->count; ++k)
		if (!list_rows(w, g, &g->all[k]) || !analyse(w, g, &g->all[k]))
			return false;
	return CN_ROOM(g->values, g->entry_count + 1) && CN_ROOM(g->y, 3 * g->row_count + 1);
}

/* Made anew when a joint has come or gone. */
bool cn_articulations_begin(cairn_world *w)
{
	cn_context *c = w->context;
	uint32_t joints = w->scene->joint_count;
	if (!joints)
		return true;
	if (!c->articulations && !(c->articulations = cn_alloc(&w->allocator, 1, sizeof *c->articulations)))
		return false;
	cn_articulations *g = c->articulations;
	bool fresh = cn_array_room(g->stands) == 0 || g->slots != w->slots;
	if (!CN_ROOM(g->stands, joints) || !CN_ROOM(g->strains, joints) || !CN_ROOM(g->of, w->slots + 1) ||
	    !CN_ROOM(g->link, w->slots + 1))
		return false;
	for (uint32_t i = 0; i < joints; ++i) {
		uint8_t stands = cn_joint_stands(w, &w->joints[i]);
		fresh |= stands != g->stands[i];
		g->stands[i] = stands;
		g->strains[i] = (cn_strain){0};
		w->joints[i].near = w->joints[i].turn;
	}
	if (fresh) {
		free_factors(w, g);
		g->slots = 0;
		if (!make_rigs(w, g))
			return false;
		g->slots = w->slots;
	}
	if (!list_exempt(w, g)) /* every time: a body of a broken joint may go, and another come into its slot */
		return false;
	g->key_count = 0;
	for (uint32_t k = 0; k < g->count; ++k) {
		cn_articulation *rig = &g->all[k];
		rig->solved = rig->lost = rig->drives = false, rig->pieces = 1;
		for (uint32_t i = rig->joint; i < rig->joint + rig->joints; ++i) {
			const cn_joint *j = &w->joints[g->joints[i]];
			rig->drives |= j->motor != CAIRN_NO_MOTOR ||
			               (cn_joint_has_way(w, g->joints[i]) && (isfinite(j->low) || isfinite(j->high)));
		}
	}
	return true;
}

/* ---- what it means for others */

uint32_t cn_articulation_of(const cairn_world *w, uint32_t slot)
{
	const cn_articulations *g = w->context ? w->context->articulations : NULL;
	return g ? g->of[slot] : CN_QP_NONE;
}

bool cn_articulations_exempt(const cairn_world *w, uint32_t a, uint32_t b)
{
	const cn_articulations *g = w->context->articulations;
	if (!g)
		return false;
	uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	uint32_t low = 0, high = g->exempt_count;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (g->exempt[mid] < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low < g->exempt_count && g->exempt[low] == key;
}

uint32_t cn_articulations_exempt_pairs(const cairn_world *w, const uint64_t **pairs)
{
	const cn_articulations *g = w->context ? w->context->articulations : NULL;
	*pairs = g ? g->exempt : NULL;
	return g ? g->exempt_count : 0;
}

void cn_articulations_join(const cairn_world *w, uint32_t *root)
{
	const cn_articulations *g = w->context->articulations;
	for (uint32_t k = 0; g && k < g->count; ++k) {
		const cn_articulation *rig = &g->all[k];
		uint32_t a = root_of(root, g->links[rig->link].slot);
		for (uint32_t i = 1; i < rig->links; ++i) {
			uint32_t b = root_of(root, g->links[rig->link + i].slot);
			root[a > b ? a : b] = a < b ? a : b;
			a = a < b ? a : b;
		}
	}
}

bool cn_articulations_spread(const cairn_world *w, uint8_t *flags)
{
	const cn_articulations *g = w->context->articulations;
	bool more = false;
	for (uint32_t k = 0; g && k < g->count; ++k) {
		const cn_articulation *rig = &g->all[k];
		bool any = false;
		for (uint32_t i = 0; i < rig->links; ++i)
			any |= flags[g->links[rig->link + i].slot] != 0;
		for (uint32_t i = 0; any && i < rig->links; ++i) {
			uint32_t slot = g->links[rig->link + i].slot;
			more |= !flags[slot];
			flags[slot] |= cn_body_movable(w, slot);
		}
	}
	return more;
}

bool cn_articulation_follows(const cairn_world *w, uint32_t slot)
{
	uint32_t rig = cn_articulation_of(w, slot);
	return rig != CN_QP_NONE && w->context->articulations->all[rig].follows;
}

bool cn_articulation_tied(const cairn_world *w, uint32_t slot)
{
	uint32_t rig = cn_articulation_of(w, slot);
	return rig != CN_QP_NONE && w->context->articulations->all[rig].tied;
}

uint32_t cn_articulation_bodies(const cairn_world *w, uint32_t slot, uint32_t number)
{
	const cn_articulations *g = w->context->articulations;
	if (!g || g->of[slot] == CN_QP_NONE || number >= g->all[g->of[slot]].links)
		return CN_QP_NONE;
	return g->links[g->all[g->of[slot]].link + number].slot;
}
