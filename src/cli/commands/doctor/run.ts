// Runs the checks one after the other and says how to fix what failed.
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Config } from "../../../config/Config.ts"
import { type ConfigError, problemText } from "../../../config/ConfigError.ts"
import { settings } from "../../../config/settings/settings.ts"
import { examinePostgres } from "../../../pipelines/publication/postgres.ts"
import type { Place } from "../../../pipelines/publication/warehouse.ts"
import {
  type Check,
  checkArchive,
  checkDisks,
  checkKey,
  checkNode,
  checkService,
  checkWarehouse,
  failedCheck,
  type KeyReport,
} from "../../../pipelines/service/doctor.ts"
import { readLastRun } from "../../../pipelines/run/lastRun.ts"
import { paintOutcomes } from "../../terminal/color.ts"
import type { Arguments } from "../../parse/Command.ts"
import { readCommandConfig, runToEnd, stopped } from "../../execute/execute.ts"
import { type ExitCode, exitCodes } from "../../parse/exit.ts"
import { lastRunText } from "../../words/lastRunText.ts"
import { printReport } from "../../execute/report.ts"
import { serviceOf } from "../../execute/service.ts"
import { textTable } from "../../terminal/table.ts"
import { paragraph } from "../../terminal/terminal.ts"

export interface Findings {
  readonly checks: ReadonlyArray<Check>
  readonly access: KeyReport["access"]
}

export const runDoctor = (argv: Arguments): Promise<ExitCode> =>
  runToEnd(
    Effect.gen(function* () {
      const config = yield* Effect.result(readCommandConfig(argv))
      const findings = yield* examine(config, argv["all"] === true)
      printReport(argv, findings, findingsText)
      const isFailed = findings.checks.some(({ state }) => state === "failed")
      return isFailed ? exitCodes.checks : exitCodes.ok
    }),
    stopped,
  )

const examine = Effect.fnUntraced(function* (
  config: Result.Result<Config, ConfigError>,
  slow: boolean,
) {
  const place: Place = Result.isSuccess(config)
    ? config.success.settings
    : { dataDir: resolve(settings.dataDir.default) }
  const { dataDir } = place
  const machine = [checkNode(process.version), ...(yield* checkDisks(place))]
  if (Result.isFailure(config)) {
    const unreadable: Check = {
      check: "configuration",
      state: "failed",
      detail: config.failure.message,
      advice: "Fix it; the service and the key are checked once it can be read.",
    }
    return { checks: [...machine, unreadable, yield* checkWarehouse({ dataDir })], access: [] }
  }
  const { service, access } = yield* examineService(config.success, slow)
  const checks = [
    ...machine,
    configurationState(config.success),
    ...service,
    yield* checkWarehouse(config.success.settings),
    ...(yield* lastRunChecks(dataDir)),
    ...(yield* checkArchive(config.success.settings)),
    ...(yield* postgresChecks(config.success)),
  ]
  return { checks, access } satisfies Findings
})

/** No check if the last run ended well. The record of a failed run may be missing from the warehouse. */
const lastRunChecks = (dataDir: string) =>
  Effect.map(readLastRun(dataDir), (last): ReadonlyArray<Check> =>
    last === undefined || last.state === "running" || last.outcome === "complete"
      ? []
      : [{ check: "last run", state: "warning", detail: lastRunText(last) }],
  )

/** No check if nothing is published to PostgreSQL. */
const postgresChecks = ({ settings: { publish } }: Config) =>
  publish.postgres === undefined
    ? Effect.succeed([])
    : examinePostgres(publish.postgres).pipe(
        Effect.map((detail): Check => ({ check: "PostgreSQL", state: "ok", detail })),
        Effect.catch(failedCheck("PostgreSQL")),
        Effect.map((check) => [check]),
      )

const configurationState = ({
  file = "no file; defaults, environment and flags apply",
  unknownVariables,
  warnings,
}: Pick<Config, "file" | "unknownVariables" | "warnings">): Check => {
  const suspicious = [...unknownVariables, ...warnings].map(problemText)
  return suspicious.length === 0
    ? { check: "configuration", state: "ok", detail: file }
    : { check: "configuration", state: "warning", detail: suspicious.join("; ") }
}

/** Checks the service, its clock and the key, and lists what the key has access to. */
export const examineService = Effect.fnUntraced(function* (config: Config, slow: boolean) {
  const service = yield* Effect.result(serviceOf(config))
  if (Result.isFailure(service)) {
    const { why, advice } = service.failure
    const missing: Check = {
      check: "service",
      state: "failed",
      detail: why,
      ...(advice === undefined ? {} : { advice }),
    }
    return { service: [missing], access: [] }
  }
  const reached = yield* checkService(service.success)
  if (reached.some(({ check, state }) => check === "service" && state === "failed")) {
    const skipped: Check = { check: "key", state: "skipped", detail: "the service was not reached" }
    return { service: [...reached, skipped], access: [] }
  }
  const key = yield* checkKey(service.success, { slow })
  return { service: [...reached, key.check], access: key.access }
})

export const findingsText = ({ checks, access }: Findings): string => {
  const advised = checks.flatMap(({ check, state, advice }) =>
    advice === undefined ? [] : [withPaintedState(paragraph(`${check} (${state}): ${advice}`, 2))],
  )
  return [
    textTable(
      ["check", "state", "detail"],
      checks.map(({ check, state, detail }) => [check, state, detail]),
      { outcomes: ["state"] },
    ),
    ...(access.length === 0
      ? []
      : [
          "",
          textTable(
            ["endpoint", "auth", "this key", "detail"],
            access.map((row) => [row.endpoint, row.auth, row.access, row.detail]),
            { outcomes: ["this key"] },
          ),
        ]),
    ...(advised.length === 0 ? [] : ["", ...advised]),
    "",
  ].join("\n")
}

/** Colours the state in parentheses. */
const withPaintedState = (advice: string): string =>
  advice.replace(/\(\w+\)/, (state) => paintOutcomes(state))
