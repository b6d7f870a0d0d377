// cairn compare: a column a method, the numbers of the runs themselves, a page that is whole and safe, and what bad input is told.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cairn, environment, folder, tool, write } from './tool.mjs';

// Two cubes fall on a floor: oba stacks them, free drops them through it.
const cubes = (more = {}) => ({
	version: 1, description: 'two cubes', world: { gravity: [0, 0, -10], fps: 30, frames: 45, ...more.world },
	shapes: { cube: { box: [1, 1, 1] } },
	bodies: [
		{ name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1], offset: 0 } } },
		{ name: 'a', shape: 'cube', position: [0, 0, 0.6] }, { name: 'b', shape: 'cube', position: [0, 0, 1.7] },
	], ...more.scene,
});

function compare(at, ...args) {
	const run = cairn(at, 'compare', ...args, '--json', '--quiet');
	return { ...run, out: run.stdout ? JSON.parse(run.stdout) : null };
}

test('a column a method, with the numbers of its own run', (t) => {
	const at = folder(t);
	write(at, 'two.json', cubes());
	const { status, out, stderr } = compare(at, 'two.json', '--methods', 'oba,free');
	assert.equal(status, 0, stderr);
	assert.deepEqual(out.columns.map((c) => c.method), ['oba', 'free']);
	const [oba, free] = out.columns;
	const run = JSON.parse(cairn(at, 'run', './two.json', '--json', '--quiet').stdout);
	assert.equal(oba.hash, run.hash);
	assert.equal(oba.energy_end, run.energy_end);
	assert.equal(oba.energy_rise, run.energy_rise);
	assert.equal(oba.certificate, 'clean');
	assert.equal(oba.depth_share, 0);
	assert.equal(oba.escaped, 0);
	assert.equal(oba.at_rest, true);
	assert.equal(free.escaped, 2);
	assert.equal(free.at_rest, false);
	assert.ok(oba.ms_mean > 0 && oba.ms_p95 >= 0);
	assert.deepEqual(fs.readdirSync(at).sort(), ['two-compare.html', 'two.cairn', 'two.json']);
});

test('all methods where none is named', (t) => {
	const at = folder(t);
	write(at, 'two.json', cubes());
	const { status, out } = compare(at, 'two.json', '--frames', '3');
	assert.equal(status, 0);
	assert.ok(out.columns.length >= 2);
	assert.equal(out.columns[0].method, 'oba');
	assert.equal(out.frames, 3);
});

test('the page stands alone, has all columns and escapes names', (t) => {
	const at = folder(t);
	const scene = cubes({ scene: { description: '<script>alert(1)</script> & "quotes"' } });
	scene.bodies[1].name = '<img src=x onerror=alert(2)>';
	write(at, 'two.json', scene);
	const { status } = compare(at, './two.json', '--methods', 'oba,free', '-o', 'page.html', '--frames', '10');
	assert.equal(status, 0);
	const page = fs.readFileSync(path.join(at, 'page.html'), 'utf8');
	assert.match(page, /Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"/);
	assert.doesNotMatch(page, /<script|<img src=x|https?:\/\//);
	assert.match(page, /&#60;script&#62;/);
	for (const id of ['energy', 'time', 'contacts'])
		assert.match(page, new RegExp(`<figure id="${id}">`));
	for (const fact of ['ms_mean', 'ms_p95', 'depth_share', 'passages', 'escaped', 'energy_end', 'energy_rise', 'at_rest'])
		assert.equal(page.split(`data-fact="${fact}"`).length, 3, fact);
	const pictures = [...page.matchAll(/<img width="(\d+)" height="(\d+)"/g)];
	assert.ok(pictures.length === 12 || /No pictures: /.test(page), `${pictures.length} pictures`);
	for (const [, width, height] of pictures) {
		assert.ok(width / height > 0.59 && width / height < 1.78, `${width} x ${height}`);
		assert.ok(Math.abs(width * height / 57600 - 1) < 0.02, `${width} x ${height}`);
	}
});

test('pictures of a tower are narrow, those of a row are wide', (t) => {
	const at = folder(t);
	const shape = (place) => {
		const scene = cubes({ world: { frames: 2 } });
		scene.bodies.splice(1, 2);
		for (let i = 0; i < 9; ++i)
			scene.bodies.push({ name: `c${i}`, shape: 'cube', position: place(i) });
		write(at, 'nine.json', scene);
		compare(at, './nine.json', '--methods', 'oba,free');
		return /<img width="(\d+)" height="(\d+)"/.exec(fs.readFileSync(path.join(at, 'nine-compare.html'), 'utf8'));
	};
	const tower = shape((i) => [0, 0, 0.6 + 1.1 * i]), row = shape((i) => [2 * i, 0, 0.6]);
	if (!tower)
		return t.skip('there is no OpenGL here');
	assert.ok(tower[1] / tower[2] < 1, `${tower}`);
	assert.ok(row[1] / row[2] > 1.5, `${row}`);
	return undefined;
});

test('limits that cut something short are told', (t) => {
	const at = folder(t);
	// A ball rattles in a slit of a centimetre, 333 times a frame.
	write(at, 'slit.json', {
		version: 1, world: { gravity: [0, 0, 0], fps: 30, frames: 3 }, materials: { steel: { friction: 0, restitution: 1 } },
		bodies: [
			{ name: 'below', type: 'fixed', material: 'steel', shape: { halfspace: { normal: [0, 0, 1], offset: 0 } } },
			{ name: 'above', type: 'fixed', material: 'steel', shape: { halfspace: { normal: [0, 0, -1], offset: -0.11 } } },
			{ name: 'ball', material: 'steel', shape: { sphere: 0.05 }, position: [0, 0, 0.055], velocity: [0, 0, 100] },
		],
	});
	const { status, out, stderr } = compare(at, './slit.json', '--methods', 'impulse,pgs');
	assert.equal(status, 0, stderr);
	assert.deepEqual(out.columns.map((c) => c.text_fallbacks), [3, 0]);
	const page = fs.readFileSync(path.join(at, 'slit-compare.html'), 'utf8');
	assert.match(page, /<td class="bad" data-fact="limits" data-value="3">3</);
	assert.match(cairn(at, 'compare', './slit.json', '--methods', 'impulse,pgs').stdout, /\n {14}limits and fall-backs: 3\n/);
	write(at, 'two.json', cubes());
	compare(at, './two.json', '--methods', 'oba,free', '--frames', '2');
	assert.doesNotMatch(fs.readFileSync(path.join(at, 'two-compare.html'), 'utf8'), /data-fact="limits"/);
});

test('options of one method, and of all that take them', (t) => {
	const at = folder(t);
	write(at, 'two.json', cubes());
	const hash = (...args) => compare(at, './two.json', '--methods', 'oba,free', ...args).out.columns.map((c) => c.hash);
	const plain = hash();
	const own = hash('--set', 'oba:steps=4');
	assert.notEqual(own[0], plain[0]);
	assert.equal(own[1], plain[1]);
	const all = hash('--set', 'gravity=0,0,-5');
	assert.ok(all[0] !== plain[0] && all[1] !== plain[1]);
	const { out } = compare(at, './two.json', '--methods', 'oba', '--set', 'oba:steps=4');
	assert.equal(out.columns[0].options, 'steps=4');
});

test('the truth: distances from it are small for what is right, large for what is not', (t) => {
	const at = folder(t);
	write(at, 'two.json', cubes());
	const { status, out } = compare(at, './two.json', '--methods', 'oba,free', '--truth');
	assert.equal(status, 0);
	assert.deepEqual(out.columns.map((c) => c.label), ['oba', 'free', 'truth']);
	const [oba, free, truth] = out.columns;
	assert.equal(truth.method, 'oba');
	assert.equal(truth.options, 'fps=240');
	assert.equal(truth.frames, 45);
	assert.equal(truth.distance, null);
	assert.ok(oba.distance < 0.02, `${oba.distance}`);
	assert.ok(free.distance > 5, `${free.distance}`);
	// Where the scene counts in frames, its frames stay.
	write(at, 'pushed.json', cubes({ scene: { events: [{ frame: 5, impulse: { body: 'b', impulse: [10, 0, 0] } }] } }));
	const pushed = compare(at, './pushed.json', '--methods', 'oba', '--truth').out.columns[1];
	assert.equal(pushed.options, 'steps=16');
	assert.ok(pushed.frames === 45 && pushed.status === 'done');
});

test('answers of scenes that have them', (t) => {
	const at = folder(t);
	const slope = compare(at, 'validation-slope', '--methods', 'oba,free', '--frames', '60').out.columns;
	assert.equal(slope[0].known.length, 1);
	assert.ok(Math.abs(slope[0].known[0].expected - 0.5 * 9.81 * 0.02 / Math.sqrt(5) * 4) < 1e-12);
	assert.ok(Math.abs(slope[0].known[0].measured / slope[0].known[0].expected - 1) < 0.02);
	assert.deepEqual(slope.map((c) => c.known[0].verdict), ['met', 'not met']);
	assert.match(fs.readFileSync(path.join(at, 'validation-slope-compare.html'), 'utf8'), /data-fact="known" data-value="[^"]*">not met/);
	const bounce = compare(at, 'validation-bounce', '--methods', 'oba', '--frames', '20').out.columns[0];
	assert.deepEqual(bounce.known.map((k) => k.verdict), ['met', 'too short', 'too short']);
	const bullet = compare(at, 'validation-bullet', '--methods', 'oba,free', '--frames', '10').out.columns;
	assert.deepEqual(bullet.map((c) => c.known[0].verdict), ['met', 'not met']);
	write(at, 'two.json', cubes());
	assert.deepEqual(compare(at, './two.json', '--methods', 'oba', '--frames', '2').out.columns[0].known, []);
});

test('a cube that lands on a slope and slides goes as far as friction lets it, and finer steps come nearer', (t) => {
	const way = (method, steps) => {
		const [answer] = compare(folder(t), 'validation-slope', '--methods', method, '--set', `substeps=${steps}`).out.columns[0].known;
		return answer.measured / answer.expected - 1;
	};
	for (const [method, most] of [['pgs', 0.01], ['soft', 0.003], ['xpbd', 0.003]]) {
		const [one, four, sixteen] = [1, 4, 16].map((steps) => way(method, steps));
		assert.ok(one > 0 && one < most && four < one && sixteen < four && sixteen < 0.001, `${method}: ${[one, four, sixteen]}`);
	}
});

test('soft: a house of cards stands at one step a frame', (t) => {
	const [soft, less] = ['8', '4'].map((inner) => compare(folder(t), 'validation-cards', '--methods', 'soft', '--set', `inner=${inner}`, '--frames', '600').out.columns[0]);
	assert.deepEqual([soft.known[0].verdict, soft.at_rest], ['met', true], JSON.stringify(soft));
	assert.equal(less.known[0].verdict, 'not met'); // four inner steps are too few: what the default is for
	const usual = compare(folder(t), 'validation-cards', '--methods', 'soft', '--frames', '5').out.columns[0];
	const eight = compare(folder(t), 'validation-cards', '--methods', 'soft', '--set', 'inner=8', '--frames', '5').out.columns[0];
	assert.equal(usual.energy_end, eight.energy_end);
});

test('depth is a share of size, and of thickness beside it', (t) => {
	const at = folder(t);
	const plate = cubes({ world: { frames: 8 } });
	plate.shapes.cube = { box: [1, 1, 0.1] };
	plate.bodies = [plate.bodies[0], { name: 'plate', shape: 'cube', position: [0, 0, 0.06], velocity: [0, 0, -20] }];
	write(at, 'plate.json', plate);
	const [column] = compare(at, './plate.json', '--methods', 'penalty').out.columns;
	assert.ok(column.depth > 0.01, `${column.depth}`);
	assert.ok(Math.abs(column.depth_share / column.depth - 1) < 1e-9);
	assert.ok(Math.abs(column.depth_share_thin / column.depth - 10) < 1e-6);
	assert.match(fs.readFileSync(path.join(at, 'plate-compare.html'), 'utf8'), /% of thickness/);
});

test('--substeps finds the least that stays under 5 %', (t) => {
	const at = folder(t);
	const scene = cubes({ world: { frames: 30 } });
	scene.bodies[2].position = [0, 0, 4];
	write(at, 'two.json', scene);
	const [column, oba] = compare(at, './two.json', '--methods', 'penalty,oba', '--substeps', '1,64').out.columns;
	assert.deepEqual(column.substeps.map((s) => s.substeps), [1, 64]);
	const least = column.substeps.find((s) => !s.ended && s.depth_share < 0.05);
	assert.equal(column.substeps_least, least ? least.substeps : null);
	assert.ok(column.substeps[1].depth_share < column.substeps[0].depth_share || column.substeps[0].ended);
	assert.equal(oba.substeps, undefined);
});

test('a method that cannot do the scene keeps its column with the reason', (t) => {
	const at = folder(t);
	const scene = cubes({ scene: { joints: [{ type: 'ball', bodies: ['b', 'world'], point: [0, 0, 4] }] } });
	write(at, 'hung.json', scene);
	const { status, out } = compare(at, './hung.json', '--methods', 'free,oba', '--frames', '5');
	assert.equal(status, 0);
	assert.equal(out.columns[0].status, 'refused');
	assert.match(out.columns[0].message, /hung\.json:\d+:\d+: .*joint.*free/);
	assert.equal(out.columns[1].status, 'done');
	const page = fs.readFileSync(path.join(at, 'hung-compare.html'), 'utf8');
	assert.match(page, /data-fact="status">cannot do it<\/td>/);
	assert.match(page, /<li><b>free<\/b> cannot do it: [^<]*hung\.json:\d+:\d+: [^<]*joint[^<]*<\/li>/);
	const none = compare(at, './hung.json', '--methods', 'free', '--frames', '5');
	assert.equal(none.status, 3);
	assert.match(none.stderr, /none of the methods can do \.\/hung\.json/);
});

test('a method that fails ends its column there, and others go on; 1 only for one that guarantees', (t) => {
	const at = folder(t);
	const scene = cubes();
	scene.bodies.push({ name: 'top', shape: 'cube', position: [5, 0, 5], spin: [0, 0, 5000] });
	write(at, 'spun.json', scene);
	const free = compare(at, './spun.json', '--methods', 'free', '--frames', '5');
	assert.equal(free.status, 0);
	assert.equal(free.out.columns[0].status, 'ended');
	assert.equal(free.out.columns[0].stop, 'spin');
	assert.equal(free.out.columns[0].frames, 0);
	assert.match(free.out.columns[0].message, /'top' turns further/);
	const both = compare(at, './spun.json', '--methods', 'free,oba', '--frames', '5');
	assert.equal(both.status, 1);
	assert.match(both.stderr, /oba guarantees, and was not clean: .*'top'/);
	assert.ok(fs.existsSync(path.join(at, 'spun-compare.html')));
});

test('bad input', (t) => {
	const at = folder(t);
	write(at, 'two.json', cubes());
	for (const [args, status, message] of [
		[['--methods', 'obba'], 2, /no method 'obba', did you mean 'oba'\?/],
		[['--methods', 'oba,oba'], 2, /names 'oba' twice/],
		[['--methods', 'oba,,free'], 2, /a name is empty/],
		[['--methods', ''], 2, /needs a/],
		[['--methods', 'oba', '--set', 'free:sleep=off'], 2, /'free' is none of the methods/],
		[['--methods', 'free', '--set', 'free:momentum=thesis'], 2, /method 'free' takes no momentum/],
		[['--methods', 'free', '--set', 'momentum=thesis'], 2, /none of the methods takes momentum/],
		[['--set', 'oba:fps=60'], 2, /fps is the same for all/],
		[['--set', 'method=free'], 2, /--methods says which/],
		[['--set', 'oba:stpes=4'], 2, /unknown option 'stpes', did you mean 'steps'/],
		[['--methods', 'free,oba', '--set', 'oba:steps=0'], 2, /steps cannot be '0'/],
		[['--set', 'oba:steps=0'], 2, /steps cannot be '0'; give .* from 1 to 64/],
		[['--substeps', '4,1'], 2, /--substeps cannot be '4,1'; give .* rising/],
		[['--substeps', '0'], 2, /from 1 to 64/],
		[['--substeps', '1,'], 2, /--substeps cannot be/],
		[['--methods', 'penalty', '--set', 'stiffness=-1'], 2, /stiffness/],
		[['--methods', 'pgs', '--set', 'iterations=0'], 2, /from 1 to 10000/],
		[['--methods', 'soft', '--set', 'inner=257'], 2, /1 to 256/],
		[['--methods', 'penalty', '--set', 'substeps=0'], 2, /substeps cannot be '0'/],
		[['-o', 'page.txt'], 2, /ends in \.html/],
		[['--film', 'film.avi'], 2, /ends in \.mp4/],
	]) {
		const run = cairn(at, 'compare', './two.json', ...args);
		assert.equal(run.status, status, `${args}: ${run.stderr}`);
		assert.match(run.stderr, message);
		assert.doesNotMatch(run.stderr, /\d\/\d+ frames/, `${args}: nothing runs before it is told`);
	}
	assert.equal(cairn(at, 'compare', 'nowhere.json').status, 4);
	assert.equal(cairn(at, 'compare', 'stak').status, 4);
	write(at, 'bad.json', '{ "version": 1, ');
	assert.equal(cairn(at, 'compare', './bad.json').status, 3);
	cairn(at, 'run', './two.json', '--frames', '2', '-q');
	assert.match(cairn(at, 'compare', 'two.cairn').stderr, /compare takes a scene/);
	assert.deepEqual(fs.readdirSync(at).sort(), ['bad.json', 'two.cairn', 'two.json']);
});

const canDraw = (at) => {
	cairn(at, 'run', './two.json', '--frames', '1', '-q', '-o', 'draw.cairn');
	return cairn(at, 'render', 'draw.cairn', '-o', 'draw.png', '-q').status === 0;
};

test('a film of all columns; without ffmpeg status 5, and the page is there', (t) => {
	const at = folder(t);
	write(at, 'two.json', cubes());
	if (!canDraw(at))
		return t.skip('there is no OpenGL here');
	const env = environment({ PATH: '/nowhere' });
	const lacks = spawnSync(tool, ['compare', './two.json', '--methods', 'oba,free', '--frames', '4', '--film', 'a.mp4', '-q'], { cwd: at, encoding: 'utf8', env });
	assert.equal(lacks.status, 5, lacks.stderr);
	assert.match(lacks.stderr, /needs ffmpeg/);
	assert.ok(fs.existsSync(path.join(at, 'two-compare.html')));
	assert.ok(!fs.existsSync(path.join(at, 'a.mp4')));
	if (spawnSync('ffprobe', ['-version']).status !== 0)
		return undefined;
	const made = cairn(at, 'compare', './two.json', '--methods', 'oba,free', '--frames', '4', '--film', 'a.mp4', '-q');
	assert.equal(made.status, 0, made.stderr);
	const asked = ['-v', 'error', '-count_frames', '-show_entries', 'stream=width,height,nb_read_frames', '-of', 'csv=p=0', 'a.mp4'];
	const [width, height, frames] = spawnSync('ffprobe', asked, { cwd: at, encoding: 'utf8' }).stdout.trim().split(',').map(Number);
	assert.equal(frames, 5);
	assert.ok(width % 4 === 0 && height % 2 === 0 && Math.abs(width / 2 * height / (480 * 270) - 1) < 0.02, `${width} x ${height}`);
	return undefined;
});
