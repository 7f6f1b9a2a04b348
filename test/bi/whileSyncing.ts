// Older engines read the published copy, in Node and through JDBC, while syncs run one after the other over a service that
// revises its history: nobody meets a lock, and what anybody sees is one publication, as its own file has it.
// node whileSyncing.ts INSTALLED SCRATCH [JDBC driver]
import { type ChildProcess, execFile, spawn } from "node:child_process"
import assert from "node:assert/strict"
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { DuckDBInstance } from "@duckdb/node-api"
import { startSimulator } from "../../simulator/index.ts"

const ROUNDS = 3

const [installed = "", scratch = "", driver] = process.argv.slice(2)
const here = import.meta.dirname
const folder = join(scratch, "while-syncing")
const published = join(folder, "data/published")
mkdirSync(folder)
writeFileSync(join(folder, "vaulthouse.config.yaml"), "publishedKeep: { copies: 100, days: 7 }\n")
const figures = readFileSync(join(here, "whileSyncing.sql"), "utf8")

// The last round ends with this hour.
const HOUR_MS = 3_600_000
const began = (Math.floor(Date.now() / HOUR_MS) - ROUNDS) * HOUR_MS
const at = (round: number): string => new Date(began + round * HOUR_MS).toISOString()
const simulator = await startSimulator({ vaults: 3, days: 30, now: at(0), slowReadMs: 0 })
const sync = async (): Promise<void> => {
  await promisify(execFile)(
    join(here, "../../bin/vaulthouse"),
    ["sync", "ratio_history", "pnl_history", "--base-url", simulator.url, "--log-format", "json"],
    { cwd: folder, maxBuffer: 1 << 26 },
  )
}

const file = join(published, "vaulthouse.duckdb")
const java = (how: string): ReadonlyArray<string> =>
  driver === undefined
    ? []
    : ["java", "-cp", driver, join(here, "ReadAgain.java"), file, figures, how]
const node = (how: string): ReadonlyArray<string> => [
  process.execPath,
  join(here, "readAgain.js"),
  installed,
  file,
  figures,
  how,
]

interface Reader {
  readonly name: string
  readonly process: ChildProcess
  /** Standard output and the exit code. */
  readonly ended: Promise<readonly [string, number | null]>
}

const start = (name: string, [command = "", ...args]: ReadonlyArray<string>): Reader => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
  const exit = once(child, "exit") as Promise<[number | null]>
  const ended = Promise.all([text(child.stdout), exit.then(([code]) => code)])
  return { name, process: child, ended }
}

const readers: Array<Reader> = []
try {
  await sync()
  readers.push(
    start("DuckDB 1.4.2, opened again", node("again")),
    start("DuckDB 1.4.2, held open", node("held")),
  )
  if (driver !== undefined) {
    readers.push(start("JDBC, opened again", java("again")), start("JDBC, held open", java("held")))
  }
  for (let round = 1; round <= ROUNDS; round += 1) {
    simulator.patch({ now: at(round), revision: round })
    await sync()
  }

  const known = new Set<string>()
  for (const name of readdirSync(published).filter((each) =>
    /^vaulthouse-.*\.duckdb$/.test(each),
  )) {
    const instance = await DuckDBInstance.create(join(published, name), {
      access_mode: "READ_ONLY",
    })
    const connection = await instance.connect()
    known.add(String((await connection.runAndReadAll(figures)).getRows()[0]?.[0]))
    connection.closeSync()
    instance.closeSync()
  }
  assert.equal(known.size, ROUNDS + 1, "every run has published something else")

  for (const reader of readers) {
    reader.process.stdin?.end()
    const [output, code] = await reader.ended
    const lines = output.trim().split("\n")
    const seen = new Set(lines)
    assert.equal(code, 0, reader.name)
    for (const line of seen) assert.ok(known.has(line), `${reader.name} read ${line}`)
    if (reader.name.includes("held")) assert.equal(seen.size, 1, reader.name)
    else assert.ok(seen.size >= 2, `${reader.name} saw ${seen.size} publications`)
    process.stdout.write(`${reader.name}: ${lines.length} readings of ${seen.size} publications\n`)
  }
} finally {
  for (const reader of readers) reader.process.kill()
  await simulator.close()
}
