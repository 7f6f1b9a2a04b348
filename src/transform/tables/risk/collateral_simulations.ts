// core.collateral_simulations: the collateral that the loans of the configured scenarios would need.
import type * as Result from "effect/Result"
import { documented, field, json, text } from "../../../domain/table/column.ts"
import { type JsonObject, stableStringify } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { canonicalSpelling } from "../../../domain/values/address.ts"
import { readColumn } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { recordsIn } from "../../shapes/recordsIn.ts"
import { otherRecords } from "../../shapes/undeclared.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { restOfRecord } from "../shared.ts"
import { collateralSimulationTokens } from "./collateral_simulation_tokens.ts"

export const collateralSimulations: Table = {
  schema: "core",
  name: "collateral_simulations",
  mode: "slowly_changing",
  grain: "scenario and version",
  comment:
    "Collateral simulations of the scenarios in the setting `scenarios`, with their inputs. Tokens are in core.collateral_simulation_tokens.",
  source: "POST /risk/collateral_simulation (§4.4, §2.6)",
  key: ["scenario"],
  columns: [
    text("scenario", "Name of the scenario", { required: true }),
    json("inputs", "Inputs of the simulation, by the names of §2.6", { required: true }),
    documented.double("total_required_collateral_usd", "Collateral the loan needs", {
      unit: "USD",
    }),
    field.double("total_debt", "Debt with the loan", {
      names: ["total_debt", "total_debt_usd"],
      unit: "as sent",
    }),
    field.double("resulting_health_factor", "Health factor with the loan and that collateral", {
      names: ["resulting_health_factor", "health_factor"],
      unit: "ratio",
    }),
    ...restOfRecord,
  ],
  example:
    "select scenario, valid_from, total_required_collateral_usd, resulting_health_factor from core.collateral_simulations where is_current",
}

/** The chain of the scenario's token with this address; null unless there is exactly one. */
const chainInScenario = (
  inputs: Source<unknown>["inputs"],
  address: string | null,
): number | null => {
  const tokens = (inputs["collateral_tokens"] ?? []) as ReadonlyArray<readonly [number, string]>
  const [only, ...others] = tokens.filter(([, token]) => canonicalSpelling(token) === address)
  return only === undefined || others.length > 0 ? null : only[0]
}

/** One row for the simulation, and one for each token of the breakdown. */
export const collateralSimulationRows = (
  record: JsonObject,
  source: Source<{ readonly name: string }>,
): Result.Result<MappedResponse, Violation> => {
  const { subject, inputs } = source
  const breakdown = recordsIn(collateralSimulationTokens, source)(record)
  const scenario = { scenario: subject.name }
  const tokens = breakdown?.records ?? []
  const tokenTable = collateralSimulationTokens
  return combined(
    mapRecords({
      table: collateralSimulations,
      records: [record],
      source,
      computed: { ...scenario, inputs: stableStringify(inputs) },
      consumed: breakdown?.field === undefined ? [] : [breakdown.field],
      at: () => "$",
    }),
    otherRecords(
      mapRecords({
        table: tokenTable,
        records: tokens,
        source,
        computed: {
          ...scenario,
          ordinal: tokens.map((_, index) => index + 1),
          chain_id: tokens.map((token) => {
            const address = readColumn(token, tokenTable, "token_address", source)
            const chain = readColumn(token, tokenTable, "chain_id", source)
            return chain ?? chainInScenario(inputs, address as string | null)
          }),
        },
        // The response contains the whole set; one without a breakdown that can be read retires nothing.
        ...(breakdown === undefined ? {} : { mergeKey: scenario }),
      }),
      tokenTable,
      breakdown,
      source,
    ),
  )
}
