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
    file: "src/extract/paginators/coveredDays.ts",
    line: "if (newest === undefined || oldest === undefined) return undefined",
    replacement: "&&",
    reason: "A response has both or neither: both are of its points.",
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
    file: "src/pipelines/notifications/message.ts",
    line: "const MAX_TEXT = 1800",
    replacement: "1801",
    reason: "A character more is as far from what Discord refuses.",
  },
  {
    file: "src/pipelines/schedule/schedule.ts",
    line: "if (ended.includes(group)) failedAt.delete(group)",
    replacement: "void 0",
    reason: "A group runs again only after the wait for its failure, which makes it wait no more.",
  },
]

export const judgementOf = (file: string, text: string, mutation: Mutation): Judged | undefined => {
  const line = text.split("\n")[mutation.line - 1]?.trim()
  return judgedSurvivors.find(
    (each) => each.file === file && each.line === line && each.replacement === mutation.replacement,
  )
}
