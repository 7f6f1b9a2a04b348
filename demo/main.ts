// Writes what is shown in README.md and docs/analysts-guide.md again: node demo/main.ts
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeExampleWarehouse } from "./exampleWarehouse.ts"
import { guideFile, withAnswers } from "./guide.ts"
import { readmeFile, withShown } from "./readme.ts"

const directory = mkdtempSync(join(tmpdir(), "vaulthouse-guide-"))
try {
  const example = await makeExampleWarehouse(directory)
  try {
    const guide = await withAnswers(readFileSync(guideFile, "utf8"), example.connection)
    const readme = await withShown(readFileSync(readmeFile, "utf8"), example)
    writeFileSync(guideFile, guide)
    writeFileSync(readmeFile, readme)
  } finally {
    await example.close()
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
process.stdout.write("docs/analysts-guide.md\nREADME.md\n")
