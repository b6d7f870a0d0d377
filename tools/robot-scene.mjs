// Writes scenes/robot.json: where its pile and the keys of its scripts come from.
//
//   node tools/robot-scene.mjs [FILE]
//
// A robot comes down into a container full of things and runs through them, a claw chases it, grabs it and drags it out
// (OBA sec. 7.1, fig. B.10). Robot and claw are scripted, all the rest is dynamic.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const file = process.argv[2] ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'scenes', 'robot.json');
const { PI, sin, cos, hypot, atan2 } = Math;
const FPS = 30, EVERY = 6; // frames between keys
const number = (v) => Number(v.toFixed(5)) + 0;
const vector = (v) => v.map(number);

// ---- Turns ----
const turn = (axis, angle) => { const n = hypot(...axis), s = sin(angle / 2) / n; return [cos(angle / 2), ...axis.map((v) => v * s)]; };
const times = ([a, b, c, d], [e, f, g, h]) => [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
const rotate = (q, v) => times(times(q, [0, ...v]), [q[0], -q[1], -q[2], -q[3]]).slice(1);
const unit = (q) => { const n = hypot(...q); return q.map((v) => Number((v / n).toFixed(9))); };

// ---- Where robot and claw are, frame by frame ----
// Waypoints: frame, then numbers; straight from one to the next.
function between(list, frame) {
	let i = 0;
	while (i + 2 < list.length && frame > list[i + 1][0])
		++i;
	const [a, b] = [list[i], list[i + 1]], s = Math.min(1, Math.max(0, (frame - a[0]) / (b[0] - a[0])));
	return a.slice(1).map((v, k) => v + s * (b[k + 1] - v));
}
const HEIGHT = 2.36; // of the claw's palm above the robot's soles when it holds it
const LEDGE = 2.3, SLOPE = PI / 4; // the robot's ledge; how far the walls lean out
const caught = 456, lifted = 480;
// The claw, from when it has the robot on: x, y, z of the palm.
const drag = [[caught, 0.2, -0.2, HEIGHT], [lifted, 0.2, -0.2, HEIGHT + 0.15], [522, 2, -0.1, HEIGHT + 0.7], [552, 4.2, 0, HEIGHT + 2.4], [580, 5, 0, HEIGHT + 2.9]];
// Where the robot goes by itself: x, y, z of its soles.
const run = [[0, -7.7, 0, LEDGE], [126, -7.7, 0, LEDGE], [150, -7.2, 0, LEDGE], [162, -6.75, 0, LEDGE - 0.1], [198, -4.55, 0, 0.1], [216, -3.7, 0.1, 0.05], [246, -2, 0.7, 0.05], [276, -0.4, -0.6, 0.05],
	[306, 1.1, 0.6, 0.05], [330, 2.2, 0.1, 0.05], [342, 2.2, 0.1, 0.05], [372, 1.4, -0.6, 0.05], [408, 0.2, -0.2, 0.05], [caught, 0.2, -0.2, 0.05]];
const chase = [[0, -6, 0, 11], [168, -6, 0, 11], [210, -5.6, 0, 4.4], [234, -4, 0.1, 3.3], [264, -2, 0.7, 2.5], [294, -0.4, -0.5, 2.45], [324, 0.9, 0.5, 2.6], [348, 1.6, 0.2, 3.4],
	[378, 1.5, -0.5, 4.2], [414, 0.4, -0.2, 4.3], [444, 0.2, -0.2, HEIGHT], ...drag];
const grip = [[0, 0.5], [210, 0.5], [222, 0.95], [240, 0.6], [252, 0.95], [270, 0.6], [282, 0.95], [300, 0.6], [330, 0.9], [438, 0.9], [caught, 0.12], [580, 0.12]]; // angle of the fingers

function robotAt(frame) {
	if (frame >= caught) {
		const [x, y, z] = between(chase, frame);
		return { position: [x, y, z - HEIGHT + 0.05], orientation: turn([0, 0, 1], PI) };
	}
	const here = between(run, frame), before = between(run, frame - 8), after = between(run, frame + 8);
	const way = [after[0] - before[0], after[1] - before[1]], speed = hypot(...way);
	// It faces the way it goes; on its ledge it looks about, at the far end it turns round, caught it trembles.
	let yaw = speed > 1e-6 ? atan2(way[1], way[0]) : 0;
	if (frame < 126)
		yaw = 0.9 * sin(frame / 20);
	else if (frame >= 330 && frame <= 342)
		yaw = PI * (frame - 330) / 12;
	else if (frame > 408)
		yaw = PI + 0.25 * sin((frame - 408) / 3);
	const rock = speed > 1e-6 ? (Math.round(frame / EVERY) % 2 ? 0.13 : -0.13) : 0; // from one leg to the other
	const lean = frame > 150 && frame < 204 ? -0.35 : speed > 1e-6 ? 0.12 : 0; // back on the slope, forward on the run
	const orientation = times(turn([0, 0, 1], yaw), times(turn([0, 1, 0], lean), turn([1, 0, 0], rock)));
	return { position: here, orientation };
}
const clawAt = (frame) => ({ position: between(chase, frame), orientation: [1, 0, 0, 0] });
function fingerAt(k) {
	return (frame) => {
		const [angle] = between(grip, frame), palm = between(chase, frame), around = turn([0, 0, 1], 2 * PI * k / 3 + PI / 3);
		const hinge = rotate(around, [0.42, 0, -0.08]);
		return { position: palm.map((v, i) => v + hinge[i]), orientation: times(around, turn([0, 1, 0], -angle)) };
	};
}

// Keys every few frames; those that say what the ones beside them say are left out.
function keysOf(at, last = 580) {
	const same = (a, b) => JSON.stringify([a.position, a.orientation]) === JSON.stringify([b.position, b.orientation]);
	const all = [];
	for (let frame = 0; frame <= last + EVERY - 1; frame += EVERY) {
		const when = Math.min(frame, last), { position, orientation } = at(when);
		all.push({ time: number(when / FPS), position: vector(position), orientation: unit(orientation) });
	}
	return all.filter((key, i) => i === 0 || i === all.length - 1 || !same(key, all[i - 1]) || !same(key, all[i + 1]));
}

// ---- Things ----
let state = 20021119;
const random = () => { state = (state * 48271) % 2147483647; return state / 2147483647; };
const things = [['cube', 78, '#e0a03a'], ['ball', 60, '#3f7fb5'], ['can', 44, '#6fae6a'], ['gem', 42, '#b5583f'], ['jack', 40, '#c8402f'], ['angle', 37, '#8a6fae']];
const bag = things.flatMap(([shape, count, color]) => Array.from({ length: count }, (_, i) => ({ name: `${shape} ${i}`, shape, color })));
for (let i = bag.length - 1; i > 0; --i) {
	const k = Math.floor(random() * (i + 1));
	[bag[i], bag[k]] = [bag[k], bag[i]];
}
const spacing = 0.9, nx = 8, ny = 6;
const pile = bag.map((thing, i) => {
	const layer = Math.floor(i / (nx * ny)), cell = i % (nx * ny), jitter = () => 0.01 * (2 * random() - 1);
	const axis = [random() - 0.5, random() - 0.5, random() - 0.5 + 1e-3];
	return { ...thing, material: 'wood', position: vector([-2.4 + spacing * (cell % nx) + jitter(), (Math.floor(cell / nx) - (ny - 1) / 2) * spacing + jitter(), 0.5 + spacing * layer]),
		orientation: unit(turn(axis, 2 * PI * random())) };
});

// ---- The container: a floor of 9.6 x 5.2 m and walls that lean out ----
const DEEP = [4.8, 2.6], HIGH = 2.2, THICK = 0.3;
// The inner face goes up from the floor's edge; above and behind it is wider by as much as the walls beside it lean and are thick.
function wall(name, axis, side) {
	const at = (out, high, wide) => { const p = [0, 0, high]; p[axis] = side * (DEEP[axis] + out); p[1 - axis] = wide; return p; };
	const across = DEEP[1 - axis], top = HIGH * Math.tan(SLOPE), points = [];
	for (const sign of [-1, 1])
		points.push(at(0, 0, sign * across), at(top, HIGH, sign * (across + top)), at(THICK, 0, sign * (across + THICK)), at(top + THICK, HIGH, sign * (across + top + THICK)));
	return { name, type: 'fixed', shape: { hull: { points: points.map(vector) } }, material: 'wood', color: axis ? '#5f6b78' : '#727f8d' };
}
const part = (shape, position, more = {}) => ({ shape, position, ...more });
const box = (...size) => ({ box: size });
const capsule = (radius, length) => ({ capsule: { radius, length } });
const shapes = {
	cube: box(0.42, 0.42, 0.42),
	ball: { sphere: 0.23 },
	can: { cylinder: { radius: 0.2, length: 0.42 } },
	gem: { hull: { points: [[0.3, 0, 0], [-0.3, 0, 0], [0, 0.3, 0], [0, -0.3, 0], [0, 0, 0.34], [0, 0, -0.34]] } },
	jack: { compound: { parts: [part(box(0.62, 0.16, 0.16), [0, 0, 0]), part(box(0.16, 0.62, 0.16), [0, 0, 0]), part(box(0.16, 0.16, 0.62), [0, 0, 0])] } },
	angle: { compound: { parts: [part(box(0.5, 0.24, 0.2), [0.06, 0, -0.12]), part(box(0.2, 0.24, 0.4), [-0.09, 0, 0.18])] } },
	// soles at the origin, it looks along x
	robot: { compound: { parts: [part(capsule(0.15, 0.66), [0, 0.18, 0.48]), part(capsule(0.15, 0.66), [0, -0.18, 0.48]), part(box(0.4, 0.58, 0.62), [0, 0, 1.2]),
		part(box(0.14, 0.13, 0.55), [0.08, 0.37, 1.15]), part(box(0.14, 0.13, 0.55), [0.08, -0.37, 1.15]), part(box(0.34, 0.38, 0.3), [0, 0, 1.7]),
		part({ cylinder: { radius: 0.05, length: 0.2 } }, [0, 0, 1.94])] } },
	palm: { compound: { parts: [part({ cylinder: { radius: 0.5, length: 0.2 } }, [0, 0, 0]), part({ cylinder: { radius: 0.14, length: 10 } }, [0, 0, 5.1])] } },
	// from its hinge at the origin down and in again
	finger: { compound: { parts: [part(box(0.12, 0.2, 0.72), [0.1, 0, -0.34]), part(box(0.12, 0.2, 0.62), [0.02, 0, -0.93], { orientation: { axis: [0, 1, 0], angle: 0.35 } })] } },
};
const fixed = [
	{ name: 'floor', type: 'fixed', shape: box(30, 24, 1), material: 'wood', position: [0, 0, -0.5], color: '#8d8a84' },
	wall('right wall', 0, 1), wall('left wall', 0, -1), wall('back wall', 1, 1), wall('front wall', 1, -1),
	{ name: 'ledge', type: 'fixed', shape: box(2, 3, 0.3), material: 'wood', position: [-8.4, 0, LEDGE - 0.16], color: '#727f8d' },
];
const scripted = (name, shape, color, at) => ({ name, type: 'scripted', shape, material: 'wood', color, ...at(0), position: vector(at(0).position), orientation: unit(at(0).orientation), keys: keysOf(at) });
const actors = [scripted('robot', 'robot', '#d9dde2', robotAt), scripted('claw', 'palm', '#2f353c', clawAt),
	...[0, 1, 2].map((k) => scripted(`finger ${k}`, 'finger', '#3b4148', fingerAt(k)))];

const one = (value) => JSON.stringify(value);
const lines = (list) => list.map((value) => `    ${one(value)}`).join(',\n');
const actor = ({ keys, ...rest }) => `    ${one(rest).slice(0, -1)},"keys":[\n${keys.map((key) => `      ${one(key)}`).join(',\n')}]}`;
fs.writeFileSync(file, `{
  "$schema": "scene.schema.json",
  "version": 1,
  "description": "a robot runs through a pool of things, a claw chases it, grabs it and drags it out: scripts among three hundred bodies",
  "comment": "Written by tools/robot-scene.mjs.",
  "world": {"gravity": [0, 0, -10], "fps": 30, "frames": 580},
  "materials": {"wood": {"density": 800, "restitution": 0.3, "friction": 0.3}},
  "shapes": {
${Object.entries(shapes).map(([name, shape]) => `    ${one(name)}: ${one(shape)}`).join(',\n')}
  },
  "bodies": [
${lines(fixed)},
${actors.map(actor).join(',\n')},
${lines(pile)}
  ],
  "camera": {"position": [1.2, -10.2, 8], "target": [-0.9, 0.3, 1.2], "fov": 0.85},
  "light": {"direction": [-1, 1.5, -3]}
}
`);
