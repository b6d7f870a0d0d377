// The second of two recordings in one page: its own picture beside the first, at the same moment, seen from the same place.
import { ABSENT, Frame, sample } from './frame.js'
import { Overlay } from './overlay.js'
import { Stage } from './stage.js'

export class Side {
	constructor(canvas, source) {
		this.canvas = canvas
		this.source = source
		canvas.hidden = false
		this.stage = new Stage(canvas)
		this.overlay = new Overlay(this.stage)
		this.stage.setScene(source.scene)
		this.between = new Frame(-1, source.scene.bodies.length)
	}

	// The last whole frame at a time, s.
	frameAt(seconds) {
		const { from, to, scene } = this.source
		return Math.min(to, Math.max(from, Math.floor(seconds * scene.fps + 1e-6)))
	}

	show(seconds) {
		const frame = this.frameAt(seconds)
		const whole = this.source.get(frame)
		const part = Math.min(1, Math.max(0, seconds * this.source.scene.fps - frame))
		let shown = whole
		if (part > 1e-6 && frame < this.source.to) {
			const next = this.source.get(frame + 1)
			sample(whole, next, part, this.between)
			this.between.state.fill(ABSENT, next.tracks)
			shown = this.between
		}
		this.stage.update(shown)
		this.overlay.update(whole, this.source, -1)
		return whole
	}

	// Looks from where the other stage looks.
	look(other) {
		const at = (point) => this.stage.toStage(other.toScene(point))
		this.stage.fov = other.fov
		this.stage.reach = other.reach
		this.stage.camera.position.copy(at(other.camera.position))
		this.stage.controls.target.copy(at(other.controls.target))
		this.stage.camera.quaternion.copy(other.camera.quaternion)
		this.stage.resize()
	}
}
