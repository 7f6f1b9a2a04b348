// What a data directory has after a run, in a form that two of them can be compared in.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import {
  allColumns,
  storedKey,
  storedTables,
  type Table,
  tableName,
} from "../../src/domain/table/table.ts"
import { literal } from "../../src/load/sql/sql.ts"
import { coreTables } from "../../src/pipelines/pipelines.ts"

/** Of the rows of a table: which there are besides, and which are missing. */
export interface Difference {
  readonly table: string
  readonly more: ReadonlyArray<string>
  readonly less: ReadonlyArray<string>
}

export interface StoredTask {
  readonly pipeline: string
  readonly entity: string
  readonly window: string
  readonly outcome: string
  readonly tag: string | null
  readonly text: string | null
  readonly requests: number
}

export interface Stored {
  /** Rows by table, as JSON, and ` ×2` if there are two of them; of runs, only what they found. */
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>
  /** Those that are current. */
  readonly current: ReadonlyMap<string, ReadonlySet<string>>
  /** The newest run's. */
  readonly tasks: ReadonlyArray<StoredTask>
  /** Pipelines with days that no run has read. */
  readonly gaps: ReadonlySet<string>
  readonly quarantined: ReadonlySet<string>
  /** Rows that have the key of another, as JSON, by their table. */
  readonly repeated: ReadonlyArray<string>
}

/**
 * Columns that are not of the platform but of the run that read it: they differ between two runs without a fault.
 * Of a table, or `*` of all.
 */
const ofRuns: Readonly<Record<string, ReadonlyArray<string>>> = {
  // When a version was seen.
  "*": ["valid_from", "valid_to"],
  // Each response is a new calculation, with an id and an instant of its own (§2.3).
  health_factors: ["health_factor_id", "calculated_at"],
}

const isOfRun = (table: Table, name: string): boolean =>
  name.startsWith("_") ||
  ofRuns["*"]!.includes(name) ||
  (ofRuns[table.name.replace(/_versions$/, "")] ?? []).includes(name)

const tables = coreTables.flatMap(storedTables)

const instance = DuckDBInstance.create(":memory:", { threads: "1" })

const nothing: Stored = {
  rows: new Map(),
  current: new Map(),
  tasks: [],
  gaps: new Set(),
  quarantined: new Set(),
  repeated: [],
}

/** What a data directory has. */
export const storedIn = (dataDir: string): Effect.Effect<Stored> =>
  Effect.promise(async () => {
    if (!existsSync(join(dataDir, "vaulthouse.duckdb"))) return nothing
    const connection = await (await instance).connect()
    const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
    try {
      await connection.run(
        `attach ${literal(join(dataDir, "vaulthouse.duckdb"))} as stored (read_only)`,
      )
      await connection.run("use stored")
      const rowsOf = async (table: Table, condition = "") => {
        const columns = allColumns(table).flatMap(({ name, isIncidental }) =>
          isOfRun(table, name) || isIncidental === true || name === "is_current"
            ? []
            : [`"${name}"`],
        )
        const found = await read(
          `select to_json(t)::varchar as row, count(*)::double as times
           from (select ${columns.join(", ")} from ${tableName(table)} ${condition}) t group by row`,
        )
        // A run that reads no calculation of the service has one fewer, which nothing but its id tells from the others.
        const isCounted = !(table.name in ofRuns)
        return new Set(
          found.map(({ row, times }) =>
            times === 1 || !isCounted ? String(row) : `${String(row)} ×${String(times)}`,
          ),
        )
      }
      const rows = new Map<string, ReadonlySet<string>>()
      const current = new Map<string, ReadonlySet<string>>()
      for (const table of tables) {
        const all = await rowsOf(table)
        rows.set(tableName(table), all)
        if (table.mode === "slowly_changing")
          current.set(tableName(table), await rowsOf(table, "where is_current"))
        else if (table.mode === "history") current.set(tableName(table), all)
      }
      const repeated: Array<string> = []
      for (const table of tables) {
        const key = storedKey(table).map((name) => `"${name}"`)
        const found = await read(
          `select to_json(t)::varchar as row from (
             select ${key.join(", ")} from ${tableName(table)} group by all having count(*) > 1) t`,
        )
        repeated.push(...found.map(({ row }) => `${tableName(table)} ${String(row)}`))
      }
      const newest = "(select max(run_id) from ops.runs)"
      const tasks = await read(
        `select pipeline, entity, "window", outcome, error_tag as tag, error_text as text, requests::double as requests
         from ops.tasks where run_id = ${newest} order by all`,
      )
      const gaps = await read(`select distinct pipeline from ops.gaps where state = 'open'`)
      const quarantined = await read(
        `select distinct pipeline from ops.quarantine where closed_at is null`,
      )
      return {
        rows,
        current,
        tasks: tasks as unknown as ReadonlyArray<StoredTask>,
        gaps: new Set(gaps.map(({ pipeline }) => String(pipeline))),
        quarantined: new Set(quarantined.map(({ pipeline }) => String(pipeline))),
        repeated,
      }
    } finally {
      await connection.run("use memory; detach database if exists stored")
      connection.closeSync()
    }
  })
