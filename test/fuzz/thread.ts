// A thread that tries responses: what hangs or needs more memory than it has ends it, and is reported.
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import { HANG_SECONDS } from "../support/until.ts"
import type { Tried } from "./tried.ts"
import type { Task } from "./worker.ts"

/** Many times what a response of this size needs; the product's own limit is far below that of a machine. */
const MEGABYTES = 512

export interface Thread {
  readonly tried: (task: Task) => Promise<Tried>
}

export const thread = Effect.acquireRelease(
  Effect.sync(() => {
    const worker = new Worker(join(import.meta.dirname, "worker.ts"), {
      resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
    })
    const tried = (task: Task): Promise<Tried> =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          clearTimeout(timer)
          worker.off("message", answer).off("error", failure)
        }
        const answer = (found: Tried): void => {
          end()
          resolve(found)
        }
        const failure = (cause: unknown): void => {
          end()
          reject(cause)
        }
        const timer = setTimeout(() => failure(new Error("hung")), HANG_SECONDS * 1000)
        worker.on("message", answer).on("error", failure)
        worker.postMessage(task, [])
      })
    return { worker, tried }
  }),
  ({ worker }) => Effect.promise(() => worker.terminate()),
).pipe(Effect.map(({ tried }): Thread => ({ tried })))
