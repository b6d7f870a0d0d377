// Blender imports the .glb and shows the recording. Blender is large, so a machine without it skips this, and says so.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { exported, here } from './fixture.mjs'

const blender = process.env.BLENDER ?? 'blender'
const version = spawnSync(blender, ['--version'], { encoding: 'utf8' })
const skip = version.status === 0 ? false : `${blender} is not installed: the import into Blender was not tried`
if (skip) console.log(skip)

for (const [name, settings] of [
	['tumble', { frames: 20 }],
	['menagerie', {}]
]) {
	test(`Blender shows ${name}`, { skip }, (t) => {
		const paths = exported(name, settings)
		const script = join(here, 'blender_import.py')
		const words = ['--background', '--factory-startup', '--python-exit-code', '3', '--python', script]
		const run = spawnSync(blender, [...words, '--', paths.glb, paths.csv], { encoding: 'utf8' })
		assert.equal(run.status, 0, run.stdout + run.stderr)
		const lacking = run.stdout.split('\n').find((line) => line.startsWith('SKIP '))
		if (lacking) {
			console.log(lacking)
			return t.skip(lacking.slice(5))
		}
		const said = run.stdout.split('\n').find((line) => line.startsWith('BLENDER '))
		assert.ok(said, run.stdout + run.stderr)
		t.diagnostic(said)
	})
}
