// Tables of every mode and column type, batches for them, and a warehouse in a folder of its own.
import * as Effect from "effect/Effect"
import type { Batch, TaskRecord } from "../../src/domain/run/outcome.ts"
import type { Column, Value } from "../../src/domain/table/column.ts"
import type { Rows, Table } from "../../src/domain/table/table.ts"
import { responses } from "../../src/load/tables/raw/responses.ts"
import { Warehouse, type WarehouseOptions } from "../../src/load/Warehouse.ts"

const key: Column = {
  name: "vault_address",
  type: "text",
  required: true,
  comment: "Vault",
}

const common = {
  schema: "core",
  grain: "vault and hour",
  source: "a test",
  example: "select 1",
} as const

/** History by hour, with a column of every type. */
export const readings: Table = {
  ...common,
  name: "readings",
  mode: "history",
  comment: "Readings",
  key: ["vault_address", "observed_at"],
  time: "observed_at",
  columns: [
    key,
    { name: "observed_at", type: "timestamp", unit: "UTC", required: true, comment: "Hour" },
    { name: "value", type: "double", unit: "USD", comment: "It's a value", fields: ["val"] },
    { name: "count", type: "integer", comment: "Count" },
    { name: "flag", type: "boolean", comment: "Flag" },
    { name: "day", type: "date", comment: "Day" },
    { name: "note", type: "text", comment: "Note" },
    { name: "amount", type: "amount", comment: "Raw token amount" },
    { name: "extra", type: "json", comment: "The rest" },
  ],
}

export const descriptions: Table = {
  ...common,
  name: "descriptions",
  mode: "slowly_changing",
  comment: "Descriptions",
  key: ["vault_address"],
  columns: [
    key,
    { name: "title", type: "text", comment: "Title" },
    { name: "fee", type: "double", comment: "Fee" },
  ],
}

export const latest: Table = {
  ...common,
  name: "latest",
  mode: "replace",
  comment: "Latest",
  key: ["vault_address"],
  columns: [key, { name: "value", type: "double", comment: "Value" }],
}

export const once: Table = {
  ...common,
  name: "once",
  mode: "first",
  comment: "Once",
  key: ["vault_address", "day"],
  time: "day",
  columns: [
    key,
    { name: "day", type: "date", required: true, comment: "Day" },
    { name: "value", type: "double", comment: "Value" },
  ],
}

export const sampleTables = [readings, descriptions, latest, once]

export type RowValues = Readonly<Record<string, Value>>

// Each response is later than the one before, also across processes.
let received = 0
const next = (): number => (received = Math.max(received + 1, Date.now() * 1000))

export const rowsOf = (
  table: Table,
  rows: ReadonlyArray<RowValues>,
  receivedAt = next(),
): Rows => ({
  table,
  columns: table.columns.map(({ name }) => rows.map((row) => row[name] ?? null)),
  length: rows.length,
  lineage: { responseId: `response-${rows.length}`, receivedAt },
})

const HOUR = 3_600_000_000
// 2024-01-31T12:00Z: a dozen hours on begins another month.
const START = 1_706_702_400_000_000

export const hour = (count: number): number => START + count * HOUR

export interface Reading extends RowValues {
  readonly vault_address: string
  readonly observed_at: number
}

export const reading = (vault: string, at: number, value: number | null): Reading => ({
  vault_address: vault,
  observed_at: hour(at),
  value,
})

let window = 0

/** A batch that records a task, as those of a run do. */
export type TaskBatch = Batch & { readonly task: TaskRecord }

/** A landed batch of its own task. */
export const batchOf = (
  rows: ReadonlyArray<Rows>,
  overrides: Partial<TaskBatch> = {},
): TaskBatch => ({
  task: {
    pipeline: "sample",
    entity: "-",
    window: `w${(window += 1)}`,
    outcome: "landed",
    requests: 1,
    seconds: 0.5,
  },
  rows,
  bookkeeping: [],
  ...overrides,
})

/** Rows that another run read, as a replay commits them. */
export const replayed = (runId: string, rows: ReadonlyArray<Rows>): Batch => ({
  rows,
  bookkeeping: [],
  runId,
})

export const readingsBatch = (
  rows: ReadonlyArray<RowValues>,
  overrides: Partial<TaskBatch> = {},
): TaskBatch => batchOf([rowsOf(readings, rows)], overrides)

/** A row of the archive's index, as every task that got a response has one. */
export const indexRows = (responseId: string): Rows => {
  const text = { endpoint: "e", method: "GET", url: "u", body_sha256: "0", archive_file: "f" }
  const numbers = { status: 200, bytes: 0, archive_offset: 0, archive_length: 0 }
  const receivedAt = next()
  return rowsOf(responses, [
    { response_id: responseId, run_id: "run-1", received_at: receivedAt, ...text, ...numbers },
  ])
}

/** Runs `work` on a warehouse that is opened for it and closed after it. */
export const inWarehouse = <A, E>(
  dataDir: string,
  work: Effect.Effect<A, E, Warehouse>,
  options: Partial<WarehouseOptions> = {},
) =>
  Effect.provide(
    work,
    Warehouse.layer({ dataDir, tables: sampleTables, runId: "run-1", ...options }),
  )

export const commit = (batch: Batch) => Effect.flatMap(Warehouse, (it) => it.commit(batch))

/** Commits all at once, so that they share transactions. */
export const commitTogether = (batches: ReadonlyArray<Batch>) =>
  Effect.forEach(batches, commit, { concurrency: "unbounded" })

export const rows = (sql: string) => Effect.flatMap(Warehouse, (it) => it.rows(sql))
