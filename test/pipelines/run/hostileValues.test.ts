// Values that once stopped a whole run: each costs its own task at most, the neighbours land, and the archive can
// still be replayed.
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { replay } from "../../../src/pipelines/archive/replay.ts"
import { json, type Script, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

const addressOf = (index: number): string => `0x${String(index).padStart(40, "0")}`

/** Fields of one vault each. */
const fields: Readonly<Record<string, string>> = {
  [addressOf(1)]: String.raw`"extra\ud83d": "caf\ud83d"`,
  [addressOf(2)]: `"odd": 1e400, "returns": {"day": 1e400}`,
  [addressOf(3)]: `"deep": ${"[".repeat(2000)}${"]".repeat(2000)}`,
  [addressOf(4)]: `"fine": true`,
}
const bomb = addressOf(5)

const service: Script = ({ url }, response) => {
  const { pathname, searchParams } = new URL(url, "http://service")
  const vaults = [...Object.keys(fields), bomb].map((address) => ({
    address,
    chain: 1,
    vault_name: "name",
    status: "active",
  }))
  const [, address = ""] = /vault_summary\/(\w+)$/.exec(pathname) ?? []
  if (pathname === "/tokenized_vault") {
    json(response, searchParams.get("status") === "closed" ? [] : vaults)
  } else if (address === bomb) {
    const megabyte = gzipSync(Buffer.alloc(1_000_000, " "))
    response.writeHead(200, { "content-encoding": "gzip" })
    response.end(Buffer.concat(Array.from({ length: 200 }, () => megabyte)))
  } else {
    response.end(`{"name": "n", "type": "t", "chain": 1, ${fields[address] ?? ""}}`)
  }
}

describe("a hostile value", () => {
  it.live("costs its own task at most, and the archive replays", () =>
    Effect.gen(function* () {
      const { url } = yield* scriptedServer(service)
      const dataDir = yield* temporaryFolder
      const pipelines = ["vaults", "vault_summaries"]
      const { summary } = yield* runOnce(url, dataDir, { pipelines })
      expect(summary.outcome).toBe("partial")
      const outcomes = query(
        dataDir,
        `select entity, outcome, error_tag from ops.tasks
         where pipeline = 'vault_summaries' order by entity`,
      )
      expect(yield* outcomes).toEqual([
        { entity: addressOf(1), outcome: "loaded", error_tag: null },
        { entity: addressOf(2), outcome: "loaded", error_tag: null },
        { entity: addressOf(3), outcome: "quarantined", error_tag: "ContractViolation" },
        { entity: addressOf(4), outcome: "loaded", error_tag: null },
        { entity: bomb, outcome: "failed", error_tag: "ResponseTooLarge" },
      ])
      const [kept] = yield* query(
        dataDir,
        `select (select extra::varchar from core.vault_summaries where vault_address = '${addressOf(1)}') as surrogate,
           (select extra ->> 'odd' from core.vault_summaries where vault_address = '${addressOf(2)}') as odd`,
      )
      expect(kept).toEqual({ surrogate: '{"extra\ufffd":"caf\ufffd"}', odd: "1e400" })
      const { unreadable, tables } = yield* replay({
        dataDir,
        timeFields: defaultTimeFields,
        publish: undefined,
        onResponse: () => undefined,
      })
      expect(unreadable).toEqual([])
      expect(tables.filter(({ isSame }) => !isSame)).toEqual([])
    }),
  )
})
