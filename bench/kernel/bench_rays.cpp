/* How long rays take in a crowd, beside Bullet on the same rays in one run.
 *
 *   bench_rays [bodies] [rays] [rounds]      10000 100000 5
 *
 * Boxes, balls, capsules and hulls of 0.5 m to 1.5 m, turned anyhow, in a cube that a tenth of is filled; rays start anywhere in
 * it and go up to its width. Both engines say which body is met first and where. A figure is the best of the rounds, in
 * time of the one thread. Bullet is btCollisionWorld::rayTest over btDbvtBroadphase; single precision as packaged. "differ"
 * counts rays for which the two do not agree on the share to 1e-3: nearly always Bullet stops before the surface, within its
 * tolerance of a body that the ray grazes. */
#include "cairn/cairn.h"

extern "C" {
#include "base/hash.h"
#include "base/vec.h"
}

#include <btBulletCollisionCommon.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

namespace
{

uint64_t seed = 1;

double in(double from, double to) { return from + (to - from) * (0.5 + 0.5 * cn_random_signed(&seed)); }

v3 in_cube(double half)
{
	double x = in(-half, half), y = in(-half, half), z = in(-half, half);
	return v3_make(x, y, z);
}

/* Time of this thread alone, so that a busy machine does not show. */
double now()
{
	timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

btVector3 vector_of(v3 v) { return btVector3((btScalar)v.x, (btScalar)v.y, (btScalar)v.z); }

/* The four shapes, for both. */
struct shapes {
	std::vector<cairn_shape> own;
	std::vector<std::unique_ptr<btCollisionShape>> bullet;

	explicit shapes(cairn_scene *scene)
	{
		cairn_shape_def d = cairn_default_shape_def(CAIRN_BOX);
		d.size = v3_make(0.6, 1, 1.4);
		own.push_back(cairn_scene_add_shape(scene, &d, nullptr));
		bullet.push_back(std::make_unique<btBoxShape>(btVector3(0.3f, 0.5f, 0.7f)));
		d = cairn_default_shape_def(CAIRN_SPHERE);
		d.radius = 0.5;
		own.push_back(cairn_scene_add_shape(scene, &d, nullptr));
		bullet.push_back(std::make_unique<btSphereShape>(0.5f));
		d = cairn_default_shape_def(CAIRN_CAPSULE);
		d.radius = 0.25, d.length = 1;
		own.push_back(cairn_scene_add_shape(scene, &d, nullptr));
		bullet.push_back(std::make_unique<btCapsuleShapeZ>(0.25f, 1.0f));
		auto hull = std::make_unique<btConvexHullShape>();
		v3 points[24];
		for (v3 &p : points) {
			p = v3_scale(v3_unit(in_cube(1)), 0.6);
			hull->addPoint(vector_of(p), false);
		}
		hull->recalcLocalAabb();
		hull->setMargin(0);
		d = cairn_default_shape_def(CAIRN_HULL);
		d.points = points, d.point_count = 24;
		own.push_back(cairn_scene_add_shape(scene, &d, nullptr));
		bullet.push_back(std::move(hull));
	}
};

struct figures {
	double update = INFINITY, rays = INFINITY, hits = 0;
};

} // namespace

int main(int argc, char **argv)
{
	int bodies = argc > 1 ? std::atoi(argv[1]) : 10000, rays = argc > 2 ? std::atoi(argv[2]) : 100000;
	int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
	cairn_scene *scene = cairn_scene_create(nullptr);
	cairn_scene_set_option(scene, "method", "free", nullptr);
	shapes all(scene);
	btDefaultCollisionConfiguration configuration;
	btCollisionDispatcher dispatcher(&configuration);
	btDbvtBroadphase broad;
	btCollisionWorld bullet(&dispatcher, &broad, &configuration);
	std::vector<std::unique_ptr<btCollisionObject>> objects;
	double half = 0.5 * std::cbrt(10.0 * 0.6 * bodies);
	for (int i = 0; i < bodies; ++i) {
		cairn_body_def d = cairn_default_body_def();
		d.shape = all.own[(size_t)i % 4], d.type = CAIRN_FIXED;
		d.pose.position = in_cube(half);
		d.pose.orientation = q_exp(v3_scale(v3_unit(in_cube(1)), in(0, 3)));
		cairn_scene_add_body(scene, &d, nullptr);
		quat q = d.pose.orientation;
		auto o = std::make_unique<btCollisionObject>();
		o->setCollisionShape(all.bullet[(size_t)i % 4].get());
		o->setWorldTransform(btTransform(btQuaternion((btScalar)q.x, (btScalar)q.y, (btScalar)q.z, (btScalar)q.w),
		                                 vector_of(d.pose.position)));
		bullet.addCollisionObject(o.get());
		objects.push_back(std::move(o));
	}
	broad.optimize();
	cairn_error error;
	cairn_world_def def = cairn_default_world_def();
	def.threads = 1;
	cairn_world *world = cairn_world_create(scene, &def, &error);
	cairn_space *space = world ? cairn_space_create(world, &error) : nullptr;
	if (!space) {
		std::fprintf(stderr, "bench_rays: %s\n", error.message);
		return 1;
	}
	std::vector<cairn_ray> way;
	for (int i = 0; i < rays; ++i) {
		v3 from = in_cube(half), to = in_cube(half);
		way.push_back({from, v3_sub(to, from)});
	}
	std::vector<cairn_hit> hits(way.size());
	std::vector<double> shares(way.size());
	figures own, other;
	for (int round = 0; round < rounds; ++round) {
		double start = now();
		cairn_space_update(space, nullptr);
		own.update = std::fmin(own.update, now() - start);
		start = now();
		own.hits = cairn_space_rays(space, way.data(), (uint32_t)way.size(), nullptr, hits.data());
		own.rays = std::fmin(own.rays, now() - start);
		start = now();
		bullet.updateAabbs();
		other.update = std::fmin(other.update, now() - start);
		start = now();
		other.hits = 0;
		for (size_t i = 0; i < way.size(); ++i) {
			btVector3 from = vector_of(way[i].from), to = vector_of(v3_add(way[i].from, way[i].way));
			btCollisionWorld::ClosestRayResultCallback met(from, to);
			bullet.rayTest(from, to, met);
			shares[i] = met.hasHit() ? (double)met.m_closestHitFraction : 1;
			other.hits += met.hasHit();
		}
		other.rays = std::fmin(other.rays, now() - start);
	}
	int differ = 0, inside = 0;
	for (size_t i = 0; i < way.size(); ++i) {
		inside += hits[i].share == 0; /* where Bullet's rays do not see what they start in */
		differ += hits[i].share > 0 && std::fabs(hits[i].share - shares[i]) > 1e-3;
	}
	std::printf("%d bodies, %d rays          update ms     rays ms   ns a ray        hits\n", bodies, rays);
	std::printf("cairn                         %9.2f %11.2f %10.0f %11.0f\n", own.update, own.rays,
	            own.rays * 1e6 / rays, own.hits);
	std::printf("Bullet                        %9.2f %11.2f %10.0f %11.0f\n", other.update, other.rays,
	            other.rays * 1e6 / rays, other.hits);
	std::printf("start inside a body: %d; of the others differ: %d\n", inside, differ);
	cairn_space_destroy(space);
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	for (auto &o : objects)
		bullet.removeCollisionObject(o.get());
	return 0;
}
