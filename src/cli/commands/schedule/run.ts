// vaulthouse schedule: runs sync whenever a group of pipelines is due, and responds to health checks.
import * as Clock from "effect/Clock"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { type Config, presentApiKey } from "../../../config/Config.ts"
import { readScenarios } from "../../../pipelines/areas/risk/scenarios.ts"
import { readLastRun } from "../../../pipelines/run/lastRun.ts"
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
import { execute } from "../../execute/execute.ts"
import { exitCodeOf, exitCodes } from "../../parse/exit.ts"
import { printLine } from "../../execute/logLine.ts"
import { complain } from "../../terminal/complaints.ts"
import { instantText } from "../../words/numbers.ts"
import { printReport } from "../../execute/report.ts"
import { serviceOf } from "../../execute/service.ts"
import { runExitCode, runOnce } from "../sync/runOnce.ts"
import { readSelection } from "../sync/selection.ts"
import { exportTelemetry } from "../../telemetry/exportTelemetry.ts"
import { metricsText } from "../../telemetry/prometheus.ts"
import { paragraph } from "../../terminal/terminal.ts"
import { serveEndpoints } from "./endpoints.ts"
import {
  endsBefore,
  exitCodeOfEnds,
  type LastEnd,
  type LastEnds,
  problemOf,
  problemOfEnds,
  well,
} from "./lastEnds.ts"

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

const scheduler = (argv: Arguments, config: Config, groups: ReadonlyArray<Group>) =>
  Effect.gen(function* () {
    const { dataDir, schedule: settings } = config.settings
    const isOnce = argv["once"] === true
    // Fails now, not at every firing, if no service is configured.
    yield* serviceOf(config)
    const lastEnds = yield* Ref.make(endsBefore(yield* readLastRun(dataDir)))
    const log = (message: string, level: "INFO" | "WARN" = "INFO"): void =>
      printLine({ level, message: `schedule: ${message}` }, config.settings)
    // With --once it may be started often, so it must not queue behind the scheduler that runs.
    yield* schedulerLock(dataDir, isOnce ? undefined : log)
    const where = textOf(argv, "listen") ?? "off"
    if (!isOnce && where !== "off") {
      yield* countRun()
      const endpoints = {
        notReady: notReady(config.settings, lastEnds),
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
                log(`${message} The scheduler continues.`, "WARN")
                return false
              }),
          ),
        ),
      run: (due) => runGroups(argv, config, due, lastEnds),
      onIdle: (next) =>
        Effect.sync(() =>
          log(
            `${isOnce ? "nothing is due; " : ""}next run at ${instantText(new Date(next).toISOString())}`,
          ),
        ),
      once: isOnce,
    })
    return exitCodeOfEnds(yield* Ref.get(lastEnds))
  }).pipe(Effect.scoped)

/** Why the scheduler is not ready; `undefined` if it is. */
const notReady = ({ dataDir, failOn }: Config["settings"], lastEnds: Ref.Ref<LastEnds>) =>
  Effect.gen(function* () {
    const problem = problemOfEnds(yield* Ref.get(lastEnds), yield* readLastRun(dataDir))
    if (problem !== undefined) return problem
    const problems = yield* readProblems(dataDir)
    const unpublished = problems.find(({ kind }) => kind === "publication_failed")
    return unpublished?.text ?? brokenPolicies(failOn, problems)[0]?.text
  })

/**
 * Runs the pipelines that are due, then the maintenance of the lake if it is due. Either may fail without the other.
 * Returns the groups that did their work.
 */
const runGroups = Effect.fnUntraced(function* (
  argv: Arguments,
  config: Config,
  due: ReadonlyArray<Group>,
  lastEnds: Ref.Ref<LastEnds>,
) {
  const done: Array<Group> = []
  const run = Effect.fnUntraced(function* <E, R>(
    kind: keyof LastEnds,
    groups: ReadonlyArray<Group>,
    work: Effect.Effect<LastEnd, E, R>,
  ) {
    if (groups.length === 0) return
    const end = yield* orFailure(work)
    yield* Ref.update(lastEnds, (ends) => ({ ...ends, [kind]: end }))
    if (end.isDone) done.push(...groups)
  })
  const reading = due.filter((group) => !isMaintenance(group))
  yield* run("reading", reading, runPipelines(argv, config, reading))
  yield* run("maintenance", due.filter(isMaintenance), Effect.as(maintain(config.settings), well))
  return done
})

/** Prints a failure, and returns it as an end. */
const orFailure = <E, R>(work: Effect.Effect<LastEnd, E, R>): Effect.Effect<LastEnd, E, R> =>
  Effect.catchCauseIf(
    work,
    (cause) => !Cause.hasInterrupts(cause),
    (cause) => {
      const error = Cause.squash(cause)
      complain(errorText(error))
      return Effect.succeed<LastEnd>({
        code: exitCodeOf(error),
        problem: errorText(error),
        isRecorded: false,
        isDone: false,
      })
    },
  )

const runPipelines = (argv: Arguments, started: Config, groups: ReadonlyArray<Group>) =>
  Effect.gen(function* () {
    const config = { ...started, apiKey: yield* presentApiKey }
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
