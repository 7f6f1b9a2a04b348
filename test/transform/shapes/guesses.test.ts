// Names that sound like figures, units, times and places decide nothing: only declared ones fill columns.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { spellings } from "../../../src/domain/table/column.ts"
import { parseJson } from "../../../src/domain/values/json.ts"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { decode } from "../../../src/extract/decode.ts"
import { pipelineOf } from "../../../src/pipelines/archive/archivedRows.ts"

const address = `0x${"ab".repeat(20)}`

const words = [
  "amount raw normalized wei decimals usd total sum count value share weight pct nav tvl apy price",
  "fee return returns day week month daily performance position strategy protocol token balance",
  "allocation breakdown holdings updated at last latest snapshot calculated pending queue request",
  "withdrawal assets primary secondary cefi class tier rung ladder factor bound name type status",
].flatMap((line) => line.split(" "))

const Word = Schema.Literals(words)
const Name = Schema.NonEmptyArray(Word).check(Schema.isMaxLength(3))
const Value = Schema.Union([
  Schema.Finite,
  Schema.Literals(["1000000", "2026-01-01T00:00:00Z", "Primary", "aave"]),
  Schema.Struct({ raw: Schema.Literal("5"), normalized: Schema.Finite }),
  Schema.Record(Word, Schema.Finite),
  Schema.Array(Schema.Record(Word, Schema.Finite)).check(Schema.isMaxLength(2)),
])
const Fields = Schema.Array(Schema.Tuple([Name, Value])).check(Schema.isMaxLength(8))

/** What surrounds the fields in a response, by pipeline. */
const bodies: Readonly<Record<string, (fields: object) => unknown>> = {
  withdrawals: (fields) => fields,
  vault_summaries: (fields) => fields,
  oracle_classification: (fields) => ({ ...fields, warnings: [] }),
  allocation_history: (fields) => ({ points: [{ ...fields, date: "2026-01-05" }] }),
  discount_factors: (fields) => [{ ...fields, address, chain: 1 }],
  protocol_positions: (fields) => fields,
}

for (const [name, bodyOf] of Object.entries(bodies)) {
  const pipeline = pipelineOf(name)
  const declared = new Set(
    pipeline?.tables.flatMap(({ columns, shapes = [] }) => [
      ...columns.flatMap(({ fields = [] }) => fields.map((field) => field.split(".")[0] ?? field)),
      ...shapes.flatMap((shape) => [...spellings(...(shape.in ?? [])), ...(shape.keys ?? [])]),
    ]),
  )

  it.effect.prop(
    name,
    [Fields],
    ([drawn]) =>
      Effect.sync(() => {
        if (pipeline === undefined) throw new Error("no pipeline")
        const fields = Object.fromEntries(
          drawn
            .map(([parts, value]): [string, unknown] => [parts.join("_"), value])
            // An amount may be declared by the field beside it.
            .filter(([field]) => !declared.has(field) && field !== "amount"),
        )
        const body = JSON.stringify(bodyOf(fields))
        const mapped = Result.flatMap(
          decode<unknown>(pipeline.endpoint, parseJson(body)),
          (value) =>
            pipeline.rows(value, {
              lineage: { responseId: "r", receivedAt: 1_780_000_000_000_000 },
              subject: { address, wireAddress: address, chainId: 1, kind: "evm" },
              inputs: {},
              timeFields: defaultTimeFields,
            }),
        )
        if (Result.isFailure(mapped)) return
        for (const { table, columns } of mapped.success.rows) {
          for (const [index, column] of table.columns.entries()) {
            if (column.fields === undefined || table.key.includes(column.name)) continue
            expect(
              columns[index]?.filter((value) => value !== null),
              `${table.name}.${column.name} from ${body}`,
            ).toEqual([])
          }
        }
      }),
    { arbitrary: { runs: 200 } },
  )
}
