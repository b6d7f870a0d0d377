// Pictures of the bundled scenes for the live page's gallery: web/gallery/NAME.webp.
//
//   CAIRN=build/cairn node tools/gallery.mjs [SCENE...]     those that are missing, unless scenes are named
//
// Each is the frame by which half of the motion of the first seconds has happened. Needs OpenGL (docs/render.md) and an
// ffmpeg that writes WebP.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const cairn = process.env.CAIRN ?? join(root, 'build', 'cairn')
const out = join(root, 'web', 'gallery')
const SIZE = [240, 150]
const FRAMES = 360
// Crowds show enough early on; the others end before they begin, or begin late.
const FEWER = { pour: 150, 'scaling-10000': 90, cubeglass: 180, sphereglass: 200, boats: 110, 'boats-100': 70, 'crowd-100': 60, 'torture-headon': 2, 'rings-2000': 3, 'triangles-186': 20, 'torture-bullet': 2, 'validation-throw': 12, 'validation-billiard': 30, 'boats-250': 60, 'boats-500': 50, 'boats-1000': 40, 'boats-10000': 3, robot: 300, 'wrecking-ball': 130 }

// What happens there is small in the picture of the scene's own camera.
const NEAR = new Set(['beside', 'bullet', 'meeting', 'roll', 'slide', 'throw', 'links'].map((name) => `validation-${name}`).concat('torture-bullet', 'torture-headon', 'validation-billiard'))

function run(command, ...parameters) {
	const { status, error, stderr } = spawnSync(command, parameters, { encoding: 'utf8' })
	if (error || status !== 0) throw new Error(`${command} ${parameters.join(' ')}: ${error?.message ?? stderr}`)
}

// Names as `cairn scenes` has them: those of a folder begin with its name.
const bundled = readdirSync(join(root, 'scenes'), { withFileTypes: true })
	.flatMap((entry) =>
		entry.isDirectory() ? readdirSync(join(root, 'scenes', entry.name)).map((name) => `${entry.name}-${name}`) : [entry.name],
	)
	.filter((name) => name.endsWith('.json') && name !== 'scene.schema.json' && name !== 'starter.json')
	.map((name) => name.replace(/\.json$/, ''))
const sceneOf = (name) => JSON.parse(readFileSync(join(root, 'scenes', `${name.replace(/^(validation|torture)-/, '$1/')}.json`), 'utf8'))
const named = process.argv.slice(2)
const wanted = named.length ? named : bundled.filter((name) => !existsSync(join(out, `${name}.webp`)))
const folder = mkdtempSync(join(tmpdir(), 'cairn-gallery-'))
let failed = 0
mkdirSync(out, { recursive: true })
for (const name of wanted) {
	const [recording, picture] = [join(folder, 'a.cairn'), join(folder, 'a.png')]
	try {
		const frames = Math.min(FRAMES, sceneOf(name).world?.frames ?? FRAMES)
		run(cairn, 'run', name, '--frames', String(FEWER[name] ?? frames), '-q', '--force', '-o', recording)
		const camera = NEAR.has(name) ? ['--camera', 'fit'] : []
		run(cairn, 'render', recording, '-q', '--midway', ...camera, '--size', SIZE.map((n) => 2 * n).join('x'), '-o', picture)
		run('ffmpeg', '-v', 'error', '-y', '-i', picture, '-vf', `scale=${SIZE.join(':')}:flags=area`, '-c:v', 'libwebp', '-quality', '74', '-compression_level', '6', join(out, `${name}.webp`))
		console.log(name)
	} catch (error) {
		failed = 1
		console.error(`gallery: ${name}: ${error.message}`)
	}
}
rmSync(folder, { recursive: true })
process.exit(failed)
