// Changes that no test can notice, or need not, each with the reason. A change is found again by its line, whatever its number.
import type { Mutation } from "./mutations.ts"

interface Judged {
  readonly file: string
  /** The line as it stands, without the spaces around it. */
  readonly line: string
  /** What takes the place of the changed text. */
  readonly replacement: string
  readonly reason: string
}

export const judgedSurvivors: ReadonlyArray<Judged> = [
  {
    file: "src/extract/budget/CircuitBreaker.ts",
    line: "private failingSince = 0",
    replacement: "1",
    reason: "The first failure sets it, before which nothing reads it.",
  },
  {
    file: "src/extract/budget/CircuitBreaker.ts",
    line: "private nextProbeAt = 0",
    replacement: "1",
    reason: "What opens the circuit sets it, before which nothing reads it.",
  },
  {
    file: "src/extract/budget/RequestBudget.ts",
    line: "const wait = untilProbe > 0 ? untilProbe : yield* starts.reserve",
    replacement: "1",
    reason: "A probe a millisecond early is as good.",
  },
  {
    file: "src/extract/http/exchange.ts",
    line: 'const cachedMillis = /^\\d+$/.test(age ?? "") ? Number(age) * 1000 : 0',
    replacement: "1",
    reason: "A millisecond is nothing beside the second that the date of a response may be off.",
  },
  {
    file: "src/extract/http/exchange.ts",
    line: "return Math.round((serviceMillis + cachedMillis + 500 - nowMillis) / 1000)",
    replacement: "501",
    reason: "A millisecond is nothing beside the second that the date of a response may be off.",
  },
  {
    file: "src/extract/paginators/coveredDays.ts",
    line: "if (newest === undefined || oldest === undefined) return undefined",
    replacement: "&&",
    reason: "A response has both or neither: both are of its points.",
  },
  {
    file: "src/extract/paginators/timeWindows.ts",
    line: "if (until === undefined || until >= from) {",
    replacement: ">",
    reason: "A window of one instant, which runs before have read.",
  },
  {
    file: "src/extract/paginators/timeWindows.ts",
    line: "const ignoresEnd = times.some((time) => time > (window.to ?? Infinity) + OVERLAP)",
    replacement: ">=",
    reason: "A service that keeps to the end returns nothing as late as a whole second after it.",
  },
  {
    file: "src/load/duckdb/appendRows.ts",
    line: "for (let from = 0; from < length; from += VECTOR_SIZE) {",
    replacement: "<=",
    reason: "A chunk without rows appends none.",
  },
  {
    file: "src/load/storage/file/duckdbFile.ts",
    line: "const CHECKPOINT_MB = 32",
    replacement: "33",
    reason: "A megabyte more in the log is as good.",
  },
  {
    file: "src/load/storage/file/duckdbFile.ts",
    line: "await flush(dataDir)",
    replacement: "void 0",
    reason: "Only a power cut shows it, which `make proof` simulates at every effect on files.",
  },
]

export const judgementOf = (file: string, text: string, mutation: Mutation): Judged | undefined => {
  const line = text.split("\n")[mutation.line - 1]?.trim()
  return judgedSurvivors.find(
    (each) => each.file === file && each.line === line && each.replacement === mutation.replacement,
  )
}
