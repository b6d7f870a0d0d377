// Height fields and meshes that stand in a scene file: read, refused, shown, exported; ground that things rest on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cairn, folder, write } from './tool.mjs';

const material = { density: 800, restitution: 0, friction: 0.5 };
const field = (heights, size = [4, 4]) => ({ heightfield: { size, heights } });
const slope = [[0, 0.1, 0.2], [0, 0.1, 0.2], [0, 0.1, 0.2]];
const tent = { mesh: { kind: 'shell', points: [[-1, -1, 0], [1, -1, 0], [0, 1, 0]], triangles: [[0, 1, 2]] } };
const scene = (shape, more = {}) => ({
	version: 1,
	world: { frames: 60 },
	materials: { m: material },
	bodies: [{ name: 'ground', type: 'fixed', shape, material: 'm', ...more },
		{ name: 'box', shape: { box: [0.4, 0.4, 0.4] }, material: 'm', position: [0, 0, 0.4] }],
});

test('things rest on a height field and on a mesh of the scene file', (t) => {
	const at = folder(t);
	for (const [name, shape, lowest] of [['slope', field(slope), 0.25], ['tent', tent, 0.19]]) {
		write(at, `${name}.json`, scene(shape));
		const run = cairn(at, 'run', `${name}.json`, '--json', '--quiet');
		assert.equal(run.status, 0, run.stderr);
		const summary = JSON.parse(run.stdout);
		assert.equal(summary.status, 'done');
		const certified = cairn(at, 'certify', `${name}.cairn`);
		assert.equal(certified.status, 0, certified.stdout + certified.stderr);
		const csv = cairn(at, 'export', `${name}.cairn`, '-o', `${name}.csv`);
		assert.equal(csv.status, 0, csv.stderr);
		const last = fs.readFileSync(path.join(at, `${name}.csv`), 'utf8').trim().split('\n').at(-1).split(',').map(Number);
		assert.ok(last[5] > lowest && last[5] < lowest + 0.1, `z ${last[5]}`);
		assert.ok(Math.hypot(last[10], last[11], last[12]) < 1e-3, 'at rest');
		for (const kind of ['glb', 'usda'])
			assert.equal(cairn(at, 'export', `${name}.cairn`, '-o', `${name}.${kind}`).status, 0);
	}
	const info = cairn(at, 'info', 'slope.json').stdout;
	assert.match(info, /height field of 8 triangles/);
	const shapes = JSON.parse(cairn(at, 'info', 'slope.json', '--json').stdout).shape_facts;
	assert.ok(shapes.some((shape) => shape.kind === 'height field'));
});

test('bad height fields and meshes are refused where they stand', (t) => {
	const at = folder(t);
	const cases = [
		[field([[0, 0], [0]]), /heights\[1\]: a row of 1 heights; the first one has 2/],
		[field([[0]]), /at least 2 x 2/],
		[field([]), /at least 2 x 2/],
		[field([[0, 0], [0, 'high']]), /heights\[1\]\[1\]/],
		[field([[0, 0], [0, null]]), /heights\[1\]\[1\]/],
		[field([[0, 0], [0, 1e12]]), /heights\[1\]\[1\]: a height of 1e\+12 m/],
		[field(slope, [4]), /size: expected two lengths/],
		[field(slope, [4, 0]), /size: the size along y is 0/],
		[field(slope, [4, -1]), /size along y is -1/],
		[{ heightfield: { heights: slope } }, /size/],
		[{ heightfield: { size: [1, 1], height: slope } }, /height/],
		[{ mesh: { points: [[0, 0, 0]], kind: 'shell' } }, /both "points" and "triangles"/],
		[{ mesh: { ...tent.mesh, triangles: [[0, 1, 3]] } }, /names point 3 but there are 3/],
		[{ mesh: { ...tent.mesh, triangles: [[0, 1]] } }, /three points/],
		[{ mesh: { ...tent.mesh, triangles: [[0, 1, 1.5]] } }, /whole number/],
		[{ mesh: { ...tent.mesh, file: 'a.obj' } }, /not both/],
	];
	for (const [shape, says] of cases) {
		write(at, 'bad.json', scene(shape));
		const bad = cairn(at, 'check', 'bad.json');
		assert.equal(bad.status, 3, JSON.stringify(shape));
		assert.match(bad.stderr, says);
		assert.match(bad.stderr, /^cairn: bad\.json:\d+:\d+: bodies\[0\]/);
	}
	write(at, 'moving.json', scene(field(slope), { type: 'dynamic' }));
	const moving = cairn(at, 'check', 'moving.json');
	assert.equal(moving.status, 3);
	assert.match(moving.stderr, /a height field is for fixed bodies/);
	const inside = scene(tent);
	inside.bodies[1].position = [0, 0, 0.1];
	write(at, 'inside.json', inside);
	assert.match(cairn(at, 'check', 'inside.json').stderr, /overlap at the start/);
});
