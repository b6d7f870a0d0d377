// The same scenes in cairn and in other engines, on one core: writes docs/peers.md.
//
//   node tools/peers.mjs [--build FOLDER] [--docs FOLDER] [--seconds S] [--frames N] [--core C] [--engine PATH]... [SCENE...]
//
// Every program peer_* of the build folder is an engine (bench/peers/engine.h), and so is every PATH. Each runs each scene
// with one step a frame, then with 2, 4, ... 32 until every frame is sound. A run ends after S seconds of steps (20), or after
// N frames where piles are of a thousand bodies or more; all run on core C (0).
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const usual = { build: 'build', docs: path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'docs'), seconds: '20',
	frames: '600', core: '0' };
const engines = [], wanted = [];
for (let i = 2; i < process.argv.length; ++i) {
	const word = process.argv[i];
	if (word === '--engine')
		engines.push(path.resolve(process.argv[++i]));
	else if (word.startsWith('--') && word.slice(2) in usual)
		usual[word.slice(2)] = process.argv[++i];
	else
		wanted.push(word);
}
const first = ['peer_cairn', 'peer_bullet', 'peer_ode', 'peer_mujoco'].map((name) => path.resolve(usual.build, name));
engines.unshift(...first.filter((file) => fs.existsSync(file)));

const about = {
	stack: 'ten cubes that have to stand',
	wall: 'a wall of 90 bricks that has to stand for three seconds and is blown up then',
	cubejam: 'a hundred cubes jam in a shaft',
	plates: 'a hundred plates of a centimetre fly at 30 m/s against a wall as thin',
	cubeglass: 'a thousand cubes fall into a funnel',
	sphereglass: 'a thousand balls without friction run through a funnel',
	grid1000: 'a thousand cubes in ten layers of ten by ten fall into a shaft',
	flat10000: 'ten thousand cubes in ten layers',
	grid10000: 'ten thousand cubes, 22 layers of 22 by 22',
};
const scenes = wanted.length ? wanted : Object.keys(about);
const pin = spawnSync('taskset', ['-c', usual.core, 'true']).status === 0 ? ['taskset', '-c', usual.core] : [];

// What a run printed; null: the engine cannot run the scene.
function run(engine, scene, steps, more)
{
	const words = [...pin, engine, scene, '--steps', String(steps), '--seconds', usual.seconds, ...more];
	if (/0$|glass/.test(scene))
		words.push('--frames', usual.frames);
	const result = spawnSync(words[0], words.slice(1), { encoding: 'utf8', timeout: 600e3, cwd: usual.build });
	const line = (result.stdout ?? '').trim().split('\n').pop();
	return result.status === 0 && line.startsWith('{') ? JSON.parse(line) : null;
}

// The run with one step, and the first count of steps whose frames are all sound, if there is one.
function search(engine, scene)
{
	const one = run(engine, scene, 1, []);
	process.stderr.write(`${path.basename(engine)} ${scene}: ${one ? one.mean.toPrecision(3) + ' ms' : 'not possible'}\n`);
	if (!one || one.passes)
		return { one, holds: one };
	for (let steps = 2; steps <= 32; steps *= 2) {
		const r = run(engine, scene, steps, ['--until-bad', 'on']);
		if (r && r.passes)
			return { one, holds: r };
	}
	return { one, holds: null };
}

const ms = (x) => (x >= 100 ? x.toFixed(0) : x.toPrecision(2).includes('e') ? x.toFixed(0) : String(Number(x.toPrecision(2))));
const share = (x) => (x > 10 ? 'through' : x === 0 ? 'none' : x < 0.001 ? '< 0.1 %' : `${(100 * x).toPrecision(2)} %`);
const cut = (r) => (r.frames < r.of ? ` (${r.frames} of ${r.of} frames)` : '');

function verdict(r)
{
	const wrong = [];
	if (r.through)
		wrong.push(`${r.through} through the wall`);
	if (r.escaped)
		wrong.push(`${r.escaped} escaped`);
	if (r.overlap > 0.05 && !r.through)
		wrong.push('overlap');
	if (r.rise > 0.01)
		wrong.push(`energy from nowhere, ${r.rise.toPrecision(2)}`);
	if (!r.passes && !wrong.length)
		wrong.push(`falls: moved ${r.moved.toPrecision(2)} m`);
	return wrong.length ? wrong.join('; ') : 'sound';
}

function table(scene)
{
	const lines = [`## ${scene}`, '', `${about[scene] ?? scene}`.replace(/^./, (c) => c.toUpperCase()) + '.', '',
		'| engine | ms a frame, 1 step | largest | worst overlap | energy rise | verdict | steps that hold | ms a frame then | kB a body |',
		'| --- | --- | --- | --- | --- | --- | --- | --- | --- |'];
	for (const engine of engines) {
		const { one, holds } = search(engine, scene);
		const name = path.basename(engine).replace(/^peer_/, '');
		if (!one) {
			lines.push(`| ${name} | not possible | | | | | | | |`);
			continue;
		}
		lines.push(`| ${one.engine} | ${ms(one.mean)}${cut(one)} | ${ms(one.most)} | ${share(one.overlap)} | ` +
			`${one.rise < 1e-6 ? '0' : one.rise.toPrecision(1)} | ${verdict(one)} | ` +
			`${holds ? holds.steps : 'none up to 32'} | ${holds ? ms(holds.mean) + cut(holds) : ''} | ` +
			`${one.bodies >= 1000 ? one.kb.toPrecision(2) : ''} |`);
	}
	return lines.join('\n');
}

const head = `# Beside other engines

\`make peers\` writes this page. Every engine gets the same bodies (\`bench/peers/scene.c\`), 30 frames a second, one core
(${os.cpus()[0]?.model ?? 'unknown'}), no sleep. The same code looks at every engine's poses (\`bench/peers/check.c\`): it belongs to
none of them, and measures the overlap of boxes along all fifteen axes.

- *ms a frame*: mean time of the thread that steps; *largest*: the frame that took longest.
- *worst overlap*: of the smaller body's thinnest side, over all pairs and frames.
- *energy rise*: the largest from one frame to the next, in units of lifting everything that moves by the longest body.
- *verdict*: sound means an overlap of at most 5 % in every frame, a rise of at most 0.01, nothing escaped, what has to stand
  stands, and no plate has gone through the wall.
- *steps that hold*: the first of 1, 2, 4, ... 32 equal steps a frame for which a run is sound, and what a frame costs then.
- A run ends after ${usual.seconds} s of steps, one of a thousand bodies and more after ${usual.frames} frames, and at more than one step with the
  first frame that is not sound. Where it was cut, the frames that it got to are given; their mean is of those alone, in which
  most still falls and lands, and a frame costs several times what it does once a pile has settled.
- *kB a body*: what the program's memory grew by in the run, over the bodies that move.

## What is not fair about it

- The scenes are ours, and so is the question. Engines for games are made to look right at 60 steps a second and more, with
  overlaps that nobody sees; who can live with those has no use for the columns on the right.
- Bullet, ODE and MuJoCo are Debian's builds for any machine, with their defaults. Somebody who knows them well would get more
  out of them: more iterations instead of more steps, other margins, other solvers. cairn is built here, and its sweeps use the
  widest lanes that the machine has.
- cairn proves every frame by a check of its own and that time is counted; the others do no such thing.
- A frame in which nothing at all moves costs cairn nothing, also without sleep; the others go on. That helps it where a scene
  comes to rest early, as \`stack\` does.
- With several steps cairn runs at so many frames a second; it is sound with one, so the columns on the right repeat the left.
- MuJoCo's contacts are soft by design and it is made for robots, not for heaps; it knows no restitution below 0.7 here, and more
  than 500 bodies do not fit into its memory.
- Times on a machine that does other things as well vary by a third. Compare within a table, not between pages.

Engines that Debian does not have: write the functions of \`bench/peers/engine.h\`, link with \`scene.c\`, \`check.c\` and
\`drive.c\`, and say \`make peers ENGINES=path/of/your/program\`.
`;

// Written after every scene: a run that is stopped leaves what it found.
const tables = [];
for (const scene of scenes) {
	tables.push(table(scene));
	const load = `While it was measured the machine had ${os.loadavg()[1].toFixed(0)} programs to run on ${os.cpus().length} cores: times are of the thread
that steps, but caches and cores were shared.`;
	fs.writeFileSync(path.join(usual.docs, 'peers.md'), `${[head.trimEnd(), load, ...tables].join('\n\n')}\n`);
}
