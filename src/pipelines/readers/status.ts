// Everything `status` shows, from the published copy and the state of the last run.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { findWarehouseFolder } from "../../load/warehouseFolder.ts"
import { openPublishedCopy, publishedFile } from "../../load/PublishedCopy.ts"
import { type LastRun, readLastRun } from "../run/lastRun.ts"

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

export interface Status {
  readonly asOf: string
  readonly lastRun: LastRun | undefined
  readonly published: Rows
  readonly freshness: Rows
  readonly tables: Rows
  readonly gaps: Rows
  readonly quarantine: Rows
  readonly drift: Rows
  /** Swaps that were sent and whose outcome is not known. */
  readonly swaps: Rows
}

const parts = ["published", "freshness", "tables", "gaps", "quarantine", "drift", "swaps"] as const

type Parts = Record<(typeof parts)[number], Rows>

/** SQL of each part: warehouse/status/<part>.sql. Before the first publication there is only the last run. */
export const readStatus = Effect.fnUntraced(function* (dataDir: string, memoryLimit?: string) {
  const folder = findWarehouseFolder("status", import.meta.dirname)
  const lastRun = yield* readLastRun(dataDir)
  const isPublished = existsSync(publishedFile(dataDir))
  const copy =
    isPublished || lastRun === undefined
      ? yield* openPublishedCopy(dataDir, memoryLimit)
      : undefined
  const rows = yield* Effect.forEach(parts, (part) =>
    copy === undefined
      ? Effect.succeed([])
      : copy.rows(readFileSync(join(folder, `${part}.sql`), "utf8")),
  )
  return {
    asOf: new Date(yield* Clock.currentTimeMillis).toISOString(),
    lastRun,
    ...(Object.fromEntries(parts.map((part, at) => [part, rows[at] ?? []])) as Parts),
  } satisfies Status
})
