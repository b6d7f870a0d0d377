// cairn import: models of test/data/import become scenes that run certified; what is wrong in one is said with its place.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cairn, folder, write } from './tool.mjs';

const data = fileURLToPath(new URL('../data/import', import.meta.url));
const none = cairn('.', 'import', path.join(data, 'pendulum.urdf'), '-o', '/nowhere/x.json').status === 5;
const skip = none && 'built without expat';

function make(at, name, ...options) {
	const made = cairn(at, 'import', path.join(data, name), '-o', 'model.json', '--force', '--json', ...options);
	assert.equal(made.status, 0, made.stderr);
	return { scene: JSON.parse(fs.readFileSync(path.join(at, 'model.json'), 'utf8')), report: JSON.parse(made.stdout) };
}

const body = (scene, name) => scene.bodies.find((b) => b.name === name);
const joint = (scene, name) => scene.joints.find((j) => j.name === name);
const passes = (scene, a, b) => scene.joints.some((j) => j.type === 'pass' && j.bodies.includes(a) && j.bodies.includes(b));
const near = (a, b, most = 1e-12) => assert.ok(Math.abs(a - b) <= most, `${a}, not ${b}`);

// Frames after which all of it is certified again.
const models = { 'pendulum.urdf': [], 'arm.urdf': [], 'rover.urdf': ['--floor', '--lift', '0.2'], 'table.urdf': [], 'frames.urdf': [],
	'biped.xml': ['--key', 'lunge'], 'crane.xml': [], 'filters.xml': [], 'turned.xml': [], 'drives.xml': ['--key', '0'] };
for (const [name, options] of Object.entries(models))
	test(`${name} runs certified`, { skip }, (t) => {
		const at = folder(t);
		make(at, name, ...options);
		const ran = cairn(at, 'run', 'model.json', '--frames', '20', '--quiet');
		assert.equal(ran.status, 0, ran.stderr);
		assert.equal(cairn(at, 'certify', 'model.cairn', '--quiet').status, 0);
	});

test('a link and its joint', { skip }, (t) => {
	const { scene } = make(folder(t), 'arm.urdf');
	assert.equal(body(scene, 'base').type, 'fixed', 'a root without mass is part of the world');
	const upper = body(scene, 'upper');
	near(upper.mass, 3);
	near(upper.center[2], 0.2);
	assert.equal(upper.color, '#ff801a', 'the colour of the visual, the shape of the collision');
	const shoulder = joint(scene, 'shoulder');
	assert.deepEqual(shoulder.bodies, ['world', 'upper']);
	assert.deepEqual(shoulder.limits, [-1.5, 1.5]);
	assert.deepEqual(shoulder.motor, { target: 0, stiffness: 0, damping: 2 });
});

test('a joint that starts outside its limits is moved there, and all that hangs on it', { skip }, (t) => {
	const { scene, report } = make(folder(t), 'arm.urdf');
	const elbow = joint(scene, 'elbow'), fore = body(scene, 'fore');
	near(elbow.limits[0], 0);
	near(elbow.limits[1], 1.8);
	near(2 * Math.atan2(fore.orientation[2], fore.orientation[0]), 0.5);
	const note = report.notes.find((n) => n.what.includes('elbow'));
	assert.match(note.why, /outside its limits, 0.2 and 2; it starts at 0.2/);
	assert.ok(note.line > 0 && note.column > 0);
});

test('what is not taken over is listed with its place', { skip }, (t) => {
	const at = folder(t);
	const { report } = make(at, 'arm.urdf');
	const lines = fs.readFileSync(path.join(data, 'arm.urdf'), 'utf8').split('\n');
	for (const what of ['<transmission>', '<mimic>', 'friction of <dynamics>', 'velocity of <limit>']) {
		const note = report.notes.find((n) => n.what === what);
		assert.ok(note, what);
		assert.ok(lines[note.line - 1].slice(note.column - 1).startsWith('<'), `${what} at ${note.line}:${note.column}`);
	}
	write(at, 'odd.xml', '<mujoco><wheel/><worldbody><geom size="1" colour="red"/></worldbody></mujoco>');
	const text = cairn(at, 'import', 'odd.xml');
	assert.match(text.stdout, /<wheel>\s+unknown here \(1:9\)/);
	assert.match(text.stdout, /colour of <geom>\s+unknown here \(1:28\)/);
});

test('a planar joint is two sliders and a hinge, with carriers that share the mass', { skip }, (t) => {
	const { scene, report } = make(folder(t), 'table.urdf');
	assert.equal(report.carriers, 2);
	assert.deepEqual(scene.joints.filter((j) => j.name?.startsWith('glide')).map((j) => j.type).sort(), ['hinge', 'slider', 'slider']);
	near(scene.bodies.filter((b) => b.name.startsWith('sledge')).reduce((sum, b) => sum + b.mass, 0), 4);
	near(report.mass, 4.5);
	assert.equal(body(scene, 'sledge').shape.hull.points.length, 6, 'the hull of the mesh');
	assert.ok(!scene.joints.some((j) => j.bodies.includes('cup') && j.type !== 'pass'), 'floating is free');
});

test('links without mass', { skip }, (t) => {
	const { scene, report } = make(folder(t), 'frames.urdf');
	assert.ok(!body(scene, 'lens'), 'part of what it is fixed to');
	assert.equal(body(scene, 'camera').shape.compound.parts.length, 2);
	near(body(scene, 'yoke').mass + body(scene, 'camera').mass, 0.4);
	near(report.mass, 0.4);
});

test('weights of meshes and of a full inertia', { skip }, (t) => {
	const crane = make(folder(t), 'crane.xml').scene, turned = make(folder(t), 'turned.xml').scene;
	// A tetrahedron and one on its face: (0.2 x 0.2 x 0.3 + 0.008) / 6 m^3 of steel, and the wedge of 2 kg.
	near(body(crane, 'load').mass, 7800 * (0.012 + 0.008) / 6 + 2, 1e-12 * 28);
	const c = body(turned, 'c'), scale = c.mass / 3; // settotalmass
	const I = [[0.05, 0.001, 0.002], [0.001, 0.06, 0.003], [0.002, 0.003, 0.07]];
	c.inertia.forEach((row, i) => row.forEach((x, k) => near(x, I[i][k] * scale, 1e-15)));
	near(turned.bodies.reduce((sum, b) => sum + b.mass, 0), 20);
});

test('drives: springs, dampers and actuators are one servo', { skip }, (t) => {
	const { scene } = make(folder(t), 'drives.xml', '--key', '0');
	assert.deepEqual(joint(scene, 'spring').motor, { target: 0.5, stiffness: 40, damping: 1.5 });
	const place = joint(scene, 'place'); // gear 2: 2 (50 (1 - 2 q) - 2 q') against 0.5 q' of its own
	near(place.motor.stiffness, 200);
	near(place.motor.damping, 4.5);
	near(place.motor.target, 0.5 - 0.25);
	near(place.motor.most, 60);
	near(place.limits[0], -1.25);
	const spin = joint(scene, 'spin').motor;
	near(spin.damping, 3);
	near(spin.speed, 2);
	assert.deepEqual(joint(scene, 'push').motor, { force: 5 });
	near(joint(scene, 'law').motor.target, 0.3);
});

test('a keyframe is where it starts', { skip }, (t) => {
	const { scene } = make(folder(t), 'biped.xml', '--key', 'lunge');
	near(body(scene, 'trunk').position[2], 0.72);
	const hip = joint(scene, 'left hip');
	near(hip.limits[0], 0.3 - Math.PI / 3);
	near(hip.motor.target, (80 * -0.3) / 80 + 0.3);
	assert.equal(make(folder(t), 'biped.xml', '--key', '0').scene.bodies.length, scene.bodies.length);
});

test('who touches whom', { skip }, (t) => {
	const { scene } = make(folder(t), 'filters.xml');
	const touch = (a, b) => {
		const f = (x) => body(scene, x).filter ?? { group: 1, mask: 0xffffffff };
		return (f(a).group & f(b).mask) !== 0 && (f(b).group & f(a).mask) !== 0 && !passes(scene, a, b);
	};
	assert.ok(!touch('ghost', 'ground') && touch('lower', 'ground') && !touch('lower', 'upper') && touch('upper', 'ground'));
	assert.ok(!touch('left', 'right') && touch('left', 'ground'));
	const friction = (a, b) => scene.pairs.find((p) => p.materials.slice().sort().join() === [a, b].map((n) => body(scene, n).material).sort().join());
	near(friction('lower', 'ground').friction, 0.6);
	near(friction('slick', 'near').friction, 0);
});

test('links that overlap where they start pass through each other, and that is said', { skip }, (t) => {
	const at = folder(t);
	write(at, 'fat.xml', '<mujoco><worldbody><body name="a"><freejoint/><geom name="ga" size="0.2"/><body name="b" pos="0.3 0 0">' +
		'<joint axis="0 1 0"/><geom size="0.2"/><body name="c" pos="-0.2 0 0.2"><joint/><geom name="gc" size="0.2"/></body></body></body></worldbody></mujoco>');
	const made = cairn(at, 'import', 'fat.xml', '--json');
	const scene = JSON.parse(fs.readFileSync(path.join(at, 'fat.json'), 'utf8'));
	assert.ok(passes(scene, 'a', 'c') && !passes(scene, 'a', 'b'), 'neighbours do not collide anyway');
	const note = JSON.parse(made.stdout).notes.find((n) => n.what === 'contact of "a" and "c"');
	assert.match(note.why, /overlap by 0\.176 m at the start \(geometries "ga" and "gc"\)/);
});

test('what is wrong in a file is said with its place', { skip }, (t) => {
	const at = folder(t);
	for (const line of fs.readFileSync(path.join(data, 'bad', 'expected.tsv'), 'utf8').trimEnd().split('\n')) {
		const [call, number, message] = line.split('\t'), [name, ...options] = call.split(' ');
		const made = cairn(path.join(data, 'bad'), 'import', name, '-o', path.join(at, 'x.json'), ...options);
		assert.equal(made.status, 3, `${name}: ${made.stdout}${made.stderr}`);
		assert.ok(made.stderr.includes(message), `${name}: ${made.stderr}`);
		assert.match(made.stderr, new RegExp(`^cairn: \\w+\\.(urdf|xml):${number}:\\d+: `));
		assert.ok(!fs.existsSync(path.join(at, 'x.json')), 'nothing is written');
	}
	assert.equal(cairn(path.join(data, 'bad'), 'import', 'out.urdf', '-o', path.join(at, 'y.json'), '--trust').status, 0);
});

test('names and files of the command line', { skip }, (t) => {
	const at = folder(t);
	assert.equal(cairn(at, 'import', 'a.txt').status, 2);
	assert.equal(cairn(at, 'import', 'nowhere.urdf').status, 4);
	assert.equal(cairn(at, 'import', path.join(data, 'arm.urdf'), '-o', 'a.txt').status, 2);
	assert.equal(cairn(at, 'import', path.join(data, 'arm.urdf'), '--lift', 'up').status, 2);
	assert.equal(cairn(at, 'import', path.join(data, 'arm.urdf')).status, 0);
	assert.equal(cairn(at, 'import', path.join(data, 'arm.urdf')).status, 4, 'arm.json is there');
});
