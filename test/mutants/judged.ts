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
    file: "src/load/tables/ops/runs.ts",
    line: 'text("command", "Command and pipelines, as typed", { required: true }),',
    replacement: "false",
    reason: "What writes it has no run without a command: its type says so.",
  },
  {
    file: "src/load/commit/merge/merge.ts",
    line: 'step !== undefined && "batch" in step ? (staged.rowsOfBatch.get(step.batch) ?? 0) : staged.rows',
    replacement: "1",
    reason: "A batch that is a step of its own has rows.",
  },
  {
    file: "src/pipelines/archive/commits.ts",
    line: "const repeating = new Set(tasks.filter(hasRepeatedRequest))",
    replacement: "",
    reason: "The markers of all tasks, whose responses they leave together: slower.",
  },
  {
    file: "src/load/published/read/reader/ReaderProcess.ts",
    line: "const OVERHEAD_BYTES = (isSource ? 6.75 : 2.5) * 1024 ** 3",
    replacement: "!(isSource)",
    reason: "Where Node can't reserve 4 GB to strip types, it strips them without.",
  },
  {
    file: "src/pipelines/areas/governance/auditLogScan.ts",
    line: "lastFullScan: 0,",
    replacement: "1",
    reason: "A microsecond later in 1970 is as long ago.",
  },
  {
    file: "src/load/commit/stored/storedRows.ts",
    line: "wereFound = true",
    replacement: "false",
    reason: "Finding them once more finds the same: slower.",
  },
  {
    file: "src/load/published/read/reader/child.ts",
    line: "let batchBytes = 0",
    replacement: "1",
    reason: "A byte of a message more or less is as good.",
  },
  {
    file: "src/load/published/read/reader/child.ts",
    line: "length += code < 0x20 ? 6 : code === QUOTE || code === BACKSLASH ? 2 : 1",
    replacement: "<=",
    reason: "An estimate, which then counts a space as six characters.",
  },
  {
    file: "src/pipelines/archive/verify.ts",
    line: "for (let trial = 1; trial <= TRIALS; trial += 1) {",
    replacement: "2",
    reason: "One attempt less is as good.",
  },
  {
    file: "src/load/checks/runChecks.ts",
    line: "const rowCount = Math.max(1, stored.get(tableName(table)) ?? Infinity)",
    replacement: "2",
    reason: "The months of a table of one row are read at once, as those of two rows are.",
  },
  {
    file: "src/pipelines/archive/repetitions.ts",
    line: "if (isPartial === true || (mergeKey === undefined && length !== 1)) return undefined",
    replacement: "false",
    reason:
      "A part has no key of its set; if it is one row, that row identifies itself as that of a whole does.",
  },
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
    file: "src/extract/http/retryAfter.ts",
    line: 'return dated + (/^\\d+$/.test(age ?? "") ? Number(age) * 1000 : 0)',
    replacement: "1",
    reason: "A millisecond is nothing beside the second that the date of a response may be off.",
  },
  {
    file: "src/extract/paginators/coveredDays.ts",
    line: "if (newest === undefined || oldest === undefined) return undefined",
    replacement: "&&",
    reason: "A response has both or neither: both are of its points.",
  },
  {
    file: "src/extract/paginators/nextTimeWindows.ts",
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
    line: "await flush(dataDir)",
    replacement: "void 0",
    reason: "Only a power cut shows it, which `make proof` simulates at every effect on files.",
  },
  {
    file: "src/load/storage/file/duckdbFile.ts",
    line: 'if (row !== undefined && number("megabytes")(row) > CHECKPOINT_MB) await checkpoint()',
    replacement: ">=",
    reason: "Of exactly so many megabytes, either is as good.",
  },
  {
    file: "src/load/commit/runs.ts",
    line: "await changes.write([{ ...rows, haveNewKeys: true }])",
    replacement: "false",
    reason: "The run is looked for among those stored, which have no such run.",
  },
  {
    file: "src/load/commit/runs.ts",
    line: ": [isBegunHere(session) ? { ...bookkeeping, haveNewKeys: true } : bookkeeping],",
    replacement: "false",
    reason: "Rows of the same keys are looked for, and there are none.",
  },
  {
    file: "src/load/commit/runs.ts",
    line: "changes.afterCommit()",
    replacement: "void 0",
    reason: "A month that does not count as marked is marked again, which changes nothing.",
  },
  {
    file: "src/load/checks/martChecks.ts",
    line: "isUnique: true,",
    replacement: "false",
    reason:
      "Every row may offend then, and the check's own SQL decides: slower, with the same result.",
  },
  {
    file: "src/load/checks/martChecks.ts",
    line: "`${isPresent} and ${together(here)} not in (select ${together(there)} from ${to} o)`,",
    replacement: " or ",
    reason:
      "More rows may offend then, and the check's own SQL decides: slower, with the same result.",
  },
  {
    file: "src/load/published/read/reader/mentions.ts",
    line: 'for (const [key, value] of rest) if (key !== "function") pending.push(value)',
    replacement: "void 0",
    reason: "DuckDB has no call there; it is read so that none can hide there in a later version.",
  },
  {
    file: "src/pipelines/backup/backupFolder.ts",
    line: "await flush(to)",
    replacement: "void 0",
    reason: "Only a power cut shows it, which `make proof` simulates at every effect on files.",
  },
  {
    file: "src/pipelines/backup/backupFolder.ts",
    line: "await flush(dirname(to))",
    replacement: "void 0",
    reason: "Only a power cut shows it, which `make proof` simulates at every effect on files.",
  },
  {
    file: "src/pipelines/schedule/schedule.ts",
    line: "if (ended.includes(group)) failedAt.delete(group)",
    replacement: "void 0",
    reason: "A group runs again only after the wait for its failure, which makes it wait no more.",
  },
  {
    file: "src/pipelines/run/clock.ts",
    line: "secondsAhead > 0",
    replacement: "1",
    reason: "Only clocks that are off by five minutes or more are reported.",
  },
  {
    file: "src/extract/budget/RequestBudget.ts",
    line: "pauseMillis > maxWaitMillis",
    replacement: ">=",
    reason: "Of a pause as long as the longest wait, it only chooses the words.",
  },
  {
    file: "src/extract/budget/Pace.ts",
    line: "if (now - own.calmSince > SEARCH_AGAIN_MILLIS && own.calmRequests > SEARCH_AGAIN_REQUESTS) {",
    replacement: ">=",
    reason: "A millisecond or a request sooner is as good.",
  },
  {
    file: "src/pipelines/publication/check.ts",
    line: '(error) => error instanceof LoadError && error.reason === "Migration",',
    replacement: "||",
    reason: "Whatever else prevents the opening prevents the one without tables too.",
  },
  {
    file: "src/load/commit/commitQueue.ts",
    line: "taken.reduce((sum, each) => sum + sizeOf(each), 0) < GROUP_ROWS / 3",
    replacement: "1",
    reason: "A row more or less is as good.",
  },
  {
    file: "src/load/published/read/reader/ReaderProcess.ts",
    line: "const addressSpace = Math.ceil((bytesIn(options.memoryLimit) + OVERHEAD_BYTES) / 1024)",
    replacement: "floor",
    reason: "A kilobyte less is as good.",
  },
  {
    file: "src/load/published/read/reader/ReaderProcess.ts",
    line: "const fileSize = Math.ceil(bytesIn(options.diskLimit) / FILE_BLOCK)",
    replacement: "floor",
    reason: "A block less is as good.",
  },
  {
    file: "src/load/checks/screen.ts",
    line: "groups.push([])",
    replacement: "void 0",
    reason: "Nothing is screened then, and each check runs by itself.",
  },
  {
    file: "src/pipelines/run/sync.ts",
    line: "discard: true,",
    replacement: "false",
    reason: "What a task returns is nothing.",
  },
]

export const judgementOf = (file: string, text: string, mutation: Mutation): Judged | undefined => {
  const line = text.split("\n")[mutation.line - 1]?.trim()
  return judgedSurvivors.find(
    (each) => each.file === file && each.line === line && each.replacement === mutation.replacement,
  )
}
