// Pictures and films: what they show, where it is, and every way they can fail.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { cairn, ended, folder, forge, ropes, shell, start, write } from './tool.mjs';

// { width, height, at(x, y) -> [r, g, b] } of a PNG file of 8-bit RGB; throws on anything else.
function readPng(file) {
	const bytes = fs.readFileSync(file), parts = [];
	assert.deepEqual([...bytes.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
	let width, height;
	for (let at = 8; at < bytes.length;) {
		const size = bytes.readUInt32BE(at), type = bytes.toString('latin1', at + 4, at + 8);
		const data = bytes.subarray(at + 8, at + 8 + size);
		if (type === 'IHDR') {
			[width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
			assert.deepEqual([...data.subarray(8)], [8, 2, 0, 0, 0]);
		}
		if (type === 'IDAT')
			parts.push(data);
		at += 12 + size;
	}
	const raw = zlib.inflateSync(Buffer.concat(parts)), row = 3 * width, pixels = Buffer.alloc(row * height);
	assert.equal(raw.length, (row + 1) * height);
	for (let y = 0; y < height; ++y) {
		const filter = raw[y * (row + 1)];
		for (let i = 0; i < row; ++i) {
			const left = i >= 3 ? pixels[y * row + i - 3] : 0, above = y ? pixels[(y - 1) * row + i] : 0;
			const corner = y && i >= 3 ? pixels[(y - 1) * row + i - 3] : 0, guess = left + above - corner;
			const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
			const paeth = a <= b && a <= c ? left : b <= c ? above : corner;
			const base = [0, left, above, (left + above) >> 1, paeth][filter];
			pixels[y * row + i] = raw[y * (row + 1) + 1 + i] + base;
		}
	}
	return { width, height, pixels, at: (x, y) => [...pixels.subarray(3 * (y * width + x), 3 * (y * width + x) + 3)] };
}

// Which of the strong colours of the test scenes a pixel has: 'red', 'green', 'blue', or ''.
function hue([r, g, b]) {
	const [low, middle, high] = [r, g, b].sort((x, y) => x - y);
	if (high - middle < 40 || high - low < 60)
		return '';
	return high === r ? 'red' : high === g ? 'green' : 'blue';
}

function count(picture, color) {
	let found = 0;
	for (let y = 0; y < picture.height; ++y)
		for (let x = 0; x < picture.width; ++x)
			found += hue(picture.at(x, y)) === color;
	return found;
}

const sub = (a, b) => a.map((x, i) => x - b[i]), dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / Math.hypot(...a));

// The pixel that a point is seen in.
function project({ eye, target, fov }, point, width, height) {
	const back = unit(sub(eye, target)), right = unit(cross([0, 0, 1], back)), up = cross(back, right);
	const d = sub(point, eye), depth = -dot(d, back), focal = height / 2 / Math.tan(fov / 2);
	return [Math.round(width / 2 + dot(d, right) / depth * focal), Math.round(height / 2 - dot(d, up) / depth * focal)];
}

const COLORS = { red: '#e01010', green: '#10b020', blue: '#1030e0' };
const PLACES = { red: [-2, 0, 0.5], green: [0, 0, 0.5], blue: [2, 0, 0.5] };

// Three cubes on a floor; the ball over them falls.
function cubes(more = {}) {
	return {
		version: 1, world: { gravity: [0, 0, -10], fps: 25, frames: 12, method: 'oba' },
		shapes: { cube: { box: [1, 1, 1] }, ball: { sphere: 0.4 } },
		bodies: [
			{ name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1], offset: 0 } }, color: '#909090' },
			...Object.keys(COLORS).map((name) => ({ name, shape: 'cube', position: PLACES[name], color: COLORS[name] })),
			{ name: 'ball', shape: 'ball', position: [1, 0, 4], color: '#f0f0f0' },
		], ...more,
	};
}

function record(t, scene = cubes()) {
	const at = folder(t);
	write(at, 'a.json', scene);
	const run = cairn(at, 'run', 'a.json', '-q');
	assert.equal(run.status, 0, run.stderr);
	return at;
}

const SIZE = ['--size', '320x180'];

function draw(at, file, ...args) {
	const result = cairn(at, 'render', 'a.cairn', '-o', file, ...SIZE, ...args);
	assert.equal(result.status, 0, result.stderr);
	return result;
}

// What this machine has.
const missing = (() => {
	const undo = [], at = record({ after: (f) => undo.push(f) });
	const result = cairn(at, 'render', 'a.cairn', '-o', 'a.png', ...SIZE);
	undo.forEach((f) => f());
	return result.status === 5 ? result.stderr.trim() : '';
})();
const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0 && spawnSync('ffprobe', ['-version']).status === 0;
const drawn = { skip: missing || false };
const filmed = { skip: missing || (hasFfmpeg ? false : 'there is no ffmpeg here') };

test('bodies are where the camera sees them, in their colours', drawn, (t) => {
	const at = record(t), camera = { eye: [3, -9, 4], target: [0, 0, 1], fov: 0.8 };
	for (const quality of ['fast', 'fine']) {
		const { stdout } = draw(at, 'a.png', '--frame', '0', '--camera', '3,-9,4:0,0,1:0.8', '--quality', quality);
		assert.match(stdout, /^a\.png: frame 0, 320x180, [\d.]+ kB\n$/);
		const picture = readPng(path.join(at, 'a.png'));
		assert.deepEqual([picture.width, picture.height], [320, 180]);
		for (const [name, place] of Object.entries(PLACES)) {
			const [x, y] = project(camera, place, 320, 180);
			assert.equal(hue(picture.at(x, y)), name, `${quality} ${name} at ${x},${y}: ${picture.at(x, y)}`);
			const face = (320 / 2 / Math.tan(0.4) / 9.5 * 9 / 16) ** 2; // pixels of a face, about
			assert.ok(count(picture, name) > 0.7 * face && count(picture, name) < 4 * face, `${count(picture, name)}`);
		}
		const [above, below] = [picture.at(2, 2), picture.at(2, 177)];
		assert.ok(above[2] > above[0], `sky: ${above}`);
		assert.ok(Math.max(...below) - Math.min(...below) < 40, `floor: ${below}`);
	}
});

test('the sun throws shadows, and corners are darker', drawn, (t) => {
	const at = record(t), camera = { eye: [0, -9, 6], target: [0, 0, 0], fov: 0.8 };
	const seen = (name, point) => readPng(path.join(at, name)).at(...project(camera, point, 320, 180))[1];
	draw(at, 'left.png', '--frame', '0', '--camera', '0,-9,6:0,0,0:0.8', '--light', '-2,0,-2');
	draw(at, 'right.png', '--frame', '0', '--camera', '0,-9,6:0,0,0:0.8', '--light', '2,0,-2');
	const beside = [2.9, 0, 0], [shade, sun] = [seen('right.png', beside), seen('left.png', beside)];
	assert.ok(shade < 0.75 * sun, `${shade} in the shadow, ${sun} in the sun`);
	const corner = seen('left.png', [0, -0.58, 0]), open = seen('left.png', [0, -2.5, 0]);
	assert.ok(corner < 0.93 * open, `${corner} at the foot, ${open} out in the open`);
});

test('the same frame gives the same bytes, another one others', drawn, (t) => {
	const at = record(t), bytes = (name) => fs.readFileSync(path.join(at, name));
	for (const quality of ['fast', 'fine']) {
		draw(at, 'a.png', '--frame', '3', '--quality', quality);
		draw(at, 'b.png', '--frame', '3', '--quality', quality);
		draw(at, 'c.png', '--frame', '4', '--quality', quality);
		assert.ok(bytes('a.png').equals(bytes('b.png')) && !bytes('a.png').equals(bytes('c.png')), quality);
	}
	draw(at, 'last.png');
	draw(at, 'twelve.png', '--frame', '12');
	assert.ok(bytes('last.png').equals(bytes('twelve.png')));
});

test('without a camera all that moves is in view, large and small, near and far', drawn, (t) => {
	for (const [scale, away] of [[1, 0], [0.001, 0], [50, 4000]]) {
		const scene = cubes();
		scene.world.gravity = [0, 0, -10 * scale];
		scene.shapes = { cube: { box: [scale, scale, scale] }, ball: { sphere: 0.4 * scale } };
		for (const body of scene.bodies)
			if (body.position)
				body.position = [body.position[0] * scale + away, body.position[1] * scale, body.position[2] * scale];
		const at = record(t, scene);
		draw(at, 'a.png', '--frame', '0');
		const picture = readPng(path.join(at, 'a.png'));
		for (const name of Object.keys(COLORS))
			assert.ok(count(picture, name) > 150, `${name} at scale ${scale}: ${count(picture, name)}`);
		for (let x = 0; x < 320; ++x)
			assert.ok(hue(picture.at(x, 0)) !== 'red' && hue(picture.at(x, 179)) === '', `border at ${x}, scale ${scale}`);
		for (let y = 0; y < 180; ++y)
			assert.ok(hue(picture.at(0, y)) !== 'red' && hue(picture.at(319, y)) !== 'red');
	}
});

test('a slab about what moves, and a long rod, do not make the picture small', drawn, (t) => {
	const scene = (more) => ({ ...cubes(), bodies: [...cubes().bodies.filter((body) => !body.shape.halfspace), ...more] });
	const red = (more) => {
		const at = record(t, { ...scene(more), world: { frames: 1, gravity: [0, 0, -10] } });
		draw(at, 'a.png', '--frame', '0');
		return count(readPng(path.join(at, 'a.png')), 'red');
	};
	const alone = red([]);
	// a ball about it would be 4 m and more across
	const slab = red([{ name: 'slab', type: 'fixed', shape: { box: [7, 7, 0.1] }, position: [0, 0, -0.6], color: '#808080' }]);
	const rod = red([{ name: 'rod', shape: { cylinder: { radius: 0.02, length: 5 } }, position: [0, 1, 1.5], color: '#808080' }]);
	assert.ok(slab > 0.5 * alone, `${slab} of ${alone} with the slab`);
	assert.ok(rod > 0.3 * alone, `${rod} of ${alone} with the rod`);
});

test('--camera fit: as if the scene had no camera', drawn, (t) => {
	const own = record(t, cubes({ camera: { position: [30, -90, 40], target: [0, 0, 1], fov: 0.8 } })), none = record(t);
	draw(own, 'fit.png', '--frame', '0', '--camera', 'fit');
	draw(none, 'none.png', '--frame', '0');
	assert.ok(fs.readFileSync(path.join(own, 'fit.png')).equals(fs.readFileSync(path.join(none, 'none.png'))));
});

test("the scene's own camera is taken, and --camera instead of it", drawn, (t) => {
	const at = record(t, cubes({ camera: { position: [3, -9, 4], target: [0, 0, 1], fov: 0.8 } }));
	const bytes = (name) => fs.readFileSync(path.join(at, name));
	draw(at, 'own.png', '--frame', '0');
	draw(at, 'given.png', '--frame', '0', '--camera', '3,-9,4:0,0,1:0.8');
	draw(at, 'other.png', '--frame', '0', '--camera', '-3,-9,4:0,0,1:0.8');
	assert.ok(bytes('own.png').equals(bytes('given.png')) && !bytes('own.png').equals(bytes('other.png')));
});

test('walls that stand in front of what moves do not hide it', drawn, (t) => {
	const box = (name, size, position) => ({ name, type: 'fixed', shape: { box: size }, position, color: '#606870' });
	const plane = (name, normal, offset) => ({ name, type: 'fixed', shape: { halfspace: { normal, offset } } });
	const inside = { name: 'in', shape: { box: [1, 1, 1] }, position: [0, 0, 0.5], color: COLORS.red };
	const boxes = [box('floor', [8, 8, 1], [0, 0, -0.5]), box('front', [4, 0.2, 4], [0, -1.5, 2]),
		box('back', [4, 0.2, 4], [0, 1.5, 2]), box('left', [0.2, 2.8, 4], [-1.9, 0, 2]), box('right', [0.2, 2.8, 4], [1.9, 0, 2])];
	const planes = [plane('floor', [0, 0, 1], 0), plane('front', [0, 1, 0], -1.5), plane('back', [0, -1, 0], -1.5),
		plane('left', [1, 0, 0], -1.5), plane('right', [-1, 0, 0], -1.5)];
	for (const walls of [boxes, planes]) {
		const at = record(t, cubes({ bodies: [...walls, inside] }));
		draw(at, 'a.png');
		assert.ok(count(readPng(path.join(at, 'a.png')), 'red') > 300, walls === boxes ? 'boxes' : 'half-spaces');
		draw(at, 'b.png', '--no-glass'); // boxes are solid now and hide it, half-spaces are gone
		const seen = count(readPng(path.join(at, 'b.png')), 'red');
		assert.ok(walls === boxes ? seen < 100 : seen > 300, `${seen} pixels without glass`);
	}
});

test('bodies that appear later are not there before, and are in view', drawn, (t) => {
	const scene = cubes({
		generators: [{
			name: 'late', grid: { count: [1, 1, 1], spacing: 2, origin: [0, 0, 6] },
			body: { shape: 'ball', color: '#e010c0' }, emit: { count: 1, every: 1, start: 6 },
		}],
	});
	scene.bodies = scene.bodies.filter((body) => !['ball', 'red', 'blue'].includes(body.name)); // they would mix to pink
	const at = record(t, scene), pink = ([r, g, b]) => r > 110 && b > 90 && g < 0.6 * b;
	const counted = (file) => {
		const picture = readPng(path.join(at, file));
		let found = 0;
		for (let i = 0; i < 320 * 180; ++i)
			found += pink(picture.at(i % 320, Math.floor(i / 320)));
		return found;
	};
	draw(at, 'a%d.png', '--from', '4', '--to', '8', '--quality', 'fine');
	assert.equal(counted('a4.png'), 0);
	assert.ok(counted('a8.png') > 20, `${counted('a8.png')}`);
});

test('contacts, planes, edges and sleep can be seen', drawn, (t) => {
	const scene = cubes();
	scene.world.frames = 90;
	const at = record(t, scene), file = (name) => path.join(at, name);
	const view = ['--frame', '90', '--camera', '3,-9,4:0,0,1:0.8'];
	draw(at, 'plain.png', ...view);
	for (const how of ['contacts', 'planes', 'wireframe', 'sleeping'])
		draw(at, `${how}.png`, ...view, `--${how}`);
	const pictures = Object.fromEntries(['plain', 'contacts', 'planes', 'wireframe', 'sleeping']
		.map((name) => [name, readPng(file(`${name}.png`))]));
	const differ = (name) => {
		let found = 0;
		for (let i = 0; i < 320 * 180; ++i)
			found += pictures.plain.at(i % 320, Math.floor(i / 320)).some((x, c) =>
				Math.abs(x - pictures[name].at(i % 320, Math.floor(i / 320))[c]) > 8);
		return found;
	};
	// Under the green cube, whose own colour these marks do not have.
	const [x, y] = project({ eye: [3, -9, 4], target: [0, 0, 1], fov: 0.8 }, [0.5, -0.5, 0], 320, 180);
	const near = (picture, color) => {
		for (let dy = -4; dy <= 4; ++dy)
			for (let dx = -4; dx <= 4; ++dx)
				if (hue(picture.at(x + dx, y + dy)) === color)
					return true;
		return false;
	};
	assert.ok(!near(pictures.plain, 'blue') && near(pictures.contacts, 'blue'), 'a contact at the corner');
	for (const [name, least] of [['contacts', 200], ['planes', 500], ['wireframe', 1500]])
		assert.ok(differ(name) > least, `${name}: ${differ(name)} pixels`);
	assert.ok(count(pictures.wireframe, 'red') > 20 && count(pictures.wireframe, 'red') < count(pictures.plain, 'red') / 2);
	const asleep = JSON.parse(cairn(at, 'run', 'a.json', '--json', '-q', '-o', 'again.cairn').stdout).asleep;
	assert.equal(differ('sleeping') > 1000, asleep >= 3, `${asleep} asleep, ${differ('sleeping')} pixels`);
	// One after another or straight to it: the same contacts.
	draw(at, 'c%d.png', '--from', '88', '--to', '90', '--contacts', '--camera', '3,-9,4:0,0,1:0.8');
	draw(at, 'one.png', ...view, '--contacts', '--quality', 'fast');
	const [a, b] = [readPng(file('c90.png')), readPng(file('one.png'))];
	let far = 0;
	for (let i = 0; i < a.pixels.length; ++i)
		far += Math.abs(a.pixels[i] - b.pixels[i]) > 40;
	assert.ok(far < 30, `${far} bytes differ`);
});

const ROPE_VIEW = ['--camera', '1,-12,3:1,0,3:0.6', '--quality', 'fine'];

// Whether something dark and thin is seen at a place, with that view.
function isRope(at, frame, place) {
	const picture = readPng(path.join(at, `${frame}.png`));
	const [x, y] = project({ eye: [1, -12, 3], target: [1, 0, 3], fov: 0.6 }, place, 320, 180);
	const least = Math.min(...[-2, -1, 0, 1, 2].map((i) => Math.max(...picture.at(x + i, y))));
	return least < Math.max(...picture.at(x + 12, y)) - 30;
}

test('ropes and arms are seen, until they break', drawn, (t) => {
	const ball = (name, x, more) => ({ name, shape: 'ball', position: [x, 0, 2], ...more });
	const scene = cubes({
		bodies: [ball('arm', -2), ball('rope', 0), ball('torn', 2), { name: 'near', shape: 'cube', position: [4, 0, 2] }],
		joints: [
			{ type: 'ball', bodies: ['arm', 'world'], point: [-2, 0, 5] },
			{ type: 'distance', bodies: ['rope', 'world'], points: [[0, 0, 2.4], [0, 0, 5]] },
			{ type: 'distance', bodies: ['torn', 'world'], points: [[2, 0, 2.4], [2, 0, 5]], breaks: { force: 1 } },
			{ type: 'ball', bodies: ['near', 'world'], point: [4.5, 0, 2.5] },
		],
	});
	const at = record(t, scene), dark = (frame, place) => isRope(at, frame, place);
	draw(at, '%d.png', ...ROPE_VIEW);
	for (const frame of [0, 12]) {
		assert.ok(dark(frame, [-2, 0, 3.8]), 'from the ball to the point that it hangs on');
		assert.ok(dark(frame, [0, 0, 3.8]), 'from end to end');
		assert.ok(!dark(frame, [4.5, 0, 3.5]) && !dark(frame, [4.3, 0, 3]), 'a joint at its body is not drawn');
	}
	assert.ok(dark(0, [2, 0, 3.8]) && !dark(12, [2, 0, 3.8]), 'gone when it has broken');
});

test('what bodies hang on is in view, and a string far away is a whole line', drawn, (t) => {
	const scene = {
		version: 1, world: { gravity: [0, 0, -10], fps: 30, frames: 20 },
		bodies: [{ name: 'ball', shape: { sphere: 0.2 }, position: [0, 0, 1], color: COLORS.red },
			{ name: 'hook', type: 'fixed', shape: { sphere: 0.1 }, position: [0, 0, 2.8], color: COLORS.blue }],
		joints: [{ type: 'distance', bodies: ['ball', 'hook'], points: [[0, 0, 1], [0, 0, 2.8]] }],
	};
	const at = record(t, scene);
	draw(at, 'fit.png');
	assert.ok(count(readPng(path.join(at, 'fit.png')), 'blue') > 5, 'the hook is in view');
	draw(at, 'far.png', '--camera', '1,-40,2:0,0,2:0.3', '--quality', 'fast'); // a pixel is 67 mm, the string 17 mm
	const far = readPng(path.join(at, 'far.png')), view = { eye: [1, -40, 2], target: [0, 0, 2], fov: 0.3 };
	const [x, top] = project(view, [0, 0, 2.6], far.width, far.height), [, bottom] = project(view, [0, 0, 1.4], far.width, far.height);
	for (let y = top; y < bottom; ++y)
		assert.ok([-1, 0, 1].some((step) => far.at(x + step, y)[1] < 110), `row ${y} of ${top} to ${bottom} has string`);
});

test('what moves early and then rests for long is in view where it was', drawn, (t) => {
	const scene = cubes({ world: { gravity: [0, 0, -10], fps: 25, frames: 600, method: 'oba' } });
	scene.bodies = scene.bodies.filter((body) => body.name !== 'red');
	Object.assign(scene.bodies.find((body) => body.name === 'ball'), { position: [0, 0, 6], color: COLORS.red });
	const at = record(t, scene);
	draw(at, 'a.png', '--frame', '0');
	assert.ok(count(readPng(path.join(at, 'a.png')), 'red') > 20, 'the ball is in the first picture');
});

test('one who flies off is still seen in a single picture', drawn, (t) => {
	const scene = cubes({ world: { gravity: [0, 0, 0], fps: 25, frames: 100, method: 'oba' } });
	scene.bodies = [{ name: 'ball', shape: 'ball', position: [0, 0, 6], velocity: [900, 0, 0], color: COLORS.red }];
	const at = record(t, scene);
	for (const frame of ['0', '50'])
		draw(at, 'a.png', '--frame', frame),
		assert.ok(count(readPng(path.join(at, 'a.png')), 'red') > 500, `frame ${frame}`);
});

test('a floor on which capsules lie is not taken for a wall in front of them', drawn, (t) => {
	const box = (name, size, position, color) => ({ name, type: 'fixed', shape: { box: size }, position, color });
	const lying = [0, 1, 2].map((i) => ({
		name: `rod ${i}`, shape: { capsule: { radius: 0.2, length: 2 } }, position: [0, i, 0.2],
		orientation: [0.6532815, 0.2705981, 0.6532815, 0.2705981], color: COLORS.red, // on an edge of its box
	}));
	const scene = { version: 1, world: { gravity: [0, 0, -10], fps: 30, frames: 3 },
		bodies: [box('floor', [6, 6, 1], [0, 1, -0.5], COLORS.green), ...lying] };
	const at = record(t, scene), camera = ['--camera', '0,-8,5:0,1,0:0.8', '--quality', 'fast'];
	draw(at, 'glass.png', ...camera);
	draw(at, 'solid.png', ...camera, '--no-glass');
	assert.ok(fs.readFileSync(path.join(at, 'glass.png')).equals(fs.readFileSync(path.join(at, 'solid.png'))));
});

test('a recording may begin when bodies with ropes have gone', drawn, (t) => {
	const at = folder(t);
	forge(at, write(at, 'a.json', ropes()), 'a.cairn', 'late');
	draw(at, '%d.png', ...ROPE_VIEW);
	for (const frame of [1, 11]) {
		assert.ok(isRope(at, frame, [4, 0, 4.5]), 'that of the ball that is left');
		for (const x of [-1, 1])
			assert.ok(!isRope(at, frame, [x, 0, 4.7]), 'those of the others are not drawn, at whatever is in their place');
	}
});

test('many pictures have the numbers of their frames', drawn, (t) => {
	const at = record(t);
	fs.mkdirSync(path.join(at, 'frames'));
	const { stdout, stderr } = draw(at, 'frames/%03d.png', '--from', '9', '--to', '12');
	assert.deepEqual(fs.readdirSync(path.join(at, 'frames')), ['009.png', '010.png', '011.png', '012.png']);
	assert.match(stdout, /^frames\/009\.png to frames\/012\.png: frames 9 to 12, 4 pictures of 320x180\n$/);
	assert.match(stderr, /^a: 4\/4 frames, 0:00 left\n$/);
	assert.equal(cairn(at, 'render', 'a.cairn', '-o', 'q.png', ...SIZE, '-q').stderr, '');
});

test('slow motion shows the way between frames, and the frames themselves', drawn, (t) => {
	const scene = cubes({ bodies: [{ name: 'only', shape: 'cube', position: [0, 0, 0], spin: [0, 0, 12], velocity: [30, 0, 0],
		color: COLORS.red }] });
	scene.world = { gravity: [0, 0, 0], fps: 10, frames: 2, method: 'free' };
	const at = record(t, scene), view = ['--camera', '3,-20,0:3,0,0:0.6'];
	draw(at, 's%d.png', '--slow', '4', ...view);
	draw(at, 'f%d.png', ...view);
	const bytes = (name) => fs.readFileSync(path.join(at, name));
	assert.equal(fs.readdirSync(at).filter((name) => /^s\d+\.png$/.test(name)).length, 9);
	assert.ok(bytes('s0.png').equals(bytes('f0.png')) && bytes('s4.png').equals(bytes('f1.png')) && bytes('s8.png').equals(bytes('f2.png')));
	const middle = (name) => {
		const picture = readPng(path.join(at, name));
		let sum = 0, found = 0;
		for (let i = 0; i < 320 * 180; ++i)
			if (hue(picture.at(i % 320, Math.floor(i / 320))) === 'red')
				sum += i % 320, ++found;
		return sum / found;
	};
	const [from, half, to] = ['s0.png', 's2.png', 's4.png'].map(middle);
	assert.ok(to - from > 20 && Math.abs(half - (from + to) / 2) < 0.15 * (to - from), `${from} ${half} ${to}`);
});

const probe = (at, file) => JSON.parse(spawnSync('ffprobe', ['-v', 'error', '-count_frames', '-show_streams', '-of', 'json',
	path.join(at, file)], { encoding: 'utf8' }).stdout).streams[0];

test('a film has the frames, the size and the rate', filmed, (t) => {
	const at = record(t);
	const { stdout } = draw(at, 'a.mp4');
	assert.match(stdout, /^a\.mp4: frames 0 to 12, 13 pictures of 320x180, 25 a second, [\d.]+ kB\n$/);
	const film = probe(at, 'a.mp4');
	assert.deepEqual([film.codec_name, film.width, film.height, film.nb_read_frames, film.r_frame_rate, film.pix_fmt],
		['h264', 320, 180, '13', '25/1', 'yuv420p']);
	draw(at, 'b.mp4', '--from', '2', '--to', '5', '--slow', '3', '--fps', '60');
	const slow = probe(at, 'b.mp4');
	assert.deepEqual([slow.nb_read_frames, slow.r_frame_rate], ['10', '60/1']);
	// Its pictures are those of the frames.
	draw(at, 'twelve.png', '--frame', '12', '--quality', 'fast');
	spawnSync('ffmpeg', ['-v', 'error', '-i', 'a.mp4', '-vf', 'select=eq(n\\,12)', '-frames:v', '1', 'shown.png'], { cwd: at });
	const [a, b] = [readPng(path.join(at, 'twelve.png')), readPng(path.join(at, 'shown.png'))];
	let sum = 0;
	for (let i = 0; i < a.pixels.length; ++i)
		sum += Math.abs(a.pixels[i] - b.pixels[i]);
	assert.ok(sum / a.pixels.length < 6, `mean difference ${sum / a.pixels.length}`);
	assert.deepEqual(fs.readdirSync(at).filter((name) => name.endsWith('.part')), []);
});

test('what cannot be is refused', drawn, (t) => {
	const at = record(t);
	const refuse = (status, words, ...args) => {
		const result = cairn(at, 'render', ...args);
		assert.equal(result.status, status, `${args.join(' ')}: ${result.stderr}`);
		assert.match(result.stderr, words);
		assert.equal(result.stdout, '');
	};
	const a = 'a.cairn';
	refuse(2, /render takes a recording, and 'tumble' is a scene; cairn run tumble makes one/, 'tumble', '-o', 'a.png');
	refuse(2, /needs -o FILE: a picture, such as -o a\.png/, a);
	refuse(2, /must end in \.png or \.mp4/, a, '-o', 'a.gif');
	refuse(2, /must end in \.png or \.mp4/, a, '-o', 'a');
	for (const pattern of ['%s.png', '%d-%d.png', '%.png', '%4x.png', '%d.mp4', '%99d.png', '%1000d.png', '%%d.png', '%-3d.png'])
		refuse(2, /a number is written %d or %04d, once/, a, '-o', pattern);
	refuse(2, /--frame 13 is out of range; the recording has frames 0 to 12/, a, '-o', 'a.png', '--frame', '13');
	refuse(2, /--from 13 is out of range/, a, '-o', '%d.png', '--from', '13');
	refuse(2, /--to 1 comes before --from 2/, a, '-o', '%d.png', '--from', '2', '--to', '1');
	refuse(2, /a\.png is one picture, of --frame N/, a, '-o', 'a.png', '--from', '2');
	refuse(2, /--frame is for one picture/, a, '-o', '%d.png', '--frame', '2');
	refuse(2, /--fps is for a film/, a, '-o', 'a.png', '--fps', '30');
	refuse(2, /--slow cannot be 0/, a, '-o', '%d.png', '--slow', '0');
	for (const size of ['0x0', '1280', '15x100', '100x5000', '100X100', 'axb', '100x100x100', '-100x100'])
		refuse(2, /--size cannot be/, a, '-o', 'a.png', '--size', size);
	refuse(2, /even number of pixels/, a, '-o', 'a.mp4', '--size', '321x180');
	for (const camera of ['1,2,3', '1,2:3,4,5', '1,2,3:4,5,6:', 'a,b,c:0,0,0', '1,2,3:4,5,nan', '1,2,3:4,5,6:0.8x'])
		refuse(2, /--camera cannot be/, a, '-o', 'a.png', '--camera', camera);
	refuse(2, /an angle of view of 45 rad/, a, '-o', 'a.png', '--camera', '1,2,3:4,5,6:45');
	refuse(2, /two different ones/, a, '-o', 'a.png', '--camera', '1,2,3:1,2,3');
	refuse(2, /--light cannot be/, a, '-o', 'a.png', '--light', '0,0,0');
	refuse(2, /--quality cannot be 'best', .*give one of auto, fast, fine/, a, '-o', 'a.png', '--quality', 'best');
	refuse(4, /no\/such\/a\.png/, a, '-o', 'no/such/a.png', ...SIZE);
	refuse(4, /a\.json\/b\.png/, a, '-o', 'a.json/b.png', ...SIZE);
	refuse(4, /no\/such\/a\.mp4/, a, '-o', 'no/such/a.mp4', ...SIZE);
	refuse(4, /missing\.cairn/, 'missing.cairn', '-o', 'a.png');
	fs.symlinkSync('/dev/full', path.join(at, 'full.png'));
	refuse(4, /not a regular file/, a, '-o', 'full.png');
	assert.deepEqual(fs.readdirSync(at).sort(), ['a.cairn', 'a.json', 'full.png']);
});

test('a truncated recording is drawn as far as it goes, a damaged one too, with exit status 4', drawn, (t) => {
	const at = record(t), bytes = fs.readFileSync(path.join(at, 'a.cairn'));
	fs.writeFileSync(path.join(at, 'cut.cairn'), bytes.subarray(0, bytes.length - 400));
	const cut = cairn(at, 'render', 'cut.cairn', '-o', 'cut.png', ...SIZE);
	assert.equal(cut.status, 0, cut.stderr);
	assert.match(cut.stderr, /^cairn: cut\.cairn: /);
	assert.match(cut.stdout, /^cut\.png: frame (9|10|11), /);
	assert.equal(readPng(path.join(at, 'cut.png')).width, 320);
	const wrong = Buffer.from(bytes);
	wrong[bytes.length - 600] ^= 0x55;
	fs.writeFileSync(path.join(at, 'wrong.cairn'), wrong);
	const damaged = cairn(at, 'render', 'wrong.cairn', '-o', 'wrong.png', ...SIZE);
	assert.equal(damaged.status, 4, damaged.stderr);
	assert.match(damaged.stderr, /wrong\.cairn: .*damaged/);
	fs.writeFileSync(path.join(at, 'none.cairn'), 'not a recording');
	assert.equal(cairn(at, 'render', 'none.cairn', '-o', 'none.png', ...SIZE).status, 4);
	fs.writeFileSync(path.join(at, 'head.cairn'), bytes.subarray(0, 40));
	assert.equal(cairn(at, 'render', 'head.cairn', '-o', 'none.png', ...SIZE).status, 4);
	assert.ok(!fs.existsSync(path.join(at, 'none.png')));
});

test('no OpenGL: exit status 5, what to install, and the old picture stays', (t) => {
	const at = record(t);
	write(at, 'a.png', 'old');
	fs.mkdirSync(path.join(at, 'lib'));
	write(path.join(at, 'lib'), 'libEGL.so.1', 'this is no library');
	const result = shell(at, 'LD_LIBRARY_PATH=lib "$CAIRN" render a.cairn -o a.png');
	assert.equal(result.status, 5, result.stderr);
	assert.match(result.stderr, /^cairn: drawing needs OpenGL 3\.3 through EGL: .*libEGL\.so\.1.*libegl1 and libgl1-mesa-dri/);
	assert.equal(fs.readFileSync(path.join(at, 'a.png'), 'utf8'), 'old');
});

test('no ffmpeg: exit status 5, what to do, and the old film stays', drawn, (t) => {
	const at = record(t);
	write(at, 'a.mp4', 'old');
	const result = shell(at, 'PATH=/nonexistent "$CAIRN" render a.cairn -o a.mp4 --size 64x64');
	assert.equal(result.status, 5, result.stderr);
	assert.match(result.stderr, /^cairn: a film needs ffmpeg, which is not on the PATH here: .*-o frame-%04d\.png/);
	assert.equal(fs.readFileSync(path.join(at, 'a.mp4'), 'utf8'), 'old');
	assert.deepEqual(fs.readdirSync(at).sort(), ['a.cairn', 'a.json', 'a.mp4']);
});

test('an ffmpeg that fails, or is not one: exit status 4, its own words, the old film stays', drawn, (t) => {
	const at = record(t);
	write(at, 'a.mp4', 'old');
	fs.mkdirSync(path.join(at, 'bin'));
	fs.writeFileSync(path.join(at, 'bin/ffmpeg'), '#!/bin/sh\necho "[x @ 0x1] something broke" >&2\nexit 1\n', { mode: 0o755 });
	const result = shell(at, 'PATH=$PWD/bin:$PATH "$CAIRN" render a.cairn -o a.mp4 --size 64x64 -q');
	assert.equal(result.status, 4, result.stderr);
	assert.match(result.stderr, /^cairn: a\.mp4: ffmpeg could not make the film: something broke\n$/);
	assert.equal(fs.readFileSync(path.join(at, 'a.mp4'), 'utf8'), 'old');
	assert.deepEqual(fs.readdirSync(at).sort(), ['a.cairn', 'a.json', 'a.mp4', 'bin']);
});

test('a disk that fills up leaves no half picture and the old one whole', drawn, (t) => {
	const at = record(t);
	write(at, 'a.png', 'old');
	write(at, 'p3.png', 'old');
	for (const [how, ...files] of [['a.png', 'a.png'], ['p%d.png --from 3 --to 5', 'p3.png']]) {
		const result = shell(at, `trap "" XFSZ; ulimit -f 4; "$CAIRN" render a.cairn -q -o ${how} --size 640x360`);
		assert.equal(result.status, 4, result.stderr);
		assert.match(result.stderr, new RegExp(`^cairn: ${files[0].replace('.', '\\.')}: cannot write it: .+\\n$`));
		for (const file of files)
			assert.equal(fs.readFileSync(path.join(at, file), 'utf8'), 'old');
	}
	assert.deepEqual(fs.readdirSync(at).sort(), ['a.cairn', 'a.json', 'a.png', 'p3.png']);
});

test('a disk that fills up leaves no half film and the old one whole', filmed, (t) => {
	const at = record(t);
	write(at, 'a.mp4', 'old');
	const result = shell(at, 'trap "" XFSZ; ulimit -f 2; "$CAIRN" render a.cairn -q -o a.mp4 --size 640x360');
	assert.equal(result.status, 4, result.stderr);
	assert.match(result.stderr, /^cairn: a\.mp4: /);
	assert.equal(fs.readFileSync(path.join(at, 'a.mp4'), 'utf8'), 'old');
	assert.deepEqual(fs.readdirSync(at).sort(), ['a.cairn', 'a.json', 'a.mp4']);
});

test('interrupted, it ends in order and leaves what was there', filmed, async (t) => {
	const scene = cubes();
	scene.world.frames = 900;
	const at = record(t, scene);
	write(at, 'a.mp4', 'old');
	const child = start(at, 'render', 'a.cairn', '-o', 'a.mp4', '--progress', 'json'), end = ended(child);
	child.stderr.once('data', () => child.kill('SIGINT'));
	const { status, stderr } = await end;
	assert.equal(status, 130, stderr);
	assert.match(stderr, /cairn: stopped; a\.mp4 was not finished\n$/);
	assert.equal(fs.readFileSync(path.join(at, 'a.mp4'), 'utf8'), 'old');
	assert.deepEqual(fs.readdirSync(at).sort(), ['a.cairn', 'a.json', 'a.mp4']);
});
