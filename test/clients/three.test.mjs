// three.js shows the recording: its poses at frames and between keys are those of the CSV, its vertices those of the
// bodies.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { AnimationMixer, LoopOnce, Quaternion, Vector3 } from 'three'
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js'
import { exported, placeError, placeOf, product, readCsv, rotate, turnBy, turnError, turnOf } from './fixture.mjs'

const within = 1e-5

async function load(path) {
	const bytes = readFileSync(path)
	const gltf = await new Promise((done, fail) =>
		new GLTFLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '', done, fail)
	)
	const nodes = new Map()
	gltf.scene.traverse((node) => {
		if (node.userData.body !== undefined) nodes.set(node.userData.body, node)
	})
	const mixer = new AnimationMixer(gltf.scene)
	const action = mixer.clipAction(gltf.animations[0])
	action.setLoop(LoopOnce)
	action.clampWhenFinished = true
	const seek = (time) => {
		action.reset().play()
		mixer.setTime(time)
		gltf.scene.updateMatrixWorld(true)
	}
	return { gltf, nodes, seek }
}

// +Y up back to the scene's +Z up.
const sceneVector = ({ x, y, z }) => [x, -z, y]
const sceneTurn = ({ w, x, y, z }) => [w, x, -z, y]

function poseOf(node) {
	const place = new Vector3(), turn = new Quaternion()
	node.matrixWorld.decompose(place, turn, new Vector3())
	return { place: sceneVector(place), turn: sceneTurn(turn), scale: node.scale.x }
}

// The times in the file are 32-bit; asking for a time a rounding away would turn a fast body too far.
const fileTime = (row) => Math.fround(row.time)

for (const [name, settings, from] of [
	['tumble', { frames: 40 }, 0],
	['menagerie', {}, 0],
	['menagerie', { options: ['--from', '7', '--to', '25'] }, 7]
]) {
	test(`${name} ${JSON.stringify(settings)}: frames`, async () => {
		const paths = exported(name, settings), csv = readCsv(paths.csv)
		const { gltf, nodes, seek } = await load(paths.glb)
		const last = csv.rows.at(-1).frame
		assert.equal(gltf.scene.userData.fps, csv.scene.fps)
		assert.equal(gltf.scene.userData.frames, last - from + 1)
		let compared = 0, worst = [0, 0]
		for (let frame = from; frame <= last; frame += Math.max(1, Math.floor((last - from) / 9))) {
			seek(Math.fround(frame / csv.scene.fps - from / csv.scene.fps))
			for (const body of csv.bodies) {
				const row = csv.at(frame, body.index), node = nodes.get(body.index)
				if (!row) {
					if (node) assert.ok(poseOf(node).scale === 0, `body ${body.name} is not there at frame ${frame}`)
					continue
				}
				const pose = poseOf(node)
				assert.ok(pose.scale === 1, `body ${body.name} is there at frame ${frame}`)
				worst[0] = Math.max(worst[0], placeError(pose.place, placeOf(row)))
				worst[1] = Math.max(worst[1], turnError(pose.turn, turnOf(row)))
				++compared
			}
		}
		assert.ok(compared >= 10 * csv.bodies.filter((b) => b.type === 'dynamic').length / 2)
		assert.ok(worst[0] < within && worst[1] < within, `worst ${worst} of ${compared}`)
	})
}

test('between keys a body turns as recorded', async () => {
	const paths = exported('menagerie'), csv = readCsv(paths.csv)
	const { nodes, seek } = await load(paths.glb)
	const spinner = csv.bodies.find((b) => b.name === 'spinner').index
	const keys = csv.rows.filter((row) => row.body === spinner)
	assert.ok(keys.length > 3 * keys.at(-1).frame, 'the spinner has keys inside its frames')
	for (let i = 1; i < keys.length; i += 5) {
		const a = keys[i - 1], b = keys[i], half = [b.rx / 2, b.ry / 2, b.rz / 2]
		seek((fileTime(a) + fileTime(b)) / 2)
		const pose = poseOf(nodes.get(spinner))
		const wanted = product(turnBy(half), turnOf(a))
		const middle = placeOf(a).map((x, k) => (x + placeOf(b)[k]) / 2)
		assert.ok(Math.hypot(...half) > 0.1)
		assert.ok(turnError(pose.turn, wanted) < within, `turn ${pose.turn}, wanted ${wanted}`)
		assert.ok(placeError(pose.place, middle) < within)
	}
})

test('neighbouring rotations have the same sign and length 1', async () => {
	const { gltf } = await load(exported('menagerie').glb)
	const tracks = gltf.animations[0].tracks.filter((track) => track.name.endsWith('.quaternion'))
	assert.ok(tracks.length > 10)
	for (const { name, values } of tracks)
		for (let i = 0; i < values.length; i += 4) {
			assert.ok(Math.abs(Math.hypot(...values.slice(i, i + 4)) - 1) < 1e-6, name)
			const product = i ? [0, 1, 2, 3].reduce((sum, k) => sum + values[i + k] * values[i + k - 4], 0) : 1
			assert.ok(product > 0.7, `${name}: ${product}`)
		}
})

// The corners of a shape that has some, about the centre of mass.
function cornersOf({ hull, mesh, box, compound }) {
	const ends = [-0.5, 0.5]
	if (box) return ends.flatMap((x) => ends.flatMap((y) => ends.map((z) => [x * box[0], y * box[1], z * box[2]])))
	const [only, more] = compound?.parts ?? []
	if (only && !more && !only.orientation)
		return cornersOf(only.shape)?.map((p) => p.map((x, i) => x + only.position[i]))
	return hull?.points ?? mesh?.points
}

test('vertices are where the bodies are', async () => {
	const paths = exported('menagerie'), csv = readCsv(paths.csv)
	const { nodes, seek } = await load(paths.glb)
	const frame = 20
	seek(Math.fround(frame / csv.scene.fps))
	const compared = []
	for (const body of csv.bodies) {
		const points = cornersOf(body.shape)
		const row = csv.at(frame, body.index)
		if (!points || !row) continue
		const wanted = points.map((p) => rotate(turnOf(row), p).map((x, i) => x + placeOf(row)[i]))
		const node = nodes.get(body.index), vertices = node.geometry.attributes.position
		const seen = new Set()
		for (let i = 0; i < vertices.count; ++i) {
			const point = new Vector3().fromBufferAttribute(vertices, i).applyMatrix4(node.matrixWorld)
			const errors = wanted.map((p) => placeError(sceneVector(point), p))
			const best = errors.indexOf(Math.min(...errors))
			assert.ok(errors[best] < within, `${body.name}: a vertex is ${errors[best]} from every point`)
			seen.add(best)
		}
		assert.ok(seen.size >= 4)
		compared.push(body.name)
	}
	for (const name of ['splinter', 'wedge', 'tent', 'loaded die', 'door']) assert.ok(compared.includes(name), name)
})

test('normals point outward and bodies of equal shape share their points', async () => {
	const { gltf, nodes } = await load(exported('menagerie').glb)
	const [edge, other, normal, ...corner] = Array.from({ length: 6 }, () => new Vector3())
	for (const node of nodes.values()) {
		const { position, normal: normals } = node.geometry.attributes, index = node.geometry.index
		for (let i = 0; i < index.count; i += 3) {
			for (let k = 0; k < 3; ++k) corner[k].fromBufferAttribute(position, index.getX(i + k))
			edge.subVectors(corner[1], corner[0]).cross(other.subVectors(corner[2], corner[0])).normalize()
			for (let k = 0; k < 3; ++k)
				assert.ok(normal.fromBufferAttribute(normals, index.getX(i + k)).dot(edge) > 0.7, node.name)
		}
	}
	const points = new Set(gltf.parser.json.meshes.map((mesh) => mesh.primitives[0].attributes.POSITION)).size
	assert.ok(points < nodes.size, `${points} sets of points for ${nodes.size} bodies`)
})

test('what a picture shows is there: colours, camera, light, and rods that end at their bodies', async () => {
	const paths = exported('office-toy', { frames: 40 })
	const { gltf, nodes, seek } = await load(paths.glb)
	const { json } = gltf.parser
	const csv = readCsv(paths.csv)
	const light = json.extensions.KHR_lights_punctual.lights[0]
	assert.equal(light.type, 'directional')
	assert.ok(light.intensity > 2000, 'a sun in lux')
	assert.equal(json.cameras.length, 1)
	// A ball has a band in a second colour, as in pictures: about its z axis, which is y here, 0.3 of its radius wide on either side.
	const shown = [...nodes.values()].map((node) => {
		const { color, position } = node.geometry.attributes
		if (!color) return node.material.color.getHexString()
		const at = new Vector3()
		const reach = { true: [], false: [] }
		const colors = Array.from({ length: color.count }, (_, i) => [0, 1, 2].map((k) => color.getComponent(i, k).toFixed(4)).join())
		const radius = Math.max(...colors.map((_, i) => at.fromBufferAttribute(position, i).length()))
		const top = colors.find((_, i) => at.fromBufferAttribute(position, i).y > 0.5 * radius)
		colors.forEach((one, i) => reach[one === top].push(Math.abs(at.fromBufferAttribute(position, i).y) / radius))
		assert.equal(new Set(colors).size, 2)
		assert.ok(Math.max(...reach.false) < 0.3001 && Math.max(...reach.false) > 0.2999, `a band up to ${Math.max(...reach.false)}`)
		assert.ok(Math.min(...reach.true) > 0.2999, `no band from ${Math.min(...reach.true)}`)
		assert.equal(node.material.color.getHexString(), 'ffffff')
		return top
	})
	assert.equal(shown.filter((color) => color.includes(',')).length, 10, 'ten balls with a band')
	assert.ok(new Set(shown).size > 3, `colours ${shown}`)
	const rods = gltf.scene.children.filter((node) => node.name.startsWith('rods'))
	assert.equal(rods.length, 10)
	for (const frame of [0, 20, 40]) {
		seek(frame / csv.scene.fps)
		const balls = csv.bodies.filter((body) => body.type === 'dynamic').map((body) => csv.at(frame, body.index))
		const ends = rods.flatMap((rod) => [new Vector3(0, 0, 0), new Vector3(0, 1, 0)].map((end) => rod.localToWorld(end)))
		for (const ball of balls) {
			const [x, y, z] = placeOf(ball)
			const nearest = Math.min(...ends.map((end) => end.distanceTo(new Vector3(x, z, -y))))
			assert.ok(nearest < 1e-4, `frame ${frame}: the nearest end of a rod is ${nearest} m from a ball's middle`)
		}
	}
})
