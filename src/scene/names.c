/* See names.h. Linear probing; removal closes the gap, so that no tombstones are needed. */
#include "scene/names.h"

#include <string.h>

static uint32_t hash_text(const char *text)
{
	uint32_t h = 2166136261u; /* FNV-1a */
	for (; *text; ++text)
		h = (h ^ (uint8_t)*text) * 16777619u;
	return h ^ (h >> 15);
}

static uint32_t find_slot(const cn_names *names, const char *text)
{
	uint32_t i = hash_text(text) & (names->slot_count - 1);
	while (names->slots[i].text && strcmp(names->slots[i].text, text) != 0)
		i = (i + 1) & (names->slot_count - 1);
	return i;
}

void cn_names_free(const cairn_allocator *allocator, cn_names *names)
{
	cn_free(allocator, names->slots, names->slot_count, sizeof *names->slots);
	*names = (cn_names){0};
}

uint32_t cn_names_find(const cn_names *names, const char *text)
{
	if (!text || !*text || !names->count)
		return 0;
	cn_name slot = names->slots[find_slot(names, text)];
	return slot.text ? slot.value : 0;
}

bool cn_names_reserve(const cairn_allocator *allocator, cn_names *names, uint32_t more)
{
	uint32_t need = names->count + more;
	if (names->slots && need <= names->slot_count / 2)
		return true;
	cn_names larger = {.slot_count = names->slot_count ? names->slot_count : 16, .count = names->count};
	while (need > larger.slot_count / 2)
		larger.slot_count *= 2;
	larger.slots = cn_alloc(allocator, larger.slot_count, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; names->slots && i < names->slot_count; ++i)
		if (names->slots[i].text)
			larger.slots[find_slot(&larger, names->slots[i].text)] = names->slots[i];
	cn_names_free(allocator, names);
	*names = larger;
	return true;
}

void cn_names_add(cn_names *names, const char *text, uint32_t value)
{
	assert(value && names->count + 1 <= names->slot_count / 2);
	cn_name *slot = &names->slots[find_slot(names, text)];
	assert(!slot->text);
	*slot = (cn_name){text, value};
	++names->count;
}

void cn_names_remove(cn_names *names, const char *text)
{
	if (!cn_names_find(names, text))
		return;
	uint32_t mask = names->slot_count - 1, hole = find_slot(names, text), i = hole;
	names->slots[hole] = (cn_name){0};
	--names->count;
	for (;;) {
		i = (i + 1) & mask;
		if (!names->slots[i].text)
			return;
		uint32_t home = hash_text(names->slots[i].text) & mask;
		if (((i - home) & mask) < ((i - hole) & mask))
			continue; /* its home lies behind the hole: it stays reachable */
		names->slots[hole] = names->slots[i];
		names->slots[i] = (cn_name){0};
		hole = i;
	}
}
