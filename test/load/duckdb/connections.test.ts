import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openConnections } from "../../../src/load/duckdb/connections.ts"
import { readRows } from "../../../src/load/duckdb/readRows.ts"
import { CATALOG } from "../../../src/load/sql/sql.ts"

describe("openConnections", () => {
  it("closes once the statements that nothing waits for have ended, and takes no more", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vaulthouse-connections-"))
    try {
      // Each round has statements in another state when the connections are closed: waiting, being prepared, running.
      for (let round = 0; round < 20; round += 1) {
        const { reader, writer, close } = await openConnections({}, folder, async (connection) => {
          await connection.run(`ATTACH ':memory:' AS ${CATALOG}`)
        })
        const settled: Array<string> = []
        const statements = Array.from({ length: 8 }, async (_, at) => {
          const connection = at % 2 === 0 ? reader : writer
          const [row] = await readRows(
            connection,
            "SELECT sum(hash(range + $1) % 7)::INTEGER AS sum FROM range($2)",
            [at, 200_000],
          )
          settled.push(String(row?.["sum"]))
        })
        if (round % 4 > 0) await new Promise((resolve) => setTimeout(resolve, round % 4))
        await close()
        expect(settled).toHaveLength(statements.length)
        await Promise.all(statements)
        await expect(readRows(reader, "SELECT 1")).rejects.toThrow("being closed")
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
