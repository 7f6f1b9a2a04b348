// One writer at a time: DuckDB's lock on a small file that nothing else opens. The operating system releases it when
// the process ends, however it ends and on whichever host. A file next to it names the holder; its time is the heartbeat.
import { randomUUID } from "node:crypto"
import {
  chmodSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { hostname } from "node:os"
import { basename, dirname, join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { flush } from "../../domain/flush.ts"
import { lacksLinks } from "../../domain/durableFiles.ts"
import { WarehouseLocked } from "../errors.ts"

export interface Holder {
  readonly pid: number
  readonly host: string
  readonly since: string
}

export interface Lock {
  readonly release: () => void
}

const HEARTBEAT_MILLIS = 5000
// Another command that checks whether the lock is held takes it for some milliseconds.
const ATTEMPTS = 3
const MILLIS_BETWEEN_ATTEMPTS = 100

/** `writer`: who may write the warehouse; `scheduler`: which of several schedulers runs. */
export type LockName = "writer" | "scheduler"

const lockFile = (dataDir: string, name: LockName): string => join(dataDir, `${name}.lock`)
const holderFile = (dataDir: string, name: LockName): string => join(dataDir, `${name}.json`)

/** Locks this process holds: the operating system would give them to the same process again. */
const heldHere = new Set<string>()

const isConflict = (cause: unknown): boolean =>
  cause instanceof Error && cause.message.includes("Could not set lock")

const open = (
  dataDir: string,
  name: LockName,
  mode: "READ_WRITE" | "READ_ONLY",
): Promise<DuckDBInstance> =>
  DuckDBInstance.create(lockFile(dataDir, name), { access_mode: mode, threads: "1" })

/**
 * Puts a complete file in place, never over another: DuckDB can't open one that a kill or a power cut left while it was being
 * created.
 */
const createLockFile = async (file: string): Promise<void> => {
  const aside = `${file}.${randomUUID()}`
  try {
    const instance = await DuckDBInstance.create(aside, { threads: "1" })
    instance.closeSync()
    chmodSync(aside, 0o600)
    await flush(aside)
    linkSync(aside, file)
  } catch (cause) {
    // Another process has made it meanwhile, or has removed what seemed to be left.
    if (existsSync(file)) return
    if (!lacksLinks(cause)) throw cause
    renameSync(aside, file)
  } finally {
    rmSync(aside, { force: true })
  }
}

/** Removes what killed processes left of creating the file. */
const removeLeft = (file: string): void => {
  for (const name of readdirSync(dirname(file))) {
    if (name.startsWith(`${basename(file)}.`)) rmSync(join(dirname(file), name), { force: true })
  }
}

const readHolder = (dataDir: string, name: LockName): Holder | undefined => {
  try {
    return JSON.parse(readFileSync(holderFile(dataDir, name), "utf8")) as Holder
  } catch {
    return undefined
  }
}

const locked = (dataDir: string, name: LockName): WarehouseLocked =>
  new WarehouseLocked({
    file: lockFile(dataDir, name),
    holder: readHolder(dataDir, name),
    isScheduler: name === "scheduler",
  })

const openForWriting = async (
  dataDir: string,
  name: LockName,
  attempt = 1,
): Promise<DuckDBInstance> => {
  try {
    return await open(dataDir, name, "READ_WRITE")
  } catch (cause) {
    if (!isConflict(cause)) throw cause
    if (attempt === ATTEMPTS) throw locked(dataDir, name)
    await new Promise((resolve) => setTimeout(resolve, MILLIS_BETWEEN_ATTEMPTS))
    return openForWriting(dataDir, name, attempt + 1)
  }
}

/** Rejects with `WarehouseLocked` if another process, or this one, holds it. */
export const acquireLock = async (
  dataDir: string,
  since: string,
  name: LockName = "writer",
): Promise<Lock> => {
  const key = lockFile(realpathSync(dataDir), name)
  if (heldHere.has(key)) throw locked(dataDir, name)
  heldHere.add(key)
  try {
    const file = lockFile(dataDir, name)
    if (!existsSync(file)) await createLockFile(file)
    const instance = await openForWriting(dataDir, name)
    try {
      removeLeft(file)
      const holder: Holder = { pid: process.pid, host: hostname(), since }
      writeFileSync(holderFile(dataDir, name), `${JSON.stringify(holder)}\n`, { mode: 0o600 })
    } catch (cause) {
      instance.closeSync()
      throw cause
    }
    const heartbeat = setInterval(() => beat(dataDir, name), HEARTBEAT_MILLIS).unref()
    return {
      release: () => {
        clearInterval(heartbeat)
        try {
          rmSync(holderFile(dataDir, name), { force: true })
        } catch {
          // One that is left names no holder: who reads it tries the lock too.
        } finally {
          instance.closeSync()
          heldHere.delete(key)
        }
      },
    }
  } catch (cause) {
    heldHere.delete(key)
    throw cause
  }
}

const beat = (dataDir: string, name: LockName): void => {
  const now = new Date()
  try {
    utimesSync(holderFile(dataDir, name), now, now)
  } catch {
    // Only what `status` reports about a dead process depends on it.
  }
}

/** When the last process that took the writer's lock was last known to be alive, if it did not release it. */
export const lastHeartbeat = (dataDir: string): Date | undefined =>
  statSync(holderFile(dataDir, "writer"), { throwIfNoEntry: false })?.mtime

/** Who holds the warehouse now. */
export const lockHolder = async (dataDir: string): Promise<Holder | undefined> => {
  const holder = readHolder(dataDir, "writer")
  if (holder === undefined) return undefined
  if (heldHere.has(lockFile(realpathSync(dataDir), "writer"))) return holder
  try {
    const instance = await open(dataDir, "writer", "READ_ONLY")
    instance.closeSync()
    return undefined
  } catch (cause) {
    if (isConflict(cause)) return holder
    // The file is another user's, so only the heartbeat shows whether the holder is alive.
    const age = Date.now() - (lastHeartbeat(dataDir)?.getTime() ?? 0)
    return age < 3 * HEARTBEAT_MILLIS ? holder : undefined
  }
}
