// A report in a browser: the plots come alive, show the frames' own values, zoom and are followed together; without
// scripts and on paper the drawings stand.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { at, cairn, close, open, skip } from './browser.mjs'

const show = (options) => open(at('jam-report.html'), { wait: false, ...options })
let frames

before(() => {
	if (skip) return
	const run = cairn('run', 'cubejam', '--frames', '50', '--progress', 'json', '-o', 'jam.cairn')
	assert.equal(run.code, 0, run.err)
	frames = run.err.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
	const report = cairn('report', 'jam.cairn', '--quick', '--quiet')
	assert.equal(report.code, 0, report.err)
})
after(close)

const live = () => readFileSync(at('jam-report.html'), 'utf8').includes('id="report-data"')

// What the legends say now: { name: text }.
const legend = (page, id) => page.evaluate((figure) => Object.fromEntries([...document.querySelectorAll(`#${figure} .u-series`)]
	.map((row) => [row.querySelector('.u-label').textContent, row.querySelector('.u-value')?.textContent])), id)

test('the page fits a wide screen and a phone, light and dark, without a problem', { skip }, async () => {
	for (const options of [{}, { dark: true }, { phone: true }, { phone: true, dark: true }]) {
		const page = await show(options)
		assert.deepEqual(page.problems, [])
		assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
		const [paper, ink] = await page.evaluate(() => {
			const style = getComputedStyle(document.body)
			return [style.backgroundColor, style.color].map((text) => Number(text.match(/\d+/)[0]))
		})
		assert.equal(paper < ink, Boolean(options.dark))
		await page.close()
	}
})

test('a frame that is clicked shows its values in every plot, and the arrows walk on', { skip }, async (t) => {
	if (!live()) return t.skip('this cairn was built without its web parts')
	const page = await show()
	const over = page.locator('#counts .u-over')
	await over.scrollIntoViewIfNeeded()
	const box = await over.boundingBox()
	const left = await page.evaluate(() => window.cairnReport.plots.find((u) => u.root.closest('#counts')).valToPos(30, 'x'))
	await page.mouse.click(box.x + left, box.y + box.height / 2)
	await page.mouse.move(2, 2)
	const check = async (number) => {
		const frame = frames.find((one) => one.frame === number)
		await page.waitForFunction((n) => document.querySelector('.bar').textContent.startsWith(`frame ${n},`), number)
		const counts = await legend(page, 'counts')
		assert.deepEqual([counts['close pairs'], counts.collisions, counts['contacts solved']], [frame.close_pairs, frame.collisions, frame.contacts].map(String))
		const energy = await legend(page, 'energy')
		assert.ok(Math.abs(parseFloat(energy.total) * 1e6 - frame.energy) < 0.006 * frame.energy, `${energy.total} is not ${frame.energy} J`)
		assert.equal(await page.getAttribute('.bar a', 'href'), `jam.html#frame=${number}`)
	}
	await check(30)
	await page.keyboard.press('ArrowRight')
	await check(31)
	await page.keyboard.press('Escape')
	assert.equal(await page.isVisible('.bar'), false)
	await page.close()
})

test('dragging zooms all plots to the same frames, and back', { skip }, async (t) => {
	if (!live()) return t.skip('this cairn was built without its web parts')
	const page = await show()
	const ranges = () => page.evaluate(() => window.cairnReport.plots.map((u) => [u.scales.x.min, u.scales.x.max]))
	const over = page.locator('#time .u-over')
	await over.scrollIntoViewIfNeeded()
	const box = await over.boundingBox()
	await page.mouse.move(box.x + box.width * 0.25, box.y + 50)
	await page.mouse.down()
	await page.mouse.move(box.x + box.width * 0.75, box.y + 50, { steps: 4 })
	await page.mouse.up()
	await page.waitForSelector('.bar button:visible')
	const zoomed = await ranges()
	assert.ok(zoomed.length >= 5)
	for (const [min, max] of zoomed) {
		assert.ok(Math.abs(min - (1 + 49 * 0.25)) < 1 && Math.abs(max - (1 + 49 * 0.75)) < 1, `${min} to ${max}`)
		assert.deepEqual([min, max], zoomed[0])
	}
	await page.click('.bar button')
	await page.waitForFunction(() => window.cairnReport.plots.every((u) => u.scales.x.min === 1 && u.scales.x.max === 50))
	await page.close()
})

test('what the script draws is what the drawing shows', { skip }, async (t) => {
	if (!live()) return t.skip('this cairn was built without its web parts')
	const page = await show()
	const data = await page.evaluate(() => Object.fromEntries(window.cairnReport.figures.map((figure) => [figure.id, figure.series])))
	assert.deepEqual(data.counts.map((series) => series.name), ['close pairs', 'collisions', 'contacts solved'])
	assert.deepEqual(data.counts.map((series) => series.y), ['close_pairs', 'collisions', 'contacts'].map((key) => frames.map((frame) => frame[key])))
	data.gap[0].y.forEach((gap, i) => assert.ok(gap === null ? frames[i].min_gap === null : Math.abs(gap / frames[i].min_gap - 1) < 1e-4))
	assert.equal(await page.isVisible('#counts .uplot'), true)
	assert.equal(await page.isVisible('#counts svg'), false)
	// on paper the drawing takes its place
	await page.emulateMedia({ media: 'print' })
	assert.equal(await page.isVisible('#counts .uplot'), false)
	assert.equal(await page.isVisible('#counts svg'), true)
	assert.equal(await page.isVisible('#counts .legend'), true)
	await page.close()
})
