// cairn assemble: goals, what it writes and what it refuses.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cairn, folder, write } from './tool.mjs';

const scene = (goals, more = {}) => ({
	version: 1, world: { frames: 3 },
	bodies: [
		{ name: 'floor', type: 'fixed', shape: { box: [4, 4, 1] }, position: [0, 0, -0.5] },
		{ name: 'cube', shape: { box: [1, 1, 1] }, position: [0, 0, 3] },
		{ name: 'other "cube"', shape: { box: [1, 1, 1] }, position: [2, 0, 3] },
	],
	goals, ...more,
});
const onFloor = { type: 'floating-abutting', bodies: ['cube', 'floor'], point: [0, 0, -0.5], gap: 0.001 };
const onCube = { type: 'abutting', bodies: ['other "cube"', 'cube'], points: [[0, 0, -0.5], [0, 0, 0.5]], gap: 0.001 };

test('the bundled scene is put together and runs', (t) => {
	const at = folder(t);
	const made = cairn(at, 'assemble', 'assembly', '-o', 'a.json', '--json');
	assert.equal(made.status, 0, made.stderr);
	const found = JSON.parse(made.stdout);
	assert.equal(found.end, 'assembled');
	assert.deepEqual([...new Set(found.goals.map((g) => g.type))].sort(),
		['abutting', 'fixed-point', 'floating', 'floating-abutting', 'point-to-point']);
	assert.ok(found.goals.every((g) => g.met && g.distance <= 1e-9 && g.angle <= 1e-9));
	assert.equal(cairn(at, 'run', 'a.json', '--frames', '3', '-q').status, 0);
});

test('a scene is written with its start, once', (t) => {
	const at = folder(t);
	write(at, 'a.json', scene([onFloor, onCube]));
	assert.equal(cairn(at, 'assemble', 'a.json', '-o', 'b.json').status, 0);
	assert.equal(cairn(at, 'assemble', 'b.json', '-o', 'c.json').status, 0);
	const made = JSON.parse(fs.readFileSync(path.join(at, 'c.json'), 'utf8'));
	assert.equal(fs.readFileSync(path.join(at, 'c.json'), 'utf8').split('"start"').length, 2);
	assert.ok(Math.abs(made.start.find((s) => s.body === 'cube').position[2] - 0.501) < 1e-9);
	assert.equal(made.goals.length, 2);
	assert.equal(cairn(at, 'check', 'c.json').status, 0);
});

test('a minimum that meets not every goal is exit status 1 and says which', (t) => {
	const at = folder(t);
	const to = (x) => ({ type: 'fixed-point', body: 'cube', point: [0, 0, 0], target: [x, 0, 2] });
	write(at, 'a.json', scene([to(0), to(1), onCube]));
	const made = cairn(at, 'assemble', 'a.json', '-o', 'b.json');
	assert.equal(made.status, 1);
	assert.match(made.stderr, /local minimum, energy 0\.5;/);
	assert.match(made.stdout, /goals\[0\] fixed-point, cube: 0\.5 m {2}not met/);
	assert.ok(fs.existsSync(path.join(at, 'b.json')));
});

test('what is wrong is told with its place', (t) => {
	const at = folder(t);
	const refused = (what, status, words, ...more) => {
		write(at, 'a.json', what);
		const made = cairn(at, 'assemble', 'a.json', '-o', 'b.json', ...more);
		assert.equal(made.status, status, made.stderr);
		assert.match(made.stderr, words);
		assert.ok(!fs.existsSync(path.join(at, 'b.json')));
	};
	refused(scene([]), 3, /no goals/);
	refused(scene([{ type: 'flaoting' }]), 3, /goals\[0\]\.type: unknown type of goal "flaoting".*floating/);
	refused(scene([{ ...onFloor, target: [0, 0, 0] }]), 3, /goals\[0\]\.target/);
	refused(scene([{ ...onFloor, weight: -1 }]), 3, /goals\[0\]\.weight: weight is -1/);
	refused(scene([{ ...onCube, points: [[0, 0, 0]] }]), 3, /goals\[0\]\.points: expected two/);
	refused(scene([{ ...onFloor, bodies: ['cube', 'flor'] }]), 3, /flor/);
	refused(scene([{ type: 'point-to-point', bodies: ['cube', 'floor'], points: [[0, 0, 0], [0, 0, 0]] }]), 3, /overlap/);
	refused(scene([onFloor], { start: [{ body: 'floor', position: [0, 0, 1] }] }), 3, /start.*not dynamic/);
	write(at, 'a.json', scene([onFloor]));
	assert.equal(cairn(at, 'assemble', 'a.json').status, 2);
	assert.equal(cairn(at, 'assemble', 'a.json', '-o', 'a.json').status, 4);
	assert.equal(cairn(at, 'assemble', 'a.json', '-o', 'a.cairn').status, 2);
});
