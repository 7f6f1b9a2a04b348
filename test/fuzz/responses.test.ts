// Seeded changes of real responses of every endpoint: nothing crashes or hangs, a row that would be loaded is one that the
// response holds, and what does not become a row has a reason. `make fuzz` tries 20,000, `make test` 500.
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { folderStore } from "../../src/archive/folderStore.ts"
import { ArchiveReader } from "../../src/archive/segments.ts"
import { isJsonObject, parseJson } from "../../src/domain/values/json.ts"
import { defaultTimeFields } from "../../src/domain/wire/timeFields.ts"
import { decode } from "../../src/extract/decode.ts"
import { pipelineOf } from "../../src/pipelines/archive/archivedRows.ts"
import { mapResponse } from "../../src/pipelines/strategies/mapResponse.ts"
import type { MappedResponse } from "../../src/transform/Source.ts"
import { randomness } from "../support/randomness.ts"
import { sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { query, runOnce } from "../support/warehouseRun.ts"
import { heldBy, isHeld } from "./held.ts"
import { mutated } from "./mutations.ts"

const TIMES = Number(process.env["FUZZ"] ?? 500)
/** No response takes as long, on the slowest machine; the schema of one with ten thousand brackets must not be tried. */
const HANG_MILLIS = 20_000

interface Recorded {
  readonly pipeline: string
  readonly inputs: unknown
  readonly subject: unknown
  readonly window: string
  readonly body: string
}

const synced = sharedWarehouse((dataDir) =>
  Effect.gen(function* () {
    const { url } = yield* simulated({ vaults: 4, days: 3, now: "2026-06-01T12:00:00Z" })
    yield* runOnce(url, dataDir, { api: asAdmin })
  }),
)

/** Up to eight responses of each pipeline, of different lengths. */
const recorded = Effect.fnUntraced(function* (dataDir: string) {
  const rows = yield* query(
    dataDir,
    `select pipeline, inputs::varchar as inputs, subject::varchar as subject, "window", body_sha256,
       archive_file, archive_offset::double as archive_offset, archive_length::double as archive_length
     from raw.responses where pipeline is not null and status = 200
     qualify row_number() over (partition by pipeline order by hash(body_sha256)) <= 8
     order by pipeline, body_sha256`,
  )
  const reader = new ArchiveReader(folderStore(join(dataDir, "raw")))
  return yield* Effect.forEach(rows, (row) =>
    Effect.promise(async (): Promise<Recorded> => {
      const place = {
        file: String(row["archive_file"]),
        offset: Number(row["archive_offset"]),
        length: Number(row["archive_length"]),
      }
      return {
        pipeline: String(row["pipeline"]),
        inputs: JSON.parse(String(row["inputs"])),
        subject: JSON.parse(String(row["subject"])),
        window: String(row["window"]),
        body: await reader.text(place, String(row["body_sha256"])),
      }
    }),
  )
})

const mapped = ({ pipeline: name, inputs, subject, window }: Recorded, body: string) => {
  const pipeline = pipelineOf(name)!
  return Result.flatMap(decode<unknown>(pipeline.endpoint, parseJson(body)), (value) =>
    mapResponse<unknown, unknown>((decoded, source) => pipeline.rows(decoded, source), value, {
      lineage: { responseId: "r", receivedAt: 1 },
      subject,
      inputs: inputs as Readonly<Record<string, unknown>>,
      timeFields: defaultTimeFields,
      window,
    }),
  )
}

/** Columns whose values come from what is documented or from all of a record, not from one of its fields. */
const derived = new Set([
  // Sums of the parts that the response gives of a protocol.
  "allocation_history.value",
  "allocation_history.share",
  "collateral_excess.target_health_factor",
  "otc_margin_requirements.required_unit",
  "otc_margin_requirements.posted_unit",
  "protocol_positions.position_key",
  "vaults.chain_type",
  "withdrawal_requests.request_id",
])

/** Every value of a row that the response and its request do not hold. */
const invented = ({ rows }: MappedResponse, { inputs, subject }: Recorded, body: string) => {
  const parsed = parseJson(body)
  const held = heldBy(
    inputs,
    subject,
    Result.isSuccess(parsed) ? withDigits(parsed.success.lossless) : [],
  )
  return rows.flatMap(({ table, columns, length }) =>
    table.columns.flatMap((column, at) =>
      column.fields === undefined || derived.has(`${table.name}.${column.name}`)
        ? []
        : Array.from({ length }, (_, row) => columns[at]?.[row] ?? null)
            .filter((value) => !isHeld(column, value, held))
            .map((value) => `${table.name}.${column.name}: ${JSON.stringify(value).slice(0, 80)}`),
    ),
  )
}

/** With the digits of numbers that are kept as text. */
const withDigits = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withDigits)
  if (!isJsonObject(value)) return value
  const digits = (value as { readonly rawJSON?: unknown }).rawJSON
  if (typeof digits === "string") return digits
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withDigits(inner)]))
}

describe("responses that changed", () => {
  it.live(
    `${TIMES} of all endpoints`,
    () =>
      Effect.gen(function* () {
        const random = randomness("changed responses")
        const originals = yield* recorded(yield* synced)
        expect(new Set(originals.map(({ pipeline }) => pipeline)).size).toBeGreaterThan(25)
        for (const original of originals) {
          const rows = Result.getOrThrow(mapped(original, original.body))
          expect(invented(rows, original, original.body), original.pipeline).toEqual([])
        }
        const outcomes: Record<string, number> = { loaded: 0, "in part": 0, refused: 0 }
        const count = (outcome: string): void =>
          void (outcomes[outcome] = (outcomes[outcome] ?? 0) + 1)
        const problems: Array<string> = []
        for (let time = 0; time < TIMES; time += 1) {
          const original = originals[time % originals.length]!
          const body = mutated(original.body, random)
          const began = performance.now()
          const problem = (what: string) =>
            problems.push(`${original.pipeline}: ${what} <- ${body.slice(0, 2000)}`)
          try {
            const result = mapped(original, body)
            if (Result.isFailure(result)) {
              const { path, detail } = result.failure
              count("refused")
              if (path === "" || detail === "" || detail.includes("can't be mapped"))
                problem(`${path} ${detail}`)
            } else {
              const { rejected } = result.success
              count(rejected.length > 0 ? "in part" : "loaded")
              if (rejected.some(({ path, detail }) => path === "" || detail === ""))
                problem("a record was rejected without a reason")
              const found = invented(result.success, original, body)
              if (found.length > 0) problem(found.join(", "))
            }
          } catch (cause) {
            problem(String(cause))
          }
          if (performance.now() - began > HANG_MILLIS) problem("took too long")
        }
        expect(problems.slice(0, 10)).toEqual([])
        for (const times of Object.values(outcomes)) expect(times).toBeGreaterThan(TIMES / 100)
        if (process.env["FUZZ"] !== undefined) process.stdout.write(`${JSON.stringify(outcomes)}\n`)
      }).pipe(Effect.scoped),
    TIMES * 200 + 120_000,
  )
})
