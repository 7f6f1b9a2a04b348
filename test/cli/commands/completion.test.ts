// Shell completion: the scripts, the candidates they get, and bash itself with one of them.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { bin, lines, unwrapped, vaulthouse } from "../command.ts"

const cwd = mkdtempSync(join(tmpdir(), "vaulthouse-completion-"))
afterAll(() => rmSync(cwd, { recursive: true }))

const offered = async (words: ReadonlyArray<string>, shell = "bash") => {
  const { code, stdout, stderr } = await vaulthouse(
    ["--get-yargs-completions", shell, "vaulthouse", ...words],
    { cwd },
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return lines(stdout)
}

describe("completion", () => {
  type Case = readonly [words: ReadonlyArray<string>, wanted: ReadonlyArray<string>]
  const cases: ReadonlyArray<Case> = [
    [["stat"], ["status"]],
    [["runs", "s"], ["show"]],
    [["sync", "ratio_h"], ["ratio_history"]],
    [["trace", "vault_dai"], ["vault_daily"]],
    [["trace", "core.ratio_h"], ["core.ratio_history"]],
    [["diff", "last", "--table", "ratio_h"], ["ratio_history"]],
    [["query", "--format", "m"], ["markdown"]],
    [["query", "--form"], ["--format"]],
    [["sync", "--no-pu"], ["--no-publish"]],
    [["status", "--data-d"], ["--data-dir"]],
    [["call", "unrealized_pnl_"], ["unrealized_pnl_ratio"]],
    // A file's name: the shell's own business.
    [["query", "--file", ""], []],
  ]
  it.each(cases)("%j", async (words, wanted) => {
    expect(await offered(words)).toEqual(wanted)
  })

  it("zsh gets a description of each word", async () => {
    const [status] = await offered(["stat"], "zsh")
    expect(status).toMatch(/^status:Show how fresh/)
  })

  it.each(["bash", "zsh"])("prints a script for %s that names it", async (shell) => {
    const { code, stdout } = await vaulthouse(["completion", shell], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain(`vaulthouse --get-yargs-completions ${shell} `)
    // One way to install it, in the script, the help and the page.
    const way = `eval "$(vaulthouse completion ${shell})"`
    expect(stdout).toContain(`#   ${way}\n`)
    expect(stdout).toContain("must be on the PATH")
    const help = (await vaulthouse(["completion", "--help"], { cwd })).stdout
    expect(unwrapped(help)).toContain(way)
    expect(stdout + help).not.toMatch(/Installation|OSX|>>/)
  })

  it("knows no other shell", async () => {
    const { code, stdout, stderr } = await vaulthouse(["completion", "tcsh"], { cwd })
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain("no completion for tcsh, only for bash and zsh")
  })

  it("bash completes with it", () => {
    symlinkSync(bin, join(cwd, "vaulthouse"))
    const script = `eval "$(vaulthouse completion bash)"
      COMP_WORDS=(vaulthouse query --format nd); COMP_CWORD=3
      _vaulthouse_yargs_completions; echo "\${COMPREPLY[@]}"`
    const completed = execFileSync("bash", ["-c", script], {
      encoding: "utf8",
      env: { PATH: `${cwd}:${process.env["PATH"]}` },
    })
    expect(completed).toBe("ndjson\n")
  })
})
