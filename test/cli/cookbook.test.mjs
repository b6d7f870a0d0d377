// Every recipe of docs/cookbook.md runs to its end, is certified, and does what it says.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cairn, folder } from './tool.mjs';

const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/cookbook.md'), 'utf8');
const recipes = [...page.matchAll(/^## (.+)\n[^]*?```json\n([^]*?)```/gm)].map(([, title, json]) => ({ title, json }));

// Where every body is at the last frame, and how it moves, by name.
function ends(at, name) {
	const text = fs.readFileSync(path.join(at, `${name}.csv`), 'utf8').trim().split('\n');
	const names = text.filter((l) => l.startsWith('# body ')).map((l) => JSON.parse(l.slice(7)).name);
	const rows = text.filter((l) => /^\d/.test(l)).map((l) => l.split(',').map(Number));
	const found = {};
	for (const r of rows)
		if (r[0] === rows.at(-1)[0])
			found[names[r[2]]] = { x: r[3], y: r[4], z: r[5], q: r.slice(6, 10), v: r.slice(10, 13), spin: r.slice(13, 16) };
	return found;
}

// How far the body's own z axis leans, rad.
const lean = (b) => Math.acos(Math.max(-1, Math.min(1, 1 - 2 * (b.q[1] ** 2 + b.q[2] ** 2))));

const does = {
	Bowl: (b) => Object.entries(b).filter(([n]) => n.startsWith('marble')).every(([, m]) => Math.hypot(m.x, m.y) < 1.5 && m.z > 0),
	Car: (b) => b.car.x > 5 && Math.abs(b.car.v[0] - 3.5) < 0.2 && lean(b.car) < 0.05,
	Rope: (b) => b.ball.z < 4 && Math.hypot(b.ball.x - b['link.9'].x, b.ball.z - b['link.9'].z) < 0.46,
	Dominoes: (b) => Array.from({ length: 16 }, (_, i) => b[`domino.${i}`]).every((d) => lean(d) > 0.9),
	'Rube Goldberg': (b) => lean(b['domino.6']) > 0.3 && lean(b.flap) > 0.1,
	Tower: (b) => lean(b['block.11']) < 0.01 && Math.abs(b['block.11'].z - 4.6) < 0.05 && Math.hypot(...b['block.11'].v) < 1e-3,
	Conveyor: (b) => b.crate.x > 1.5,
	Gears: (b) => b.driver.spin[2] > 0.9 && b.driven.spin[2] < -0.3,
	Ragdoll: (b) => b.head.z < 1.2 && Math.hypot(b.head.x - b.torso.x, b.head.y - b.torso.y, b.head.z - b.torso.z) < 0.7,
	'Slow motion': (b) => Object.entries(b).some(([n, c]) => n.startsWith('crate') && c.x > 0.3),
};

test('presets are those of the table', () => {
	const read = (name) => fs.readFileSync(path.resolve(import.meta.dirname, '../..', name), 'utf8');
	const code = [...read('src/scene/scene_add.c').matchAll(/name = "(\w+)", \.density = ([\d.]+), \.restitution = ([\d.]+), \.static_friction = ([\d.]+), \.kinetic_friction = ([\d.]+)/g)];
	const told = [...read('docs/scene-format.md').matchAll(/^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm)];
	const numbers = (rows) => rows.map(([, name, ...values]) => [name, ...values.map(Number)]);
	assert.equal(code.length, 4);
	assert.deepEqual(numbers(told), numbers(code));
});

test('the ten lines of README.md are those of docs/python.md, which a test runs', () => {
	const first = (name) => /```python\n([^]*?)```/.exec(fs.readFileSync(path.resolve(import.meta.dirname, '../..', name), 'utf8'))[1];
	assert.equal(first('README.md'), first('docs/python.md'));
});

test('ten recipes', () => assert.deepEqual(recipes.map((r) => r.title), Object.keys(does)));

for (const { title, json } of recipes)
	test(title, (t) => {
		const at = folder(t), name = title.toLowerCase().replace(/ /g, '-');
		fs.writeFileSync(path.join(at, `${name}.json`), json);
		const run = cairn(at, 'run', `${name}.json`, '--quiet', '--json');
		assert.equal(run.status, 0, run.stderr);
		const certified = cairn(at, 'certify', `${name}.cairn`);
		assert.equal(certified.status, 0, certified.stdout + certified.stderr);
		assert.equal(cairn(at, 'export', `${name}.cairn`, '-o', `${name}.csv`).status, 0);
		const found = ends(at, name);
		assert.ok(does[title](found), JSON.stringify(found));
	});
