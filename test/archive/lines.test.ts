// Lines of a segment that somebody else wrote, or changed, are damage with a reason, and never become rows.
import { describe, expect, it } from "vitest"
import {
  commitMarkerLine,
  readLines,
  responseLine,
  runEndLine,
  sha256Of,
} from "../../src/archive/lines.ts"

const body = Buffer.from("[1]")
const response = responseLine(
  {
    responseId: "r1",
    runId: "run",
    pipeline: "fees",
    entity: "-",
    endpoint: "fees",
    method: "GET",
    url: "https://api.example.com/fees",
    requestBody: null,
    inputs: "{}",
    subject: "null",
    status: 200,
    receivedAt: 1_780_000_000_000_000,
    sha256: sha256Of(body),
  },
  body,
  true,
)
const marker = commitMarkerLine({
  runId: "run",
  pipeline: "fees",
  entity: "-",
  window: "-",
  outcome: "landed",
  landed: ["r1"],
  notLanded: [],
})
const end = runEndLine({ runId: "run", uncommitted: [] })

/** The line with another value of a field, wherever it is; without it where there is none. */
const withField = (line: Buffer, field: string, value: unknown): Buffer => {
  const text = line.toString()
  const found = new RegExp(`"${field}":("(?:[^"\\\\]|\\\\.)*"|[^,}\\]]*\\]?)`).exec(text)
  if (found === null) throw new Error(`no ${field}`)
  const written = value === undefined ? `"no_${field}":0` : `"${field}":${JSON.stringify(value)}`
  return Buffer.from(text.replace(found[0], written))
}

describe("a segment's lines", () => {
  it("are read as they were written", () => {
    const lines = readLines("segment", Buffer.concat([response, marker, end]))
    expect(lines).toMatchObject({
      responses: [{ responseId: "r1", pipeline: "fees", receivedAt: 1_780_000_000_000_000 }],
      markers: [{ runId: "run", landed: ["r1"], notLanded: [] }],
      ends: [{ runId: "run", uncommitted: [] }],
      damages: [],
    })
  })

  it.each([
    ["received_at", undefined],
    ["received_at", 1e300],
    ["received_at", "2026-06-01"],
    ["received_at", 1.5],
    ["inputs", "not json"],
    ["inputs", "null"],
    ["inputs", { chain: 1 }],
    ["subject", "not json"],
    ["status", "ok"],
    ["response_id", 7],
    ["run_id", null],
    ["url", undefined],
    ["pipeline", 1],
  ])("with the %s %j are damaged", (field, value) => {
    const { responses, damages } = readLines("segment", withField(response, field, value))
    expect(responses).toEqual([])
    expect(damages).toHaveLength(1)
    expect(damages[0]).toBe(`a response has no valid ${field}`)
  })

  it.each([
    [marker, "landed", null],
    [marker, "landed", "r1"],
    [marker, "not_landed", [1]],
    [marker, "outcome", 3],
    [marker, "run_id", undefined],
    [end, "uncommitted", null],
    [end, "run_id", 1],
  ] as const)("that mark commits are damaged too (%#)", (line, field, value) => {
    const { markers, ends, damages } = readLines("segment", withField(line, field, value))
    expect({ markers, ends }).toEqual({ markers: [], ends: [] })
    expect(damages).toEqual(["it contains a commit marker or an end of another format"])
  })

  it.each(["null", "{}", '{"commit":null}', '{"end":7}', "x"])("of another format: %s", (line) => {
    const { damages } = readLines("segment", Buffer.concat([Buffer.from(`${line}\n`), response]))
    expect(damages).toHaveLength(1)
    expect(damages[0]).not.toMatch(/TypeError|is damaged/)
  })
})
