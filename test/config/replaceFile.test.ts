// A configuration file is replaced as a whole, or stays as it was.
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { replaceFile } from "../../src/config/write/replaceFile.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const replace = (path: string, text: string) => Effect.promise(() => replaceFile(path, text))

it.live(
  "a new one is its owner's; an existing one keeps its mode, and a link leads to it still",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [file, link] = [join(folder, "real.yaml"), join(folder, "link.yaml")]
      yield* replace(file, "one")
      expect(statSync(file).mode & 0o777).toBe(0o600)
      chmodSync(file, 0o644)
      symlinkSync(file, link)
      yield* replace(link, "two")
      expect(readFileSync(file, "utf8")).toBe("two")
      expect(statSync(file).mode & 0o777).toBe(0o644)
      expect(lstatSync(link).isSymbolicLink()).toBe(true)
      expect(readdirSync(folder).toSorted()).toEqual(["link.yaml", "real.yaml"])
    }),
)

it.live("where the new one can't be written, the old one stays", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const file = join(folder, "settings.yaml")
    writeFileSync(file, "vaults: {}\n")
    mkdirSync(`${file}.tmp`)
    yield* Effect.flip(Effect.tryPromise(() => replaceFile(file, "cut")))
    expect(readFileSync(file, "utf8")).toBe("vaults: {}\n")
  }),
)

const isRoot = process.getuid?.() === 0
const nobody = 65_534

it.live.skipIf(!isRoot)("root leaves it to its owner", () =>
  Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "settings.yaml")
    writeFileSync(file, "one", { mode: 0o600 })
    chownSync(file, nobody, nobody - 1)
    yield* replace(file, "two")
    expect(readFileSync(file, "utf8")).toBe("two")
    const { uid, gid, mode } = statSync(file)
    expect([uid, gid, mode & 0o777]).toEqual([nobody, nobody - 1, 0o600])
  }),
)

it.live("where only the file may be written, it is written in place", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const file = join(folder, "settings.yaml")
    writeFileSync(file, "what was longer", { mode: 0o600 })
    if (isRoot) chownSync(file, nobody, nobody)
    chmodSync(folder, 0o555)
    yield* Effect.addFinalizer(() => Effect.sync(() => chmodSync(folder, 0o700)))
    // In a process of its own, since root may write everything.
    const source = pathToFileURL(join(import.meta.dirname, "../../src/config/write/replaceFile.ts"))
    const script = `const { replaceFile } = await import(${JSON.stringify(source.href)})
      if (${isRoot}) process.seteuid(${nobody})
      await replaceFile(${JSON.stringify(file)}, "two")`
    execFileSync(process.execPath, ["--input-type=module", "--eval", script], { stdio: "pipe" })
    expect(readFileSync(file, "utf8")).toBe("two")
    expect(readdirSync(folder)).toEqual(["settings.yaml"])
  }).pipe(Effect.scoped),
)
