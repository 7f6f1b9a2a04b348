// One writer at a time: who is refused, who waits, and that a dead process blocks no other.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, rmdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { acquireLock, lastHeartbeat, lockHolder } from "../../../src/load/lock/LockFile.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { untilSo } from "../../support/until.ts"

const open = (dataDir: string, wait?: "10 minutes", onWait?: () => void) =>
  Layer.build(
    Warehouse.layer({
      dataDir,
      tables: [],
      runId: "r",
      ...(wait === undefined ? {} : { wait }),
      ...(onWait === undefined ? {} : { onWait }),
    }),
  )

/** A process of its own that holds the lock until it is killed. */
const holdElsewhere = (dataDir: string) =>
  Effect.promise(async () => {
    const script = `
      import { acquireLock } from ${JSON.stringify(join(import.meta.dirname, "../../../src/load/lock/LockFile.ts"))}
      await acquireLock(${JSON.stringify(dataDir)}, "2026-06-01T12:00:00Z")
      console.log("held")
      setInterval(() => undefined, 1000)`
    const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script])
    const ended = once(child, "exit").then(() => {
      throw new Error("it could not take the lock")
    })
    await Promise.race([once(child.stdout, "data"), ended])
    return child
  })

describe("the warehouse's lock", () => {
  it.live("keeps a second run of the same process out, and says who holds it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* open(dataDir)
      const error = yield* Effect.flip(Effect.scoped(open(dataDir)))
      expect(error._tag).toBe("WarehouseLocked")
      expect(error.message).toContain(`process ${process.pid}`)
    }),
  )

  it.live("removes what killed processes left of creating its file", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      // As long as DuckDB has written nothing else into it.
      writeFileSync(join(dataDir, "writer.lock.of-a-killed-one"), "")
      yield* Effect.scoped(open(dataDir))
      const left = readdirSync(dataDir).filter((name) => name.startsWith("writer."))
      expect(left).toEqual(["writer.lock"])
    }),
  )

  it.live("keeps another process out, until it is killed", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const child = yield* holdElsewhere(dataDir)
      const error = yield* Effect.flip(Effect.scoped(open(dataDir)))
      expect(error.message).toContain(`process ${child.pid}`)
      expect(yield* Effect.promise(() => lockHolder(dataDir))).toMatchObject({ pid: child.pid })
      child.kill("SIGKILL")
      yield* Effect.promise(() => once(child, "exit"))
      expect(yield* Effect.promise(() => lockHolder(dataDir))).toBeUndefined()
      yield* Effect.scoped(open(dataDir))
    }),
  )

  it.live("is tried three times, since who only looks has it for a moment", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const child = yield* holdElsewhere(dataDir)
      vi.useFakeTimers({ toFake: ["setTimeout"] })
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.useRealTimers()))
      /** What becomes of taking it, and how often that waited; `meanwhile` comes after the first attempt. */
      const taking = async (meanwhile: () => Promise<unknown>) => {
        const outcomes: Array<unknown> = []
        const attempt = async (): Promise<void> => {
          try {
            const { release } = await acquireLock(dataDir, "2026-06-01T12:00:00Z")
            release()
            outcomes.push("taken")
          } catch (cause) {
            outcomes.push(cause)
          }
        }
        const attempted = attempt()
        let waits = 0
        while (outcomes.length === 0) {
          if (vi.getTimerCount() > 0) {
            if (waits === 0) await meanwhile()
            waits += 1
            vi.runOnlyPendingTimers()
          }
          await new Promise((resolve) => setImmediate(resolve))
        }
        await attempted
        return { outcome: outcomes[0], waits }
      }
      const refused = yield* Effect.promise(() => taking(() => Promise.resolve()))
      expect(refused).toMatchObject({ outcome: { _tag: "WarehouseLocked" }, waits: 2 })
      const killed = async () => {
        child.kill("SIGKILL")
        await once(child, "exit")
      }
      expect(yield* Effect.promise(() => taking(killed))).toEqual({ outcome: "taken", waits: 1 })
    }),
  )

  it.live("is free again where its holder can't be written down", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      mkdirSync(join(dataDir, "writer.json"))
      const taken = yield* Effect.promise(() =>
        acquireLock(dataDir, "2026-06-01T12:00:00Z").catch(String),
      )
      expect(taken).toContain("EISDIR")
      rmdirSync(join(dataDir, "writer.json"))
      const child = yield* holdElsewhere(dataDir)
      expect(yield* Effect.promise(() => lockHolder(dataDir))).toMatchObject({ pid: child.pid })
      child.kill("SIGKILL")
    }),
  )

  it.live("shows that its holder is alive as long as it is held, and no longer", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.useRealTimers()))
      const lock = yield* Effect.promise(() => acquireLock(dataDir, "2026-06-01T12:00:00Z"))
      const long = new Date("2026-06-01T12:00:00Z")
      utimesSync(join(dataDir, "writer.json"), long, long)
      vi.advanceTimersByTime(5000)
      expect(lastHeartbeat(dataDir)).not.toEqual(long)
      lock.release()
      expect(lastHeartbeat(dataDir)).toBeUndefined()
      expect(vi.getTimerCount()).toBe(0)
    }),
  )

  it.live("is not kept by what a process on another host left", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* Effect.scoped(open(dataDir))
      writeFileSync(
        join(dataDir, "writer.json"),
        JSON.stringify({ pid: 1, host: "a-container-that-is-gone", since: "2026-06-01T12:00:00Z" }),
      )
      expect(yield* Effect.promise(() => lockHolder(dataDir))).toBeUndefined()
      yield* Effect.scoped(open(dataDir))
    }),
  )

  it.live("is held by whoever can't be asked, until three heartbeats are missing", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const holder = { pid: 1, host: "another", since: "2026-06-01T12:00:00Z" }
      // What DuckDB can't open, like a file of another user.
      writeFileSync(join(dataDir, "writer.lock"), "closed".repeat(1000))
      writeFileSync(join(dataDir, "writer.json"), JSON.stringify(holder))
      const beat = new Date("2026-06-01T12:00:00Z")
      utimesSync(join(dataDir, "writer.json"), beat, beat)
      const holderAfter = (millis: number) =>
        Effect.promise(() => {
          vi.setSystemTime(beat.getTime() + millis)
          return lockHolder(dataDir)
        })
      vi.useFakeTimers({ toFake: ["Date"] })
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.useRealTimers()))
      expect(yield* holderAfter(14_999)).toEqual(holder)
      expect(yield* holderAfter(15_000)).toBeUndefined()
    }),
  )

  it.live("goes to the one that waits once it is released", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const scope = yield* Scope.make()
      yield* Scope.provide(open(dataDir), scope)
      let waits = 0
      const waiting = yield* Effect.forkChild(
        Effect.scoped(open(dataDir, "10 minutes", () => (waits += 1))),
      )
      yield* untilSo("it waits", () => waits > 0)
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(waiting)
      expect(waits).toBe(1)
    }),
  )

  it.live("stops waiting when it is interrupted", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* open(dataDir)
      let waits = 0
      const waiting = yield* Effect.forkChild(
        Effect.scoped(open(dataDir, "10 minutes", () => (waits += 1))),
      )
      yield* untilSo("it waits", () => waits > 0)
      // Ends before the wait would: nothing releases the lock.
      yield* Fiber.interrupt(waiting)
      expect(Exit.hasInterrupts(yield* Fiber.await(waiting))).toBe(true)
    }),
  )
})
