// One process at a time: a lock file of our own beside the database. DuckDB's lock alone is not enough, since
// any open and close of the file inside the writer's process drops it.
import { randomUUID } from "node:crypto"
import { readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { WarehouseLocked } from "./errors.ts"

interface Holder {
  readonly pid: number
  readonly host: string
  readonly since: string
  /** When the process itself started, where the system tells: a pid alone is used again. */
  readonly processStart: string | null
  readonly token: string
}

/** Fields of a process from its state on (Linux); empty where the system does not tell. */
const processFields = (pid: number): ReadonlyArray<string> => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The command may hold spaces and parentheses; the fields are counted from behind it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  } catch {
    return []
  }
}

/** In ticks since boot. */
const processStart = (pid: number): string | null => processFields(pid)[19] ?? null

/** Ended, and only waiting to be noticed by a parent that may never look. */
const isDead = (pid: number): boolean => ["Z", "X"].includes(processFields(pid)[0] ?? "")

const isRunning = (holder: Holder): boolean => {
  // Whether a process of another machine lives can't be seen from here.
  if (holder.host !== hostname()) return true
  try {
    process.kill(holder.pid, 0)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  if (isDead(holder.pid)) return false
  return holder.processStart === null || processStart(holder.pid) === holder.processStart
}

const read = (file: string): Holder | undefined => {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder
  } catch {
    return undefined
  }
}

/** Who holds the warehouse of `dataDir` now; a dead process's lock holds nothing. */
export const lockHolder = (dataDir: string): Pick<Holder, "pid" | "host" | "since"> | undefined => {
  const holder = read(join(dataDir, "vaulthouse.lock"))
  return holder !== undefined && isRunning(holder) ? holder : undefined
}

export interface Lock {
  readonly release: () => void
}

/** Takes the lock of `dataDir`, over a dead process's body if need be, or throws `WarehouseLocked`. */
export const acquireLock = (dataDir: string, since: string): Lock => {
  const file = join(dataDir, "vaulthouse.lock")
  const mine: Holder = {
    pid: process.pid,
    host: hostname(),
    since,
    processStart: processStart(process.pid),
    token: randomUUID(),
  }
  const content = `${JSON.stringify(mine)}\n`
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      writeFileSync(file, content, { flag: "wx", mode: 0o600 })
      return {
        release: () => {
          if (read(file)?.token === mine.token) unlinkSync(file)
        },
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
    }
    const holder = read(file)
    if (holder !== undefined && isRunning(holder)) throw new WarehouseLocked({ file, holder })
    // Two processes may both find a dead one's lock; should one remove the other's new lock here,
    // DuckDB's own lock still refuses the second.
    if (read(file)?.token === holder?.token) {
      try {
        unlinkSync(file)
      } catch {
        // Another process removed it first.
      }
    }
  }
  throw new WarehouseLocked({ file, holder: read(file) })
}
