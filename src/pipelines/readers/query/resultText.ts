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

/**
 * One line without its end. A null alone is written as an empty text, since many readers skip empty lines. With `isSafe`, a ' is
 * put before whatever a spreadsheet would run as a formula.
 */
export const csvLine = (values: ReadonlyArray<unknown>, isSafe: boolean): string =>
  values.map((value) => csvCell(value, isSafe)).join(",") || '""'

// Spreadsheets of East Asia take the wide signs for the others. Where `;` or a tab separates, a cell may begin inside a text too; what is in quotes for the sake of its commas is then
// no longer in quotes. A comma begins none: where it separates, quotes hold a text with commas together.
const FORMULA = /^(?=[=+\-@＝＋－＠\t\r])|(?<=[;\t\r\n])(?="*[=+\-@＝＋－＠])/g
/** Numbers that JavaScript can't hold are text, and no formulas. */
const NEGATIVE = /^-\d+(?:\.\d+)?$/

/** An empty text is quoted, to differ from null. */
const csvCell = (value: unknown, isSafe: boolean): string => {
  const plain = cellText(value)
  const mayBeFormula = typeof value === "string" || typeof value === "object"
  const text =
    isSafe && mayBeFormula && !NEGATIVE.test(plain) ? plain.replaceAll(FORMULA, "'") : plain
  if (value === "") return '""'
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A value of the type JSON, on one line. Its text is copied, as parsing would lose digits, or is a string if it is not valid. */
const jsonValue = (text: string): string => {
  // DuckDB writes NaN and Infinity, and accepts a comma after the last item.
  try {
    JSON.parse(text)
  } catch {
    return JSON.stringify(text)
  }
  return text.replaceAll(/[\n\r]+\s*/g, " ")
}

/** Writes each row as one JSON object. */
export const jsonObjects = (columns: Columns): ((row: ReadonlyArray<unknown>) => string) => {
  const fields = columns.map(({ name, type }) => ({
    name: JSON.stringify(name),
    isJson: type === "JSON",
  }))
  return (row) => {
    const texts = fields.map(({ name, isJson }, at) => {
      const value = row[at]
      const text =
        isJson && typeof value === "string" ? jsonValue(value) : JSON.stringify(value ?? null)
      return `${name}:${text}`
    })
    return `{${texts.join(",")}}`
  }
}
