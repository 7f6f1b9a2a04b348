// A process that runs the SQL of readers on one published copy, one statement at a time: what DuckDB does to it, a crash,
// a loop, a full memory, costs one statement. Its folder and the process are gone once it is closed.
import { randomUUID } from "node:crypto"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import module from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Json } from "@duckdb/node-api"
import {
  type Column,
  EXPORT,
  type Failure,
  type FromReader,
  type ReaderOptions,
  SPILL,
  type Statement,
  type ToReader,
} from "./protocol.ts"

export interface ProcessOptions extends Omit<ReaderOptions, "folder"> {
  /** Yield the processors to others. */
  readonly isNice: boolean
}

export interface Result {
  readonly columns: ReadonlyArray<Column>
  /** Some rows at a time. After the last, `isCut` says whether `maxBytes` ended them. */
  readonly rows: AsyncGenerator<ReadonlyArray<ReadonlyArray<Json>>, void, void>
  readonly isCut: () => boolean
  /** Stops what has not ended yet. */
  readonly end: () => Promise<void>
}

/** DuckDB refused the statement or failed. */
export class StatementFailed extends Error {
  readonly isRefused: boolean

  constructor({ message, isRefused }: Failure) {
    super(message)
    this.isRefused = isRefused
  }
}

/** The process ended while it ran a statement; the message says so. */
export class ReaderEnded extends Error {}

const isSource = import.meta.filename.endsWith(".ts")
const program = fileURLToPath(new URL(isSource ? "./child.ts" : "./child.js", import.meta.url))

// Beside DuckDB's memory: what Node and DuckDB reserve at their start (1.2 GB, most of it never used), the values
// under way, and the stacks of their threads.
// In a checkout, Node reserves 4 GB more to strip types.
const OVERHEAD_BYTES = (isSource ? 6.75 : 2.5) * 1024 ** 3
const HEAP_MEGABYTES = 1024

// A statement that can be interrupted at all ends within milliseconds; the process of another is killed.
const MILLIS_TO_STOP = 500

const UNITS: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4 }

/** `1GB` and the like in bytes. */
export const bytesIn = (amount: string): number => {
  const [, number = "", unit = "", binary] = /^([\d.]+)\s*([kmgt])(i?)b$/i.exec(amount.trim()) ?? []
  return Number(number) * (binary === "i" ? 1024 : 1000) ** (UNITS[unit.toLowerCase()] ?? 0)
}

// Limits of the kernel, where it has them: address space, size of a file, no core dumps. With XFSZ ignored, a file
// that grows too large is an error of its writer.
// The priority is that of the whole process from its start: one that is set later is that of one thread, and DuckDB
// works in others.
const LIMITED = `ulimit -c 0; ulimit -v "$1" 2>/dev/null; trap '' XFSZ; ulimit -f "$2" 2>/dev/null
  niceness=$3; shift 3
  if [ "$niceness" -gt 0 ] && command -v nice >/dev/null; then exec nice -n "$niceness" "$@"; fi
  exec "$@"`
const NICE = 10
const FILE_BLOCK = 512

const start = (options: ReaderOptions, isNice: boolean): ChildProcess => {
  const addressSpace = Math.ceil((bytesIn(options.memoryLimit) + OVERHEAD_BYTES) / 1024)
  const fileSize = Math.ceil(bytesIn(options.diskLimit) / FILE_BLOCK)
  const cache = module.getCompileCacheDir()
  const node = [
    process.execPath,
    // It would reserve 4 GB more for each memory of WebAssembly.
    "--disable-wasm-trap-handler",
    `--max-old-space-size=${HEAP_MEGABYTES}`,
    program,
    JSON.stringify(options),
  ]
  const limits = [addressSpace, fileSize, isNice ? NICE : 0].map(String)
  return spawn("/bin/sh", ["-c", LIMITED, "sh", ...limits, ...node], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // Nothing of this process's own environment, which has secrets.
    env: {
      TMPDIR: options.folder,
      MALLOC_ARENA_MAX: "1",
      MALLOC_TRIM_THRESHOLD_: "131072",
      ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }),
    },
  })
}

/** What waits for the messages of the running statement. */
interface Running {
  readonly receive: (message: FromReader) => void
  readonly ended: Promise<void>
  readonly fail: (error: Error) => void
}

/** If none can be made, only queries that have to spill or are exported fail. */
const privateFolder = (): string => {
  const name = join(tmpdir(), "vaulthouse-reader-")
  try {
    const folder = mkdtempSync(name)
    mkdirSync(join(folder, SPILL))
    return folder
  } catch {
    return `${name}${randomUUID()}`
  }
}

export class ReaderProcess {
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #hasFolder: boolean
  #running: Running | undefined
  #isUsable = true

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child
    this.#folder = folder
    this.#hasFolder = existsSync(join(folder, SPILL))
    child.on("message", (message: FromReader) => this.#running?.receive(message))
    child.on("error", () => this.#end("can't be started"))
    child.on("exit", (code, signal) => this.#end(signal ?? `exit code ${code ?? "unknown"}`))
  }

  /** Resolves once the copy is open. */
  static async open({ isNice, ...options }: ProcessOptions): Promise<ReaderProcess> {
    // Not in the data directory, which a reader may not be allowed to write. Only its owner can access it.
    const folder = privateFolder()
    const opened = new ReaderProcess(start({ ...options, folder }, isNice), folder)
    try {
      for await (const _ready of opened.#messages(undefined, new Set(["ready"]))) continue
      return opened
    } catch (cause) {
      opened.close()
      throw cause
    }
  }

  /** Whether it can run another statement, once the running one has ended. Its folder may be cleaned away meanwhile. */
  get isUsable(): boolean {
    return this.#isUsable && this.#hasFolder === existsSync(join(this.#folder, SPILL))
  }

  /** Throws `StatementFailed` or `ReaderEnded`. The result must be ended. */
  async run(statement: Statement): Promise<Result> {
    const messages = this.#messages({ kind: "run", statement })
    const first = await messages.next()
    const columns = first.value?.kind === "columns" ? first.value.columns : []
    const running = this.#running
    let isCut = false
    const send = (message: ToReader): void => this.#send(message)
    return {
      columns,
      rows: (async function* () {
        for await (const message of messages) {
          if (message.kind === "end") isCut = message.isCut
          if (message.kind !== "rows") continue
          yield message.rows
          send({ kind: "more" })
        }
      })(),
      isCut: () => isCut,
      end: () => this.stop(running),
    }
  }

  /** Writes up to `maxRows` rows as Parquet; returns the file, which is gone with the process, and their number. */
  async export(
    statement: Statement,
    maxRows: number,
  ): Promise<{ readonly file: string; readonly rows: number }> {
    let rows = 0
    for await (const message of this.#messages({ kind: "export", statement, maxRows })) {
      if (message.kind === "end") rows = message.exported ?? 0
    }
    return { file: join(this.#folder, EXPORT), rows }
  }

  /** Stops the running statement, if any; kills the process if that takes too long. */
  async stop(running = this.#running): Promise<void> {
    if (running === undefined || running !== this.#running) return
    this.#send({ kind: "stop" })
    const kill = setTimeout(() => this.#child.kill("SIGKILL"), MILLIS_TO_STOP)
    await running.ended
    clearTimeout(kill)
    if (this.#running === running) this.#running = undefined
  }

  close(): void {
    this.#isUsable = false
    this.#child.kill("SIGKILL")
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #send(message: ToReader): void {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  #end(how: string): void {
    this.#isUsable = false
    rmSync(this.#folder, { recursive: true, force: true })
    this.#running?.fail(new ReaderEnded(`DuckDB ended while it ran this query (${how})`))
  }

  /** Sends the statement, and gives what comes back until its end; throws if it failed. */
  async *#messages(
    message: ToReader | undefined,
    last: ReadonlySet<FromReader["kind"]> = new Set(["end", "failed"]),
  ): AsyncGenerator<FromReader, void, void> {
    const received: Array<FromReader | Error> = []
    let wake: (() => void) | undefined
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const add = (each: FromReader | Error): void => {
      received.push(each)
      wake?.()
    }
    const running: Running = {
      receive: (each) => {
        if (last.has(each.kind) || each.kind === "failed") end()
        add(each)
      },
      fail: (error) => {
        end()
        add(error)
      },
      ended,
    }
    this.#running = running
    if (!this.#isUsable) this.#end("before it began")
    if (message !== undefined) this.#send(message)
    let next: FromReader | Error | undefined
    try {
      for (;;) {
        next = received.shift()
        if (next === undefined) {
          await new Promise<void>((resolve) => (wake = resolve))
          continue
        }
        if (next instanceof Error) throw next
        if (next.kind === "failed") {
          this.#isUsable &&= !next.isBroken
          throw new StatementFailed(next)
        }
        yield next
        if (last.has(next.kind)) return
      }
    } finally {
      // Left before the end: the rest is of no use.
      await this.stop(running)
    }
  }
}
