// A calendar as a table, with a row for each month, a column for each day of the month, and a shade for each day.
import { html, type Html } from "./html.ts"
import { table } from "./table.ts"

/** From 0 (complete) to 4 (nearly everything missing); `none` if the service does not have the absent points. */
export type Level = 0 | 1 | 2 | 3 | 4 | "none"

export interface CalendarDay {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly level: Level
  /** What the shade means, in words. */
  readonly label: string
  readonly href: string
}

const DAYS = Array.from({ length: 31 }, (_, at) => String(at + 1))

/** `legend` explains each level; `empty` is shown if there are no days. */
export const calendar = (
  caption: string,
  days: ReadonlyArray<CalendarDay>,
  legend: ReadonlyArray<readonly [Level, string]>,
  empty: string,
): Html => {
  const byDay = new Map(days.map((each) => [each.day, each]))
  return html`${table({
      caption,
      className: "calendar",
      rows: [...new Set(days.map(({ day }) => day.slice(0, 7)))].toReversed(),
      empty,
      columns: [
        { label: "Month", cell: (month) => month },
        ...DAYS.map((day) => ({
          label: day,
          cell: (month: string) => cell(byDay.get(`${month}-${day.padStart(2, "0")}`)),
        })),
      ],
    })}
    <ul class="legend">
      ${legend.map(([level, words]) => html`<li><span class="swatch level-${level}"></span>${words}</li>`)}
    </ul>`
}

// A complete day needs no attention and is not a link, so that the keyboard reaches the other days quickly.
const cell = (found: CalendarDay | undefined) => {
  if (found === undefined) return null
  const { level, label, href } = found
  const mark = html`<span class="hidden">${label}</span>`
  return level === 0
    ? html`<span class="day level-0" title="${label}">${mark}</span>`
    : html`<a class="day level-${level}" title="${label}" href="${href}">${mark}</a>`
}
