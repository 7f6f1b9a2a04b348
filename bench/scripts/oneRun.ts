// Runs the product in this process with the defaults of the command, for the scripts that measure a run.
import * as Effect from "effect/Effect"
import { TracerEnabled } from "effect/References"
import { defaultSettings } from "../../src/config/settings/settings.ts"
import { type ApiSettings } from "../../src/extract/ApiClient.ts"
import { defaultWire } from "../../src/extract/request.ts"
import { defaultRunSettings } from "../../src/pipelines/model/runSettings.ts"
import type { Place } from "../../src/pipelines/publication/warehouse.ts"
import { run, type RunOptions } from "../../src/pipelines/run/run.ts"

/** Those whose data grows with history; the others have as many snapshots with one year as with ten. */
export const historyPipelines = [
  "ratio_history",
  "pnl_history",
  "apy_history",
  "allocation_history",
] as const

export interface OneRun extends Place, Pick<RunOptions, "pipelines">, Pick<ApiSettings, "baseUrl"> {
  readonly apiKey?: ApiSettings["apiKey"]
  readonly pace?: RunOptions["pace"]
}

export const oneRun = ({ baseUrl, apiKey, pace = {}, ...options }: OneRun) =>
  Effect.runPromise(
    run({
      ...options,
      pace,
      command: "bench",
      version: "bench",
      publish: undefined,
      vaults: { include: [], exclude: [] },
      taskTimeoutSeconds: defaultSettings.taskTimeout,
      unsupportedRetryDays: defaultSettings.unsupportedRetryDays,
      onProgress: () => undefined,
      api: {
        baseUrl,
        apiKey,
        wire: defaultWire,
        requestTimeoutSeconds: defaultSettings.requestTimeout,
        retryBudgetSeconds: 120,
        maxResponseMegabytes: defaultSettings.maxResponseMegabytes,
      },
      settings: defaultRunSettings,
      // As the command does when no traces are exported.
    }).pipe(Effect.provideService(TracerEnabled, false)),
  )
