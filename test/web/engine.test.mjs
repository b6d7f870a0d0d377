// The live page's engine without a browser: the module that the pages carry, its files in memory, and the native hash.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Engine } from '../../web/src/engine.js'
import { ASLEEP, AWAKE, Frame } from '../../web/src/frame.js'

const folder = mkdtempSync(join(tmpdir(), 'cairn-engine-'))
const packed = (name) => readFileSync(join(process.env.CAIRN_WEB, `${name}.wasm.gz`))
const bytes = packed('engine')
const scene = (name) => new Uint8Array(readFileSync(new URL(`../../scenes/${name}.json`, import.meta.url)))
const cairn = (...parameters) => spawnSync(process.env.CAIRN, parameters, { cwd: folder, encoding: 'utf8' })
after(() => rmSync(folder, { recursive: true }))

for (const name of ['engine'])
	test(`cubejam, sixty frames, ${name}`, async () => {
		const engine = await Engine.create(packed(name))
		engine.files.put('cubejam.json', scene('cubejam'))
		engine.open('cubejam.json')
		let frame = engine.look()
		while (frame.frame < 60) frame = engine.step()
		const golden = readFileSync(new URL('../determinism/cubejam60.txt', import.meta.url), 'utf8').trim()
		assert.equal(frame.chain, golden)
		assert.equal(frame.bodies.length / 15, 108)
		assert.ok(frame.contacts.length / 13 > 100)
	})

test('a ball thrown into something is taken back, and the run goes on', async () => {
	const engine = await Engine.create(bytes)
	engine.files.put('stack.json', scene('stack'))
	const { bodies } = engine.open('stack.json')
	engine.input({ throw: { from: bodies.at(-1).at, velocity: [0, 0, 0], radius: 0.3 } })
	const frame = engine.step()
	assert.equal(frame.frame, 1)
	assert.match(engine.message, /no room/)
	assert.equal(frame.bodies.length / 15, 15)
	writeFileSync(join(folder, 'refused.cairn'), engine.save('cairn'))
	const again = cairn('run', 'refused.cairn', '--frames', '1', '--json', '-q')
	assert.equal(again.status, 0, again.stderr)
	assert.equal(JSON.parse(again.stdout).hash, frame.chain)
})

test('several balls thrown at one place between two steps: one stays', async () => {
	const engine = await Engine.create(bytes)
	engine.files.put('stack.json', scene('stack'))
	engine.open('stack.json')
	for (let i = 0; i < 4; ++i) engine.input({ throw: { from: [0, 0, 60], velocity: [0, 0, 0], radius: 0.3 } })
	assert.equal(engine.step().bodies.length / 15, 16)
	assert.equal(engine.step().frame, 2)
})

test('settings, wrong scenes and wrong inputs', async () => {
	const engine = await Engine.create(bytes)
	engine.files.put('a.json', new TextEncoder().encode('{ "version": 1, "bodies": [ { "shape": { "sphere": -1 } } ] }'))
	assert.throws(() => engine.open('a.json'), /a\.json:1:\d+: .*sphere/)
	assert.throws(() => engine.open('nothing.json'), /nothing\.json/)
	engine.files.put('stack.json', scene('stack'))
	assert.throws(() => engine.open('stack.json', ['gravity=down']), /gravity/)
	assert.deepEqual(engine.open('stack.json', ['gravity=0,0,-1', 'frames=7']).gravity, [0, 0, -1])
	assert.throws(() => engine.input({ throw: { from: [0, 0, 0], velocity: [0, 0, 0], radius: -1 } }), /radius/)
	assert.equal(engine.step().frame, 1)
})

test('where no gap was measured the panel says why', () => {
	const scene = { method: 'oba', bodies: [{ type: 'fixed' }, { type: 'dynamic' }, { type: 'dynamic' }] }
	const frame = new Frame(1, 3)
	const says = (gap, asleep, states, method = 'oba') => {
		frame.stats = { gap, asleep }
		frame.state.set(states)
		return frame.gapText({ ...scene, method }, (metres) => `${metres} m`)
	}
	assert.equal(says(0.5, 1, [AWAKE, AWAKE, ASLEEP]), '0.5 m')
	assert.equal(says(Infinity, 0, [AWAKE, AWAKE, AWAKE]), 'none near')
	assert.equal(says(Infinity, 1, [AWAKE, AWAKE, ASLEEP]), 'none near')
	assert.equal(says(Infinity, 2, [AWAKE, ASLEEP, ASLEEP]), 'all asleep')
	assert.equal(says(Infinity, 0, [AWAKE, AWAKE, AWAKE], 'free'), 'not measured')
})
