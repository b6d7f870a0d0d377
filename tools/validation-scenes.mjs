// Writes the scenes of docs/validation.md: where their numbers come from.
//
//   node tools/validation-scenes.mjs [FOLDER]     scenes/validation unless named
//
// Each is the set-up of a row; what a row sweeps (directions, friction, overhang) its test changes in the scene
// (test/validation). Bodies begin with the gap that the method keeps, a thousandth of the thinner one, or touching.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2] ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'scenes', 'validation');
const KEPT = 1e-3;
const { PI, sin, cos, atan, sqrt } = Math;
const red = '#c8402f', amber = '#e0a03a', blue = '#3f7fb5', green = '#6fae6a', grey = '#8d8a84', steel = '#9aa4ad';
const colors = [amber, red, blue, green];

// One body a line: what a row is made of can be read, and compared.
function write(name, scene)
{
	const { description, gravity = [0, 0, -9.81], frames = 300, materials, shapes, bodies, joints, camera } = scene;
	const lines = (list) => list.map((one) => `    ${JSON.stringify(one)}`).join(',\n');
	const table = (all) => Object.entries(all).map(([key, one]) => `    ${JSON.stringify(key)}: ${JSON.stringify(one)}`).join(',\n');
	const text = `{
  "$schema": "../scene.schema.json",
  "version": 1,
  "description": ${JSON.stringify(description)},
  "world": { "gravity": ${JSON.stringify(gravity)}, "fps": 30, "frames": ${frames}, "options": { "sleep": false } },
  "materials": {
${table(materials)}
  },
  "shapes": {
${table(shapes)}
  },
  "bodies": [
${lines(bodies)}
  ],${joints ? `
  "joints": [
${lines(joints)}
  ],` : ''}
  "camera": ${JSON.stringify(camera)},
  "light": { "direction": [-1, 1.5, -3] }
}
`;
	fs.writeFileSync(path.join(folder, `${name}.json`), text);
}

const stuff = (friction, restitution = 0, density = 1000) => ({ stuff: { density, restitution, friction } });
const floor = (normal = [0, 0, 1]) =>
	({ name: 'floor', type: 'fixed', shape: { halfspace: { normal } }, material: 'stuff', color: grey });
const about = (axis, angle) => ({ axis, angle });
const look = (position, target, fov = 0.7) => ({ position, target, fov });
const body = (name, shape, position, more = {}) => ({ name, shape, material: 'stuff', position, ...more });

// ---- Motion with nothing in the way
write('throw', {
	description: 'a ball, a box and a tilted cylinder thrown: parabolas',
	frames: 90, materials: stuff(0.5), shapes: { ball: { sphere: 0.1 }, box: { box: [0.2, 0.3, 0.5] }, rod: { cylinder: { radius: 0.1, length: 0.6 } } },
	bodies: [
		body('ball', 'ball', [0, -2, 1], { velocity: [3, 0, 8], color: red }),
		body('box', 'box', [0, 0, 1], { velocity: [4, 0.5, 6], spin: [1, 2, 3], color: amber }),
		body('rod', 'rod', [0, 2, 1], { velocity: [2, 0.7, 9], spin: [0.5, 7, 0], orientation: about([1, 0, 0], 0.4), color: blue })],
	camera: look([5, -34, -6], [5, 0, -10.5], 0.8),
});
write('spin', {
	description: 'torque-free spin about the middle axis, moments 1, 2, 3: it turns over every 20.755 s',
	gravity: [0, 0, 0], frames: 1800, materials: stuff(0.5),
	shapes: { wing: { box: [2, 1.4, 0.2] } },
	bodies: [body('wing', 'wing', [0, 0, 0], { mass: 1, center: [0, 0, 0], inertia: [1, 2, 3], spin: [0.01, 1, 0], color: amber })],
	camera: look([4, -5, 3], [0, 0, 0]),
});

// ---- Impacts
{
	const r = 0.05, rest = r + KEPT * 2 * r, e = [0.5, 0.7, 0.9, 1];
	const names = ['half', 'seven tenths', 'nine tenths', 'whole'];
	write('bounce', {
		description: 'balls dropped from a metre, restitution 0.5, 0.7, 0.9 and 1: the n-th height is e^(2n) h',
		frames: 300,
		materials: { stuff: { density: 1000, restitution: 0, friction: 0 }, ...Object.fromEntries(e.map((v, i) => [names[i], { density: 1000, restitution: v, friction: 0 }])) },
		shapes: { ball: { sphere: r } },
		bodies: [floor(), ...e.map((v, i) => ({ name: names[i], shape: 'ball', material: names[i], position: [i - 1.5, 0, rest + 1], color: colors[i] }))],
		camera: look([0, -4.2, 0.8], [0, 0, 0.5], 0.5),
	});
}
{
	const r = 0.03;
	write('billiard', {
		description: 'a ball strikes another off centre by half a diameter, without loss and friction: they part at a right angle',
		frames: 60, materials: stuff(0, 1, 1700), shapes: { ball: { sphere: r } },
		bodies: [floor(), body('struck', 'ball', [0, 0, r * (1 + 2 * KEPT)], { color: red }),
			body('cue', 'ball', [-0.5, -r, r * (1 + 2 * KEPT)], { velocity: [2, 0, 0], color: amber })],
		camera: look([1, -2.6, 3.4], [1.05, -0.1, 0]),
	});
}

// ---- Friction
{
	const angle = atan(0.5), n = [sin(angle), 0, cos(angle)], up = 0.5 + KEPT;
	write('slope', {
		description: 'a cube on a slope of 26.565 degrees, friction 0.49: it slides, at 0.088 m/s^2; with 0.51 it stays',
		frames: 150, materials: stuff(0.49), shapes: { cube: { box: [1, 1, 1] } },
		bodies: [floor(n), body('cube', 'cube', n.map((v) => v * up), { orientation: about([0, 1, 0], angle), color: amber })],
		camera: look([2, -8, 2.5], [0.5, 0, 0]),
	});
}
write('slide', {
	description: 'a box set off at 5 m/s, friction 0.5: it stops after 2.548 m',
	frames: 60, materials: stuff(0.5), shapes: { box: { box: [1, 1, 0.5] } },
	bodies: [floor(), body('box', 'box', [0, 0, 0.25 + KEPT * 0.5], { velocity: [5, 0, 0], color: amber })],
	camera: look([1.5, -7, 2.5], [1.5, 0, 0]),
});
write('roll', {
	description: 'a ball set off at 5 m/s without spin, friction 0.5: it rolls at 5/7 of that after 1.248 m',
	frames: 60, materials: stuff(0.5), shapes: { ball: { sphere: 0.25 } },
	bodies: [floor(), body('ball', 'ball', [0, 0, 0.25 + KEPT * 0.5], { velocity: [5, 0, 0], color: amber })],
	camera: look([3, -9, 2.5], [3, 0, 0]),
});
{
	const angle = 20 * PI / 180, n = [sin(angle), 0, cos(angle)], r = 0.25, l = 0.4, m = 50;
	const at = (y) => { const up = r * (1 + 2 * KEPT); return [n[0] * up, y, n[2] * up]; };
	const lying = about([1, 0, 0], PI / 2);
	write('rollers', {
		description: 'a ball, a cylinder and a hoop roll down 20 degrees: at 5/7, 2/3 and 1/2 of g sin',
		frames: 60, materials: stuff(0.6), shapes: { ball: { sphere: r }, cylinder: { cylinder: { radius: r, length: l } } },
		bodies: [floor(n), body('ball', 'ball', at(-1), { color: red }),
			body('cylinder', 'cylinder', at(0), { orientation: lying, color: amber }),
			// all its mass at the rim: m r^2 about the axis, m r^2/2 + m l^2/12 across it
			body('hoop', 'cylinder', at(1), { orientation: lying, mass: m, center: [0, 0, 0],
				inertia: [m * r * r / 2 + m * l * l / 12, m * r * r / 2 + m * l * l / 12, m * r * r], color: blue })],
		camera: look([4, -8, 2], [2, 0, -1]),
	});
}

// ---- Structures
{
	const length = 1, height = 0.25, count = 4, share = 0.99;
	const blocks = [];
	// from the top each block may overhang the one below by 1/2, 1/4, 1/6, 1/8 of its length
	for (let k = count; k >= 1; --k) {
		let out = 0;
		for (let j = k; j <= count; ++j)
			out += share / (2 * j);
		blocks.push(body(`block ${k}`, 'block', [out - length / 2, 0, (count - k + 0.5) * height], { color: colors[k % 4] }));
	}
	write('overhang', {
		description: 'four blocks that overhang a table by 99 % of the harmonic 1.042 lengths',
		frames: 1800, materials: stuff(0.5), shapes: { block: { box: [length, 0.5, height] }, table: { box: [3, 1.5, 1] } },
		bodies: [{ name: 'table', type: 'fixed', shape: 'table', material: 'stuff', position: [-1.5, 0, -0.5], color: grey }, ...blocks],
		camera: look([0, -6, 1.5], [0, 0, 0.3]),
	});
}
for (const n of [2, 3, 4, 5]) {
	const length = 1, height = 0.4, kept = KEPT * height, bricks = [];
	for (let row = 0; row < 2 * n - 1; ++row) {
		const count = row < n ? row + 1 : 2 * n - 1 - row;
		for (let i = 0; i < count; ++i)
			bricks.push(body(`brick ${row}.${i}`, 'brick', [(i - (count - 1) / 2) * (length + kept), 0, row * (height + kept) + kept + 0.5 * height],
				{ color: colors[(row + i) % 4] }));
	}
	write(`diamond${n}`, {
		description: `a diamond of bricks, ${n} in its widest row and one at the foot: ${n < 5 ? 'it stands' : 'without friction it falls'}`,
		frames: n < 5 ? 1800 : 150, materials: stuff(n < 5 ? 0.3 : 0), shapes: { brick: { box: [length, 0.5, height] } },
		bodies: [floor(), ...bricks],
		camera: look([0, -4 - 1.6 * n, 0.6 * n], [0, 0, height * n * 0.8]),
	});
}
write('mass-ratio', {
	description: 'a tonne on a kilogram on the floor: it rests',
	frames: 600, materials: stuff(0.5), shapes: { cube: { box: [1, 1, 1] } },
	bodies: [floor(), body('light', 'cube', [0, 0, 0.5 + KEPT], { mass: 1, color: amber }), body('heavy', 'cube', [0, 0, 1.5 + 2 * KEPT], { mass: 1000, color: red })],
	camera: look([0, -6, 1.5], [0, 0, 1]),
});
for (const [n, gap, how] of [[10, 0.01, 'dropped a centimetre each'], [30, KEPT, 'set down']])
	write(`stack${n}`, {
		description: `${n} cubes upon each other, ${how}: they stand for a minute`,
		frames: 1800, materials: stuff(0.5), shapes: { cube: { box: [1, 1, 1] } },
		bodies: [floor(), ...Array.from({ length: n }, (_, i) => body(`cube ${i}`, 'cube', [0, 0, 0.5 + gap + (1 + gap) * i], { color: colors[i % 4] }))],
		camera: look([0, -2.2 * n, 0.6 * n], [0, 0, 0.5 * n]),
	});
{
	const length = 1, width = 0.6, thick = 0.02, lean = 10 * PI / 180, apart = length + 0.002, storeys = 5;
	const cards = [];
	let z = 0;
	for (let k = storeys; k >= 1; --k) {
		const middle = z + length / 2 * cos(lean) + thick / 2 * sin(lean), high = length * cos(lean) + thick * sin(lean);
		const out = length / 2 * sin(lean) + thick / 2 * cos(lean);
		for (let i = 0; i < k; ++i)
			for (const side of [-1, 1])
				cards.push(body(`tent ${k}.${i}${side < 0 ? 'a' : 'b'}`, 'card', [(i - (k - 1) / 2) * apart + side * out, 0, middle],
					{ orientation: about([0, 1, 0], -side * lean), color: colors[side < 0 ? 0 : 1] }));
		for (let i = 0; i + 1 < k; ++i)
			cards.push(body(`deck ${k}.${i}`, 'deck', [(i - (k - 2) / 2) * apart, 0, z + high + thick / 2], { color: colors[2] }));
		z += high + thick;
	}
	write('cards', {
		description: 'a house of 40 cards in five storeys, leaning by ten degrees, friction 0.6: it stands',
		frames: 1800, materials: stuff(0.6, 0, 800), shapes: { card: { box: [thick, width, length] }, deck: { box: [length, width, thick] } },
		bodies: [floor(), ...cards],
		camera: look([0, -11, 3.5], [0, 0, 2.3]),
	});
}
for (const [name, share] of [['thick', 0.2], ['thin', 0.08]]) {
	// stones between radial joints; corners of neighbours are the same numbers
	const radius = 2, count = 25, deep = 0.25, inner = radius * (1 - share / 2), outer = radius * (1 + share / 2);
	const corner = (r, k) => { const a = PI * k / count; return k === 0 ? [r, 0] : k === count ? [-r, 0] : [r * cos(a), r * sin(a)]; };
	const shapes = {}, stones = [];
	for (let k = 0; k < count; ++k) {
		const points = [];
		for (const [r, j] of [[inner, k], [outer, k], [inner, k + 1], [outer, k + 1]])
			for (const y of [-deep, deep])
				points.push([corner(r, j)[0], y, corner(r, j)[1]]);
		shapes[`stone ${k}`] = { hull: { points } };
		stones.push(body(`stone ${k}`, `stone ${k}`, [0, 0, 0], { color: colors[k % 2] }));
	}
	write(`arch-${name}`, {
		description: `a semicircular arch of 25 stones, ${share} of its mean radius thick, friction 0.5: it ${name === 'thick' ? 'stands' : 'falls'}`,
		frames: name === 'thick' ? 1800 : 150, materials: stuff(0.5), shapes, bodies: [floor(), ...stones],
		camera: look([0, -7, 1.8], [0, 0, 1]),
	});
}
// A box on its lower edge on the side of x, leaning over it: its centre when the edge is at x.
const leaning = (thick, high, x, lean) =>
	[x - (thick / 2) * cos(lean) + (high / 2) * sin(lean), (thick / 2) * sin(lean) + (high / 2) * cos(lean)];
{
	const count = 20, thick = 0.06, high = 0.6, spacing = 0.3, lean = 12 * PI / 180;
	const [x, z] = leaning(thick, high, thick / 2, lean);
	const first = body('domino 0', 'domino', [x, 0, z + KEPT * thick], { orientation: about([0, 1, 0], lean), color: red });
	write('dominoes', {
		description: 'twenty dominoes 0.6 x 0.3 x 0.06 m, 0.3 m apart, friction 0.5; the first leans by 12 degrees',
		frames: 150, materials: stuff(0.5), shapes: { domino: { box: [thick, 0.3, high] } },
		bodies: [floor(), first, ...Array.from({ length: count - 1 }, (_, i) => body(`domino ${i + 1}`, 'domino', [(i + 1) * spacing, 0, high / 2 + KEPT * thick], { color: colors[(i + 1) % 4] }))],
		camera: look([2.4, -7, 2], [2.9, 0, 0.2]),
	});
}
{
	// Two planes at 45 degrees, a cylinder on each, a block between the cylinders. Each cylinder carries half of the block
	// by friction T at its side; moments about its axis ask for as much at the plane, where it points down along it. With a
	// weightless cylinder the forces at the plane and at the block are then alike, T/N = tan(45/2) = 0.414; its own weight
	// presses it harder against both.
	const r = 0.5, half = 0.25, high = 2.5; // of the cylinders' axes
	const axis = half + KEPT * 2 * half + r; // x of a cylinder's axis
	const lying = about([1, 0, 0], PI / 2);
	// planes with normals (+-s, 0, s), s = sqrt(1/2), the radius and the kept gap below the axes
	const s = sqrt(0.5), low = s * (high - axis) - r * (1 + 2 * KEPT);
	const plane = (name, sign) => ({ name, type: 'fixed', shape: { halfspace: { normal: [sign * s, 0, s], offset: low } }, material: 'stuff', color: grey });
	write('pinch', {
		description: 'a block hangs between two cylinders that lie in a V, held by friction 0.6 alone',
		frames: 600, materials: stuff(0.6), shapes: { block: { box: [2 * half, 0.8, 0.8] }, roller: { cylinder: { radius: r, length: 1 } } },
		bodies: [plane('left plane', 1), plane('right plane', -1),
			body('left', 'roller', [-axis, 0, high], { orientation: lying, color: amber }), body('right', 'roller', [axis, 0, high], { orientation: lying, color: amber }),
			body('block', 'block', [0, 0, high], { color: red })],
		camera: look([0, -6, 2.6], [0, 0, 2.2]),
	});
}

// ---- Nothing passes
write('bullet', {
	description: 'a cube at 1000 m/s, 33 m a frame, against a sheet of a millimetre',
	frames: 60, materials: stuff(0.3, 0.3), shapes: { cube: { box: [1, 1, 1] }, sheet: { box: [0.001, 6, 6] } },
	bodies: [floor(), { name: 'sheet', type: 'fixed', shape: 'sheet', material: 'stuff', position: [0, 0, 3], color: steel },
		body('cube', 'cube', [-20, 0, 2], { velocity: [1000, 0, 0], color: red })],
	camera: look([9, -2, 3.4], [-10, 0, 2]),
});
{
	const plates = [];
	for (let i = 0; i < 100; ++i) {
		const row = Math.floor(i / 10), column = i % 10, angle = 80 * column / 9 * PI / 180, tilted = row % 2 === 0;
		// every second row leans, the others fly aslant; how far they begin from the wall spreads the phase of the blow
		const from = -1.2 - 0.93 * ((i * 0.6180339887498949) % 1);
		plates.push(body(`plate ${i}`, 'plate', [from, (column - 4.5) * 1.8, 1.6 + 1.6 * row], {
			orientation: tilted ? about([0, 1, 0], angle) : about([0, 0, 1], angle),
			velocity: tilted ? [30, 0, 0] : [30 * cos(angle), 30 * sin(angle), 0],
			spin: [0.7 * sin(i), 0.7 * sin(2 * i), 0.7 * sin(3 * i)], color: colors[(row + column) % 4] }));
	}
	write('plates', {
		description: 'a hundred plates 1 x 1 x 0.01 m at 30 m/s against a wall of 0.01 m, leaning or aslant by 0 to 80 degrees',
		frames: 60, materials: stuff(0.3, 0.3), shapes: { plate: { box: [0.01, 1, 1] }, wall: { box: [0.01, 200, 60] } },
		bodies: [floor(), { name: 'wall', type: 'fixed', shape: 'wall', material: 'stuff', position: [0, 0, 30], color: steel }, ...plates],
		camera: look([-22, -24, 14], [0, 0, 8]),
	});
}
{
	const thick = 0.06, post = 0.5, edge = 0.3, top = post + thick;
	// the plank lies on the post and, with the stack on its left end, on the floor: it begins level on a low stop
	const stack = Array.from({ length: 4 }, (_, i) => body(`cube ${i}`, 'cube', [-1.5, 0, top + KEPT * thick + edge / 2 + i * edge * (1 + KEPT)], { color: colors[i % 4] }));
	write('catapult', {
		description: 'a heavy block falls at 40 m/s on one end of a plank: a stack on the other end is launched',
		frames: 60, materials: stuff(0.5, 0, 800), shapes: { plank: { box: [4, 0.5, thick] }, post: { box: [0.2, 0.6, post] }, cube: { box: [edge, edge, edge] }, block: { box: [0.5, 0.5, 0.5] } },
		bodies: [floor(), { name: 'post', type: 'fixed', shape: 'post', material: 'stuff', position: [0, 0, post / 2], color: grey },
			{ name: 'stop', type: 'fixed', shape: 'post', material: 'stuff', position: [-1.8, 0, post / 2], color: grey },
			body('plank', 'plank', [0, 0, post + thick / 2 + KEPT * thick * 0.5], { color: steel }), ...stack,
			body('block', 'block', [1.7, 0, 4], { velocity: [0, 0, -40], color: red })],
		camera: look([0, -9, 2.5], [0, 0, 1.5]),
	});
}

// ---- Joints
const ball = (a, b, point) => ({ type: 'ball', bodies: [a, b], point });
{
	// A top on a point, in steady precession: its rate O is the slow root of I1 cos(tilt) O^2 - I3 w3 O + m g l = 0 with
	// moments I1, I3 about the point, and w3 the spin about its own axis, what precession adds to it included.
	const I1 = 2e-3, I3 = 1e-3, moment = 0.2, l = 0.05, tilt = PI / 6, w3 = 100, mass = moment / (9.81 * l), own = I1 - mass * l * l;
	const a = I1 * cos(tilt), rate = (I3 * w3 - sqrt(I3 * w3 * I3 * w3 - 4 * a * moment)) / (2 * a);
	const axis = [sin(tilt), 0, cos(tilt)], about_axis = w3 - rate * cos(tilt), foot = [0, 0, 0.1];
	write('top', {
		description: 'a heavy top that stands on a point, tilted by 30 degrees and spinning at 100 rad/s: it goes round at 2.07 rad/s',
		frames: 300, materials: stuff(0.5), shapes: { disc: { cylinder: { radius: 0.06, length: 0.02 } } },
		bodies: [body('top', 'disc', axis.map((v, i) => foot[i] + l * v), { orientation: about([0, 1, 0], tilt), mass, center: [0, 0, 0], inertia: [own, own, I3],
			velocity: [0, rate * l * sin(tilt), 0], spin: [about_axis * axis[0], 0, rate + about_axis * axis[2]], color: amber })],
		joints: [ball('top', 'world', foot)],
		camera: look([0.3, -0.5, 0.25], [0, 0, 0.12]),
	});
}
{
	const arm = 1, high = 1.5;
	write('pendulum', {
		description: 'two pendulums released at 90 degrees, one on a ball joint and one on a hinge: the period is 1.18034 times that of small swings',
		frames: 600, materials: stuff(0.5), shapes: { bob: { sphere: 0.1 } },
		bodies: [body('on a ball joint', 'bob', [arm, -1, high], { color: red }), body('on a hinge', 'bob', [arm, 1, high], { color: blue })],
		joints: [ball('on a ball joint', 'world', [0, -1, high]), { type: 'hinge', bodies: ['world', 'on a hinge'], point: [0, 1, high], axis: [0, 1, 0] }],
		camera: look([2, -6, 2.5], [0, 0, 1]),
	});
}
{
	const links = Array.from({ length: 6 }, (_, i) => body(`link ${i}`, 'link', [i + 0.5, 0, 7], { orientation: about([0, 1, 0], PI / 2), color: colors[i % 4], filter: { group: 2, mask: 1 } }));
	write('links', {
		description: 'a pendulum of six links of a metre, released from the horizontal; the links pass beside each other',
		frames: 1000, materials: stuff(0.5), shapes: { link: { box: [0.1, 0.1, 1] } }, bodies: links,
		joints: links.map(({ name }, i) => ball(i ? links[i - 1].name : 'world', name, [i, 0, 7])),
		camera: look([2, -17, 5], [0, 0, 4]),
	});
}
{
	// a thousandth of their diameter apart; the first is drawn aside, and by the test as many as it asks for
	const r = 0.05, arm = 0.6, high = 0.8, step = 2 * r * (1 + KEPT), at = (i) => (i - 2) * step;
	const place = (i, angle) => [at(i) - arm * sin(angle), 0, high - arm * cos(angle)];
	const balls = Array.from({ length: 5 }, (_, i) => body(`ball ${i}`, 'ball', place(i, i ? 0 : 0.5), { color: i ? steel : red }));
	write('cradle', {
		description: 'five equal balls hang in a row, restitution 1; one drawn aside is let go, and one leaves at the other end',
		frames: 300, materials: stuff(0, 1, 7850), shapes: { ball: { sphere: r } }, bodies: balls,
		joints: balls.map(({ name }, i) => ball(name, 'world', [at(i), 0, high])),
		camera: look([0.2, -1.9, 0.6], [0, 0, 0.42]),
	});
}
{
	// A V of a hundred links, 10 m long over a span of 6 m.
	const links = [], joints = [], air = { linear: 4, angular: 4 };
	for (const side of [-1, 1]) {
		const along = side * Math.asin(0.6);
		for (let i = 0; i < 50; ++i) {
			const s = 0.1 * (i + 0.5), name = `${side < 0 ? 'left' : 'right'} ${i}`;
			links.push(body(name, 'link', [side * (3 - 0.6 * s), 0, 5 - 0.8 * s], { orientation: about([0, 1, 0], along), color: side < 0 ? red : amber, filter: { group: 2, mask: 1 }, damping: air }));
			const p = 0.1 * i;
			joints.push(ball(i ? `${side < 0 ? 'left' : 'right'} ${i - 1}` : 'world', name, [side * (3 - 0.6 * p), 0, 5 - 0.8 * p]));
		}
	}
	joints.push(ball('left 49', 'right 49', [0, 0, 1]));
	write('catenary', {
		description: 'a hundred links of 0.1 m between two points 6 m apart, in air that takes their motion: they come to a catenary',
		frames: 240, materials: stuff(0.5, 0, 7850), shapes: { link: { box: [0.03, 0.03, 0.1] } }, bodies: links, joints,
		camera: look([0, -11, 3.2], [0, 0, 2.8]),
	});
}

// ---- Nothing outside acts
{
	const bodies = [];
	for (let i = 0; i < 27; ++i) {
		const at = [i % 3 - 1, Math.floor(i / 3) % 3 - 1, Math.floor(i / 9) - 1].map((v) => 2.2 * v);
		bodies.push(body(`body ${i}`, i % 2 ? 'ball' : 'cube', at, { mass: 10 + i, velocity: [0.7 - 2 * at[0], 0.2 - 2 * at[1], -0.4 - 2 * at[2]],
			spin: [3 * sin(1 + i), 3 * sin(2 + 3 * i), 3 * sin(5 * i)], color: colors[i % 4] }));
	}
	write('closed', {
		description: 'cubes and balls thrown together in empty space: momentum and angular momentum stay',
		gravity: [0, 0, 0], frames: 90, materials: stuff(0.4, 0.4), shapes: { cube: { box: [1, 1, 1] }, ball: { sphere: 0.5 } },
		bodies, camera: look([11, -17, 6], [1, 0, -2.5], 0.75),
	});
}

// ---- Motion in contact: what tips, glides, rolls, is carried (test/validation/rows_truth.c, rows_tipping.c)
const box = (size, position, more = {}) => body('table', { box: size }, position, more);
{
	const thick = 0.06, high = 0.6;
	const tip = (name, degrees, y, gap) => {
		const lean = degrees * PI / 180, [x, z] = leaning(thick, high, 0, lean);
		return body(name, 'box', [x, y, z + gap], { orientation: about([0, 1, 0], lean), color: gap ? amber : red });
	};
	write('tip', {
		description: 'boxes 0.6 x 0.3 x 0.06 m on an edge, leaning by 12 and 8 degrees, touching the floor and with the kept gap: they tip over',
		frames: 45, materials: stuff(0.5), shapes: { box: { box: [thick, 0.3, high] } },
		bodies: [floor(), tip('12, touching', 12, 0, 0), tip('12, with a gap', 12, 1, KEPT * thick), tip('8, touching', 8, 2, 0), tip('8, with a gap', 8, 3, KEPT * thick)],
		camera: look([2.5, -3.5, 1.5], [0.2, 1.3, 0.2]),
	});
}
write('puck', {
	description: 'a puck without friction glides over a crate that touches the floor',
	frames: 60, materials: { stuff: { density: 800, restitution: 0, friction: 0.3 }, ice: { density: 800, restitution: 0, friction: 0 } },
	shapes: { crate: { box: [3, 3, 2] }, puck: { cylinder: { radius: 0.2, length: 0.1 } } },
	bodies: [floor(), body('crate', 'crate', [0, 0, 1], { color: amber }), { ...body('puck', 'puck', [-1.2, -0.3, 2.0501], { velocity: [1, 0.3, 0], color: blue }), material: 'ice' }],
	camera: look([2, -6, 4], [0, 0, 1.5]),
});
write('table', {
	description: 'a ball set off sliding at 2 m/s on a table that touches the floor: it rolls on at 1.43 m/s',
	frames: 60, materials: stuff(0.5, 0, 800), shapes: { table: { box: [10, 4, 1] }, ball: { sphere: 0.25 } },
	bodies: [floor(), body('table', 'table', [0, 0, 0.5], { color: amber }), body('ball', 'ball', [-4, 0, 1.251], { velocity: [2, 0, 0], color: red })],
	camera: look([-2, -9, 4], [-1, 0, 0.8]),
});
{
	// The block stands with its lower face on the slope, which falls by 30 degrees toward x from (-2, 2.309).
	const a = PI / 6, high = 4 * Math.tan(a), edge = 0.5, at = 1;
	const wedge = [[-2, -1, 0], [-2, 1, 0], [2, -1, 0], [2, 1, 0], [-2, -1, high], [-2, 1, high]];
	const up = edge / 2 + KEPT * edge;
	write('wedge', {
		description: 'a block on a wedge that is free to move, both without friction: the wedge is pushed aside',
		frames: 30, materials: stuff(0, 0, 800), shapes: { wedge: { hull: { points: wedge } }, block: { box: [edge, edge, edge] } },
		bodies: [floor(), body('wedge', 'wedge', [0, 0, 0], { color: amber }),
			body('block', 'block', [-2 + at * cos(a) + up * sin(a), 0, high - at * sin(a) + up * cos(a)], { orientation: about([0, 1, 0], a), color: red })],
		camera: look([2, -8, 3], [0, 0, 0.8]),
	});
}
write('carousel', {
	description: 'a box 1.4 m from the axis of a disk that turns by 1 rad/s, friction 1: it is carried at a seventh of what friction holds',
	frames: 300, materials: stuff(1), shapes: { disk: { cylinder: { radius: 4, length: 0.2 } }, box: { box: [0.3, 0.3, 0.3] } },
	bodies: [{ name: 'disk', type: 'scripted', shape: 'disk', material: 'stuff', position: [0, 0, -0.1], color: grey, keys: Array.from({ length: 11 }, (_, i) => ({ time: i, orientation: [cos(i / 2), 0, 0, sin(i / 2)] })) },
		body('box', 'box', [1.4, 0, 0.15 + 0.3 * KEPT], { velocity: [0, 1.4, 0], spin: [0, 0, 1], color: red })],
	camera: look([5, -7, 5], [0, 0, 0]),
});
{
	// Each pair begins with the velocities that the plate has there.
	const w = 0.05, edge = 0.2, high = 0.1, angle = 10 * w;
	const carried = (name, x, z, color) => body(name, 'brick', [x, 0, z], { velocity: [0, -w * (z + 0.05), 0], spin: [w, 0, 0], color });
	const pair = (name, x, gap) => [carried(`${name} lower`, x, high / 2 + gap, amber), carried(`${name} upper`, x, 1.5 * high + 2 * gap, blue)];
	write('tilting', {
		description: 'two boxes on each other, touching and with a gap, on a plate that a script tilts: they slip when its slope is the friction, 0.38 rad',
		frames: 255, materials: stuff(0.4), shapes: { plate: { box: [3, 1.5, 0.1] }, brick: { box: [edge, edge, high] } },
		bodies: [{ name: 'plate', type: 'scripted', shape: 'plate', material: 'stuff', position: [0, 0, -0.05], color: grey,
			keys: [{ time: 0 }, { time: 10, orientation: [cos(angle / 2), sin(angle / 2), 0, 0] }] },
		...pair('touching', -0.7, 0), ...pair('gap', 0.7, high * KEPT)],
		camera: look([3, -4, 1.5], [0, 0, 0]),
	});
}
{
	const r = 0.25, rest = (gap) => r + 2 * r * gap, rolls = { velocity: [1, 0, 0], spin: [0, 1 / r, 0] };
	write('resistance', {
		description: 'balls and a cylinder roll at 1 m/s against a rolling resistance of 1 cm: they slow down by 5/7 and 2/3 of g c/r, and stop',
		frames: 150, materials: { stuff: { density: 800, restitution: 0, friction: 0.5, rolling: 0.01 } },
		shapes: { ball: { sphere: r }, roller: { cylinder: { radius: r, length: 0.5 } } },
		bodies: [floor(), body('ball', 'ball', [-1, -1, rest(KEPT)], { ...rolls, color: red }),
			body('touching', 'ball', [-1, 0, rest(0)], { ...rolls, color: amber }),
			body('roller', 'roller', [-1, 1, rest(KEPT)], { ...rolls, orientation: about([1, 0, 0], PI / 2), spin: [0, 1 / r, 0], color: blue })],
		camera: look([0, -6, 3], [0, 0, 0.2]),
	});
}
write('flat', {
	description: 'a flat cylinder dropped on its face with e = 0.8: it stays flat and bounces to 0.64 of its height',
	frames: 60, materials: stuff(0.3, 0.8, 800), shapes: { disk: { cylinder: { radius: 0.4, length: 0.1 } } },
	bodies: [floor(), body('disk', 'disk', [0, 0, 0.85], { color: amber })],
	camera: look([2, -4, 1.5], [0, 0, 0.4]),
});
write('beside', {
	description: 'two cubes fall side by side, half a metre of air between them; one spins at 42 rad/s',
	frames: 30, materials: stuff(0.5), shapes: { cube: { box: [0.6, 0.6, 0.6] } },
	bodies: [body('spinning', 'cube', [0, 0, 10], { velocity: [0, 0, -5], spin: [42, 0, 0], color: red }), body('still', 'cube', [1.1, 0, 10], { velocity: [0, 0, -5], color: blue })],
	camera: look([1, -16, 6], [0.5, 0, 5]),
});
write('plank', {
	description: 'a plank glides over the edge of a table without friction, and tips when its middle has passed',
	frames: 45, materials: stuff(0), shapes: { plank: { box: [2, 0.3, 0.1] } },
	bodies: [box([3, 2, 1], [-1.5, 0, -0.5], { type: 'fixed', color: grey }), body('plank', 'plank', [-0.25, 0, 0.05 + 0.1 * KEPT], { velocity: [1, 0, 0], color: amber })],
	camera: look([2, -5, 1], [0, 0, -0.2]),
});
{
	// Set off turning about the lower edge at x = 0.5, the centre at (-0.5, 0.5) from it: v = w x r.
	const w = sqrt(2 * 9.81 * (sqrt(0.5) - 0.5) / (2 / 3));
	const cube = (name, y, share) => body(name, 'cube', [0, y, 0.5 + KEPT], { velocity: [0.5 * w * share, 0, 0.5 * w * share], spin: [0, w * share, 0], color: amber });
	write('topple', {
		description: 'cubes set off turning about an edge: with 1.05 and 1.2 of the spin that lifts them upright they roll over, with 0.95 they fall back',
		frames: 60, materials: stuff(1), shapes: { cube: { box: [1, 1, 1] } },
		bodies: [floor(), cube('0.95', -2, 0.95), cube('1.05', 0, 1.05), cube('1.2', 2, 1.2)],
		camera: look([4, -8, 4], [0.3, 0, 0.4]),
	});
}
{
	const r = 0.02, length = 2, lean = 20 * PI / 180, gap = 2 * r * KEPT;
	write('ladder', {
		description: 'a ladder without friction slides down a wall: it leaves the wall at two thirds of its height',
		frames: 30, materials: stuff(0), shapes: { ladder: { capsule: { radius: r, length } } },
		bodies: [floor(), { ...floor([1, 0, 0]), name: 'wall' },
			body('ladder', 'ladder', [r + gap + (length / 2) * sin(lean), 0, r + gap + (length / 2) * cos(lean)], { orientation: about([0, -1, 0], lean), color: amber })],
		camera: look([1.5, -5, 1], [0.8, 0, 0.8]),
	});
}
{
	// A disk of radius a and half thickness h rolls round on its rim while its centre stands still: with r from the centre to
	// the rim it turns with w = -W sin q/a r, and W^2 sin q (It cos q - Ia h/a sin q) = m g (a cos q - h sin q).
	const a = 0.25, h = 0.01, q = 35 * PI / 180, across = (3 * a * a + 4 * h * h) / 12, along = a * a / 2;
	const W = sqrt(9.81 * (a * cos(q) - h * sin(q)) / (sin(q) * (across * cos(q) - along * h / a * sin(q)))), k = -W * sin(q) / a;
	write('coin', {
		description: `a disk rolls round on its rim, leaning by 35 degrees, while its centre stands still: ${W.toFixed(2)} rad/s`,
		frames: 30, materials: stuff(0.5), shapes: { disk: { cylinder: { radius: a, length: 2 * h } } },
		bodies: [floor(), body('disk', 'disk', [0, 0, h * cos(q) + a * sin(q) + 2 * h * KEPT],
			{ orientation: about([0, 1, 0], q), spin: [k * (a * cos(q) - h * sin(q)), 0, -k * (h * cos(q) + a * sin(q))], color: amber })],
		camera: look([0.8, -1.2, 0.7], [0, 0, 0.15]),
	});
}
{
	// The top of 'top', a cone on its tip on a floor: it goes round at the slow root of I1 cos a W^2 - I3 w W + m g l = 0.
	const a = PI / 6, l = 0.05, across = 2e-3, along = 1e-3, weight = 0.2, w = 100, mass = weight / 9.81 / l;
	const A = across * cos(a), W = (along * w - sqrt(along * along * w * w - 4 * A * weight)) / (2 * A), own = w - W * cos(a);
	const points = [[0, 0, -l]];
	for (let k = 0; k < 12; ++k)
		for (const z of [0, 0.01])
			points.push([0.04 * cos(k * PI / 6), 0.04 * sin(k * PI / 6), z]);
	write('spinner', {
		description: `a top on a floor, tilted by 30 degrees and spinning at 100 rad/s: it goes round at ${W.toFixed(2)} rad/s`,
		frames: 30, materials: stuff(0.8), shapes: { cone: { hull: { points } } },
		bodies: [floor(), body('top', 'cone', [l * sin(a), 0, l * cos(a) + 1e-5], { orientation: about([0, 1, 0], a), mass, center: [0, 0, 0],
			inertia: [across - mass * l * l, across - mass * l * l, along], velocity: [0, W * l * sin(a), 0],
			spin: [own * sin(a), 0, own * cos(a) + W], color: amber })],
		camera: look([0.3, -0.5, 0.25], [0, 0, 0.05]),
	});
}
write('corner', {
	description: 'a cube falls a metre on a corner, e = 0.5, without friction: the spin of the blow',
	frames: 30, materials: stuff(0, 0.5), shapes: { cube: { box: [0.4, 0.4, 0.4] } },
	bodies: [floor(), body('cube', 'cube', [0, 0, 1.3], { orientation: about([1, -1, 0], Math.acos(sqrt(1 / 3)) - 0.15), color: red })],
	camera: look([2, -4, 1.5], [0, 0, 0.5]),
});
{
	// Nodes one pitch apart: on the table, round a drum that is its edge, and down beside it. With nodes at Rn the links
	// touch the drum in their middles; the table is as much higher than the drum.
	const r = 0.02, pitch = 0.1, R = 0.3, gap = 2 * r * KEPT, count = 20, flat = 10;
	const Rc = R + r + gap, Rn = sqrt(Rc * Rc + pitch * pitch / 4), each = 2 * Math.asin(pitch / 2 / Rn);
	const nodes = Array.from({ length: flat + 1 }, (_, i) => [(i - flat) * pitch, Rn - R]);
	for (let turn = each; turn < PI / 2; turn += each)
		nodes.push([Rn * sin(turn), Rn * cos(turn) - R]);
	while (nodes.length <= count) {
		const [x, z] = nodes.at(-1);
		nodes.push([Rn, z - sqrt(pitch * pitch - (Rn - x) ** 2)]);
	}
	const links = Array.from({ length: count }, (_, i) => {
		const [a, b] = [nodes[i], nodes[i + 1]];
		return body(`link ${i}`, 'link', [(a[0] + b[0]) / 2, 0, (a[1] + b[1]) / 2],
			{ orientation: about([0, 1, 0], Math.atan2(b[0] - a[0], b[1] - a[1])), color: colors[i % 4] });
	});
	write('runoff', {
		description: 'a chain of twenty links over the round edge of a table without friction: it runs off',
		frames: 30, materials: stuff(0), shapes: { link: { capsule: { radius: r, length: 0.04 } }, drum: { cylinder: { radius: R, length: 1 } } },
		bodies: [box([3, 1, 0.2], [-1.5, 0, Rn - Rc - 0.1], { type: 'fixed', color: grey }),
			body('drum', 'drum', [0, 0, -R], { type: 'fixed', orientation: about([1, 0, 0], PI / 2), color: grey }), ...links],
		joints: Array.from({ length: count - 1 }, (_, i) => ({ type: 'ball', bodies: [`link ${i}`, `link ${i + 1}`], point: [nodes[i + 1][0], 0, nodes[i + 1][1]] })),
		camera: look([1, -4, 1], [-0.3, 0, -0.3]),
	});
}
{
	// Strips 28 mm wide of a circle of radius 2 m, as a height field.
	const R = 2, columns = 101, size = 2.8, r = 0.1;
	const height = (x) => R - sqrt(R * R - x * x);
	const row = Array.from({ length: columns }, (_, i) => height(-size / 2 + size * i / (columns - 1)));
	const a = 0.3;
	write('trough', {
		description: 'a ball without friction in a round trough of a height field: it swings, and loses nothing',
		frames: 300, materials: stuff(0), shapes: { trough: { heightfield: { size: [size, 1], heights: [row, row] } }, ball: { sphere: r } },
		bodies: [body('trough', 'trough', [0, 0, 0], { type: 'fixed', color: grey }), body('ball', 'ball', [(R - r - 0.0003) * sin(a), 0, R - (R - r - 0.0003) * cos(a)], { color: red })],
		camera: look([1.5, -5, 2], [0, 0, 0.4]),
	});
}
{
	const ball = (name, y, material, spin) => ({ ...body(name, 'ball', [-1, y, 1.1], { velocity: [4, 0, 0], spin: [0, spin, 0], color: amber }), material });
	write('oblique', {
		description: 'balls thrown on the floor at an angle, e = 0.6: with friction 0.1 they slide in the blow, with 0.8 they roll after it, one with backspin',
		frames: 30, materials: { stuff: { density: 1000, restitution: 0.6, friction: 1 }, smooth: { density: 1000, restitution: 0.6, friction: 0.01 }, rough: { density: 1000, restitution: 0.6, friction: 0.64 } },
		shapes: { ball: { sphere: 0.1 } },
		bodies: [floor(), ball('slides', -1, 'smooth', 0), ball('rolls', 0, 'rough', 0), ball('backspin', 1, 'rough', -20)],
		camera: look([1, -6, 2], [0.5, 0, 0.5]),
	});
}

// ---- Thin shells that move
const circle = (radius, n, z, phase = 0) => Array.from({ length: n }, (_, k) => [radius * cos(2 * PI * (k + phase) / n), radius * sin(2 * PI * (k + phase) / n), z]);
const shell = ([points, triangles], more = {}) => ({ mesh: { kind: 'shell', ...more, points, triangles } });
// The wall between two circles about z of n corners; phase 0.5: facets face along x and y.
function wall(r0, z0, r1, z1, n, phase = 0)
{
	const triangles = Array.from({ length: n }, (_, k) => [[k, (k + 1) % n, n + (k + 1) % n], [k, n + (k + 1) % n, n + k]]).flat();
	return [[...circle(r0, n, z0, phase), ...circle(r1, n, z1, phase)], triangles];
}
function cup(r0, r1, height, n)
{
	const [points, triangles] = wall(r0, 0, r1, height, n);
	return [points, [...triangles, ...Array.from({ length: n - 2 }, (_, k) => [0, k + 2, k + 1])]];
}
// Part of a ball about the origin, from its lowest point up to the last of these angles.
function cap(radius, n, angles)
{
	const points = [[0, 0, -radius], ...angles.flatMap((a) => circle(radius * sin(a), n, -radius * cos(a)))];
	const triangles = Array.from({ length: n }, (_, k) => [0, 1 + k, 1 + (k + 1) % n]);
	for (let i = 0; i + 1 < angles.length; ++i)
		for (let k = 0; k < n; ++k) {
			const a = 1 + i * n + k, b = 1 + i * n + (k + 1) % n;
			triangles.push([a, a + n, b + n], [a, b + n, b]);
		}
	return [points, triangles];
}
const skin = (friction, density = 2) => stuff(friction, 0, density);
const across = about([1, 0, 0], PI / 2), along = about([0, 1, 0], PI / 2);
{
	const R = 0.5, r = 0.05, n = 96, length = R * cos(PI / n) - r - 3e-4, phi = 0.3;
	write('hoop', {
		description: 'a strip bent to a ring of 96 sides swings on a peg: it rolls there, a pendulum with twice the inertia',
		frames: 300, materials: skin(1), shapes: { ring: shell(wall(R, -0.03, R, 0.03, n)), peg: { cylinder: { radius: r, length: 1 } } },
		bodies: [body('peg', 'peg', [0, 0, 0], { type: 'fixed', orientation: across, color: grey }),
			body('ring', 'ring', [length * sin(phi), 0, -length * cos(phi)], { orientation: across, color: amber })],
		camera: look([1, -3, 0.2], [0, 0, -0.4]),
	});
}
{
	// Facets of a degree where it touches; mass as of the smooth skin.
	const angles = [...Array.from({ length: 24 }, (_, k) => k + 1), 35, 50, 70, 90].map((a) => a * PI / 180), m = 10;
	write('rocker', {
		description: 'half the skin of a ball rocks on a floor, by friction or on ice',
		frames: 300, materials: skin(1), shapes: { half: shell(cap(1, 48, angles)) },
		bodies: [floor(), body('half', 'half', [0, 0, 1 + 6e-4], { orientation: about([0, 1, 0], 0.2), mass: m, center: [0, 0, -0.5], inertia: [5 / 12 * m, 5 / 12 * m, 2 / 3 * m], color: amber })],
		camera: look([2, -5, 2], [0, 0, 0.5]),
	});
}
{
	const R = 0.5, n = 24, gap = 2e-5, pitch = 2 * R * cos(PI / n) - 2 * gap;
	write('ring-chain', {
		description: 'twenty paper rings hang in each other, facet on facet',
		frames: 300, materials: skin(0.3), shapes: { ring: shell(wall(R, -0.04, R, 0.04, n, 0.5), { gap }) },
		bodies: Array.from({ length: 20 }, (_, i) => body(`ring ${i}`, 'ring', [0, 0, -pitch * i], { orientation: i % 2 ? along : across, color: colors[i % 4], ...(i ? { damping: { linear: 2, angular: 2 } } : { type: 'fixed' }) })),
		camera: look([8, -24, -8], [0, 0, -9.5]),
	});
}
{
	const n = 16, slope = 0.01 * cos(PI / n), pitch = 1.2 * 5e-4 * 0.06 * sqrt(slope * slope + 0.01) / slope;
	write('cup-spin', {
		description: 'three cups in one another turn about their axis in empty space',
		gravity: [0, 0, 0], frames: 30, materials: skin(0.3), shapes: { cup: shell(cup(0.03, 0.04, 0.1, n)) },
		bodies: Array.from({ length: 3 }, (_, i) => body(`cup ${i}`, 'cup', [0, 0, i * pitch], { spin: [0, 0, 3], color: colors[i] })),
		camera: look([0.2, -0.4, 0.2], [0, 0, 0.05]),
	});
}
write('hole', {
	description: 'a ball a thousandth smaller than the hole of a ring falls through it; one a thousandth larger does not',
	frames: 60, materials: skin(0), shapes: { ring: shell(wall(0.25, 0, 0.25, 0.1, 12), { gap: 1e-5 }), ball: { sphere: 0.25 * cos(PI / 12) * 0.999 } },
	bodies: [{ ...floor(), position: [0, 0, -1] }, body('ring', 'ring', [0, 0, 0], { type: 'fixed', color: grey }), body('ball', 'ball', [0, 0, 0.5], { density: 100, color: red })],
	camera: look([1.5, -3, 1], [0, 0, -0.3]),
});
{
	const R = 0.5, marbles = [];
	for (let layer = 0; marbles.length < 200; ++layer)
		for (let i = -3; i <= 3; ++i)
			for (let j = -3; j <= 3; ++j)
				if (marbles.length < 200 && i * i + j * j < 12)
					marbles.push(body(`marble ${marbles.length}`, 'marble', [i * 0.063 + 0.001 * (marbles.length % 3), j * 0.063, -0.2 + 0.064 * layer], { density: 1000, color: colors[marbles.length % 4] }));
	write('marbles', {
		description: '200 marbles in a bowl that is tipped to 30 degrees and back',
		frames: 180, materials: stuff(0.3, 0.3), shapes: { bowl: shell(cap(R, 32, Array.from({ length: 10 }, (_, k) => 85 * PI / 180 * (k + 1) / 10))), marble: { sphere: 0.03 } },
		bodies: [{ ...floor(), position: [0, 0, -R - 0.4] },
			body('bowl', 'bowl', [0, 0, 0], { type: 'scripted', ease: 'smooth', keys: [{ time: 0 }, { time: 2 }, { time: 3, orientation: about([0, 1, 0], PI / 6) }, { time: 4, orientation: about([0, 1, 0], 0) }], color: grey }),
			...marbles],
		camera: look([1, -2, 0.8], [0, 0, -0.2]),
	});
}
{
	const grid = (n, size) => [Array.from({ length: (n + 1) * (n + 1) }, (_, k) => [size * (k % (n + 1) / n - 0.5), size * (Math.floor(k / (n + 1)) / n - 0.5), 0]),
		Array.from({ length: n * n }, (_, k) => {
			const i = k % n, j = Math.floor(k / n), a = j * (n + 1) + i;
			return (i + j) % 2 ? [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]] : [[a, a + 1, a + n + 1], [a + 1, a + n + 2, a + n + 1]];
		}).flat()];
	write('sheet', {
		description: 'a sheet of triangles slides over a floor of triangles as over a half-space (its test leaves out one of the floors)',
		frames: 45, materials: skin(0.2), shapes: { sheet: shell(grid(4, 1)), floor: shell(grid(40, 20)) },
		bodies: [floor(), body('triangles', 'floor', [0, 0, 0], { type: 'fixed', color: grey }), body('sheet', 'sheet', [-2, 0, 3.6e-4], { velocity: [3, 0.7, 0], color: amber })],
		camera: look([1, -5, 3], [0, 0, 0]),
	});
}
{
	const rings = [];
	for (let chain = 0; chain < 2; ++chain)
		for (let i = 0; i < 8; ++i)
			rings.push(body(`ring ${chain}.${i}`, 'ring', [chain - 0.5, 0, 4.3 - 0.46 * i], { orientation: i % 2 ? across : along, color: colors[(chain + i) % 4] }));
	write('linked', {
		description: 'two chains of paper rings hang from a bar and are hit by balls: what is linked stays linked',
		frames: 120, materials: stuff(0.1, 0.1, 2), shapes: { ring: shell(wall(0.25, -0.02, 0.25, 0.02, 24)), bar: { capsule: { radius: 0.03, length: 3 } }, ball: { sphere: 0.15 } },
		bodies: [floor(), body('bar', 'bar', [0, 0, 4.5], { type: 'fixed', orientation: along, color: grey }), ...rings,
			...[[-0.5, -3], [0.5, 3]].map(([x, y], i) => body(`ball ${i}`, 'ball', [x + 0.05, y, 2], { density: 30, velocity: [0, y > 0 ? -5 : 5, 3], color: steel }))],
		camera: look([4, -7, 3], [0, 0, 2.7]),
	});
}
{
	// A bolt's thread reaches from its core to r; the nut's reaches in to a hair more than the core. They lie on each other
	// from 99 to 100 mm: their lead angle is that of the mean, within half a hundredth.
	const n = 36, pitch = 0.2, r = 0.1, bore = 0.099, core = 0.0973, outer = 0.11, gap = 2e-5;
	const join = (...meshes) => meshes.reduce(([points, triangles], [p, t]) => [[...points, ...p], [...triangles, ...t.map((c) => c.map((i) => i + points.length))]], [[], []]);
	const thread = (from, to, turns) => [
		Array.from({ length: turns * n + 1 }, (_, k) => [from, to].map((x) => [x * cos(2 * PI * k / n), x * sin(2 * PI * k / n), pitch * (k / n - turns / 2)])).flat(),
		Array.from({ length: turns * n }, (_, k) => [[2 * k, 2 * k + 1, 2 * k + 3], [2 * k, 2 * k + 3, 2 * k + 2]]).flat()];
	const tube = (radius, height) => wall(radius, -height / 2, radius, height / 2, n);
	const shapes = {
		bolt: shell(join(thread(0.0975, r, 3), tube(core, 3.2 * pitch)), { gap }),
		nut: shell(join(thread(bore, outer, 1), tube(outer, 1.1 * pitch)), { gap }),
	};
	write('nut', {
		description: 'a nut on a bolt with a square thread: by its friction it stays, or turns and goes down',
		frames: 60, materials: skin(0.3, 10), shapes,
		bodies: [body('bolt', 'bolt', [0, 0, 0], { type: 'fixed', color: grey }), body('nut', 'nut', [0, 0, 6e-5], { color: amber })],
		camera: look([0.6, -0.8, 0.5], [0, 0, 0]),
	});
}
{
	// The boats of scenes/boats.json, a triangle a side.
	const bow = [-0.5, 0, 0.22], stern = [0.5, 0, 0.22], keel = [0, 0, 0], left = [0, -0.2, 0.2], right = [0, 0.2, 0.2];
	const fore = [-0.22, 0, 0.25], aft = [0.22, 0, 0.25], top = [0, 0, 0.45];
	const points = [bow, stern, keel, left, right, fore, aft, top];
	const triangles = [[0, 2, 3], [0, 4, 2], [1, 3, 2], [1, 2, 4], [2, 3, 4], [2, 5, 7], [2, 7, 6]];
	const tilt = (k) => ({ axis: [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0], [0, 0.6, -0.8]][k % 5], angle: 0.05 * (k * 7 % 13 - 6) });
	write('boats', {
		description: 'a hundred and eight paper boats fall into a bowl: how much energy they lose depends little on the steps',
		frames: 60, materials: stuff(0.1, 0.1, 2),
		shapes: { boat: shell([points, triangles]), bowl: shell(cap(3.5, 32, Array.from({ length: 12 }, (_, k) => 75 * PI / 180 * (k + 1) / 12))) },
		bodies: [body('bowl', 'bowl', [0, 0, 0], { type: 'fixed', color: grey }),
			...Array.from({ length: 108 }, (_, k) => body(`boat ${k}`, 'boat', [1.2 * (k % 4 - 1.5), 0.6 * (Math.floor(k / 4) % 9 - 4), 0.3 + 0.6 * Math.floor(k / 36)], { orientation: tilt(k), color: colors[k % 4] }))],
		camera: look([5, -9, 5], [0, 0, -1.5]),
	});
}
{
	// Erleben's ten: sharp things on, in and beside each other, each pair its own mirror image in the plane x = 0 of its place,
	// those that do not slide in y = 0 too. A spike is a pyramid, a wedge a prism.
	const solid = ([points, triangles]) => ({ mesh: { kind: 'solid', points, triangles } });
	const spike = (s) => [[[-0.2, -0.2, 0], [0.2, -0.2, 0], [0.2, 0.2, 0], [-0.2, 0.2, 0], [0, 0, 0.5 * s]],
		[[0, 3, 2], [0, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]].map(([a, b, c]) => s > 0 ? [a, b, c] : [a, c, b])];
	// What is drawn in x and z, anticlockwise and all seen from its first corner, as long as y tells.
	const extrude = (outline, y) => {
		const n = outline.length, fan = Array.from({ length: n - 2 }, (_, k) => [0, k + 1, k + 2]);
		const sides = Array.from({ length: n }, (_, k) => [[k, n + k, n + (k + 1) % n], [k, n + (k + 1) % n, (k + 1) % n]]).flat();
		return [[...outline.map(([x, z]) => [x, -y, z]), ...outline.map(([x, z]) => [x, y, z])], [...fan, ...fan.map(([a, b, c]) => [n + a, n + c, n + b]), ...sides]];
	};
	const wedge = (s) => extrude(s > 0 ? [[-0.2, 0], [0.2, 0], [0, 0.5]] : [[0.2, 0], [-0.2, 0], [0, -0.5]], 0.3);
	const crack = extrude([[0, -0.5], [-0.25, 0], [-0.6, 0], [-0.6, -0.8], [0.6, -0.8], [0.6, 0], [0.25, 0]], 1);
	const ring = (r, z) => [[-r, -r, z], [r, -r, z], [r, r, z], [-r, r, z]];
	const hole = [[...ring(0.6, -0.8), ...ring(0.6, 0), ...ring(0.25, 0), [0, 0, -0.5]],
		[[0, 2, 1], [0, 3, 2], ...[0, 1, 2, 3].flatMap((k) => { const l = (k + 1) % 4; return [[k, l, 4 + l], [k, 4 + l, 4 + k], [4 + k, 4 + l, 8 + l], [4 + k, 8 + l, 8 + k], [8 + k, 8 + l, 12]]; })]];
	const shapes = { spike: solid(spike(1)), 'spike down': solid(spike(-1)), wedge: solid(wedge(1)), 'wedge down': solid(wedge(-1)), crack: solid(crack), hole: solid(hole), box: { box: [0.4, 0.4, 0.4] }, ground: solid(extrude([[-0.6, -0.8], [0.6, -0.8], [0.6, 0], [-0.6, 0]], 1)) };
	// below, what lies on it, its height, its speed along y
	const pairs = [['spike', 'spike down', 1.002], ['wedge', 'spike down', 1.002], ['wedge', 'wedge down', 1.002, 0, about([0, 0, 1], PI / 2)], ['hole', 'spike down', 0.01], ['crack', 'spike down', 0.05],
		['crack', 'wedge down', 0.05], ['crack', 'spike down', 0.05, 0.5], ['crack', 'wedge down', 0.05, 0.5], ['ground', 'box', 0.21], ['ground', 'box', 0.21, 1.5]];
	write('erleben', {
		description: 'ten pairs of sharp things after Erleben: spikes and wedges on each other, in holes and cracks, over edges',
		frames: 60, materials: stuff(0.3), shapes,
		bodies: pairs.flatMap(([under, over, z, speed = 0, orientation], i) => [body(`under ${i}`, under, [2 * (i % 5), 3 * Math.floor(i / 5), 0], { type: 'fixed', color: grey }),
			body(`over ${i}`, over, [2 * (i % 5), 3 * Math.floor(i / 5) + (i === 8 ? 1 : speed ? -0.4 : 0), z], { color: colors[i % 4], ...(speed ? { velocity: [0, speed, 0] } : {}), ...(orientation ? { orientation } : {}) })]),
		camera: look([4, -9, 7], [4, 1.2, 0]),
	});
}
{
	// A net of rings: eight by eight lie flat, and between neighbours one stands upright that goes through both.
	const n = 8, d = 0.7, R = 0.25, r = 0.2, at = (i) => d * (i - (n - 1) / 2), bodies = [];
	for (let j = 0; j < n; ++j)
		for (let i = 0; i < n; ++i)
			bodies.push(body(`flat ${i}.${j}`, 'flat', [at(i), at(j), 0], { color: colors[(i + j) % 4], ...(i % (n - 1) || j % (n - 1) ? {} : { type: 'fixed' }) }));
	for (let j = 0; j < n; ++j)
		for (let i = 0; i < n; ++i) {
			if (i + 1 < n)
				bodies.push(body(`x ${i}.${j}`, 'upright', [at(i + 0.5), at(j), 0], { orientation: across, color: steel }));
			if (j + 1 < n)
				bodies.push(body(`y ${i}.${j}`, 'upright', [at(i), at(j + 0.5), 0], { orientation: along, color: steel }));
		}
	write('net', {
		description: 'a net of 176 paper rings hangs from its four corners',
		frames: 60, materials: skin(0.3), shapes: { flat: shell(wall(R, -0.02, R, 0.02, 24)), upright: shell(wall(r, -0.02, r, 0.02, 24)) },
		bodies, camera: look([5, -9, 2], [0, 0, -1.5]),
	});
}
