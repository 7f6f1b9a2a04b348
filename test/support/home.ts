// The home of the tests' processes, so that none of them writes into the user's. The empty warehouse and compiled modules
// are kept there from run to run, which each process would otherwise make.
import { mkdirSync } from "node:fs"
import { join } from "node:path"

export const home = join(import.meta.dirname, "../../node_modules/.cache/home")
// Without it there is no cache, which costs a process half a second.
mkdirSync(home, { recursive: true })
