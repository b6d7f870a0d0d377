// The engine in the player: frames come from a worker as they are computed, and stay, so that one can go back to look at
// them. What a hand does goes to the engine before its next step.
import { ASLEEP, AWAKE, Frame } from './frame.js'
import { Gallery, unpackFiles } from './gallery.js'
import { Spring } from './spring.js'

/* global WORKER_SOURCE */
const BODY = 15
const KEY = 9
const CONTACT = 13 // doubles each: web/live.c
const BLOWS_APART = 8 // frames
const MARKS_MOST = 200
const HISTORY_MOST = 40e6 // doubles of frames that are kept

const $ = (selector) => document.querySelector(selector)

class Worked {
	constructor() {
		const source = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: 'text/javascript' }))
		this.worker = new Worker(source)
		this.waiting = new Map()
		this.next = 1
		this.worker.onmessage = ({ data: { id, result, error } }) => {
			const { resolve, reject } = this.waiting.get(id)
			this.waiting.delete(id)
			if (error) reject(new Error(error))
			else resolve(result)
		}
		this.worker.onerror = (event) => {
			for (const { reject } of this.waiting.values()) reject(new Error(event.message || 'the worker did not start'))
			this.waiting.clear()
		}
	}
	ask(ask, given = {}, buffers = []) {
		return new Promise((resolve, reject) => {
			const id = this.next++
			this.waiting.set(id, { resolve, reject })
			this.worker.postMessage({ id, ask, ...given }, buffers)
		})
	}
}

// Frames as they come, in the player's form.
class History {
	constructor(scene) {
		this.live = true
		this.hasContacts = true
		this.scene = scene
		this.from = this.to = 0
		this.frames = new Map()
		this.doubles = 0
		const { bodies, serials } = scene
		scene.bodies = []
		this.add({ bodies, serials, shapes: [] })
	}
	add({ bodies, serials, shapes }) {
		this.scene.shapes.push(...shapes)
		serials.forEach((serial, i) => (this.scene.bodies[serial] = bodies[i]))
	}
	put(made) {
		const tracks = this.scene.bodies.length
		const frame = new Frame(made.frame, tracks)
		const three = (from, at) => Array.from(from.subarray(at, at + 3))
		for (let at = 0; at < made.bodies.length; at += BODY) {
			const track = made.bodies[at]
			frame.state[track] = made.bodies[at + 1] ? ASLEEP : AWAKE
			frame.position.set(made.bodies.subarray(at + 2, at + 5), 3 * track)
			frame.turn.set(made.bodies.subarray(at + 5, at + 9), 4 * track)
			frame.velocity.set(made.bodies.subarray(at + 9, at + 12), 3 * track)
			frame.spin.set(made.bodies.subarray(at + 12, at + 15), 3 * track)
		}
		for (let at = 0; at < made.keys.length; at += KEY) {
			const track = made.keys[at]
			if (!frame.keys.has(track)) frame.keys.set(track, [])
			frame.keys.get(track).push({
				part: made.keys[at + 1],
				position: three(made.keys, at + 2),
				turn: Array.from(made.keys.subarray(at + 5, at + 9)),
			})
		}
		for (let at = 0; at < made.contacts.length; at += CONTACT) {
			const c = made.contacts
			frame.contacts.push({
				a: c[at],
				b: c[at + 1],
				point: three(c, at + 2),
				normal: three(c, at + 5),
				impulse: three(c, at + 8),
				gap: c[at + 11],
				sliding: c[at + 12] === 1,
			})
		}
		frame.stats = { ...made.stats, ms: made.stats.ms || made.wall || 0, chain: made.chain }
		this.frames.set(made.frame, frame)
		this.to = made.frame
		this.doubles += 13 * tracks + made.keys.length + made.contacts.length
		while (this.doubles > HISTORY_MOST && this.from < this.to) {
			this.doubles -= 13 * this.frames.get(this.from).tracks
			this.frames.delete(this.from++)
		}
	}
	get(number) {
		return this.frames.get(number)
	}
}

export class Live {
	// engines: { plain, simd }, modules of the same engine.
	constructor(player, engines, scenes, pictures) {
		this.player = player
		this.engines = engines
		Object.assign(this, unpackFiles(scenes)) // list, files
		this.gallery = new Gallery(
			this.files,
			pictures,
			(file) => this.nameOf(file),
			(file) => this.tryOpen(file),
		)
		this.inputs = []
		this.hold = null // { track, anchor, point, target }: what the hand has hold of
		this.busy = null // the step under way
	}


	async start() {
		document.body.classList.add('live')
		$('#live').hidden = false
		$('#live').open = !matchMedia('(max-width: 700px)').matches
		$('#live').addEventListener('toggle', () => this.makeRoom())
		this.makeRoom()
		this.worker = new Worked()
		const { methods, simd } = await this.worker.ask('start', { ...this.engines, files: this.files })
		this.simd = simd
		this.fillScenes()
		$('#method').replaceChildren(...methods.map((name) => new Option(name, name)))
		this.listen()
		const address = new URLSearchParams(location.hash.slice(1))
		const asked = address.get('scene')
		await this.open(asked ? this.fileOf(asked) : this.list.scene, address.get('method') ?? '')
		if (address.get('script') || address.get('run'))
			await this.script(JSON.parse(address.get('script') ?? '[]'), Number(address.get('run') ?? this.scene.frames))
	}

	// The open panel stands beside the picture, not before it, where there is room for both.
	makeRoom() {
		const { stage } = this.player
		const beside = $('#live').open && innerWidth > 900
		this.player.makeRoom()
		stage.covered = beside ? $('#live').offsetLeft + $('#live').offsetWidth : 0
		if (stage.scene) stage.resize()
		this.player.draw()
	}

	nameOf(file) {
		return file.replace(/\.json$/, '').replace(/^(torture|validation)\//, '$1-')
	}
	fileOf(name) {
		return this.list.files.map((file) => file.name).find((file) => file === name || this.nameOf(file) === name) ?? name
	}

	// The scene of this page first, then the bundled ones by kind.
	fillScenes() {
		const names = this.list.files
			.map((file) => file.name)
			.filter((name) => name.endsWith('.json') && name !== 'starter.json')
		const options = (some) => some.sort().map((name) => new Option(this.nameOf(name), name))
		const group = (label, folder) => {
			const made = document.createElement('optgroup')
			made.label = label
			made.append(...options(names.filter((name) => name.startsWith(folder))))
			return made
		}
		const shows = names.filter((name) => !name.includes('/'))
		const own =
			names.includes(this.list.scene) &&
			(shows.includes(this.list.scene) || /^(torture|validation)\//.test(this.list.scene))
				? []
				: [this.list.scene]
		$('#scene').replaceChildren(
			...options(own),
			...options(shows),
			group('with known answers', 'validation/'),
			group('torture', 'torture/'),
		)
	}

	// ---- A scene ----

	// method: '' is the one that the scene names.
	async open(path, method = '') {
		this.player.pause()
		await this.busy?.catch(() => {})
		this.inputs = []
		this.hold = null
		const own = path === this.list.scene
		const settings = [...(own ? this.list.set : []), ...(own && this.list.frames ? [`frames=${this.list.frames}`] : [])]
		if (method) settings.push(`method=${method}`)
		const { scene, frame } = await this.worker.ask('open', { path, settings })
		this.path = path
		this.method = method
		this.scene = scene
		this.history = new History(scene)
		this.history.put(frame)
		this.stopped = ''
		this.said = ''
		$('#scene').value = path
		$('#method').value = scene.method
		this.slide('friction', scene.friction)
		this.slide('restitution', scene.restitution)
		this.player.setSource(this.history)
		this.measureBall()
	}

	// A ball that fits the scene: a little larger and heavier than most of what moves, but no giant, and as fast as what
	// falls from as high as the scene is; where nothing falls, it crosses the scene in a second.
	measureBall() {
		const { stage } = this.player
		const { gravity, bodies } = this.scene
		const moving = bodies.filter((body) => body?.mass > 0).map((body) => body.mass)
		const middle = moving.sort((a, b) => a - b)[Math.floor(moving.length / 2)]
		const fall = Math.hypot(...gravity)
		this.ball = {
			radius: Math.min(0.8 * stage.bodySize, stage.size / 8),
			mass: middle ? 3 * middle : 0,
		}
		const speed = Number((fall > 0 ? 1.4 * Math.sqrt(fall * stage.size) : stage.size).toPrecision(2))
		Object.assign($('#strength'), { min: speed / 5, max: 4 * speed, step: speed / 20 })
		this.slide('strength', speed)
	}

	// The same as open, saying on the page what is wrong. A scene that cannot be opened leaves the one before.
	async tryOpen(path, method = '') {
		const before = { path: this.path, method: this.method }
		try {
			await this.open(path, method)
			$('#message').hidden = true
			this.player.begin()
		} catch (error) {
			if (before.path) await this.open(before.path, before.method)
			this.player.toast(error.message)
		}
	}

	async take(files) {
		const scene = files.find((file) => file.name.endsWith('.json'))
		for (const file of files) {
			const data = new Uint8Array(await file.arrayBuffer())
			await this.worker.ask('put', { name: file.name, data })
		}
		if (!scene) return this.player.toast('a scene is a .json file; its meshes may be dropped with it')
		if (![...$('#scene').options].some((option) => option.value === scene.name))
			$('#scene').add(new Option(scene.name, scene.name), 0)
		await this.tryOpen(scene.name)
	}

	// ---- Steps ----

	// One frame on, after what the hand did. One step at a time.
	step() {
		this.busy ??= this.#step().finally(() => (this.busy = null))
		return this.busy
	}
	async #step() {
		const inputs = this.inputs
		this.inputs = []
		const made = await this.worker.ask('step', { inputs })
		if (made.added) {
			const { shapes, bodies, serials } = made.added
			this.player.stage.addShapes(shapes)
			this.history.add(made.added)
			serials.forEach((serial, i) => this.player.stage.addBody(bodies[i], serial))
		}
		this.history.put(made)
		this.markStep(made, inputs)
		if (made.note) this.player.toast(made.note)
		if (!made.recording && !this.said)
			this.player.toast((this.said = 'the recording is as large as it can get here; the motion goes on without it'))
	}

	// The time line shows what the hand did and the hard blows: harder than most since the start.
	markStep({ frame, blow }, inputs) {
		const { marks } = this.player
		for (const input of inputs)
			if (!input.drag) marks.add({ frame: frame - 1, kind: 'input' })
		if (blow.impulse > 0) {
			const hardest = Math.max(0, ...marks.marks.map(({ impulse }) => impulse ?? 0))
			const near = marks.marks.some((mark) => mark.kind === 'blow' && frame - mark.frame < BLOWS_APART)
			if (blow.impulse > 0.2 * hardest && !near && marks.marks.length < MARKS_MOST)
				marks.add({ frame, kind: 'blow', ...blow })
		}
	}

	// The player wants to be at that time soon: computes until there is a frame for it, as long as it plays.
	ahead(time) {
		this.wanted = time
		if (!this.running && !this.stopped) this.running = this.#run().finally(() => (this.running = null))
	}
	async #run() {
		while (this.player.playing && !this.stopped && this.history.to < this.wanted + 1)
			await this.step().catch((error) => this.halt(error))
	}
	async advance(frame) {
		this.stopped = '' // what stopped it may have been changed by hand
		while (this.history.to < frame && !this.stopped) await this.step().catch((error) => this.halt(error))
	}
	halt(error) {
		this.stopped = error.message
		this.player.pause()
		this.player.toast(error.message)
	}

	// Inputs at frames ([{ frame, throw | drag | release | material | blast }]), until the world stands at frame last.
	async script(events, last) {
		this.player.pause()
		while (this.history.to < last) {
			this.inputs.push(...events.filter((event) => event.frame === this.history.to))
			await this.step()
		}
		this.player.seek(this.history.to)
		return this.history.get(this.history.to).stats
	}

	// ---- The hand ----

	grab(x, y) {
		const hit = this.player.stage.pick(x, y)
		if (!hit || this.history.scene.bodies[hit.track].type !== 'dynamic' || this.player.frame !== this.history.to)
			return false
		const { shown } = this.player.stage
		const body = this.history.scene.bodies[hit.track]
		const [w, i, j, k] = shown.turnOf(hit.track)
		const arm = hit.point.map((value, axis) => value - shown.position[3 * hit.track + axis])
		this.hold = {
			track: hit.track,
			point: hit.point,
			anchor: rotate([w, -i, -j, -k], arm).map((value, axis) => value + body.center[axis]),
			pulled: false,
		}
		return true
	}
	pull(x, y) {
		const target = this.hold && this.player.stage.follow(x, y, this.hold.point)
		if (!target) return
		this.hold.pulled = true
		this.hold.target = target
		this.inputs = this.inputs.filter(({ drag }) => !drag) // only where the hand is now counts
		this.inputs.push({ drag: { body: this.hold.track, anchor: this.hold.anchor, target } })
		if (!this.player.playing) this.player.play()
	}
	letGo() {
		if (this.hold?.pulled) this.inputs.push({ release: { body: this.hold.track } })
		this.hold = null
		this.showHold()
	}

	// The spring from the body to the hand, while there is one.
	showHold() {
		const { stage } = this.player
		const { shown } = stage
		if (!this.hold?.pulled || !shown?.has(this.hold.track)) {
			this.spring?.remove()
			this.spring = null
			return
		}
		const { track, anchor, target } = this.hold
		const { center } = this.history.scene.bodies[track]
		const arm = rotate(
			shown.turnOf(track),
			anchor.map((value, axis) => value - center[axis]),
		)
		this.spring ??= new Spring(stage.world, stage.bodySize)
		const from = arm.map((value, axis) => value + shown.position[3 * track + axis])
		this.spring.set(stage.toStage(from), stage.toStage(target))
	}

	// From the viewer's side to what is under the point of the screen (the middle without one), so that it arrives there:
	// aimed a little high, as much as it falls on its way.
	throwBall(point) {
		const { stage } = this.player
		const canvas = $('#view')
		const [x, y] = [point?.x ?? canvas.clientWidth / 2, point?.y ?? canvas.clientHeight / 2]
		const hit = stage.pick(x, y)
		const { origin, direction } = stage.aim(x, y)
		const speed = Number($('#strength').value)
		const distance = hit?.distance ?? stage.camera.position.distanceTo(stage.controls.target)
		const away = Math.min(0.7 * distance, 0.5 * stage.size + 4 * this.ball.radius)
		const from = stage.toScene(origin.clone().addScaledVector(direction, distance - away))
		const time = away / speed
		const velocity = direction.toArray().map((value, i) => value * speed - 0.5 * this.scene.gravity[i] * time)
		this.inputs.push({ throw: { from, velocity, ...this.ball } })
		if (!this.player.playing) this.player.play()
	}

	slide(name, value) {
		const slider = $(`#${name}`)
		slider.value = value
		slider.nextElementSibling.textContent = Number(Number(slider.value).toPrecision(3)) + (slider.dataset.unit ?? '')
	}

	async save(ending) {
		const bytes = await this.worker.ask('save', { ending })
		const link = document.createElement('a')
		link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
		link.download = `${this.scene.name || 'scene'}.${ending}`
		link.click()
		setTimeout(() => URL.revokeObjectURL(link.href), 10000)
	}

	listen() {
		$('#scene').addEventListener('change', (event) => this.tryOpen(event.target.value))
		$('#method').addEventListener('change', (event) => this.tryOpen(this.path, event.target.value))
		$('#restart').addEventListener('click', () => this.tryOpen(this.path, this.method))
		$('#throw').addEventListener('click', () => this.throwBall(this.player.touched))
		$('#scenes').addEventListener('click', () => this.gallery.show())
		$('#leave').addEventListener('click', () => $('#gallery').close())
		for (const name of ['friction', 'restitution'])
			$(`#${name}`).addEventListener('input', (event) => {
				this.slide(name, event.target.value)
				this.inputs.push({ material: { [name]: Number(event.target.value) } })
			})
		$('#strength').addEventListener('input', (event) => this.slide('strength', event.target.value))
		for (const button of document.querySelectorAll('[data-save]'))
			button.addEventListener('click', () =>
				this.save(button.dataset.save).catch((error) => this.player.toast(error.message)),
			)
		$('#pick-file').addEventListener('click', () => $('#file').click())
		$('#file').addEventListener('change', (event) => this.take([...event.target.files]))
		addEventListener('dragover', (event) => {
			event.preventDefault()
			document.body.classList.add('dropping')
		})
		addEventListener('dragleave', () => document.body.classList.remove('dropping'))
		addEventListener('drop', (event) => {
			event.preventDefault()
			document.body.classList.remove('dropping')
			this.take([...event.dataTransfer.files])
		})
	}

	// The numbers of the moment, and the hash that a native run of the same scene and inputs shows too.
	tell(frame) {
		const { stats } = frame
		const rows = [
			['step', `${stats.ms.toFixed(1)} ms`],
			['contacts solved', stats.contacts],
			['gap', frame.gapText(this.player.source.scene, (gap) => `${Number((1000 * gap).toPrecision(3))} mm`)],
			['state', stats.hash],
			['run', stats.chain],
		]
		$('#pulse').textContent = `${rows[0][1]} · ${stats.contacts} contact${stats.contacts === 1 ? '' : 's'}`
		$('#engine').replaceChildren(
			...rows.flatMap(([left, right]) => {
				const [term, value] = [document.createElement('dt'), document.createElement('dd')]
				term.textContent = left
				value.textContent = right
				value.id = `live-${left.split(' ')[0]}`
				return [term, value]
			}),
		)
	}
}

function rotate([w, x, y, z], [a, b, c]) {
	const t = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)]
	return [a + w * t[0] + y * t[2] - z * t[1], b + w * t[1] + z * t[0] - x * t[2], c + w * t[2] + x * t[1] - y * t[0]]
}
