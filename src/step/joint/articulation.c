/* Articulations: which bodies joints hold together, the rows of each and the pattern of its matrix. They are built
 * anew when a joint appears or breaks. The functions at the end tell other rooms which bodies move together and which
 * pairs do not collide. */
#include "step/joint/articulation.h"

#include "base/sort.h"
#include "world/joint.h"

/* ---- memory */

static void free_factors(cairn_world *w, cn_articulations *g)
{
	for (uint32_t i = 0; i < g->count; ++i) {
		cn_ldl_free(&w->allocator, g->all[i].ldl);
		cn_joint_tree_free(g->all[i].tree);
		g->all[i].ldl = NULL, g->all[i].tree = NULL;
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

/* ---- building */

static bool link(const cairn_world *w, uint32_t slot) { return slot != CN_NO_BODY && w->rotors[slot].active; }

static uint32_t root_of(uint32_t *root, uint32_t slot)
{
	while (root[slot] != slot)
		slot = root[slot] = root[root[slot]];
	return slot;
}

/* root[slot]: the lowest slot that joints connect it to. */
static void tie(const cairn_world *w, const uint8_t *stands, uint32_t *root)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		root[slot] = slot;
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		if (!stands[i] || !link(w, j->a) || !link(w, j->b))
			continue;
		uint32_t a = root_of(root, j->a), b = root_of(root, j->b);
		root[a > b ? a : b] = a < b ? a : b;
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		root[slot] = root_of(root, slot);
}

/* Puts bodies behind each other, articulation after articulation, in the order of their slots. */
static bool place_bodies(cairn_world *w, cn_articulations *g)
{
	for (uint32_t i = 0; i < w->slots; ++i)
		if (g->of[i] != CN_QP_NONE)
			++g->all[g->of[i]].links, ++g->link_count;
	if (!CN_ROOM(g->links, g->link_count + 1))
		return false;
	for (uint32_t k = 0, at = 0; k < g->count; at += g->all[k].links, ++k)
		g->all[k].link = at;
	for (uint32_t k = 0; k < g->count; ++k)
		g->all[k].links = 0;
	for (uint32_t i = 0; i < w->slots; ++i) {
		if (g->of[i] == CN_QP_NONE)
			continue;
		cn_articulation *art = &g->all[g->of[i]];
		g->link[i] = art->link + art->links++;
		g->links[g->link[i]] = (cn_link){.slot = i};
	}
	return true;
}

/* The articulation that a joint is part of; CN_QP_NONE: it does not stand, or holds no body of one. */
static uint32_t part_of(const cairn_world *w, const cn_articulations *g, uint32_t joint)
{
	const cn_joint *j = &w->joints[joint];
	uint32_t any = link(w, j->a) ? j->a : j->b;
	return g->stands[joint] && link(w, any) ? g->of[any] : CN_QP_NONE;
}

/* The same of joints, in the scene's order. */
static bool place_joints(cairn_world *w, cn_articulations *g)
{
	uint32_t joints = w->scene->joint_count, art;
	for (uint32_t i = 0; i < joints; ++i)
		if ((art = part_of(w, g, i)) != CN_QP_NONE)
			++g->all[art].joints, ++g->joint_count;
	if (!CN_ROOM(g->joints, g->joint_count + 1))
		return false;
	for (uint32_t k = 0, at = 0; k < g->count; at += g->all[k].joints, ++k)
		g->all[k].joint = at;
	for (uint32_t k = 0; k < g->count; ++k)
		g->all[k].joints = 0;
	for (uint32_t i = 0; i < joints; ++i)
		if ((art = part_of(w, g, i)) != CN_QP_NONE)
			g->joints[g->all[art].joint + g->all[art].joints++] = i;
	return true;
}

/* Lists articulations by their lowest slot, with the bodies and joints of each in order. */
static bool list_articulations(cairn_world *w, cn_articulations *g)
{
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	uint32_t *root;
	if (!CN_LOCAL(root, w->slots + 1))
		return false;
	for (uint32_t i = 0; i < w->slots; ++i)
		g->of[i] = g->link[i] = CN_QP_NONE;
	tie(w, g->stands, root);
	g->link_count = g->joint_count = 0;
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		uint32_t any = link(w, j->a) ? j->a : j->b;
		if (g->stands[i] && link(w, any))
			g->of[root[any]] = 0; /* marks that there is one */
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
		if (link(w, i) && root[i] != i)
			g->of[i] = g->of[root[i]];
	if (!place_bodies(w, g) || !place_joints(w, g))
		return false;
	cn_arena_return(arena, mark);
	return true;
}

static uint32_t link_of(const cairn_world *w, const cn_articulations *g, uint32_t slot)
{
	return link(w, slot) ? g->link[slot] : CN_QP_NONE;
}

/* Lists the rows of an articulation joint by joint: first the equations, then the axes. */
static bool list_rows(cairn_world *w, cn_articulations *g, cn_articulation *art)
{
	bool held = false;
	art->row = g->row_count;
	for (uint32_t k = 0; k < art->joints; ++k) {
		uint32_t joint = g->joints[art->joint + k], count = cn_joint_equation_count(w, joint);
		const cn_joint *j = &w->joints[joint];
		uint32_t axes = cn_joint_axis_count(w, joint);
		const uint32_t slots[2] = {j->a, j->b};
		if (!CN_ROOM(g->rows, g->row_count + count + axes))
			return false;
		for (uint32_t i = 0; i < count + axes; ++i)
			g->rows[g->row_count++] =
				(cn_articulation_row){.a = link_of(w, g, j->a),
			                          .b = link_of(w, g, j->b),
			                          .joint = joint,
			                          .axis = i < count ? 0 : i - count,
			                          .hold = i < count ? CN_ROW_EQUATION_HOLDS : CN_ROW_AXIS_FREE};
		art->holds += !cn_joint_pulls(w, joint);
		for (int i = 0; i < 2; ++i) {
			double arm = v3_length(i ? j->arm_b : j->arm_a);
			if (link(w, slots[i]) && arm > art->size)
				art->size = arm;
			art->tied |= !link(w, slots[i]);
			held |= !link(w, slots[i]) && !cn_joint_pulls(w, joint);
			art->follows |= slots[i] != CN_NO_BODY && w->bodies[slots[i]].type == CAIRN_SCRIPTED;
		}
	}
	art->rows = g->row_count - art->row;
	art->loops = art->holds + !held > art->links; /* more joints than a tree has */
	for (uint32_t i = 0; i < art->links; ++i)
		if (w->bodies[g->links[art->link + i].slot].radius > art->size)
			art->size = w->bodies[g->links[art->link + i].slot].radius;
	return true;
}

/* The rows of each link, the last one first: head by link, next by row and side. */
typedef struct rows_of_links {
	uint32_t *head, *next;
} rows_of_links;

/* Entries of column c, whose rows share a link with it: both lists are merged, and turned round to ascend. */
static bool list_column(const cairn_world *w, cn_articulations *g, const cn_articulation *art, uint32_t c,
                        const rows_of_links *of)
{
	const cn_articulation_row *row = &g->rows[art->row + c];
	const uint32_t links[2] = {row->a, row->b}, first = g->entry_count;
	uint32_t at[2] = {CN_QP_NONE, CN_QP_NONE};
	for (uint32_t side = 0; side < 2; ++side) {
		if (links[side] == CN_QP_NONE)
			continue;
		at[side] = 2 * c + side;
		of->next[at[side]] = of->head[links[side] - art->link];
		of->head[links[side] - art->link] = at[side];
	}
	while (at[0] != CN_QP_NONE || at[1] != CN_QP_NONE) {
		uint32_t r = at[1] == CN_QP_NONE || (at[0] != CN_QP_NONE && at[0] / 2 > at[1] / 2) ? at[0] / 2 : at[1] / 2;
		if (!CN_ROOM(g->entries, g->entry_count + 1))
			return false;
		g->entries[g->entry_count++] = (cn_articulation_entry){r, c};
		for (int side = 0; side < 2; ++side)
			if (at[side] != CN_QP_NONE && at[side] / 2 == r)
				at[side] = of->next[at[side]];
	}
	for (uint32_t low = first, high = g->entry_count; low + 1 < high; ++low, --high) {
		cn_articulation_entry e = g->entries[low];
		g->entries[low] = g->entries[high - 1], g->entries[high - 1] = e;
	}
	return true;
}

/* The sparsity pattern of S: pairs of rows whose joints share a body. */
static bool list_entries(cairn_world *w, cn_articulations *g, const cn_articulation *art)
{
	const cairn_allocator *a = &w->allocator;
	rows_of_links of = {cn_alloc(a, art->links + 1, sizeof *of.head), cn_alloc(a, 2 * art->rows + 1, sizeof *of.next)};
	bool ok = of.head && of.next;
	for (uint32_t i = 0; ok && i < art->links; ++i)
		of.head[i] = CN_QP_NONE;
	for (uint32_t c = 0; ok && c < art->rows; ++c)
		ok = list_column(w, g, art, c, &of);
	cn_free(a, of.head, art->links + 1, sizeof *of.head);
	cn_free(a, of.next, 2 * art->rows + 1, sizeof *of.next);
	return ok;
}

static bool analyse(cairn_world *w, cn_articulations *g, cn_articulation *art)
{
	const cairn_allocator *a = &w->allocator;
	art->entry = g->entry_count;
	if (!list_entries(w, g, art))
		return false;
	art->entries = g->entry_count - art->entry;
	if (!art->rows)
		return true;
	cn_entry *pattern = cn_alloc(a, art->entries, sizeof *pattern);
	int8_t *signs = cn_alloc(a, art->rows, sizeof *signs);
	for (uint32_t i = 0; pattern && i < art->entries; ++i)
		pattern[i] = (cn_entry){.row = g->entries[art->entry + i].r, .column = g->entries[art->entry + i].c};
	for (uint32_t i = 0; signs && i < art->rows; ++i)
		signs[i] = 1;
	if (pattern && signs)
		art->ldl = cn_ldl_make(a, art->rows, pattern, art->entries, signs);
	cn_free(a, pattern, art->entries, sizeof *pattern);
	cn_free(a, signs, art->rows, sizeof *signs);
	return art->ldl != NULL;
}

/* Pairs of bodies whose joint keeps them from colliding. Broken joints count too, as their bodies may still overlap.
 * */
static bool list_exempt(cairn_world *w, cn_articulations *g)
{
	uint32_t joints = w->scene->joint_count, count = 0;
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	cn_sort_item *items;
	if (!CN_LOCAL(items, 2 * joints) || !CN_ROOM(g->exempt, joints))
		return false;
	for (uint32_t i = 0; i < joints; ++i) {
		const cn_joint *j = &w->joints[i];
		if (w->scene->joints[i].collide || j->a == CN_NO_BODY || j->b == CN_NO_BODY || !cn_joint_there(w, j))
			continue;
		uint64_t low = j->a < j->b ? j->a : j->b, high = j->a < j->b ? j->b : j->a;
		items[count++] = (cn_sort_item){.key = low << 32 | high};
	}
	cn_sort(items, items + joints, count);
	for (uint32_t i = 0; i < count; ++i)
		g->exempt[i] = items[i].key;
	g->exempt_count = count;
	cn_arena_return(arena, mark);
	return true;
}

static bool make_articulations(cairn_world *w, cn_articulations *g)
{
	g->row_count = g->entry_count = 0;
	if (!list_articulations(w, g))
		return false;
	for (uint32_t k = 0; k < g->count; ++k)
		if (!list_rows(w, g, &g->all[k]) || !analyse(w, g, &g->all[k]) || !cn_articulation_plant(w, g, &g->all[k]))
			return false;
	return CN_ROOM(g->values, g->entry_count + 1) && CN_ROOM(g->y, 3 * g->row_count + 1);
}

bool cn_articulations_begin(cairn_world *w)
{
	cn_context *c = w->context;
	uint32_t joints = w->scene->joint_count;
	if (!joints)
		return true;
	if (!c->articulations && !(c->articulations = cn_alloc(&w->allocator, 1, sizeof *c->articulations)))
		return false;
	cn_articulations *g = c->articulations;
	bool fresh = cn_array_room(g->stands) == 0 || g->slots != w->slots || g->changes != w->given.changes;
	if (!CN_ROOM(g->stands, joints) || !CN_ROOM(g->strains, joints) || !CN_ROOM(g->of, w->slots + 1) ||
	    !CN_ROOM(g->link, w->slots + 1))
		return false;
	for (uint32_t i = 0; i < joints; ++i) {
		uint8_t stands = cn_joint_stands(w, &w->joints[i]);
		fresh |= stands != g->stands[i];
		g->stands[i] = stands;
		g->strains[i] = (cn_strain){0};
		w->joints[i].near = w->joints[i].turn;
		cn_joint_follow(w, i);
	}
	if (fresh) {
		free_factors(w, g);
		for (uint32_t i = 0; i < joints; ++i)
			cn_joint_find_line(w, i);
		g->slots = 0;
		if (!make_articulations(w, g))
			return false;
		g->slots = w->slots, g->changes = w->given.changes;
	}
	if (!list_exempt(w, g)) /* every time: a body of a broken joint may be removed, and another may take its slot */
		return false;
	g->key_count = 0;
	for (uint32_t k = 0; k < g->count; ++k) {
		cn_articulation *art = &g->all[k];
		art->solved = art->drives = false, art->result = CN_ARTICULATION_FOLLOWED, art->pieces = 1;
		for (uint32_t i = art->joint; i < art->joint + art->joints; ++i) {
			uint32_t joint = g->joints[i], axes = cn_joint_axis_count(w, joint);
			art->drives |= w->joints[joint].motor != CAIRN_NO_MOTOR;
			for (uint32_t n = 0; n < axes; ++n)
				art->drives |= cn_joint_limited(cn_joint_limits(w, joint, n));
		}
	}
	return true;
}

/* ---- queries of other rooms */

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
		const cn_articulation *art = &g->all[k];
		uint32_t a = root_of(root, g->links[art->link].slot);
		for (uint32_t i = 1; i < art->links; ++i) {
			uint32_t b = root_of(root, g->links[art->link + i].slot);
			root[a > b ? a : b] = a < b ? a : b;
			a = a < b ? a : b;
		}
	}
}

bool cn_articulations_spread(const cairn_world *w, uint8_t *bodies)
{
	const cn_articulations *g = w->context->articulations;
	bool more = false;
	for (uint32_t k = 0; g && k < g->count; ++k) {
		const cn_articulation *art = &g->all[k];
		bool any = false;
		for (uint32_t i = 0; i < art->links; ++i)
			any |= bodies[g->links[art->link + i].slot] != 0;
		for (uint32_t i = 0; any && i < art->links; ++i) {
			uint32_t slot = g->links[art->link + i].slot;
			more |= !bodies[slot];
			bodies[slot] |= cn_body_movable(w, slot);
		}
	}
	return more;
}

bool cn_articulation_follows(const cairn_world *w, uint32_t slot)
{
	uint32_t art = cn_articulation_of(w, slot);
	return art != CN_QP_NONE && w->context->articulations->all[art].follows;
}

bool cn_articulation_tied(const cairn_world *w, uint32_t slot)
{
	uint32_t art = cn_articulation_of(w, slot);
	return art != CN_QP_NONE && w->context->articulations->all[art].tied;
}

uint32_t cn_articulation_bodies(const cairn_world *w, uint32_t slot, uint32_t number)
{
	const cn_articulations *g = w->context->articulations;
	if (!g || g->of[slot] == CN_QP_NONE || number >= g->all[g->of[slot]].links)
		return CN_QP_NONE;
	return g->links[g->all[g->of[slot]].link + number].slot;
}
