// Writes the generated pages of docs/ and the generated files of the dbt project: `make docs`.
import { writeFileSync } from "node:fs"
import { posix } from "node:path"
import { configJsonSchema } from "../../config/settings/jsonSchema.ts"
import { openapi } from "../../pipelines/service/openapi.ts"
import { print } from "../terminal/output.ts"
import { checksPage } from "./checksPage.ts"
import { dbtFiles } from "./dbt/files.ts"
import { commandPage } from "./page.ts"
import { tablesPage } from "./tablesPage.ts"

const pages: Readonly<Record<string, string>> = {
  "docs/checks.md": checksPage(),
  "docs/cli.md": await commandPage(),
  "docs/config.schema.json": `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  "docs/openapi.json": `${JSON.stringify(openapi(), null, 2)}\n`,
  "docs/tables.md": tablesPage(),
  ...dbtFiles(),
}

for (const [file, text] of Object.entries(pages)) {
  writeFileSync(new URL(posix.join("../../..", file), import.meta.url), text)
  print(`${file}\n`)
}
