// Where client/result.ts draws the result of a query over time, if it has a time and figures.
import { html, type Html, nothing } from "../html/html.ts"
import { resultFile } from "../links.ts"
import type { LimitedResult } from "../runQuery.ts"

const isTime = (type: string): boolean => type === "DATE" || type.startsWith("TIMESTAMP")
const isFigure = (type: string): boolean => /INT$|^INTEGER$|^DOUBLE$|^FLOAT$|^DECIMAL/.test(type)

/**
 * A line for each figure over the first time; with a column of text, a line of the first figure for each of its values.
 * Hidden until the script has drawn it.
 */
export const resultChart = (sql: string, { columns, rows }: LimitedResult): Html => {
  const typed = columns.map(({ name, type }) => ({ name, type: String(type) }))
  const time = typed.find(({ type }) => isTime(type))
  // What identifies a vault is no figure.
  const figures = typed.filter(({ name, type }) => isFigure(type) && !name.endsWith("_id"))
  const [first] = figures
  if (time === undefined || first === undefined || rows.length < 2) return nothing
  const names = typed.filter(({ type }) => type === "VARCHAR").map(({ name }) => name)
  const by = names.find((name) => name === "vault_name") ?? names[0]
  const drawn = by === undefined ? figures : [first]
  const title = `${drawn.map(({ name }) => name).join(", ")}${by === undefined ? "" : ` by ${by}`}`
  return html`<figure
    id="result"
    data-path="${resultFile(sql, "json")}"
    data-time="${time.name}"
    data-figures="${JSON.stringify(drawn.map(({ name }) => name))}"
    data-by="${by ?? ""}"
    hidden
  >
    <figcaption>${title}</figcaption>
    <div class="plot"></div>
  </figure>`
}
