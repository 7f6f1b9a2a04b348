// Shows how complete the series are: a calendar of the last year or another period, and the missing points of one day.
import * as Effect from "effect/Effect"
import { parseDay } from "../../domain/values/time.ts"
import { UsageError } from "../../domain/UsageError.ts"
import { ReadError, sqlFile } from "../../pipelines/readers/published.ts"
import { calendar, type Level } from "../html/calendar.ts"
import { choice } from "../html/choice.ts"
import { type Row, textColumn } from "../html/columns.ts"
import { completePart, count } from "../figures.ts"
import { html, type Html, nothing } from "../html/html.ts"
import type { TableSection } from "../html/table.ts"
import { dataPage } from "../links.ts"
import { lastDays, periodOf, type PeriodText } from "../periods/period.ts"
import { periodForm } from "../periods/periodForm.ts"
import { computedRead } from "../runQuery.ts"
import { type Site, sqlSection } from "../site.ts"

/** The parameters of the page's address. */
export interface Selection extends PeriodText {
  readonly vault?: string | undefined
  readonly series?: string | undefined
  /** `YYYY-MM-DD`. */
  readonly day?: string | undefined
}

const queryParameters = ({ vault, series }: Selection) => ({
  vault_address: vault === undefined || vault === "" ? null : vault,
  series: series === undefined || series === "" ? null : series,
})

// Of the calendar where the address has no period.
const CALENDAR_DAYS = 365

export const readCalendar = Effect.fnUntraced(function* (site: Site, selection: Selection) {
  const { choices, days: all } = yield* site.completeness
  const unknown = (["vault", "series"] as const).find(
    (kind) =>
      (selection[kind] ?? "") !== "" &&
      !choices.some((each) => each["kind"] === kind && each["value"] === selection[kind]),
  )
  if (unknown !== undefined) {
    const why = `There is no ${unknown} ${String(selection[unknown])}.`
    return yield* new UsageError({ why, advice: "/data lists them." })
  }
  const parameters = queryParameters(selection)
  const { whole } = yield* site.overview
  const period = yield* periodOf(selection, whole, CALENDAR_DAYS)
  const isChosen = (selection.from ?? selection.to ?? "") !== ""
  const isOfAll = parameters.vault_address === null && parameters.series === null
  const isOfYear = period.from >= lastDays(whole.to, CALENDAR_DAYS).from
  const read = isOfYear ? site.latest.read : computedRead(site.latest, site.limits)
  const days =
    isOfAll && isOfYear
      ? all.filter(
          ({ day }) => !isChosen || (String(day) >= period.from && String(day) <= period.to),
        )
      : yield* read((copy) =>
          copy.rows(sqlFile("serve", "data_days"), {
            ...parameters,
            from_day: isChosen ? { day: parseDay(period.from) ?? 0 } : null,
            to_day: isChosen ? { day: parseDay(period.to) ?? 0 } : null,
          }),
        )
  const { vault, series } = selection
  const others = Object.entries({ vault, series }).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value] as const],
  )
  return html`<section aria-labelledby="completeness">
    <h2 id="completeness">Completeness</h2>
    ${choiceForm(choices, selection)}
    ${periodForm({ path: "/data", others, period, whole, anchor: "#completeness" })}
    ${calendar(
      `Days of ${isChosen ? `${period.from} to ${period.to}` : "the last year"}: the darker, the more of their points are missing`,
      days.map((row) => calendarDay(row, selection)),
      legend,
      "No point is expected.",
    )}
  </section>`
})

const legend: ReadonlyArray<readonly [Level, string]> = [
  [0, "complete"],
  [1, "less than 2 % missing"],
  [2, "less than 20 %"],
  [3, "less than 80 %"],
  [4, "80 % or more"],
  ["none", "absent: the service has none"],
]

const levelOf = (missingShare: number, notOffered: number): Level => {
  if (missingShare === 0) return notOffered === 0 ? 0 : "none"
  return missingShare < 0.02 ? 1 : missingShare < 0.2 ? 2 : missingShare < 0.8 ? 3 : 4
}

const calendarDay = (row: Row, selection: Selection) => {
  const day = String(row["day"])
  const [expected, present, missing, notOffered] = [
    row["expected"],
    row["present"],
    row["missing"],
    row["not_offered"],
  ].map(Number) as [number, number, number, number]
  const absent = [
    ...(missing === 0 ? [] : [`, ${count(missing)} missing`]),
    ...(notOffered === 0 ? [] : [`, ${count(notOffered)} that the service does not have`]),
  ]
  return {
    day,
    level: levelOf(missing / expected, notOffered),
    label: `${day}: ${completePart(present / expected, 1)} of ${count(expected)} points${absent.join("")}`,
    href: `${dataPage({ ...selection, day })}#hours`,
  }
}

const choiceForm = (choices: ReadonlyArray<Row>, { vault, series, ...given }: Selection): Html => {
  const options = (kind: string) =>
    choices
      .filter((each) => each["kind"] === kind)
      .map(({ value, label }): readonly [string, string] => [String(value), String(label)])
  return html`<form method="get" action="/data" class="actions">
    ${choice("Vault", "vault", "every vault", options("vault"), vault)}
    ${choice("Series", "series", "every series", options("series"), series)}
    ${(["from", "to"] as const).map((name) => given[name] !== undefined && html`<input type="hidden" name="${name}" value="${given[name]}" />`)}
    <button>Show</button>
  </form>`
}

/** The absent points of the selected day, if one is selected. */
export const readDay = (site: Site, selection: Selection) => {
  if ((selection.day ?? "") === "") return Effect.succeed(nothing)
  const day = parseDay(selection.day)
  return day === undefined
    ? Effect.fail(
        new ReadError({
          why: `day=${String(selection.day)} is not a day such as 2026-05-31.`,
          advice: "Choose one in the calendar.",
        }),
      )
    : sqlSection(site, "data", "hours", absentPoints(String(selection.day)), {
        ...queryParameters(selection),
        day: { day },
      })
}

const absentPoints = (day: string): TableSection<Row> => ({
  title: `Absent points of ${day}`,
  caption: "Missing: a later run requests the point again. Empty: the service responded without it",
  empty: "Every expected point is there.",
  columns: [
    textColumn("Vault", "vault_name", "vault_address"),
    textColumn("Series", "series"),
    textColumn("State", "state"),
    {
      label: "Hours",
      cell: ({ hours, period }) =>
        period === "day" || !Array.isArray(hours) ? "the day" : hours.join(", "),
    },
  ],
})
