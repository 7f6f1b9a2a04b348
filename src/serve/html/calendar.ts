// A calendar as a table: a row for each month, a column for each day, each day in one of a few shades and with its figure.
import { html, type Html } from "./html.ts"

/** From 0, complete, to 4, nearly nothing there; `none` where what is absent can't be had. */
export type Level = 0 | 1 | 2 | 3 | 4 | "none"

export interface CalendarDay {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly level: Level
  /** What the shade stands for, in words. */
  readonly label: string
  readonly href: string
}

const DAYS = Array.from({ length: 31 }, (_, at) => at + 1)

/** `legend` says what each level stands for. */
export const calendar = (
  caption: string,
  days: ReadonlyArray<CalendarDay>,
  legend: ReadonlyArray<readonly [Level, string]>,
): Html => {
  const byDay = new Map(days.map((each) => [each.day, each]))
  const months = [...new Set(days.map(({ day }) => day.slice(0, 7)))].toReversed()
  return html`<div class="scroll" tabindex="0">
    <table class="calendar">
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">Month</th>
          ${DAYS.map((day) => html`<th scope="col">${day}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${months.map(
          (month) =>
            html`<tr>
              <th scope="row">${month}</th>
              ${DAYS.map((day) => cell(byDay.get(`${month}-${String(day).padStart(2, "0")}`)))}
            </tr>`,
        )}
      </tbody>
    </table>
    <ul class="legend">
      ${legend.map(([level, words]) => html`<li><span class="swatch level-${level}"></span>${words}</li>`)}
    </ul>
  </div>`
}

// A complete day needs no attention: it is no link, so that the keyboard reaches the others quickly.
const cell = (found: CalendarDay | undefined): Html => {
  if (found === undefined) return html`<td></td>`
  const { level, label, href } = found
  const mark = html`<span class="hidden">${label}</span>`
  return html`<td class="level-${level}" title="${label}">
    ${level === 0 ? mark : html`<a href="${href}">${mark}</a>`}
  </td>`
}
