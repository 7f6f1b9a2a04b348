// Reads the series of several vaults over a period, to be drawn over one another.
import * as Effect from "effect/Effect"
import { MILLIS_PER_HOUR, SECONDS_PER_DAY, SECONDS_PER_HOUR } from "../../domain/values/time.ts"
import { type PublishedCopy, sqlFile } from "../../pipelines/readers/published.ts"
import { secondsOf } from "../charts/charts.ts"
import { type Figures, pictureOf, type Picture } from "../charts/picture.ts"
import { compact, percent, ratio } from "../figures.ts"
import { type Vault, vaultName } from "../vaults.ts"

/** A figure of every vault over time. */
export interface ComparedChart {
  /** The SQL file `warehouse/serve/compare_<series>.sql`. */
  readonly series: string
  readonly title: string
  readonly format: (value: unknown) => string
  /** A level to draw if it is in sight. */
  readonly level: number
  /** Whether each line begins at 0, so that lines of different heights can be compared. */
  readonly isChange: boolean
  readonly isDaily: boolean
}

export const comparedCharts: ReadonlyArray<ComparedChart> = [
  {
    series: "ratio",
    title: "Collateral ratio, its lowest",
    format: ratio,
    level: 1,
    isChange: false,
    isDaily: false,
  },
  {
    series: "apy",
    title: "APY, smoothed",
    format: percent,
    level: 0,
    isChange: false,
    isDaily: true,
  },
  {
    series: "pnl",
    title: "Unrealized PnL since the first point, USD",
    format: compact,
    level: 0,
    isChange: true,
    isDaily: false,
  },
]

export interface Span {
  /** Milliseconds since 1970; the end is exclusive. */
  readonly fromAt: number
  readonly toAt: number
}

// More points would not be visible, and each is in the page's text.
const BUCKETS = 160

// The colour `--hue-8` is a grey for what is drawn together.
const HUES = 7

/** One picture for each chart; its lines are the vaults, in their order. */
export const readComparison = (
  copy: PublishedCopy,
  vaults: ReadonlyArray<Vault>,
  { fromAt, toAt }: Span,
) =>
  Effect.forEach(comparedCharts, (chart) => {
    const hours = Math.max(1, Math.ceil((toAt - fromAt) / MILLIS_PER_HOUR / BUCKETS))
    const sql = sqlFile("serve", `compare_${chart.series}`)
    const parameters = {
      vaults: vaults.map((vault) => String(vault["vault_address"])).join(" "),
      from_at: { micros: fromAt * 1000 },
      to_at: { micros: toAt * 1000 },
      width_seconds: hours * SECONDS_PER_HOUR,
    }
    return Effect.map(copy.rows(sql, parameters), (rows) => {
      const times = [...new Set(rows.map((row) => secondsOf(row["bucket_at"])))]
      const places = new Map(times.map((time, place) => [time, place]))
      const lines = new Map<string, Array<number | null>>()
      for (const row of rows) {
        const address = String(row["vault_address"])
        const line = lines.get(address) ?? times.map(() => null)
        line[places.get(secondsOf(row["bucket_at"])) ?? 0] = Number(row["figure"])
        lines.set(address, line)
      }
      const picture: Picture = pictureOf(
        times,
        chart.isDaily ? SECONDS_PER_DAY : hours * SECONDS_PER_HOUR,
        vaults.map((vault, at) => ({
          label: vaultName(vault),
          hue: (at % HUES) + 1,
          isDashed: at >= HUES,
          figures: lineOf(
            lines.get(String(vault["vault_address"])) ?? times.map(() => null),
            chart,
          ),
        })),
      )
      return [chart, picture] as const
    })
  })

const lineOf = (figures: Figures, { isChange }: ComparedChart): Figures => {
  const first = figures.find((figure) => figure !== null) ?? 0
  return isChange ? figures.map((each) => (each === null ? null : each - first)) : figures
}
