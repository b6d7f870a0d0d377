// Exported .usda files are read by two readers that share nothing: tinyusdz (C++, as WebAssembly) and three.js.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { AnimationMixer, LoopOnce, Matrix4, Quaternion, Vector3 } from 'three'
import { USDLoader } from 'three/examples/jsm/loaders/USDLoader.js'
import { exported, placeError, placeOf, product, readCsv, scratch, turnBy, turnError, turnOf } from './fixture.mjs'

const within = 1e-5

// tinyusdz is built for browsers: it refuses to start where it sees Node, so it does not get to see it, and its package
// does not say that it is a module, so Node 18 takes it for one only under another name.
async function loadTinyusdz() {
	const folder = dirname(createRequire(import.meta.url).resolve('tinyusdz/package.json'))
	const wasmBinary = readFileSync(join(folder, 'tinyusdz.wasm'))
	const hidden = globalThis.process
	const copy = join(scratch(), 'tinyusdz.mjs')
	copyFileSync(join(folder, 'tinyusdz.js'), copy)
	globalThis.window = globalThis
	globalThis.location = { href: 'file:///' }
	globalThis.process = undefined
	try {
		const { default: start } = await import(pathToFileURL(copy))
		return await start({ wasmBinary })
	} finally {
		globalThis.process = hidden
		delete globalThis.window
		delete globalThis.location
	}
}

const bodiesFrom = (csv, from, last) =>
	csv.bodies.filter((body) => csv.rows.some((r) => r.body === body.index && r.frame >= from && r.frame <= last))

for (const [name, settings, from] of [
	['tumble', { frames: 20 }, 0],
	['menagerie', {}, 0],
	['menagerie', { options: ['--from', '7', '--to', '25'] }, 7]
]) {
	const title = `${name} ${JSON.stringify(settings)}`

	test(`${title}: tinyusdz`, async () => {
		const paths = exported(name, settings), csv = readCsv(paths.csv)
		const text = readFileSync(paths.usda, 'utf8')
		const tiny = await loadTinyusdz()
		const loader = new tiny.TinyUSDZLoaderNative()
		assert.equal(loader.loadFromBinary(new TextEncoder().encode(text), 'scene.usda'), true, loader.error())
		const root = loader.getDefaultRootNode()
		const bodies = bodiesFrom(csv, from, Infinity)
		const nodes = root.children.filter((node) => node.nodeType === 'xform')
		assert.equal(root.primName, 'World')
		assert.equal(nodes.length, bodies.length)
		assert.equal(loader.numMeshes(), bodies.length)
		assert.equal(new Set(nodes.map((n) => n.primName)).size, nodes.length)
		for (const [i, node] of nodes.entries()) {
			const first = csv.rows.find((r) => r.body === bodies[i].index && r.frame >= Math.max(from, 0))
			const row = csv.at(first.frame, bodies[i].index)
			const place = new Vector3(), turn = new Quaternion()
			new Matrix4().fromArray(node.localMatrix).decompose(place, turn, new Vector3())
			assert.ok(placeError(place.toArray(), placeOf(row)) < within, node.primName)
			assert.ok(turnError([turn.w, turn.x, turn.y, turn.z], turnOf(row)) < within, node.primName)
			assert.deepEqual(node.children.map((c) => c.nodeType), ['mesh'])
		}
		const broken = new tiny.TinyUSDZLoaderNative()
		const wrong = new TextEncoder().encode(text.replace('def Mesh', 'def Mesh ['))
		assert.equal(broken.loadFromBinary(wrong, 'wrong.usda'), false)
	})

	test(`${title}: three.js`, () => {
		const paths = exported(name, settings), csv = readCsv(paths.csv)
		const bytes = readFileSync(paths.usda)
		const group = new USDLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
		const world = group.getObjectByName('World')
		const nodes = world.children.filter((n) => n.children.length === 1 && n.children[0].isMesh)
		const last = csv.rows.at(-1).frame, bodies = bodiesFrom(csv, from, last)
		assert.equal(nodes.length, bodies.length)
		const mixer = new AnimationMixer(group), action = mixer.clipAction(group.animations[0])
		action.setLoop(LoopOnce)
		action.clampWhenFinished = true
		const seek = (time) => {
			action.reset().play()
			mixer.setTime(time)
			group.updateMatrixWorld(true)
		}
		// Its root is turned to +Y up; below World the numbers are the scene's.
		const pose = ({ position: p, quaternion: q }) => [p.toArray(), [q.w, q.x, q.y, q.z]]
		let compared = 0
		for (let frame = from; frame <= last; frame += 3) {
			seek(Math.fround(frame / csv.scene.fps))
			for (const [i, body] of bodies.entries()) {
				const row = csv.at(frame, body.index)
				if (!row) continue
				const [place, turn] = pose(nodes[i])
				assert.ok(placeError(place, placeOf(row)) < within, `${body.name}, frame ${frame}`)
				assert.ok(turnError(turn, turnOf(row)) < within, `${body.name}, frame ${frame}`)
				++compared
			}
		}
		assert.ok(compared > bodies.length)
		const spinner = bodies.findIndex((b) => b.name === 'spinner')
		if (spinner < 0) return
		const keys = csv.rows.filter((r) => r.body === bodies[spinner].index && r.time >= from / csv.scene.fps)
		assert.ok(keys.length > 3 * (last - from))
		for (let i = 1; i < keys.length; i += 5) {
			const a = keys[i - 1], b = keys[i]
			seek((Math.fround(a.time) + Math.fround(b.time)) / 2)
			const wanted = product(turnBy([b.rx / 2, b.ry / 2, b.rz / 2]), turnOf(a))
			assert.ok(turnError(pose(nodes[spinner])[1], wanted) < 1e-4, `halfway to ${b.time}`)
		}
	})
}

test('bodies that come and go say when', () => {
	const paths = exported('menagerie'), csv = readCsv(paths.csv)
	const text = readFileSync(paths.usda, 'utf8')
	const comers = csv.bodies.filter((b) => !csv.at(0, b.index))
	assert.ok(comers.length > 0)
	const visible = /token visibility\.timeSamples = \{\s*0: "invisible",\s*(\d+): "inherited",\s*\}/g
	assert.deepEqual(
		[...text.matchAll(visible)].map((m) => Number(m[1])).sort((a, b) => a - b),
		comers.map((b) => csv.rows.find((r) => r.body === b.index).frame).sort((a, b) => a - b)
	)
})
