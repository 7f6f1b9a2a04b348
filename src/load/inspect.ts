// How the warehouse is, without touching it: for `doctor`, which may come while a run is going on.
import { existsSync } from "node:fs"
import { DuckDBInstance } from "@duckdb/node-api"
import { databaseFile } from "./storage/duckdbFile.ts"
import { type Holder, lockHolder } from "./LockFile.ts"
import { convert } from "./readRows.ts"
import { literal } from "./sql.ts"

export type Condition =
  | { readonly state: "absent" }
  | {
      readonly state: "held"
      readonly by: Holder
    }
  | {
      readonly state: "opens"
      readonly tables: number
      /** The newest record of ops.runs, as `run_id (command): outcome`. */
      readonly lastRun: string | undefined
    }
  | { readonly state: "broken"; readonly why: string }

const question = `
  select (select count(*)::double from information_schema.tables
          where table_catalog = 'inspected' and table_type = 'BASE TABLE') as tables,
    (select run_id || ' (' || command || '): ' || coalesce(outcome, 'did not end')
     from inspected.ops.runs order by run_id desc limit 1) as last_run`

/** Opens the file read-only. Never fails: what is wrong with it is the answer. */
export const inspectWarehouse = async (dataDir: string): Promise<Condition> => {
  const file = databaseFile(dataDir)
  const holder = await lockHolder(dataDir)
  if (holder !== undefined) return { state: "held", by: holder }
  if (!existsSync(file)) return { state: "absent" }
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  try {
    await connection.run(`ATTACH ${literal(file)} AS inspected (READ_ONLY)`)
    const [row] = (await connection.runAndReadAll(question)).convertRowObjects(convert)
    const last = row?.["last_run"]
    return {
      state: "opens",
      tables: Number(row?.["tables"]),
      lastRun: typeof last === "string" ? last : undefined,
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    return { state: "broken", why: why.split("\n")[0] ?? "" }
  } finally {
    // An open connection would keep the file, and its lock, until it is collected.
    connection.closeSync()
    instance.closeSync()
  }
}
