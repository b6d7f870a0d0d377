// cairn run: what it writes, refuses and says.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { bricks, cairn, ended, folder, info, shell, start, tool, write } from './tool.mjs';

test('run writes NAME.cairn here and sums up on stdout', (t) => {
	const at = folder(t);
	fs.mkdirSync(path.join(at, 'sub'));
	write(at, 'sub/fall.json', bricks({ frames: 30 }));
	const result = cairn(at, 'run', 'sub/fall.json');
	assert.equal(result.status, 0, result.stderr);
	assert.match(result.stdout, /^fall: done at frame 30 of 30\n/);
	const rows = ['bodies +4, 4 of them movable', 'frames +30 at 30 fps', 'certificate +clean, 30 frames checked: ',
		'smallest gap +not measured: nothing came near anything', 'tiers +none was needed', 'held +no body in any frame',
		'energy +\\S+ J at the start, \\S+ J at the end', 'energy ledger ', 'largest rise ', 'time by stage ',
		'hash +[0-9a-f]{16}', 'file +fall\\.cairn, ',
		' bodies +pairs +collisions +solved +frames +mean +p95 +max +programs +back$',
		' +4 +0\\.0 +0\\.0 +0\\.0 +30( +\\d+\\.\\d+){4} +0\\.0 %$'];
	for (const row of rows)
		assert.match(result.stdout, new RegExp(`^  ${row}`, 'm'));
	assert.match(result.stdout, /^Next\n {2}cairn view fall\.cairn .*\n {2}cairn export fall\.cairn -o fall\.glb /m);
	assert.ok(fs.existsSync(path.join(at, 'fall.cairn')));
});

test('a method without contact says so, and has no tiers', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 5 }));
	const { status, stdout } = cairn(at, 'run', 'fall.json', '--method', 'free');
	assert.equal(status, 0);
	assert.match(stdout, /^ {2}smallest gap +not measured: method free does not look at gaps/m);
	assert.doesNotMatch(stdout, /came near|^ {2}(tiers|held) /m);
});

test('joints: how far they are off, what they bring, which break', (t) => {
	const at = folder(t);
	const bob = (name, x, more = {}) => ({ name, shape: { sphere: 0.1 }, mass: 2, position: [x, 0, 5], ...more });
	write(at, 'arms.json', { version: 1, world: { frames: 30, gravity: [0, 0, -10] }, bodies: [bob('driven', 1), bob('hung', 3)], joints: [
		{ type: 'hinge', bodies: ['world', 'driven'], point: [0, 0, 5], axis: [0, 1, 0], motor: { speed: -1, most: 100 } },
		{ type: 'distance', bodies: ['world', 'hung'], points: [[3, 0, 6], [3, 0, 5.1]], breaks: { force: 10 } }] });
	const { status, stdout } = cairn(at, 'run', 'arms.json');
	assert.equal(status, 0);
	assert.match(stdout, /^ {2}joint error +(none|\S+ m at most, at the end of frame \d+); 1 broke$/m);
	assert.match(stdout.replace(/\n {15,}/g, ' '), /^ {2}energy ledger .* J by joints; adds up within/m);
	const json = JSON.parse(cairn(at, 'run', 'arms.json', '--force', '--json', '-q').stdout);
	assert.deepEqual([json.joints, json.broken], [2, 1]);
	assert.ok(json.joint_error < 1e-9);
	// the motor has raised its bob by sin(1) m and turns it at 1 rad/s; the other one hung on by a thread of half its weight
	const lifted = 2 * 10 * Math.sin(1) + 0.5 * 2 * (1 + 0.4 * 0.01);
	assert.ok(Math.abs(json.energy.joints - lifted) < 0.05 * lifted, String(json.energy.joints));
	assert.ok(json.energy_rise < 1e-6);
	const plain = JSON.parse(cairn(at, 'run', write(at, 'fall.json', bricks({ frames: 2 })), '--json', '-q').stdout);
	assert.deepEqual([plain.joints, plain.joint_error, plain.broken], [0, null, 0]);
});

test('the next command is quoted for the shell and works', (t) => {
	const at = folder(t);
	write(at, "it's a scene.json", bricks({ frames: 2 }));
	const { stdout } = cairn(at, 'run', "it's a scene.json");
	const next = /^ {2}cairn (export .*\.glb'?)\s/m.exec(stdout)[1];
	assert.equal(shell(at, `"$CAIRN" ${next}`).status, 0);
	assert.ok(fs.existsSync(path.join(at, "it's a scene.glb")));
});

test('run --json is one object with the documented members', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ count: 5, frames: 12 }));
	const result = cairn(at, 'run', 'fall.json', '--json', '--threads', '2');
	const summary = JSON.parse(result.stdout);
	assert.equal(summary.scene, 'fall');
	assert.equal(summary.file, 'fall.cairn');
	assert.equal(summary.status, 'done');
	assert.equal(summary.message, null);
	assert.equal(summary.frames, 12);
	assert.equal(summary.frames_run, 12);
	assert.equal(summary.complete, true);
	assert.equal(summary.bodies, 5);
	assert.equal(summary.threads, 2);
	assert.equal(summary.worst_gap, null);
	assert.equal(summary.held, 0);
	assert.deepEqual(Object.keys(summary.tiers), ['fast', 'restore', 'cut', 'axis', 'halve', 'hold']);
	assert.deepEqual([summary.certificate.mode, summary.certificate.verdict], ['full', 'clean']);
	assert.equal(summary.certificate.frames, 12);
	assert.ok(summary.energy_residue < 1e-6);
	assert.deepEqual([summary.stop, summary.stop_pair], [null, null]);
	assert.match(summary.hash, /^[0-9a-f]{16}$/);
	assert.equal(summary.size_bytes, fs.statSync(path.join(at, 'fall.cairn')).size);
	assert.ok(summary.ms_mean > 0 && summary.ms_mean <= summary.ms_max && summary.ms_p95 <= summary.ms_max);
	assert.ok(Object.keys(summary.stages).length > 0);
	assert.ok(Object.values(summary.stages).reduce((a, b) => a + b) <= 1.05 * summary.ms_mean);
	const same = info(at, 'fall.cairn');
	for (const name of ['scene', 'frames', 'fps', 'bodies', 'hash', 'complete', 'size_bytes'])
		assert.deepEqual(same[name], summary[name], name);
	const help = cairn(at, 'run', '--help').stdout;
	for (const name of Object.keys(summary))
		assert.match(help, new RegExp(`^  (.*, )?${name}\\b`, 'm'), `${name} is documented`);
});

test('energies are those of the scene', (t) => {
	const at = folder(t);
	// One ball of 2 kg at 10 m/s, 5 m up, without spin: everything can be worked out by hand.
	write(at, 'ball.json', {
		version: 1, world: { gravity: [0, 0, -10], fps: 10, frames: 10 },
		bodies: [{ shape: { sphere: 0.5 }, mass: 2, position: [0, 0, 5], velocity: [10, 0, 0] }],
	});
	const summary = JSON.parse(cairn(at, 'run', 'ball.json', '--json').stdout);
	const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9 * Math.abs(b), `${a} is not ${b}`);
	near(summary.energy_start, 200);
	near(summary.energy_end, 200);
	near(summary.energy_unit, 2 * 10 * 1);
	assert.ok(summary.energy_rise >= 0 && summary.energy_rise < 1e-12);
	const still = JSON.parse(cairn(at, 'run', 'ball.json', '--json', '--set', 'gravity=0,0,0', '--force').stdout);
	near(still.energy_unit, 100);
});

test('an event is a cause, so its energy is no rise', (t) => {
	const at = folder(t);
	const scene = bricks({ count: 1, events: [{ frame: 5, impulse: { body: 'brick 0', impulse: [0, 0, 5000] } }] });
	write(at, 'kick.json', scene);
	const summary = JSON.parse(cairn(at, 'run', 'kick.json', '--json').stdout);
	assert.ok(summary.energy_end - summary.energy_start > summary.energy_unit);
	assert.ok(summary.energy_rise < 1e-3);
});

test('an existing file is refused without --force, and the source always', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks());
	assert.equal(cairn(at, 'run', 'fall.json').status, 0);
	const again = cairn(at, 'run', 'fall.json');
	assert.equal(again.status, 4);
	assert.match(again.stderr, /^cairn: fall\.cairn exists; --force replaces it/);
	assert.equal(cairn(at, 'run', 'fall.json', '--force').status, 0);
	const self = cairn(at, 'run', 'fall.cairn', '-o', './fall.cairn', '--force');
	assert.equal(self.status, 2);
	assert.match(self.stderr, /cannot be written over/);
	assert.equal(cairn(at, 'run', 'fall.json', '-o', 'fall.json', '--force').status, 2);
	assert.equal(JSON.parse(fs.readFileSync(path.join(at, 'fall.json'))).version, 1);
	assert.equal(info(at, 'fall.cairn').complete, true);
});

test('a file that cannot be written is exit status 4', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks());
	const nowhere = cairn(at, 'run', 'fall.json', '-o', 'no/such/folder.cairn');
	assert.equal(nowhere.status, 4);
	assert.match(nowhere.stderr, /^cairn: .*no\/such\/folder\.cairn/);
	const full = cairn(at, 'run', 'fall.json', '-o', '/dev/full', '--force');
	assert.equal(full.status, 4, full.stderr);
	assert.match(full.stderr, /^cairn: .*\/dev\/full.*No space left/m);
	assert.ok(fs.statSync('/dev/full').isCharacterDevice());
});

test('a disk that fills up ends the run with 4, and what fitted is valid', (t) => {
	const at = folder(t);
	// ulimit -f counts KiB in bash; SIGXFSZ ignored makes the write fail as on a full disk.
	write(at, 'fall.json', bricks({ count: 50, frames: 400 }));
	const result = shell(at, 'trap "" XFSZ; ulimit -f 200; "$CAIRN" run fall.json --json');
	assert.equal(result.status, 4, result.stderr);
	assert.match(result.stderr, /^cairn: .*fall\.cairn.*(too large|No space)/m);
	assert.equal(JSON.parse(result.stdout).status, 'unwritten');
	const left = info(at, 'fall.cairn');
	assert.equal(left.complete, false);
	assert.ok(left.frames > 0 && left.frames < 400);
	assert.equal(cairn(at, 'run', 'fall.cairn', '--resume', '--quiet').status, 0);
	assert.equal(cairn(at, 'run', 'fall.json', '-o', 'whole.cairn', '--quiet').status, 0);
	assert.equal(info(at, 'fall.cairn').hash, info(at, 'whole.cairn').hash);
});

test('--frames, --set and --method reach the scene and the recording', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 50 }));
	const run = (...more) => cairn(at, 'run', 'fall.json', '--force', '--quiet', ...more);
	assert.equal(run('--frames', '7').status, 0);
	assert.equal(info(at, 'fall.cairn').frames, 7);
	assert.equal(run('--frames', '0').status, 0);
	assert.equal(info(at, 'fall.cairn').frames, 0);
	const sets = ['frames=3', 'gravity=0,0,-1.5', 'fps=60', 'sleep=off'].map((text) => `--set=${text}`);
	assert.equal(run(...sets, '--method', 'free').status, 0);
	const found = info(at, 'fall.cairn');
	assert.equal(found.frames, 3);
	assert.deepEqual(found.gravity, [0, 0, -1.5]);
	assert.equal(found.fps, 60);
	assert.equal(found.options.sleep, 'off');
	assert.equal(found.method, 'free');
	assert.equal(run('--set', 'frames=3', '--frames', '4').status, 0);
	assert.equal(info(at, 'fall.cairn').frames, 4);
});

test('the bits do not depend on threads or progress', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ count: 40, frames: 30 }));
	const hashes = [['--threads', '1'], ['--threads', '3'], ['--progress', 'json']].map((more) => {
		assert.equal(cairn(at, 'run', 'fall.json', '--force', ...more).status, 0);
		return info(at, 'fall.cairn').hash;
	});
	assert.equal(new Set(hashes).size, 1);
	assert.equal(cairn(at, 'run', 'fall.json', '--force', '--set', 'gravity=0,0,-9.82').status, 0);
	assert.notEqual(info(at, 'fall.cairn').hash, hashes[0]);
});

test('run REC runs it again, compares the bits and goes on beyond its end', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 10 }));
	assert.equal(cairn(at, 'run', 'fall.json').status, 0);
	const again = cairn(at, 'run', 'fall.cairn');
	assert.equal(again.status, 0, again.stderr);
	assert.match(again.stdout, /same bits as fall\.cairn/);
	assert.equal(info(at, 'fall-again.cairn').hash, info(at, 'fall.cairn').hash);
	assert.equal(cairn(at, 'run', 'fall.cairn').status, 4);
	const longer = JSON.parse(cairn(at, 'run', 'fall.cairn', '--frames', '25', '-o', 'longer.cairn', '--json').stdout);
	assert.equal(longer.frames, 25);
	assert.equal(longer.same_as, 'fall.cairn');
	const change = ['--set', 'gravity=0,0,0', '-o', 'changed.cairn', '--json'];
	const changed = JSON.parse(cairn(at, 'run', 'fall.cairn', ...change).stdout);
	assert.equal(changed.same_as, null);
	assert.deepEqual(info(at, 'changed.cairn').gravity, [0, 0, 0]);
	assert.notEqual(info(at, 'changed.cairn').hash, info(at, 'fall.cairn').hash);
});

test('a recording is known by its first bytes, whatever it is called', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 3 }));
	assert.equal(cairn(at, 'run', 'fall.json', '-o', 'take-one').status, 0);
	assert.equal(info(at, 'take-one').kind, 'recording');
	assert.equal(info(at, './take-one').kind, 'recording');
	assert.equal(cairn(at, 'run', 'take-one').status, 0);
	assert.ok(fs.existsSync(path.join(at, 'take-one-again.cairn')));
});

test('a scene that its method cannot do is exit status 3, a broken one too', (t) => {
	const at = folder(t);
	const scene = bricks({ count: 2 });
	scene.bodies[1].position = [0.2, 0, 0];
	write(at, 'overlap.json', scene);
	const overlap = cairn(at, 'run', 'overlap.json');
	assert.equal(overlap.status, 3, overlap.stderr);
	assert.match(overlap.stderr, /^cairn: overlap\.json:\d+:\d+: bodies\[1\]: bodies 'brick 0' and 'brick 1'.* overlap/);
	write(at, 'syntax.json', '{ "version": 1, }');
	assert.equal(cairn(at, 'run', 'syntax.json').status, 3);
	write(at, 'method.json', bricks({ world: { method: 'obs' } }));
	const method = cairn(at, 'run', 'method.json');
	assert.equal(method.status, 3, method.stderr);
	write(at, 'key.json', bricks({ bodys: [] }));
	const key = cairn(at, 'run', 'key.json');
	assert.equal(key.status, 3);
	assert.match(key.stderr, /^cairn: key\.json:\d+:\d+: .*bodies/);
	write(at, 'include.json', bricks({ include: ['gone.json'] }));
	assert.equal(cairn(at, 'run', 'include.json').status, 3);
	assert.equal(fs.readdirSync(at).filter((name) => name.endsWith('.cairn')).length, 0);
});

test('a simulation that fails is exit status 1, says where, and keeps its frames', (t) => {
	const at = folder(t);
	// No body turns faster than its keys can show.
	const scene = bricks({ count: 1, frames: 100, world: { gravity: [0, 0, 0] } });
	scene.events = [{ frame: 40, impulse: { body: 'brick 0', impulse: [0, 1e9, 0], point: [1, 0, 0] } }];
	write(at, 'crash.json', scene);
	const result = cairn(at, 'run', 'crash.json', '--json');
	assert.equal(result.status, 1, result.stderr);
	const summary = JSON.parse(result.stdout);
	assert.match(result.stderr, new RegExp(`^cairn: .*frame ${summary.frames}\\b.*`, 'm'));
	assert.ok(result.stderr.includes("'brick 0'") && summary.message.includes("'brick 0'"));
	assert.ok(summary.stop_pair.includes('brick 0'));
	assert.deepEqual([summary.status, summary.stop], ['failed', 'spin']);
	assert.equal(summary.frames, 40);
	const kept = info(at, 'crash.cairn');
	assert.equal(kept.frames, summary.frames);
	assert.equal(kept.complete, false);
	delete scene.events;
	write(at, 'crash.json', scene);
	assert.equal(cairn(at, 'run', 'crash.json', '--force').status, 0);
});

test('--quiet says nothing but errors', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks());
	for (const args of [['run', 'fall.json', '-q'], ['check', 'fall.json', '-q'],
		['export', 'fall.cairn', '-o', 'fall.csv', '-q'], ['new', 'start.json', '-q'],
		['run', 'fall.cairn', '--quiet', '--progress', 'bar']]) {
		const result = cairn(at, ...args);
		assert.deepEqual([result.status, result.stdout, result.stderr], [0, '', ''], args.join(' '));
	}
	assert.match(cairn(at, 'run', 'fall.json', '-q').stderr, /^cairn: fall\.cairn exists/);
});

test('running out of memory is exit status 1', (t) => {
	if (fs.readFileSync(tool).includes('__asan_init'))
		return t.skip('the address sanitizer needs more address space than any limit allows');
	const at = folder(t);
	write(at, 'many.json', bricks({ count: 40000, frames: 2 }));
	const result = shell(at, 'ulimit -v 60000; "$CAIRN" run many.json --threads 1');
	assert.equal(result.status, 1, result.stderr);
	assert.match(result.stderr, /^cairn: .*memory/m);
});

test('cubes fall on a floor, are kept apart, proved so, and fall asleep', (t) => {
	const at = folder(t);
	const cube = (name, z) => ({ name, shape: { box: [1, 1, 1] }, material: 'oak', position: [0, 0, z] });
	const materials = { oak: { density: 800, restitution: 0.3, friction: 0.3 } };
	const scene = { version: 1, world: { gravity: [0, 0, -10], frames: 120 }, materials, bodies: [
		{ name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1] } }, material: 'oak' },
		cube('low', 0.5), cube('high', 2.5)] }; // the lower one begins at exactly no distance
	write(at, 'cubes.json', scene);
	const result = cairn(at, 'run', 'cubes.json', '--json');
	assert.equal(result.status, 0, result.stderr);
	const s = JSON.parse(result.stdout);
	assert.ok(s.collisions > 0 && s.contacts_mean > 1 && s.close_pairs_mean > 0.5 && s.programs_mean > 0);
	assert.deepEqual([s.certificate.mode, s.certificate.verdict, s.certificate.frames], ['full', 'clean', 120]);
	assert.ok(s.certificate.pairs > 100 && s.certificate.intervals > 100);
	assert.ok(s.certificate.share > 0 && s.certificate.share < 1);
	assert.ok(s.worst_gap >= -s.certificate.rounding_bound && s.worst_gap < 0.01);
	assert.deepEqual([s.moving, s.asleep, s.held, s.stop], [2, 2, 0, null]);
	assert.ok(s.energy.impacts > 0 && s.energy_residue < 1e-6 && s.energy_rise < 1e-4 && s.lift < 0.01);
	// The upper cube has fallen one edge; at most the kept gaps are left of it.
	assert.ok(Math.abs(s.energy_start - s.energy_end - s.energy_unit / 2) < 0.01 * s.energy_unit);
	const awake = JSON.parse(cairn(at, 'run', 'cubes.json', '--json', '--force', '--set', 'sleep=off').stdout);
	assert.equal(awake.asleep, 0);
	const keys = cairn(at, 'run', 'cubes.json', '--force', '--set', 'certify=keys').stdout.replace(/\n {15,}/g, ' ');
	assert.match(keys, /^ {2}certificate +clean, 120 frames checked at their keys, not between: /m);
	const off = cairn(at, 'run', 'cubes.json', '--force', '--set', 'certify=off').stdout;
	assert.match(off, /^ {2}certificate +none: nothing was checked/m);
});

test('every convex kind takes part in contact, and so do compounds of them', (t) => {
	const at = folder(t);
	const points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
	const shapes = [{ sphere: 0.4 }, { box: [0.6, 0.6, 0.6] }, { capsule: { radius: 0.2, length: 0.5 } },
		{ cylinder: { radius: 0.3, length: 0.5 } }, { hull: { points } },
		{ compound: { parts: [{ shape: { box: [0.8, 0.2, 0.2] } }, { shape: { sphere: 0.3 }, position: [0.4, 0, 0] }] } }];
	write(at, 'kinds.json', { version: 1, world: { frames: 40 }, bodies: [
		{ name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1] } } },
		...shapes.map((shape, i) => ({ name: `body ${i}`, shape, position: [3 * i, 0, 1.5] }))] });
	const result = cairn(at, 'run', 'kinds.json', '--json');
	assert.equal(result.status, 0, result.stderr);
	const s = JSON.parse(result.stdout);
	assert.equal(s.certificate.verdict, 'clean');
	assert.ok(s.contacts_max >= shapes.length && s.worst_gap >= -s.certificate.rounding_bound);
});

test('options that oba honours', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 5 }));
	for (const set of ['sleep=on', 'sleep=off', 'certify=full', 'certify=keys', 'certify=off', 'objective=mass',
		'objective=diameter', 'queue=auto', 'queue=5', 'queue=0', 'steps=auto', 'steps=1', 'steps=64', 'freeze=on', 'freeze-frames=1',
		'momentum=thesis', 'forces=qp', 'forces-rounds=1', 'distance-bounce=on', 'hybrid=off', 'hybrid=2']) {
		const result = cairn(at, 'run', 'fall.json', '--force', '--set', set);
		assert.equal(result.status, 0, `${set}: ${result.stderr}`);
	}
	const { options } = info(at, 'fall.cairn');
	assert.deepEqual([options.sleep, options.certify, options.objective], ['on', 'auto', 'mass']);
});

test('options that the method cannot do are refused, not ignored', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 5 }));
	for (const set of ['freeze=on', 'momentum=thesis', 'forces=qp']) {
		const result = cairn(at, 'run', 'fall.json', '--method', 'free', '--set', set);
		assert.equal(result.status, 3, set);
		assert.match(result.stderr, /cannot do \w+ = \w+ in this version/);
	}
	assert.deepEqual(fs.readdirSync(at), ['fall.json']);
});

test('--set seed reaches generators as the file\'s own seed does', (t) => {
	const at = folder(t);
	const scene = (seed) => ({ version: 1, world: { gravity: [0, 0, 0], frames: 1, seed },
		generators: [{ name: 'g', grid: { count: [3, 3, 1], spacing: [5, 5, 5] }, body: { shape: { sphere: 0.5 } },
			jitter: { position: 1 } }] });
	write(at, 'one.json', scene(1));
	write(at, 'seven.json', scene(7));
	const hash = (...words) => JSON.parse(cairn(at, 'run', ...words, '--json', '--progress', 'none').stdout).hash;
	const one = hash('one.json'), seven = hash('seven.json'), set = hash('one.json', '-o', 'set.cairn', '--set', 'seed=7');
	assert.notEqual(one, seven);
	assert.equal(set, seven);
	const again = cairn(at, 'run', 'one.cairn', '--set', 'seed=7');
	assert.equal(again.status, 2);
	assert.match(again.stderr, /drawn already/);
});

test('run REC says which frames it compared', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 10 }));
	assert.equal(cairn(at, 'run', 'fall.json').status, 0);
	assert.equal(cairn(at, 'run', 'fall.cairn', '--resume', '--frames', '20').status, 0);
	const again = (...more) => JSON.parse(cairn(at, 'run', 'fall.cairn', '--force', '--json', ...more).stdout);
	assert.deepEqual([again().frames, again().compared_frames], [20, 21]);
	assert.equal(again('--frames', '4').compared_frames, 5);
	assert.match(cairn(at, 'run', 'fall.cairn', '--force', '--frames', '4').stdout, /frames 0 to 4, not compared beyond/);
	assert.equal(info(at, 'fall.cairn').frames_asked, 10);
});

test('a recording that is being written is not taken away', async (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 100000 }));
	const child = start(at, 'run', 'fall.json', '--quiet');
	const over = ended(child);
	while (!fs.existsSync(path.join(at, 'fall.cairn')))
		await new Promise((resolve) => setTimeout(resolve, 5));
	for (const words of [['fall.json', '--force'], ['fall.cairn', '--resume']]) {
		const result = cairn(at, 'run', ...words);
		assert.equal(result.status, 4);
		assert.match(result.stderr, /is being written by another run/);
	}
	child.kill('SIGKILL');
	await over;
	assert.equal(info(at, 'fall.cairn').damaged, false);
	assert.deepEqual(fs.readdirSync(at).sort(), ['fall.cairn', 'fall.json']);
});

test('run --json says so when a run cannot begin', (t) => {
	const at = folder(t);
	write(at, 'bad.json', { version: 1, bodies: 3 });
	const result = cairn(at, 'run', 'bad.json', '--json');
	assert.equal(result.status, 3);
	const json = JSON.parse(result.stdout);
	assert.deepEqual([json.status, json.code], ['refused', 3]);
	assert.match(json.message, /^bad\.json:\d+:\d+: bodies: /);
	assert.equal(result.stderr, `cairn: ${json.message}\n`);
});

test('limits of impulses are said and counted', (t) => {
	const at = folder(t);
	const wall = (normal, offset) => ({ type: 'fixed', material: 'steel', shape: { halfspace: { normal, offset } } });
	write(at, 'slit.json', {
		version: 1, world: { gravity: [0, 0, 0], fps: 30, frames: 3, method: 'impulse' }, materials: { steel: { friction: 0, restitution: 1 } }, shapes: { ball: { sphere: 0.05 } },
		bodies: [wall([0, 0, 1], 0), wall([0, 0, -1], -0.11), { shape: 'ball', material: 'steel', position: [0, 0, 0.055], velocity: [0, 0, 100] }],
	});
	const said = cairn(at, 'run', './slit.json');
	assert.equal(said.status, 0, said.stderr);
	assert.match(said.stdout.replace(/\s+/g, ' '), /limits 3 times: a series of impulses or of flights was cut short/);
	assert.equal(JSON.parse(cairn(at, 'run', './slit.json', '--json', '-q', '--force').stdout).text_fallbacks, 3);
});
