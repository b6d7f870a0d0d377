/* Bullet: btDiscreteDynamicsWorld and its sequential impulses. Its defaults, but for continuous collision in scenes of
 * thin bodies, and a margin that fits them. */
#include "engine.h"

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <vector>

const char *const peer_name = "Bullet", *const peer_settings = "float, 10 iterations, defaults";

static btDiscreteDynamicsWorld *world;
static std::vector<btRigidBody *> bodies;

static btRigidBody *make(const peer_scene *s, const peer_body &b, bool sleep)
{
	const double *at = b.state, *h = b.half;
	double thin = std::min(h[0], std::min(h[1], h[2]));
	btCollisionShape *shape = b.ball ? static_cast<btCollisionShape *>(new btSphereShape(btScalar(h[0])))
	                                 : new btBoxShape(btVector3(btScalar(h[0]), btScalar(h[1]), btScalar(h[2])));
	if (!b.ball && thin < 0.04)
		shape->setMargin(btScalar(thin / 2)); // the box stays as large
	btVector3 inertia(0, 0, 0);
	if (!b.fixed)
		shape->calculateLocalInertia(btScalar(b.mass), inertia);
	btRigidBody::btRigidBodyConstructionInfo info(btScalar(b.mass), nullptr, shape, inertia);
	info.m_startWorldTransform =
		btTransform(btQuaternion(btScalar(at[4]), btScalar(at[5]), btScalar(at[6]), btScalar(at[3])),
	                btVector3(btScalar(at[0]), btScalar(at[1]), btScalar(at[2])));
	info.m_friction = btScalar(std::sqrt(s->friction)); // it multiplies those of the two bodies
	info.m_restitution = btScalar(std::sqrt(s->restitution));
	btRigidBody *body = new btRigidBody(info);
	body->setLinearVelocity(btVector3(btScalar(at[7]), btScalar(at[8]), btScalar(at[9])));
	body->setAngularVelocity(btVector3(btScalar(at[10]), btScalar(at[11]), btScalar(at[12])));
	if (!sleep)
		body->setActivationState(DISABLE_DEACTIVATION);
	if (s->thin && !b.fixed) {
		body->setCcdMotionThreshold(btScalar(thin));
		body->setCcdSweptSphereRadius(btScalar(0.9 * thin));
	}
	return body;
}

bool peer_create(const peer_scene *s, uint32_t, bool sleep)
{
	auto *setup = new btDefaultCollisionConfiguration;
	world = new btDiscreteDynamicsWorld(new btCollisionDispatcher(setup), new btDbvtBroadphase,
	                                    new btSequentialImpulseConstraintSolver, setup);
	world->setGravity(btVector3(0, 0, btScalar(-s->gravity)));
	for (uint32_t i = 0; i < s->count; ++i) {
		bodies.push_back(make(s, s->bodies[i], sleep));
		world->addRigidBody(bodies.back());
	}
	return true;
}

bool peer_step(double dt)
{
	world->stepSimulation(btScalar(dt), 0);
	return true;
}

void peer_state(uint32_t body, double *state)
{
	const btTransform &t = bodies[body]->getWorldTransform();
	btVector3 x = t.getOrigin(), v = bodies[body]->getLinearVelocity(), w = bodies[body]->getAngularVelocity();
	btQuaternion q = t.getRotation();
	const double all[PEER_STATE] = {x.x(), x.y(), x.z(), q.w(), q.x(), q.y(), q.z(),
	                                v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
	std::copy(all, all + PEER_STATE, state);
}

void peer_push(uint32_t body, const double *change)
{
	bodies[body]->activate();
	bodies[body]->setLinearVelocity(bodies[body]->getLinearVelocity() +
	                                btVector3(btScalar(change[0]), btScalar(change[1]), btScalar(change[2])));
}
