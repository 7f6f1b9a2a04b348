// What of the source the commands that are cut load: what was tried counts as long as that is the same. A change of the web page, or
// of a command that only reads what is published, leaves it valid.
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { importsOf } from "../../mutants/imports.ts"

const root = join(import.meta.dirname, "../../..")

/** What scenarios.ts runs while it cuts. */
const COMMANDS = ["sync", "worker", "move"]

// The command line loads each command when it is run, and these commands what a lake needs.
const roots = [
  "src/cli/commandLine.ts",
  ...COMMANDS.map((name) => `src/cli/commands/${name}/run.ts`),
  "src/pipelines/workers/runByWorkers.ts",
  "src/pipelines/workers/worker.ts",
]

/** Their files, as paths from the root. */
export const loadedFiles = (): ReadonlyArray<string> => {
  const loaded = new Set<string>()
  const follow = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    if (!file.endsWith(".ts")) return
    const { still, lazy } = importsOf(root, file)
    for (const each of [...still, ...(file.startsWith("src/cli/") ? [] : lazy)]) follow(each)
  }
  for (const each of roots) follow(each)
  return [...loaded].toSorted()
}

/** The same as long as these files are. */
export const fingerprintOfLoaded = (): string => {
  const hash = createHash("sha256")
  for (const file of loadedFiles()) hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest("hex").slice(0, 40)
}
