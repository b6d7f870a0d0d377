// What people get wrong first, and what they are told: every mistake has its message.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cairn, folder, write } from './tool.mjs';

const floor = { name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1] } } };
const box = (name, position, more = {}) => ({ name, shape: { box: [1, 1, 1] }, position, ...more });
const scene = (bodies, more = {}) => ({ version: 1, world: { frames: 2 }, bodies, ...more });
const lines = (text) => text.trim().split('\n');

const check = (t, json, status = 3) => {
	const at = folder(t);
	write(at, 's.json', json);
	const run = cairn(at, 'check', 's.json');
	assert.equal(run.status, status, run.stderr);
	return run.stderr;
};

test('all errors of a scene at once, in the order of the file', (t) => {
	const at = folder(t);
	fs.writeFileSync(path.join(at, 's.json'), `{
		"version": 1,
		"world": { "fps": -3 },
		"materials": { "wood": { "friction": -1 }, "ice": { "friction": 0 } },
		"shapes": { "brick": { "box": [1, 2] }, "ball": { "sphere": 0.5 } },
		"bodies": [
			{ "name": "a", "shape": "brick", "material": "wood" },
			{ "name": "b", "shape": "ball", "mass": -1 },
			{ "name": "c", "shape": "bal" }
		],
		"joints": [{ "type": "ball", "bodies": ["a", "b"], "point": [0, 0, 0] },
			{ "type": "bll", "bodies": ["c", "world"], "point": [0, 0, 0] }]
	}`);
	const run = cairn(at, 'check', 's.json');
	assert.equal(run.status, 3);
	const said = lines(run.stderr);
	// the brick's body and the joints of bodies that were wrong are no errors of their own
	const wanted = [/s\.json:3:.*fps/, /s\.json:4:.*wood.*friction/, /s\.json:5:.*brick.*box/, /s\.json:8:.*mass of -1/,
		/s\.json:9:.*did you mean "ball"/, /s\.json:12:.*unknown type of joint "bll"/];
	assert.equal(said.length, wanted.length, run.stderr);
	wanted.forEach((w, i) => assert.match(said[i], w));
});

test('every unknown key of one body is told, and none twice', (t) => {
	const said = lines(check(t, scene([box('a', [0, 0, 1], { rotation: [1, 0, 0, 0], angularVelocity: [0, 0, 1], weight: 2 }),
		box('b', [0, 0, 3], { colour: '#ffffff' })])));
	assert.deepEqual(said.map((line) => /unknown key "(\w+)"/.exec(line)?.[1]), ['rotation', 'angularVelocity', 'weight', 'colour']);
});

test('an unknown key hides no wrong value, and what is missing for its sake is not told', (t) => {
	const said = lines(check(t, scene([
		{ name: 'a', shape: { cube: [1, 1, 1] }, rotation: [1, 0, 0, 0], type: 'rigid', velocity: 'fast', damping: { linear: 'x' } },
		{ name: 'b', geometry: { box: [1, 1, 1] }, spin: [1, 2] },
	], { joints: [{ typ: 'ball', bodies: ['a', 'nobody'], point: [0, 0, 0] }] })));
	const wanted = [/"cube"; did you mean "box"/, /"rotation"; did you mean/, /"rigid"; did you mean/, /velocity: found the text/,
		/damping\.linear: found the text/, /"geometry"; did you mean "shape"/, /spin: /, /"typ"; did you mean "type"/];
	assert.equal(said.length, wanted.length, said.join('\n'));
	wanted.forEach((w, i) => assert.match(said.join('\n'), w, String(i)));
});

test('twenty errors at most, and that there may be more', (t) => {
	const wrong = (count) => Array.from({ length: count }, (_, i) => box(`b${i}`, [0, 0, 2 * i], { mass: -1 }));
	const said = lines(check(t, scene(wrong(40))));
	assert.match(said[0], /s\.json: the first 20 errors; there may be more/);
	assert.equal(said.length, 21);
	assert.equal(lines(check(t, scene(wrong(19)))).length, 19);
});

test("other engines' words", (t) => {
	const cases = [
		[scene([box('a', [0, 0, 1], { rotation: [1, 0, 0, 0] })]), /unknown key "rotation"; did you mean "orientation"/],
		[scene([{ name: 'a', shape: { cylinder: { radius: 1, height: 2 } } }]), /unknown key "height"; did you mean "length"/],
		[scene([{ name: 'a', shape: { cube: [1, 1, 1] } }]), /unknown .*"cube"; did you mean "box"/],
		[scene([box('a', [0, 0, 1])], { camera: { position: [1, 1, 1], lookat: [0, 0, 0] } }),
			/unknown key "lookat"; did you mean "target"/],
		[scene([box('a', [0, 0, 1], { mu: 0.5 })]), /unknown key "mu"; did you mean "material"/],
		[scene([box('a', [0, 0, 1], { bounciness: 0.5 })]), /unknown key "bounciness"; did you mean "material"/],
		[scene([box('a', [0, 0, 1])], { materials: { wood: { mu: 0.5 } } }), /unknown key "mu"; did you mean "friction"/],
		[scene([box('a', [0, 0, 1], { type: 'rigid' })]), /unknown type "rigid"; did you mean "dynamic"/],
		[scene([box('a', [0, 0, 1], { shape: 'box' })]), /no shape of the name "box"; one of that kind is \{ "box": \.\.\. \}/],
		[scene([box('a', [0, 0, 1], { shape: 'cube' })]), /no shape of the name "cube"; a shape is written \{ "box": \.\.\. \}/],
		[scene([box('a', [0, 0, 1], { shape: { sphere: { radius: 1 } } })]), /found an object; expected the radius itself, a number/],
		[scene([box('a', [0, 0, 1], { shape: { box: { size: [1, 1, 1] } } })]), /expected the size itself, three numbers \[x, y, z\]/],
		[scene([box('a', [0, 0, 1], { shape: { mesh: 'a.obj' } })]), /found a text; expected an object, such as \{ "file": "thing\.obj" \}/],
		[scene([box('a', [0, 0, 1], { orientation: [0, 0, 90] })]), /found an array of 3; expected .*or \{ "euler": degrees/],
		[scene([box('a', [0, 0, 1])], { camera: { position: [1, 1, 1], target: [0, 0, 0], fov: 45 } }),
			/give radians from 0\.01 to 3\.1 \(45 degrees are 0\.785\)/],
		[scene([box('a', [0, 0, 1], { static: true })]), /unknown key "static"; did you mean "type"/],
		[scene([box('a', [0, 0, 1])], { gravity: [0, 0, -9.81] }), /unknown key "gravity"; did you mean "world"/],
		[scene([box('a', [0, 0, 1])], { joints: [{ type: 'ball', bodies: ['world', 'a'], anchor: [0, 0, 1] }] }),
			/unknown key "anchor"; did you mean "point"/],
	];
	for (const [json, wanted] of cases)
		assert.match(check(t, json), wanted);
});

test("other tools' options", (t) => {
	const at = folder(t);
	for (const [words, wanted] of [[['render', 'a.cairn', '--width', '640'], '--size'], [['run', 'a.json', '--jobs', '2'], '--threads'],
		[['render', 'a.cairn', '--start=3'], '--from'], [['run', 'a.json', '--steps', '9'], '--frames']]) {
		const run = cairn(at, ...words);
		assert.equal(run.status, 2);
		assert.match(run.stderr, new RegExp(`has no option '--\\w+'; did you mean ${wanted}\\?`), words.join(' '));
	}
});

test('values of a scene that are given as options', (t) => {
	const run = cairn(folder(t), 'run', 'a.json', '--fps=60');
	assert.equal(run.status, 2);
	assert.match(run.stderr, /has no option '--fps'; a value of the scene is --set fps=60/);
});

test("other tools' commands", (t) => {
	for (const [word, wanted] of [['bake', 'run'], ['play', 'view'], ['validate', 'check'], ['convert', 'export'], ['film', 'render']]) {
		const run = cairn(folder(t), word, 'a.json');
		assert.equal(run.status, 2);
		assert.match(run.stderr, new RegExp(`unknown command '${word}'; did you mean cairn ${wanted}\\?`));
	}
});

test('an ending that was left out', (t) => {
	const at = folder(t);
	write(at, 'my.json', scene([box('a', [0, 0, 1])]));
	assert.match(cairn(at, 'run', 'my').stderr, /there is no file 'my'; did you mean my\.json\?/);
	assert.equal(cairn(at, 'run', 'my.json', '--quiet').status, 0);
	const view = cairn(at, 'view', 'my');
	assert.equal(view.status, 4);
	assert.match(view.stderr, /did you mean my\.json or my\.cairn\?/);
	assert.doesNotMatch(view.stderr, /bundled/);
});

test('static and kinematic are names for what they are', (t) => {
	const at = folder(t);
	write(at, 's.json', scene([{ ...floor, type: 'static' }, box('lift', [0, 0, 0.5], { type: 'kinematic', position: undefined,
		keys: [{ time: 0, position: [0, 0, 0.5] }, { time: 1, position: [0, 0, 2] }] })]));
	const run = cairn(at, 'run', 's.json', '--quiet', '--json');
	assert.equal(run.status, 0, run.stderr);
	const csv = cairn(at, 'export', 's.cairn', '-o', 's.csv');
	assert.equal(csv.status, 0, csv.stderr);
	assert.match(fs.readFileSync(path.join(at, 's.csv'), 'utf8'), /"type":"fixed"[^]*"type":"scripted"/);
});

test('an overlapping start: the deepest pair, how deep, and which one to move', (t) => {
	const said = check(t, scene([floor, box('low', [0, 0, 0.45]), box('sunk', [5, 0, 0.25]), box('free', [9, 0, 3])]));
	assert.match(said, /bodies\[2\]: bodies 'sunk' and 'floor' overlap at the start, by 0\.25 m; move 'sunk' away/);
	const turned = check(t, scene([box('sunk', [5, 0, 0.25]), floor]));
	assert.match(turned, /bodies\[0\].*by 0\.25 m; move 'sunk' away/);
});

test('a glTF file is no scene', (t) => {
	const at = folder(t);
	fs.writeFileSync(path.join(at, 'a.glb'), Buffer.concat([Buffer.from('glTF'), Buffer.alloc(20)]));
	write(at, 'a.json', { asset: { version: '2.0' }, scenes: [], nodes: [] });
	for (const name of ['a.glb', 'a.json']) {
		const run = cairn(at, 'check', name);
		assert.equal(run.status, 3, run.stderr);
		assert.match(run.stderr, new RegExp(`${name}.* is a glTF file, not a scene; cairn import`));
	}
});

test('files of other programs are named, and what to do with them', (t) => {
	const at = folder(t);
	const cases = [['a.blend', 'BLENDER-v304', /this is a Blender file, not a scene; the add-on bakes it/],
		['a.fbx', 'Kaydara FBX Binary  ', /this is an FBX file, not a scene; .*\.glb, and cairn import/],
		['a.usda', '#usda 1.0\n', /this is a USD file, not a scene/],
		['a.obj', 'v 0 0 0\n', /a\.obj is an OBJ file, not a scene; cairn import a\.obj makes a scene of it/],
		['a.urdf', '<robot name="a"/>', /a\.urdf is a URDF file, not a scene; cairn import/]];
	for (const [name, text, wanted] of cases) {
		write(at, name, text);
		for (const command of ['check', 'run']) {
			const run = cairn(at, command, name);
			assert.equal(run.status, 3, run.stderr);
			assert.match(run.stderr, wanted);
		}
	}
});

test('a file to import that is not there is named once', (t) => {
	for (const name of ['nope.glb', 'nope.obj', 'nope.urdf']) {
		const run = cairn(folder(t), 'import', name);
		assert.equal(run.status, 4);
		assert.equal(run.stderr, `cairn: cannot read "${name}": No such file or directory\n`);
	}
});

test('a folder that does not exist is named', (t) => {
	const at = folder(t);
	write(at, 's.json', scene([floor, box('a', [0, 0, 1])]));
	const run = cairn(at, 'run', 's.json', '-o', 'out/deep/s.cairn');
	assert.equal(run.status, 4, run.stderr);
	assert.match(run.stderr, /the folder out\/deep does not exist/);
	assert.equal(cairn(at, 'run', 's.json', '--quiet').status, 0);
	for (const words of [['export', 's.cairn', '-o', 'out/s.csv'], ['new', 'out/s.json'], ['report', 's.cairn', '--quick', '-o', 'out/s.html'],
		['compare', 's.json', '--methods', 'oba', '-o', 'out/s.html'], ['compare', 's.json', '--methods', 'oba', '--film', 'out/s.mp4']]) {
		const made = cairn(at, ...words);
		assert.equal(made.status, 4, made.stderr);
		assert.match(made.stderr, /the folder out does not exist/, words[0]);
	}
});

test('a moving body of a kilometre is warned of', (t) => {
	const at = folder(t);
	write(at, 's.json', scene([floor, { name: 'crate', shape: { box: [1200, 800, 800] }, position: [0, 0, 500] }]));
	const run = cairn(at, 'check', 's.json');
	assert.equal(run.status, 0, run.stderr);
	assert.match(run.stderr, /warning: s\.json: body 'crate' is 1200 m in size; lengths are in metres/);
	write(at, 't.json', scene([floor, box('a', [0, 0, 1])]));
	assert.equal(cairn(at, 'check', 't.json').stderr, '');
});

test('a build folder whose checkout has moved is configured anew', (t) => {
	const at = folder(t), build = path.join(at, 'build'), source = process.env.CAIRN_SOURCE ?? path.resolve(import.meta.dirname, '../..');
	const moved = path.join(source, 'tools/moved.sh'), cache = path.join(build, 'CMakeCache.txt');
	fs.mkdirSync(build);
	const remember = (home) => fs.writeFileSync(cache, `CMAKE_HOME_DIRECTORY:INTERNAL=${home}\nCMAKE_CACHEFILE_DIR:INTERNAL=${build}\n`);
	remember(fs.realpathSync(at));
	execFileSync('sh', [moved, 'build'], { cwd: at });
	assert.ok(fs.existsSync(cache), 'it is where it was');
	remember('/somewhere/else');
	const run = spawnSync('sh', [moved, 'build'], { cwd: at, encoding: 'utf8' });
	assert.equal(run.status, 0);
	assert.match(run.stderr, /the checkout has moved/);
	assert.ok(!fs.existsSync(cache));
});

test('any value of the scene file by --set', (t) => {
	const at = folder(t);
	write(at, 'part.json', { version: 1, shapes: { brick: { box: [1, 1, 1] } } });
	write(at, 's.json', scene([floor, { name: 'crate', shape: 'brick', position: [0, 0, 1], mass: 2 }, box('no.2', [3, 0, 1])],
		{ include: ['part.json'], world: { frames: 0 }, joints: [{ name: 'door', type: 'hinge', bodies: ['world', 'no.2'], point: [3, 0, 1],
			axis: [0, 0, 1], motor: { speed: 1, most: 5 } }], camera: { position: [9, 0, 3], target: [0, 0, 1] } }));
	const run = (...sets) => cairn(at, 'run', 's.json', '--quiet', '--force', '--json', ...sets.flatMap((set) => ['--set', set]));
	const bodies = (...sets) => {
		const made = run(...sets);
		assert.equal(made.status, 0, made.stderr);
		assert.equal(cairn(at, 'export', 's.cairn', '-o', 's.csv').status, 0);
		const text = fs.readFileSync(path.join(at, 's.csv'), 'utf8').split('\n');
		return { json: text.filter((l) => l.startsWith('#')).join('\n'), rows: text.filter((l) => /^0,/.test(l)).map((l) => l.split(',')) };
	};
	const place = (name, ...sets) => bodies(...sets).rows.find((row) => row[2] === name).slice(3, 6).map(Number);
	assert.deepEqual(place('1'), [0, 0, 1]);
	assert.deepEqual(place('1', 'bodies.crate.position=1,2,3'), [1, 2, 3]);
	assert.deepEqual(place('1', 'bodies[1].position=[1, 2, 3]'), [1, 2, 3]);
	assert.deepEqual(place('1', 'bodies.crate.position[2]=4'), [0, 0, 4]);
	assert.deepEqual(place('2', 'bodies.no.2.position=5,0,1', 'joints.door.point=5,0,1'), [5, 0, 1]);
	assert.notEqual(bodies('bodies.crate.mass=7').json, bodies().json);
	assert.equal(bodies('bodies.crate.velocity=0,0,1').rows[1][12], '1'); // a key that the file does not have
	assert.equal(run('shapes.brick.box=1,1,1.5', 'joints[0].motor.speed=3', 'camera.fov=0.5').status, 0); // also of an included file
	for (const [set, status, wanted] of [
		['bodies.crat.mass=1', 3, /bodies has no 'crat'/], ['bodies.crate.mas=1', 3, /s\.json: bodies\[1\]\.mas: unknown key "mas"; did you mean "mass"/],
		['bodies.crate.mass=-1', 3, /s\.json: bodies\[1\]\.mass: .*-1/], ['bodies[9].mass=1', 3, /bodies has no '\[9\]'/],
		['bodies.crate.mass=heavy', 3, /s\.json: bodies\[1\]\.mass: found the text "heavy"/], ['plan.x=1', 3, /the scene has no 'plan'/],
		['bodies.crate.mass', 2, /give a key and a value/], ['include[0]=x.json', 3, /include/]]) {
		const made = run(set);
		assert.equal(made.status, status, `${set}: ${made.stderr}`);
		assert.match(made.stderr, wanted, set);
	}
	assert.equal(run().status, 0);
	const again = cairn(at, 'run', 's.cairn', '--set', 'bodies.crate.mass=1');
	assert.equal(again.status, 2, again.stderr);
	assert.match(again.stderr, /only options and materials can be set; run the scene file/);
});

test('springs, friction, degrees and materials by --set', (t) => {
	const at = folder(t);
	const hung = (more) => scene([box('a', [0, 0, 5], { mass: 10 })], { world: { frames: 90, gravity: [0, 0, -10] },
		joints: [{ type: 'slider', bodies: ['world', 'a'], point: [0, 0, 5], axis: [0, 0, 1], ...more }] });
	const height = (name, ...more) => {
		const run = cairn(at, 'run', `${name}.json`, '--quiet', '--force', '--json', ...more);
		assert.equal(run.status, 0, run.stderr);
		assert.equal(cairn(at, 'export', `${name}.cairn`, '-o', `${name}.csv`).status, 0);
		return fs.readFileSync(path.join(at, `${name}.csv`), 'utf8').trim().split('\n').at(-1).split(',').map(Number);
	};
	write(at, 'spring.json', hung({ spring: { stiffness: 200, damping: 60 } })); // 10 kg sink by 0.5 m
	assert.ok(Math.abs(height('spring')[5] - 4.5) < 0.01);
	write(at, 'holds.json', hung({ friction: 150 }));
	assert.ok(Math.abs(height('holds')[5] - 5) < 1e-3);
	write(at, 'slips.json', hung({ friction: 50 })); // half its weight: it falls with half of gravity
	assert.ok(Math.abs(height('slips')[5] - (5 - 0.25 * 10 * 9)) < 0.1);
	write(at, 'both.json', hung({ friction: 50, motor: { force: 1 } }));
	assert.match(cairn(at, 'check', 'both.json').stderr, /one of "motor", "spring" and "friction"/);

	const turned = (orientation) => scene([box('a', [0, 0, 5], { orientation })], { world: { frames: 0 } });
	const q = (name, orientation) => (write(at, `${name}.json`, turned(orientation)), height(name).slice(6, 10));
	const near = (a, b) => a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < 1e-12, `${a} and ${b}`));
	near(q('degrees', { axis: [0, 0, 2], degrees: 90 }), [Math.SQRT1_2, 0, 0, Math.SQRT1_2]);
	near(q('euler', { euler: [90, 0, 90] }), [0.5, 0.5, 0.5, 0.5]); // about x first, then about the world's z
	write(at, 'two.json', turned({ axis: [0, 0, 1], degrees: 90, angle: 1 }));
	assert.match(cairn(at, 'check', 'two.json').stderr, /leave one out/);

	const slope = { ...floor, shape: { halfspace: { normal: [-0.6, 0, 0.8] } }, material: 'ice' };
	write(at, 'slope.json', scene([slope, box('a', [-0.3006, 0, 0.4008], { material: 'ice', orientation: { axis: [0, 1, 0], angle: -Math.atan(0.75) } })],
		{ materials: { ice: { friction: 0 } }, world: { frames: 30 } }));
	const slid = (...more) => Math.abs(height('slope', ...more)[3] + 0.3006);
	assert.ok(slid() > 1 && slid('--set', 'materials.ice.friction=2') < 0.02);
	for (const [set, wanted] of [['materials.snow.friction=1', /no material 'snow'/], ['materials.ice.colour=1', /known are friction/],
		['materials.ice.friction=much', /give a number/], ['materials.ice.friction=-1', /friction/]])
		assert.match(cairn(at, 'run', 'slope.json', '--force', '--set', set).stderr, wanted);
});
