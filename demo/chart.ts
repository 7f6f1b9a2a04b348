// The chart of the demo: one vault's collateral ratio, drawn in a terminal.
import asciichart from "asciichart"

/** The newest days of the vault with the longest history, newest first. */
export const chartQuestion = `
  select vault_name, day, collateral_ratio_close from mart.vault_daily
  where vault_address = (select vault_address from mart.vault_daily group by all
    order by count(collateral_ratio_close) desc, vault_address limit 1)
  and collateral_ratio_close is not null order by day desc limit 90`

type Row = Readonly<Record<string, unknown>>

// The scale on the left.
const SCALE_WIDTH = 11

/** The newest `days` that fit `width` columns; `undefined` where there is no day to draw. */
export const chart = (
  days: ReadonlyArray<Row>,
  width = Number.POSITIVE_INFINITY,
): string | undefined => {
  const series = days
    .slice(0, Math.max(2, width - SCALE_WIDTH))
    .map((day) => Number(day["collateral_ratio_close"]))
    .toReversed()
  const [newest] = days
  if (newest === undefined) return undefined
  const title = `${String(newest["vault_name"])}: collateral ratio at each day's close, last ${series.length} days`
  const plot = asciichart.plot(series, {
    height: 9,
    format: (value) => value.toFixed(4).padStart(9),
  })
  return `${title}\n\n${plot.replaceAll(/ +$/gm, "")}`
}
