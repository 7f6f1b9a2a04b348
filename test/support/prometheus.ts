// Reads the Prometheus text format as strictly as `promtool check metrics`, and its rules for names.
import { expect } from "vitest"

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly help: string
  readonly type: string
  readonly samples: ReadonlyArray<Sample>
}

const sampleOf = (line: string): Sample => {
  const [, name = "", inner = "", value = ""] =
    /^([a-z_]+)(?:\{(.*)\})? (\+Inf|[\d.e+-]+)$/.exec(line) ?? []
  expect(name, `a sample without a timestamp: ${line}`).not.toBe("")
  const pairs = [...inner.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)]
  expect(pairs.map(([text]) => text).join("")).toBe(inner)
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label = "", text = ""]) => [label, text])),
    value: value === "+Inf" ? Infinity : Number(value),
  }
}

/** Families by name. One HELP and one TYPE each, right before its samples; no sample twice. */
export const parseMetrics = (text: string): ReadonlyMap<string, Family> => {
  const families = new Map<string, Family & { samples: Array<Sample> }>()
  const seen = new Set<string>()
  let help: ReadonlyArray<string> = []
  let last = ""
  expect(text).toMatch(/\n$/)
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line) ?? []
    if (kind === "HELP") help = [name, rest]
    else if (kind === "TYPE") {
      expect(help[0]).toBe(name)
      expect(families.has(name), `${name} twice`).toBe(false)
      checkName(name, rest)
      families.set(name, { help: help[1] ?? "", type: rest, samples: [] })
      last = name
    } else {
      const sample = sampleOf(line)
      expect(sample.name).toBe(last)
      const series = line.slice(0, line.lastIndexOf(" "))
      expect(seen.has(series), `${series} twice`).toBe(false)
      seen.add(series)
      families.get(last)?.samples.push(sample)
    }
  }
  return families
}

const checkName = (name: string, type: string): void => {
  expect(["counter", "gauge"]).toContain(type)
  expect(name.endsWith("_total"), `${name} is a ${type}`).toBe(type === "counter")
  expect(name).not.toMatch(/milli|micro|minutes|hours|days|kilo|mega|percent|counter|gauge|[A-Z]/)
}

/** The sum of a family's samples with these labels. */
export const sumOf = (
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number =>
  (families.get(name)?.samples ?? [])
    .filter((sample) => Object.entries(labels).every(([of, text]) => sample.labels[of] === text))
    .reduce((sum, { value }) => sum + value, 0)
