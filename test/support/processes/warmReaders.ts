// Reader processes that outlive the command that needed them: starting one is half a second of a core, most of what a
// command that reads costs. That each command starts its own, and what becomes of it, is for the tests of the reader.
import { statSync } from "node:fs"
import { afterAll, beforeAll } from "vitest"
import { ReaderProcess } from "../../../src/load/published/read/reader/ReaderProcess.ts"

type Options = Parameters<typeof ReaderProcess.open>[0]

/** A publication replaces the file under its name. */
const keyOf = (options: Options): string => {
  const { ino, mtimeMs } = statSync(options.file)
  return JSON.stringify([ino, mtimeMs, options])
}

/** Until the end of the test file, a closed reader serves the next command that opens the same copy with the same limits. */
export const warmReaders = (): void => {
  // oxlint-disable-next-line typescript/unbound-method -- called on the class and on its readers
  const [open, close] = [ReaderProcess.open, ReaderProcess.prototype.close]
  const idle = new Map<string, ReaderProcess>()
  const keys = new WeakMap<ReaderProcess, string>()
  let isOver = false
  beforeAll(() => {
    ReaderProcess.open = async (options) => {
      const key = keyOf(options)
      const kept = idle.get(key)
      idle.delete(key)
      if (kept?.isUsable === true) return kept
      const opened = await open.call(ReaderProcess, options)
      keys.set(opened, key)
      return opened
    }
    ReaderProcess.prototype.close = function (this: ReaderProcess) {
      const key = keys.get(this)
      if (key === undefined || !this.isUsable || idle.has(key)) return close.call(this)
      // What was running is stopped before another statement is sent.
      void this.stop().then(() => {
        if (isOver || !this.isUsable || idle.has(key)) close.call(this)
        else idle.set(key, this)
        return undefined
      })
    }
  })
  afterAll(() => {
    isOver = true
    ReaderProcess.open = open
    ReaderProcess.prototype.close = close
    for (const reader of idle.values()) reader.close()
  })
}
