#!/usr/bin/env node
// Reads which unit calls which, from the symbols of objects, and fails when folders or units call each other in a circle.
//
//   node tools/calls.mjs OBJECTS [--draw FILE | --drawn FILE]
//
// OBJECTS: a file with the path of one object a line, each with /src/FOLDER/UNIT.c in it; or, where it ends in .txt, the
// symbols themselves, one "UNIT defines|uses SYMBOL" a line. --draw puts the drawing of the folders between the markers
// of FILE; --drawn fails when the drawing there is another.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const [objects, flag, drawing] = process.argv.slice(2);
if (!objects || (flag && (!["--draw", "--drawn"].includes(flag) || !drawing))) {
	console.error("calls: node tools/calls.mjs OBJECTS [--draw FILE | --drawn FILE]");
	process.exit(2);
}

const defines = new Map(); // symbol: unit
const uses = []; // [unit, symbol]

function note(unit, kind, symbol) {
	if (kind === "uses") uses.push([unit, symbol]);
	else defines.set(symbol, unit);
}

// All objects at once, each line of nm with its object: "PATH: SYMBOL TYPE ...".
function readObjects(paths) {
	const options = { encoding: "utf8", maxBuffer: 1 << 28 };
	for (const line of execFileSync("nm", ["-A", "-P", ...paths], options).split("\n")) {
		const [path, symbol, type] = line.split(" ");
		const unit = path.replace(/^.*\/src\//, "").replace(/\.c\.(o|obj):$/, "");
		if (type === "U") note(unit, "uses", symbol);
		else if (type && "TDRB".includes(type)) note(unit, "defines", symbol);
	}
}

const lines = readFileSync(objects, "utf8").split(/[\n;]/).filter(Boolean);
if (objects.endsWith(".txt")) for (const line of lines) note(...line.split(" "));
else readObjects(lines.filter((path) => path.includes("/src/")));

const folderOf = (unit) => unit.replace(/\/[^/]*$/, "");
const units = new Map(), folders = new Map(), why = new Map();

function edge(graph, from, to, reason) {
	if (from === to) return;
	if (!graph.has(from)) graph.set(from, new Set());
	if (!graph.has(to)) graph.set(to, new Set());
	graph.get(from).add(to);
	const key = `${from} ${to}`;
	if (!why.has(key)) why.set(key, reason);
}

for (const [unit, symbol] of uses) {
	const of = defines.get(symbol);
	if (!of) continue;
	edge(units, unit, of, symbol);
	edge(folders, folderOf(unit), folderOf(of), `${unit} calls ${symbol} of ${of}`);
}

// Circles, by Tarjan's algorithm: sets of nodes of which each reaches all others.
function circles(graph) {
	const index = new Map(), low = new Map(), stack = [], found = [];
	const visit = (node) => {
		index.set(node, index.size);
		low.set(node, index.get(node));
		stack.push(node);
		for (const next of [...graph.get(node)].sort()) {
			if (!index.has(next)) visit(next);
			if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
		}
		if (low.get(node) !== index.get(node)) return;
		const set = stack.splice(stack.indexOf(node));
		if (set.length > 1) found.push(set.sort());
	};
	for (const node of [...graph.keys()].sort()) if (!index.has(node)) visit(node);
	return found;
}

let wrong = 0;
for (const [what, graph] of [["folders", folders], ["units", units]])
	for (const circle of circles(graph)) {
		++wrong;
		console.log(`calls: ${what} call each other in a circle: ${circle.join(", ")}`);
		for (const from of circle)
			for (const to of circle)
				if (graph.get(from).has(to)) console.log(`  ${from} -> ${to}: ${why.get(`${from} ${to}`)}`);
	}

// ---- the drawing: folders with the calls that no longer way implies

function reaches(from, to, without) {
	const seen = new Set([from]), queue = [from];
	for (const node of queue)
		for (const next of folders.get(node)) {
			if (node === from && next === without) continue;
			if (next === to) return true;
			if (!seen.has(next)) seen.add(next), queue.push(next);
		}
	return false;
}

function draw() {
	const id = (folder) => folder.replace(/\W/g, "_");
	const out = ["```mermaid", "flowchart TD"];
	for (const folder of [...folders.keys()].sort()) out.push(`\t${id(folder)}["${folder}"]`);
	for (const from of [...folders.keys()].sort())
		for (const to of [...folders.get(from)].sort()) if (!reaches(from, to, to)) out.push(`\t${id(from)} --> ${id(to)}`);
	return [...out, "```"].join("\n");
}

const begin = "<!-- calls: begin -->", end = "<!-- calls: end -->";
if (flag && !wrong) {
	const text = readFileSync(drawing, "utf8"), from = text.indexOf(begin), to = text.indexOf(end);
	if (from < 0 || to < from) {
		console.log(`calls: ${drawing} has no place for a drawing, between ${begin} and ${end}`);
		process.exit(1);
	}
	const fresh = `${text.slice(0, from)}${begin}\n${draw()}\n${text.slice(to)}`;
	if (flag === "--draw") writeFileSync(drawing, fresh);
	else if (fresh !== text) {
		++wrong;
		console.log(`calls: the drawing of ${drawing} is not that of the code; draw it again with --draw`);
	}
}

console.log(`calls: ${units.size} units in ${folders.size} folders, ${wrong} wrong`);
process.exit(wrong || units.size === 0 ? 1 : 0);
