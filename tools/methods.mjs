// Every method on the scenes that tell most: writes docs/methods/README.md, a plot of depth for each and, beside them, the pages
// of cairn compare, which are not kept in the repository.
//
//   CAIRN=build/cairn node tools/methods.mjs [--docs FOLDER] [--methods a,b,c] [SCENE...]
//
// Named scenes (and "engines", the last section) are renewed alone; the other sections stay as they are. Depths, passages,
// energies and distances are of the motion, so they are the same on every machine; times are not.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const tool = path.resolve(process.env.CAIRN ?? 'build/cairn');
const words = process.argv.slice(2);
const given = (name, usual) => { const at = words.indexOf(name); return at < 0 ? usual : words.splice(at, 2)[1]; };
const docs = given('--docs', path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'methods'));
const methods = given('--methods', '');
fs.mkdirSync(docs, { recursive: true });

// Name, scene, frames, what is to be seen there, and methods to be left out.
const all = [
	['stack', 'stack', 300, 'Ten cubes fall upon each other. Who keeps them apart, and who lets the lowest sink?'],
	['wall', 'wall', 30, 'Ninety bricks at rest, light upon light.'],
	['cubejam', 'cubejam', 300, 'A hundred cubes jam in a shaft: hits in a crowd, and load through wedges.'],
	['cradle', 'office-toy-5', 90, 'Five balls on rods: the last one should leave alone.'],
	['pendulum', 'pendulum', 120, 'Six links that swing: joints alone. Energy should stay.'],
	['diamonds', path.join(docs, 'diamond.json'), 60, 'A diamond of bricks, each in touch with those it stands on, without friction: does it stand?'],
	['slope', 'validation-slope', 60, 'A cube on a slope a little steeper than friction holds.'],
	['mass-ratio', 'validation-mass-ratio', 60, 'What is heavy stands on what is light.'],
	['bullet', 'validation-bullet', 30, 'A cube that is fast and a sheet that is thin.'],
	['rest', path.join(docs, 'rest.json'), 120, 'A block falls by 5 cm and rests. It sinks on and on where rest is a series of collisions (`kinematic`, `impulse`, `propagation`, `simultaneous`), and not at all where forces hold it (`analytic`).'],
];
const chosen = words.length ? all.filter(([name]) => words.includes(name)) : all;
for (const word of words)
	if (word !== 'engines' && !all.some(([name]) => name === word))
		throw new Error(`there is no scene ${word}; there are ${all.map(([name]) => name).join(', ')}, and engines`);

// All there are, as the tool itself names them where one is wrong.
const names = methods ? methods.split(',') : /there are: (.*)/.exec(spawnSync(tool, ['compare', 'stack', '--methods', '?'], { encoding: 'utf8' }).stderr)[1].split(', ');

function compare([name, scene, frames, , left = []]) {
	const args = ['compare', scene, '--frames', String(frames), '--truth', '--json', '--quiet', '-o', path.join(docs, `${name}.html`)];
	const begun = Date.now();
	const run = spawnSync(tool, [...args, '--methods', names.filter((n) => !left.includes(n)).join(',')], { encoding: 'utf8', maxBuffer: 1 << 28 });
	if (run.error || !run.stdout)
		throw new Error(`${name}: ${run.error ?? run.stderr}`);
	console.log(`${name}: exit status ${run.status}, ${((Date.now() - begun) / 1000).toFixed(0)} s`);
	return JSON.parse(run.stdout);
}

// The plot of depth as a picture of its own, with the legend as text.
function picture(name) {
	const html = fs.readFileSync(path.join(docs, `${name}.html`), 'utf8'), from = html.indexOf('<figure id="depth">');
	if (from < 0)
		return '';
	const figure = html.slice(from, html.indexOf('</figure>', from)), colours = /:root\{[^}]*?(--c0:[^}]*)\}/.exec(html)[1];
	const items = [...figure.matchAll(/<li><i( class="dashed")? style="--c:var\((--c\d)\)"><\/i>([^<]*)<\/li>/g)];
	const legend = items.map(([, dashed, c, label], i) => {
		const x = 50 + (i % 5) * 106, y = 244 + Math.floor(i / 5) * 17;
		return `<path d="M${x} ${y - 4}h16" style="stroke:var(${c})" stroke-width="2"${dashed ? ' stroke-dasharray="4 3"' : ''}/><text x="${x + 21}" y="${y}">${label}</text>`;
	}).join('\n');
	const style = `:root{--soft:#5c646c;--line:#c8cac6;--grid:#ececE8;${colours}}text{fill:var(--soft);font:12px sans-serif}.y{text-anchor:end}.x{text-anchor:middle}.end,.marked{text-anchor:end}` +
		'.grid{stroke:var(--grid);fill:none}.axis{stroke:var(--line);fill:none}.line{fill:none}.mark{stroke:var(--soft);stroke-dasharray:2 3;fill:none}';
	const drawing = figure.slice(figure.indexOf('</desc>') + 7, figure.indexOf('</svg>'));
	fs.writeFileSync(path.join(docs, `${name}.svg`), `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -6 620 290" width="620" height="290"><style>${style}</style>` +
		`<rect x="-10" y="-6" width="620" height="290" fill="#fcfcfa"/>${drawing}${legend}\n</svg>\n`);
	return `\n![depth over time](${name}.svg)\n`;
}

const round = (x, digits = 3) => (x === null || x === undefined ? '' : String(Number(x.toPrecision(digits))));
const cell = (c) => {
	if (c.status === 'refused')
		return `| \`${c.label}\` | cannot do it: ${c.message.replace(/^[^ ]*: /, '').replaceAll('|', '/')} | | | | | | | | |`;
	const depth = c.depth_share === null ? '' : c.depth_share === 0 ? '0' : `${round(100 * c.depth_share)} %`;
	const known = c.known?.length ? `${c.known.filter((k) => k.verdict === 'met').length} of ${c.known.length} met` : '';
	return `| \`${c.label}\`${c.options ? ` ${c.options}` : ''} | ${c.status === 'ended' ? `ended after frame ${c.frames}: ${c.stop}` : 'done'} | ` +
		`${depth} | ${c.passages ?? ''} | ${c.escaped} | ${round(c.energy_end / c.energy_start, 4)} | ${round(c.energy_rise, 2)} | ${round(c.distance)} | ${c.text_fallbacks} | ${known} |`;
};

const head = `# Every method on the same scenes

\`make methods\` writes this page, from \`cairn compare\`, and beside it a page with pictures and plots of each scene. [compare.md](../compare.md) says what the columns
mean, [methods.md](../methods.md) what the methods do. Depth is a share of the size of the smaller dynamic body; energy at the end a part of that at the start; the
rise is in units; the distance from the truth at the end in sizes; *limits* counts what a limit cut short and guesses that were wrong; *known* says how many answers of a scene that has any were met. Each method runs with its usual options, most of them one step a frame, the classic ones 16.
${methods ? `\nThis page was written for some of them alone: \`make methods METHODS=${methods}\`.\n` : ''}`;
const sections = new Map(); // by name, in the order of the page
for (const row of chosen) {
	const result = compare(row);
	sections.set(row[0], `\n## ${row[0]}\n\n${row[3]} ${result.bodies} bodies, ${result.frames} frames at ${result.fps} a second (\`${path.basename(row[1])}\`).${row[4] ? ` Left out, as too slow here: ${row[4].join(', ')}.` : ''}\n\n` +
		'| method | | worst depth | passages | escaped | energy | largest rise | distance | limits | known |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n' +
		result.columns.map(cell).join('\n') + '\n' + picture(row[0]));
}

// What engines do, beside one of them: programs of bench/peers, where they were built.
function peers() {
	const folder = path.dirname(tool), engines = ['bullet', 'pgs', 'soft', 'xpbd', 'cairn'].map((name) => path.join(folder, `peer_${name}`));
	if (!engines.every((file) => fs.existsSync(file)))
		return '';
	// The engines take turns, and the least time of three turns counts: what else the machine does then hits all alike.
	const run = (file, scene, steps) => JSON.parse(spawnSync(file, [scene, '--steps', String(steps), '--frames', scene.endsWith('s') ? '150' : '240'], { encoding: 'utf8' }).stdout);
	const lines = [];
	for (const scene of ['stack', 'cubejam', 'cubeglass', 'grid1000'])
		for (const steps of [1, 8]) {
			const asked = engines.filter((file) => steps === 1 || !file.endsWith('cairn')); // oba finds its own steps
			const turns = Array.from({ length: 3 }, () => asked.map((file) => run(file, scene, steps)));
			const runs = turns[0].map((first, i) => ({ ...first, mean: Math.min(...turns.map((turn) => turn[i].mean)) }));
			lines.push(`| ${scene} | ${steps} | ${runs.map((r) => `${round(r.mean, 2)}, ${round(100 * r.overlap, 2)} %`).join(' | ')} |${steps === 1 ? '' : ' |'}`);
		}
	return `\n## Beside an engine

Bullet 3.24 with its defaults, and the methods that do what engines do, on the same bodies (\`bench/peers\`), one core, no sleep, 30 frames a second in so many equal steps: mean time of the thread that steps in ms a frame (the least of three runs, taken in turns), and the worst
overlap as a share of the smaller body's thinnest side, by a check that belongs to none of them. Times are of the machine and its load when this was written; compare them along a row.

| scene | steps | Bullet | \`pgs\` | \`soft\` | \`xpbd\` | \`oba\`, certified |
| --- | --- | --- | --- | --- | --- | --- |
${lines.join('\n')}\n`;
}
const beside = !words.length || words.includes('engines') ? peers() : '';
if (beside)
	sections.set('Beside an engine', beside);

const target = path.join(docs, 'README.md');
if (fs.existsSync(target))
	for (const old of fs.readFileSync(target, 'utf8').split(/(?=\n## )/).slice(1)) {
		const name = /## (.*)/.exec(old)[1];
		if (!sections.has(name))
			sections.set(name, old);
	}
const order = [...all.map(([name]) => name), 'Beside an engine'];
fs.writeFileSync(target, head + order.map((name) => sections.get(name) ?? '').join(''));
