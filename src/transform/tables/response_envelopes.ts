// core.response_envelopes: the fields of a response outside its list of records.
import { text } from "../../domain/table/column.ts"
import type { JsonObject } from "../../domain/values/json.ts"
import type { Table } from "../../domain/table/table.ts"
import type { VaultRef } from "../../domain/subject/vault.ts"
import { echoedFields } from "../fields/echoedFields.ts"
import { mapRecords } from "../mapRecords.ts"
import type { Mapped, Source } from "../Source.ts"
import { restOfRecord, vaultAddress, vaultChainId } from "./shared.ts"

export const responseEnvelopes: Table = {
  schema: "core",
  name: "response_envelopes",
  mode: "slowly_changing",
  grain: "endpoint, vault, variant and version",
  comment:
    "Fields of a response outside its list, such as a total, a policy version or a block number. The document names none of them.",
  source: "responses of /platform with a list (§4.1, §2.9)",
  key: ["endpoint", "chain_id", "vault_address", "variant"],
  columns: [
    text("endpoint", "Endpoint", { required: true }),
    vaultChainId,
    vaultAddress,
    text("variant", "Variant of the request, such as `smoothed 7d`; `-` if there is only one", {
      required: true,
    }),
    ...restOfRecord,
  ],
  example: "select endpoint, vault_address, extra from core.response_envelopes where is_current",
}

/** One row with the fields that have not been read, or none if every field has. */
export const envelopeRows = (
  endpoint: string,
  body: JsonObject,
  read: ReadonlyArray<string>,
  source: Source<VaultRef>,
  variant = "-",
): Mapped => {
  const { address, chainId } = source.subject
  const consumed = new Set([...read, ...echoedFields(body, source.subject)])
  const others = Object.fromEntries(Object.entries(body).filter(([name]) => !consumed.has(name)))
  const mapped = mapRecords({
    table: responseEnvelopes,
    records: Object.keys(others).length === 0 ? [] : [others],
    source,
    computed: { endpoint, chain_id: chainId, vault_address: address, variant },
  })
  // A response with an empty list counts as empty, even if it has other fields.
  return { ...mapped, rows: { ...mapped.rows, secondary: "total" } }
}
