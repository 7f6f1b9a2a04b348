// Whether a PostgreSQL database can be written, with every character.
import type { Client } from "pg"
import type { PostgresTarget } from "../../domain/stores/postgresUrl.ts"
import { sqlFile } from "../sql/sqlFile.ts"
import { READ_ONLY_ADVICE } from "./explainPostgres.ts"

/** The server, the database and the rights of the connected user. */
export interface Server {
  readonly version: string
  readonly user: string
  readonly is_encrypted: boolean | null
  readonly may_create: boolean
  readonly encoding: string
  readonly is_read_only: boolean
}

// SQL_ASCII stores bytes as they come.
const COMPLETE = new Set(["UTF8", "SQL_ASCII"])

export const describeServer = async (client: Client): Promise<Server> => {
  const { rows } = await client.query<Server>(sqlFile("postgres", "server"))
  return rows[0] as Server
}

/** Why nothing can be written there, if so, and what to do about it. `setting` names the database. */
export const serverProblem = (
  { database }: PostgresTarget,
  { encoding, is_read_only }: Server,
  setting: string,
): { readonly why: string; readonly advice: string } | undefined => {
  if (is_read_only) return { why: "it takes no writes", advice: READ_ONLY_ADVICE }
  if (COMPLETE.has(encoding)) return undefined
  return {
    why: `the encoding of the database ${database} is ${encoding}, which lacks characters of what is stored there; it must be UTF8`,
    advice: `Name another database in \`${setting}\`, as made by \`create database … encoding 'UTF8' locale 'C' template template0\`.`,
  }
}
