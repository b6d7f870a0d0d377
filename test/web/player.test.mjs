// The player in a real browser: what the page shows is what the recording says, and everything on it works.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { forge, ropes } from '../cli/tool.mjs'
import { at, becomes, cairn, close, folder, open, pixels, skip } from './browser.mjs'
import { angle, largest, readRows, turned } from './csv.mjs'

const TURN_ERROR = 1e-4 // rad: what docs/view.md promises

// Three balls that a picture tells apart, and one that spins fast enough for keys inside its frames.
const BALLS = {
	version: 1,
	world: { gravity: [0, 0, -10], fps: 30, frames: 20, method: 'free' },
	shapes: { ball: { sphere: 0.5 }, brick: { box: [0.4, 0.8, 0.2] } },
	bodies: [
		{ name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1], offset: 0 } } },
		{ name: 'red', shape: 'ball', position: [-2, 0, 3], color: '#ff0000' },
		{ name: 'green', shape: 'ball', position: [0, 0, 4], color: '#00ff00' },
		{ name: 'blue', shape: 'ball', position: [2, 0, 5], color: '#0000ff' },
		{ name: 'whirl', shape: 'brick', position: [0, 3, 6], spin: [90, 40, 120], color: '#ffffff' },
	],
	camera: { position: [0, -12, 4], target: [0, 0, 3], fov: 0.8 },
}

const must = (result) => {
	assert.equal(result.code, 0, result.err)
	return result
}

before(() => {
	if (skip) return
	writeFileSync(at('balls.json'), JSON.stringify(BALLS))
	must(cairn('run', './balls.json', '-q'))
	must(cairn('export', 'balls.cairn', '-o', 'balls.csv', '-q'))
	must(cairn('view', 'balls.cairn', '--no-open', '-q'))
	must(cairn('run', 'stack', '--frames', '90', '-q'))
	must(cairn('export', 'stack.cairn', '-o', 'stack.csv', '-q'))
	must(cairn('view', 'stack.cairn', '--contacts', '--no-open', '-q'))
})
after(close)

test('a frame that was measured tells what was found', { skip }, async () => {
	must(cairn('run', 'stack', '--method', 'penalty', '--frames', '30', '-q', '-o', 'sinks.cairn'))
	must(cairn('view', 'sinks.cairn', '--no-open', '-q'))
	const { certificate } = JSON.parse(must(cairn('run', 'stack', '--method', 'penalty', '--frames', '30', '--json', '-q', '-o', 'again.cairn')).out)
	const page = await open(at('sinks.html'), { hash: `#frame=${certificate.depth_frame}` })
	const { sums, here, bodies, text } = await page.evaluate(() => {
		const { source } = window.cairn.player
		const sums = { overlaps: 0, passages: 0, depth: 0 }
		for (let number = 1; number <= 30; ++number) {
			const { overlaps, passages, depth } = source.get(number).stats.measured
			sums.overlaps += overlaps
			sums.passages += passages
			sums.depth = Math.max(sums.depth, depth)
		}
		const names = source.scene.bodies.map((body) => body.name)
		return { sums, here: source.get(window.cairn.frame).stats.measured, bodies: names, text: document.querySelector('#stats').textContent }
	})
	assert.deepEqual([sums.overlaps, sums.passages], [certificate.overlaps, certificate.passages])
	assert.ok(Math.abs(sums.depth / certificate.depth - 1) < 1e-6, `${sums.depth} and ${certificate.depth}`)
	assert.equal(here.depth, sums.depth)
	assert.deepEqual(
		here.pair.map((track) => bodies[track]),
		certificate.depth_pair,
	)
	assert.ok(text.includes(`measured: `) && text.includes(`${certificate.depth_pair.join(' in ')}; ${here.overlaps} overlap`), text)
	await page.close()
})

test("positions on the page are the recording's, within the tolerance it states", { skip }, async () => {
	const page = await open(at('stack.html'), { hash: '#frame=40' })
	assert.equal(await page.evaluate(() => window.cairn.frame), 40)
	const tolerance = await page.evaluate(() => window.cairn.player.source.tolerance)
	assert.ok(tolerance > 0 && tolerance <= 0.5e-4, `a unit cube is ten thousand steps or more: ${tolerance}`)
	const rows = readRows(at('stack.csv'))
	for (const frame of [0, 1, 31, 32, 40, 90, 3]) {
		// a frame of several steps has keys inside it; the last of each body is where the frame ends
		const here = [...new Map(rows.filter((row) => row.frame === frame).map((row) => [row.body, row])).values()]
		const shown = await page.evaluate((frame) => {
			window.cairn.seek(frame)
			return window.cairn.player.source.scene.bodies.map((_, track) => ({
				...window.cairn.body(track),
				drawn: window.cairn.drawn(track),
			}))
		}, frame)
		assert.equal(here.length, 15)
		for (const row of here) {
			const body = shown[row.body]
			assert.ok(largest(body.position, row.position) <= tolerance * (1 + 1e-9), `frame ${frame}, body ${row.body}`)
			assert.ok(largest(body.drawn.position, row.position) <= tolerance * (1 + 1e-9))
			assert.ok(angle(body.orientation, row.orientation) <= TURN_ERROR)
			assert.ok(largest(body.velocity, row.velocity) <= tolerance * 30 * (1 + 1e-9))
		}
	}
	assert.deepEqual(page.problems, [])
	await page.close()
})

test('between frames bodies go from key to key, straight and about one axis', { skip }, async () => {
	const page = await open(at('balls.html'))
	const { tolerance } = await page.evaluate(() => ({ tolerance: window.cairn.player.source.tolerance }))
	const rows = readRows(at('balls.csv')).filter((row) => row.body === 4)
	const inner = rows.filter((row) => Math.abs(row.time * 30 - row.frame) > 1e-6)
	assert.ok(inner.length > 20, 'it spins so fast that its frames have keys inside')
	for (let i = 20; i < 40; ++i) {
		const [from, to] = [rows[i - 1], rows[i]]
		for (const part of [0.25, 0.5, 1]) {
			const time = (from.time + (to.time - from.time) * part) * 30
			const drawn = await page.evaluate((time) => {
				window.cairn.seek(time)
				return window.cairn.drawn('whirl')
			}, time)
			const position = from.position.map((value, k) => value + (to.position[k] - value) * part)
			const orientation = turned(
				to.turn.map((value) => value * part),
				from.orientation,
			)
			assert.ok(
				largest(drawn.position, position) <= 2 * tolerance,
				`key ${i}, ${part}: ${largest(drawn.position, position)}`,
			)
			// The moment of an inner key is rounded to 1/65536 of a frame, in which it turns a little further.
			assert.ok(
				angle(drawn.orientation, orientation) <= TURN_ERROR + Math.hypot(...to.turn) * 1e-4,
				`key ${i}, ${part}`,
			)
		}
	}
	await page.close()
})

test('buttons and keys', { skip }, async () => {
	const page = await open(at('stack.html'))
	const frame = () => page.evaluate(() => window.cairn.frame)
	const playing = () => page.evaluate(() => window.cairn.player.playing)
	await page.click('#last')
	await becomes(frame, 90)
	await page.click('#back')
	await becomes(frame, 89)
	await page.click('#first')
	await page.click('#forward')
	await becomes(frame, 1)
	await becomes(() => /#frame=1$/.test(page.url()), true, 'the address says the frame')
	await page.fill('#scrub', '55')
	await becomes(frame, 55)
	assert.match(await page.textContent('#clock'), /^55 \/ 90 · 1\.83 s$/)
	await page.evaluate(() => document.activeElement.blur())
	await page.keyboard.press('ArrowRight')
	await becomes(frame, 56)
	await page.keyboard.press('Shift+ArrowLeft')
	await becomes(frame, 46)
	await page.keyboard.press('End')
	await becomes(frame, 90)
	await page.keyboard.press('Home')
	await becomes(frame, 0)
	await page.keyboard.press(' ')
	await becomes(playing, true)
	assert.equal(await page.getAttribute('#play', 'aria-label'), 'pause')
	await page.keyboard.press(' ')
	await becomes(playing, false)
	await page.click('#play')
	await becomes(playing, true)
	await page.keyboard.press(' ')
	await becomes(playing, false, 'a button that was clicked does not keep the space bar')
	await page.focus('#last')
	await page.keyboard.press(' ')
	await becomes(async () => [await frame(), await playing()], [90, false], 'one that was walked to by Tab does')
	await page.evaluate(() => document.activeElement.blur())
	await page.keyboard.press('ArrowDown')
	await becomes(() => page.inputValue('#speed'), '0.5')
	await page.evaluate(() => (location.hash = '#frame=72'))
	await page.waitForFunction(() => window.cairn.frame === 72)
	await page.keyboard.press('?')
	await becomes(() => page.evaluate(() => document.querySelector('#help').open), true)
	assert.match(await page.textContent('#about'), /within \d+ µm of the recording's/)
	await page.keyboard.press('Escape')
	await becomes(() => page.evaluate(() => document.querySelector('#help').open), false)
	assert.deepEqual(page.problems, [])
	await page.close()
})

test('contacts, planes, trails, sleeping, walls, shadows', { skip }, async () => {
	const page = await open(at('stack.html'), { hash: '#frame=40' })
	const counts = () => page.evaluate(() => ({ ...window.cairn.player.overlay.counts }))
	assert.deepEqual(await counts(), { contacts: 0, planes: 0, trails: 0 })
	await page.keyboard.press('c')
	await page.click('[data-toggle=planes]')
	await page.keyboard.press('t')
	await becomes(async () => (await counts()).trails, 10)
	const shown = await counts()
	const { told, held } = await page.evaluate(() => ({
		told: window.cairn.player.source.get(40).stats.contacts,
		held: window.cairn.player.source.get(40).contacts.length,
	}))
	assert.equal(shown.contacts, held)
	assert.ok(held >= told, 'those of the step, and some that only touch')
	assert.ok(told > 10 && shown.planes > 5 && shown.planes < held && shown.trails === 10, JSON.stringify(shown))
	const sound = await page.evaluate(() => {
		const { source } = window.cairn.player
		const frame = source.get(40)
		return frame.contacts.every(
			({ a, b, point, normal, gap }) =>
				a !== b &&
				source.scene.bodies[b] &&
				Math.abs(Math.hypot(...normal) - 1) < 1e-3 &&
				gap > -1e-6 &&
				gap < 0.1 &&
				point[2] > -1 &&
				point[2] < 12,
		)
	})
	assert.ok(sound, 'contacts are between bodies, with unit normals and small gaps')
	// Also where a frame has the contacts of the one before: they lie on the first body.
	const farthest = await page.evaluate(() => {
		const { source } = window.cairn.player
		let most = 0
		for (let number = 1; number <= 90; ++number) {
			const frame = source.get(number)
			for (const { a, point } of frame.contacts)
				if (source.scene.bodies[a].type === 'dynamic')
					most = Math.max(most, Math.hypot(...frame.positionOf(a).map((value, i) => value - point[i])))
		}
		return most
	})
	assert.ok(farthest > 0.5 && farthest < Math.sqrt(0.75) + 1e-3, `half a diagonal at most: ${farthest}`)
	for (const [key, name] of [
		['s', 'sleeping'],
		['w', 'walls'],
		['x', 'shadows'],
	]) {
		const before = name === 'sleeping' ? 'false' : 'true'
		assert.equal(await page.getAttribute(`[data-toggle=${name}]`, 'aria-pressed'), before)
		await page.keyboard.press(key)
		await becomes(() => page.getAttribute(`[data-toggle=${name}]`, 'aria-pressed'), before === 'true' ? 'false' : 'true')
	}
	assert.deepEqual(
		await page.evaluate(() => [
			window.cairn.player.stage.groups.walls.visible,
			window.cairn.player.stage.sun.castShadow,
		]),
		[false, false],
	)
	await page.close()
	const without = await open(at('balls.html'))
	assert.equal(await without.isDisabled('[data-toggle=contacts]'), true)
	assert.match(await without.getAttribute('[data-toggle=contacts]', 'title'), /cairn view --contacts/)
	await without.close()
})

test('picking a body tells its name, velocity and contacts', { skip }, async () => {
	const page = await open(at('stack.html'), { hash: '#frame=40' })
	const top = await page.evaluate(() => {
		const { bodies } = window.cairn.player.source.scene
		const moving = bodies.map((_, track) => track).filter((track) => bodies[track].type === 'dynamic')
		const highest = moving.reduce((best, track) =>
			window.cairn.body(track).position[2] > window.cairn.body(best).position[2] ? track : best,
		)
		return {
			name: bodies[highest].name,
			track: highest,
			speed: Math.hypot(...window.cairn.body(highest).velocity),
			...window.cairn.drawn(highest),
		}
	})
	await page.mouse.click(top.screen.x, top.screen.y)
	await becomes(() => page.evaluate(() => window.cairn.player.picked), top.track)
	const text = await page.innerText('#body')
	assert.ok(text.startsWith(top.name), text)
	assert.match(text, /velocity\s+\S+, \S+, \S+ m\/s/)
	assert.match(text, /contacts\s+[1-9]/)
	assert.ok(text.includes('N s'), 'impulses of its neighbours')
	await page.keyboard.press('f')
	const near = () =>
		page.evaluate(() =>
			window.cairn.player.stage.controls.target
				.toArray()
				.map((value, i) => value + window.cairn.player.stage.origin[i]),
		)
	await becomes(async () => largest(await near(), top.position) < 1e-6, true, 'looks at it')
	await page.evaluate(() => document.querySelector('#view').focus())
	await page.keyboard.press('r')
	const nothing = async () => {
		await page.mouse.click(1200, 450) // again, as the key may be heard after the first
		return page.isHidden('#body')
	}
	await becomes(nothing, true, 'a click beside everything picks nothing')
	await page.close()
})

test('the picture has the bodies where they should be', { skip }, async () => {
	const page = await open(at('balls.html'))
	for (const frame of [0, 12]) {
		await page.evaluate((frame) => window.cairn.seek(frame), frame)
		const image = await pixels(page)
		assert.deepEqual([image.width, image.height], [1280, 720])
		const color = ({ x, y }) =>
			[...image.data.subarray(4 * ((image.height - 1 - Math.round(y)) * image.width + Math.round(x)))].slice(0, 4)
		for (const [channel, name] of ['red', 'green', 'blue'].entries()) {
			// above the light band about its middle, which shows how it turns
			const upper = await page.evaluate((name) => {
				const [x, y, z] = window.cairn.drawn(name).position
				return window.cairn.player.stage.project([x, y, z + 0.3])
			}, name)
			const pixel = color(upper)
			assert.equal(pixel[3], 255, `${name} hides what is behind it`)
			const others = pixel.slice(0, 3).filter((_, i) => i !== channel)
			assert.ok(
				pixel[channel] > 90 && others.every((value) => value < pixel[channel] / 2),
				`${name} at frame ${frame}: ${pixel}`,
			)
			// Where it is 1 m (two radii) to the side there is none of its colour.
			const side = await page.evaluate((name) => {
				const [x, y, z] = window.cairn.drawn(name).position
				return window.cairn.player.stage.project([x + 1, y, z])
			}, name)
			const beside = color(side)
			assert.ok(
				!(beside[channel] > 90 && beside.slice(0, 3).every((value, i) => i === channel || value < beside[channel] / 2)),
				`beside ${name}: ${beside}`,
			)
		}
		const kinds = new Set()
		for (let i = 0; i < image.data.length; i += 4 * 97) kinds.add(image.data.readUInt32LE(i))
		assert.ok(kinds.size > 40, `a picture, not a blank: ${kinds.size} colours`)
	}
	await page.close()
})

test('ropes and arms of joints hold what hangs on them, until they break', { skip }, async () => {
	const ball = (name, x) => ({ name, shape: 'ball', position: [x, 0, 3] })
	writeFileSync(
		at('hung.json'),
		JSON.stringify({
			...BALLS,
			world: { ...BALLS.world, method: 'oba' },
			bodies: [
				ball('arm', -2),
				ball('rope', 0),
				ball('torn', 2),
				{ name: 'slab', type: 'fixed', shape: { box: [10, 10, 1] }, position: [0, 0, -1] },
			],
			joints: [
				{ type: 'ball', bodies: ['arm', 'world'], point: [-2, 0, 6] },
				{ type: 'distance', bodies: ['rope', 'world'], points: [[0, 0, 3.5], [0, 0, 6]] },
				{ type: 'distance', bodies: ['torn', 'world'], points: [[2, 0, 3.5], [2, 0, 6]], breaks: { force: 1 } },
			],
		}),
	)
	must(cairn('run', './hung.json', '-q'))
	must(cairn('view', 'hung.cairn', '--no-open', '-q'))
	must(cairn('view', './hung.json', '--live', '--no-open', '-q'))
	const rods = (page) => page.evaluate(() => {
		const { rods, origin } = window.cairn.player.stage
		return Array.from({ length: rods.shown }, (_, i) => {
			const m = rods.mesh.instanceMatrix.array.subarray(16 * i, 16 * i + 16)
			return { middle: [12, 13, 14].map((k, n) => m[k] + origin[n]), length: Math.hypot(m[4], m[5], m[6]) }
		})
	})
	const page = await open(at('hung.html'), { hash: '#frame=0' })
	assert.equal(await page.evaluate(() => window.cairn.player.stage.groups.walls.children.length), 0, 'ground is no wall')
	const [arm, rope, torn] = await rods(page)
	assert.ok(largest(arm.middle, [-2, 0, 4.5]) < 1e-4 && Math.abs(arm.length - 3) < 1e-4, JSON.stringify(arm))
	assert.ok(largest(rope.middle, [0, 0, 4.75]) < 1e-4 && Math.abs(rope.length - 2.5) < 1e-4, JSON.stringify(rope))
	assert.ok(largest(torn.middle, [2, 0, 4.75]) < 1e-4, JSON.stringify(torn))
	await page.evaluate(() => window.cairn.seek(20))
	assert.equal((await rods(page)).length, 2, 'one has broken')
	await page.close()
	const live = await open(at('hung-live.html'))
	assert.equal((await rods(live)).length, 3)
	await live.evaluate(() => window.cairn.player.step(20))
	assert.equal((await rods(live)).length, 2, 'there too')
	await live.close()
	writeFileSync(at('ropes.json'), JSON.stringify(ropes()))
	forge(folder, 'ropes.json', 'ropes.cairn', 'late')
	must(cairn('view', 'ropes.cairn', '--no-open', '-q'))
	const late = await open(at('ropes.html'))
	const left = await rods(late)
	assert.equal(left.length, 1, 'two went before the recording began')
	assert.ok(largest(left[0].middle, [4, 0, 4.7]) < 1e-3, JSON.stringify(left))
	await late.close()
})

test('light and dark, and a phone', { skip }, async () => {
	const brightness = (image) => {
		let sum = 0
		for (let i = 0; i < image.length; i += 4) sum += image[i]
		return sum / (image.length / 4)
	}
	const shade = async (page) => page.evaluate(() => getComputedStyle(document.body).color)
	const light = await open(at('balls.html'))
	const dark = await open(at('balls.html'), { dark: true })
	assert.notEqual(await shade(light), await shade(dark))
	const [bright, dim] = [brightness((await pixels(light)).data), brightness((await pixels(dark)).data)]
	assert.ok(bright > dim, `${bright} > ${dim}`)
	await dark.keyboard.press('d')
	await becomes(() => shade(dark), await shade(light))
	await light.close()
	await dark.close()

	const phone = await open(at('stack.html'), { phone: true })
	assert.equal(await phone.isVisible('[data-toggle=trails]'), false)
	await phone.click('#menu')
	assert.equal(await phone.isVisible('[data-toggle=trails]'), true)
	await phone.click('#menu')
	await phone.click('#forward')
	await becomes(() => phone.evaluate(() => window.cairn.frame), 1)
	for (const selector of ['#menu', '#play', '#back', '#scrub', '#speed', '#head']) {
		const box = await phone.locator(selector).boundingBox()
		assert.ok(
			box.x >= 0 && box.y >= 0 && box.x + box.width <= 390 && box.y + box.height <= 780,
			`${selector} is on the screen`,
		)
	}
	const play = await phone.locator('#play').boundingBox()
	assert.ok(play.width >= 40 && play.height >= 40, 'large enough for a finger')
	// The whole stack is in the picture although the screen is upright.
	const places = await phone.evaluate(() => [5, 9, 14].map((track) => window.cairn.drawn(track).screen))
	assert.ok(places.every(({ x, y }) => x > 0 && x < 390 && y > 0 && y < 780))
	await phone.close()
})

test('data beside the page, and pages that lack it', { skip }, async () => {
	must(cairn('view', 'stack.cairn', '--beside', '-o', 'two files.html', '--no-open', '-q'))
	const page = await open(at('two files.html'), { hash: '#frame=7' })
	assert.equal(await page.evaluate(() => window.cairn.frame), 7)
	assert.deepEqual(page.problems, [])
	await page.close()
	writeFileSync(at('alone.html'), readFileSync(at('two files.html')))
	writeFileSync(at('two files.data.js'), '')
	const empty = await open(at('alone.html'), { wait: false })
	await empty.waitForSelector('#message:not([hidden])')
	assert.match(await empty.textContent('#message'), /needs two files\.data\.js beside it/)
	await empty.close()
	// A page whose data was cut says so instead of showing something else.
	const whole = readFileSync(at('balls.html'), 'utf8')
	const cut = whole.replace(
		/(data-cairn="data">)([A-Za-z0-9+/]+)=*/,
		(_, head, data) => head + data.slice(0, Math.floor(data.length / 8) * 4),
	)
	assert.notEqual(cut.length, whole.length)
	writeFileSync(at('cut.html'), cut)
	const broken = await open(at('cut.html'), { wait: false })
	await broken.waitForSelector('#message:not([hidden])')
	assert.match(await broken.textContent('#message'), /cut short/)
	await broken.close()
})

test('a browser without WebGL says so', { skip }, async () => {
	const page = await open(at('balls.html'), {
		wait: false,
		before: () => (HTMLCanvasElement.prototype.getContext = () => null),
	})
	await page.waitForSelector('#message:not([hidden])')
	assert.match(await page.textContent('#message'), /needs a browser with WebGL 2/)
	await page.close()
})

test('names and descriptions are text, and the policy lets no other script in', { skip }, async () => {
	const evil = '</script><img src=x onerror="window.hit=1"><script>window.hit=2</script>'
	writeFileSync(at('evil.json'), JSON.stringify({ ...BALLS, description: evil, bodies: BALLS.bodies.map((body, i) => ({ ...body, name: `${evil}${i}` })) }))
	must(cairn('run', './evil.json', '-q'))
	must(cairn('view', 'evil.cairn', '--no-open', '-q'))
	must(cairn('report', 'evil.cairn', '--quick', '-q', '-o', 'evil-report.html'))
	for (const [file, wait] of [['evil.html', true], ['evil-report.html', false]]) {
		const page = await open(at(file), { wait })
		assert.equal(await page.evaluate(() => window.hit), undefined)
		assert.deepEqual(page.problems, [])
		const text = await page.evaluate(() => document.body.innerText)
		if (file === 'evil.html') assert.ok(text.includes('<img src=x'), text.slice(0, 400))
		const policy = await page.evaluate(() => document.querySelector('meta[http-equiv]').content)
		assert.match(policy, /^default-src 'none';.*script-src 'sha256-/)
		assert.doesNotMatch(policy, /script-src[^;]*'unsafe-inline'/)
		// And if one got in, it would not run.
		const hit = await page.evaluate(() => {
			const script = document.createElement('script')
			script.textContent = 'window.hit = 3'
			document.body.append(script)
			return window.hit
		})
		assert.equal(hit, undefined)
		await page.close()
	}
})

test('it plays at once, unless the address asks for a frame or the reader for less motion', { skip }, async () => {
	for (const phone of [false, true]) {
		const page = await open(at('stack.html'), { plays: true, phone })
		assert.equal(await page.evaluate(() => window.cairn.player.playing || window.cairn.frame > 0), true)
		await page.waitForFunction(() => window.cairn.frame > 3, null, { timeout: 60000 })
		assert.deepEqual(page.problems, [])
		await page.close()
	}
	for (const how of [{ plays: true, hash: '#frame=7' }, {}]) {
		const page = await open(at('stack.html'), how)
		assert.equal(await page.evaluate(() => window.cairn.player.playing), false)
		assert.equal(await page.evaluate(() => window.cairn.frame), how.hash ? 7 : 0)
		await page.close()
	}
})

test('marks on the time line: blows and events, at their frames; a press goes there', { skip }, async () => {
	const bounce = {
		...BALLS,
		world: { gravity: [0, 0, -10], fps: 30, frames: 60 },
		materials: { rubber: { restitution: 0.9 } },
		bodies: [
			{ name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1], offset: 0 } }, material: 'rubber' },
			{ name: 'red', shape: 'ball', position: [0, 0, 1.75], material: 'rubber' }, // it falls for half a second
		],
		events: [{ frame: 40, blast: { point: [0, 0, 0.1], speed: 5 } }],
	}
	writeFileSync(at('bounce.json'), JSON.stringify(bounce))
	must(cairn('run', './bounce.json', '-q', '--force'))
	must(cairn('view', 'bounce.cairn', '--no-open', '-q'))
	const page = await open(at('bounce.html'))
	const marks = await page.evaluate(() => window.cairn.player.marks.marks.map(({ frame, kind }) => ({ frame, kind })))
	assert.ok(marks.some(({ frame, kind }) => kind === 'blast' && frame === 40))
	assert.ok(marks.some(({ frame, kind }) => kind === 'blow' && Math.abs(frame - 15.5) <= 1), JSON.stringify(marks))
	const title = await page.getAttribute('#marks .blow', 'title')
	assert.match(title, /^0\.5\d s: a blow on red: [0-9e+]+ N s, its velocity changes by 9\.\d m\/s$/)
	await page.click('#marks .event')
	await becomes(() => page.evaluate(() => window.cairn.frame), 40)
	assert.deepEqual(page.problems, [])
	await page.close()
	const calm = await open(at('balls.html')) // they fly, and nothing hits anything
	assert.equal(await calm.evaluate(() => window.cairn.player.marks.marks.length), 0)
	await calm.close()
})

test('two recordings side by side, in step and from the same place', { skip }, async () => {
	must(cairn('run', 'stack', '--frames', '60', '--set', 'fps=60', '-q', '--force', '-o', 'finer.cairn'))
	const made = must(cairn('view', 'stack.cairn', 'finer.cairn', '--no-open'))
	assert.match(made.out, /^stack-finer\.html: /)
	for (const phone of [false, true]) {
		const page = await open(at('stack-finer.html'), { phone, hash: '#frame=15' })
		const now = await page.evaluate(() => ({
			frames: [window.cairn.frame, window.cairn.player.side.frameAt(window.cairn.player.time / 30)],
			labels: [...document.querySelectorAll('#sides div')].map((label) => label.textContent),
			boxes: ['#view', '#view2'].map((name) => {
				const { left, top, width, height } = document.querySelector(name).getBoundingClientRect()
				return { left, top, width, height }
			}),
		}))
		assert.deepEqual(now.frames, [15, 30], 'half a second in both')
		assert.match(now.labels[0], /^stack: oba · frame 15 of 90/)
		assert.match(now.labels[1], /^finer: oba · frame 30 of 60/)
		if (phone) assert.ok(now.boxes[1].top >= now.boxes[0].height - 1 && now.boxes[0].width === 390)
		else assert.ok(now.boxes[1].left >= now.boxes[0].width - 1 && now.boxes[0].height === 720)
		// One view: turned in one picture, the other follows.
		await page.evaluate(() => {
			const { stage } = window.cairn.player
			stage.camera.position.x += 3
			stage.controls.update()
		})
		await becomes(
			() =>
				page.evaluate(() => {
					const { stage, side } = window.cairn.player
					const [a, b] = [stage, side.stage].map((one) => one.toScene(one.camera.position))
					return Math.hypot(...a.map((value, i) => value - b[i])) < 1e-6
				}),
			true,
		)
		await page.keyboard.press('End')
		await becomes(() => page.evaluate(() => window.cairn.frame), 90)
		assert.match(await page.textContent('#sides'), /frame 60 of 60/, 'what has ended stays at its end')
		assert.deepEqual(page.problems, [])
		await page.close()
	}
	const wrong = cairn('view', 'stack.cairn', 'stack', '--no-open')
	assert.equal(wrong.code, 2)
	assert.match(wrong.err, /'stack' is a scene; cairn run stack makes one/)
})

test('a camera that follows, and one with keys; a hand takes it, r gives it back', { skip }, async () => {
	const moving = (camera) => ({ ...BALLS, camera })
	writeFileSync(
		at('follow.json'),
		JSON.stringify(moving({ position: [0, -12, 4], target: [0, 0, 3], follow: 'green' })),
	)
	writeFileSync(
		at('keys.json'),
		JSON.stringify(
			moving({
				keys: [
					{ time: 0, position: [0, -12, 4], target: [0, 0, 3] },
					{ time: 0.5, position: [6, -12, 4], fov: 0.9 },
				],
			}),
		),
	)
	const eye = (page) =>
		page.evaluate(() => window.cairn.player.stage.toScene(window.cairn.player.stage.camera.position))
	for (const name of ['follow', 'keys']) {
		must(cairn('run', `./${name}.json`, '-q', '--force'))
		must(cairn('view', `${name}.cairn`, '--no-open', '-q'))
	}
	const follow = await open(at('follow.html'), { hash: '#frame=15' })
	const fallen = await follow.evaluate(() => window.cairn.body('green').position[2] - 4)
	assert.ok(fallen < -1 && Math.abs((await eye(follow))[2] - 4 - fallen) < 1e-3)
	await follow.mouse.move(640, 300)
	await follow.mouse.down()
	await follow.mouse.move(700, 300)
	await follow.mouse.up()
	const turned = await eye(follow)
	await follow.evaluate(() => window.cairn.seek(18))
	assert.ok(largest(await eye(follow), turned) < 1e-6, 'it stays where the hand put it')
	await follow.keyboard.press('r')
	await becomes(async () => Math.abs((await eye(follow))[0]) < 1e-3, true)
	const keys = await open(at('keys.html'), { hash: '#frame=15' })
	assert.ok(largest(await eye(keys), [6, -12, 4]) < 1e-3)
	await keys.evaluate(() => window.cairn.seek(7.5))
	assert.ok(largest(await eye(keys), [3, -12, 4]) < 1e-3, 'half way in the middle of two keys')
	await keys.close()
	await follow.close()
})
