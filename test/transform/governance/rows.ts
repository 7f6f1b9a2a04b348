// A source for mappings about a vault, and their rows as records.
import type { Rows, Table, Value } from "../../../src/domain/table.ts"
import type { VaultRef } from "../../../src/domain/vault.ts"
import type { MappedAnswer, Source } from "../../../src/transform/Source.ts"

export const vault: VaultRef = {
  address: "0x00000000000000000000000000000000000000aa",
  served: "0x00000000000000000000000000000000000000AA",
  chainId: 8453,
  kind: "evm",
  startedOn: undefined,
}

export const source: Source<VaultRef> = {
  origin: { responseId: "r1", receivedAt: 1_780_000_000_000_000 },
  subject: vault,
  inputs: {},
  timeFields: [],
}

export const rowsOf = ({ rows }: MappedAnswer, table: Table): Rows => {
  const found = rows.find((each) => each.table === table)
  if (found === undefined) throw new Error(`no rows of ${table.name}`)
  return found
}

/** Rows as objects, `json` columns parsed. */
export const recordsOf = (
  mapped: MappedAnswer,
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

/** The key of each row, as text. */
export const keysOf = (mapped: MappedAnswer, table: Table): ReadonlyArray<string> =>
  recordsOf(mapped, table).map((record) => JSON.stringify(table.key.map((name) => record[name])))
