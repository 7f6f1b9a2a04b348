// One interactive chart of a vault. When the reader zooms in, it is read again in finer buckets.
import type uPlot from "uplot"
import { SECONDS_PER_HOUR } from "../../domain/values/time.ts"
import type { Chart } from "../charts/charts.ts"
import { noteOf, type Picture, rangeOf } from "../charts/picture.ts"
import { bindKeys, bindPointer } from "./gestures.ts"
import type { Period, PeriodControl } from "./period.ts"
import type { ReadSeries, Stretch } from "./series.ts"
import { color, dataOf, faint, timeChart } from "./timeChart.ts"

const DEBOUNCE_MILLIS = 120
// Buckets begin where the requested period begins, so it must begin at a full hour.
const hourBefore = (seconds: number): number =>
  Math.floor(seconds / SECONDS_PER_HOUR) * SECONDS_PER_HOUR

/** Shows the control's period, and reads finer buckets once it stops changing. */
export const plot = (
  figure: HTMLElement,
  chart: Chart,
  whole: Stretch,
  read: ReadSeries,
  control: PeriodControl,
): void => {
  const place = figure.querySelector<HTMLElement>(".plot")
  if (place === null) throw new Error("a figure without a place for its chart")
  let stretch = whole
  let picture = chart.picture(stretch)
  const note = picture.times.length === 0 ? "No points." : noteOf(picture)
  if (note !== undefined) {
    const line = document.createElement("p")
    line.className = "note"
    line.textContent = note
    figure.append(line)
  }
  if (picture.times.length === 0) return place.remove()
  const drawn = timeChart(
    place,
    { picture: () => picture, format: chart.format },
    options(chart, () => picture, control),
  )
  bindKeys(place, control)
  bindPointer(drawn, control)

  let waiting = new AbortController()
  const refine = async (period: Period): Promise<void> => {
    waiting.abort()
    const { signal } = (waiting = new AbortController())
    // A daily series has no buckets: all its points are loaded.
    if (stretch.columns["bucket_at"] === undefined) return
    const length = period.to - period.from
    const finest = Math.max(SECONDS_PER_HOUR, length / place.clientWidth)
    const isFine = stretch.bucketSeconds <= 1.5 * finest
    const isLoaded = stretch.from <= period.from && stretch.to >= period.to
    if (isFine && isLoaded) return
    await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MILLIS))
    if (signal.aborted) return
    // One more length on either side, so that panning shows points at once.
    const wanted = {
      from: hourBefore(Math.max(whole.from, period.from - length)),
      to: Math.min(whole.to, period.to + length),
    }
    const buckets = (place.clientWidth * (wanted.to - wanted.from)) / length
    const finer = await read(wanted, buckets, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (finer === undefined) return
    stretch = finer
    picture = chart.picture(stretch)
    drawn.setData(dataOf(picture), false)
    // Without setting the scale, uPlot would keep showing the old lines.
    drawn.setScale("x", { min: period.from, max: period.to })
  }
  control.follow((period) => {
    drawn.setScale("x", { min: period.from, max: period.to })
    void refine(period)
  })
}

const options = (
  { base, level }: Chart,
  picture: () => Picture,
  control: PeriodControl,
): Partial<uPlot.Options> => ({
  cursor: {
    sync: { key: "vault" },
    drag: { x: true, y: false, setScale: false },
    // A double click shows everything.
    bind: { dblclick: () => () => (control.set(control.whole), null) },
  },
  scales: { y: { range: (_, low, high) => rangeOf(low ?? 0, high ?? 0, base) } },
  hooks: {
    drawClear: [(chart) => shade(chart, picture().shaded)],
    draw: [(chart) => level !== undefined && drawLevel(chart, level)],
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
})

const shade = (chart: uPlot, stretches: Picture["shaded"]): void => {
  const { ctx, bbox } = chart
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.fillStyle = faint("--trouble")
  for (const [from, to] of stretches) {
    const left = Math.floor(chart.valToPos(from, "x", true))
    const right = Math.ceil(chart.valToPos(to, "x", true))
    ctx.fillRect(left, bbox.top, Math.max(1, right - left), bbox.height)
  }
  ctx.restore()
}

const drawLevel = (chart: uPlot, level: number): void => {
  const { ctx, bbox } = chart
  const at = chart.valToPos(level, "y", true)
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
