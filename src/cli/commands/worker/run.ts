// vaulthouse worker: reads tasks until it is stopped, and logs what it does.
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import * as Effect from "effect/Effect"
import { runSettings } from "../../../pipelines/model/runSettings.ts"
import { placeOf } from "../../../pipelines/publication/warehouse.ts"
import { presentApiKey } from "../../../config/Config.ts"
import type { Arguments } from "../../parse/Command.ts"
import { execute } from "../../execute/execute.ts"
import { exitCodes } from "../../parse/exit.ts"
import { serviceOf } from "../../execute/service.ts"
import { exportTelemetry } from "../../telemetry/exportTelemetry.ts"
import { version } from "../../execute/version.ts"
import { sharedLake } from "../../execute/sharedLake.ts"
import { workerLog } from "./workerLog.ts"

export const runWorker = (argv: Arguments) =>
  execute(
    argv,
    function* (config) {
      const { settings } = config
      const shared = yield* sharedLake(config, "worker")
      const service = yield* serviceOf(config)
      const { work } = yield* Effect.promise(() => import("../../../pipelines/workers/worker.ts"))
      const name = workerName()
      const log = workerLog({
        worker: name,
        log: settings,
        isShown: settings.progress,
        hasOwnArchive: settings.archive === undefined,
      })
      return yield* work({
        ...placeOf(settings),
        ...service,
        presentApiKey,
        ...shared,
        name,
        version,
        settings: runSettings(settings),
        unsupportedRetryDays: settings.unsupportedRetryDays,
        taskTimeoutSeconds: settings.taskTimeout,
        onEvent: log.onEvent,
      }).pipe(Effect.ensuring(Effect.sync(log.stop)), exportTelemetry(settings.dataDir))
    },
    // A worker only ends by being stopped.
    {
      code: exitCodes.ok,
      text: "vaulthouse: worker stopped; its tasks went back to the others, and what was committed stays\n",
    },
  )

/** Host, process and a random part. It becomes part of file names. */
const workerName = (): string =>
  `${hostname().replace(/[^A-Za-z0-9-]/g, "-")}-${process.pid}-${randomBytes(2).toString("hex")}`
