// What is drawn of a series, in a page and in a report alike.
import { describe, expect, it } from "vitest"
import { comparisonCharts } from "../../src/serve/comparison/comparison.ts"
import { comparedCharts } from "../../src/serve/comparison/readComparison.ts"
import { charts, secondsOf, type Series } from "../../src/serve/charts/charts.ts"
import { figureAt, lonePlaces, noteOf, rangeOf } from "../../src/serve/charts/picture.ts"

const pictureOf = (name: string, columns: Series["columns"]) => {
  const chart = charts.find(({ series }) => series === name)
  if (chart === undefined) throw new Error(`no chart ${name}`)
  return chart.picture({ bucketSeconds: 3600, columns })
}

const hours = (...at: ReadonlyArray<number>) =>
  at.map((hour) => `2026-05-01T${String(hour).padStart(2, "0")}:00:00.000Z`)

describe("a picture", () => {
  it("has a hole where points are missing, and shades what is below par as one stretch", () => {
    const low = [1.01, 0.99, 0.98, 0.97, 1.02]
    const picture = pictureOf("ratio", {
      bucket_at: hours(0, 1, 2, 6, 7),
      low,
      high: low,
      close: low,
    })
    const [highest, lowest, ratio] = picture.lines
    expect(ratio?.figures).toEqual([1.01, 0.99, 0.98, null, 0.97, 1.02])
    expect([highest?.isEdge, lowest?.isEdge]).toEqual([true, true])
    const from = secondsOf("2026-05-01")
    expect(picture.shaded.map((stretch) => stretch.map((at) => (at - from) / 3600))).toEqual([
      [1, 3],
      [6, 7],
    ])
  })

  it("stacks protocols, the largest at the bottom, and those without a colour as one", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
    const picture = pictureOf("allocation", {
      day: names.flatMap(() => ["2026-05-01", "2026-05-02"]),
      protocol: names.flatMap((name) => [name, name]),
      value: names.flatMap((_, at) => [at + 1, at === 0 ? null : at + 1]),
    })
    expect(picture.lines.map(({ label, hue }) => `${label} ${hue}`)).toEqual(
      "i 1,h 2,g 3,f 4,e 5,d 6,c 7,2 others 8".split(","),
    )
    expect(picture.lines.map((_, line) => figureAt(picture, line, 0))).toEqual([
      9, 8, 7, 6, 5, 4, 3, 3,
    ])
    // The sum of some of its parts is not the total of the second day.
    expect(picture.lines.map(({ figures }) => figures[1])).toEqual(names.slice(1).map(() => null))
    expect(picture.lines.at(-1)?.figures).toEqual([45, null])
  })

  it("stacks a protocol that a day has no row of as nothing", () => {
    const { lines } = pictureOf("allocation", {
      day: ["2026-05-01", "2026-05-01", "2026-05-02"],
      protocol: ["a", "b", "a"],
      value: [3, 2, 4],
    })
    expect(lines.map(({ figures }) => figures)).toEqual([
      [3, 4],
      [5, 4],
    ])
  })

  it("shows a point between two holes, and says of a single one that it is no fault", () => {
    expect(lonePlaces([1, null, 2, null, 3, 4])).toEqual([0, 2])
    const one = pictureOf("buffer", { bucket_at: hours(5), nav_usd: [7], buffer_usd: [1] })
    expect(noteOf(one)).toContain("One point, at 2026-05-01 05:00")
    const two = pictureOf("buffer", { bucket_at: hours(5, 6), nav_usd: [7, 8], buffer_usd: [1, 1] })
    expect([noteOf(two), noteOf(pictureOf("buffer", {}))]).toEqual([undefined, undefined])
  })

  it("gives a flat line some room, and none below a base", () => {
    expect(rangeOf(10, 10, 0)).toEqual([0, 10.6])
    const [low, high] = rangeOf(1, 1, undefined)
    expect([low < 1, high > 1]).toEqual([true, true])
  })
})

it("the points of a chart are in UTC wherever the browser is, whichever type of DuckDB they have", () => {
  const machine = process.env["TZ"]
  process.env["TZ"] = "America/New_York"
  try {
    const at = Date.UTC(2026, 4, 1, 3) / 1000
    for (const text of [
      "2026-05-01T03:00:00.000Z",
      "2026-05-01 03:00:00",
      "2026-05-01 03:00:00.000000001",
      "2026-05-01 03:00:00+00",
      "2026-05-01 05:00:00+02",
    ]) {
      expect([text, secondsOf(text)]).toEqual([text, at])
    }
    expect(secondsOf("2026-05-01")).toBe(at - 3 * 3600)
    expect(secondsOf("infinity")).toBeNaN()
  } finally {
    if (machine === undefined) delete process.env["TZ"]
    else process.env["TZ"] = machine
  }
})

describe("a comparison", () => {
  const compared = (count: number): string => {
    const vaults = Array.from({ length: count }, (_, at) => ({
      chain_id: 1,
      vault_address: `0x${at}`,
      vault_name: `<b>${at}`,
      troubles: [],
    }))
    const [chart] = comparedCharts
    if (chart === undefined) throw new Error("there is no chart")
    const lines = vaults.map(({ vault_name: label }, at) => ({
      label,
      hue: (at % 7) + 1,
      isDashed: at >= 7,
      figures: [1, 1 + at / 100],
    }))
    const picture = { times: [0, 3600], lines, areas: [], shaded: [] }
    return String(comparisonCharts([[chart, picture]], vaults, { fromAt: 0, toAt: 7_200_000 }))
  }

  it("has the lines of a dozen vaults in one chart, of more vaults in small charts on one scale", () => {
    const few = compared(12)
    expect(few.match(/<svg/g)).toHaveLength(1)
    expect(few.match(/class="line /g)).toHaveLength(12)
    expect(few.match(/class="line hue-\d dashed"/g)).toHaveLength(5)
    const many = compared(13)
    expect(many.match(/<svg/g)).toHaveLength(13)
    expect(many).toContain("from 1.0000 to 1.1200")
    for (const html of [few, many]) expect(html).not.toContain("<b>")
    // The policy of pages allows no style inside the document.
    expect(few).not.toContain("style=")
  })
})
