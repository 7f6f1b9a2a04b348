// A published copy of an older version, which lacks columns and tables, is read until the next publication.
import { cpSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { publishedDirectory } from "../../../src/load/published/read/PublishedCopy.ts"
import { countChanges, readChanges, spanOf } from "../../../src/pipelines/readers/diff.ts"
import { openPublishedCopy } from "../../../src/pipelines/readers/openPublishedCopy.ts"
import { openReader } from "../../../src/pipelines/readers/published.ts"
import { readRunHistory } from "../../../src/pipelines/readers/runs.ts"
import { incompleteTables } from "../../../src/pipelines/readers/storedColumns.ts"
import { readAsOf, readerAsOf } from "../../../src/serve/asOf/asOf.ts"
import { get, startServer } from "../../serve/support.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { changeFile, runOnce } from "../../support/warehouseRun.ts"

it.live("differences and past states are read of a copy that an older version published", () =>
  Effect.gen(function* () {
    const [published, older] = [yield* temporaryFolder, yield* temporaryFolder]
    const { url } = yield* simulated({ vaults: 2, days: 2, now: "2026-06-01T12:00:00Z" })
    const pipelines = ["vaults", "withdrawals"]
    yield* runOnce(url, published, { api: asAdmin, pipelines, publish: { parquet: undefined } })
    const limits = { memoryLimit: "300MB", diskLimit: "100MB" }
    const now = Date.now()
    const latest =
      "select vault_name, pending_withdrawal_requests from mart.vault_latest order by all"

    /** What readers get of a copy. */
    const read = Effect.fnUntraced(function* (dataDir: string) {
      const copy = yield* openPublishedCopy(dataDir)
      const history = yield* readRunHistory(copy, dataDir)
      const [run] = history.runs
      if (run === undefined) throw new Error("no run")
      const span = spanOf(history, run, undefined)
      const options = { table: undefined, vault: undefined }
      const summaries = { table: "withdrawal_summaries", vault: undefined }
      const reader = yield* openReader(dataDir, limits)
      const then = readerAsOf(reader, yield* readAsOf(reader, now * 1000))
      const page = yield* get(
        `${yield* startServer(dataDir)}/?as-of=${new Date(now).toISOString()}`,
      )
      return {
        lacked: (yield* incompleteTables(copy)).map(({ name }) => name),
        changes: yield* countChanges(copy, span, options),
        summaries: yield* readChanges(copy, span, summaries, 10),
        latest: yield* then.rows(latest),
        queue: yield* then.rows("from mart.withdrawal_queue order by all"),
        unread: yield* then.rows(
          "select unread_requests from core.withdrawal_summaries where unread_requests is not null",
        ),
        fees: yield* then.rows("from core.fees"),
        page: page.status,
      }
    }, Effect.scoped)

    const current = yield* read(published)
    expect(current).toMatchObject({ lacked: [], unread: [], fees: [], page: 200 })
    expect(current.latest).toHaveLength(2)
    expect(current.summaries).toHaveLength(2)
    cpSync(published, older, { recursive: true, verbatimSymlinks: true })
    const directory = publishedDirectory(older)
    for (const file of readdirSync(directory).filter((name) => name.endsWith(".duckdb"))) {
      yield* changeFile(
        join(directory, file),
        "alter table core.withdrawal_summaries drop column if exists unread_requests",
        "drop table if exists core.fees",
      )
    }
    expect(yield* read(older)).toEqual({
      ...current,
      lacked: expect.arrayContaining(["core.withdrawal_summaries", "core.fees"]),
    })
  }),
)
