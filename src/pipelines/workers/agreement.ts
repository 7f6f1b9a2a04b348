// What planner and workers of a run must agree on: the version, the service, the key, the archive, the lease, and the
// settings that decide which rows are read. A worker with other settings would write other rows, archive responses where
// no other process finds them, or take tasks from one that still reads them.
import { createHash } from "node:crypto"
import * as Data from "effect/Data"
import * as Redacted from "effect/Redacted"
import type { ApiSettings } from "../../extract/ApiClient.ts"
import { fingerprintOf } from "../../load/tables/warehouseLayout.ts"
import type { SharedRun } from "./sharedRun.ts"
import { tables } from "../pipelines.ts"
import { configuredSettings, type RunSettings } from "../model/runSettings.ts"

type Agreement = SharedRun["settings"]

export interface AgreedOptions {
  readonly version: string
  readonly api: Pick<ApiSettings, "apiKey" | "baseUrl" | "wire">
  readonly settings: RunSettings
  readonly unsupportedRetryDays: number
  readonly leaseSeconds: number
  /** The setting; `undefined` if each process archives into its own data directory. */
  readonly archive?: string | undefined
}

/** Keys are compared by a digest with the run's id in it, which does not reveal the key. */
const keyDigest = (runId: string, apiKey: Redacted.Redacted<string> | undefined): string =>
  apiKey === undefined
    ? "none"
    : createHash("sha256")
        .update(`${runId} ${Redacted.value(apiKey)}`)
        .digest("hex")
        .slice(0, 16)

export const agreementOf = (
  runId: string,
  {
    version,
    api,
    settings,
    unsupportedRetryDays,
    leaseSeconds,
    archive = "raw in the data directory",
  }: AgreedOptions,
): Agreement => ({
  version,
  layout: fingerprintOf(tables),
  baseUrl: api.baseUrl,
  apiKey: keyDigest(runId, api.apiKey),
  archive,
  ...Object.fromEntries(
    Object.entries({
      wire: api.wire,
      ...configuredSettings(settings),
      unsupportedRetryDays,
      workerLease: leaseSeconds,
    }).map(([name, value]) => [name, JSON.stringify(value)]),
  ),
})

/** A setting that differs, with both values; for the key and the layout, their digests. */
export interface Difference {
  readonly name: string
  readonly ofRun: string
  readonly here: string
}

/** Empty if both agree. */
export const differencesOf = (ofRun: Agreement, here: Agreement): ReadonlyArray<Difference> =>
  [...new Set([...Object.keys(ofRun), ...Object.keys(here)])]
    .filter((name) => ofRun[name] !== here[name])
    .map((name) => ({ name, ofRun: ofRun[name] ?? "none", here: here[name] ?? "none" }))

const digests: Readonly<Record<string, string>> = {
  apiKey: "another API key",
  layout: "another layout of the tables",
}

/** The error of a worker that must not read the run. */
export class OtherSettings extends Data.TaggedError("OtherSettings")<{
  readonly runId: string
  readonly planner: string
  readonly differences: ReadonlyArray<Difference>
}> {
  override get message(): string {
    const parts = this.differences.map(
      ({ name, ofRun, here }) => digests[name] ?? `${name} is ${ofRun} there, ${here} here`,
    )
    return `This worker can't read run ${this.runId}, which ${this.planner} plans with other settings: ${parts.join("; ")}. Give every machine the same version, configuration and API key, then start the worker again.`
  }
}
