// The add-on for Blender, in Blender's background mode: five files are built, baked and compared with their recordings.
// Blender is large, so a machine without it skips this, and says so.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, test } from 'node:test'
import { here, scratch } from './fixture.mjs'

const blender = process.env.BLENDER ?? 'blender'
const version = spawnSync(blender, ['--version'], { encoding: 'utf8' })
const skip = version.status === 0 ? false : `${blender} is not installed: the add-on was not tried`
if (skip) console.log(skip)

const tool = resolve(process.env.CAIRN ?? join(here, '../../build/cairn'))
const folder = scratch()
const archive = join(folder, 'cairn-blender.zip')
const env = { ...process.env, BLENDER_USER_SCRIPTS: join(folder, 'scripts'), BLENDER_USER_CONFIG: join(folder, 'config') }

function run(script, ...words) {
	const fixed = ['--background', '--factory-startup', '--python-exit-code', '3', '--python', join(here, script)]
	const ran = spawnSync(blender, [...fixed, '--', ...words], { encoding: 'utf8', env })
	assert.equal(ran.status, 0, ran.stdout + ran.stderr)
	return ran.stdout
}

// As `make blender` does it, with the tool that is tested.
before(() => {
	if (skip) return
	const addon = join(folder, 'cairn_bake')
	const source = join(here, '../../blender/cairn_bake')
	mkdirSync(addon)
	mkdirSync(join(folder, 'scripts/addons'), { recursive: true })
	for (const file of readdirSync(source).filter((name) => name.endsWith('.py'))) cpSync(join(source, file), join(addon, file))
	cpSync(tool, join(addon, 'cairn'))
	execFileSync('cmake', ['-E', 'tar', 'cf', archive, '--format=zip', 'cairn_bake'], { cwd: folder })
	assert.match(run('addon_files.py', folder), /BUILT/)
})

for (const name of ['tower', 'linkage', 'pusher', 'kinds', 'heap']) {
	test(`Blender bakes ${name}`, { skip }, (t) => {
		const said = run('addon_check.py', join(folder, `${name}.blend`), archive, tool)
		const line = said.split('\n').find((text) => text.startsWith('ADDON '))
		assert.ok(line, said)
		const found = JSON.parse(line.slice(6))
		t.diagnostic(JSON.stringify(found))
		assert.equal(found.verdict, 'clean')
		if (name === 'linkage') assert.ok(found.inside > 0, 'a wheel at 40 rad/s has no keys inside frames')
		if (name === 'heap') assert.ok(found.blender_overlaps > 0, "Blender's own solver overlaps nothing: is this measured?")
	})
}
