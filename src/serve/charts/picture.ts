// The data of a chart, independent of how it is rendered: client/plot.ts draws it on a page, html/svgChart.ts in a
// report.
import { SECONDS_PER_DAY } from "../../domain/values/time.ts"
import { instant } from "../figures.ts"

export type Figures = ReadonlyArray<number | null>

export interface Line {
  readonly label: string
  /** One for each time; null leaves a hole in the line. */
  readonly figures: Figures
  /** The number of a colour in base.css, `--hue-1` to `--hue-8`. */
  readonly hue: number
  /** The edge of an area, not drawn as a line. */
  readonly isEdge?: boolean
  /** To tell it apart from another line of the same colour. */
  readonly isDashed?: boolean
}

export interface Picture {
  /** Seconds since 1970, UTC, ascending. */
  readonly times: ReadonlyArray<number>
  readonly lines: ReadonlyArray<Line>
  /** Areas between two lines, given by their indexes in `lines`; without a lower line, the area reaches down to 0. */
  readonly areas: ReadonlyArray<{ readonly upper: number; readonly lower?: number }>
  /** Stretches of time to shade. */
  readonly shaded: ReadonlyArray<readonly [from: number, to: number]>
}

/** Inserts a hole wherever two times are more than one step apart. */
export const pictureOf = (
  instants: ReadonlyArray<number>,
  step: number,
  lines: ReadonlyArray<Line>,
  areas: Picture["areas"] = [],
): Picture => {
  const times: Array<number> = []
  const places: Array<number> = []
  for (const [place, time] of instants.entries()) {
    const last = times.at(-1)
    if (last !== undefined && time - last > 1.5 * step) {
      times.push(last + step)
      places.push(-1)
    }
    times.push(time)
    places.push(place)
  }
  const placed = lines.map((line) => ({
    ...line,
    figures: places.map((place) => line.figures[place] ?? null),
  }))
  return { times, lines: placed, areas, shaded: [] }
}

/** The value of a line at a time; in a stacked chart, without the lines below it. */
export const figureAt = ({ lines, areas }: Picture, line: number, at: number): number | null => {
  const figure = lines[line]?.figures[at] ?? null
  const area = areas.find(({ upper }) => upper === line)
  if (figure === null || lines[line]?.isEdge === true || area?.lower === undefined) return figure
  return figure - (lines[area.lower]?.figures[at] ?? 0)
}

/** Indexes of the figures between two holes, which a line does not show. */
export const lonePlaces = (figures: Figures): Array<number> => {
  const hasValue = (at: number): boolean => (figures[at] ?? null) !== null
  return [...figures.keys()].filter((at) => hasValue(at) && !hasValue(at - 1) && !hasValue(at + 1))
}

/** The range of the axis: the visible values with some padding (a flat line has some too), always including `base`. */
export const rangeOf = (low: number, high: number, base: number | undefined): [number, number] => {
  const from = Math.min(low, base ?? low)
  const to = Math.max(high, base ?? high)
  const padding = (to - from || Math.abs(to) || 1) * 0.06
  return [from === base ? from : from - padding, to === base ? to : to + padding]
}

/** Formats an instant, in seconds since 1970, as precisely as the distance between two ticks requires. */
export const timeLabel = (seconds: number, step: number): string => {
  const text = new Date(seconds * 1000).toISOString()
  if (step >= 365 * SECONDS_PER_DAY) return text.slice(0, 4)
  if (step >= 28 * SECONDS_PER_DAY) return text.slice(0, 7)
  return step >= SECONDS_PER_DAY || seconds % SECONDS_PER_DAY === 0
    ? text.slice(5, 10)
    : text.slice(11, 16)
}

/** A note for a chart with a single dot, which looks like an error but is normal in a new warehouse. */
export const noteOf = ({ times: [first, ...others] }: Picture): string | undefined =>
  first === undefined || others.length > 0
    ? undefined
    : `One point, at ${instant(new Date(first * 1000).toISOString())}: a line needs two.`
