// What a run learns about its API key: which pipelines it opens, and whether the service rejects it.
import type { AuthTier } from "../../extract/Endpoint.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"

export class KeyUse {
  private readonly hasKey: boolean
  private readonly refused = new Set<string>()
  private isAccepted = false
  private isUnauthorized = false

  constructor(hasKey: boolean) {
    this.hasKey = hasKey
  }

  /** Whether the pipeline's other partitions need not be tried. */
  isRefused({ name }: Pick<AnyPipeline, "name">): boolean {
    return this.refused.has(name)
  }

  /** Pipelines the service refused this key for. */
  get refusedPipelines(): ReadonlyArray<string> {
    return this.hasKey ? [...this.refused] : []
  }

  /** 401 to a key, and nothing that it opened. */
  get isUnknown(): boolean {
    return this.isUnauthorized && !this.isAccepted
  }

  /** `tag` is that of the error a task ended with; `undefined` if it had none. */
  learn({ name, endpoint }: AnyPipeline, entity: string, tag: string | undefined): void {
    if (tag === undefined && endpoint.auth !== "public") this.isAccepted = true
    if (tag === "Unauthorized" && this.hasKey) this.isUnauthorized = true
    if (tag !== "Unauthorized" && tag !== "Forbidden") return
    const isOfPipeline =
      !ownsSome(endpoint.auth, entity) || (tag === "Unauthorized" && !this.isAccepted)
    if (isOfPipeline) this.refused.add(name)
  }
}

/** The service refuses a curator the vaults of others, and a user the subaccounts of others: the next may be their own. */
const ownsSome = (auth: AuthTier, entity: string): boolean => auth !== "admin" && entity !== "-"
