// What tests of the lake share. They are left out where its servers and extensions aren't installed: see `make test-lake`.
import { join } from "node:path"
import { newDatabase, sharedPostgres } from "../support/postgres.ts"

/** Where they are installed; `undefined` in `make test`. */
export const lake = process.env["LAKE"]

/** The folder with DuckDB's extensions. */
export const extensions = join(lake ?? "", "extensions")

/** The URL of an empty database. */
export const newCatalog = async (): Promise<string> => sharedPostgres().url(await newDatabase())
