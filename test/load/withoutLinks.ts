// Preloaded, makes links fail as on a file system that knows none.
import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"

const refuse = (): Promise<never> =>
  Promise.reject(Object.assign(new Error("operation not permitted"), { code: "EPERM" }))

fs.link = refuse
fs.symlink = refuse
syncBuiltinESMExports()
