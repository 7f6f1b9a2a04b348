// Seeded changes of real responses of every endpoint: nothing crashes, hangs or needs much memory, a row that would be loaded is
// one that the response holds, and what does not become a row has a reason. `make fuzz` tries 20,000, `make test` 500.
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { folderStore } from "../../src/archive/folderStore.ts"
import { ArchiveReader } from "../../src/archive/segments.ts"
import { defaultWire } from "../../src/extract/request.ts"
import { pipelineNames } from "../../src/pipelines/pipelines.ts"
import { dailyRandomness } from "../support/randomness.ts"
import { sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, paths, simulated } from "../support/simulated.ts"
import { HANG_SECONDS } from "../support/until.ts"
import { query, runOnce } from "../support/warehouseRun.ts"
import { noteFigures } from "./figures.ts"
import { mutated } from "./mutations.ts"
import { thread } from "./thread.ts"
import { type Recorded, tried } from "./tried.ts"

const TIMES = Number(process.env["FUZZ"] ?? 500)

const headers = { "x-api-key": "demo-admin-key", "content-type": "application/json" }

/** What no run requests: the responses to a swap and to the verification of the key. */
const byHand = (url: string, token: Readonly<Record<string, unknown>>) =>
  Effect.promise(async (): Promise<ReadonlyArray<Recorded>> => {
    const bodyOf = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(url + path, { headers, ...init })
      expect(response.status, path).toBe(200)
      return response.text()
    }
    const [subaccount] = JSON.parse(await bodyOf("/subaccounts")) as ReadonlyArray<{
      readonly address: string
    }>
    const body = JSON.stringify({
      source_token: token["address"],
      source_chain: token["chain"],
      destination_token: token["address"],
      destination_chain: token["chain"],
      source_amount: 2.5,
    })
    const path = `/subaccounts/${subaccount?.address}/swaps`
    const of = (pipeline: string, text: string): Recorded => ({
      pipeline,
      inputs: {},
      subject: null,
      window: "",
      body: text,
    })
    return [
      of("swap", await bodyOf(path, { method: "POST", body })),
      of("key_verification", await bodyOf(paths.keyVerification)),
    ]
  })

const tokenOf = (url: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/risk/discount_factors`, { headers })
    const [token = {}] = (await response.json()) as ReadonlyArray<Record<string, unknown>>
    return token
  })

let sentByHand: ReadonlyArray<Recorded> = []

const synced = sharedWarehouse((dataDir) =>
  Effect.gen(function* () {
    const { url } = yield* simulated({ vaults: 4, days: 3, now: "2026-06-01T12:00:00Z" })
    const token = yield* tokenOf(url)
    sentByHand = yield* byHand(url, token)
    const scenario = {
      name: "one million",
      inputs: {
        loan_token_chain: token["chain"],
        loan_token_address: token["address"],
        loan_amount: 1_000_000,
        collateral_tokens: [[token["chain"], token["address"]]],
        collateral_token_allocation: [1],
        on_platform: false,
      },
    }
    const api = { ...asAdmin, wire: { ...defaultWire, paths } }
    yield* runOnce(url, dataDir, { api, settings: { scenarios: [scenario] } })
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
        body: (await reader.body(place, String(row["body_sha256"]))).toString(),
      }
    }),
  )
})

describe("responses that changed", () => {
  it.live(
    `${TIMES} of all endpoints`,
    () =>
      Effect.gen(function* () {
        const random = dailyRandomness("changed responses")
        const originals = [...(yield* recorded(yield* synced)), ...sentByHand]
        expect([...new Set(originals.map(({ pipeline }) => pipeline))].toSorted()).toEqual(
          [...pipelineNames, "key_verification", "swap"].toSorted(),
        )
        for (const original of originals)
          expect(tried(original, original.body).problems, original.pipeline).toEqual([])
        const outcomes = { loaded: 0, "in part": 0, refused: 0 }
        let rows = 0
        const problems: Array<string> = []
        const { tried: triedInThread } = yield* thread
        for (let time = 0; time < TIMES; time += 1) {
          const original = originals[time % originals.length]!
          const body = mutated(original.body, random)
          const where = `${original.pipeline}: ${body.slice(0, 2000)}`
          // What ends the thread is the last that is tried.
          const found = yield* Effect.promise(() =>
            triedInThread({ recorded: original, body }).catch((cause: unknown) => {
              throw new Error(`${String(cause)} <- ${where}`)
            }),
          )
          outcomes[found.outcome] += 1
          rows += found.rows
          for (const problem of found.problems) problems.push(`${problem} <- ${where}`)
        }
        expect(problems.slice(0, 10)).toEqual([])
        for (const times of Object.values(outcomes)) expect(times).toBeGreaterThan(TIMES / 100)
        noteFigures("responses", { tried: TIMES, ...outcomes, "rows compared": rows })
      }).pipe(Effect.scoped),
    TIMES * 200 + HANG_SECONDS * 2000,
  )
})
