// Draws the result of a query over time; the server has decided which columns.
import uPlot from "uplot"
import { axes, color, utc } from "./axes.ts"

type Row = Readonly<Record<string, unknown>>

const HEIGHT = 240
const HUES = 7
const figureText = (value: number): string =>
  new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 5 }).format(value)

/** The values of each line, by second since 1970. */
const linesOf = (
  rows: ReadonlyArray<Row>,
  { time = "", by = "", figures = "[]" }: DOMStringMap,
): ReadonlyMap<string, ReadonlyMap<number, number>> => {
  const lines = new Map<string, Map<number, number>>()
  for (const row of rows) {
    const at = Date.parse(String(row[time])) / 1000
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
  const lines = all.slice(0, HUES)
  const times = [...new Set(lines.flatMap(([, line]) => [...line.keys()]))].toSorted(
    (a, b) => a - b,
  )
  if (times.length < 2) return
  figure.hidden = false
  if (all.length > lines.length) {
    figure.querySelector("figcaption")?.append(`, the first ${lines.length} of ${all.length}`)
  }
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      tzDate: utc,
      axes: axes(figureText),
      series: [
        { value: "{YYYY}-{MM}-{DD} {HH}:{mm}" },
        ...lines.map(([label], at): uPlot.Series => ({
          label,
          stroke: () => color(`--hue-${at + 1}`),
          width: 1.4,
          // Lines of several vaults may have points at different times.
          spanGaps: figure.dataset["by"] !== "",
          points: { show: times.length < 40, size: 4 },
          value: (_, value) => (value === null ? "–" : figureText(value)),
        })),
      ],
    },
    [times, ...lines.map(([, line]) => times.map((at) => line.get(at) ?? null))],
    place,
  )
  new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT })).observe(
    place,
  )
}

const figure = document.querySelector<HTMLElement>("#result")
const place = figure?.querySelector<HTMLElement>(".plot")
if (figure !== null && place) void draw(figure, place)
