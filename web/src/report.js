// The plots of a report (cli/report_plots.c), drawn again so that one can zoom in and read off values. What is shown is
// what the page shows without scripts: the drawings stay in it for paper and for readers without scripts.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import './report.css'

const HEIGHT = 230
const MARK_FAR = 6 // as in cli/plot.c: a mark this far above everything is named at the edge
const { runs, figures } = JSON.parse(document.getElementById('report-data').textContent)
const root = getComputedStyle(document.documentElement)
const color = (name) => root.getPropertyValue(`--${name}`).trim()
const font = (size) => `${size}px ${getComputedStyle(document.body).fontFamily}`
const sync = uPlot.sync('frames')
const plots = []
let pinned = null // frame
let hovered = null // plot

const PREFIXES = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p']]

// As text_quantity of cli/plot_axis.c.
function prefix(size, unit) {
	if (!(size > 0) || (unit !== 'J' && unit !== 'm')) return PREFIXES[3]
	const known = unit === 'm' ? PREFIXES.slice(3) : PREFIXES
	return known.find(([scale]) => size >= scale * 0.9999) ?? known.at(-1)
}

const minus = (text) => text.replace('-', '−')

function quantity(value, unit) {
	if (value == null) return '–'
	const [scale, name] = prefix(Math.abs(value), unit)
	const shown = value / scale
	const text = Math.abs(shown) >= 1000 ? Math.round(shown).toLocaleString('en').replaceAll(',', ' ') : String(Number(shown.toPrecision(3)))
	return minus(text) + (unit ? ` ${name}${unit}` : '')
}

function power(value) {
	const n = Math.round(Math.log10(value))
	if (n >= -2 && n <= 3) return String(10 ** n)
	return `10${String(n).replace(/./g, (digit) => (digit === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]))}`
}

// Ticks share one prefix, which stands in the axis's name.
function tickTexts(figure) {
	return (u, ticks) => {
		if (figure.log) return ticks.map((tick) => (isDecade(tick) ? power(tick) : ''))
		const [scale] = prefix(Math.max(...ticks.map(Math.abs)) / 2, figure.unit)
		return ticks.map((tick) => minus(String(Number((tick / scale).toPrecision(6)))))
	}
}

function axisName(u, figure) {
	if (!figure.unit) return figure.name
	const { min, max } = u.scales.y
	const [, name] = figure.log ? [1, ''] : prefix(Math.max(Math.abs(min), Math.abs(max)) / 2, figure.unit)
	return `${figure.name}, ${name}${figure.unit}`
}

// Columns for uPlot: x, then one for each series. On a logarithmic axis what is not above 0 lies on the lower edge.
function columns(figure) {
	const series = figure.series.map((one) => [runs[one.run].x, one.y])
	const table = runs.length > 1 ? uPlot.join(series) : [series[0][0], ...series.map(([, y]) => y)]
	if (figure.log) {
		const least = Math.min(...table.slice(1).map((y) => y.reduce((low, v) => (v > 0 && v < low ? v : low), Infinity)))
		const floor = 10 ** Math.floor(Math.log10(least))
		return [table[0], ...table.slice(1).map((y) => y.map((v) => (v == null ? v : Math.max(v, floor))))]
	}
	return table
}

// Sums, the whole stack first: each is painted over the one before.
function stacked(table) {
	const sums = []
	table.slice(1).forEach((y, i) => sums.push(i ? y.map((v, k) => (v ?? 0) + sums[i - 1][k]) : y.map((v) => v ?? 0)))
	return [table[0], ...sums.reverse()]
}

function range(figure) {
	return (u, min, max) => {
		if (min == null) return [0, 1]
		let top = max
		if (figure.mark && max * MARK_FAR >= figure.mark) top = Math.max(top, figure.mark)
		if (!figure.unit && top < 4) top = 4
		return [Math.min(0, min * 1.05), top * 1.06 || 1]
	}
}

const decades = (u, min, max) => (min > 0 ? [10 ** Math.floor(Math.log10(min)), 10 ** Math.ceil(Math.log10(max) + 1e-9)] : [0.1, 1])
const isDecade = (value) => value != null && Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9

function drawMark(u, figure) {
	if (!figure.mark) return
	const { ctx, bbox } = u
	const ratio = devicePixelRatio
	const above = figure.mark > u.scales.y.max
	const y = above ? bbox.top + 14 * ratio : Math.round(u.valToPos(figure.mark, 'y', true))
	ctx.save()
	ctx.strokeStyle = ctx.fillStyle = color('bad')
	ctx.font = font(12 * ratio)
	ctx.textAlign = 'right'
	ctx.textBaseline = 'alphabetic'
	if (!above) {
		ctx.lineWidth = ratio
		ctx.setLineDash([2 * ratio, 3 * ratio])
		ctx.beginPath()
		ctx.moveTo(bbox.left, y)
		ctx.lineTo(bbox.left + bbox.width, y)
		ctx.stroke()
	}
	const text = `${above ? '↑ ' : ''}${figure.markName}`
	ctx.setLineDash([])
	ctx.strokeStyle = color('card')
	ctx.lineWidth = 4 * ratio
	ctx.lineJoin = 'round'
	ctx.strokeText(text, bbox.left + bbox.width, y - 5 * ratio)
	ctx.fillText(text, bbox.left + bbox.width, y - 5 * ratio)
	ctx.restore()
}

function drawName(u, figure) {
	const { ctx } = u
	const ratio = devicePixelRatio
	ctx.save()
	ctx.fillStyle = color('soft')
	ctx.font = font(12 * ratio)
	ctx.textAlign = 'left'
	ctx.textBaseline = 'alphabetic'
	ctx.fillText(axisName(u, figure), 0, 12 * ratio)
	ctx.restore()
}

function seriesOf(figure) {
	const list = figure.series.map((one) => {
		const paint = color(`c${one.color}`)
		const own = { label: one.name, stroke: paint, width: figure.stack ? 0 : one.width, points: { show: false } }
		own.value = (u, v, index, k) => (k == null ? '' : quantity(figure.table[figure.series.indexOf(one) + 1][k], figure.unit))
		if (figure.stack) own.fill = paint
		else if (runs[one.run].x.length < 60) own.points = { show: true, size: 4, fill: paint }
		return own
	})
	return figure.stack ? list.reverse() : list
}

function makePlot(figure) {
	const element = document.getElementById(figure.id)
	const drawing = element.querySelector('.drawing')
	figure.table = columns(figure)
	const axis = { stroke: color('soft'), font: font(12), ticks: { stroke: color('line'), size: 5 }, grid: { stroke: color('grid'), width: 1 } }
	const u = new uPlot({
		width: drawing.clientWidth,
		height: HEIGHT,
		padding: [27, 10, 0, 0],
		scales: { x: { time: false }, y: figure.log ? { distr: 3, range: decades } : { range: range(figure) } },
		axes: [
			{ ...axis, grid: { show: false }, size: 32, label: 'frame', labelSize: 16, labelGap: 0, labelFont: font(12), values: (self, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? tick : '')) },
			{ ...axis, size: 50, ticks: { show: false }, grid: { ...axis.grid, ...(figure.log && { filter: (self, ticks) => ticks.map((tick) => (isDecade(tick) ? tick : null)) }) }, values: tickTexts(figure) },
		],
		series: [{ label: 'frame', value: (self, v) => (v == null ? '' : String(Math.round(v))) }, ...seriesOf(figure)],
		cursor: { sync: { key: sync.key, scales: ['x', null], setSeries: false }, drag: { x: true, y: false }, points: { show: !figure.stack, size: 6 }, y: false },
		legend: { markers: { width: 0, fill: (self, i) => self.series[i].stroke?.() ?? 'transparent' } },
		hooks: {
			draw: [(self) => drawMark(self, figure), (self) => drawName(self, figure)],
			setCursor: [(self) => self === hovered && self.cursor.idx != null && showFrame(self.data[0][self.cursor.idx])],
			setScale: [(self, key) => key === 'x' && showZoom(self)],
		},
	}, figure.stack ? stacked(figure.table) : figure.table, drawing)
	element.classList.add('live')
	element.classList.toggle('stack', figure.stack)
	u.over.addEventListener('click', () => u.cursor.idx != null && u.select.width === 0 && pin(u.data[0][u.cursor.idx]))
	u.over.addEventListener('mouseenter', () => (hovered = u))
	u.over.addEventListener('mouseleave', () => {
		hovered = null
		setTimeout(() => pin(pinned)) // after uPlot has taken the cursor away
	})
	return u
}

// ---- the bar: which frame the values are of, and how to get out of a zoom

const bar = document.createElement('div')
bar.className = 'bar'
bar.hidden = true
const place = document.createElement('span')
const links = document.createElement('span')
const all = document.createElement('button')
all.type = 'button'
all.textContent = 'Show all frames'
all.hidden = true
bar.append(place, links, all)
document.body.append(bar)

function showFrame(frame) {
	bar.hidden = frame == null && all.hidden
	place.textContent = frame == null ? '' : `frame ${Math.round(frame)}, ${(frame / runs[0].fps).toFixed(2)} s`
	links.replaceChildren(...(frame == null ? [] : runs.map((run) => {
		const link = document.createElement('a')
		link.href = `${run.page}#frame=${Math.round(frame)}`
		link.textContent = runs.length > 1 ? run.label : 'open in the player'
		return link
	})))
}

// Where the cursor rests when the mouse is elsewhere.
function pin(frame) {
	pinned = frame
	for (const u of plots) u.setCursor(frame == null ? { left: -10, top: -10 } : { left: u.valToPos(frame, 'x'), top: 0 }, false)
	showFrame(frame)
}

const extent = () => [Math.min(...runs.map((run) => run.x[0])), Math.max(...runs.map((run) => run.x.at(-1)))]

function showZoom(u) {
	const [low, high] = extent()
	all.hidden = u.scales.x.min <= low && u.scales.x.max >= high
	bar.hidden = all.hidden && place.textContent === ''
}

all.addEventListener('click', () => {
	const [min, max] = extent()
	for (const u of plots) u.setScale('x', { min, max })
	setTimeout(() => pin(pinned)) // when the scales hold
})

addEventListener('keydown', (event) => {
	if (pinned == null || event.ctrlKey || event.metaKey || event.altKey) return
	const x = runs[0].x
	const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
	if (step) {
		const next = x[Math.min(x.length - 1, Math.max(0, x.findIndex((frame) => frame >= pinned) + step))]
		event.preventDefault()
		pin(next)
	}
	if (event.key === 'Escape') pin(null)
})

// ---- all of it, again when the light changes

function makeAll() {
	for (const u of plots.splice(0)) u.destroy()
	for (const figure of figures) plots.push(makePlot(figure))
}

if (figures.length > 0 && runs.some((run) => run.x.length > 1)) {
	makeAll()
	for (const hint of document.querySelectorAll('.howto')) hint.hidden = false
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', makeAll)
	new ResizeObserver(() => {
		for (const u of plots) {
			const width = u.root.parentElement.clientWidth
			if (width > 0 && width !== u.width) u.setSize({ width, height: HEIGHT })
		}
	}).observe(document.querySelector('main'))
	window.cairnReport = { plots, pin, figures, runs } // for tests
}
