/* MJCF: actuators, equalities, pairs that do not collide, keyframes. */
#include "import_mjcf.h"
#include "render_math.h"

#include <stdlib.h>
#include <string.h>

/* ---- actuators: gear (gain ctrl + b0 + b1 length + b2 speed), where length and speed are gear times the joint's */

static bool is_true(const char *text) { return text && strcmp(text, "true") == 0; }

/* What the actuator is told at the start: what the key says, else 0, within its range. */
static bool read_ctrl(mjcf *m, xml_node *node, size_t number, double *ctrl)
{
	double range[2] = {0};
	size_t n;
	const char *limited = mjcf_ask(m, node, "ctrllimited");
	*ctrl = number < m->ctrl_count ? m->ctrl[number] : 0;
	if (!mjcf_numbers(m, node, "ctrlrange", range, 2, &n))
		return false;
	if (n == 2 && (is_true(limited) || (!limited && !m->unlimited)))
		*ctrl = fmin(fmax(*ctrl, range[0]), range[1]);
	return true;
}

static bool read_most(mjcf *m, xml_node *node, double gear, double *most)
{
	double range[2] = {0};
	size_t n;
	const char *limited = mjcf_ask(m, node, "forcelimited");
	if (!mjcf_numbers(m, node, "forcerange", range, 2, &n))
		return false;
	*most = INFINITY;
	if (n == 2 && (is_true(limited) || (!limited && !m->unlimited)))
		*most = fabs(gear) * fmax(fabs(range[0]), fabs(range[1]));
	return true;
}

static bool read_law(mjcf *m, xml_node *node, double *gain, double b[3])
{
	double kp = 1, kv = strcmp(node->name, "velocity") == 0;
	if (strcmp(node->name, "motor") == 0)
		return *gain = 1, true;
	if (strcmp(node->name, "general") == 0) {
		double gains[10] = {1}, biases[10] = {0};
		const char *kind = mjcf_ask(m, node, "biastype"), *type = mjcf_ask(m, node, "gaintype");
		if (type && strcmp(type, "fixed") != 0)
			import_note_at(m->im, place_of(node), "gaintype of <general>", "its gain is taken as fixed");
		if (!mjcf_numbers(m, node, "gainprm", gains, 10, NULL) || !mjcf_numbers(m, node, "biasprm", biases, 10, NULL))
			return false;
		*gain = gains[0];
		for (int i = 0; kind && strcmp(kind, "affine") == 0 && i < 3; ++i)
			b[i] = biases[i];
		return true;
	}
	if (!mjcf_number(m, node, "kp", &kp) || !mjcf_number(m, node, "kv", &kv))
		return false;
	bool position = strcmp(node->name, "position") == 0;
	*gain = position ? kp : kv;
	b[1] = position ? -kp : 0, b[2] = -kv;
	return true;
}

static bool read_actuator(mjcf *m, xml_node *node, size_t number)
{
	import *im = m->im;
	const char *joint = mjcf_own(node, "joint");
	mjcf_own(node, "name");
	import_joint *j = joint ? import_find_joint(im, joint) : NULL;
	double gear[6] = {1}, gain, b[3] = {0}, ctrl, most;
	if (joint && !j)
		return import_fail(im, place_of(node), "there is no joint \"%.80s\"", joint);
	if (!j)
		return true; /* on a tendon or a site: left unused, and noted */
	node->used = true;
	if (j->type != IMPORT_HINGE && j->type != IMPORT_SLIDE) {
		import_note_at(im, place_of(node), pool_format(&im->memory, "an actuator of joint \"%s\"", joint),
		               "only hinges and sliders are driven");
		return true;
	}
	if (!mjcf_numbers(m, node, "gear", gear, 6, NULL) || !read_law(m, node, &gain, b) ||
	    !read_ctrl(m, node, number, &ctrl) || !read_most(m, node, gear[0], &most))
		return false;
	j->gain += -b[1] * gear[0] * gear[0];
	j->gain_speed += -b[2] * gear[0] * gear[0];
	j->push += gear[0] * (gain * ctrl + b[0]);
	if (j->driven)
		import_note_at(im, place_of(node), pool_format(&im->memory, "a second actuator of joint \"%s\"", joint),
		               "the two are one here");
	j->most = j->driven ? j->most + most : most;
	j->driven = true;
	if (b[1] == 0 && b[2] == 0 && j->push == 0)
		import_note_at(im, place_of(node), "an actuator that nothing controls",
		               "it pushes with nothing; a program drives it (cairn_world_set_motor)");
	return j->gain >= 0 && j->gain_speed >= 0
	           ? true
	           : import_fail(im, place_of(node), "the actuator drives its joint away from where it is");
}

/* ---- equalities and exclusions */

static bool find_body(mjcf *m, xml_node *node, const char *attribute, bool needed, size_t *link)
{
	const char *name = mjcf_own(node, attribute);
	*link = IMPORT_NONE;
	if (!name && needed)
		return import_fail(m->im, place_of(node), "<%s> has no %s", node->name, attribute);
	if (!name || strcmp(name, "world") == 0)
		return true;
	*link = import_find_link(m->im, name);
	return *link != IMPORT_NONE || import_fail(m->im, place_of(node), "there is no body \"%.80s\"", name);
}

static bool read_equality(mjcf *m, xml_node *node)
{
	bool weld = strcmp(node->name, "weld") == 0;
	import_tie tie = {.weld = weld, .place = place_of(node)};
	double at[3] = {0};
	if ((!weld && strcmp(node->name, "connect") != 0) || !xml_find(node, "body1"))
		return true;
	node->used = true;
	mjcf_own(node, "name");
	if (!mjcf_bool(m, node, "active", true))
		return true;
	if (!find_body(m, node, "body1", true, &tie.a) || !find_body(m, node, "body2", false, &tie.b) ||
	    !mjcf_numbers(m, node, "anchor", at, 3, NULL))
		return false;
	tie.at = vec(at[0], at[1], at[2]);
	import_add_tie(m->im, tie);
	return true;
}

static bool read_exclude(mjcf *m, xml_node *node)
{
	size_t a, b;
	if (strcmp(node->name, "exclude") != 0)
		return true;
	node->used = true;
	mjcf_own(node, "name");
	if (!find_body(m, node, "body1", true, &a) || !find_body(m, node, "body2", true, &b))
		return false;
	import_add_pair(m->im, a, b, NULL);
	return true;
}

bool mjcf_drives(mjcf *m)
{
	size_t actuators = 0;
	for (xml_node *s = m->root->first; s; s = s->next) {
		bool actuator = strcmp(s->name, "actuator") == 0, equality = strcmp(s->name, "equality") == 0;
		if (!actuator && !equality && strcmp(s->name, "contact") != 0)
			continue;
		s->used = true;
		for (xml_node *n = s->first; n; n = n->next) {
			static const char *const kinds[] = {"motor", "position", "velocity", "general"};
			bool known = false;
			for (int i = 0; i < 4; ++i)
				known |= strcmp(kinds[i], n->name) == 0;
			if (actuator   ? known && !read_actuator(m, n, actuators)
			    : equality ? !read_equality(m, n)
			               : !read_exclude(m, n))
				return false;
			actuators += actuator;
		}
	}
	return true;
}

/* ---- keyframes */

static bool read_key(mjcf *m, xml_node *node)
{
	static const char *const names[] = {"qpos", "ctrl"};
	node->used = true;
	mjcf_own(node, "name");
	for (int i = 0; i < 2; ++i) {
		const char *text = mjcf_own(node, names[i]);
		size_t most = text ? strlen(text) / 2 + 2 : 0, count = 0;
		double *numbers = text ? pool_take(&m->im->memory, most * sizeof *numbers) : NULL;
		if (text && !import_numbers(m->im, node, text, names[i], numbers, 0, most, &count))
			return false;
		if (i)
			m->ctrl = numbers, m->ctrl_count = count;
		else
			m->qpos = numbers, m->qpos_count = count;
	}
	return true;
}

bool mjcf_find_key(mjcf *m)
{
	const char *wanted = m->im->asked->key;
	char *end = NULL;
	unsigned long number = wanted ? strtoul(wanted, &end, 10) : 0, count = 0;
	bool by_number = wanted && *wanted && !*end;
	for (xml_node *s = m->root->first; s; s = s->next) {
		if (strcmp(s->name, "keyframe") != 0)
			continue;
		s->used = true;
		for (xml_node *n = s->first; n; n = n->next, ++count) {
			const xml_attribute *name = xml_find(n, "name");
			bool meant = wanted && (by_number ? count == number : name && strcmp(name->value, wanted) == 0);
			if (meant)
				return read_key(m, n);
		}
	}
	return !wanted ||
	       import_fail(m->im, place_of(m->root),
	                   "there is no key \"%.60s\"; the model has %lu (a number counts from 0)", wanted, count);
}

void mjcf_set_key(mjcf *m)
{
	static const size_t sizes[] = {[IMPORT_HINGE] = 1, [IMPORT_SLIDE] = 1, [IMPORT_BALL] = 4, [IMPORT_FREE] = 7};
	size_t at = 0;
	for (size_t i = 0; i < m->im->joint_count; ++i) {
		import_joint *j = &m->im->joints[i];
		if (at + sizes[j->type] > m->qpos_count)
			return;
		const double *q = m->qpos + at;
		at += sizes[j->type];
		if (j->type == IMPORT_HINGE || j->type == IMPORT_SLIDE)
			j->start = q[0];
		else if (j->type == IMPORT_BALL)
			j->turn = (cairn_quat){q[0], q[1], q[2], q[3]};
		else
			m->im->links[j->link].pose = (cairn_pose){vec(q[0], q[1], q[2]), {q[3], q[4], q[5], q[6]}};
	}
}
