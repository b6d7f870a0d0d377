/* ODE: dWorldQuickStep, its defaults; at most eight contacts of a pair. */
#include "engine.h"

#include <ode/ode.h>

#include <algorithm>
#include <cstring>
#include <vector>

const char *const peer_name = "ODE", *const peer_settings = "double, QuickStep, 20 iterations, defaults";

static const peer_scene *of;
static dWorldID world;
static dSpaceID space;
static dJointGroupID contacts;
static std::vector<dBodyID> bodies; // nullptr: fixed

static void meet(void *, dGeomID a, dGeomID b)
{
	enum { MOST = 8 };
	dContact c[MOST];
	if (!dGeomGetBody(a) && !dGeomGetBody(b))
		return;
	int count = dCollide(a, b, MOST, &c[0].geom, sizeof c[0]);
	for (int i = 0; i < count; ++i) {
		std::memset(&c[i].surface, 0, sizeof c[i].surface);
		c[i].surface.mode = dContactApprox1 | (of->restitution > 0 ? dContactBounce : 0);
		c[i].surface.mu = of->friction, c[i].surface.bounce = of->restitution, c[i].surface.bounce_vel = 0.5;
		dJointAttach(dJointCreateContact(world, contacts, &c[i]), dGeomGetBody(a), dGeomGetBody(b));
	}
}

static dBodyID make(const peer_body &b, dGeomID geom)
{
	dBodyID body = dBodyCreate(world);
	dMass mass;
	const double *at = b.state, *h = b.half;
	const dQuaternion q = {at[3], at[4], at[5], at[6]};
	if (b.ball)
		dMassSetSphereTotal(&mass, b.mass, h[0]);
	else
		dMassSetBoxTotal(&mass, b.mass, 2 * h[0], 2 * h[1], 2 * h[2]);
	dBodySetMass(body, &mass);
	dGeomSetBody(geom, body);
	dBodySetPosition(body, at[0], at[1], at[2]);
	dBodySetQuaternion(body, q);
	dBodySetLinearVel(body, at[7], at[8], at[9]);
	dBodySetAngularVel(body, at[10], at[11], at[12]);
	return body;
}

bool peer_create(const peer_scene *s, uint32_t, bool sleep)
{
	of = s;
	dInitODE2(0);
	world = dWorldCreate();
	space = dHashSpaceCreate(nullptr);
	contacts = dJointGroupCreate(0);
	dHashSpaceSetLevels(space, -1, 7);
	dWorldSetGravity(world, 0, 0, -s->gravity);
	dWorldSetAutoDisableFlag(world, sleep);
	for (uint32_t i = 0; i < s->count; ++i) {
		const peer_body &b = s->bodies[i];
		const double *at = b.state, *h = b.half;
		const dQuaternion q = {at[3], at[4], at[5], at[6]};
		dGeomID geom = b.ball ? dCreateSphere(space, h[0]) : dCreateBox(space, 2 * h[0], 2 * h[1], 2 * h[2]);
		bodies.push_back(b.fixed ? nullptr : make(b, geom));
		if (b.fixed) {
			dGeomSetPosition(geom, at[0], at[1], at[2]);
			dGeomSetQuaternion(geom, q);
		}
	}
	return true;
}

bool peer_step(double dt)
{
	dSpaceCollide(space, nullptr, meet);
	dWorldQuickStep(world, dt);
	dJointGroupEmpty(contacts);
	return true;
}

void peer_state(uint32_t body, double *state)
{
	std::copy(of->bodies[body].state, of->bodies[body].state + PEER_STATE, state);
	if (!bodies[body])
		return;
	const dReal *x = dBodyGetPosition(bodies[body]), *q = dBodyGetQuaternion(bodies[body]),
				*v = dBodyGetLinearVel(bodies[body]), *w = dBodyGetAngularVel(bodies[body]);
	std::copy(x, x + 3, state), std::copy(q, q + 4, state + 3);
	std::copy(v, v + 3, state + 7), std::copy(w, w + 3, state + 10);
}

void peer_push(uint32_t body, const double *change)
{
	const dReal *v = dBodyGetLinearVel(bodies[body]);
	dBodyEnable(bodies[body]);
	dBodySetLinearVel(bodies[body], v[0] + change[0], v[1] + change[1], v[2] + change[2]);
}
