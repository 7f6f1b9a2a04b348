// The views of a publication: those of its run's schema, then those that readers use, which are all switched to it at
// once.
import { setTimeout } from "node:timers/promises"
import type { Client } from "pg"
import { identifier, identifiers, literal } from "../../sql/sql.ts"
import { sqlFile } from "../../sql/sqlFile.ts"
import { nameInRun, type Names, partTable, qualifiedName } from "./names.ts"
import { isState } from "../../postgres/explainPostgres.ts"
import { PostgresError } from "../../errors.ts"
import type { Relation } from "./relations.ts"
import { inTransaction } from "./store.ts"

/** A relation and the parts that hold its rows. */
export interface Content {
  readonly relation: Relation
  readonly parts: ReadonlyArray<string>
}

export interface Run {
  readonly number: number
  readonly runId: string
  readonly publishedAt: string
  readonly contents: ReadonlyArray<Content>
}

/** Creates the run's schema, which never changes afterwards. */
export const makeRunSchema = (
  client: Client,
  names: Names,
  { number, runId, contents }: Run,
  role: string | undefined,
): Promise<void> =>
  inTransaction(client, async () => {
    const schema = names.run(number)
    const grants =
      role === undefined
        ? []
        : [
            `GRANT USAGE ON SCHEMA ${identifier(schema)} TO ${identifier(role)}`,
            `GRANT SELECT ON ALL TABLES IN SCHEMA ${identifier(schema)} TO ${identifier(role)}`,
          ]
    await client.query(
      [
        `CREATE SCHEMA ${identifier(schema)}`,
        `COMMENT ON SCHEMA ${identifier(schema)} IS ${literal(`vaulthouse: run ${runId}`)}`,
        ...contents.map(
          ({ relation, parts }) =>
            `CREATE VIEW ${qualifiedName(schema, nameInRun(relation.name))} AS ${unionOf(names, relation, parts)}`,
        ),
        ...grants,
      ].join(";\n"),
    )
  })

const unionOf = (names: Names, { columns }: Relation, parts: ReadonlyArray<string>): string => {
  const list = identifiers(columns.map(({ name }) => name))
  if (parts.length === 0) {
    const nulls = columns.map(({ name, type }) => `NULL::${type} AS ${identifier(name)}`)
    return `SELECT ${nulls.join(", ")} WHERE false`
  }
  return parts
    .map((id) => `SELECT ${list} FROM ${qualifiedName(names.own, partTable(id))}`)
    .join(" UNION ALL ")
}

interface View {
  readonly schema: string
  readonly name: string
  readonly owner: string
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string }>
  /** Statements that grant its present privileges again. */
  readonly grants: ReadonlyArray<string>
  /** The same for those on a single column. */
  readonly column_grants: ReadonlyArray<{ readonly column: string; readonly statement: string }>
}

interface Previous {
  readonly relations: ReadonlyArray<string>
  readonly described: string | null
}

// Readers wait while the views are switched, and transactions that use one hold up the switch. PostgreSQL looks for
// deadlocks after a second (deadlock_timeout), so giving up before that never costs a reader its query. Short attempts
// find a moment without readers, long ones wait until readers have ended. What is limited is the wait for the locks of
// all views together: with them, the switch waits for no reader, and may take as long as a slow server needs.
const ATTEMPT_MILLIS = [100, 200, 400, 800]
const LONGEST_WAIT_MILLIS = 60_000
const LONGEST_PAUSE_MILLIS = 300

/** Switches all views to the run in one transaction. Returns whether comments and grants have to be made again. */
export const switchViews = async (
  client: Client,
  target: string,
  names: Names,
  run: Run,
  described: string,
): Promise<boolean> => {
  const { rows } = await client.query<Previous>(
    "SELECT relations, described FROM publications ORDER BY number DESC LIMIT 1",
  )
  const [previous = { relations: [], described: null }] = rows
  const views = await client.query<View>(sqlFile("postgres", "views"), [names.allInUse])
  const existing = new Map(views.rows.map((view) => [`${view.schema}.${view.name}`, view]))
  const plans = run.contents.map(({ relation }) => planOf(names, run, relation, existing, previous))
  const wanted = new Set(run.contents.map(({ relation }) => relation.name))
  const gone = previous.relations.filter(
    (name) => !wanted.has(name) && existing.has(inUse(names, name).join(".")),
  )
  const isDescribed =
    previous.described === described && plans.every(({ isDescribed: kept }) => kept)
  const parts = run.contents.flatMap((content) => content.parts)
  const locks = previous.relations.flatMap((name) => {
    const view = existing.get(inUse(names, name).join("."))
    return view === undefined ? [] : [lockOf(view)]
  })
  const changes = `
    INSERT INTO publications (number, run_id, published_at, relations, described) VALUES (
      ${run.number}, ${literal(run.runId)}, ${literal(run.publishedAt)},
      ARRAY[${[...wanted].map(literal).join(", ")}], ${isDescribed ? literal(described) : "NULL"});
    INSERT INTO publication_parts
      SELECT ${run.number}, unnest(ARRAY[${parts.join(", ")}]::bigint[]);
    ${plans.flatMap(({ statements }) => statements.map((each) => `${each};`)).join("\n")}
    ${gone.map((name) => `DROP VIEW ${qualifiedName(...inUse(names, name))};`).join("\n")}`
  for (const schema of names.allInUse) {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${identifier(schema)}`)
  }
  await retryWhileInUse(client, target, locks, changes)
  return !isDescribed
}

const inUse = (names: Names, relation: string): readonly [string, string] => {
  const [schema = "", name = ""] = relation.split(".")
  return [names.inUse(schema), name]
}

// Changes nothing but locks the view. LOCK TABLE would also lock what the view selects from, and so wait for readers of
// earlier publications.
const lockOf = ({ schema, name, owner }: View): string =>
  `ALTER VIEW ${qualifiedName(schema, name)} OWNER TO ${identifier(owner)};`

/** PostgreSQL adds columns to a view only at its end, so existing columns keep their order. */
const planOf = (
  names: Names,
  { number }: Run,
  { name, columns }: Relation,
  existing: ReadonlyMap<string, View>,
  previous: Previous,
): { readonly statements: ReadonlyArray<string>; readonly isDescribed: boolean } => {
  const [schema, view] = inUse(names, name)
  const target = qualifiedName(schema, view)
  const source = qualifiedName(names.run(number), nameInRun(name))
  const found = existing.get(`${schema}.${view}`)
  const types = new Map(columns.map((column) => [column.name, column.type]))
  const kept = found?.columns.map((column) => column.name) ?? []
  const order = [...kept, ...[...types.keys()].filter((column) => !kept.includes(column))]
  const isCompatible = found?.columns.every((column) => types.get(column.name) === column.type)
  // A view of another application with that name stays, and the statement fails.
  const isOurs = previous.relations.includes(name)
  if (found === undefined || !isOurs) {
    const list = identifiers([...types.keys()])
    return {
      statements: [`CREATE VIEW ${target} AS SELECT ${list} FROM ${source}`],
      isDescribed: false,
    }
  }
  if (isCompatible === true) {
    return {
      statements: [
        `CREATE OR REPLACE VIEW ${target} AS SELECT ${identifiers(order)} FROM ${source}`,
      ],
      isDescribed: true,
    }
  }
  return {
    statements: [
      `DROP VIEW ${target}`,
      `CREATE VIEW ${target} AS SELECT ${identifiers([...types.keys()])} FROM ${source}`,
      ...found.grants,
      ...found.column_grants
        .filter(({ column }) => types.has(column))
        .map((grant) => grant.statement),
    ],
    isDescribed: false,
  }
}

const retryWhileInUse = async (
  client: Client,
  target: string,
  locks: ReadonlyArray<string>,
  changes: string,
): Promise<void> => {
  const until = Date.now() + LONGEST_WAIT_MILLIS
  for (let attempt = 0; ; attempt++) {
    const millis = ATTEMPT_MILLIS[attempt % ATTEMPT_MILLIS.length]
    try {
      // One message, which PostgreSQL runs as one transaction: no lock is held while the network is waited for. Of the
      // changes only a DROP VIEW can still wait, for views of others that depend on it.
      await client.query(`SET LOCAL lock_timeout = ${millis};
        SET LOCAL statement_timeout = ${millis};
        DO $vaulthouse$ BEGIN ${locks.join("\n")} END $vaulthouse$;
        SET LOCAL statement_timeout = 0;
        ${changes}`)
      return
    } catch (cause) {
      if (isState(cause, "2BP01")) throw dependents(target, cause)
      if (!isState(cause, "55P03", "57014", "40P01")) throw cause
      if (Date.now() > until) throw inUseTooLong(target, cause)
      await setTimeout(Math.random() * LONGEST_PAUSE_MILLIS)
    }
  }
}

const inUseTooLong = (target: string, cause: unknown): PostgresError =>
  new PostgresError({
    target,
    why: "its views were in use for a minute without a break, so they could not be switched",
    advice:
      "A transaction left open holds them: `select pid, usename, state, query from pg_stat_activity` shows whose. The next run tries again.",
    cause,
  })

const dependents = (target: string, cause: unknown): PostgresError => {
  const { message, detail = "" } = cause as Error & { readonly detail?: string }
  return new PostgresError({
    target,
    why: `this version has other columns in a view that others depend on (${message}: ${detail.replaceAll("\n", "; ")})`,
    advice: "Drop those views, run `vaulthouse publish`, and create them again.",
    cause,
  })
}
