#!/usr/bin/env node
// Who writes what in the records that the stages hand on: pairs, contact points and paths.
//
//   node tools/owners.mjs COMPILER [ROOT]
//
// A record has an owner, the room that makes it, and so has each group in it: the comment before its type says
// "Owner: ROOM". Every room of the step is compiled with all members of these records constant but those of its own
// groups. What it writes beyond them the compiler refuses. The owner of a record may write all of it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const headers = ["step/contact/pair.h", "step/path/body_path.h"];
const [compiler, root = "."] = process.argv.slice(2);
const src = join(root, "src");
const rooms = readdirSync(join(src, "step"), { withFileTypes: true }).filter((e) => e.isDirectory()).map((e) => e.name);
let wrong = 0;

function complain(text) {
	++wrong;
	console.log(`owners: ${text}`);
}

// ---- the types of the records, in order: name, owner, members

const types = new Map();
for (const header of headers) {
	const text = readFileSync(join(src, header), "utf8");
	for (const m of text.matchAll(/\/\*((?:(?!\*\/)[\s\S])*)\*\/\ntypedef struct (\w+) \{\n([\s\S]*?)\n\} \2;/g)) {
		const owner = m[1].match(/Owner: (\w+)/)?.[1];
		if (owner && !rooms.includes(owner)) complain(`src/${header}: ${m[2]} belongs to ${owner}, which is no room`);
		types.set(m[2], { header, owner, body: m[3], record: /but for the groups/.test(m[1]) });
	}
}
const records = [...types].filter(([, t]) => t.record), groups = [...types].filter(([, t]) => t.owner && !t.record);

// The header as a room sees it.
function seenBy(room, header) {
	let text = readFileSync(join(src, header), "utf8");
	for (const [, t] of records) {
		if (t.header !== header || t.owner === room) continue;
		const body = t.body.replace(/^\t(?=(\w+) )/gm, (tab, type) => (types.get(type)?.owner === room ? tab : `${tab}const `));
		text = text.replace(t.body, () => body);
	}
	return text;
}

// ---- rooms

const work = mkdtempSync(join(tmpdir(), "owners-"));
let units = 0;
for (const room of rooms) {
	for (const header of headers) {
		mkdirSync(dirname(join(work, header)), { recursive: true });
		writeFileSync(join(work, header), seenBy(room, header));
	}
	for (const name of readdirSync(join(src, "step", room)).filter((n) => n.endsWith(".c")).sort()) {
		const unit = join(src, "step", room, name);
		const run = spawnSync(compiler, ["-std=c17", "-fsyntax-only", "-Werror=discarded-qualifiers", `-I${work}`, `-I${src}`,
			`-I${join(root, "include")}`, unit], { encoding: "utf8", env: { ...process.env, LC_ALL: "C" } });
		++units;
		if (run.error) throw run.error;
		// The functions that a header offers are its owner's.
		for (const line of run.stderr.split("\n"))
			if (/ error: /.test(line) && !line.startsWith(work)) complain(line.replace(`${root}/`, ""));
	}
}
rmSync(work, { recursive: true });
console.log(`owners: ${records.length} records, ${groups.length} groups, ${units} units, ${wrong} wrong`);
process.exit(wrong ? 1 : 0);
