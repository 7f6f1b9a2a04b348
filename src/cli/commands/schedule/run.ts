// vaulthouse schedule: runs sync whenever a group of pipelines is due, and responds to health checks.
import * as Clock from "effect/Clock"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { Config } from "../../../config/Config.ts"
import { readScenarios } from "../../../pipelines/areas/risk/scenarios.ts"
import { type LastRun, readLastRun } from "../../../pipelines/run/lastRun.ts"
import { countRun } from "../../../pipelines/run/metrics.ts"
import { readProblems } from "../../../pipelines/readers/problems/problems.ts"
import {
  type Group,
  groupsOf,
  isMaintenance,
  maintenanceGroup,
  nextFirings,
} from "../../../pipelines/schedule/groups.ts"
import { maintain } from "../../../pipelines/archive/maintain.ts"
import { readLastStarts, writeLastStarts } from "../../../pipelines/schedule/lastStarts.ts"
import { schedule } from "../../../pipelines/schedule/schedule.ts"
import { schedulerLock } from "../../../pipelines/schedule/schedulerLock.ts"
import { textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { errorText } from "../../parse/errors.ts"
import { brokenPolicies } from "../../execute/failOn.ts"
import { execute, isPretty } from "../../execute/execute.ts"
import { lastRunText } from "../../words/lastRunText.ts"
import { type ExitCode, exitCodeOf, exitCodes } from "../../parse/exit.ts"
import { printLine } from "../../execute/logLine.ts"
import { printError } from "../../terminal/output.ts"
import { instantText } from "../../words/numbers.ts"
import { printReport } from "../../execute/report.ts"
import { serviceOf } from "../../execute/service.ts"
import { runExitCode, runOnce } from "../sync/runOnce.ts"
import { readSelection } from "../sync/selection.ts"
import { exportTelemetry } from "../../telemetry/exportTelemetry.ts"
import { metricsText } from "../../telemetry/prometheus.ts"
import { paragraph } from "../../terminal/terminal.ts"
import { serveEndpoints } from "./endpoints.ts"

const DRY_RUN_FIRINGS = 10

export const runSchedule = (argv: Arguments) =>
  execute(
    argv,
    function* (config) {
      // Fails now, not at every firing, where the settings select what does not exist.
      yield* readSelection({}, config, yield* readScenarios(config))
      const groups = groupsIn(config.settings)
      if (argv["dry-run"] === true) return yield* dryRun(argv, groups)
      return yield* scheduler(argv, config, groups).pipe(exportTelemetry(config.settings.dataDir))
    },
    // A scheduler normally ends by being stopped; one run does not.
    {
      code: argv["once"] === true ? exitCodes.interrupted : exitCodes.ok,
      text: "vaulthouse: schedule stopped; what was committed stays\n",
    },
  )

const groupsIn = ({ schedule: times, pipelines, warehouse }: Config["settings"]) => [
  ...groupsOf(times, pipelines),
  ...(warehouse === "file" ? [] : [maintenanceGroup(times.maintenance)]),
]

const dryRun = Effect.fnUntraced(function* (argv: Arguments, groups: ReadonlyArray<Group>) {
  const now = yield* Clock.currentTimeMillis
  const planned = groups.map((group) => ({
    group: group.name,
    pipelines: group.pipelines,
    runs: nextFirings(group, now, DRY_RUN_FIRINGS).map((at) => new Date(at).toISOString()),
  }))
  printReport(argv, { groups: planned }, (all) =>
    all.groups
      .map(
        ({ group, pipelines, runs }) =>
          `${paragraph(`${group}${pipelines.length === 0 ? "" : ` (${pipelines.join(", ")})`}:`, 2)}\n${runs.map((at) => `  ${instantText(at)}\n`).join("")}`,
      )
      .join("\n"),
  )
  return exitCodes.ok
})

/** How the last run ended: for the exit code of `--once`, and for /readyz. */
interface LastEnd {
  readonly code: ExitCode
  /** Why the scheduler is not ready. */
  readonly problem: string | undefined
  /** Whether last-run.json records it, which it does not for a run that could not begin. */
  readonly isRecorded: boolean
  /** Whether the groups did their work: otherwise they are due again. */
  readonly isDone: boolean
}

const scheduler = (argv: Arguments, config: Config, groups: ReadonlyArray<Group>) =>
  Effect.gen(function* () {
    const { dataDir, schedule: settings } = config.settings
    const isOnce = argv["once"] === true
    // Fails now, not at every firing, if no service is configured.
    yield* serviceOf(config)
    const lastEnd = yield* Ref.make(yield* lastEndOf(config.settings))
    const log = (message: string, level: "INFO" | "WARN" = "INFO"): void =>
      printLine({ level, message: `schedule: ${message}` }, isPretty(config.settings))
    // With --once it may be started often, so it must not queue behind the scheduler that runs.
    yield* schedulerLock(dataDir, isOnce ? undefined : log)
    const where = textOf(argv, "listen") ?? "off"
    if (!isOnce && where !== "off") {
      yield* countRun()
      const endpoints = {
        notReady: notReady(config.settings, lastEnd),
        metrics: metricsText(dataDir),
      }
      log(`listening on ${yield* serveEndpoints(where, endpoints)}`)
    }
    yield* schedule({
      groups,
      jitterSeconds: settings.jitterSeconds,
      lastStarts: readLastStarts(dataDir),
      recordStarts: (starts) =>
        writeLastStarts(dataDir, starts).pipe(
          Effect.as(true),
          Effect.catchIf(
            // A disk that is full for a minute must not end the schedule; with --once it ends anyway.
            () => !isOnce,
            ({ message }) =>
              Effect.sync(() => {
                log(`${message} This one goes on.`, "WARN")
                return false
              }),
          ),
        ),
      run: (due) =>
        Effect.flatMap(runGroups(argv, config, due), ({ end, done }) =>
          Effect.as(Ref.set(lastEnd, end), done),
        ),
      onIdle: (next) =>
        Effect.sync(() =>
          log(
            `${isOnce ? "nothing is due; " : ""}next run at ${instantText(new Date(next).toISOString())}`,
          ),
        ),
      once: isOnce,
    })
    return (yield* Ref.get(lastEnd)).code
  }).pipe(Effect.scoped)

/** Why the last run did not end well; `undefined` if it did, is in progress, or was stopped. */
const problemOf = (last: LastRun | undefined): string | undefined => {
  if (last === undefined || last.state === "running" || last.outcome === "stopped") return undefined
  const failed = last.failed_checks.filter(({ severity }) => severity === "error")
  if (last.outcome !== "complete") return lastRunText(last)
  return failed.length === 0
    ? undefined
    : `failed checks: ${failed.map(({ name }) => name).join(", ")}`
}

/** Reads last-run.json, so that restarts and runs of other processes count. During a run, the one before counts. */
const notReady = ({ dataDir, failOn }: Config["settings"], lastEnd: Ref.Ref<LastEnd>) =>
  Effect.gen(function* () {
    const { problem, isRecorded } = yield* Ref.get(lastEnd)
    const last = yield* readLastRun(dataDir)
    const ofRun = isRecorded && last?.state !== "running" ? problemOf(last) : problem
    if (ofRun !== undefined) return ofRun
    const problems = yield* readProblems(dataDir)
    const unpublished = problems.find(({ kind }) => kind === "publication_failed")
    return unpublished?.text ?? brokenPolicies(failOn, problems)[0]?.text
  })

/** Runs the pipelines that are due, then the maintenance of the lake if it is due. Either may fail without the other. */
const runGroups = Effect.fnUntraced(function* (
  argv: Arguments,
  config: Config,
  due: ReadonlyArray<Group>,
) {
  const maintenance = due.filter(isMaintenance)
  const reading = due.filter((group) => !isMaintenance(group))
  const before = yield* lastEndOf(config.settings)
  const read = yield* reading.length === 0
    ? Effect.succeed(before)
    : orFailure(runPipelines(argv, config, reading))
  const maintained = yield* maintenance.length === 0
    ? Effect.succeed(before)
    : orFailure(Effect.as(maintain(config.settings), before))
  return {
    end: read.isDone && !maintained.isDone ? maintained : read,
    done: [...(read.isDone ? reading : []), ...(maintained.isDone ? maintenance : [])],
  }
})

/** Prints a failure, and returns it as an end. */
const orFailure = <E, R>(work: Effect.Effect<LastEnd, E, R>): Effect.Effect<LastEnd, E, R> =>
  Effect.catchCauseIf(
    work,
    (cause) => !Cause.hasInterrupts(cause),
    (cause) => {
      const error = Cause.squash(cause)
      printError(`${errorText(error)}\n`)
      return Effect.succeed<LastEnd>({
        code: exitCodeOf(error),
        problem: errorText(error),
        isRecorded: false,
        isDone: false,
      })
    },
  )

/** How the last run ended, before this process has run any. */
const lastEndOf = ({ dataDir }: Config["settings"]) =>
  Effect.map(readLastRun(dataDir), (last): LastEnd => ({
    code: exitCodes.ok,
    problem: problemOf(last),
    isRecorded: true,
    isDone: true,
  }))

const runPipelines = (argv: Arguments, config: Config, groups: ReadonlyArray<Group>) =>
  Effect.gen(function* () {
    const scenarios = yield* readScenarios(config)
    const selection = {
      ...(yield* readSelection({}, config, scenarios)),
      pipelines: groups.flatMap(({ pipelines }) => pipelines),
    }
    const command = `schedule ${groups.map(({ name }) => name).join(" ")}`
    const summary = yield* runOnce({ argv, config, selection, command, wait: "1 day" })
    const code = runExitCode(summary, selection, config.settings.failOn)
    const problem = problemOf(yield* readLastRun(config.settings.dataDir))
    const isDone = summary.outcome === "complete" || summary.outcome === "partial"
    return { code, problem, isRecorded: true, isDone } satisfies LastEnd
  })
