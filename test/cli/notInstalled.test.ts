// A checkout before `make install`: the command says what is missing.
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { bin } from "./command.ts"

it("names the command that installs it", () => {
  const folder = mkdtempSync(join(tmpdir(), "vaulthouse-checkout-"))
  try {
    const root = dirname(dirname(bin))
    for (const part of ["bin", "src", "package.json"]) {
      cpSync(join(root, part), join(folder, part), { recursive: true })
    }
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(folder, "bin/vaulthouse"), "--version"],
      { encoding: "utf8" },
    )
    expect(status).toBe(2)
    expect(stderr).toMatch(/^vaulthouse is not installed yet: run `make install` .*\n$/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
