// cairn view: what it writes, where, and what it says when it cannot. The page itself is tested in test/web.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import zlib from 'node:zlib';
import { bricks, cairn, folder, forge, ropes, shell, write } from './tool.mjs';

// A tool that was built before make web has no pages: then there is one thing to test.
const pages = cairn('.', 'view', 'missing.cairn').status !== 5;
const skip = pages ? false : 'this cairn was built without its pages (make web)';

function recorded(t, options) {
	const here = folder(t);
	fs.writeFileSync(path.join(here, 'bricks.json'), JSON.stringify(bricks(options)));
	assert.equal(cairn(here, 'run', 'bricks.json', '-q').status, 0);
	return here;
}
const files = (here) => fs.readdirSync(here).sort();

test('without pages it says how to get them', { skip: pages && 'this cairn has its pages' }, (t) => {
	const here = folder(t);
	const result = cairn(here, 'view', 'stack', '--frames', '1');
	assert.equal(result.status, 5);
	assert.match(result.stderr, /make web/);
	assert.deepEqual(files(here), []);
});

test('a recording becomes one page with nothing outside it', { skip }, (t) => {
	const here = recorded(t, { count: 5, frames: 12 });
	const result = cairn(here, 'view', 'bricks.cairn');
	assert.equal(result.status, 0, result.stderr);
	assert.match(result.stdout, /^bricks\.html: frames 0 to 12, [0-9.]+ kB; positions within [0-9.]+ um\n$/);
	assert.deepEqual(files(here), ['bricks.cairn', 'bricks.html', 'bricks.json']);
	const page = fs.readFileSync(path.join(here, 'bricks.html'), 'utf8');
	assert.ok(page.startsWith('<!doctype html>'));
	assert.match(page, /<script type="text\/plain" data-cairn="data">[A-Za-z0-9+/]+=*<\/script>/);
	assert.doesNotMatch(page, /(src|href)\s*=\s*["']?https?:/);
	// Again: the same bytes, in place of the old ones.
	assert.equal(cairn(here, 'view', 'bricks.cairn', '-q').status, 0);
	assert.equal(fs.readFileSync(path.join(here, 'bricks.html'), 'utf8'), page);
});

test('ropes of bodies that went before a recording began are not on its page', { skip }, (t) => {
	const here = folder(t);
	forge(here, write(here, 'ropes.json', ropes()), 'ropes.cairn', 'late');
	const result = cairn(here, 'view', 'ropes.cairn');
	assert.equal(result.status, 0, result.stderr);
	const page = fs.readFileSync(path.join(here, 'ropes.html'), 'utf8');
	const part = Buffer.from(/data-cairn="data">([^<]*)</.exec(page)[1], 'base64');
	const scene = JSON.parse(part.subarray(8, 8 + part.readUInt32LE(4)));
	assert.deepEqual(scene.bodies.map(({ name }) => name), ['left', 'late']);
	assert.deepEqual(scene.rods.map(({ ends }) => ends.map(({ track }) => track)), [[0, -1]]);
	const [{ low, high }] = scene.rods;
	assert.ok(low < 2.6 && high > 2.6 && high - low < 0.1, `${low} to ${high}`);
});

test('frames, another name, the data beside', { skip }, (t) => {
	const here = recorded(t, { count: 5, frames: 12 });
	let result = cairn(here, 'view', 'bricks.cairn', '--from', '3', '--to', '7', '-o', 'part.html', '--beside');
	assert.equal(result.status, 0, result.stderr);
	assert.match(result.stdout, /^part\.html: frames 3 to 7, .* with its data in part\.data\.js;/);
	assert.match(fs.readFileSync(path.join(here, 'part.html'), 'utf8'), /<script src="part\.data\.js"><\/script>/);
	assert.match(fs.readFileSync(path.join(here, 'part.data.js'), 'utf8'), /^"use strict";\ncairnPart\("data","[A-Za-z0-9+/]+=*"\)\n$/);
	result = cairn(here, 'view', 'bricks.cairn', '--from', '3', '--to', '70');
	assert.equal(result.status, 2);
	assert.match(result.stderr, /--to 70 is out of range; the recording has frames 0 to 12/);
});

test('too much for a page: the frames that fit are offered', { skip }, (t) => {
	const here = recorded(t, { count: 600, frames: 200, world: { method: 'free' } });
	let result = cairn(here, 'view', 'bricks.cairn', '--most', '1');
	assert.equal(result.status, 2);
	const offer = /cairn view bricks\.cairn --from 0 --to (\d+) fits/.exec(result.stderr);
	assert.ok(offer, result.stderr);
	assert.ok(!files(here).includes('bricks.html'));
	assert.equal(cairn(here, 'view', 'bricks.cairn', '--most', '1', '--from', '0', '--to', offer[1], '-q').status, 0);
	assert.equal(cairn(here, 'view', 'bricks.cairn', '--most', '1', '--from', '0', '--to', `${Number(offer[1]) + 1}`, '-q').status, 2);
	result = cairn(here, 'view', 'bricks.cairn', '--most', '501');
	assert.equal(result.status, 2);
	assert.match(result.stderr, /at most 500/);
});

test('a scene is simulated first and leaves only the page', { skip }, (t) => {
	const here = folder(t);
	const result = cairn(here, 'view', 'stack', '--frames', '8', '--contacts');
	assert.equal(result.status, 0, result.stderr);
	assert.match(result.stdout, /^stack\.html: frames 0 to 8,/);
	assert.deepEqual(files(here), ['stack.html']);
});

test('a simulation that fails is shown up to there', { skip }, (t) => {
	const here = folder(t);
	// A blow makes the ball turn faster than its keys can show.
	fs.writeFileSync(path.join(here, 'stop.json'), JSON.stringify({
		version: 1, world: { gravity: [0, 0, -10], frames: 60 },
		bodies: [
			{ name: 'ball', shape: { sphere: 0.3 }, position: [0, 0, 1.5] },
		],
		events: [{ frame: 5, impulse: { body: 'ball', impulse: [0, 1e9, 0], point: [0.3, 0, 1.5] } }],
	}));
	const result = cairn(here, 'view', './stop.json');
	assert.equal(result.status, 1);
	assert.match(result.stderr, /the page shows the frames up to \d+/);
	assert.match(result.stdout, /^stop\.html: frames 0 to \d+,/);
	assert.deepEqual(files(here), ['stop.html', 'stop.json']);
});

test('a live page carries the scene and what it includes', { skip }, (t) => {
	const here = folder(t);
	fs.mkdirSync(path.join(here, 'my'));
	fs.writeFileSync(path.join(here, 'my', 'wedge.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n');
	fs.writeFileSync(path.join(here, 'my', 'scene.json'), JSON.stringify({ version: 1, bodies: [{ name: 'w', shape: { hull: { file: 'wedge.obj' } } }] }));
	const result = cairn(here, 'view', 'my/scene.json', '--live', '--frames', '30');
	assert.equal(result.status, 0, result.stderr);
	assert.match(result.stdout, /^scene-live\.html: the scene and the engine,/);
	const page = fs.readFileSync(path.join(here, 'scene-live.html'), 'utf8');
	const part = Buffer.from(/data-cairn="scenes">([^<]*)</.exec(page)[1], 'base64');
	const list = JSON.parse(part.subarray(4, 4 + part.readUInt32LE(0)));
	assert.equal(list.scene, 'my/scene.json');
	assert.equal(list.frames, 30);
	const names = list.files.map((file) => file.name);
	assert.ok(names.includes('my/scene.json') && names.includes('my/wedge.obj') && names.includes('stack.json'));
	const engine = zlib.gunzipSync(Buffer.from(/data-cairn="engine">([^<]*)</.exec(page)[1], 'base64'));
	assert.equal(engine.toString('latin1', 0, 4), '\0asm');
	fs.writeFileSync(path.join(here, 'bad.json'), '{ "version": 1, "bodys": 1 }');
	const bad = cairn(here, 'view', './bad.json', '--live');
	assert.equal(bad.status, 3);
	assert.match(bad.stderr, /bad\.json:1:\d+: .*bodys/);
});

test('wrong uses', { skip }, (t) => {
	const here = recorded(t);
	for (const [words, status, text] of [
		[['bricks.cairn', '--live'], 2, /leave out --live/],
		[['bricks.cairn', '--set', 'fps=60'], 2, /leave out --set/],
		[['bricks.cairn', '-o', 'bricks.cairn'], 2, /is what is to be shown/],
		[['bricks.cairn', '-o', 'x.json'], 2, /writes a page/],
		[['bricks.json', '--live', '--from', '1'], 2, /no frames yet/],
		[['bricks.cairn', '--open', '--no-open'], 2, /contradict/],
		[['bricks.cairn', '-o', 'no/such/folder.html'], 4, /cannot write no\/such\/folder\.html/],
		[['bricks.cairn', '-o', '/dev/null'], 4, /not a regular file/],
		[['missing.cairn'], 4, /missing\.cairn/],
		[['stak'], 4, /did you mean 'stack'/],
	]) {
		const result = cairn(here, 'view', ...words);
		assert.equal(result.status, status, `${words}: ${result.stderr}`);
		assert.match(result.stderr, text);
	}
	fs.writeFileSync(path.join(here, 'bricks.html'), '<p>my own page</p>');
	const kept = cairn(here, 'view', 'bricks.cairn');
	assert.equal(kept.status, 4);
	assert.match(kept.stderr, /bricks\.html exists and is no page of cairn view/);
	assert.equal(fs.readFileSync(path.join(here, 'bricks.html'), 'utf8'), '<p>my own page</p>');
	assert.deepEqual(files(here), ['bricks.cairn', 'bricks.html', 'bricks.json']);
});

test('a truncated recording is shown up to its last whole frame, a damaged one too, a wrong one not', { skip }, (t) => {
	const here = recorded(t, { frames: 20 });
	const bytes = fs.readFileSync(path.join(here, 'bricks.cairn'));
	fs.writeFileSync(path.join(here, 'cut.cairn'), bytes.subarray(0, bytes.length - Math.floor(bytes.length / 3)));
	let result = cairn(here, 'view', 'cut.cairn');
	assert.equal(result.status, 0, result.stderr);
	assert.match(result.stderr, /cut\.cairn: /);
	const last = Number(/frames 0 to (\d+),/.exec(result.stdout)[1]);
	assert.ok(last > 0 && last < 20);
	const wrong = Buffer.from(bytes);
	wrong[Math.floor(bytes.length * 0.7)] ^= 0x55;
	fs.writeFileSync(path.join(here, 'damaged.cairn'), wrong);
	result = cairn(here, 'view', 'damaged.cairn');
	assert.equal(result.status, 4);
	assert.match(result.stdout, /^damaged\.html: frames 0 to \d+,/);
	fs.writeFileSync(path.join(here, 'other.cairn'), 'something else');
	result = cairn(here, 'view', 'other.cairn');
	assert.equal(result.status, 4);
	assert.ok(!files(here).includes('other.html'));
});

test('a disk that is full leaves the old page and nothing else', { skip }, (t) => {
	const here = recorded(t);
	assert.equal(cairn(here, 'view', 'bricks.cairn', '-q').status, 0);
	const old = fs.readFileSync(path.join(here, 'bricks.html'));
	for (const more of ['', '--beside']) {
		const result = shell(here, `ulimit -f ${more ? 2 : 64}; "$CAIRN" view bricks.cairn ${more} 2>err; echo $? >rc`);
		const said = fs.readFileSync(path.join(here, 'err'), 'utf8');
		assert.equal(fs.readFileSync(path.join(here, 'rc'), 'utf8'), '4\n', said + result.stderr);
		assert.match(said, /cannot write bricks\.html: File too large/);
		assert.ok(fs.readFileSync(path.join(here, 'bricks.html')).equals(old));
		assert.deepEqual(files(here), ['bricks.cairn', 'bricks.html', 'bricks.json', 'err', 'rc']);
	}
});

test('--open hands the page to xdg-open, and says when there is none', { skip }, (t) => {
	const here = recorded(t);
	fs.mkdirSync(path.join(here, 'bin'));
	fs.writeFileSync(path.join(here, 'bin', 'xdg-open'), '#!/bin/sh\necho "$1" > opened\n', { mode: 0o755 });
	const opened = () => fs.readFileSync(path.join(here, 'opened'), 'utf8');
	assert.equal(shell(here, '"$CAIRN" view bricks.cairn --open', { PATH: `${path.join(here, 'bin')}:${process.env.PATH}` }).status, 0);
	assert.equal(opened(), './bricks.html\n');
	fs.rmSync(path.join(here, 'opened'));
	// Not a terminal: nothing is opened unasked, display or not.
	assert.equal(shell(here, '"$CAIRN" view bricks.cairn', { DISPLAY: ':9', PATH: `${path.join(here, 'bin')}:${process.env.PATH}` }).status, 0);
	assert.ok(!files(here).includes('opened'));
	const none = shell(here, 'PATH=/nowhere "$CAIRN" view bricks.cairn --open');
	assert.equal(none.status, 5);
	assert.match(none.stderr, /no xdg-open/);
});
