// Names that lead nowhere else, and files that are what they seem.
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isPlainPath, readRegularText, regularSizeBelow } from "../../src/domain/regularFile.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

describe("a path", () => {
  it.each(["a", "files/core/fees/a-1_b.parquet", "raw/20260601T12=+.ndjson.zst", "a..b"])(
    "%s is plain",
    (path) => expect(isPlainPath(path)).toBe(true),
  )

  it.each([
    "",
    ".",
    "..",
    "/etc/passwd",
    "../a",
    "a/../b",
    "a/..",
    "a/./b",
    "a//b",
    "a/",
    ".hidden",
    "a/.hidden",
    "a\\b",
    "a b",
    "a\nb",
    "a\u0000b",
    "a\u202Eb",
    "~/a",
    "a:b",
  ])("%j is not", (path) => expect(isPlainPath(path)).toBe(false))
})

describe("a file", () => {
  it.live("is read where it is a regular one, by no link, at its place or above it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const at = (name: string) => join(folder, name)
      mkdirSync(at("real"))
      writeFileSync(at("real/file"), "text")
      symlinkSync("real", at("linked"))
      symlinkSync("real/file", at("link"))
      execFileSync("mkfifo", [at("pipe")])
      const said = (read: Promise<unknown>) =>
        Effect.promise(() =>
          read.then(
            (found) => found,
            (cause: Error) => cause.message,
          ),
        )
      expect(yield* said(readRegularText(at("real/file")))).toBe("text")
      expect(yield* said(regularSizeBelow(folder, "real/file"))).toBe(4)
      expect(yield* said(readRegularText(at("link")))).toContain("link is a symbolic link, not a")
      expect(yield* said(readRegularText(at("real")))).toContain("real is a folder, not a")
      expect(yield* said(readRegularText(at("pipe")))).toContain(
        "pipe is a pipe, not a regular file",
      )
      expect(yield* said(readRegularText("/dev/zero"))).toContain("/dev/zero is a device, not a")
      expect(yield* said(regularSizeBelow(folder, "link"))).toContain("link is a symbolic link")
      expect(yield* said(regularSizeBelow(folder, "linked/file"))).toContain(
        "linked is a symbolic link, not a folder",
      )
      expect(yield* said(regularSizeBelow(at("real"), "../real/file"))).toContain(
        '"../real/file" is not a plain relative path',
      )
    }),
  )
})
