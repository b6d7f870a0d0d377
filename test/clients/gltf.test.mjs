// Exported .glb files are valid glTF: the Khronos validator finds neither errors nor warnings.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import validator from 'gltf-validator'
import { exported } from './fixture.mjs'

const inspect = (path) =>
	validator.validateBytes(new Uint8Array(readFileSync(path)), { maxIssues: 20, writeTimestamp: false })

for (const [name, settings] of [
	['tumble', { frames: 40 }],
	['office-toy', { frames: 20 }],
	['menagerie', {}],
	['menagerie', { options: ['--from', '7', '--to', '25'] }],
	['menagerie', { options: ['--from', '12', '--to', '12'] }]
]) {
	test(`${name} ${JSON.stringify(settings)} is valid glTF`, async () => {
		const report = await inspect(exported(name, settings).glb)
		const found = report.issues.messages.map((m) => `${m.severity} ${m.code} ${m.pointer}: ${m.message}`)
		assert.equal(report.issues.numErrors + report.issues.numWarnings + report.issues.numInfos, 0, found.join('\n'))
		assert.ok(report.info.totalTriangleCount > 0)
		assert.equal(report.info.hasTextures, false)
	})
}

test('a file with a wrong byte is not', async () => {
	const bytes = readFileSync(exported('menagerie').glb)
	bytes.writeUInt32LE(bytes.readUInt32LE(8) + 4, 8)
	const report = await validator.validateBytes(new Uint8Array(bytes))
	assert.ok(report.issues.numErrors > 0)
})
