#include "xml.h"

#include "message.h"

#include <string.h>

enum { DEPTH_MAX = 200, NODES_MAX = 2000000 };

xml_attribute *xml_find(const xml_node *node, const char *name)
{
	xml_attribute *a = node->attributes;
	while (a && strcmp(a->name, name) != 0)
		a = a->next;
	return a;
}

xml_node *xml_child(const xml_node *node, const char *name)
{
	xml_node *n = node->first;
	while (n && strcmp(n->name, name) != 0)
		n = n->next;
	return n;
}

void xml_append(xml_node *parent, xml_node *child)
{
	child->parent = parent;
	child->next = NULL;
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
}

#ifdef CAIRN_EXPAT

#include <expat.h>

typedef struct reading {
	XML_Parser parser;
	pool *memory;
	const char *file;
	xml_node *root, *open;
	int depth, nodes;
	cairn_error *error;
} reading;

static void stop(reading *r, const char *message)
{
	if (r->error->code == CAIRN_OK) {
		r->error->code = CAIRN_INVALID;
		r->error->line = (int)XML_GetCurrentLineNumber(r->parser);
		r->error->column = (int)XML_GetCurrentColumnNumber(r->parser) + 1;
		snprintf(r->error->message, sizeof r->error->message, "%s", message);
	}
	XML_StopParser(r->parser, XML_FALSE);
}

static void begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
	reading *r = user;
	if (++r->depth > DEPTH_MAX || ++r->nodes > NODES_MAX) {
		stop(r, r->depth > DEPTH_MAX ? "elements are nested deeper than 200 levels"
		                             : "there are more than 2,000,000 elements");
		return;
	}
	xml_node *node = pool_take(r->memory, sizeof *node);
	*node = (xml_node){.name = pool_text(r->memory, name),
	                   .file = r->file,
	                   .line = (int)XML_GetCurrentLineNumber(r->parser),
	                   .column = (int)XML_GetCurrentColumnNumber(r->parser) + 1};
	xml_attribute **end = &node->attributes;
	for (; attributes[0]; attributes += 2) {
		xml_attribute *a = pool_take(r->memory, sizeof *a);
		a->name = pool_text(r->memory, attributes[0]), a->value = pool_text(r->memory, attributes[1]);
		*end = a, end = &a->next;
	}
	if (r->open)
		xml_append(r->open, node);
	else
		r->root = node;
	r->open = node;
}

static void end(void *user, const XML_Char *name)
{
	reading *r = user;
	(void)name;
	--r->depth;
	r->open = r->open->parent;
}

static void declare(void *user, const XML_Char *name, int parameter, const XML_Char *value, int length,
                    const XML_Char *base, const XML_Char *system, const XML_Char *public, const XML_Char *notation)
{
	(void)name, (void)parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
	stop(user, "the file declares an entity; entities are not expanded, so write what it stands for");
}

bool xml_available(void) { return true; }

xml_node *xml_read(pool *p, const char *data, size_t size, const char *file, cairn_error *error)
{
	reading r = {.parser = XML_ParserCreate(NULL), .memory = p, .file = file, .error = error};
	if (!r.parser)
		memory_resize(NULL, SIZE_MAX / 2); /* says so and ends */
	*error = (cairn_error){0};
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, begin, end);
	XML_SetEntityDeclHandler(r.parser, declare);
	bool ok = size <= INT32_MAX && XML_Parse(r.parser, data, (int)size, 1) == XML_STATUS_OK;
	if (!ok)
		stop(&r, XML_ErrorString(XML_GetErrorCode(r.parser)));
	if (!ok)
		snprintf(error->file, sizeof error->file, "%s", file);
	XML_ParserFree(r.parser);
	return ok ? r.root : NULL;
}

#else

bool xml_available(void) { return false; }

xml_node *xml_read(pool *p, const char *data, size_t size, const char *file, cairn_error *error)
{
	(void)p, (void)data, (void)size, (void)file;
	*error = (cairn_error){.code = CAIRN_MISSING, .message = "this build of cairn reads no XML"};
	return NULL;
}

#endif
