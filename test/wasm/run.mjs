// Runs a WASI program under Node as if it were a native one: node run.mjs PROGRAM.wasm [ARGUMENT...]
//
// It sees the current folder, the files its arguments and the project lie among, the folder for temporary files, and
// the environment; its exit status becomes ours. A trap is status 134, as an abort would be.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// Node 18 has WASI behind a flag, and a process cannot give itself one. Later ones only warn that it may change.
const flags = Number(process.versions.node.split('.')[0]) < 20 ? ['--experimental-wasi-unstable-preview1'] : []
if (flags.some((flag) => !process.execArgv.includes(flag))) {
	const again = spawnSync(process.execPath, ['--no-warnings', ...flags, ...process.argv.slice(1)], { stdio: 'inherit' })
	process.exit(again.status ?? 134)
}
process.removeAllListeners('warning')

// Node 20 dies ("unreachable code" in its collector) when the module's memory grows while it marks step by step.
setFlagsFromString('--no-incremental-marking')

const { WASI } = await import('node:wasi')
const [path, ...rest] = process.argv.slice(2)
if (!path) {
	console.error('usage: node run.mjs PROGRAM.wasm [ARGUMENT...]')
	process.exit(2)
}

// wasi-libc takes "/a" and "a" for the same when "/" itself is open, so open what lies directly below it.
const preopens = { '.': process.cwd() }
for (const file of [process.cwd(), fileURLToPath(import.meta.url), tmpdir(), ...rest]) {
	const top = /^\/[^/]+(?=\/|$)/.exec(file)?.[0]
	if (top && existsSync(top)) preopens[top] = top
}
const wasi = new WASI({
	version: 'preview1',
	args: [path, ...rest],
	env: process.env,
	preopens,
	returnOnExit: true,
})
try {
	const module = await WebAssembly.compile(await readFile(path))
	const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport })
	process.exitCode = wasi.start(instance)
} catch (error) {
	console.error(`${path}: ${error.stack ?? error}`)
	process.exitCode = 134
}
