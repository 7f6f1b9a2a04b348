// Draws the result of a query over time. The server has chosen the columns (pages/resultChart.ts).
import { secondsOf } from "../charts/charts.ts"
import type { Picture } from "../charts/picture.ts"
import { compact } from "../figures.ts"
import { timeChart } from "./timeChart.ts"

type Row = Readonly<Record<string, unknown>>

const HUES = 7

/** The figures of each line, by time in seconds since 1970. */
const linesOf = (
  rows: ReadonlyArray<Row>,
  { time = "", by = "", figures = "[]" }: DOMStringMap,
): ReadonlyMap<string, ReadonlyMap<number, number>> => {
  const lines = new Map<string, Map<number, number>>()
  for (const row of rows) {
    const at = secondsOf(row[time])
    for (const figure of JSON.parse(figures) as ReadonlyArray<string>) {
      const value = row[figure]
      if (value === null || Number.isNaN(at)) continue
      const label = by === "" ? figure : String(row[by])
      const line = lines.get(label) ?? new Map<number, number>()
      line.set(at, Number(value))
      lines.set(label, line)
    }
  }
  return lines
}

const draw = async (figure: HTMLElement, place: HTMLElement): Promise<void> => {
  const response = await fetch(figure.dataset["path"] ?? "")
  if (!response.ok) return
  const { rows } = (await response.json()) as { readonly rows: ReadonlyArray<Row> }
  const all = [...linesOf(rows, figure.dataset)]
  const shown = all.slice(0, HUES)
  const times = [...new Set(shown.flatMap(([, line]) => [...line.keys()]))].toSorted(
    (a, b) => a - b,
  )
  if (times.length < 2) return
  figure.hidden = false
  if (all.length > shown.length) {
    figure.querySelector("figcaption")?.append(`, the first ${shown.length} of ${all.length}`)
  }
  const lines = shown.map(([label, line], at) => ({
    label,
    hue: at + 1,
    figures: times.map((time) => line.get(time) ?? null),
  }))
  const picture: Picture = { times, lines, areas: [], shaded: [] }
  // Lines of several vaults may have points at different times.
  const spansHoles = figure.dataset["by"] !== ""
  timeChart(place, { picture: () => picture, format: compact, spansHoles })
}

const figure = document.querySelector<HTMLElement>("#result")
const place = figure?.querySelector<HTMLElement>(".plot")
if (figure !== null && place) void draw(figure, place)
