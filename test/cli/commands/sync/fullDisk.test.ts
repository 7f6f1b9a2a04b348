// A disk that fills up between two runs: what the run, `status` and `doctor` say, and that the next one goes on once there is space
// again. Left out where this user may not mount a small file system.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { bin, environment } from "../../command.ts"

/** Runs `script` in a mount namespace of its own, where `$folder` is a file system of 64 MB. */
const onSmallDisk = (script: string): ReadonlyArray<string> => [
  "--user",
  "--map-root-user",
  "--mount",
  "sh",
  "-c",
  `mount -t tmpfs -o size=64m tmpfs "$folder" && cd "$folder" && ${script}`,
]

const mayMount =
  spawnSync("unshare", onSmallDisk("true"), { env: { ...environment, folder: "/mnt" } }).status ===
  0

const MARK = "=== "

const script = `
  vaulthouse() { echo "${MARK}"; "${bin}" "$@" 2>&1; echo "exit $?"; }
  vaulthouse sync vaults fees
  head -c 100000000 /dev/zero >filler 2>/dev/null
  vaulthouse sync vaults fees --full
  vaulthouse status --json
  vaulthouse doctor --json
  rm filler
  vaulthouse sync vaults fees
  vaulthouse status --json`

describe.skipIf(!mayMount)("a full disk", () => {
  it.live("is named by the run, status and doctor, and only needs space", () =>
    Effect.gen(function* () {
      const { url } = yield* simulated({ vaults: 1, days: 3 })
      const folder = join(yield* temporaryFolder, "small")
      mkdirSync(folder)
      const child = spawn("unshare", onSmallDisk(script), {
        env: { ...environment, folder, VAULTHOUSE_BASE_URL: url },
      })
      const [said] = yield* Effect.promise(() =>
        Promise.all([text(child.stdout), once(child, "close")]),
      )
      const [, first, full, status = "", doctor = "", , later = ""] = said.split(`${MARK}\n`)
      expect(first).toMatch(/exit 0\n$/)
      expect(full).toMatch(
        /^vaulthouse: .*the disk is full( \(.*\))?\. Free space there, then run again: what was not committed is read again\.\nexit 1\n$/,
      )
      const reported = (json: string): unknown => JSON.parse(json.split("exit ")[0] ?? "")
      expect(reported(status)).toMatchObject({
        problems: [
          {
            kind: "run_failed",
            text: expect.stringMatching(/^The last run failed: .*the disk is full[^.]*/) as string,
            advice: "Free space there, then run again: what was not committed is read again.",
          },
        ],
        last_run: { state: "ended", outcome: "failed" },
      })
      expect(doctor).toMatch(/exit 4\n$/)
      expect(reported(doctor)).toMatchObject({
        checks: expect.arrayContaining([
          expect.objectContaining({ check: "disk", state: "failed" }) as unknown,
        ]) as unknown,
      })
      expect(reported(later)).toMatchObject({ problems: [], last_run: { outcome: "complete" } })
    }),
  )
})
