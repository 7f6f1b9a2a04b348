// Publishes a published copy to PostgreSQL (docs/decisions/0019-publishing-to-postgresql.md). Readers there see one
// whole publication at any time; if a publication is killed, the next one reuses its parts.
import { rm } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Client } from "pg"
import { stoppable } from "../../../domain/run/stoppable.ts"
import type { PostgresTarget } from "../../../domain/stores/postgresUrl.ts"
import type { Table } from "../../../domain/table/table.ts"
import { fingerprint } from "../../../domain/values/fingerprint.ts"
import { publishedDirectory } from "../read/PublishedCopy.ts"
import { openCopy } from "../read/reader/openCopy.ts"
import type { Current, PublishedKeep } from "../publishedFiles.ts"
import { identifier } from "../../sql/sql.ts"
import { connect } from "../../postgres/connect.ts"
import { describeViews, makeRole, readsNothing } from "./describe.ts"
import { type Names, namesOf } from "./names.ts"
import { materialize, periodsOf, writeCsv } from "./periods.ts"
import { describeServer, type Server, serverProblem } from "../../postgres/suitableServer.ts"
import { postgresError } from "../../postgres/explainPostgres.ts"
import { PostgresError } from "../../errors.ts"
import { type Relation, relationsOf } from "./relations.ts"
import { removeOld, removeUnusedParts } from "./retention.ts"
import { addPart, keyOf, openStore, storedParts } from "./store.ts"
import { type Content, makeRunSchema, switchViews } from "./views.ts"
import { makeFolder } from "../../../domain/flush.ts"

export interface PostgresSchemas {
  /** Prefix of the names of all schemas. */
  readonly prefix: string
  /** A role that may read them. */
  readonly role: string | undefined
}

export interface PostgresPublication {
  /** Schema of the publication. */
  readonly schema: string
  readonly rows: number
  /** Rows copied by this publication: those of the tables and months that changed. */
  readonly rowsCopied: number
  readonly seconds: number
}

interface Request extends PostgresSchemas {
  readonly target: PostgresTarget
  readonly keep: PublishedKeep
  readonly dataDir: string
  /** The published copy. */
  readonly current: Current
  /** Whether that run's publication is a later one of the same warehouse. */
  readonly isLater: (runId: string) => Promise<boolean>
  readonly tables: ReadonlyArray<Table>
}

/**
 * Publishes the copy; `undefined` if the database has a later one, of another data directory. An interruption waits until the
 * running statement has ended.
 */
export const publishToPostgres = (
  request: Request,
): Effect.Effect<PostgresPublication | undefined, PostgresError> =>
  stoppable({
    try: (stop) => publishAll(request, stop),
    catch: (cause) => postgresError(request.target.shown, cause),
  })

const publishAll = async (
  request: Request,
  stop: AbortSignal,
): Promise<PostgresPublication | undefined> => {
  const began = performance.now()
  const { keep, prefix, role } = request
  const target = request.target.shown
  const names = namesOf(prefix)
  const relations = relationsOf(request.tables)
  const client = await connect(request.target)
  stop.addEventListener("abort", () => void client.end())
  try {
    await suitableServer(client, request.target)
    await openStore(client, target, names)
    // Under the lock: until now, another may have published there.
    const before = await newestRun(client)
    if (before !== undefined && (await request.isLater(before))) return undefined
    if (role !== undefined) await makeRole(client, target, role)
    const copied = await copyContents(request, client, names, relations, stop)
    const run = {
      number: await nextNumber(client),
      runId: request.current.run_id,
      publishedAt: request.current.published_at,
      contents: copied.contents,
    }
    await makeRunSchema(client, names, run, role)
    const described = descriptionOf(relations, role)
    const isNew = await switchViews(client, target, names, run, described)
    if (isNew || (await readsNothing(client, names, role))) {
      await describeViews(client, names, relations, role, described)
    }
    await removeOld(client, names, keep)
    return {
      schema: names.run(run.number),
      rows: copied.rows,
      rowsCopied: copied.rowsCopied,
      seconds: (performance.now() - began) / 1000,
    }
  } finally {
    await client.end().catch(() => undefined)
  }
}

const newestRun = async (client: Client): Promise<string | undefined> => {
  const { rows } = await client.query<{ run_id: string }>(
    "SELECT run_id FROM publications ORDER BY number DESC LIMIT 1",
  )
  return rows[0]?.run_id
}

const nextNumber = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ number: string }>(
    "SELECT coalesce(max(number), 0) + 1 AS number FROM publications",
  )
  return Number(rows[0]?.number)
}

const descriptionOf = (relations: ReadonlyArray<Relation>, role: string | undefined): string =>
  fingerprint(
    role,
    relations.map(({ name, comment, columns }) => [name, comment, columns]),
  )

interface Copied {
  readonly contents: ReadonlyArray<Content>
  readonly rows: number
  readonly rowsCopied: number
}

/** Copies the periods that the database lacks, one at a time through a file, so that memory does not grow with them. */
const copyContents = async (
  { dataDir, current }: Request,
  client: Client,
  names: Names,
  relations: ReadonlyArray<Relation>,
  stop: AbortSignal,
): Promise<Copied> => {
  const folder = join(dataDir, "tmp", "postgres")
  await makeFolder(folder)
  const file = join(folder, "rows.csv")
  const stored = await storedParts(client)
  const contents: Array<Content> = []
  let rows = 0
  let rowsCopied = 0
  const opened = await openCopy(join(publishedDirectory(dataDir), current.file), {
    memoryLimit: "256MB",
    spill: folder,
    exportFolder: folder,
    // So that sums of doubles are equal each time, and unchanged periods are not copied again.
    threads: 1,
  })
  const { connection } = opened
  const interrupt = (): void => connection.interrupt()
  stop.addEventListener("abort", interrupt)
  try {
    // One transaction, so that all marts have the same present time.
    await connection.run("BEGIN")
    for (const relation of relations) {
      const source = await materialize(connection, relation)
      const parts: Array<string> = []
      const periods = await periodsOf(connection, relation, source)
      const known = periods.flatMap((period) => stored.get(keyOf(relation, period)) ?? [])
      await removeUnusedParts(client, names, known, relation)
      for (const period of periods) {
        stop.throwIfAborted()
        let id = stored.get(keyOf(relation, period))
        if (id === undefined) {
          await writeCsv(connection, relation, source, period, file)
          id = await addPart(client, names, relation, period, file)
          rowsCopied += period.rows
        }
        rows += period.rows
        parts.push(id)
      }
      contents.push({ relation, parts })
    }
  } finally {
    stop.removeEventListener("abort", interrupt)
    opened.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { contents, rows, rowsCopied }
}

/** Throws a `PostgresError` if each publication to it would fail. */
const suitableServer = async (client: Client, target: PostgresTarget): Promise<Server> => {
  const server = await describeServer(client)
  const problem = serverProblem(target, server, "publish.postgres")
  if (problem !== undefined) throw new PostgresError({ target: target.shown, ...problem })
  return server
}

/** Whether the database can be published to, in a sentence; changes nothing there. */
export const examine = (target: PostgresTarget): Effect.Effect<string, PostgresError> =>
  Effect.tryPromise({
    try: async () => {
      const client = await connect(target)
      try {
        const found = await suitableServer(client, target)
        if (!found.may_create) {
          throw new PostgresError({
            target: target.shown,
            why: `${found.user} may not create schemas in ${target.database}`,
            advice: `Have an administrator run \`grant create on database ${identifier(target.database)} to ${identifier(found.user)}\`.`,
          })
        }
        const tls = found.is_encrypted === true ? "with TLS" : "without TLS"
        return `PostgreSQL ${found.version} at ${target.shown}, ${tls}`
      } finally {
        await client.end()
      }
    },
    catch: (cause) => postgresError(target.shown, cause),
  })
