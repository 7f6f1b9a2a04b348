// An answer turned on its side: a block per row, a line per column.
import { wrapped } from "./terminal.ts"

/** Values longer than the width go on below their beginning. */
export const sideways = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  width: number,
): string => {
  const label = names.reduce((max, name) => Math.max(max, name.length), 0) + 2
  const room = Math.max(20, width - label)
  const line = (name: string, value: string): string =>
    `${name}:`.padEnd(label) + wrapped(value, room).join(`\n${" ".repeat(label)}`)
  return rows
    .map((row) => names.map((name, at) => line(name, row[at] ?? "")).join("\n"))
    .join("\n\n")
}
