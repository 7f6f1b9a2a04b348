// One of several processes that share a lake; runs the commands that its parent sends, one after the other:
// fork("lakeProcess.ts", [JSON of LakeProcess])
import * as Effect from "effect/Effect"
import type { Column } from "../../src/domain/table/column.ts"
import { lakeOf, type LakeProcess, type Command, type Reply } from "./lake.ts"
import {
  batchOf,
  commitTogether,
  reading,
  readings,
  rows,
  rowsOf,
  sampleTables,
} from "../load/sample.ts"

const options = JSON.parse(process.argv[2] ?? "{}") as LakeProcess
const { dataDir, runId, clockAheadMillis = 0, addedColumn } = options

// Before anything reads the time.
const now = Date.now
Date.now = () => now() + clockAheadMillis

const { ducklake } = await import("../../src/load/storage/lake/ducklake.ts")
const { Warehouse } = await import("../../src/load/Warehouse.ts")
const { endDeadRuns } = await import("../../src/pipelines/run/endDeadRuns.ts")
const { transaction } = await import("../../src/load/duckdb/transaction.ts")

const added: Column = { name: addedColumn ?? "", type: "double", comment: "Added" }
const tables =
  addedColumn === undefined
    ? sampleTables
    : sampleTables.map((table) =>
        table === readings ? { ...table, columns: [...table.columns, added] } : table,
      )

const next = (): Promise<Command> => new Promise((resolve) => process.once("message", resolve))

const say = (reply: Reply): void => void process.send?.(reply)

/** Rows that no response gave: they are dated by the clock of the warehouse. */
const undated = ({ readings: values }: Extract<Command, { name: "commit" }>) => {
  const found = values.map(([vault, at, value]) => reading(vault, at, value))
  return batchOf([{ ...rowsOf(readings, found), lineage: null }])
}

const execute = Effect.fnUntraced(function* (command: Command) {
  const warehouse = yield* Warehouse
  switch (command.name) {
    case "commit":
      return yield* commitTogether([undated(command)])
    case "rows":
      return yield* rows(command.sql)
    case "start":
      yield* endDeadRuns({ dataDir })
      return yield* warehouse.startRun({ command: "test", version: "test" })
    case "finish":
      return yield* warehouse.finishRun("complete")
    case "hold":
      return yield* warehouse.exclusively("Holding the turn", (session) =>
        transaction(session, async () => {
          await session.connection.run("INSERT INTO core.latest VALUES ('held', 1)")
          say({ holds: true })
          await next()
        }),
      )
  }
})

const work = Effect.gen(function* () {
  const { openedAt, clock } = yield* Warehouse
  say({ result: { openedAt, now: clock.currentTimeMillisUnsafe() } })
  for (;;) {
    const command = yield* Effect.promise(next)
    const result = yield* Effect.result(execute(command))
    say(
      result._tag === "Success"
        ? { result: result.success ?? null }
        : { error: result.failure.message },
    )
  }
})

await Effect.runPromise(
  Effect.provide(
    work,
    Warehouse.layer({ dataDir, tables, runId, storage: ducklake(lakeOf(options)) }),
  ),
).catch((error: unknown) => say({ error: error instanceof Error ? error.message : String(error) }))
