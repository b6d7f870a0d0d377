// cairn certify: clean recordings are clean, a nudge and a jump are noticed, and what it says is what scripts read.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { spawnSync } from 'node:child_process';
import { bricks, cairn, folder, forge, write } from './tool.mjs';

const FIELDS = ['verdict', 'frames', 'bodies', 'pairs', 'intervals', 'exempt', 'min_gap', 'min_gap_frame', 'min_gap_pair',
	'overlaps', 'passages', 'rounding_bound'];

// Two cubes, one upon the other with the given gap; bodies pass through each other in this method, and nothing moves.
function cubes(gap, fps = 30) {
	return {
		version: 1, world: { method: 'free', gravity: [0, 0, 0], fps, frames: 10 },
		shapes: { cube: { box: [1, 1, 1] } },
		bodies: [
			{ name: 'lower', type: 'fixed', shape: 'cube' },
			{ name: 'upper', shape: 'cube', position: [0.2, 0.3, 1 + gap] },
			{ name: 'aside', type: 'fixed', shape: 'cube', position: [0.5, 0, -0.25] }, // inside the lower one: exempt
		],
	};
}

const certify = (at, ...args) => {
	const result = cairn(at, 'certify', ...args, '--json', '--progress', 'none');
	return { ...result, json: result.stdout ? JSON.parse(result.stdout) : null };
};

test('touching exactly is clean', (t) => {
	const at = folder(t);
	write(at, 'cubes.json', cubes(0));
	assert.equal(cairn(at, 'run', 'cubes.json').status, 0);
	const { status, json, stderr } = certify(at, 'cubes.cairn');
	assert.equal(status, 0, stderr);
	assert.deepEqual(Object.keys(json).slice(0, FIELDS.length), FIELDS);
	assert.equal(json.verdict, 'clean');
	assert.deepEqual([json.frames, json.bodies, json.pairs, json.intervals], [11, 3, 11, 10]);
	assert.equal(json.exempt, 1); // two fixed ones
	assert.ok(Math.abs(json.min_gap) <= json.rounding_bound && json.rounding_bound < 1e-13);
	assert.deepEqual([json.min_gap_frame, json.min_gap_pair], [0, ['lower', 'upper']]);
	assert.deepEqual([json.overlaps, json.passages, json.first], [0, 0, null]);
	const text = cairn(at, 'certify', 'cubes.cairn');
	assert.equal(text.status, 0);
	assert.match(text.stdout, /verdict +clean\n/);
	assert.match(text.stdout, /frames +11: 0 to 10\n/);
	assert.match(text.stdout, /smallest gap +\S+ m at a key of frame 0 between lower and upper\n/);
});

test('a cube nudged a millionth of its edge into another is noticed', (t) => {
	const at = folder(t);
	// From frame 6 on the frames are those of a world with gravity 1: it has fallen 18/fps^2 m by then.
	write(at, 'cubes.json', cubes(0, 6 / Math.sqrt(2e-6)));
	forge(at, 'cubes.json', 'nudged.cairn', 'swap');
	const { status, json, stderr } = certify(at, 'nudged.cairn');
	assert.equal(status, 1);
	assert.match(stderr, /^cairn: nudged\.cairn is not clean: frame 6, .* lower and upper, 1e-06 m deep/m);
	assert.equal(json.verdict, 'overlap');
	assert.equal(json.first.frame, 6);
	assert.deepEqual(json.first.pair, ['lower', 'upper']);
	assert.ok(Math.abs(json.first.depth - 1e-6) < 1e-12);
	assert.equal(json.overlaps, 5); // frames 6 to 10
	assert.equal(json.min_gap_frame, 10);
	assert.equal(certify(at, 'nudged.cairn', '--to', '5').status, 0);
	assert.equal(certify(at, 'nudged.cairn', '--from', '6').status, 1);
	const text = cairn(at, 'certify', 'nudged.cairn');
	assert.equal(text.status, 1);
	assert.match(text.stdout, /first +frame 6, .* lower and upper, 1e-06 m deep\n/);
	const quiet = cairn(at, 'certify', 'nudged.cairn', '--quiet');
	assert.equal(quiet.status, 1);
	assert.equal(quiet.stdout, '');
});

test('a skipped frame in which a body jumps through a wall is noticed', (t) => {
	const at = folder(t);
	// In the world with gravity 1 it is 2 cm lower at frame 6, beyond a sheet of a millimetre.
	const scene = cubes(0);
	scene.bodies = [
		{ name: 'wall', type: 'fixed', shape: { box: [1, 1, 0.001] } },
		{ name: 'crumb', shape: { box: [0.004, 0.004, 0.004] }, position: [0, 0, 0.01] },
	];
	write(at, 'wall.json', scene);
	assert.equal(cairn(at, 'run', 'wall.json').status, 0);
	assert.equal(certify(at, 'wall.cairn').json.verdict, 'clean');
	forge(at, 'wall.json', 'jump.cairn', 'swap');
	const { status, json } = certify(at, 'jump.cairn');
	assert.equal(status, 1);
	assert.equal(json.verdict, 'passage');
	assert.deepEqual([json.overlaps, json.passages], [0, 1]);
	assert.equal(json.first.frame, 6);
	assert.ok(json.first.time > 5 / 30 && json.first.time < 6 / 30);
	assert.deepEqual(json.first.pair, ['wall', 'crumb']);
});

test('bodies that come and go, and the same answer for any number of threads', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 10 }));
	forge(at, 'fall.json', 'pushed.cairn', 'inputs');
	const one = certify(at, 'pushed.cairn', '--threads', '1'), three = certify(at, 'pushed.cairn', '--threads', '3');
	assert.equal(one.status, 0);
	assert.deepEqual(one.json, three.json);
	assert.deepEqual([one.json.frames, one.json.bodies, one.json.verdict], [11, 5, 'clean']);
});

test('usage and files', (t) => {
	const at = folder(t);
	write(at, 'cubes.json', cubes(1));
	assert.equal(cairn(at, 'run', 'cubes.json').status, 0);
	for (const [status, pattern, ...args] of [
		[2, /certify takes a recording/, 'cubes.json'],
		[2, /needs REC/],
		[2, /--from 11 is out of range/, 'cubes.cairn', '--from', '11'],
		[2, /--to 99 is out of range/, 'cubes.cairn', '--to', '99'],
		[2, /--to 3 comes before --from 5/, 'cubes.cairn', '--from', '5', '--to', '3'],
		[4, /nowhere\.cairn/, 'nowhere.cairn'],
	]) {
		const result = cairn(at, 'certify', ...args);
		assert.equal(result.status, status, result.stderr);
		assert.match(result.stderr, pattern);
		assert.equal(result.stdout, '');
	}
	// cut off in a frame: clean up to there, with a note
	const bytes = fs.readFileSync(path.join(at, 'cubes.cairn'));
	fs.writeFileSync(path.join(at, 'cut.cairn'), bytes.subarray(0, bytes.length - 200));
	const cut = certify(at, 'cut.cairn');
	assert.equal(cut.status, 0, cut.stderr);
	assert.match(cut.stderr, /are whole/);
	assert.ok(cut.json.frames < 11);
	// a damaged byte: what is whole is looked at, but it is no whole recording
	const damaged = Buffer.from(bytes);
	damaged[bytes.length - 300] ^= 1;
	fs.writeFileSync(path.join(at, 'damaged.cairn'), damaged);
	assert.equal(certify(at, 'damaged.cairn').status, 4);
});

// ---- trajectories: plain text of any program

const ALONE = path.join(path.dirname(process.env.CAIRN), 'cairn-certify');
const alone = (at, ...args) => spawnSync(ALONE, args, { cwd: at, encoding: 'utf8' });

test('a trajectory has the certificate of its recording, by cairn and by cairn-certify', (t) => {
	const at = folder(t);
	write(at, 'bricks.json', bricks({ count: 5 }));
	assert.equal(cairn(at, 'run', 'bricks.json', '-q').status, 0);
	assert.equal(cairn(at, 'export', 'bricks.cairn', '-o', 'b.traj', '-q').status, 0);
	const { complete, damaged, ...own } = certify(at, 'bricks.cairn').json;
	const text = certify(at, 'b.traj'), other = alone(at, 'b.traj', '--json');
	assert.deepEqual([text.status, other.status], [0, 0], other.stderr);
	assert.deepEqual(text.json, own);
	assert.deepEqual(JSON.parse(other.stdout), own);
	assert.equal(certify(at, 'b.traj', '--from', '3', '--to', '7').json.frames, 5);
	assert.equal(JSON.parse(alone(at, 'b.traj', '--from', '3', '--to', '7', '--json').stdout).frames, 5);
	assert.match(alone(at, 'b.traj').stdout, /verdict +clean/);
	assert.equal(certify(at, 'b.traj', '--from', '30').status, 2);
	assert.equal(alone(at, 'b.traj', '--from', '30').status, 2);
});

test('what another engine got wrong is found, and what is no trajectory is refused with its line', (t) => {
	const at = folder(t);
	const head = 'trajectory 1\nshape box 1 1 1\nbody dynamic 0 name one\nbody dynamic 0 name \x1b[31mtwo\n';
	const frame = (number, x) => `frame ${number} ${number / 10}\nkey 0 0 0 0 1 0 0 0\nkey 1 ${x} 0 0 1 0 0 0\n`;
	const cases = [
		['clean', [3, 2, 1], 0, /^$/],
		['overlap', [3, 0.9], 1, /not clean: frame 1, 0\.1 s: one and .*two, 0\.1 m deep/],
		['passage', [3, -3], 1, /not clean: frame 1/],
	];
	for (const [verdict, places, status, says] of cases) {
		write(at, 'a.traj', `${head}${places.map((x, i) => frame(i, x)).join('')}end\n`);
		for (const result of [certify(at, 'a.traj'), alone(at, 'a.traj', '--json')]) {
			assert.equal(result.status, status, result.stderr);
			assert.equal(JSON.parse(result.stdout).verdict, verdict);
			assert.match(result.stderr, says);
			assert.ok(!result.stderr.includes('\x1b'));
		}
	}
	for (const [text, says] of [[`${head}frame 0 0\nkey 0 0 nan 0 1 0 0 0\n`, /a\.traj:6: .*'nan'/], [head + frame(0, 3), /a\.traj:7: .*cut off/],
		['trajectory 1\nshape hull 4000000000\n', /a\.traj:2: .*announced/], ['', /trajectory 1/]]) {
		write(at, 'a.traj', text);
		for (const result of [cairn(at, 'certify', 'a.traj'), alone(at, 'a.traj')]) {
			assert.equal(result.status, 4);
			assert.match(result.stderr, says);
			assert.equal(result.stdout, '');
		}
	}
	assert.equal(alone(at, 'none.traj').status, 4);
	assert.equal(alone(at).status, 2);
	assert.equal(alone(at, 'a.traj', '--what').status, 2);
	assert.equal(alone(at, '--help').status, 0);
});

test('cairn-certify holds nothing of the simulation', (t) => {
	const names = spawnSync('nm', [ALONE], { encoding: 'utf8' });
	if (names.error)
		return t.skip('no nm');
	assert.match(names.stdout, /cn_certifier_check/);
	assert.doesNotMatch(names.stdout, /cairn_world_|cairn_recording_read|cn_method_|cn_program_|cn_bounce_|cn_rest_/);
});
