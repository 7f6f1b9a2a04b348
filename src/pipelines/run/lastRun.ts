// The state of the newest run in `last-run.json`, written when the run starts and when it ends. Readers learn from it about
// a run that is in progress, failed, was killed or published nothing.
import { existsSync } from "node:fs"
import { open, readFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { writeDurably } from "../../domain/durableFiles.ts"
import { readStateFile } from "../../domain/stateFile.ts"
import { filesError, type LoadError } from "../../load/errors.ts"
import { writerOf } from "../../load/lock/waitForLock.ts"
import type { KeyAccess, RunOutcome, RunSummary } from "../model/progress.ts"
import { countRun } from "./metrics.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"
import { fullDiskReason } from "../../domain/values/fileReason.ts"

interface RunRecord {
  readonly run_id: string
  readonly command: string
  readonly pid: number
  readonly host: string
  readonly started_at: string
  /** Null until the run has ended. */
  readonly finished_at: string | null
  /** `killed` only where the record is that of the warehouse, since the process can't record it. */
  readonly outcome: RunOutcome | "stopped" | "killed" | null
  /** Why nothing more could be loaded. */
  readonly error: string | null
  /** This and the next three are null until the run has ended by itself. */
  readonly requests: number | null
  readonly rows_inserted: number | null
  readonly rows_revised: number | null
  readonly seconds: number | null
  readonly published: boolean
  /** The service refused the API key everything, or something it had access to before. */
  readonly key_rejected: boolean
  /** What the key opened in the newest run that needed one; absent in records of earlier versions. */
  readonly key_access?: KeyAccess | null
  /** How far this machine's clock was ahead, or, negative, behind, if it was minutes; absent in records of earlier versions. */
  readonly clock_ahead_seconds?: number | null
  readonly failed_checks: ReadonlyArray<{
    readonly name: string
    readonly severity: string
    readonly failures: number
  }>
  /** When the newest run with each outcome had ended, publication included; absent in records of earlier versions. */
  readonly ends?: Readonly<Record<string, string>>
  /** While the run is in progress, the record before it; else null, and absent in records of earlier versions. */
  readonly previous?: RunRecord | null
}

export interface LastRun extends RunRecord {
  /** `died`: its process is gone and did not record an end. */
  readonly state: "running" | "ended" | "died"
  /** When the process that died was last known to be alive. */
  readonly alive_at: string | null
}

/** The newest run that is not in progress: until a run has ended, nothing has changed about what the one before it found. */
export const settledRun = (last: LastRun | undefined): LastRun | undefined => {
  if (last?.state !== "running") return last
  const { previous } = last
  if (previous === undefined || previous === null) return undefined
  // One without an end has none any more, since a later one has begun.
  return { ...previous, state: previous.finished_at === null ? "died" : "ended", alive_at: null }
}

export const lastRunFile = (dataDir: string): string => join(dataDir, "last-run.json")

const write = (dataDir: string, record: RunRecord): Effect.Effect<void, LoadError> =>
  Effect.tryPromise({
    try: async () => {
      const file = lastRunFile(dataDir)
      const before = await readRecord(dataDir)
      const ends = endsWith(record, before)
      const key_access = record.key_access ?? before?.key_access ?? null
      const previous = record.finished_at === null ? recordBefore(record, before) : null
      const text = `${JSON.stringify({ ...record, key_access, ends, previous })}\n`
      await writeDurably(file, text).catch((cause: unknown) => {
        if (fullDiskReason(cause) === undefined) throw cause
        return overwrite(file, text)
      })
    },
    catch: (cause) => filesError("Recording the run", cause),
  })

/** The ends before this record, and its own; one that a clock had dated ahead stays until it has passed. */
const endsWith = (
  { outcome, finished_at }: RunRecord,
  before: RunRecord | undefined,
): RunRecord["ends"] => {
  const ends = before?.ends ?? {}
  if (outcome === null || finished_at === null) return ends
  const earlier = ends[outcome]
  const isLater = earlier === undefined || Date.parse(finished_at) > Date.parse(earlier)
  return isLater ? { ...ends, [outcome]: finished_at } : ends
}

/** Without what the new record has itself. A run that another process goes on with is not the one before itself. */
const recordBefore = ({ run_id }: RunRecord, before: RunRecord | undefined): RunRecord | null => {
  if (before === undefined) return null
  if (before.run_id === run_id) return before.previous ?? null
  const { ends: _, previous: __, ...rest } = before
  return rest
}

/** `undefined` if there is none, or none that can be read: the record is then written anew. */
const readRecord = async (dataDir: string): Promise<RunRecord | undefined> => {
  try {
    return recordIn(JSON.parse(await readFile(lastRunFile(dataDir), "utf8")))
  } catch {
    return undefined
  }
}

/** Overwrites the existing record in place: a full disk has no space for a second file. */
const overwrite = async (file: string, text: string): Promise<void> => {
  const handle = await open(file, "r+")
  try {
    await handle.writeFile(text)
    await handle.truncate(Buffer.byteLength(text))
  } finally {
    await handle.close()
  }
}

const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())

export interface RunStart {
  readonly dataDir: string
  readonly runId: string
  readonly command: string
}

const startOf = ({ runId, command }: RunStart): Effect.Effect<RunRecord> =>
  Effect.map(now, (started_at) => ({
    run_id: runId,
    command,
    pid: process.pid,
    host: hostname(),
    started_at,
    finished_at: null,
    outcome: null,
    error: null,
    requests: null,
    rows_inserted: null,
    rows_revised: null,
    seconds: null,
    published: false,
    key_rejected: false,
    key_access: null,
    clock_ahead_seconds: null,
    failed_checks: [],
  }))

/** If this can't be written either, the run counts as died. */
const writeEnd = (
  dataDir: string,
  started: RunRecord,
  outcome: "failed" | "stopped",
  error: string | null,
): Effect.Effect<void> =>
  Effect.flatMap(now, (finished_at) =>
    Effect.andThen(
      countRun(outcome),
      Effect.ignore(write(dataDir, { ...started, finished_at, outcome, error })),
    ),
  )

/** Records a run that could not open the warehouse. */
export const recordFailedStart = (start: RunStart, error: unknown): Effect.Effect<void> =>
  existsSync(start.dataDir)
    ? Effect.flatMap(startOf(start), (started) =>
        writeEnd(start.dataDir, started, "failed", causeMessage(error)),
      )
    : Effect.void

/** Records that the run is in progress, and then how it ended. */
export const recordLastRun = <E, R>(
  start: RunStart,
  run: Effect.Effect<RunSummary, E, R>,
): Effect.Effect<RunSummary, E | LoadError, R> =>
  Effect.gen(function* () {
    const { dataDir } = start
    const started = yield* startOf(start)
    yield* write(dataDir, started)
    const summary = yield* run.pipe(
      Effect.tapError((error) => writeEnd(dataDir, started, "failed", causeMessage(error))),
      Effect.onInterrupt(() => writeEnd(dataDir, started, "stopped", null)),
    )
    yield* countRun(summary.outcome)
    yield* write(dataDir, {
      ...started,
      finished_at: yield* now,
      outcome: summary.outcome,
      requests: summary.requests,
      rows_inserted: summary.rowsInserted,
      rows_revised: summary.rowsRevised,
      seconds: summary.seconds,
      published: summary.published,
      key_rejected: summary.keyRejected,
      key_access: summary.keyAccess ?? null,
      clock_ahead_seconds: summary.clockAheadSeconds ?? null,
      failed_checks: summary.failedChecks.map(({ name, severity, failures }) => ({
        name,
        severity,
        failures,
      })),
    })
    return summary
  })

/** `undefined` before the first run, and where the record is damaged, which is then logged: the next run writes it anew. */
export const readLastRun = (dataDir: string): Effect.Effect<LastRun | undefined> =>
  Effect.gen(function* () {
    const lost = "nothing is known of the newest run; the next run writes it again"
    const record = yield* readStateFile(lastRunFile(dataDir), recordIn, lost)
    if (record === undefined) return undefined
    if (record.finished_at !== null) return { ...record, state: "ended", alive_at: null }
    const { holder, aliveAt } = yield* writerOf(dataDir)
    if (holder?.pid === record.pid && holder.host === record.host) {
      return { ...record, state: "running", alive_at: null }
    }
    // It may have ended since it was read: a run records its end, then it releases the lock.
    const later = yield* Effect.promise(() => readRecord(dataDir))
    return later?.run_id === record.run_id && later.finished_at !== null
      ? { ...later, state: "ended", alive_at: null }
      : { ...record, state: "died", alive_at: aliveAt?.toISOString() ?? null }
  })

/** The record, or an exception: on a full disk it is written in place, which a power cut can end halfway. */
const recordIn = (value: unknown): RunRecord => {
  const record = value as RunRecord
  if (!isRecord(record)) throw new TypeError("not a record of a run")
  return isRecord(record.previous) ? record : { ...record, previous: null }
}

const isRecord = (record: RunRecord | null | undefined): boolean => {
  if (typeof record !== "object" || record === null) return false
  const figures = [record.requests, record.rows_inserted, record.rows_revised, record.seconds]
  return (
    [record.run_id, record.command, record.host].every((value) => typeof value === "string") &&
    isInstant(record.started_at) &&
    (record.finished_at === null || isInstant(record.finished_at)) &&
    [record.outcome, record.error].every((text) => text === null || typeof text === "string") &&
    figures.every((value) => value === null || typeof value === "number") &&
    Array.isArray(record.failed_checks)
  )
}

const isInstant = (value: unknown): boolean =>
  typeof value === "string" && !Number.isNaN(Date.parse(value))
