// Decides from DuckDB's own parse whether a statement may run: one SELECT, or its EXPLAIN, that calls nothing but what
// `callable.ts` allows, and refers to no view or macro that calls anything else.
import type { DuckDBConnection } from "@duckdb/node-api"
import { type Verdicts, wrongCallIn } from "./calls.ts"
import { macroVerdicts, viewVerdicts } from "./definitions.ts"
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
  readonly #macros: () => Promise<Verdicts>
  readonly #views: () => Promise<Verdicts>

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
    this.#macros = once(() => macroVerdicts(connection))
    this.#views = once(async () => viewVerdicts(connection, await this.#macros()))
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
    const wrong = (await this.#wrongCall(mentions)) ?? (await this.#wrongTable(mentions.tables))
    if (wrong !== undefined) throw new Refused(`A query can't use ${wrong}.`)
    return found === undefined ? sql : `${found.words}${select}`
  }

  async #wrongCall(mentions: Mentions): Promise<string | undefined> {
    if (mentions.functions.size + mentions.tableFunctions.size === 0) return undefined
    const wrong = wrongCallIn(mentions, await this.#macros())
    return wrong && `${wrong.name}(): ${wrong.why}`
  }

  async #wrongTable(tables: Mentions["tables"]): Promise<string | undefined> {
    if (tables.size === 0) return undefined
    const views = await this.#views()
    const wrong = [...tables].find((name) => views.get(name) !== undefined)
    return wrong === undefined ? undefined : `${wrong}: ${views.get(wrong)}`
  }
}
