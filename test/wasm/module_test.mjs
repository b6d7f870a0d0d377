// cairn.wasm reads a scene from text, steps it and comes to the same hash as every native build:
//   node module_test.mjs cairn.wasm SCENE GOLDEN
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { load } from './load.mjs'

const [modulePath, scenePath, goldenPath] = process.argv.slice(2)
const golden = readFileSync(goldenPath, 'utf8').trim()
const cairn = await load(readFileSync(modulePath))

// Every function of the header is there.
const header = readFileSync(new URL('../../include/cairn/cairn.h', import.meta.url), 'utf8')
const declared = [...header.matchAll(/^CAIRN_API [^;(]*?(cairn_\w+)\(/gm)].map((match) => match[1])
assert.ok(declared.length > 50, 'the header declares functions')
assert.deepEqual(declared.filter((name) => typeof cairn[name] !== 'function'), [], 'declared, but not exported')

const ERROR_SIZE = 4096 // room enough: sizeof (cairn_error) is below 1000
const REPORT_SIZE = 4096 // and cairn_step_report's too
const error = cairn.malloc(ERROR_SIZE)
const report = cairn.malloc(REPORT_SIZE)
const line = cairn.malloc(1024)

function must(handle) {
	if (handle) return handle
	cairn.cairn_error_print(error, line, 1024)
	throw new Error(cairn.text(line))
}

function readScene(text, name) {
	const source = cairn.copy(text)
	const label = cairn.copy(name)
	const scene = cairn.cairn_scene_read_text(source.at, source.size, label.at, 0, 0, error)
	cairn.free(source.at)
	cairn.free(label.at)
	return scene
}

function option(scene, key) {
	const name = cairn.copy(key)
	const known = cairn.cairn_scene_option(scene, name.at, line, 1024)
	cairn.free(name.at)
	assert.ok(known, `the scene has an option ${key}`)
	return cairn.text(line)
}

const scene = must(readScene(readFileSync(scenePath, 'utf8'), 'tumble600.json'))
const world = must(cairn.cairn_world_create(scene, 0, error))
const frames = Number(option(scene, 'frames'))
assert.equal(frames, 600)

// The chain of docs/determinism.md, as in test/determinism/hashrun.c.
const state = () => BigInt.asUintN(64, cairn.cairn_world_hash(world))
function chainOn(chain) {
	const mixed = BigInt.asUintN(64, (chain ^ state()) * 0x9e3779b97f4a7c15n)
	return mixed ^ (mixed >> 32n)
}
let chain = chainOn(0x6361697265n)
for (let i = 0; i < frames; ++i) {
	cairn.cairn_world_step(report, world)
	assert.equal(cairn.view().getInt32(report, true), 0, `status of step ${i}`)
	chain = chainOn(chain)
}
assert.equal(chain.toString(16).padStart(16, '0'), golden)
cairn.cairn_world_destroy(world)
cairn.cairn_scene_destroy(scene)

// A wrong scene comes back as an error with its place, not as a trap.
assert.equal(readScene('{ "version": 1, "bodys": [] }', 'wrong.json'), 0)
cairn.cairn_error_print(error, line, 1024)
assert.match(cairn.text(line), /^wrong\.json:1:\d+: .*bodys/)

console.log(`${declared.length} functions; ${frames} frames; hash ${golden}`)
