// Makes the tables of the lists in a vault's details (§2.10), with the history of each entry.
import { type Column, text } from "../../domain/table/column.ts"
import type { Table } from "../../domain/table/table.ts"
import { restOfRecord, vaultAddress, vaultChainId } from "./shared.ts"

type Own = Pick<Table, "name" | "grain" | "comment" | "example"> & {
  /** The fields of the vault's record that may list the entries, as records or as texts. */
  readonly lists: ReadonlyArray<string>
  /** The comment of the column `entry_id`. */
  readonly entryId: string
  readonly columns: ReadonlyArray<Column>
}

/** A table with one row for each entry of a list, which is retired when the list no longer has it. */
export const vaultListTable = ({ lists, entryId, columns, ...own }: Own): Table => ({
  schema: "core",
  mode: "slowly_changing",
  source: "GET /tokenized_vault/{vault_address} (§4.2, §2.10)",
  key: ["chain_id", "vault_address", "entry_id"],
  shapes: [{ name: "a list of records or texts", holds: "list", in: lists }],
  columns: [
    vaultChainId,
    vaultAddress,
    text("entry_id", `${entryId}; \`#2\` and so on for repetitions`, { required: true }),
    text("listed_as", "Field of the vault's record that lists it", { required: true }),
    ...columns,
    ...restOfRecord,
  ],
  ...own,
})
