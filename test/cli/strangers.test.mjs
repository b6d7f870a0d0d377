// Files that strangers give: what they name, how much they take, what they say to a terminal.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { bricks, cairn, folder, shell, tool, write } from './tool.mjs';

const TETRA = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n';

// A folder "mine" with a scene inside a folder that has a secret.
function visit(t) {
	const at = folder(t);
	fs.mkdirSync(path.join(at, 'mine', 'parts'), { recursive: true });
	write(at, 'secret.json', { version: 1, materials: { secret: { density: 7 } } });
	fs.writeFileSync(path.join(at, 'secret.obj'), TETRA);
	fs.writeFileSync(path.join(at, 'mine', 'parts', 'own.obj'), TETRA);
	write(at, 'mine/parts/own.json', { version: 1, include: ['../other.json'] });
	write(at, 'mine/other.json', { version: 1 });
	fs.symlinkSync('../secret.json', path.join(at, 'mine', 'link.json'));
	fs.symlinkSync('..', path.join(at, 'mine', 'up'));
	fs.symlinkSync('parts', path.join(at, 'mine', 'down'));
	return at;
}

const included = (...names) => ({ version: 1, include: names });
const meshed = (file) => ({ version: 1, shapes: { x: { mesh: { file } } } });

test('a scene reads nothing outside its folder unless it is trusted', (t) => {
	const at = visit(t);
	for (const [scene, place, why] of [
		[included('../secret.json'), 'include[0]', /leads out of the scene's folder;/],
		[included('parts/../../secret.json'), 'include[0]', /leads out of the scene's folder;/],
		[included('link.json'), 'include[0]', /through a link/],
		[included('other.json', 'up/secret.json'), 'include[1]', /through a link/],
		[included(path.join(at, 'secret.json')), 'include[0]', /is an absolute path/],
		[included(path.join(at, 'mine', 'other.json')), 'include[0]', /is an absolute path/],
		[meshed('../secret.obj'), 'shapes.x.mesh.file', /leads out of the scene's folder;/],
		[meshed('up/secret.obj'), 'shapes.x.mesh.file', /through a link/],
		[{ version: 1, shapes: { x: { hull: { file: path.join(at, 'secret.obj') } } } }, 'shapes.x.hull.file', /absolute/],
	]) {
		write(at, 'mine/scene.json', scene);
		for (const [from, name] of [[at, 'mine/scene.json'], [path.join(at, 'mine'), './scene.json'],
			[path.join(at, 'mine', 'parts'), '../scene.json'], [at, path.join(at, 'mine', 'scene.json')]]) {
			const refused = cairn(from, 'check', name, '--json');
			assert.equal(refused.status, 3, `${JSON.stringify(scene)} from ${name}`);
			const said = JSON.parse(refused.stdout);
			assert.equal(said.path, place);
			assert.equal(said.file, name);
			assert.match(said.message, why);
			assert.match(said.message, /--trust/);
			const trusted = cairn(from, 'check', name, '--trust');
			assert.equal(trusted.status, 0, trusted.stderr);
		}
	}
	// What an included file names is bound by the same folder, not by its own; links that stay inside are fine.
	for (const scene of [included('parts/own.json'), included('down/own.json'), meshed('down/own.obj')]) {
		write(at, 'mine/scene.json', scene);
		const ok = cairn(at, 'check', 'mine/scene.json');
		assert.equal(ok.status, 0, ok.stderr);
	}
	write(at, 'mine/parts/own.json', included('../../secret.json'));
	write(at, 'mine/scene.json', included('parts/own.json'));
	const deep = JSON.parse(cairn(at, 'check', 'mine/scene.json', '--json').stdout);
	assert.equal(deep.file, 'mine/parts/own.json');
	assert.match(deep.message, /leads out/);
});

test('the live page takes no file from outside the folder', (t) => {
	const at = visit(t);
	write(at, 'mine/scene.json', { ...bricks(), include: ['../secret.json'] });
	const refused = cairn(at, 'view', 'mine/scene.json', '--live', '--no-open', '-o', 'page.html');
	assert.ok(refused.status === 3 || refused.status === 5, refused.stderr); // 5: built without the engine for pages
	assert.ok(!fs.existsSync(path.join(at, 'page.html')));
});

test('pipes, devices and folders are neither waited for nor read', (t) => {
	const at = folder(t);
	execFileSync('mkfifo', [path.join(at, 'pipe.json'), path.join(at, 'pipe.cairn'), path.join(at, 'pipe.obj')]);
	write(at, 'a.json', included('pipe.json'));
	write(at, 'b.json', meshed('pipe.obj'));
	write(at, 'c.json', included('/dev/zero'));
	fs.mkdirSync(path.join(at, 'd.json'));
	for (const [command, status] of [
		['check a.json', 3], ['check b.json', 3], ['check a.json --trust', 3], ['check c.json', 3], ['check c.json --trust', 3],
		['check ./pipe.json', 4], ['check /dev/zero', 4], ['check ./d.json', 4], ['info pipe.cairn', 4], ['run pipe.cairn', 4],
		['run pipe.cairn --resume', 4], ['certify pipe.cairn', 4], ['export pipe.cairn -o out.csv', 4], ['run ./pipe.json', 4],
	]) {
		// A bound on memory, since a device that is read never ends; the address sanitizer takes more at once.
		const bound = fs.readFileSync(tool).includes('__asan_init') ? '' : 'ulimit -v 1000000; ';
		const { status: found, stderr } = shell(at, `${bound}timeout -s KILL 20 "$CAIRN" ${command}`);
		assert.equal(found, status, `${command}: ${stderr}`);
		if (!/c\.json$/.test(command))
			assert.match(stderr, /a pipe, a device or a socket, not a file|a folder, not a file/);
	}
});

test('a file that is reached by many ways is read once', (t) => {
	const at = folder(t);
	fs.symlinkSync('.', path.join(at, 'a'));
	fs.symlinkSync('.', path.join(at, 'b'));
	for (let i = 0; i < 20; ++i)
		write(at, `f${i}.json`, included(`a/f${i + 1}.json`, `b/f${i + 1}.json`));
	write(at, 'f20.json', { version: 1, materials: { once: { density: 1 } } });
	const { status, stderr, stdout } = shell(at, 'timeout -s KILL 20 "$CAIRN" check f0.json');
	assert.equal(status, 0, stderr); // the material would be there twice otherwise
	assert.match(stdout, /1 material\b/);
	// And a circle through a link is still a circle.
	write(at, 'f20.json', included('b/f0.json'));
	const circle = cairn(at, 'check', 'f0.json');
	assert.equal(circle.status, 3);
	assert.match(circle.stderr, /circle/);
});

test('an MJCF reads each of its files once', (t) => {
	const at = folder(t);
	fs.symlinkSync('.', path.join(at, 'a'));
	for (let i = 0; i < 20; ++i)
		fs.writeFileSync(path.join(at, `f${i}.xml`), `<mujoco><include file="f${i + 1}.xml"/><include file="a/f${i + 1}.xml"/></mujoco>`);
	fs.writeFileSync(path.join(at, 'f20.xml'), '<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>');
	const { status, stderr } = shell(at, 'timeout -s KILL 20 "$CAIRN" import f0.xml -o x.json');
	if (status === 5)
		return t.skip('built without expat');
	assert.equal(status, 3, stderr); // 2^20 times before
	assert.match(stderr, /"a\/f20\.xml" is included twice/);
	fs.writeFileSync(path.join(at, 'round.xml'), '<mujoco><include file="a/round.xml"/></mujoco>');
	assert.match(cairn(at, 'import', 'round.xml', '-o', 'x.json').stderr, /circle/);
	assert.deepEqual(fs.readdirSync(at).filter((f) => f.endsWith('.json')), []);
});

// A glTF of tetrahedra at places: each a name that nothing should obey.
function tetrahedra(places) {
	const bytes = Buffer.alloc(72), corners = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], faces = [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3];
	corners.forEach((x, i) => bytes.writeFloatLE(x, 4 * i));
	faces.forEach((x, i) => bytes.writeUInt16LE(x, 48 + 2 * i));
	return {
		asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: places.map((_, i) => i) }],
		nodes: places.map((translation) => ({ mesh: 0, translation, name: '\u001b[2Jx' })),
		meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
		accessors: [{ bufferView: 0, componentType: 5126, count: 4, type: 'VEC3' }, { bufferView: 1, componentType: 5123, count: 12, type: 'SCALAR' }],
		bufferViews: [{ buffer: 0, byteLength: 48 }, { buffer: 0, byteOffset: 48, byteLength: 24 }],
		buffers: [{ byteLength: 72, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }],
	};
}

test('the time of an import grows with its bodies, and its memory is bounded', (t) => {
	const at = folder(t);
	write(at, 'many.gltf', tetrahedra(Array.from({ length: 3000 }, (_, i) => [3 * i, 0, 0])));
	const many = shell(at, 'ulimit -t 15; "$CAIRN" import many.gltf -o many.json -q'); // 40 s before, and eight times for twice as many
	assert.equal(many.status, 0, many.stderr);
	const { bodies } = JSON.parse(fs.readFileSync(path.join(at, 'many.json'), 'utf8'));
	assert.equal(new Set(bodies.map((b) => b.name)).size, 3000);
	assert.ok(bodies.every((b) => /^\?\[2Jx/.test(b.name)));
	write(at, 'pile.gltf', tetrahedra(Array.from({ length: 300 }, () => [0, 0, 0])));
	const pile = shell(at, 'ulimit -t 60; "$CAIRN" import pile.gltf -o pile.json -q');
	assert.equal(pile.status, 3, pile.stderr);
	assert.match(pile.stderr, /more than 10000 pairs of bodies overlap at the start/);
	fs.writeFileSync(path.join(at, 'wide.urdf'), `<robot name="r">${'<link name="a" b="c" d="e"/>'.repeat(30000)}</robot>`);
	const wide = cairn(at, 'import', 'wide.urdf', '-o', 'wide.json', '--memory', '5M');
	if (wide.status !== 5) // built without expat
		assert.match(wide.stderr, /more than 5\.0 MB of memory.*--memory SIZE/);
});

test('a scene cannot have files read without end', (t) => {
	const at = folder(t);
	fs.writeFileSync(path.join(at, 'own.obj'), TETRA);
	const shapes = {};
	for (let i = 0; i < 10001; ++i)
		shapes[`s${i}`] = { hull: { file: 'own.obj' } };
	write(at, 'many.json', { version: 1, shapes });
	const many = cairn(at, 'check', 'many.json');
	assert.equal(many.status, 3);
	assert.match(many.stderr, /names more than 10000 files/);
});

test('--memory bounds what a file may take, and says so', (t) => {
	const at = folder(t);
	const file = write(at, 'fall.json', bricks({ count: 400, frames: 3 }));
	for (const command of ['check', 'run']) {
		const refused = cairn(at, command, file, '--memory', '100K');
		assert.equal(refused.status, 1, refused.stderr);
		assert.match(refused.stderr, /more than 100 kB of memory.*--memory SIZE/);
	}
	assert.deepEqual(fs.readdirSync(at), ['fall.json']);
	assert.equal(cairn(at, 'run', file, '--memory', '1G', '-q').status, 0);
	for (const command of ['info', 'certify', 'report', 'run'])
		assert.match(cairn(at, command, 'fall.cairn', '--memory', '20k').stderr, /--memory SIZE/, command);
	assert.match(cairn(at, 'export', 'fall.cairn', '-o', 'a.csv', '--memory', '20k').stderr, /--memory SIZE/);
	for (const wrong of ['', '0', '-1', 'x', '5X', '5Mx', '1e30', 'nan'])
		assert.equal(cairn(at, 'check', file, `--memory=${wrong}`).status, 2, wrong);
});

test('--time ends a run in order: status 124, a whole recording, and more time goes on with it', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ count: 60, frames: 100000 }));
	const run = cairn(at, 'run', 'fall.json', '--time', '0.5', '--json');
	assert.equal(run.status, 124, run.stderr);
	assert.match(run.stderr, /timeout at frame \d+ of 100000.*cairn run fall\.cairn --resume/);
	const said = JSON.parse(run.stdout);
	assert.equal(said.status, 'timeout');
	const found = JSON.parse(cairn(at, 'info', 'fall.cairn', '--json').stdout);
	assert.equal(found.frames, said.frames);
	assert.ok(found.frames > 0 && !found.truncated && !found.damaged && !found.complete);
	assert.equal(cairn(at, 'run', 'fall.cairn', '--resume', '--frames', `${said.frames + 2}`, '-q').status, 0);
	for (const wrong of ['0', '-1', 'x', '5m', 'inf', 'nan'])
		assert.equal(cairn(at, 'check', 'fall.json', `--time=${wrong}`).status, 2, wrong);
});

// A grid of cubes with gaps between them, on a floor.
const cubes = (side, spacing, frames = 3) => ({
	version: 1, world: { frames }, shapes: { cube: { box: [1, 1, 1] } },
	bodies: [{ name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1], offset: -0.6 } } }],
	generators: [{ name: 'cube', grid: { count: [side, side, side], spacing }, body: { shape: 'cube' } }],
});

test('--time ends a frame that takes too long', (t) => {
	const at = folder(t);
	write(at, 'crowd.json', cubes(50, 1.01));
	const begun = Date.now();
	const run = cairn(at, 'run', 'crowd.json', '--time', '0.1', '--memory', '20G');
	assert.equal(run.status, 124, run.stderr);
	assert.ok(Date.now() - begun < 12000);
	assert.match(run.stderr, /--time is over/);
});

test('what a terminal obeys never reaches it from a file', (t) => {
	const at = folder(t);
	const evil = '\u001b[2J\u009b2J\u007f\u202e\u0007';
	const name = '\u009b2J\u202e'; // names cannot have control characters of seven bits
	const bad = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
	const scene = bricks({ frames: 2 });
	scene.description = `${evil}cleared`;
	scene.bodies.forEach((body, i) => (body.name = `${name}${i}`));
	scene.bodies.push({ ...scene.bodies[0], name: `${name}again` }); // at the same place
	scene.shapes[name] = { sphere: 1 };
	write(at, `${evil}.json`, scene);
	const over = cairn(at, 'check', `./${evil}.json`);
	assert.equal(over.status, 3);
	assert.doesNotMatch(over.stderr + over.stdout, bad);
	assert.match(over.stderr, /\?\?2J\?\?\?0/); // the name is told
	scene.bodies.pop();
	write(at, `${evil}.json`, scene);
	write(at, 'key.json', JSON.stringify({ version: 1, [evil]: 1 }));
	write(at, 'value.json', JSON.stringify({ version: 1, bodies: [{ shape: evil, type: evil }] }));
	const said = [];
	for (const [status, ...args] of [
		[0, 'check', `./${evil}.json`], [0, 'check', `./${evil}.json`, '--json'], [3, 'check', 'key.json'], [3, 'check', 'value.json'],
		[0, 'run', `./${evil}.json`, '-o', 'out.cairn', '--progress', 'plain'], [0, 'run', `./${evil}.json`, '-o', 'two.cairn', '--progress', 'bar'],
		[0, 'info', 'out.cairn'], [0, 'info', 'out.cairn', '--json'], [0, 'certify', 'out.cairn'], [2, 'run', 'out.cairn', '--set', `${evil}=1`],
		[4, 'info', `${evil}.cairn`], [0, 'report', 'out.cairn', '--quick'], [0, 'export', 'out.cairn', '-o', `${evil}.csv`],
	]) {
		const { status: found, stdout, stderr } = cairn(at, ...args);
		assert.equal(found, status, JSON.stringify([args, stderr]));
		// The bar itself moves the cursor.
		const own = stderr.replace(/\r|\u001b\[K|\u001b\[32m|\u001b\[0m/g, '');
		said.push(stdout + own);
		assert.doesNotMatch(stdout, bad, args.join(' '));
		assert.doesNotMatch(own, bad, args.join(' '));
	}
	assert.ok(said.some((text) => text.includes('cleared')));
});

test('what is written is synced: a recording and its folder, an export, a page', (t) => {
	const at = folder(t);
	if (fs.readFileSync(tool).includes('__asan_init'))
		return t.skip('the sanitizer must come first');
	fs.writeFileSync(path.join(at, 'sync.c'), `#include <stdio.h>
#include <sys/stat.h>
int fsync(int file) {
	struct stat s;
	FILE *log = fopen("sync.log", "a");
	fstat(file, &s);
	fputs(S_ISDIR(s.st_mode) ? "folder\\n" : "file\\n", log);
	return fclose(log);
}`);
	execFileSync(process.env.CC ?? 'cc', ['-shared', '-fPIC', '-o', 'sync.so', 'sync.c'], { cwd: at });
	write(at, 'fall.json', bricks({ frames: 3 }));
	const log = path.join(at, 'sync.log');
	for (const [command, wanted] of [
		['run fall.json', ['file', 'folder', 'file']], // in its place with its first frame; then at its end
		['run fall.cairn --resume --frames 5', ['file']],
		['export fall.cairn -o fall.csv', ['file', 'folder']],
		['report fall.cairn --quick', ['file']],
	]) {
		fs.rmSync(log, { force: true });
		const { status, stderr } = shell(at, `LD_PRELOAD=./sync.so "$CAIRN" ${command} -q`);
		assert.equal(status, 0, stderr);
		assert.deepEqual(fs.readFileSync(log, 'utf8').trim().split('\n'), wanted, command);
	}
});

test('check --cost tells memory and size of a run within a factor of 2', (t) => {
	const at = folder(t);
	write(at, 'far.json', cubes(12, 3, 90));
	write(at, 'near.json', cubes(8, 1.01, 60));
	write(at, 'free.json', bricks({ count: 500, frames: 200, world: { method: 'free' } }));
	for (const scene of ['far.json', 'near.json', 'free.json', 'cubejam', 'fountain', 'wall', 'tumble', 'lift']) {
		const told = cairn(at, 'check', scene, '--cost', '--json');
		assert.equal(told.status, 0, told.stderr);
		const { cost } = JSON.parse(told.stdout);
		assert.ok(cost.frames_tried > 0 && cost.seconds > 0);
		const run = JSON.parse(cairn(at, 'run', scene, '--json', '-o', `${scene}.cairn`).stdout);
		for (const key of ['memory_bytes', 'size_bytes'])
			assert.ok(cost[key] < 2 * run[key] && run[key] < 2 * cost[key], `${scene}: ${key} ${cost[key]}, is ${run[key]}`);
	}
	assert.match(cairn(at, 'check', 'free.json', '--cost').stdout, /takes about .* of memory, a recording of .*, .* s, by its first/);
});

test('a million bodies are refused with numbers before they are made', (t) => {
	const at = folder(t);
	write(at, 'million.json', cubes(100, 3, 300));
	for (const command of ['check', 'run']) {
		const { status, stderr } = shell(at, `timeout -s KILL 60 "$CAIRN" ${command} million.json`);
		assert.equal(status, 1, stderr);
		assert.match(stderr, /1000001 bodies take at least 4\.5 GB of memory and a recording of 4\d\.\d GB; it may take 4\.0 GB \(--memory/);
	}
	assert.deepEqual(fs.readdirSync(at), ['million.json']);
});

test('no clock that can be set is looked at', (t) => {
	const names = spawnSync('nm', ['-u', process.env.CAIRN], { encoding: 'utf8' });
	if (names.error || !names.stdout)
		return t.skip('no nm');
	if (!names.stdout.includes('__sanitizer_')) { // a sanitizer's runtime asks for clocks of its own
		assert.match(names.stdout, /\bclock_gettime\b/); // its argument is CLOCK_MONOTONIC: below
		assert.doesNotMatch(names.stdout, /\b(timespec_get|gettimeofday|time|ftime|clock)(@|$)/m);
	}
	const root = path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../..');
	for (const folder of ['src', 'cli'])
		for (const file of fs.readdirSync(path.join(root, folder), { recursive: true }).filter((f) => /\.[ch]$/.test(f)))
			assert.doesNotMatch(fs.readFileSync(path.join(root, folder, file), 'utf8'), /CLOCK_REALTIME|timespec_get\(/, file);
});
