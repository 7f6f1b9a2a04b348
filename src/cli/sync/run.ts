// From what was typed to a run, and from how it ended to an exit code.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Config } from "../../config/Config.ts"
import { didYouMean } from "../../config/nearest.ts"
import { parseAddress } from "../../domain/address.ts"
import { formatDay, parseDay } from "../../domain/time.ts"
import { pipelineNames } from "../../pipelines/catalog.ts"
import { hasErrors } from "../../pipelines/readers/check.ts"
import { plan, type PlanOptions } from "../../pipelines/run/plan.ts"
import { run } from "../../pipelines/run/run.ts"
import type { RunOutcome, RunSummary } from "../../pipelines/run/progress.ts"
import { readScenarios, type Scenario } from "../../pipelines/risk/scenarios.ts"
import { runSettings } from "../../pipelines/runSettings.ts"
import { paintComplaint } from "../color.ts"
import { type Arguments, textOf, textsOf } from "../Command.ts"
import { UsageError } from "../errors.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { serviceOf, wireOf } from "../service.ts"
import { version } from "../version.ts"
import { publishOptions } from "../publishOptions.ts"
import { leanHeap } from "./leanHeap.ts"
import { planText } from "./planText.ts"
import { progressDisplay } from "./progressDisplay.ts"
import { summaryText } from "./summaryText.ts"

const codes: Readonly<Record<RunOutcome, ExitCode>> = {
  complete: exitCodes.ok,
  partial: exitCodes.partial,
  deferred: exitCodes.deferred,
  failed: exitCodes.unexpected,
}

/** What the command line and the configuration say to read. */
type Asked = Omit<PlanOptions, "hasKey" | "paths">

export const runSync = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, (config) =>
    Effect.gen(function* () {
      const asked = yield* Effect.fromResult(
        readArguments(argv, config, yield* readScenarios(config.settings.scenarios)),
      )
      if (argv["plan"] === true) {
        const planned = yield* plan({
          ...asked,
          hasKey: config.apiKey !== undefined,
          paths: wireOf(config.settings).paths,
        })
        process.stdout.write(
          argv["json"] === true ? `${JSON.stringify(planned)}\n` : planText(planned),
        )
        return exitCodes.ok
      }
      return yield* sync(argv, config, asked)
    }),
  )

const sync = Effect.fnUntraced(function* (argv: Arguments, config: Config, asked: Asked) {
  const { settings } = config
  const service = yield* Effect.fromResult(serviceOf(config))
  leanHeap()
  const display = progressDisplay({
    show: settings.progress,
    json: (settings.logFormat ?? (process.stderr.isTTY ? "pretty" : "json")) === "json",
    terminal: process.stderr.isTTY && settings.logFormat !== "json",
  })
  const summary = yield* run({
    ...asked,
    taskTimeoutSeconds: settings.taskTimeout,
    onProgress: display.onProgress,
    ...service,
    memoryLimit: settings.memoryLimit,
    ...(argv["wait"] === true ? { wait: "1 day" as const } : {}),
    command: ["sync", ...asked.pipelines].join(" "),
    version,
    publish: publishOptions(argv, settings),
  }).pipe(Effect.ensuring(Effect.sync(display.stop)))
  process.stdout.write(
    argv["json"] === true ? `${JSON.stringify(summary)}\n` : summaryText(summary, settings.dataDir),
  )
  for (const line of mistakes(summary)) {
    process.stderr.write(`${paintComplaint(`vaulthouse: ${line}`, "warning")}\n`)
  }
  const { include } = asked.vaults
  if (include.length > 0 && summary.unknownVaults.length === include.length) return exitCodes.usage
  const code = codes[summary.outcome]
  return code === exitCodes.ok && hasErrors(summary.failedChecks) ? exitCodes.checks : code
})

/** What ended well and was probably meant otherwise. */
const mistakes = ({ unknownVaults, isKeyUnknown }: RunSummary): ReadonlyArray<string> => [
  ...unknownVaults.map(
    (address) =>
      `no vault of the service's list is ${address}; \`vaulthouse query "select vault_name, vault_address from mart.vault_latest"\` shows those there are`,
  ),
  ...(isKeyUnknown
    ? [
        "the service does not know the API key (HTTP 401): what needs one was skipped; check VAULTHOUSE_API_KEY, `vaulthouse doctor` shows what it opens",
      ]
    : []),
]

/** What to read: flags first, the configuration file where they say nothing. */
const readArguments = (
  argv: Arguments,
  { settings }: Config,
  scenarios: ReadonlyArray<Scenario>,
): Result.Result<Asked, UsageError> =>
  Result.gen(function* () {
    const named = textsOf(argv, "pipeline")
    const pipelines = yield* knownPipelines(named.length > 0 ? named : settings.pipelines)
    const since = yield* dayOf(argv, "since")
    const until = yield* dayOf(argv, "until")
    if (since !== undefined && until !== undefined && since > until) {
      return yield* Result.fail(
        new UsageError({
          why: `--since ${formatDay(since)} is after --until ${formatDay(until)}.`,
        }),
      )
    }
    const today = Math.floor(Date.now() / 86_400_000)
    if (since !== undefined && since > today) {
      return yield* Result.fail(
        new UsageError({ why: `--since ${formatDay(since)} is in the future.` }),
      )
    }
    const typed = textsOf(argv, "vault")
    yield* validAddresses(typed)
    return {
      dataDir: settings.dataDir,
      pipelines,
      vaults: {
        include: typed.length > 0 ? typed : settings.vaults.include,
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
    }
  })

const knownPipelines = (
  names: ReadonlyArray<string>,
): Result.Result<ReadonlyArray<string>, UsageError> => {
  const unknown = names.find((name) => !pipelineNames.includes(name))
  if (unknown === undefined) return Result.succeed(names)
  return Result.fail(
    new UsageError({
      why: `There is no pipeline \`${unknown}\`${didYouMean(unknown, pipelineNames) || "."}`,
      advice: `Pipelines are ${pipelineNames.join(", ")}.`,
    }),
  )
}

const dayOf = (argv: Arguments, flag: string): Result.Result<number | undefined, UsageError> => {
  const text = textOf(argv, flag)
  if (text === undefined) return Result.succeed(undefined)
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseDay(text) : undefined
  return day === undefined
    ? Result.fail(
        new UsageError({
          why: `--${flag} ${text} is not a day; expected YYYY-MM-DD, for example 2026-01-31.`,
        }),
      )
    : Result.succeed(day)
}

const validAddresses = (texts: ReadonlyArray<string>): Result.Result<void, UsageError> => {
  for (const text of texts) {
    const parsed = parseAddress(text)
    if (Result.isFailure(parsed)) {
      return Result.fail(new UsageError({ why: `--vault ${text} ${parsed.failure}.` }))
    }
  }
  return Result.succeed(undefined)
}
