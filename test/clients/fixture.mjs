// Runs a scene with the tool, exports it, and reads the CSV that the other formats are compared with.
// CAIRN names the tool; without it the one in build/ is taken.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const here = dirname(fileURLToPath(import.meta.url))
const tool = resolve(process.env.CAIRN ?? join(here, '../../build/cairn'))

export const scenes = { menagerie: join(here, 'menagerie.json'), tumble: 'tumble', 'office-toy': 'office-toy' }

// A new folder that goes when the process ends.
export function scratch() {
	const folder = mkdtempSync(join(tmpdir(), 'cairn-clients-'))
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
	return folder
}

// The files of one run: { glb, usda, csv } by path.
export function exported(name, { frames, options = [] } = {}) {
	const folder = scratch()
	const recording = join(folder, `${name}.cairn`)
	const run = (...words) => execFileSync(tool, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
	run('run', scenes[name], '-o', recording, '--quiet', ...(frames ? ['--frames', String(frames)] : []))
	const paths = {}
	for (const ending of ['glb', 'usda', 'csv']) {
		paths[ending] = join(folder, `${name}.${ending}`)
		run('export', recording, '-o', paths[ending], '--quiet', ...options)
	}
	return paths
}

// { scene, bodies, rows, at(frame, body) }; a row has the header's names. Every row of a frame is kept in rows, the
// frame's own (its last) is what at() finds.
export function readCsv(path) {
	const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
	if (lines[0] !== '# cairn csv 1') throw new Error(`first line is ${lines[0]}`)
	const scene = JSON.parse(lines[1].slice(1))
	const bodies = []
	let line = 2
	for (; lines[line].startsWith('# body '); ++line) bodies.push(JSON.parse(lines[line].slice(7)))
	const names = lines[line++].split(',')
	const own = new Map()
	const rows = lines.slice(line).map((text) => {
		const numbers = text.split(',').map(Number)
		const row = Object.fromEntries(names.map((n, i) => [n, numbers[i]]))
		own.set(`${row.frame}/${row.body}`, row)
		return row
	})
	return { scene, bodies, rows, at: (frame, body) => own.get(`${frame}/${body}`) }
}

// Quaternions as [w, x, y, z].
export const turnOf = (row) => [row.qw, row.qx, row.qy, row.qz]
export const placeOf = (row) => [row.x, row.y, row.z]
export const product = ([a, b, c, d], [e, f, g, h]) => [
	a * e - b * f - c * g - d * h,
	a * f + b * e + c * h - d * g,
	a * g - b * h + c * e + d * f,
	a * h + b * g - c * f + d * e
]
export function turnBy([x, y, z]) {
	const angle = Math.hypot(x, y, z)
	const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5
	return [Math.cos(angle / 2), s * x, s * y, s * z]
}
export const rotate = (q, v) => product(product(q, [0, ...v]), [q[0], -q[1], -q[2], -q[3]]).slice(1)

// How far apart two poses are: metres over the size of the place, and quaternions up to their sign.
export const placeError = (a, b) => Math.hypot(...a.map((x, i) => x - b[i])) / Math.max(1, Math.hypot(...b))
export const turnError = (a, b) => {
	const sign = a.reduce((sum, x, i) => sum + x * b[i], 0) < 0 ? -1 : 1
	return Math.hypot(...a.map((x, i) => x * sign - b[i]))
}
