// Charts that a page has beside those of a vault: of a query's result, in the cells of tables, and the period that all show.
import { afterEach, describe, expect, it, vi } from "vitest"
import { sparkline } from "../../src/serve/html/sparkline.ts"
import { resultChart } from "../../src/serve/pages/resultChart.ts"

describe("the chart of a query's result", () => {
  const columns = [
    { name: "day", type: "DATE" },
    { name: "vault_address", type: "VARCHAR" },
    { name: "protocol", type: "VARCHAR" },
    { name: "value", type: "DOUBLE" },
  ]
  const drawn = (...rows: ReadonlyArray<ReadonlyArray<string | number>>) => {
    const publication = { runId: "r", publishedAt: "2026-05-01T00:00:00Z" } as never
    return String(
      resultChart("/result.json", { publication, columns, rows, cutBy: undefined, millis: 1 }),
    )
  }

  it("has a line of each text", () => {
    expect(drawn(["2026-05-01", "0xa", "p", 1], ["2026-05-01", "0xb", "p", 2])).toContain(
      "value by vault_address",
    )
  })

  it("is none where a line would have two points at one time, of which one would be drawn", () => {
    expect(drawn(["2026-05-01", "0xa", "p", 1], ["2026-05-01", "0xa", "q", 2])).toBe("")
  })
})

describe("a sparkline", () => {
  const path = (text: string) => /class="line" d="([^"]*)"/.exec(text)?.[1]

  it("has days in a row, with a hole for one that is missing", () => {
    expect(path(String(sparkline([1, 2, null, 3, 4], 0, "ratio")))).toMatch(
      /^M2,.*L31,.*M89,.*L118,/,
    )
  })

  it("has its values at their times", () => {
    const scale = { range: [1, 4], times: [0, 1, 2, 239, 240] } as const
    expect(path(String(sparkline([1, 2, null, 3, 4], 0, "ratio", scale)))).toMatch(
      /^M2,.*L2\.5,.*M117\.5,.*L118,/,
    )
  })

  it("shows a value between two holes, and a single one", () => {
    const points = (values: ReadonlyArray<number | null>) =>
      String(sparkline(values, 0, "ratio")).match(/<circle/g)?.length ?? 0
    expect([[1, null, 2], [1], [1, 2], [null]].map(points)).toEqual([2, 1, 0, 0])
  })
})

// By a name that the types do not follow: those of a browser are not known here.
const client: string = "../../src/serve/client/period.ts"
interface Control {
  readonly follow: (listener: (period: { readonly from: number }) => void) => void
  readonly pan: (fraction: number) => void
}

describe("the period of the charts", () => {
  afterEach(() => vi.unstubAllGlobals())

  it("follows a finger, whatever the browser thinks of so many addresses", async () => {
    const { periodControl } = (await import(client)) as {
      readonly periodControl: (section: unknown, whole: unknown) => Control
    }
    const addresses: Array<string> = []
    vi.stubGlobal("document", { querySelectorAll: () => [] })
    vi.stubGlobal("location", { search: "", pathname: "/vault" })
    vi.stubGlobal("history", {
      replaceState: (_: unknown, __: string, address: string) => {
        if (addresses.length >= 100) throw new Error("SecurityError")
        addresses.push(address)
      },
    })
    vi.useFakeTimers()
    const section = {
      dataset: { from: "2026-05-01T00:00:00Z", to: "2026-05-02T00:00:00Z" },
      querySelectorAll: () => [],
      querySelector: () => null,
    }
    const day = (text: string): number => Date.parse(text) / 1000
    const whole = { from: day("2026-01-01"), to: day("2026-12-31") }
    const control = periodControl(section, whole)
    const seen: Array<number> = []
    control.follow(({ from }) => void seen.push(from))
    for (let move = 0; move < 300; move += 1) {
      control.pan(0.1)
      vi.advanceTimersByTime(10)
    }
    vi.runAllTimers()
    vi.useRealTimers()
    expect(seen).toHaveLength(301)
    expect(new Set(seen).size).toBe(301)
    expect(addresses.length).toBeLessThan(20)
    const at = new Date((seen.at(-1) ?? 0) * 1000).toISOString().slice(0, 19)
    expect(decodeURIComponent(addresses.at(-1) ?? "")).toContain(`from=${at}Z`)
  })
})
