// Fetches a series of a vault, or a stretch of it, from the server.
import { secondsOf, type Series } from "../charts/charts.ts"
import type { Period } from "./period.ts"

export interface Stretch extends Series, Period {}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** Reads the whole series if no period is given; rejects with the server's message. */
export type ReadSeries = (
  period: Period | undefined,
  buckets: number,
  signal?: AbortSignal,
) => Promise<Stretch>

export const fetchSeries =
  (path: string): ReadSeries =>
  async (period, buckets, signal) => {
    const query = new URLSearchParams({
      buckets: String(Math.max(200, Math.round(buckets))),
      ...(period && { from: iso(period.from), to: iso(period.to) }),
    })
    // The path may have the instant of a past state.
    const address = `${path}${path.includes("?") ? "&" : "?"}${query.toString()}`
    const response = await fetch(address, signal && { signal })
    if (!response.ok) throw new Error(await response.text())
    const { from, to, bucket_seconds, columns } = (await response.json()) as {
      readonly from: string
      readonly to: string
      readonly bucket_seconds: number
      readonly columns: Series["columns"]
    }
    return { from: secondsOf(from), to: secondsOf(to), bucketSeconds: bucket_seconds, columns }
  }
