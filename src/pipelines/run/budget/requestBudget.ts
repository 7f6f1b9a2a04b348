// The request budget of a run: its own if the warehouse is a file, else that of all processes that write the same lake.
// Either starts from what earlier runs have learnt.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { PaceOptions } from "../../../extract/budget/PaceState.ts"
import { RequestBudget } from "../../../extract/budget/RequestBudget.ts"
import { decodeRow, number, optional } from "../../../load/duckdb/decodeRow.ts"
import type { LoadError } from "../../../load/errors.ts"
import { sqlFile } from "../../../load/sql/sqlFile.ts"
import { Warehouse } from "../../../load/Warehouse.ts"
import { lakeCatalog, type Place } from "../../publication/warehouse.ts"

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
}: BudgetOptions): Layer.Layer<RequestBudget, LoadError, Warehouse> =>
  warehouse === "file"
    ? Layer.unwrap(
        Effect.map(limitsOf(api.baseUrl), (learnt) => RequestBudget.layer(pace, undefined, learnt)),
      )
    : Layer.unwrap(
        Effect.gen(function* () {
          const catalog = yield* lakeCatalog(warehouse)
          // Loaded only for a lake: a file needs no client of PostgreSQL.
          const { sharedBudget } = yield* Effect.promise(() => import("./sharedBudget.ts"))
          return sharedBudget(catalog, new URL(api.baseUrl).origin, pace, onShared)
        }),
      )

const decodeLimits = decodeRow({
  atOnce: number("requests_at_once"),
  perSecond: optional(number)("requests_per_second"),
  at: number("learnt_at"),
})

const limitsOf = Effect.fnUntraced(function* (baseUrl: string) {
  const { rows } = yield* Warehouse
  const [found] = yield* rows(sqlFile("state", "request_limits"), [baseUrl], ["ops.runs"])
  if (found === undefined) return undefined
  const { atOnce, perSecond = Infinity, at } = decodeLimits(found)
  return { window: atOnce, rate: perSecond, at }
})

/** What the budget of this run has learnt, for `Warehouse.finishRun`; nothing if the run sends no requests. */
export const learntLimits = Effect.flatMap(
  Effect.serviceOption(RequestBudget),
  Option.match({
    onNone: () => Effect.succeed(undefined),
    onSome: ({ learnt }) =>
      Effect.map(learnt, ({ window, rate }) => ({ atOnce: window, perSecond: rate })),
  }),
)
