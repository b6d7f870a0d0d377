// The published JSON Schema says what the reader says: every good scene fits it, every file that is wrong in form does
// not, and those that are wrong in meaning only do, so that the table of faults and the schema keep each other honest.
import { test } from 'node:test'
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import Ajv2020 from 'ajv/dist/2020.js'

const root = new URL('../../', import.meta.url)
const read = (path) => readFileSync(new URL(path, root), 'utf8')
const schema = JSON.parse(read('scenes/scene.schema.json'))
const fits = new Ajv2020({ allErrors: false, strict: true, strictRequired: false, strictTypes: false }).compile(schema)
const why = () => JSON.stringify(fits.errors?.[0])
const jsonFiles = (folder) => readdirSync(new URL(folder, root)).filter((name) => name.endsWith('.json'))

test('good scenes fit', () => {
	const files = [
		...jsonFiles('scenes/').filter((name) => name !== 'scene.schema.json').map((name) => 'scenes/' + name),
		...['scenes/torture/', 'scenes/validation/'].flatMap((folder) => jsonFiles(folder).map((name) => folder + name)),
		...jsonFiles('test/data/good/').map((name) => 'test/data/good/' + name),
		...jsonFiles('test/data/good/parts/').map((name) => 'test/data/good/parts/' + name),
		'test/determinism/tumble600.json',
	]
	assert.ok(files.length >= 7)
	for (const file of files) assert.ok(fits(JSON.parse(read(file))), `${file}: ${why()}`)
})

test('the examples of the documentation fit', () => {
	const examples = [...read('docs/scene-format.md').matchAll(/```json\n([^]*?)```/g)]
	assert.ok(examples.length >= 8)
	for (const [, text] of examples) assert.ok(fits(JSON.parse(text)), `${text}\n${why()}`)
})

const rows = read('test/data/bad/expected.tsv').trimEnd().split('\n').slice(1).map((line) => line.split('\t'))

test('the table names every bad file once', () => {
	assert.deepEqual(rows.map((row) => row[0]).sort(), jsonFiles('test/data/bad/').sort())
	for (const row of rows) assert.equal(row.length, 6, row[0])
})

for (const [kind, wanted] of [['form', false], ['meaning', true]])
	test(`bad in ${kind}: the schema ${wanted ? 'takes' : 'refuses'} it`, () => {
		const chosen = rows.filter((row) => row[5] === kind)
		assert.ok(chosen.length > 30)
		for (const [file] of chosen) assert.equal(fits(JSON.parse(read('test/data/bad/' + file))), wanted, `${file}: ${why()}`)
	})

// What the reader ignores everywhere the schema must take everywhere, and nothing else.
test('every object takes a comment and no unknown key', () => {
	let objects = 0
	const walk = (node, path) => {
		if (Array.isArray(node)) return node.forEach((item, i) => walk(item, `${path}[${i}]`))
		if (typeof node !== 'object' || node === null) return
		if (node.type === 'object') {
			++objects
			assert.ok(node.properties.comment === true && node.properties.$schema, path)
			assert.ok(node.additionalProperties === false || node.propertyNames, path)
		}
		for (const [key, value] of Object.entries(node)) walk(value, `${path}.${key}`)
	}
	walk(schema, '')
	assert.ok(objects > 25)
})
