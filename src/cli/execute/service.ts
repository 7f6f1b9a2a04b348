// How to reach the service, read from the settings, for every command that sends requests.
import * as Effect from "effect/Effect"
import type { UsageError } from "../../domain/UsageError.ts"
import type { Config } from "../../config/Config.ts"
import type { Service } from "../../pipelines/service/clientOutsideRun.ts"
import { wrongUse } from "../parse/errors.ts"

// How long one call may go on retrying before its task is left to the next run.
const RETRY_BUDGET_SECONDS = 120

export const serviceOf = ({
  settings,
  apiKey,
  proxies,
}: Config): Effect.Effect<Service, UsageError> =>
  settings.baseUrl === undefined
    ? wrongUse(
        "No base address is set, so there is no service to read from.",
        "Pass --base-url https://…, or set VAULTHOUSE_BASE_URL or `baseUrl` in vaulthouse.config.yaml. To try it without a service, run `vaulthouse simulate` in another terminal.",
      )
    : Effect.succeed({
        api: {
          baseUrl: settings.baseUrl,
          apiKey,
          proxies,
          wire: wireOf(settings),
          requestTimeoutSeconds: settings.requestTimeout,
          retryBudgetSeconds: Math.min(RETRY_BUDGET_SECONDS, settings.taskTimeout),
          retryWaitSeconds: settings.retryWait,
          maxResponseMegabytes: settings.maxResponseMegabytes,
        },
        pace: {
          concurrency: settings.concurrency,
          maxRequestsPerSecond: settings.maxRequestsPerSecond,
        },
      })

/** Leaves out paths that are not set. */
export const wireOf = ({
  platformSegment,
  wire,
  paths,
}: Config["settings"]): Service["api"]["wire"] => ({
  platformSegment,
  ...wire,
  paths: Object.fromEntries(Object.entries(paths).filter(([, path]) => path !== undefined)),
})
