// The requests of a sync's first run, from its archive's index. The floor, the plain script and dlt read the same.
import { join } from "node:path"
import { readOnly } from "../../test/support/readOnly.ts"

export interface ReadUrl {
  readonly endpoint: string
  readonly url: string
  readonly vault: string
}

export const urlsOf = async (dataDir: string): Promise<ReadonlyArray<ReadUrl>> => {
  const found = await readOnly(join(dataDir, "vaulthouse.duckdb"), (connection) =>
    connection.runAndReadAll(
      `select endpoint, url, coalesce(subject ->> 'address', '') as vault from raw.responses
       where run_id = (select min(run_id) from raw.responses) and status = 200`,
    ),
  )
  return found.getRowObjectsJson().map(({ endpoint, url, vault }) => ({
    endpoint: String(endpoint),
    url: String(url),
    vault: String(vault),
  }))
}
