// A shell of questions: several lines until a semicolon, history kept between sessions.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface, type Interface } from "node:readline/promises"
import * as Effect from "effect/Effect"
import type { PublishedCopy } from "../../pipelines/published.ts"
import { askAndPrint, type Printing } from "./askAndPrint.ts"

const HISTORY = 1000
const HELP = `End a question with a semicolon. Also: .tables, .help, .quit\n`

const tables = `select table_schema || '.' || table_name as "table" from information_schema.tables
  where table_schema in ('core', 'mart', 'ops', 'raw') order by all`

export const shell = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  printing: Printing,
  dataDir: string,
) {
  const file = join(dataDir, ".query_history")
  const terminal = yield* Effect.acquireRelease(
    Effect.sync(() => openTerminal(file)),
    (opened) => Effect.sync(() => opened.close()),
  )
  // Lines pasted together wait here for their turn.
  const lines = terminal[Symbol.asyncIterator]()
  process.stdout.write(`Read-only shell over the published copy. ${HELP}`)
  let pending = ""
  for (;;) {
    const line = yield* readLine(terminal, lines, pending === "" ? "vaulthouse> " : "        ... ")
    if (line === undefined || line.trim() === ".quit") return
    const command = line.trim()
    if (pending === "" && command.startsWith(".")) {
      if (command === ".tables") yield* answer(copy, tables, printing)
      else process.stdout.write(command === ".help" ? HELP : `There is no ${command}. ${HELP}`)
      continue
    }
    pending += `${line}\n`
    if (!command.endsWith(";")) continue
    yield* answer(copy, pending, printing)
    pending = ""
  }
})

/** A question DuckDB refuses is told about, and the shell goes on. */
const answer = (copy: PublishedCopy, sql: string, printing: Printing) =>
  askAndPrint(copy, sql, printing).pipe(
    Effect.catch((error) => Effect.sync(() => process.stderr.write(`${error.message}\n`))),
  )

const openTerminal = (file: string): Interface => {
  const history = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []
  const opened = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: true,
    history,
    historySize: HISTORY,
    removeHistoryDuplicates: true,
  })
  opened.on("history", (lines: ReadonlyArray<string>) => {
    writeFileSync(file, lines.join("\n"), { mode: 0o600 })
  })
  return opened
}

/** `undefined` at Ctrl-D. */
const readLine = (terminal: Interface, lines: AsyncIterator<string>, prompt: string) =>
  Effect.promise(async () => {
    terminal.setPrompt(prompt)
    terminal.prompt()
    const next = await lines.next()
    return next.done === true ? undefined : next.value
  })
