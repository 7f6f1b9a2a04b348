// The request budget of all processes that send requests to one origin: its pace is in the lake's PostgreSQL.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { PostgresTarget } from "../../../domain/stores/postgresUrl.ts"
import type { PaceOptions } from "../../../extract/budget/PaceState.ts"
import { RequestBudget } from "../../../extract/budget/RequestBudget.ts"
import type { PaceStore } from "../../../extract/budget/PaceStore.ts"
import type { LoadError } from "../../../load/errors.ts"
import { WorkDatabase } from "../../../load/work/WorkDatabase.ts"

const CHANNEL = "vaulthouse_pace"

export const sharedBudget = (
  database: PostgresTarget,
  origin: string,
  pace: PaceOptions,
  onShared?: PaceStore["onShared"],
): Layer.Layer<RequestBudget, LoadError> =>
  Layer.unwrap(
    Effect.map(paceStore(origin), (store) => RequestBudget.layer(pace, { ...store, onShared })),
  ).pipe(Layer.provide(existingOrNew(database)))

/** Uses the connections that the process already has, as a worker does. */
const existingOrNew = (database: PostgresTarget): Layer.Layer<WorkDatabase, LoadError> =>
  Layer.unwrap(
    Effect.map(
      Effect.serviceOption(WorkDatabase),
      Option.match({
        onNone: () => WorkDatabase.layer(database),
        onSome: (open) => Layer.succeed(WorkDatabase, open),
      }),
    ),
  )

const paceStore = (origin: string) =>
  Effect.map(WorkDatabase, ({ rows, listen, shown }): PaceStore => {
    const row = (name: string, parameters: ReadonlyArray<string | number | boolean>) =>
      Effect.mapBoth(rows(name, parameters), {
        onFailure: ({ why }) => ({ message: `${shown}: ${why}` }),
        onSuccess: ([first]) => first,
      })
    return {
      read: Effect.map(row("read_pace", [origin]), (found) => ({
        version: Number(found?.["version"]),
        state: typeof found?.["state"] === "string" ? found["state"] : undefined,
        now: Number(found?.["now"]),
      })),
      replace: (version, state, announce) =>
        Effect.map(
          row("replace_pace", [origin, version, state, announce]),
          (replaced) => replaced !== undefined,
        ),
      onAnnounced: (listener) =>
        listen(CHANNEL, (announced) => {
          if (announced === origin) listener()
        }),
    }
  })
