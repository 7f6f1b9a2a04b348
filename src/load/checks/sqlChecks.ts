// The checks of warehouse/checks: each has an SQL file that selects the offending rows, and a YAML file that states
// the rule. A new check is those two files.
import { readdirSync } from "node:fs"
import * as Schema from "effect/Schema"
import { readWarehouseFile, WarehouseFileError } from "../sql/warehouseFile.ts"
import { findWarehouseFolder } from "../sql/warehouseFolder.ts"
import { instant } from "../sql/sql.ts"
import type { Check, Scope } from "./Check.ts"

const Document = Schema.Struct({
  description: Schema.NonEmptyString,
  severity: Schema.Literals(["warn", "error"]),
  /** `$tolerance` of the SQL. */
  tolerance: Schema.optionalKey(Schema.Finite),
  /** Tables that must have rows, else there is nothing to check. */
  needs: Schema.NonEmptyArray(Schema.NonEmptyString),
})

const BEGINNING = 0

/** The SQL with `$since` and `$tolerance` as literals, so that DuckDB can skip row groups. */
const filled = (text: string, tolerance: number | undefined, { since }: Scope): string =>
  text
    .replaceAll("$since", instant(since ?? BEGINNING))
    .replaceAll("$tolerance", `${tolerance ?? 0}::double`)

/** Reads and checks `<directory>/<name>.sql` and `.yml`. Throws `WarehouseFileError`, naming file and place. */
const readCheck = (directory: string, name: string): Check => {
  const { file, document, sql } = readWarehouseFile(directory, name, Document)
  const { tolerance } = document
  if ((tolerance === undefined) === sql.includes("$tolerance")) {
    throw new WarehouseFileError({
      file,
      why: "it must have a tolerance if its SQL has $tolerance, and none otherwise",
    })
  }
  return {
    ...document,
    name,
    tolerance: tolerance ?? null,
    isIncremental: sql.includes("$since"),
    sql: (scope) => filled(sql, tolerance, scope),
  }
}

export const checksDirectory: string = findWarehouseFolder("checks", import.meta.dirname)

const names = readdirSync(checksDirectory)
  .filter((file) => file.endsWith(".sql"))
  .map((file) => file.slice(0, -".sql".length))
  .toSorted()

/** Every check of warehouse/checks. The files are part of the package: a wrong one is a defect. */
export const sqlChecks: ReadonlyArray<Check> = names.map((name) => readCheck(checksDirectory, name))
