// The state of the data: problems, runs, completeness, gaps, quarantine, checks, and fields that no column takes.
import * as Effect from "effect/Effect"
import type { Problem } from "../../domain/problem.ts"
import { readProblems } from "../../pipelines/readers/problems.ts"
import { sqlFile } from "../../pipelines/readers/published.ts"
import { readRunHistory } from "../../pipelines/readers/runs.ts"
import { unmappedFields } from "../../pipelines/readers/unmappedFields.ts"
import { numberColumn, type Row, textColumn, timeColumn } from "../html/columns.ts"
import { count, percent, time } from "../html/figures.ts"
import { html, type Html } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { type Column, tableSection } from "../html/table.ts"
import { runPage } from "../links.ts"
import type { Site } from "../site.ts"
import { type Chosen, readCalendar, readDay } from "./completeness.ts"

// The runs of two days, hour by hour.
const SHOWN_RUNS = 48

export const readDataPage = (site: Site, chosen: Chosen) =>
  Effect.map(readProblems(site.dataDir), (problems): Page => ({
    title: "Data",
    section: "data",
    body: html`<h1>Data</h1>
      ${problemList(problems)}`,
    sections: [
      readCalendar(site, chosen),
      readDay(site, chosen),
      runs(site),
      gaps(site),
      quarantine(site),
      checks(site),
      fields(site),
    ],
  }))

const problemList = (problems: ReadonlyArray<Problem>): Html =>
  problems.length === 0
    ? html`<p class="good">No problem is known.</p>`
    : html`<ul class="problems">
        ${problems.map(({ text, advice, since }) => html`<li>${text} <span class="note">${advice}${since !== null && html` Since ${time(since)}.`}</span></li>`)}
      </ul>`

export const runColumn: Column<Row> = {
  label: "Run",
  cell: ({ run_id }) => html`<a class="code" href="${runPage(run_id)}">${String(run_id)}</a>`,
}

const runs = ({ latest, dataDir }: Site) =>
  latest.read((copy) =>
    Effect.map(readRunHistory(copy, dataDir), ({ runs: all }) =>
      tableSection<Row>("runs", "Runs", {
        caption: `The newest ${count(Math.min(SHOWN_RUNS, all.length))} of ${count(all.length)}`,
        rows: all.slice(0, SHOWN_RUNS),
        empty: "No run is recorded.",
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
      }),
    ),
  )

const gaps = ({ latest }: Site) =>
  latest.read((copy) =>
    Effect.map(copy.rows(sqlFile("serve", "data_gaps")), (rows) =>
      tableSection("gaps", "Gaps", {
        caption: "Parts of histories known to be missing; a later run requests the open ones again",
        rows,
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
      }),
    ),
  )

const quarantine = ({ latest }: Site) =>
  latest.read((copy) =>
    Effect.map(copy.rows(sqlFile("serve", "data_quarantine")), (rows) =>
      tableSection("quarantine", "Quarantine", {
        caption: "What broke the contract and is not loaded yet, the newest first",
        rows,
        empty: "Nothing is in quarantine.",
        columns: [
          textColumn("Endpoint", "endpoint"),
          textColumn("Partition", "entity"),
          textColumn("Path", "json_path"),
          textColumn("Detail", "detail"),
          timeColumn("At", "quarantined_at"),
          runColumn,
        ],
      }),
    ),
  )

const checks = ({ latest }: Site) =>
  latest.read((copy) =>
    Effect.map(copy.rows(sqlFile("serve", "data_checks")), (rows) =>
      tableSection("checks", "Checks", {
        caption: `Of ${count(rows.length)} checks, those whose newest result is a failure`,
        rows: rows.filter(({ outcome }) => outcome === "failed"),
        empty: rows.length === 0 ? "No check has run." : `All ${count(rows.length)} checks passed.`,
        columns: [
          textColumn("Check", "check_name"),
          textColumn("Severity", "severity"),
          numberColumn("Wrong rows", "failures", count),
          timeColumn("At", "checked_at"),
          runColumn,
        ],
      }),
    ),
  )

const fields = ({ latest }: Site) =>
  latest.read((copy) =>
    Effect.map(unmappedFields(copy), (rows) =>
      tableSection("fields", "Fields without a column", {
        caption:
          "What the service sends that the API document does not name, with its value in the newest rows",
        rows,
        empty: "Every field has a column.",
        columns: [
          { label: "Field", cell: ({ path }) => path },
          { label: "Table", cell: ({ table }) => table },
          { label: "Endpoint", cell: ({ endpoints }) => endpoints.join(", ") },
          { label: "Type", cell: ({ type }) => type },
          { label: "Share of rows", align: "right", cell: ({ share }) => percent(share, 0) },
          { label: "Example", cell: ({ example }) => example.slice(0, 80) },
          { label: "Suggestion", cell: ({ suggestion }) => suggestion },
        ],
      }),
    ),
  )
