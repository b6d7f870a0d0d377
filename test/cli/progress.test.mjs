// Progress: bar on a terminal, lines elsewhere, JSON for programs, colours only where wanted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bricks, cairn, folder, shell, write } from './tool.mjs';

const ESCAPE = '\u001b';

// Runs a command on a terminal of its own (util-linux's script); stdout and stderr come together.
function terminal(at, command, env = {}) {
	return shell(at, `script -qec 'stty cols \${WIDTH:-100}; ${command}' /dev/null < /dev/null`, env);
}

const hasScript = shell('.', 'script -qec true /dev/null < /dev/null').status === 0;
const onTerminal = { skip: hasScript ? false : 'script (bsdutils) finds no terminal to give' };

function scene(t, frames = 600) {
	const at = folder(t);
	write(at, 'fall.json', bricks({ count: 60, frames }));
	return at;
}

test('without a terminal there are plain lines, the last one with the last frame', (t) => {
	const { status, stderr } = cairn(scene(t), 'run', 'fall.json');
	assert.equal(status, 0);
	assert.match(stderr, /^(fall: \d+\/600 frames, [\d.]+ ms\/frame, \d+ contacts, [\d:]+ left\n)+$/);
	assert.match(stderr, /fall: 600\/600 frames, .*, 0:00 left\n$/);
});

test('--progress json is an object a frame', (t) => {
	const { stderr } = cairn(scene(t, 25), 'run', 'fall.json', '--progress', 'json');
	const lines = stderr.trimEnd().split('\n').map((line) => JSON.parse(line));
	assert.deepEqual(lines.map((line) => line.frame), [...Array(25).keys()].map((i) => i + 1));
	for (const line of lines) {
		assert.equal(line.total, 25);
		assert.ok(line.ms > 0);
		assert.equal(line.contacts, 0);
		assert.equal(line.min_gap, null);
		assert.deepEqual([line.asleep, line.passes, line.programs, line.steps, line.debt], [0, 0, 0, 1, 0]);
		const spent = Object.values(line.stages);
		assert.ok(spent.length > 1 && spent.every((ms) => ms >= 0) && spent.reduce((a, b) => a + b) <= line.ms * 1.01);
	}
});

test('--progress none is silent', (t) => {
	const at = scene(t, 25);
	assert.equal(cairn(at, 'run', 'fall.json', '--progress', 'none').stderr, '');
	assert.equal(cairn(at, 'export', 'fall.cairn', '-o', 'fall.csv', '--progress=none').stderr, '');
	assert.match(cairn(at, 'export', 'fall.cairn', '-o', 'fall.csv').stderr, /^fall: 26\/26 frames, 0:00 left\n$/);
});

test('a terminal gets a bar, redrawn at most ten times a second', onTerminal, (t) => {
	const begun = Date.now();
	const { status, stdout } = terminal(scene(t, 3000), '"$CAIRN" run fall.json > /dev/null');
	const seconds = (Date.now() - begun) / 1000;
	assert.equal(status, 0, stdout);
	const bars = stdout.split('\r').filter((text) => text.includes('fall  ['));
	assert.ok(bars.length >= 1, stdout);
	assert.ok(bars.length <= 10 * seconds + 2, `${bars.length} in ${seconds} s`);
	for (const bar of bars) {
		assert.match(bar, /\d+\/3000 frames, [\d.]+ ms\/frame, 0 contacts, [\d:]+ left/);
		assert.ok(bar.includes(`${ESCAPE}[32m`));
		assert.ok(bar.includes(`${ESCAPE}[K`));
	}
	assert.match(bars.at(-1), /\[.*#+.*\] {2}3000\/3000 frames/);
});

test('NO_COLOR leaves the bar without colours', onTerminal, (t) => {
	const { stdout } = terminal(scene(t), '"$CAIRN" run fall.json; "$CAIRN" --help', { NO_COLOR: '1' });
	assert.match(stdout, /fall {2}\[#+\.*\] {2}600\/600 frames/);
	assert.ok(!stdout.includes(`${ESCAPE}[3`) && !stdout.includes(`${ESCAPE}[1m`) && !stdout.includes(`${ESCAPE}[0m`));
	const coloured = terminal('.', '"$CAIRN" --help');
	assert.ok(coloured.stdout.includes(`${ESCAPE}[1mExamples`));
});

test('TERM=dumb gets plain lines, and a bar without escapes if it asks for one', onTerminal, (t) => {
	const plain = terminal(scene(t), '"$CAIRN" run fall.json', { TERM: 'dumb' });
	assert.match(plain.stdout, /^fall: 600\/600 frames/m);
	const bar = terminal(scene(t), '"$CAIRN" run fall.json --progress bar', { TERM: 'dumb' });
	assert.match(bar.stdout, /fall {2}\[#+\.*\] {2}600\/600 frames/);
	assert.ok(!plain.stdout.includes(ESCAPE) && !bar.stdout.includes(ESCAPE));
});

test('the bar fits the terminal', onTerminal, (t) => {
	for (const width of [30, 60, 100, 200]) {
		const env = { NO_COLOR: '1', WIDTH: String(width) };
		const { stdout } = terminal(scene(t), '"$CAIRN" run fall.json > /dev/null', env);
		const lines = stdout.replaceAll(`${ESCAPE}[K`, '').split(/[\r\n]+/).filter((line) => line !== '');
		assert.ok(lines.length > 0);
		for (const line of lines)
			assert.ok(line.length < width, `${line.length} columns of ${width}: ${line}`);
	}
});

test('text is wrapped to COLUMNS', (t) => {
	const at = scene(t, 2);
	for (const width of [50, 80]) {
		const { stdout } = shell(at, '"$CAIRN" run --help', { COLUMNS: String(width) });
		const text = stdout.split('\n').filter((line) => !/^ {2}cairn |^ {2}\w+, /.test(line));
		for (const line of text)
			assert.ok(line.length <= Math.max(width, 60), line);
	}
});
