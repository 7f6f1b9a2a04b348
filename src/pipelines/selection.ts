// What a run was asked for, and whom it therefore asks about.
import { canonicalAddress } from "../domain/address.ts"
import type { VaultRef } from "../domain/vault.ts"
import type { Memories } from "./memory.ts"
import type { Memory, RunSettings, VaultPipeline } from "./Pipeline.ts"
import type { OnProgress } from "./progress.ts"

export interface SyncOptions {
  readonly runId: string
  /** Pipelines to run; all when empty. */
  readonly pipelines: ReadonlyArray<string>
  readonly vaults: VaultFilter
  readonly settings: RunSettings
  readonly taskTimeoutSeconds: number
  readonly unsupportedRetryDays: number
  readonly onProgress: OnProgress
}

/** Addresses in any spelling; everything when `include` is empty. */
export interface VaultFilter {
  readonly include: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
}

const canonical = (texts: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(texts.map((text) => canonicalAddress(text)?.canonical ?? text))

/** Whether a vault is among those asked for. */
export const chosen = ({ include, exclude }: VaultFilter) => {
  const included = canonical(include)
  const excluded = canonical(exclude)
  return ({ address }: VaultRef): boolean =>
    (included.size === 0 || included.has(address)) && !excluded.has(address)
}

export interface Asked {
  readonly vault: VaultRef
  readonly memory: Memory
}

/** The vaults a pipeline reads in this run, each with what is remembered of it. */
export const askedBy = (
  pipeline: VaultPipeline,
  vaults: ReadonlyArray<VaultRef>,
  memories: Memories,
): ReadonlyArray<Asked> => {
  const included = vaults.filter(pipeline.includes)
  const asked = pipeline.perChain ? included : onePerAddress(included)
  return asked
    .map((vault) => ({ vault, memory: memories.of(entityOf(vault, asked)) }))
    .filter(({ memory }) => !memories.isUnsupported(memory.entity))
}

/** The same one in every run: that on the lowest chain id. */
const onePerAddress = (vaults: ReadonlyArray<VaultRef>): ReadonlyArray<VaultRef> => [
  ...new Map(
    vaults.toSorted((a, b) => b.chainId - a.chainId).map((vault) => [vault.address, vault]),
  ).values(),
]

/** The address; with its chain where one address is a vault on several. */
const entityOf = ({ address, chainId }: VaultRef, all: ReadonlyArray<VaultRef>): string =>
  all.some((other) => other.address === address && other.chainId !== chainId)
    ? `${address}@${chainId}`
    : address
