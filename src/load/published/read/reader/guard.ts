// Decides from DuckDB's own parse whether a statement may run: one SELECT, or its EXPLAIN, that calls nothing but what
// `callable.ts` allows, and refers to no view or macro that calls anything else.
import type { DuckDBConnection } from "@duckdb/node-api"
import { wrongCallIn } from "./calls.ts"
import { type Definitions, definitionsOf, type Unusable } from "./definitions.ts"
import { explained } from "./explained.ts"
import { type Mentions, mentionsOf, Refused } from "./mentions.ts"

/** What `read` resolves with, read once; read again if it failed, for example because the statement was stopped. */
const once = <A>(read: () => Promise<A>): (() => Promise<A>) => {
  let reading: Promise<A> | undefined
  return () =>
    (reading ??= read().catch((cause: unknown) => {
      reading = undefined
      throw cause
    }))
}

/** Decides about statements on one copy, which never changes. */
export class Guard {
  readonly #connection: DuckDBConnection
  readonly #definitions: () => Promise<Definitions>

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
    this.#definitions = once(() => definitionsOf(connection))
  }

  /**
   * The statement to run. Throws `Refused`, or DuckDB's error if it can't be parsed.
   *
   * DuckDB parses only a SELECT for others, so the words of an EXPLAIN are split off here. What runs is put together
   * from them and the SELECT that was checked: DuckDB may see the borders of comments elsewhere.
   */
  async check(sql: string): Promise<string> {
    const found = explained(sql)
    const select = found?.select ?? sql
    const mentions = await mentionsOf(this.#connection, select)
    const wrong = wrongIn(mentions, await this.#definitions())
    if (wrong !== undefined) throw new Refused(`A query can't use ${wrong.name}: ${wrong.why}.`)
    return found === undefined ? sql : `${found.words}${select}`
  }
}

const wrongIn = (
  mentions: Mentions,
  { macros, tables, all }: Definitions,
): Unusable | undefined => {
  if (all !== undefined) return all
  const call = wrongCallIn(mentions, macros)
  if (call !== undefined) return { name: `${call.name}()`, why: call.why }
  for (const name of mentions.tables) {
    const why = tables.get(name)
    if (why !== undefined) return { name, why }
  }
  return undefined
}
