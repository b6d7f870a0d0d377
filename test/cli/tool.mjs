// What the tests of the tool share: calling it, folders to work in, scenes to run.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

if (!process.env.CAIRN)
	throw new Error('set CAIRN to the tool to test, such as CAIRN=build/cairn');
export const tool = path.resolve(process.env.CAIRN);

// A terminal-free, colour-free environment, the same everywhere.
export function environment(extra = {}) {
	const env = { ...process.env, TERM: 'xterm', ...extra };
	for (const name of ['NO_COLOR', 'COLUMNS'])
		if (!(name in extra))
			delete env[name];
	return env;
}

// Runs the tool to its end: { status, stdout, stderr }.
export function cairn(folder, ...args) {
	const result = spawnSync(tool, args, { cwd: folder, encoding: 'utf8', env: environment(), maxBuffer: 1 << 28 });
	if (result.error)
		throw result.error;
	return result;
}

// The same through sh, for redirections: "$CAIRN" is the tool.
export function shell(folder, command, env = {}) {
	return spawnSync('bash', ['-c', command], {
		cwd: folder, encoding: 'utf8', env: environment({ CAIRN: tool, ...env }), maxBuffer: 1 << 28,
	});
}

export function start(folder, ...args) {
	return spawn(tool, args, { cwd: folder, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
}

export function ended(child) {
	let stdout = '', stderr = '';
	child.stdout.on('data', (text) => (stdout += text));
	child.stderr.on('data', (text) => (stderr += text));
	return new Promise((resolve) => child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr })));
}

// An empty folder that goes away with the test.
export function folder(t) {
	const made = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-cli-'));
	t.after(() => fs.rmSync(made, { recursive: true, force: true }));
	return made;
}

// Bricks that fall side by side, turning, and never come near each other.
export function bricks({ count = 4, frames = 20, world = {}, ...more } = {}) {
	const bodies = [];
	for (let i = 0; i < count; ++i)
		bodies.push({
			name: `brick ${i}`, shape: 'brick',
			position: [4 * (i % 8), 4 * (Math.floor(i / 8) % 8), 4 * Math.floor(i / 64)],
			spin: [1 + (i % 3), 0.2, 0.1 * (i % 5)],
		});
	return {
		version: 1, description: 'bricks in the air', world: { gravity: [0, 0, -9.81], fps: 30, frames, ...world },
		shapes: { brick: { box: [1, 0.6, 0.4] } }, bodies, ...more,
	};
}

// For forge's late: of three balls on ropes one is left. The other ropes would fit the body that comes for theirs.
export function ropes() {
	const ball = (name, position) => ({ name, shape: 'ball', position });
	const rope = (body, [x, y], to) => ({ type: 'distance', bodies: [body, 'world'], points: [[x, y, 3.4], to] });
	return {
		version: 1, world: { gravity: [0, 0, -10], fps: 25, frames: 10, method: 'oba' }, shapes: { ball: { sphere: 0.4 } },
		bodies: [ball('gone 0', [-2, 0, 3]), ball('gone 1', [0, -2, 3]), ball('left', [4, 0, 3])],
		joints: [rope('gone 0', [-2, 0], [0, 0, 6]), rope('gone 1', [0, -2], [0, 0, 6]), rope('left', [4, 0], [4, 0, 6])],
	};
}

export function write(where, name, scene) {
	const file = path.join(where, name);
	fs.writeFileSync(file, typeof scene === 'string' ? scene : JSON.stringify(scene, null, '\t'));
	return file;
}

export const info = (where, file) => JSON.parse(cairn(where, 'info', file, '--json').stdout);

const here = path.dirname(fileURLToPath(import.meta.url));

// Compiles a program of this folder, with files of the tool if it tries those, against the library beside the tool.
export function compile(where, name, ...toolFiles) {
	const program = path.join(where, name), root = path.join(here, '../..');
	const checked = fs.readFileSync(tool).includes('__asan_init') ? ['-fsanitize=address,undefined'] : [];
	const flags = ['-std=c17', '-g', ...checked, '-I', path.join(root, 'include'), '-I', path.join(root, 'cli')];
	const sources = [path.join(here, `${name}.c`), ...toolFiles.map((file) => path.join(root, 'cli', file))];
	const parts = [...sources, path.join(path.dirname(tool), 'libcairn.a'), '-lm', '-lpthread'];
	const made = spawnSync(process.env.CC ?? 'cc', [...flags, ...parts, '-o', program], { encoding: 'utf8' });
	if (made.status !== 0)
		throw new Error(`cannot compile ${name}.c: ${made.error ?? made.stderr}`);
	return program;
}

// Makes a recording with forge.c.
export function forge(where, scene, out, how) {
	const run = spawnSync(compile(where, 'forge'), [scene, out, how], { cwd: where, encoding: 'utf8' });
	if (run.status !== 0)
		throw new Error(run.stderr);
}
