// Brings the stored tables to their declarations, by additions only; stops with a list of any other differences.
import type { DuckDBConnection } from "@duckdb/node-api"
import { allColumns, type Table, tableName, storedTables } from "../../domain/table/table.ts"
import {
  columnComment,
  columnDefinition,
  commentOnColumn,
  commentOnTable,
  createSchemas,
  createTable,
  tableComment,
} from "./ddl.ts"
import { LoadError, REBUILD } from "../errors.ts"
import {
  fingerprintOf,
  LAYOUT_NUMBER,
  recording,
  storedFingerprint,
  storedLayoutNumber,
} from "./warehouseLayout.ts"
import { transactionIn, type Writer } from "../duckdb/transaction.ts"
import { CATALOG, identifier, literal, qualified, storedType } from "../sql/sql.ts"

interface StoredColumn {
  readonly type: string
  readonly required: boolean
  readonly comment: string | null
}

interface StoredTable {
  readonly comment: string | null
  readonly columns: Map<string, StoredColumn>
}

/** Statements to run, and differences that adding can't bridge. */
export interface MigrationPlan {
  readonly statements: ReadonlyArray<string>
  readonly refused: ReadonlyArray<string>
  /** Whether a warehouse that has tables gains columns or tables. */
  readonly changesStored: boolean
}

const stored = async (connection: DuckDBConnection): Promise<Map<string, StoredTable>> => {
  const tables = await connection.runAndReadAll(
    `SELECT schema_name || '.' || table_name, comment FROM duckdb_tables()
     WHERE database_name = ${literal(CATALOG)}`,
  )
  const columns = await connection.runAndReadAll(
    `SELECT schema_name || '.' || table_name, column_name, data_type, is_nullable, comment
     FROM duckdb_columns() WHERE database_name = ${literal(CATALOG)} ORDER BY column_index`,
  )
  const found = new Map<string, StoredTable>()
  for (const [name, comment] of tables.getRows()) {
    found.set(String(name), { comment: comment as string | null, columns: new Map() })
  }
  for (const [name, column, type, nullable, comment] of columns.getRows()) {
    found.get(String(name))?.columns.set(String(column), {
      type: String(type),
      required: nullable === false,
      comment: comment as string | null,
    })
  }
  return found
}

interface Difference extends Pick<MigrationPlan, "statements" | "refused"> {
  /** The table is dropped and created again, so far without comments. */
  readonly isRemade: boolean
}

const isEmpty = async (connection: DuckDBConnection, table: Table): Promise<boolean> =>
  (await connection.runAndReadAll(`SELECT 1 FROM ${qualified(table)} LIMIT 1`)).currentRowCount ===
  0

const differences = async (
  connection: DuckDBConnection,
  table: Table,
  existing: StoredTable,
): Promise<Difference> => {
  const statements: Array<string> = []
  let isRemade = false
  const refused: Array<string> = []
  const name = qualified(table)
  const wanted = allColumns(table)
  for (const column of wanted) {
    const found = existing.columns.get(column.name)
    const required = column.required === true
    if (found === undefined) {
      if (!required) {
        statements.push(`ALTER TABLE ${name} ADD COLUMN ${columnDefinition(column)}`)
      } else if (await isEmpty(connection, table)) {
        // An added column can't be required, at least in a lake.
        isRemade = true
      } else {
        refused.push(`${tableName(table)}.${column.name} is required but the stored rows lack it`)
      }
    } else if (found.type !== storedType[column.type]) {
      refused.push(
        `${tableName(table)}.${column.name} is stored as ${found.type}, now ${storedType[column.type]}`,
      )
    } else if (found.required && !required) {
      statements.push(`ALTER TABLE ${name} ALTER COLUMN ${identifier(column.name)} DROP NOT NULL`)
    } else if (!found.required && required) {
      refused.push(`${tableName(table)}.${column.name} is stored as optional, now required`)
    }
  }
  for (const column of existing.columns.keys()) {
    if (!wanted.some((each) => each.name === column)) {
      refused.push(`${tableName(table)}.${column} is stored but no longer declared`)
    }
  }
  return isRemade
    ? { statements: [`DROP TABLE ${name}`, createTable(table)], refused, isRemade }
    : { statements, refused, isRemade }
}

const comments = (table: Table, existing: StoredTable | undefined): ReadonlyArray<string> => {
  const changed: Array<string> = []
  if (existing?.comment !== tableComment(table)) changed.push(commentOnTable(table))
  for (const column of allColumns(table)) {
    if (existing?.columns.get(column.name)?.comment !== columnComment(table, column)) {
      changed.push(commentOnColumn(table, column))
    }
  }
  return changed
}

const plan = async (
  connection: DuckDBConnection,
  tables: ReadonlyArray<Table>,
): Promise<MigrationPlan> => {
  const existing = await stored(connection)
  const statements: Array<string> = [...createSchemas]
  const refused: Array<string> = []
  for (const table of tables.flatMap(storedTables)) {
    const found = existing.get(tableName(table))
    if (found === undefined) {
      statements.push(createTable(table), ...comments(table, undefined))
    } else {
      const difference = await differences(connection, table, found)
      statements.push(...difference.statements)
      refused.push(...difference.refused)
      statements.push(...comments(table, difference.isRemade ? undefined : found))
    }
  }
  const changesStored =
    existing.size > 0 && statements.some((statement) => /^(ALTER|CREATE) TABLE/.test(statement))
  return { statements, refused, changesStored }
}

/**
 * Creates what is missing, adds columns and refreshes comments, in one transaction; does nothing if the stored layout
 * is current. `keepCopy` runs before the layout of an existing warehouse changes.
 */
export const migrate = async (
  writer: Writer,
  tables: ReadonlyArray<Table>,
  keepCopy: () => Promise<void>,
): Promise<void> => {
  const fingerprint = fingerprintOf(tables)
  const isCurrent = async () => (await storedFingerprint(writer.connection)) === fingerprint
  if (await isCurrent()) return
  await writer.exclusively(async (turn) => {
    // Another process may have done it while this one waited for its turn.
    if (turn.others?.length !== 0 && (await isCurrent())) return
    const number = await storedLayoutNumber(writer.connection)
    if (number > LAYOUT_NUMBER) throw newerLayout(number)
    const { statements, refused, changesStored } = await plan(writer.connection, tables)
    if (refused.length > 0) throw refusal(refused)
    if (changesStored) await keepCopy()
    await transactionIn(turn, writer, async () => {
      // An ALTER and later statements on the same table must see each other, so they run one at a time. A new
      // warehouse has none, and is made in one call.
      const alters = statements.some((statement) => /^(ALTER|DROP)/.test(statement))
      const calls = alters ? statements : [statements.join(";\n")]
      for (const call of [...calls, ...recording(fingerprint)]) await writer.connection.run(call)
    })
  })
}

const newerLayout = (number: number): LoadError =>
  new LoadError({
    reason: "Migration",
    what: "A newer version of vaulthouse has written this warehouse",
    why: `its layout has the number ${number}, and this version knows those up to ${LAYOUT_NUMBER}`,
    advice:
      "Nothing was changed. Use the newer version. A warehouse in a file was copied before that: `vaulthouse.before-migration.duckdb` in the data directory.",
  })

const refusal = (refused: ReadonlyArray<string>): LoadError =>
  new LoadError({
    reason: "Migration",
    what: "The stored tables can't be brought to this version by adding columns",
    why: refused.join("; "),
    advice: `Nothing was changed. Use the version that wrote it, or: ${REBUILD}`,
  })
