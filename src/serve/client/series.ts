// A series as the API returns it: a list for each column, and the stretch of time that it covers.
import type { Period } from "./period.ts"

export interface Series extends Period {
  readonly bucketSeconds: number
  readonly columns: Readonly<Record<string, ReadonlyArray<unknown>>>
}

/** Seconds since 1970 of an ISO-8601 instant or day, UTC. */
export const secondsOf = (text: unknown): number => Date.parse(String(text)) / 1000

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

export type ReadSeries = (
  period: Period | undefined,
  buckets: number,
  signal?: AbortSignal,
) => Promise<Series>

/** The whole series without a period; rejects with the server's own words. */
export const fetchSeries =
  (path: string): ReadSeries =>
  async (period, buckets, signal) => {
    const query = new URLSearchParams({ buckets: String(Math.max(200, Math.round(buckets))) })
    if (period !== undefined) {
      query.set("from", iso(period.from))
      query.set("to", iso(period.to))
    }
    const response = await fetch(
      `${path}?${query.toString()}`,
      signal === undefined ? {} : { signal },
    )
    if (!response.ok) throw new Error(await response.text())
    const { from, to, bucket_seconds, columns } = (await response.json()) as {
      readonly from: string
      readonly to: string
      readonly bucket_seconds: number
      readonly columns: Series["columns"]
    }
    return { from: secondsOf(from), to: secondsOf(to), bucketSeconds: bucket_seconds, columns }
  }

export const numbers = ({ columns }: Series, column: string): ReadonlyArray<number | null> =>
  (columns[column] ?? []).map((value) => (value === null ? null : Number(value)))

const SECONDS_PER_DAY = 86_400

/** Instants of the points, and what belongs to them; a stretch without points becomes a hole in the lines. */
export const withHoles = (
  series: Series,
  timeColumn: string,
  lists: ReadonlyArray<ReadonlyArray<number | null>>,
): readonly [Array<number>, ...Array<Array<number | null>>] => {
  const step = timeColumn === "day" ? SECONDS_PER_DAY : series.bucketSeconds
  const times: Array<number> = []
  const values: Array<Array<number | null>> = lists.map(() => [])
  for (const [at, text] of (series.columns[timeColumn] ?? []).entries()) {
    const time = secondsOf(text)
    const last = times.at(-1)
    if (last !== undefined && time - last > 1.5 * step) {
      times.push(last + step)
      for (const list of values) list.push(null)
    }
    times.push(time)
    for (const [index, list] of lists.entries()) values[index]?.push(list[at] ?? null)
  }
  return [times, ...values]
}
