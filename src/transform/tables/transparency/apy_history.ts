// core.apy_history: daily APY of every vault, raw and smoothed side by side.
import { boolean, field, integer } from "../../../domain/table/column.ts"
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { dayOf, formatDay, parseDay } from "../../../domain/values/time.ts"
import { namesOf } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { yaml } from "../../shapes/undeclared.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { envelopeRows } from "../response_envelopes.ts"
import { chainOfAddress, extra, vaultAddress } from "../shared.ts"

export const apyHistory: Table = {
  schema: "core",
  name: "apy_history",
  mode: "history",
  grain: "vault, day, smoothing and averaging window",
  comment:
    "Daily APY as published. The service smooths values with a rolling median and mean, so the newest values are revised for two windows.",
  source: "GET /platform/historical_apy/chart (§4.1, §2.9)",
  key: ["vault_address", "date", "is_smoothed", "averaging_period_days"],
  time: "date",
  columns: [
    vaultAddress,
    chainOfAddress,
    field.date("date", "Day of the value", { names: ["labels"], required: true }),
    boolean("is_smoothed", "Whether the service smoothed the series (applySmoothing)", {
      required: true,
    }),
    integer("averaging_period_days", "Averaging window of the request (averagingPeriodDays)", {
      unit: "days",
      required: true,
    }),
    field.double("apy", "Annualized yield; 0.0245 is 2.45%", {
      names: ["values"],
      unit: "fraction",
      // At -1 everything is lost; a percent in place of the fraction is above 2 as a rule.
      range: { from: -1 },
      plausible: { to: 2 },
    }),
    extra,
  ],
  example: "select date, apy from core.apy_history where is_smoothed order by date desc limit 30",
}

/** A variant of the series, which is part of the key. */
export interface ApySeries {
  readonly smoothing: boolean
  readonly averagingPeriodDays: number
}

/**
 * Days before those to be stored that are requested too. §4.1 does not say whether the service smooths a series before it cuts it
 * to `daysAgo`; if it cuts first, the first values are of fewer days than the others. A day more, in case a new one begins meanwhile.
 */
export const leadInDays = ({
  averagingPeriodDays,
}: Pick<ApySeries, "averagingPeriodDays">): number => 2 * averagingPeriodDays + 1

// Why: docs/decisions/0033-a-lead-in-for-smoothed-series.md
const AFTER_LEAD_IN = "after the lead-in"

/** The window of a task that stores the days from `from` on; without it, the whole history. */
export const apyWindow = (series: string, from: number | undefined): string =>
  `${series}, ${from === undefined ? "full" : `from ${formatDay(from)} ${AFTER_LEAD_IN}`}`

const windowWithLeadIn = new RegExp(`, (?:from (\\S+)|(\\d+) days) ${AFTER_LEAD_IN}$`)

/** The first day to be stored of a response; `undefined` for all of them, as of one that was requested without a lead-in. */
const firstDayOf = ({
  window = "",
  lineage,
}: Pick<Source<VaultRef>, "lineage" | "window">): number | undefined => {
  const [, from, days] = windowWithLeadIn.exec(window) ?? []
  // Windows of an earlier version name the days before that of the response.
  return days === undefined ? parseDay(from) : dayOf(lineage.receivedAt) - Number(days)
}

/**
 * One row for each label of the series that the inputs name, except for those of the lead-in. Fails if no declared field has a
 * value for each.
 */
export const apyHistoryRows = (
  chart: JsonObject & { readonly labels: ReadonlyArray<unknown> },
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { inputs, subject } = source
  const smoothed = inputs["applySmoothing"] === true
  const days = Number(inputs["averagingPeriodDays"])
  const first = firstDayOf(source)
  const isStored = (label: unknown): boolean =>
    first === undefined || (parseDay(label) ?? first) >= first
  const stored = [...chart.labels.entries()].filter(([, label]) => isStored(label))
  return Result.flatMap(valuesIn(chart, source), ({ name, values }) =>
    combined(
      mapRecords({
        table: apyHistory,
        records: stored.map(([index, label]) => ({ labels: label, [name]: values[index] })),
        source,
        computed: {
          vault_address: subject.address,
          chain_id: subject.chainId,
          is_smoothed: smoothed,
          averaging_period_days: days,
        },
        at: (row) => `$.labels[${stored[row]?.[0]}]`,
      }),
      envelopeRows("historical_apy_chart", chart, ["labels", name], source, {
        variant: `${smoothed ? "smoothed" : "unsmoothed"} ${days}d`,
        isPartOfList: true,
      }),
    ),
  )
}

interface Values {
  readonly name: string
  readonly values: ReadonlyArray<unknown>
}

/** The array with the values. The document withholds its name (§2.9), so another one is for the setting to say. */
const valuesIn = (
  chart: JsonObject & { readonly labels: ReadonlyArray<unknown> },
  source: Source<VaultRef>,
): Result.Result<Values, Violation> => {
  const { length } = chart.labels
  const names = namesOf(apyHistory, "apy", source)
  const name = names.find((each) => Array.isArray(chart[each])) ?? "values"
  const values = chart[name]
  if (Array.isArray(values) && values.length === length) return Result.succeed({ name, values })
  if (Array.isArray(values)) {
    return Result.fail({
      path: `$.${name}`,
      detail: `has ${values.length} values for ${length} labels`,
    })
  }
  if (length === 0) return Result.succeed({ name, values: [] })
  const candidates = Object.entries(chart).flatMap(([other, value]) =>
    other !== "labels" && Array.isArray(value) && value.length === length ? [other] : [],
  )
  return Result.fail({
    path: "$",
    detail: `has no array \`${names.join("`, `")}\` with the values of its labels; other arrays as long as labels: ${candidates.join(", ") || "none"}. The setting fields can name it, as \`apy_history.apy: <field>\``,
    ...(candidates.length === 0
      ? {}
      : { proposal: candidates.map((other) => `apy_history.apy: ${yaml(other)}`).join("\n") }),
  })
}
