// Writes the scenes of thin shells: where the points of their meshes come from.
//
//   node tools/shell-scenes.mjs [FOLDER]
//
// cups, rings, triangles and boats: sheets without thickness that nest, hang in each other, and fall (SHELL, section 5).
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2] ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'scenes');
const { PI, sin, cos } = Math;
const number = (v) => Number(v.toFixed(6)) + 0;
const circle = (radius, n, z) => Array.from({ length: n }, (_, k) => [radius * cos(2 * PI * k / n), radius * sin(2 * PI * k / n), z]);
const quad = (a, b, c, d) => [[a, b, c], [a, c, d]];

// ---- Meshes ----
// Points keep all their digits: facets are then as flat as can be, and are taken as one.
const shell = ([points, triangles]) => ({ mesh: { kind: 'shell', points, triangles } });

// The wall between two circles about z of n corners.
function wall(r0, z0, r1, z1, n) {
	const triangles = [];
	for (let k = 0; k < n; ++k) {
		const l = (k + 1) % n;
		triangles.push(...quad(k, l, n + l, n + k));
	}
	return [[...circle(r0, n, z0), ...circle(r1, n, z1)], triangles];
}

function cup(r0, r1, height, n) {
	const [points, triangles] = wall(r0, 0, r1, height, n);
	for (let k = 1; k + 1 < n; ++k)
		triangles.push([0, k + 1, k]);
	return [points, triangles];
}

// A cap of a ball about the origin, open above.
function bowl(radius, n, rings, angle) {
	const points = [[0, 0, -radius]], triangles = [];
	for (let i = 1; i <= rings; ++i)
		points.push(...circle(radius * sin(angle * i / rings), n, -radius * cos(angle * i / rings)));
	for (let k = 0; k < n; ++k)
		triangles.push([0, 1 + k, 1 + (k + 1) % n]);
	for (let i = 0; i + 1 < rings; ++i)
		for (let k = 0; k < n; ++k) {
			const a = 1 + i * n + k, b = 1 + i * n + (k + 1) % n;
			triangles.push(...quad(a, a + n, b + n, b));
		}
	return [points, triangles];
}

// Facets, each a triangle cut into n x n, with common points.
function facets(list, n) {
	const points = [], triangles = [], known = new Map();
	const name = (p) => {
		const key = p.map((v) => v.toFixed(6)).join();
		if (!known.has(key))
			known.set(key, points.push(p) - 1);
		return known.get(key);
	};
	for (const [a, b, c] of list) {
		const at = (i, j) => name(a.map((v, k) => v + (b[k] - v) * i / n + (c[k] - v) * j / n));
		for (let i = 0; i < n; ++i)
			for (let j = 0; j + i < n; ++j) {
				triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
				if (i + j + 1 < n)
					triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
			}
	}
	return [points, triangles];
}

// A paper boat of a metre: four sides, a bulkhead, and a sail of two halves; three sheets meet at some edges.
function boat(n) {
	const bow = [-0.5, 0, 0.22], stern = [0.5, 0, 0.22], keel = [0, 0, 0], left = [0, -0.2, 0.2], right = [0, 0.2, 0.2];
	const fore = [-0.22, 0, 0.25], aft = [0.22, 0, 0.25], top = [0, 0, 0.45];
	return facets([[bow, keel, left], [bow, right, keel], [stern, left, keel], [stern, keel, right], [keel, left, right], [keel, fore, top], [keel, top, aft]], n);
}

// ---- Scenes ----
const paper = { density: 2, restitution: 0.1, friction: 0.1 };
const floor = { name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1] } }, material: 'paper', color: [0.35, 0.37, 0.4] };

function write(name, description, world, shapes, rest) {
	const scene = { $schema: 'scene.schema.json', version: 1, description, world: { gravity: [0, 0, -9.8], fps: 30, seed: 1, ...world }, materials: { paper }, shapes, ...rest };
	const flat = (v) => Array.isArray(v) ? `[${v.map(flat).join(', ')}]` : JSON.stringify(v);
	const text = (v, indent) => {
		if (Array.isArray(v) && v.every((x) => typeof x !== 'object' || Array.isArray(x)))
			return flat(v);
		const inner = `${indent}  `;
		if (Array.isArray(v))
			return `[\n${v.map((x) => inner + text(x, inner)).join(',\n')}\n${indent}]`;
		if (typeof v === 'object')
			return `{\n${Object.entries(v).map(([k, x]) => `${inner}${JSON.stringify(k)}: ${text(x, inner)}`).join(',\n')}\n${indent}}`;
		return JSON.stringify(v);
	};
	fs.writeFileSync(path.join(folder, `${name}.json`), `${text(scene, '')}\n`);
}

const colors = [[0.8, 0.45, 0.2], [0.25, 0.55, 0.7], [0.75, 0.7, 0.3], [0.5, 0.35, 0.6], [0.35, 0.6, 0.35]];

write('cups', 'five paper cups are dropped into one another; they nest and stand', { frames: 150, options: { steps: 16 } },
	{ cup: shell(cup(0.03, 0.04, 0.1, 16)) },
	{
		materials: { paper: { ...paper, friction: 0.3 } },
		bodies: [floor, ...Array.from({ length: 5 }, (_, i) => ({ name: `cup ${i + 1}`, shape: 'cup', material: 'paper', position: [0, 0, number(0.001 + 0.06 * i)], color: colors[i] }))],
	});

// A ring stands upright, its axis along the bar, or across it for every second one.
const upright = (i) => ({ axis: i % 2 ? [1, 0, 0] : [0, 1, 0], angle: number(PI / 2) });
const rings = [];
for (let chain = 0; chain < 3; ++chain)
	for (let i = 0; i < 8; ++i)
		rings.push({ name: `ring ${chain}.${i}`, shape: 'ring', material: 'paper', position: [chain - 1, 0, number(4.3 - 0.46 * i)], orientation: upright(i), color: colors[(chain + i) % 5] });
write('rings', 'three chains of paper rings hang from a bar; two balls are thrown at them', { frames: 180 },
	{ ring: shell(wall(0.25, -0.02, 0.25, 0.02, 24)), bar: { capsule: { radius: 0.03, length: 3 } }, ball: { sphere: 0.15 } },
	{
		bodies: [floor, { name: 'bar', type: 'fixed', shape: 'bar', material: 'paper', position: [0, 0, 4.5], orientation: { axis: [0, 1, 0], angle: number(PI / 2) } },
			...rings,
			...[[-1, -3], [1, 3]].map(([x, y], i) => ({ name: `ball ${i + 1}`, shape: 'ball', density: 30, material: 'paper', position: [x + 0.05, y, 2], velocity: [0, y > 0 ? -5 : 5, 3], color: [0.2, 0.2, 0.25] }))],
		camera: { position: [4, -7, 3], target: [0, 0, 2.7] },
	});

const pegs = [];
for (let row = 0; row < 4; ++row)
	for (let k = 0; k < 6; ++k)
		pegs.push({ name: `peg ${row}.${k}`, type: 'fixed', shape: 'peg', material: 'paper', position: [number(k - 2.5 + 0.5 * (row % 2)), 0, number(1 + 0.9 * row)], orientation: { axis: [1, 0, 0], angle: number(PI / 2) } });
write('triangles', 'single triangles, the thinnest of all bodies, fall through rows of pegs', { frames: 180 },
	{ triangle: shell([[[-0.3, -0.2, 0], [0.35, -0.25, 0], [0.05, 0.4, 0]], [[0, 1, 2]]]), peg: { cylinder: { radius: 0.08, length: 3 } } },
	{
		bodies: [floor, ...pegs],
		generators: [{ name: 'triangle', grid: { count: [6, 3, 4], spacing: [0.8, 0.8, 0.5], origin: [0, 0, 6] }, body: { shape: 'triangle', material: 'paper', color: colors[0] }, jitter: { rotation: 0.8 } }],
	});

// As many bodies as the text has: strips in chains that hang from strips which are fixed, two balls, and the floor.
const pitch = 0.494, links = 20, chains = { count: [10, 10], spacing: [0.6, 0.6], origin: [-2.7, -2.7] };
const level = (name, first, count, more) => ({
	name, grid: { count: [...chains.count, count], spacing: [...chains.spacing, number(2 * pitch)], origin: [...chains.origin, number(0.3 + pitch * first)] },
	body: { shape: 'ring', material: 'paper', orientation: upright(first), color: colors[first % 5], ...more },
});
write('rings-2000', 'a hundred chains of twenty paper rings each hang in a square; two balls roll into them', { frames: 120 },
	{ ring: shell(wall(0.25, -0.02, 0.25, 0.02, 24)), ball: { sphere: 0.5 } },
	{
		bodies: [floor, ...[[-1.1, -5], [0.9, 5]].map(([x, y], i) => ({ name: `ball ${i + 1}`, shape: 'ball', density: 100, material: 'paper', position: [x, y, 0.501], velocity: [0, y > 0 ? -6 : 6, 0], spin: [y > 0 ? 12 : -12, 0, 0], color: [0.2, 0.2, 0.25] }))],
		generators: [level('even ring', 0, links / 2), level('odd ring', 1, links / 2 - 1), level('hook', links - 1, 1, { type: 'fixed', color: [0.35, 0.37, 0.4] })],
		camera: { position: [11, -14, 7], target: [0, 0, 4.5] },
	});

write('triangles-186', 'a hundred and sixty-two triangles fall through rows of twenty-four pegs', { frames: 200 },
	{ triangle: shell([[[-0.3, -0.2, 0], [0.35, -0.25, 0], [0.05, 0.4, 0]], [[0, 1, 2]]]), peg: { cylinder: { radius: 0.08, length: 3 } } },
	{
		bodies: [floor, ...pegs],
		generators: [{ name: 'triangle', grid: { count: [6, 3, 9], spacing: [0.8, 0.8, 0.5], origin: [0, 0, 7.25] }, body: { shape: 'triangle', material: 'paper', color: colors[0] }, jitter: { rotation: 0.8 } }],
	});

write('boats', 'twenty-seven paper boats of 175 triangles each fall into a bowl', { frames: 150 },
	{ boat: shell(boat(5)), bowl: shell(bowl(3.5, 32, 12, 75 * PI / 180)) },
	{
		bodies: [{ name: 'bowl', type: 'fixed', shape: 'bowl', material: 'paper', color: [0.35, 0.37, 0.4] }],
		generators: [{ name: 'boat', grid: { count: [3, 3, 3], spacing: [1.2, 0.6, 0.6] }, body: { shape: 'boat', material: 'paper', color: colors[1] }, jitter: { rotation: 0.3 } }],
	});

write('boats-100', 'a hundred paper boats of 175 triangles each fall into a bowl', { frames: 120 },
	{ boat: shell(boat(5)), bowl: shell(bowl(3.5, 32, 12, 75 * PI / 180)) },
	{
		bodies: [{ name: 'bowl', type: 'fixed', shape: 'bowl', material: 'paper', color: [0.35, 0.37, 0.4] }],
		generators: [{ name: 'boat', grid: { count: [5, 5, 4], spacing: [1.2, 0.6, 0.6], origin: [-2.4, -1.2, 0.3] }, body: { shape: 'boat', material: 'paper', color: colors[1] }, jitter: { rotation: 0.3 } }],
		camera: { position: [5, -9, 5], target: [0, 0, -1.5] },
	});

// More of them, into bowls that hold them: as much room for each.
for (const [n, words, count, [x, y]] of [[250, 'two hundred and fifty', [5, 10, 5], [2.4, 2.7]], [500, 'five hundred', [5, 10, 10], [2.4, 2.7]], [1000, 'a thousand', [10, 10, 10], [5.4, 2.7]], [10000, 'ten thousand', [20, 25, 20], [11.4, 7.2]]]) {
	const radius = number(3.5 * Math.cbrt(n / 100));
	write(`boats-${n}`, `${words} paper boats of 175 triangles each fall into a bowl`, { frames: n > 1000 ? 600 : 120 },
		{ boat: shell(boat(5)), bowl: shell(bowl(radius, 32, 12, 75 * PI / 180)) },
		{
			bodies: [{ name: 'bowl', type: 'fixed', shape: 'bowl', material: 'paper', color: [0.35, 0.37, 0.4] }],
			generators: [{ name: 'boat', grid: { count, spacing: [1.2, 0.6, 0.6], origin: [-x, -y, 0.3] }, body: { shape: 'boat', material: 'paper', color: colors[1] }, jitter: { rotation: 0.3 } }],
			camera: { position: [5, -9, 5].map((v) => number(v * radius / 3.5)), target: [0, 0, number(-1.5 * radius / 3.5)] },
		});
}

// A boat's hull alone: sheets that meet at the keel and are open above, so that one lies in another.
function hull(n) {
	const bow = [-0.5, 0, 0.22], stern = [0.5, 0, 0.22], keel = [0, 0, 0], left = [0, -0.2, 0.2], right = [0, 0.2, 0.2];
	return facets([[bow, keel, left], [bow, right, keel], [stern, left, keel], [stern, keel, right]], n);
}
write('boat-stack', 'ten paper hulls lie in one another on a stand and are hit by a fast ball', { frames: 90 },
	{ hull: shell(hull(3)), stand: { box: [0.08, 0.3, 0.3] }, ball: { sphere: 0.15 } },
	{
		bodies: [floor, ...[-0.22, 0.22].map((x, i) => ({ name: `stand ${i + 1}`, type: 'fixed', shape: 'stand', material: 'paper', position: [x, 0, 0.15], color: [0.35, 0.37, 0.4] })),
			...Array.from({ length: 10 }, (_, i) => ({ name: `hull ${i + 1}`, shape: 'hull', material: 'paper', position: [0, 0, number(0.27 + 0.02 * i)], color: colors[i % 5] })),
			{ name: 'ball', shape: 'ball', material: 'paper', density: 100, position: [-4, 0.05, 0.45], velocity: [15, 0, 1], color: [0.2, 0.2, 0.25] }],
		camera: { position: [1, -4, 1.5], target: [0, 0, 0.4] },
	});

// Flat sheets of two triangles; with the thickness that the scene gives them.
const sheet = (x, y) => [[[-x / 2, -y / 2, 0], [x / 2, -y / 2, 0], [x / 2, y / 2, 0], [-x / 2, y / 2, 0]], quad(0, 1, 2, 3)];
const thick = (mesh, thickness) => ({ mesh: { ...shell(mesh).mesh, thickness } });
// A crate without a lid, its bottom in the plane z = 0.
function crate(a, height) {
	const points = [-1, 1].flatMap((z) => [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => [x * a / 2, y * a / 2, (z + 1) * height / 2]));
	return [points, [...quad(0, 1, 2, 3), ...[0, 1, 2, 3].flatMap((k) => quad(k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k))]];
}
const card = { density: 700, restitution: 0.1, friction: 0.4 };

// Where a crate stands on the plank, whose left end is down; at a height over its middle.
const lean = 0.27;
const onPlank = (h) => ({ position: [number(-1.25 * cos(lean) - h * sin(lean)), 0, number(0.42 - 1.25 * sin(lean) + h * cos(lean))], orientation: { axis: [0, 1, 0], angle: -lean } });
write('catapult-shell', 'a weight falls on one end of a plank, a shell 2 cm thick, and the other end throws open crates', { frames: 90 },
	{ plank: thick(sheet(3, 0.6), 0.02), crate: thick(crate(0.25, 0.25), 0.01), roll: { cylinder: { radius: 0.2, length: 0.8 } }, weight: { box: [0.4, 0.4, 0.4] } },
	{
		materials: { paper, card },
		bodies: [floor, { name: 'roll', type: 'fixed', shape: 'roll', material: 'card', position: [0, 0, 0.2], orientation: { axis: [1, 0, 0], angle: number(PI / 2) }, color: [0.35, 0.37, 0.4] },
			{ name: 'plank', shape: 'plank', material: 'card', position: [0, 0, number(0.4 + 0.02)], orientation: { axis: [0, 1, 0], angle: -lean }, color: colors[2] },
			...[0, 1, 2].map((i) => ({ name: `crate ${i + 1}`, shape: 'crate', material: 'card', ...onPlank(0.017 + 0.262 * i), color: colors[i] })),
			{ name: 'weight', shape: 'weight', material: 'card', density: 2000, position: [1.25, 0, 1.6], color: [0.2, 0.2, 0.25] }],
		camera: { position: [1, -6, 2], target: [0, 0, 1] },
	});

write('pinch-shell', 'two rolls in a V come together on an open crate and hold it between them', { frames: 150 },
	{ crate: thick(crate(0.4, 0.4), 0.01), roll: { cylinder: { radius: 0.3, length: 1 } } },
	{
		materials: { paper, card: { ...card, friction: 0.6 } },
		bodies: [...[-1, 1].map((s) => ({ name: s < 0 ? 'left' : 'right', type: 'fixed', shape: { halfspace: { normal: [number(-s * Math.SQRT1_2), 0, number(Math.SQRT1_2)] } }, material: 'card', color: [0.35, 0.37, 0.4] })),
			...[-1, 1].map((s) => ({ name: s < 0 ? 'roll 1' : 'roll 2', shape: 'roll', material: 'card', position: [number(0.55 * s), 0, 1], orientation: { axis: [1, 0, 0], angle: number(PI / 2) }, color: colors[s < 0 ? 0 : 1] })),
			{ name: 'crate', shape: 'crate', material: 'card', position: [0, 0, 0.95], color: colors[2] }],
		camera: { position: [1, -4, 2], target: [0, 0, 0.6] },
	});

write('impact-stack', 'a wall of open crates, shells 1 cm thick, is hit by a ball at 20 m/s', { frames: 90 },
	{ crate: thick(crate(0.4, 0.4), 0.01), ball: { sphere: 0.2 } },
	{
		materials: { paper, card },
		bodies: [floor, ...[0, 1, 2, 3].flatMap((z) => [-1, 0, 1].map((x) => ({ name: `crate ${z}.${x + 2}`, shape: 'crate', material: 'card', position: [number(0.45 * x), 0, number(0.008 + 0.4125 * z)], color: colors[(z + x + 5) % 5] }))),
			{ name: 'ball', shape: 'ball', material: 'card', density: 500, position: [0.1, -5, 0.9], velocity: [0, 20, 1], color: [0.2, 0.2, 0.25] }],
		camera: { position: [3, -5, 2], target: [0, 0, 0.8] },
	});
