// Ropes and arms of joints: tubes of one thickness, as long as their ends are apart. One that is longer or shorter than
// its joint lets it be is not drawn.
import {
	CylinderGeometry,
	DynamicDrawUsage,
	InstancedMesh,
	Matrix4,
	MeshLambertMaterial,
	Quaternion,
	Vector3,
} from 'three'
import { ABSENT } from './frame.js'

const UP = new Vector3(0, 1, 0)

export class Rods {
	// scene: rods and rod_radius of the page's scene, and its bodies by track.
	constructor(scene) {
		this.scene = scene
		this.rods = scene.rods ?? []
		this.shown = 0
		const radius = scene.rod_radius || 1
		const geometry = new CylinderGeometry(radius, radius, 1, 12, 1, true)
		this.mesh = new InstancedMesh(geometry, new MeshLambertMaterial({ color: 0x5a5e63 }), Math.max(1, this.rods.length))
		this.mesh.instanceMatrix.setUsage(DynamicDrawUsage)
		this.mesh.frustumCulled = false
		this.mesh.castShadow = this.mesh.receiveShadow = true
		this.mesh.count = 0
	}

	// Where an end is, or null if its body is not there.
	#place({ track, at }, frame) {
		if (track < 0) return new Vector3(...at)
		if (track >= frame.tracks || frame.state[track] === ABSENT) return null
		const [w, x, y, z] = frame.turnOf(track)
		const { center } = this.scene.bodies[track]
		return new Vector3(...at.map((value, i) => value - center[i]))
			.applyQuaternion(new Quaternion(x, y, z, w))
			.add(new Vector3(...frame.positionOf(track)))
	}

	update(frame, origin) {
		const middle = new Vector3(...origin)
		const matrix = new Matrix4()
		let count = 0
		for (const { ends, low, high } of this.rods) {
			const [from, to] = ends.map((end) => this.#place(end, frame))
			if (!from || !to) continue
			const way = to.clone().sub(from)
			const length = way.length()
			if (!(length > 0) || length < low || length > high) continue
			const turn = new Quaternion().setFromUnitVectors(UP, way.divideScalar(length))
			matrix.compose(from.add(to).divideScalar(2).sub(middle), turn, new Vector3(1, length, 1))
			this.mesh.setMatrixAt(count++, matrix)
		}
		this.shown = this.mesh.count = count
		this.mesh.instanceMatrix.needsUpdate = true
	}
}
