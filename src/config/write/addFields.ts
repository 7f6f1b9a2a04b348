// Adds names to the setting `fields` of a configuration file; comments and everything else in it stay.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { isMap, parseDocument } from "yaml"

/** Creates the file if there is none. Columns that are already set keep their field. */
export const addFields = (path: string, fields: Readonly<Record<string, string>>): void => {
  const document = parseDocument(existsSync(path) ? readFileSync(path, "utf8") : "")
  if (!isMap(document.get("fields"))) document.set("fields", document.createNode({}))
  for (const [column, field] of Object.entries(fields)) {
    if (!document.hasIn(["fields", column])) document.setIn(["fields", column], field)
  }
  writeFileSync(path, document.toString({ lineWidth: 0 }))
}
