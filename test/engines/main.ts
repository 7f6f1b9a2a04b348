// Opens a published copy with older and newer versions of DuckDB, as BI tools and notebooks bring them, and compares what
// every view, macro and worked question holds with what today's version reads. node test/engines/main.ts FOLDER, where they are installed.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeExampleWarehouse } from "../../demo/exampleWarehouse.ts"
import { type Engine, enginesIn, today } from "./engines.ts"

type Content = Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>> | string>>

interface Reading {
  readonly version: string
  readonly asPublished: Content
  /** Macros and worked questions, where they are wanted. */
  readonly called: Content
  readonly madeAgain: Content
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const [installed = ""] = process.argv.slice(2)

const read = async (engine: Engine, file: string, hasCalls: boolean): Promise<Reading> =>
  JSON.parse(await engine.run("read", file, ...(hasCalls ? ["calls"] : []))) as Reading

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
  const expected = await read(today, file, true)
  const names = Object.keys(expected.asPublished)
  const empty = names.filter((name) => expected.asPublished[name]?.length === 0)
  print(`${names.length} views, ${empty.length} without rows: ${empty.join(", ")}`)
  let failed = names.length < 30 || Object.keys(expected.called).length < 40
  const engines = enginesIn(installed)
  // They take most of the time: the oldest and the newest engine read them.
  const readsAll = new Set([today, engines.at(0), engines.at(-1)])
  for (const engine of [today, ...engines]) {
    const hasCalls = readsAll.has(engine)
    const reading = engine === today ? expected : await read(engine, file, hasCalls)
    const parts = [
      ["views as published", expected.asPublished, reading.asPublished],
      ["views made again from the catalog", expected.asPublished, reading.madeAgain],
      ...(hasCalls
        ? ([["macros and worked questions", expected.called, reading.called]] as const)
        : []),
    ] as const
    for (const [what, wanted, there] of parts) {
      const wrong = Object.entries(wanted).flatMap(([name, content]) => {
        const found = difference(content, there[name])
        return found === undefined ? [] : [`  ${name}: ${found}`]
      })
      failed ||= wrong.length > 0
      const equal = Object.keys(wanted).length - wrong.length
      print([`${reading.version}, ${what}: ${equal} equal`, ...wrong].join("\n"))
    }
  }
  process.exitCode = failed ? 1 : 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}
