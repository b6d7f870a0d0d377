#!/usr/bin/env node
// docs/sources.md resolves what comments cite, and names only what exists: node sources.mjs ROOT
//
// Comments of src and include may cite a text (OBA 6.2.2, SHELL 3.1, ...) only if the page has a section for it in which
// that number occurs, any other work with a numbered place (TAOCP 2, 4.2.2) only if the page mentions it, and errata only if
// the page lists them. A line of the page that names files and functions has the functions in one of those files.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";

const root = process.argv[2] ?? ".";
const page = readFileSync(join(root, "docs/sources.md"), "utf8");
const sections = new Map([...page.matchAll(/^## (\w+): [\s\S]*?(?=^## |(?![\s\S]))/gm)].map((m) => [m[1], m[0]]));
const texts = ["OBA", "OBA01", "SHELL", "RBS", "PBA"];
let wrong = 0, citations = 0, names = 0;

function complain(text) {
	++wrong;
	console.log(`sources: ${text}`);
}

const files = (folder) =>
	!existsSync(folder) ? [] : readdirSync(folder, { withFileTypes: true })
		.flatMap((e) => (e.isDirectory() ? files(join(folder, e.name)) : join(folder, e.name)))
		.filter((name) => /\.[ch]$/.test(name))
		.sort();

// The comments of a file, each on one line.
const comments = (code) => (code.match(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g) ?? []).map((c) => c.replace(/\s*\n\s*(\*(?!\/))?\s*/g, " "));
const stands = (text, number) => new RegExp(`(?<![\\w.])${number.replaceAll(".", "\\.")}(?!\\w|\\.\\d)`).test(text);

// ---- what comments cite
const place = String.raw`(?:(?:ch|sec|eqs?|figs?)\. |tables? )?(?:[A-Z]\.)?\d+(?:\.\d+)*`;
const cited = new RegExp(String.raw`\b([A-Z]{2,}\d*)(?: (${place}(?:(?:[,;]| to| and|,? or) ${place})*))?\b`, "g");
const code = new Map(["src", "include", "test/unit/waiting"].flatMap((f) => files(join(root, f))).map((f) => [relative(root, f), readFileSync(f, "utf8")]));
for (const [file, text] of code)
	for (const comment of comments(text)) {
		for (const [whole, name, numbers] of comment.matchAll(cited)) {
			const known = texts.includes(name);
			if (!known && !/\d\.\d|(ch|sec|eqs?|figs?)\. /.test(numbers ?? "")) continue;
			++citations;
			if (known ? !sections.has(name) : !stands(page, name)) complain(`${file} cites ${name}, which the page does not explain`);
			else if (known)
				for (const [number] of (numbers ?? "").matchAll(/(?:[A-Z]\.)?\d+(?:\.\d+)*/g))
					if (!stands(sections.get(name), number)) complain(`${file} cites "${whole}", but the page has no ${number} of ${name}`);
		}
		for (const [whole, number] of comment.matchAll(/\b(?:eq|fig)\. (\d+(?:\.\d+)*)/gi))
			if (!stands(page, number)) complain(`${file} cites "${whole}", which is nowhere on the page`);
		for (const [, first, last] of comment.matchAll(/\berrat(?:a|um) (\d+)(?: to (\d+))?/g)) {
			++citations;
			for (let n = +first; n <= +(last ?? first); ++n)
				if (!new RegExp(`^\\| ${n} \\|`, "m").test(page)) complain(`${file} cites errata ${n}, which the page does not list`);
		}
	}

// ---- what the page names
const find = (path) => [join(root, path), join(root, "src", path)].find((p) => existsSync(p) && statSync(p).isFile());
for (const line of page.split("\n")) {
	const paths = [...line.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.\w+)`/g)].map((m) => m[1]);
	const links = [...line.matchAll(/\]\(([\w./-]+)(?:#[\w-]*)?\)/g)].map((m) => `docs/${m[1]}`);
	const here = [...paths, ...links].filter((path) => find(path) ?? complain(`the page names ${path}, which does not exist`));
	const read = here.some((p) => /\.[ch]$/.test(p)) ? here.map((p) => readFileSync(find(p), "utf8")) : [...code.values()];
	const words = [...line.matchAll(/`((?:cn|CN|cairn|q|m3)_\w+)`/g)].map((m) => m[1]);
	for (const word of words)
		if (!read.some((text) => new RegExp(`\\b${word}\\b`).test(text))) complain(`the page names ${word}, which is not in ${paths.join(", ") || "src"}`);
	names += paths.length + links.length + words.length;
}

if (!citations || !names) complain("nothing was read");
console.log(`sources: ${citations} citations, ${names} names, ${wrong} wrong`);
process.exit(wrong ? 1 : 0);
