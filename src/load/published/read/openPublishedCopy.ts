// Opens the published copy in this process, for the SQL of this program; that of readers has a process of its own.
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { DuckDBConnection, Json } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import { regularFileSize } from "../../../domain/regularFile.ts"
import {
  adviceOn,
  isPublished,
  nothingPublished,
  type PublishedCopy,
  publishedFile,
  ReadError,
  REPUBLISH,
} from "./PublishedCopy.ts"
import { bindParameters } from "./reader/bindParameters.ts"
import { openCopy } from "./reader/openCopy.ts"
import { convert } from "../../duckdb/readRows.ts"

const MEMORY_LIMIT = "1GB"

/** Opens the copy until the scope ends. If the writer publishes meanwhile, this reader keeps the copy it opened. */
export const openPublishedCopy = (dataDir: string) =>
  Effect.gen(function* () {
    if (!(yield* isPublished(dataDir))) return yield* nothingPublished(dataDir)
    const file = publishedFile(dataDir)
    // Not in the data directory, which the reader may not be allowed to write. Only its owner can access it.
    const spill = yield* Effect.acquireRelease(
      // If it can't be made, only queries that have to spill fail.
      Effect.promise(() =>
        mkdtemp(join(tmpdir(), "vaulthouse-query-")).catch(() =>
          join(tmpdir(), `vaulthouse-query-${randomUUID()}`),
        ),
      ),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
    )
    const { connection } = yield* Effect.acquireRelease(
      attempt(
        `The published copy ${file} can't be opened`,
        () => REPUBLISH,
        undefined,
        async () => {
          await regularFileSize(file)
          return openCopy(file, { memoryLimit: MEMORY_LIMIT, spill })
        },
      ),
      (opened) => Effect.sync(opened.close),
    )
    const copy: PublishedCopy = {
      rows: (sql, parameters) =>
        attempt("DuckDB refused the query", adviceOn, connection, async () => {
          const reader = await connection.runAndReadAll(
            sql,
            await bindParameters(connection, sql, parameters),
          )
          return reader.convertRowObjects(convert) as ReadonlyArray<Record<string, Json>>
        }),
    }
    return copy
  })

// DuckDB forgets an interrupt that comes before its query has begun.
const MILLIS_BETWEEN_INTERRUPTS = 50
// How long a query may take to stop: one whose results are no longer read would never end.
const MILLIS_TO_STOP = 2000

const attempt = <A>(
  what: string,
  advice: (refusal: string) => string,
  connection: DuckDBConnection | undefined,
  work: () => Promise<A>,
): Effect.Effect<A, ReadError> =>
  Effect.callback((resume) => {
    const ended = work().then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => {
        const refusal = cause instanceof Error ? cause.message.trim() : String(cause)
        resume(Effect.fail(new ReadError({ why: `${what}: ${refusal}`, advice: advice(refusal) })))
      },
    )
    return Effect.promise(async () => {
      const again = setInterval(() => connection?.interrupt(), MILLIS_BETWEEN_INTERRUPTS)
      await Promise.race([ended, setTimeout(MILLIS_TO_STOP, undefined, { ref: false })])
      clearInterval(again)
    })
  })
