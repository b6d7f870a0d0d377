// cairn check, info, export, scenes, new.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { bricks, cairn, folder, info, shell, write } from './tool.mjs';

const scenes = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../scenes');
// The rule of cli/bundle.h, by other code.
const stems = (at) => fs.readdirSync(at).filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
const bundled = new Map([
	...stems(scenes).filter((name) => name !== 'starter' && name !== 'scene.schema').map((name) => [name, `${name}.json`]),
	...['torture', 'validation'].flatMap((kind) =>
		stems(path.join(scenes, kind)).map((name) => [`${kind}-${name}`, `${kind}/${name}.json`])),
]);

function documented(command, object) {
	const help = cairn('.', command, '--help').stdout;
	for (const name of Object.keys(object))
		assert.match(help, new RegExp(`^  (.*, )?${name}\\b`, 'm'), `${command}: ${name} is documented`);
}

test('check says OK with counts, or where a scene is wrong', (t) => {
	const at = folder(t);
	write(at, 'a.json', bricks({ count: 3, frames: 9 }));
	const good = cairn(at, 'check', 'a.json');
	assert.equal(good.status, 0);
	assert.match(good.stdout, /^OK a\.json: 3 bodies, 1 shape; .*method oba, 9 frames at 30 fps\n$/);
	assert.equal(good.stderr, '');
	const json = JSON.parse(cairn(at, 'check', 'a.json', '--json').stdout);
	assert.deepEqual([json.valid, json.scene, json.bodies, json.code, json.message], [true, 'a', 3, null, null]);
	documented('check', json);
	const scene = bricks();
	scene.bodies[2].mass = -1;
	write(at, 'bad.json', scene);
	const bad = cairn(at, 'check', 'bad.json', '--json');
	assert.equal(bad.status, 3);
	assert.match(bad.stderr, /^cairn: bad\.json:\d+:\d+: bodies\[2\]\.mass: /);
	const error = JSON.parse(bad.stdout);
	assert.deepEqual([error.valid, error.code, error.file, error.path], [false, 3, 'bad.json', 'bodies[2].mass']);
	assert.ok(error.line > 1 && error.column > 0 && error.message.length > 0);
	documented('check', error);
	assert.deepEqual(fs.readdirSync(at).sort(), ['a.json', 'bad.json']);
});

test('check knows what a method cannot do', (t) => {
	const at = folder(t);
	const scene = bricks({ count: 2 });
	scene.bodies[1].position = [0.2, 0, 0];
	write(at, 'overlap.json', scene);
	assert.equal(cairn(at, 'check', 'overlap.json').status, 3);
	assert.equal(cairn(at, 'check', 'overlap.json', '--method', 'free').status, 0);
	assert.equal(cairn(at, 'check', 'overlap.json', '--method', 'fre').status, 2);
	scene.bodies[1].position = [1, 0, 0]; // bricks are 1 m long: they touch
	write(at, 'touch.json', scene);
	assert.equal(cairn(at, 'check', 'touch.json').status, 0);
});

test('check refuses meshes that the method cannot move, and warns of those that emitters make', (t) => {
	const at = folder(t);
	fs.writeFileSync(path.join(at, 'wedge.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n');
	const mesh = { mesh: { file: 'wedge.obj' } }, box = { box: [1, 1, 1] };
	const keys = [{ time: 0, position: [9, 0, 0] }, { time: 1, position: [9, 0, 1] }];
	const lift = { name: 'lift', type: 'scripted', shape: box, keys }, stands = { shape: 'wedge', type: 'fixed', position: [0, 0, -5] };
	write(at, 'one.json', { version: 1, bodies: [lift, { name: 'wedge', shape: mesh }] });
	const shapes = { wedge: mesh };
	write(at, 'parts.json', { version: 1, shapes, bodies: [lift, stands, { name: 'both', shape: { compound: { parts: [{ shape: 'wedge' }] } } }] });
	for (const [file, name] of [['one.json', 'wedge'], ['parts.json', 'both']])
		for (const command of ['check', 'run']) {
			const told = cairn(at, command, `./${file}`, '--method', 'pgs');
			assert.equal(told.status, 3, told.stderr);
			assert.match(told.stderr, new RegExp(`${file}:\\d+:\\d+: bodies\\[\\d\\]: body '${name}' is a mesh that may move, which method 'pgs' cannot do`));
		}
	write(at, 'stands.json', { version: 1, shapes, bodies: [lift, stands] });
	const still = cairn(at, 'check', 'stands.json', '--method', 'pgs');
	assert.deepEqual([still.status, still.stderr], [0, '']);
	write(at, 'more.json', { version: 1, shapes, bodies: [lift, stands],
		generators: [{ name: 'rain', grid: { count: [1, 1, 1], spacing: 1, origin: [0, 0, 9] }, emit: { count: 3, every: 5, start: 5 }, body: { shape: 'wedge' } }] });
	const more = JSON.parse(cairn(at, 'check', 'more.json', '--method', 'pgs', '--json').stdout);
	assert.equal(more.valid, true);
	assert.equal(more.warning, 'emitters make 1 body with a mesh; method pgs stops the run where another body touches it');
	documented('check', more);
	for (const method of ['oba', 'free']) {
		const quiet = cairn(at, 'check', 'one.json', '--method', method);
		assert.deepEqual([quiet.status, quiet.stderr], [0, '']);
	}
	write(at, 'plain.json', bricks());
	assert.equal(JSON.parse(cairn(at, 'check', 'plain.json', '--json').stdout).warning, null);
});

test('check says what a mesh became, and which triangles were dropped', (t) => {
	const at = folder(t);
	const points = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]];
	const tile = { mesh: { kind: 'shell', thickness: 0.01, points, triangles: [[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 3, 0], [0, 1, 4]] } };
	write(at, 'tile.json', { version: 1, shapes: { tile }, bodies: [{ shape: 'tile' }] });
	const said = cairn(at, 'check', 'tile.json');
	assert.match(said.stdout, /^mesh tile: shell of 3 triangles, a tree of 3 hulls with 2 leaves; 2 triangles without area or there twice dropped$/m);
	const json = JSON.parse(cairn(at, 'check', 'tile.json', '--json').stdout);
	assert.deepEqual(json.meshes, [{ shape: 0, name: 'tile', kind: 'shell', triangles: 3, dropped: 2, hulls: 3, leaves: 2 }]);
	documented('check', json);
	const cross = { shape: 'tile', position: [0.5, 0.2, -0.3], orientation: { axis: [0, 0, 1], angle: 0.4 } };
	write(at, 'cross.json', { version: 1, shapes: { tile }, bodies: [{ shape: 'tile' }, cross] });
	const bad = cairn(at, 'check', 'cross.json');
	assert.equal(bad.status, 3);
	assert.match(bad.stderr, /cross\.json:\d+:\d+: .*overlap at the start, by [^,]* m, at triangles \d+ and \d+;/);
});

test('what a method cannot do is refused with the line that asks for it', (t) => {
	const at = folder(t);
	const lines = (name, ...text) => fs.writeFileSync(path.join(at, name), text.join('\n'));
	const head = '{ "version": 1,', shape = '"shape": { "box": [1, 1, 1] }';
	lines('option.json', head, '"world": { "method": "free", "options": {', '  "freeze": true } } }');
	lines('joint.json', head, `"bodies": [ { "name": "a", ${shape} } ],`,
		'"joints": [ { "type": "ball", "bodies": ["a", "world"], "point": [0, 0, 1] } ] }');
	lines('near.json', head, '"bodies": [', `  { "name": "a", ${shape} },`, `  { "name": "b", ${shape}, "position": [0.5, 0, 0] } ] }`);
	lines('grid.json', head, '"generators": [', `  { "name": "g", "grid": { "count": [2, 1, 1], "spacing": [0.9, 1, 1] }, "body": { ${shape} } } ] }`);
	const found = (...words) => cairn(at, 'check', ...words).stderr;
	assert.match(found('option.json'), /^cairn: option\.json:3:13: world\.options\.freeze: /);
	assert.match(found('joint.json', '--method', 'free'), /^cairn: joint\.json:3:13: joints\[0\]: /);
	assert.match(found('near.json'), /^cairn: near\.json:4:3: bodies\[1\]: bodies 'a' and 'b'/);
	assert.match(found('grid.json'), /^cairn: grid\.json:3:3: generators\[0\]: bodies 'g\.0' and 'g\.1'/);
	assert.match(found('near.json', '--method', 'free', '--set', 'freeze=on'), /^cairn: near\.json: world\.options\.freeze: /);
});

test('info of a recording has the contract\'s members and all are documented', (t) => {
	const at = folder(t);
	write(at, 'a.json', bricks({ count: 3, frames: 9, world: { seed: 12 } }));
	assert.equal(cairn(at, 'run', 'a.json').status, 0);
	const json = info(at, 'a.cairn');
	assert.deepEqual([json.scene, json.frames, json.fps, json.bodies, json.complete], ['a', 9, 30, 3, true]);
	assert.deepEqual([json.first_frame, json.last_frame, json.seed, json.method], [0, 9, 12, 'oba']);
	assert.deepEqual(json.gravity, [0, 0, -9.81]);
	assert.deepEqual([json.truncated, json.damaged, json.note], [false, false, null]);
	assert.equal(json.size_bytes, fs.statSync(path.join(at, 'a.cairn')).size);
	documented('info', json);
	const text = cairn(at, 'info', 'a.cairn');
	assert.equal(text.status, 0);
	assert.equal(text.stderr, '');
	assert.match(text.stdout, /^a: bricks in the air\n[^]*frames +0 to 9 at 30 fps; the scene asks for 9\n/);
	assert.match(text.stdout, new RegExp(`^ +hash +${json.hash}$`, 'm'));
});

test('info of a scene counts and measures', (t) => {
	const at = folder(t);
	const scene = bricks({ count: 2 });
	scene.bodies[1].orientation = [Math.SQRT1_2, 0, 0, Math.SQRT1_2];
	scene.bodies.push({ name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1], offset: -200 } } });
	write(at, 'a.json', scene);
	const json = info(at, 'a.json');
	assert.deepEqual([json.kind, json.bodies, json.dynamic, json.fixed, json.scripted], ['scene', 3, 2, 1, 0]);
	const expected = [[-0.5, -0.5, -0.2], [4.3, 0.5, 0.2]];
	[json.bounds.min, json.bounds.max].forEach((corner, i) =>
		corner.forEach((x, k) => assert.ok(Math.abs(x - expected[i][k]) < 1e-12, `${x} is not ${expected[i][k]}`)));
	documented('info', json);
	assert.match(cairn(at, 'info', 'a.json').stdout, /bodies +3: 2 dynamic, 1 fixed, 0 scripted/);
	write(at, 'none.json', bricks({ count: 0 }));
	assert.equal(info(at, 'none.json').bounds, null);
});

test('export writes each format, replaces, and keeps to the range', (t) => {
	const at = folder(t);
	write(at, 'a.json', bricks({ count: 2, frames: 9 }));
	assert.equal(cairn(at, 'run', 'a.json').status, 0);
	for (const ending of ['glb', 'usda', 'csv']) {
		const result = cairn(at, 'export', 'a.cairn', '-o', `a.${ending}`);
		assert.equal(result.status, 0, result.stderr);
		assert.match(result.stdout, new RegExp(`^a\\.${ending}: frames 0 to 9, `));
		const first = fs.readFileSync(path.join(at, `a.${ending}`));
		assert.equal(cairn(at, 'export', 'a.cairn', '-o', `a.${ending}`).status, 0);
		assert.deepEqual(fs.readFileSync(path.join(at, `a.${ending}`)), first);
	}
	assert.equal(cairn(at, 'export', 'a.cairn', '-o', 'part.csv', '--from', '3', '--to', '5').status, 0);
	const frames = fs.readFileSync(path.join(at, 'part.csv'), 'utf8').split('\n')
		.filter((line) => /^\d/.test(line)).map((line) => Number(line.split(',')[0]));
	assert.deepEqual([...new Set(frames)], [3, 4, 5]);
	assert.deepEqual(fs.readdirSync(at).sort(), ['a.cairn', 'a.csv', 'a.glb', 'a.json', 'a.usda', 'part.csv']);
});

test('export refuses what it cannot do', (t) => {
	const at = folder(t);
	write(at, 'a.json', bricks({ count: 2, frames: 9 }));
	assert.equal(cairn(at, 'run', 'a.json').status, 0);
	const refuse = (status, words, ...args) => {
		const result = cairn(at, 'export', ...args);
		assert.equal(result.status, status, result.stderr);
		assert.match(result.stderr, words);
	};
	refuse(2, /needs -o FILE.*-o a\.glb/, 'a.cairn');
	refuse(2, /must end in \.glb, \.usda, \.csv or \.traj/, 'a.cairn', '-o', 'a.obj');
	refuse(2, /must end in/, 'a.cairn', '-o', 'a');
	refuse(2, /--from 10 is out of range; the recording has frames 0 to 9/, 'a.cairn', '-o', 'a.csv', '--from', '10');
	refuse(2, /--to 10 is out of range/, 'a.cairn', '-o', 'a.csv', '--to', '10');
	refuse(2, /--to 3 comes before --from 5/, 'a.cairn', '-o', 'a.csv', '--from', '5', '--to', '3');
	refuse(4, /no\/such/, 'a.cairn', '-o', 'no/such/a.csv');
	fs.symlinkSync('/dev/full', path.join(at, 'full.csv'));
	refuse(4, /not a regular file/, 'a.cairn', '-o', 'full.csv');
	assert.deepEqual(fs.readdirSync(at).sort(), ['a.cairn', 'a.json', 'full.csv']);
});

test('a disk that fills up leaves no half export and the old one whole', (t) => {
	const at = folder(t);
	write(at, 'a.json', bricks({ count: 50, frames: 100 }));
	assert.equal(cairn(at, 'run', 'a.json', '-q').status, 0);
	write(at, 'a.csv', 'old');
	const result = shell(at, 'trap "" XFSZ; ulimit -f 100; "$CAIRN" export a.cairn -o a.csv');
	assert.equal(result.status, 4, result.stderr);
	assert.equal(fs.readFileSync(path.join(at, 'a.csv'), 'utf8'), 'old');
	assert.deepEqual(fs.readdirSync(at).sort(), ['a.cairn', 'a.csv', 'a.json']);
});

test('scenes lists the bundled scenes with a line each and prints them', (t) => {
	const at = folder(t);
	const { status, stdout } = cairn(at, 'scenes');
	assert.equal(status, 0);
	const [plain, validation, torture] = stdout.split('\n\n').map((part) =>
		part.split('\n').map((line) => /^ {2}(\S+) +\S/.exec(line)?.[1]).filter(Boolean));
	assert.deepEqual([...plain, ...validation, ...torture].sort(), [...bundled.keys()].sort());
	assert.ok(plain.includes('tumble') && validation.includes('validation-slope') && torture.includes('torture-needles'));
	assert.ok(torture.every((name) => name.startsWith('torture-')) && validation.every((name) => name.startsWith('validation-')));
	assert.ok(!plain.some((name) => /^(torture|validation)/.test(name)));
	for (const [name, file] of bundled) {
		assert.equal(cairn(at, 'scenes', name).stdout, fs.readFileSync(path.join(scenes, file), 'utf8'));
		assert.equal(cairn(at, 'check', name).status, 0, name);
	}
	assert.equal(cairn(at, 'scenes', 'starter').status, 4);
	assert.equal(cairn(at, 'scenes', 'torture/needles').status, 4);
});

test('a bundled scene and its file give the same bits', (t) => {
	const at = folder(t);
	const file = path.join(scenes, 'tumble.json');
	assert.equal(cairn(at, 'run', 'tumble', '--frames', '5', '-q').status, 0);
	assert.equal(cairn(at, 'run', file, '--frames', '5', '-q', '-o', 'file.cairn').status, 0);
	assert.equal(info(at, 'tumble.cairn').hash, info(at, 'file.cairn').hash);
});

test('new writes a scene that checks and runs, and replaces nothing unasked', (t) => {
	const at = folder(t);
	const first = cairn(at, 'new');
	assert.equal(first.status, 0, first.stderr);
	assert.match(first.stdout, /^scene\.json: .*\n\nNext\n {2}cairn check scene\.json\n {2}cairn run scene\.json\n$/);
	assert.equal(cairn(at, 'check', 'scene.json').status, 0);
	assert.equal(cairn(at, 'run', 'scene.json', '--frames', '3').status, 0);
	assert.match(fs.readFileSync(path.join(at, 'scene.json'), 'utf8'), /"comment"/);
	write(at, 'scene.json', 'mine');
	const again = cairn(at, 'new');
	assert.equal(again.status, 4);
	assert.match(again.stderr, /^cairn: scene\.json exists; --force/);
	assert.equal(fs.readFileSync(path.join(at, 'scene.json'), 'utf8'), 'mine');
	assert.equal(cairn(at, 'new', '--force').status, 0);
	assert.equal(cairn(at, 'check', 'scene.json').status, 0);
	assert.equal(cairn(at, 'new', 'no/such/scene.json').status, 4);
	assert.match(cairn(at, 'new', 'odd name').stdout, /cairn run '\.\/odd name'/);
	assert.equal(cairn(at, 'run', './odd name', '--frames', '1').status, 0);
	assert.equal(cairn(at, 'new', '/dev/full', '--force').status, 4);
	assert.ok(fs.statSync('/dev/full').isCharacterDevice());
});
