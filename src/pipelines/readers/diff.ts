// What changed between two runs, table by table: rows that are new, revised or ended, with what was known before. The
// SQL for a table is generated from its declaration.
import * as Effect from "effect/Effect"
import { didYouMean } from "../../config/read/nearest.ts"
import { type Table, tableName } from "../../domain/table/table.ts"
import { parseInstant } from "../../domain/values/time.ts"
import { UsageError } from "../../domain/UsageError.ts"
import type { PublishedCopy } from "../../load/published/read/PublishedCopy.ts"
import { changesOf } from "./changesBetween.ts"
import { tables } from "../pipelines.ts"
import type { Row, RunHistory, RunRow } from "./runs.ts"
import { tablesIn } from "./storedColumns.ts"
import type { QueryParameters } from "../../domain/values/queryParameter.ts"

/** Runs after `from` (or from the first, if there is none) up to and including `to`. */
export interface Span {
  readonly from: RunRow | undefined
  readonly to: RunRow
}

export interface TableChanges {
  readonly table: string
  readonly added: number
  readonly revised: number
  /** Rows of slowly changing tables, and members of sets (`Table.mergeKey`), that ended. */
  readonly ended: number
}

export interface ChangedRow {
  readonly change: "new" | "revised" | "ended"
  readonly key: Row
  /** Values that differ, or all values of a row that is new or has ended. */
  readonly before: Row
  readonly after: Row
}

export interface DiffOptions {
  /** As typed, with or without `core.`. */
  readonly table: string | undefined
  /** In its canonical spelling; leaves out tables without vaults. */
  readonly vault: string | undefined
}

/** From the older to the newer run, in whichever order they were typed; for one run, what it changed itself. */
export const spanOf = ({ runs }: RunHistory, one: RunRow, other: RunRow | undefined): Span => {
  if (other === undefined) {
    const at = runs.findIndex(({ run_id }) => run_id === one.run_id)
    return { from: runs[at + 1], to: one }
  }
  return one.started_at <= other.started_at ? { from: one, to: other } : { from: other, to: one }
}

const microsOf = (iso: string): number => parseInstant(iso) ?? 0

const parametersOf = ({ from, to }: Span, vault: string | undefined): QueryParameters => ({
  after: { micros: from === undefined ? 0 : microsOf(from.started_at) },
  until: { micros: microsOf(to.started_at) },
  ...(vault === undefined ? {} : { vault }),
})

const keepsPast = ({ schema, mode }: Table): boolean =>
  schema === "core" && (mode === "history" || mode === "slowly_changing")

/** Tables that can be compared between runs. */
export const comparableNames = (): ReadonlyArray<string> => tables.filter(keepsPast).map(tableName)

const hasVaults = ({ columns }: Table): boolean =>
  columns.some(({ name }) => name === "vault_address")

/** The tables of the copy that keep their past, or the one that was named. */
const chosenTables = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  { table: typed, vault }: DiffOptions,
) {
  const known = (yield* tablesIn(copy)).filter(keepsPast)
  const wanted = typed?.replace(/^core\./, "")
  const chosen = known.filter(({ name }) => wanted === undefined || name === wanted)
  if (chosen.length === 0) {
    const names = known.map(({ name }) => name)
    return yield* new UsageError({
      why: `There is no table \`${typed}\` that keeps its history${didYouMean(wanted ?? "", names) || "."}`,
      advice: "`vaulthouse diff` without --table names those that changed.",
    })
  }
  const ofVaults = chosen.filter((table) => vault === undefined || hasVaults(table))
  if (ofVaults.length === 0) {
    return yield* new UsageError({
      why: `core.${wanted} is not about vaults.`,
      advice: "Leave out --vault.",
    })
  }
  return ofVaults
})

/** Tables that changed, with the number of changed rows. */
export const countChanges = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  span: Span,
  options: DiffOptions,
) {
  const parameters = parametersOf(span, options.vault)
  const all: Array<TableChanges> = []
  for (const table of yield* chosenTables(copy, options)) {
    const sql = changesOf(table, options.vault !== undefined)
    const [counts] = yield* copy.rows(
      `select count(*) filter (change = 'new') as added,
         count(*) filter (change = 'revised') as revised,
         count(*) filter (change = 'ended') as ended from (${sql})`,
      parameters,
    )
    const count = (name: string): number => Number(counts?.[name] ?? 0)
    all.push({
      table: tableName(table),
      added: count("added"),
      revised: count("revised"),
      ended: count("ended"),
    })
  }
  return all.filter(({ added, revised, ended }) => added + revised + ended > 0)
})

/** Rows that changed, revised ones first, with their values before and after. */
export const readChanges = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  span: Span,
  options: DiffOptions,
  maxRows: number,
) {
  const [table] = yield* chosenTables(copy, options)
  if (table === undefined) return []
  const rows = yield* copy.rows(
    `select * from (${changesOf(table, options.vault !== undefined)})
     order by change = 'new', change, ${table.key.map((_, at) => `key_${at}`).join(", ")}
     limit ${maxRows}`,
    parametersOf(span, options.vault),
  )
  const content = table.columns.map(({ name }) => name).filter((name) => !table.key.includes(name))
  return rows.map((row) => changedRow(table.key, content, row))
})

/** A row of SQL with the columns `change`, `key_0…`, `before_0…` and `after_0…`, by the names of its columns. */
export const changedRow = (
  key: ReadonlyArray<string>,
  content: ReadonlyArray<string>,
  row: Row,
): ChangedRow => {
  const change = row["change"] as ChangedRow["change"]
  const values = (side: "before" | "after"): Row =>
    Object.fromEntries(
      content.flatMap((name, at) => {
        const value = row[`${side}_${at}`]
        const other = row[`${side === "before" ? "after" : "before"}_${at}`]
        const isShown = change === "revised" ? value !== other : value !== null
        return isShown ? [[name, value]] : []
      }),
    )
  return {
    change,
    key: Object.fromEntries(key.map((name, at) => [name, row[`key_${at}`]])),
    before: values("before"),
    after: values("after"),
  }
}
