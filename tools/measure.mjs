#!/usr/bin/env node
// Measures the shape of the code and fails where it is worse than the house allows:
//
//   node tools/measure.mjs [ROOT] [--objects LIST]
//
// fields of a struct, lines of a header and of a function, parameters of a function, in src (of a function that the public
// header declares they are a promise, which this tool does not judge); and, with the objects of the
// library and of its tests, functions of the library that nothing but tests calls.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

const limits = { fields: 40, headerLines: 300, functionLines90: 25, parameters: 6 };
const root = process.argv[2] ?? ".";
let wrong = 0;

function complain(text) {
	++wrong;
	console.log(`measure: ${text}`);
}

function files(folder) {
	return readdirSync(folder, { withFileTypes: true })
		.flatMap((e) => (e.isDirectory() ? files(join(folder, e.name)) : join(folder, e.name)))
		.filter((name) => /\.[ch]$/.test(name))
		.sort();
}

// Comments, strings and character constants as spaces, so that braces and commas are those of the code.
const bare = (text) =>
	text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, (s) => s.replace(/[^\n]/g, " "));

// The text between a brace or parenthesis and its partner.
function inside(text, open) {
	const pairs = { "{": "}", "(": ")" }, partner = pairs[text[open]];
	for (let i = open, depth = 0; i < text.length; ++i) {
		if (text[i] === text[open]) ++depth;
		else if (text[i] === partner && --depth === 0) return text.slice(open + 1, i);
	}
	return "";
}

function splitOutside(text, mark) {
	const out = [""];
	let depth = 0;
	for (const c of text) {
		depth += "({[".includes(c) ? 1 : ")}]".includes(c) ? -1 : 0;
		if (c === mark && depth === 0) out.push("");
		else out[out.length - 1] += c;
	}
	return out.filter((s) => s.trim());
}

function countFields(body) {
	return splitOutside(body, ";").reduce((n, field) => n + splitOutside(field.replace(/\{[\s\S]*\}/, ""), ",").length, 0);
}

const declared = new Set(bare(readFileSync(join(root, "include/cairn/cairn.h"), "utf8")).match(/\bcairn_\w+(?=\()/g));
const lengths = [];
for (const file of files(join(root, "src"))) {
	const raw = readFileSync(file, "utf8"), text = bare(raw), shown = relative(root, file);
	const lines = raw.split("\n").length - 1;
	if (file.endsWith(".h") && lines > limits.headerLines)
		complain(`${shown} has ${lines} lines, at most ${limits.headerLines}`);
	for (const m of text.matchAll(/\bstruct (\w+)\s*\{/g)) {
		const fields = countFields(inside(text, m.index + m[0].length - 1));
		if (fields > limits.fields) complain(`${shown}: struct ${m[1]} has ${fields} fields, at most ${limits.fields}`);
	}
	for (const m of text.matchAll(/^(?!typedef|struct|enum|union|#)[a-z][^\n;={}]*?\b(\w+)\(/gm)) {
		const open = m.index + m[0].length - 1, parameters = inside(text, open);
		const after = text.slice(open + parameters.length + 2);
		const count = parameters.trim() === "void" ? 0 : splitOutside(parameters, ",").length;
		if (!/^\s*[{;]/.test(after)) continue;
		if (count > limits.parameters && !declared.has(m[1]))
			complain(`${shown}: ${m[1]} has ${count} parameters, at most ${limits.parameters}`);
		if (!/^\s*\{/.test(after)) continue;
		const body = inside(text, open + parameters.length + 2 + after.indexOf("{"));
		lengths.push(body.split("\n").length);
	}
}
lengths.sort((a, b) => a - b);
const p90 = lengths[Math.floor(lengths.length * 0.9)];
if (!(p90 <= limits.functionLines90)) complain(`a tenth of the functions has more than ${p90} lines, at most ${limits.functionLines90}`);

// ---- functions that only tests call

if (process.argv[3] === "--objects") {
	const defined = new Map(), used = new Set();
	const objects = readFileSync(process.argv[4], "utf8").split(/[\n;]/).filter((path) => path.includes("/src/"));
	const symbols = execFileSync("nm", ["-A", "-P", ...objects], { encoding: "utf8", maxBuffer: 1 << 28 });
	for (const line of symbols.split("\n")) {
		const [path, symbol, type] = line.split(" ");
		if (type === "U") used.add(symbol);
		else if (type === "T") defined.set(symbol, path.replace(/^.*\/src\//, "src/").replace(/\.o:$/, ""));
	}
	// Other programs than tests: the tool, the benches, the pages.
	const also = ["cli", "bench", "web", "fuzz", "examples"].flatMap((f) => files(join(root, f)));
	const words = new Set(also.flatMap((f) => bare(readFileSync(f, "utf8")).match(/\bcn_\w+/g) ?? []));
	// A function that its own unit calls too shows as no undefined symbol: look for a second mention there.
	for (const [symbol, unit] of defined) {
		if (used.has(symbol) || words.has(symbol) || !symbol.startsWith("cn_")) continue;
		const text = bare(readFileSync(join(root, unit), "utf8"));
		if ((text.match(new RegExp(`\\b${symbol}\\b`, "g")) ?? []).length < 2) complain(`${unit}: nothing but tests calls ${symbol}`);
	}
}

console.log(`measure: ${lengths.length} functions, a tenth above ${p90} lines, ${wrong} wrong`);
process.exit(wrong ? 1 : 0);
