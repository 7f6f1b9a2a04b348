// How the rows of a result are written as CSV and as JSON.
import type { QueryResult } from "../../../load/published/read/PublishedCopy.ts"

type Columns = QueryResult["columns"]

/** Lists and structs as JSON, nothing for null. */
export const cellText = (value: unknown): string =>
  value === null || value === undefined
    ? ""
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value)

/** One line without its end. With `isSafe`, text that a spreadsheet would run as a formula gets a ' in front. */
export const csvLine = (values: ReadonlyArray<unknown>, isSafe: boolean): string =>
  values.map((value) => csvCell(value, isSafe)).join(",")

/** An empty text is quoted, to differ from null. */
const csvCell = (value: unknown, isSafe: boolean): string => {
  const plain = cellText(value)
  const text =
    isSafe && typeof value === "string" && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain
  if (value === "") return '""'
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One JSON object. JSON values are copied as stored, on one line: parsing would lose digits. */
export const jsonObject = (columns: Columns, row: ReadonlyArray<unknown>): string => {
  const fields = columns.map(({ name, type }, at) => {
    const value = row[at]
    const isJson = type === "JSON" && typeof value === "string"
    const text = isJson ? value.replaceAll(/[\n\r]+\s*/g, " ") : JSON.stringify(value ?? null)
    return `${JSON.stringify(name)}:${text}`
  })
  return `{${fields.join(",")}}`
}
