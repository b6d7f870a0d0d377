// Puts the text's own programs beside the default ones: writes docs/thesis.md and its plot.
//
//   CAIRN=build/cairn node tools/thesis.mjs [--out FOLDER] [--docs FOLDER]
//
// Three scenes: a block that slides, a column of ten cubes, a wall that is blown up. Every figure is of the motion, so it
// is the same on every machine.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const tool = path.resolve(process.env.CAIRN ?? 'build/cairn');
const given = (name, usual) => { const at = process.argv.indexOf(name); return at < 0 ? usual : process.argv[at + 1]; };
const docs = given('--docs', path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'docs'));
const out = given('--out', 'build/thesis');
fs.mkdirSync(out, { recursive: true });

const floor = { name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1] } }, material: 'stuff' };
const scene = (frames, friction, restitution, bodies, events = []) => ({ version: 1,
	world: { gravity: [0, 0, -10], fps: 30, frames, options: { sleep: false } },
	materials: { stuff: { density: 800, friction, restitution } }, bodies: [floor, ...bodies], events });
const body = (name, box, position, more = {}) => ({ name, shape: { box }, material: 'stuff', position, ...more });

const slide = scene(60, 0.5, 0, [body('block', [1, 1, 0.5], [0, 0, 0.2505], { velocity: [5, 0, 0] })]);
const column = scene(300, 0.3, 0.3, Array.from({ length: 10 }, (_, i) =>
	body(`cube ${i}`, [1, 1, 1], [i % 2 ? 0.02 : 0, i % 3 ? 0.01 : 0, 0.51 + 1.01 * i])));
const bricks = [];
for (let row = 0; row < 5; ++row)
	for (let i = 0; i < 8; ++i)
		bricks.push(body(`brick ${row}.${i}`, [1, 0.5, 0.5], [1.001 * (i - 3.5) + (row % 2) * 0.5, 0, 0.2505 + 0.5005 * row]));
const wall = scene(90, 0.3, 0.3, bricks, [{ frame: 10, blast: { point: [0.3, -2, 1], speed: 25 } }]);

const programs = [
	['default', {}],
	['`momentum=thesis`', { momentum: 'thesis' }],
	['`forces=qp`', { forces: 'qp' }],
	['`forces=qp`, 0 rounds', { forces: 'qp', 'forces-rounds': 0 }],
	['both', { momentum: 'thesis', forces: 'qp' }],
];
const more = [['`queue=0`', { queue: 0 }], ['`objective=diameter`', { objective: 'diameter' }],
	['`distance-bounce=on`', { 'distance-bounce': 'on' }], ['`freeze=on`', { freeze: 'on' }]];

function call(...words)
{
	const result = spawnSync(tool, words, { encoding: 'utf8', maxBuffer: 1 << 28 });
	if (result.status !== 0)
		throw new Error(`cairn ${words.join(' ')}: ${result.stderr}`);
	return result.stdout;
}

// { summary, frames: [frame][body] of { x, y, z, v } } of a run; the floor is body 0.
function run(name, what, options)
{
	const at = path.join(out, name);
	fs.writeFileSync(`${at}.json`, JSON.stringify(what));
	const sets = Object.entries(options).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
	const summary = JSON.parse(call('run', `${at}.json`, '-o', `${at}.cairn`, '--force', '--quiet', '--json', ...sets));
	call('export', `${at}.cairn`, '-o', `${at}.csv`);
	const frames = [];
	for (const line of fs.readFileSync(`${at}.csv`, 'utf8').split('\n')) {
		const [frame, time, one, x, y, z, , , , , vx, vy, vz] = line.split(',').map(Number);
		if (line.startsWith('#') || !Number.isFinite(vz) || Math.abs(time * 30 - frame) > 1e-6)
			continue;
		(frames[frame] ??= [])[one] = { x, y, z, v: [vx, vy, vz] };
	}
	return { summary, frames };
}

const last = (r) => r.frames.at(-1).slice(1);
const digits = (x, n = 3) => (Math.abs(x) < 1e-7 ? '0' : Math.abs(x) < 1e-3 ? x.toExponential(1) : String(Number(x.toPrecision(n))));
const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

// ---- sliding
const slides = programs.map(([name, options]) => [name, run('slide', slide, options)]);
const sliding = slides.map(([name, r]) => {
	const way = r.frames.map((f) => f[1]), end = way.at(-1);
	const stop = way.findIndex((k) => Math.hypot(...k.v) < 1e-3);
	const high = Math.max(...way.map((k) => k.z)) - 0.2505;
	return [name, digits(way[1].v[2]), digits(1000 * Math.max(0, high)), digits(end.x, 4), stop < 0 ? 'still moves' : digits(stop / 30), r.summary.text_fallbacks];
});

// ---- the column
const columns = programs.map(([name, options]) => [name, run('column', column, options)]);
const stacking = columns.map(([name, r]) => {
	const early = r.frames[100], late = r.frames.at(-1);
	const creep = Math.max(...late.slice(1).map((k, i) => apart(k, early[i + 1])));
	const lean = Math.max(...late.slice(1).map((k, i) => Math.hypot(k.x - r.frames[0][i + 1].x, k.y - r.frames[0][i + 1].y)));
	return [name, digits(1000 * lean), digits(1000 * creep), digits(Math.max(...late.slice(1).map((k) => Math.hypot(...k.v)))),
		digits(r.summary.energy.kinetic), digits(r.summary.energy_rise), r.summary.text_fallbacks];
});

// ---- the wall
const walls = [...programs, ...more].map(([name, options]) => [name, run('wall', wall, options)]);
const usual = walls[0][1];
const blown = walls.map(([name, r]) => {
	const ends = last(r), there = last(usual);
	return [name, digits(mean(ends.map((k) => Math.hypot(k.x, k.y)))), r === usual ? '' : digits(mean(ends.map((k, i) => apart(k, there[i])))),
		digits(r.summary.energy.kinetic / 1000), digits(r.summary.energy_rise), digits(r.summary.close_pairs_mean), digits(r.summary.programs_mean), r.summary.text_fallbacks];
});

// ---- the plot: height of the block over its way
function plot()
{
	const colors = ['#3f7fb5', '#c8402f', '#6fae6a', '#e0a03a', '#7a5ea8'], wide = 720, tall = 260, left = 52, below = 40;
	const X = (x) => (left + (x / 3.6) * (wide - left - 16)).toFixed(1), Y = (z) => (tall - below - (z / 0.25) * (tall - below - 16)).toFixed(1);
	const parts = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${tall}" font-family="sans-serif" font-size="12">`,
		`<rect width="${wide}" height="${tall}" fill="#fff"/>`];
	for (let x = 0; x <= 3.5; x += 0.5)
		parts.push(`<text x="${X(x)}" y="${tall - below + 18}" text-anchor="middle">${x}</text><path d="M${X(x)} ${Y(0)}V${Y(0.25)}" stroke="#e4e4e4"/>`);
	for (let z = 0; z <= 0.25; z += 0.05)
		parts.push(`<text x="${left - 6}" y="${Number(Y(z)) + 4}" text-anchor="end">${z.toFixed(2)}</text><path d="M${X(0)} ${Y(z)}H${X(3.6)}" stroke="#e4e4e4"/>`);
	slides.forEach(([name, r], i) => {
		const points = r.frames.map((f) => `${X(f[1].x)},${Y(Math.max(0, f[1].z - 0.2505))}`).join(' ');
		parts.push(`<polyline points="${points}" fill="none" stroke="${colors[i]}" stroke-width="1.8"/>`,
			`<text x="${wide - 200}" y="${30 + 16 * i}" fill="${colors[i]}">${name.replaceAll('`', '')}</text>`);
	});
	parts.push(`<text x="${wide / 2}" y="${tall - 6}" text-anchor="middle">way, m</text><text x="12" y="16">height above the floor, m</text>`, '</svg>', '');
	return parts.join('\n');
}

fs.writeFileSync(path.join(docs, 'thesis.svg'), plot());
fs.writeFileSync(path.join(docs, 'thesis.md'), `# The text's programs and the default ones

Written by \`make thesis\` (tools/thesis.mjs), which runs what it shows; all figures are of the motion and the same on every
machine. What the programs are: [oba.md](oba.md#the-texts-own-programs). *Left over*: islands that the text's program had no
answer for and the default solved. A figure below 1e-7 is
shown as 0. Every frame of every run is certified.

## Sliding

A block of 1 m x 1 m x 0.5 m slides at 5 m/s on a floor with friction 0.5, gravity 10 m/s². It should stop after 2.5 m and
1 s, and never leave the floor.

${table(['programs', 'upward speed after one frame, m/s', 'highest hop, mm', 'way, m', 'stops after, s', 'left over'], sliding)}

![height of the block over its way](thesis.svg)

Least energy over the cone has no complementarity: an impulse at the cone's edge takes the most energy out of a block that slides, and
its normal part throws the block up with \`v_n = mu v_t\`. While it flies there is no friction. Moving the tips of acceleration cones
repairs most of that: the hops are gone to the eye, and what is left is a way that is a few percent too long.

## Stacking

Ten cubes of 1 m in a column, a little askew, fall by 1 cm each and stand for ten seconds. *Lean*: the furthest a cube has moved
sideways at the end; *creep*: the furthest a cube goes after the first 100 frames; rise: the most that energy rose in a frame, in units of the summary.

${table(['programs', 'lean, mm', 'creep, mm', 'fastest at the end, m/s', 'kinetic energy at the end, J', 'rise', 'left over'], stacking)}

At rest nothing slides, and all programs hold the column.

## The wall

A wall of 40 bricks, blown up in frame 10, and where it is in frame 90. *Spread*: mean distance of the bricks from the middle;
*elsewhere*: mean distance of each brick from where the default leads it. A blown wall is chaos: bricks that end a metre
elsewhere are the rule for any change, so only spread and energy can be compared.

${table(['programs', 'spread, m', 'elsewhere, m', 'kinetic energy at the end, kJ', 'rise', 'close pairs', 'programs a frame', 'left over'], blown)}

Bricks that land and slide hop by the text's programs as the block does.
`);
