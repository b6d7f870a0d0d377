// What the summary of a run says of its steps, with steps that can be added up by hand (tally.c).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { compile, environment, folder } from './tool.mjs';

const files = ['summary.c', 'summary_print.c', 'summary_json.c', 'measure.c', 'json.c', 'table.c', 'screen.c', 'message.c',
	'limit.c'];

function tally(t, ...words) {
	const result = spawnSync(compile(folder(t), 'tally', ...files), words, { encoding: 'utf8', env: environment() });
	assert.equal(result.status, 0, result.stderr);
	return words[0] === 'json' ? JSON.parse(result.stdout) : result.stdout;
}

const near = (a, b) => assert.ok(Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(b)), `${a} is not ${b}`);

test('counts, means and shares', (t) => {
	const s = tally(t, 'json', 'done');
	assert.deepEqual([s.moving, s.asleep, s.frames_run], [2, 1, 4]);
	assert.deepEqual([s.frozen, s.frozen_mean, s.text_fallbacks], [1, 0.5, 3]);
	assert.deepEqual([s.close_pairs_mean, s.close_pairs_max], [11.5, 13]);
	assert.deepEqual([s.collisions, s.collisions_mean, s.contacts_mean, s.contacts_max], [6, 1.5, 6, 12]);
	assert.deepEqual([s.programs_mean, s.passes_mean, s.taken_back, s.taken_back_share], [7.5, 4, 2, 2 / 16]);
	assert.deepEqual([s.worst_gap, s.worst_gap_frame, s.worst_gap_pair], [0.001, 3, ['floor', 'a']]);
	assert.deepEqual(s.tiers, { fast: 2, restore: 3, cut: 0, axis: 1, halve: 0, hold: 3 });
	assert.deepEqual(s.tier_frames, { fast: 1, restore: 1, cut: 0, axis: 1, halve: 0, hold: 2 });
	assert.deepEqual([s.held, s.held_share, s.held_frames, s.held_frames_share], [3, 3 / 8, 2, 0.5]);
	assert.deepEqual([s.stop, s.stop_pair], [null, null]);
});

test('the energy of the start is measured, what rises has a frame, what does not add up too', (t) => {
	const s = tally(t, 'json', 'done');
	near(s.energy_start, 115);
	near(s.energy_end, 132);
	near(s.energy_unit, 100);
	assert.deepEqual(s.energy, { kinetic: 42, potential: 90, events: 25, fields: 0.125, damping: 1, impacts: 3,
		friction: 2, position: 1.25, dropped: 4, drift: 0.25, joints: 0.25 });
	near(s.energy_rise, 0.015); // 1.5 J from frame 2 to 3 that neither an event nor a field brought
	assert.equal(s.energy_rise_frame, 3);
	near(s.energy_climb, 0.01875); // and 0.375 J on to frame 4
	near(s.energy_residue, 0.00125); // of the 0.5 J of frame 4 the ledger explains 0.375
	assert.equal(s.energy_residue_frame, 4);
	assert.deepEqual([s.lift, s.lift_frame, s.lift_body], [0.02, 2, 'a']);
	assert.deepEqual([s.joints, s.joint_error, s.joint_error_frame, s.broken], [2, 2e-6, 2, 1]);
});

test('a motor is a cause', (t) => {
	const s = tally(t, 'json', 'driven');
	near(s.energy_rise, 0.0125);
	near(s.energy_climb, 0.01625);
	near(s.energy_residue, 0.00125);
});

test('steps inside frames, and what bodies owe', (t) => {
	const s = tally(t, 'json', 'done');
	assert.deepEqual([s.steps_mean, s.steps_max], [3.5, 8]);
	assert.deepEqual([s.debt, s.debt_frame, s.debt_body], [0.5, 2, 'b']);
	near(s.debt_mean, 0.25); // 2 x 0.125, 2 x 0.375 and 0.25 m, over the five that moved
	assert.equal(s.debtors_share, 0.6);
	const old = tally(t, 'json', 'old');
	for (const key of ['steps_mean', 'steps_max', 'debt', 'debt_frame', 'debt_body', 'debt_mean', 'debtors_share'])
		assert.equal(old[key], null, key);
	assert.doesNotMatch(tally(t, 'text', 'old'), /^ {2}(steps|debt) /m);
});

test('times are by the name of the stage, wherever it stands', (t) => {
	const s = tally(t, 'json', 'done');
	assert.deepEqual([s.ms_mean, s.ms_p95, s.ms_max, s.ms_write], [4, 10, 10, 0.5]);
	assert.deepEqual(s.stages, { position: 2, certify: 1, momentum: 0.25 });
	assert.deepEqual([s.certificate.ms, s.certificate.share], [1, 0.25]);
});

test('the certificate is that of all frames', (t) => {
	const done = tally(t, 'json', 'done').certificate;
	const { ms, share, ...rest } = done;
	assert.deepEqual(rest, { mode: 'full', verdict: 'clean', frames: 4, pairs: 40, intervals: 80, overlaps: 0, passages: 0,
		depth: null, depth_frame: null, depth_pair: null, min_gap: 0.25, rounding_bound: 3e-15 });
	const off = tally(t, 'json', 'unchecked').certificate;
	assert.deepEqual([off.mode, off.verdict, off.frames, off.min_gap], ['off', 'unchecked', 0, null]);
	const stopped = tally(t, 'json', 'stopped');
	assert.deepEqual([stopped.status, stopped.stop, stopped.stop_pair], ['failed', 'uncertified', ['a', 'b']]);
	assert.deepEqual([stopped.certificate.verdict, stopped.certificate.passages], ['passage', 1]);
	assert.equal(stopped.certificate.min_gap, -0.125);
});

test('the text says the same, with units', (t) => {
	const text = tally(t, 'text', 'done').replace(/\n {15,}/g, ' ');
	for (const row of ['bodies +3, 2 of them movable, 1 asleep at the end, 1 of these frozen', 'frames +4 at 30 fps with method oba',
		'certificate +clean, 4 frames checked: 40 pairs looked at, 80 pieces of motion proved, no gap below 0\\.25 m at any key, ' +
			'rounding 3e-15 m, 25 % of the time',
		'smallest gap +0\\.001 m at the end of frame 3 between floor and a',
		"text's programs +3 islands left to the default program",
		'joint error +2e-06 m at most, at the end of frame 2; 1 broke',
		'tiers +fast 2 bodies in 1 frame, restore 3 rounds in 1 frame, axis 1 round in 1 frame, hold 3 bodies in 2 frames',
		'steps +3\\.5 a frame, at most 8, where contacts change',
		'debt +0\\.5 m at most \\(b, frame 2\\), 0\\.25 m on average; 60 % of what moves owes more than 2 % of its motion',
		'held +3 body-frames \\(38 %\\) in 2 frames \\(50 %\\)', 'energy +115 J at the start, 132 J at the end',
		'energy ledger +25 J by events, 0\\.125 J by fields, -1 J by damping, -3 J in impacts, -2 J by friction, ' +
			'1\\.25 J by keeping bodies apart, -4 J by coming to rest, 0\\.25 J by turning, 0\\.25 J by joints; adds up within 0\\.001 units a frame',
		'largest rise +0\\.015 units at frame 3, 0\\.019 over any stretch, without cause \\(a unit is 100 J\\)',
		'largest lift +0\\.02 of its size: a at frame 2', 'time by stage +position 50 %, certify 25 %, momentum 6 %'])
		assert.match(text, new RegExp(`^  ${row}`, 'm'));
	const rows = text.slice(text.indexOf('  movable')).split('\n');
	const cells = (line) => line.trim().split(/ +/);
	assert.deepEqual(cells(rows[1]), ['bodies', 'pairs', 'collisions', 'solved', 'frames', 'mean', 'p95', 'max', 'programs', 'back']);
	assert.deepEqual(cells(rows[2]), ['2', '11.5', '1.5', '6.0', '4', '4.00', '10.00', '10.00', '7.50', '12.5', '%']);
	assert.equal(rows[1].length, rows[2].length);
	assert.ok(rows[2].length <= 80);
	assert.match(tally(t, 'text', 'unchecked'), /^ {2}certificate +none: nothing was checked$/m);
	assert.match(tally(t, 'text', 'stopped'), /^ {2}certificate +passage, 5 frames checked/m);
});
