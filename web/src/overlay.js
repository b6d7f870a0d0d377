// What is drawn over the bodies when asked for: contacts with their normals and impulses, separating planes, trails.
import {
	BufferAttribute,
	BufferGeometry,
	Color,
	ConeGeometry,
	DoubleSide,
	DynamicDrawUsage,
	InstancedMesh,
	LineBasicMaterial,
	LineSegments,
	Matrix4,
	MeshBasicMaterial,
	PlaneGeometry,
	Quaternion,
	SphereGeometry,
	Vector3,
} from 'three'

const STICKING = new Color('#19a974')
const SLIDING = new Color('#ff6300')
const TRAIL_FRAMES = 45
const TRAILS_MOST = 400
const PLANES_MOST = 4000

// Lines that are written anew: pairs of points, each with a colour and an opacity.
class Lines {
	constructor(world) {
		this.material = new LineBasicMaterial({ vertexColors: true, transparent: true, depthTest: false })
		this.mesh = new LineSegments(new BufferGeometry(), this.material)
		this.mesh.frustumCulled = false
		this.mesh.renderOrder = 5
		world.add(this.mesh)
	}
	set(points, colors) {
		this.mesh.geometry.dispose()
		this.mesh.geometry = new BufferGeometry()
		this.mesh.geometry.setAttribute('position', new BufferAttribute(Float32Array.from(points), 3))
		this.mesh.geometry.setAttribute('color', new BufferAttribute(Float32Array.from(colors), 4))
		this.mesh.visible = points.length > 0
	}
}

// Instances that are written anew.
class Marks {
	constructor(world, geometry, material) {
		this.world = world
		this.geometry = geometry
		this.material = material
		this.room = 0
	}
	set(matrices, colors) {
		if (matrices.length > this.room) {
			if (this.mesh) {
				this.world.remove(this.mesh)
				this.mesh.dispose()
			}
			this.room = Math.ceil(matrices.length * 1.5) + 16
			this.mesh = new InstancedMesh(this.geometry, this.material, this.room)
			this.mesh.instanceMatrix.setUsage(DynamicDrawUsage)
			this.mesh.frustumCulled = false
			this.mesh.renderOrder = 4
			this.mesh.setColorAt(0, new Color())
			this.world.add(this.mesh)
		}
		if (!this.mesh) return
		matrices.forEach((matrix, i) => {
			this.mesh.setMatrixAt(i, matrix)
			this.mesh.setColorAt(i, colors[i])
		})
		this.mesh.count = matrices.length
		this.mesh.visible = matrices.length > 0
		this.mesh.instanceMatrix.needsUpdate = true
		this.mesh.instanceColor.needsUpdate = true
	}
}

export class Overlay {
	constructor(stage) {
		this.stage = stage
		this.show = { contacts: false, planes: false, trails: false }
		this.arrows = new Lines(stage.world)
		this.trails = new Lines(stage.world)
		this.points = new Marks(
			stage.world,
			new SphereGeometry(1, 10, 8),
			new MeshBasicMaterial({ depthTest: false, transparent: true }),
		)
		this.heads = new Marks(
			stage.world,
			new ConeGeometry(0.4, 1, 10).translate(0, -0.5, 0), // the tip is the origin
			new MeshBasicMaterial({ depthTest: false, transparent: true }),
		)
		this.planes = new Marks(
			stage.world,
			new PlaneGeometry(2, 2),
			new MeshBasicMaterial({ transparent: true, opacity: 0.22, side: DoubleSide, depthWrite: false }),
		)
		this.counts = { contacts: 0, planes: 0, trails: 0 }
	}

	// frame is a whole one: contacts belong to frames. With a body picked, only what concerns it is shown.
	update(frame, source, picked) {
		const contacts = frame.contacts.filter((contact) => picked < 0 || contact.a === picked || contact.b === picked)
		this.#contacts(this.show.contacts ? contacts : [], picked)
		this.#planes(this.show.planes ? contacts : [])
		this.#trails(this.show.trails ? frame : null, source, picked)
	}

	// An arrow is the impulse on the picked body; with none picked, on the one of the two that it pushes up.
	#contacts(contacts, picked) {
		const { stage } = this
		const size = stage.bodySize
		const gravity = new Vector3(...stage.scene.gravity)
		const up = gravity.length() > 0 ? gravity.negate() : new Vector3(0, 0, 1)
		const y = new Vector3(0, 1, 0)
		const most = Math.max(1e-30, ...contacts.map(({ impulse }) => Math.hypot(...impulse)))
		const matrices = []
		const tints = []
		const ends = []
		const colors = []
		const heads = []
		const headTints = []
		for (const { a, b, point, normal, impulse, sliding } of contacts) {
			const tint = sliding ? SLIDING : STICKING
			const at = stage.toStage(point)
			matrices.push(new Matrix4().makeScale(0.06 * size, 0.06 * size, 0.06 * size).setPosition(at))
			tints.push(tint)
			// As recorded it is on the second body. A contact that does not press shows its normal, short.
			const strength = Math.hypot(...impulse)
			const arrow =
				strength > 0
					? new Vector3(...impulse).multiplyScalar((1.4 * size * Math.sqrt(strength / most)) / strength)
					: new Vector3(...normal).multiplyScalar(0.2 * size)
			if (picked === a || (picked !== b && arrow.dot(up) < 0)) arrow.negate()
			const tip = at.clone().add(arrow)
			if (strength > 0) {
				const length = arrow.length()
				const head = Math.min(0.28 * size, 0.6 * length)
				const turn = new Quaternion().setFromUnitVectors(y, arrow.clone().divideScalar(length))
				heads.push(new Matrix4().compose(tip, turn, new Vector3(head, head, head)))
				headTints.push(tint)
			}
			ends.push(...at.toArray(), ...tip.toArray())
			for (let i = 0; i < 2; ++i) colors.push(tint.r, tint.g, tint.b, strength > 0 ? 1 : 0.5)
		}
		this.counts.contacts = matrices.length
		this.points.set(matrices, tints)
		this.arrows.set(ends, colors)
		this.heads.set(heads, headTints)
	}

	// One plane a pair: through the middle of the gap, facing along the normal, about as large as the smaller body.
	#planes(contacts) {
		const { stage } = this
		const pairs = new Map()
		for (const contact of contacts) {
			const key = contact.a * 0x100000000 + contact.b
			const pair = pairs.get(key)
			if (!pair) pairs.set(key, { ...contact, sum: contact.point.slice(), count: 1 })
			else {
				pair.count += 1
				contact.point.forEach((value, i) => (pair.sum[i] += value))
			}
			if (pairs.size >= PLANES_MOST) break
		}
		const matrices = []
		const tints = []
		const up = new Vector3(0, 0, 1)
		for (const { a, b, normal, gap, sum, count, sliding } of pairs.values()) {
			const radius = Math.min(...[a, b].map((track) => stage.scene.bodies[track]?.radius ?? Infinity))
			const way = new Vector3(...normal)
			const at = stage.toStage(sum.map((value) => value / count)).addScaledVector(way, gap / 2)
			const size = 0.7 * (Number.isFinite(radius) ? radius : stage.bodySize)
			matrices.push(
				new Matrix4().compose(at, new Quaternion().setFromUnitVectors(up, way.normalize()), new Vector3(size, size, 1)),
			)
			tints.push(sliding ? SLIDING : STICKING)
		}
		this.counts.planes = matrices.length
		this.planes.set(matrices, tints)
	}

	#trails(frame, source, picked) {
		const ends = []
		const colors = []
		this.counts.trails = 0
		if (frame) {
			const moving = []
			for (let track = 0; track < frame.tracks && moving.length < TRAILS_MOST; ++track)
				if ((picked < 0 || track === picked) && frame.has(track) && this.stage.scene.bodies[track].type !== 'fixed')
					moving.push(track)
			const first = Math.max(source.from, frame.number - TRAIL_FRAMES)
			for (let number = first; number < frame.number; ++number) {
				const [from, to] = [source.get(number), source.get(number + 1)]
				if (!from || !to) continue
				for (const track of moving) {
					if (!from.has(track) || !to.has(track)) continue
					ends.push(
						...this.stage.toStage(from.positionOf(track)).toArray(),
						...this.stage.toStage(to.positionOf(track)).toArray(),
					)
					for (const at of [number, number + 1])
						colors.push(
							...this.stage.base.subarray(3 * track, 3 * track + 3),
							(at - first + 1) / (frame.number - first + 1),
						)
				}
			}
			this.counts.trails = moving.length
		}
		this.trails.set(ends, colors)
	}
}
