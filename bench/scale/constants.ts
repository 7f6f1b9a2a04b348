// What was measured on this code for the simulation; `make bench ARGS=scale-constants` measures it again.
import { readFileSync } from "node:fs"
import { join } from "node:path"

export interface PipelineConstants {
  /** Requests for each partition in a run an hour after the first sync. */
  readonly laterRequests: number
  /** Rows a response holds, changed or not. */
  readonly firstRows: number
  readonly laterRows: number
  /** Rows that a response of the later run added or changed. */
  readonly changedRows: number
  /** In Parquet, on average over the pipeline's tables. */
  readonly rowBytes: number
  readonly bodyBytes: number
}

export interface CommitConstants {
  readonly store: string
  /** Whole time under the lock: of a commit as such, of each task in it, of each 1,000 rows that it changes. */
  readonly millis: number
  readonly millisPerTask: number
  readonly millisPerThousandRows: number
}

export interface Constants {
  readonly measuredOn: string
  readonly machine: string
  readonly world: { readonly vaults: number; readonly days: number; readonly subaccounts: number }
  readonly cpuMillisPerRequest: number
  readonly cpuMillisPerThousandRows: number
  /** Bytes in the archive for each byte of a body. */
  readonly archiveRatio: number
  /** In Parquet, a row of ops.tasks and of raw.responses. */
  readonly taskBytes: number
  readonly responseBytes: number
  readonly pipelines: Readonly<Record<string, PipelineConstants>>
  readonly commits: CommitConstants
}

export const constantsFile = join(import.meta.dirname, "constants.json")

export const readConstants = (): Constants =>
  JSON.parse(readFileSync(constantsFile, "utf8")) as Constants
