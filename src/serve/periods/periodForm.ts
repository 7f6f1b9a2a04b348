// The choice of a period: links to periods of usual lengths, and fields for any other. It works without scripts.
import { fieldValue, html, type Html } from "../html/html.ts"
import { withParameters } from "../links.ts"
import { type Days, daysBefore, lastDays, type Period } from "./period.ts"

const lengths: ReadonlyArray<readonly [days: number, label: string]> = [
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
  [365, "1 year"],
]

export interface PeriodForm {
  /** The page's path, and what else is in its address. */
  readonly path: string
  readonly others: ReadonlyArray<readonly [name: string, value: string]>
  readonly period: Period
  /** The days of everything on record. */
  readonly whole: Days
  /** The place on the page that a link leads to. */
  readonly anchor?: string
}

export const periodForm = ({ path, others, period, whole, anchor = "" }: PeriodForm): Html => {
  const href = ({ from, to }: Days): string =>
    `${withParameters(path, [...others, ["from", from], ["to", to]])}${anchor}`
  const choices = [
    ...lengths
      .filter(([days]) => daysBefore(whole.to, days - 1) > whole.from)
      .map(([days, label]) => [lastDays(whole.to, days), label] as const),
    [whole, "All"] as const,
  ]
  const isShown = ({ from, to }: Days): boolean => from === period.from && to === period.to
  return html`<form method="get" action="${path}" class="actions period" aria-label="Period">
    ${choices.map(([days, label]) => html`<a class="button" href="${href(days)}" data-from="${days.from}" data-to="${days.to}" ${isShown(days) && html` aria-current="true"`}>${label}</a>`)}
    ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${fieldValue(value)}" />`)}
    <label>From <input type="date" name="from" value="${period.from}" required /></label>
    <label>To <input type="date" name="to" value="${period.to}" required /></label>
    <button>Show</button>
  </form>`
}
