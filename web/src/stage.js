// What is drawn: light, floor, walls, bodies by instancing, the camera, and which body is under a point of the screen.
//
// Coordinates on the stage are the scene's minus an origin near the action, so that single precision is enough far out.
import {
	AmbientLight,
	BufferAttribute,
	BufferGeometry,
	CircleGeometry,
	Color,
	DirectionalLight,
	DoubleSide,
	DynamicDrawUsage,
	EdgesGeometry,
	Group,
	HemisphereLight,
	InstancedMesh,
	LineBasicMaterial,
	LineSegments,
	Mesh,
	MeshBasicMaterial,
	MeshLambertMaterial,
	PCFShadowMap,
	PerspectiveCamera,
	Plane,
	Quaternion,
	Raycaster,
	Scene,
	ShaderMaterial,
	Vector2,
	Vector3,
	WebGLRenderer,
} from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { mergeVertices, toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js'
import { ABSENT, ASLEEP } from './frame.js'
import { Rods } from './rods.js'

const PANELS = 76 // pixels above and below that buttons cover
const CREASE = 0.7 // rad: facets that meet at less are one round surface
const SLEEPING = new Color('#7d93b8')
const PICKED = new Color('#ffd23f')

// visual: where the shape is in the body's frame; undefined: it is the body's own.
function makeGeometry(shape, center, visual) {
	const flat = new BufferGeometry()
	const points = Float32Array.from(shape.points)
	flat.setAttribute('position', new BufferAttribute(points, 3))
	if (visual) {
		const [w, x, y, z] = visual.turn
		flat.applyQuaternion(new Quaternion(x, y, z, w)).translate(...visual.at)
	}
	flat.translate(...center.map((value) => -value))
	if (shape.colors) flat.setAttribute('color', new BufferAttribute(Float32Array.from(shape.colors), 3))
	flat.setIndex(shape.triangles)
	const reach = points.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
	const geometry = mergeVertices(toCreasedNormals(flat, CREASE), Math.max(1e-8, 1e-6 * reach))
	geometry.computeBoundingSphere()
	return geometry
}

// What shows how something round turns, as in pictures (cli/render_shaders.c): a band about a ball, quarters of a wheel.
const PATTERNS = {
	sphere: 'smoothstep(0.30 - fwidth(own.z), 0.30 + fwidth(own.z), abs(own.z)), 0.75',
	cylinder: '0.5 - 0.5 * side.x * side.y, 0.45',
}
function makePattern(kind) {
	const material = new MeshLambertMaterial()
	material.onBeforeCompile = (shader) => {
		const own = kind === 'sphere' ? 'normalize(position)' : 'position'
		shader.vertexShader = `varying vec3 own;\n${shader.vertexShader}`.replace(
			'#include <begin_vertex>',
			`#include <begin_vertex>\nown = ${own};`,
		)
		const [part, strength] = PATTERNS[kind].split(/, (?=[0-9.]+$)/)
		shader.fragmentShader = `varying vec3 own;\n${shader.fragmentShader}`.replace(
			'#include <color_fragment>',
			`#include <color_fragment>
			vec2 side = clamp(own.xy / max(fwidth(own.xy), vec2(1e-9)), -1.0, 1.0);
			vec3 light = mix(diffuseColor.rgb, vec3(0.85, 0.83, 0.78), ${strength});
			diffuseColor.rgb = mix(light, diffuseColor.rgb, ${part});`,
		)
	}
	material.customProgramCacheKey = () => kind
	return material
}

// As pictures and exported files have it: `cairn_shown_color` of the library.
// A visual with colours of its own is shown in these.
const colorOf = (body, shape) => (shape.colors ? new Color(1, 1, 1) : new Color(...body.color))

// The box of a body where the scene puts it.
function boxOf(body, shape) {
	const turn = new Quaternion(body.turn[1], body.turn[2], body.turn[3], body.turn[0])
	const box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] }
	const point = new Vector3()
	for (let i = 0; i < shape.points.length; i += 3) {
		point.set(...[0, 1, 2].map((k) => shape.points[i + k] - body.center[k])).applyQuaternion(turn)
		point.toArray().forEach((value, k) => {
			box.min[k] = Math.min(box.min[k], value + body.at[k])
			box.max[k] = Math.max(box.max[k], value + body.at[k])
		})
	}
	return box
}

// All bodies of one shape, centre and kind: one draw call.
class Instances {
	constructor(geometry, material, solid) {
		this.geometry = geometry
		this.material = material
		this.solid = solid
		this.tracks = []
		this.shown = [] // instance -> track
	}
	add(track, group) {
		this.tracks.push(track)
		if (this.mesh && this.tracks.length <= this.mesh.instanceMatrix.count) return
		const old = this.mesh
		this.mesh = new InstancedMesh(this.geometry, this.material, Math.max(4, Math.ceil(this.tracks.length * 1.5)))
		this.mesh.instanceMatrix.setUsage(DynamicDrawUsage)
		this.mesh.setColorAt(0, new Color())
		this.mesh.frustumCulled = false
		this.mesh.castShadow = this.solid
		this.mesh.receiveShadow = this.solid
		this.mesh.userData.instances = this
		this.mesh.count = 0
		if (old) {
			// A picture may be drawn before the next update: those that were there stay where they are.
			this.mesh.instanceMatrix.array.set(old.instanceMatrix.array)
			this.mesh.instanceColor.array.set(old.instanceColor.array)
			this.mesh.count = old.count
			group.remove(old)
			old.dispose()
		}
		group.add(this.mesh)
	}
	update(frame, origin, colors) {
		const matrices = this.mesh.instanceMatrix.array
		const tints = this.mesh.instanceColor.array
		let count = 0
		for (const track of this.tracks) {
			if (track >= frame.tracks || frame.state[track] === ABSENT) continue
			writeMatrix(matrices, 16 * count, frame, track, origin)
			tints.set(colors.subarray(3 * track, 3 * track + 3), 3 * count)
			this.shown[count++] = track
		}
		this.mesh.count = count
		this.mesh.instanceMatrix.needsUpdate = true
		this.mesh.instanceColor.needsUpdate = true
		this.mesh.boundingSphere = null
	}
}

function writeMatrix(out, at, frame, track, origin) {
	const t = 4 * track
	const w = frame.turn[t]
	const x = frame.turn[t + 1]
	const y = frame.turn[t + 2]
	const z = frame.turn[t + 3]
	out[at] = 1 - 2 * (y * y + z * z)
	out[at + 1] = 2 * (x * y + w * z)
	out[at + 2] = 2 * (x * z - w * y)
	out[at + 3] = 0
	out[at + 4] = 2 * (x * y - w * z)
	out[at + 5] = 1 - 2 * (x * x + z * z)
	out[at + 6] = 2 * (y * z + w * x)
	out[at + 7] = 0
	out[at + 8] = 2 * (x * z + w * y)
	out[at + 9] = 2 * (y * z - w * x)
	out[at + 10] = 1 - 2 * (x * x + y * y)
	out[at + 11] = 0
	out[at + 12] = frame.position[3 * track] - origin[0]
	out[at + 13] = frame.position[3 * track + 1] - origin[1]
	out[at + 14] = frame.position[3 * track + 2] - origin[2]
	out[at + 15] = 1
}

// Lines every so many metres, heavier ones every five; they fade with distance and where they would be too fine to see.
const GRID = `
varying vec2 place;
uniform float spacing, reach;
uniform vec3 ink;
uniform vec2 shift, middle;
float gridLines(float every) {
	vec2 at = (place + shift) / every, wide = fwidth(at);
	vec2 near = abs(fract(at - 0.5) - 0.5) / max(wide, vec2(1e-6));
	float fade = 1.0 - smoothstep(0.15, 0.6, max(wide.x, wide.y));
	return (1.0 - min(min(near.x, near.y), 1.0)) * fade;
}
float gridInk() { return 0.35 * max(0.5 * gridLines(spacing), gridLines(spacing * 5.0)); }
float gridFar(float near) { return 1.0 - smoothstep(near, 1.0, length(place - middle) / reach); }
`
const GRID_VERTEX = `
varying vec2 place;
void main() {
	place = (modelMatrix * vec4(position, 1.0)).xy;
	gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`
const GRID_FRAGMENT = `${GRID}
void main() { gl_FragColor = vec4(ink, gridInk() * gridFar(0.25)); }`

const GRID_ON_GROUND = `
diffuseColor.rgb = mix(diffuseColor.rgb, ink, gridInk() * gridFar(0.25));
diffuseColor.a *= gridFar(0.05);`

// The grid alone, or on a ground that takes light and shadow.
function makeGroundMaterial(uniforms, solid) {
	const how = { transparent: true, depthWrite: false }
	if (!solid) return new ShaderMaterial({ ...how, uniforms, vertexShader: GRID_VERTEX, fragmentShader: GRID_FRAGMENT })
	const material = new MeshLambertMaterial(how)
	material.onBeforeCompile = (shader) => {
		Object.assign(shader.uniforms, uniforms)
		const { vertexShader, fragmentShader } = shader
		const place = '#include <begin_vertex>\nplace = (modelMatrix * vec4(position, 1.0)).xy;'
		shader.vertexShader = `varying vec2 place;\n${vertexShader.replace('#include <begin_vertex>', place)}`
		shader.fragmentShader = `${GRID}${fragmentShader.replace('#include <map_fragment>', GRID_ON_GROUND)}`
	}
	return material
}

// A wall is the part of a half-space's plane that the others and the box leave.
function clipWall(plane, others, box) {
	const { normal, offset } = plane
	const size = 2 * Math.hypot(...[0, 1, 2].map((i) => box.max[i] - box.min[i]))
	const middle = new Vector3(...[0, 1, 2].map((i) => (box.max[i] + box.min[i]) / 2))
	const n = new Vector3(...normal)
	const center = middle.addScaledVector(n, offset - n.dot(middle))
	const u = new Vector3(Math.abs(n.x) < 0.9 ? 1 : 0, Math.abs(n.x) < 0.9 ? 0 : 1, 0).cross(n).normalize()
	const v = n.clone().cross(u)
	let corners = [
		[-1, -1],
		[1, -1],
		[1, 1],
		[-1, 1],
	].map(([a, b]) =>
		center
			.clone()
			.addScaledVector(u, a * size)
			.addScaledVector(v, b * size),
	)
	const cuts = others.map(({ normal: m, offset: d }) => ({ m: new Vector3(...m), d })) // keep m.x >= d: outside the solid
	for (let i = 0; i < 3; ++i) {
		const axis = new Vector3().setComponent(i, 1)
		cuts.push({ m: axis, d: box.min[i] }, { m: axis.clone().negate(), d: -box.max[i] })
	}
	for (const { m, d } of cuts) {
		if (Math.abs(m.dot(n)) > 0.999) continue
		corners = corners.flatMap((p, i) => {
			const q = corners[(i + 1) % corners.length]
			const a = m.dot(p) - d
			const b = m.dot(q) - d
			const cut = () => p.clone().lerp(q, a / (a - b))
			return a >= 0 ? (b >= 0 ? [p] : [p, cut()]) : b >= 0 ? [cut()] : []
		})
		if (corners.length < 3) return null
	}
	return corners
}

const mixed = (a, s, b, t) => ({
	position: a.position.map((value, i) => s * value + t * b.position[i]),
	target: a.target.map((value, i) => s * value + t * b.target[i]),
	fov: s * a.fov + t * b.fov,
})
function keyAt(keys, time) {
	const last = keys.findLastIndex((key) => key.time <= time)
	if (last < 0) return keys[0]
	if (last === keys.length - 1) return keys[last]
	const [a, b] = [keys[last], keys[last + 1]]
	const slope = (i) => {
		if (i === 0 || i === keys.length - 1) return mixed(a, 0, a, 0)
		const rate = 1 / (keys[i + 1].time - keys[i - 1].time)
		return mixed(keys[i + 1], rate, keys[i - 1], -rate)
	}
	const span = b.time - a.time
	const t = (time - a.time) / span
	const u = 1 - t
	const place = mixed(a, u * u * (1 + 2 * t), b, t * t * (1 + 2 * u))
	return mixed(place, 1, mixed(slope(last), u * u * t * span, slope(last + 1), -t * t * u * span), 1)
}

export class Stage {
	constructor(canvas) {
		this.canvas = canvas
		this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, powerPreference: 'high-performance' })
		this.renderer.shadowMap.enabled = true
		this.renderer.shadowMap.type = PCFShadowMap
		this.world = new Scene()
		this.camera = new PerspectiveCamera(45, 1, 0.1, 1000)
		this.camera.up.set(0, 0, 1)
		this.controls = new OrbitControls(this.camera, canvas)
		this.controls.zoomToCursor = true
		this.controls.addEventListener('start', () => (this.held = true))
		this.hemisphere = new HemisphereLight(0xffffff, 0x8d8a84, 1.9)
		this.hemisphere.position.set(0, 0, 1)
		this.sun = new DirectionalLight(0xffffff, 3)
		this.sun.castShadow = true
		this.sun.shadow.mapSize.set(2048, 2048)
		this.sun.shadow.autoUpdate = false // only when something moved, not when the view turns
		this.world.add(this.hemisphere, this.sun, this.sun.target, new AmbientLight(0xffffff, 0.15))
		this.ray = new Raycaster()
		this.groups = { bodies: new Group(), rods: new Group(), walls: new Group(), floor: new Group() }
		this.world.add(...Object.values(this.groups))
		this.solidMaterial = new MeshLambertMaterial()
		this.patterns = { sphere: makePattern('sphere'), cylinder: makePattern('cylinder') }
		this.shellMaterial = new MeshLambertMaterial({ side: DoubleSide })
		this.paintedMaterial = new MeshLambertMaterial({ side: DoubleSide, vertexColors: true })
		this.glassMaterial = new MeshBasicMaterial({ transparent: true, opacity: 0.06, depthWrite: false })
		this.paneMaterial = new MeshBasicMaterial({ transparent: true, opacity: 0.1, depthWrite: false, side: DoubleSide })
		this.sleepingTint = false
		this.picked = -1
		this.dark = false
	}

	// ---- The scene ----

	setScene(scene) {
		for (const group of Object.values(this.groups)) {
			group.traverse((thing) => thing.geometry?.dispose?.())
			group.clear()
		}
		this.scene = { ...scene, shapes: [], bodies: [] }
		this.sets = new Map()
		this.base = new Float32Array(0)
		this.picked = -1
		this.#measure(scene)
		this.addShapes(scene.shapes)
		scene.bodies.forEach((body, track) => this.addBody(body, track))
		this.rods = new Rods(this.scene)
		this.groups.rods.add(this.rods.mesh)
		this.#makeFloor()
		this.#placeLight()
		this.resetCamera()
	}

	// The box of the action: centres over all frames and their radii; without those, what is there at the start.
	#measure(scene) {
		const min = [Infinity, Infinity, Infinity]
		const max = [-Infinity, -Infinity, -Infinity]
		const grow = (point, radius) =>
			point.forEach((value, i) => {
				min[i] = Math.min(min[i], value - radius)
				max[i] = Math.max(max[i], value + radius)
			})
		const moving = scene.bodies.filter((body) => body.type !== 'fixed')
		const largest = Math.max(0, ...moving.map((body) => body.radius))
		moving.forEach((body) => grow(body.at, body.radius))
		if (!scene.bounds) this.#guessFall(scene, min, max)
		this.start = { min: [...min], max: [...max] }
		if (scene.bounds) scene.bounds.forEach((point) => grow(point, largest))
		if (!(min[0] <= max[0])) scene.bodies.forEach((body) => body.radius !== null && grow(body.at, body.radius))
		if (!(min[0] <= max[0])) grow([0, 0, 0], 1)
		// Something that flew far away is not what one wants to see first.
		const usual = this.start.min[0] <= this.start.max[0] ? this.start : { min, max }
		const size = Math.hypot(...[0, 1, 2].map((i) => usual.max[i] - usual.min[i]))
		this.box = {
			min: min.map((value, i) => Math.max(value, usual.min[i] - 2 * size)),
			max: max.map((value, i) => Math.min(value, usual.max[i] + 2 * size)),
		}
		this.origin = this.box.min.map((value, i) => Math.round((value + this.box.max[i]) / 2))
		this.size = Math.hypot(...[0, 1, 2].map((i) => this.box.max[i] - this.box.min[i])) || 1
		const radii = moving.map((body) => body.radius).sort((a, b) => a - b)
		this.bodySize = radii[Math.floor(radii.length / 2)] ?? this.size / 10
	}

	// Where nothing has moved yet: what falls will come to lie on what is fixed below it, or on a plane.
	#guessFall(scene, min, max) {
		const down = scene.gravity[2] < 0
		for (const body of scene.bodies) {
			if (!down || body.type !== 'fixed' || !(min[0] <= max[0])) continue
			const shape = scene.shapes[body.shape]
			const plane = shape.kind === 'halfspace'
			const box = plane ? null : boxOf(body, shape)
			const level = plane && shape.normal[2] > 0.995 ? shape.offset + body.at[2] - body.center[2] : Infinity
			// On a slab things lie at its top, in a bowl about as low as it goes.
			const top = plane ? level : box.max[2] < min[2] ? box.max[2] : box.min[2]
			const reach = Math.hypot(...[0, 1, 2].map((i) => max[i] - min[i]))
			if (top < min[2] && top > min[2] - 30 * reach) min[2] = top
		}
	}

	addShapes(shapes) {
		this.scene.shapes.push(...shapes)
	}

	// A fixed body that stands as high as a sixth of the action is a wall: it is drawn as glass, so that one sees inside.
	// A mesh is ground, and so is what lies below all that moves.
	#isWall(body, shape) {
		if (body.type !== 'fixed' || shape.kind === 'mesh') return false
		const { min: low, max: high } = boxOf(body, shape)
		const ground = high[2] < this.box.min[2] + this.bodySize
		return !ground && high[2] - low[2] > (this.box.max[2] - this.box.min[2]) / 6
	}

	addBody(body, track) {
		this.scene.bodies[track] = body
		if (this.base.length < 3 * (track + 1)) {
			const grown = new Float32Array(3 * (track + 1) * 2)
			grown.set(this.base)
			this.base = grown
			this.colors = new Float32Array(grown.length)
		}
		const shape = this.scene.shapes[body.shape]
		const shown = body.visual ? this.scene.shapes[body.visual.shape] : shape
		colorOf(body, shown).toArray(this.base, 3 * track)
		if (shape.kind === 'halfspace') return
		const wall = !body.visual && this.#isWall(body, shape)
		const pattern = body.type === 'fixed' || body.visual ? null : this.patterns[shape.kind]
		const where = body.visual ? `${body.visual.shape} ${body.visual.at} ${body.visual.turn}` : body.shape
		const key = `${where} ${body.center} ${wall} ${Boolean(pattern)}`
		let set = this.sets.get(key)
		if (!set) {
			const plain = shown.kind === 'mesh' ? this.shellMaterial : (pattern ?? this.solidMaterial)
			const material = wall ? this.glassMaterial : shown.colors ? this.paintedMaterial : plain
			set = new Instances(makeGeometry(shown, body.center, body.visual), material, !wall)
			this.sets.set(key, set)
		}
		set.add(track, wall ? this.groups.walls : this.groups.bodies)
		if (wall) this.#outline(set.geometry, body)
	}

	#outline(geometry, body) {
		const lines = new LineSegments(
			new EdgesGeometry(geometry, 30),
			new LineBasicMaterial({ transparent: true, opacity: 0.35 }),
		)
		lines.position.set(...body.at.map((value, i) => value - this.origin[i]))
		lines.quaternion.set(body.turn[1], body.turn[2], body.turn[3], body.turn[0])
		this.groups.walls.add(lines)
	}

	// Half-spaces in the world: fixed ones do not move, so their planes are known.
	#planes() {
		return this.scene.bodies
			.filter((body) => this.scene.shapes[body.shape].kind === 'halfspace' && body.type === 'fixed')
			.map((body) => {
				const shape = this.scene.shapes[body.shape]
				const turn = new Quaternion(body.turn[1], body.turn[2], body.turn[3], body.turn[0])
				const normal = new Vector3(...shape.normal).applyQuaternion(turn)
				const center = new Vector3(...body.center).applyQuaternion(turn)
				const frame = new Vector3(...body.at).sub(center)
				return { normal: normal.toArray(), offset: shape.offset + normal.dot(frame), color: body.color }
			})
	}

	#makeFloor() {
		const planes = this.#planes()
		const gravity = new Vector3(...this.scene.gravity)
		const up = gravity.length() > 0 ? gravity.clone().normalize().negate() : new Vector3(0, 0, 1)
		const room = {
			min: this.box.min.map((v) => v - 0.02 * this.size),
			max: this.box.max.map((v) => v + 0.02 * this.size),
		}
		let floor = null
		for (const plane of planes) {
			if (new Vector3(...plane.normal).dot(up) > 0.995) {
				if (!floor || plane.offset > floor.offset) floor = plane
			}
		}
		for (const plane of planes) if (plane !== floor) this.#makeWall(plane, planes, room)
		// A scene that stands on a body of its own needs no other floor; only the grid, a little below it.
		const slabs = this.scene.bodies.filter(
			(body) => body.type === 'fixed' && this.scene.shapes[body.shape].kind !== 'halfspace',
		)
		const lowest = Math.min(this.box.min[2], ...slabs.map((body) => boxOf(body, this.scene.shapes[body.shape]).min[2]))
		const height = floor ? floor.offset : lowest - 0.02 * Math.min(this.size, 4 * this.bodySize)
		this.floorColor = floor ? new Color(...floor.color) : null
		this.#makeGround(height, Boolean(floor) || slabs.length === 0)
	}

	#makeWall(plane, planes, room) {
		const corners = clipWall(
			plane,
			planes.filter((other) => other !== plane),
			room,
		)
		if (!corners) return
		const points = corners.map((corner) => corner.sub(new Vector3(...this.origin)))
		const geometry = new BufferGeometry().setFromPoints(points)
		geometry.setIndex(points.slice(2).flatMap((_, i) => [0, i + 1, i + 2]))
		geometry.computeVertexNormals()
		this.groups.walls.add(new Mesh(geometry, this.paneMaterial))
		const edges = new BufferGeometry().setFromPoints(
			points.flatMap((point, i) => [point, points[(i + 1) % points.length]]),
		)
		this.groups.walls.add(new LineSegments(edges, new LineBasicMaterial({ transparent: true, opacity: 0.35 })))
	}

	#makeGround(height, solid) {
		const spacing = 10 ** Math.round(Math.log10(this.size / 20))
		this.grid = {
			spacing: { value: spacing },
			reach: { value: 1 },
			ink: { value: new Color() },
			shift: { value: new Vector2(this.origin[0], this.origin[1]) },
			middle: { value: new Vector2() },
		}
		this.groundMaterial = makeGroundMaterial(this.grid, solid)
		const ground = new Mesh(new CircleGeometry(1, 96), this.groundMaterial)
		this.ground = ground
		ground.position.z = height - this.origin[2]
		ground.receiveShadow = solid
		ground.renderOrder = -1
		this.groups.floor.add(ground)
		this.setTheme(this.dark)
	}

	#placeLight() {
		const light = this.scene.light
		const way = new Vector3(...(light?.direction ?? [-0.5, 0.7, -1.4])).normalize()
		if (light) this.sun.color.setRGB(...light.color.map((value) => Math.min(1, value)))
		else this.sun.color.set(0xffffff)
		const reach = this.size * 0.75
		const middle = this.box.min.map((value, i) => (value + this.box.max[i]) / 2 - this.origin[i])
		this.sun.target.position.set(...middle)
		this.sun.position.set(...middle).addScaledVector(way, -2 * reach)
		const box = this.sun.shadow.camera
		box.left = box.bottom = -reach
		box.right = box.top = reach
		box.near = 0.1 * reach
		box.far = 5 * reach
		box.updateProjectionMatrix()
		this.sun.shadow.normalBias = reach / 900
		this.sun.shadow.bias = -0.0004
		this.sun.shadow.radius = 3
	}

	setTheme(dark) {
		this.dark = dark
		this.hemisphere.groundColor.set(dark ? 0x3a3f47 : 0xa8a49c)
		this.hemisphere.color.set(dark ? 0xcfdcf0 : 0xffffff)
		this.hemisphere.intensity = dark ? 1.1 : 1.55
		this.groundMaterial?.color?.set(dark ? 0x2b3037 : 0xd0d3d6)
		if (this.floorColor) this.groundMaterial.color.copy(this.floorColor).multiplyScalar(dark ? 0.3 : 1)
		this.grid?.ink.value.set(dark ? 0x9fb4cc : 0x39414b)
		for (const material of [this.glassMaterial, this.paneMaterial]) material.color.set(dark ? 0xa9c4e4 : 0x5b7896)
		this.groups.walls.traverse((thing) => thing.isLineSegments && thing.material.color.set(dark ? 0xa9c4e4 : 0x4c6076))
	}

	// ---- The camera ----

	resetCamera() {
		this.held = false
		this.moved = null
		const own = this.scene.camera
		const local = (point) => new Vector3(...point.map((value, i) => value - this.origin[i]))
		this.reach = 0
		if (own) {
			this.fov = own.fov
			this.camera.position.copy(local(own.position))
			this.controls.target.copy(local(own.target))
			if (!own.keys && own.follow === undefined) this.reach = this.#reachOf(local)
		} else {
			this.fov = 0.7
			this.resize()
			this.#fit(new Vector3(1, -1.7, 0.8).normalize(), local)
		}
		this.resize()
		this.controls.update()
	}

	// How far to the sides the action reaches, seen by the scene's camera: the tangent of the angle. A narrow window shows
	// that much, if a picture of the usual 16:9 would.
	#reachOf(local) {
		const eye = this.camera.position
		const back = eye.clone().sub(this.controls.target).normalize()
		const right = new Vector3(0, 0, 1).cross(back).normalize()
		let most = 0
		for (let i = 0; i < 8; ++i) {
			const corner = local([0, 1, 2].map((k) => (i & (1 << k) ? this.box.max[k] : this.box.min[k]))).sub(eye)
			const depth = -corner.dot(back)
			most = Math.max(most, depth > 0 ? Math.abs(corner.dot(right)) / depth : Infinity)
		}
		return 1.05 * most
	}

	// As near as the whole box is in view from that side, between the panels above and below: a corner is in view if it is
	// on the inner side of four planes through the eye.
	#fit(back, local) {
		const right = new Vector3(0, 0, 1).cross(back).normalize()
		const up = back.clone().cross(right)
		const tangent = Math.tan((this.camera.fov * Math.PI) / 360)
		const panels = 2 * PANELS + (this.below ?? 0)
		const room = 1 - panels / Math.max(2 * panels, this.canvas.clientHeight)
		const eye = new Vector3()
		let away = 0
		for (const [axis, t] of [
			[right, (0.92 - (this.covered ?? 0) / this.canvas.clientWidth) * tangent * this.camera.aspect],
			[up, room * tangent],
		]) {
			let [high, low] = [-Infinity, -Infinity]
			for (let i = 0; i < 8; ++i) {
				const corner = local([0, 1, 2].map((k) => (i & (1 << k) ? this.box.max[k] : this.box.min[k])))
				high = Math.max(high, corner.dot(axis) + t * corner.dot(back))
				low = Math.max(low, -corner.dot(axis) + t * corner.dot(back))
			}
			eye.addScaledVector(axis, (high - low) / 2)
			away = Math.max(away, (high + low) / (2 * t))
		}
		this.camera.position.copy(eye).addScaledVector(back, away)
		const middle = local(this.box.min.map((value, i) => (value + this.box.max[i]) / 2))
		this.controls.target.copy(this.camera.position).addScaledVector(back, middle.dot(back) - away)
	}

	// Where a camera that moves is at a time, s: between keys on Hermite's cubic, as cairn_view_at has it, and along with the
	// body that it follows. Until a hand turns the view, and again after a reset.
	moveCamera(frame, time) {
		const own = this.scene.camera
		if (!own || this.held || !(own.keys || own.follow !== undefined)) return
		const now = own.keys ? keyAt(own.keys, time) : own
		const body = this.scene.bodies[own.follow]
		const there = body && frame.has(own.follow)
		if (there) this.moved = frame.positionOf(own.follow).map((value, i) => value - body.at[i])
		const moved = this.moved ?? [0, 0, 0]
		const local = (point) => new Vector3(...point.map((value, i) => value + moved[i] - this.origin[i]))
		this.moving = true
		this.camera.position.copy(local(now.position))
		this.controls.target.copy(local(now.target))
		if (now.fov !== this.fov) {
			this.fov = now.fov
			this.resize()
		}
		this.controls.update()
		this.moving = false
	}

	// Looks at a body from nearer by.
	focus(frame, track) {
		const at = new Vector3(...frame.positionOf(track).map((value, i) => value - this.origin[i]))
		const away = this.camera.position.clone().sub(this.controls.target)
		this.controls.target.copy(at)
		this.camera.position
			.copy(at)
			.addScaledVector(away.normalize(), 8 * (this.scene.bodies[track].radius ?? this.bodySize))
		this.controls.update()
	}

	resize() {
		const { clientWidth: width, clientHeight: height } = this.canvas
		const ratio = Math.min(window.devicePixelRatio, 2)
		if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio)
		const wanted = this.renderer.getSize(new Vector2())
		if (wanted.x !== width || wanted.y !== height) this.renderer.setSize(width, height, false)
		this.camera.aspect = width / Math.max(1, height)
		// An upright screen keeps the width of the view, not its height; where a panel stands beside it, what is left counts.
		const free = (width - (this.covered ?? 0)) / Math.max(1, height)
		const own = Math.tan(this.fov / 2)
		const wide = this.reach ? Math.min(this.reach, (own * 16) / 9) : own
		const below = this.below ?? 0
		const tangent = Math.max((own * height) / Math.max(1, height - below), wide / free)
		this.camera.fov = (360 / Math.PI) * Math.atan(tangent)
		// What panels cover on the left, or below on a phone, is not counted where the middle of the picture is looked for.
		if (this.covered || below) this.camera.setViewOffset(width, height, -(this.covered ?? 0) / 2, below / 2, width, height)
		else this.camera.clearViewOffset()
		this.camera.updateProjectionMatrix()
	}

	// ---- A moment ----

	update(frame) {
		this.shown = frame
		this.colors.set(this.base)
		const tint = new Color()
		for (let track = 0; track < frame.tracks; ++track) {
			const asleep = this.sleepingTint && frame.state[track] === ASLEEP
			if (!asleep && track !== this.picked) continue
			tint.fromArray(this.base, 3 * track)
			if (asleep) tint.lerp(SLEEPING, 0.55)
			if (track === this.picked) tint.lerp(PICKED, 0.75)
			tint.toArray(this.colors, 3 * track)
		}
		for (const set of this.sets.values()) set.update(frame, this.origin, this.colors)
		this.rods.update(frame, this.origin)
		this.sun.shadow.needsUpdate = true
	}

	// The ground goes with the camera, and reaches as far as one sees from there: nobody comes to its end.
	#spreadGround(away) {
		const reach = Math.max(4 * this.size, 6 * away, 12 * Math.abs(this.camera.position.z - this.ground.position.z))
		this.ground.position.setX(this.camera.position.x).setY(this.camera.position.y)
		this.ground.scale.set(reach, reach, 1)
		this.grid.reach.value = reach
		this.grid.middle.value.set(this.camera.position.x, this.camera.position.y)
		return reach
	}

	render() {
		const away = this.camera.position.distanceTo(this.controls.target)
		const reach = this.#spreadGround(away)
		this.camera.near = Math.max(1e-6, Math.min(away, this.size) / 200)
		this.camera.far = Math.max(away + 12 * this.size, 1.1 * reach)
		this.camera.updateProjectionMatrix()
		this.renderer.render(this.world, this.camera)
	}

	// ---- Picking: points are in CSS pixels of the canvas ----

	aim(x, y) {
		const { clientWidth: width, clientHeight: height } = this.canvas
		this.ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), this.camera)
		return this.ray.ray
	}

	// { track, point (scene coordinates), distance } or null
	pick(x, y) {
		this.aim(x, y)
		const [hit] = this.ray.intersectObject(this.groups.bodies, true)
		if (!hit) return null
		return {
			track: hit.object.userData.instances.shown[hit.instanceId],
			point: this.toScene(hit.point),
			distance: hit.distance,
		}
	}

	toScene(point) {
		return point.toArray().map((value, i) => value + this.origin[i])
	}
	toStage(point) {
		return new Vector3(...point.map((value, i) => value - this.origin[i]))
	}

	// Where a scene point is on the screen.
	project(point) {
		const { clientWidth: width, clientHeight: height } = this.canvas
		this.camera.updateMatrixWorld()
		const at = this.toStage(point).project(this.camera)
		return { x: ((at.x + 1) / 2) * width, y: ((1 - at.y) / 2) * height, ahead: at.z < 1 }
	}

	// The scene point under (x, y) in the plane through point that faces the camera.
	follow(x, y, point) {
		const plane = new Plane().setFromNormalAndCoplanarPoint(
			this.camera.getWorldDirection(new Vector3()),
			this.toStage(point),
		)
		const at = this.aim(x, y).intersectPlane(plane, new Vector3())
		return at ? this.toScene(at) : null
	}
}
