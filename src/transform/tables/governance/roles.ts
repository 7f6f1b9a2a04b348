// core.roles: who holds which governance role of an EVM vault, and since when.
import { canonicalAddress } from "../../../domain/address.ts"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import { occurrences } from "../../occurrences.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { warningRows } from "../transparency/warnings.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const roles: Table = {
  schema: "core",
  name: "roles",
  mode: "slowly_changing",
  grain: "vault, role, holder and version",
  comment:
    "Governance roles of EVM vaults. Custody data that could not be read shows as other content and as a warning in core.observation_warnings.",
  source: "GET /platform/governance/{vault_address}/roles (§4.1, §2.9)",
  key: ["chain_id", "vault_address", "role", "holder_address", "occurrence"],
  columns: [
    { ...chainId, required: true },
    vaultAddress,
    {
      name: "role",
      type: "text",
      required: true,
      fields: ["role"],
      comment: "Role, for example `owner`",
    },
    {
      name: "holder_address",
      type: "text",
      required: true,
      comment: "Who holds the role; EVM in lower case; `-` where the service does not say",
    },
    {
      name: "occurrence",
      type: "integer",
      required: true,
      comment: "1 for the first record of this role and holder, 2 for the next, …",
    },
    {
      name: "holder_address_as_served",
      type: "text",
      comment: "The holder's address as the service spells it",
    },
    {
      name: "is_safe",
      type: "boolean",
      fields: ["is_safe"],
      comment:
        "Whether the holder is a Safe multi-signature wallet; not to be relied on while core.observation_warnings has a current warning of `roles` for the vault (§4.1)",
    },
    {
      name: "safe_threshold",
      type: "integer",
      unit: "signatures",
      fields: ["safe_threshold"],
      comment: "Signatures the Safe needs",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, role, holder_address, safe_threshold from core.roles where is_current order by 1, 2",
}

// Not shown (§2.9); the first that holds a text is the holder, the others stay in `extra`.
const holderFields = [
  "address",
  "holder_address",
  "holderAddress",
  "member_address",
  "memberAddress",
  "account_address",
  "accountAddress",
  "role_address",
  "roleAddress",
  "wallet_address",
  "walletAddress",
  "holder",
  "member",
  "account",
  "wallet",
]

/** One row a record; the roles of a vault that no longer come have ended. */
export const rolesRows = (
  answer: {
    readonly roles: ReadonlyArray<JsonObject>
    readonly warnings: ReadonlyArray<unknown>
  },
  source: Source<VaultRef>,
): MappedAnswer => {
  const { address, chainId: chain } = source.subject
  const fields = answer.roles.map((record) =>
    holderFields.find((name) => typeof record[name] === "string" && record[name] !== ""),
  )
  const served = answer.roles.map((record, index) => {
    const field = fields[index]
    return field === undefined ? null : (record[field] as string)
  })
  const holders = served.map((text) =>
    text === null ? "-" : (canonicalAddress(text)?.canonical ?? text),
  )
  const mapped = mapCurrent({
    table: roles,
    records: answer.roles.map((record, index) => without(record, fields[index])),
    origin: source.origin,
    computed: {
      chain_id: chain,
      vault_address: address,
      holder_address: holders,
      holder_address_as_served: served,
      occurrence: occurrences(
        answer.roles.map(({ role }, index) => JSON.stringify([role, holders[index]])),
      ),
    },
  })
  const scope = { chain_id: chain, vault_address: address }
  return together(
    { ...mapped, rows: { ...mapped.rows, scope } },
    warningRows("roles", answer.warnings, source),
  )
}

const without = (record: JsonObject, field: string | undefined): JsonObject =>
  field === undefined
    ? record
    : Object.fromEntries(Object.entries(record).filter(([name]) => name !== field))
