// Wrong command lines, help on request, and streams that cannot be written.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { bricks, cairn, folder, info, shell, tool, write } from './tool.mjs';
import { spawnSync } from 'node:child_process';

// Every line on stderr is the tool's own and says so.
function refused(result, status, ...words) {
	assert.equal(result.status, status, result.stderr);
	assert.equal(result.stdout, '');
	assert.match(result.stderr, /^(cairn: .*\n)+$/);
	for (const word of words)
		assert.match(result.stderr, word);
}

test('wrong usage is exit status 2 and names what is near', (t) => {
	const at = folder(t);
	write(at, 'a.json', bricks());
	refused(cairn(at, 'rnu'), 2, /unknown command 'rnu'; did you mean cairn run\?/);
	refused(cairn(at, 'xyzzy'), 2, /unknown command 'xyzzy'\n/);
	refused(cairn(at, '--frames', '3'), 2, /unknown option '--frames'/);
	refused(cairn(at, 'run', 'a.json', '--frmaes', '3'), 2, /no option '--frmaes'; did you mean --frames\?/);
	refused(cairn(at, 'run', 'a.json', '-x'), 2, /no option '-x'/);
	refused(cairn(at, 'run'), 2, /run needs SCENE\|REC/);
	refused(cairn(at, 'run', 'a.json', 'b.json'), 2, /'b.json' is too much/);
	refused(cairn(at, 'run', 'a.json', '--frames'), 2, /--frames needs a value/);
	for (const bad of ['-1', '1.5', 'ten', '', '4294967296', '99999999999999999999'])
		refused(cairn(at, 'run', 'a.json', `--frames=${bad}`), 2, /--frames cannot be/);
	refused(cairn(at, 'run', 'a.json', '--threads', '0'), 2, /from 1 to/);
	refused(cairn(at, 'run', 'a.json', '--force=yes'), 2, /--force takes no value/);
	refused(cairn(at, 'run', 'a.json', '-o', ''), 2, /--output needs a FILE/);
	refused(cairn(at, 'run', 'a.json', '--progress', 'baar'), 2, /did you mean 'bar'/);
	refused(cairn(at, 'run', 'a.json', '--method', 'obs'), 2, /'obs'.*did you mean 'oba'/);
	refused(cairn(at, 'run', 'a.json', '--set', 'slep=on'), 2, /'slep'.*did you mean 'sleep'/);
	refused(cairn(at, 'run', 'a.json', '--set', 'sleep=maybe'), 2, /sleep cannot be 'maybe'.*on, off/);
	refused(cairn(at, 'run', 'a.json', '--set', 'fps=-3'), 2, /fps/);
	refused(cairn(at, 'run', 'a.json', '--set', 'gravity'), 2, /such as --set fps=60/);
	refused(cairn(at, 'run', 'a.json', '-o', 'a.glb'), 2, /cairn export/);
	refused(cairn(at, 'help', 'rn'), 2, /did you mean 'run'/);
	refused(cairn(at, 'completion', 'tcsh'), 2, /bash, zsh or fish/);
	refused(cairn(at, 'export', 'a.json', '-o', 'a.glb'), 2, /cairn run a\.json makes one/);
	refused(cairn(at, 'check', 'a.cairn'), 2, /is a recording/);
	assert.deepEqual(fs.readdirSync(at), ['a.json']);
});

test('without arguments it explains itself on stderr', (t) => {
	const result = cairn(folder(t));
	assert.equal(result.status, 2);
	assert.equal(result.stdout, '');
	assert.match(result.stderr, /^Examples\n/);
});

test('options may be written in each of the usual ways', (t) => {
	const at = folder(t);
	write(at, '-odd.json', bricks({ count: 1, frames: 50 }));
	assert.equal(cairn(at, 'run', '-q', '--frames=2', '-oa.cairn', '--', '-odd.json').status, 0);
	assert.equal(cairn(at, 'run', '--frames', '2', '--output=b.cairn', '-q', './-odd.json').status, 0);
	assert.equal(info(at, 'a.cairn').frames, 2);
	assert.equal(info(at, 'a.cairn').hash, info(at, 'b.cairn').hash);
});

test('unknown scenes are exit status 4 with the nearest and the list', (t) => {
	const at = folder(t);
	refused(cairn(at, 'run', 'tumbel'), 4, /no bundled scene 'tumbel', did you mean 'tumble'; there are: arm, .*; and more, which cairn scenes lists/);
	refused(cairn(at, 'run', 'headon'), 4, /no bundled scene 'headon', did you mean 'torture-headon'/);
	refused(cairn(at, 'run', 'validation-mass'), 4, /did you mean 'validation-mass-ratio'/);
	assert.doesNotMatch(cairn(at, 'run', 'xyz').stderr, /did you mean/);
	write(at, 'mine', bricks());
	assert.equal(cairn(at, 'check', 'mine').status, 0); // a file of any name
	refused(cairn(at, 'check', 'nowhere.json'), 4, /nowhere\.json/);
	refused(cairn(at, 'check', './nowhere'), 4, /nowhere/);
	refused(cairn(at, 'check', './'), 4);
	refused(cairn(at, 'info', 'nothing.cairn'), 4, /nothing\.cairn/);
	refused(cairn(at, 'scenes', 'tumbel'), 4, /did you mean 'tumble'/);
});

test('help goes to stdout and begins with examples', (t) => {
	const at = folder(t);
	const top = cairn(at, '--help');
	assert.equal(top.status, 0);
	assert.equal(top.stderr, '');
	assert.match(top.stdout, /^Examples\n {2}cairn run /);
	assert.equal(cairn(at, 'help').stdout, top.stdout);
	for (const command of ['run', 'check', 'info', 'export', 'certify', 'scenes', 'new', 'help', 'completion']) {
		const own = cairn(at, command, '--help');
		assert.equal(own.status, 0);
		assert.equal(own.stderr, '');
		assert.match(own.stdout, new RegExp(`^Examples\n {2}cairn ${command}`));
		assert.equal(cairn(at, 'help', command).stdout, own.stdout);
		assert.equal(cairn(at, command, '-h').stdout, own.stdout);
		assert.match(top.stdout, new RegExp(`^ {2}${command} `, 'm'));
	}
});

test('--version names version, compiler, threads and methods', (t) => {
	const { status, stdout } = cairn(folder(t), '--version');
	assert.equal(status, 0);
	assert.match(stdout, /^cairn \d+\.\d+\.\d+\ncompiler +\S.*\nthreads +\d+\nmethods +oba\b/);
});

test('a stdout that is full, closed or gone is exit status 4 without a crash', (t) => {
	const at = folder(t);
	write(at, 'a.json', bricks());
	for (const command of ['--help', 'help run', 'help --man', 'scenes', 'check a.json', 'info a.json --json']) {
		const full = shell(at, `"$CAIRN" ${command} > /dev/full`);
		assert.equal(full.status, 4, `${command}: ${full.stderr}`);
		assert.match(full.stderr, /^cairn: cannot write to standard output/);
		assert.equal(shell(at, `"$CAIRN" ${command} >&-`).status, 4, command);
	}
	const gone = shell(at, '{ sleep 0.2; "$CAIRN" help --man; echo $? >&2; } | true');
	assert.equal(gone.stderr, '4\n');
});

test('a closed stdout does not leak into the recording', (t) => {
	const at = folder(t);
	write(at, 'a.json', bricks());
	assert.equal(shell(at, '"$CAIRN" run a.json >&- 2>&-').status, 4);
	assert.equal(cairn(at, 'info', 'a.cairn', '--json').status, 0);
	assert.equal(cairn(at, 'run', 'a.cairn').status, 0);
});

test('the tool needs no environment', (t) => {
	const result = spawnSync(tool, ['--help'], { cwd: folder(t), env: {}, encoding: 'utf8' });
	assert.equal(result.status, 0);
	assert.doesNotMatch(result.stdout, /\u001b/);
});
