// Tampered backups, archives and data directories: each is refused with the name of the file, and nothing else is touched.
import { execFileSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { hash } from "node:crypto"
import { join } from "node:path"
import { constants, zstdCompressSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { verify } from "../../src/pipelines/archive/verify.ts"
import { backup } from "../../src/pipelines/backup/backup.ts"
import { restore } from "../../src/pipelines/backup/restore.ts"
import { vaulthouse } from "../cli/command.ts"
import { startServer } from "../serve/support.ts"
import { sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { runOnce } from "../support/warehouseRun.ts"

const synced = sharedWarehouse((dataDir) =>
  Effect.gen(function* () {
    const { url } = yield* simulated({ vaults: 1, days: 2, now: "2026-06-01T12:00:00Z" })
    const pipelines = ["vaults", "ratio_history"]
    yield* runOnce(url, dataDir, { api: asAdmin, pipelines, publish: { parquet: undefined } })
  }),
)

interface List {
  files: Array<{ path: string; bytes: number; sha256: string }>
}

const entryOf = (path: string, content: string | Buffer) => ({
  path,
  bytes: Buffer.byteLength(content),
  sha256: hash("sha256", content),
})

/** A backup that `tamper` changes, with its list; the message that restoring it ends with. */
const restored = (tamper: (folder: string, list: List) => void) =>
  Effect.gen(function* () {
    const around = yield* temporaryFolder
    const folder = join(around, "a/backup")
    const target = join(around, "a/data")
    mkdirSync(join(around, "a"))
    yield* backup({ dataDir: yield* synced }, folder)
    const manifest = join(folder, "backup.json")
    const list = JSON.parse(readFileSync(manifest, "utf8")) as List
    writeFileSync(join(around, "precious"), "mine")
    writeFileSync(join(around, "a/precious"), "mine")
    tamper(folder, list)
    writeFileSync(manifest, JSON.stringify(list))
    const { message } = yield* Effect.flip(restore(folder, { dataDir: target }))
    expect(readFileSync(join(around, "precious"), "utf8")).toBe("mine")
    expect(readFileSync(join(around, "a/precious"), "utf8")).toBe("mine")
    expect(readdirSync(around).toSorted()).toEqual(["a", "precious"])
    // Nothing is changed before everything is checked.
    expect(existsSync(target)).toBe(false)
    return message
  })

describe("restore", () => {
  it.live("writes nowhere but into the data directory, and reads nothing but the backup", () =>
    Effect.gen(function* () {
      const paths = [
        "../precious",
        "../../precious",
        "raw/../../precious.ndjson.zst",
        "raw/sub/x.ndjson.zst",
        "/etc/cron.d/x",
        "published/../../precious",
        "published/x.sh",
        "vaulthouse.duckdb",
        ".ssh/authorized_keys",
        "raw/.ndjson.zst",
        "published\\..\\x.duckdb",
        "published/vaulthouse-..\u0000.duckdb",
        "raw/",
        ".",
      ]
      for (const path of paths) {
        const message = yield* restored((folder, list) => {
          const content = "evil"
          if (path === "../precious") writeFileSync(join(folder, "..", "precious"), "mine")
          list.files.push(entryOf(path, content))
        })
        expect(message).toContain(JSON.stringify(path).slice(1, -1))
        expect(message).toContain("Nothing was restored")
      }
    }).pipe(Effect.scoped),
  )

  it.live("follows no link, and waits for no pipe", () =>
    Effect.gen(function* () {
      const file = "raw/link.ndjson.zst"
      const link = yield* restored((folder, list) => {
        symlinkSync("/etc/hostname", join(folder, file))
        list.files.push(entryOf(file, readFileSync("/etc/hostname")))
      })
      expect(link).toContain("raw/link.ndjson.zst is a symbolic link, not a regular file")
      const pipe = yield* restored((folder, list) => {
        execFileSync("mkfifo", [join(folder, file)])
        list.files.push(entryOf(file, ""))
      })
      expect(pipe).toContain("raw/link.ndjson.zst is a pipe, not a regular file")
      const between = yield* restored((folder) => {
        renameSync(join(folder, "raw"), join(folder, "real"))
        symlinkSync("real", join(folder, "raw"))
      })
      expect(between).toMatch(/\/raw is a symbolic link, not a folder/)
      for (const target of ["/dev/zero", "../backup.json"]) {
        const manifest = yield* restored((folder) => {
          rmSync(join(folder, "backup.json"))
          writeFileSync(join(folder, "../backup.json"), "")
          symlinkSync(target, join(folder, "backup.json"))
        })
        expect(manifest).toMatch(/is not a backup: \S+\/backup\.json is missing or can't be read\./)
      }
    }).pipe(Effect.scoped),
  )

  it.live("checks every file and what current.json names before it changes anything", () =>
    Effect.gen(function* () {
      const changed = (file: string) =>
        restored((folder) => {
          const path = join(folder, file)
          const content = readFileSync(path)
          content[content.length - 2] = (content.at(-2) ?? 0) ^ 1
          writeFileSync(path, content)
        })
      expect(yield* changed("published/current.json")).toMatch(
        /current\.json is not what was backed/,
      )
      const segment = yield* restored((folder) => {
        const [name = ""] = readdirSync(join(folder, "raw"))
        writeFileSync(join(folder, "raw", name), "")
      })
      expect(segment).toMatch(/raw\/.*ndjson\.zst is not what was backed up: 0 of \d+ bytes/)
      const named = (file: string) =>
        restored((folder, list) => {
          const path = join(folder, "published/current.json")
          const content = JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), file })
          writeFileSync(path, content)
          const at = list.files.findIndex((each) => each.path === "published/current.json")
          list.files[at] = entryOf("published/current.json", content)
        })
      for (const file of ["../../x", "../raw/x", "/etc/passwd", "vaulthouse-1.duckdb", "x"]) {
        expect(yield* named(file)).toContain("names no published copy of this backup")
      }
      const twice = yield* restored((_folder, list) => {
        const [first] = list.files
        if (first !== undefined) list.files.push(first)
      })
      expect(twice).toContain("twice")
    }).pipe(Effect.scoped),
  )
})

describe("backup", () => {
  it.live("copies no link and waits for no pipe in the archive", () =>
    Effect.gen(function* () {
      for (const [make, kind] of [
        [(file: string) => symlinkSync("/etc/hostname", file), "a symbolic link"],
        [(file: string) => execFileSync("mkfifo", [file]), "a pipe"],
      ] as const) {
        const dataDir = yield* synced
        const file = join(dataDir, "raw/20990101T000000000Z-aaaaaa.ndjson.zst")
        rmSync(file, { force: true })
        make(file)
        const folder = join(yield* temporaryFolder, "backup")
        const { message } = yield* Effect.flip(backup({ dataDir }, folder))
        expect(message).toContain(`20990101T000000000Z-aaaaaa.ndjson.zst is ${kind}`)
        const findings = yield* verify({ dataDir })
        expect(findings).toContainEqual(
          expect.objectContaining({ kind: "unreadable", detail: expect.stringContaining(kind) }),
        )
      }
    }).pipe(Effect.scoped),
  )
})

describe("verify", () => {
  it.live("does not unpack a segment without limit", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const params = { [constants.ZSTD_c_compressionLevel]: 1 }
      // Frames can't be joined from within one stream, so one large frame is made of zeros.
      const bomb = zstdCompressSync(Buffer.alloc(700_000_000), { params })
      writeFileSync(join(dataDir, "raw/20990101T000000000Z-bbbbbb.ndjson.zst"), bomb)
      const findings = yield* verify({ dataDir })
      expect(findings).toEqual([
        {
          kind: "unreadable",
          path: expect.stringContaining("bbbbbb") as unknown,
          detail: expect.stringContaining("it unpacks to more than 512 MB") as unknown,
        },
      ])
    }).pipe(Effect.scoped),
  )

  it.live("follows neither paths of a manifest nor links out of the data directory", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const outside = yield* temporaryFolder
      rmSync(join(dataDir, "parquet"), { recursive: true, force: true })
      mkdirSync(join(dataDir, "parquet"))
      symlinkSync(outside, join(dataDir, "parquet/current"))
      expect(yield* verify({ dataDir })).toContainEqual(
        expect.objectContaining({ path: "parquet/current", kind: "unreadable" }),
      )
      const copy = join(dataDir, "published/vaulthouse.duckdb")
      rmSync(join(dataDir, "parquet"), { recursive: true })
      rmSync(copy)
      execFileSync("mkfifo", [copy])
      expect(yield* verify({ dataDir })).toContainEqual(
        expect.objectContaining({ detail: expect.stringContaining("is a pipe") }),
      )
    }).pipe(Effect.scoped),
  )
})

describe("serve", () => {
  it.live("opens nothing but a copy next to current.json", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const path = join(dataDir, "published/current.json")
      const current = JSON.parse(readFileSync(path, "utf8")) as { file: string }
      const outside = join(yield* temporaryFolder, "vaulthouse-x.duckdb")
      cpSync(join(dataDir, "published", current.file), outside)
      writeFileSync(path, JSON.stringify({ ...current, file: `../..${outside}` }))
      const { message } = yield* Effect.flip(startServer(dataDir))
      expect(message).toContain("current.json is missing or can't be read")
      symlinkSync(outside, join(dataDir, "published/vaulthouse-link.duckdb"))
      writeFileSync(path, JSON.stringify({ ...current, file: "vaulthouse-link.duckdb" }))
      const linked = yield* Effect.flip(startServer(dataDir))
      expect(linked.message).toContain("vaulthouse-link.duckdb is a symbolic link")
    }).pipe(Effect.scoped),
  )
})

describe("init", () => {
  it.live(
    "writes a configuration that only its owner can read, also over one that others could",
    () =>
      Effect.gen(function* () {
        const cwd = yield* temporaryFolder
        const { url } = yield* simulated({ vaults: 1, days: 1, now: "2026-06-01T12:00:00Z" })
        const file = join(cwd, "vaulthouse.config.yaml")
        for (const more of [[], ["--force"]]) {
          const args = ["init", "--base-url", url, ...more]
          yield* Effect.promise(() => vaulthouse(args, { cwd }))
          expect((statSync(file).mode & 0o777).toString(8)).toBe("600")
          execFileSync("chmod", ["644", file])
        }
      }).pipe(Effect.scoped),
  )
})
