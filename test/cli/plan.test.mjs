// cairn plan: what it finds, writes and refuses.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cairn, folder, write } from './tool.mjs';

// An arm on a hinge that hangs down and is to be raised.
const scene = (plan, more = {}) => ({
	version: 1, world: { frames: 30, gravity: [0, 0, -9.81] },
	bodies: [{ name: 'arm', shape: { box: [0.1, 0.1, 1] }, position: [0, 0, -0.5] }],
	joints: [{ type: 'hinge', name: 'shoulder', bodies: ['world', 'arm'], point: [0, 0, 0], axis: [0, 1, 0] }],
	plans: [{ figure: 'arm', samples: 30, ...plan }], ...more,
});
const raised = { keys: [{ time: 1, joint: 'shoulder', value: -1.5 }] };

test('a clip has values, torques and keys', (t) => {
	const at = folder(t);
	write(at, 'a.json', scene(raised));
	const made = cairn(at, 'plan', 'a.json', '-o', 'clip.json', '--json');
	assert.equal(made.status, 0, made.stderr);
	const clip = JSON.parse(fs.readFileSync(path.join(at, 'clip.json'), 'utf8'));
	assert.ok(clip.met && clip.residual <= 1e-9);
	assert.equal(clip.joints[0].values.length, 31);
	assert.ok(Math.abs(clip.joints[0].values[30] + 1.5) < 1e-8);
	assert.equal(clip.bodies[0].keys.length, 31);
	assert.equal(JSON.parse(made.stdout).cost, clip.cost);
});

test('played as torques and by servos the arm gets there', (t) => {
	const at = folder(t);
	write(at, 'a.json', scene(raised));
	for (const as of ['torques', 'servo']) {
		assert.equal(cairn(at, 'plan', 'a.json', '-o', `${as}.json`, '--as', as).status, 0);
		assert.equal(cairn(at, 'run', `${as}.json`, '-q').status, 0);
		assert.equal(cairn(at, 'export', `${as}.cairn`, '-o', 'a.csv').status, 0);
		const last = fs.readFileSync(path.join(at, 'a.csv'), 'utf8').trim().split('\n').at(-1).split(',').map(Number);
		const angle = Math.abs(Math.atan2(last[3], -last[5]));
		assert.ok(Math.abs(angle - 1.5) < 0.02, `${as}: ${angle}`);
	}
});

test('a clip plays as a script', (t) => {
	const at = folder(t);
	write(at, 'a.json', scene(raised));
	assert.equal(cairn(at, 'plan', 'a.json', '-o', 'clip.json').status, 0);
	const clip = JSON.parse(fs.readFileSync(path.join(at, 'clip.json'), 'utf8'));
	write(at, 'b.json', { version: 1, world: { frames: 10 },
		bodies: [{ name: 'arm', type: 'scripted', shape: { box: [0.1, 0.1, 1] }, keys: clip.bodies[0].keys }] });
	const run = cairn(at, 'run', 'b.json', '-q');
	assert.equal(run.status, 0, run.stderr);
});

test('what cannot be, or is wrong, is told', (t) => {
	const at = folder(t);
	const refused = (what, status, words, ...more) => {
		write(at, 'a.json', what);
		const made = cairn(at, 'plan', 'a.json', '-o', 'b.json', ...more);
		assert.equal(made.status, status, made.stderr);
		assert.match(made.stderr, words);
		assert.ok(!fs.existsSync(path.join(at, 'b.json')));
	};
	refused(scene({ keys: [{ time: 1, body: 'arm', point: [0, 0, -0.5], target: [3, 0, 0] }] }), 1, /keys\[0\] at 1 s is missed by/);
	refused(scene({ keys: [{ time: 2, joint: 'shoulder', value: 0 }] }), 3, /plans\[0\]\.keys\[0\]\.time/);
	refused(scene({ keys: [{ time: 1, joint: 'sholder', value: 0 }] }), 3, /no joint of the name "sholder"/);
	refused(scene({ keys: [{ time: 1 }] }), 3, /found neither/);
	refused(scene({ objective: 'torqe' }), 3, /unknown objective "torqe".*torque/);
	refused(scene({ holds: [{ body: 'arm', from: 0, to: 0.5 }, { body: 'arm', from: 0.4, to: 1, shift: [1, 0, 0] }] }), 3,
		/plans\[0\]\.holds\[1\]\.from: the same body is held in two places at once/);
	refused(scene(raised, { plans: [] }), 3, /no plans\[0\]/);
	refused(scene(raised), 3, /no plans\[4\]/, '--plan', '4');
	refused(scene(raised), 2, /--as cannot be 'dance'/, '--as', 'dance');
	refused(scene(raised, { events: [{ frame: 0, drive: { joint: 'elbow', motor: { torque: 1 } } }] }), 3, /no joint of the name "elbow"/);
	refused(scene(raised, { events: [{ frame: 0, drive: { joint: 'shoulder', motor: { torque: 1e40 } } }] }), 3, /events\[0\].*pushes with 1e\+40/);
});
