#!/usr/bin/env node
// Writes the register of special rules into docs/rules.md, from the comments at their constants, or checks it:
//
//   node tools/rules.mjs [ROOT] [--check]
//
// A special rule of the step is a branch or a limit beyond the method itself that a constant controls. Its constant has
// a comment of this form before it, on one line or several; "with" names further constants of the rule:
//
//   /* rule: NAME; UNIT; REASON; scene: SCENES; test: TESTS; with: CONSTANTS */
//
// SCENES are paths of bundled scenes, or "built by the test". TESTS are cases (test_oba_rest/column_of_ten_stands), rows
// of validation (validation/tip), or worlds/twenty: each fails without the rule. "test: open" says
// that none is known yet. The check fails when the page differs from the
// source, when a rule lacks one of these or names what does not exist, when a constant of the step has no comment that says
// its unit and reason, and when there are more rules or constants than the limits allow.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

// At most 20 rules, none of them open, and 150 constants are allowed at all: lower these with every rule that goes.
// The classic methods of the texts (src/step/classic and src/step/relax, docs/methods.md) are other methods beside oba: none of their code
// runs in its frames, so their constants are counted by themselves, and they may have no special rule at all.
const limits = { rules: 20, open: 0, constants: 150, classic: 30 };
const root = process.argv.slice(2).find((a) => !a.startsWith("--")) ?? ".";
const check = process.argv.includes("--check");
const place = join(root, "docs/rules.md");
let wrong = 0;

function complain(text) {
	++wrong;
	console.log(`rules: ${text}`);
}

const files = (folder) =>
	!existsSync(folder) ? [] : readdirSync(folder, { withFileTypes: true })
		.flatMap((e) => (e.isDirectory() ? files(join(folder, e.name)) : join(folder, e.name)))
		.filter((name) => /\.[ch]$/.test(name))
		.sort();
const read = (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "");

// ---- constants of the step: a name for a number, with the comment after it or on the lines before it
const pattern = /^#define (CN_\w+)[ \t]+(?:\\\n\s*)?([-(]?\d[^\n]*?)[ \t]*(?:\/\*([\s\S]*?)\*\/[ \t]*)?$/;
const flat = (comment) => comment.replace(/\s*\n\s*(\*(?!\/))?\s*/g, " ").trim();

function constantsOf(file) {
	const found = [];
	// Comments, continued lines and other lines, one piece each.
	const pieces = readFileSync(file, "utf8").match(/\/\*[\s\S]*?\*\/[^\n]*\n|#define (?:\/\*[\s\S]*?\*\/|\\\n|[^\n])*\n|[^\n]*\n/g) ?? [];
	pieces.forEach((piece, i) => {
		const m = pattern.exec(piece.trimEnd());
		if (!m) return;
		const before = i && /^\/\*/.test(pieces[i - 1]) ? flat(pieces[i - 1].replace(/^\/\*|\*\/\s*$/g, "")) : "";
		found.push({ name: m[1], value: m[2], comment: m[3] === undefined ? before : flat(m[3]), before, file: relative(root, file) });
	});
	return found.concat(enumsOf(file));
}
// Constants may hide in an enum without a name: a name of this form for a number counts there too. Its comment stands after it.
function enumsOf(file) {
	const bodies = [...readFileSync(file, "utf8").matchAll(/^\s*enum \{([\s\S]*?)\};?[ \t]*(?:\/\*([\s\S]*?)\*\/)?/gm)];
	return bodies.flatMap(([, body, after]) =>
		[...body.matchAll(/(CN_\w+) = ([-(]?\d[^,\n/]*),?[ \t]*(?:\/\*([\s\S]*?)\*\/)?/g)].map((m) => ({
			name: m[1], value: m[2].trim(), comment: flat(m[3] ?? after ?? ""), before: "", file: relative(root, file),
		})));
}
const all = ["src/step", "src/method"].flatMap((f) => files(join(root, f))).flatMap(constantsOf);
const isClassic = (c) => c.file.startsWith("src/step/classic/") || c.file.startsWith("src/step/relax/");
const constants = all.filter((c) => !isClassic(c)), classic = all.filter(isClassic);
const names = new Set(constants.map((c) => c.name));
for (const c of all) if (!c.comment) complain(`${c.name} in ${c.file} has no unit and no reason`);

// ---- rules
function rulesOf(c) {
	if (!c.before.startsWith("rule:")) return [];
	const fields = c.before.slice(5).split(";").map((s) => s.trim());
	const named = (key) => (fields.find((f) => f.startsWith(`${key}: `)) ?? "").slice(key.length + 2).split(",").map((s) => s.trim()).filter(Boolean);
	const [name, unit, reason] = fields.filter((f) => !/^(scene|test|with): /.test(f));
	return [{ name, unit, reason, constant: c, scenes: named("scene"), tests: named("test"), more: named("with") }];
}
const rules = constants.flatMap(rulesOf).sort((a, b) => (a.name < b.name ? -1 : 1));

const rows = (/set\(rows ([\s\S]*?)\)/.exec(read("test/CMakeLists.txt")) ?? ["", ""])[1].split(/\s+/);
function exists(test) {
	const [program, which] = test.split("/");
	if (program === "validation") return rows.includes(which);
	if (program === "worlds") return read("test/CMakeLists.txt").includes(`cairn_test(${test} `);
	return new RegExp(`^TEST\\(${which}\\)`, "m").test(read(`test/unit/${program}.c`));
}
for (const r of rules) {
	const at = `rule ${r.name} (${r.constant.name})`;
	if (!r.unit || !r.reason) complain(`${at} lacks its unit or its reason`);
	if (!r.scenes.length) complain(`${at} names no scene`);
	if (!r.tests.length) complain(`${at} names no test that fails without it`);
	for (const s of r.scenes) if (s !== "built by the test" && !existsSync(join(root, s))) complain(`${at} names the scene ${s}, which does not exist`);
	for (const t of r.tests) if (t !== "open" && !exists(t)) complain(`${at} names the test ${t}, which does not exist`);
	for (const n of r.more) if (!names.has(n)) complain(`${at} names the constant ${n}, which does not exist`);
}
rules.forEach((r, i) => i && r.name === rules[i - 1].name && complain(`two rules are named ${r.name}`));
for (const r of classic.flatMap(rulesOf)) complain(`rule ${r.name} stands in a classic method, which may have none`);
if (classic.length > limits.classic) complain(`${classic.length} constants of the classic methods, at most ${limits.classic}`);
const open = rules.filter((r) => r.tests.includes("open"));
if (open.length > limits.open) complain(`${open.length} rules are open, at most ${limits.open}`);
if (rules.length > limits.rules) complain(`${rules.length} special rules, at most ${limits.rules}`);
if (constants.length > limits.constants) complain(`${constants.length} constants of the step, at most ${limits.constants}`);

// ---- the page
const value = (name) => constants.find((c) => c.name === name)?.value ?? "?";
const list = (items) => items.map((s) => (s.includes(" ") ? s : `\`${s}\``)).join(", ");
const table = [
	`${rules.length} rules, ${open.length} of them open; ${constants.length} constants of the step.` + (classic.length ? ` The classic methods, whose code runs in no frame of \`oba\`, have ${classic.length} of their own and no rule.` : ""),
	"",
	"| rule | constant | unit | reason | scene | test that fails without it |",
	"| --- | --- | --- | --- | --- | --- |",
	...rules.map((r) => {
		const held = [r.constant.name, ...r.more].map((n) => `\`${n}\` = ${value(n)}`).join(", ");
		return `| ${r.name} | ${held} (\`${r.constant.file.replace(/^src\//, "")}\`) | ${r.unit} | ${r.reason} | ${list(r.scenes)} | ${r.tests.includes("open") ? "**open**" : list(r.tests)} |`;
	}),
].join("\n");
const begin = "<!-- rules: begin -->\n", end = "\n<!-- rules: end -->";
const page = read("docs/rules.md"), from = page.indexOf(begin), to = page.indexOf(end);
if (from < 0 || to < from) complain("docs/rules.md has no place for the rules");
else {
	const made = page.slice(0, from + begin.length) + table + page.slice(to);
	if (made !== page && check) complain("docs/rules.md is not what the source says; node tools/rules.mjs writes it");
	if (made !== page && !check) writeFileSync(place, made);
}
if (!rules.length) complain("no rule was found");
console.log(`rules: ${rules.length} rules, ${open.length} open, ${constants.length} constants, ${wrong} wrong`);
process.exit(wrong ? 1 : 0);
