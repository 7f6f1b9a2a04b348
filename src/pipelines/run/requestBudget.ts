// The request budget of a run: its own if the warehouse is a file, else that of all processes that write the same lake.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { PaceOptions } from "../../extract/Pace.ts"
import { RequestBudget } from "../../extract/RequestBudget.ts"
import type { LoadError } from "../../load/errors.ts"
import { lakeCatalog, type Place } from "../publication/warehouse.ts"

export interface BudgetOptions extends Pick<Place, "warehouse"> {
  readonly api: { readonly baseUrl: string }
  readonly pace: PaceOptions
  /** Called once, if other processes that write the same lake send requests there too. */
  readonly onShared?: (others: number) => void
}

export const requestBudget = ({
  warehouse = "file",
  api,
  pace,
  onShared,
}: BudgetOptions): Layer.Layer<RequestBudget, LoadError> =>
  warehouse === "file"
    ? RequestBudget.layer(pace)
    : Layer.unwrap(
        Effect.gen(function* () {
          const catalog = yield* lakeCatalog(warehouse)
          // Loaded only for a lake: a file needs no client of PostgreSQL.
          const { sharedBudget } = yield* Effect.promise(() => import("./sharedBudget.ts"))
          return sharedBudget(catalog, new URL(api.baseUrl).origin, pace, onShared)
        }),
      )
