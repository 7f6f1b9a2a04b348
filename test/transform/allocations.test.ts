import { describe, expect, it } from "vitest"
import { allocationsOf, hasNoAllocation } from "../../src/transform/fields/allocations.ts"

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
    [
      "wide with times, identifiers and figures of the day",
      {
        date,
        Aave: 10,
        Morpho: 5,
        timestamp: 1_767_571_200,
        updated_at: 1_767_571_200,
        totalValueUsd: 15,
        nav: 16,
        chainName: "Base",
        vault_id: 7,
      },
      ["Aave", "Morpho"].map((protocol) => ({
        protocol,
        value: protocol === "Aave" ? 10 : 5,
        timestamp: 1_767_571_200,
        updated_at: 1_767_571_200,
        totalValueUsd: 15,
        nav: 16,
        chainName: "Base",
        vault_id: 7,
      })),
    ],
    [
      "in a map of any names, without its total",
      { date, allocations: { chain: 60, time: 30, total_usd: 100, id: 10 }, source: "x" },
      ["chain", "time", "id"].map((protocol, index) => ({
        protocol,
        value: [60, 30, 10][index],
        total_usd: 100,
        source: "x",
      })),
    ],
    [
      "in a map with a protocol called like a total",
      { date, allocations: { Aave: 60, total: 40 } },
      [
        { protocol: "Aave", value: 60 },
        { protocol: "total", value: 40 },
      ],
    ],
    [
      "in a map with a total of objects",
      { date, protocols: { Aave: { value_usd: 60 }, Morpho: { usd: 40 }, total: 100 } },
      [
        { protocol: "Aave", value: 60, total: 100 },
        { protocol: "Morpho", value: 40, total: 100 },
      ],
    ],
    [
      "wide with numbers as text",
      { date, Aave: "10.5", Morpho: "5", source: "rpc", total: "15.5" },
      [
        { protocol: "Aave", value: 10.5, source: "rpc", total: "15.5" },
        { protocol: "Morpho", value: 5, source: "rpc", total: "15.5" },
      ],
    ],
    [
      "wide with numbers, and a text",
      { date, Aave: 10, version: "2" },
      [{ protocol: "Aave", value: 10, version: "2" }],
    ],
    [
      "a list with figures as text",
      { date, allocations: [{ protocol: "Aave", value_usd: "10.5", share: "1" }] },
      [{ protocol: "Aave", value: 10.5, share: 1 }],
    ],
    [
      "wide with one protocol, an object",
      { date, Aave: { value_usd: 10, weight: 1 } },
      [{ protocol: "Aave", value: 10, share: 1 }],
    ],
    [
      "wide next to another object",
      { date, Aave: 10, Morpho: 5, meta: { block: 7, version: 2 }, tags: [] },
      [
        { protocol: "Aave", value: 10, meta: { block: 7, version: 2 }, tags: [] },
        { protocol: "Morpho", value: 5, meta: { block: 7, version: 2 }, tags: [] },
      ],
    ],
    [
      "in a map next to another",
      { date, strategyAllocations: { Aave: 10 }, meta: { block: 7 } },
      [{ protocol: "Aave", value: 10, meta: { block: 7 } }],
    ],
  ])("reads a point laid out %s", (_, point, allocations) => {
    expect(allocationsOf(point, "date")).toEqual(allocations)
  })

  // Protocol names, most of them real, that begin or end like a total, an identifier or a time.
  const protocols = [
    "chainlink chainflip Chainge networkx totalis TotalFi timeless Timeswap datai dateline Idle idle liquid",
    "SpaceId space_id navi Navigator tvlx countercoin blockfi sumer updated",
  ].flatMap((line) => line.split(" "))

  it.each(protocols)("%s is a protocol", (name) => {
    const allocations = [
      { protocol: "aave", value: 60 },
      { protocol: name, value: 40 },
    ]
    expect(allocationsOf({ date, aave: 60, [name]: 40 }, "date")).toEqual(allocations)
    expect(allocationsOf({ date, allocations: { aave: 60, [name]: 40 } }, "date")).toEqual(
      allocations,
    )
  })

  it("keeps other fields with each allocation", () => {
    expect(allocationsOf({ date, Aave: 1, source: "rpc" }, "date")).toEqual([
      { protocol: "Aave", value: 1, source: "rpc" },
    ])
  })
})

describe("a point without an allocation", () => {
  it.each<[Record<string, unknown>, boolean]>([
    [{ date, allocations: [] }, true],
    [{ date, protocols: {}, total_usd: 0 }, true],
    [{ date, allocationByProtocol: {}, chain: "Base" }, true],
    [{ date, allocations: [], meta: {} }, true],
    [{ date, allocations: [{ protocol: "Aave", usd: 1 }] }, false],
    [{ date, Aave: 10, Morpho: 5 }, false],
    [{ date, protocol: "Aave", value: 0, breakdown: [] }, false],
    // Unknown layouts say nothing about allocations.
    [{ date }, false],
    [{ date, warnings: [] }, false],
    [{ date, allocations: null }, false],
    [{ date, allocations: ["Aave"] }, false],
  ])("%j: %s", (point, expected) => {
    expect(hasNoAllocation(point, "date")).toBe(expected)
  })
})
