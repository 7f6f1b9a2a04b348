// Copying the database file: an error is one line, without the command of the child process.
import { join } from "node:path"
import { expect, it } from "vitest"
import { copyDatabase } from "../../../src/load/duckdb/copyDatabase.ts"

it("a copy that fails says why in one line", async () => {
  const source = join(import.meta.dirname, "copyDatabase.test.ts")
  await expect(copyDatabase(source, import.meta.dirname)).rejects.toThrow(/^E[A-Z]+: [^\n]*$/)
})
