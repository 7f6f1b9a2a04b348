// A response with status 200 that holds an error and nothing else becomes a row of no table, whatever the document leaves
// open about the fields of a record.
import { describe, expect, it } from "vitest"
import * as Result from "effect/Result"
import { parseJson } from "../../src/domain/values/json.ts"
import { defaultTimeFields } from "../../src/domain/wire/timeFields.ts"
import { decode } from "../../src/extract/decode.ts"
import { pipelines } from "../../src/pipelines/pipelines.ts"
import { mapResponse } from "../../src/pipelines/strategies/mapResponse.ts"

const errors = [
  '{"error":"internal error"}',
  '{"detail":"internal error"}',
  '{"detail":[{"loc":["query","chain"],"msg":"field required"}]}',
  '{"errors":[{"message":"x"}],"data":null}',
  '{"status":"error","code":500,"message":"x","error":"Internal Server Error"}',
  '{"success":false,"error":{"code":5},"result":null}',
]

/** Why the body of a pipeline's endpoint has no rows; `undefined` if it has some. */
const refusal = (pipeline: (typeof pipelines)[number], body: string): string | undefined =>
  Result.match(
    Result.flatMap(decode<unknown>(pipeline.endpoint, parseJson(body)), (value) =>
      mapResponse<unknown, unknown>((decoded, source) => pipeline.rows(decoded, source), value, {
        lineage: { responseId: "r", receivedAt: 1 },
        subject: {},
        inputs: {},
        timeFields: defaultTimeFields,
        window: "all",
      }),
    ),
    { onFailure: ({ detail }) => detail, onSuccess: () => undefined },
  )

const address = `0x${"ab".repeat(20)}`
const unrelated = ["{}", "[{}]", '[{"error":"internal error"}]', '[{"errors":["internal error"]}]']

/** How many rows of what was requested a body has, and why records of it are rejected. */
const mappedFrom = (pipeline: (typeof pipelines)[number], body: string) =>
  Result.flatMap(decode<unknown>(pipeline.endpoint, parseJson(body)), (value) =>
    mapResponse<unknown, unknown>((decoded, source) => pipeline.rows(decoded, source), value, {
      lineage: { responseId: "r", receivedAt: 1 },
      subject: { address, wireAddress: address, chainId: 1, loanId: "1", hash: "0x1", inputs: {} },
      inputs: { status: "active", calculationPeriod: "YearToDate" },
      timeFields: defaultTimeFields,
      window: "all",
    }),
  )

describe("what is no record of a table", () => {
  it.each(unrelated)("%s is no row, and is reported", (body) => {
    for (const pipeline of pipelines) {
      const mapped = mappedFrom(pipeline, body)
      if (Result.isFailure(mapped)) continue
      const { rows, rejected } = mapped.success
      const landed = rows.filter(({ secondary, length }) => secondary === undefined && length > 0)
      expect(
        landed.map(({ table }) => table.name),
        pipeline.name,
      ).toEqual([])
      for (const { detail } of rejected) {
        expect(detail, pipeline.name).toMatch(
          /without fields|its fields are (unheard_of|error)|expected|is missing/,
        )
      }
    }
  })

  it("is not a record of unknown fields where the document names none (§2.5, §2.10)", () => {
    const pipeline = pipelines.find(({ name }) => name === "vault_summaries")!
    const mapped = Result.getOrThrow(mappedFrom(pipeline, '{"unheard_of":"a"}'))
    expect(mapped.rejected).toEqual([])
    expect(mapped.rows.map(({ length }) => length)).toContain(1)
  })
})

describe("an error with status 200", () => {
  it.each(errors)("%s is a row of no table", (body) => {
    const landed = pipelines.filter((each) => refusal(each, body) === undefined)
    expect(landed.map(({ name }) => name)).toEqual([])
    for (const pipeline of pipelines) {
      expect(refusal(pipeline, body), pipeline.name).toContain("is an error in place of data: {")
    }
  })

  it("is not a record that has such a field beside others", () => {
    const { endpoint } = pipelines.find(({ name }) => name === "vault_details")!
    for (const body of [
      '{"name":"a","error":"late"}',
      '{"error":null,"name":"a"}',
      '{"detail":7}',
    ]) {
      expect(Result.isSuccess(decode<unknown>(endpoint, parseJson(body))), body).toBe(true)
    }
  })
})
