/* See gltf_physics.h. A node that moves begins a body, and what hangs on it belongs to it until another one that moves. */
#include "io/gltf_physics.h"

#include <string.h>

static const cn_json *extension(const cn_json *object, const char *name)
{
	const cn_json *all = cn_json_get(object, "extensions");
	const cn_json *found = all && all->type == CN_JSON_OBJECT ? cn_json_get(all, name) : NULL;
	return found && found->type == CN_JSON_OBJECT ? found : NULL;
}

static const cn_json *member(const cn_json *object, const char *key, cn_json_type type)
{
	const cn_json *found = object ? cn_json_get(object, key) : NULL;
	return found && found->type == type ? found : NULL;
}

/* An element of a list of an extension of the file. */
static const cn_json *listed(cn_gltf_file *f, const cn_json *at, const char *name, const char *list)
{
	const cn_json *of = extension(f->root, name);
	const cn_json *all = of ? member(of, list, CN_JSON_ARRAY) : NULL;
	const cn_json *found = at->type == CN_JSON_NUMBER && at->number >= 0 && all && at->number < all->count
	                           ? cn_json_at(all, (uint32_t)at->number)
	                           : NULL;
	if (!found || found->type != CN_JSON_OBJECT)
		return cn_asset_fail(f->r, cn_gltf_place(at), "there is no such element in \"%s\" of %s", list, name), NULL;
	return found;
}

static v3 to_scene(v3 p) { return v3_make(p.x, -p.z, p.y); }

static bool read_motion(cn_gltf_file *f, const cn_json *motion, const cn_gltf_node *n, cairn_asset_node *out)
{
	static const char *const left[] = {"centerOfMass", "inertiaDiagonal", "inertiaOrientation", "gravityFactor", NULL};
	const cn_json *kinematic = member(motion, "isKinematic", CN_JSON_BOOL);
	double v[3] = {0}, w[3] = {0};
	out->motion = kinematic && kinematic->boolean ? CAIRN_ASSET_DRIVEN : CAIRN_ASSET_MOVING;
	if (!cn_gltf_number(f, motion, "mass", &out->mass) || !cn_gltf_numbers(f, motion, "linearVelocity", v, 3) ||
	    !cn_gltf_numbers(f, motion, "angularVelocity", w, 3))
		return false;
	if (out->mass < 0)
		return cn_asset_fail(f->r, cn_gltf_place(motion), "a mass of %g", out->mass);
	/* they are of the node's own axes */
	out->velocity = q_rotate(n->pose.orientation, to_scene(v3_make(v[0], v[1], v[2])));
	out->spin = q_rotate(n->pose.orientation, to_scene(v3_make(w[0], w[1], w[2])));
	for (int i = 0; left[i]; ++i)
		if (cn_json_get(motion, left[i]) &&
		    !cn_asset_note(f->r, cn_gltf_place(cn_json_get(motion, left[i])),
		                   "it follows from the shapes and the world", "%s of a motion", left[i]))
			return false;
	return true;
}

static bool read_shape(cn_gltf_file *f, const cn_json *shape, const cn_gltf_node *n, cairn_asset_node *out)
{
	static const char *const names[] = {"sphere", "box", "capsule", "cylinder"};
	static const cairn_shape_kind kinds[] = {CAIRN_SPHERE, CAIRN_BOX, CAIRN_CAPSULE, CAIRN_CYLINDER};
	const cn_json *type = member(shape, "type", CN_JSON_TEXT);
	double s[3], size[3] = {1, 1, 1}, radius = 0.25, top = -1, bottom = -1, height = 0.5;
	int kind = 0;
	for (int i = 0; i < 3; ++i)
		s[i] = v3_length(v3_make(n->scale.m[0][i], n->scale.m[1][i], n->scale.m[2][i]));
	while (kind < 4 && type && strcmp(type->text, names[kind]) != 0)
		++kind;
	if (!type || kind == 4)
		return cn_asset_fail(f->r, cn_gltf_place(shape),
		                     "a shape is a box, sphere, capsule or cylinder; this is \"%.40s\"",
		                     type ? type->text : "nothing");
	const cn_json *of = member(shape, names[kind], CN_JSON_OBJECT);
	if (of && (!cn_gltf_numbers(f, of, "size", size, 3) || !cn_gltf_number(f, of, "radius", &radius) ||
	           !cn_gltf_number(f, of, "radiusTop", &top) || !cn_gltf_number(f, of, "radiusBottom", &bottom) ||
	           !cn_gltf_number(f, of, "height", &height)))
		return false;
	radius = top >= 0 || bottom >= 0 ? fmax(top, bottom) : kind == 0 && !of ? 0.5 : radius;
	out->has_shape = true, out->shape = kinds[kind];
	bool even = fabs(s[0] - s[2]) <= 1e-6 * s[0] && (kind == 3 || fabs(s[0] - s[1]) <= 1e-6 * s[0]);
	out->size =
		kind == 1 ? v3_make(size[0] * s[0], size[2] * s[2], size[1] * s[1]) : v3_make(radius * s[0], 0, height * s[1]);
	if (!(kind == 1 ? v3_min(out->size) > 0 : out->size.x > 0 && out->size.z >= 0))
		return cn_asset_fail(f->r, cn_gltf_place(shape), "the %s has no size", names[kind]);
	if (kind != 1 && top >= 0 && bottom >= 0 && top != bottom &&
	    !cn_asset_note(f->r, cn_gltf_place(shape), "the larger one is taken", "two radii of a %s", names[kind]))
		return false;
	return kind == 1 || even ||
	       cn_asset_note(f->r, cn_gltf_place(n->json), "that along x is taken for its radius",
	                     "an uneven scale of a %s", names[kind]);
}

static bool read_surface(cn_gltf_file *f, const cn_json *collider, cairn_asset_node *out)
{
	const cn_json *at = cn_json_get(collider, "physicsMaterial");
	if (!at)
		return true;
	const cn_json *m = listed(f, at, CN_GLTF_PHYSICS, "physicsMaterials");
	double dynamic = -1;
	if (!m || !cn_gltf_number(f, m, "staticFriction", &out->friction) ||
	    !cn_gltf_number(f, m, "dynamicFriction", &dynamic) || !cn_gltf_number(f, m, "restitution", &out->restitution))
		return false;
	if (out->friction < 0)
		out->friction = dynamic;
	else if (dynamic >= 0 && dynamic != out->friction)
		return cn_asset_note(f->r, cn_gltf_place(m), "the static one is taken for both",
		                     "dynamicFriction of a material");
	return true;
}

/* What collides: a shape, or a mesh, its own or another one. */
static bool read_collider(cn_gltf_file *f, const cn_json *collider, const cn_gltf_node *n, cairn_asset_node *out)
{
	const cn_json *geometry = member(collider, "geometry", CN_JSON_OBJECT);
	const cn_json *shape = geometry ? cn_json_get(geometry, "shape") : NULL;
	const cn_json *mesh = geometry ? cn_json_get(geometry, "mesh") : NULL;
	const cn_json *node = geometry ? cn_json_get(geometry, "node") : NULL;
	const cn_json *convex = geometry ? member(geometry, "convexHull", CN_JSON_BOOL) : NULL;
	if (!geometry || (!shape && !mesh && !node))
		return cn_asset_fail(f->r, cn_gltf_place(collider), "a collider needs a \"geometry\" with a shape or a mesh");
	if (!read_surface(f, collider, out))
		return false;
	if (cn_json_get(collider, "collisionFilter") &&
	    !cn_asset_note(f->r, cn_gltf_place(collider), "all collide with all", "collisionFilter of a collider"))
		return false;
	out->touches = true;
	out->hull = convex && convex->boolean;
	if (shape) {
		const cn_json *found = listed(f, shape, CN_GLTF_SHAPES, "shapes");
		return found && read_shape(f, found, n, out);
	}
	if (node && !mesh) {
		const cn_json *other = cn_gltf_item(f, node, "nodes");
		if (!other || !(mesh = cn_json_get(other, "mesh")))
			return other && cn_asset_fail(f->r, cn_gltf_place(node), "the collider's node has no mesh");
	}
	return n->find_mesh(n->context, mesh, n->scale, &out->mesh);
}

bool cn_gltf_add_node(cn_gltf_file *f, cn_gltf_node *n)
{
	const cn_json *physics = extension(n->json, CN_GLTF_PHYSICS);
	const cn_json *motion = physics ? member(physics, "motion", CN_JSON_OBJECT) : NULL;
	const cn_json *collider = physics ? member(physics, "collider", CN_JSON_OBJECT) : NULL;
	bool said = extension(f->root, CN_GLTF_PHYSICS) != NULL || physics;
	cairn_asset_node made = {0};
	for (const cn_json *v = physics ? physics->first : NULL; v; v = v->next)
		if (v != motion && v != collider &&
		    !cn_asset_note(f->r, cn_gltf_place(v), "not taken over", "%.40s of %s", v->key, CN_GLTF_PHYSICS))
			return false;
	if (n->mesh == UINT32_MAX && !motion && !collider)
		return true;
	cairn_asset_node *node = cn_asset_add_node(f->r, n->name, cn_gltf_place(n->json));
	if (!node)
		return false;
	uint32_t self = f->r->asset->node_count - 1;
	made = *node;
	made.pose = n->pose, made.mesh = n->mesh, made.seen = n->mesh != UINT32_MAX;
	made.motion = said ? CAIRN_ASSET_STANDING : CAIRN_ASSET_UNSAID;
	made.touches = !said;
	if (n->body != UINT32_MAX && !motion)
		made.body = n->body, made.motion = f->r->asset->nodes[n->body].motion;
	if (motion && !read_motion(f, motion, n, &made))
		return false;
	uint32_t seen = made.mesh;
	if (collider && !read_collider(f, collider, n, &made))
		return false;
	n->body = motion ? self : n->body;
	bool other = collider && !made.has_shape && seen != UINT32_MAX && seen != made.mesh;
	if (other || (collider && !made.has_shape && seen == UINT32_MAX))
		made.seen = false;
	f->r->asset->nodes[self] = made;
	if (!other)
		return true;
	/* what is seen is another mesh than what collides */
	cairn_asset_node *shown = cn_asset_add_node(f->r, n->name, cn_gltf_place(n->json));
	if (!shown)
		return false;
	shown->pose = n->pose, shown->mesh = seen, shown->seen = true, shown->motion = made.motion;
	shown->body = made.body;
	return true;
}
