// What is found is made small without losing what it shows, and scenes are pruned soundly on the way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shrink } from './shrink.mjs';

function crowd() {
	const bodies = [];
	for (let i = 0; i < 20; ++i)
		bodies.push({ name: `b${i}`, material: `m${i % 3}`, position: [i, 0, 0.123456789], spin: [1, 2, 3] });
	const joints = [];
	for (let i = 0; i + 1 < 20; ++i)
		joints.push({ type: 'hinge', bodies: [`b${i}`, `b${i + 1}`], limits: [0, 1] });
	return { version: 1, world: { frames: 60 }, materials: { m0: {}, m1: {}, m2: {} }, bodies, joints,
		events: [{ frame: 3, impulse: { body: 'b7' } }, { frame: 4, blast: {} }], camera: {} };
}

test('two bodies and their joint are left of a crowd, and the frames that it takes', () => {
	let asked = 0;
	const small = shrink(crowd(), (scene) => {
		++asked;
		const there = new Set((scene.bodies ?? []).map((b) => b.name));
		for (const j of scene.joints ?? [])
			assert.ok(j.bodies.every((name) => there.has(name)), 'a joint of a body that is gone');
		return scene.world.frames >= 17 && (scene.joints ?? []).some((j) => j.bodies[0] === 'b5' && j.limits);
	});
	assert.deepEqual(small.bodies.map((b) => b.name), ['b5', 'b6']);
	assert.equal(small.joints.length, 1);
	assert.equal(small.world.frames, 17);
	assert.equal(small.events, undefined);
	assert.equal(small.bodies[0].spin, undefined);
	assert.equal(small.bodies[0].position[2], 0.123);
	assert.ok(asked < 200);
});

test('what cannot be shown again is kept as it is', () => {
	const scene = crowd();
	assert.deepEqual(shrink(scene, () => false), scene);
});
