/* The scene of a model: a line for each material, body and joint. */
#define _POSIX_C_SOURCE 200809L
#include "import.h"
#include "json.h"
#include "names.h"
#include "render_math.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES = 32, ELLIPSOID_RINGS = 9, ELLIPSOID_POINTS = 20 };

/* Materials and kinds of geometries that touch the same others: few, found by looking through them. */
typedef struct surface_kind {
	double friction, restitution;
	bool slick;
} surface_kind;

typedef struct touch_kind {
	uint32_t type, with;
} touch_kind;

typedef struct writing {
	import *im;
	FILE *out;
	bool follows; /* an item stands before the next one */
	bool bodies_only;
	surface_kind surfaces[CLASSES];
	touch_kind touches[CLASSES];
	size_t surface_count, touch_count;
	size_t *first,
		*next; /* geometries by link, in their order: that of a link, and the one after a geometry; IMPORT_NONE ends it */
} writing;

static void section(writing *w, const char *name, char bracket)
{
	fprintf(w->out, ",\n  \"%s\": %c", name, bracket);
	w->follows = false;
}

/* The text of a JSON object as the next item, with its key where it has one. */
static void item(writing *w, const char *key, char *text, size_t size)
{
	if (size && text[size - 1] == '\n')
		text[size - 1] = 0;
	fputs(w->follows ? ",\n    " : "\n    ", w->out);
	if (key)
		fprintf(w->out, "\"%s\": ", key);
	fputs(text, w->out);
	w->follows = true;
	free(text);
}

typedef struct draft {
	char *text;
	size_t size;
	FILE *out;
	json j;
} draft;

static void draft_begin(draft *d)
{
	d->text = NULL;
	d->out = open_memstream(&d->text, &d->size);
	if (!d->out)
		memory_resize(NULL, SIZE_MAX / 2);
	d->j = json_begin(d->out, false);
}

static void draft_end(draft *d, writing *w, const char *key)
{
	json_end(&d->j);
	fclose(d->out);
	item(w, key, d->text, d->size);
}

/* ---- kinds */

static size_t surface_of(writing *w, const import_geom *g)
{
	for (size_t i = 0; i < w->surface_count; ++i)
		if (w->surfaces[i].friction == g->friction && w->surfaces[i].restitution == g->restitution &&
		    w->surfaces[i].slick == g->slick)
			return i;
	if (w->surface_count == CLASSES) {
		import_note_at(w->im, g->place, "friction", "there are more than 32 kinds of friction; it has that of another");
		return 0;
	}
	w->surfaces[w->surface_count] = (surface_kind){g->friction, g->restitution, g->slick};
	return w->surface_count++;
}

static size_t touch_of(writing *w, uint32_t type, uint32_t with, import_place place)
{
	for (size_t i = 0; i < w->touch_count; ++i)
		if (w->touches[i].type == type && w->touches[i].with == with)
			return i;
	if (w->touch_count == CLASSES) {
		import_note_at(w->im, place, "contype and conaffinity",
		               "there are more than 32 kinds; it touches what another does");
		return 0;
	}
	w->touches[w->touch_count] = (touch_kind){type, with};
	return w->touch_count++;
}

static bool touch(touch_kind a, touch_kind b) { return (a.type & b.with) || (b.type & a.with); }

/* What the geometries of a link touch, taken together; both 0: nothing. */
static touch_kind link_touch(const writing *w, size_t link)
{
	const import *im = w->im;
	touch_kind t = {0};
	for (size_t i = w->first[link]; i != IMPORT_NONE; i = w->next[i])
		if (im->geoms[i].collides && im->geoms[i].shape != IMPORT_PLANE)
			t.type |= im->geoms[i].type, t.with |= im->geoms[i].with;
	return t;
}

static bool is_static(const import *im, const import_geom *g)
{
	return g->link == IMPORT_NONE || im->links[g->link].fixed;
}

/* Of a link that moves: what it collides with, or what is seen of it, if it collides with nothing. */
static bool is_part(const import_geom *g, touch_kind of_link)
{
	bool any = of_link.type || of_link.with;
	return g->shape != IMPORT_PLANE && (!any || (g->collides && (g->type || g->with)));
}

static void list_geoms(writing *w)
{
	import *im = w->im;
	w->first = pool_take(&im->memory, im->link_count * sizeof *w->first);
	w->next = pool_take(&im->memory, im->geom_count * sizeof *w->next);
	for (size_t i = 0; i < im->link_count; ++i)
		w->first[i] = IMPORT_NONE;
	for (size_t i = im->geom_count; i-- > 0;) {
		size_t link = im->geoms[i].link;
		if (link != IMPORT_NONE)
			w->next[i] = w->first[link], w->first[link] = i;
	}
}

static void find_kinds(writing *w)
{
	import *im = w->im;
	for (size_t i = 0; i < im->geom_count; ++i) {
		const import_geom *g = &im->geoms[i];
		surface_of(w, g);
		if (is_static(im, g) && g->collides && (g->type || g->with))
			touch_of(w, g->type, g->with, g->place);
	}
	for (size_t i = 0; i < im->link_count; ++i) {
		touch_kind t = link_touch(w, i);
		if (!im->links[i].fixed && (t.type || t.with))
			touch_of(w, t.type, t.with, im->links[i].place);
	}
}

static void write_filter(writing *w, json *j, touch_kind t, import_place place)
{
	uint32_t mask = 0, group = 0;
	if (t.type || t.with) {
		group = 1u << touch_of(w, t.type, t.with, place);
		for (size_t i = 0; i < w->touch_count; ++i)
			mask |= touch(w->touches[i], t) ? 1u << i : 0;
		if (w->touch_count == 1 && mask)
			return; /* all touch all: what a scene says without a word */
	}
	json_open(j, "filter", '{');
	json_count(j, "group", group);
	json_count(j, "mask", mask);
	json_close(j, '}');
}

/* ---- shapes */

static void write_ellipsoid(json *j, cairn_vec3 size)
{
	for (int ring = 0; ring <= ELLIPSOID_RINGS + 1; ++ring) {
		double polar = 3.14159265358979323846 * ring / (ELLIPSOID_RINGS + 1);
		int count = ring == 0 || ring == ELLIPSOID_RINGS + 1 ? 1 : ELLIPSOID_POINTS;
		for (int i = 0; i < count; ++i) {
			double angle = 2 * 3.14159265358979323846 * i / ELLIPSOID_POINTS;
			json_vec3(j, NULL,
			          vec(size.x * sin(polar) * cos(angle), size.y * sin(polar) * sin(angle), size.z * cos(polar)));
		}
	}
}

static void write_shape(json *j, const char *key, const import_geom *g)
{
	json_open(j, key, '{');
	switch (g->shape) {
	case IMPORT_SPHERE: json_number(j, "sphere", g->size.x); break;
	case IMPORT_BOX: json_vec3(j, "box", g->size); break;
	case IMPORT_CAPSULE:
	case IMPORT_CYLINDER:
		json_open(j, g->shape == IMPORT_CAPSULE ? "capsule" : "cylinder", '{');
		json_number(j, "radius", g->size.x);
		json_number(j, "length", g->size.z);
		json_close(j, '}');
		break;
	case IMPORT_ELLIPSOID:
	case IMPORT_HULL:
		json_open(j, "hull", '{');
		json_open(j, "points", '[');
		if (g->shape == IMPORT_ELLIPSOID)
			write_ellipsoid(j, g->size);
		for (size_t i = 0; i < g->point_count; ++i)
			json_vec3(j, NULL, g->points[i]);
		json_close(j, ']');
		json_close(j, '}');
		break;
	case IMPORT_MESH:
		json_open(j, "mesh", '{');
		json_text(j, "file", g->file);
		if (g->shell)
			json_text(j, "kind", "shell");
		json_close(j, '}');
		break;
	case IMPORT_PLANE:
		json_open(j, "halfspace", '{');
		json_vec3(j, "normal", vec(0, 0, 1));
		json_close(j, '}');
	}
	json_close(j, '}');
}

static void write_turn(json *j, cairn_quat q)
{
	if (q.w == 1)
		return;
	double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
	json_open(j, "orientation", '[');
	json_number(j, NULL, q.w / length);
	json_number(j, NULL, q.x / length);
	json_number(j, NULL, q.y / length);
	json_number(j, NULL, q.z / length);
	json_close(j, ']');
}

static void write_pose(json *j, cairn_pose pose)
{
	json_vec3(j, "position", pose.position);
	write_turn(j, pose.orientation);
}

static void write_color(json *j, const import_geom *g)
{
	char text[8];
	if (!g->has_color)
		return;
	const double c[3] = {g->color.r, g->color.g, g->color.b};
	int byte[3];
	for (int i = 0; i < 3; ++i)
		byte[i] = (int)(255 * fmin(fmax(c[i], 0), 1) + 0.5);
	snprintf(text, sizeof text, "#%02x%02x%02x", byte[0], byte[1], byte[2]);
	json_text(j, "color", text);
}

static void write_look(json *j, const import_geom *g)
{
	write_color(j, g);
	if (g->roughness >= 0)
		json_number(j, "roughness", g->roughness);
	if (!g->visual)
		return;
	json_open(j, "visual", '{');
	json_open(j, "mesh", '{');
	json_text(j, "file", g->visual);
	json_close(j, '}');
	json_close(j, '}');
}

/* ---- bodies */

static void write_material(writing *w, json *j, const import_geom *g)
{
	char name[32];
	snprintf(name, sizeof name, "surface %zu", surface_of(w, g) + 1);
	json_text(j, "material", name);
}

static void write_static(writing *w, size_t geom)
{
	const import_geom *g = &w->im->geoms[geom];
	cairn_pose pose = g->pose;
	if (g->link != IMPORT_NONE) {
		cairn_pose at = w->im->links[g->link].stands;
		pose = (cairn_pose){vec_add(at.position, quat_turn(at.orientation, g->pose.position)),
		                    quat_mul(at.orientation, g->pose.orientation)};
	}
	draft d;
	draft_begin(&d);
	json_text(&d.j, "name", w->im->bodies[w->im->link_count + geom]);
	json_text(&d.j, "type", "fixed");
	write_shape(&d.j, "shape", g);
	write_material(w, &d.j, g);
	write_pose(&d.j, pose);
	write_filter(w, &d.j, g->collides ? (touch_kind){g->type, g->with} : (touch_kind){0}, g->place);
	write_look(&d.j, g);
	draft_end(&d, w, NULL);
}

/* The shape of a link: of one geometry alone where that lies in its frame, else of all. NULL: it has none. */
static const import_geom *write_link_shape(writing *w, json *j, size_t link)
{
	const import_geom *first = NULL;
	size_t count = 0;
	touch_kind t = link_touch(w, link);
	for (size_t i = w->first[link]; i != IMPORT_NONE; i = w->next[i])
		if (is_part(&w->im->geoms[i], t))
			first = count++ ? first : &w->im->geoms[i];
	if (!first)
		return NULL;
	cairn_pose p = first->pose;
	if (count == 1 && vec_length(p.position) == 0 && p.orientation.w == 1) {
		write_shape(j, "shape", first);
		return first;
	}
	json_open(j, "shape", '{');
	json_open(j, "compound", '{');
	json_open(j, "parts", '[');
	for (size_t i = w->first[link]; i != IMPORT_NONE; i = w->next[i]) {
		const import_geom *g = &w->im->geoms[i];
		if (!is_part(g, t))
			continue;
		json_open(j, NULL, '{');
		write_shape(j, "shape", g);
		write_pose(j, g->pose);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, '}');
	return first;
}

static void write_mass(json *j, const import_mass *m)
{
	json_number(j, "mass", m->mass);
	json_vec3(j, "center", m->center);
	json_open(j, "inertia", '[');
	for (int i = 0; i < 3; ++i) {
		json_open(j, NULL, '[');
		for (int k = 0; k < 3; ++k)
			json_number(j, NULL, i <= k ? m->inertia[3 * i + k] : m->inertia[3 * k + i]);
		json_close(j, ']');
	}
	json_close(j, ']');
}

/* A link that has nothing to show is a ball of a tenth of its radius of gyration, which touches nothing. */
static void write_ghost(json *j, const import_mass *m)
{
	import_geom ball = {.shape = IMPORT_SPHERE, .size = {0.1 * sqrt(2.5 * m->inertia[0] / m->mass), 0, 0}};
	ball.size.x = fmax(ball.size.x, 1e-6);
	write_shape(j, "shape", &ball);
}

static void write_link(writing *w, size_t link)
{
	const import_link *l = &w->im->links[link];
	draft d;
	draft_begin(&d);
	json_text(&d.j, "name", w->im->bodies[link]);
	const import_geom *first = write_link_shape(w, &d.j, link);
	if (!first)
		write_ghost(&d.j, &l->mass);
	else
		write_material(w, &d.j, first);
	write_pose(&d.j, l->stands);
	write_mass(&d.j, &l->mass);
	write_filter(w, &d.j, link_touch(w, link), l->place);
	if (vec_length(l->velocity) > 0)
		json_vec3(&d.j, "velocity", l->velocity);
	if (vec_length(l->spin) > 0)
		json_vec3(&d.j, "spin", l->spin);
	if (first)
		write_look(&d.j, first);
	draft_end(&d, w, NULL);
}

/* ---- joints */

static const char *body_name(const import *im, size_t link)
{
	return link == IMPORT_NONE || im->links[link].fixed ? "world" : im->bodies[link];
}

static void write_bodies(json *j, const char *a, const char *b)
{
	json_open(j, "bodies", '[');
	json_text(j, NULL, a);
	json_text(j, NULL, b);
	json_close(j, ']');
}

/* Spring, damper and actuator together push with K (target - value) + D (speed - rate). */
static void write_motor(import *im, json *j, const import_joint *q)
{
	double K = q->stiffness + q->gain, D = q->damping + q->gain_speed, target = 0, speed = 0;
	if (K > 0)
		target = (q->stiffness * q->spring + q->push) / K;
	if (D > 0)
		speed = (K > 0 ? 0 : q->push) / D;
	if (K == 0 && D == 0 && q->push == 0)
		return;
	json_open(j, "motor", '{');
	if (K == 0 && D == 0) {
		json_number(j, q->type == IMPORT_HINGE ? "torque" : "force", fmin(fmax(q->push, -q->most), q->most));
	} else {
		json_number(j, "target", K > 0 ? target - q->start : 0);
		json_number(j, "stiffness", K);
		json_number(j, "damping", D);
		if (speed != 0)
			json_number(j, "speed", speed);
		if (isfinite(q->most))
			json_number(j, "most", q->most);
		if (isfinite(q->most) && q->stiffness + q->damping > 0)
			import_note_at(im, q->place, pool_format(&im->memory, "the most of joint \"%s\"", q->name),
			               "it holds for its spring and damper too, which are one with the actuator here");
	}
	json_close(j, '}');
}

static void write_joint(writing *w, size_t link)
{
	import *im = w->im;
	const import_link *l = &im->links[link];
	const import_joint *q = l->joint_count ? &im->joints[l->joints[0]] : NULL;
	static const char *const types[] = {[IMPORT_HINGE] = "hinge", [IMPORT_SLIDE] = "slider", [IMPORT_BALL] = "ball"};
	if (q && q->type == IMPORT_FREE)
		return;
	draft d;
	draft_begin(&d);
	json_text(&d.j, "type", q ? types[q->type] : "fixed");
	if (q && q->name[0])
		json_text(&d.j, "name", q->name);
	write_bodies(&d.j, body_name(im, l->parent), im->bodies[link]);
	json_vec3(&d.j, "point", q ? q->anchor : l->stands.position);
	if (q && q->type != IMPORT_BALL) {
		json_vec3(&d.j, "axis", q->way);
		if (q->limited) {
			json_open(&d.j, "limits", '[');
			json_number(&d.j, NULL, fmin(q->low - q->start, 0));
			json_number(&d.j, NULL, fmax(q->high - q->start, 0));
			json_close(&d.j, ']');
		}
		write_motor(im, &d.j, q);
	}
	draft_end(&d, w, NULL);
}

static void write_tie(writing *w, const import_tie *tie)
{
	const import *im = w->im;
	const char *a = body_name(im, tie->a), *b = body_name(im, tie->b);
	if (strcmp(a, b) == 0)
		return;
	cairn_vec3 point = tie->at;
	if (tie->a != IMPORT_NONE)
		point = vec_add(im->links[tie->a].stands.position, quat_turn(im->links[tie->a].stands.orientation, point));
	draft d;
	draft_begin(&d);
	json_text(&d.j, "type", tie->weld ? "fixed" : "ball");
	write_bodies(&d.j, a, b);
	json_vec3(&d.j, "point", point);
	draft_end(&d, w, NULL);
}

static bool joined(const import *im, size_t a, size_t b)
{
	return im->links[b].parent == a || im->links[a].parent == b;
}

static void write_pass(writing *w, const char *a, const char *b)
{
	draft d;
	draft_begin(&d);
	json_text(&d.j, "type", "pass");
	write_bodies(&d.j, a, b);
	draft_end(&d, w, NULL);
}

/* Pairs are of links; one of a link that is part of the world stands for all its geometries, which are bodies of their own. */
static void write_pair(writing *w, const import_pair *p)
{
	const import *im = w->im;
	size_t a = p->a, b = p->b;
	if (a < im->link_count && im->links[a].fixed)
		a = p->b, b = p->a;
	if (a >= im->link_count || !im->bodies[a] || im->links[a].fixed)
		return;
	touch_kind t = link_touch(w, a);
	if (b < im->link_count && !im->links[b].fixed) {
		if (im->bodies[b] && !joined(im, a, b) && touch(t, link_touch(w, b)))
			write_pass(w, im->bodies[a], im->bodies[b]);
		return;
	}
	for (size_t g = 0; g < im->geom_count; ++g) {
		const import_geom *geom = &im->geoms[g];
		bool meant = b >= im->link_count ? g == b - im->link_count : geom->link == b;
		if (meant && geom->collides && touch(t, (touch_kind){geom->type, geom->with}))
			write_pass(w, im->bodies[a], im->bodies[im->link_count + g]);
	}
}

/* ---- the whole */

/* Scenes have no control characters in names. */
static const char *without_controls(import *im, const char *name)
{
	char *text = pool_text(&im->memory, name);
	for (char *c = text; *c; ++c)
		if ((unsigned char)*c < 32 || *c == 127)
			*c = '?';
	return text;
}

static const char *unique_name(import *im, name_table *taken, const char *wanted)
{
	const char *name = *wanted ? wanted : "body";
	if (strcmp(name, "world") == 0)
		name = "the world";
	if (strlen(name) > 180)
		name = pool_format(&im->memory, "%.180s", name);
	name = without_controls(im, name);
	named *first = names_find(taken, name);
	const char *tried = name;
	while (names_find(taken, tried)) /* the number goes on from the last one that the name got */
		tried = pool_format(&im->memory, "%s %zu", name, ++first->number);
	return names_add(taken, tried, 1)->text;
}

void import_name_bodies(import *im)
{
	name_table taken = names_begin(&im->memory);
	im->bodies = pool_take(&im->memory, (im->link_count + im->geom_count) * sizeof *im->bodies);
	for (size_t i = 0; i < im->link_count; ++i)
		if (!im->links[i].gone && !im->links[i].fixed)
			im->bodies[i] = unique_name(im, &taken, im->links[i].name);
	for (size_t i = 0; i < im->geom_count; ++i) {
		const import_geom *g = &im->geoms[i];
		if (!is_static(im, g))
			continue;
		const char *link = g->link == IMPORT_NONE ? "ground" : im->links[g->link].name;
		im->bodies[im->link_count + i] = unique_name(im, &taken, *g->name ? g->name : link);
	}
}

static void write_materials(writing *w)
{
	section(w, "materials", '{');
	for (size_t i = 0; i < w->surface_count; ++i) {
		char name[32];
		draft d;
		snprintf(name, sizeof name, "surface %zu", i + 1);
		draft_begin(&d);
		json_number(&d.j, "friction", w->surfaces[i].friction);
		if (w->surfaces[i].restitution > 0)
			json_number(&d.j, "restitution", w->surfaces[i].restitution);
		draft_end(&d, w, name);
	}
	fputs("\n  }", w->out);
	section(w, "pairs", '[');
	for (size_t i = 0; i < w->surface_count; ++i)
		for (size_t k = i; k < w->surface_count; ++k) {
			const surface_kind *a = &w->surfaces[i], *b = &w->surfaces[k];
			double friction = a->slick && b->slick ? 0 : fmax(a->friction, b->friction);
			char names[2][32];
			draft d;
			if (i == k && friction == a->friction)
				continue;
			snprintf(names[0], sizeof names[0], "surface %zu", i + 1);
			snprintf(names[1], sizeof names[1], "surface %zu", k + 1);
			draft_begin(&d);
			json_open(&d.j, "materials", '[');
			json_text(&d.j, NULL, names[0]);
			json_text(&d.j, NULL, names[1]);
			json_close(&d.j, ']');
			json_number(&d.j, "friction", friction);
			draft_end(&d, w, NULL);
		}
	fputs("\n  ]", w->out);
}

static void write_head(writing *w)
{
	draft d;
	fputs("{\n  \"$schema\": \"scene.schema.json\",\n  \"version\": 1", w->out);
	draft_begin(&d);
	json_vec3(&d.j, "gravity", w->im->gravity);
	json_count(&d.j, "fps", 30);
	json_count(&d.j, "frames", 300);
	if (w->bodies_only)
		json_text(&d.j, "method", "free");
	fputs(",\n  \"world\":", w->out);
	w->follows = false;
	draft_end(&d, w, NULL);
}

void import_write(import *im, FILE *out, bool bodies_only)
{
	writing w = {.im = im, .out = out, .bodies_only = bodies_only};
	list_geoms(&w);
	find_kinds(&w);
	write_head(&w);
	write_materials(&w);
	section(&w, "bodies", '[');
	for (size_t i = 0; i < im->geom_count; ++i)
		if (is_static(im, &im->geoms[i]))
			write_static(&w, i);
	for (size_t i = 0; i < im->link_count; ++i)
		if (im->bodies[i])
			write_link(&w, i);
	fputs("\n  ]", out);
	section(&w, "joints", '[');
	if (bodies_only) {
		fputs("\n  ]\n}\n", out);
		return;
	}
	for (size_t i = 0; i < im->link_count; ++i)
		if (im->bodies[i])
			write_joint(&w, i);
	for (size_t i = 0; i < im->tie_count; ++i)
		write_tie(&w, &im->ties[i]);
	for (size_t i = 0; i < im->pair_count; ++i)
		write_pair(&w, &im->pairs[i]);
	fputs("\n  ]\n}\n", out);
}
