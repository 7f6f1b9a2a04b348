// Every pipeline and every table, in the order in which a run lists them. `after` of a pipeline names those that must end
// before it begins.
import type { Table } from "../domain/table/table.ts"
import { operationTables } from "../load/tables/index.ts"
import { swaps } from "../transform/tables/swaps/swaps.ts"
import { curator } from "./areas/curator.ts"
import { governance } from "./areas/governance.ts"
import { loans } from "./areas/loans.ts"
import { otc } from "./areas/otc.ts"
import { risk } from "./areas/risk.ts"
import { subaccounts } from "./areas/subaccounts.ts"
import { transparency } from "./areas/transparency.ts"
import { vaults } from "./areas/vaults.ts"
import type { AnyPipeline } from "./model/Pipeline.ts"

export const pipelines: ReadonlyArray<AnyPipeline> = [
  ...vaults,
  ...transparency,
  ...governance,
  ...subaccounts,
  ...curator,
  ...loans,
  ...risk,
  ...otc,
]

const awaited: ReadonlySet<string> = new Set(pipelines.flatMap(({ after }) => after))

/** Whether other pipelines wait for the end of this one: its tasks go before theirs. */
export const isAwaited = ({ name }: AnyPipeline): boolean => awaited.has(name)

/** Pipelines whose windows are the same in every run. */
export const withFixedWindows: ReadonlyArray<string> = pipelines
  .filter((each) => each.windows !== undefined)
  .map(({ name }) => name)

/** Pipelines that read the present state into rows of its time: no later response has what an earlier one has. */
export const datedSnapshots: ReadonlyArray<string> = pipelines
  .filter(
    (pipeline) =>
      pipeline.windows !== undefined &&
      pipeline.tables.some(({ mode, time }) => mode === "history" && time !== undefined),
  )
  .map(({ name }) => name)

export const pipelineNames: ReadonlyArray<string> = pipelines.map(({ name }) => name)

/** The tables that pipelines fill, so that a replay can fill them again. */
export const pipelineTables: ReadonlyArray<Table> = [
  ...new Set(pipelines.flatMap((pipeline) => pipeline.tables)),
]

/** Every table of schema core: also the journal of swaps, which is in no response. */
export const coreTables: ReadonlyArray<Table> = [...pipelineTables, swaps]

export const tables: ReadonlyArray<Table> = [...coreTables, ...operationTables]
