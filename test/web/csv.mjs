// Rows of `cairn export -o x.csv`.
import { readFileSync } from 'node:fs'

export function readRows(path) {
	const lines = readFileSync(path, 'utf8')
		.split('\n')
		.filter((line) => line && !line.startsWith('#'))
	const names = lines.shift().split(',')
	return lines.map((line) => {
		const row = Object.fromEntries(line.split(',').map((text, i) => [names[i], Number(text)]))
		return {
			...row,
			position: [row.x, row.y, row.z],
			orientation: [row.qw, row.qx, row.qy, row.qz],
			velocity: [row.vx, row.vy, row.vz],
			turn: [row.rx, row.ry, row.rz],
		}
	})
}

export const largest = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])))

// The angle between two orientations, rad: by the difference of the quaternions, which is exact when it is small.
export function angle(a, b) {
	const sign = a.reduce((sum, value, i) => sum + value * b[i], 0) < 0 ? -1 : 1
	return 4 * Math.asin(Math.min(1, Math.hypot(...a.map((value, i) => value - sign * b[i])) / 2))
}

// The rotation by a rotation vector, before q.
export function turned(vector, q) {
	const length = Math.hypot(...vector)
	const s = length > 0 ? Math.sin(length / 2) / length : 0.5
	const [w, x, y, z] = [Math.cos(length / 2), ...vector.map((value) => value * s)]
	const [a, b, c, d] = q
	return [
		w * a - x * b - y * c - z * d,
		w * b + x * a + y * d - z * c,
		w * c - x * d + y * a + z * b,
		w * d + x * c - y * b + z * a,
	]
}
