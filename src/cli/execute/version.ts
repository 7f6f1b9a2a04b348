// The version of vaulthouse, from its manifest, and where its documentation is.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const { version } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
) as { version: string }

/** The folder of the pages; in a package, of those that `mcp` gives an assistant. */
export const docsFolder = fileURLToPath(new URL("../../../docs", import.meta.url))
