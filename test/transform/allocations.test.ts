import { describe, expect, it } from "vitest"
import { allocationsOf } from "../../src/transform/allocations.ts"

const date = "2026-01-05"

describe("allocationsOf", () => {
  it.each<[string, Record<string, unknown>, ReadonlyArray<unknown>]>([
    [
      "long",
      { date, protocol: "Aave", value_usd: 10, share: 0.4, chain_id: 1 },
      [{ protocol: "Aave", value: 10, share: 0.4, chain_id: 1 }],
    ],
    [
      "long with a value of another name",
      { date, protocol_name: "Aave", balance: 10, chain_id: 1 },
      [{ protocol: "Aave", value: 10, chain_id: 1 }],
    ],
    [
      "wide",
      { date, Aave: 10, Morpho: 5.5 },
      [
        { protocol: "Aave", value: 10 },
        { protocol: "Morpho", value: 5.5 },
      ],
    ],
    [
      "wide with a total and a chain",
      { date, Aave: 10, Morpho: 5, total: 15, chain_id: 1 },
      [
        { protocol: "Aave", value: 10, total: 15, chain_id: 1 },
        { protocol: "Morpho", value: 5, total: 15, chain_id: 1 },
      ],
    ],
    [
      "wide in a map",
      { date, allocations: { Aave: 10, Morpho: 5 } },
      [
        { protocol: "Aave", value: 10 },
        { protocol: "Morpho", value: 5 },
      ],
    ],
    [
      "a map of objects",
      { date, protocols: { Aave: { value_usd: 10, weight: 0.5, note: "x" } } },
      [{ protocol: "Aave", value: 10, share: 0.5, note: "x" }],
    ],
    [
      "a list of objects",
      {
        date,
        total_usd: 15,
        allocations: [
          { name: "Aave", usd: 10 },
          { name: "Morpho", usd: 5 },
        ],
      },
      [
        { protocol: "Aave", value: 10, total_usd: 15 },
        { protocol: "Morpho", value: 5, total_usd: 15 },
      ],
    ],
    ["an empty day", { date, allocations: [] }, []],
  ])("reads a point laid out %s", (_, point, allocations) => {
    expect(allocationsOf(point, "date")).toEqual(allocations)
  })

  it("keeps what is no allocation beside each of them", () => {
    expect(allocationsOf({ date, Aave: 1, source: "rpc" }, "date")).toEqual([
      { protocol: "Aave", value: 1, source: "rpc" },
    ])
  })
})
