// What the archive holds once the disk was full for a while: whole frames, and those that came later too.
import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { promisify } from "node:util"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readSegment } from "../../src/extract/archiveSegments.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const run = promisify(execFile)

it.live("leaves no part of a frame where the disk took no more, and goes on behind the last", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryFolder
    // Blocks of 512 or 1024 bytes: room for the first body and the last, not for the one between.
    const limited = `ulimit -S -f 64 && exec "$0" "$@"`
    const program = [process.execPath, "test/support/archiveProcess.ts", directory]
    const sizes = ["4000", "200000", "500"]
    const { stdout } = yield* Effect.promise(() => run("sh", ["-c", limited, ...program, ...sizes]))
    expect(JSON.parse(stdout)).toEqual(["kept", "refused", "kept"])
    const [segment = ""] = readdirSync(directory)
    const read = yield* Effect.promise(async () => {
      const lengths: Array<number | undefined> = []
      for await (const { lines } of readSegment(directory, segment)) {
        lengths.push(...lines.map(({ body }) => body?.length))
      }
      return lengths
    })
    expect(read).toEqual([8000, 1000])
  }),
)
