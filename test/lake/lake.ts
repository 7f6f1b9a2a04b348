// What tests of the lake share. They are left out where its servers and extensions aren't installed: see `make test-lake`.
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parsePostgresUrl } from "../../src/domain/stores/postgresUrl.ts"
import type { LakeOptions } from "../../src/load/storage/lake/attachLake.ts"
import { objectStoreAccess } from "../../src/config/environment/objectStoreAccess.ts"
import { newDatabase, sharedPostgres } from "../support/servers/postgres.ts"

/** Where they are installed; `undefined` in `make test`. */
export const lake = process.env["LAKE"]

/** The folder with DuckDB's extensions. */
export const extensions = join(lake ?? "", "extensions")

/** The URL of an empty database. */
export const newCatalog = async (): Promise<string> => sharedPostgres().url(await newDatabase())

/** A lake by the URL of its catalog and the folder of its data. */
export interface Lake {
  readonly catalog: string
  readonly data: string
}

/** Its files are gone with the scope; its catalog, with the server that all tests share. */
export const newLake = Effect.acquireRelease(
  Effect.promise(async (): Promise<Lake> => ({
    catalog: await newCatalog(),
    data: await mkdtemp(join(tmpdir(), "vaulthouse-lake-")),
  })),
  ({ data }) => Effect.promise(() => rm(data, { recursive: true, force: true })),
)

export const lakeOf = ({ catalog, data }: Lake): LakeOptions => ({
  catalog: Result.getOrThrow(parsePostgresUrl(catalog)),
  data,
  extensions,
  objectStore: objectStoreAccess,
})

/** Of a process that shares a lake (lakeProcess.ts). */
export interface LakeProcess extends Lake {
  readonly dataDir: string
  readonly runId: string
  /** Of its machine's clock. */
  readonly clockAheadMillis?: number
  /** In its layout, besides those of the sample tables. */
  readonly addedColumn?: string
}

export type Command =
  | {
      readonly name: "commit"
      readonly readings: ReadonlyArray<readonly [vault: string, hour: number, value: number]>
    }
  | { readonly name: "rows"; readonly sql: string }
  | { readonly name: "start" | "finish" | "hold" }

export type Reply =
  | { readonly result: unknown }
  | { readonly error: string }
  /** It is inside a transaction, and commits once it is sent anything. */
  | { readonly holds: true }

/** Starts such a process in a data directory of its own. */
export const lakeProcess = (
  of: Lake,
  runId: string,
  options: Pick<LakeProcess, "clockAheadMillis" | "addedColumn"> = {},
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const dataDir = await mkdtemp(join(tmpdir(), "vaulthouse-lake-process-"))
      const child = fork(join(import.meta.dirname, "lakeProcess.ts"), [
        JSON.stringify({ ...of, ...options, dataDir, runId } satisfies LakeProcess),
      ])
      const ended = once(child, "exit")
      const replies: Array<Reply> = []
      let wake: () => void = () => undefined
      child.on("message", (reply: Reply) => {
        replies.push(reply)
        wake()
      })
      const reply = async (): Promise<Reply> => {
        for (;;) {
          const first = replies.shift()
          if (first !== undefined) return first
          await new Promise<void>((resolve) => (wake = resolve))
        }
      }
      return {
        opened: await reply(),
        /** What it replies; several at once would be mixed up. */
        send: (command: Command): Promise<Reply> => {
          child.send(command)
          return reply()
        },
        kill: async () => {
          child.kill("SIGKILL")
          await ended
        },
        /** Until `resume`; it keeps its connections. */
        pause: () => child.kill("SIGSTOP"),
        resume: () => child.kill("SIGCONT"),
        dataDir,
      }
    }),
    ({ kill, dataDir }) =>
      Effect.promise(async () => {
        await kill()
        await rm(dataDir, { recursive: true, force: true })
      }),
  )
