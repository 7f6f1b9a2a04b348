// The parameters of a query on the page: a field for each, with what the comments of the query say about it.
import * as Effect from "effect/Effect"
import { parameterNames, unusedName } from "../../domain/values/queryParameter.ts"
import { ReadError } from "../../pipelines/readers/published.ts"
import { typedValues } from "../../pipelines/readers/query/typedValues.ts"
import { fieldValue, html, type Html, nothing } from "../html/html.ts"
import { filledParts } from "./filledSql.ts"

/** Before the name of a parameter in the page's address: `p.days=30`. */
const PREFIX = "p."

/** The values that an address gives to parameters of the query, those that are not empty. */
export const parametersOf = (
  sql: string,
  address: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...parameterNames(sql)].flatMap((name) => {
      const value = address[`${PREFIX}${name}`]?.trim() ?? ""
      return value === "" ? [] : [[name, value]]
    }),
  )

/** Fails if the address gives a value for a parameter that the query does not have. */
export const onlyParametersOf = (
  sql: string,
  address: Readonly<Record<string, string>>,
): Effect.Effect<void, ReadError> =>
  refuseUnused(
    sql,
    Object.keys(address).flatMap((name) =>
      name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [],
    ),
    PREFIX,
  )

/** Fails if the query does not have all of the names; `prefix` is what stands before a name where it was given. */
export const refuseUnused = (
  sql: string,
  names: Iterable<string>,
  prefix: string,
): Effect.Effect<void, ReadError> => {
  const unused = unusedName(sql, names)
  if (unused === undefined) return Effect.void
  const { name, why, advice } = unused
  return Effect.fail(new ReadError({ why: `${prefix}${name}: ${why}`, advice }))
}

/** The values as parameters of an address. */
export const addressOf = (
  values: Readonly<Record<string, string>>,
): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(values).map(([name, value]) => [`${PREFIX}${name}`, value])

/** Characters. */
const MAX_SQL = 64_000

const tooLong = new ReadError({
  why: `The query is longer than ${MAX_SQL / 1000} kB, with the values of its parameters.`,
  advice: "Write a shorter one.",
})

/** The query that is run: with the values in the place of the parameters. Fails if it is longer than 64 kB. */
export const withValues = (
  sql: string,
  values: Readonly<Record<string, string>>,
): Effect.Effect<string, ReadError> => {
  if (sql.length > MAX_SQL) return Effect.fail(tooLong)
  const parts: Array<string> = []
  let length = 0
  // A value may stand in many places: it is counted before the text is made.
  for (const part of filledParts(sql, typedValues(values))) {
    length += part.length
    if (length > MAX_SQL) return Effect.fail(tooLong)
    parts.push(part)
  }
  return Effect.succeed(parts.join(""))
}

/** `--     days: what it means` in the comments of a worked question, by the names. */
const meaningsIn = (sql: string): ReadonlyMap<string, string> =>
  new Map(
    [...sql.matchAll(/^--[^\S\n]+(\w+): (.+)$/gm)].map(([, name = "", text = ""]) => [name, text]),
  )

/** `isOwn`: a page of this server sent the values, as their reader typed them. */
export const parameterFields = (
  sql: string,
  values: Readonly<Record<string, string>>,
  isOwn: boolean,
): Html => {
  const names = [...parameterNames(sql)]
  const meanings = meaningsIn(sql)
  const given = new Map(Object.entries(values))
  return names.length === 0
    ? nothing
    : html`<div class="actions">
        ${names.map((name) => {
          const meaning = meanings.get(name)
          const value = given.get(name) ?? ""
          return html`<label
            >${name}
            <input name="${PREFIX}${name}" value="${isOwn ? fieldValue(value) : value}" />
            ${meaning !== undefined && html`<span class="note">${meaning}</span>`}</label
          >`
        })}
      </div>`
}
