// Adds names to the setting `fields` of a configuration file; comments and everything else in it stay.
import { isMap, parseDocument } from "yaml"

/** The text of the file with them. Columns that are already set keep their field. */
export const withFields = (text: string, fields: Readonly<Record<string, string>>): string => {
  const document = parseDocument(text)
  if (!isMap(document.get("fields"))) document.set("fields", document.createNode({}))
  for (const [column, field] of Object.entries(fields)) {
    if (!document.hasIn(["fields", column])) document.setIn(["fields", column], field)
  }
  return document.toString({ lineWidth: 0 })
}
