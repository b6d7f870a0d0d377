// Builds the pages: node web/build.mjs [--out DIR] [--build DIR]
//
//   player.html   the player; the tool puts data into it (cli/view_page.c)
//   live.html     the player with the engine and the bundled scenes in it
//   engine.wasm.gz   the engine alone: the tool makes live pages of it
//   gallery.bin   pictures of the bundled scenes, for live pages
//   report.js     the report's script (with its style), where there is one
//
// Files are touched only when their bytes change, so that what is built from them is not built again for nothing.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const web = dirname(fileURLToPath(import.meta.url))
const root = dirname(web)
const { values: given } = parseArgs({ options: { out: { type: 'string' }, build: { type: 'string' } } })
const out = resolve(given.out ?? join(web, 'dist'))
const tree = resolve(given.build ?? join(root, 'build', 'web'))

const FIRST = 'office-toy.json' // what the live page begins with: it moves at once and costs little

// cmake is silent unless it fails.
function run(command, ...parameters) {
	try {
		execFileSync(command, parameters, { stdio: 'pipe' })
	} catch (error) {
		process.stderr.write(error.stdout ?? '')
		process.stderr.write(error.stderr ?? '')
		console.error(`web: failed: ${command} ${parameters.join(' ')}`)
		process.exit(1)
	}
}

// The engine with these compiler flags, packed: { name, data }.
function buildEngine(name, flags) {
	const toolchain = join(root, 'cmake', 'wasi.cmake')
	const at = join(tree, name)
	if (!existsSync(join(at, 'build.ninja')))
		run(
			...['cmake', '-S', root, '-B', at, '-G', 'Ninja', `-DCMAKE_TOOLCHAIN_FILE=${toolchain}`],
			...['-DCAIRN_EXAMPLES=OFF', `-DCMAKE_C_FLAGS=${flags}`],
		)
	run('cmake', '--build', at, '--target', 'cairn_live', ...(process.env.JOBS ? ['-j', process.env.JOBS] : []))
	return { name, data: gzipSync(readFileSync(join(at, 'cairn_live.wasm')), { level: 9 }) }
}

async function bundle(entry, options = {}) {
	const result = await build({
		entryPoints: [join(web, 'src', entry)],
		bundle: true,
		minify: true,
		write: false,
		outdir: out,
		target: ['es2022'],
		format: 'iife',
		charset: 'utf8',
		legalComments: 'inline',
		logLevel: 'warning',
		...options,
	})
	const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending))?.text ?? ''
	return { js: text('.js'), css: text('.css') }
}

function place(name, bytes) {
	const path = join(out, name)
	const data = Buffer.from(bytes)
	if (existsSync(path) && readFileSync(path).equals(data)) return
	writeFileSync(path, data)
	console.error(`web: ${relative(process.cwd(), path)}, ${(data.length / 1024).toFixed(0)} kB`)
}

// In a script element nothing may look like its end.
const inline = (js) => js.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')

// As cli/view_live.c does it: the size of the JSON, which lists the files, the JSON, the files one after the other.
function packFiles(files, more = {}) {
	const list = files.map((file) => ({ name: file.name, size: file.data.length }))
	const text = Buffer.from(JSON.stringify({ ...more, files: list }))
	const size = Buffer.alloc(4)
	size.writeUInt32LE(text.length)
	return Buffer.concat([size, text, ...files.map((file) => file.data)])
}

// Pictures of the scenes, which tools/gallery.mjs makes.
function packGallery() {
	const folder = join(web, 'gallery')
	const names = readdirSync(folder).filter((name) => name.endsWith('.webp'))
	return packFiles(names.sort().map((name) => ({ name, data: readFileSync(join(folder, name)) })))
}

function packScenes() {
	const folder = join(root, 'scenes')
	const names = readdirSync(folder, { withFileTypes: true })
		.flatMap((entry) =>
			entry.isDirectory() ? readdirSync(join(folder, entry.name)).map((name) => `${entry.name}/${name}`) : [entry.name],
		)
		.filter((name) => !name.endsWith('.schema.json'))
		.sort()
	const files = names.map((name) => ({ name, data: readFileSync(join(folder, name)) }))
	return packFiles(files, { scene: FIRST, set: [] })
}

mkdirSync(out, { recursive: true })
// With -msimd128 cubejam comes to other bits at frame 60: no page gets such an engine until the cause is found.
const engines = [buildEngine('engine', '')]
const worker = await bundle('worker.js')
const page = await bundle('player.js', {
	loader: { '.css': 'css' },
	define: { WORKER_SOURCE: JSON.stringify(worker.js) },
})
// The page's policy lets its own script and style in by their hashes and nothing else; 'self' is the file with the data
// beside a page (cli/view_page.c). A name in a recording can therefore never become a script.
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const script = inline(page.js)
const filled = readFileSync(join(web, 'src', 'page.html'), 'utf8')
	.replace('/*cairn:style*/', () => page.css)
	.replace('/*cairn:script*/', () => script)
const scripts = [...filled.matchAll(/<script>([^]*?)<\/script>/g)].map((found) => hash(found[1]))
const html = filled
	.replace('/*cairn:script-hash*/', () => scripts.join(' '))
	.replace('/*cairn:style-hash*/', () => hash(page.css))
const part = (name, bytes) =>
	`<script type="text/plain" data-cairn="${name}">${Buffer.from(bytes).toString('base64')}</script>\n`
place('player.html', html)
for (const { name, data } of engines) place(`${name}.wasm.gz`, data)
place('gallery.bin', packGallery())
const parts = [...engines, { name: 'scenes', data: packScenes() }, { name: 'gallery', data: packGallery() }]
place(
	'live.html',
	html.replace('<!--cairn:parts-->', () => parts.map(({ name, data }) => part(name, data)).join('')),
)

if (existsSync(join(web, 'src', 'report.js'))) {
	const report = await bundle('report.js')
	place('report.js', inline(report.js))
	if (report.css) place('report.css', report.css)
}
