// The place of a chart of a query's result, if that has a time and figures; client/result.ts draws it.
import { html, type Html, nothing } from "../html/html.ts"
import type { LimitedResult } from "../runQuery.ts"

const isTime = (type: string): boolean => type === "DATE" || type.startsWith("TIMESTAMP")
const isFigure = (type: string): boolean => /INT$|^INTEGER$|^DOUBLE$|^FLOAT$|^DECIMAL/.test(type)

/**
 * The chart has a line for each figure over the first time column; if there is a text column, it has a line of the
 * first figure for each text. There is none where a line would have several points at one time. It is hidden until the
 * script has drawn it from the `file`, which is JSON.
 */
export const resultChart = (file: string, { columns, rows }: LimitedResult): Html => {
  const time = columns.find(({ type }) => isTime(type))
  // Ids are not figures.
  const figures = columns.filter(({ name, type }) => isFigure(type) && !name.endsWith("_id"))
  const [first] = figures
  if (time === undefined || first === undefined || rows.length < 2) return nothing
  const names = columns.filter(({ type }) => type === "VARCHAR").map(({ name }) => name)
  const by = names.find((name) => name === "vault_name") ?? names[0]
  const places = [time.name, by].map((name) => columns.findIndex((column) => column.name === name))
  const points = new Set(rows.map((row) => JSON.stringify(places.map((place) => row[place]))))
  if (points.size < rows.length) return nothing
  const drawn = by === undefined ? figures : [first]
  const title = `${drawn.map(({ name }) => name).join(", ")}${by === undefined ? "" : ` by ${by}`}`
  return html`<figure
    id="result"
    data-path="${file}"
    data-time="${time.name}"
    data-figures="${JSON.stringify(drawn.map(({ name }) => name))}"
    data-by="${by ?? ""}"
    hidden
  >
    <figcaption>${title}</figcaption>
    <div class="plot"></div>
  </figure>`
}
