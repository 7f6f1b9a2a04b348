// A manifest that somebody else may have written names files of the publication alone.
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { manifestFile, readManifest } from "../../../../src/load/published/parquet/manifest.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"

it.live("has plain paths, and is a regular file", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const file = manifestFile(dataDir)
    const read = Effect.promise(() => readManifest(dataDir).catch((cause: Error) => cause.message))
    const write = (path: string) =>
      writeFileSync(
        file,
        JSON.stringify({
          version: 2,
          run_id: "run",
          published_at: "2026-06-01T12:00:00Z",
          files: [
            {
              path,
              schema: "core",
              table: "fees",
              month: null,
              rows: 1,
              bytes: 1,
              min_at: null,
              max_at: null,
              sha256: "0",
              changed_at: 0,
              layout: "0",
            },
          ],
        }),
      )
    expect(yield* read).toBeUndefined()
    mkdirSync(join(dataDir, "parquet/current"), { recursive: true })
    write("files/core/fees/1.parquet")
    expect(yield* read).toMatchObject({ run_id: "run" })
    for (const path of ["../../precious", "/etc/passwd", "files/../../x", "files/.x", ""]) {
      write(path)
      expect(yield* read, path).toMatch(/it is not a manifest this version wrote/)
    }
    write("files/core/fees/1.parquet")
    renameSync(file, join(dataDir, "elsewhere"))
    symlinkSync(join(dataDir, "elsewhere"), file)
    expect(yield* read).toContain("manifest.json is a symbolic link, not a regular file")
  }),
)
