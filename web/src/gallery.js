// The gallery of the live page: a card for every bundled scene, with its picture, its name and what it shows.

const $ = (selector) => document.querySelector(selector)
// Crowds of shells or dolls, and thousands of bodies.
const LARGE = /^(boats-\d+|crowd-100|pour|rings-2000|scaling-10000)\.json$/
const KINDS = [
	['Scenes', (file) => !file.includes('/') && !LARGE.test(file)],
	['Large: a frame may take seconds', (file) => LARGE.test(file)],
	['With known answers', (file) => file.startsWith('validation/')],
	['Torture', (file) => file.startsWith('torture/')],
]

function element(kind, properties, ...inside) {
	const made = Object.assign(document.createElement(kind), properties)
	made.append(...inside)
	return made
}

// Pictures as the build packs them: the size of a JSON, the JSON with names and sizes, the files one after the other.
export function unpackFiles(bytes) {
	const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
	const list = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)))
	let at = 4 + size
	const files = list.files.map(({ name, size: length }) => ({ name, data: bytes.slice(at, (at += length)) }))
	return { list, files }
}

export class Gallery {
	// files: of the scenes; pictures: packed, or null; choose(file) opens one.
	constructor(files, pictures, nameOf, choose) {
		this.files = files
		this.pictures = new Map(pictures ? unpackFiles(pictures).files.map(({ name, data }) => [name, data]) : [])
		this.nameOf = nameOf
		this.choose = choose
	}

	show() {
		if (!$('#cards').childElementCount) this.#fill()
		$('#gallery').showModal()
	}

	// Made when it is first looked at.
	#fill() {
		const scenes = this.files.filter(({ name }) => name.endsWith('.json') && name !== 'starter.json')
		for (const [title, belongs] of KINDS) {
			const some = scenes.filter(({ name }) => belongs(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
			if (!some.length) continue
			const cards = some.map((file) => this.#card(file))
			$('#cards').append(element('h2', { textContent: title }), element('div', { className: 'cards' }, ...cards))
		}
	}

	#card({ name, data }) {
		const label = this.nameOf(name)
		const picture = this.pictures.get(`${label}.webp`)
		let about = ''
		try {
			about = JSON.parse(new TextDecoder().decode(data)).description ?? ''
		} catch {
			// a file with comments: its name is enough
		}
		const image = element('img', { alt: '', loading: 'lazy', width: 240, height: 150 })
		if (picture) image.src = URL.createObjectURL(new Blob([picture], { type: 'image/webp' }))
		const card = element(
			'button',
			{ className: 'card', title: about },
			image,
			element('b', { textContent: label }),
			element('span', { textContent: about }),
		)
		card.dataset.scene = name
		card.addEventListener('click', () => {
			$('#gallery').close()
			this.choose(name)
		})
		return card
	}
}
