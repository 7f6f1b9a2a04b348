// The columns that describe a vault, in the list and in its details. §2.10 names none of their fields.
import { type Column, field } from "../../domain/table/column.ts"

export const vaultDescription: ReadonlyArray<Column> = [
  field.text("vault_name", "Display name", { names: ["vault_name", "name"] }),
  field.text("description", "Description"),
  field.text("status", "`active` accepts deposits, `closed` accepts no new ones (§2.10)", {
    accepted: ["active", "closed"],
  }),
  field.text("internal_type", "The platform's internal type of the vault"),
  field.text("public_type", "Type of the vault as shown to users", {
    names: ["public_type", "type"],
  }),
  field.boolean("is_visible", "Whether the platform shows the vault"),
  field.boolean("is_featured", "Whether the platform features the vault"),
  field.timestamp("started_at", "Start of the vault", { names: ["start_datetime"] }),
  field.text("receipt_token_symbol", "Symbol of the receipt token"),
  field.double("weekly_performance_fee_bps", "Weekly performance fee", {
    unit: "basis points",
    range: { from: 0, to: 10_000 },
  }),
  field.double("reserve_target", "Target of the reserve, as sent"),
  field.double("max_drawdown", "Declared maximum drawdown, as sent"),
  field.json("risk", "Risk description, as sent"),
]
