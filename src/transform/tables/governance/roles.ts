// core.roles: the holders of each governance role of an EVM vault, with history.
import type * as Result from "effect/Result"
import { documented, field, integer, text } from "../../../domain/table/column.ts"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Rows, Table } from "../../../domain/table/table.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { canonicalSpelling } from "../../../domain/values/address.ts"
import { readColumn } from "../../fields/wireNames.ts"
import { contentOf, reportTimesOf } from "../../fields/reportTimes.ts"
import { keysInOrder, occurrences } from "../../occurrences.ts"
import { combined, filterRows, type MappedResponse, type Source, valuesOf } from "../../Source.ts"
import { envelopeRows } from "../response_envelopes.ts"
import { warningRows } from "../transparency/warnings.ts"
import { restOfRecord, vaultAddress, vaultChainId, wireSpelling } from "../shared.ts"

// The document does not show the field (§2.9). The first one with an address is the holder; the others stay in `extra`.
const holderNames = [
  "address",
  "holder_address",
  "member_address",
  "account_address",
  "role_address",
  "wallet_address",
  "holder",
  "member",
  "account",
  "wallet",
]

const NO_HOLDER = "-"

export const roles: Table = {
  schema: "core",
  name: "roles",
  mode: "slowly_changing",
  grain: "vault, role, holder and version",
  comment:
    "Governance roles of EVM vaults. If the service could not read custody data, fields are missing and core.observation_warnings has a warning. Roles without a holder are then left out if other roles have one or is_safe is missing too, and those stored before stay.",
  source: "GET /platform/governance/{vault_address}/roles (§4.1, §2.9)",
  key: ["chain_id", "vault_address", "role", "holder_address", "occurrence"],
  columns: [
    vaultChainId,
    vaultAddress,
    documented.text("role", "Role, for example `owner`", { required: true }),
    text("holder_address", "Holder of the role; EVM in lower case; `-` if the service names none", {
      required: true,
    }),
    integer(
      "occurrence",
      "1 for the first record of this role and holder, in the order of their content, 2 for the next, …",
      { required: true },
    ),
    wireSpelling("holder_address", holderNames),
    documented.boolean(
      "is_safe",
      "Whether the holder is a Safe multi-signature wallet; unreliable while core.observation_warnings has a current warning of `roles` for the vault (§4.1)",
    ),
    field.integer("safe_threshold", "Signatures that the Safe requires", { unit: "signatures" }),
    ...restOfRecord,
  ],
  example:
    "select vault_address, role, holder_address, safe_threshold from core.roles where is_current order by 1, 2",
}

/** One row for each record. The response is the whole set of the vault, unless a warning says that holders may be missing. */
export const rolesRows = (
  body: JsonObject & {
    readonly roles: ReadonlyArray<JsonObject>
    readonly warnings: ReadonlyArray<unknown>
  },
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const mergeKey = { chain_id: source.subject.chainId, vault_address: source.subject.address }
  const holders = body.roles.map((record) => {
    const wire = readColumn(record, roles, "holder_address_wire", source)
    return typeof wire === "string" ? canonicalSpelling(wire) : NO_HOLDER
  })
  const reportTimes = reportTimesOf(roles, source)
  const isDegraded = body.warnings.length > 0
  const mapped = mapRecords({
    table: roles,
    // §4.1: what could not be read about custody is missing, and a warning says so.
    records: isDegraded ? body.roles.map((record) => ({ is_safe: null, ...record })) : body.roles,
    source,
    computed: {
      ...mergeKey,
      holder_address: holders,
      occurrence: keysInOrder(
        body.roles.map(({ role }, index) => JSON.stringify([role, holders[index]])),
        body.roles.map((record) => contentOf(record, reportTimes)),
        occurrences,
      ),
    },
    mergeKey,
    at: (row) => `$.roles[${row}]`,
  })
  return combined(
    isDegraded ? { ...mapped, rows: ofHolders(mapped.rows) } : mapped,
    warningRows("roles", body.warnings, source),
    envelopeRows("roles", body, ["roles", "warnings"], source),
  )
}

/**
 * Leaves out rows whose holder the service may have failed to read: those without one where other rows have one, and those
 * that lack custody data too. Rows without a holder, left out or not, make the others a part of the set: as a whole they
 * would end the true holders. Without any row the set is empty beside a warning, which ends nothing.
 */
const ofHolders = (all: Rows): Rows => {
  const holders = valuesOf(all, "holder_address")
  const isSafe = valuesOf(all, "is_safe")
  const isNamed = (row: number): boolean => holders[row] !== NO_HOLDER
  const named = holders.filter((_, row) => isNamed(row)).length
  const { mergeKey, ...rows } = filterRows(
    all,
    (row) => isNamed(row) || (named === 0 && isSafe[row] !== null),
  )
  const isWhole = named === all.length || rows.length === 0
  return { ...rows, ...(isWhole && mergeKey !== undefined && { mergeKey }) }
}
