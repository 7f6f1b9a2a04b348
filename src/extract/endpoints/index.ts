// Every endpoint of the API document that is read. A new one is one file beside these and one line here.
import type { AnyEndpoint } from "../Endpoint.ts"
import { swap } from "./swap/swap.ts"
import { historicalAllocations } from "./transparency/historical_allocations.ts"
import { historicalApyChart } from "./transparency/historical_apy_chart.ts"
import { unrealizedPnl } from "./transparency/unrealized_pnl.ts"
import { unrealizedPnlRatio } from "./transparency/unrealized_pnl_ratio.ts"
import { tokenizedVaults } from "./vaults/tokenized_vaults.ts"

export const endpoints: ReadonlyArray<AnyEndpoint> = [
  tokenizedVaults,
  unrealizedPnlRatio,
  unrealizedPnl,
  historicalApyChart,
  historicalAllocations,
  swap,
]
