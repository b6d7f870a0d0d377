/* MuJoCo: the model as text. Defaults, but for contacts as stiff as it takes (a time constant of two steps) and the CG
 * solver above 60 bodies, where Newton's method is cubic. It knows no restitution: contacts do not bounce below 0.7; from
 * there they are springs with the damping of a lone impact. It cannot sleep. */
#include "engine.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

const char *const peer_name = "MuJoCo", *const peer_settings =
											"double, Newton up to 60 bodies, CG above, stiffest contacts";

enum { FEW = 60, MOST = 500 }; // Newton's method; what its matrix of all rows fits into memory for

static const peer_scene *of;
static mjModel *model;
static mjData *data;
static std::vector<int> bodies; // -1: fixed

static std::string text(double x)
{
	char out[40];
	std::snprintf(out, sizeof out, "%.17g ", x);
	return out;
}

static std::string text(const double *x, int count)
{
	std::string all;
	for (int i = 0; i < count; ++i)
		all += text(x[i]);
	return all;
}

/* The stiffness and damping of contacts. */
static std::string spring(const peer_scene *s, double dt)
{
	if (s->restitution < 0.7)
		return text(2 * dt) + "1";
	double l = -std::log(s->restitution), damping = l / std::sqrt(M_PI * M_PI + l * l);
	return text(-0.25 / (dt * dt)) + text(-damping / dt);
}

static std::string describe(const peer_scene *s, uint32_t moving, double dt)
{
	bool rough = s->friction > 0;
	uint32_t contacts = 20 * moving + 500, rows = contacts * (rough ? 4 : 1);
	std::string x = "<mujoco><size njmax='" + std::to_string(rows) + "' nconmax='" + std::to_string(contacts) +
	                "' nstack='20000000'/><option gravity='0 0 " + text(-s->gravity) + "' timestep='" + text(dt) +
	                "' solver='" + (moving > FEW ? "CG" : "Newton") + "' jacobian='" +
	                (moving > 10 ? "sparse" : "auto") + "'/><default><geom density='" + text(PEER_DENSITY) +
	                "' condim='" + (rough ? "3" : "1") + "' friction='" + text(s->friction) + "0 0' solref='" +
	                spring(s, dt) + "'/></default><worldbody>";
	for (uint32_t i = 0; i < s->count; ++i) {
		const peer_body &b = s->bodies[i];
		std::string at = " pos='" + text(b.state, 3) + "' quat='" + text(b.state + 3, 4) + "'",
					geom = b.ball ? "<geom type='sphere' size='" + text(b.half[0]) + "'"
		                          : "<geom type='box' size='" + text(b.half, 3) + "'";
		x += b.fixed ? geom + at + "/>"
		             : "<body name='b" + std::to_string(i) + "'" + at + "><freejoint/>" + geom + "/></body>";
	}
	return x + "</worldbody></mujoco>";
}

static mjModel *load(const std::string &text)
{
	char name[] = "peer_mujoco_XXXXXX.xml", error[1000] = "";
	int file = mkstemps(name, 4);
	FILE *out = file < 0 ? nullptr : fdopen(file, "w");
	if (!out)
		return nullptr;
	std::fwrite(text.data(), 1, text.size(), out);
	std::fclose(out);
	mjModel *made = mj_loadXML(name, nullptr, error, sizeof error);
	std::remove(name);
	if (!made)
		std::fprintf(stderr, "peer_mujoco: %s\n", error);
	return made;
}

/* Turns a vector of the world into a body's own axes. */
static void into(const double *q, const double *v, mjtNum *out)
{
	mjtNum back[4];
	mju_negQuat(back, q);
	mju_rotVecQuat(out, v, back);
}

bool peer_create(const peer_scene *s, uint32_t steps, bool)
{
	of = s;
	uint32_t moving = 0;
	for (uint32_t i = 0; i < s->count; ++i)
		moving += !s->bodies[i].fixed;
	if (moving > MOST)
		return false;
	model = load(describe(s, moving, PEER_DT / steps));
	data = model ? mj_makeData(model) : nullptr;
	if (!data)
		return false;
	bodies.assign(s->count, -1);
	for (uint32_t i = 0; i < s->count; ++i) {
		const peer_body &b = s->bodies[i];
		if (b.fixed)
			continue;
		bodies[i] = mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(i)).c_str());
		mjtNum *v = data->qvel + model->body_dofadr[bodies[i]];
		std::copy(b.state + 7, b.state + 10, v);
		into(b.state + 3, b.state + 10, v + 3);
	}
	return true;
}

bool peer_step(double)
{
	mj_step(model, data);
	return true;
}

void peer_state(uint32_t body, double *state)
{
	std::copy(of->bodies[body].state, of->bodies[body].state + PEER_STATE, state);
	if (bodies[body] < 0)
		return;
	const mjtNum *q = data->qpos + model->jnt_qposadr[model->body_jntadr[bodies[body]]],
				 *v = data->qvel + model->body_dofadr[bodies[body]];
	std::copy(q, q + 7, state);
	std::copy(v, v + 3, state + 7);
	mju_rotVecQuat(state + 10, v + 3, q + 3); // its spin is in the body's axes
}

void peer_push(uint32_t body, const double *change)
{
	for (int k = 0; k < 3; ++k)
		data->qvel[model->body_dofadr[bodies[body]] + k] += change[k];
}
