// Appends every response to the run's segment before it is decoded, then the commit markers. A segment is zstd frames of
// JSON lines, so `zstdcat`, `jq` and DuckDB read it too. A body that the run before also received is not written again.
import { hash, randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { constants, zstdCompress } from "node:zlib"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type { ArchivedResponse, ExchangeRecord } from "../domain/response.ts"
import { CurrentTask } from "../domain/task.ts"
import { microsFromMillis } from "../domain/time.ts"
import { type CommitMarker, commitMarkerLine, responseLine, runEndLine } from "./lines.ts"
import { type Place, segmentOfRun } from "./segments.ts"

/** The archive could not be written: disk full, no permission. The run can't go on without it. */
export class ArchiveError extends Data.TaggedError("ArchiveError")<{
  readonly file: string
  readonly cause: unknown
}> {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The response archive ${this.file} could not be written: ${why}. Check the disk's free space and the folder's permissions.`
  }
}

export interface Received extends ExchangeRecord {
  /** As received, without the key. */
  readonly body: Buffer
  readonly isJson: boolean
}

interface Waiting {
  readonly line: Buffer
  readonly done: Deferred.Deferred<Place, ArchiveError>
}

const FRAME_LINES = 16

const compress = promisify(zstdCompress)
// Level 1 compresses history 8 to 1 and costs far less than parsing it.
const compression = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
}

const sha256Of = (body: Buffer): string => hash("sha256", body)

export class ResponseArchive extends Context.Service<
  ResponseArchive,
  {
    readonly keep: (received: Received) => Effect.Effect<ArchivedResponse, ArchiveError>
    /** Records which of the kept responses the commit that follows turns into rows. */
    readonly markCommit: (marker: CommitMarker) => Effect.Effect<void, ArchiveError>
    /** Notes that the commit of a marker was refused for good, for the end of the segment. */
    readonly refuse: (marker: CommitMarker) => Effect.Effect<void>
    /** Records that every other marker's commit has happened and nothing follows; syncs the segment to disk. */
    readonly end: Effect.Effect<void, ArchiveError>
  }
>()("vaulthouse/archive/ResponseArchive") {
  /** Keeps nothing: for requests outside a run. `onReceived` sees each response. */
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
        end: Effect.void,
      }),
    )

  /** One segment below `directory` for this process of the run, created with the first response. */
  static readonly layer = (options: {
    readonly directory: string
    readonly runId: string
    /** This process among those of the run, where it has several. */
    readonly worker?: string
    /** In microseconds; every response of this run is newer, whatever the clock says. */
    readonly notBefore?: number
    /** Bodies of the last run by SHA-256, which are not written again. */
    readonly known?: ReadonlyMap<string, Place>
  }): Layer.Layer<ResponseArchive> =>
    Layer.effect(
      ResponseArchive,
      Effect.gen(function* () {
        const { runId } = options
        const file = segmentOfRun(runId, options.worker)
        const path = join(options.directory, file)
        const queue = yield* Queue.bounded<Waiting>(2 * FRAME_LINES)
        let handle: FileHandle | undefined
        let end = 0
        let last = options.notBefore ?? 0
        const uncommitted: Array<string> = []

        const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, ArchiveError> =>
          Effect.tryPromise({
            try: work,
            catch: (cause) => new ArchiveError({ file: path, cause }),
          })

        // Set where the segment may end with part of a frame: nothing more may be appended.
        let broken: { readonly cause: unknown } | undefined

        const appendFrame = async (frame: Buffer): Promise<number> => {
          if (broken !== undefined) throw broken.cause
          if (handle === undefined) {
            await mkdir(options.directory, { recursive: true, mode: 0o700 })
            const opened = await open(path, "a", 0o600)
            end = (await opened.stat()).size
            handle = opened
          }
          try {
            await handle.appendFile(frame)
          } catch (cause) {
            // A full disk takes part of a frame, and no reader would find the frames after it.
            await handle.truncate(end).catch(() => (broken = { cause }))
            throw cause
          }
          const offset = end
          end += frame.length
          return offset
        }

        /** Compresses the waiting lines together, which costs less than a frame for each. */
        const writeFrame = Effect.fnUntraced(function* (waiting: ReadonlyArray<Waiting>) {
          const written = yield* Effect.exit(
            attempt(async () => {
              const lines = Buffer.concat(waiting.map(({ line }) => line))
              const frame = await compress(lines, compression)
              return { file, offset: await appendFrame(frame), length: frame.length }
            }),
          )
          for (const { done } of waiting) yield* Deferred.done(done, written)
        })

        yield* Effect.addFinalizer(() => Effect.promise(async () => handle?.close()))
        yield* Effect.forkScoped(
          Effect.forever(
            Effect.flatMap(Queue.takeBetween(queue, 1, FRAME_LINES), (waiting) =>
              // An interruption must not leave half a frame between two whole ones.
              Effect.uninterruptible(writeFrame(waiting)),
            ),
          ),
        )

        /** Returns once the line is in the file. */
        const append = Effect.fnUntraced(function* (line: Buffer) {
          const done = yield* Deferred.make<Place, ArchiveError>()
          yield* Queue.offer(queue, { line, done })
          return yield* Deferred.await(done)
        })

        const keep = Effect.fnUntraced(function* ({ body, isJson, ...about }: Received) {
          const task = yield* CurrentTask
          // It orders rows, so no two are the same.
          last = Math.max(last + 1, microsFromMillis(yield* Clock.currentTimeMillis))
          const lineage = { responseId: randomUUID(), receivedAt: last }
          const sha256 = sha256Of(body)
          const sameAs = options.known?.get(sha256)
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
          markCommit: (marker) => Effect.asVoid(append(commitMarkerLine(marker))),
          refuse: ({ landed, notLanded }) =>
            Effect.sync(() => void uncommitted.push(...landed, ...notLanded)),
          end: Effect.suspend(() =>
            handle === undefined
              ? Effect.void
              : Effect.andThen(
                  append(runEndLine({ runId, uncommitted })),
                  attempt(async () => handle?.datasync()),
                ),
          ),
        })
      }),
    )
}
