// The part of WASI that the engine needs, over files in memory: one folder tree, seen as "/". Numbers are those of
// wasi_snapshot_preview1.
const OK = 0
const BAD_FILE = 8
const EXISTS = 20
const INVALID = 28
const NO_ENTRY = 44
const NO_SYSTEM = 52

const CREATE = 1
const EXCLUSIVE = 4
const TRUNCATE = 8
const DIRECTORY = 3
const REGULAR = 4
const ROOT = 3 // the descriptor of the folder that is open from the start
const APPEND = 1

class File {
	constructor(bytes = new Uint8Array(0)) {
		this.bytes = bytes
		this.size = bytes.length
	}
	reserve(size) {
		if (size <= this.bytes.length) return
		const grown = new Uint8Array(Math.max(size, this.bytes.length * 1.5 + 4096))
		grown.set(this.bytes.subarray(0, this.size))
		this.bytes = grown
	}
	resize(size) {
		this.reserve(size)
		if (size > this.size) this.bytes.fill(0, this.size, size)
		this.size = size
	}
}

const clean = (path) => {
	const parts = []
	for (const part of path.split('/')) {
		if (part === '..') parts.pop()
		else if (part && part !== '.') parts.push(part)
	}
	return parts.join('/')
}

export class Files {
	#files = new Map()
	put(path, bytes) {
		this.#files.set(clean(path), new File(bytes))
	}
	get(path) {
		const file = this.#files.get(clean(path))
		return file && file.bytes.slice(0, file.size)
	}
	size(path) {
		return this.#files.get(clean(path))?.size ?? 0
	}
	remove(path) {
		return this.#files.delete(clean(path))
	}
	open(path, create) {
		let file = this.#files.get(clean(path))
		if (!file && create) this.#files.set(clean(path), (file = new File()))
		return file
	}
	rename(from, to) {
		const file = this.#files.get(clean(from))
		if (!file) return false
		this.#files.delete(clean(from))
		this.#files.set(clean(to), file)
		return true
	}
	hasFolder(path) {
		const prefix = clean(path) + '/'
		return prefix === '/' || [...this.#files.keys()].some((name) => name.startsWith(prefix))
	}
}

// Instantiates the module over the files; say takes what it writes to its error stream. Returns its exports.
export async function instantiate(bytes, files, say = console.error) {
	let memory
	const open = new Map() // descriptor -> { file, at, append }
	let next = ROOT + 1
	const view = () => new DataView(memory.buffer)
	const slice = (at, size) => new Uint8Array(memory.buffer, at, size)
	const text = (at, size) => new TextDecoder().decode(slice(at, size))

	const pieces = (list, count) =>
		Array.from({ length: count }, (_, i) =>
			slice(view().getUint32(list + 8 * i, true), view().getUint32(list + 8 * i + 4, true)),
		)
	const putStat = (at, file) => {
		slice(at, 64).fill(0)
		view().setUint8(at + 16, file ? REGULAR : DIRECTORY)
		view().setBigUint64(at + 24, 1n, true)
		view().setBigUint64(at + 32, BigInt(file ? file.size : 0), true)
		return OK
	}
	const write = (fd, at, list, count, done) => {
		const entry = open.get(fd)
		let total = 0
		for (const piece of pieces(list, count)) {
			if (fd === 1 || fd === 2) say(new TextDecoder().decode(piece))
			else if (!entry) return BAD_FILE
			else {
				entry.file.reserve(at + total + piece.length)
				if (at + total > entry.file.size) entry.file.resize(at + total)
				entry.file.bytes.set(piece, at + total)
				entry.file.size = Math.max(entry.file.size, at + total + piece.length)
			}
			total += piece.length
		}
		view().setUint32(done, total, true)
		return total
	}
	const read = (entry, at, list, count, done) => {
		let total = 0
		for (const piece of pieces(list, count)) {
			const part = entry.file.bytes.subarray(at + total, Math.min(at + total + piece.length, entry.file.size))
			piece.set(part)
			total += part.length
		}
		view().setUint32(done, total, true)
		return total
	}

	const offered = {
		clock_time_get(clock, precision, result) {
			const now = clock === 0 ? Date.now() * 1e6 : performance.now() * 1e6
			view().setBigUint64(result, BigInt(Math.round(now)), true)
			return OK
		},
		environ_sizes_get(count, size) {
			view().setUint32(count, 0, true)
			view().setUint32(size, 0, true)
			return OK
		},
		environ_get: () => OK,
		proc_exit(status) {
			throw new Error(`the engine left with status ${status}`)
		},
		fd_prestat_get(fd, at) {
			if (fd !== ROOT) return BAD_FILE
			view().setUint32(at, 0, true)
			view().setUint32(at + 4, 1, true)
			return OK
		},
		fd_prestat_dir_name(fd, at) {
			slice(at, 1)[0] = '/'.charCodeAt(0)
			return fd === ROOT ? OK : BAD_FILE
		},
		fd_fdstat_get(fd, at) {
			if (fd > ROOT && !open.has(fd)) return BAD_FILE
			slice(at, 24).fill(0)
			view().setUint8(at, fd === ROOT ? DIRECTORY : fd < ROOT ? 2 : REGULAR)
			view().setBigUint64(at + 8, ~0n, true)
			view().setBigUint64(at + 16, ~0n, true)
			return OK
		},
		fd_fdstat_set_flags: () => OK,
		fd_filestat_get: (fd, at) =>
			fd === ROOT ? putStat(at, null) : open.has(fd) ? putStat(at, open.get(fd).file) : BAD_FILE,
		fd_filestat_set_size(fd, size) {
			if (!open.has(fd)) return BAD_FILE
			open.get(fd).file.resize(Number(size))
			return OK
		},
		fd_sync: () => OK,
		fd_datasync: () => OK,
		fd_advise: () => OK,
		fd_close: (fd) => (open.delete(fd) ? OK : BAD_FILE),
		fd_seek(fd, offset, whence, result) {
			const entry = open.get(fd)
			if (!entry) return BAD_FILE
			const at = Number(offset) + (whence === 0 ? 0 : whence === 1 ? entry.at : entry.file.size)
			if (at < 0) return INVALID
			entry.at = at
			view().setBigUint64(result, BigInt(at), true)
			return OK
		},
		fd_tell(fd, result) {
			if (!open.has(fd)) return BAD_FILE
			view().setBigUint64(result, BigInt(open.get(fd).at), true)
			return OK
		},
		fd_write(fd, list, count, done) {
			const entry = open.get(fd)
			if (!entry && fd !== 1 && fd !== 2) return BAD_FILE
			if (entry?.append) entry.at = entry.file.size
			const total = write(fd, entry?.at ?? 0, list, count, done)
			if (entry) entry.at += total
			return OK
		},
		fd_pwrite(fd, list, count, offset, done) {
			if (!open.has(fd)) return BAD_FILE
			write(fd, Number(offset), list, count, done)
			return OK
		},
		fd_read(fd, list, count, done) {
			const entry = open.get(fd)
			if (!entry) return BAD_FILE
			entry.at += read(entry, entry.at, list, count, done)
			return OK
		},
		fd_pread(fd, list, count, offset, done) {
			if (!open.has(fd)) return BAD_FILE
			read(open.get(fd), Number(offset), list, count, done)
			return OK
		},
		path_open(folder, look, at, size, how, rights, inherited, flags, result) {
			const path = text(at, size)
			const known = files.open(path, false)
			if (how & CREATE && how & EXCLUSIVE && known) return EXISTS
			const file = known ?? files.open(path, how & CREATE)
			if (!file) return NO_ENTRY
			if (how & TRUNCATE) file.resize(0)
			open.set(next, { file, at: 0, append: Boolean(flags & APPEND) })
			view().setUint32(result, next++, true)
			return OK
		},
		path_filestat_get(folder, look, at, size, result) {
			const path = text(at, size)
			const file = files.open(path, false)
			return file || files.hasFolder(path) ? putStat(result, file) : NO_ENTRY
		},
		path_rename: (a, from, fromSize, b, to, toSize) =>
			files.rename(text(from, fromSize), text(to, toSize)) ? OK : NO_ENTRY,
		path_unlink_file: (folder, at, size) => (files.remove(text(at, size)) ? OK : NO_ENTRY),
		random_get(at, size) {
			slice(at, size).fill(7) // names of temporary files: nothing else is there
			return OK
		},
	}

	const module = await WebAssembly.compile(bytes)
	const imports = { wasi_snapshot_preview1: {} }
	for (const { module: from, name } of WebAssembly.Module.imports(module)) {
		if (from !== 'wasi_snapshot_preview1') throw new Error(`the engine asks for ${from}.${name}`)
		imports[from][name] = offered[name] ?? (() => NO_SYSTEM)
	}
	const { exports } = await WebAssembly.instantiate(module, imports)
	memory = exports.memory
	exports._initialize?.()
	return exports
}
