// Lists the troubles of a vault.
import type { Row } from "./columns.ts"
import { html, type Html, type Child } from "./html.ts"

/** The severity of troubles with the data, not with the vault. */
const DATA_SEVERITY = 3

const marks: Readonly<Record<number, string>> = { 1: "Trouble", 2: "Watch", 3: "Data" }

/** Troubles with the data share one item; `link` returns the link to the figure of a trouble that has one. */
export const troubleList = (
  troubles: ReadonlyArray<Row>,
  link?: (trouble: Row, column: string) => string,
): Html => {
  const description = (trouble: Row): Child => {
    const { figure: column, words: text } = trouble
    return link !== undefined && typeof column === "string"
      ? html`<a href="${link(trouble, column)}">${String(text)}</a>`
      : String(text)
  }
  const onData = troubles.filter(({ severity }) => severity === DATA_SEVERITY)
  return html`<ul class="troubles">
    ${troubles.filter(({ severity }) => severity !== DATA_SEVERITY).map((trouble) => item(Number(trouble["severity"]), description(trouble)))}
    ${onData.length > 0 && item(DATA_SEVERITY, onData.map(({ words }) => String(words)).join("; "))}
  </ul>`
}

const item = (severity: number, description: Child): Html =>
  html`<li class="severity-${severity}">
    <span class="mark">${marks[severity]}</span> <span>${description}</span>
  </li>`
