// The requests of a sync's first run, as its archive's index has them: what the floor, the plain script and dlt read.
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"

export interface ReadUrl {
  readonly endpoint: string
  readonly url: string
  readonly vault: string
}

export const urlsOf = async (dataDir: string): Promise<ReadonlyArray<ReadUrl>> => {
  const instance = await DuckDBInstance.create(join(dataDir, "vaulthouse.duckdb"), {
    access_mode: "READ_ONLY",
  })
  const connection = await instance.connect()
  const found = await connection.runAndReadAll(
    `select endpoint, url, coalesce(subject ->> 'address', '') as vault from raw.responses
     where run_id = (select min(run_id) from raw.responses) and status = 200`,
  )
  connection.closeSync()
  instance.closeSync()
  return found.getRowObjectsJson().map(({ endpoint, url, vault }) => ({
    endpoint: String(endpoint),
    url: String(url),
    vault: String(vault),
  }))
}
