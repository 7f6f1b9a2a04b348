// A sync into a lake whose disk is full; left out where this user may not mount a small file system.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { bin, environment } from "../cli/command.ts"
import { simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { extensions, lake, newCatalog } from "./lake.ts"

/** Runs `command` in a mount namespace of its own, where `$folder` is a file system of 64 KB. */
const onSmallDisk = (command: string): ReadonlyArray<string> => [
  "--user",
  "--map-root-user",
  "--mount",
  "sh",
  "-c",
  `mount -t tmpfs -o size=64k tmpfs "$folder" && exec ${command}`,
]

const mayMount =
  spawnSync("unshare", onSmallDisk("true"), { env: { ...environment, folder: "/mnt" } }).status ===
  0

describe.skipIf(lake === undefined || !mayMount)("a lake on a full disk", () => {
  it.live("ends a sync with which disk it is, and what to do", () =>
    Effect.gen(function* () {
      const { url } = yield* simulated({ vaults: 2, days: 200, now: "2026-06-01T00:00:00Z" })
      const cwd = yield* temporaryFolder
      const folder = join(cwd, "lake")
      yield* Effect.promise(async () => {
        mkdirSync(folder)
        writeFileSync(
          join(cwd, "vaulthouse.config.yaml"),
          `baseUrl: ${url}\nwarehouse: ducklake:${await newCatalog()}\nlake: { data: ${folder}, extensions: ${extensions} }\n`,
        )
        const sync = spawn("unshare", onSmallDisk(`${bin} sync ratio_history --no-progress`), {
          cwd,
          env: { ...environment, folder },
        })
        const [said, [code]] = await Promise.all([text(sync.stderr), once(sync, "close")])
        expect(said).toMatch(
          /^vaulthouse: committing rows: the disk is full \(\/.*\/lake\/core\/ratio_history\/\S+\.parquet\)\. Free space there, then run again: what was not committed is read again\.\n$/,
        )
        expect(code).toBe(1)
      })
    }),
  )
})
