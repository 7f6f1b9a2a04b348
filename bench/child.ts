// Runs a script of this folder as a process of its own and reads the lines it prints.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"

// As bin/vaulthouse starts Node: modules are neither stripped of types nor compiled each time, and threads share a heap
// that gives memory back.
const environment = {
  NODE_COMPILE_CACHE: join(tmpdir(), "vaulthouse-bench-modules"),
  // With a cache of its own: another version of vaulthouse, run meanwhile, replaces the template of a new warehouse there.
  HOME: join(tmpdir(), "vaulthouse-bench-home"),
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "131072",
}

const spawnScript = (script: string, args: ReadonlyArray<string>) =>
  spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  })

/** The JSON a script prints before it ends; fails with its exit code when it does not end well. */
export const runChild = async <A>(script: string, ...args: ReadonlyArray<string>): Promise<A> => {
  const child = spawnScript(script, args)
  let printed = ""
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  const [code, signal] = await once(child, "close")
  if (code !== 0) throw new Error(`${script} ended with ${String(code ?? signal)}`)
  return JSON.parse(printed) as A
}

export interface Started {
  /** The first line it printed: where it listens. */
  readonly first: string
  readonly process: ChildProcess
}

/** A script that goes on until it is killed. */
export const startChild = async (
  script: string,
  ...args: ReadonlyArray<string>
): Promise<Started> => {
  const child = spawnScript(script, args)
  const [chunk] = await once(child.stdout, "data")
  return { first: String(chunk).trim(), process: child }
}
