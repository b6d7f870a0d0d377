// Marks on the time line: what happened when. A press on one goes to it.

const $ = (selector) => document.querySelector(selector)
const EVENTS = { impulse: 'an impulse', blast: 'a blast', drive: 'a motor changes', input: 'an input from outside' }
const number = (value) => Number(value.toPrecision(2)).toString()

export class Marks {
	// go(frame): what a press does; nameOf(track).
	constructor(go, nameOf) {
		this.go = go
		this.nameOf = nameOf
		this.marks = []
	}

	set(marks, source) {
		this.source = source
		this.marks = []
		$('#marks').replaceChildren()
		for (const mark of marks) this.add(mark)
		this.place()
	}

	say({ kind, track, speed, impulse }, time) {
		const what =
			kind === 'blow'
				? `a blow on ${this.nameOf(track)}: ${number(impulse)} N s${speed ? `, its velocity changes by ${number(speed)} m/s` : ''}`
				: EVENTS[kind]
		return `${time.toFixed(2)} s: ${what}`
	}

	add(mark) {
		const button = document.createElement('button')
		button.className = mark.kind === 'blow' ? 'blow' : 'event'
		button.tabIndex = -1 // the keys of the time line reach every frame; these are for the pointer
		button.title = this.say(mark, mark.frame / this.source.scene.fps)
		button.setAttribute('aria-label', button.title)
		button.addEventListener('click', () => this.go(mark.frame))
		$('#marks').append(button)
		this.marks.push({ ...mark, button })
	}

	// Their places and heights: a blow is as high as it is hard, by the root of its impulse.
	place() {
		if (!this.marks.length) return
		const { from, to } = this.source
		const hardest = Math.max(...this.marks.map(({ impulse }) => impulse ?? 0))
		for (const { frame, kind, impulse, button } of this.marks) {
			button.style.left = `${(100 * (frame - from)) / Math.max(1, to - from)}%`
			if (kind === 'blow') button.style.height = `${Math.round(4 + 8 * Math.sqrt(impulse / hardest))}px`
			button.hidden = frame < from || frame > to
		}
	}
}
