// Keeps the figures of `make fuzz`, of which docs/reliability.md has a section.
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { writePage } from "../reliability/page.ts"
import { dailySeed } from "../support/randomness.ts"

/** Only of a whole `make fuzz`: what `make test` tries of it is not worth a page. */
const isWhole = Number(process.env["FUZZ"] ?? 0) >= 20_000

/** `part`: what was changed. */
export const noteFigures = (part: string, counts: Readonly<Record<string, number>>): void => {
  if (!isWhole) return
  const folder = join(import.meta.dirname, "figures")
  mkdirSync(folder, { recursive: true })
  const figures = {
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
    date: new Date().toISOString().slice(0, 10),
    seed: dailySeed(),
    counts,
  }
  writeFileSync(join(folder, `${part}.json`), `${JSON.stringify(figures, null, 2)}\n`)
  writePage()
}
