// What a run learns about its API key: which pipelines it opens, and whether the service rejects it.
import type { AuthTier } from "../../extract/Endpoint.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import type { KeyAccess } from "../model/progress.ts"

export class KeyUse {
  private readonly hasKey: boolean
  private readonly refused = new Set<string>()
  private isAccepted = false
  /** Something was read, were it public: not every request with the key is refused. */
  private isUsable = false
  private isUnauthorized = false

  constructor(hasKey: boolean) {
    this.hasKey = hasKey
  }

  /** Whether the pipeline's other partitions need not be tried. */
  isRefused({ name }: Pick<AnyPipeline, "name">): boolean {
    return this.refused.has(name)
  }

  /** Whether a refusal of one partition may be one of all. */
  mayRefuse({ endpoint }: Pick<AnyPipeline, "endpoint">): boolean {
    return endpoint.auth !== "public" || (this.hasKey && !this.isUsable)
  }

  /** Pipelines that the service refused to this key. */
  get refusedPipelines(): ReadonlyArray<string> {
    return this.hasKey ? [...this.refused] : []
  }

  /** Whether the service responded 401 to the key and gave it access to nothing. */
  get isUnknown(): boolean {
    return this.access === "unknown"
  }

  /** `undefined`: nothing the run read needs one. */
  get access(): KeyAccess | undefined {
    if (!this.hasKey) return this.refused.size > 0 ? "absent" : undefined
    if (this.isAccepted) return "some"
    if (this.isUnauthorized) return "unknown"
    return this.refusedPipelines.length > 0 ? "none" : undefined
  }

  /** `tag` is that of the error a task ended with; `undefined` if it had none. */
  learn({ name, endpoint }: AnyPipeline, entity: string, tag: string | undefined): void {
    if (tag === undefined) {
      this.isUsable = true
      if (endpoint.auth !== "public") this.isAccepted = true
    }
    if (tag === "Unauthorized") this.isUnauthorized = true
    if (tag !== "Unauthorized" && tag !== "Forbidden") return
    // What is public needs no key, so a refusal says nothing about the next vault.
    if (endpoint.auth === "public" && !this.hasKey) return
    // Without a key, no vault is the caller's own.
    const isGood = endpoint.auth === "public" ? this.isUsable : this.isAccepted
    const isOfAll = (tag === "Unauthorized" || !this.hasKey) && !isGood
    const isOfPipeline = !ownsSome(endpoint.auth, entity) || isOfAll
    if (isOfPipeline) this.refused.add(name)
  }
}

/** A curator owns some vaults and a user some subaccounts: a refusal of one says nothing about the next. */
const ownsSome = (auth: AuthTier, entity: string): boolean => auth !== "admin" && entity !== "-"
