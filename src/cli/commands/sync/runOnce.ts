// Runs the pipelines once: shows progress, prints the summary, notifies, and determines the exit code.
import { setFlagsFromString } from "node:v8"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Config } from "../../../config/Config.ts"
import { API_KEY } from "../../../config/settings/Setting.ts"
import type { RunOutcome, RunSummary } from "../../../pipelines/model/progress.ts"
import { forgetPostgres } from "../../../pipelines/publication/postgres.ts"
import { readProblems } from "../../../pipelines/readers/problems/problems.ts"
import { hasErrors } from "../../../pipelines/publication/check.ts"
import { clockAdvice, clockText } from "../../../pipelines/run/clock.ts"
import { run, type RunOptions } from "../../../pipelines/run/run.ts"
import type { SharedRunOptions } from "../../../pipelines/workers/runByWorkers.ts"
import { publishOptions } from "../../execute/publishOptions.ts"
import type { Arguments } from "../../parse/Command.ts"
import { complain } from "../../terminal/complaints.ts"
import { isPretty } from "../../execute/logLine.ts"
import { type ExitCode, exitCodes } from "../../parse/exit.ts"
import { brokenPolicies, type FailOn } from "../../execute/failOn.ts"
import { notifyAfterError, notifyAfterRun } from "../notify/afterRun.ts"
import { streams } from "../../terminal/output.ts"
import { printReport } from "../../execute/report.ts"
import { serviceOf } from "../../execute/service.ts"
import { reportAfterRun } from "../report/afterRun.ts"
import { version } from "../../execute/version.ts"
import { sharedLake } from "../../execute/sharedLake.ts"
import { progressDisplay } from "./progressDisplay.ts"
import type { Selection } from "./selection.ts"
import { summaryText } from "./summaryText.ts"
import type { Problem } from "../../../domain/run/problem.ts"

export interface RunOnce {
  readonly argv: Arguments
  readonly config: Config
  readonly selection: Selection
  /** Recorded in ops.runs. */
  readonly command: string
  /** How long to wait for another run to release the warehouse. */
  readonly wait?: Duration.Input
}

export const runOnce = Effect.fnUntraced(function* (options: RunOnce) {
  const { argv, config, selection, command, wait } = options
  const { settings } = config
  const service = yield* serviceOf(config)
  // Keeps V8's young generation small: pages are garbage once they are committed, so a larger one saves no work and
  // costs a sixth of a run's peak memory.
  setFlagsFromString("--semi-space-growth-factor=1")
  const shared = argv["workers"] === true ? yield* sharedLake(config, "--workers") : undefined
  const display = progressDisplay({
    show: settings.progress,
    log: settings,
    // Lines of the log would break the bars.
    terminal:
      streams().stderr.isTTY === true && isPretty(settings) && settings.logLevel !== "debug",
  })
  const runOptions: RunOptions = {
    ...selection,
    taskTimeoutSeconds: settings.taskTimeout,
    onProgress: display.onProgress,
    ...service,
    ...(wait === undefined ? {} : { wait }),
    command,
    version,
    publish: publishOptions(argv, settings),
    keepDays: settings.keepDays,
    publishFailedChecks: settings.publishFailedChecks,
  }
  const summary = yield* runHereOrShared(runOptions, shared).pipe(
    Effect.ensuring(Effect.sync(display.stop)),
    Effect.ensuring(writeMetrics(config)),
    Effect.tapCause((cause) => notifyAfterError(config, cause, wait !== undefined)),
  )
  display.ended(summary)
  // What this data directory publishes nowhere any more can't fail there. With --no-publish it still can.
  if (!settings.publish.enabled) yield* forgetPostgres(settings.dataDir)
  const problems = yield* readProblems(settings.dataDir)
  printReport(argv, { ...summary, problems }, (all) => summaryText(all, settings.dataDir, problems))
  const broken = brokenPolicies(settings.failOn, problems).map(({ text }) => text)
  for (const line of [...warnings(summary), ...broken]) {
    complain(`vaulthouse: ${line}`, "warning")
  }
  if (summary.published) yield* reportAfterRun(config)
  const ended = { ...summary, problems }
  yield* notifyAfterRun(config, {
    isSuccess: runExitCode(ended, selection, settings.failOn) === exitCodes.ok,
  })
  return ended
})

type Shared = Omit<SharedRunOptions, keyof RunOptions>

const runHereOrShared = Effect.fnUntraced(function* (
  options: RunOptions,
  shared: Shared | undefined,
) {
  if (shared === undefined) return yield* run(options)
  // Imported here because other runs need no PostgreSQL client.
  const { runByWorkers } = yield* Effect.promise(
    () => import("../../../pipelines/workers/runByWorkers.ts"),
  )
  return yield* runByWorkers({ ...options, ...shared })
})

const writeMetrics = ({ settings: { metricsFile, dataDir } }: Config) =>
  metricsFile === undefined
    ? Effect.void
    : Effect.promise(() => import("../../telemetry/prometheus.ts")).pipe(
        Effect.flatMap(({ writeMetricsFile }) => writeMetricsFile(metricsFile, dataDir)),
      )

const codes: Readonly<Record<RunOutcome, ExitCode>> = {
  complete: exitCodes.ok,
  partial: exitCodes.partial,
  deferred: exitCodes.deferred,
  failed: exitCodes.unexpected,
}

type Ended = RunSummary & { readonly problems: ReadonlyArray<Problem> }

export const runExitCode = (
  summary: Ended,
  { vaults: { include } }: Selection,
  failOn: ReadonlyArray<FailOn>,
): ExitCode => {
  if (summary.keyRejected) return exitCodes.partial
  const code = codes[summary.outcome]
  if (code !== exitCodes.ok) return code
  // Nothing went wrong, so it is the selection.
  if (include.length > 0 && summary.unknownVaults.length === include.length) return exitCodes.usage
  if (summary.failedPublication !== undefined) return exitCodes.unexpected
  if (hasErrors(summary.failedChecks)) return exitCodes.checks
  return brokenPolicies(failOn, summary.problems)[0]?.code ?? exitCodes.ok
}

/** Warnings about what stops no run but was probably not intended. */
const warnings = (summary: RunSummary): ReadonlyArray<string> => [
  ...summary.unknownVaults.map(
    (address) =>
      `the service lists no vault ${address}; \`vaulthouse query "select vault_name, vault_address from mart.vault_latest"\` lists the known ones`,
  ),
  ...(summary.keyRejected ? [keyText(summary)] : []),
  ...(summary.clockAheadSeconds === undefined
    ? []
    : [`${clockText(summary.clockAheadSeconds)}. ${clockAdvice(summary.clockAheadSeconds)}`]),
  ...(summary.failedPublication === undefined ? [] : [summary.failedPublication]),
]

const keyText = ({ keyAccess }: RunSummary): string =>
  keyAccess === "unknown"
    ? `the service rejected the API key (HTTP 401), so nothing that needs a key was read; check ${API_KEY}. \`vaulthouse doctor\` shows what the key has access to.`
    : keyAccess === "none"
      ? `the service denied the API key everything it was used for (HTTP 403); check ${API_KEY}. \`vaulthouse doctor\` shows what the key has access to.`
      : "the API key no longer has access to everything that earlier runs read with it; `vaulthouse doctor` shows what it has access to."
