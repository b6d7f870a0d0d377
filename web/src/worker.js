// The engine in its own thread. Every message has an id, and is answered with it: a result or an error.
import { Engine, hasSimd } from './engine.js'

let engine

const answers = {
	// The engine with SIMD where the browser has that; it comes to the same bits, faster.
	async start({ plain, simd, files }) {
		const fast = Boolean(simd) && hasSimd()
		engine = await Engine.create(fast ? simd : plain)
		for (const { name, data } of files) engine.files.put(name, data)
		return { methods: engine.methods, simd: fast }
	},
	put({ name, data }) {
		engine.files.put(name, data)
	},
	open({ path, settings }) {
		const scene = engine.open(path, settings)
		return { scene, frame: engine.look() }
	},
	// Gives the inputs, then goes one frame on. An input that is refused (a body that is gone) does not stop the step.
	step({ inputs }) {
		let refused
		for (const input of inputs) {
			try {
				engine.input(input)
			} catch (error) {
				refused = error.message
			}
		}
		const begun = performance.now()
		const frame = engine.step()
		frame.wall = performance.now() - begun
		frame.note = refused ?? engine.message
		return frame
	},
	save({ ending }) {
		return engine.save(ending)
	},
}

self.onmessage = async ({ data: { id, ask, ...given } }) => {
	try {
		const result = await answers[ask](given)
		const buffers = [
			result?.bodies?.buffer,
			result?.keys?.buffer,
			result?.contacts?.buffer,
			result?.frame?.bodies?.buffer,
			result instanceof Uint8Array ? result.buffer : undefined,
		]
		self.postMessage({ id, result }, buffers.filter(Boolean))
	} catch (error) {
		// A trap leaves the module's memory in the middle of something: nothing more can be asked of it.
		self.postMessage({
			id,
			error: error instanceof WebAssembly.RuntimeError ? `the engine broke: ${error.message}` : error.message,
		})
	}
}
