// Names and values in generated SQL.
import type { ColumnType } from "../../domain/table/column.ts"
import type { Table } from "../../domain/table/table.ts"
import { identifier, literal } from "../../domain/values/sqlText.ts"

export { identifier, literal }

/** The catalog the warehouse is attached as: all SQL names it, so that others can be attached too. */
export const CATALOG = "vaulthouse"

export const identifiers = (names: ReadonlyArray<string>, alias?: string): string =>
  names.map((name) => (alias === undefined ? "" : `${alias}.`) + identifier(name)).join(", ")

export const inCatalog = (catalog: string, { schema, name }: Table): string =>
  [catalog, schema, name].map(identifier).join(".")

/** For the catalog in use, which has another name in a published copy. */
export const inSchema = ({ schema, name }: Pick<Table, "schema" | "name">): string =>
  `${identifier(schema)}.${identifier(name)}`

export const qualified = (table: Table): string => inCatalog(CATALOG, table)

/** An instant as a constant TIMESTAMP, which DuckDB can prune with. */
export const instant = (micros: number): string => `make_timestamp(${micros}::BIGINT)`

export const day = (days: number): string => `(DATE '1970-01-01' + ${days}::INTEGER)`

export const storedType: Record<ColumnType, string> = {
  text: "VARCHAR",
  integer: "BIGINT",
  double: "DOUBLE",
  boolean: "BOOLEAN",
  timestamp: "TIMESTAMP",
  date: "DATE",
  json: "JSON",
  amount: "VARCHAR",
}
