// cairn import of glTF, GLB and OBJ, written here: what becomes of it, and what is said of files that are wrong.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cairn, folder } from './tool.mjs';

// An L of unit squares, 1 thick, about y: closed and not convex.
const outline = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]];
const points = [0, 1].flatMap((y) => outline.map(([x, z]) => [x, y, -z]));
const fan = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
const triangles = [...fan.map(([a, b, c]) => [a, c, b]), ...fan.map((t) => t.map((i) => i + 6)),
	...outline.flatMap((_, i) => { const j = (i + 1) % 6; return [[i, j, j + 6], [i, j + 6, i + 6]]; })].flat();

function model(change = () => {}) {
	const bytes = Buffer.concat([Buffer.from(new Float32Array(points.flat()).buffer), Buffer.from(new Uint16Array(triangles).buffer)]);
	const made = {
		asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 1] }],
		nodes: [{ name: 'ell', mesh: 0, translation: [0, 3, 0] }, { name: 'plate', mesh: 0, scale: [4, 0.1, 4], translation: [-4, 0, 4] }],
		meshes: [{ name: 'L', primitives: [{ attributes: { POSITION: 0 }, indices: 1, material: 0 }] }],
		materials: [{ pbrMetallicRoughness: { baseColorFactor: [1, 0, 0, 1], roughnessFactor: 0.25 } }],
		accessors: [{ bufferView: 0, componentType: 5126, count: 12, type: 'VEC3' },
			{ bufferView: 1, componentType: 5123, count: triangles.length, type: 'SCALAR' }],
		bufferViews: [{ buffer: 0, byteLength: 144 }, { buffer: 0, byteOffset: 144, byteLength: 2 * triangles.length }],
		buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }],
	};
	change(made, bytes);
	return made;
}

function glb({ json, bytes }) {
	const text = Buffer.from(JSON.stringify(json).padEnd(Math.ceil(JSON.stringify(json).length / 4) * 4));
	const head = Buffer.alloc(20), bin = Buffer.alloc(8);
	head.write('glTF'), head.writeUInt32LE(2, 4), head.writeUInt32LE(28 + text.length + bytes.length, 8);
	head.writeUInt32LE(text.length, 12), head.write('JSON', 16), bin.writeUInt32LE(bytes.length), bin.write('BIN\0', 4);
	return Buffer.concat([head, text, bin, bytes]);
}

function take(at, name, content, ...options) {
	fs.writeFileSync(path.join(at, name), content);
	const ran = cairn(at, 'import', name, '-o', 'out.json', '--force', '--json', ...options);
	return { ...ran, report: ran.status === 0 && JSON.parse(ran.stdout),
		scene: ran.status === 0 && JSON.parse(fs.readFileSync(path.join(at, 'out.json'), 'utf8')) };
}

test('a glTF: names, places, colours, an exact mesh and one that is fixed', (t) => {
	const at = folder(t), made = take(at, 'a.gltf', JSON.stringify(model()), '--static', 'pl*');
	assert.equal(made.status, 0, made.stderr);
	const [plate, ell] = made.scene.bodies;
	assert.equal(plate.type, 'fixed');
	assert.deepEqual(ell.position, [0, -0, 3]);
	assert.equal(ell.mass, 3000, 'three cubic metres of water');
	assert.equal(ell.color, '#ff0000');
	assert.equal(ell.roughness, 0.25);
	assert.ok(ell.shape.mesh.file.startsWith('out-meshes/'));
	const said = cairn(at, 'import', 'a.gltf', '-o', 'said.json', '--static', 'pl*').stdout;
	assert.match(said, /1 moving body of 3000 kg, 1 fixed body,/);
	assert.match(said, /With --decompose the hollow body that moves is a union of hulls/);
	assert.match(cairn(at, 'check', 'said.json').stdout, /^OK said\.json: 2 bodies, /);
	assert.equal(cairn(at, 'run', 'out.json', '--frames', '20', '--quiet').status, 0);
	assert.equal(cairn(at, 'certify', 'out.cairn', '--quiet').status, 0);
});

test('a GLB, decomposed: two boxes, and nothing stands off; the mesh is seen, also in a .glb', (t) => {
	const at = folder(t);
	let bytes;
	const json = model((m, b) => { delete m.buffers[0].uri; bytes = b; });
	const made = take(at, 'a.glb', glb({ json, bytes }), '--static', 'plate', '--decompose');
	assert.equal(made.status, 0, made.stderr);
	const ell = made.scene.bodies.find((b) => b.name === 'ell');
	assert.equal(ell.shape.compound.parts.length, 2);
	assert.ok(ell.visual.mesh.file);
	assert.equal(made.report.visuals[0].shape_beyond, 0);
	assert.equal(made.report.visuals[0].visual_beyond, 0);
	assert.equal(cairn(at, 'run', 'out.json', '--frames', '5', '--quiet').status, 0);
	assert.equal(cairn(at, 'export', 'out.cairn', '-o', 'again.glb', '--quiet').status, 0);
	const again = fs.readFileSync(path.join(at, 'again.glb'));
	const tree = JSON.parse(again.subarray(20, 20 + again.readUInt32LE(12)).toString());
	assert.ok(tree.materials.some((m) => m.pbrMetallicRoughness.roughnessFactor === 0.25));
	assert.match(cairn(at, 'check', 'again.glb').stderr, /is a glTF file, not a scene; cairn import/);
});

test('rigid bodies of KHR_physics_rigid_bodies', (t) => {
	const at = folder(t), made = take(at, 'a.gltf', JSON.stringify(model((m) => {
		m.extensions = { KHR_implicit_shapes: { shapes: [{ type: 'box', box: { size: [2, 1, 2] } }] },
			KHR_physics_rigid_bodies: { physicsMaterials: [{ staticFriction: 0.8, dynamicFriction: 0.8, restitution: 0.5 }] } };
		m.nodes[0].extensions = { KHR_physics_rigid_bodies: { motion: { mass: 5, linearVelocity: [1, 0, 0] },
			collider: { geometry: { shape: 0 }, physicsMaterial: 0 } } };
	})));
	assert.equal(made.status, 0, made.stderr);
	const ell = made.scene.bodies.find((b) => b.name === 'ell');
	assert.equal(ell.mass, 5);
	assert.deepEqual(ell.velocity, [1, 0, 0]);
	assert.deepEqual(ell.shape.box, [2, 2, 1]);
	assert.ok(ell.visual);
	assert.ok(Object.values(made.scene.materials).some((m) => m.friction === 0.8 && m.restitution === 0.5));
});

test('groups and colours of an OBJ', (t) => {
	const at = folder(t), v = points.map((p) => `v ${p[0]} ${p[2]} ${p[1]}`).join('\n');
	const faces = (first) => Array.from({ length: triangles.length / 3 }, (_, i) => `f ${[0, 2, 1].map((k) => triangles[3 * i + k] + first).join(' ')}`).join('\n');
	fs.writeFileSync(path.join(at, 'c.mtl'), 'newmtl red\nKd 1 0 0\nmap_Kd a.png\n');
	const made = take(at, 'a.obj', `mtllib c.mtl\no one\n${v}\nusemtl red\n${faces(1)}\no two\n${v.replaceAll(/(v \S+ \S+) (\S+)/g, (_, a, z) => `${a} ${Number(z) + 3}`)}\n${faces(13)}\n`);
	assert.equal(made.status, 0, made.stderr);
	assert.deepEqual(made.scene.bodies.map((b) => b.name), ['one', 'two']);
	assert.equal(made.scene.bodies[0].color, '#ff0000');
	assert.ok(made.report.notes.some((n) => n.what.includes('map_Kd')));
});

const wrong = [
	['an index out of range', (m) => { m.accessors[0].count = 6; }, /index \d+ names point \d+; there are 6/],
	['an accessor beyond its view', (m) => { m.accessors[0].count = 13; }, /the accessor ends at byte 156; its buffer view has 144/],
	['a view beyond its buffer', (m) => { m.bufferViews[0].byteOffset = 1e6; }, /the buffer view ends at byte/],
	['an absurd count', (m) => { m.accessors[0].count = 1e9; }, /"count" is 1e\+09; expected a whole number/],
	['a circle of nodes', (m) => { m.nodes[0].children = [1]; m.nodes[1].children = [0]; m.scenes[0].nodes = [0]; }, /is reached twice/],
	['a sparse accessor', (m) => { m.accessors[0].sparse = {}; }, /sparse/],
	['a compressed file', (m) => { m.extensionsRequired = ['KHR_draco_mesh_compression']; }, /KHR_draco_mesh_compression/],
	['a buffer elsewhere', (m) => { m.buffers[0].uri = '../x.bin'; }, /leads out of the folder/],
	['an absolute path', (m) => { m.buffers[0].uri = '/etc/passwd'; }, /leads out of the folder/],
	['a missing buffer', (m) => { m.buffers[0].uri = 'x.bin'; }, /"x.bin" cannot be read/],
	['no glTF', (m) => { delete m.asset; }, /no glTF file/],
	['a mesh that is not there', (m) => { m.nodes[0].mesh = 7; }, /there is no meshes\[7\]; the file has 1/],
];
for (const [name, change, message] of wrong)
	test(`refused: ${name}`, (t) => {
		const made = take(folder(t), 'a.gltf', JSON.stringify(model(change)));
		assert.equal(made.status, 3, made.stderr);
		assert.match(made.stderr, message);
	});

test('refused: not a number, and a .glb that was cut off', (t) => {
	const at = folder(t);
	const nan = model((m, b) => { b.writeFloatLE(NaN, 4); m.buffers[0].uri = `data:;base64,${b.toString('base64')}`; });
	assert.match(take(at, 'a.gltf', JSON.stringify(nan)).stderr, /element 0 is not a finite number/);
	let bytes;
	const json = model((m, b) => { delete m.buffers[0].uri; bytes = b; });
	assert.match(take(at, 'a.glb', glb({ json, bytes }).subarray(0, 300)).stderr, /it was cut off/);
	assert.match(cairn(at, 'import', 'a.gltf', '-o', 'none/x.json').stderr, /element 0/);
});

test('a visual is seen only; a mesh of kind visual is no shape; a wrong decompose is said', (t) => {
	const at = folder(t), say = (shape, more) => {
		fs.writeFileSync(path.join(at, 's.json'), JSON.stringify({ version: 1, bodies: [{ name: 'a', shape, ...more }] }));
		return cairn(at, 'check', 's.json');
	};
	const flat = { points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]] };
	assert.equal(say({ box: [1, 1, 1] }, { visual: { mesh: flat }, roughness: 0.1 }).status, 0);
	assert.match(say({ mesh: { ...flat, kind: 'visual' } }).stderr, /is to be seen only/);
	assert.match(say({ mesh: { ...flat, decompose: true } }).stderr, /the surface is open/);
	assert.match(say({ mesh: { ...flat, kind: 'shell', decompose: true } }).stderr, /no inside to decompose/);
	assert.match(say({ box: [1, 1, 1] }, { roughness: 2 }).stderr, /roughness is 2; give a number from 0 to 1/);
	assert.match(say({ box: [1, 1, 1] }, { visual: { halfspace: { normal: [0, 0, 1] } } }).stderr, /no visual/);
});
