// Whether every endpoint of §4 is read: a run with an admin key and all that the document leaves to the configuration requests
// each, and its rows land. The others are sent by commands alone.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultWire } from "../../src/extract/request.ts"
import { endpoints } from "../../src/extract/endpoints/index.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { queries, runOnce } from "../support/warehouseRun.ts"

/** `swap` and `doctor` send these. */
const ofCommands = new Set(["key_verification", "swap"])

const paths = {
  cefiPositions: "/subaccount/{address}/cefi_positions",
  subaccountOtcPositions: "/subaccount/{address}/otc_positions",
  subaccountLoans: "/subaccount/{address}/loans",
}

it.live("every endpoint is requested by a run, and what it returns lands", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const { url } = yield* simulated({
      now: "2026-06-01T12:00:00Z",
      days: 20,
      vaults: 4,
      subaccounts: 6,
    })
    const api = { ...asAdmin, wire: { ...defaultWire, paths } }
    yield* runOnce(url, dataDir, { api })
    const [[token = {}] = []] = yield* queries(dataDir, [
      "select chain_id::integer as chain, token_address_wire as address from core.discount_factors limit 1",
    ])
    const scenario = {
      name: "one million",
      inputs: {
        loan_token_chain: Number(token["chain"]),
        loan_token_address: token["address"],
        loan_amount: 1_000_000,
        collateral_tokens: [[Number(token["chain"]), token["address"]]],
        collateral_token_allocation: [1],
        on_platform: false,
      },
    }
    yield* runOnce(url, dataDir, { api, settings: { scenarios: [scenario] } })
    const [landed = []] = yield* queries(dataDir, [
      "select distinct endpoint from raw.responses where is_landed and status = 200 order by all",
    ])
    const read = endpoints.map(({ name }) => name).filter((name) => !ofCommands.has(name))
    expect(landed.map(({ endpoint }) => endpoint)).toEqual([...new Set(read)].toSorted())
  }),
)
