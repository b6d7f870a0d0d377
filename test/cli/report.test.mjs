// cairn report: the page is whole and safe, needs nothing else, and its numbers are those of the run.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { bricks, cairn, folder, forge, info, shell, write } from './tool.mjs';

const VOID = new Set(['meta', 'link', 'img', 'br', 'hr', 'input', 'path']);

// Elements of a page as { name, attributes, children, nodes (texts too), text (its own) }, strictly: every tag closed in its order, every attribute in
// double quotes, no raw < in texts, no reference but numbers.
function parse(html) {
	const root = { name: '', attributes: {}, children: [], nodes: [], text: '' };
	const open = [root];
	let at = html.match(/^<!doctype html>\s*/i)[0].length;
	while (at < html.length) {
		const inside = open.at(-1);
		if (inside.name === 'script' || inside.name === 'style') {
			const end = html.indexOf(`</${inside.name}`, at);
			assert.ok(end >= 0, `<${inside.name}> is not closed`);
			inside.text = html.slice(at, end);
			at = end;
		}
		const next = html.indexOf('<', at);
		const text = html.slice(at, next < 0 ? html.length : next);
		assert.doesNotMatch(text.replace(/&#\d+;/g, ''), /&/, `a bare & in "${text.slice(0, 80)}"`);
		if (inside.name !== 'script' && inside.name !== 'style') {
			inside.text += decode(text);
			inside.nodes.push(decode(text));
		}
		if (next < 0)
			break;
		const tag = /^<(\/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z:-]+(?:="[^"<]*")?)*)\s*(\/?)>/.exec(html.slice(next, next + 4000000));
		assert.ok(tag, `no tag: ${html.slice(next, next + 80)}`);
		at = next + tag[0].length;
		const [, closes, name, attributes, alone] = tag;
		if (closes) {
			assert.equal(open.pop().name, name, `</${name}> closes something else`);
			continue;
		}
		const element = { name, attributes: {}, children: [], nodes: [], text: '' };
		for (const [, key, value] of attributes.matchAll(/([a-zA-Z:-]+)(?:="([^"]*)")?/g))
			element.attributes[key] = decode(value ?? '');
		inside.children.push(element);
		inside.nodes.push(element);
		if (!alone && !VOID.has(name))
			open.push(element);
	}
	assert.equal(open.length, 1, `<${open.at(-1).name}> is not closed`);
	return root;
}

const decode = (text) => text.replace(/&#(\d+);/g, (all, code) => String.fromCodePoint(code));
const flat = (element) => [element, ...element.children.flatMap(flat)];
const textOf = (element) => element.nodes.map((node) => (typeof node === 'string' ? node : textOf(node))).join('');
const read = (at, name) => parse(fs.readFileSync(path.join(at, name), 'utf8'));
const all = (page, name, test = () => true) => flat(page).filter((e) => e.name === name && test(e));
const byClass = (page, name) => flat(page).filter((e) => (e.attributes.class ?? '').split(' ').includes(name));
const byId = (page, id) => flat(page).find((e) => e.attributes.id === id);
const near = (a, b, error = 1e-9) => assert.ok(Math.abs(a - b) <= error * Math.max(1e-300, Math.abs(b)), `${a} is not ${b}`);

const facts = (page) => flat(page).filter((e) => e.attributes['data-fact']);
const fact = (page, key, run = 0) => Number(facts(page).filter((e) => e.attributes['data-fact'] === key)[run].attributes['data-value']);

// { name: { mean, least, most, last } } of a figure's drawing, as it says itself.
function described(figure) {
	const text = textOf(all(figure, 'desc')[0]);
	return Object.fromEntries([...text.matchAll(/([^;:]+): mean (\S+), least (\S+), most ([^\s;]+)(?: at \S+, last ([^\s;]+))?/g)]
		.map(([, name, mean, least, most, last]) => [name.trim(), { mean: +mean, least: +least, most: +most, last: +last }]));
}

// The points of a figure's lines in its own units, by reading its axes.
function points(figure) {
	const svg = all(figure, 'svg')[0];
	const groups = all(svg, 'g');
	const number = (e) => {
		const raised = /^10(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/.exec(e.text);
		if (raised)
			return 10 ** ((raised[1] ? -1 : 1) * Number([...raised[2]].map((d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(d)).join('')));
		return Number(e.text.replace(/[\u202f ]/g, '').replace('−', '-'));
	};
	const ticks = (group, key, shift) => all(group, 'text').map((e) => [Number(e.attributes[key]) - shift, number(e)]);
	const x = ticks(groups.find((g) => g.attributes.class === 'x'), 'x', 0);
	const y = ticks(groups.find((g) => g.attributes.class === 'y'), 'y', 4);
	const log = all(groups.find((g) => g.attributes.class === 'y'), 'text').some((e) => /⁻/.test(e.text));
	const along = (list, at, map = (v) => v) => {
		const [[p0, v0], [p1, v1]] = [list[0], list.at(-1)];
		return map(v0) + (at - p0) / (p1 - p0) * (map(v1) - map(v0));
	};
	return all(svg, 'path', (e) => e.attributes.class === 'line').map((e) =>
		[...e.attributes.d.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, px, py]) =>
			[along(x, +px), log ? 10 ** along(y, +py, Math.log10) : along(y, +py)]));
}

// One run of bodies in contact for most tests, with what it said of each frame.
let made;
function crowd() {
	if (!made) {
		const at = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-report-'));
		process.on('exit', () => fs.rmSync(at, { recursive: true, force: true }));
		const run = cairn(at, 'run', 'cubejam', '--frames', '60', '--json', '--progress', 'json', '-o', 'jam.cairn');
		assert.equal(run.status, 0, run.stderr);
		const report = cairn(at, 'report', 'jam.cairn', '--progress', 'none');
		assert.equal(report.status, 0, report.stderr);
		assert.match(report.stdout, /^jam-report\.html: 1 recording, \d+(\.\d)? [kM]B\n$/);
		const frames = run.stderr.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
		made = { at, page: read(at, 'jam-report.html'), summary: JSON.parse(run.stdout), frames };
	}
	return made;
}

test('the numbers are those of the run', () => {
	const { at, page, summary } = crowd();
	for (const key of ['frames', 'bodies', 'ms_mean', 'ms_p95', 'ms_max', 'close_pairs_mean', 'collisions_mean', 'contacts_mean',
		'programs_mean', 'worst_gap', 'held', 'steps_mean', 'debt', 'debt_mean', 'energy_start', 'energy_end', 'energy_rise', 'lift'])
		near(fact(page, key), summary[key], 1e-9);
	const text = textOf(page);
	for (const part of [`frame ${summary.worst_gap_frame}, ${summary.worst_gap_pair.join(' and ')}`, info(at, 'jam.cairn').hash,
		`frame ${summary.debt_frame}, ${summary.debt_body}`, `at most ${summary.steps_max}`, `at most ${summary.contacts_max}`, `${summary.collisions} in all`])
		assert.ok(text.includes(part), part);
	assert.match(text, /Mean [\d.]+ ms, 95 % of the frames below/);
});

test('the plots are those of the run', () => {
	const { page, summary, frames } = crowd();
	const counts = described(byId(page, 'counts'));
	near(counts['close pairs'].mean, summary.close_pairs_mean);
	near(counts['contacts solved'].mean, summary.contacts_mean);
	assert.deepEqual([counts['close pairs'].most, counts['contacts solved'].most], [summary.close_pairs_max, summary.contacts_max]);
	const stages = described(byId(page, 'time'));
	near(stages.position.mean, summary.stages.position, 1e-8);
	near(Object.values(stages).reduce((sum, one) => sum + one.mean, 0), summary.ms_mean, 1e-8);
	near(described(byId(page, 'energy')).total.most, Math.max(...frames.map((f) => f.energy)));
	const ledger = described(byId(page, 'ledger')); // added up from the start: at the end the sums of the run
	for (const [name, key] of [['lost in impacts', 'impacts'], ['lost by friction', 'friction'], ['brought by keeping bodies apart', 'position']])
		near(ledger[name].last, summary.energy[key]);
	near(described(byId(page, 'gap'))['smallest gap'].least, summary.worst_gap);

	const [pairs, collisions, contacts] = points(byId(page, 'counts'));
	const scale = summary.close_pairs_max;
	assert.equal(pairs.length, frames.length);
	frames.forEach((frame, i) => {
		for (const [line, key] of [[pairs, 'close_pairs'], [collisions, 'collisions'], [contacts, 'contacts']]) {
			near(line[i][0], frame.frame, 0.02);
			assert.ok(Math.abs(line[i][1] - frame[key]) < 0.004 * scale, `frame ${frame.frame}: ${line[i][1]} ${key}, not ${frame[key]}`);
		}
	});
	const [gaps] = points(byId(page, 'gap'));
	const measured = frames.filter((frame) => frame.min_gap !== null);
	assert.equal(gaps.length, measured.length);
	measured.forEach((frame, i) => near(Math.log10(gaps[i][1]), Math.log10(frame.min_gap), 0.01));
});

test('debt and steps are drawn for every frame that has some', () => {
	const { page, summary, frames } = crowd();
	assert.ok(summary.steps_max > 1 && summary.debt > 0);
	assert.equal(Math.max(...frames.map((f) => f.debt)), summary.debt);
	const debt = described(byId(page, 'debt')), steps = described(byId(page, 'steps')).steps;
	near(debt.largest.most, summary.debt);
	assert.ok(debt.mean.most < debt.largest.most);
	near(steps.mean, summary.steps_mean);
	assert.deepEqual([steps.least, steps.most], [1, summary.steps_max]);
	const owing = frames.filter((frame) => frame.debt > 1e-6 * summary.debt), [largest] = points(byId(page, 'debt'));
	assert.equal(largest.length, owing.length);
	owing.forEach((frame, i) => {
		near(largest[i][0], frame.frame, 0.02);
		near(Math.log10(largest[i][1]), Math.log10(frame.debt), 0.01);
	});
	const [taken] = points(byId(page, 'steps'));
	assert.equal(taken.length, frames.length);
	frames.forEach((frame, i) => assert.ok(Math.abs(taken[i][1] - frame.steps) < 0.01 * summary.steps_max, `frame ${frame.frame}`));
});

test('what is not known of an older recording is not drawn', (t) => {
	const { at: from } = crowd(), at = folder(t);
	const bytes = fs.readFileSync(path.join(from, 'jam.cairn')), kept = [bytes.subarray(0, 16)];
	for (let at = 16; at < bytes.length;) {
		const size = 24 + Number(bytes.readBigUInt64LE(at + 4));
		if (bytes.toString('latin1', at, at + 4) !== 'DEBT')
			kept.push(bytes.subarray(at, at + size));
		at += size;
	}
	fs.writeFileSync(path.join(at, 'old.cairn'), Buffer.concat(kept));
	const result = cairn(at, 'report', 'old.cairn', '--quick', '--quiet');
	assert.equal(result.status, 0, result.stderr);
	const page = read(at, 'old-report.html');
	assert.deepEqual([byId(page, 'debt'), byId(page, 'steps')], [undefined, undefined]);
	assert.equal(facts(page).find((e) => e.attributes['data-fact'] === 'debt').attributes['data-value'], '');
	assert.match(textOf(page), /largest debt of a body[^a-z]*not in this recording/);
	near(fact(page, 'contacts_mean'), crowd().summary.contacts_mean);
});

test('the mark is the frame time, at its height', () => {
	const { page } = crowd();
	const figure = byId(page, 'time');
	assert.match(textOf(byClass(figure, 'marked')[0]), /^(↑ )?33\.3 ms: real time at 30 frames a second$/);
	assert.equal(all(figure, 'path', (e) => e.attributes.class === 'mark').length, textOf(byClass(figure, 'marked')[0]).startsWith('↑') ? 0 : 1);
});

test('the slowest frames are the slowest, linked to the player', () => {
	const { page, frames } = crowd();
	const rows = all(byClass(page, 'worst')[0], 'tbody')[0].children;
	const order = [...frames].sort((a, b) => b.ms - a.ms || a.frame - b.frame).slice(0, 10);
	assert.deepEqual(rows.map((row) => all(row, 'a')[0].attributes.href), order.map((frame) => `jam.html#frame=${frame.frame}`));
	rows.forEach((row, i) => near(Number(all(row, 'td')[2].attributes['data-value']), order[i].ms));
});

test('the certificate is checked for the report', () => {
	const { at, page } = crowd();
	const checked = JSON.parse(cairn(at, 'certify', 'jam.cairn', '--json', '--quiet').stdout);
	const said = textOf(byClass(page, 'verdict')[0]).replace(/\u202f/g, '');
	assert.match(said, /^clean /);
	for (const part of [`${checked.pairs} pairs`, `${checked.frames} frames`, `${checked.intervals} pieces`, `frame ${checked.min_gap_frame}, ${checked.min_gap_pair.join(' and ')}`])
		assert.ok(said.includes(part), part);
	write(at, 'through.json', { version: 1, world: { method: 'free', frames: 20 }, bodies: [
		{ name: 'a', shape: { sphere: 0.5 }, velocity: [3, 0, 0] }, { name: 'b', shape: { sphere: 0.5 }, position: [1.5, 0, 0] }] });
	assert.equal(cairn(at, 'run', 'through.json', '--quiet').status, 0);
	assert.equal(cairn(at, 'report', 'through.cairn', '--quiet').status, 0);
	assert.match(textOf(byClass(read(at, 'through-report.html'), 'verdict')[0]), /^overlap .*the first in frame \d+, a and b/s);
});

// Nothing is fetched: what loads is inside, and the page forbids the rest.
function checkAlone(page) {
	for (const element of flat(page)) {
		const { src, href, style } = element.attributes;
		assert.ok(src === undefined || /^data:image\/png;base64,[A-Za-z0-9+/]+=*$/.test(src), src);
		assert.ok(href === undefined || href === 'data:,' || /^[\w.~%-]+\.html#frame=\d+$/.test(href), href);
		assert.doesNotMatch(style ?? '', /url/);
		assert.ok(!Object.keys(element.attributes).some((key) => /^on/i.test(key)));
		assert.ok(!['iframe', 'object', 'embed', 'base', 'form'].includes(element.name), element.name);
	}
	for (const style of all(page, 'style'))
		assert.doesNotMatch(style.text, /@import|url\(/);
	assert.match(all(page, 'meta', (e) => e.attributes['http-equiv'])[0].attributes.content, /^default-src 'none'; img-src data:/);
}

test('one file, and no network', () => checkAlone(crowd().page));

test('pictures, or why there are none', () => {
	const { at, page } = crowd();
	const pictures = all(byId(page, 'pictures'), 'img');
	if (pictures.length === 0)
		assert.match(textOf(byId(page, 'pictures')), /No pictures: /);
	else {
		// Six, in order, from the first frame on; which they are is chosen by what moves.
		const frames = pictures.map((e) => Number(e.attributes.alt.match(/^frame (\d+)$/)[1]));
		assert.equal(frames.length, 6);
		assert.ok(frames.every((frame, i) => frame <= 60 && (i === 0 || frame > frames[i - 1])), frames.join());
	}
	fs.mkdirSync(path.join(at, 'broken'), { recursive: true });
	write(at, 'broken/libEGL.so.1', 'this is no library');
	const without = shell(at, '"$CAIRN" report jam.cairn -o blind.html', { LD_LIBRARY_PATH: path.join(at, 'broken') });
	assert.equal(without.status, 0, without.stderr);
	assert.match(without.stderr, /^cairn: no pictures in the report: ./m);
	const blind = read(at, 'blind.html');
	assert.match(textOf(byId(blind, 'pictures')), /No pictures: ./);
	assert.equal(all(blind, 'img').length, 0);
	near(fact(blind, 'contacts_mean'), fact(page, 'contacts_mean'));
});

test('--quick leaves out the check and the pictures', () => {
	const { at } = crowd();
	assert.equal(cairn(at, 'report', 'jam.cairn', '--quick', '--quiet', '-o', 'quick.html').status, 0);
	const page = read(at, 'quick.html');
	assert.equal(byId(page, 'pictures'), undefined);
	assert.match(textOf(byClass(page, 'verdict')[0]), /^clean .*while it was simulated, in 60 of 60 frames; it was not checked again/s);
});

test('two recordings side by side', () => {
	const { at, summary } = crowd();
	const other = cairn(at, 'run', 'cubejam', '--frames', '40', '--json', '--quiet', '--set', 'sleep=off', '--set', 'seed=2', '-o', 'other.cairn');
	assert.equal(other.status, 0, other.stderr);
	const result = cairn(at, 'report', 'jam.cairn', 'other.cairn', '--quiet', '-o', 'both.html');
	assert.equal(result.status, 0, result.stderr);
	const page = read(at, 'both.html');
	checkAlone(page);
	const second = JSON.parse(other.stdout);
	for (const key of ['frames', 'ms_mean', 'contacts_mean', 'worst_gap', 'energy_end']) {
		near(fact(page, key, 0), summary[key]);
		near(fact(page, key, 1), second[key]);
	}
	for (const id of ['time', 'pairs', 'contacts', 'collisions', 'debt', 'steps', 'gap', 'total', 'kinetic', 'programs']) {
		const figure = byId(page, id);
		assert.deepEqual(all(byClass(figure, 'legend')[0], 'li').map(textOf), ['jam', 'other'], id);
		assert.deepEqual(points(figure).map((line) => line.length > 0), [true, true], id);
	}
	near(described(byId(page, 'contacts')).other.mean, second.contacts_mean);
	const rows = all(byClass(page, 'settings')[0], 'tr').filter((row) => row.children.length === 3);
	const differs = rows.filter((row) => row.attributes.class === 'differs').map((row) => textOf(row.children[0]));
	assert.ok(differs.includes('sleep') && differs.includes('seed') && !differs.includes('gravity'), differs.join());
	assert.equal(byClass(page, 'worst').length, 2);
});

test('how the cost grows, where it does', () => {
	const { at, page } = crowd();
	assert.equal(byId(page, 'time-bodies'), undefined); // cubejam has the same bodies all the time
	assert.ok(byId(page, 'rest') && byId(page, 'position') && byId(page, 'bounce'));
	const run = cairn(at, 'run', 'pour', '--frames', '40', '--json', '--quiet');
	assert.equal(run.status, 0, run.stderr);
	assert.equal(cairn(at, 'report', 'pour.cairn', '--quick', '--quiet').status, 0);
	const pour = read(at, 'pour-report.html');
	for (const id of ['time-bodies', 'pairs-bodies', 'programs-bodies']) {
		const dots = byClass(byId(pour, id), 'dots')[0].attributes.d.match(/M/g).length;
		assert.ok(dots > 5 && dots <= 40, `${id}: ${dots}`);
	}
	near(described(byId(pour, 'time-bodies')).time.mean, JSON.parse(run.stdout).ms_mean, 1e-8);
});

test('a hostile name stays text', (t) => {
	const at = folder(t);
	const name = `<img src=x onerror=alert(1)> " ' & <!-- ]]> \u0001`;
	const scene = bricks({ frames: 6, world: { gravity: [0, 0, -9.81] } });
	scene.description = '</title></style></script><script>alert(2)</script>';
	scene.bodies.forEach((body, i) => (body.name = `${i}</script><script>alert(3)</script>&amp;`));
	scene.bodies[1].position = [0, 0, 0.45];
	scene.bodies.forEach((body) => delete body.spin);
	write(at, `${name}.json`, scene);
	assert.equal(cairn(at, 'run', `./${name}.json`, '-o', `${name}.cairn`, '--quiet').status, 0);
	for (const count of [1, 2]) {
		const result = cairn(at, 'report', ...Array(count).fill(`./${name}.cairn`), '-o', 'page.html', '--quiet');
		assert.equal(result.status, 0, result.stderr);
		const html = fs.readFileSync(path.join(at, 'page.html'), 'utf8');
		const page = parse(html);
		checkAlone(page);
		assert.doesNotMatch(html, /<script>alert|<img src=x|<!--/);
		assert.equal(all(page, 'script').length, byId(page, 'report-data') ? 2 : 0);
		if (count === 1) {
			assert.equal(textOf(all(page, 'h1')[0]), name.replace('\u0001', '\ufffd'));
			assert.equal(textOf(byClass(page, 'lead')[0]), scene.description);
			assert.ok(textOf(page).includes(scene.bodies[0].name));
		}
		const data = byId(page, 'report-data');
		if (data)
			assert.equal(JSON.parse(data.text).runs.length, count);
	}
});

test('long runs stay light, and no peak is lost', (t) => {
	const at = folder(t);
	write(at, 'long.json', bricks({ count: 1, world: { gravity: [0, 0, 0] } }));
	const run = cairn(at, 'run', 'long.json', '--frames', '10000', '--method', 'free', '--json', '--quiet');
	assert.equal(run.status, 0, run.stderr);
	assert.equal(cairn(at, 'report', 'long.cairn', '--quick', '--quiet').status, 0);
	const size = fs.statSync(path.join(at, 'long-report.html')).size;
	assert.ok(size < 1 << 20, `${size} bytes`);
	const page = read(at, 'long-report.html'), figure = byId(page, 'time');
	const summary = JSON.parse(run.stdout);
	near(fact(page, 'ms_max'), summary.ms_max);
	const areas = all(figure, 'path', (e) => e.attributes.class === 'area');
	assert.ok(areas.every((e) => e.attributes.d.length < 30000));
	// the highest place of the highest area is the slowest frame, read on the axis
	const ticks = all(all(figure, 'g', (g) => g.attributes.class === 'y')[0], 'text').map((e) => [e.attributes.y - 4, Number(e.text)]);
	const top = Math.min(...[...areas.at(-1).attributes.d.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => +y));
	const [[p0, v0], [p1, v1]] = [ticks[0], ticks.at(-1)];
	near(v0 + (top - p0) / (p1 - p0) * (v1 - v0), summary.ms_max, 0.02);
});

test('joints that come apart are shown', (t) => {
	const at = folder(t);
	const scene = bricks({ count: 3, frames: 10, world: { method: 'free' } });
	scene.joints = [{ type: 'ball', bodies: ['brick 0', 'brick 1'], point: [2, 0, 0] }, { type: 'ball', bodies: ['brick 2', 'world'], point: [8, 0, 1] }];
	forge(at, write(at, 'chain.json', scene), 'chain.cairn', 'joints');
	assert.equal(cairn(at, 'report', 'chain.cairn', '--quick', '--quiet').status, 0);
	const page = read(at, 'chain-report.html'), joint = described(byId(page, 'joint'))['joint error'];
	near(joint.least, 0.001);
	near(joint.most, 0.01);
	near(fact(page, 'joint_error'), 0.01);
	assert.equal(byId(crowd().page, 'joint'), undefined);
});

test('a truncated recording up to its last whole frame, a damaged one with status 4', (t) => {
	const { at: from } = crowd(), at = folder(t);
	const bytes = fs.readFileSync(path.join(from, 'jam.cairn'));
	fs.writeFileSync(path.join(at, 'cut.cairn'), bytes.subarray(0, Math.floor(bytes.length * 0.6)));
	const cut = cairn(at, 'report', 'cut.cairn', '--quiet');
	assert.equal(cut.status, 0, cut.stderr);
	assert.match(cut.stderr, /^cairn: cut\.cairn: ends inside frame \d+; frames 0 to \d+ are whole$/m);
	const page = read(at, 'cut-report.html');
	assert.match(textOf(byClass(page, 'warning')[0]), /^cut\.cairn: ends inside frame/);
	assert.equal(fact(page, 'frames'), info(at, 'cut.cairn').last_frame);
	bytes[Math.floor(bytes.length * 0.6)] ^= 1;
	fs.writeFileSync(path.join(at, 'bad.cairn'), bytes);
	const bad = cairn(at, 'report', 'bad.cairn', '--quiet');
	assert.equal(bad.status, 4);
	assert.match(textOf(byClass(read(at, 'bad-report.html'), 'warning')[0]), /is damaged/);
});

test('a recording of its first frame alone', (t) => {
	const at = folder(t);
	write(at, 'still.json', bricks());
	assert.equal(cairn(at, 'run', 'still.json', '--frames', '0', '--quiet').status, 0);
	const result = cairn(at, 'report', 'still.cairn', '--quiet');
	assert.equal(result.status, 0, result.stderr);
	const page = read(at, 'still-report.html');
	assert.match(textOf(byClass(page, 'warning')[0]), /no step was taken/);
	assert.equal(all(page, 'svg').length, 0);
});

test('what cannot be done is refused, and an older page stays', (t) => {
	const { at: from } = crowd(), at = folder(t);
	fs.copyFileSync(path.join(from, 'jam.cairn'), path.join(at, 'jam.cairn'));
	write(at, 'old.html', 'an older page');
	const refuse = (status, pattern, ...args) => {
		const result = cairn(at, 'report', ...args);
		assert.equal(result.status, status, result.stderr);
		assert.match(result.stderr, pattern);
		assert.equal(fs.readFileSync(path.join(at, 'old.html'), 'utf8'), 'an older page');
	};
	refuse(2, /needs REC/);
	refuse(4, /no\.cairn/, 'no.cairn', '-o', 'old.html');
	refuse(4, /no\.cairn/, 'jam.cairn', 'no.cairn', '-o', 'old.html');
	refuse(2, /takes recordings, and 'tumble' is a scene; cairn run tumble makes one/, 'tumble', '-o', 'old.html');
	refuse(2, /ends in \.html/, 'jam.cairn', '-o', 'jam.pdf');
	refuse(2, /is the recording itself/, 'jam.cairn', '-o', 'jam.cairn');
	refuse(4, /cannot write .*no\/such/, 'jam.cairn', '-o', 'no/such/place.html', '--quick');
	fs.symlinkSync('/dev/full', path.join(at, 'full.html'));
	refuse(4, /not a regular file/, 'jam.cairn', '-o', 'full.html');
	write(at, 'text.cairn', 'not a recording, but more than sixteen bytes');
	refuse(4, /is not a cairn recording/, 'text.cairn', '-o', 'old.html');
	const full = shell(at, 'trap "" XFSZ; ulimit -f 8; "$CAIRN" report jam.cairn --quick -o old.html');
	assert.equal(full.status, 4, full.stderr);
	assert.match(full.stderr, /cannot write old\.html: /);
	assert.equal(fs.readFileSync(path.join(at, 'old.html'), 'utf8'), 'an older page');
	assert.deepEqual(fs.readdirSync(at).sort(), ['full.html', 'jam.cairn', 'old.html', 'text.cairn']);
});
