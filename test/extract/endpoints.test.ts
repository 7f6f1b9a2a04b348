import { globSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"
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
    const spelled = endpoints.map((endpoint) =>
      Object.entries(endpoint.parameters)
        .filter(([, { place }]) => place === "query")
        .map(([name, parameter]) => wireName(endpoint, name, parameter, wire)),
    )
    expect(spelled).toEqual([
      ["status"],
      ["v", "start_date", "end_date", "limit"],
      ["pnl_vault", "limit"],
      ["v", "apply_smoothing", "averaging_period_days", "days_ago"],
      ["chain_id", "start_date", "end_date"],
    ])
  })
})
