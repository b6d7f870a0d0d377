// The spring between a hand and the body that it pulls: a coil as long as the two are apart, with a knob at each end.
import { CatmullRomCurve3, Group, Mesh, MeshBasicMaterial, SphereGeometry, TubeGeometry, Vector3 } from 'three'

const TURNS = 9
const POINTS = 10 // a turn

export class Spring {
	// size: of a body, m: the coil is a fraction as wide.
	constructor(world, size) {
		this.world = world
		this.size = size
		this.material = new MeshBasicMaterial({ color: '#e2631b', depthTest: false, transparent: true, opacity: 0.9 })
		const knob = new SphereGeometry(0.12 * size, 16, 12)
		this.knobs = [new Mesh(knob, this.material), new Mesh(knob, this.material)]
		this.coil = new Mesh(undefined, this.material)
		this.group = new Group()
		this.group.add(...this.knobs, this.coil)
		this.group.traverse((thing) => (thing.renderOrder = 6))
		world.add(this.group)
	}

	// From the point of the body to where the hand is, both on the stage.
	set(from, to) {
		const way = to.clone().sub(from)
		const length = way.length()
		this.knobs[0].position.copy(from)
		this.knobs[1].position.copy(to)
		this.coil.visible = length > 0.05 * this.size
		if (!this.coil.visible) return
		const along = way.clone().divideScalar(length)
		const across = new Vector3(0, 0, 1).cross(along)
		if (across.lengthSq() < 1e-6) across.set(1, 0, 0)
		across.normalize()
		const other = along.clone().cross(across)
		const radius = Math.min(0.2 * this.size, 0.25 * length)
		const points = []
		for (let i = 0; i <= TURNS * POINTS; ++i) {
			const part = i / (TURNS * POINTS)
			const angle = 2 * Math.PI * TURNS * part
			const wide = radius * Math.min(1, 8 * part, 8 * (1 - part)) // it begins and ends in the middle
			points.push(
				from
					.clone()
					.addScaledVector(way, part)
					.addScaledVector(across, wide * Math.cos(angle))
					.addScaledVector(other, wide * Math.sin(angle)),
			)
		}
		this.coil.geometry.dispose()
		this.coil.geometry = new TubeGeometry(new CatmullRomCurve3(points), 2 * TURNS * POINTS, 0.035 * this.size, 5)
	}

	remove() {
		this.world.remove(this.group)
		this.coil.geometry.dispose()
		this.knobs[0].geometry.dispose()
		this.material.dispose()
	}
}
