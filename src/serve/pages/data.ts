// Shows the state of the data: problems, runs, completeness, gaps, quarantine, checks, and fields without a column.
import * as Effect from "effect/Effect"
import type { Problem } from "../../domain/run/problem.ts"
import { readKnownProblems } from "../../pipelines/readers/problems/problems.ts"
import { sqlFile } from "../../pipelines/readers/published.ts"
import { readRunHistory } from "../../pipelines/readers/runs.ts"
import { unmappedFields } from "../../pipelines/readers/fields/unmappedFields.ts"
import { linkColumn, numberColumn, type Row, textColumn, timeColumn } from "../html/columns.ts"
import { count, percent, shortened } from "../figures.ts"
import { time } from "../html/figure.ts"
import { html, type Html, name } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { type TableSection, tableSection } from "../html/table.ts"
import { runPage } from "../links.ts"
import { type Site, sqlSection } from "../site.ts"
import { type Selection, readCalendar, readDay } from "./completeness.ts"

// Two days of hourly runs.
const SHOWN_RUNS = 48

export const readDataPage = (site: Site, selection: Selection) =>
  Effect.map(readKnownProblems(site.dataDir), (problems): Page => ({
    title: "Data",
    section: "data",
    body: html`<h1>Data</h1>
      ${site.asOf !== undefined && html`<p class="note">Problems, gaps, quarantine and checks are those of now: their past is not kept.</p>`}
      ${problemList(problems)}`,
    sections: [
      readCalendar(site, selection),
      readDay(site, selection),
      runs(site),
      sqlSection(site, "data", "gaps", gaps),
      sqlSection(site, "data", "quarantine", quarantine),
      checks(site),
      fields(site),
    ],
  }))

const problemList = (problems: ReadonlyArray<Problem> | undefined): Html =>
  problems === undefined
    ? html`<p class="note">
        Whether there are problems is not known: no run has recorded any here, or the user of this
        server may not read health.json.
      </p>`
    : problems.length === 0
      ? html`<p class="good">No problem is known.</p>`
      : html`<ul class="problems">
          ${problems.map(({ text, advice, since }) => html`<li>${text} <span class="note">${advice}${since !== null && html` Since ${time(since)}.`}</span></li>`)}
        </ul>`

const runColumn = linkColumn(
  "Run",
  (row) => runPage(row["run_id"]),
  (row) => shortened(row["run_id"]),
)

const runs = ({ latest, dataDir }: Site) =>
  latest.read((copy) =>
    Effect.map(readRunHistory(copy, dataDir), ({ runs: all }) =>
      tableSection<Row>(
        "runs",
        {
          title: "Runs",
          caption: `The newest ${count(Math.min(SHOWN_RUNS, all.length))} of ${count(all.length)}`,
          empty: "No run is recorded.",
          source: { sql: sqlFile("runs", "list"), what: "Runs" },
          columns: [
            runColumn,
            textColumn("Command", "command"),
            timeColumn("Started", "started_at"),
            numberColumn("Seconds", "seconds", count),
            textColumn("Outcome", "outcome"),
            numberColumn("Requests", "requests", count),
            numberColumn("New rows", "rows_inserted", count),
            numberColumn("Revised", "rows_revised", count),
          ],
        },
        all.slice(0, SHOWN_RUNS),
      ),
    ),
  )

const gaps: TableSection<Row> = {
  title: "Gaps",
  caption: "Parts of histories known to be missing; a later run requests the open ones again",
  empty: "No gap is known.",
  columns: [
    textColumn("Pipeline", "pipeline"),
    textColumn("Partition", "vault_name", "entity"),
    timeColumn("From", "from_at"),
    timeColumn("To", "to_at"),
    textColumn("State", "state"),
    textColumn("Reason", "reason"),
    textColumn("Detail", "detail"),
    runColumn,
  ],
}

const quarantine: TableSection<Row> = {
  title: "Quarantine",
  caption: "What broke the contract and is not loaded yet, the newest first",
  empty: "Nothing is in quarantine.",
  columns: [
    textColumn("Endpoint", "endpoint"),
    textColumn("Partition", "entity"),
    textColumn("Path", "json_path"),
    textColumn("Detail", "detail"),
    timeColumn("At", "quarantined_at"),
    runColumn,
  ],
}

const checks = ({ latest }: Site) =>
  latest.read((copy) =>
    Effect.map(copy.rows(sqlFile("serve", "data_checks")), (rows) =>
      tableSection<Row>(
        "checks",
        {
          title: "Checks",
          caption: `Of ${count(rows.length)} checks, those whose newest result is a failure`,
          empty:
            rows.length === 0 ? "No check has run." : `All ${count(rows.length)} checks passed.`,
          source: { sql: sqlFile("serve", "data_checks"), what: "Checks" },
          columns: [
            textColumn("Check", "check_name"),
            textColumn("Severity", "severity"),
            numberColumn("Wrong rows", "failures", count),
            timeColumn("At", "checked_at"),
            runColumn,
          ],
        },
        rows.filter(({ outcome }) => outcome === "failed"),
      ),
    ),
  )

const fields = ({ latest, fields: setting }: Site) =>
  latest.read((copy) =>
    Effect.map(unmappedFields(copy, { fields: setting }), (rows) =>
      tableSection(
        "fields",
        {
          title: "Fields without a column",
          caption:
            "What the service sends that the API document does not name, with its value in the newest rows",
          empty: "Every field has a column.",
          columns: [
            { label: "Field", cell: ({ path }) => path },
            { label: "Table", cell: ({ table }) => table },
            { label: "Endpoint", cell: ({ endpoints }) => endpoints.join(", ") },
            { label: "Type", cell: ({ type }) => type },
            { label: "Share of rows", align: "right", cell: ({ share }) => percent(share, 0) },
            { label: "Example", cell: ({ example }) => name(example.slice(0, 80)) },
            { label: "Suggestion", cell: ({ suggestion }) => suggestion },
          ],
        },
        rows,
      ),
    ),
  )
