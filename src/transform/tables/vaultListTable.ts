// Tables of the lists in a vault's own page (§2.10): what each lists, with the history of each entry.
import type { Column, Table } from "../../domain/table.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "./shared.ts"

type Own = Pick<Table, "name" | "grain" | "comment" | "example"> & {
  /** What an entry is known by, in words. */
  readonly entryId: string
  readonly columns: ReadonlyArray<Column>
}

/** A vault's lists are sets: one row an entry, ended when its list no longer holds it. */
export const vaultListTable = ({ entryId, columns, ...own }: Own): Table => ({
  schema: "core",
  mode: "slowly_changing",
  source: "GET /tokenized_vault/{vault_address} (§4.2, §2.10)",
  key: ["chain_id", "vault_address", "entry_id"],
  columns: [
    { ...chainId, required: true },
    vaultAddress,
    {
      name: "entry_id",
      type: "text",
      required: true,
      comment: `${entryId}; \`#2\` and so on where repeated`,
    },
    {
      name: "listed_as",
      type: "text",
      required: true,
      comment: "Field of the vault's record that lists it",
    },
    ...columns,
    reportedAt,
    reportedTimes,
    extra,
  ],
  ...own,
})
