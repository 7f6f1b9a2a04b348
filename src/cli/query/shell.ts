// A shell of questions: several lines until a semicolon, completion, history kept between sessions.
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface, type Interface } from "node:readline/promises"
import type { Readable, Writable } from "node:stream"
import * as Effect from "effect/Effect"
import type { PublishedCopy } from "../../pipelines/readers/published.ts"
import { askAndPrint, type Printing } from "./askAndPrint.ts"
import { readCatalog } from "./catalog.ts"
import { complete } from "./completion.ts"
import { parametersIn } from "./declared.ts"
import { runShellCommand } from "./shellCommands.ts"
import { splitStatements } from "./statements.ts"

const HISTORY = 1000
const GREETING =
  "Read-only shell over the published copy. End a question with a semicolon; .help helps.\n"

/** A process, or a test's streams in its place. */
export interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
}

/** Questions may hold what nobody else should read: the file is the user's own. */
export const historyFile = (dataDir: string): string => join(dataDir, ".query_history")

/** Goes on until `.quit` or Ctrl-D. */
export const shell = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  printing: Printing,
  history: string,
  streams: Streams,
) {
  const catalog = yield* readCatalog(copy)
  let pending = ""
  const terminal = yield* Effect.acquireRelease(
    Effect.sync(() => openTerminal(streams, history, (line) => complete(catalog, pending, line))),
    (opened) => Effect.sync(() => opened.close()),
  )
  const { stdout } = streams
  let isAsking = false
  let isOpen = true
  // Ctrl-D may be typed while a question runs; what was typed before it is still answered.
  terminal.on("close", () => {
    isOpen = false
  })
  // Ctrl-C ends the question: the one that runs, or the one being typed.
  terminal.on("SIGINT", () => {
    if (isAsking) return copy.interrupt()
    stdout.write("^C\n")
    pending = ""
    // As if nothing had been typed on this line either.
    terminal.write(null, { ctrl: true, name: "e" })
    terminal.write(null, { ctrl: true, name: "u" })
    terminal.setPrompt(PROMPT)
    terminal.prompt()
  })
  // Lines pasted together wait here for their turn.
  const lines = terminal[Symbol.asyncIterator]()
  stdout.write(GREETING)
  for (;;) {
    if (isOpen) {
      terminal.setPrompt(pending === "" ? PROMPT : CONTINUED)
      terminal.prompt()
    }
    const line = yield* readLine(lines)
    if (line === undefined) return
    const command = line.trim()
    if (pending === "" && command.startsWith(".")) {
      if (command === ".quit" || command === ".exit") return
      stdout.write(runShellCommand(catalog, command))
      continue
    }
    if (pending === "" && /^(exit|quit|\\q)\s*;?$/i.test(command)) {
      stdout.write("`.quit` or Ctrl-D ends the shell.\n")
      continue
    }
    const { statements, rest } = splitStatements(`${pending}${line}\n`)
    pending = rest
    for (const statement of statements) {
      isAsking = true
      yield* answer(copy, statement, printing, streams)
      isAsking = false
    }
  }
})

const PROMPT = "vaulthouse> "
const CONTINUED = "        ... "

/** A question DuckDB refuses is told about, and the shell goes on. */
const answer = (copy: PublishedCopy, sql: string, printing: Printing, streams: Streams) =>
  askAndPrint(
    copy,
    sql,
    { ...printing, parameters: parametersIn(sql, printing.parameters) },
    streams.stdout,
  ).pipe(
    Effect.catch(({ why }) =>
      Effect.sync(() =>
        streams.stderr.write(
          why.includes("INTERRUPT") ? "The question was stopped.\n" : `${why}\n`,
        ),
      ),
    ),
  )

const openTerminal = (
  { stdin, stdout }: Streams,
  file: string,
  completer: (line: string) => [Array<string>, string],
): Interface => {
  const history = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []
  const opened = createInterface({
    input: stdin,
    output: stdout,
    terminal: true,
    history,
    historySize: HISTORY,
    removeHistoryDuplicates: true,
    completer,
  })
  opened.on("history", (lines: ReadonlyArray<string>) => {
    writeFileSync(file, lines.join("\n"), { mode: 0o600 })
    // The mode above is that of a new file alone.
    chmodSync(file, 0o600)
  })
  return opened
}

/** `undefined` at Ctrl-D. */
const readLine = (lines: AsyncIterator<string>) =>
  Effect.promise(async () => {
    const next = await lines.next()
    return next.done === true ? undefined : next.value
  })
