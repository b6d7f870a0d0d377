// Runs the scenes of OBA tables 7.1 to 7.3 and figures 7.1 to 7.4 and writes docs/results.md with their figures beside ours;
// and scenes of SHELL's figures 17 to 19, for docs/results/shells.md.
//
//   CAIRN=build/cairn node tools/tables.mjs [--out FOLDER] [--page FILE] [--write] [SCENE...]
//
// What a run gave stays in FOLDER (build/tables) as RUN.json and is not made again: an interrupted call goes on where it
// was. Scenes that are named are run anew, and nothing else is. --write: runs nothing, writes the page of what is there.
// A run that is missing shows as a dash. THREADS for each run, LIMIT seconds each. Exit 0: every run was certified.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// ---- What the text has: bodies, close pairs, collisions and contacts a frame, frames, seconds a frame, programs a
// frame, rollbacks in percent (OBA tables 7.1 and 7.2) ----
const text = {
	stack: [10, 6.6, 29, 25.7, 600, 0.9, 3, 0],
	'cs-stack': [12, 11.8, 13.4, 13.4, 600, 0.6, 4.6, 0.3],
	cubejam: [100, 172, 411.7, 278.4, 1500, 22.2, 4.8, 0],
	wall: [90, 129.2, 404.3, 220.6, 600, 12.3, 4, 0],
	jacks: [50, 123.3, 167.1, 94, 1500, 15.5, 4.6, 0.03],
	pendulum: [6, 0, 0, 0, 1000, 0.1, 2.1, 0],
	hybrid: [100, 159.1, 518.7, 497.6, 1500, 25.9, 4.8, 0.07],
	robot: [306, 308, 507.7, 507.7, 580, 75.5, 6, 2.7],
	sphereglass: [1000, 1723.4, 1673.6, 1673.6, 2000, 13.5, 2.6, 0],
	cubeglass: [1000, 302.6, 471.5, 471.5, 1500, 87.2, 1.9, 0],
	'office-toy': [10, 8, 7.9, 7.9, 300, 2.1, 2.3, 0.3],
};
const FRAMES = 4, SECONDS = 5;
// SHELL figures 17 to 19: bodies and seconds a step.
const shells = {
	'boats-100': [102, 1.7], 'boats-250': [252, 4.8], 'boats-500': [502, 9.6], 'boats-1000': [1002, 20.9],
	'rings-2000': [2003, 19.1], 'triangles-186': [186, 0.45], 'boat-stack': [null, 0.048],
};
const SHELL_FRAMES = 200;
// OBA table 7.3: seconds a frame without and with freezing.
const frozen = { stack: [0.9, 0.03], 'cs-stack': [0.64, 0.05], cubejam: [22.2, 0.6], cubeglass: [null, 85] };

// ---- The runs ----
const runs = [
	...Object.keys(text).map((scene) => ({ name: scene, scene, frames: text[scene][FRAMES], set: [] })),
	...Object.keys(frozen).flatMap((scene) => [
		{ name: `${scene}-bare`, scene, frames: text[scene][FRAMES], set: ['sleep=off', 'freeze=off'], poses: true },
		{ name: `${scene}-freeze`, scene, frames: text[scene][FRAMES], set: ['sleep=off', 'freeze=on'], poses: true },
	]),
	{ name: 'scaling', scene: 'scaling', set: [] },
	{ name: 'scaling-10000', scene: 'scaling-10000', set: [] },
];
const thin = Object.keys(shells).map((scene) => ({ name: scene, scene, frames: SHELL_FRAMES, set: [] }));

const tool = path.resolve(process.env.CAIRN ?? 'build/cairn');
const limit = 1000 * Number(process.env.LIMIT ?? 36000);

function cairn(args, line = () => {}) {
	const child = spawn(tool, args.map(String), { stdio: ['ignore', 'pipe', 'pipe'] });
	const timer = setTimeout(() => child.kill('SIGKILL'), limit);
	let stdout = '', rest = '', said = '';
	child.stdout.on('data', (part) => (stdout += part));
	child.stderr.on('data', (part) => {
		const lines = (rest + part).split('\n');
		rest = lines.pop();
		for (const one of lines)
			one.startsWith('{') ? line(JSON.parse(one)) : (said += `${one}\n`);
	});
	return new Promise((resolve, reject) => {
		child.on('error', reject);
		child.on('close', (status, signal) => {
			clearTimeout(timer);
			resolve({ status, stdout, said: said + rest + (signal ? `ended by ${signal} (limit ${limit / 1000} s)` : '') });
		});
	});
}

// Where bodies are at a frame, by name.
async function readPoses(recording, frame) {
	const file = `${recording}.csv`, places = {}, names = new Map();
	const { status, said } = await cairn(['export', recording, '-o', file, '--from', frame, '--to', frame, '-q']);
	if (status !== 0)
		throw new Error(`export of frame ${frame}: ${said.trim()}`);
	for (const row of fs.readFileSync(file, 'latin1').split('\n')) {
		if (row.startsWith('# body ')) {
			const body = JSON.parse(row.slice(7));
			names.set(body.index, body.type === 'dynamic' ? body.name || `#${body.index}` : null);
		} else if (/^\d/.test(row)) {
			const [, , index, ...v] = row.split(',').map(Number);
			if (names.get(index))
				places[names.get(index)] = v.slice(0, 3);
		}
	}
	fs.unlinkSync(file);
	return places;
}

async function makeRun(run, out) {
	const recording = path.join(out, `${run.name}.cairn`), series = { frame: [], ms: [], pairs: [], collisions: [], contacts: [], bounce: [], rest: [], pass: [] };
	const take = (at) => {
		const push = (key, value) => series[key].push(Number.isFinite(value) ? Number(value.toPrecision(6)) : null);
		push('frame', at.frame);
		push('ms', at.ms);
		push('pairs', at.close_pairs);
		push('collisions', at.collisions);
		push('contacts', at.contacts);
		push('bounce', at.stages?.bounce);
		push('rest', at.stages?.rest);
		push('pass', at.passes > 0 ? at.stages?.position / at.passes : NaN);
	};
	const args = ['run', run.scene, '-o', recording, '--force', '--json', '--progress', 'json', ...run.set.flatMap((one) => ['--set', one]),
		...(run.frames ? ['--frames', run.frames] : []), ...(process.env.THREADS ? ['--threads', process.env.THREADS] : [])];
	const { status, stdout, said } = await cairn(args, take);
	let summary = null;
	try {
		summary = JSON.parse(stdout);
	} catch {
		// what stderr says will do
	}
	if (!summary?.certificate)
		throw new Error(summary?.message ?? (said.trim() || `exit status ${status}`));
	const poses = run.poses && summary.status === 'done' ? await readPoses(recording, summary.frames) : null;
	fs.rmSync(recording, { force: true });
	fs.writeFileSync(path.join(out, `${run.name}.json`), JSON.stringify({ summary, series, poses }));
	return summary;
}

// ---- Numbers as text ----
const round = (value, digits = 3) => !Number.isFinite(value) ? '–' : value === 0 ? '0'
	: Math.abs(value) >= 10 ** digits ? String(Math.round(value)) : String(Number(value.toPrecision(digits)));
const table = (head, rows, left = 1) => [`| ${head.join(' | ')} |`, `|${head.map((_, i) => (i < left ? ' --- |' : ' ---: |')).join('')}`,
	...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
const mean = (list) => list.length ? list.reduce((a, b) => a + b, 0) / list.length : NaN;

// ---- Plots: axes, dots or lines, one colour a series; readable on light and on dark ----
const colors = ['#3f7fb5', '#c8402f', '#4f9a57', '#b07d1e'];
const escape = (words) => words.replace(/&/g, '&amp;').replace(/</g, '&lt;');

function ticksOf(low, high, log) {
	if (log) {
		const list = [];
		for (let e = Math.floor(low); e <= Math.ceil(high); ++e)
			if (e >= low - 1e-9 && e <= high + 1e-9)
				list.push(e);
		return list;
	}
	const raw = (high - low) / 5 || 1, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find((m) => m * power >= raw) * power;
	return Array.from({ length: Math.floor((high - low) / step + 1e-9) + 1 }, (_, i) => low + i * step);
}

const label = (value, log) => log ? (value < -3 || value > 4 ? `1e${value}` : String(Number((10 ** value).toPrecision(3)))) : String(Number(value.toPrecision(6)));

function panel({ title, x, y, series, log, lines }, top, width, height) {
	const left = 66, right = 16, above = 34, below = 44, w = width - left - right, h = height - above - below;
	const keep = series.map((one) => ({ ...one, points: one.points.filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b) && (!log || (a > 0 && b > 0))) }));
	const all = keep.flatMap((one) => one.points.map(([a, b]) => (log ? [Math.log10(a), Math.log10(b)] : [a, b])));
	if (all.length === 0)
		return '';
	const span = (axis) => {
		const values = all.map((p) => p[axis]);
		const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
		return log ? [Math.floor(low), Math.max(Math.floor(low) + 1, Math.ceil(high))] : [Math.min(0, low), high > low ? high * 1.05 : low + 1];
	};
	const [x0, x1] = span(0), [y0, y1] = span(1);
	const px = (v) => left + w * (v - x0) / (x1 - x0), py = (v) => top + above + h * (1 - (v - y0) / (y1 - y0));
	let svg = `<text x="${left}" y="${top + 16}" font-weight="bold">${escape(title)}</text>\n`;
	for (const t of ticksOf(x0, x1, log))
		svg += `<path class="grid" d="M${px(t).toFixed(1)} ${top + above}v${h}"/><text x="${px(t).toFixed(1)}" y="${top + above + h + 16}" text-anchor="middle">${label(t, log)}</text>\n`;
	for (const t of ticksOf(y0, y1, log))
		svg += `<path class="grid" d="M${left} ${py(t).toFixed(1)}h${w}"/><text x="${left - 6}" y="${(py(t) + 4).toFixed(1)}" text-anchor="end">${label(t, log)}</text>\n`;
	svg += `<text x="${left + w / 2}" y="${top + above + h + 34}" text-anchor="middle">${escape(x)}</text>\n`;
	svg += `<text transform="translate(16 ${top + above + h / 2}) rotate(-90)" text-anchor="middle">${escape(y)}</text>\n`;
	keep.forEach((one, i) => {
		const at = one.points.map(([a, b]) => (log ? [px(Math.log10(a)), py(Math.log10(b))] : [px(a), py(b)])).map((p) => p.map((v) => v.toFixed(1)));
		svg += lines ? `<path d="M${at.map((p) => p.join(' ')).join('L')}" fill="none" stroke="${colors[i]}" stroke-width="1.2"/>\n`
			: `<path d="${at.map((p) => `M${p.join(' ')}h0`).join('')}" stroke="${colors[i]}" stroke-width="3" stroke-linecap="round" opacity="0.6"/>\n`;
		if (keep.length > 1)
			svg += `<text x="${left + w}" y="${top + above - 4 + 15 * (i - keep.length + 1)}" text-anchor="end" style="fill:${colors[i]}">${escape(one.name)}</text>\n`;
	});
	return svg;
}

function drawing(panels) {
	const width = 720, height = 300, all = panels.map((one, i) => panel(one, i * height, width, height));
	if (!all.some(Boolean))
		return null;
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height * panels.length}" font-family="sans-serif" font-size="12">
<style>text{fill:#333}.grid{stroke:#8884;fill:none}rect{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#ccc}rect{fill:#1b1d20}}</style>
<rect width="100%" height="100%"/>
${all.join('')}</svg>
`;
}

// The exponent of y = c x^p, by least squares on logarithms of the means over bins of x, so that no crowd of dots counts most.
function power(points) {
	const bins = new Map();
	for (const [x, y] of points)
		if (x > 0 && y > 0) {
			const key = Math.round(6 * Math.log10(x)), bin = bins.get(key) ?? { n: 0, x: 0, y: 0 };
			bins.set(key, { n: bin.n + 1, x: bin.x + Math.log(x), y: bin.y + Math.log(y) });
		}
	const list = [...bins.values()].filter((bin) => bin.n >= 3).map((bin) => [bin.x / bin.n, bin.y / bin.n]);
	if (list.length < 4)
		return NaN;
	const sx = mean(list.map((p) => p[0])), sy = mean(list.map((p) => p[1]));
	return list.reduce((a, [x, y]) => a + (x - sx) * (y - sy), 0) / list.reduce((a, [x]) => a + (x - sx) ** 2, 0);
}

// ---- The page ----
function complexityTable(found) {
	const head = ['scene', '', 'bodies', 'close pairs', 'collisions', 'contacts', 'frames', 's/frame', 'programs', 'rollbacks %'];
	return table(head, Object.entries(text).flatMap(([scene, row]) => {
		const s = found[scene]?.summary;
		const ours = s ? [s.moving, s.close_pairs_mean, s.collisions_mean, s.contacts_mean, s.frames_run, s.ms_mean / 1000, s.programs_mean, 100 * s.taken_back_share] : row.map(() => NaN);
		return [[`\`${scene}\``, 'text', ...row.map((v) => round(v, 4))], ['', 'cairn', ...ours.map((v) => round(v, 4))]];
	}), 2);
}

function qualityTable(found) {
	const head = ['scene', 'ms mean', 'ms p95', 'ms max', 'times as fast', 'certificate', 'bodies held', 'largest rise, units', 'largest joint error, m'];
	return table(head, Object.entries(text).map(([scene, row]) => {
		const s = found[scene]?.summary;
		return s ? [`\`${scene}\``, round(s.ms_mean), round(s.ms_p95), round(s.ms_max), round(1000 * row[SECONDS] / s.ms_mean, 2), s.status === 'done' ? s.certificate.verdict : `${s.status} at frame ${s.frames}`,
			s.held, s.energy_rise > 0 ? s.energy_rise.toExponential(1) : '0', s.joint_error === null || s.joint_error === undefined ? '' : s.joint_error.toExponential(1)]
			: [`\`${scene}\``, ...Array(8).fill('–')];
	}));
}

const settledMs = (run) => run ? mean(run.series.ms.slice(-Math.ceil(run.series.ms.length / 5))) : NaN;

function apart(a, b) {
	const names = Object.keys(a?.poses ?? {}).filter((name) => b?.poses?.[name]);
	const far = names.map((name) => Math.hypot(...a.poses[name].map((v, i) => v - b.poses[name][i])));
	return far.length ? [mean(far), far.reduce((x, y) => Math.max(x, y))] : [NaN, NaN];
}

function freezeTable(found) {
	const head = ['scene', 'text: s/frame without', 'with', 'factor', 'cairn: ms without', 'with', 'factor', 'settled: ms without', 'with', 'factor', 'sleeping instead: ms', 'moved by, mean m', 'most m'];
	return table(head, Object.entries(frozen).map(([scene, [without, with_]]) => {
		const bare = found[`${scene}-bare`], cold = found[`${scene}-freeze`], plain = found[scene], [middle, most] = apart(bare, cold);
		const a = bare?.summary.ms_mean ?? NaN, b = cold?.summary.ms_mean ?? NaN, c = settledMs(bare), d = settledMs(cold);
		return [`\`${scene}\``, round(without ?? NaN), round(with_), round(without === null ? NaN : without / with_, 2), round(a), round(b), round(a / b, 2), round(c), round(d), round(c / d, 2),
			round(plain?.summary.ms_mean ?? NaN), round(middle, 2), round(most, 2)];
	}));
}

const pointsOf = (run, x, y) => (run ? run.series[x].map((v, i) => [v ?? NaN, run.series[y][i] ?? NaN]) : []);

function figures(found) {
	const fill = [['scaling, 200 cubes', 'scaling'], ['scaling, 10,000 cubes', 'scaling-10000'], ['cubejam, awake', 'cubejam-bare'], ['cubeglass, awake', 'cubeglass-bare']];
	const dots = (x, y, which) => fill.filter(([, name]) => which.includes(name) && found[name]).map(([name, run]) => ({ name, points: pointsOf(found[run], x, y) }));
	const growth = (series) => series.map((one) => [one.name, power(one.points)]).filter(([, p]) => Number.isFinite(p)).map(([name, p]) => `${name}: n^${p.toFixed(2)}`).join('; ');
	const cold = found['cubeglass-freeze'], every = ['scaling', 'scaling-10000', 'cubejam-bare', 'cubeglass-bare'];
	const over = (key) => [{ name: key, points: pointsOf(cold, 'frame', key) }];
	const bounce = dots('collisions', 'bounce', every), rest = dots('contacts', 'rest', every), pass = dots('pairs', 'pass', ['scaling', 'scaling-10000']);
	return [
		{ file: 'figure-7-1.svg', title: 'Figure 7.1: contacts, close pairs and the time of a frame of `cubeglass` with freezing',
			svg: drawing([{ title: 'contacts solved', x: 'frame', y: 'contacts', series: over('contacts'), lines: true }, { title: 'close pairs', x: 'frame', y: 'close pairs', series: over('pairs'), lines: true },
				{ title: 'time of a frame', x: 'frame', y: 'ms', series: over('ms'), lines: true }]) },
		{ file: 'figure-7-2.svg', title: 'Figure 7.2: time of the stage that bounces against collisions', note: growth(bounce),
			svg: drawing([{ title: 'bounces', x: 'collisions in the frame', y: 'ms', series: bounce, log: true }]) },
		{ file: 'figure-7-3.svg', title: 'Figure 7.3: time of the stage that holds what rests against contacts', note: growth(rest),
			svg: drawing([{ title: 'rest', x: 'contacts in the frame', y: 'ms', series: rest, log: true }]) },
		{ file: 'figure-7-4.svg', title: 'Figure 7.4: time of one pass of the position program against close pairs', note: growth(pass),
			svg: drawing([{ title: 'position', x: 'close pairs in the frame', y: 'ms', series: pass, log: true }]) },
	];
}

function scalingTable(found) {
	return table(['scene', 'bodies', 'frames', 'close pairs, most', 'contacts, most', 'ms mean', 'ms p95', 'ms max', 'certificate'], ['scaling', 'scaling-10000'].map((name) => {
		const s = found[name]?.summary;
		return s ? [`\`${name}\``, s.moving, s.frames_run, s.close_pairs_max, s.contacts_max, round(s.ms_mean), round(s.ms_p95), round(s.ms_max), s.certificate.verdict] : [`\`${name}\``, ...Array(8).fill('–')];
	}));
}

function writeShells(found, page) {
	const head = ['scene', 'SHELL: bodies', 's a step', 'cairn: bodies that move', 'frames', 's a frame, mean', 'p95', 'most', 'certificate\'s share', 'certificate', 'bodies held'];
	const rows = Object.entries(shells).map(([scene, [bodies, seconds]]) => {
		const s = found[scene]?.summary, ms = s ? [s.ms_mean, s.ms_p95, s.ms_max].map((v) => round(v / 1000)) : [];
		return [`\`${scene}\``, round(bodies ?? NaN, 4), round(seconds ?? NaN), ...(s ? [s.moving, s.frames_run, ...ms, `${round(100 * (s.certificate.share), 2)} %`,
			s.status === 'done' ? s.certificate.verdict : `${s.status} at frame ${s.frames}`, s.held] : Array(8).fill('–'))];
	});
	fs.mkdirSync(path.dirname(page), { recursive: true });
	fs.writeFileSync(page, `# Thin shells, again

Written by \`make tables\`, with [results.md](../results.md): scenes after SHELL's figures 17 to 19 over ${SHELL_FRAMES} frames, or as many as the scene has, the certificate of every
frame included. The text says neither what made up its numbers of bodies nor how many triangles they had. Ours are boats of 175 triangles and a bowl;
2000 rings of 48 triangles, of which the topmost of each chain is fixed, two balls and the floor; 162 triangles and 24 pegs; ten hulls and a ball. A step of the
text is at most a frame of ours, which takes up to 16 steps, and 64 where it begins again. A dash stands for a run that has not been made.

${table(head, rows)}
`);
}

function writePage(found, page) {
	const images = path.join(path.dirname(page), 'results');
	fs.mkdirSync(images, { recursive: true });
	const drawn = figures(found).map(({ file, title, note, svg }) => {
		if (!svg)
			return `### ${title}\n\nNot run yet.`;
		fs.writeFileSync(path.join(images, file), svg);
		return `### ${title}\n\n![${title.split(':')[0]}](results/${file})${note ? `\n\nGrowth: ${note}.` : ''}`;
	});
	const cpus = os.cpus(), threads = found[Object.keys(found)[0]]?.summary.threads;
	fs.writeFileSync(page, `# The text's tables and figures, again

Written by \`make tables\`, which runs the scenes of OBA chapter 7 over as many frames as the text did and puts its figures beside ours.
\`make tables SCENES="wall stack"\` runs some of them anew and writes the page again. **Times differ from run to run** and from machine to
machine; everything else is the same to the last digit. Thin shells have [a page of their own](results/shells.md). The text's machine was a Pentium III of 450 MHz (\`sphereglass\`: 933 MHz) with
CPLEX 7.0; these runs were made on ${cpus.length} core${cpus.length === 1 ? '' : 's'} (${cpus[0].model.trim()}) with ${threads} thread${threads === 1 ? '' : 's'}, the certificate of every frame included.
${runs.some((run) => !found[run.name]) ? `\nA dash stands for a run that has not been made: ${runs.filter((run) => !found[run.name]).map((run) => `\`${run.name}\``).join(', ')}.\n` : ''}
## Tables 7.1 and 7.2

Bodies, close pairs, collisions and contacts are means of a frame, as [summary.md](summary.md) defines them. The scenes are after the
text's descriptions and pictures; shapes and sizes that it does not give are ours. A contact of ours is a point, and bodies
that sleep have none to solve, so counts compare only roughly. Programs are those of position and of momentum together. Rollbacks are passes of
the position program that were taken back.

${complexityTable(found)}

What the runs were worth: the time of a frame, how many times as fast that is as the text, and what the certificate says of every key and
everything between.

${qualityTable(found)}

## Table 7.3: freezing

Each scene twice with sleeping off, without freezing and with it, the certificate on; *settled* is the mean of the last fifth of the frames.
*Moved by* is how far bodies end up from where they end up without freezing. The scenes as they are bundled let islands sleep, which costs no
motion: that time stands beside it.

${freezeTable(found)}

## Figures

Figures 7.2 to 7.4 have a dot a frame, and the exponent of a power law through the means over bins of n.

${drawn.join('\n\n')}

## Growth

${scalingTable(found)}
`);
}

// ---- All of it ----
function readArguments(words) {
	const options = { out: 'build/tables', page: 'docs/results.md', write: false, scenes: [] };
	for (let i = 0; i < words.length; ++i) {
		if (words[i] === '--write')
			options.write = true;
		else if ((words[i] === '--out' || words[i] === '--page') && i + 1 < words.length)
			options[words[i].slice(2)] = words[++i];
		else if (words[i].startsWith('-') || ![...runs, ...thin].some((run) => run.scene === words[i] || run.name === words[i]))
			return null;
		else
			options.scenes.push(words[i]);
	}
	return options;
}

const options = readArguments(process.argv.slice(2));
if (!options) {
	console.error(`usage: CAIRN=build/cairn node tools/tables.mjs [--out FOLDER] [--page FILE] [--write] [SCENE...]; the runs are ${[...runs, ...thin].map((run) => run.name).join(', ')}`);
	process.exit(2);
}
fs.mkdirSync(options.out, { recursive: true });
let bad = 0;
for (const run of options.write ? [] : [...runs, ...thin]) {
	const there = fs.existsSync(path.join(options.out, `${run.name}.json`)), named = options.scenes.includes(run.scene) || options.scenes.includes(run.name);
	if (options.scenes.length ? !named : there)
		continue;
	process.stdout.write(`${run.name.padEnd(20)}`);
	try {
		const s = await makeRun(run, options.out), good = s.status === 'done' && s.certificate.verdict === 'clean';
		console.log(`${String(s.frames_run).padStart(6)} frames ${round(s.ms_mean, 4).padStart(9)} ms  ${good ? 'clean' : `${s.status}, ${s.certificate.verdict}: ${s.message}`}`);
		bad += !good;
	} catch (error) {
		console.log(` failed: ${error.message}`);
		++bad;
	}
}
const found = {};
for (const run of [...runs, ...thin]) {
	const file = path.join(options.out, `${run.name}.json`);
	if (fs.existsSync(file))
		found[run.name] = JSON.parse(fs.readFileSync(file, 'utf8'));
}
const shellPage = path.join(path.dirname(options.page), 'results', 'shells.md');
if (thin.some((run) => found[run.name]) || !fs.existsSync(shellPage))
	writeShells(found, shellPage);
if (runs.some((run) => found[run.name]))
	writePage(found, options.page);
console.log(`${options.page}: ${Object.keys(found).length} of ${runs.length + thin.length} runs`);
process.exitCode = bad ? 1 : 0;
