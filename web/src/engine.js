// The engine: web/live.c with its texts and numbers made into things of this language. Runs in a worker, and in tests
// under Node.
import { gunzipSync } from 'three/addons/libs/fflate.module.js'
import { MEASURED } from './frame.js'
import { Files, instantiate } from './wasi.js'

const HEAD = 29
const BODY = 15
const KEY = 9
const CONTACT = 13 // doubles each: web/live.c has the same
const RECORDING = '/live.cairn'
const RECORDING_MOST = 512 * 1024 * 1024

const hex = (low, high) => high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')

// The smallest module with a vector in it: (func (result v128) (i32.const 0) (i8x16.splat))
const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11]
export const hasSimd = () => WebAssembly.validate(Uint8Array.from(SIMD))

export class Engine {
	// bytes: the module as the pages carry it, packed by gzip.
	static async create(bytes) {
		const files = new Files()
		return new Engine(await instantiate(gunzipSync(bytes), files), files)
	}

	constructor(calls, files) {
		this.calls = calls
		this.files = files
		this.shapes = 0
		this.bodies = 0
	}

	#copy(text) {
		const data = new TextEncoder().encode(text)
		const at = this.calls.malloc(data.length + 1)
		if (!at) throw new Error('out of memory')
		const target = new Uint8Array(this.calls.memory.buffer, at, data.length + 1)
		target.set(data)
		target[data.length] = 0
		return at
	}
	#text(at) {
		const bytes = new Uint8Array(this.calls.memory.buffer, at)
		return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)))
	}
	get message() {
		return this.#text(this.calls.live_message())
	}
	// Names of all methods, in the order of the docs.
	get methods() {
		const names = []
		for (let name; (name = this.#text(this.calls.live_method(names.length))); ) names.push(name)
		return names
	}
	#must(code) {
		if (code) throw new Error(this.message)
	}

	// Opens the scene file at path (put into files before); settings are texts "key=value". Returns its description.
	open(path, settings = []) {
		const name = this.#copy(path)
		const set = this.#copy(settings.join('\n'))
		this.shapes = this.bodies = 0
		const code = this.calls.live_open(name, set)
		this.calls.free(name)
		this.calls.free(set)
		this.#must(code)
		const scene = this.describe()
		scene.friction = this.calls.live_friction()
		scene.restitution = this.calls.live_restitution()
		return scene
	}

	// What is new since the last call: shapes, and bodies with their serials.
	describe() {
		const scene = JSON.parse(this.#text(this.calls.live_describe(this.shapes, this.bodies)))
		scene.firstShape = this.shapes
		this.shapes += scene.shapes.length
		if (scene.serials.length) this.bodies = scene.serials.at(-1) + 1
		return scene
	}

	look() {
		this.calls.live_look()
		return this.#frame()
	}
	// A frame, or throws what stopped it.
	step() {
		if (this.files.size(RECORDING) > RECORDING_MOST) this.calls.live_rest()
		this.#must(this.calls.live_step())
		return this.#frame()
	}

	// An input: { throw: {from, velocity, radius, mass (0 or none: of its density)} }, { drag: {body, anchor, target} }, { release: {body} },
	// { material: {friction, restitution} }, { blast: {point, speed} }
	input({ throw: ball, drag, release, material, blast }) {
		if (ball) this.#must(this.calls.live_throw(...ball.from, ...ball.velocity, ball.radius, ball.mass ?? 0))
		if (drag) this.#must(this.calls.live_drag(drag.body, ...drag.anchor, ...drag.target))
		if (release) this.#must(this.calls.live_release(release.body))
		if (material) this.#must(this.calls.live_material(material.friction ?? -1, material.restitution ?? -1))
		if (blast) this.#must(this.calls.live_blast(...blast.point, blast.speed))
	}

	// The recording so far (ending "cairn"), or what it exports to ("glb", "usda", "csv").
	save(ending) {
		const bytes = this.files.get(RECORDING)
		if (ending === 'cairn') return bytes
		const from = '/copy.cairn'
		const to = `/copy.${ending}`
		this.files.put(from, bytes)
		const names = [this.#copy(from), this.#copy(to)]
		const code = this.calls.live_export(...names)
		names.forEach((name) => this.calls.free(name))
		this.files.remove(from)
		this.#must(code)
		const made = this.files.get(to)
		this.files.remove(to)
		return made
	}

	#frame() {
		const all = new Float64Array(this.calls.memory.buffer, this.calls.live_frame(), this.calls.live_frame_size())
		const [frame, time, bodies, keys, contactCount, contacts, closePairs, asleep, moving, gap, ms, kinetic, potential] =
			all
		const [verdict, stateLow, stateHigh, chainLow, chainHigh, known, shapes, recording, held, impulse, struck] =
			all.subarray(13)
		const [depth, first, second, overlaps, passages] = all.subarray(24)
		const firstKey = HEAD + bodies * BODY
		const firstContact = firstKey + keys * KEY
		const made = {
			frame,
			time,
			stats: {
				contacts,
				closePairs,
				asleep,
				moving,
				gap,
				ms,
				kinetic,
				potential,
				verdict,
				measured: verdict === MEASURED ? { depth, pair: [first, second], overlaps, passages } : undefined,
				held,
				hash: hex(stateLow, stateHigh),
			},
			chain: hex(chainLow, chainHigh),
			blow: { impulse, track: struck },
			recording: Boolean(recording),
			bodies: all.slice(HEAD, firstKey),
			keys: all.slice(firstKey, firstContact),
			contacts: all.slice(firstContact, firstContact + contactCount * CONTACT),
		}
		// Emitted or thrown since: the page must hear of them before it draws them.
		if (known > this.bodies || shapes > this.shapes) made.added = this.describe()
		return made
	}
}
