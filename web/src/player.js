// The page: reads its parts, drives time, and ties buttons, keys and the pointer to the stage.
import './page.css'
import { ABSENT, ASLEEP, Frame, sample } from './frame.js'
import { Live } from './live.js'
import { Marks } from './marks.js'
import { Overlay } from './overlay.js'
import { Recorded } from './recorded.js'
import { Side } from './side.js'
import { Stage } from './stage.js'

const $ = (selector) => document.querySelector(selector)
const KEYS = { c: 'contacts', p: 'planes', t: 'trails', s: 'sleeping', w: 'walls', x: 'shadows' }
const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4]
const CLICK = 5 // pixels that a click may wander

function decode(text) {
	let binary
	try {
		binary = atob(text)
	} catch {
		throw new Error('the data of this page is damaged; write it again with cairn view')
	}
	const bytes = new Uint8Array(binary.length)
	for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i)
	return bytes
}

// The bytes of a part of this page, wherever it is: in the page, or in the file beside it; null if there is none.
function takePart(name) {
	const element = $(`script[data-cairn="${name}"]`)
	const texts = element ? [element.textContent] : window.cairnPart?.parts[name]
	element?.remove()
	if (!texts) return null
	if (window.cairnPart) delete window.cairnPart.parts[name]
	const pieces = texts.map(decode)
	if (pieces.length === 1) return pieces[0]
	const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
	pieces.reduce((at, piece) => (whole.set(piece, at), at + piece.length), 0)
	return whole
}

const LENGTHS = [
	[1, 'm'],
	[1e-3, 'mm'],
	[1e-6, 'µm'],
	[1e-9, 'nm'],
]
function lengthText(metres, digits = 2) {
	if (metres === 0) return '0 m'
	const [size, name] = LENGTHS.find(([unit]) => Math.abs(metres) >= unit) ?? LENGTHS.at(-1)
	return `${Number((metres / size).toPrecision(digits))} ${name}`
}
const number = (value) => (Math.abs(value) < 5e-4 ? '0' : Number(value.toPrecision(3)).toString())
const vector = (values) => values.map(number).join(', ')

function list(element, rows) {
	element.replaceChildren(
		...rows.flatMap(([left, right, kind]) => {
			const [term, value] = [document.createElement('dt'), document.createElement('dd')]
			term.textContent = left
			value.textContent = right
			if (kind) term.className = value.className = kind
			return [term, value]
		}),
	)
}

class Player {
	constructor() {
		this.stage = new Stage($('#view'))
		this.overlay = new Overlay(this.stage)
		this.time = 0 // in frames
		this.speed = 1
		this.playing = false
		this.picked = -1
		this.marks = new Marks(
			(frame) => this.leap(frame),
			(track) => this.nameOf(track),
		)
		this.stage.controls.addEventListener('change', () => this.draw())
		new ResizeObserver(() => {
			this.makeRoom()
			this.stage.resize()
			this.draw()
		}).observe($('#view'))
		this.setTheme(matchMedia('(prefers-color-scheme: dark)').matches)
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => this.setTheme(event.matches))
	}

	// On a phone the panels stand below: the picture is what is left above them. An open panel is there for a while only.
	makeRoom() {
		const narrow = matchMedia('(max-width: 700px) and (orientation: portrait)').matches && !document.body.classList.contains('compare')
		const panels = [$('#bar'), $('#live')].filter((panel) => !panel.hidden && !panel.open)
		const tops = panels.map((panel) => panel.getBoundingClientRect().top)
		this.stage.below = narrow ? Math.max(0, innerHeight - Math.min(...tops)) : 0
	}

	// ---- What is shown ----

	setSource(source) {
		this.source = source
		this.picked = -1
		this.playing = false
		this.makeRoom()
		this.stage.setScene(source.scene)
		this.between = new Frame(-1, source.scene.bodies.length)
		const { name, description } = source.scene
		document.title = `${name || 'scene'} · cairn`
		$('#title h1').textContent = name || 'scene'
		$('#title p').textContent = description
		for (const toggle of ['contacts', 'planes']) {
			const button = $(`[data-toggle=${toggle}]`)
			button.disabled = !source.hasContacts
			if (!source.hasContacts) {
				button.title = 'cairn view --contacts makes a page that has them'
				this.setToggle(toggle, false)
			}
		}
		this.describe()
		this.marks.set(source.scene.marks ?? [], source)
		this.seek(source.from)
	}

	// A second recording beside the first: one time line, one point of view.
	setBeside(source) {
		document.body.classList.add('compare')
		this.makeRoom()
		const first = this.source
		this.side = new Side($('#view2'), source)
		this.side.stage.setTheme(this.dark)
		// As long as the longer of the two; what has ended stays at its last frame.
		const longest = Math.ceil((source.to / source.scene.fps) * first.scene.fps - 1e-6)
		this.until = Math.max(first.to, longest)
		const names = [first, source].map(({ scene }) => scene.file || scene.name || 'scene')
		$('#title h1').textContent = names.join(' and ')
		document.title = `${names.join(' and ')} · cairn`
		this.titles = names.map((name, i) => `${name}: ${[first, source][i].scene.method}`)
		this.side.stage.controls.addEventListener('change', () => {
			if (this.linking) return
			this.linking = true
			const { stage } = this.side
			this.stage.camera.position.copy(this.stage.toStage(stage.toScene(stage.camera.position)))
			this.stage.controls.target.copy(this.stage.toStage(stage.toScene(stage.controls.target)))
			this.stage.controls.update()
			this.linking = false
			this.draw()
		})
		this.stage.resize()
		this.seek(this.time)
	}
	get to() {
		return Math.max(this.source.to, this.until ?? 0)
	}

	describe() {
		const { scene, tolerance, from, to, live } = this.source
		const parts = []
		if (!live) {
			parts.push(`Frames ${from} to ${to}${to < scene.last ? ` of ${scene.last}` : ''} at ${scene.fps} fps.`)
			parts.push(
				`Positions on this page are within ${lengthText(tolerance)} of the recording's, orientations within 0.0001 rad.`,
			)
			if (scene.note) parts.push(`The recording: ${scene.note}.`)
			parts.push(`Hash of the recording: ${scene.hash}.`)
		}
		parts.push(`Written by cairn ${scene.version}.`)
		$('#about').textContent = parts.join(' ')
	}

	// The frame that counts for numbers: the last whole one.
	get frame() {
		return Math.min(this.source.to, Math.max(this.source.from, Math.floor(this.time + 1e-9)))
	}

	seek(time) {
		this.time = Math.min(this.to, Math.max(this.source.from, time))
		this.show()
	}

	show() {
		const whole = this.source.get(this.frame)
		const part = this.time - this.frame
		let shown = whole
		if (part > 1e-9 && this.frame < this.source.to) {
			const next = this.source.get(this.frame + 1)
			if (this.between.tracks < next.tracks) this.between = new Frame(-1, next.tracks * 2)
			sample(whole, next, part, this.between)
			this.between.state.fill(ABSENT, next.tracks)
			shown = this.between
		}
		this.stage.picked = this.picked
		this.stage.update(shown)
		this.stage.moveCamera(shown, this.time / this.source.scene.fps)
		this.overlay.update(whole, this.source, this.picked)
		this.live?.showHold()
		this.tell(whole)
		if (this.side) this.tellSide(whole, this.side.show(this.time / this.source.scene.fps))
		this.draw()
	}

	tell(frame) {
		const { scene, from, live } = this.source
		const { stats } = frame
		$('#scrub').min = from
		$('#scrub').max = this.to
		$('#scrub').value = Math.floor(this.time + 1e-9)
		$('#clock').textContent = `${Math.floor(this.time + 1e-9)} / ${this.to} · ${(this.time / scene.fps).toFixed(2)} s`
		if (live) this.marks.place()
		const rows = [
			['contacts solved', stats.contacts],
			['asleep', stats.asleep],
		]
		if (frame.number > 0) {
			rows.push(['smallest gap', frame.gapText(scene, lengthText)], ['step', `${stats.ms.toFixed(1)} ms`])
			rows.push(['close pairs', stats.closePairs, 'wide'], ['certificate', frame.verdictText(scene, lengthText), 'wide'])
		}
		rows.push(['state', stats.hash, 'wide'])
		list(
			$('#stats'),
			live
				? rows.filter(([name]) => !['step', 'contacts solved', 'smallest gap', 'state'].includes(name))
				: rows,
		)
		this.tellBody(frame)
		this.live?.tell(frame)
	}

	// The two recordings at this moment, each under its picture.
	tellSide(...frames) {
		$('#sides').replaceChildren(
			...frames.map((frame, i) => {
				const label = document.createElement('div')
				const { scene, to } = [this.source, this.side.source][i]
				const { contacts } = frame.stats
				const touching = `${contacts} contact${contacts === 1 ? '' : 's'}`
				const parts = [this.titles[i], `frame ${frame.number} of ${to}`, touching]
				if (frame.number > 0) parts.push(`smallest gap ${frame.gapText(scene, lengthText)}`)
				for (const part of parts) {
					const piece = document.createElement('span') // lines break between pieces alone
					piece.textContent = part
					label.append(label.hasChildNodes() ? ' · ' : '', piece)
				}
				label.classList.toggle('bad', frame.stats.gap < 0) // bodies are inside each other
				return label
			}),
		)
	}

	tellBody(frame) {
		const panel = $('#body')
		panel.hidden = this.picked < 0
		if (panel.hidden) return
		const track = this.picked
		const body = this.source.scene.bodies[track]
		const rows = [['kind', `${body.type} ${this.source.scene.shapes[body.shape].kind}`]]
		if (body.mass) rows.push(['mass', `${number(body.mass)} kg`])
		if (!frame.has(track)) rows.push(['now', 'not there'])
		else {
			rows.push(['position', `${vector(frame.positionOf(track))} m`])
			if (body.type !== 'fixed') {
				const [velocity, spin] = [frame.velocityOf(track), frame.spinOf(track)]
				rows.push(['velocity', `${vector(velocity)} m/s`], ['speed', `${number(Math.hypot(...velocity))} m/s`])
				rows.push(['spin', `${vector(spin)} rad/s`], ['now', frame.state[track] === ASLEEP ? 'asleep' : 'awake'])
			}
		}
		if (this.source.hasContacts) {
			const own = frame.contacts.filter(({ a, b }) => a === track || b === track)
			const others = new Map()
			for (const { a, b, impulse } of own) {
				const other = a === track ? b : a
				others.set(other, (others.get(other) ?? 0) + Math.hypot(...impulse))
			}
			rows.push(['contacts', own.length])
			for (const [other, impulse] of [...others].slice(0, 12))
				rows.push(['·', `${this.nameOf(other)}${impulse > 0 ? `, ${number(impulse)} N s` : ''}`])
		}
		const heading = document.createElement('h2')
		heading.textContent = this.nameOf(track)
		const facts = document.createElement('dl')
		list(facts, rows)
		panel.replaceChildren(heading, facts)
	}

	nameOf(track) {
		return this.source.scene.bodies[track]?.name || `body ${track}`
	}

	pick(track) {
		this.picked = track
		this.show()
	}

	// Draws soon; many changes give one picture.
	draw() {
		if (this.asked || !this.source) return
		this.asked = requestAnimationFrame(() => {
			this.asked = 0
			this.stage.render()
			if (!this.side) return
			this.linking = true
			this.side.look(this.stage)
			this.side.stage.render()
			this.linking = false
		})
	}

	// ---- Time ----

	play() {
		if (!this.source || this.playing) return
		if (!this.source.live && this.time >= this.to) this.time = this.source.from
		this.playing = true
		if (this.live) this.live.stopped = ''
		this.slow = 0
		this.last = performance.now()
		this.markPlaying()
		requestAnimationFrame((now) => this.tick(now))
	}

	pause() {
		if (!this.playing) return
		this.playing = false
		this.seek(Math.floor(this.time + 1e-9))
		this.markPlaying()
		this.address()
	}

	markPlaying() {
		document.body.classList.toggle('playing', this.playing)
		$('#play').setAttribute('aria-label', this.playing ? 'pause' : 'play')
	}

	tick(now) {
		if (!this.playing) return
		this.ease(now - this.last)
		const wanted = this.time + Math.min(0.25, (now - this.last) / 1000) * this.source.scene.fps * this.speed
		this.last = now
		this.live?.ahead(wanted)
		this.seek(wanted)
		if (!this.source.live && this.time >= this.to) this.pause()
		else requestAnimationFrame((next) => this.tick(next))
	}

	// Where pictures come slowly, as by software alone, shadows go first: they cost most.
	ease(interval) {
		this.slow = interval > 120 ? this.slow + 1 : 0
		if (this.slow < 8 || this.eased) return
		this.eased = true
		this.setToggle('shadows', false)
		this.toast('drawing is slow here, so shadows are off (x brings them back)')
	}

	async step(count) {
		this.pause()
		if (this.live && count > 0) await this.live.advance(this.frame + count)
		this.seek(Math.floor(this.time + 1e-9) + count)
		this.address()
	}

	// The frame goes into the address when it has settled: browsers allow only so many changes a minute.
	address() {
		clearTimeout(this.addressing)
		if (this.source.live) return
		this.addressing = setTimeout(() => history.replaceState(null, '', `#frame=${this.frame}`), 200)
	}

	// A page plays at once, unless its address asks for a frame or the reader for less motion.
	begin() {
		if (/(?:^#|&)(?:frame|run|script)=/.test(location.hash)) this.readAddress()
		else if (!matchMedia('(prefers-reduced-motion: reduce)').matches) this.play()
	}

	readAddress() {
		const wanted = /(?:^#|&)frame=(\d+)/.exec(location.hash)
		if (wanted && !this.source.live) {
			this.playing = false
			this.markPlaying()
			this.seek(Number(wanted[1]))
		}
	}

	// ---- Buttons, keys, pointer ----

	setToggle(name, on) {
		$(`[data-toggle=${name}]`).setAttribute('aria-pressed', on)
		for (const { overlay, stage } of this.side ? [this, this.side] : [this]) {
			if (name in overlay.show) overlay.show[name] = on
			if (name === 'sleeping') stage.sleepingTint = on
			if (name === 'walls') stage.groups.walls.visible = on
			if (name === 'shadows') stage.sun.castShadow = on
		}
	}

	toggle(name) {
		const button = $(`[data-toggle=${name}]`)
		if (button.disabled) return this.toast(button.title)
		this.setToggle(name, button.getAttribute('aria-pressed') !== 'true')
		this.show()
	}

	setTheme(dark) {
		this.dark = dark
		document.documentElement.dataset.theme = dark ? 'dark' : 'light'
		this.stage.setTheme(dark)
		this.side?.stage.setTheme(dark)
		this.draw()
	}

	toast(text) {
		const box = $('#message')
		box.textContent = text
		box.className = 'toast'
		box.hidden = false
		clearTimeout(this.toasting)
		this.toasting = setTimeout(() => (box.hidden = true), 5000)
	}

	setSpeed(speed) {
		this.speed = speed
		$('#speed').value = speed
	}

	listen() {
		const on = (selector, event, act) => $(selector).addEventListener(event, act)
		on('#play', 'click', () => (this.playing ? this.pause() : this.play()))
		on('#back', 'click', () => this.step(-1))
		on('#forward', 'click', () => this.step(1))
		on('#first', 'click', () => this.leap(this.source.from))
		on('#last', 'click', () => this.leap(this.to))
		on('#scrub', 'input', (event) => this.leap(Number(event.target.value)))
		on('#speed', 'change', (event) => this.setSpeed(Number(event.target.value)))
		on('#reset', 'click', () => this.resetView())
		on('#theme', 'click', () => this.setTheme(!this.dark))
		on('#ask', 'click', () => $('#help').showModal())
		for (const event of ['pointerover', 'focusin']) addEventListener(event, ({ target }) => this.hint(target))
		on('#menu', 'click', () => $('#menu').setAttribute('aria-expanded', $('#tools').classList.toggle('open')))
		for (const button of document.querySelectorAll('[data-toggle]'))
			button.addEventListener('click', () => this.toggle(button.dataset.toggle))
		addEventListener('click', (event) => event.detail > 0 && event.target.closest?.('button')?.blur())
		addEventListener('keydown', (event) => this.key(event))
		addEventListener('hashchange', () => this.readAddress())
		this.listenPointer()
	}

	// What a setting does, in words, where the pointer or the focus is on it: for fingers and keys too.
	hint(target) {
		const about = target.closest?.('[data-hint]')?.dataset.hint
		if (about) $('#hint').textContent = about
	}

	leap(frame) {
		this.pause()
		this.seek(frame)
		this.address()
	}

	resetView() {
		this.stage.resetCamera()
		this.show()
	}

	key(event) {
		const typing = event.target.closest?.('select, input:not([type=range]), textarea')
		if (!this.source || typing || event.ctrlKey || event.metaKey || event.altKey || $('dialog[open]')) return
		// A button that has the focus is pressed by these; after a click of the mouse it gives the focus back.
		if ((event.key === ' ' || event.key === 'Enter') && event.target.closest?.('button, summary')) return
		const far = event.shiftKey ? 10 : 1
		const acts = {
			' ': () => (this.playing ? this.pause() : this.play()),
			ArrowLeft: () => this.step(-far),
			ArrowRight: () => this.step(far),
			ArrowUp: () => this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + 1)]),
			ArrowDown: () => this.setSpeed(SPEEDS[Math.max(0, SPEEDS.indexOf(this.speed) - 1)]),
			Home: () => this.leap(this.source.from),
			End: () => this.leap(this.to),
			Escape: () => this.pick(-1),
			r: () => this.resetView(),
			d: () => this.setTheme(!this.dark),
			f: () =>
				this.picked >= 0 &&
				this.source.get(this.frame).has(this.picked) &&
				this.stage.focus(this.stage.shown, this.picked),
			b: () => this.live?.throwBall(this.pointer),
			g: () => this.live?.gallery.show(),
			'?': () => $('#help').showModal(),
		}
		const act = acts[event.key] ?? (KEYS[event.key] && (() => this.toggle(KEYS[event.key])))
		if (!act) return
		event.preventDefault()
		act()
	}

	// A press that does not wander picks. On a live page a press on a body that moves takes hold of it.
	listenPointer() {
		const canvas = $('#view')
		let down = null
		// Before the controls hear of it: a hand on a body does not turn the view.
		canvas.addEventListener(
			'pointerdown',
			(event) => {
				if (!this.source || !event.isPrimary) return (down = null)
				down = { x: event.clientX, y: event.clientY, button: event.button }
				this.touched = { x: event.clientX, y: event.clientY }
				if (event.button === 0 && this.live?.grab(event.clientX, event.clientY)) {
					this.stage.controls.enabled = false
					canvas.setPointerCapture(event.pointerId)
				}
			},
			{ capture: true },
		)
		canvas.addEventListener('pointermove', (event) => {
			this.pointer = { x: event.clientX, y: event.clientY }
			this.live?.pull(event.clientX, event.clientY)
		})
		const up = (event) => {
			this.live?.letGo()
			this.stage.controls.enabled = true
			if (!down || down.button !== 0 || event.type === 'pointercancel') return
			const wandered = Math.hypot(event.clientX - down.x, event.clientY - down.y)
			down = null
			if (wandered < CLICK) this.pick(this.stage.pick(event.clientX, event.clientY)?.track ?? -1)
		}
		canvas.addEventListener('pointerup', up)
		canvas.addEventListener('pointercancel', up)
	}

	// ---- The beginning ----

	fail(text) {
		const box = $('#message')
		box.className = ''
		box.textContent = text
		box.hidden = false
	}

	async start() {
		this.listen()
		const data = takePart('data')
		const engine = takePart('engine')
		if (data) {
			this.setSource(new Recorded(data))
			const beside = takePart('data2')
			if (beside) this.setBeside(new Recorded(beside))
			this.begin()
		} else if (engine) {
			this.live = new Live(this, { plain: engine, simd: takePart('engine-simd') }, takePart('scenes'), takePart('gallery'))
			await this.live.start()
			this.begin()
		} else {
			const beside = $('script[src$=".data.js"]')
			throw new Error(
				beside
					? `This page needs ${decodeURIComponent(beside.getAttribute('src'))} beside it.`
					: 'This is the player alone: cairn view REC makes a page with something in it.',
			)
		}
	}
}

// For scripts and tests: the same things that buttons do, and the numbers behind the picture.
function offer(player) {
	const ready = player.start().catch((error) => {
		player.fail(error.message)
		throw error
	})
	ready.catch(() => {})
	window.cairn = {
		ready,
		player,
		get frame() {
			return player.frame
		},
		seek: (time) => player.seek(time),
		// name or number -> track
		find: (name) =>
			typeof name === 'number' ? name : player.source.scene.bodies.findIndex((body) => body.name === name),
		// As recorded in a whole frame; frames that lie apart may be asked for without moving the picture.
		body(name, frame = player.frame) {
			const track = this.find(name)
			const from = player.source.get(frame)
			if (track < 0 || !from?.has(track)) return null
			return {
				track,
				position: from.positionOf(track),
				orientation: from.turnOf(track),
				velocity: from.velocityOf(track),
				spin: from.spinOf(track),
				asleep: from.state[track] === ASLEEP,
			}
		},
		// As drawn now, between frames too; and where its centre is on the screen.
		drawn(name) {
			const track = this.find(name)
			const { shown } = player.stage
			if (!shown.has(track)) return null
			return {
				position: shown.positionOf(track),
				orientation: shown.turnOf(track),
				screen: player.stage.project(shown.positionOf(track)),
			}
		},
		// Milliseconds that drawing takes, the mean of some pictures; waits for the graphics to be done.
		time(count = 10) {
			const gl = player.stage.renderer.getContext()
			const pixel = new Uint8Array(4)
			const begun = performance.now()
			for (let i = 0; i < count; ++i) {
				player.stage.update(player.stage.shown)
				player.stage.render()
				gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel)
			}
			return (performance.now() - begun) / count
		},
	}
}

try {
	offer(new Player())
} catch (error) {
	$('#message').textContent = `This page needs a browser with WebGL 2, and this one says: ${error.message}`
	$('#message').hidden = false
}
