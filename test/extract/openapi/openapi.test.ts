// docs/openapi.json: made from the endpoints, and valid OpenAPI.
import { Validator } from "@seriousme/openapi-schema-validator"
import { describe, expect, it } from "vitest"
import { openapi } from "../../../src/pipelines/service/openapi.ts"
import { endpoints } from "../../../src/extract/endpoints/index.ts"
import { swap } from "../../../src/extract/endpoints/swap/swap.ts"

interface Operation {
  readonly operationId: string
  readonly security: ReadonlyArray<unknown>
  readonly parameters: ReadonlyArray<{
    name: string
    in: string
    required: boolean
    schema: unknown
  }>
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
}

const document = JSON.parse(`${JSON.stringify(openapi(), null, 2)}\n`) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly "x-paths-not-shown": Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

describe("docs/openapi.json", () => {
  it("is valid OpenAPI 3.1, and the validator finds what is not", async () => {
    const plain = JSON.parse(`${JSON.stringify(openapi(), null, 2)}\n`) as Record<string, unknown>
    const { valid, errors } = await new Validator().validate(plain)
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    const broken = { ...plain, paths: { "/x": { get: { responses: { "2x": 1 } } } } }
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false })
  })

  it("has every endpoint in one operation", () => {
    const all = { ...document.paths, ...document["x-paths-not-shown"] }
    const operations = Object.values(all).flatMap((methods) => Object.values(methods))
    const names = operations.flatMap(({ operationId }) => operationId.split("_or_"))
    expect(names.toSorted()).toEqual(endpoints.map(({ name }) => name).toSorted())
  })

  it("carries rules, tiers and statuses", () => {
    const pnl = document.paths["/platform/unrealized_pnl"]?.["get"]
    expect(pnl?.security).toEqual([])
    expect(pnl?.parameters).toContainEqual(
      expect.objectContaining({
        name: "limit",
        required: false,
        schema: { type: "integer", minimum: 1, maximum: 1000 },
      }),
    )
    expect(pnl?.parameters).toContainEqual({
      name: "fields",
      in: "query",
      required: false,
      schema: { type: "string", enum: ["ratio"] },
    })
    expect(Object.keys(pnl?.responses ?? {})).toEqual(["200", "404", "429", "5XX"])
    const operation = document.paths[swap.path as string]?.["post"]
    expect(operation?.security).toEqual([{ apiKey: [] }])
    expect(operation?.requestBody).toMatchObject({
      content: {
        "application/json": {
          schema: {
            required: ["source_token", "source_chain", "destination_token", "destination_chain"],
            properties: { max_slippage: { type: "number", minimum: 0 } },
          },
        },
      },
    })
  })
})
