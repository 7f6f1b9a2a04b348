// Runs a script of bench/ as a process of its own and reads the lines it prints.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"

// The environment that bin/vaulthouse gives Node: compiled modules are cached, and all threads share a heap that
// returns memory to the system.
const environment = {
  NODE_COMPILE_CACHE: join(tmpdir(), "vaulthouse-bench-modules"),
  // A cache of its own, which no other version's runs clean.
  HOME: join(tmpdir(), "vaulthouse-bench-home"),
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "131072",
}

const spawnScript = (script: string, args: ReadonlyArray<string>) =>
  spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  })

/** Runs a script and returns the JSON it prints; fails with its exit code if that is not 0. */
export const runChild = async <A>(script: string, ...args: ReadonlyArray<string>): Promise<A> => {
  const child = spawnScript(script, args)
  let printed = ""
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  const [code, signal] = await once(child, "close")
  if (code !== 0) throw new Error(`${script} ended with ${String(code ?? signal)}`)
  return JSON.parse(printed) as A
}

export interface Started {
  /** The address it listens on: the first line it printed. */
  readonly url: string
  readonly process: ChildProcess
}

/** Starts a script that runs until it is killed. */
export const startChild = async (
  script: string,
  ...args: ReadonlyArray<string>
): Promise<Started> => {
  const child = spawnScript(script, args)
  const [chunk] = await once(child.stdout, "data")
  return { url: String(chunk).trim(), process: child }
}
