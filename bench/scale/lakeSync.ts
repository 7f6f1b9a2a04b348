// Syncs once into a lake and prints how long each of its commits held the lock: node lakeSync.ts URL DATA_DIR POSTGRES
// EXTENSIONS
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Catalog } from "../../src/load/storage/lake/Catalog.ts"
import { Warehouse } from "../../src/load/Warehouse.ts"
import { openWarehouse } from "../../src/pipelines/publication/warehouse.ts"
import { oneRun } from "../scripts/oneRun.ts"

const [baseUrl = "", dataDir = "", postgres = "", extensions = ""] = process.argv.slice(2)
const held: Array<{ readonly from: number; readonly to: number }> = []

// oxlint-disable-next-line typescript/unbound-method -- called with its own `this`
const { exclusively } = Catalog.prototype
Catalog.prototype.exclusively = function timed(this: Catalog, work) {
  let from = 0
  return exclusively
    .call(this, (turn) => {
      from = Date.now()
      return work(turn)
    })
    .finally(() => held.push({ from, to: Date.now() })) as ReturnType<typeof work>
}

const place = {
  dataDir,
  warehouse: Redacted.make(`ducklake:${postgres}`),
  lake: { data: join(dataDir, "lake"), extensions },
}
await oneRun({
  ...place,
  baseUrl,
  apiKey: Redacted.make("demo-admin-key"),
  // As many tasks as a worker handles at once.
  pace: { concurrency: 64 },
  pipelines: ["subaccount_summaries", "health_factors", "transactions", "ratio_history"],
})

// The tasks of one commit share its instant.
const commits = await Effect.runPromise(
  Effect.flatMap(Warehouse, ({ rows }) =>
    rows(`select epoch_ms(finished_at)::double as at, count(*)::double as tasks
          from ops.tasks group by finished_at`),
  ).pipe(Effect.provide(openWarehouse({ ...place, runId: "bench" })), Effect.scoped),
)
console.log(
  JSON.stringify(
    commits.flatMap(({ at, tasks }) => {
      const commit = held.find(({ from, to }) => from <= Number(at) && Number(at) <= to)
      return commit === undefined ? [] : [{ millis: commit.to - commit.from, tasks }]
    }),
  ),
)
