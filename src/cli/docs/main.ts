// Writes the generated pages of docs/: node src/cli/docs/main.ts
import { writeFileSync } from "node:fs"
import { configJsonSchema } from "../../config/jsonSchema.ts"
import { commandPage } from "./page.ts"

const pages: Readonly<Record<string, string>> = {
  "cli.md": await commandPage(),
  "config.schema.json": `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
}

for (const [name, text] of Object.entries(pages)) {
  writeFileSync(new URL(`../../../docs/${name}`, import.meta.url), text)
  process.stdout.write(`docs/${name}\n`)
}
