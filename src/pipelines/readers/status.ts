// Everything `status` shows, from the published copy and the record of the last run.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { findWarehouseFolder } from "../../load/warehouseFolder.ts"
import { openPublishedCopy } from "../../load/PublishedCopy.ts"
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
  /** Swaps sent, of which nobody said what became. */
  readonly swaps: Rows
}

const parts = ["published", "freshness", "tables", "gaps", "quarantine", "drift"] as const

/** SQL of each part: warehouse/status/<part>.sql. */
export const readStatus = Effect.fnUntraced(function* (dataDir: string) {
  const folder = findWarehouseFolder("status", import.meta.dirname)
  const copy = yield* openPublishedCopy(dataDir)
  const rowsOf = (part: string) => copy.rows(readFileSync(join(folder, `${part}.sql`), "utf8"))
  const answers = yield* Effect.forEach(parts, (part) =>
    Effect.map(rowsOf(part), (rows) => [part, rows]),
  )
  // A copy published by an earlier version has no such table.
  const [journal] = yield* copy.rows(
    "select 1 from information_schema.tables where table_schema = 'core' and table_name = 'swaps'",
  )
  const now = yield* Clock.currentTimeMillis
  return {
    asOf: new Date(now).toISOString(),
    lastRun: yield* readLastRun(dataDir),
    swaps: journal === undefined ? [] : yield* rowsOf("swaps"),
    ...(Object.fromEntries(answers) as Record<(typeof parts)[number], Rows>),
  } satisfies Status
})
