// Models that Debian's packages carry (MuJoCo's samples, DART's data): each becomes a scene, runs and is certified; masses,
// centres, inertias and poses are those of the source. MuJoCo itself says what an MJCF weighs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { cairn, folder } from '../cli/tool.mjs';

const samples = '/usr/share/mujoco/model', dart = '/usr/share/doc/dart/data';
const judge = process.env.CAIRN_MUJOCO;

// ---- arithmetic of its own

const turn = ([w, x, y, z], v) => {
	const c = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
	const u = [x, y, z], t = c(u, v).map((a) => 2 * a), s = c(u, t);
	return v.map((a, i) => a + w * t[i] + s[i]);
};
const rotate = (q, I) => {
	const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((e) => turn(q, e));
	return [0, 1, 2].map((i) => [0, 1, 2].map((k) => {
		let sum = 0;
		for (let p = 0; p < 3; ++p)
			for (let r = 0; r < 3; ++r)
				sum += axes[p][i] * I[p][r] * axes[r][k];
		return sum;
	}));
};
const unturn = ([w, x, y, z]) => [w, -x, -y, -z];

// Bodies together, in the world: mass, centre, inertia about it.
function together(bodies) {
	const mass = bodies.reduce((sum, b) => sum + b.mass, 0);
	const at = bodies.map((b) => turn(b.orientation ?? [1, 0, 0, 0], b.center).map((x, i) => x + b.position[i]));
	const center = [0, 1, 2].map((i) => bodies.reduce((sum, b, n) => sum + b.mass * at[n][i], 0) / mass);
	const inertia = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
	bodies.forEach((b, n) => {
		const own = rotate(b.orientation ?? [1, 0, 0, 0], b.inertia), d = at[n].map((x, i) => x - center[i]);
		const dd = d.reduce((sum, x) => sum + x * x, 0);
		for (let i = 0; i < 3; ++i)
			for (let k = 0; k < 3; ++k)
				inertia[i][k] += own[i][k] + b.mass * ((i === k ? dd : 0) - d[i] * d[k]);
	});
	return { mass, center, inertia };
}

// A link of the source against the bodies it became: itself and its carriers, "LINK (JOINT)".
function compare(scene, link, source) {
	const own = scene.bodies.filter((b) => b.type !== 'fixed' && (b.name === link || b.name.startsWith(`${link} (`)));
	const body = own.find((b) => b.name === link);
	assert.ok(body, `${link} is there`);
	const sum = together(own), q = body.orientation ?? [1, 0, 0, 0];
	const center = turn(unturn(q), sum.center.map((x, i) => x - body.position[i]));
	const inertia = rotate(unturn(q), sum.inertia);
	const size = Math.max(...source.inertia.flat().map(Math.abs));
	assert.ok(Math.abs(sum.mass - source.mass) <= 1e-9 * source.mass, `${link}: ${sum.mass} kg, not ${source.mass}`);
	center.forEach((x, i) => assert.ok(Math.abs(x - source.center[i]) < 1e-9, `${link}: its centre`));
	for (let i = 0; i < 3; ++i)
		for (let k = 0; k < 3; ++k)
			assert.ok(Math.abs(inertia[i][k] - source.inertia[i][k]) <= 1e-9 * size,
				`${link}: inertia ${i}${k} ${inertia[i][k]}, not ${source.inertia[i][k]}`);
	return { position: body.position, orientation: q };
}

const read = (at, name) => JSON.parse(fs.readFileSync(path.join(at, name), 'utf8'));

function make(at, file, ...options) {
	const made = cairn(at, 'import', file, '-o', 'model.json', '--force', '--json', ...options);
	assert.equal(made.status, 0, `${file}: ${made.stderr}`);
	return { scene: read(at, 'model.json'), report: JSON.parse(made.stdout) };
}

function run(at, file, frames) {
	const ran = cairn(at, 'run', 'model.json', '--frames', String(frames), '--force', '--json', '--quiet');
	assert.equal(ran.status, 0, `${file}: ${ran.stderr}`);
	const certified = cairn(at, 'certify', 'model.cairn', '--quiet');
	assert.equal(certified.status, 0, `${file}: ${certified.stdout}${certified.stderr}`);
}

// What MuJoCo says, body by body, of those that move.
function weigh(file) {
	const said = spawnSync(judge, [file], { encoding: 'utf8' });
	if (said.status !== 0) // models that it does not take (any more)
		return [];
	return said.stdout.trimEnd().split('\n').map((line) => {
		const [name, ...rest] = line.split('\t'), n = rest.map(Number);
		return { name, mass: n[0], center: n.slice(1, 4), inertia: [n.slice(4, 7), n.slice(7, 10), n.slice(10, 13)],
			position: n.slice(13, 16), orientation: n.slice(16, 20), weld: n[20] };
	}).filter((b) => b.weld !== 0 && b.name !== '' && b.mass > 0);
}

// ---- MuJoCo's samples

for (const [name, frames] of [['humanoid/humanoid.xml', 12], ['humanoid100/humanoid_body.xml', 6], ['adhesion/active_adhesion.xml', 12],
	['mug/mug.xml', 20], ['slider_crank/slider_crank.xml', 12], ['tendon_arm/arm26.xml', 12]]) {
	const file = path.join(samples, name);
	test(`MuJoCo's ${name}`, { skip: !fs.existsSync(file) && 'libmujoco-samples is not there' }, (t) => {
		const at = folder(t);
		const { scene, report } = make(at, file);
		assert.ok(report.notes.every((n) => n.line > 0 && n.column > 0 && n.what && n.why));
		if (judge)
			for (const body of weigh(file).filter((b) => b.name !== 'mug')) { // a mesh that is not convex: MuJoCo counts parts twice
				const pose = compare(scene, body.name, body);
				pose.position.forEach((x, i) => assert.ok(Math.abs(x - body.position[i]) < 1e-9, `${body.name}: where it is`));
				const dot = pose.orientation.reduce((sum, x, i) => sum + x * body.orientation[i], 0);
				assert.ok(Math.abs(Math.abs(dot) - 1) < 1e-9, `${body.name}: how it is turned`);
			}
		run(at, name, frames);
	});
}

// ---- our own, of test/data

const own = fileURLToPath(new URL('../data/import', import.meta.url));
// MuJoCo weighs meshes in float and some of them twice, and turns a full inertia into axes to seven digits: test/cli/import looks at these.
const rough = ['load', 'c'];
for (const name of ['biped.xml', 'crane.xml', 'filters.xml', 'turned.xml'])
	test(`our ${name} weighs what MuJoCo says`, { skip: !judge && 'libmujoco-dev is not there' }, (t) => {
		const file = path.join(own, name), { scene } = make(folder(t), file), bodies = weigh(file);
		assert.ok(bodies.length > 2);
		for (const body of bodies.filter((b) => !rough.includes(b.name)))
			compare(scene, body.name, body);
	});

// ---- DART's MJCF: OpenAI's models. Some packages compress them.

function unpacked(t, name) {
	const at = folder(t), plain = path.join(dart, name);
	const file = path.join(at, path.basename(name));
	if (fs.existsSync(plain))
		fs.copyFileSync(plain, file);
	else
		fs.writeFileSync(file, zlib.gunzipSync(fs.readFileSync(`${plain}.gz`)));
	return { at, file };
}

for (const [name, ...options] of [['ant'], ['half_cheetah'], ['hopper'], ['humanoid'], ['humanoidstandup', '--lift', '0.04'],
	['inverted_double_pendulum'], ['inverted_pendulum'], ['point'], ['pusher'], ['reacher'], ['striker'], ['swimmer'], ['thrower']])
	test(`OpenAI's ${name}`, { skip: !fs.existsSync(path.join(dart, 'mjcf')) && 'dart-doc is not there' }, (t) => {
		const { at, file } = unpacked(t, `mjcf/openai/${name}.xml`);
		const { scene } = make(at, file, ...options);
		if (judge && !/settotalmass|global/.test(fs.readFileSync(file, 'utf8')))
			for (const body of weigh(file))
				compare(scene, body.name, body);
		run(at, name, 6);
	});

// ---- DART's URDF: what a link weighs stands in it

const numbers = (text) => text.trim().split(/\s+/).map(Number);

function links(file) {
	const text = fs.readFileSync(file, 'utf8').replace(/<!--[\s\S]*?-->/g, '');
	return [...text.matchAll(/<link\s+name="([^"]*)"\s*>([\s\S]*?)<\/link>/g)].flatMap(([, name, body]) => {
		const inertial = body.match(/<inertial>([\s\S]*?)<\/inertial>/)?.[1];
		if (!inertial)
			return [];
		const value = (key) => Number(inertial.match(new RegExp(`\\b${key}="([^"]*)"`))?.[1] ?? 0);
		const [r, p, y] = numbers(inertial.match(/rpy="([^"]*)"/)?.[1] ?? '0 0 0').map((a) => a / 2);
		const [cr, sr, cp, sp, cy, sy] = [r, p, y].flatMap((a) => [Math.cos(a), Math.sin(a)]);
		const q = [cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy];
		const I = [['ixx', 'ixy', 'ixz'], ['ixy', 'iyy', 'iyz'], ['ixz', 'iyz', 'izz']].map((row) => row.map(value));
		return [{ name, mass: value('value'), center: numbers(inertial.match(/xyz="([^"]*)"/)?.[1] ?? '0 0 0'), inertia: rotate(q, I) }];
	});
}

for (const [name, frames, ...options] of [['urdf/KR5/KR5 sixx R650.urdf', 10], ['urdf/wam/wam.urdf', 10], ['urdf/drchubo/drchubo.urdf', 3],
	['urdf/test/primitive_geometry.urdf', 10], ['urdf/test/issue838.urdf', 10], ['sdf/atlas/atlas_v3_no_head.urdf', 3]]) {
	const file = path.join(dart, name);
	test(`DART's ${name}`, { skip: !fs.existsSync(file) && 'dart-doc is not there' }, (t) => {
		const at = folder(t);
		const { scene } = make(at, file, ...options);
		for (const link of links(file))
			if (scene.bodies.some((b) => b.name === link.name && b.type !== 'fixed'))
				compare(scene, link.name, link);
		run(at, name, frames);
	});
}
