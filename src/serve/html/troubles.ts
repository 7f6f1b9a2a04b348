// What is wrong with a vault, in words.
import type { Row } from "./columns.ts"
import { html, type Html, type Part } from "./html.ts"

/** Severity of what is wrong with the data, not with the vault. */
const DATA = 3

const marks: Readonly<Record<number, string>> = { 1: "Trouble", 2: "Watch", 3: "Data" }

/** What is wrong with the data is one line; `link` leads to the figure of a trouble, where it has one. */
export const troubleList = (
  troubles: ReadonlyArray<Row>,
  link?: (trouble: Row, column: string) => string,
): Html => {
  const words = (trouble: Row): Part => {
    const { figure: column, words: text } = trouble
    return link !== undefined && typeof column === "string"
      ? html`<a href="${link(trouble, column)}">${String(text)}</a>`
      : String(text)
  }
  const onData = troubles.filter(({ severity }) => severity === DATA)
  return html`<ul class="troubles">
    ${troubles.filter(({ severity }) => severity !== DATA).map((trouble) => item(Number(trouble["severity"]), words(trouble)))}
    ${onData.length > 0 && item(DATA, onData.map(({ words: text }) => String(text)).join("; "))}
  </ul>`
}

const item = (severity: number, words: Part): Html =>
  html`<li class="severity-${severity}">
    <span class="mark">${marks[severity]}</span> <span>${words}</span>
  </li>`
