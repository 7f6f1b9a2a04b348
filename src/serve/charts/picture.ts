// What is drawn of a chart, independent of where: client/plot.ts draws it in a page, html/svgChart.ts in a report.
import { instant } from "../figures.ts"

export type Figures = ReadonlyArray<number | null>

export interface Line {
  readonly label: string
  /** One for each time; null is a hole. */
  readonly figures: Figures
  /** Which of the colours `--hue-1` to `--hue-8` of style.css. */
  readonly hue: number
  /** The edge of an area, not drawn as a line. */
  readonly isEdge?: boolean
}

export interface Picture {
  /** Seconds since 1970, UTC, in order. */
  readonly times: ReadonlyArray<number>
  readonly lines: ReadonlyArray<Line>
  /** Between two lines, by their places; down to 0 without a lower one. */
  readonly areas: ReadonlyArray<{ readonly upper: number; readonly lower?: number }>
  /** Stretches of time to shade. */
  readonly shaded: ReadonlyArray<readonly [from: number, to: number]>
}

/** With holes where more than one step lies between two times. */
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

/** What a line stands for at one of the times: in a stack, not what lies below. */
export const figureAt = ({ lines, areas }: Picture, line: number, at: number): number | null => {
  const figure = lines[line]?.figures[at] ?? null
  const area = areas.find(({ upper }) => upper === line)
  if (figure === null || lines[line]?.isEdge === true || area?.lower === undefined) return figure
  return figure - (lines[area.lower]?.figures[at] ?? 0)
}

/** Places of the figures between two holes: a line does not show them. */
export const lonePlaces = (figures: Figures): Array<number> => {
  const isThere = (at: number): boolean => (figures[at] ?? null) !== null
  return [...figures.keys()].filter((at) => isThere(at) && !isThere(at - 1) && !isThere(at + 1))
}

/** Of the axis: the figures in sight with a little room, which a flat line has too; `base` is always in sight. */
export const rangeOf = (low: number, high: number, base: number | undefined): [number, number] => {
  const from = Math.min(low, base ?? low)
  const to = Math.max(high, base ?? high)
  const room = (to - from || Math.abs(to) || 1) * 0.06
  return [from === base ? from : from - room, to === base ? to : to + room]
}

const SECONDS_PER_DAY = 86_400

/** As much of an instant, seconds since 1970, as the distance between two marks needs. */
export const timeLabel = (seconds: number, step: number): string => {
  const text = new Date(seconds * 1000).toISOString()
  if (step >= 365 * SECONDS_PER_DAY) return text.slice(0, 4)
  if (step >= 28 * SECONDS_PER_DAY) return text.slice(0, 7)
  return step >= SECONDS_PER_DAY || seconds % SECONDS_PER_DAY === 0
    ? text.slice(5, 10)
    : text.slice(11, 16)
}

/** A single dot looks like a fault, but is normal in a new warehouse. */
export const noteOf = ({ times: [first, ...others] }: Picture): string | undefined =>
  first === undefined || others.length > 0
    ? undefined
    : `One point, at ${instant(new Date(first * 1000).toISOString())}: a line needs two.`
