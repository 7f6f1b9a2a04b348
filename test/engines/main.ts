// Opens a published copy with older versions of DuckDB, as BI tools bring them, and compares what every view holds with
// what today's version reads. node test/engines/main.ts FOLDER, where the engines of `engines` are installed.
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { makeExampleWarehouse } from "../../demo/exampleWarehouse.ts"

type Content = Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>> | string>>

interface Reading {
  readonly version: string
  readonly asPublished: Content
  readonly madeAgain: Content
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const [installed = ""] = process.argv.slice(2)
const engines = ["duckdb-1.1", "duckdb-1.2", "duckdb-1.3", "duckdb-1.4"]

const read = async (from: string, name: string, file: string): Promise<Reading> => {
  const script = join(import.meta.dirname, "read.js")
  const { stdout } = await promisify(execFile)(process.execPath, [script, from, name, file], {
    maxBuffer: 1 << 30,
  })
  return JSON.parse(stdout) as Reading
}

/** Sums may be added up in another order. */
const isSame = (one: unknown, other: unknown): boolean =>
  typeof one === "number" && typeof other === "number"
    ? Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other))
    : JSON.stringify(one) === JSON.stringify(other)

/** Without the last digits, which may differ, so that equal rows are in the same place. */
const place = (row: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(row, (_, value: unknown) =>
    typeof value === "number" ? value.toPrecision(6) : value,
  )

const difference = (expected: Content[string] | undefined, found: Content[string] | undefined) => {
  if (expected === undefined || typeof expected === "string") return `today's engine: ${expected}`
  if (found === undefined || typeof found === "string") return found ?? "it is missing"
  if (expected.length !== found.length) return `${found.length} rows, not ${expected.length}`
  const order = (rows: typeof expected) =>
    rows.toSorted((one, other) => place(one).localeCompare(place(other)))
  const sorted = order(found)
  for (const [at, row] of order(expected).entries()) {
    const other = sorted[at] ?? {}
    const column = Object.keys(row).find((name) => !isSame(row[name], other[name]))
    if (column !== undefined) {
      return `${column} is ${JSON.stringify(other[column])}, not ${JSON.stringify(row[column])}`
    }
  }
  return undefined
}

const folder = mkdtempSync(join(tmpdir(), "vaulthouse-engines-"))
try {
  const example = await makeExampleWarehouse(folder)
  await example.close()
  const file = join(folder, "stopped-clock.duckdb")
  const today = await read(import.meta.filename, "@duckdb/node-api", file)
  const names = Object.keys(today.asPublished)
  const empty = names.filter((name) => today.asPublished[name]?.length === 0)
  print(`${names.length} views, ${empty.length} without rows: ${empty.join(", ")}`)
  let failed = names.length < 30
  for (const engine of [undefined, ...engines]) {
    const reading =
      engine === undefined ? today : await read(join(installed, "package.json"), engine, file)
    for (const part of ["asPublished", "madeAgain"] as const) {
      const wrong = names.flatMap((name) => {
        const found = difference(today.asPublished[name], reading[part][name])
        return found === undefined ? [] : [`  ${name}: ${found}`]
      })
      failed ||= wrong.length > 0
      const what = part === "asPublished" ? "as published" : "made again from the catalog"
      print(
        [`${reading.version} ${what}: ${names.length - wrong.length} equal`, ...wrong].join("\n"),
      )
    }
  }
  process.exitCode = failed ? 1 : 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}
