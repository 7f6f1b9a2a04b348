// The condition of the warehouse, found without changing it: for `doctor`, which may run during a sync.
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import type { Table } from "../../domain/table/table.ts"
import { databaseError, isOfCatalog, LoadError } from "../errors.ts"
import { sqlFile } from "../sql/sqlFile.ts"
import { fingerprintOf } from "../tables/warehouseLayout.ts"
import { OWN_SECRETS } from "../duckdb/connections.ts"
import { convert } from "../duckdb/readRows.ts"
import type { Condition } from "./Storage.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"

/** `attach` attaches it read-only as `inspected`, if there is one. Never fails: an error becomes the result. */
export const inspect = async (
  tables: ReadonlyArray<Table>,
  attach: (connection: DuckDBConnection) => Promise<boolean>,
): Promise<Condition> => {
  const instance = await DuckDBInstance.create(":memory:", OWN_SECRETS)
  const connection = await instance.connect()
  try {
    if (!(await attach(connection))) return { state: "absent" }
    const made = await connection.runAndReadAll(sqlFile("status", "is_made"))
    if (made.currentRowCount === 0) return { state: "absent" }
    const found = await connection.runAndReadAll(sqlFile("status", "inspection"))
    const [row] = found.convertRowObjects(convert)
    const last = row?.["last_run"]
    return {
      state: "opens",
      tables: Number(row?.["tables"]),
      lastRun: typeof last === "string" ? last : undefined,
      isCurrent: row?.["layout"] === fingerprintOf(tables),
    }
  } catch (cause) {
    return broken(cause)
  } finally {
    // An open connection would keep the file, and its lock, until it is collected.
    connection.closeSync()
    instance.closeSync()
  }
}

export const broken = (cause: unknown): Condition => {
  if (cause instanceof LoadError) {
    return { state: "broken", why: `${cause.what}: ${cause.why}`, advice: cause.advice }
  }
  if (isOfCatalog(cause)) {
    const { why, advice } = databaseError("Inspecting the lake", cause)
    return { state: "broken", why, advice }
  }
  const why = causeMessage(cause)
  return { state: "broken", why: why.split("\n")[0] ?? "" }
}
