/* Writes the programs of a pile that settles (settle.h) to files: one of each kind while it collapses, and when it lies still.
 *
 *   capture FOLDER [BODIES]
 *
 * The same bits everywhere, so the files in bench/programs can be made again: `capture bench/programs`. */
#include "settle.h"

#include "num/qp_file.h"

#include <stdio.h>

typedef struct capture {
	const char *folder, *when; /* NULL: nothing is wanted now */
	uint32_t bodies;
} capture;

static void keep(void *context, const char *name, const cn_qp *qp, const cn_qp_solution *warm)
{
	capture *c = context;
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error;
	char path[500];
	void *bytes;
	size_t size;
	if (!c->when || strcmp(name, "restore") == 0)
		return;
	snprintf(path, sizeof path, "%s/pile%u-%s-%s.qp", c->folder, c->bodies, c->when, name);
	cn_qp_solution start = *warm;
	static double none;
	start.row = &none;
	settle_must(cn_qp_encode(&allocator, qp, &start, &bytes, &size, &error));
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
		perror(path);
		exit(4);
	}
	printf("%s: %u bodies, %u contacts, %zu bytes\n", path, qp->body_count, qp->contact_count, size);
	cn_free(&allocator, bytes, size, 1);
}

int main(int argc, char **argv)
{
	capture c = {.folder = argc > 1 ? argv[1] : ".", .bodies = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 100};
	settle *s = settle_make(c.bodies, 1, 5);
	s->watch = keep, s->context = &c;
	/* The last file of a name stays: a frame has two position passes, and the second is kept. */
	for (int frame = 1; frame <= 400; ++frame) {
		c.when = frame == 45 ? "collapse" : frame == 400 ? "rest" : NULL;
		settle_frame(s);
		if (c.when || frame % 50 == 0)
			printf("frame %d: kinetic energy %.2e J, least gap %.2e m\n", frame, settle_kinetic(s), s->least_gap);
	}
	settle_free(s);
	return 0;
}
