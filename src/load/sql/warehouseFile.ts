// Reads the two files of a mart or check in warehouse/: its SQL, and a YAML file with its description and, at the end,
// its tests. A run skips the tests, which are half of the text.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parse } from "yaml"
import { causeMessage } from "../../domain/values/causeMessage.ts"

export class WarehouseFileError extends Data.TaggedError("WarehouseFileError")<{
  readonly file: string
  readonly why: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return `The file ${this.file} can't be used: ${this.why}. See docs/adding-a-mart.md.`
  }
}

const Cell = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
const Rows = Schema.Array(Schema.Record(Schema.String, Cell))

/** Rows of the tables that a mart or check reads, and the rows it must return. */
const WarehouseTest = Schema.Struct({
  name: Schema.NonEmptyString,
  /** The present time, UTC, for the whole test; absent if the result does not depend on it. */
  now: Schema.optionalKey(Schema.NonEmptyString),
  /** What a table macro is called with, in SQL, in the order of its parameters. */
  with: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
  given: Schema.Record(Schema.String, Rows),
  expect: Rows,
})
export type WarehouseTest = typeof WarehouseTest.Type

const Tests = Schema.Struct({ tests: Schema.NonEmptyArray(WarehouseTest) })

const readText = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    throw new WarehouseFileError({ file, why: "it can't be read", cause })
  }
}

const parsed = (file: string, text: string): unknown => {
  try {
    return parse(text)
  } catch (cause) {
    const why = causeMessage(cause)
    throw new WarehouseFileError({ file, why, cause })
  }
}

const decoded = <A>(schema: Schema.Codec<A, unknown>, file: string, text: string): A => {
  const result = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(
    parsed(file, text),
  )
  if (Result.isSuccess(result)) return result.success
  throw new WarehouseFileError({
    file,
    why: result.failure.message.trim(),
    cause: result.failure,
  })
}

/** The text above `tests:`, and from there on. */
const parts = (file: string): readonly [string, string] => {
  const text = readText(file)
  const at = text.search(/^tests:/m)
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at)]
}

export interface WarehouseFile<A> {
  readonly file: string
  readonly document: A
  readonly sql: string
}

/**
 * Reads `<directory>/<name>.sql` and its description in `<name>.yml`. Throws `WarehouseFileError`, naming file and
 * place.
 */
export const readWarehouseFile = <A>(
  directory: string,
  name: string,
  schema: Schema.Codec<A, unknown>,
): WarehouseFile<A> => {
  const file = join(directory, `${name}.yml`)
  const document = decoded(schema, file, parts(file)[0])
  return { file, document, sql: readText(join(directory, `${name}.sql`)).trim() }
}

/** The tests of `<directory>/<name>.yml`, at least one. Throws `WarehouseFileError`. */
export const readTests = (directory: string, name: string): ReadonlyArray<WarehouseTest> => {
  const file = join(directory, `${name}.yml`)
  return decoded(Tests, file, parts(file)[1]).tests
}
