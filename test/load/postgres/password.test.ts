// Where the password of a connection comes from, as libpq takes it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { postgresTargetOf } from "../../../src/config/secrets/secretUrl.ts"
import { passwordFromFile } from "../../../src/load/postgres/passwordFile.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vaulthouse-password-"))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const targetOf = (url: string) => Result.getOrThrow(postgresTargetOf(Redacted.make(url)))

it.each([
  ["with lines of Windows", "db:*:x:someone:other\r\ndb:*:x:me:se\\:cret\r\n"],
  ["with a comment, and no end of its last line", "# db:*:x:me:no\ndb:5432:*:me:se\\:cret"],
])("a password file %s is read", async (_, text) => {
  const file = join(folder, "pgpass")
  writeFileSync(file, text, { mode: 0o600 })
  vi.stubEnv("PGPASSFILE", file)
  expect(await passwordFromFile(targetOf("postgres://db/x"), "me")).toBe("se:cret")
})

it("an empty variable counts as not set", () => {
  for (const name of ["PGUSER", "PGPASSWORD", "PGPASSFILE"]) vi.stubEnv(name, "")
  expect(targetOf("postgres://db/x")).toMatchObject({
    user: undefined,
    password: undefined,
    passwordFile: undefined,
  })
})
