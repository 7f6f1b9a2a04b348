// The tables of the published copy by schema, each with its meaning and a link to its columns.
import { nameOf, type QueryVocabulary } from "../../pipelines/readers/query/queryVocabulary.ts"
import { html, type Html } from "../html/html.ts"
import { tablePage } from "../links.ts"

const schemas: ReadonlyArray<readonly [schema: string, words: string]> = [
  ["mart", "what most questions need: figures computed from core"],
  ["core", "what the service said, one table for each kind of fact"],
  ["meta", "the dictionary, worked questions, runs and freshness"],
  ["ops", "runs, tasks, gaps, quarantine and checks"],
  ["raw", "the archived responses"],
]

export const tableTree = ({ tables, macros }: QueryVocabulary): Html =>
  html`<section aria-labelledby="tables">
    <h2 id="tables">Tables</h2>
    <p class="note">
      Open a schema to see its tables; each leads to its columns and what they mean.
    </p>
    ${schemas.map(([schema, words]) => {
      const inSchema = tables.filter((table) => table.schema === schema)
      return (
        inSchema.length > 0 &&
        html`<details class="tree">
          <summary><code>${schema}</code> <span class="note">${words}</span></summary>
          <ul>
            ${inSchema.map(
              (table) =>
                html`<li>
                  <a href="${tablePage(nameOf(table))}"><code>${table.name}</code></a>
                  <span class="note">${table.comment}</span>
                </li>`,
            )}
          </ul>
        </details>`
      )
    })}
    <p class="note">
      Called with arguments, as functions are:
      ${macros.map((name, at) => html`${at > 0 && ", "}<code>${name}</code>`)}.
    </p>
  </section>`
