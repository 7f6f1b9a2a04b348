// A uPlot chart over time, with instants in UTC and the colours of base.css for the light, dark or print style.
import uPlot from "uplot"
import { figureAt, lonePlaces, type Picture, timeLabel } from "../charts/picture.ts"

const HEIGHT = 220

export const color = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

export const faint = (name: string): string => `color-mix(in srgb, ${color(name)} 20%, transparent)`

export interface TimeChart {
  readonly picture: () => Picture
  readonly format: (value: unknown) => string
  /** Whether a line continues across its holes. */
  readonly spansHoles?: boolean
}

/** The chart is always as wide as its place, even when that is resized. */
export const timeChart = (
  place: HTMLElement,
  { picture, format, spansHoles = false }: TimeChart,
  options: Partial<uPlot.Options> = {},
): uPlot => {
  const { lines, areas } = picture()
  const hue = (line: number): string => `--hue-${lines[line]?.hue ?? 1}`
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      axes: axes(format),
      ...options,
      series: [
        { value: "{YYYY}-{MM}-{DD} {HH}:{mm}" },
        ...lines.map(({ label, isEdge }, line): uPlot.Series => ({
          label,
          stroke: () => (isEdge === true ? "transparent" : color(hue(line))),
          width: isEdge === true ? 0 : 1.4,
          spanGaps: spansHoles,
          points: {
            size: 6,
            show: false,
            filter: () => dots(picture().lines[line]?.figures ?? [], spansHoles),
          },
          value: (_, __, ___, at) => format(at === null ? null : figureAt(picture(), line, at)),
          ...(areas.some(({ upper, lower }) => upper === line && lower === undefined)
            ? { fill: () => faint(hue(line)) }
            : {}),
        })),
      ],
      bands: areas.flatMap(({ upper, lower }) =>
        lower === undefined
          ? []
          : [{ series: [upper + 1, lower + 1], fill: () => faint(hue(upper)) }],
      ),
    },
    dataOf(picture()),
    place,
  )
  new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT })).observe(
    place,
  )
  for (const query of ["(prefers-color-scheme: dark)", "print"])
    matchMedia(query).addEventListener("change", () => chart.redraw(false, true))
  return chart
}

export const dataOf = ({ times, lines }: Picture): uPlot.AlignedData =>
  [times, ...lines.map(({ figures }) => figures)] as uPlot.AlignedData

/** Indexes of the figures that are drawn as dots, because no line shows them. */
const dots = (figures: Picture["lines"][number]["figures"], spansHoles: boolean) => {
  if (!spansHoles) return lonePlaces(figures)
  const known = [...figures.keys()].filter((at) => figures[at] !== null)
  return known.length === 1 ? known : []
}

/** The time axis at the bottom and the figures on the left. */
const axes = (format: (value: unknown) => string): Array<uPlot.Axis> => {
  const axis: uPlot.Axis = {
    stroke: () => color("--soft"),
    grid: { stroke: () => color("--rule"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
  }
  return [
    { ...axis, values: (_, ticks, __, ___, step) => ticks.map((each) => timeLabel(each, step)) },
    { ...axis, size: 62, values: (_, ticks) => ticks.map((each) => format(each)) },
  ]
}
