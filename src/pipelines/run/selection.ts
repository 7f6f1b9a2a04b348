// What a run reads: its options, and the pipelines and vaults they select.
import { canonicalSpelling } from "../../domain/values/address.ts"
import type { VaultRef } from "../../domain/subject/vault.ts"
import type { WireSettings } from "../../extract/request.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import type { OnProgress } from "../model/progress.ts"
import type { RunSettings } from "../model/runSettings.ts"

export interface SyncOptions {
  readonly runId: string
  /** Pipelines to run; all when empty. */
  readonly pipelines: ReadonlyArray<string>
  readonly vaults: VaultFilter
  readonly settings: RunSettings
  readonly taskTimeoutSeconds: number
  readonly unsupportedRetryDays: number
  /** Without a key, endpoints that need one are not read. */
  readonly hasKey: boolean
  /** Paths that the API document does not show, if the configuration names them. */
  readonly paths: WireSettings["paths"]
  readonly onProgress: OnProgress
}

/** Addresses in any spelling; selects every vault if `include` is empty. */
export interface VaultFilter {
  readonly include: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
}

const canonical = (texts: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(texts.map((text) => canonicalSpelling(text)))

/** Whether a vault is selected. */
export const isSelected = ({ include, exclude }: VaultFilter) => {
  const included = canonical(include)
  const excluded = canonical(exclude)
  return ({ address }: VaultRef): boolean =>
    (included.size === 0 || included.has(address)) && !excluded.has(address)
}

/** The pipelines of these names and those they depend on, in the order of the catalog; all if there are no names. */
export const withDependencies = (
  all: ReadonlyArray<AnyPipeline>,
  names: ReadonlyArray<string>,
): ReadonlyArray<AnyPipeline> => {
  if (names.length === 0) return all
  const wanted = new Set<string>()
  const want = (name: string): void => {
    if (wanted.has(name)) return
    wanted.add(name)
    for (const before of all.find((pipeline) => pipeline.name === name)?.after ?? []) want(before)
  }
  for (const name of names) want(name)
  return all.filter(({ name }) => wanted.has(name))
}

/** Why the endpoint can't be read, known without a request. */
export const skipReason = (
  { auth, path }: AnyPipeline["endpoint"],
  { hasKey, paths }: Pick<SyncOptions, "hasKey" | "paths">,
): string | undefined => {
  if (typeof path !== "string" && paths[path.setting] === undefined) {
    return `path not configured (paths.${path.setting})`
  }
  return auth === "public" || auth === "undocumented" || hasKey
    ? undefined
    : "needs an API key (VAULTHOUSE_API_KEY)"
}
