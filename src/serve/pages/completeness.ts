// How complete the series are: a calendar of the last year, and the missing points of one day.
import * as Effect from "effect/Effect"
import { parseDay } from "../../domain/time.ts"
import { sqlFile } from "../../pipelines/readers/published.ts"
import { calendar, type Level } from "../html/calendar.ts"
import type { Row } from "../html/columns.ts"
import { textColumn } from "../html/columns.ts"
import { count, percent } from "../html/figures.ts"
import { html, type Html, nothing } from "../html/html.ts"
import { tableSection } from "../html/table.ts"
import { dataPage } from "../links.ts"
import type { Site } from "../site.ts"

export interface Chosen {
  readonly vault?: string | undefined
  readonly series?: string | undefined
  /** `YYYY-MM-DD`. */
  readonly day?: string | undefined
}

const chosenValues = ({ vault, series }: Chosen) => ({
  vault_address: vault === undefined || vault === "" ? null : vault,
  series: series === undefined || series === "" ? null : series,
})

export const readCalendar = ({ latest }: Site, chosen: Chosen) =>
  latest.read((copy) =>
    Effect.gen(function* () {
      const choices = yield* copy.rows(sqlFile("serve", "data_choices"))
      const days = yield* copy.rows(sqlFile("serve", "data_days"), chosenValues(chosen))
      return html`<section aria-labelledby="completeness">
        <h2 id="completeness">Completeness</h2>
        ${choiceForm(choices, chosen)}
        ${
          days.length === 0
            ? html`<p class="empty">No point is expected.</p>`
            : calendar(
                "Days of the last year: the darker, the more of their points are missing",
                days.map((row) => calendarDay(row, chosen)),
                legend,
              )
        }
      </section>`
    }),
  )

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

const calendarDay = (row: Row, chosen: Chosen) => {
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
    label: `${day}: ${percent(present / expected, 1)} of ${count(expected)} points${absent.join("")}`,
    href: `${dataPage({ ...chosen, day })}#day`,
  }
}

const choiceForm = (choices: ReadonlyArray<Row>, { vault, series }: Chosen): Html => {
  const options = (kind: string, selected: string | undefined) =>
    choices
      .filter((choice) => choice["kind"] === kind)
      .map(
        ({ value, label }) =>
          html`<option value="${String(value)}" ${value === selected && html`selected`}>
            ${String(label)}
          </option>`,
      )
  return html`<form method="get" action="/data" class="actions">
    <label
      >Vault
      <select name="vault">
        <option value="">every vault</option>
        ${options("vault", vault)}
      </select></label
    >
    <label
      >Series
      <select name="series">
        <option value="">every series</option>
        ${options("series", series)}
      </select></label
    >
    <button>Show</button>
  </form>`
}

/** Nothing unless an existing day is chosen. */
export const readDay = ({ latest }: Site, chosen: Chosen) => {
  const day = parseDay(chosen.day)
  if (day === undefined) return Effect.succeed(nothing)
  return latest.read((copy) =>
    Effect.map(
      copy.rows(sqlFile("serve", "data_hours"), { ...chosenValues(chosen), day: { day } }),
      (rows) =>
        tableSection("day", `Absent points of ${String(chosen.day)}`, {
          caption:
            "Missing: a later run requests the point again. Empty: the service responded without it",
          rows,
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
        }),
    ),
  )
}
