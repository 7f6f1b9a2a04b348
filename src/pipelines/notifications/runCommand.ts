// Runs the program of a receiver, with the message as JSON on standard input and its main parts in the environment.
// The program and its child processes are stopped at the time limit.
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { PlatformError } from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"
import { API_KEY } from "../../config/settings/Setting.ts"
import { readReason } from "../../domain/values/fileReason.ts"
import type { Message } from "./message.ts"

const processes = Layer.provide(
  NodeChildProcessSpawner.layer,
  Layer.mergeAll(NodeFileSystem.layer, NodePath.layer),
)

/** Returns `exit code 0`, or fails with a sentence that ends with what the program last wrote to standard error. */
export const runCommand = (
  [program = "", ...args]: ReadonlyArray<string>,
  message: Message,
  limitSeconds: number,
): Effect.Effect<string, string> =>
  Effect.gen(function* () {
    const child = yield* ChildProcess.make(program, args, {
      extendEnv: true,
      env: {
        [API_KEY]: undefined,
        NOTIFY_EVENT: message.event,
        NOTIFY_TITLE: message.title,
        NOTIFY_MESSAGE: message.message,
      },
      stdin: Stream.make(new TextEncoder().encode(`${JSON.stringify(message)}\n`)),
      stdout: "ignore",
      stderr: "pipe",
      forceKillAfter: "1 second",
    })
    let lastOutput = ""
    const reading = yield* Effect.forkScoped(
      Stream.runForEach(Stream.decodeText(child.stderr), (text) =>
        Effect.sync(() => {
          lastOutput = (lastOutput + text).slice(-MAX_LAST_OUTPUT)
        }),
      ),
    )
    const code = yield* Effect.mapError(child.exitCode, reasonOf)
    if (code === 0) return "exit code 0"
    // Its last output may still be on its way, but a process it left behind may keep the pipe open forever.
    yield* Effect.timeoutOption(Fiber.await(reading), "1 second")
    const lastLine = lastOutput.trim().split("\n").at(-1) ?? ""
    return yield* Effect.fail(`exit code ${code}${lastLine === "" ? "" : `: ${lastLine}`}`)
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => (typeof error === "string" ? error : reasonOf(error))),
    Effect.timeoutOrElse({
      duration: limitSeconds * 1000,
      orElse: () => Effect.fail(`still running after ${limitSeconds} s, so it was stopped`),
    }),
    Effect.provide(processes),
  )

const MAX_LAST_OUTPUT = 200

/** Without the arguments, which may hold a secret. */
const reasonOf = ({ reason }: PlatformError): string => {
  const { code } = (reason.cause ?? {}) as NodeJS.ErrnoException
  if (code === "ENOENT") return "there is no such program"
  return code === undefined
    ? "it was ended by a signal"
    : `it can't be run: ${readReason(reason.cause)}`
}
