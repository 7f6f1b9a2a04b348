// A configuration file is replaced as a whole, or stays as it was.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
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
