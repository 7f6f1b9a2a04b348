// All rows of §4, in the order the document gives them.
import type { SimulatorOptions } from "../options.ts"
import type { Row } from "../serve/row.ts"
import { seriesRows } from "./series.ts"
import { tokenizedVaultRows } from "./tokenized-vaults.ts"

export const allRows = (_options: SimulatorOptions): readonly Row[] => [
  ...seriesRows,
  ...tokenizedVaultRows,
]
