// What a pipeline is to the runner: for each of its targets, a stream of steps, each of which lands on its
// own; and how the answers of its endpoint become rows, which a replay does again.
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import type { ApiError } from "../domain/errors.ts"
import type { CoveredDays, Outcome } from "../domain/outcome.ts"
import type { ArchivedResponse } from "../domain/response.ts"
import type { Rows, Table } from "../domain/table.ts"
import type { AskedVault, VaultRef } from "../domain/vault.ts"
import type { Drift, Violation } from "../domain/violation.ts"
import type { ApiClient } from "../extract/ApiClient.ts"
import type { AnyEndpoint } from "../extract/Endpoint.ts"
import type { ArchiveError } from "../extract/ResponseArchive.ts"
import type { LoadError } from "../load/errors.ts"
import type { MappedAnswer, Source } from "../transform/Source.ts"
import type { RunSettings } from "./runSettings.ts"

export interface RunContext extends RunSettings {
  readonly today: number
  /** Microseconds since 1970 UTC. */
  readonly now: number
}

export type GapReason = "quarantined" | "failed" | "truncated" | "unreachable" | "tie"

/** A range of a series known to be missing, in days since 1970 or to the microsecond. */
export interface GapNote {
  readonly fromAt: number
  readonly toAt: number
  /** What it is filed under where the entity has several series; else the entity. */
  readonly entity?: string
  readonly reason: GapReason
  readonly state: "open" | "closed" | "permanent"
  readonly detail: string
}

/** One window of one entity, read and mapped: commits as one transaction with its cursor. */
export interface Step {
  /** For people, and part of the task's identity; what it stands for is in `covers`. */
  readonly window: string
  /** The window is the same question in every run: what others about the entity were told says nothing of it. */
  readonly isSameQuestion?: true
  /** Series (mart.series) the step is of; absent where it is none, or all that the pipeline reads. */
  readonly series?: string
  /** Days of the series asked for, whatever came of it. */
  readonly covers?: CoveredDays
  readonly endpoint: string
  readonly outcome: Outcome
  readonly rows: ReadonlyArray<Rows>
  readonly responses: ReadonlyArray<ArchivedResponse>
  readonly requests: number
  readonly cursor?: { readonly entity: string; readonly value: unknown }
  readonly gaps?: ReadonlyArray<GapNote>
  readonly drift?: ReadonlyArray<Drift>
  /** Why the step is not `landed` or `empty`, for the task's record. */
  readonly error?: ApiError
  readonly warning?: string
}

/** A day inside the known range of a series that lacks something, or stands beside one that does. */
export interface HoleDay {
  /** Days since 1970. */
  readonly day: number
  /** Hours or days that have a fact. */
  readonly present: number
  /** Starts of the hours or days without one, microseconds since 1970 UTC. */
  readonly missing: ReadonlyArray<number>
}

export interface Holes {
  /** How long an expected hour or day lasts, microseconds. */
  readonly slotMicros: number
  /** In their order. */
  readonly days: ReadonlyArray<HoleDay>
}

/** What earlier runs left for an entity. */
export interface Memory {
  /** What tasks, cursors and gaps are filed under. */
  readonly entity: string
  readonly cursor: (entity: string) => unknown
  readonly openGaps: ReadonlyArray<{ readonly fromAt: number; readonly toAt: number }>
  /** Whether this question about the entity need not be asked yet: its absence is remembered, or its answer cached. */
  readonly isSettled: (window: string) => boolean
  /** What a run that fills gaps asks for again, by series (mart.series); absent in any other. */
  readonly holes?: ReadonlyMap<string, Holes>
}

export type Steps = Stream.Stream<Step, ApiError | ArchiveError, ApiClient>

/** Whom a pipeline asks about: `subject` is what it passes on, `entity` what its tasks are filed under. */
export interface Target<S> {
  readonly entity: string
  readonly subject: S
  /** The vault the entity is, where it is one. */
  readonly vault?: AskedVault
  /** Why nothing can be asked about it, where what was served is no input of the endpoint: recorded, not sent. */
  readonly unaskable?: string
}

/** What targets are found in: the warehouse, as the pipelines before have left it. */
export interface Lookup {
  readonly rows: (
    sql: string,
    parameters?: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, LoadError>
  /** Vaults the run was asked for. */
  readonly vaults: ReadonlyArray<VaultRef>
  /** Whether `vaults` are a selection, so that what hangs on others is not asked for. */
  readonly isSelection: boolean
  /** What was absent at this instant or earlier is asked for again, microseconds since 1970 UTC. */
  readonly absentSince: number
  readonly context: RunContext
}

export interface Pipeline<S, A = unknown> {
  readonly name: string
  readonly title: string
  readonly tables: ReadonlyArray<Table>
  readonly endpoint: AnyEndpoint
  /** Pipelines whose rows tell this one whom to ask about: they end before it begins. */
  readonly after: ReadonlyArray<string>
  /** Tasks at once, where fewer than usual are kind to the service: its slow reads fan out (§4.3). */
  readonly atOnce?: number
  /** Its targets leave out themselves what need not be asked again: absences that are not of a whole entity. */
  readonly remembersItself?: true
  readonly targets: (lookup: Lookup) => Effect.Effect<ReadonlyArray<Target<S>>, LoadError>
  // Methods, so that a list can hold pipelines over different subjects.
  /** Rows of one answer; pure. Fails where a record is not as documented. */
  rows(answer: A, source: Source<S>): Result.Result<MappedAnswer, Violation>
  steps(target: Target<S>, memory: Memory, context: RunContext): Steps
  /** The questions about a target, where they are the same in every run: each is then remembered by itself. */
  windows?(target: Target<S>, context: RunContext): ReadonlyArray<string>
  /** Requests a run will need for the target, for `--plan`. */
  expectedRequests(target: Target<S>, memory: Memory, context: RunContext): number
}

export type AnyPipeline = Pipeline<unknown>
