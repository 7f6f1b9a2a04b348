// Every endpoint of the API document that is read. A new one is one file beside these and one line here.
import type { AnyEndpoint } from "../Endpoint.ts"
import { swap } from "./swap/swap.ts"
import { historicalAllocations } from "./transparency/historical_allocations.ts"
import { historicalApyChart } from "./transparency/historical_apy_chart.ts"
import { unrealizedPnl } from "./transparency/unrealized_pnl.ts"
import { unrealizedPnlRatio } from "./transparency/unrealized_pnl_ratio.ts"
import { tokenizedVaults } from "./vaults/tokenized_vaults.ts"
import { loans } from "./loans/loans.ts"
import { loanDetail } from "./loans/loan_detail.ts"
import { subaccountLoans } from "./loans/subaccount_loans.ts"
import { transactions } from "./subaccounts/transactions.ts"
import { discountFactors } from "./risk/discount_factors.ts"
import { collateralExcess } from "./risk/collateral_excess.ts"
import { collateralSimulation } from "./risk/collateral_simulation.ts"
import { otcPositions } from "./otc/otc_positions.ts"
import { otcMarginRequirements } from "./otc/otc_margin_requirements.ts"

export const endpoints: ReadonlyArray<AnyEndpoint> = [
  tokenizedVaults,
  unrealizedPnlRatio,
  unrealizedPnl,
  historicalApyChart,
  historicalAllocations,
  swap,
  loans,
  loanDetail,
  subaccountLoans,
  transactions,
  discountFactors,
  collateralExcess,
  collateralSimulation,
  otcPositions,
  otcMarginRequirements,
]
