// make tables: a run, what stays of it, and a page with its numbers beside the text's.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { environment, folder } from './tool.mjs';

const script = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'tools', 'tables.mjs');
const tables = (at, ...words) => spawnSync(process.execPath, [script, '--out', 'runs', '--page', 'page/results.md', ...words],
	{ cwd: at, encoding: 'utf8', env: environment() });
const read = (at, name) => fs.readFileSync(path.join(at, name), 'utf8');

test('a scene that is named is run, the page is written of what is there', (t) => {
	const at = folder(t);
	const first = tables(at, 'stack-bare');
	assert.equal(first.status, 0, first.stdout + first.stderr);
	assert.match(first.stdout, /^stack-bare +600 frames +[\d.]+ ms {2}clean\npage\/results\.md: 1 of \d+ runs\n$/);
	const { summary, series, poses } = JSON.parse(read(at, 'runs/stack-bare.json'));
	assert.equal(summary.frames_run, 600);
	assert.equal(Object.keys(poses).length, 10);
	assert.deepEqual(Object.values(series).map((one) => one.length), Array(8).fill(600));
	assert.equal(series.contacts.reduce((a, b) => Math.max(a, b)), summary.contacts_max);
	assert.ok(!fs.existsSync(path.join(at, 'runs/stack-bare.cairn')));
	const page = read(at, 'page/results.md');
	assert.match(page, /^\| `stack` \| text \| 10 \| 6\.6 \| 29 \| 25\.7 \| 600 \| 0\.9 \| 3 \| 0 \|$/m);
	assert.match(page, new RegExp(`^\\| \`stack\` \\| 0\\.9 \\| 0\\.03 \\| 30 \\| ${Number(summary.ms_mean.toPrecision(3))} \\| – `, 'm'));
	const before = fs.statSync(path.join(at, 'runs/stack-bare.json')).mtimeMs;
	assert.equal(tables(at, '--write').status, 0);
	assert.equal(fs.statSync(path.join(at, 'runs/stack-bare.json')).mtimeMs, before);
	assert.equal(read(at, 'page/results.md'), page);
});

test('plots of what was run: axes, a dot a frame', (t) => {
	const at = folder(t), frames = Array.from({ length: 60 }, (_, i) => i + 1);
	const series = { frame: frames, ms: frames, pairs: frames.map((n) => n * n), collisions: frames, contacts: frames,
		bounce: frames.map((n) => 0.01 * n ** 1.5), rest: frames.map((n) => 0.02 * n), pass: frames.map((n) => 1e-3 * n * n) };
	fs.mkdirSync(path.join(at, 'runs'));
	const summary = { moving: 5, frames_run: 60, certificate: { verdict: 'clean' }, threads: 1 };
	fs.writeFileSync(path.join(at, 'runs', 'scaling.json'), JSON.stringify({ summary, series, poses: null }));
	assert.equal(tables(at, '--write').status, 0);
	const page = read(at, 'page/results.md');
	assert.match(page, /Figure 7\.2[^#]*scaling, 200 cubes: n\^1\.50\./);
	assert.match(page, /Figure 7\.3[^#]*scaling, 200 cubes: n\^1\.00\./);
	assert.match(page, /Figure 7\.4[^#]*scaling, 200 cubes: n\^1\.00\./);
	assert.match(page, /Figure 7\.1[^#]*Not run yet\./);
	const svg = read(at, 'page/results/figure-7-2.svg');
	assert.equal(svg.match(/M[\d.]+ [\d.]+h0/g).length, 60);
	assert.match(svg, />collisions in the frame</);
});

test('a scene that cannot be run, and words that mean nothing', (t) => {
	const at = folder(t);
	assert.equal(tables(at, 'no-such-scene').status, 2);
	const failed = spawnSync(process.execPath, [script, '--out', 'runs', '--page', 'page/results.md', 'stack-bare'],
		{ cwd: at, encoding: 'utf8', env: { ...environment(), CAIRN: '/bin/false' } });
	assert.equal(failed.status, 1);
	assert.match(failed.stdout, /stack-bare +failed: /);
});
