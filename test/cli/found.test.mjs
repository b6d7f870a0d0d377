// Scenes that once showed a defect (test/data/found): what they should do, at several rates where that is known.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cairn, folder, info } from './tool.mjs';

const FOUND = path.join(path.dirname(fileURLToPath(import.meta.url)), '../data/found');
const g = 9.81;
const scene = (name) => JSON.parse(fs.readFileSync(path.join(FOUND, `${name}.json`), 'utf8'));
const near = (value, wanted, within, what) =>
	assert.ok(Math.abs(value - wanted) <= within, `${what}: ${value} and not ${wanted}`);

// Runs a scene at a rate for as long as it says. A hang would end it with 124.
function run(at, name, fps) {
	const { world = {} } = scene(name);
	const rate = fps ?? world.fps ?? 30, frames = Math.round((world.frames ?? 60) * rate / (world.fps ?? 30));
	const result = cairn(at, 'run', path.join(FOUND, `${name}.json`), '--set', `fps=${rate}`, '--frames', String(frames), '--time', '60',
		'--force', '--json', '--quiet', '-o', 'out.cairn');
	assert.equal(result.status, 0, `${name} at ${rate}: ${result.stderr}`);
	return JSON.parse(result.stdout);
}

// What each body does: name -> its keys at the ends of frames, in their order.
function motion(at, name, fps) {
	run(at, name, fps);
	assert.equal(cairn(at, 'export', 'out.cairn', '-o', 'out.csv', '--quiet').status, 0);
	const names = [], keys = {};
	let columns;
	for (const line of fs.readFileSync(path.join(at, 'out.csv'), 'utf8').trim().split('\n')) {
		if (line.startsWith('# body ')) {
			const body = JSON.parse(line.slice(7));
			names[body.index] = body.name, keys[body.name] = [];
		} else if (line.startsWith('frame,')) {
			columns = line.split(',');
		} else if (columns) {
			const row = Object.fromEntries(line.split(',').map((text, i) => [columns[i], Number(text)]));
			const list = keys[names[row.body]];
			if (list.at(-1)?.frame === row.frame)
				list.pop(); // a key within the frame
			list.push(row);
		}
	}
	return keys;
}

test('a ball rolls on over a table that stands on the floor without a gap', (t) => {
	const at = folder(t);
	for (const fps of [30, 60, 240])
		near(motion(at, '01-ball-stops-on-table', fps).ball.at(-1).vx, 10 / 7, 0.02, `${fps} frames a second`);
});

test('a puck without friction glides on', (t) => {
	const at = folder(t);
	for (const fps of [30, 60, 240]) {
		const { vx, vy } = motion(at, '01a-frictionless-puck-stops', fps).puck.at(-1);
		near(Math.hypot(vx, vy), Math.hypot(1, 0.3), 1e-3, `${fps} frames a second`);
	}
});

test('a wedge gives way to the block on it', (t) => {
	const at = folder(t), sin = 0.5, cos = Math.sqrt(3) / 2;
	const M = 800 * 4 * 2.309401076758503, m = 800 * 0.5 ** 3; // kg: 2 m deep
	for (const fps of [30, 60, 240]) {
		const end = motion(at, '01b-wedge-stuck', fps).w.at(-1);
		near(Math.abs(end.vx) / end.time, m * g * sin * cos / (M + m * sin ** 2), 1e-3, `${fps} frames a second`);
	}
});

test('a box is carried by a disk that turns', (t) => {
	const at = folder(t);
	for (const key of motion(at, '02-carousel').b) {
		near(Math.hypot(key.x, key.y), 1.5, 1e-3, `way from the axis, frame ${key.frame}`);
		near(key.wz, 1, 1e-9, `spin, frame ${key.frame}`);
	}
});

test('a box that is shaken with bodies in it keeps to its script', (t) => {
	const at = folder(t), told = run(at, '03-shaken-box-stops');
	assert.deepEqual(told.late, []);
	const box = motion(at, '03-shaken-box-stops').box, { keys } = scene('03-shaken-box-stops').bodies.find((b) => b.name === 'box');
	for (const key of box) {
		const wanted = keys.find((k) => Math.abs(k.time - key.time) < 1e-9);
		for (const [i, x] of [key.x, key.y, key.z].entries())
			near(x, wanted.position[i], 1e-9, `frame ${key.frame}`);
	}
});

test('a cube that spins falls as fast as the one beside it', (t) => {
	const at = folder(t);
	for (const fps of [30, 60, 240, 1000])
		for (const [name, keys] of Object.entries(motion(at, '05-spinning-cube-falls-slowly', fps)))
			near(keys.at(-1).z, 50 - 5 - g / 2, 1e-9, `${name}, ${fps} frames a second`);
});

test('a cylinder that falls on its face does not tip', (t) => {
	const at = folder(t);
	for (const fps of [30, 60, 240])
		for (const { qx, qy, frame } of motion(at, '10-flat-cylinder-tips', fps).c)
			near(Math.hypot(qx, qy), 0, 1e-6, `frame ${frame}, ${fps} frames a second`);
});

test('joints that are too many, a motor of 1e12 N m and a light arm end their frames', (t) => {
	const at = folder(t);
	for (const name of ['04-loop-of-three-slow', 'robust-01-redundant-joints-hang', 'robust-01a-motor-torque-hang', 'robust-01b-light-arm-hang']) {
		run(at, name);
		assert.equal(cairn(at, 'certify', 'out.cairn', '--quiet').status, 0, name);
	}
});

test('bodies that may not meet, an empty scene and a hostile description', (t) => {
	const at = folder(t);
	for (const name of ['robust-12-masked-pairs', 'robust-10-empty-scene-ubsan'])
		run(at, name);
	const checked = cairn(at, 'info', path.join(FOUND, 'robust-06-terminal-escape.json'));
	assert.equal(checked.status, 0, checked.stderr);
	assert.ok(!(checked.stdout + checked.stderr).includes('\u001b'));
});

test('a run that is resumed at any frame goes on to the same bits', (t) => {
	const at = folder(t);
	for (const [name, frames, step] of [['robust-04-rope-resume', 90, 10], ['robust-03-snapshot-not-whole', 60, 6]]) {
		const file = path.join(FOUND, `${name}.json`), args = ['--force', '--quiet', '-o'];
		assert.equal(cairn(at, 'run', file, '--frames', String(frames), ...args, 'whole.cairn').status, 0);
		for (let cut = step; cut < frames; cut += step) {
			assert.equal(cairn(at, 'run', file, '--frames', String(cut), ...args, 'part.cairn').status, 0);
			assert.equal(cairn(at, 'run', 'part.cairn', '--resume', '--frames', String(frames), '--quiet').status, 0);
			assert.equal(info(at, 'part.cairn').hash, info(at, 'whole.cairn').hash, `${name} cut at ${cut}`);
		}
	}
});
