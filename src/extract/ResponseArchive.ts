// Every response as it came: appended, compressed, to one private segment per run before anything looks
// inside. Segments are concatenated zstd frames of one JSON line each, so `zstdcat` reads them too.
import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { constants, zstdCompress } from "node:zlib"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { ArchivedResponse } from "../domain/response.ts"
import { formatInstant } from "../domain/time.ts"

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

export interface Received {
  readonly endpoint: string
  readonly method: string
  readonly url: string
  readonly requestBody: string | null
  readonly status: number
  /** Microseconds since 1970 UTC. */
  readonly receivedAt: number
  readonly body: string
}

const compress = promisify(zstdCompress)
// Level 1 compresses history 8 to 1 at a cost well below parsing it.
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export class ResponseArchive extends Context.Service<
  ResponseArchive,
  {
    readonly keep: (received: Received) => Effect.Effect<ArchivedResponse, ArchiveError>
    /** Everything kept so far is on the disk once this returns. */
    readonly flush: Effect.Effect<void, ArchiveError>
  }
>()("vaulthouse/extract/ResponseArchive") {
  /** One segment below `directory` for this run; created with the first response. */
  static readonly layer = (options: {
    readonly directory: string
    readonly runId: string
  }): Layer.Layer<ResponseArchive> =>
    Layer.effect(
      ResponseArchive,
      Effect.gen(function* () {
        const file = `${options.runId}.ndjson.zst`
        const path = join(options.directory, file)
        const oneWriter = yield* Semaphore.make(1)
        let handle: FileHandle | undefined
        let end = 0

        const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, ArchiveError> =>
          Effect.tryPromise({
            try: work,
            catch: (cause) => new ArchiveError({ file: path, cause }),
          })

        yield* Effect.addFinalizer(() => Effect.promise(async () => handle?.close()))

        // Uninterruptible: a timeout must not let the next record begin while this one is being written.
        const append = (record: Buffer) =>
          Semaphore.withPermit(
            oneWriter,
            Effect.uninterruptible(
              attempt(async () => {
                if (handle === undefined) {
                  await mkdir(options.directory, { recursive: true, mode: 0o700 })
                  handle = await open(path, "a", 0o600)
                  end = (await handle.stat()).size
                }
                await handle.appendFile(record)
                const offset = end
                end += record.length
                return offset
              }),
            ),
          )

        const keep = Effect.fnUntraced(function* (received: Received) {
          const { body, ...about } = received
          const responseId = randomUUID()
          const sha256 = createHash("sha256").update(body).digest("hex")
          const line = JSON.stringify({
            response_id: responseId,
            ...about,
            receivedAt: formatInstant(about.receivedAt),
            body,
          })
          const record = yield* attempt(() => compress(Buffer.from(`${line}\n`), compression))
          const offset = yield* append(record)
          return {
            ...about,
            responseId,
            sha256,
            bytes: Buffer.byteLength(body),
            file,
            offset,
            length: record.length,
          }
        })

        return ResponseArchive.of({
          keep,
          flush: attempt(async () => handle?.datasync()),
        })
      }),
    )
}
