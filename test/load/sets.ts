// A history of sets, the protocols of a day, for tests of what becomes of members.
import type { Rows, Table } from "../../src/domain/table/table.ts"
import { type RowValues, rowsOf } from "./sample.ts"

export const holdings: Table = {
  schema: "core",
  name: "holdings",
  mode: "history",
  grain: "vault, day and protocol",
  comment: "Holdings",
  source: "a test",
  key: ["vault_address", "day", "protocol"],
  mergeKey: ["vault_address", "day"],
  time: "day",
  columns: [
    { name: "vault_address", type: "text", required: true, comment: "Vault" },
    { name: "day", type: "date", required: true, comment: "Day" },
    { name: "protocol", type: "text", required: true, comment: "Protocol" },
    { name: "value", type: "double", comment: "Value" },
  ],
  example: "select 1",
}

export const holding = (day: number, protocol: string, value: number): RowValues => ({
  vault_address: "a",
  day,
  protocol,
  value,
})

/** What a response received at `at` says of the protocols of a day. */
export const holdingsOn = (
  day: number,
  at: number,
  members: Readonly<Record<string, number>>,
): Rows =>
  rowsOf(
    holdings,
    Object.entries(members).map(([protocol, value]) => holding(day, protocol, value)),
    at,
  )
