// Adds names to the setting `fields` of a configuration file; comments and everything else in it stay.
import { isMap, parseDocument } from "yaml"
import { asText } from "../read/file.ts"

/** The text of the file with them. Columns that are already set keep their field. */
export const withFields = (text: string, fields: Readonly<Record<string, string>>): string => {
  // Scalars are text, as they are read: what looks like a number, such as an address without quotes, is written as it was.
  const document = parseDocument(text, asText)
  if (!isMap(document.get("fields"))) document.set("fields", document.createNode({}))
  for (const [column, field] of Object.entries(fields)) {
    if (!document.hasIn(["fields", column])) document.setIn(["fields", column], field)
  }
  return document.toString({ lineWidth: 0 })
}
