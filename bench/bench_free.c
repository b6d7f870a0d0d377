/* How long the step itself takes for free-flying bodies: boxes with three different moments of inertia that spin at 1 rad/s,
 * no contact search, no recording; and how much memory a body takes.
 *
 *   bench_free [bodies] [frames] [threads]      100000 60 1 */
#include "cairn/cairn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
	size_t now, most;
} tally;

static void *count_resize(void *context, void *block, size_t old_size, size_t new_size)
{
	tally *t = context;
	t->now += new_size - old_size;
	t->most = t->now > t->most ? t->now : t->most;
	if (new_size == 0) {
		free(block);
		return NULL;
	}
	return realloc(block, new_size);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static cairn_scene *make_scene(int bodies)
{
	cairn_scene *scene = cairn_scene_create(NULL);
	cairn_settings settings = cairn_default_settings();
	settings.method = "free";
	cairn_scene_set_settings(scene, &settings, NULL);
	cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
	box.size = (cairn_vec3){0.3, 0.5, 0.8};
	cairn_body_def body = cairn_default_body_def();
	body.shape = cairn_scene_add_shape(scene, &box, NULL);
	for (int i = 0; i < bodies; ++i) {
		double a = 0.37 * i, b = 0.73 * i;
		int row = i / 100 % 100, layer = i / 10000;
		body.pose.position = (cairn_vec3){2.0 * (i % 100), 2.0 * row, 2.0 * layer};
		body.spin = (cairn_vec3){cos(a) * cos(b), sin(a) * cos(b), sin(b)};
		cairn_scene_add_body(scene, &body, NULL);
	}
	return scene;
}

int main(int argc, char **argv)
{
	int bodies = argc > 1 ? atoi(argv[1]) : 100000, frames = argc > 2 ? atoi(argv[2]) : 60;
	tally t = {0, 0};
	cairn_world_def def = cairn_default_world_def();
	def.allocator = (cairn_allocator){&t, count_resize};
	def.threads = argc > 3 ? (uint32_t)atoi(argv[3]) : 1;
	if (bodies < 1 || frames < 1)
		return 2;

	cairn_scene *scene = make_scene(bodies);
	cairn_error error;
	cairn_world *world = cairn_world_create(scene, &def, &error);
	double *ms = calloc((size_t)frames, sizeof *ms), drift = 0, total = 0;
	if (!world || !ms) {
		fprintf(stderr, "bench_free: %s\n", world ? "out of memory" : error.message);
		free(ms);
		return 1;
	}
	size_t held = t.now;
	for (int i = 0; i < frames; ++i) {
		cairn_step_report r = cairn_world_step(world);
		ms[i] = r.ms;
		drift = fabs(r.energy.drift) > drift ? fabs(r.energy.drift) : drift;
		total = r.energy.kinetic;
	}
	qsort(ms, (size_t)frames, sizeof *ms, by_size);
	printf("bodies %d  frames %d  threads %u\n", bodies, frames, def.threads);
	printf("step ms: least %.2f  median %.2f  most %.2f\n", ms[0], ms[frames / 2], ms[frames - 1]);
	printf("memory: %.0f bytes a body held, %.0f at most\n", (double)held / bodies, (double)t.most / bodies);
	printf("largest energy drift of a frame: %.2g of the kinetic energy\n", drift / total);
	printf("hash %016llx\n", (unsigned long long)cairn_world_hash(world));
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	free(ms);
	return 0;
}
