// Runs that are interrupted, terminated or killed, and files that are cut or damaged.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { bricks, cairn, ended, folder, info, shell, start, write } from './tool.mjs';

const FRAMES = 900;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Starts a run and waits until its recording has more than its start.
async function begin(at, file, ...args) {
	const whole = path.join(at, file);
	fs.rmSync(whole, { force: true });
	const child = start(at, 'run', ...args);
	const end = ended(child);
	for (let i = 0; i < 20000 && !(fs.existsSync(whole) && fs.statSync(whole).size > 100000); ++i)
		await pause(1);
	return { child, end };
}

function unbroken(at) {
	write(at, 'fall.json', bricks({ count: 60, frames: FRAMES }));
	const begun = Date.now();
	assert.equal(cairn(at, 'run', 'fall.json', '-o', 'whole.cairn', '--quiet').status, 0);
	return { hash: info(at, 'whole.cairn').hash, ms: Date.now() - begun };
}

test('kill -9 at random moments: the file reads, resumes and ends with the bits of an unbroken run', async (t) => {
	const at = folder(t);
	const whole = unbroken(at);
	let broken = 0;
	for (let round = 0; round < 6; ++round) {
		const { child, end } = await begin(at, 'fall.cairn', 'fall.json', '--progress', 'none');
		await pause(Math.random() * 0.7 * whole.ms);
		child.kill('SIGKILL');
		const { signal } = await end;
		const found = cairn(at, 'info', 'fall.cairn', '--json');
		assert.equal(found.status, 0, found.stderr);
		const left = JSON.parse(found.stdout);
		broken += signal === 'SIGKILL' && left.frames < FRAMES;
		// A second kill while it goes on.
		if (round % 2 === 0 && !left.complete) {
			const again = start(at, 'run', 'fall.cairn', '--resume', '--quiet');
			const over = ended(again);
			await pause(Math.random() * 0.3 * whole.ms);
			again.kill('SIGKILL');
			await over;
			assert.ok(info(at, 'fall.cairn').frames >= left.frames);
		}
		const resumed = cairn(at, 'run', 'fall.cairn', '--resume', '--json');
		assert.equal(resumed.status, 0, resumed.stderr);
		const last = info(at, 'fall.cairn');
		assert.deepEqual([last.hash, last.frames, last.complete], [whole.hash, FRAMES, true]);
	}
	assert.ok(broken > 0, 'no run was killed before its end: make them longer');
});

for (const [signal, status, word] of [['SIGINT', 130, 'interrupted'], ['SIGTERM', 143, 'terminated']])
	test(`${signal} finishes the frame, leaves a valid file and exits with ${status}`, async (t) => {
		const at = folder(t);
		const whole = unbroken(at);
		const { child, end } = await begin(at, 'fall.cairn', 'fall.json', '--json');
		child.kill(signal);
		const result = await end;
		assert.equal(result.status, status, result.stderr);
		const note = `^cairn: ${word} at frame \\d+ of ${FRAMES}.*cairn run fall\\.cairn --resume`;
		assert.match(result.stderr, new RegExp(note, 'm'));
		const summary = JSON.parse(result.stdout);
		assert.equal(summary.status, word);
		const left = info(at, 'fall.cairn');
		assert.equal(left.truncated, false);
		assert.equal(left.complete, false);
		assert.equal(left.frames, summary.frames);
		assert.ok(left.frames > 0 && left.frames < FRAMES);
		const resumed = cairn(at, 'run', 'fall.cairn', '--resume');
		assert.equal(resumed.status, 0, resumed.stderr);
		assert.equal(info(at, 'fall.cairn').hash, whole.hash);
	});

test('--resume goes to the frames asked for, and says when nothing is left to do', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 40 }));
	assert.equal(cairn(at, 'run', 'fall.json', '-o', 'whole.cairn').status, 0);
	assert.equal(cairn(at, 'run', 'fall.json', '--frames', '15').status, 0);
	const done = cairn(at, 'run', 'fall.cairn', '--resume');
	assert.equal(done.status, 0);
	assert.match(done.stderr, /^cairn: fall\.cairn is complete with frame 15; --frames N goes on/m);
	const more = JSON.parse(cairn(at, 'run', 'fall.cairn', '--resume', '--frames', '40', '--json').stdout);
	assert.deepEqual([more.frames, more.frames_run, more.complete], [40, 25, true]);
	assert.equal(more.hash, info(at, 'whole.cairn').hash);
	const less = cairn(at, 'run', 'fall.cairn', '--resume', '--frames', '30');
	assert.equal(less.status, 2);
	assert.match(less.stderr, /has frame 40 already/);
	assert.equal(info(at, 'fall.cairn').frames, 40);
});

test('--resume refuses what it cannot mean', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 5 }));
	assert.equal(cairn(at, 'run', 'fall.json').status, 0);
	for (const args of [['fall.json'], ['fall.cairn', '-o', 'b.cairn'], ['fall.cairn', '--force'],
		['fall.cairn', '--method', 'free'], ['fall.cairn', '--set', 'fps=60']]) {
		const result = cairn(at, 'run', '--resume', ...args);
		assert.equal(result.status, 2, args.join(' '));
		assert.match(result.stderr, /^cairn: --resume/);
	}
	assert.equal(cairn(at, 'run', 'gone.cairn', '--resume').status, 4);
});

test('a cut recording reads up to its last whole frame, with a note and exit status 0', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 30 }));
	assert.equal(cairn(at, 'run', 'fall.json').status, 0);
	const bytes = fs.readFileSync(path.join(at, 'fall.cairn'));
	fs.writeFileSync(path.join(at, 'cut.cairn'), bytes.subarray(0, Math.floor(bytes.length * 0.6)));
	const result = cairn(at, 'info', 'cut.cairn', '--json');
	assert.equal(result.status, 0);
	assert.match(result.stderr, /^cairn: cut\.cairn: \S/);
	const left = JSON.parse(result.stdout);
	assert.deepEqual([left.truncated, left.damaged, left.complete], [true, false, false]);
	assert.ok(left.frames > 0 && left.frames < 30);
	assert.ok(left.note.length > 0);
	const out = cairn(at, 'export', 'cut.cairn', '-o', 'cut.csv');
	assert.equal(out.status, 0);
	assert.match(out.stderr, /^cairn: cut\.cairn: /m);
	assert.equal(cairn(at, 'run', 'cut.cairn', '--quiet').status, 0);
	assert.equal(info(at, 'cut-again.cairn').hash, info(at, 'fall.cairn').hash);
	assert.equal(cairn(at, 'run', 'cut.cairn', '--resume', '--quiet').status, 0);
	assert.equal(info(at, 'cut.cairn').hash, info(at, 'fall.cairn').hash);
});

test('a damaged recording is exit status 4 with what can be read', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ frames: 30 }));
	assert.equal(cairn(at, 'run', 'fall.json').status, 0);
	const bytes = fs.readFileSync(path.join(at, 'fall.cairn'));
	bytes[Math.floor(bytes.length * 0.6)] ^= 0x10;
	fs.writeFileSync(path.join(at, 'bad.cairn'), bytes);
	const result = cairn(at, 'info', 'bad.cairn', '--json');
	assert.equal(result.status, 4);
	const left = JSON.parse(result.stdout);
	assert.equal(left.damaged, true);
	assert.ok(left.frames > 0 && left.frames < 30);
	assert.match(result.stderr, new RegExp(`^cairn: bad\\.cairn: .*frame`));
	assert.equal(cairn(at, 'info', 'bad.cairn').status, 4);
	assert.equal(cairn(at, 'export', 'bad.cairn', '-o', 'bad.csv').status, 4);
	const again = cairn(at, 'run', 'bad.cairn');
	assert.equal(again.status, 4);
	assert.match(again.stderr, new RegExp(`--frames ${left.frames} runs what is whole`));
	assert.equal(cairn(at, 'run', 'bad.cairn', '--frames', String(left.frames)).status, 0);
});

test('what is no recording is refused with 4', (t) => {
	const at = folder(t);
	write(at, 'text.cairn', 'this is not a recording at all, only text');
	write(at, 'empty.cairn', '');
	write(at, 'head.cairn', 'CAIRNREC');
	fs.mkdirSync(path.join(at, 'folder.cairn'));
	for (const name of ['text', 'empty', 'head', 'folder'])
		for (const args of [['info', `${name}.cairn`], ['run', `${name}.cairn`], ['run', `${name}.cairn`, '--resume'],
			['export', `${name}.cairn`, '-o', 'x.csv']]) {
			const result = cairn(at, ...args);
			assert.equal(result.status, 4, `${args.join(' ')}: ${result.stderr}`);
			assert.match(result.stderr, new RegExp(`^cairn: ${name}\\.cairn`));
		}
	assert.equal(fs.existsSync(path.join(at, 'x.csv')), false);
});

test('a run in the background can be terminated', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ count: 60, frames: 100000 }));
	const result = shell(at, '"$CAIRN" run fall.json -q & p=$!; sleep 0.4; kill -TERM $p; wait $p; echo $?');
	assert.match(result.stdout, /143\n$/);
	assert.equal(cairn(at, 'info', 'fall.cairn').status, 0);
});

test('an interrupted export exits with 130 and leaves nothing behind', async (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ count: 300, frames: 600 }));
	assert.equal(cairn(at, 'run', 'fall.json', '--quiet').status, 0);
	const child = start(at, 'export', 'fall.cairn', '-o', 'fall.csv', '--progress', 'json');
	const end = ended(child);
	await new Promise((resolve) => child.stderr.once('data', resolve));
	child.kill('SIGINT');
	const result = await end;
	assert.equal(result.status, 130, result.stderr);
	assert.match(result.stderr, /^cairn: stopped; fall\.csv was not written$/m);
	assert.deepEqual(fs.readdirSync(at).sort(), ['fall.cairn', 'fall.json']);
});

test('a run that is told to ignore interrupts goes on', (t) => {
	const at = folder(t);
	write(at, 'fall.json', bricks({ count: 60, frames: FRAMES }));
	const result = shell(at, 'trap "" INT; "$CAIRN" run fall.json -q & p=$!; ' +
		'sleep 0.1; kill -INT $p; wait $p; echo $?');
	assert.equal(result.stdout, '0\n');
	assert.equal(info(at, 'fall.cairn').frames, FRAMES);
});
