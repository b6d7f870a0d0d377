/* Which methods, with which options. */
#include "compare.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

bool compare_takes(const char *method, const char *key)
{
	const cairn_option_info *row;
	for (uint32_t i = 0; (row = cairn_option_at(i)) != NULL; ++i) {
		if (strcmp(row->name, key) != 0)
			continue;
		size_t size = strlen(method);
		if (!*row->methods)
			return true;
		for (const char *at = row->methods; *at; at += strcspn(at, " "), at += strspn(at, " "))
			if (strcspn(at, " ") == size && memcmp(at, method, size) == 0)
				return true;
	}
	return false;
}

static const compare_column *find_column(const compare *c, const char *name, size_t size)
{
	for (uint32_t i = 0; i < c->count; ++i)
		if (strlen(c->columns[i].label) == size && memcmp(c->columns[i].label, name, size) == 0)
			return &c->columns[i];
	return NULL;
}

static compare_column *add_column(compare *c, const char *method, const char *label)
{
	compare_column *made = &c->columns[c->count++];
	const cairn_method_info *row;
	*made = (compare_column){.method = method, .finer = 1};
	for (uint32_t i = 0; (row = cairn_method_at(i)) != NULL; ++i)
		made->guaranteed |= row->guarantee && strcmp(row->name, method) == 0;
	snprintf(made->label, sizeof made->label, "%s", label);
	return made;
}

static int fail_method(const char *name)
{
	char list[300] = "";
	const char *near = word_nearest(WORDS_METHOD, name);
	for (size_t i = 0; word_at(WORDS_METHOD, i); ++i)
		if (strlen(list) + strlen(word_at(WORDS_METHOD, i)) + 3 < sizeof list)
			strcat(strcat(list, i ? ", " : ""), word_at(WORDS_METHOD, i));
	return say_and(STATUS_USAGE, "--methods: there is no method '%.60s'%s%s%s; there are: %s", name,
	               near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "", list);
}

static int add_method(compare *c, const char *name)
{
	int number = word_find(WORDS_METHOD, name);
	if (number < 0)
		return fail_method(name);
	if (find_column(c, name, strlen(name)))
		return say_and(STATUS_USAGE, "--methods names '%s' twice; a method has one column", name);
	if (c->count + 1 >= COMPARE_COLUMNS_MOST)
		return say_and(STATUS_USAGE, "--methods: at most %d methods", COMPARE_COLUMNS_MOST - 1);
	add_column(c, word_at(WORDS_METHOD, (size_t)number), name);
	return STATUS_DONE;
}

/* All there are, where none is named. */
static int ask_methods(compare *c)
{
	const char *text = c->o->methods;
	int result = STATUS_DONE;
	for (size_t i = 0; !text && word_at(WORDS_METHOD, i) && result == STATUS_DONE; ++i)
		result = add_method(c, word_at(WORDS_METHOD, i));
	while (text && result == STATUS_DONE) {
		const char *comma = strchr(text, ',');
		char *name = text_format("%.*s", comma ? (int)(comma - text) : 60, text);
		result =
			*name ? add_method(c, name)
				  : say_and(STATUS_USAGE, "--methods '%.60s': a name is empty; give such as oba,free", c->o->methods);
		free(name);
		text = comma ? comma + 1 : NULL;
	}
	return result;
}

/* "a:key=value": the length of a's name; 0: it is for all. */
static size_t owner_size(const char *set)
{
	size_t size = strcspn(set, ":=");
	return set[size] == ':' ? size : 0;
}

/* A value that every method has may be given to all: it takes back what the scene says. */
static bool is_default(const char *set)
{
	char value[64] = "";
	cairn_scene *empty = cairn_scene_create(NULL);
	char *key = text_format("%.*s", (int)strcspn(set, "="), set);
	bool known = empty && cairn_scene_option(empty, key, value, sizeof value);
	cairn_scene_destroy(empty);
	free(key);
	return known && strcmp(set + strcspn(set, "=") + 1, value) == 0;
}

static int check_key(const compare *c, const char *set, const compare_column *owner)
{
	const char *key = owner ? set + strlen(owner->label) + 1 : set;
	char *name = text_format("%.*s", (int)strcspn(key, "="), key);
	bool known = word_find(WORDS_SETTING, name) >= 0, taken = !known || (owner && compare_takes(owner->method, name));
	int result = STATUS_DONE;
	taken = taken || (!owner && is_default(set));
	for (uint32_t i = 0; known && !owner && i < c->count; ++i)
		taken = taken || compare_takes(c->columns[i].method, name);
	if (!taken && owner)
		result = say_and(STATUS_USAGE, "--set %.80s: method '%s' takes no %s", set, owner->method, name);
	else if (!taken)
		result = say_and(STATUS_USAGE, "--set %.80s: none of the methods takes %s", set, name);
	else if (strcmp(name, "method") == 0)
		result = say_and(STATUS_USAGE, "--set %.80s: --methods says which methods run", set);
	else if (owner && cairn_option_is_setting(name))
		result = say_and(STATUS_USAGE, "--set %.80s: %s is the same for all; leave out '%s:'", set, name, owner->label);
	free(name);
	return result;
}

static int ask_sets(compare *c)
{
	int result = STATUS_DONE;
	for (size_t i = 0; i < c->o->sets.count && result == STATUS_DONE; ++i) {
		const char *set = c->o->sets.items[i];
		size_t size = owner_size(set);
		const compare_column *owner = size ? find_column(c, set, size) : NULL;
		if (size && !owner)
			return say_and(STATUS_USAGE, "--set %.80s: '%.*s' is none of the methods that are compared", set, (int)size,
			               set);
		result = check_key(c, set, owner);
		if (!owner || result != STATUS_DONE)
			continue;
		compare_column *column = &c->columns[owner - c->columns];
		size_t used = strlen(column->options);
		snprintf(column->options + used, sizeof column->options - used, "%s%s", used ? ", " : "", set + size + 1);
	}
	return result;
}

static int ask_substeps(compare *c)
{
	const char *text = c->o->substeps;
	while (text) {
		char *end;
		unsigned long count = strtoul(text, &end, 10);
		bool rises = c->try_count == 0 || count > c->tries[c->try_count - 1];
		if (*text < '0' || *text > '9' || (*end && *end != ',') || count < 1 || count > COMPARE_STEPS_MOST || !rises ||
		    c->try_count == COMPARE_TRIALS_MOST)
			return say_and(
				STATUS_USAGE,
				"--substeps cannot be '%.60s'; give up to %d rising whole numbers from 1 to %d, such as 1,4,16",
				c->o->substeps, COMPARE_TRIALS_MOST, COMPARE_STEPS_MOST);
		c->tries[c->try_count++] = (uint32_t)count;
		text = *end ? end + 1 : NULL;
	}
	return STATUS_DONE;
}

int compare_ask(compare *c)
{
	c->truth = -1;
	int result = ask_methods(c);
	if (result == STATUS_DONE)
		result = ask_sets(c);
	if (result == STATUS_DONE)
		result = ask_substeps(c);
	if (result == STATUS_DONE && c->o->truth) {
		c->truth = (int)c->count;
		add_column(c, "oba", "truth");
	}
	return result;
}

options compare_options(compare *c, const compare_column *column, uint32_t substeps)
{
	options made = *c->o;
	made.method = column->method;
	made.sets = (option_list){.items = memory_resize(NULL, (c->o->sets.count + 2) * sizeof made.sets.items[0])};
	for (size_t i = 0; i < c->o->sets.count; ++i) {
		const char *set = c->o->sets.items[i];
		size_t size = owner_size(set);
		char *key = text_format("%.*s", (int)strcspn(set, "="), set);
		bool own = size && strlen(column->label) == size && memcmp(column->label, set, size) == 0;
		/* What is for all goes to those that take it; a key that is unknown goes on, to be complained of. */
		bool shared =
			!size && (word_find(WORDS_SETTING, key) < 0 || compare_takes(column->method, key) || is_default(set));
		if (own || shared)
			made.sets.items[made.sets.count++] = own ? set + size + 1 : set;
		free(key);
	}
	snprintf(c->steps_text, sizeof c->steps_text, "substeps=%u", substeps);
	if (substeps)
		made.sets.items[made.sets.count++] = c->steps_text;
	return made;
}
