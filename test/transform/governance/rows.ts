// A source for mappings about a vault, and their rows as records.
import * as Result from "effect/Result"
import type { Value } from "../../../src/domain/table/column.ts"
import type { Rows, Table } from "../../../src/domain/table/table.ts"
import type { VaultRef } from "../../../src/domain/subject/vault.ts"
import type { Violation } from "../../../src/domain/wire/violation.ts"
import type { MappedResponse, Source } from "../../../src/transform/Source.ts"

export const vault: VaultRef = {
  address: "0x00000000000000000000000000000000000000aa",
  wireAddress: "0x00000000000000000000000000000000000000AA",
  chainId: 8453,
  kind: "evm",
  startedOn: undefined,
}

export const source: Source<VaultRef> = {
  lineage: { responseId: "r1", receivedAt: 1_780_000_000_000_000 },
  subject: vault,
  inputs: {},
  timeFields: [],
}

type MappingResult = Result.Result<MappedResponse, Violation>

export const rowsOf = (mapped: MappingResult, table: Table): Rows => {
  const found = Result.getOrThrow(mapped).rows.find((each) => each.table === table)
  if (found === undefined) throw new Error(`no rows of ${table.name}`)
  return found
}

/** Rows as objects, `json` columns parsed. */
export const recordsOf = (
  mapped: MappingResult,
  table: Table,
): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const { columns, length } = rowsOf(mapped, table)
  return Array.from({ length }, (_, row) =>
    Object.fromEntries(
      table.columns.map(({ name, type }, at) => {
        const value: Value = columns[at]?.[row] ?? null
        return [name, type === "json" && typeof value === "string" ? JSON.parse(value) : value]
      }),
    ),
  )
}

/** Path and error of each rejected record. */
export const rejectedOf = (mapped: MappingResult): ReadonlyArray<string> =>
  (Result.isFailure(mapped) ? [mapped.failure] : mapped.success.rejected).map(
    ({ path, detail }) => `${path} ${detail}`,
  )

/** The key of each row, as text. */
export const keysOf = (mapped: MappingResult, table: Table): ReadonlyArray<string> =>
  recordsOf(mapped, table).map((record) => JSON.stringify(table.key.map((name) => record[name])))
