// core.response_envelopes: the fields of a response outside its list of records. Their values may depend on the days that were
// requested (an average of the series), which differ from run to run: then only a new name makes a new version.
import { hash } from "node:crypto"
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
    "Fields of a response outside its list, such as a total, a policy version or a block number. The document names none of them. Where the days or pages of the list differ from run to run, their values may belong to those, and only a field that is new or gone makes a version.",
  source: "responses of /platform with a list (§4.1, §2.9)",
  key: ["endpoint", "chain_id", "vault_address", "variant"],
  columns: [
    text("endpoint", "Endpoint", { required: true }),
    vaultChainId,
    vaultAddress,
    text("variant", "Variant of the request, such as `smoothed 7d`; `-` if there is only one", {
      required: true,
    }),
    text(
      "compared",
      "What makes a new version when it changes: a hash of `extra`; for requests of other days or pages in each run, the names of its fields, because their values may belong to the days",
    ),
    // The values are those of the version's first response; what the others held is in the archive.
    ...restOfRecord.map((column) => ({ ...column, isIncidental: true as const })),
  ],
  example: "select endpoint, vault_address, extra from core.response_envelopes where is_current",
}

interface Variant {
  readonly variant?: string
  /** Whether runs request other days or pages each time, so that the values of two responses can't be compared. */
  readonly isPartOfList?: boolean
}

/** One row with the fields that have not been read, or none if every field has. */
export const envelopeRows = (
  endpoint: string,
  body: JsonObject,
  read: ReadonlyArray<string>,
  source: Source<VaultRef>,
  { variant = "-", isPartOfList = false }: Variant = {},
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
  const extras = mapped.rows.columns[extraAt] ?? []
  const compared = extras.map((extra) =>
    extra === null
      ? null
      : isPartOfList
        ? Object.keys(others).toSorted().join()
        : hash("sha256", String(extra)),
  )
  const columns = mapped.rows.columns.with(comparedAt, compared)
  // A response with an empty list counts as empty, even if it has other fields.
  return { ...mapped, rows: { ...mapped.rows, columns, secondary: "total" } }
}

const placeOf = (column: string): number =>
  responseEnvelopes.columns.findIndex(({ name }) => name === column)

const extraAt = placeOf("extra")
const comparedAt = placeOf("compared")
