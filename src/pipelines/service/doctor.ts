// What `doctor` looks at: the machine, the service, the key and the warehouse. Each check stands for itself.
import { existsSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { httpLayer } from "../../extract/http.ts"
import { probe } from "../../extract/probe.ts"
import { type Condition, inspectWarehouse } from "../../load/inspect.ts"
import type { Service } from "./clientOutsideRun.ts"
import { type EndpointAccess, keyAccess } from "./keyAccess.ts"

export interface Check {
  readonly check: string
  /** `skipped`: there is nothing to look at yet. Only `failed` is a reason to act now. */
  readonly state: "ok" | "warning" | "failed" | "skipped"
  readonly detail: string
  readonly advice?: string
}

export const LEAST_NODE = 24

export const checkNode = (version: string): Check =>
  Number(version.replace(/^v/, "").split(".")[0]) >= LEAST_NODE
    ? { check: "Node", state: "ok", detail: version }
    : {
        check: "Node",
        state: "failed",
        detail: `${version}; ${LEAST_NODE} or newer is needed`,
        advice: "Install it from https://nodejs.org, or run `make install`.",
      }

const GIGA = 1e9
// A first sync of some dozen vaults takes a few hundred megabytes, with room for DuckDB to spill.
const FEW_BYTES = 5 * GIGA
const TOO_FEW_BYTES = 0.5 * GIGA

const nearestFolder = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path))

export const checkDisk = (dataDir: string): Effect.Effect<Check> =>
  Effect.promise(async (): Promise<Check> => {
    const { bavail, bsize } = await statfs(nearestFolder(dataDir))
    const free = bavail * bsize
    const detail = `${(free / GIGA).toFixed(1)} GB free for ${dataDir}`
    const advice = "Free some space, or name another folder with --data-dir."
    if (free < TOO_FEW_BYTES) return { check: "disk", state: "failed", detail, advice }
    if (free < FEW_BYTES) return { check: "disk", state: "warning", detail, advice }
    return { check: "disk", state: "ok", detail }
  })

// Histories are asked for by day, and freshness is told in minutes.
const SKEW_SECONDS = 60

/** Whether anybody answers, and by which clock. */
export const checkService = ({ api }: Service): Effect.Effect<ReadonlyArray<Check>> =>
  probe(api).pipe(
    Effect.provide(httpLayer),
    Effect.map(({ status, millis, skewSeconds }): ReadonlyArray<Check> => [
      serviceCheck(api.baseUrl, status, millis),
      clockCheck(skewSeconds),
    ]),
    Effect.catch((why) =>
      Effect.succeed<ReadonlyArray<Check>>([
        {
          check: "service",
          state: "failed",
          detail: `no answer from ${api.baseUrl}: ${why}`,
          advice: "Check the base address, the network, and any proxy or firewall on the way.",
        },
      ]),
    ),
  )

const serviceCheck = (baseUrl: string, status: number, millis: number): Check =>
  status === 200
    ? { check: "service", state: "ok", detail: `${baseUrl} answers within ${millis} ms` }
    : {
        check: "service",
        state: "failed",
        detail: `${baseUrl} answers GET /tokenized_vault with HTTP ${status}`,
        advice: "It should be 200 without a key (§4.2): is the base address right, with its path?",
      }

const clockCheck = (skew: number | undefined): Check => {
  if (skew === undefined) {
    return { check: "clock", state: "skipped", detail: "the service sends no date to compare with" }
  }
  const detail = `the service's clock is ${skew === 0 ? "the same" : `${Math.abs(skew)} s ${skew > 0 ? "ahead" : "behind"}`}`
  return Math.abs(skew) <= SKEW_SECONDS
    ? { check: "clock", state: "ok", detail }
    : { check: "clock", state: "warning", detail, advice: "Set this machine's clock (NTP)." }
}

export interface KeyReport {
  readonly check: Check
  readonly access: ReadonlyArray<EndpointAccess>
}

/** What the key opens; without a key nothing is asked. */
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
      detail: "the service knows it, and refuses everything (403)",
      advice: "Ask whoever issued it for what it was meant to open.",
    }
  }
  return has("key unknown")
    ? {
        check: "key",
        state: "failed",
        detail: "the service does not know it (401)",
        advice: "Check VAULTHOUSE_API_KEY: is it whole, current, and for this base address?",
      }
    : {
        check: "key",
        state: "warning",
        detail: "the service's answers do not tell what it opens",
        advice: "Try again later; the table says what was answered.",
      }
}

export const checkWarehouse = (dataDir: string): Effect.Effect<Check> =>
  Effect.map(
    Effect.promise(() => inspectWarehouse(dataDir)),
    (condition) => ({ check: "warehouse", ...warehouseCheck(dataDir, condition) }),
  )

const warehouseCheck = (dataDir: string, condition: Condition): Omit<Check, "check"> => {
  switch (condition.state) {
    case "absent":
      return { state: "skipped", detail: `none in ${dataDir} yet; the first \`sync\` makes it` }
    case "held": {
      const { pid, host, since } = condition.by
      return { state: "ok", detail: `in use by process ${pid} on ${host} since ${since}` }
    }
    case "opens": {
      const last = condition.lastRun ?? "no run yet"
      return { state: "ok", detail: `opens; ${condition.tables} tables; last run ${last}` }
    }
    case "broken":
      return {
        state: "failed",
        detail: `does not open: ${condition.why}`,
        advice: `Keep ${dataDir} as it is, and rebuild from its archive in a new folder with \`vaulthouse replay\`.`,
      }
  }
}
