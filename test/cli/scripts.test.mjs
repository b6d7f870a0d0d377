// Scripted bodies that have to wait: what run, report and the recording say of them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cairn, folder, write } from './tool.mjs';

// A press that comes down on a cube, which stands on the floor or is not there.
const press = (cube) => ({
	version: 1, world: { frames: 60 },
	bodies: [
		{ name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1] } } },
		...(cube ? [{ name: 'cube', shape: { box: [1, 1, 1] }, position: [0, 0, 0.501] }] : []),
		{ name: 'press', type: 'scripted', shape: { box: [2, 2, 0.2] },
			keys: [{ time: 0, position: [0, 0, 1.6] }, { time: 1, position: [0, 0, 0.6] }] },
	],
});

test('a script that has nowhere to go waits, and the summary says which, when and how long', (t) => {
	const at = folder(t);
	write(at, 'press.json', press(true));
	const run = cairn(at, 'run', 'press.json');
	assert.equal(run.status, 0, run.stderr);
	assert.match(run.stdout.replace(/\s+/g, ' '), /waiting script press in \d+ frames from 15 to 60, at most 1\.\d+ s late \(frame 60\)/);
	const again = cairn(at, 'run', 'press.json', '--force', '--json');
	const summary = JSON.parse(again.stdout);
	assert.equal(summary.status, 'done');
	assert.equal(summary.certificate.verdict, 'clean');
	assert.equal(summary.late.length, 1);
	const [late] = summary.late;
	assert.deepEqual([late.script, late.first_frame, late.last_frame, late.frames, late.lag_frame], ['press', 15, 60, 46, 60]);
	assert.ok(late.lag > 1.45 && late.lag < 1.56, String(late.lag)); // of two seconds it came half of one far
});

test('--strict-scripts makes that exit status 1; the recording stands', (t) => {
	const at = folder(t);
	write(at, 'press.json', press(true));
	const strict = cairn(at, 'run', 'press.json', '--strict-scripts', '--json');
	assert.equal(strict.status, 1);
	assert.match(strict.stderr, /^cairn: script 'press' had to wait from frame 15 on, .*press\.cairn is valid$/m);
	const summary = JSON.parse(strict.stdout);
	assert.deepEqual([summary.status, summary.complete, summary.frames], ['late', true, 60]);
	assert.match(summary.message, /'press'/);
	assert.equal(cairn(at, 'certify', 'press.cairn').status, 0);
	assert.equal(cairn(at, 'run', 'press.cairn').status, 0); // the same bits again
	write(at, 'free.json', press(false));
	assert.equal(cairn(at, 'run', 'free.json', '--strict-scripts').status, 0);
});

test('a recording remembers who waited, and its report says so', (t) => {
	const at = folder(t);
	write(at, 'press.json', press(true));
	assert.equal(cairn(at, 'run', 'press.json', '--frames', '40').status, 0);
	const more = cairn(at, 'run', 'press.cairn', '--resume', '--frames', '60', '--json'); // from a checkpoint on
	assert.equal(more.status, 0, more.stderr);
	assert.equal(JSON.parse(more.stdout).late[0].last_frame, 60);
	const whole = JSON.parse(cairn(at, 'run', 'press.json', '-o', 'whole.cairn', '--json').stdout);
	assert.equal(JSON.parse(more.stdout).hash, whole.hash);
	const report = cairn(at, 'report', 'press.cairn', '--quick');
	assert.equal(report.status, 0, report.stderr);
	const page = fs.readFileSync(path.join(at, 'press-report.html'), 'utf8');
	assert.match(page, /data-fact="late"/);
	assert.match(page, /press waited in 46 frames from 15 to 60/);
});

test('a scene in which scripts work together', (t) => {
	const at = folder(t);
	const run = cairn(at, 'run', 'lift', '--json');
	assert.equal(run.status, 0, run.stderr);
	const summary = JSON.parse(run.stdout);
	assert.deepEqual(summary.late.map((one) => one.script), ['slide']); // the gate does not wait for it
	assert.ok(summary.late[0].last_frame < 400); // it has caught up
	assert.ok(summary.energy_residue < 1e-6 && summary.energy_rise < 1e-4);
	assert.equal(summary.held, 0);
	const frozen = JSON.parse(cairn(at, 'run', 'lift', '--set', 'freeze=on', '-o', 'frozen.cairn', '--json').stdout);
	assert.deepEqual(frozen.late.map((one) => one.script), ['slide']); // what froze before it thaws when it goes on
	assert.ok(frozen.late[0].last_frame < 400);
});
