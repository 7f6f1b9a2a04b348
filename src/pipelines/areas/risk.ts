// Collateral risk: discount-factor ladders, excess or deficit of each subaccount with debt, configured simulations.
import * as Effect from "effect/Effect"
import type { Inputs } from "../../extract/Endpoint.ts"
import { collateralExcess as excessEndpoint } from "../../extract/endpoints/risk/collateral_excess.ts"
import { collateralSimulation } from "../../extract/endpoints/risk/collateral_simulation.ts"
import { discountFactors as discountFactorsEndpoint } from "../../extract/endpoints/risk/discount_factors.ts"
import { contentKeys } from "../../transform/contentKey.ts"
import {
  collateralExcess,
  collateralExcessRows,
} from "../../transform/tables/risk/collateral_excess.ts"
import { collateralSimulationTokens } from "../../transform/tables/risk/collateral_simulation_tokens.ts"
import {
  collateralSimulationRows,
  collateralSimulations,
} from "../../transform/tables/risk/collateral_simulations.ts"
import {
  discountFactorRows,
  discountFactors,
} from "../../transform/tables/risk/discount_factors.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import type { Scenario } from "../model/runSettings.ts"
import { once } from "../strategies/partitions.ts"
import { single, snapshot } from "../strategies/snapshot.ts"
import { exposures } from "./risk/exposures.ts"

const DIGEST_LENGTH = 12

/** A scenario whose inputs changed is another partition, so that a remembered absence does not apply to it. */
const entityOf = ({ name, inputs }: Scenario): string => {
  const [digest = ""] = contentKeys([{ inputs }], [])
  return `${name} ${digest.slice(0, DIGEST_LENGTH)}`
}

export const risk: ReadonlyArray<AnyPipeline> = [
  snapshot({
    name: "discount_factors",
    title: "Discount-factor ladders",
    cadence: "daily",
    tables: [discountFactors],
    endpoint: discountFactorsEndpoint,
    after: [],
    partitions: once,
    requests: () => single({}),
    rows: discountFactorRows,
  }),
  snapshot({
    name: "collateral_excess",
    title: "Collateral excess or deficit",
    cadence: "hourly",
    tables: [collateralExcess],
    endpoint: excessEndpoint,
    after: ["discount_factors", "subaccount_summaries", "loans"],
    partitions: exposures,
    requests: ({ subaccount, chainId, token }) =>
      single({
        subaccountAddress: subaccount.wireAddress,
        tokenAddress: token.wireAddress,
        tokenChain: chainId,
      }),
    rows: collateralExcessRows,
  }),
  snapshot({
    name: "collateral_simulations",
    title: "Collateral simulations",
    cadence: "daily",
    tables: [collateralSimulations, collateralSimulationTokens],
    endpoint: collateralSimulation,
    after: [],
    partitions: ({ context }) =>
      Effect.succeed(
        context.scenarios.map((scenario) => ({ entity: entityOf(scenario), subject: scenario })),
      ),
    // The endpoint checks them before anything is sent.
    requests: ({ inputs }) =>
      single(inputs as unknown as Inputs<typeof collateralSimulation.parameters>),
    rows: collateralSimulationRows,
  }),
]
