// Every response as it came: appended, compressed, to one private segment per run before anything looks
// inside, and what became of it once that is known. A segment is zstd frames of one or more JSON lines each, so
// `zstdcat`, `jq` and DuckDB read it too. A body that came with the run before as well is not written again.
import { createHash, randomUUID } from "node:crypto"
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
import type { Closing } from "../domain/closing.ts"
import type { AnsweredQuestion, ArchivedResponse } from "../domain/response.ts"
import { CurrentTask } from "../domain/task.ts"
import { microsFromMillis } from "../domain/time.ts"
import { closingLine, FORMAT } from "./archiveLines.ts"

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

export interface Received extends AnsweredQuestion {
  readonly body: string
  /** Whether the body is JSON: it then stands in its line as it is, else as text. */
  readonly isJson: boolean
}

/** Where a body lies: the segment, and the frame in it that holds a line with the body's SHA-256. */
export interface Place {
  readonly file: string
  readonly offset: number
  readonly length: number
}

interface Waiting {
  readonly line: string
  readonly done: Deferred.Deferred<Place, ArchiveError>
}

const FRAME_RESPONSES = 16

const compress = promisify(zstdCompress)
// Level 1 compresses history 8 to 1 at a cost well below parsing it.
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export class ResponseArchive extends Context.Service<
  ResponseArchive,
  {
    readonly keep: (received: Received) => Effect.Effect<ArchivedResponse, ArchiveError>
    /** Says what became of responses kept before. */
    readonly close: (closing: Closing) => Effect.Effect<void, ArchiveError>
    /** Everything kept so far is on the disk once this returns. */
    readonly flush: Effect.Effect<void, ArchiveError>
  }
>()("vaulthouse/extract/ResponseArchive") {
  /** Kept nowhere: for questions outside a run. `onReceived` sees each response as it came. */
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
              sha256: createHash("sha256").update(body).digest("hex"),
              bytes: Buffer.byteLength(body),
              file: "",
              offset: 0,
              length: 0,
            }
          }),
        close: () => Effect.void,
        flush: Effect.void,
      }),
    )

  /** One segment below `directory` for this run; created with the first response. */
  static readonly layer = (options: {
    readonly directory: string
    readonly runId: string
    /** Microseconds: no response of this run is older, whatever the clock says. */
    readonly notBefore?: number
    /** Bodies of the last run, by SHA-256: one that comes again is not written again. */
    readonly known?: ReadonlyMap<string, Place>
  }): Layer.Layer<ResponseArchive> =>
    Layer.effect(
      ResponseArchive,
      Effect.gen(function* () {
        const file = `${options.runId}.ndjson.zst`
        const path = join(options.directory, file)
        const queue = yield* Queue.bounded<Waiting>(2 * FRAME_RESPONSES)
        let handle: FileHandle | undefined
        let end = 0
        let last = options.notBefore ?? 0

        const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, ArchiveError> =>
          Effect.tryPromise({
            try: work,
            catch: (cause) => new ArchiveError({ file: path, cause }),
          })

        // Why nothing more may follow: what stands at the end of the segment is no whole frame.
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
            // A full disk takes part of a frame, behind which no reader would find those that follow.
            await handle.truncate(end).catch(() => (broken = { cause }))
            throw cause
          }
          const offset = end
          end += frame.length
          return offset
        }

        /** Responses that wait are compressed together: one frame costs less than one each. */
        const writeFrame = Effect.fnUntraced(function* (waiting: ReadonlyArray<Waiting>) {
          const lines = waiting.map(({ line }) => line).join("")
          const written = yield* Effect.exit(
            attempt(async () => {
              const frame = await compress(Buffer.from(lines), compression)
              return { file, offset: await appendFrame(frame), length: frame.length }
            }),
          )
          for (const { done } of waiting) yield* Deferred.done(done, written)
        })

        yield* Effect.addFinalizer(() => Effect.promise(async () => handle?.close()))
        yield* Effect.forkScoped(
          Effect.forever(
            Effect.flatMap(Queue.takeBetween(queue, 1, FRAME_RESPONSES), (waiting) =>
              // A stop must not leave half a frame between two whole ones.
              Effect.uninterruptible(writeFrame(waiting)),
            ),
          ),
        )

        /** Returns once the line is in the file. */
        const append = Effect.fnUntraced(function* (line: string) {
          const done = yield* Deferred.make<Place, ArchiveError>()
          yield* Queue.offer(queue, { line: `${line}\n`, done })
          return yield* Deferred.await(done)
        })

        const keep = Effect.fnUntraced(function* (received: Received) {
          const { body, isJson, ...about } = received
          const task = yield* CurrentTask
          // Rows are ordered by it, so no two are the same.
          last = Math.max(last + 1, microsFromMillis(yield* Clock.currentTimeMillis))
          const receivedAt = last
          const responseId = randomUUID()
          const sha256 = createHash("sha256").update(body).digest("hex")
          const sameAs = options.known?.get(sha256)
          const head = JSON.stringify({
            format: FORMAT,
            response_id: responseId,
            run_id: options.runId,
            pipeline: task?.pipeline ?? null,
            entity: task?.entity ?? null,
            endpoint: about.endpoint,
            method: about.method,
            url: about.url,
            request_body: about.requestBody,
            inputs: about.inputs,
            subject: about.subject,
            status: about.status,
            received_at: receivedAt,
            // Last, so that a reader finds where the body begins.
            sha256,
          }).slice(0, -1)
          // Byte for byte either way; escaping a page of history would cost as much as parsing it.
          const content =
            sameAs !== undefined
              ? `"is_elsewhere":true`
              : isJson && !body.includes("\n")
                ? `"body":${body}`
                : `"text":${JSON.stringify(body)}`
          const written = yield* append(`${head},${content}}`)
          const place = sameAs ?? written
          const bytes = Buffer.byteLength(body)
          return { ...about, responseId, receivedAt, sha256, bytes, ...place }
        })

        return ResponseArchive.of({
          keep,
          close: (closing) => Effect.asVoid(append(closingLine(closing))),
          flush: attempt(async () => handle?.datasync()),
        })
      }),
    )
}
