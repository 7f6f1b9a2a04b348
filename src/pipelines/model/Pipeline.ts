// The interface of a pipeline: its partitions, how one is read as a stream of task results, and how responses of its
// endpoint become rows, in a run and again in a replay.
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import type { ApiError } from "../../domain/wire/errors.ts"
import type { Table } from "../../domain/table/table.ts"
import type { TaskVault, VaultRef } from "../../domain/subject/vault.ts"
import type { Violation } from "../../domain/wire/violation.ts"
import type { ApiClient } from "../../extract/ApiClient.ts"
import type { AnyEndpoint } from "../../extract/Endpoint.ts"
import type { ArchiveError } from "../../archive/ResponseArchive.ts"
import type { LoadError } from "../../load/errors.ts"
import type { Warehouse } from "../../load/Warehouse.ts"
import type { MappedResponse, Source } from "../../transform/Source.ts"
import type { PartitionState } from "./PartitionState.ts"
import type { RunSettings } from "./runSettings.ts"
import type { TaskResult } from "./TaskResult.ts"

export interface RunContext extends RunSettings {
  /** Days since 1970. */
  readonly today: number
  /** Microseconds since 1970 UTC. */
  readonly now: number
}

/** A vault, subaccount, loan or token that is read separately. */
export interface Partition<S> {
  /** The key that tasks, cursors and gaps are stored under; `-` where a pipeline has one partition. */
  readonly entity: string
  /** Passed to the mapping, and archived with each response. */
  readonly subject: S
  /** Set if the partition is a vault. */
  readonly vault?: TaskVault
  /** Why the endpoint can't be called for it; recorded instead of sending a request. */
  readonly unsupported?: string
}

/** Where a pipeline finds its partitions: the warehouse, as the pipelines before it left it. */
export interface Lookup {
  readonly rows: Warehouse["Service"]["rows"]
  /** Vaults this run reads; known once their lists have been read. */
  readonly vaults: Effect.Effect<ReadonlyArray<VaultRef>, LoadError>
  /** Every vault ever listed, whether or not this run reads it; known then too. */
  readonly storedVaults: Effect.Effect<ReadonlyArray<VaultRef>, LoadError>
  /** Rows of `partitions/subaccounts.sql`; known once the pipelines that find subaccounts have ended. */
  readonly subaccounts: ReturnType<Warehouse["Service"]["rows"]>
  /** Whether `vaults` were selected by the user: what belongs to others is then not read. */
  readonly isSelection: boolean
  /**
   * Whether the newest run that planned the partition did not read it whole. A pipeline that reads only what has changed
   * reads it again.
   */
  readonly isUnread: (entity: string) => boolean
  readonly context: RunContext
}

export type TaskResults = Stream.Stream<TaskResult, ApiError | ArchiveError, ApiClient>

/**
 * Tasks of a pipeline at once, where `atOnce` does not say less. More than concurrent requests: while some wait for the
 * writer, others send requests.
 */
export const TASKS_AT_ONCE = 64

/** How often a schedule runs a pipeline: as often as the service has new data. */
export type Cadence = "hourly" | "daily"

/** `--since` and `--until` of a run. */
export type RangeEnd = "since" | "until"

export interface Pipeline<S, A = unknown> {
  readonly name: string
  readonly title: string
  readonly cadence: Cadence
  /** Of a history: which ends of the range given for a run limit it. Absent for what is read as it is now. */
  readonly limitedBy?: ReadonlyArray<RangeEnd>
  readonly tables: ReadonlyArray<Table>
  readonly endpoint: AnyEndpoint
  /** Pipelines whose rows this one's partitions come from: they end before it begins. */
  readonly after: ReadonlyArray<string>
  /**
   * Whether its cursor passes what is in quarantine and says so (`LeftInQuarantine`): a page that the warehouse refuses then
   * does not hold the cursor back, which would read everything again in each run.
   */
  readonly leavesInQuarantine?: true
  /** Limit of tasks at once (else `TASKS_AT_ONCE`), for reads that fan out inside the service (§4.3). */
  readonly atOnce?: number
  readonly partitions: (lookup: Lookup) => Effect.Effect<ReadonlyArray<Partition<S>>, LoadError>
  // Methods, so that a list can hold pipelines over different subjects.
  /** Rows of one response; pure. Fails if it is not as documented. */
  rows(response: A, source: Source<S>): Result.Result<MappedResponse, Violation>
  read(partition: Partition<S>, state: PartitionState, context: RunContext): TaskResults
  /**
   * The stored cursor, if there is one, changed so that the next run reads everything: `--full` stores it until it has read enough
   * for a cursor of its own. Absent if later runs read what it could not read in another way, such as by an open gap.
   */
  cursorForWhole?(partition: Partition<S>, state: PartitionState, context: RunContext): unknown
  /** The windows of a partition, if they are the same in every run; the state then holds each of them separately. */
  windows?(partition: Partition<S>, context: RunContext): ReadonlyArray<string>
  /** Requests a run will need for the partition, for `--plan`. */
  expectedRequests(partition: Partition<S>, state: PartitionState, context: RunContext): number
}

export type AnyPipeline = Pipeline<unknown>
