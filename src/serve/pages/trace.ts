// Shows where a figure comes from: its row, the rows it derives from, their runs and their archived responses.
import * as Effect from "effect/Effect"
import { parseInstant } from "../../domain/values/time.ts"
import { ReadError } from "../../pipelines/readers/published.ts"
import { type Fragment, fragmentText } from "../../pipelines/readers/trace/fragment.ts"
import { columnsText } from "../../pipelines/readers/trace/martRows.ts"
import type { Row } from "../../pipelines/readers/runs.ts"
import {
  type Origins,
  trace,
  type Trace,
  type TracedFact,
} from "../../pipelines/readers/trace/trace.ts"
import type { Moment } from "../../pipelines/readers/trace/traceTarget.ts"
import { count } from "../figures.ts"
import { time } from "../html/figure.ts"
import { html, type Html, nothing } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { pairs, valueCell } from "../html/values.ts"
import { runPage } from "../links.ts"
import { computedRead } from "../runQuery.ts"
import type { Site } from "../site.ts"

// A daily figure derives from up to 24 hourly rows; the page shows only the newest.
const MAX_ROWS = 5

/** The parameters are the column (if any), the values of the key, and an instant (`at`). */
export const readTracePage = (
  { latest, limits, dataDir, archive }: Site,
  table: string,
  { column, vault_address, at, ...key }: Readonly<Record<string, string>>,
) =>
  Effect.flatMap(momentOf(at), (moment) =>
    // A trace computes marts, and reads the archive.
    computedRead(
      latest,
      limits,
    )((copy) => {
      const request = {
        table,
        column,
        vault: vault_address,
        moment,
        key,
        named: (name: string, value: string, isTime: boolean) =>
          `${isTime ? "at" : name}=${value} in the address`,
        maxRows: MAX_ROWS,
      }
      const traced = (withBody: boolean) =>
        trace(copy, { dataDir, archive }, { ...request, withBody })
      return traced(true).pipe(
        // The machine with the published copy may have no archive.
        Effect.catchTag("LoadError", () => traced(false)),
        Effect.map(traceDocument),
      )
    }),
  )

/** The instant of a link; the moment is one microsecond long. */
const momentOf = (at: string | undefined): Effect.Effect<Moment | undefined, ReadError> => {
  if (at === undefined) return Effect.succeed(undefined)
  const from = parseInstant(at)
  return from === undefined
    ? Effect.fail(
        new ReadError({
          why: `at=${at} is not an instant such as 2026-05-01T03:00:00Z.`,
          advice: "Without it, the newest row is traced.",
        }),
      )
    : Effect.succeed({ from, to: from + 1, text: at })
}

const traceDocument = ({ table, key, values, origins }: Trace): Page => ({
  title: `Trace of ${table}`,
  body: html`<h1>Where this comes from</h1>
    <p class="lead">A row of <code>${table}</code>, back to the responses it was read from.</p>
    ${pairs(key)}
    <h2>${Object.keys(values).length === 1 ? "Figure" : "Figures"}</h2>
    ${pairs(values)}
    ${origins.length === 0 ? html`<p>It derives from no row.</p>` : origins.map(originSection)}`,
})

const originSection = ({ table, columns, facts, more }: Origins): Html =>
  html`<section class="origin">
    <h2>From <code>${table}</code></h2>
    <p class="lead">${columnsText(columns)}</p>
    ${facts.length === 0 ? html`<p>It derives from no row of this table.</p>` : facts.map(factArticle)}
    ${more > 0 && html`<p>${count(more)} more rows are not shown.</p>`}
  </section>`

const factArticle = ({
  key,
  values,
  first_seen_at,
  updated_at,
  superseded,
  ...found
}: TracedFact): Html =>
  html`<article class="fact">
    <h3>Row</h3>
    ${pairs({ ...key, ...values })}
    <p>First loaded at ${time(first_seen_at)}, with these values since ${time(updated_at)}.</p>
    ${
      superseded.length > 0 &&
      html`<h3>Before that</h3>
        ${superseded.map(versionSection)}`
    }
    ${found.run ? runSection(found.run) : html`<p>The run that wrote it is not recorded.</p>`}
    ${
      found.response
        ? responseSection(found.response)
        : html`<p>
            No response is archived: vaulthouse wrote this row itself, or the archive was lost.
          </p>`
    }
    ${found.fragment ? fragmentSection(found.fragment) : nothing}
  </article>`

const fragmentSection = (fragment: Fragment): Html => {
  const { text, leftOut } = fragmentText(fragment)
  return html`<h3>In the response</h3>
    <p>
      <code>${fragment.path}</code>
      <span class="note">found by ${fragment.matched.join(", ")}</span>
    </p>
    <pre class="scroll" tabindex="0">${text}</pre>
    ${
      leftOut > 0 &&
      html`<p>
        ${count(leftOut)} more characters are not shown: <code>vaulthouse trace --body --json</code>
        prints all of it from the archive.
      </p>`
    }`
}

const versionSection = (version: Row): Html => {
  const values = Object.fromEntries(
    Object.entries(version).filter(([column]) => !column.startsWith("_")),
  )
  return html`${pairs(values)}
    <p>From ${time(version["_updated_at"])} until ${time(version["_superseded_at"])}.</p>`
}

const runSection = (run: Row): Html =>
  html`<h3>Run</h3>
    <p>
      <a href="${runPage(run["run_id"])}">${String(run["run_id"])}</a>:
      <code>${valueCell(run["command"])}</code>, ${valueCell(run["outcome"])}, vaulthouse
      ${valueCell(run["vaulthouse_version"])}
    </p>`

const responseSection = (response: Row): Html =>
  html`<h3>Response</h3>
    ${pairs({
      endpoint: response["endpoint"],
      request: `${String(response["method"])} ${String(response["url"])}`,
      ...(response["request_body"] === null ? {} : { sent: response["request_body"] }),
      status: response["status"],
      received: response["received_at"],
      bytes: response["bytes"],
      archived: `in segment ${String(response["archive_file"])}, frame at byte ${String(response["archive_offset"])}`,
      sha256: response["body_sha256"],
    })}`
