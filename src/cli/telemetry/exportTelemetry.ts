// Exports traces, metrics and logs of a command over OpenTelemetry, if its variables are set.
import * as Effect from "effect/Effect"
import type { ConfigError } from "../../config/ConfigError.ts"
import { hasOtel } from "../../config/environment/otel.ts"

/** Loads nothing unless a variable OTEL_… is set. */
export const exportTelemetry =
  (dataDir: string) =>
  <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E | ConfigError, R> =>
    hasOtel()
      ? Effect.flatMap(
          Effect.promise(() => import("./otlp.ts")),
          ({ withOtlp }) => withOtlp(dataDir, program),
        )
      : program
