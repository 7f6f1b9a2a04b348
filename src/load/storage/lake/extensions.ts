// DuckDB's extensions for a lake: loaded from a folder of the user's, or installed from DuckDB's own repository. Each
// must be signed and of the engine's exact version; a mismatch is never forced, since it crashes the process.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type DuckDBConnection, version } from "@duckdb/node-api"
import { isInObjectStore } from "../../../domain/stores/objectStore.ts"
import { LoadError } from "../../errors.ts"
import { disableAutoload } from "../../duckdb/confine.ts"
import { literal } from "../../sql/sql.ts"
import { causeMessage } from "../../../domain/values/causeMessage.ts"

/** The extensions for a lake whose Parquet files are at `data`. */
export const extensionsFor = (data: string): ReadonlyArray<string> => [
  "ducklake",
  "postgres_scanner",
  ...(isInObjectStore(data) ? ["httpfs", "aws"] : []),
]

const WHERE =
  "DuckDB's own repository has the extensions (`INSTALL` in a DuckDB of this version), and so do the wheels `duckdb-extension-*` on PyPI"

const refused = (what: string, why: string, advice: string, cause?: unknown): LoadError =>
  new LoadError({ reason: "Extension", what, why, advice, cause })

/** DuckDB's reason, without its instructions on how to load the extension despite a mismatch. */
const whyNot = (cause: unknown): string => {
  const text = causeMessage(cause)
  const [, built] = /built specifically for DuckDB version '([^']+)'/.exec(text) ?? []
  if (built !== undefined) return `it was built for DuckDB ${built}, and this is ${version()}`
  const [, platform] = /built for the platform '([^']+)'/.exec(text) ?? []
  if (platform !== undefined) return `it was built for another platform (${platform})`
  if (/signature|unsigned/i.test(text)) return "it is not signed by DuckDB"
  return (text.split("\n")[0] ?? "").replace(/[.!]$/, "")
}

const loadFrom = async (
  connection: DuckDBConnection,
  folder: string,
  name: string,
): Promise<void> => {
  const file = join(folder, `${name}.duckdb_extension`)
  const what = `DuckDB's extension ${name} can't be loaded from lake.extensions`
  if (!existsSync(file)) {
    throw refused(
      what,
      `there is no ${file}`,
      `Put the one for DuckDB ${version()} there: ${WHERE}.`,
    )
  }
  try {
    await connection.run(`LOAD ${literal(file)}`)
  } catch (cause) {
    const why = `${file}: ${whyNot(cause)}`
    throw refused(what, why, `Replace it with the one for DuckDB ${version()}: ${WHERE}.`, cause)
  }
}

const install = async (connection: DuckDBConnection, name: string): Promise<void> => {
  try {
    await connection.run(`INSTALL ${name}; LOAD ${name}`)
  } catch (cause) {
    const why = whyNot(cause)
    const allow = /Failed to create directory|home directory/.test(why)
      ? "Set HOME to a folder that this user may write"
      : "Allow access to extensions.duckdb.org"
    throw refused(
      `DuckDB's extension ${name} can't be installed`,
      why,
      `${allow}, or put the files for DuckDB ${version()} into a folder and set lake.extensions to it: ${WHERE}.`,
      cause,
    )
  }
}

/** Loads these, and from then on no other. `folder` is the setting lake.extensions. Rejects with `LoadError`. */
export const loadExtensions = async (
  connection: DuckDBConnection,
  names: ReadonlyArray<string>,
  folder: string | undefined,
): Promise<void> => {
  for (const name of names) {
    await (folder === undefined ? install(connection, name) : loadFrom(connection, folder, name))
  }
  await disableAutoload(connection)
}
