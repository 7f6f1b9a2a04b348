// Appends every response to the run's segment before it is decoded, and commit markers. A segment consists of zstd
// frames of JSON lines, so `zstdcat`, `jq` and DuckDB can read it. A body that the previous run received too is not
// written again.
import { randomUUID } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type { ArchivedResponse, ExchangeRecord } from "../domain/wire/response.ts"
import { CurrentTask } from "../domain/run/task.ts"
import { causeMessage } from "../domain/values/causeMessage.ts"
import { fullDiskReason, isNotPermitted } from "../domain/values/fileReason.ts"
import { microsFromMillis } from "../domain/values/time.ts"
import type { ArchiveStore } from "./ArchiveStore.ts"
import { type CommitMarker, commitMarkerLine, responseLine, runEndLine, sha256Of } from "./lines.ts"
import { ObjectStoreError } from "./ObjectStore.ts"
import { FRAME_BYTES, FRAME_LINES, frameOf, type Place } from "./frames.ts"
import { segmentOfRun } from "./segments.ts"

/** Why the archive could not be written, and what to do about it. */
export const writeProblem = (cause: unknown): { readonly why: string; readonly advice: string } => {
  const why = causeMessage(cause).replace(/\.$/, "")
  if (cause instanceof ObjectStoreError) return { why, advice: cause.advice }
  if (isNotPermitted(cause)) return { why, advice: "Check the folder's permissions." }
  const full = fullDiskReason(cause)
  const toDo = full === undefined ? "Check the folder and its disk" : "Free space there"
  return {
    why: full ?? why,
    advice: `${toDo}, then run again: what was not committed is read again.`,
  }
}

/** The archive could not be written: disk full, no permission, no connection. The run can't continue without it. */
export class ArchiveError extends Data.TaggedError("ArchiveError")<{
  readonly file: string
  readonly cause: unknown
}> {
  override get message(): string {
    const { why, advice } = writeProblem(this.cause)
    return `The response archive ${this.file} could not be written: ${why}. ${advice}`
  }
}

export interface Received extends ExchangeRecord {
  /** The body as received, without the API key. */
  readonly body: Buffer
  readonly isJson: boolean
}

interface WaitingLine {
  readonly line: Buffer
  readonly done: Deferred.Deferred<Place, ArchiveError>
}

const framesOf = (waiting: ReadonlyArray<WaitingLine>): ReadonlyArray<Array<WaitingLine>> => {
  const frames: Array<Array<WaitingLine>> = [[]]
  let bytes = 0
  for (const each of waiting) {
    bytes += each.line.length
    if (bytes > FRAME_BYTES && frames.at(-1)?.length !== 0) {
      frames.push([])
      bytes = each.line.length
    }
    frames.at(-1)?.push(each)
  }
  return frames
}

const idsOf = ({ landed, notLanded }: CommitMarker): ReadonlyArray<string> => [
  ...landed,
  ...notLanded,
]

// Compresses a history 8 to 1 in far less time than parsing it takes.
const LEVEL = 1

export class ResponseArchive extends Context.Service<
  ResponseArchive,
  {
    readonly keep: (received: Received) => Effect.Effect<ArchivedResponse, ArchiveError>
    /**
     * Records which of the kept responses the following commit turns into rows. Once it returns, the responses and the
     * marker are in the archive, even if this process is killed or the power fails.
     */
    readonly markCommit: (marker: CommitMarker) => Effect.Effect<void, ArchiveError>
    /** Notes that the commit of a marker was refused, for the end of the segment to record it unless another attempt is marked. */
    readonly refuse: (marker: CommitMarker) => Effect.Effect<void>
    /** Notes that nobody knows whether the commit of a marker happened, so that the segment has no end unless another attempt is marked. */
    readonly doubt: (marker: CommitMarker) => Effect.Effect<void>
    /**
     * Records the end of the segment: the commits of all other markers have happened. Does nothing if one is in doubt: the next run
     * finds out, and ends the segment.
     */
    readonly end: Effect.Effect<void, ArchiveError>
  }
>()("vaulthouse/archive/ResponseArchive") {
  /** Keeps nothing, for requests outside a run. `onReceived` is called with each response. */
  static readonly nowhere = (
    onReceived: (received: Received) => void = () => undefined,
  ): Layer.Layer<ResponseArchive> =>
    Layer.succeed(
      ResponseArchive,
      ResponseArchive.of({
        keep: (received) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            onReceived(received)
            const { body, isJson: _, ...about } = received
            return {
              ...about,
              responseId: randomUUID(),
              receivedAt: microsFromMillis(now),
              sha256: sha256Of(body),
              bytes: body.length,
              file: "",
              offset: 0,
              length: 0,
            }
          }),
        markCommit: () => Effect.void,
        refuse: () => Effect.void,
        doubt: () => Effect.void,
        end: Effect.void,
      }),
    )

  /** One segment in `store` for this process of the run, created with the first response. */
  static readonly layer = (options: {
    readonly store: ArchiveStore
    readonly runId: string
    /** The name of this process, if the run has several. */
    readonly worker?: string
    /** In microseconds; every response of this run gets a later time, even if the clock is behind. */
    readonly notBefore?: number
    /** The bodies of the last run by SHA-256, which are not written again. */
    readonly known?: ReadonlyMap<string, Place>
  }): Layer.Layer<ResponseArchive> =>
    Layer.effect(
      ResponseArchive,
      Effect.gen(function* () {
        const { runId } = options
        const file = segmentOfRun(runId, options.worker)
        const segment = options.store.write(file)
        const queue = yield* Queue.bounded<WaitingLine>(2 * FRAME_LINES)
        let isEmpty = true
        let last = options.notBefore ?? 0
        const uncommitted = new Set<string>()
        const doubtful = new Set<string>()
        // In one that is gone, or can't be listed, a body is not known to be: it is written again.
        const stored = yield* Effect.cached(
          Effect.tryPromise(() => options.store.segments()).pipe(
            Effect.map((segments) => new Set(segments.map((each) => each.file))),
            Effect.orElseSucceed(() => new Set<string>()),
          ),
        )

        const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, ArchiveError> =>
          Effect.tryPromise({
            try: work,
            catch: (cause) => new ArchiveError({ file: options.store.pathOf(file), cause }),
          })

        /** Compresses the waiting lines together, which is cheaper than a frame for each line. */
        const writeFrame = Effect.fnUntraced(function* (waiting: ReadonlyArray<WaitingLine>) {
          const written = yield* Effect.exit(
            attempt(async () => {
              const lines = waiting.map(({ line }) => line)
              const frame = await frameOf(lines, LEVEL)
              const offset = await segment.append(frame)
              isEmpty = false
              return { file, offset, length: frame.length }
            }),
          )
          for (const { done } of waiting) yield* Deferred.done(done, written)
        })

        yield* Effect.addFinalizer(() => Effect.promise(() => segment.close()))
        yield* Effect.forkScoped(
          Effect.forever(
            Effect.flatMap(Queue.takeBetween(queue, 1, FRAME_LINES), (waiting) =>
              // An interruption must not leave part of a frame between whole ones.
              Effect.uninterruptible(Effect.forEach(framesOf(waiting), writeFrame)),
            ),
          ),
        )

        /** Appends a line, and returns once it is in the file. */
        const append = Effect.fnUntraced(function* (line: Buffer) {
          const done = yield* Deferred.make<Place, ArchiveError>()
          yield* Queue.offer(queue, { line, done })
          return yield* Deferred.await(done)
        })

        const keep = Effect.fnUntraced(function* ({ body, isJson, ...about }: Received) {
          const task = yield* CurrentTask
          // Rows are ordered by this time, so it must be unique.
          last = Math.max(last + 1, microsFromMillis(yield* Clock.currentTimeMillis))
          const lineage = { responseId: randomUUID(), receivedAt: last }
          const sha256 = sha256Of(body)
          const place = options.known?.get(sha256)
          const sameAs = place !== undefined && (yield* stored).has(place.file) ? place : undefined
          const head = {
            ...about,
            ...lineage,
            runId,
            pipeline: task?.pipeline ?? null,
            entity: task?.entity ?? null,
            sha256,
          }
          const written = yield* append(
            responseLine(head, sameAs === undefined ? body : undefined, isJson),
          )
          return { ...about, ...lineage, sha256, bytes: body.length, ...(sameAs ?? written) }
        })

        return ResponseArchive.of({
          keep,
          markCommit: (marker) =>
            Effect.suspend(() => {
              for (const id of idsOf(marker)) {
                uncommitted.delete(id)
                doubtful.delete(id)
              }
              return Effect.andThen(
                append(commitMarkerLine(marker)),
                attempt(() => segment.ship()),
              )
            }),
          refuse: (marker) =>
            Effect.sync(() => {
              for (const id of idsOf(marker)) uncommitted.add(id)
            }),
          doubt: (marker) =>
            Effect.sync(() => {
              for (const id of idsOf(marker)) doubtful.add(id)
            }),
          end: Effect.suspend(() =>
            isEmpty || doubtful.size > 0
              ? Effect.void
              : Effect.andThen(
                  append(runEndLine({ runId, uncommitted: [...uncommitted] })),
                  attempt(() => segment.end()),
                ),
          ),
        })
      }),
    )
}
