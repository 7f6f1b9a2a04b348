// An interactive SQL shell: statements over several lines, completion, a history kept between sessions.
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface, type Interface } from "node:readline/promises"
import * as Effect from "effect/Effect"
import type { Reader } from "../../../pipelines/readers/published.ts"
import { splitStatements } from "./statementText.ts"
import { readQueryVocabulary } from "../../../pipelines/readers/query/queryVocabulary.ts"
import { complete } from "./completion.ts"
import { printError, print, type Streams, streams } from "../../terminal/output.ts"
import { queryAndPrint, type QueryOptions } from "./formats.ts"
import { runShellCommand } from "./shellCommands.ts"
import { paragraph } from "../../terminal/terminal.ts"

const HISTORY = 1000
const GREETING =
  "Read-only SQL shell on the published copy. End a statement with a semicolon; .help shows the commands."

/** SQL may contain private values: only the user can read the file. */
export const historyFile = (dataDir: string): string => join(dataDir, ".query_history")

/** Runs until `.quit` or Ctrl-D. */
export const shell = Effect.fnUntraced(function* (
  copy: Reader,
  options: QueryOptions,
  history: string,
) {
  const vocabulary = yield* readQueryVocabulary(copy)
  let pending = ""
  const terminal = yield* Effect.acquireRelease(
    Effect.sync(() =>
      openTerminal(streams(), history, (line) => complete(vocabulary, pending, line)),
    ),
    (opened) => Effect.sync(() => opened.close()),
  )
  let isQuerying = false
  let isOpen = true
  // Ctrl-D may be typed while a query runs; statements typed before it still run.
  terminal.on("close", () => {
    isOpen = false
  })
  // Ctrl-C stops the running query, or discards the statement being typed.
  terminal.on("SIGINT", () => {
    if (isQuerying) return copy.interrupt()
    print("^C\n")
    pending = ""
    // Clears this line too.
    terminal.write(null, { ctrl: true, name: "e" })
    terminal.write(null, { ctrl: true, name: "u" })
    terminal.setPrompt(PROMPT)
    terminal.prompt()
  })
  // Lines pasted together wait here.
  const lines = terminal[Symbol.asyncIterator]()
  print(`${paragraph(GREETING)}\n`)
  for (;;) {
    if (isOpen) {
      terminal.setPrompt(pending === "" ? PROMPT : CONTINUED)
      terminal.prompt()
    }
    const line = yield* readLine(lines)
    if (line === undefined) return
    const command = dotted(line.trim())
    if (pending === "" && command.startsWith(".")) {
      if (command === ".quit") return
      print(runShellCommand(vocabulary, command))
      continue
    }
    const { statements, rest } = splitStatements(`${pending}${line}\n`)
    pending = rest
    for (const statement of statements) {
      isQuerying = true
      yield* runStatement(copy, statement, options)
      isQuerying = false
    }
  }
})

/** The command meant by what people type in the shells of other databases. */
const dotted = (line: string): string => {
  if (/^(\.?(exit|quit)|\\q)\s*;?$/i.test(line)) return ".quit"
  return /^(help|\\\?)\s*;?$/i.test(line) ? ".help" : line
}

const PROMPT = "vaulthouse> "
const CONTINUED = "        ... "

/** Prints the result or the error; the shell goes on either way. */
const runStatement = (copy: Reader, sql: string, options: QueryOptions) =>
  queryAndPrint(copy, sql, options).pipe(
    Effect.catch(({ message }) =>
      Effect.sync(() =>
        printError(`${message}
`),
      ),
    ),
  )

const openTerminal = (
  { stdin, stdout }: Streams,
  file: string,
  completer: (line: string) => [Array<string>, string],
): Interface => {
  const history = readHistory(file)
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
    try {
      writeFileSync(file, lines.join("\n"), { mode: 0o600 })
      // The mode above applies only to a new file.
      chmodSync(file, 0o600)
    } catch {
      // It is of this session alone.
    }
  })
  return opened
}

/** Whoever may read what is published may have no history beside it: neither its owner's, nor one of their own. */
const readHistory = (file: string): Array<string> => {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean)
  } catch {
    return []
  }
}

/** `undefined` at Ctrl-D. */
const readLine = (lines: AsyncIterator<string>) =>
  Effect.promise(async () => {
    const next = await lines.next()
    return next.done === true ? undefined : next.value
  })
