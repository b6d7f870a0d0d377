// What scenes of figures may get wrong: each is refused with exit status 3, its place and what to do, and nothing is written.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cairn, folder, write } from './tool.mjs';

const BVH = `HIERARCHY
ROOT Hip
{
 OFFSET 0 0 0
 CHANNELS 2 Yposition Xrotation
 End Site
 {
  OFFSET 0 1 0
 }
}
MOTION
Frames: 2
Frame Time: 0.5
1 2
3 4
`;

const scene = (joint, more = {}) => ({ version: 1, bodies: [
	{ name: 'a', shape: { box: [0.2, 0.2, 0.2] }, position: [0, 0, 1] },
	{ name: 'b', shape: { box: [0.2, 0.2, 0.2] }, position: [0, 0, 2] }],
joints: [{ type: 'hinge', bodies: ['a', 'b'], point: [0, 0, 1.5], axis: [0, 1, 0], ...joint }], ...more });
const body = (what) => ({ version: 1, bodies: [{ name: 'odd', shape: { box: [0.2, 0.2, 0.2] }, ...what }] });
const ball = (what) => ({ ...scene({}), joints: [{ type: 'ball', bodies: ['a', 'b'], point: [0, 0, 1.5], motor: { stiffness: 10, damping: 1, ...what } }] });
const servo = (what) => scene({ motor: { stiffness: 10, damping: 1, ...what } });
const ring = (method) => scene({}, { world: { method }, joints: [
	{ type: 'ball', bodies: ['world', 'a'], point: [0, 0, 0.8] }, { type: 'ball', bodies: ['a', 'b'], point: [0, 0, 1.5] },
	{ type: 'ball', name: 'last', bodies: ['b', 'world'], point: [0, 0, 2.2] }] });

const cases = {
	'a joint without axis': [scene({ axis: undefined }), /joints\[0\]: the key "axis" is missing/],
	'an axis without length': [scene({ axis: [0, 0, 0] }), /joints\[0\]\.axis: axis has no length/],
	'no inertia': [body({ mass: 1, inertia: [0, 0, 0] }), /bodies\[0\]\.inertia: a principal moment of inertia is not positive/],
	'an inertia that no body has': [body({ mass: 1, inertia: [1, 0.1, 0.1] }), /bodies\[0\]\.inertia: .* larger than the sum of the other two/],
	'limits crossed at the start': [scene({ limits: [0.5, 1] }), /joints\[0\]\.limits: the limits are 0\.5 and 1; they must hold 0/],
	'limits the wrong way round': [scene({ limits: [1, -1] }), /the lower limit 1 is above the upper one, -1/],
	'parts that overlap at the start': [{ version: 1, bodies: [{ name: 'a', shape: { box: [0.2, 0.2, 0.2] } }, { name: 'b', shape: { box: [0.2, 0.2, 0.2] }, position: [0.1, 0, 0] }] },
		/bodies 'a' and 'b' overlap at the start, by 0\.1 m/],
	'a gain without bound': [servo({ target: 0, stiffness: 1e13 }), /joints\[0\]\.motor\.stiffness: stiffness is 1e\+13; give .* from 0 to 1e\+12/],
	'a clip that is not there': [servo({ keys: { file: 'no.bvh', channel: 'Hip Xrotation' } }), /joints\[0\]\.motor\.keys.*no\.bvh/],
	'a channel that matches nothing': [servo({ keys: { file: 'walk.bvh', channel: 'Hop Xrotation' } }), /Hop Xrotation.*(Hip Yposition|did you mean)/],
	'a joint that matches nothing': [ball({ keys: { file: 'walk.bvh', joint: 'Hop' } }), /no joint 'Hop' of the file has channels of rotation/],
	'a channel for a ball': [ball({ keys: { file: 'walk.bvh', channel: 'Hip Xrotation' } }), /motor\.keys.*"?channel"?/],
	'keys of a ball that are numbers': [ball({ keys: [[0, 1]], stiffness: 1 }), /motor\.keys\[0\]/],
	'a clip with a number that is none': [servo({ keys: { file: 'nan.bvh', channel: 'Hip Xrotation' } }), /nan/i],
	'a ring where a tree is asked for': [ring('outward'), /joints\[2\]: joint 2 \(last\) closes a ring/],
	'a goal with a spring without bound': [scene({}, { goals: [{ type: 'fixed-point', body: 'a', point: [0, 0, 0], target: [0, 0, 1], stiffness: 1e13 }] }),
		/goals\[0\]\.stiffness: stiffness is 1e\+13; give N\/m from 0 to 1e12/],
	'damping without a spring': [scene({}, { goals: [{ type: 'fixed-point', body: 'a', point: [0, 0, 0], target: [0, 0, 1], damping: 1 }] }),
		/goals\[0\]\.damping: a goal without stiffness has no damping/],
};

for (const [name, [what, words]] of Object.entries(cases))
	test(name, (t) => {
		const at = folder(t);
		write(at, 'x.json', what);
		fs.writeFileSync(path.join(at, 'walk.bvh'), BVH);
		fs.writeFileSync(path.join(at, 'nan.bvh'), BVH.replace('3 4', '3 nan'));
		const ran = cairn(at, 'run', './x.json', '--frames', '2');
		assert.equal(ran.status, 3, ran.stderr);
		assert.match(ran.stderr, words);
		assert.match(ran.stderr, /^cairn: .*x\.json:\d+:\d+: |^cairn: .*\.bvh:\d+/);
		assert.ok(!fs.existsSync(path.join(at, 'x.cairn')));
	});

test('a goal with a spring moves its body, and the recording plays to the same bits', (t) => {
	const at = folder(t);
	write(at, 'x.json', { version: 1, world: { gravity: [0, 0, 0] }, bodies: [{ name: 'a', shape: { sphere: 0.1 } }],
		goals: [{ type: 'fixed-point', body: 'a', point: [0, 0, 0], target: [1, 0, 0], stiffness: 500, damping: 90 }] });
	assert.equal(cairn(at, 'run', './x.json', '--frames', '150', '--quiet').status, 0);
	assert.equal(cairn(at, 'export', 'x.cairn', '-o', 'x.csv').status, 0);
	const last = fs.readFileSync(path.join(at, 'x.csv'), 'utf8').trimEnd().split('\n').at(-1).split(',');
	assert.ok(Math.abs(Number(last[3]) - 1) < 1e-6, last.join());
	assert.equal(cairn(at, 'run', 'x.cairn', '--quiet').status, 0);
});
