// Writes a report of the published copy to a file; the file's extension determines its format.
import { dirname, extname } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { writeReason } from "../../domain/values/fileReason.ts"
import { MILLIS_PER_DAY } from "../../domain/values/time.ts"
import { openReader } from "../../pipelines/readers/published.ts"
import { vaultNamed } from "../../pipelines/readers/vaultNamed.ts"
import { readAsOf, readerAsOf } from "../asOf/asOf.ts"
import { printer } from "./browser.ts"
import { comparisonReport } from "./comparisonReport.ts"
import { readReport } from "./readReport.ts"
import { reportPage } from "./reportPage.ts"
import { replaceDurably } from "../../domain/durableFiles.ts"
import { makeFolder } from "../../domain/flush.ts"

export const formats = ["html", "pdf", "png"] as const
export type Format = (typeof formats)[number]

export interface WriteReport {
  readonly dataDir: string
  readonly memoryLimit: string
  readonly diskLimit: string
  readonly file: string
  /** Addresses or names; if empty, all vaults. */
  readonly vaults: ReadonlyArray<string>
  readonly days: number
  /** The last day of the period, in days since 1970; if absent, the last complete day. */
  readonly lastDay: number | undefined
  /** The vaults side by side instead of one after another. */
  readonly isComparison?: boolean
  /** What was known at an instant, in microseconds since 1970; what is known now if absent. */
  readonly asOf?: number | undefined
}

export class WriteError extends Data.TaggedError("WriteError")<{
  readonly file: string
  readonly reason: string
}> {
  override get message(): string {
    return `The report can't be written to ${this.file}: ${this.reason}.\nChoose another file with --out, or with the setting report.file.`
  }
}

/** HTML unless the file name ends with another format. */
export const formatOf = (file: string): Format =>
  formats.find((format) => extname(file).toLowerCase() === `.${format}`) ?? "html"

/** Replaces the file atomically: readers see the old report or the new one. Returns how many vaults are in it. */
export const writeReport = (options: WriteReport) =>
  Effect.gen(function* () {
    const { dataDir, memoryLimit, diskLimit, file, days, lastDay, asOf } = options
    const format = formatOf(file)
    // Before the work that would be in vain without a browser.
    const contentOf =
      format === "html" ? (page: string) => Effect.succeed(page) : yield* printer(format)
    const reader = yield* openReader(dataDir, { memoryLimit, diskLimit })
    const copy = asOf === undefined ? reader : readerAsOf(reader, yield* readAsOf(reader, asOf))
    const chosen = {
      vaults: yield* Effect.forEach(options.vaults, (text) => vaultNamed(copy, text)),
      days,
      lastDay: lastDay === undefined ? undefined : lastDay * MILLIS_PER_DAY,
      asOf,
    }
    const { page, vaults } = yield* options.isComparison === true
      ? comparisonReport(copy, chosen)
      : Effect.map(readReport(copy, chosen), (report) => ({
          page: reportPage(report),
          vaults: report.vaults.length,
        }))
    const content = yield* contentOf(page)
    yield* Effect.tryPromise({
      try: async () => {
        await makeFolder(dirname(file), 0o777)
        await replaceDurably(file, content)
      },
      catch: (cause) => new WriteError({ file, reason: writeReason(cause) }),
    })
    return { vaults }
  }).pipe(Effect.scoped)
