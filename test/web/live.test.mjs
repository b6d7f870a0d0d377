// The live page in a real browser: the engine in it comes to the same bits as the native one.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { at, becomes, cairn, close, open, skip } from './browser.mjs'

const LIVE = join(process.env.CAIRN_WEB, 'live.html')

const EVENTS = {
	version: 1,
	world: { gravity: [0, 0, -10], fps: 30, frames: 60 },
	materials: { wood: { density: 800, restitution: 0.3, friction: 0.3 } },
	shapes: { cube: { box: [1, 1, 1] } },
	bodies: [
		{ name: 'floor', type: 'fixed', shape: { halfspace: { normal: [0, 0, 1], offset: 0 } }, material: 'wood' },
		{ name: 'a', shape: 'cube', material: 'wood', position: [0, 0, 0.6] },
		{ name: 'b', shape: 'cube', material: 'wood', position: [0.2, 0, 1.8] },
		{ name: 'c', shape: { sphere: 0.5 }, material: 'wood', position: [2, 0.5, 2] },
	],
	events: [
		{ frame: 15, impulse: { body: 'b', impulse: [900, 0, 400] } },
		{ frame: 30, blast: { point: [0, 0.5, 0.2], speed: 6 } },
	],
}

function native(...parameters) {
	const result = cairn('run', ...parameters, '--json', '-q', '--force')
	assert.equal(result.code, 0, result.err)
	return JSON.parse(result.out)
}
const shown = (page) =>
	page.evaluate(() => ({
		state: document.querySelector('#live-state').textContent,
		run: document.querySelector('#live-run').textContent,
		frame: window.cairn.frame,
	}))

async function download(page, selector, name) {
	const [file] = await Promise.all([page.waitForEvent('download'), page.click(selector)])
	await file.saveAs(at(name))
	return file.suggestedFilename()
}

after(close)

test('a hundred frames of a bundled scene: the hash of the native run', { skip }, async () => {
	const { hash } = native('stack', '--frames', '100', '-o', 'stack.cairn')
	const page = await open(LIVE, { hash: '#scene=stack&run=100' })
	const now = await shown(page)
	assert.equal(now.frame, 100)
	assert.equal(now.run, hash)
	assert.match(now.state, /^[0-9a-f]{16}$/)
	assert.match(await page.textContent('#live-step'), /^[0-9.]+ ms$/)
	assert.deepEqual(page.problems, [])
	await page.close()
})

test('from a file server as from a folder', { skip }, async () => {
	const server = createServer((request, answer) =>
		answer.writeHead(200, { 'content-type': 'text/html' }).end(readFileSync(LIVE)),
	).listen(0, '127.0.0.1')
	await once(server, 'listening')
	const page = await open(`http://127.0.0.1:${server.address().port}/live.html`, { hash: '#scene=column&run=3' })
	assert.equal((await shown(page)).run, native('column', '--frames', '3', '-o', 'column.cairn').hash)
	assert.deepEqual(page.problems, [])
	await page.close()
	server.close()
})

test('the live page of the tool: a scene file with events', { skip }, async () => {
	writeFileSync(at('events.json'), JSON.stringify(EVENTS))
	const { hash } = native('./events.json', '-o', 'events.cairn')
	const made = cairn('view', './events.json', '--live', '--no-open')
	assert.equal(made.code, 0, made.err)
	assert.match(made.out, /^events-live\.html: the scene and the engine/)
	const page = await open(at('events-live.html'), { hash: '#run=60' })
	assert.equal((await shown(page)).run, hash)
	assert.equal(await page.textContent('#title h1'), 'events')
	// Without its events the run is another one: the comparison can fail.
	const other = native('./events.json', '-o', 'calm.cairn', '--set', 'gravity=0,0,-9')
	assert.notEqual(other.hash, hash)
	await page.close()
})

test(
	'a scripted run with a thrown ball, a drag and another friction: recorded, and the same bits run natively',
	{ skip },
	async () => {
		const page = await open(LIVE, { hash: '#scene=cs-stack' })
		const stats = await page.evaluate(() => {
			const bodies = window.cairn.player.source.scene.bodies
			const held = bodies.findIndex((body) => body.type === 'dynamic')
			const [x, y, z] = bodies[held].at
			return window.cairn.player.live.script(
				[
					{ frame: 5, throw: { from: [x - 6, y, z + 1], velocity: [9, 0.5, 1], radius: 0.4 } },
					{ frame: 12, material: { friction: 0.05 } },
					{ frame: 15, drag: { body: held, anchor: [0, 0, 0], target: [x, y + 2, z + 4] } },
					{ frame: 22, drag: { body: held, anchor: [0, 0, 0], target: [x + 1, y + 2, z + 5] } },
					{ frame: 30, release: { body: held } },
					{ frame: 40, material: { restitution: 0.8 } },
					{ frame: 50, blast: { point: [x, y, z - 1], speed: 4 } },
				],
				60,
			)
		})
		const now = await shown(page)
		assert.equal(now.frame, 60)
		assert.equal(now.run, stats.chain)
		assert.equal(await download(page, '[data-save=cairn]', 'scripted.cairn'), 'cs-stack.cairn')
		const info = JSON.parse(cairn('info', 'scripted.cairn', '--json').out)
		assert.equal(info.hash, now.run, 'the recording that was downloaded')
		assert.equal(info.last_frame, 60)
		assert.equal(info.inputs, 7)
		const again = native('scripted.cairn', '-o', 'again.cairn', '--frames', '60')
		assert.equal(again.hash, now.run, 'run again by the native engine')
		assert.equal(again.first_difference, null)
		assert.notEqual(
			native('cs-stack', '--frames', '60', '-o', 'untouched.cairn').hash,
			now.run,
			'the inputs did something',
		)
		assert.equal(await download(page, '[data-save=glb]', 'scripted.glb'), 'cs-stack.glb')
		const glb = readFileSync(at('scripted.glb'))
		assert.equal(glb.toString('latin1', 0, 4), 'glTF')
		assert.equal(glb.readUInt32LE(8), glb.length)
		assert.equal(cairn('export', 'scripted.cairn', '-o', 'native.glb', '-q').code, 0)
		// The tool adds the camera and the light of its picture; points and keys, the second chunk, are the same bytes.
		const second = (bytes) => bytes.subarray(20 + bytes.readUInt32LE(12))
		assert.ok(second(glb).equals(second(readFileSync(at('native.glb')))), 'the same bytes as the native export')
		assert.deepEqual(page.problems, [])
		await page.close()
	},
)

test('step, restart, sliders, going back, and a ball by its key', { skip }, async () => {
	const page = await open(LIVE, { hash: '#scene=stack' })
	await page.click('#forward')
	await page.waitForFunction(() => window.cairn.frame === 1)
	await page.keyboard.press('Shift+ArrowRight')
	await page.waitForFunction(() => window.cairn.frame === 11)
	await page.keyboard.press('Home')
	await becomes(async () => (await shown(page)).frame, 0)
	await page.keyboard.press('End')
	await becomes(async () => (await shown(page)).frame, 11)
	await page.fill('#friction', '0.9')
	assert.deepEqual(await page.evaluate(() => window.cairn.player.live.inputs), [{ material: { friction: 0.9 } }])
	await page.click('#forward')
	await page.waitForFunction(() => window.cairn.frame === 12)
	const before = await page.evaluate(() => window.cairn.player.source.scene.bodies.length)
	await page.mouse.move(900, 200)
	await page.evaluate(() => document.activeElement.blur())
	await page.keyboard.press('b')
	// The key may be heard after it was sent; then the ball waits for the next step, or is there already.
	await page.waitForFunction(
		(before) =>
			window.cairn.player.live.inputs.some((input) => input.throw) ||
			window.cairn.player.source.scene.bodies.length > before,
		before,
	)
	await page.evaluate(() => window.cairn.player.pause())
	await page.evaluate(() => window.cairn.player.step(2))
	const ball = await page.evaluate(() => window.cairn.body('thrown.15'))
	assert.equal(await page.evaluate(() => window.cairn.player.source.scene.bodies.length), before + 1)
	assert.ok(Math.hypot(...ball.velocity) > 5, 'it flies')
	await page.click('#restart')
	await page.waitForFunction(() => window.cairn.frame === 0 && window.cairn.player.source.to === 0)
	assert.deepEqual(page.problems, [])
	await page.close()
})

test('the menu of methods: each moves as natively, one that cannot do the scene says so', { skip }, async () => {
	const page = await open(LIVE, { hash: '#scene=stack' })
	const names = await page.evaluate(() => [...document.querySelector('#method').options].map((option) => option.value))
	assert.equal(names[0], 'oba')
	for (const name of ['free', 'pgs', 'soft', 'xpbd', 'penalty']) assert.ok(names.includes(name), name)
	assert.equal(await page.inputValue('#method'), 'oba')
	for (const method of ['soft', 'pgs']) {
		await page.selectOption('#method', method)
		await page.waitForFunction((method) => window.cairn.player.source.scene.method === method, method)
		await page.evaluate(() => window.cairn.player.live.script([], 20))
		const { hash } = native('stack', '--method', method, '--frames', '20', '-o', `${method}.cairn`)
		assert.equal((await shown(page)).run, hash, method)
		const { measured, names } = await page.evaluate(() => {
			const { source } = window.cairn.player
			return { measured: source.get(source.to).stats.measured, names: source.scene.bodies.map((body) => body.name) }
		})
		assert.ok(measured.depth >= 0 && measured.overlaps >= 0 && measured.passages >= 0, JSON.stringify(measured))
		assert.equal(measured.depth > 0, measured.pair.every((track) => names[track] !== undefined), JSON.stringify(measured))
	}
	await page.click('#restart') // with the same method
	await page.waitForFunction(() => window.cairn.frame === 0 && window.cairn.player.source.to === 0)
	assert.equal(await page.inputValue('#method'), 'pgs')
	await page.selectOption('#method', 'simultaneous') // stack has friction
	await page.waitForFunction(() => /has no rule/.test(document.querySelector('#message').textContent))
	await becomes(() => page.inputValue('#method'), 'pgs')
	assert.deepEqual(page.problems, [])
	await page.close()
	const address = await open(LIVE, { hash: '#scene=stack&method=xpbd&run=5' })
	assert.equal((await shown(address)).run, native('stack', '--method', 'xpbd', '--frames', '5', '-o', 'x.cairn').hash)
	await address.close()
})

test('a body is dragged by the mouse', { skip }, async () => {
	writeFileSync(
		at('one.json'),
		JSON.stringify({
			...EVENTS,
			events: [],
			bodies: EVENTS.bodies.slice(0, 2),
			camera: { position: [0, -8, 2], target: [0, 0, 1], fov: 0.8 },
		}),
	)
	assert.equal(cairn('view', './one.json', '--live', '--no-open', '-q').code, 0)
	const page = await open(at('one-live.html'))
	await page.evaluate(() => window.cairn.player.step(30))
	const { screen, position } = await page.evaluate(() => window.cairn.drawn('a'))
	await page.mouse.move(screen.x, screen.y)
	await page.mouse.down()
	await page.mouse.move(screen.x + 30, screen.y - 60)
	await page.mouse.move(screen.x + 120, screen.y - 160)
	await becomes(() => page.evaluate(() => Math.round(window.cairn.player.pointer.y)), Math.round(screen.y - 160))
	assert.equal(await page.evaluate(() => window.cairn.player.live.hold.pulled), true)
	const view = await page.evaluate(() => window.cairn.player.stage.camera.position.toArray())
	await page.evaluate(() => window.cairn.player.pause())
	await page.evaluate(() => window.cairn.player.step(30))
	const lifted = await page.evaluate(() => window.cairn.body('a').position)
	assert.ok(
		lifted[2] > position[2] + 0.5 && lifted[0] > position[0] + 0.3,
		`pulled up and to the right: ${position} to ${lifted}`,
	)
	await page.mouse.up()
	assert.deepEqual(
		await page.evaluate(() => window.cairn.player.stage.camera.position.toArray()),
		view,
		'the view did not turn',
	)
	await becomes(() => page.evaluate(() => window.cairn.player.live.inputs.some((input) => input.release)), true)
	await page.evaluate(() => window.cairn.player.step(60))
	assert.ok((await page.evaluate(() => window.cairn.body('a').position))[2] < 0.6, 'let go, it falls')
	await page.close()
})

test('a scene file from outside, and a wrong one', { skip }, async () => {
	writeFileSync(at('mine.json'), JSON.stringify(EVENTS))
	writeFileSync(at('wrong.json'), '{ "version": 1,\n "bodys": [] }')
	const { hash } = native('./mine.json', '-o', 'mine.cairn')
	const page = await open(LIVE)
	await page.setInputFiles('#file', at('mine.json'))
	await page.waitForFunction(() => document.querySelector('#title h1').textContent === 'mine')
	await page.evaluate(() => window.cairn.player.live.script([], 60))
	assert.equal((await shown(page)).run, hash)
	await page.setInputFiles('#file', at('wrong.json'))
	await page.waitForSelector('#message:not([hidden])')
	assert.match(await page.textContent('#message'), /wrong\.json:2:\d+: .*bodys/)
	assert.equal(await page.textContent('#title h1'), 'mine', 'the scene that was there stays')
	await page.selectOption('#scene', 'column.json')
	await page.waitForFunction(() => document.querySelector('#title h1').textContent === 'column')
	await page.close()
})

test('the gallery: a card for every bundled scene, with its picture; a press opens it', { skip }, async () => {
	const names = [...cairn('scenes').out.split('\nNext')[0].matchAll(/^ {2}(\S+)/gm)].map((line) => line[1])
	for (const phone of [false, true]) {
		const page = await open(LIVE, { phone, hash: '#scene=column' })
		await page.click('#scenes')
		const cards = await page.evaluate(() =>
			[...document.querySelectorAll('.card')].map((card) => ({
				name: card.querySelector('b').textContent,
				about: card.querySelector('span').textContent,
				pictured: card.querySelector('img').src.startsWith('blob:'),
				right: card.getBoundingClientRect().right,
			})),
		)
		assert.deepEqual(cards.map((card) => card.name).sort(), names.sort())
		assert.ok(cards.every((card) => card.about.length > 10 && card.right <= (phone ? 390 : 1280)))
		const bare = cards.filter((card) => !card.pictured).map((card) => card.name)
		assert.deepEqual(bare, [], 'without a picture: node tools/gallery.mjs makes it')
		// the first of them are drawn
		await page.waitForFunction(() => document.querySelector('.card img').naturalWidth === 240)
		await page.click('.card[data-scene="stack.json"]')
		await page.waitForFunction(() => document.querySelector('#title h1').textContent === 'stack')
		assert.equal(await page.evaluate(() => document.querySelector('#gallery').open), false)
		assert.deepEqual(page.problems, [])
		await page.close()
	}
})

test('it plays at once, and something happens in the first second', { skip }, async () => {
	for (const phone of [false, true]) {
		const page = await open(LIVE, { plays: true, phone })
		assert.equal(await page.evaluate(() => window.cairn.player.playing), true)
		await page.waitForFunction(() => window.cairn.frame >= 3, null, { timeout: 60000 })
		await page.evaluate(() => window.cairn.player.pause())
		await page.evaluate(() => window.cairn.player.live.advance(30))
		const ways = await page.evaluate(() =>
			window.cairn.player.source.scene.bodies.map((_, track) => {
				const [from, to] = [0, 30].map((frame) => window.cairn.body(track, frame)?.position)
				return from && to ? Math.hypot(...from.map((value, i) => value - to[i])) : 0
			}),
		)
		assert.ok(Math.max(...ways) > 0.5, `${Math.max(...ways)} m in a second`)
		assert.deepEqual(page.problems, [])
		await page.close()
	}
})

test('all of the first scene is in view, beside the panel and on a phone; its floor is solid', { skip }, async () => {
	for (const phone of [false, true]) {
		const page = await open(LIVE, { phone })
		const { places, left, solid } = await page.evaluate(() => {
			const { scene, covered, groups } = window.cairn.player.stage
			const moving = scene.bodies.flatMap((body, track) => (body.type === 'fixed' ? [] : [track]))
			return {
				places: moving.map((track) => window.cairn.drawn(track).screen),
				left: covered,
				solid: groups.walls.children.length === 0,
			}
		})
		assert.equal(places.length, 10)
		assert.ok(phone ? left === 0 : left > 300, `the panel covers ${left}`)
		for (const { x, y } of places)
			assert.ok(x > left + 5 && x < (phone ? 385 : 1275) && y > 0 && y < (phone ? 780 : 720), `${x}, ${y}`)
		assert.ok(solid, 'what all of it hangs above is a floor, not a wall of glass')
		await page.close()
	}
})

test('a tower is above the panels of a phone, and below what is at the top', { skip }, async () => {
	for (const scene of ['column', 'stack']) {
		const page = await open(LIVE, { hash: `#scene=${scene}`, phone: true })
		const { places, bottom } = await page.evaluate(() => {
			const { scene } = window.cairn.player.stage
			const moving = scene.bodies.flatMap((body, track) => (body.type === 'fixed' ? [] : [track]))
			return {
				places: moving.map((track) => window.cairn.drawn(track).screen),
				bottom: document.querySelector('#live').getBoundingClientRect().top,
			}
		})
		assert.ok(bottom < 680, `the closed panel begins at ${bottom}`)
		for (const { x, y } of places) assert.ok(x > 5 && x < 385 && y > 10 && y < bottom, `${scene}: ${x}, ${y}`)
		await page.close()
	}
})

test('bodies that come later do not take away those that are there, not for one picture', { skip }, async () => {
	const page = await open(LIVE, { hash: '#scene=stack' })
	const [before, after] = await page.evaluate(() => {
		const { sets, groups } = window.cairn.player.stage
		const set = [...sets.values()].sort((a, b) => b.mesh.count - a.mesh.count)[0]
		const look = () => [set.mesh.count, ...set.mesh.instanceMatrix.array.slice(0, 16 * set.mesh.count)]
		const [seen, mesh] = [look(), set.mesh]
		while (set.mesh === mesh) set.add(0, groups.bodies)
		return [seen, look()]
	})
	assert.ok(before[0] >= 10)
	assert.deepEqual(after, before)
	await page.close()
})

test('a drag shows its spring, by mouse and by finger', { skip }, async () => {
	for (const phone of [false, true]) {
		const page = await open(LIVE, { phone, hash: '#scene=column' })
		await page.evaluate(() => window.cairn.player.step(2))
		const { screen } = await page.evaluate(() => window.cairn.drawn(5))
		// as a browser tells of a finger or a mouse
		const tell = (type, x, y) =>
			page.evaluate(
				({ type, x, y, kind }) => {
					const canvas = document.querySelector('#view')
					canvas.setPointerCapture = () => {}
					const how = { clientX: x, clientY: y, pointerId: 1, isPrimary: true, button: 0, pointerType: kind, bubbles: true }
					canvas.dispatchEvent(new PointerEvent(type, how))
				},
				{ type, x, y, kind: phone ? 'touch' : 'mouse' },
			)
		assert.equal(await page.evaluate(() => Boolean(window.cairn.player.live.spring)), false)
		await tell('pointerdown', screen.x, screen.y)
		await tell('pointermove', screen.x + 60, screen.y - 10)
		await page.evaluate(() => window.cairn.player.pause())
		await page.evaluate(() => window.cairn.player.step(1))
		const knobs = await page.evaluate(() =>
			window.cairn.player.live.spring.knobs.map((knob) =>
				window.cairn.player.stage.project(window.cairn.player.stage.toScene(knob.position)),
			),
		)
		assert.ok(Math.hypot(knobs[1].x - screen.x - 60, knobs[1].y - screen.y + 10) < 3, 'one end is at the hand')
		assert.ok(Math.hypot(knobs[0].x - screen.x, knobs[0].y - screen.y) < 30, 'the other on the body')
		await tell('pointerup', screen.x + 60, screen.y - 10)
		assert.equal(await page.evaluate(() => Boolean(window.cairn.player.live.spring)), false)
		assert.deepEqual(page.problems, [])
		await page.close()
	}
})

test('a thrown ball fits the scene and arrives where one points', { skip }, async () => {
	for (const [scene, largest] of [
		['column', 1.2],
		['torture-small', 0.0012],
		['pour', 1.2],
	]) {
		const page = await open(LIVE, { hash: `#scene=${scene}` })
		const { ball, size } = await page.evaluate(() => ({
			ball: window.cairn.player.live.ball,
			size: window.cairn.player.stage.size,
		}))
		assert.ok(ball.radius > 0 && ball.radius < largest && ball.radius <= size / 8, `${scene}: ${ball.radius}`)
		assert.match(await page.textContent('#strength + output'), /^[0-9.]+ m\/s$/)
		await page.close()
	}
	for (const phone of [false, true]) await throwAtColumn(phone)
})

async function throwAtColumn(phone) {
	const page = await open(LIVE, { phone, hash: '#scene=column' })
	await page.evaluate(() => window.cairn.player.step(1))
	const { screen } = await page.evaluate(() => window.cairn.drawn(6))
	const before = await page.evaluate(() => window.cairn.body(6).position)
	await page.evaluate((point) => window.cairn.player.live.throwBall(point), screen)
	await page.evaluate(() => window.cairn.player.pause())
	await page.evaluate(() => window.cairn.player.step(45))
	const after = await page.evaluate(() => window.cairn.body(6).position)
	assert.ok(Math.hypot(...after.map((value, i) => value - before[i])) > 0.1, 'it was hit')
	const marks = await page.evaluate(() => window.cairn.player.marks.marks.map(({ kind }) => kind))
	assert.ok(marks.includes('input') && marks.includes('blow'), marks.join())
	assert.deepEqual(page.problems, [])
	await page.close()
}

test('settings say what they do, by pointer and by focus', { skip }, async () => {
	const page = await open(LIVE, { hash: '#scene=column' })
	await page.hover('#friction')
	await becomes(() => page.evaluate(() => /0 is ice/.test(document.querySelector('#hint').textContent)), true)
	await page.focus('#restitution')
	await becomes(() => page.evaluate(() => /clay/.test(document.querySelector('#hint').textContent)), true)
	await page.close()
})
