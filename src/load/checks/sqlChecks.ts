// The checks of warehouse/checks: each one SQL file that selects the rows that offend, and one YAML file that
// says what the rule is. A new check is those two files.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parse } from "yaml"
import { MartError } from "../marts.ts"
import { findWarehouseFolder } from "../warehouseFolder.ts"
import { instant } from "../sql.ts"
import type { Check, Scope } from "./Check.ts"

const Cell = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
const Rows = Schema.Array(Schema.Record(Schema.String, Cell))

/** Rows of the tables below it, and the rows that must then be found to offend. */
const CheckTest = Schema.Struct({
  name: Schema.NonEmptyString,
  /** UTC; without it the answer does not depend on the time. */
  now: Schema.optionalKey(Schema.NonEmptyString),
  given: Schema.Record(Schema.String, Rows),
  expect: Rows,
})
export type CheckTest = typeof CheckTest.Type

const Document = Schema.Struct({
  description: Schema.NonEmptyString,
  severity: Schema.Literals(["warn", "error"]),
  /** `$tolerance` of the SQL. */
  tolerance: Schema.optionalKey(Schema.Finite),
  /** Tables without whose rows there is nothing to judge. */
  needs: Schema.NonEmptyArray(Schema.NonEmptyString),
  tests: Schema.NonEmptyArray(CheckTest),
})

export interface SqlCheck extends Check {
  readonly tests: ReadonlyArray<CheckTest>
}

const decode = Schema.decodeUnknownResult(Document, { errors: "all", onExcessProperty: "error" })

const BEGINNING = 0

/** The SQL with `$since` and `$tolerance` as literals, which DuckDB can skip row groups by. */
const filled = (text: string, tolerance: number | undefined, { since }: Scope): string =>
  text
    .replaceAll("$since", instant(since ?? BEGINNING))
    .replaceAll("$tolerance", `${tolerance ?? 0}::double`)

/** Reads and checks `<directory>/<name>.sql` and `.yml`. Throws `MartError`, naming file and place. */
export const readCheck = (directory: string, name: string): SqlCheck => {
  const file = join(directory, `${name}.yml`)
  const text = readFileSync(join(directory, `${name}.sql`), "utf8").trim()
  const decoded = decode(parse(readFileSync(file, "utf8")))
  if (Result.isFailure(decoded)) {
    throw new MartError({ file, why: decoded.failure.message.trim(), cause: decoded.failure })
  }
  const { tolerance, ...document } = decoded.success
  if ((tolerance === undefined) === text.includes("$tolerance")) {
    throw new MartError({ file, why: "its tolerance and the SQL's $tolerance go together" })
  }
  return {
    ...document,
    name,
    tolerance: tolerance ?? null,
    isIncremental: text.includes("$since"),
    sql: (scope) => filled(text, tolerance, scope),
  }
}

export const checksDirectory: string = findWarehouseFolder("checks", import.meta.dirname)

const names = readdirSync(checksDirectory)
  .filter((file) => file.endsWith(".sql"))
  .map((file) => file.slice(0, -".sql".length))
  .toSorted()

/** Every check of warehouse/checks. The files are part of the package: a wrong one is a defect. */
export const sqlChecks: ReadonlyArray<SqlCheck> = names.map((name) =>
  readCheck(checksDirectory, name),
)
