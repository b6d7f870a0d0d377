// How long the bundled scenes take: writes the table "How long it takes" of docs/scenes.md.
//
//   CAIRN=build/cairn node tools/times.mjs
//
// Processor time of one thread, which a busy machine changes little. Crowds are run for their first frames.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const cairn = resolve(process.env.CAIRN ?? join(root, 'build', 'cairn'))
const page = join(root, 'docs', 'scenes.md')
// scenes, with the frames that are run where these are not all
const SCENES = { column: 0, stack: 0, wall: 0, car: 0, wheel: 0, lift: 0, gears: 0, humanoid: 0, gymnast: 0, pendulum: 0, 'office-toy': 0,
	'hanging-chain': 0, toybox: 0, mugs: 0, cups: 0, jacks: 200, cubejam: 200, terrain: 200, robot: 120, 'wrecking-ball': 120,
	sphereglass: 60, cubeglass: 60, 'scaling-10000': 30 }
const [BEGIN, END] = ['<!-- times: begin -->', '<!-- times: end -->']

const folder = mkdtempSync(join(tmpdir(), 'cairn-times-'))
const rows = Object.entries(SCENES).map(([scene, some]) => {
	const frames = some ? `--frames ${some}` : ''
	const script = `TIMEFORMAT='%U %S'; time "$0" run ${scene} ${frames} --threads 1 --json -q --force -o ${scene}.cairn`
	const { status, stdout, stderr } = spawnSync('bash', ['-c', script, cairn], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })
	if (status !== 0) throw new Error(`${scene}: ${stderr}`)
	const seconds = stderr.trim().split('\n').at(-1).split(' ').reduce((sum, text) => sum + Number(text), 0)
	const run = JSON.parse(stdout)
	console.log(`${scene}: ${run.frames} frames, ${seconds.toFixed(2)} s`)
	const exact = (x) => (x >= 100 ? x.toFixed(0) : x.toPrecision(2).replace(/e.*/, ''))
	return `| \`${scene}\` | ${run.bodies} | ${run.frames}${some ? ', the first' : ''} | ${exact(seconds)} | ${exact((1000 * seconds) / run.frames)} |`
})
rmSync(folder, { recursive: true })
const text = readFileSync(page, 'utf8')
const [before, after] = [text.split(BEGIN)[0], text.split(END)[1]]
const table = ['| scene | bodies | frames | seconds | ms a frame |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
writeFileSync(page, `${before}${BEGIN}\n${table}\n${END}${after}`)
