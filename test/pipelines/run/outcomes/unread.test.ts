// Months of an outage in which every task of every run failed: the next run knows what is unread, in little memory.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { microsFromMillis } from "../../../../src/domain/values/time.ts"
import { openConnections } from "../../../../src/load/duckdb/connections.ts"
import { readRows } from "../../../../src/load/duckdb/readRows.ts"
import { CATALOG, literal } from "../../../../src/load/sql/sql.ts"
import type { Warehouse } from "../../../../src/load/Warehouse.ts"
import { createTable } from "../../../../src/load/tables/ddl.ts"
import { tasks } from "../../../../src/load/tables/ops/tasks.ts"
import { unreadPartitions } from "../../../../src/pipelines/run/unread.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"

const PARTITIONS = 100
const RUNS = 1500

// Hourly runs; of one partition the first runs were read.
const outage = `insert into ops.tasks by name
  select
    strftime(began_at, '%Y%m%dT%H%M%S') || '000Z-abcdef' as run_id,
    'pipeline_' || partition % 5 as pipeline,
    entity,
    'all' as "window",
    if(is_read, 'loaded', 'failed') as outcome,
    1 as requests,
    0 as rows_inserted,
    0 as rows_revised,
    0 as rows_unchanged,
    1 as seconds,
    if(is_read, null, 'DependencyFailed') as error_tag,
    if(is_read, null, 'GET https://service/' || entity || ': connect ECONNREFUSED 10.0.0.1:443, in ' || run) as error_text,
    began_at + to_milliseconds(partition) as finished_at
  from (
    select run, partition, '0x' || md5(partition::varchar) as entity, partition = 7 and run < 10 as is_read,
      timestamp '2026-03-01' + to_hours(run::integer) as began_at
    from range(${RUNS}) as runs (run), range(${PARTITIONS}) as partitions (partition)
  )`

it.live("a long outage takes no more memory than a run has", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const file = literal(join(folder, "tasks.duckdb"))
    const { reader } = yield* Effect.acquireRelease(
      Effect.promise(() =>
        openConnections(
          { memoryLimit: "72MB", threads: 2 },
          join(folder, "spill"),
          async (connection) => {
            await connection.run(`ATTACH ${file} AS ${CATALOG}; USE ${CATALOG}; CREATE SCHEMA ops`)
            await connection.run(createTable(tasks))
            await connection.run(`${outage}; CHECKPOINT`)
          },
        ),
      ),
      ({ close }) => Effect.promise(close),
    )
    const warehouse: Pick<Warehouse["Service"], "rows"> = {
      rows: (sql, parameters) => Effect.promise(() => readRows(reader, sql, parameters)),
    }
    const now = microsFromMillis(Date.parse("2026-05-20T00:00:00Z"))
    const unread = yield* unreadPartitions(warehouse, { now, full: false, fillGaps: false })
    const found = [0, 1, 2, 3, 4].flatMap((at) => [...unread(`pipeline_${at}`).values()])
    expect(found).toHaveLength(PARTITIONS)
    // Nothing waits while everything fails.
    expect(new Set(found.map((failing) => JSON.stringify(failing)))).toEqual(
      new Set([JSON.stringify({ errorTag: "DependencyFailed" })]),
    )
  }).pipe(Effect.scoped),
)
