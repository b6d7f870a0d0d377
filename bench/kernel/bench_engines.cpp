// Methods pgs and soft beside Bullet, which they stand for, on the same boxes in one run: time of a frame, and the deepest
// overlap of any two boxes at the end of any frame, by code that belongs to neither (fifteen axes).
//
// One thread; time of the processor, so that a busy machine says little less. Bullet has its usual settings: sequential
// impulses, ten rounds, split correction; nobody sleeps.
#include <btBulletDynamicsCommon.h>
#include <cairn/cairn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace
{

struct box {
	cairn_vec3 half;
	bool fixed;
	double mass;
	cairn_pose pose;
};

struct place {
	double x[3], r[3][3]; // r: columns are the axes of the box
};

double now()
{
	timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

place place_of(cairn_pose p)
{
	cairn_quat q = p.orientation;
	return {{p.position.x, p.position.y, p.position.z},
	        {{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
	         {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
	         {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}}};
}

double reach(const place &p, cairn_vec3 half, const double d[3])
{
	const double h[3] = {half.x, half.y, half.z};
	double sum = 0;
	for (int i = 0; i < 3; ++i)
		sum += h[i] * std::fabs(p.r[0][i] * d[0] + p.r[1][i] * d[1] + p.r[2][i] * d[2]);
	return sum;
}

// How far the two must move along the best of fifteen axes to part; not above 0: they are apart.
double depth_of(const place &a, cairn_vec3 ha, const place &b, cairn_vec3 hb)
{
	double least = INFINITY;
	for (int axis = 0; axis < 15; ++axis) {
		double d[3];
		for (int k = 0; k < 3; ++k)
			d[k] = axis < 3 ? a.r[k][axis] : b.r[k][(axis - 3) % 3];
		if (axis >= 6) {
			int i = (axis - 6) / 3, j = (axis - 6) % 3;
			for (int k = 0; k < 3; ++k)
				d[k] = a.r[(k + 1) % 3][i] * b.r[(k + 2) % 3][j] - a.r[(k + 2) % 3][i] * b.r[(k + 1) % 3][j];
		}
		double length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
		if (length < 1e-6)
			continue;
		for (double &x : d)
			x /= length;
		double apart = std::fabs(d[0] * (b.x[0] - a.x[0]) + d[1] * (b.x[1] - a.x[1]) + d[2] * (b.x[2] - a.x[2]));
		least = std::min(least, reach(a, ha, d) + reach(b, hb, d) - apart);
		if (least <= 0)
			return 0;
	}
	return least;
}

double radius(cairn_vec3 h) { return std::sqrt(h.x * h.x + h.y * h.y + h.z * h.z); }

// Of all pairs of which one can be moved, as a share of the smaller one's size.
double deepest(const std::vector<box> &boxes, const std::vector<place> &places)
{
	double worst = 0;
	for (size_t i = 0; i < boxes.size(); ++i)
		for (size_t k = 0; k < i; ++k) {
			if (boxes[i].fixed && boxes[k].fixed)
				continue;
			double far = 0, sum = radius(boxes[i].half) + radius(boxes[k].half);
			for (int n = 0; n < 3; ++n)
				far += (places[i].x[n] - places[k].x[n]) * (places[i].x[n] - places[k].x[n]);
			if (far > sum * sum)
				continue;
			double size = INFINITY;
			for (size_t n : {i, k})
				if (!boxes[n].fixed)
					size = std::min(size, 2 * std::max({boxes[n].half.x, boxes[n].half.y, boxes[n].half.z}));
			worst = std::max(worst, depth_of(places[i], boxes[i].half, places[k], boxes[k].half) / size);
		}
	return worst;
}

struct engine {
	virtual void frame(int steps) = 0;
	virtual cairn_pose pose(size_t body) = 0;
	virtual ~engine() = default;
};

struct bullet : engine {
	btDefaultCollisionConfiguration configuration;
	btCollisionDispatcher dispatcher{&configuration};
	btDbvtBroadphase broad;
	btSequentialImpulseConstraintSolver solver;
	btDiscreteDynamicsWorld world{&dispatcher, &broad, &solver, &configuration};
	std::vector<std::unique_ptr<btCollisionShape>> shapes;
	std::vector<std::unique_ptr<btRigidBody>> bodies;
	static btScalar real(double x) { return static_cast<btScalar>(x); }
	bullet(const std::vector<box> &boxes, double friction, double restitution)
	{
		world.setGravity(btVector3(0, 0, -10));
		for (const box &b : boxes) {
			shapes.push_back(std::make_unique<btBoxShape>(btVector3(real(b.half.x), real(b.half.y), real(b.half.z))));
			btVector3 inertia(0, 0, 0);
			if (!b.fixed)
				shapes.back()->calculateLocalInertia(real(b.mass), inertia);
			btRigidBody::btRigidBodyConstructionInfo info(b.fixed ? 0 : real(b.mass), nullptr, shapes.back().get(),
			                                              inertia);
			cairn_quat q = b.pose.orientation;
			cairn_vec3 x = b.pose.position;
			info.m_startWorldTransform = btTransform(btQuaternion(real(q.x), real(q.y), real(q.z), real(q.w)),
			                                         btVector3(real(x.x), real(x.y), real(x.z)));
			info.m_friction = real(std::sqrt(friction)); // the values of the two are multiplied
			info.m_restitution = real(std::sqrt(restitution));
			bodies.push_back(std::make_unique<btRigidBody>(info));
			bodies.back()->setActivationState(DISABLE_DEACTIVATION);
			world.addRigidBody(bodies.back().get());
		}
	}
	~bullet() override
	{
		for (auto &body : bodies)
			world.removeRigidBody(body.get());
	}
	void frame(int steps) override
	{
		for (int i = 0; i < steps; ++i)
			world.stepSimulation(real(1.0 / 30 / steps), 0);
	}
	cairn_pose pose(size_t body) override
	{
		const btTransform &t = bodies[body]->getWorldTransform();
		btQuaternion q = t.getRotation();
		return {{t.getOrigin().x(), t.getOrigin().y(), t.getOrigin().z()}, {q.w(), q.x(), q.y(), q.z()}};
	}
};

struct ours : engine {
	cairn_world *world;
	std::vector<cairn_body> bodies;
	explicit ours(const cairn_scene *scene)
	{
		cairn_world_def def = cairn_default_world_def();
		def.threads = 1;
		world = cairn_world_create(scene, &def, nullptr);
		bodies.resize(world ? cairn_world_body_count(world) : 0);
		if (world)
			cairn_world_bodies(world, bodies.data(), static_cast<uint32_t>(bodies.size()));
	}
	~ours() override { cairn_world_destroy(world); }
	void frame(int) override { cairn_world_step(world); }
	cairn_pose pose(size_t body) override { return cairn_world_body_pose(world, bodies[body]); }
};

cairn_scene *read(const std::string &path, const char *method, int steps, int frames)
{
	std::string a = std::string("method=") + method, b = "substeps=" + std::to_string(steps),
				c = "frames=" + std::to_string(frames);
	const char *set[] = {a.c_str(), b.c_str(), c.c_str(), "certify=off", "freeze=off", nullptr};
	cairn_scene_def def = cairn_default_scene_def();
	def.set = set;
	cairn_error error = {};
	cairn_scene *scene = cairn_scene_read_file(path.c_str(), nullptr, &def, &error);
	if (!scene)
		std::printf("%s: %s\n", path.c_str(), error.message);
	return scene;
}

std::vector<box> boxes_of(const cairn_scene *scene)
{
	std::vector<box> boxes;
	for (uint32_t i = 0; i < cairn_scene_body_count(scene); ++i) {
		cairn_body_def d = cairn_scene_body_at(scene, i);
		cairn_vec3 size = cairn_scene_shape_at(scene, d.shape.index).size;
		boxes.push_back(
			{{size.x / 2, size.y / 2, size.z / 2}, d.type == CAIRN_FIXED, 800 * size.x * size.y * size.z, d.pose});
	}
	return boxes;
}

void run(const char *name, engine &e, const std::vector<box> &boxes, int steps, int frames)
{
	std::vector<double> ms;
	std::vector<place> places(boxes.size());
	double worst = 0;
	for (int i = 0; i < frames; ++i) {
		double begun = now();
		e.frame(steps);
		ms.push_back(now() - begun);
		for (size_t k = 0; k < boxes.size(); ++k)
			places[k] = place_of(e.pose(k));
		worst = std::max(worst, deepest(boxes, places));
	}
	double sum = 0;
	for (double x : ms)
		sum += x;
	std::sort(ms.begin(), ms.end());
	std::printf("  %-7s %d step%s  mean %8.3f ms  p95 %8.3f ms  worst overlap %6.2f %%\n", name, steps,
	            steps > 1 ? "s" : " ", sum / frames, ms[static_cast<size_t>(frames * 19 / 20)], 100 * worst);
}

} // namespace

int main(int argc, char **argv)
{
	const std::string folder = argc > 1 ? argv[1] : CAIRN_SCENES;
	const struct {
		const char *scene;
		int frames;
	} rows[] = {{"stack", 300}, {"cubejam", 300}, {"cubeglass", 200}};
	for (const auto &row : rows) {
		std::printf("%s, %d frames\n", row.scene, row.frames);
		for (int steps : {1, 8})
			for (const char *method : {"bullet", "pgs", "soft"}) {
				bool other = std::string(method) == "bullet";
				cairn_scene *scene =
					read(folder + "/" + row.scene + ".json", other ? "pgs" : method, steps, row.frames);
				if (!scene)
					return 1;
				std::vector<box> boxes = boxes_of(scene);
				std::unique_ptr<engine> e;
				if (other)
					e = std::make_unique<bullet>(boxes, 0.3, 0.3); // as in these scenes
				else
					e = std::make_unique<ours>(scene);
				run(method, *e, boxes, steps, row.frames);
				cairn_scene_destroy(scene);
			}
	}
	return 0;
}
