/* The tool's XML: any text is read into a tree whose every node knows its place, or refused with line and column. */
#include "fuzz.h"
#include "xml.h"

#include <string.h>

/* Nodes below one, and that each is where its parent has it. */
static size_t look(const xml_node *node, int depth)
{
	size_t count = 1;
	EXPECT(node->name && node->line >= 1 && node->column >= 1 && depth < 100000);
	for (const xml_attribute *a = node->attributes; a; a = a->next)
		EXPECT(a->name && a->value && xml_find(node, a->name));
	for (const xml_node *child = node->first; child; child = child->next) {
		EXPECT(child->parent == node && xml_child(node, child->name));
		count += look(child, depth + 1);
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pool p = {0};
	cairn_error error = {0};
	char *text = malloc(size ? size : 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	const xml_node *root = xml_read(&p, text, size, "x.xml", &error);
	free(text);
	EXPECT(root || error.message[0]);
	if (root)
		EXPECT(look(root, 0) <= size);
	pool_free(&p);
	return 0;
}
