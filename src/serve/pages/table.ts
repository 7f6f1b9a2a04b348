// Shows what a table and its columns mean.
import * as Effect from "effect/Effect"
import { UsageError } from "../../domain/UsageError.ts"
import { findTable, nameOf } from "../../pipelines/readers/query/queryVocabulary.ts"
import { html } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { table } from "../html/table.ts"
import { sqlPage } from "../links.ts"
import type { Site } from "../site.ts"

const FIRST_ROWS = 1000

export const readTablePage = Effect.fnUntraced(function* ({ vocabulary }: Site, wanted: string) {
  const found = findTable(yield* vocabulary, wanted)
  if (found === undefined) {
    return yield* new UsageError({
      why: `There is no table ${wanted}.`,
      advice: "The page for SQL lists them.",
    })
  }
  const title = nameOf(found)
  return {
    title,
    section: "sql",
    body: html`<h1><code>${title}</code></h1>
      <p class="lead">${found.comment}</p>
      <p class="actions">
        <a class="button" href="${sqlPage(`from ${title} limit ${FIRST_ROWS}`)}">Show its rows</a>
        <a class="button" href="/sql#tables">All tables</a>
      </p>
      ${table({
        caption: "Columns, in their order. Times are UTC.",
        rows: found.columns,
        empty: "It has no column.",
        columns: [
          { label: "Column", cell: ({ name }) => html`<code>${name}</code>` },
          { label: "Type", cell: ({ type }) => type.toLowerCase() },
          { label: "Meaning", cell: ({ comment }) => comment },
        ],
      })}`,
  } satisfies Page
})
