// The list of vaults, one call per status (§4.2): lands in core.vaults and tells the other pipelines whom
// to ask about.
import * as Effect from "effect/Effect"
import type { ApiError } from "../../domain/errors.ts"
import type { VaultRef } from "../../domain/vault.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import { tokenizedVaults } from "../../extract/endpoints/vaults/tokenized_vaults.ts"
import type { ArchiveError } from "../../extract/ResponseArchive.ts"
import { vaultRows } from "../../transform/vaultRecords.ts"
import { failedStep } from "../failedStep.ts"
import { mappedOrViolation } from "../mapped.ts"
import type { Step } from "../Pipeline.ts"

const statuses = ["active", "closed"] as const

export interface VaultListStep {
  readonly step: Step
  readonly refs: ReadonlyArray<VaultRef>
}

/** A list that fails is a step too, under its own status. */
export const listVaults = (
  status: (typeof statuses)[number],
): Effect.Effect<VaultListStep, ArchiveError, ApiClient> =>
  readList(status).pipe(
    Effect.catchTag("ApiError", (error) =>
      Effect.succeed<VaultListStep>({ refs: [], step: failedStep(error, status) }),
    ),
  )

const readList = (
  status: (typeof statuses)[number],
): Effect.Effect<VaultListStep, ApiError | ArchiveError, ApiClient> =>
  Effect.gen(function* () {
    const client = yield* ApiClient
    const answer = yield* client.call(tokenizedVaults, { status })
    const mapped = yield* Effect.fromResult(
      mappedOrViolation(
        tokenizedVaults,
        status,
        answer,
        vaultRows(answer.value, { responseId: answer.responseId, status }),
      ),
    )
    const empty = answer.value.length === 0
    return {
      refs: mapped.refs,
      step: {
        window: status,
        endpoint: tokenizedVaults.name,
        outcome: empty ? "empty" : "landed",
        rows: empty ? [] : mapped.rows,
        responses: answer.responses,
        requests: answer.attempts,
        drift: mapped.drift,
      },
    }
  })

/** One element a status; a status that fails leaves the other standing. */
export const vaultLists: ReadonlyArray<{
  readonly status: string
  readonly list: ReturnType<typeof listVaults>
}> = statuses.map((status) => ({ status, list: listVaults(status) }))
