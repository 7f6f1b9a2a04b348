// Every table of core. A new table is one file beside these and one line here.
import type { Table } from "../../domain/table.ts"
import { transactions } from "./subaccounts/transactions.ts"
import { vaultSubaccounts } from "./curator/vault_subaccounts.ts"
import { mySubaccounts } from "./subaccounts/my_subaccounts.ts"
import { subaccounts } from "./subaccounts/subaccounts.ts"
import { allocationHistory } from "./transparency/allocation_history.ts"
import { apyHistory } from "./transparency/apy_history.ts"
import { observationWarnings } from "./transparency/observation_warnings.ts"
import { pnlHistory } from "./transparency/pnl_history.ts"
import { ratioHistory } from "./transparency/ratio_history.ts"
import { vaultReportedMetrics } from "./vaults/vault_reported_metrics.ts"
import { vaults } from "./vaults/vaults.ts"

export const coreTables: ReadonlyArray<Table> = [
  vaults,
  vaultReportedMetrics,
  ratioHistory,
  pnlHistory,
  apyHistory,
  allocationHistory,
  observationWarnings,
  subaccounts,
  mySubaccounts,
  vaultSubaccounts,
  transactions,
]
