// The audit log's cursor (§4.1): exclusive, verbatim, and blind to ties at the end of a page.
import { describe, expect, it } from "vitest"
import { closeSimulators, start, vaultsOf } from "./support.ts"

closeSimulators()

const bench = await start()
const { full } = vaultsOf(bench)
const path = `/platform/governance/${full.address}/audit_log?chainId=${full.chainId}`

interface Entry {
  readonly timestamp: string
  readonly summary: string
  readonly category: string
}
interface Page {
  readonly entries: readonly Entry[]
  readonly has_more: boolean
}

const page = async (rest: string): Promise<Page> => (await bench.get(path + rest)).json

const paged = async (limit: number, before?: string): Promise<readonly Entry[]> => {
  const cursor = before === undefined ? "" : `&before=${encodeURIComponent(before)}`
  const { entries, has_more } = await page(`&limit=${limit}${cursor}`)
  return has_more ? [...entries, ...(await paged(limit, entries.at(-1)!.timestamp))] : entries
}

describe("the audit log", () => {
  it("is newest first, naive UTC, 50 entries by default", async () => {
    const { entries, has_more } = await page("")
    expect(entries).toHaveLength(50)
    expect(has_more).toBe(true)
    const stamps = entries.map((entry) => entry.timestamp)
    for (const stamp of stamps) expect(stamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$/)
    expect(stamps).toEqual(stamps.toSorted().toReversed())
  })

  it("skips ties at a page's end and never repeats an entry", async () => {
    const by50 = await paged(50)
    const keys = by50.map((entry) => `${entry.timestamp} ${entry.summary}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect(by50).toHaveLength(full.auditEntries.inPagesOf50)
    expect(await paged(200)).toHaveLength(full.auditEntries.inPagesOf200)
    expect(full.auditEntries.inPagesOf50).toBeLessThan(full.auditEntries.n)
  })

  it("has microseconds that distinguish entries of one millisecond", async () => {
    const stamps = (await paged(200)).map((entry) => entry.timestamp)
    const distinct = new Set(stamps)
    const millis = new Set(stamps.map((stamp) => stamp.slice(0, 23)))
    expect(millis.size).toBeLessThan(distinct.size)
  })

  it("filters by category and refuses one it does not know", async () => {
    const { entries } = await page("&category=fee&limit=200")
    expect(new Set(entries.map((entry) => entry.category))).toEqual(new Set(["fee"]))
    expect((await bench.get(`${path}&category=nonsense`)).status).toBe(422)
    expect((await bench.get(`${path}&limit=201`)).status).toBe(422)
    expect((await bench.get(`${path}&before=yesterday`)).status).toBe(422)
  })
})

describe("timelocks", () => {
  it("occur in every state, scheduled ones by default", async () => {
    const timelocks = async (rest: string) =>
      (await bench.get(path.replace("audit_log", "timelocks") + rest)).json
    const all = await timelocks("&status=all")
    const states = new Set(all.timelocks.map((timelock: { status: string }) => timelock.status))
    expect(states).toEqual(new Set(["scheduled", "executed", "cancelled"]))
    const scheduled = await timelocks("")
    expect(scheduled).toEqual(await timelocks("&status=scheduled"))
    // A failed read of the contract: no time, and a warning that says so.
    const unread = scheduled.timelocks.filter(
      (timelock: { executable_at: string | null }) => timelock.executable_at === null,
    )
    expect(unread.length).toBeGreaterThan(0)
    expect(scheduled.warnings).toHaveLength(unread.length)
    expect((await bench.get(`${path.replace("audit_log", "timelocks")}&status=done`)).status).toBe(
      422,
    )
  })
})
