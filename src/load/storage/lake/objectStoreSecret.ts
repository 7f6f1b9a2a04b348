// Gives DuckDB the same access to object storage that this process has from its environment.
import type { DuckDBConnection } from "@duckdb/node-api"
import * as Redacted from "effect/Redacted"
import type { ObjectStoreAccess } from "../../../domain/stores/objectStore.ts"
import { literal } from "../../sql/sql.ts"

/**
 * Uses the variables of AWS's own tools or, if they hold no key, the other sources of those tools: profiles, and the
 * role of the machine. The extensions httpfs and aws must be loaded. The secret is only kept in memory.
 */
export const makeObjectStoreSecret = async (
  connection: DuckDBConnection,
  { key, region, endpoint }: ObjectStoreAccess,
): Promise<void> => {
  const parts: Readonly<Record<string, string | undefined>> = {
    ...(key === undefined
      ? { PROVIDER: "credential_chain" }
      : {
          KEY_ID: literal(key.id),
          SECRET: literal(Redacted.value(key.secret)),
          SESSION_TOKEN:
            key.sessionToken === undefined ? undefined : literal(Redacted.value(key.sessionToken)),
        }),
    REGION: literal(region),
    ...(endpoint === undefined
      ? {}
      : {
          ENDPOINT: literal(`${endpoint.host}${endpoint.pathname.replace(/\/$/, "")}`),
          USE_SSL: String(endpoint.protocol === "https:"),
          URL_STYLE: literal("path"),
        }),
  }
  const options = Object.entries(parts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  )
  await connection.run(`CREATE OR REPLACE SECRET objects (TYPE s3, ${options.join(", ")})`)
}
