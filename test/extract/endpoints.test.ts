import { globSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"
import type { AnyEndpoint } from "../../src/extract/Endpoint.ts"
import { endpoints } from "../../src/extract/endpoints/index.ts"
import { defaultWire, wireName } from "../../src/extract/request.ts"

const folder = join(import.meta.dirname, "../../src/extract/endpoints")

describe("endpoints", () => {
  it("each file below endpoints/ is one endpoint of its name, and in the list", () => {
    const files = globSync("*/*.ts", { cwd: folder }).map((path) => basename(path, ".ts"))
    expect(endpoints.map(({ name }) => name).toSorted()).toEqual(files.toSorted())
  })

  it("each cites the API document, and its path names its path parameters", () => {
    for (const { name, section, path, parameters } of endpoints) {
      expect(section, name).toMatch(/^§\d/)
      const inPath = Object.entries(parameters).filter(([, { place }]) => place === "path")
      if (typeof path !== "string") continue
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
      expect(named, name).toEqual(inPath.map(([parameter]) => parameter))
    }
  })

  it("spells uncertain names by configuration, by endpoint first, and certain ones never", () => {
    const wire = {
      ...defaultWire,
      case: "snake" as const,
      names: { vault: "v", "unrealized_pnl.vault": "pnl_vault" },
    }
    const spelled = (name: string) => {
      const found = endpoints.find((endpoint) => endpoint.name === name)
      return Object.entries(found?.parameters ?? {})
        .filter(([, { place }]) => place === "query")
        .map(([parameter, value]) => wireName(found as AnyEndpoint, parameter, value, wire))
    }
    expect(spelled("tokenized_vaults")).toEqual(["status"])
    expect(spelled("unrealized_pnl_ratio")).toEqual(["v", "start_date", "end_date", "limit"])
    expect(spelled("unrealized_pnl")).toEqual(["pnl_vault", "limit"])
    expect(spelled("historical_apy_chart")).toEqual([
      "v",
      "apply_smoothing",
      "averaging_period_days",
      "days_ago",
    ])
    expect(spelled("historical_allocations")).toEqual(["chain_id", "start_date", "end_date"])
    expect(spelled("audit_log")).toEqual(["chain_id", "before", "category", "limit"])
    expect(spelled("timelock_requests")).toEqual(["vault_address", "chain_id", "status"])
    expect(spelled("revert_reason")).toEqual(["transaction_hash", "chain"])
  })
})
