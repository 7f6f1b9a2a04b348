// The requests of one pass over the platform, by pipeline. The number of a pipeline's partitions follows from how it
// finds them, and the number of requests of a partition's first reading from the pipeline's own planning code.
import { dayOf, microsFromMillis } from "../../src/domain/values/time.ts"
import { pipelines } from "../../src/pipelines/pipelines.ts"
import { defaultRunSettings } from "../../src/pipelines/model/runSettings.ts"
import type { AnyPipeline, Cadence, Partition } from "../../src/pipelines/model/Pipeline.ts"
import * as partitions from "../../src/pipelines/strategies/partitions.ts"
import { platform } from "./inputs.ts"

export type Unit =
  | "platform"
  | "vault"
  | "subaccount"
  | "debtor × token"
  | "changed loan"
  | "failed transaction"

/** How many of each unit a pass reads. */
export const unitCounts: Readonly<Record<Unit, number>> = {
  platform: 1,
  vault: platform.vaults.value,
  subaccount: platform.subaccounts.value,
  "debtor × token":
    platform.subaccounts.value * platform.shareInDebt.value * platform.ladderTokens.value,
  "changed loan": platform.changedLoans.value,
  "failed transaction": platform.failedTransactions.value,
}

const unitOfPartitions = new Map<AnyPipeline["partitions"], Unit>([
  [partitions.once, "platform"],
  [partitions.vaults, "vault"],
  [partitions.evmVaults, "vault"],
  [partitions.vaultsByChain, "vault"],
  [partitions.evmVaultsByChain, "vault"],
  [partitions.evmSubaccounts, "subaccount"],
])

// Pipelines that find their partitions in their own way. The user configures simulations, so there are none here.
const unitOfName: Readonly<Record<string, Unit>> = {
  collateral_excess: "debtor × token",
  loan_details: "changed loan",
  revert_reasons: "failed transaction",
}

export interface PipelineLoad {
  readonly name: string
  readonly cadence: Cadence
  readonly unit: Unit
  /** Its place in the order of a pass: the length of the longest chain of pipelines that must end before it. */
  readonly stage: number
  /** Requests of the first reading of one unit. */
  readonly first: number
}

const stageOf = ({ after }: AnyPipeline): number =>
  after.reduce((stage, name) => {
    const before = pipelines.find((pipeline) => pipeline.name === name)
    return before === undefined ? stage : Math.max(stage, stageOf(before) + 1)
  }, 0)

// Pages of 1,000 that overlap by 100, and one more that shows that there are no others.
const directoryPages = Math.ceil((platform.subaccounts.value - 100) / 900) + 1

// A vault, subaccount, loan, transaction and pair of them in one, from which any pipeline's requests can be made.
const address = { wireAddress: "0x" }
const anySubject = { ...address, chainId: 1, subaccount: address, token: address }

const firstRequests = (pipeline: AnyPipeline, years: number): number => {
  if (pipeline.name === "subaccounts") return directoryPages
  const now = microsFromMillis(Date.UTC(2026, 0, 1))
  const today = dayOf(now)
  const partition = {
    entity: "-",
    subject: { ...anySubject, startedOn: today - Math.round(365 * years) },
  } satisfies Partition<unknown>
  const nothing = { cursor: () => undefined, openGaps: [], isSkipped: () => false }
  return pipeline.expectedRequests(partition, nothing, { ...defaultRunSettings, now, today })
}

/** All pipelines that read something of such a platform. */
export const loadsOf = (years: number): ReadonlyArray<PipelineLoad> =>
  pipelines.flatMap((pipeline) => {
    const unit = unitOfPartitions.get(pipeline.partitions) ?? unitOfName[pipeline.name]
    if (unit === undefined) return []
    const { name, cadence } = pipeline
    return [
      { name, cadence, unit, stage: stageOf(pipeline), first: firstRequests(pipeline, years) },
    ]
  })
