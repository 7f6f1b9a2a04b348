// Hands the values given to a query to DuckDB.
import {
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from "@duckdb/node-api"
import {
  namesIn,
  type QueryParameter,
  type QueryParameters,
} from "../../../../domain/values/queryParameter.ts"
import { identifier } from "../../../sql/sql.ts"

/** Sets the variables the SQL reads, to null without a value, and returns the values to bind to `$name`; it may use only some. */
export const bindParameters = async (
  connection: DuckDBConnection,
  sql: string,
  parameters: QueryParameters = {},
): Promise<Record<string, DuckDBValue> | undefined> => {
  const { bound, variables } = namesIn(sql)
  // Without what objects inherit: a query may ask for $constructor.
  const given = new Map(Object.entries(parameters))
  for (const name of variables) {
    await connection.run(`SET VARIABLE ${identifier(name)} = $value`, {
      value: valueOf(given.get(name) ?? null),
    })
  }
  // DuckDB refuses values that the statement has no place for.
  const values = [...given].filter(([name]) => bound.has(name))
  return values.length === 0
    ? undefined
    : Object.fromEntries(values.map(([name, value]) => [name, valueOf(value)]))
}

const valueOf = (value: QueryParameter): DuckDBValue => {
  if (value === null || typeof value !== "object") return value
  return "day" in value
    ? new DuckDBDateValue(value.day)
    : new DuckDBTimestampValue(BigInt(value.micros))
}
