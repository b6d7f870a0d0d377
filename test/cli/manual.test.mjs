// Help, man page and completions all say what the option table says, and the tool takes what they say.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cairn, folder, shell } from './tool.mjs';

const output = (...args) => {
	const result = cairn('.', ...args);
	assert.equal(result.status, 0, result.stderr);
	return result.stdout;
};

// command -> its long options, from the help.
function fromHelp() {
	const list = /^Commands\n((?: {2}.*\n)+)/m.exec(output('--help'))[1];
	const commands = [...list.matchAll(/^ {2}(\w+)/gm)].map((m) => m[1]);
	return new Map(commands.map((name) => {
		const options = /^Options\n((?: {2}.*\n)+)/m.exec(output(name, '--help'))[1];
		return [name, [...options.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map((m) => m[1])];
	}));
}

const table = fromHelp();

test('the help names the options of the contract', () => {
	assert.deepEqual([...table.keys()], ['run', 'check', 'info', 'export', 'render', 'view', 'certify', 'compare', 'report', 'scenes',
		'import', 'new', 'assemble', 'plan', 'help', 'completion']);
	assert.deepEqual(table.get('import'), ['output', 'key', 'lift', 'fixed', 'decompose', 'static', 'floor', 'force', 'trust', 'memory', 'time', 'json', 'quiet', 'help']);
	assert.deepEqual(table.get('run'), ['output', 'force', 'resume', 'strict-scripts', 'frames', 'threads', 'method', 'set', 'trust', 'memory',
		'time', 'progress', 'json', 'quiet', 'help']);
	assert.deepEqual(table.get('export'), ['output', 'memory', 'time', 'from', 'to', 'progress', 'quiet', 'help']);
	assert.deepEqual(table.get('certify'), ['threads', 'memory', 'time', 'from', 'to', 'progress', 'json', 'quiet', 'help']);
	assert.deepEqual(table.get('compare'), ['output', 'methods', 'substeps', 'truth', 'film', 'set', 'frames', 'threads', 'trust', 'memory',
		'time', 'progress', 'json', 'quiet', 'help']);
	assert.deepEqual(table.get('report'), ['output', 'quick', 'threads', 'memory', 'time', 'progress', 'quiet', 'help']);
});

test('the man page has the same commands and options', () => {
	const page = output('help', '--man').replaceAll('\\-', '-');
	const sections = page.split(/^\.SS cairn /m).slice(1);
	const found = new Map(sections.map((text) => {
		const name = /^\w+/.exec(text)[0];
		const options = /^Options:\n([^]*?)(?=^\.PP|^\.SH|$(?![^]))/m.exec(text)[1];
		return [name, [...options.matchAll(/^\.B (?:-\w, )?--([a-z-]+)/gm)].map((m) => m[1])];
	}));
	assert.deepEqual(found, table);
	for (const code of ['0', '1', '2', '3', '4', '5', '130', '143'])
		assert.match(page, new RegExp(`^\\.B ${code}$`, 'm'));
});

test('the man page formats without warnings', (t) => {
	if (shell('.', 'groff --version').status !== 0)
		return t.skip('groff is not installed');
	const at = folder(t);
	fs.writeFileSync(path.join(at, 'cairn.1'), output('help', '--man'));
	const { status, stdout, stderr } = shell(at, 'groff -man -ww -Tascii cairn.1');
	assert.deepEqual([status, stderr], [0, '']);
	assert.match(stdout.replace(/.\x08/g, ''), /cairn export tumble\.cairn -o tumble\.glb/);
});

// What bash would offer for a line; the cursor is at its end.
function complete(at, line) {
	const words = line.split(' ');
	const quoted = words.map((word) => `'${word}'`).join(' ');
	const { status, stdout, stderr } = shell(at, `eval "$("$CAIRN" completion bash)"; COMP_WORDS=(${quoted}); ` +
		`COMP_CWORD=${words.length - 1}; _cairn; printf '%s\\n' "\${COMPREPLY[@]}"`);
	assert.equal(status, 0, stderr);
	return stdout.split('\n').filter(Boolean).sort();
}

test('bash completes commands, options, values, scenes and files', (t) => {
	const at = folder(t);
	fs.writeFileSync(path.join(at, 'mine.json'), '');
	assert.deepEqual(complete(at, 'cairn '), [...table.keys(), '--help', '--version'].sort());
	assert.deepEqual(complete(at, 'cairn ex'), ['export']);
	for (const [name, options] of table)
		assert.deepEqual(complete(at, `cairn ${name} -`), options.map((option) => `--${option}`).sort());
	assert.deepEqual(complete(at, 'cairn run --progress '), ['auto', 'bar', 'json', 'none', 'plain']);
	assert.deepEqual(complete(at, 'cairn run --set sle'), ['sleep=']);
	assert.deepEqual(complete(at, 'cairn run a.json --method o'), ['oba', 'outward']);
	assert.deepEqual(complete(at, 'cairn run tum'), ['tumble']);
	assert.deepEqual(complete(at, 'cairn run mi'), ['mill', 'mine.json']);
	assert.deepEqual(complete(at, 'cairn export -o mi'), ['mine.json']);
	assert.deepEqual(complete(at, 'cairn completion '), ['bash', 'fish', 'zsh']);
	assert.deepEqual(complete(at, 'cairn help in'), ['info']);
});

test('zsh and fish get the same options', (t) => {
	const zsh = output('completion', 'zsh'), fish = output('completion', 'fish');
	assert.match(zsh, /^#compdef cairn\n/);
	for (const [name, options] of table) {
		const part = new RegExp(`^\\t\\t${name}\\)\\n([^]*?);;`, 'm').exec(zsh)[1];
		assert.deepEqual([...part.matchAll(/'\*?--([a-z-]+)/g)].map((m) => m[1]), options, `zsh, ${name}`);
		const lines = fish.split('\n').filter((line) => line.includes(`__fish_seen_subcommand_from ${name}'`));
		assert.deepEqual(lines.map((line) => / -l ([a-z-]+)/.exec(line)?.[1]).filter(Boolean), options, `fish, ${name}`);
	}
	const at = folder(t);
	for (const [name, text] of [['zsh', zsh], ['fish', fish]]) {
		if (shell('.', `command -v ${name}`).status !== 0) {
			t.diagnostic(`${name} is not installed; its script was not parsed`);
			continue;
		}
		fs.writeFileSync(path.join(at, 'script'), text);
		assert.equal(shell(at, `${name} -n script`).status, 0, name);
	}
});

test('every option that help names is taken by the command, and no other', (t) => {
	const at = folder(t);
	const all = new Set([...table.values()].flat());
	for (const [name, options] of table)
		for (const option of all) {
			const { stderr } = cairn(at, name, `--${option}`, '--help');
			assert.equal(/has no option/.test(stderr), !options.includes(option), `${name} --${option}: ${stderr}`);
		}
});
