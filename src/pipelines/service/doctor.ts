// The checks of `doctor`: the machine, the service, the key and the warehouse, independent of each other.
import { accessSync, constants, existsSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Clock from "effect/Clock"
import type { ApiError } from "../../domain/wire/errors.ts"
import { isInObjectStore } from "../../domain/stores/objectStore.ts"
import { noProxies, proxyFor, proxyText } from "../../domain/wire/proxies.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import { tokenizedVaults } from "../../extract/endpoints/vaults/tokenized_vaults.ts"
import { openAdvice } from "../../load/errors.ts"
import type { Condition } from "../../load/storage/Storage.ts"
import { tables } from "../pipelines.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import { type Place, storageOf } from "../publication/warehouse.ts"
import { MAX_CLOCK_SECONDS_OFF } from "../../domain/run/clockTolerance.ts"
import { clientOutsideRun, type Service } from "./clientOutsideRun.ts"
import { type EndpointAccess, keyAccess } from "./keyAccess.ts"

export interface Check {
  readonly check: string
  /** `skipped`: there is nothing to check yet. Only `failed` calls for action now. */
  readonly state: "ok" | "warning" | "failed" | "skipped"
  readonly detail: string
  readonly advice?: string
}

/** The result of a check that ended with an error. */
export const failedCheck =
  (check: string) =>
  ({ why, advice }: { readonly why: string; readonly advice: string }): Effect.Effect<Check> =>
    Effect.succeed({ check, state: "failed", detail: why, advice })

const MIN_NODE_VERSION = 24

export const checkNode = (version: string): Check =>
  Number(version.replace(/^v/, "").split(".")[0]) >= MIN_NODE_VERSION
    ? { check: "Node", state: "ok", detail: version }
    : {
        check: "Node",
        state: "failed",
        detail: `${version}; ${MIN_NODE_VERSION} or newer is needed`,
        advice: "Install it from https://nodejs.org, or run `make install`.",
      }

const GIGA = 1e9
// A first sync of some dozen vaults takes a few hundred megabytes, with room for DuckDB to spill.
const LOW_BYTES = 5 * GIGA
const TOO_LOW_BYTES = 0.5 * GIGA

const nearestFolder = (path: string): string =>
  existsSync(path) ? path : nearestFolder(dirname(path))

const mayWrite = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Of the data directory, and of the folders elsewhere that a run writes. */
export const checkDisks = ({ dataDir, warehouse, lake, archive }: Place) =>
  Effect.all([
    checkDisk("disk", dataDir, "--data-dir"),
    ...(archive === undefined || isInObjectStore(archive)
      ? []
      : [checkDisk("disk of the archive", archive, "the setting archive")]),
    ...(warehouse === undefined ||
    warehouse === "file" ||
    lake?.data === undefined ||
    isInObjectStore(lake.data)
      ? []
      : [checkDisk("disk of the lake", lake.data, "the setting lake.data")]),
  ])

const checkDisk = (check: string, path: string, setting: string): Effect.Effect<Check> =>
  Effect.promise(async (): Promise<Check> => {
    const folder = nearestFolder(path)
    if (!mayWrite(folder)) {
      return {
        check,
        state: "failed",
        detail: `this user may not write ${folder}`,
        advice: `Give the folder to this user, or name another with ${setting}.`,
      }
    }
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    const detail = `${(free / GIGA).toFixed(1)} GB free for ${path}`
    const advice = `Free some space, or name another folder with ${setting}.`
    if (free < TOO_LOW_BYTES) return { check, state: "failed", detail, advice }
    if (free < LOW_BYTES) return { check, state: "warning", detail, advice }
    return { check, state: "ok", detail }
  })

// Histories are read by day, and freshness is reported in minutes.
const SKEW_SECONDS = 60

/** Sends one public request, without the key: checks that the response is the service's, and compares the clocks. */
export const checkService = ({ api, pace }: Service): Effect.Effect<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const client = yield* ApiClient
    const startedAt = yield* Clock.currentTimeMillis
    const failure = yield* client.call(tokenizedVaults, {}).pipe(
      Effect.as(undefined),
      Effect.catchTag("ApiError", (error) => Effect.succeed(error)),
      Effect.orDie,
    )
    const millis = (yield* Clock.currentTimeMillis) - startedAt
    const proxy = proxyFor(api.proxies ?? noProxies, new URL(api.baseUrl))
    const through = proxy === undefined ? "" : ` through the proxy ${proxyText(proxy)}`
    const from = `${api.baseUrl}${through}`
    const service: Check =
      failure === undefined
        ? { check: "service", state: "ok", detail: `${from} responded in ${millis} ms` }
        : {
            check: "service",
            state: "failed",
            ...serviceProblem(from, proxy !== undefined, failure),
          }
    return failure !== undefined && failure.status === undefined
      ? [service]
      : [service, clockCheck(yield* client.clockSkewSeconds)]
  }).pipe(
    Effect.provide(
      clientOutsideRun({ api: { ...api, apiKey: undefined, retryBudgetSeconds: 0 }, pace }),
    ),
  )

const serviceProblem = (
  from: string,
  isProxied: boolean,
  { problem, status, reason }: ApiError,
): Pick<Check, "detail" | "advice"> => {
  if (status === undefined) {
    return {
      detail: problem,
      advice: isProxied
        ? "The request ends at the proxy: check its address, that it runs, and that it lets requests to the service pass."
        : "Check the base address, the network, and any firewall on the way.",
    }
  }
  return {
    detail: `GET /tokenized_vault of ${from}: ${problem}`,
    advice:
      reason._tag === "ContractViolation"
        ? "The response should be the list of vaults (§4.2). A login page means that the base address is another application's, or that a proxy responded."
        : "The list of vaults should come without a key (§4.2): is the base address right, including its path?",
  }
}

const clockCheck = (skew: number | undefined): Check => {
  if (skew === undefined) {
    return { check: "clock", state: "skipped", detail: "the service sends no date to compare with" }
  }
  const detail = `the service's clock is ${skew === 0 ? "the same" : `${Math.abs(skew)} s ${skew > 0 ? "ahead" : "behind"}`}`
  if (Math.abs(skew) <= SKEW_SECONDS) return { check: "clock", state: "ok", detail }
  const advice = "Set this machine's clock (NTP); if it is right, tell the service's operator."
  return Math.abs(skew) < MAX_CLOCK_SECONDS_OFF
    ? { check: "clock", state: "warning", detail, advice }
    : { check: "clock", state: "failed", detail, advice: `A run would load nothing. ${advice}` }
}

export interface KeyReport {
  readonly check: Check
  readonly access: ReadonlyArray<EndpointAccess>
}

/** What the key gives access to; without a key no request is sent. */
export const checkKey = Effect.fnUntraced(function* (
  service: Service,
  options: { readonly slow: boolean },
) {
  const { apiKey } = service.api
  if (apiKey === undefined || Redacted.value(apiKey) === "") {
    const detail = "none is set: public data only"
    return { check: { check: "key", state: "skipped", detail }, access: [] } satisfies KeyReport
  }
  const access = yield* keyAccess(service, options)
  return { check: keyCheck(access), access } satisfies KeyReport
})

const keyCheck = (table: ReadonlyArray<EndpointAccess>): Check => {
  const has = (access: EndpointAccess["access"], auth?: EndpointAccess["auth"]): boolean =>
    table.some((row) => row.access === access && (auth === undefined || row.auth === auth))
  const tier = (["admin", "curator", "key"] as const).find((auth) => has("allowed", auth))
  if (tier !== undefined) {
    const names = { admin: "an admin key", curator: "a curator's key", key: "a user's key" }
    return { check: "key", state: "ok", detail: names[tier] }
  }
  if (has("forbidden")) {
    return {
      check: "key",
      state: "failed",
      detail: "the service knows it, but grants it no access (403)",
      advice: "Ask its issuer which data it is for.",
    }
  }
  return has("key unknown")
    ? {
        check: "key",
        state: "failed",
        detail: "the service does not know it (401)",
        advice: "Check VAULTHOUSE_API_KEY: is it complete, current, and for this base address?",
      }
    : {
        check: "key",
        state: "warning",
        detail: "the responses do not show what it gives access to",
        advice: "Try again later; the table shows the responses.",
      }
}

/** Empty if the archive is in the data directory, which the check of the disk covers. */
export const checkArchive = (place: Place): Effect.Effect<ReadonlyArray<Check>> =>
  place.archive === undefined
    ? Effect.succeed([])
    : inArchive(() => archiveOf(place).segments()).pipe(
        Effect.map((segments): Check => {
          const detail = `${place.archive}; segments: ${segments.length}`
          return { check: "archive", state: "ok", detail }
        }),
        Effect.catch(failedCheck("archive")),
        Effect.map((check) => [check]),
      )

export const checkWarehouse = (place: Place): Effect.Effect<Check> =>
  storageOf(place).pipe(
    Effect.flatMap((storage) =>
      Effect.map(
        Effect.promise(() => storage.inspect(tables)),
        (condition) => warehouseCheck(storage.shown, condition),
      ),
    ),
    Effect.catch(({ what, why, advice }) =>
      Effect.succeed({ state: "failed", detail: `${what}: ${why}`, advice } as const),
    ),
    Effect.map((found): Check => ({ check: "warehouse", ...found })),
  )

const warehouseCheck = (shown: string, condition: Condition): Omit<Check, "check"> => {
  switch (condition.state) {
    case "absent":
      return { state: "skipped", detail: `none in ${shown} yet; the first \`sync\` creates it` }
    case "held": {
      const { pid, host, since } = condition.by
      return { state: "ok", detail: `in use by process ${pid} on ${host} since ${since}` }
    }
    case "opens": {
      const last = condition.lastRun ?? "no run yet"
      const detail = `opens; ${condition.tables} tables; newest run in it: ${last}`
      if (condition.isCurrent) return { state: "ok", detail }
      return {
        state: "warning",
        detail: `${detail}; its layout is that of another version`,
        advice: "The next `sync` of this version adds what is missing, or says why it can't.",
      }
    }
    case "broken":
      return {
        state: "failed",
        detail: `does not open: ${condition.why}`,
        advice: condition.advice ?? openAdvice(condition.why),
      }
  }
}
