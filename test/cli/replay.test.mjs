// Recordings with inputs, and such as no run of their scene would give.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { bricks, cairn, folder, forge, info, write } from './tool.mjs';

test('inputs given during a run are counted, replayed and recorded again', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 10 }));
	forge(at, 'fall.json', 'pushed.cairn', 'inputs');
	const pushed = info(at, 'pushed.cairn');
	assert.equal(pushed.inputs, 3);
	assert.equal(pushed.bodies, 5);
	const again = cairn(at, 'run', 'pushed.cairn');
	assert.equal(again.status, 0, again.stderr);
	assert.match(again.stdout, /same bits as pushed\.cairn/);
	const second = info(at, 'pushed-again.cairn');
	assert.equal(second.hash, pushed.hash);
	assert.equal(second.inputs, 3);
	assert.equal(cairn(at, 'run', 'fall.json').status, 0);
	assert.notEqual(info(at, 'fall.cairn').hash, pushed.hash);
});

test('inputs are replayed in a changed scene too, and nothing is compared', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 10 }));
	forge(at, 'fall.json', 'pushed.cairn', 'inputs');
	const result = cairn(at, 'run', 'pushed.cairn', '--set', 'gravity=0,0,-2', '--json');
	assert.equal(result.status, 0, result.stderr);
	assert.equal(JSON.parse(result.stdout).same_as, null);
	assert.equal(info(at, 'pushed-again.cairn').inputs, 3);
	assert.equal(info(at, 'pushed-again.cairn').bodies, 5);
});

test('other bits are exit status 1 with the first frame that differs', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 10 }));
	forge(at, 'fall.json', 'false.cairn', 'swap');
	const text = cairn(at, 'run', 'false.cairn');
	assert.equal(text.status, 1);
	assert.match(text.stderr, /^cairn: the bits differ from those of false\.cairn from frame 6 on/m);
	assert.match(text.stdout, /not those of false\.cairn, from frame 6 on/);
	const result = cairn(at, 'run', 'false.cairn', '--force', '--json');
	assert.equal(result.status, 1);
	const summary = JSON.parse(result.stdout);
	assert.deepEqual([summary.status, summary.same_as, summary.first_difference], ['different', null, 6]);
	assert.equal(cairn(at, 'run', 'false.cairn', '--force', '--frames', '5').status, 0);
});

test('a recording that cannot be repeated is not resumed', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 20 }));
	forge(at, 'fall.json', 'false.cairn', 'swap');
	const before = fs.readFileSync(path.join(at, 'false.cairn'));
	const result = cairn(at, 'run', 'false.cairn', '--resume');
	assert.notEqual(result.status, 0);
	assert.match(result.stderr, /^cairn: .*frame 6/m);
	assert.deepEqual(fs.readFileSync(path.join(at, 'false.cairn')), before);
});
