// One frame as the player sees it, whether it was recorded or comes from the engine: flat arrays over tracks, and what
// lies between this frame and the one before.
export const ABSENT = 0
export const AWAKE = 1
export const ASLEEP = 2

const VERDICTS = ['unchecked', 'clean', 'overlap', 'passage', 'measured']
export const MEASURED = 4 // nothing is promised, and what was found is told

export class Frame {
	constructor(number, tracks) {
		this.number = number
		this.tracks = tracks
		this.position = new Float64Array(3 * tracks) // of the centre of mass
		this.turn = new Float64Array(4 * tracks) // w, x, y, z
		this.velocity = new Float64Array(3 * tracks)
		this.spin = new Float64Array(3 * tracks)
		this.state = new Uint8Array(tracks)
		this.keys = new Map() // track -> keys on the way here: { part (0 to 1 of the frame), position, turn }
		this.contacts = [] // { a, b, point, normal, impulse, gap, sliding }
		this.stats = {}
	}
	has(track) {
		return track < this.tracks && this.state[track] !== ABSENT
	}
	positionOf(track) {
		return Array.from(this.position.subarray(3 * track, 3 * track + 3))
	}
	turnOf(track) {
		return Array.from(this.turn.subarray(4 * track, 4 * track + 4))
	}
	velocityOf(track) {
		return Array.from(this.velocity.subarray(3 * track, 3 * track + 3))
	}
	spinOf(track) {
		return Array.from(this.spin.subarray(3 * track, 3 * track + 3))
	}
	// How far apart the nearest bodies are, for people; text says lengths. Sleeping bodies are not measured.
	gapText({ method, bodies }, text) {
		if (Number.isFinite(this.stats.gap)) return text(this.stats.gap)
		if (method === 'free') return 'not measured'
		const awake = bodies.some((body, track) => body.type !== 'fixed' && this.has(track) && this.state[track] !== ASLEEP)
		return this.stats.asleep > 0 && !awake ? 'all asleep' : 'none near'
	}
	// What the certificate says of this frame.
	verdictText({ bodies }, text) {
		const { verdict, measured } = this.stats
		if (!measured) return VERDICTS[verdict]
		const { depth, pair, overlaps, passages } = measured
		const names = pair.map((track) => bodies[track]?.name || `#${track}`)
		const deepest = depth > 0 ? `${text(depth)}, ${names.join(' in ')}; ` : ''
		const counted = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`
		return `measured: ${deepest}${counted(overlaps, 'overlap')}, ${counted(passages, 'passage')}`
	}
	// A fixed body stands where the scene says.
	place(track, body) {
		this.position.set(body.at, 3 * track)
		this.turn.set(body.turn, 4 * track)
		this.state[track] = AWAKE
	}
}

// Between two keys the centre moves on a straight line and the body turns about one axis at constant rate. A piece turns
// by a quarter turn at most, so the shorter way between the two orientations is the way it went.
export function between(fromPosition, fromTurn, toPosition, toTurn, part, position, turn) {
	for (let i = 0; i < 3; ++i) position[i] = fromPosition[i] + (toPosition[i] - fromPosition[i]) * part
	let cosine = 0
	for (let i = 0; i < 4; ++i) cosine += fromTurn[i] * toTurn[i]
	const sign = cosine < 0 ? -1 : 1
	const angle = Math.acos(Math.min(1, Math.abs(cosine)))
	const sine = Math.sin(angle)
	const a = sine < 1e-9 ? 1 - part : Math.sin((1 - part) * angle) / sine
	const b = sign * (sine < 1e-9 ? part : Math.sin(part * angle) / sine)
	let length = 0
	for (let i = 0; i < 4; ++i) {
		turn[i] = a * fromTurn[i] + b * toTurn[i]
		length += turn[i] * turn[i]
	}
	length = Math.sqrt(length)
	for (let i = 0; i < 4; ++i) turn[i] /= length
}

// Where everything is at a moment between two frames (part 0: before, 1: after), written into out, a Frame.
export function sample(before, after, part, out) {
	const position = [0, 0, 0]
	const turn = [0, 0, 0, 0]
	for (let track = 0; track < after.tracks; ++track) {
		out.state[track] = ABSENT
		if (!after.has(track)) continue
		const keys = after.keys.get(track)
		let from = before.has(track)
			? { part: 0, position: before.position.subarray(3 * track), turn: before.turn.subarray(4 * track) }
			: null
		let to = { part: 1, position: after.position.subarray(3 * track), turn: after.turn.subarray(4 * track) }
		for (const key of keys ?? []) {
			if (key.part <= part) from = key
			else {
				to = key
				break
			}
		}
		if (!from) continue // it appears later in this frame
		const span = to.part - from.part
		between(from.position, from.turn, to.position, to.turn, span > 0 ? (part - from.part) / span : 1, position, turn)
		out.position.set(position, 3 * track)
		out.turn.set(turn, 4 * track)
		out.state[track] = after.state[track]
	}
}
