// Gives DuckDB the same access to object storage that this process has from its environment.
import type { DuckDBConnection } from "@duckdb/node-api"
import * as Redacted from "effect/Redacted"
import type { ObjectStoreAccess } from "../../../domain/stores/objectStore.ts"
import type { Connections } from "../../duckdb/connections.ts"
import { literal } from "../../sql/sql.ts"
import type { NewFiles } from "./newFiles.ts"

/**
 * Uses the variables of AWS's own tools or, if they hold no key, the other sources of those tools: profiles, and the
 * role of the machine. The extensions httpfs and aws must be loaded. The secret is only kept in memory.
 */
export const reachObjectStore = async (
  connection: DuckDBConnection,
  access: ObjectStoreAccess,
): Promise<void> => {
  const { key, region, endpoint } = access
  const parts: Readonly<Record<string, string | undefined>> = {
    // A secret for `s3` from this provider has an endpoint of its own.
    ...(key === undefined
      ? { TYPE: "aws", PROVIDER: "credential_chain" }
      : {
          TYPE: "s3",
          KEY_ID: literal(key.id),
          SECRET: literal(Redacted.value(key.secret)),
          SESSION_TOKEN:
            key.sessionToken === undefined ? undefined : literal(Redacted.value(key.sessionToken)),
        }),
    REGION: literal(region),
    ...(endpoint === undefined
      ? {}
      : { USE_SSL: String(endpoint.protocol === "https:"), URL_STYLE: literal("path") }),
  }
  const options = Object.entries(parts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  )
  await connection.run(`CREATE OR REPLACE SECRET objects (${options.join(", ")})`)
  await setEndpoint(connection, "GLOBAL", addressOf(access))
}

/** An empty one is AWS's, of the region. */
const addressOf = ({ endpoint }: ObjectStoreAccess): string =>
  endpoint === undefined ? "" : `${endpoint.host}${endpoint.pathname.replace(/\/$/, "")}`

const setEndpoint = async (
  connection: DuckDBConnection,
  scope: "GLOBAL" | "SESSION",
  address: string,
): Promise<void> => void (await connection.run(`SET ${scope} s3_endpoint = ${literal(address)}`))

/** No port: a request fails before it is sent. */
const NOWHERE = "nowhere:99999"

/**
 * DuckLake removes the objects of a transaction whose COMMIT fails, although PostgreSQL may have committed, and only its answer
 * was lost (docs/decisions/0034). It does so outside any connection: during COMMIT only these two reach the store.
 */
export const newObjects = async (
  { reader, writer }: Pick<Connections, "writer" | "reader">,
  access: ObjectStoreAccess,
): Promise<NewFiles> => {
  const address = addressOf(access)
  for (const each of [writer, reader]) await setEndpoint(each, "SESSION", address)
  const reachAll = () => setEndpoint(writer, "GLOBAL", address)
  return {
    // Where the turn before could not undo it.
    begin: reachAll,
    keep: () => setEndpoint(writer, "GLOBAL", NOWHERE),
    release: reachAll,
  }
}
