// All rows of §4.
import type { SimulatorOptions } from "../options.ts"
import type { Row } from "../call/row.ts"
import { diagnosticRows } from "./diagnostics.ts"
import { governanceRows } from "./governance.ts"
import { riskRows } from "./risk.ts"
import { seriesRows } from "./series.ts"
import { subaccountRows } from "./subaccounts.ts"
import { swapRows } from "./swaps.ts"
import { tokenizedVaultRows } from "./tokenized-vaults.ts"
import { administrationRows } from "./vault-administration.ts"

export const allRows = (options: SimulatorOptions): readonly Row[] => [
  ...seriesRows,
  ...governanceRows,
  ...diagnosticRows,
  ...tokenizedVaultRows,
  ...subaccountRows(options),
  ...swapRows,
  ...riskRows,
  ...administrationRows(options),
]
