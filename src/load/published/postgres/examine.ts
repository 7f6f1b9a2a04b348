// Whether a database can be published to, without changing anything there.
import * as Effect from "effect/Effect"
import type { PostgresTarget } from "../../../domain/stores/postgresUrl.ts"
import { sqlFile } from "../../sql/sqlFile.ts"
import { connect } from "../../postgres/connect.ts"
import { PostgresError, postgresError } from "../../postgres/PostgresError.ts"

interface Server {
  readonly version: string
  readonly user: string
  readonly is_encrypted: boolean | null
  readonly may_create: boolean
}

/** What was found, in a sentence. */
export const examine = (target: PostgresTarget): Effect.Effect<string, PostgresError> =>
  Effect.tryPromise({
    try: async () => {
      const client = await connect(target)
      try {
        const { rows } = await client.query<Server>(sqlFile("postgres", "server"))
        const [found] = rows
        if (found?.may_create !== true) {
          throw new PostgresError({
            target: target.shown,
            why: `${found?.user} may not create schemas in ${target.database}`,
            advice: `Let an administrator run \`grant create on database ${target.database} to ${found?.user}\`.`,
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
