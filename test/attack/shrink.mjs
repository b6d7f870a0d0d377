// Makes a scene that shows something smaller while it goes on showing it: fewer frames, bodies, joints, scripts, events,
// fields, emitters; then fewer properties and shorter numbers.

const copy = (scene) => JSON.parse(JSON.stringify(scene));

// What hangs on bodies that are gone goes with them.
function prune(scene) {
	const there = new Set((scene.bodies ?? []).map((b) => b.name));
	there.add('world');
	if (scene.joints)
		scene.joints = scene.joints.filter((j) => j.bodies.every((name) => there.has(name)));
	if (scene.events)
		scene.events = scene.events.filter((e) => !e.impulse || there.has(e.impulse.body));
	const used = new Set((scene.bodies ?? []).map((b) => b.material));
	for (const g of scene.generators ?? [])
		used.add(g.body.material);
	for (const name of Object.keys(scene.materials ?? {}))
		if (!used.has(name))
			delete scene.materials[name];
	for (const list of ['bodies', 'joints', 'events', 'fields', 'generators'])
		if (scene[list]?.length === 0)
			delete scene[list];
	return scene;
}

// Halves, then quarters, and so on of a list, taken out as long as the rest still shows it.
function thin(scene, list, shows) {
	for (let size = Math.ceil((scene[list]?.length ?? 0) / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
		for (let at = (scene[list]?.length ?? 0) - size; at > -size; at -= size) {
			const less = copy(scene);
			less[list]?.splice(Math.max(at, 0), size);
			if (less[list] && shows(prune(less)))
				scene = less;
		}
	return scene;
}

function fewer_frames(scene, shows) {
	let low = 1, high = scene.world.frames;
	while (low < high) {
		const less = copy(scene), middle = Math.floor((low + high) / 2);
		less.world.frames = middle;
		if (shows(less))
			scene = less, high = middle;
		else
			low = middle + 1;
	}
	return scene;
}

function plainer(scene, shows) {
	for (let i = 0; i < (scene.bodies?.length ?? 0); ++i)
		for (const key of ['spin', 'velocity', 'orientation', 'material', 'keys']) {
			const less = copy(scene);
			if (less.bodies[i]?.[key] === undefined)
				continue;
			delete less.bodies[i][key];
			if (shows(prune(less)))
				scene = less;
		}
	for (let i = 0; i < (scene.joints?.length ?? 0); ++i)
		for (const key of ['limits', 'motor', 'breaks', 'collide']) {
			const less = copy(scene);
			if (less.joints[i]?.[key] === undefined)
				continue;
			delete less.joints[i][key];
			if (shows(less))
				scene = less;
		}
	return scene;
}

function shorter_numbers(scene, shows) {
	for (const digits of [3, 5]) {
		const less = JSON.parse(JSON.stringify(scene), (_, value) =>
			typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(digits)) : value);
		if (shows(less))
			return less;
	}
	return scene;
}

// shows(scene): whether it still does; it says false of scenes that are none.
export function shrink(scene, shows) {
	let best = copy(scene), size;
	delete best.camera;
	if (!shows(best))
		return scene;
	do {
		size = JSON.stringify(best).length;
		best = fewer_frames(best, shows);
		for (const list of ['generators', 'fields', 'events', 'joints', 'bodies'])
			best = thin(best, list, shows);
		best = plainer(best, shows);
	} while (JSON.stringify(best).length < size);
	return shorter_numbers(best, shows);
}
