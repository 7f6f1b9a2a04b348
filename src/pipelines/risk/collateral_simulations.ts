// Collateral simulations of the scenarios a user has configured.
import * as Effect from "effect/Effect"
import type { Inputs } from "../../extract/Endpoint.ts"
import { collateralSimulation } from "../../extract/endpoints/risk/collateral_simulation.ts"
import { contentKeys } from "../../transform/contentKey.ts"
import { collateralSimulationTokens } from "../../transform/tables/risk/collateral_simulation_tokens.ts"
import {
  collateralSimulationRows,
  collateralSimulations,
} from "../../transform/tables/risk/collateral_simulations.ts"
import type { Pipeline } from "../Pipeline.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import type { Scenario } from "./scenarios.ts"

const DIGEST_LENGTH = 12

/** A scenario that asks for something else is another one to those who remember when it was last asked. */
const entityOf = ({ name, inputs }: Scenario): string => {
  const [digest = ""] = contentKeys([{ inputs }], [])
  return `${name} ${digest.slice(0, DIGEST_LENGTH)}`
}

const targets: Pipeline<Scenario>["targets"] = ({ context }) =>
  Effect.succeed(
    context.scenarios.map((scenario) => ({ entity: entityOf(scenario), subject: scenario })),
  )

export const collateralSimulationsPipeline = snapshot({
  name: "collateral_simulations",
  title: "Collateral simulations",
  tables: [collateralSimulations, collateralSimulationTokens],
  endpoint: collateralSimulation,
  after: [],
  targets,
  // Whether they are what the endpoint takes, the endpoint says before anything is sent.
  questions: ({ inputs }) =>
    ask(inputs as unknown as Inputs<typeof collateralSimulation.parameters>),
  rows: collateralSimulationRows,
})
