// vaulthouse sync: runs the pipelines, or plans them, and turns the outcome into an exit code.
import { readScenarios } from "../../../pipelines/areas/risk/scenarios.ts"
import { plan } from "../../../pipelines/run/plan.ts"
import type { Arguments } from "../../parse/Command.ts"
import { execute } from "../../execute/execute.ts"
import { exitCodes } from "../../parse/exit.ts"
import { printReport } from "../../execute/report.ts"
import { wireOf } from "../../execute/service.ts"
import { exportTelemetry } from "../../telemetry/exportTelemetry.ts"
import { planText } from "./planText.ts"
import { runExitCode, runOnce } from "./runOnce.ts"
import { readSelection } from "./selection.ts"

export const runSync = (argv: Arguments) =>
  execute(argv, function* (config) {
    const scenarios = yield* readScenarios(config)
    const selection = yield* readSelection(argv, config, scenarios)
    if (argv["plan"] === true) {
      const planned = yield* plan({
        ...selection,
        hasKey: config.apiKey !== undefined,
        paths: wireOf(config.settings).paths,
        maxRequestsPerSecond: config.settings.maxRequestsPerSecond,
      })
      printReport(argv, planned, planText)
      return exitCodes.ok
    }
    const command = ["sync", ...selection.pipelines].join(" ")
    const wait = argv["wait"] === true ? { wait: "1 day" as const } : {}
    const summary = yield* runOnce({ argv, config, selection, command, ...wait }).pipe(
      exportTelemetry(config.settings.dataDir),
    )
    return runExitCode(summary, selection, config.settings.failOn)
  })
