// Subaccounts (§4.3): the directory, those of the key's user, and what each of them holds and owes.
import { cefiPositions as cefiEndpoint } from "../../extract/endpoints/subaccounts/cefi_positions.ts"
import { healthFactor } from "../../extract/endpoints/subaccounts/health_factor.ts"
import { mySubaccounts as mySubaccountsEndpoint } from "../../extract/endpoints/subaccounts/my_subaccounts.ts"
import { protocolPositions as protocolPositionsEndpoint } from "../../extract/endpoints/subaccounts/protocol_positions.ts"
import { subaccountOtcPositions as otcEndpoint } from "../../extract/endpoints/subaccounts/subaccount_otc_positions.ts"
import { subaccountSummary } from "../../extract/endpoints/subaccounts/subaccount_summary.ts"
import { cefiPositions } from "../../transform/tables/subaccounts/cefi_positions.ts"
import {
  healthFactorRows,
  healthFactors,
} from "../../transform/tables/subaccounts/health_factors.ts"
import { mySubaccounts } from "../../transform/tables/subaccounts/my_subaccounts.ts"
import {
  cefiPositionRows,
  protocolPositionRows,
  subaccountOtcPositionRows,
} from "../../transform/tables/subaccounts/positionRecords.ts"
import { protocolPositions } from "../../transform/tables/subaccounts/protocol_positions.ts"
import { subaccountLoanAggregates } from "../../transform/tables/subaccounts/subaccount_loan_aggregates.ts"
import { subaccountOtcPositions } from "../../transform/tables/subaccounts/subaccount_otc_positions.ts"
import { subaccountPortfolioPositions } from "../../transform/tables/subaccounts/subaccount_portfolio_positions.ts"
import { mySubaccountRows } from "../../transform/tables/subaccounts/subaccountRecords.ts"
import { subaccountSummaries } from "../../transform/tables/subaccounts/subaccount_summaries.ts"
import { subaccountSummaryLoans } from "../../transform/tables/subaccounts/subaccount_summary_loans.ts"
import { subaccountTokens } from "../../transform/tables/subaccounts/subaccount_tokens.ts"
import { summaryRows } from "../../transform/tables/subaccounts/summaryRecords.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import { evmSubaccounts, once, subaccountSources } from "../strategies/partitions.ts"
import { single, snapshot } from "../strategies/snapshot.ts"
import { subaccountDirectoryPipeline } from "./subaccounts/subaccount_directory.ts"
import { transactionsPipeline } from "./subaccounts/transactions.ts"

export const subaccounts: ReadonlyArray<AnyPipeline> = [
  subaccountDirectoryPipeline,
  snapshot({
    name: "my_subaccounts",
    title: "My subaccounts",
    cadence: "daily",
    tables: [mySubaccounts],
    endpoint: mySubaccountsEndpoint,
    after: [],
    partitions: once,
    requests: () => single<typeof mySubaccountsEndpoint.parameters>({}),
    rows: mySubaccountRows,
  }),
  snapshot({
    name: "subaccount_summaries",
    title: "Subaccount summaries",
    cadence: "hourly",
    tables: [
      subaccountSummaries,
      subaccountTokens,
      subaccountPortfolioPositions,
      subaccountSummaryLoans,
      subaccountLoanAggregates,
    ],
    endpoint: subaccountSummary,
    after: subaccountSources,
    partitions: evmSubaccounts,
    requests: ({ wireAddress }) =>
      single<typeof subaccountSummary.parameters>({ address: wireAddress }),
    rows: summaryRows,
  }),
  snapshot({
    name: "health_factors",
    title: "Health factors",
    cadence: "hourly",
    tables: [healthFactors],
    endpoint: healthFactor,
    after: subaccountSources,
    partitions: evmSubaccounts,
    requests: ({ wireAddress }) => single<typeof healthFactor.parameters>({ address: wireAddress }),
    rows: healthFactorRows,
  }),
  snapshot({
    name: "protocol_positions",
    title: "Protocol positions",
    cadence: "daily",
    tables: [protocolPositions],
    endpoint: protocolPositionsEndpoint,
    after: subaccountSources,
    // Each of these fans out over every chain on the server.
    atOnce: 4,
    partitions: evmSubaccounts,
    requests: ({ wireAddress }) =>
      single<typeof protocolPositionsEndpoint.parameters>({ subaccount_address: wireAddress }),
    rows: protocolPositionRows,
  }),
  snapshot({
    name: "cefi_positions",
    title: "CeFi positions",
    cadence: "hourly",
    tables: [cefiPositions],
    endpoint: cefiEndpoint,
    after: subaccountSources,
    partitions: evmSubaccounts,
    requests: ({ wireAddress }) => single<typeof cefiEndpoint.parameters>({ address: wireAddress }),
    rows: cefiPositionRows,
  }),
  snapshot({
    name: "subaccount_otc_positions",
    title: "OTC positions of subaccounts",
    cadence: "hourly",
    tables: [subaccountOtcPositions],
    endpoint: otcEndpoint,
    after: subaccountSources,
    partitions: evmSubaccounts,
    requests: ({ wireAddress }) => single<typeof otcEndpoint.parameters>({ address: wireAddress }),
    rows: subaccountOtcPositionRows,
  }),
  transactionsPipeline,
]
