// The same in C++17: owners that clean up, a range over the bodies.
#include <cairn/cairn.h>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

template <auto destroy> struct destroyer {
	template <class object> void operator()(object *o) const { destroy(o); }
};
using scene_ptr = std::unique_ptr<cairn_scene, destroyer<cairn_scene_destroy>>;
using world_ptr = std::unique_ptr<cairn_world, destroyer<cairn_world_destroy>>;

[[noreturn]] static void stop(const cairn_error &error)
{
	char text[1024];
	cairn_error_print(&error, text, sizeof text);
	throw std::runtime_error(text);
}

static scene_ptr make_scene()
{
	cairn_error error{};
	scene_ptr scene(cairn_scene_create(nullptr));
	if (!scene || !cairn_scene_set_option(scene.get(), "method", "free", &error) ||
	    !cairn_scene_set_option(scene.get(), "gravity", "0,0,-10", &error))
		stop(error);
	cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
	ball.radius = 0.25;
	cairn_body_def body = cairn_default_body_def();
	body.shape = cairn_scene_add_shape(scene.get(), &ball, &error);
	for (int i = 0; i < 3; ++i) {
		const std::string name = "ball " + std::to_string(i);
		body.name = name.c_str();
		body.pose.position = {double(i), 0, 0};
		body.velocity = {0, 0, 4.5 + i};
		if (!cairn_scene_add_body(scene.get(), &body, &error).generation)
			stop(error);
	}
	return scene;
}

int main()
try {
	const scene_ptr scene = make_scene();
	cairn_error error{};
	const world_ptr world(cairn_world_create(scene.get(), nullptr, &error));
	if (!world)
		stop(error);
	while (cairn_world_frame(world.get()) < 30)
		if (cairn_world_step(world.get()).status != CAIRN_STEP_OK)
			throw std::runtime_error("the step failed");

	std::vector<cairn_body> bodies(cairn_world_body_count(world.get()));
	cairn_world_bodies(world.get(), bodies.data(), std::uint32_t(bodies.size()));
	for (const cairn_body body : bodies) {
		const cairn_vec3 p = cairn_world_body_pose(world.get(), body).position;
		std::printf("%s after %.1f s: (%.3f, %.3f, %.3f)\n", cairn_world_body_info(world.get(), body).name,
		            cairn_world_time(world.get()), p.x, p.y, p.z);
	}
	return 0;
} catch (const std::exception &problem) {
	std::fprintf(stderr, "hello: %s\n", problem.what());
	return 1;
}
