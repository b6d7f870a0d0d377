// Every method on the scenes that tell most: writes docs/methods/README.md and, beside it, the pages of cairn compare, which
// are not kept in the repository.
//
//   CAIRN=build/cairn node tools/methods.mjs [--docs FOLDER] [--methods a,b,c] [SCENE...]
//
// Depths, passages, energies and distances are of the motion, so they are the same on every machine; times are not.
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

// Name, bundled scene, frames, what is to be seen there, and methods that would take minutes for a frame there.
const slow = ['propagation', 'simultaneous'];
const all = [
	['stack', 'stack', 120, 'Ten cubes fall upon each other. Who keeps them apart, and who lets the lowest sink?'],
	['wall', 'wall', 60, 'Ninety bricks at rest, light upon light.', slow],
	['cubejam', 'cubejam', 90, 'A hundred cubes jam in a shaft: hits in a crowd, and load through wedges.', slow],
	['cradle', 'office-toy-5', 150, 'Five balls on rods: the last one should leave alone.'],
	['pendulum', 'pendulum', 200, 'Six links that swing: joints alone. Energy should stay.'],
	['diamonds', 'validation-diamond4', 150, 'Four diamonds one upon the other, without friction.'],
	['slope', 'validation-slope', 60, 'Blocks on a slope at the angle of friction.'],
	['mass-ratio', 'validation-mass-ratio', 150, 'What is heavy stands on what is light.'],
	['bullet', 'validation-bullet', 60, 'A ball that is fast and a wall that is thin.'],
];
const chosen = words.length ? all.filter(([name]) => words.includes(name)) : all;
for (const word of words)
	if (!all.some(([name]) => name === word))
		throw new Error(`there is no scene ${word}; there are ${all.map(([name]) => name).join(', ')}`);

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

const round = (x, digits = 3) => (x === null || x === undefined ? '' : String(Number(x.toPrecision(digits))));
const cell = (c) => {
	if (c.status === 'refused')
		return `| \`${c.label}\` | cannot do it: ${c.message.replace(/^[^ ]*: /, '').replaceAll('|', '/')} | | | | | | | |`;
	const depth = c.depth_share === null ? '' : c.depth_share === 0 ? '0' : `${round(100 * c.depth_share)} %`;
	const known = c.known.length ? `${c.known.filter((k) => k.verdict === 'met').length} of ${c.known.length} met` : '';
	return `| \`${c.label}\`${c.options ? ` ${c.options}` : ''} | ${c.status === 'ended' ? `ended after frame ${c.frames}: ${c.stop}` : 'done'} | ` +
		`${depth} | ${c.passages ?? ''} | ${c.escaped} | ${round(c.energy_end / c.energy_start, 4)} | ${round(c.energy_rise, 2)} | ${round(c.distance)} | ${known} |`;
};

let page = `# Every method on the same scenes

\`make methods\` writes this page, from \`cairn compare\`, and beside it a page with pictures and plots of each scene. [compare.md](../compare.md) says what the columns
mean, [methods.md](../methods.md) what the methods do. Depth is a share of the size of the smaller dynamic body; energy at the end a part of that at the start; the
rise is in units; the distance from the truth at the end in sizes; *known* says how many answers of a scene that has any were met. Each method runs with its usual options, most of them one step a frame, the classic ones 16.
${methods ? `\nThis page was written for some of them alone: \`make methods METHODS=${methods}\`.\n` : ''}`;
for (const row of chosen) {
	const result = compare(row);
	page += `\n## ${row[0]}\n\n${row[3]} ${result.bodies} bodies, ${result.frames} frames at ${result.fps} a second (\`${row[1]}\`).${row[4] ? ` Left out, as too slow here: ${row[4].join(', ')}.` : ''}\n\n` +
		'| method | | worst depth | passages | escaped | energy | largest rise | distance | known |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n' +
		result.columns.map(cell).join('\n') + '\n';
}
if (chosen.length === all.length)
	fs.writeFileSync(path.join(docs, 'README.md'), page);
else
	console.log(page);
