// The measured constants of the simulation; `make bench ARGS=scale-constants` measures them again.
import { readFileSync } from "node:fs"
import { join } from "node:path"

export interface PipelineConstants {
  /** Requests for each partition in a run an hour after the first sync. */
  readonly laterRequests: number
  /** Rows in a response, changed or not. */
  readonly firstRows: number
  readonly laterRows: number
  /** Rows that a response of the later run added or changed. */
  readonly changedRows: number
  /** Bytes of a row in Parquet, on average over the pipeline's tables. */
  readonly rowBytes: number
  readonly bodyBytes: number
}

export interface CommitConstants {
  readonly store: string
  /** Time under the lock: of a commit, of each task in it and of each 1,000 rows it changes. */
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
  /** Bytes in Parquet of a row of ops.tasks and of raw.responses. */
  readonly taskBytes: number
  readonly responseBytes: number
  readonly pipelines: Readonly<Record<string, PipelineConstants>>
  readonly commits: CommitConstants
}

export const constantsFile = join(import.meta.dirname, "constants.json")

export const readConstants = (): Constants =>
  JSON.parse(readFileSync(constantsFile, "utf8")) as Constants
