// Everything that is wrong with the settings: errors that stop every command, and those that only some commands notice.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Config } from "../../../config/Config.ts"
import { ConfigError } from "../../../config/ConfigError.ts"
import { readScenarios } from "../../../pipelines/areas/risk/scenarios.ts"
import { checkedFields } from "../../../pipelines/readers/fields/fieldSetting.ts"
import { checkedPipelines } from "../sync/selection.ts"

export const configErrors = (
  read: Effect.Effect<Config, ConfigError>,
): Effect.Effect<ReadonlyArray<ConfigError>> =>
  read.pipe(
    Effect.flatMap((config) =>
      Effect.gen(function* () {
        const { unknownVariables } = config
        const checks = [checkedPipelines(config), checkedFields(config), readScenarios(config)]
        const results = yield* Effect.all(
          checks.map((check) => Effect.result(Effect.asVoid(check))),
        )
        return [
          ...(unknownVariables.length === 0
            ? []
            : [new ConfigError({ problems: unknownVariables })]),
          ...results.flatMap((result) => (Result.isFailure(result) ? [result.failure] : [])),
        ]
      }),
    ),
    Effect.catch((error) => Effect.succeed([error])),
  )
