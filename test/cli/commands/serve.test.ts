// Which tokens `serve` takes, and what it says of others; none of them is repeated.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { vaulthouse } from "../command.ts"

let cwd = ""
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-serve-"))
})
afterAll(() => rmSync(cwd, { recursive: true }))

/** Of a data directory in which nothing is published, which ends it once it has its token. */
const serve = (args: ReadonlyArray<string>, token?: string) =>
  vaulthouse(["serve", ...args], {
    cwd,
    env: token === undefined ? {} : { VAULTHOUSE_SERVE_TOKEN: token },
  })

const file = (token: string, mode = 0o600): string => {
  const path = join(cwd, `token-${mode}-${token.length}`)
  writeFileSync(path, token)
  chmodSync(path, mode)
  return path
}

const short = "s3cret-15-chars"
const long = "s3cret-16-chars!"

it.each(["0.0.0.0", "::", "192.0.2.7", "vaults.example"])(
  "listening on %s needs one",
  async (host) => {
    for (const token of [undefined, "", " \n"]) {
      const { code, stdout, stderr } = await serve(["--host", host], token)
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toContain(`--host ${host} lets other machines connect, so a token is needed.`)
    }
    expect((await serve(["--host", host], long)).stderr).toContain("nothing is published")
  },
)

it.each(["127.0.0.1", "localhost", "::1", "127.0.0.2"])(
  "listening on %s needs none",
  async (host) => {
    expect((await serve(["--host", host])).stderr).toContain("nothing is published")
  },
)

it("one has at least 16 characters, without the spaces around it, wherever it comes from", async () => {
  const refused = {
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^vaulthouse: the token of .* has fewer than 16 characters\.\n/),
  }
  expect(await serve([], short)).toEqual(refused)
  expect(await serve([], `  ${short}  `)).toEqual(refused)
  expect(await serve(["--token-file", file(`${short}\n`)])).toEqual(refused)
  expect(await serve(["--token-file", file("")])).toEqual(refused)
  // The file is what was asked for, and a variable is no way around it.
  expect(await serve(["--token-file", file(`${short}\n`)], long)).toEqual(refused)
  for (const args of [[], ["--token-file", file(`${long}\n`)]]) {
    const { code, stderr } = await serve(args, args.length === 0 ? long : short)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^vaulthouse: nothing is published/)])
  }
})

it.each([
  [0o604, true],
  [0o644, true],
  [0o640, false],
  [0o600, false],
])("of a file of mode %o, a warning that everyone can read it: %s", async (mode, isWarned) => {
  const { stderr } = await serve(["--token-file", file(long, mode)])
  expect(stderr.includes("everyone on this machine can read")).toBe(isWarned)
  expect(stderr).not.toContain("s3cret")
})
