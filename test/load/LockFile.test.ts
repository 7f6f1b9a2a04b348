// One process at a time: the lock of our own, which also a killed process must not keep.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Warehouse } from "../../src/load/Warehouse.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const open = (dataDir: string, wait?: "10 seconds") =>
  Layer.build(
    Warehouse.layer({ dataDir, tables: [], runId: "r", ...(wait === undefined ? {} : { wait }) }),
  )

const lockOf = (dataDir: string): string => {
  const file = readdirSync(dataDir).find((name) => name.endsWith(".lock"))
  return join(dataDir, file ?? "no lock file")
}

describe("the warehouse's lock", () => {
  it.live("keeps a second run out, and says who holds it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* open(dataDir)
      const error = yield* Effect.flip(Effect.scoped(open(dataDir)))
      expect(error._tag).toBe("WarehouseLocked")
      expect(error.message).toContain(`process ${process.pid}`)
    }),
  )

  it.live("lets the next one in once it is released, and who waits gets it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const holder = yield* Effect.forkChild(
        Effect.scoped(Effect.andThen(open(dataDir), Effect.sleep("600 millis"))),
      )
      yield* Effect.sleep("300 millis")
      yield* Effect.scoped(open(dataDir, "10 seconds"))
      yield* Fiber.join(holder)
    }),
  )

  it.live("of a process that is gone is taken over", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* Effect.scoped(open(dataDir))
      const dead = spawn(process.execPath, ["-e", ""])
      yield* Effect.promise(() => once(dead, "exit"))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* open(dataDir)
          const held = readFileSync(lockOf(dataDir), "utf8")
          expect(held).toContain(String(process.pid))
          // As a process killed with its lock in place would leave it.
          writeFileSync(
            `${lockOf(dataDir)}.kept`,
            held.replaceAll(String(process.pid), String(dead.pid)),
          )
        }),
      )
      const kept = join(dataDir, readdirSync(dataDir).find((name) => name.endsWith(".kept")) ?? "")
      writeFileSync(kept.replace(/\.kept$/, ""), readFileSync(kept))
      yield* Effect.scoped(open(dataDir))
    }),
  )

  it.live("of a process that has ended unnoticed is taken over", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      // The shell becomes a program that never looks after its child, which stays a zombie when it ends.
      const parent = spawn("sh", ["-c", "sleep 0.3 & echo $!; exec sleep 30"])
      const [said] = (yield* Effect.promise(() => once(parent.stdout, "data"))) as [Buffer]
      const pid = Number(said.toString())
      yield* Effect.promise(async () => {
        while (!readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")) {
          await new Promise((later) => setTimeout(later, 5))
        }
      })
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")
      writeFileSync(
        join(dataDir, "vaulthouse.lock"),
        JSON.stringify({ pid, host: hostname(), since: "x", processStart: stat[21], token: "t" }),
      )
      yield* Effect.scoped(open(dataDir))
      parent.kill()
    }),
  )
})
