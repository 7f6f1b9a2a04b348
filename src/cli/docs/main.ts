// Writes the generated pages of docs/ and the dbt sources: node src/cli/docs/main.ts
import { writeFileSync } from "node:fs"
import { posix } from "node:path"
import { configJsonSchema } from "../../config/jsonSchema.ts"
import { openapi } from "../../pipelines/service/openapi.ts"
import { commandPage } from "./page.ts"
import { dbtSources } from "./sources.ts"
import { tablesPage } from "./tablesPage.ts"
import { print } from "../output.ts"

/** By their path below docs/. */
const pages: Readonly<Record<string, string>> = {
  "cli.md": await commandPage(),
  "config.schema.json": `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  "openapi.json": `${JSON.stringify(openapi(), null, 2)}\n`,
  "tables.md": tablesPage(),
  "../warehouse/sources.yml": dbtSources(),
}

for (const [name, text] of Object.entries(pages)) {
  const file = posix.join("docs", name)
  writeFileSync(new URL(`../../../${file}`, import.meta.url), text)
  print(`${file}\n`)
}
