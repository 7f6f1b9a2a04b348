// Hands the values given to a query to DuckDB.
import {
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from "@duckdb/node-api"
import {
  type QueryParameter,
  type QueryParameters,
  variablesIn,
} from "../../../../domain/values/queryParameter.ts"
import { identifier } from "../../../sql/sql.ts"

/** Sets the variables the SQL reads, to null without a value, and returns the values to bind to `$name`. */
export const bindParameters = async (
  connection: DuckDBConnection,
  sql: string,
  parameters: QueryParameters = {},
): Promise<Record<string, DuckDBValue> | undefined> => {
  const variables = variablesIn(sql)
  for (const name of variables) {
    await connection.run(`SET VARIABLE ${identifier(name)} = $value`, {
      value: valueOf(parameters[name] ?? null),
    })
  }
  const bound = Object.entries(parameters).filter(([name]) => !variables.has(name))
  // DuckDB refuses values for a statement without parameters.
  return bound.length === 0
    ? undefined
    : Object.fromEntries(bound.map(([name, value]) => [name, valueOf(value)]))
}

const valueOf = (value: QueryParameter): DuckDBValue => {
  if (value === null || typeof value !== "object") return value
  return "day" in value
    ? new DuckDBDateValue(value.day)
    : new DuckDBTimestampValue(BigInt(value.micros))
}
