// What `make docs` writes is what was committed: the pages, schemas and dbt files that derive from declarations.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { checksPage } from "../../src/cli/pages/checksPage.ts"
import { dbtFiles } from "../../src/cli/pages/dbt/files.ts"
import { commandPage } from "../../src/cli/pages/page.ts"
import { tablesPage } from "../../src/cli/pages/tablesPage.ts"
import { configJsonSchema } from "../../src/config/settings/jsonSchema.ts"
import { openapi } from "../../src/pipelines/service/openapi.ts"

const read = (name: string): string | undefined => {
  const file = join(import.meta.dirname, "../..", name)
  return existsSync(file) ? readFileSync(file, "utf8") : undefined
}
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

it("every generated file is up to date; `make docs` writes it again", async () => {
  const generated: Readonly<Record<string, string>> = {
    "docs/checks.md": checksPage(),
    "docs/cli.md": await commandPage(),
    "docs/config.schema.json": json(configJsonSchema()),
    "docs/openapi.json": json(openapi()),
    "docs/tables.md": tablesPage(),
    ...dbtFiles(),
  }
  // The writer has no page that is not compared here.
  const written = [...(read("src/cli/pages/main.ts") ?? "").matchAll(/"(docs\/[\w./]+)"/g)]
  expect(written.map(([, name = ""]) => name).filter((name) => !(name in generated))).toEqual([])
  const stale = Object.entries(generated).filter(([name, text]) => read(name) !== text)
  expect(stale.map(([name]) => name)).toEqual([])
})
