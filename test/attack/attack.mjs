// Whatever is thrown at the engine, nothing crashes, hangs or lies: `make attack` (docs/attack.md).
//
//   node attack.mjs --seconds N --seed S --found DIR [PART...]
//
// Each part gets its share of the time and prints one line; the last line is "N passed, N failed". Exit status 1 if anything
// failed, 2 for usage. Programs are found through the environment: CAIRN (the tool), WORLDS, STARVE, SOAK, HASHRUN, and with one or more
// paths, a colon between, FUZZ_INTERFACE and SANITIZED (hashrun under sanitizers).
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { shrink } from './shrink.mjs';

const options = { seconds: 60, seed: 1, found: 'test/found', parts: [] };
for (let i = 2; i < process.argv.length; ++i) {
	const word = process.argv[i];
	if (word.startsWith('--') && word.slice(2) in options && i + 1 < process.argv.length)
		options[word.slice(2)] = word === '--found' ? process.argv[++i] : Number(process.argv[++i]);
	else if (!word.startsWith('--'))
		options.parts.push(word);
	else {
		console.error(`attack: what is ${word}?`);
		process.exit(2);
	}
}
const program = (name) => path.resolve(process.env[name] ?? '');
const cairn = program('CAIRN'), worlds = program('WORLDS');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-attack-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// The same numbers for the same seed.
let state = BigInt(options.seed) * 0x2545f4914f6cdd1dn & 0xffffffffffffffffn;
function chance() {
	state = state + 0x9e3779b97f4a7c15n & 0xffffffffffffffffn;
	let z = state;
	z = (z ^ z >> 30n) * 0xbf58476d1ce4e5b9n & 0xffffffffffffffffn;
	z = (z ^ z >> 27n) * 0x94d049bb133111ebn & 0xffffffffffffffffn;
	return Number((z ^ z >> 31n) >> 11n) / 2 ** 53;
}
const choose = (list) => list[Math.floor(chance() * list.length)];

function run(file, args, more = {}) {
	const result = spawnSync(file, args, { cwd: work, encoding: 'utf8', maxBuffer: 1 << 26, timeout: 120000, ...more });
	return { ...result, said: `${result.signal ?? `exit ${result.status}`}: ${(result.stderr ?? '').trim().split('\n').slice(-3).join(' | ')}` };
}

// A part counts what it tried and keeps what went wrong.
class Part {
	constructor(name) {
		this.name = name, this.tried = 0, this.failures = [];
	}
	check(ok, what) {
		++this.tried;
		if (!ok)
			this.failures.push(typeof what === 'function' ? what() : what);
		return ok;
	}
}

// A folder in memory where there is such a place: recordings are synced, and a disk takes more time for that than all else.
function quick_place() {
	const place = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : work, 'cairn-attack-'));
	process.on('exit', () => fs.rmSync(place, { recursive: true, force: true }));
	return place;
}

// ---- worlds: random ones, looked at from outside; what is wrong is made small and kept

// Bodies that are put back, late scripts and debts are the reports' own business and no failures.
const wrong = ['overlap', 'refused', 'not-finite', 'stuck', 'crashed', 'slow', 'differs', 'shot', 'rise', 'still', 'hang'];

function look(args) {
	const result = run(worlds, [...args, '--json', '--patience', '60'], { timeout: 0 }); /* it gives up by itself */
	try {
		const table = JSON.parse(result.stdout);
		return table.failed ? null : table;
	} catch {
		return null;
	}
}

// The small scene is at least half as bad, in the same body, so that it does not end with something else just above a limit.
function keep_small(seed, kind, { worst, body }, until) {
	const text = run(worlds, ['--hard', '--dump', String(seed)]).stdout, file = path.join(work, 'small.json');
	let last;
	const shows = (scene) => {
		if (Date.now() > until)
			return false;
		fs.writeFileSync(file, JSON.stringify(scene));
		const table = look(['--scene', file]);
		const bad = table?.[kind]?.count > 0 && table[kind].worst >= 0.5 * (worst ?? 0) && table[kind].body === body;
		if (bad)
			last = table[kind];
		return bad;
	};
	const small = shrink(JSON.parse(text), shows);
	const cause = last ? `${kind} ${last.worst} at frame ${last.frame}${last.body ? `: ${last.body}` : ''}` : kind;
	small.description = `hard world ${seed}: ${cause}`;
	fs.mkdirSync(options.found, { recursive: true });
	const target = path.join(options.found, `${kind}-${seed}.json`);
	fs.writeFileSync(target, `${JSON.stringify(small, null, 1)}\n`);
	return `${target} (${small.bodies?.length ?? 0} bodies, ${small.joints?.length ?? 0} joints, ${small.world.frames} frames): ${cause}`;
}

function attack_worlds(part, until) {
	const shrunk = new Set();
	for (let seed = options.seed; Date.now() < until; ++seed) {
		const table = look(['--hard', '--seed', String(seed), '--count', '1']);
		if (!part.check(table, `seed ${seed} makes no world`))
			continue;
		for (const kind of wrong.filter((k) => table[k].count > 0)) {
			const of_kind = { ...table[kind] };
			part.failures.push(shrunk.has(kind) ? `seed ${seed}: ${kind} ${of_kind.worst} frame ${of_kind.frame} ${of_kind.body}`
				: keep_small(seed, kind, of_kind, Date.now() + 1000 * Math.min(60, options.seconds)));
			shrunk.add(kind);
		}
	}
}

// ---- interface: the whole header, with drawn arguments, under each sanitizer that was built

function attack_interface(part, until) {
	const programs = (process.env.FUZZ_INTERFACE ?? '').split(':').filter(Boolean).map((p) => path.resolve(p));
	const each = Math.max(1, (until - Date.now()) / 1000 / Math.max(programs.length, 1));
	const place = quick_place();
	for (const file of programs) {
		const result = run(file, ['--seed', String(options.seed), '--seconds', String(Math.round(each))], { cwd: place, timeout: Math.round(1000 * each) + 120000 });
		const count = Number(/^(\d+) passed/m.exec(result.stdout ?? '')?.[1] ?? 0);
		part.tried += count;
		console.log(`  ${file}: ${count} inputs, ${/^(\d+) calls/m.exec(result.stdout ?? '')?.[1] ?? 0} calls`);
		part.check(result.status === 0, () => `${file} --seed ${fs.readFileSync(path.join(place, 'fuzz.seed'), 'utf8').trim()} --count 1: ${result.said}`);
	}
}

// ---- sanitizers: ten scenes on four threads, without a word from a sanitizer and with the bits of one thread without them

const scenes_folder = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../../scenes');
const several = (name) => (process.env[name] ?? '').split(':').filter(Boolean).map((p) => path.resolve(p));
// Frames in which each has met what it is about, and that a sanitizer gets through in a minute.
const sanitized = [['cubejam', 60], ['wall', 130], ['jacks', 40], ['hybrid', 10], ['robot', 10], ['terrain', 30], ['hanging-chain', 10], ['lift', 100],
	['fountain', 100], ['sphereglass', 30]];

function attack_sanitizers(part, until) {
	for (const [scene, frames] of sanitized)
		for (const file of several('SANITIZED')) {
			if (Date.now() > until && part.tried > 0)
				return;
			const args = [path.join(scenes_folder, `${scene}.json`), '--frames', String(frames), '--threads'];
			const wanted = run(program('HASHRUN'), [...args, '1'], { timeout: 600000 }), got = run(file, [...args, '4'], { timeout: 3600000 });
			part.check(got.status === 0 && !/Sanitizer/.test(got.stderr) && got.stdout === wanted.stdout,
				() => `${file} ${args.join(' ')} 4: ${got.said}; ${got.stdout.trim()} and not ${wanted.stdout.trim()}`);
		}
}

// ---- starve: the n-th allocation fails, for every n up to 5000 in eight scenes

const starved = ['stack', 'lift', 'fountain', 'door', 'office-toy', 'wheel', 'terrain', 'hanging-chain'];

function attack_starve(part, until) {
	const cwd = quick_place();
	for (const [i, scene] of starved.entries()) {
		const left = until - Date.now(), share = left / (starved.length - i);
		if (left <= 0)
			return;
		// As many of them as there is time for, evenly: with enough time all.
		let every = 1;
		const probe = Date.now(), file = path.join(scenes_folder, `${scene}.json`);
		run(program('STARVE'), [file, '--most', '40', '--every', '10'], { cwd });
		every = Math.max(1, Math.ceil((Date.now() - probe) / 5 * 3000 / share));
		const result = run(program('STARVE'), [file, '--every', String(every), '--from', String(1 + Math.floor(chance() * every))], { cwd, timeout: 0 });
		const [, tried, wrong] = /, (\d+) tried, .*, (\d+) wrong/.exec(result.stdout ?? '') ?? [0, 0, 1];
		part.tried += Number(tried);
		part.check(result.status === 0 && Number(wrong) === 0, () => `${scene}, every ${every}: ${result.said} ${result.stdout.trim().split('\n').slice(0, 4).join(' | ')}`);
	}
}

// ---- soak: memory stays where it is. The bodies of `pour` when all ten thousand are there, as long as there is time for;
// and a world in which bodies come and go.

function resident(pid) {
	try {
		return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
	} catch {
		return 0;
	}
}

async function attack_soak(part, until) {
	const third = (until - Date.now()) / 3;
	const frames = Math.max(3000, Math.round(third / 2)); /* two milliseconds each */
	const small = run(program('SOAK'), ['--frames', String(frames)], { timeout: 0 });
	part.check(small.status === 0, () => `${small.stdout.trim()} ${small.said}`);
	console.log(`  ${small.stdout.trim()}`);
	const pour = JSON.parse(fs.readFileSync(path.join(scenes_folder, 'pour.json'), 'utf8'));
	pour.world.frames = 20000;
	fs.writeFileSync(path.join(work, 'pour.json'), JSON.stringify(pour));
	const child = spawn(cairn, ['run', './pour.json', '-o', './pour.cairn', '-q', '--threads', '2', '--progress', 'json', '--json', '--time',
		String(Math.max(5, Math.round((until - Date.now()) / 1000)))], { cwd: work, stdio: ['ignore', 'pipe', 'pipe'] });
	let frame = 0, summary = '', said = '';
	const seen = []; /* [frame, bytes] */
	child.stdout.on('data', (bytes) => summary += bytes);
	child.stderr.on('data', (bytes) => {
		said = (said + bytes).slice(-2000);
		frame = Number(/"frame":\s*(\d+)/g.exec(String(bytes).split('\n').filter((l) => l.includes('frame')).at(-1) ?? '')?.[1] ?? frame);
	});
	const look = setInterval(() => seen.push([frame, resident(child.pid)]), 500);
	const status = await new Promise((resolve) => child.on('close', resolve));
	clearInterval(look);
	part.check(status === 0 || status === 124, () => `pour: exit ${status}: ${said.trim().split('\n').at(-1)}`);
	// All bodies are there after 800 frames; they lie after 2000.
	const most = (from, to) => Math.max(0, ...seen.filter(([f]) => f >= from && f < to).map(([, bytes]) => bytes));
	const early = most(2000, 6000), late = most(6000, 20001);
	console.log(`  pour: ${frame} of 20000 frames, ${(most(0, 2000) / 1e6).toFixed(0)} MB to frame 2000, ${(early / 1e6).toFixed(0)} MB to 6000, ${(late / 1e6).toFixed(0)} MB after`);
	part.check(late <= 1.1 * early || early === 0, () => `pour: memory grows from ${early} to ${late} bytes`);
}

// ---- arguments of the tool: any words end with a documented exit status, and say why where they fail

const words = ['run', 'info', 'export', 'certify', 'render', 'view', 'report', 'scenes', 'help', 'wall', 'stack', 'no.json', './w.json', './w.cairn',
	'--frames', '--force', '-q', '--json', '-o', './x.cairn', './x.csv', '--set', 'fps=0', 'fps=nan', 'sleep=maybe', '--threads', '--resume', '--method',
	'free', '-1', '0', '99999999999', '1e400', '', '--', '-', '--progress', 'none', '--nope', 'é', '\x1b[31m', 'a'.repeat(5000), '/dev/null', '/dev/zero', '.'];

function attack_arguments(part, until) {
	fs.writeFileSync(path.join(work, 'w.json'), JSON.stringify(small_scene(3)));
	run(cairn, ['run', './w.json', '-o', './w.cairn', '-q', '--force']);
	while (Date.now() < until) {
		const args = Array.from({ length: 1 + Math.floor(chance() * 6) }, () => choose(words));
		if (args.includes('run') && !args.includes('--frames'))
			args.push('--frames', '2');
		const result = run(cairn, args, { input: '', timeout: 20000 });
		part.check(result.status !== null && result.status <= 5 && (result.status === 0 || result.stderr.length > 0 || result.stdout.length > 0),
			() => `cairn ${args.map((a) => JSON.stringify(a.slice(0, 40))).join(' ')}: ${result.said}`);
	}
}

// ---- recordings: kill -9 and resume, cut, damaged, a disk that fills up, two runs on one file

function small_scene(frames) {
	const bodies = [{ name: 'floor', type: 'fixed', shape: { box: [20, 20, 1] }, position: [0, 0, -0.5] }];
	for (let i = 0; i < 30; ++i)
		bodies.push({ name: `b${i}`, shape: { box: [0.4, 0.5, 0.6] }, position: [i % 3, Math.floor(i / 3) % 3, 0.6 + Math.floor(i / 9)], spin: [1, i % 4, 0] });
	return { version: 1, world: { frames }, bodies };
}

function hash_of(file) {
	const result = run(cairn, ['info', file, '--json']);
	try {
		return JSON.parse(result.stdout);
	} catch {
		return { said: result.said };
	}
}

async function attack_kills(part, until) {
	const frames = 80;
	fs.writeFileSync(path.join(work, 'k.json'), JSON.stringify(small_scene(frames)));
	const begun = Date.now();
	run(cairn, ['run', './k.json', '-o', './whole.cairn', '-q', '--force']);
	const ms = Date.now() - begun, wanted = hash_of('./whole.cairn').hash;
	for (let i = 0; i < 200 && Date.now() < until; ++i) {
		fs.rmSync(path.join(work, 'k.cairn'), { force: true });
		const child = spawn(cairn, ['run', './k.json', '-o', './k.cairn', '-q', '--progress', 'none'], { cwd: work, stdio: 'ignore' });
		const closed = new Promise((resolve) => child.on('close', resolve));
		await pause(chance() * ms);
		child.kill(choose(['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGINT']));
		await closed;
		if (!fs.existsSync(path.join(work, 'k.cairn'))) {
			part.check(true); /* it had not begun */
			continue;
		}
		const read = hash_of('./k.cairn');
		if (!part.check(read.hash, () => `killed recording cannot be read: ${read.said}`))
			continue;
		const resumed = run(cairn, ['run', './k.cairn', '--resume', '-q', '--progress', 'none']);
		part.check(resumed.status === 0 && hash_of('./k.cairn').hash === wanted, () => `resumed after ${read.last_frame} frames: ${resumed.said}`);
	}
}

function attack_disk(part, until) {
	fs.writeFileSync(path.join(work, 'd.json'), JSON.stringify(small_scene(40)));
	run(cairn, ['run', './d.json', '-o', './d.cairn', '-q', '--force']);
	while (Date.now() < until) {
		const blocks = Math.floor(chance() * 300), command = choose(['run ./d.json --force -q -o ./small.cairn', 'export ./d.cairn -q -o ./small.csv',
			'export ./d.cairn -q -o ./small.glb', 'export ./d.cairn -q -o ./small.usda']);
		fs.rmSync(path.join(work, 'small.cairn'), { force: true });
		const result = run('bash', ['-c', `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" ${command}`, cairn]);
		part.check(result.status === 0 || result.status === 4, () => `ulimit -f ${blocks}; cairn ${command}: ${result.said}`);
		if (command.startsWith('run') && fs.existsSync(path.join(work, 'small.cairn')))
			part.check(hash_of('./small.cairn').hash, () => `ulimit -f ${blocks}: what fitted cannot be read`);
		const full = run('bash', ['-c', `"$0" info ./d.cairn --json >/dev/full`, cairn]);
		part.check(full.status !== 0 && full.status !== null, 'info into a full disk says nothing');
	}
}

function attack_damage(part, until) {
	fs.writeFileSync(path.join(work, 'b.json'), JSON.stringify({ ...small_scene(5), bodies: small_scene(5).bodies.slice(0, 4) }));
	run(cairn, ['run', './b.json', '-o', './b.cairn', '-q', '--force']);
	const bytes = fs.readFileSync(path.join(work, 'b.cairn')), whole = hash_of('./b.cairn').hash;
	while (Date.now() < until) {
		const at = Math.floor(chance() * bytes.length), cut = chance() < 0.4;
		const bad = Buffer.from(cut ? bytes.subarray(0, at) : bytes);
		if (!cut)
			bad[at] ^= 1 << Math.floor(chance() * 8);
		fs.writeFileSync(path.join(work, 'bad.cairn'), bad);
		const how = cut ? `cut at byte ${at}` : `byte ${at} flipped`;
		const info = run(cairn, ['info', './bad.cairn', '--json']);
		part.check(info.status === 0 || info.status === 4, () => `info, ${how}: ${info.said}`);
		const read = info.status === 0 ? JSON.parse(info.stdout) : {};
		part.check(cut || read.hash !== whole || read.damaged || info.status !== 0, () => `${how}: nothing is noticed`);
		const certify = run(cairn, ['certify', './bad.cairn', '-q']);
		part.check(certify.status !== null && certify.status <= 5, () => `certify, ${how}: ${certify.said}`);
	}
}

async function attack_twins(part, until) {
	fs.writeFileSync(path.join(work, 't.json'), JSON.stringify(small_scene(60)));
	while (Date.now() < until) {
		fs.rmSync(path.join(work, 't.cairn'), { force: true });
		const both = await Promise.all([0, 1].map(async () => {
			await pause(chance() * 20);
			const child = spawn(cairn, ['run', './t.json', '-o', './t.cairn', '-q', '--progress', 'none'], { cwd: work, stdio: 'ignore' });
			return new Promise((resolve) => child.on('close', resolve));
		}));
		const info = hash_of('./t.cairn');
		part.check(both.some((s) => s === 0) && both.every((s) => s === 0 || s === 4) && info.complete,
			`two runs on one file: exit ${both.join(' and ')}, ${JSON.stringify(info).slice(0, 100)}`);
	}
}

// ---- all of them

const parts = [['worlds', attack_worlds, 6], ['interface', attack_interface, 4], ['sanitizers', attack_sanitizers, 2], ['starve', attack_starve, 2],
	['arguments', attack_arguments, 1], ['kills', attack_kills, 2], ['disk', attack_disk, 1], ['damage', attack_damage, 1], ['twins', attack_twins, 1],
	['soak', attack_soak, 3]];
// The soak wants hours: it is asked for by its name.
const chosen = parts.filter(([name]) => options.parts.length ? options.parts.includes(name) : name !== 'soak');
const shares = chosen.reduce((sum, [, , share]) => sum + share, 0);
let passed = 0, failed = 0;
for (const [name, attack, share] of chosen) {
	const part = new Part(name), begun = Date.now();
	await attack(part, begun + 1000 * options.seconds * share / shares);
	console.log(`${name}: ${part.tried} tried, ${part.failures.length} failed, ${((Date.now() - begun) / 1000).toFixed(0)} s`);
	for (const failure of part.failures.slice(0, 20))
		console.log(`  ${failure}`);
	if (part.failures.length > 20)
		console.log(`  and ${part.failures.length - 20} more`);
	passed += part.tried - Math.min(part.tried, part.failures.length), failed += part.failures.length;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
