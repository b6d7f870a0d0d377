/* XML read into a tree that knows where everything stood (expat, where the tool was built with it).
 *
 * Entities that a file declares are refused, so nothing can grow; nothing outside the text is read. */
#ifndef XML_H
#define XML_H

#include "cairn/cairn.h"
#include "pool.h"

typedef struct xml_attribute {
	const char *name, *value;
	bool used; /* somebody asked for it */
	struct xml_attribute *next;
} xml_attribute;

typedef struct xml_node {
	const char *name, *file;
	int line, column; /* from 1 */
	xml_attribute *attributes;
	struct xml_node *first, *last, *next, *parent;
	bool used; /* somebody read it */
} xml_node;

bool xml_available(void);

/* NULL: error says where and why. file is kept for messages. */
xml_node *xml_read(pool *p, const char *data, size_t size, const char *file, cairn_error *error);

xml_attribute *xml_find(const xml_node *node, const char *name);
xml_node *xml_child(const xml_node *node, const char *name); /* the first of that name; NULL: none */
void xml_append(xml_node *parent, xml_node *child);

#endif
