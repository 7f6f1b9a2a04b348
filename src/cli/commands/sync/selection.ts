// Selects what a run reads: by flags, else by the configuration file.
import { placeOf } from "../../../pipelines/publication/warehouse.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Config } from "../../../config/Config.ts"
import { ConfigError } from "../../../config/ConfigError.ts"
import { originPlace } from "../../../config/settings/origin.ts"
import { didYouMean } from "../../../config/read/nearest.ts"
import { canonicalSpelling, parseAddress } from "../../../domain/values/address.ts"
import { formatDay, MILLIS_PER_DAY } from "../../../domain/values/time.ts"
import type { UsageError } from "../../../domain/UsageError.ts"
import { pipelineNames } from "../../../pipelines/pipelines.ts"
import { checkedFields } from "../../../pipelines/readers/fields/fieldSetting.ts"
import { openPublishedCopy } from "../../../pipelines/readers/openPublishedCopy.ts"
import type { PublishedCopy } from "../../../pipelines/readers/published.ts"
import { vaultNamed } from "../../../pipelines/readers/vaultNamed.ts"
import type { Scenario } from "../../../pipelines/model/runSettings.ts"
import type { PlanOptions } from "../../../pipelines/run/plan.ts"
import { runSettings } from "../../../pipelines/model/runSettings.ts"
import { dayOf, textsOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"

export type Selection = Omit<PlanOptions, "hasKey" | "paths" | "maxRequestsPerSecond">

export const readSelection = Effect.fnUntraced(function* (
  argv: Arguments,
  config: Config,
  scenarios: ReadonlyArray<Scenario>,
) {
  const { settings } = config
  const named = textsOf(argv, "pipeline")
  const pipelines = yield* named.length > 0 ? knownPipelines(named) : checkedPipelines(config)
  const { since, until } = yield* daysOf(argv)
  yield* checkedFields(config)
  const vaults = yield* vaultAddresses(settings.dataDir, textsOf(argv, "vault"))
  yield* notExcluded(vaults, settings.vaults.exclude)
  return {
    ...placeOf(settings),
    pipelines,
    vaults: {
      include: vaults.length > 0 ? vaults : settings.vaults.include,
      exclude: settings.vaults.exclude,
    },
    unsupportedRetryDays: settings.unsupportedRetryDays,
    settings: runSettings(settings, {
      since,
      until,
      full: argv["full"] === true,
      fillGaps: argv["fill-gaps"] === true,
      scenarios,
    }),
  } satisfies Selection
})

const ALL_PIPELINES = `The pipelines are ${pipelineNames.join(", ")}.`

const knownPipelines = (
  names: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<string>, UsageError> => {
  const unknown = names.find((name) => !pipelineNames.includes(name))
  if (unknown === undefined) return Effect.succeed(names)
  const nearest = didYouMean(unknown, pipelineNames) || "."
  return wrongUse(`There is no pipeline \`${unknown}\`${nearest}`, ALL_PIPELINES)
}

/** The pipelines of the configuration file; fails if one does not exist. */
export const checkedPipelines = ({
  settings: { pipelines },
  originOf,
}: Config): Effect.Effect<ReadonlyArray<string>, ConfigError> => {
  const problems = pipelines.flatMap((name, index) =>
    pipelineNames.includes(name)
      ? []
      : [
          {
            ...originPlace(originOf("pipelines", index)),
            detail: `there is no pipeline \`${name}\`${didYouMean(name, pipelineNames)}`,
          },
        ],
  )
  return problems.length === 0
    ? Effect.succeed(pipelines)
    : Effect.fail(new ConfigError({ problems, advice: ALL_PIPELINES }))
}

const daysOf = Effect.fnUntraced(function* (argv: Arguments) {
  const since = yield* dayOf(argv, "since")
  const until = yield* dayOf(argv, "until")
  if (since !== undefined && until !== undefined && since > until) {
    return yield* wrongUse(`--since ${formatDay(since)} is after --until ${formatDay(until)}.`)
  }
  for (const [flag, day] of Object.entries({ since, until })) {
    if (day !== undefined && day < 0) {
      return yield* wrongUse(`--${flag} ${formatDay(day)} is before 1970-01-01.`)
    }
  }
  if (since !== undefined && since > Math.floor(Date.now() / MILLIS_PER_DAY)) {
    return yield* wrongUse(`--since ${formatDay(since)} is in the future.`)
  }
  return { since, until }
})

/** Looks names up in the published copy, where they are known once their vaults have been loaded. */
const vaultAddresses = Effect.fnUntraced(function* (dataDir: string, texts: ReadonlyArray<string>) {
  if (texts.every((text) => Result.isSuccess(parseAddress(text)))) return texts
  const copy = yield* Effect.option(openPublishedCopy(dataDir))
  return yield* Effect.forEach(texts, (text) => addressOf(text, Option.getOrUndefined(copy)))
}, Effect.scoped)

/** Otherwise the run would read nothing of it and end well. */
const notExcluded = (
  vaults: ReadonlyArray<string>,
  exclude: ReadonlyArray<string>,
): Effect.Effect<void, UsageError> => {
  const left = new Set(exclude.map((text) => canonicalSpelling(text)))
  const excluded = vaults.find((text) => left.has(canonicalSpelling(text)))
  return excluded === undefined
    ? Effect.void
    : wrongUse(
        `The setting vaults.exclude leaves out the vault ${excluded}.`,
        "Take it out of the setting to read it; what is stored of it stays either way.",
      )
}

const addressOf = Effect.fnUntraced(function* (text: string, copy: PublishedCopy | undefined) {
  const parsed = parseAddress(text)
  if (Result.isSuccess(parsed)) return text
  if (copy !== undefined) return yield* vaultNamed(copy, text)
  return yield* wrongUse(
    `--vault ${text} ${parsed.failure}.`,
    "Vaults can be named once a sync has loaded and published them.",
  )
})
