// A real browser without a screen, drawing by software. Pages are asked to seek, never waited for: a picture may take
// long here. Where there is no Chromium the tests skip, and say so.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { chromium } from 'playwright-core'

export const executable = [
	process.env.CHROMIUM,
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
].find((path) => path && existsSync(path))
export const skip = executable ? false : 'no Chromium on this machine (set CHROMIUM, or apt-get install chromium)'

const ARGUMENTS = [
	'--no-sandbox',
	'--use-gl=angle',
	'--use-angle=swiftshader',
	'--enable-unsafe-swiftshader',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--force-color-profile=srgb',
]

// Folders to write in, and the tool.
export const folder = mkdtempSync(join(tmpdir(), 'cairn-web-'))
export const at = (name) => join(folder, name)
export function cairn(...parameters) {
	const result = spawnSync(process.env.CAIRN, parameters, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })
	if (result.error) throw result.error
	return { code: result.status, out: result.stdout, err: result.stderr }
}

let context
export async function open(
	path,
	{ hash = '', viewport = { width: 1280, height: 720 }, dark = false, phone = false, wait = true, plays = false, before } = {},
) {
	context ??= await chromium.launchPersistentContext(join(folder, 'profile'), {
		executablePath: executable,
		headless: true,
		args: ARGUMENTS,
		acceptDownloads: true,
	})
	const page = await context.newPage()
	page.problems = []
	if (before) await page.addInitScript(before)
	page.on('pageerror', (error) => page.problems.push(error.message))
	page.on('console', (message) => message.type() === 'error' && page.problems.push(message.text()))
	page.on(
		'request',
		(request) =>
			/^https?:/.test(request.url()) &&
			!request.url().startsWith(path) &&
			page.problems.push(`asks for ${request.url()}`),
	)
	await page.setViewportSize(phone ? { width: 390, height: 780 } : viewport)
	// A page plays at once unless its reader wants less motion.
	await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: plays ? 'no-preference' : 'reduce' })
	await page.goto((path.startsWith('http://127.0.0.1') ? path : pathToFileURL(path).href) + hash)
	if (wait) await page.evaluate(() => window.cairn.ready)
	return page
}

export async function close() {
	await context?.close()
	rmSync(folder, { recursive: true, force: true })
}

// The picture as the page draws it now: pixels of the canvas, width and height in device pixels.
export function pixels(page) {
	return page
		.evaluate(() => {
			const { stage } = window.cairn.player
			stage.render()
			const gl = stage.renderer.getContext()
			const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight]
			const data = new Uint8Array(width * height * 4)
			gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data)
			let text = ''
			for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768))
			return { width, height, data: btoa(text) }
		})
		.then(({ width, height, data }) => ({ width, height, data: Buffer.from(data, 'base64') }))
}

// Asks until the answer is the one wanted: what a key or a click does may come a little after it.
export async function becomes(ask, wanted, message) {
	const end = Date.now() + 15000
	let answer = await ask()
	while (!isDeepStrictEqual(answer, wanted) && Date.now() < end) {
		await new Promise((resolve) => setTimeout(resolve, 20))
		answer = await ask()
	}
	assert.deepEqual(answer, wanted, message)
}
