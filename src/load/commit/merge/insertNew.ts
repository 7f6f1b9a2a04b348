// Inserts rows whose keys are distinct and can't be stored yet: the bulk of a first sync, which needs no comparison
// and is appended to its table directly.
import { invariant } from "../../../domain/invariant.ts"
import { tableName } from "../../../domain/table/table.ts"
import { appendRows, type Cells } from "../../duckdb/appendRows.ts"
import type { Counts, MergeContext, Merged } from "./merge.ts"
import { monthsIn } from "../../tables/months.ts"
import { CATALOG } from "../../sql/sql.ts"
import type { PageRows } from "./stage.ts"

/** `pages` are of one table; `stored` are its columns in their stored order. */
export const insertNew = async (
  { connection, tick }: MergeContext,
  pages: ReadonlyArray<PageRows>,
  stored: ReadonlyArray<string>,
): Promise<Merged> => {
  const [first] = pages
  if (first === undefined) return { counts: new Map(), months: new Set() }
  const { table } = first.rows
  const { schema, name } = table
  const absent = table.columns.filter((column) => !stored.includes(column.name))
  invariant(absent.length === 0, "each column of the rows is stored", {
    table: tableName(table),
    absent: absent.map((column) => column.name).join(", "),
  })
  const now = tick()
  const cellsOf = ({ rows, runId }: PageRows): Readonly<Record<string, Cells>> => {
    const seenAt = rows.lineage?.receivedAt ?? now
    return {
      ...Object.fromEntries(
        table.columns.map((column, at) => [column.name, rows.columns[at] ?? null]),
      ),
      _run_id: runId,
      _response_id: rows.lineage?.responseId ?? null,
      valid_from: seenAt,
      is_current: true,
      _first_seen_at: seenAt,
      _updated_at: seenAt,
    }
  }
  const parts = pages.map((page) => {
    const cells = cellsOf(page)
    return { length: page.rows.length, columns: stored.map((column) => cells[column] ?? null) }
  })
  await appendRows(connection, { catalog: CATALOG, schema, name }, parts)
  const counts = new Map<number, Counts>()
  for (const { batch, rows } of pages) {
    const before = counts.get(batch)?.inserted ?? 0
    counts.set(batch, { inserted: before + rows.length, revised: 0, unchanged: 0 })
  }
  return { counts, months: new Set(pages.flatMap(({ rows }) => [...monthsIn(rows)])) }
}
