// The picture of docs/export.md: six scenes as `cairn render`, Blender and the player's page show them, from left to right.
//
//   CAIRN=build/cairn node tools/same.mjs [FOLDER]
//
// Needs what pictures need (docs/render.md), Blender with numpy, ffmpeg, and the browser of test/web (`npm ci` there). What is made on the
// way stays in FOLDER if one is named.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const cairn = resolve(process.env.CAIRN ?? join(root, 'build', 'cairn'))
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium'
const { chromium: browser } = await import(pathToFileURL(join(root, 'test/web/node_modules/playwright-core/index.mjs')))
const [WIDTH, HEIGHT] = [400, 225]
const SCENES = { wall: 318, robot: 40, 'office-toy': 45, cubejam: 90, car: 80, toybox: 130 }
const folder = process.argv[2] ? resolve(process.argv[2]) : mkdtempSync(join(tmpdir(), 'cairn-same-'))
mkdirSync(folder, { recursive: true })

function run(command, ...parameters) {
	const { status, error, stdout, stderr } = spawnSync(command, parameters, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })
	if (error || status !== 0) throw new Error(`${command} ${parameters.join(' ')}: ${error?.message ?? stdout + stderr}`)
}

// As docs/export.md says: the frame rate first, some light of the sky, colours as they are.
writeFileSync(
	join(folder, 'draw.py'),
	`import sys
import bpy
import numpy
if "bool" not in vars(numpy):
    numpy.bool = bool
glb, frame, picture = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 30
bpy.ops.import_scene.gltf(filepath=glb)
scene.camera = next(o for o in bpy.data.objects if o.type == "CAMERA")
scene.world = bpy.data.worlds.new("sky")
scene.world.use_nodes = True
background = scene.world.node_tree.nodes["Background"].inputs
background["Color"].default_value = (0.55, 0.65, 0.75, 1)
background["Strength"].default_value = 0.6
scene.view_settings.view_transform = "Standard"
scene.render.engine = "CYCLES"
scene.cycles.samples = 24
scene.cycles.use_denoising = False
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = ${WIDTH}, ${HEIGHT}, 100
scene.frame_set(int(frame))
scene.render.filepath = picture
bpy.ops.render.render(write_still=True)
`,
)

const context = await browser.launchPersistentContext(join(folder, 'profile'), {
	executablePath: chromium,
	headless: true,
	args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
})
// Nothing of the page but its picture.
async function drawPage(name, frame) {
	const page = await context.newPage()
	await page.setViewportSize({ width: WIDTH, height: HEIGHT })
	await page.emulateMedia({ reducedMotion: 'reduce' })
	await page.goto(`${pathToFileURL(join(folder, `${name}.html`)).href}#frame=${frame}`)
	await page.evaluate(() => window.cairn.ready)
	await page.evaluate(() => {
		const picture = document.querySelector('#view')
		for (const part of document.body.querySelectorAll('*')) if (!part.contains(picture)) part.style.visibility = 'hidden'
	})
	await page.waitForTimeout(1000)
	await page.screenshot({ path: join(folder, `${name}-page.png`) })
	await page.close()
}

for (const [name, frame] of Object.entries(SCENES)) {
	run(cairn, 'run', name, '-q', '--force', '--frames', String(frame), '-o', `${name}.cairn`)
	run(cairn, 'render', `${name}.cairn`, '-o', `${name}-render.png`, '--frame', String(frame), '--size', `${WIDTH}x${HEIGHT}`)
	run(cairn, 'export', `${name}.cairn`, '-o', `${name}.glb`)
	run(cairn, 'view', `${name}.cairn`, '--no-open')
	run('blender', '--background', '--factory-startup', '--python-exit-code', '3', '--python', join(folder, 'draw.py'), '--', join(folder, `${name}.glb`), String(frame),
		join(folder, `${name}-blender.png`))
	await drawPage(name, frame)
	console.log(name)
}
await context.close()
const files = Object.keys(SCENES).flatMap((name) => ['render', 'blender', 'page'].map((kind) => `${name}-${kind}.png`))
const layout = files.map((_, i) => `${(i % 3) * WIDTH}_${Math.floor(i / 3) * HEIGHT}`).join('|')
run('ffmpeg', '-v', 'error', '-y', ...files.flatMap((file) => ['-i', file]), '-filter_complex',
	`xstack=inputs=${files.length}:layout=${layout},scale=900:-1:flags=area,split[a][b];[a]palettegen[p];[b][p]paletteuse`,
	join(root, 'docs', 'images', 'same.png'))
if (!process.argv[2]) rmSync(folder, { recursive: true })
