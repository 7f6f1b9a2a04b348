// A data directory that this user may not read or write is not reported as an empty one.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { vaulthouse } from "./command.ts"

// Root may read and write everything.
it.skipIf(process.getuid?.() === 0)("a folder that is closed is not an empty one", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "vaulthouse-permission-"))
  const closed = join(cwd, "data")
  mkdirSync(closed, { mode: 0o000 })
  onTestFinished(() => {
    chmodSync(closed, 0o700)
    rmSync(cwd, { recursive: true })
  })
  const status = await vaulthouse(["status"], { cwd })
  expect(status).toMatchObject({ code: 1 })
  expect(status.stderr).toContain(`this user may not read ${join(closed, "last-run.json")}.`)
  const query = await vaulthouse(["query", "select 1"], { cwd })
  expect(query).toMatchObject({ code: 1 })
  expect(query.stderr).toContain(`this user may not read ${closed}`)
  for (const args of [["swap", "--list"], ["check"], ["verify"], ["backup", "copy"]]) {
    const refused = await vaulthouse(args, { cwd })
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toMatch(/permission denied|may not read/)
  }
  const doctor = await vaulthouse(["doctor"], { cwd })
  expect(doctor.stdout).toContain(`this user may not write ${closed}`)
})
