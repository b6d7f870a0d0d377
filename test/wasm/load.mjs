// Loads cairn.wasm without node:wasi, as a web page does: of the system it gets an error stream, a clock and nothing
// else. Returns the exports and a few calls for text and memory.
const BAD_FILE = 8
const NOT_SUPPORTED = 52

export async function load(bytes, write = (text) => process.stderr.write(text)) {
	let exports
	const view = () => new DataView(exports.memory.buffer)
	const slice = (at, size) => new Uint8Array(exports.memory.buffer, at, size)

	const offered = {
		fd_write(file, parts, count, written) {
			let total = 0
			for (let i = 0; i < count; ++i) {
				const at = view().getUint32(parts + 8 * i, true)
				const size = view().getUint32(parts + 8 * i + 4, true)
				write(new TextDecoder().decode(slice(at, size)))
				total += size
			}
			view().setUint32(written, total, true)
			return 0
		},
		clock_time_get(clock, precision, result) {
			view().setBigUint64(result, BigInt(Math.round(performance.now() * 1e6)), true)
			return 0
		},
		proc_exit(status) {
			throw new Error(`the library left with status ${status}`)
		},
		fd_prestat_get: () => BAD_FILE, // no folders are open
	}

	const module = await WebAssembly.compile(bytes)
	const imports = { wasi_snapshot_preview1: {} }
	for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
		if (from !== 'wasi_snapshot_preview1' || kind !== 'function') throw new Error(`unknown import ${from}.${name}`)
		imports[from][name] = offered[name] ?? (() => NOT_SUPPORTED)
	}
	exports = (await WebAssembly.instantiate(module, imports)).exports
	exports._initialize?.()

	return {
		...exports,
		// A copy in the module's memory with a 0 behind it; the caller frees it.
		copy(text) {
			const data = new TextEncoder().encode(text)
			const at = exports.malloc(data.length + 1)
			if (!at) throw new Error('out of memory')
			slice(at, data.length + 1).set([...data, 0])
			return { at, size: data.length }
		},
		text(at) {
			const bytes = slice(at)
			return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)))
		},
		view,
	}
}
