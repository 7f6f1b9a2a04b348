// What the list of a backup may name, and that each of its files is there as it was backed up.
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  attempt,
  type Backup,
  BackupError,
  check,
  copy,
  folderOfArchive,
  manifestOf,
  readBackup,
} from "../../../src/pipelines/backup/backupFolder.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

const COPY = "published/vaulthouse-1.duckdb"
const CURRENT = "published/current.json"
const SEGMENT = "raw/2026-06.run.ndjson.zst"

const naming = (file: string): string =>
  JSON.stringify({
    file,
    run_id: "1",
    published_at: "2026-06-01T12:00:00Z",
    definition: "",
    content: "",
    duckdb: "",
    views: {},
  })

/** A folder with one file of each kind, and the list that names them. */
const backedUp = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  mkdirSync(join(folder, "published"))
  mkdirSync(join(folder, "raw"))
  const listed = (path: string, text: string) => {
    writeFileSync(join(folder, path), text)
    return { path, bytes: text.length, sha256: createHash("sha256").update(text).digest("hex") }
  }
  const current = listed(CURRENT, naming("vaulthouse-1.duckdb"))
  const files = [listed(COPY, "rows"), current, listed(SEGMENT, "bodies")]
  const refusal = (others: Backup["files"]) =>
    Effect.promise(() =>
      check(
        folder,
        { format: 1, created_at: "2026-06-01T12:00:00Z", files: others },
        new AbortController().signal,
      ).then(
        () => undefined,
        (cause: unknown) => (cause instanceof BackupError ? cause.why : cause),
      ),
    )
  return { folder, files, listed, refusal }
})

it.live("lists a published copy, the file that names it, and segments, each once", () =>
  Effect.gen(function* () {
    const { folder, files, listed, refusal } = yield* backedUp
    expect(yield* refusal(files)).toBeUndefined()
    const list = join(folder, "backup.json")
    for (const path of [
      "raw/notes.txt",
      "raw/inner/2026-06.run.ndjson.zst",
      `${SEGMENT}/inner`,
      `${COPY}/inner`,
      "published/notes.json",
      "current.json",
      "other.ndjson.zst",
    ]) {
      expect(yield* refusal([...files, { path, bytes: 0, sha256: "" }])).toBe(
        `${list} lists ${JSON.stringify(path)}, which is no file of a backup.`,
      )
    }
    for (const file of files) {
      expect(yield* refusal([...files, file])).toBe(
        `${list} lists ${JSON.stringify(file.path)} twice.`,
      )
    }
    const unnamed = `${join(folder, CURRENT)} names no published copy of this backup.`
    for (const path of [COPY, CURRENT]) {
      expect(yield* refusal(files.filter((file) => file.path !== path))).toBe(unnamed)
    }
    expect(yield* refusal(files.filter(({ path }) => path !== SEGMENT))).toBeUndefined()
    const [published, , segment] = files as [Backup["files"][0], unknown, Backup["files"][0]]
    const other = listed(CURRENT, naming("vaulthouse-2.duckdb"))
    expect(yield* refusal([published, other, segment])).toBe(unnamed)
    expect(yield* refusal([published, listed(CURRENT, "{}"), segment])).toBe(unnamed)
  }),
)

it.live("refuses a file that is gone, longer, of the same length but other, or elsewhere", () =>
  Effect.gen(function* () {
    const { folder, files, refusal } = yield* backedUp
    const segment = join(folder, SEGMENT)
    const differs = (bytes: number) =>
      `${segment} is not what was backed up: ${bytes} of 6 bytes, or another checksum.`
    writeFileSync(segment, "bodies+")
    expect(yield* refusal(files)).toBe(differs(7))
    writeFileSync(segment, "b0dies")
    expect(yield* refusal(files)).toBe(differs(6))
    rmSync(segment)
    expect(yield* refusal(files)).toBe(differs(0))
    writeFileSync(join(folder, "elsewhere"), "bodies")
    symlinkSync(join(folder, "elsewhere"), segment)
    expect(yield* refusal(files)).toBe(`${segment} is a symbolic link, not a regular file.`)
  }),
)

it.live("an error of our own is passed on, and another is said with what failed", () =>
  Effect.gen(function* () {
    const own = new BackupError({ why: "It is half.", advice: "Repeat it." })
    const failing = (cause: Error) =>
      Effect.flip(attempt("The backup failed", "Remove it.", () => Promise.reject(cause)))
    expect(yield* failing(own)).toBe(own)
    expect((yield* failing(new Error("no space"))).message).toBe(
      "The backup failed: no space.\nRemove it.",
    )
  }),
)

it("the archive is in the data directory, unless its setting names another folder", () => {
  expect(folderOfArchive({ dataDir: "/data" })).toBe("/data/raw")
  expect(folderOfArchive({ dataDir: "/data", archive: "/archive" })).toBe("/archive")
  expect(folderOfArchive({ dataDir: "/data", archive: "s3://bucket/raw" })).toBe("/data/raw")
})

it.live("a copy is its owner's alone, in a folder made for it, and of a regular file only", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const [from, to] = [join(folder, "from"), join(folder, "a/b/to")]
    writeFileSync(from, "rows", { mode: 0o644 })
    yield* Effect.promise(() => copy(from, to))
    expect(readFileSync(to, "utf8")).toBe("rows")
    expect(statSync(to).mode & 0o777).toBe(0o600)
    const [link, other] = [join(folder, "link"), join(folder, "other")]
    symlinkSync(from, link)
    const refused = yield* Effect.flip(attempt("It failed", "", () => copy(link, other)))
    expect(refused.why).toContain("is a symbolic link, not a regular file")
    expect(existsSync(other)).toBe(false)
  }),
)

it.live("the list of a backup is of this format, or it is none", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const read = attempt("It failed", "", () => readBackup(folder))
    const none = `${folder} is not a backup: ${manifestOf(folder)} is missing or can't be read.`
    expect((yield* Effect.flip(read)).why).toBe(none)
    const backup = { format: 1, created_at: "2026-06-01T12:00:00Z", files: [] }
    writeFileSync(manifestOf(folder), JSON.stringify(backup))
    expect(yield* read).toEqual(backup)
    writeFileSync(manifestOf(folder), JSON.stringify({ ...backup, format: 2 }))
    expect((yield* Effect.flip(read)).why).toBe(none)
  }),
)
