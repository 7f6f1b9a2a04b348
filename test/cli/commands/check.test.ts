// vaulthouse check as users meet it: what it prints, and how it exits.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startSimulator } from "../../../simulator/index.ts"
import { change } from "../../support/warehouseRun.ts"
import { vaulthouse } from "../command.ts"

let cwd = ""
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-check-"))
  const simulator = await startSimulator({ now: "2026-06-01T12:00:00Z", days: 20, vaults: 2 })
  const { code } = await typed("sync", "--base-url", simulator.url, "--no-progress")
  await simulator.close()
  expect(code).toBe(0)
})
afterAll(() => rmSync(cwd, { recursive: true }))

const typed = (...args: ReadonlyArray<string>) => vaulthouse(args, { cwd })

const changed = (...statements: ReadonlyArray<string>) =>
  Effect.runPromise(change(join(cwd, "data"), ...statements))

describe("check", () => {
  it("passes what a run made; what is merely old warns", async () => {
    const { code, stdout } = await typed("check")
    expect(stdout).toMatch(/\d+ passed, 0 failed, \d+ warned, \d+ not applicable\./)
    expect(stdout).toMatch(/^Not applicable: [1-9]\d* tables these checks need have no rows /m)
    expect(stdout).toContain("warn   series_fresh: ")
    expect(stdout).toMatch(/^Not covered: \d+ of \d+ figures, /m)
    expect(code).toBe(0)
  })

  it("computes marts with a query's memory, and says which setting gives it more", async () => {
    const limited = (setting: string) => {
      writeFileSync(join(cwd, "limited.yaml"), `${setting}: 8MB\n`)
      return typed("check", "--config", "limited.yaml")
    }
    expect((await limited("memoryLimit")).code).toBe(0)
    const { code, stderr } = await limited("queryMemoryLimit")
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /Out of Memory Error: [^\n]*\. None of it was kept\. Raise the setting memoryLimit/,
    )
    expect(stderr).not.toContain("Possible solutions")
  })

  it("runs the checks of a name or a table, and says which there is when there is none", async () => {
    const { code, stdout } = await typed("check", "--name", "core.ratio_history", "--json")
    expect(code).toBe(0)
    const { checks } = JSON.parse(stdout) as { checks: ReadonlyArray<{ readonly name: string }> }
    const names = checks.map(({ name }) => name)
    expect(names).toContain("core.ratio_history.unique_key")
    expect(names.filter((name) => !name.startsWith("core.ratio_history."))).toEqual([])
    const unknown = await typed("check", "--name", "bufer_identity")
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain("did you mean `buffer_identity`")
    const both = await typed("check", "--against-archive", "--name", "buffer_identity")
    expect(both.code).toBe(2)
  })

  it("names the rows that break a rule, and exits with 4", async () => {
    await changed(
      `update core.ratio_history set observed_at = '2031-01-01' where observed_at = '2026-05-20'
         and vault_address = (select min(vault_address) from core.ratio_history)`,
    )
    const broken = await typed("check", "--name", "core.ratio_history")
    expect(broken.code).toBe(4)
    expect(broken.stdout).toContain("ERROR  core.ratio_history.not_in_future: 1 row\n")
    expect(broken.stdout).toContain("observed_at=2031-01-01T00:00:00.000Z")
  })

  it("--against-archive shows the row as stored and as archived, and exits with 4", async () => {
    const { code, stdout } = await typed("check", "--against-archive")
    expect(code).toBe(4)
    expect(stdout).toMatch(/stored +vault_address=.* observed_at=2031-01-01/)
    expect(stdout).toMatch(/archived +vault_address=.* observed_at=2026-05-20/)
    expect(stdout).toContain("Nothing was changed.")
  })

  it("--against-archive and verify exit with 4 where a segment is gone", async () => {
    const raw = join(cwd, "data", "raw")
    const [segment = ""] = readdirSync(raw)
    rmSync(join(raw, segment))
    const compared = await typed("check", "--against-archive")
    expect(compared.code).toBe(4)
    expect(compared.stdout).toContain("Responses that can't be read")
    expect(compared.stdout).toContain(`raw/${segment}`)
    expect(compared.stdout).toMatch(/A segment of the archive is missing .*`vaulthouse verify`/)
    const verified = await typed("verify")
    expect(verified.code).toBe(4)
    expect(verified.stdout).toContain("the segment is gone")
  })
})
