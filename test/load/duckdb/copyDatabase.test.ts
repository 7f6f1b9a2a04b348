// Copying the database file: an error is one line, without the command of the child process.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { copyDatabase } from "../../../src/load/duckdb/copyDatabase.ts"

it("a copy that fails says why in one line", async () => {
  const source = join(import.meta.dirname, "copyDatabase.test.ts")
  await expect(copyDatabase(source, import.meta.dirname)).rejects.toThrow(/^E[A-Z]+: [^\n]*$/)
})

it("one whose process is killed says by which signal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vaulthouse-copy-"))
  const before = process.env
  onTestFinished(() => {
    process.env = before
    rmSync(folder, { recursive: true })
  })
  const preloaded = join(folder, "killed.cjs")
  writeFileSync(preloaded, `process.kill(process.pid, "SIGKILL")`)
  process.env = { ...before, NODE_OPTIONS: `--require=${preloaded}` }
  await expect(copyDatabase(preloaded, join(folder, "copy"))).rejects.toThrow(
    /^the process that copies the database was ended by SIGKILL$/,
  )
})
