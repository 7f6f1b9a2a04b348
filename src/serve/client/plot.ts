// One chart: a uPlot in a figure, moved by pointer and keys, which reads finer buckets when zoomed in.
import uPlot from "uplot"
import { axes, color, utc } from "./axes.ts"
import { dataOf, type Drawing, type Picture } from "./drawings.ts"
import type { Period, PeriodControl } from "./period.ts"
import type { ReadSeries, Series } from "./series.ts"

export interface Chart {
  readonly show: (period: Period) => void
  /** Reads what is shown in finer buckets, once the reader rests. */
  readonly refine: (period: Period, read: ReadSeries) => Promise<void>
}

const HEIGHT = 220
const HOUR_SECONDS = 3600
const REST_MILLIS = 120
// Buckets begin where the period begins.
const hourBefore = (seconds: number): number => Math.floor(seconds / HOUR_SECONDS) * HOUR_SECONDS

const faint = (name: string): string => `color-mix(in srgb, ${color(name)} 20%, transparent)`

export const plot = (
  figure: HTMLElement,
  drawing: Drawing,
  whole: Series,
  control: PeriodControl,
): Chart => {
  const place = figure.querySelector<HTMLElement>(".plot")
  if (place === null) throw new Error("a figure without a place for its chart")
  let series = whole
  let picture = drawing.picture(series)
  if ((picture.lines[0]?.values.length ?? 0) === 0) {
    place.textContent = "No points."
    place.classList.add("empty")
    return { show: () => {}, refine: () => Promise.resolve() }
  }
  const chart = new uPlot(
    options(drawing, picture, () => series, place, control),
    dataOf(series, picture),
    place,
  )
  new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT })).observe(
    place,
  )
  // Colours follow light, dark and paper.
  for (const query of ["(prefers-color-scheme: dark)", "print"])
    matchMedia(query).addEventListener("change", () => chart.redraw(false, true))
  bindKeys(place, control)
  bindPointer(chart, control)

  let waiting = new AbortController()
  return {
    show: ({ from, to }) => chart.setScale("x", { min: from, max: to }),
    refine: async (period, read) => {
      waiting.abort()
      const { signal } = (waiting = new AbortController())
      const length = period.to - period.from
      // One length more on either side: what a reader pans to is there at once.
      const wanted = {
        from: hourBefore(Math.max(control.whole.from, period.from - length)),
        to: Math.min(control.whole.to, period.to + length),
      }
      const finest = Math.max(HOUR_SECONDS, length / place.clientWidth)
      const isFine = series.bucketSeconds <= 1.5 * finest
      const isThere = series.from <= period.from && series.to >= period.to
      if (isFine && isThere) return
      await new Promise((resolve) => setTimeout(resolve, REST_MILLIS))
      if (signal.aborted) return
      const buckets = (place.clientWidth * (wanted.to - wanted.from)) / length
      const finer = await read(wanted, buckets, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      if (finer === undefined) return
      series = finer
      picture = drawing.picture(series)
      chart.setData(dataOf(series, picture), false)
      const { from, to } = control.current()
      chart.setScale("x", { min: from, max: to })
    },
  }
}

const options = (
  { format, par, base }: Drawing,
  { lines, areas }: Picture,
  series: () => Series,
  place: HTMLElement,
  control: PeriodControl,
): uPlot.Options => {
  return {
    width: place.clientWidth,
    height: HEIGHT,
    tzDate: utc,
    cursor: {
      sync: { key: "vault" },
      drag: { x: true, y: false, setScale: false },
      // A double click shows everything.
      bind: { dblclick: () => () => (control.set(control.whole), null) },
    },
    scales: { y: { range: (_, low, high) => spread(low, high, base) } },
    axes: axes(format),
    series: [
      { value: "{YYYY}-{MM}-{DD} {HH}:{mm}" },
      ...lines.map((line, at): uPlot.Series => ({
        label: line.label,
        stroke: () => (line.isEdge === true ? "transparent" : color(line.color)),
        width: line.isEdge === true ? 0 : 1.4,
        points: { show: line.isEdge === true ? false : isSparse, size: 4 },
        value: (chart, value) =>
          value === null ? "–" : format(value - below(chart, areas, at, line)),
        ...(line.fill === true ? { fill: () => faint(line.color) } : {}),
      })),
    ],
    bands: areas.map(([upper, lower, name]) => ({
      series: [upper + 1, lower + 1],
      fill: () => faint(name),
    })),
    hooks: {
      drawClear: [(chart) => par !== undefined && shade(chart, par, series().bucketSeconds)],
      draw: [(chart) => par !== undefined && level(chart, par)],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select
          if (width < 4) return
          const from = chart.posToVal(left, "x")
          const to = chart.posToVal(left + width, "x")
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          control.set({ from, to })
        },
      ],
    },
  }
}

/** Points of their own where there are few: a single one is no line. */
const isSparse = ({ series: [times] }: uPlot): boolean => {
  const [first = 0, last = 0] = times?.idxs ?? []
  return last - first < 40
}

/** In a stack, what lies under an area is no part of its figure. */
const below = (
  chart: uPlot,
  areas: Picture["areas"],
  at: number,
  line: { readonly isEdge?: boolean },
): number => {
  const area = areas.find(([upper]) => upper === at)
  const index = chart.cursor.idx
  if (line.isEdge === true || area === undefined || index === null || index === undefined) return 0
  return chart.data[area[1] + 1]?.[index] ?? 0
}

/** The figures in sight with a little room; a line that is flat has some too. */
const spread = (
  low: number | null,
  high: number | null,
  base: number | undefined,
): [number, number] => {
  const from = Math.min(low ?? 0, base ?? Infinity)
  const to = Math.max(high ?? 0, base ?? -Infinity)
  const room = (to - from || Math.abs(to) * 0.001 || 1) * 0.06
  return [from === base ? from : from - room, to === base ? to : to + room]
}

/** The times whose lowest figure is below the level. */
const shade = (chart: uPlot, par: number, bucketSeconds: number): void => {
  const { ctx, bbox } = chart
  const [times = [], , lowest = []] = chart.data
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.fillStyle = faint("--trouble")
  const isBelow = (at: number): boolean => {
    const low = lowest[at]
    return low !== null && low !== undefined && low < par
  }
  let from: number | undefined
  for (const [at, time] of times.entries()) {
    if (!isBelow(at)) continue
    // One area for what is below without a break: seams would show.
    from ??= time
    if (isBelow(at + 1)) continue
    const left = chart.valToPos(from, "x", true)
    const right = chart.valToPos(time + bucketSeconds, "x", true)
    from = undefined
    ctx.fillRect(
      Math.floor(left),
      bbox.top,
      Math.max(1, Math.ceil(right) - Math.floor(left)),
      bbox.height,
    )
  }
  ctx.restore()
}

const level = (chart: uPlot, par: number): void => {
  const { ctx, bbox } = chart
  const at = chart.valToPos(par, "y", true)
  if (at < bbox.top || at > bbox.top + bbox.height) return
  ctx.save()
  ctx.strokeStyle = color("--ink")
  ctx.setLineDash([4, 4])
  ctx.beginPath()
  ctx.moveTo(bbox.left, at)
  ctx.lineTo(bbox.left + bbox.width, at)
  ctx.stroke()
  ctx.restore()
}

const bindKeys = (place: HTMLElement, control: PeriodControl): void => {
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => control.pan(-0.2),
    ArrowRight: () => control.pan(0.2),
    "+": () => control.zoom(0.5),
    "-": () => control.zoom(2),
    Home: () => control.set(control.whole),
  }
  place.addEventListener("keydown", (event) => {
    const act = keys[event.key]
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    act()
  })
}

/** A finger or Shift and the mouse pan; the wheel pans sideways, and zooms with Ctrl. */
const bindPointer = (chart: uPlot, control: PeriodControl): void => {
  const { over } = chart
  let last: number | undefined
  over.addEventListener(
    "wheel",
    (event) => {
      const isZoom = event.ctrlKey || event.metaKey
      if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return
      event.preventDefault()
      if (isZoom) control.zoom(event.deltaY > 0 ? 1.25 : 0.8, chart.posToVal(event.offsetX, "x"))
      else control.pan(event.deltaX / over.clientWidth)
    },
    { passive: false },
  )
  over.addEventListener(
    "mousedown",
    (event) => {
      if (event.shiftKey) event.stopImmediatePropagation()
    },
    { capture: true },
  )
  over.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && !event.shiftKey) return
    last = event.clientX
    over.setPointerCapture(event.pointerId)
  })
  over.addEventListener("pointermove", (event) => {
    if (last === undefined) return
    control.pan((last - event.clientX) / over.clientWidth)
    last = event.clientX
  })
  for (const end of ["pointerup", "pointercancel"] as const)
    over.addEventListener(end, () => (last = undefined))
}
