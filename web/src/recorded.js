// Reads what cairn view packs into a page (docs/view.md; cli/view_frames.c writes it). Blocks of frames are unpacked
// when they are looked at.
import { ASLEEP, AWAKE, Frame, MEASURED } from './frame.js'

const BIT_ASLEEP = 1
const BIT_MOVED = 2
const BIT_KEYS = 16
const BIT_SLIDING = 1
const BIT_PRESSING = 2
const NUMBERS = 12
const POSE = 6
const TURN_STEP = 1 / 65536
const SPIN_STEP = 1 / 512
const NORMAL_STEP = 1 / 4096
const GAP_PART = 1 / 64 // of the step of positions
const BLOCKS_KEPT = 8
const CUT = 'the data of this page is cut short; write it again with cairn view'

class Reader {
	constructor(bytes) {
		this.bytes = bytes
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
		this.at = 0
	}
	byte() {
		return this.bytes[this.at++]
	}
	u32() {
		const value = this.view.getUint32(this.at, true)
		this.at += 4
		return value
	}
	float() {
		const value = this.view.getFloat32(this.at, true)
		this.at += 4
		return value
	}
	count() {
		let value = 0
		let scale = 1
		for (;;) {
			const byte = this.bytes[this.at++]
			value += (byte & 127) * scale
			if (byte < 128) return value
			scale *= 128
		}
	}
	signed() {
		const value = this.count()
		return value % 2 === 0 ? value / 2 : -(value + 1) / 2
	}
}

// Three components of a unit quaternion and which one is missing, as (w, x, y, z).
function unpackTurn(numbers, first, largest, out, at) {
	let rest = 1
	for (let i = 0, n = first; i < 4; ++i) {
		if (i === largest) continue
		const value = numbers[n++] * TURN_STEP
		out[at + i] = value
		rest -= value * value
	}
	out[at + largest] = Math.sqrt(Math.max(0, rest))
}

export class Recorded {
	constructor(bytes) {
		const reader = new Reader(bytes)
		const magic = new TextDecoder().decode(bytes.subarray(0, 4))
		if (magic !== 'CVW2')
			throw new Error('this page and its data do not belong together; write both again with cairn view')
		reader.at = 4
		const size = reader.u32()
		if (8 + size > bytes.length) throw new Error(CUT)
		this.scene = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size)))
		this.from = this.scene.from
		this.to = this.scene.to
		this.tracks = this.scene.bodies.length
		this.live = false
		this.hasContacts = this.scene.contacts
		this.#offsets = []
		this.#kept = new Map()
		for (reader.at = 8 + size; reader.at < bytes.length; ) {
			const length = reader.u32()
			this.#offsets.push({ at: reader.at + 4, end: reader.at + 4 + length })
			reader.at += 4 + length
		}
		this.#bytes = bytes
		const blocks = Math.ceil((this.to - this.from + 1) / this.scene.block)
		if (this.#offsets.length !== blocks || reader.at !== bytes.length) throw new Error(CUT)
	}
	#bytes
	#offsets
	#kept

	// The largest error of a coordinate, m.
	get tolerance() {
		return this.scene.step / 2
	}

	get(number) {
		const index = Math.floor((number - this.from) / this.scene.block)
		let block = this.#kept.get(index)
		this.#kept.delete(index)
		block ??= this.#unpack(index)
		this.#kept.set(index, block)
		if (this.#kept.size > BLOCKS_KEPT) this.#kept.delete(this.#kept.keys().next().value)
		return block[number - this.from - index * this.scene.block]
	}

	#unpack(index) {
		const { at, end } = this.#offsets[index]
		const reader = new Reader(this.#bytes.subarray(at, end))
		const first = this.from + index * this.scene.block
		const last = Math.min(this.to, first + this.scene.block - 1)
		const past = {
			last: new Float64Array(NUMBERS * this.tracks),
			before: new Float64Array(POSE * this.tracks),
			largest: new Uint8Array(2 * this.tracks),
			known: new Uint8Array(this.tracks),
		}
		const frames = []
		for (let number = first; number <= last; ++number)
			frames.push(this.#unpackFrame(reader, number, past, frames.at(-1)))
		return frames
	}

	#unpackFrame(reader, number, past, before) {
		const frame = new Frame(number, this.tracks)
		const low = reader.u32()
		const high = reader.u32()
		frame.stats.hash = high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
		for (const key of ['gap', 'ms', 'kinetic', 'potential']) frame.stats[key] = reader.float()
		for (const key of ['contacts', 'closePairs', 'asleep']) frame.stats[key] = reader.count()
		frame.stats.verdict = reader.byte()
		if (frame.stats.verdict === MEASURED) {
			const measured = { depth: reader.float(), pair: [reader.count() - 1, reader.count() - 1] }
			frame.stats.measured = { ...measured, overlaps: reader.count(), passages: reader.count() }
		}
		for (let track = 0; track < this.tracks; ++track) {
			const body = this.scene.bodies[track]
			if (number < body.first || number > body.last) continue
			if (body.type === 'fixed') frame.place(track, body)
			else this.#unpackTrack(reader, frame, track, past)
		}
		if (this.hasContacts) this.#unpackContacts(reader, frame, before)
		return frame
	}

	#unpackTrack(reader, frame, track, past) {
		const head = reader.byte()
		const last = past.last.subarray(NUMBERS * track, NUMBERS * track + NUMBERS)
		const before = past.before.subarray(POSE * track, POSE * track + POSE)
		const known = past.known[track]
		let largest = past.largest[2 * track]
		if (head & BIT_MOVED) {
			const now = (head >> 2) & 3
			for (let i = 0; i < NUMBERS; ++i) {
				const turns = i >= 3 && i < POSE
				let guess = 0
				if (known > 0 && !(turns && now !== largest)) {
					const straight = known > 1 && i < POSE && !(turns && past.largest[2 * track + 1] !== now)
					guess = straight ? 2 * last[i] - before[i] : last[i]
				}
				const value = guess + reader.signed()
				if (i < POSE) before[i] = known > 0 ? last[i] : value
				last[i] = value
			}
			past.largest[2 * track + 1] = known > 0 ? largest : now
			past.largest[2 * track] = largest = now
			past.known[track] = known > 0 ? 2 : 1
		} else {
			for (let i = 0; i < POSE; ++i) before[i] = last[i]
			past.largest[2 * track + 1] = largest
			past.known[track] = 2
		}
		const step = this.scene.step
		const fast = step * this.scene.fps
		for (let i = 0; i < 3; ++i) {
			frame.position[3 * track + i] = last[i] * step
			frame.velocity[3 * track + i] = last[POSE + i] * fast
			frame.spin[3 * track + i] = last[POSE + 3 + i] * SPIN_STEP
		}
		unpackTurn(last, 3, largest, frame.turn, 4 * track)
		frame.state[track] = head & BIT_ASLEEP ? ASLEEP : AWAKE
		if (head & BIT_KEYS) frame.keys.set(track, this.#unpackKeys(reader, last, largest))
	}

	#unpackKeys(reader, last, largest) {
		const keys = []
		for (let left = reader.count(); left > 0; --left) {
			const part = reader.count() / 65536
			const own = reader.byte()
			const numbers = []
			for (let i = 0; i < POSE; ++i) numbers.push(reader.signed() + (i >= 3 && own !== largest ? 0 : last[i]))
			const turn = [0, 0, 0, 0]
			unpackTurn(numbers, 3, own, turn, 0)
			keys.push({ part, position: numbers.slice(0, 3).map((n) => n * this.scene.step), turn })
		}
		return keys
	}

	#unpackContacts(reader, frame, before) {
		const head = reader.count()
		const onto = (a, arm) => arm.map((value, i) => value + frame.position[3 * a + i])
		if (head === 0) {
			// As in the frame before, but on bodies that may have moved together since.
			frame.contacts = before.contacts.map((contact) => ({ ...contact, point: onto(contact.a, contact.arm) }))
			return
		}
		const three = (step) => [reader.signed() * step, reader.signed() * step, reader.signed() * step]
		for (let left = head - 1; left > 0; --left) {
			const a = reader.count()
			const b = reader.count()
			const arm = three(this.scene.step)
			const normal = three(NORMAL_STEP)
			const gap = reader.signed() * this.scene.step * GAP_PART
			const bits = reader.byte()
			const impulse = bits & BIT_PRESSING ? [reader.float(), reader.float(), reader.float()] : [0, 0, 0]
			frame.contacts.push({
				a,
				b,
				arm,
				point: onto(a, arm),
				normal,
				impulse,
				gap,
				sliding: Boolean(bits & BIT_SLIDING),
			})
		}
	}
}
