// The parameters of a query on the page: a field for each, with what the comments of the query say about it.
import { parameterNames } from "../../domain/values/queryParameter.ts"
import { typedValue } from "../../pipelines/readers/query/typedValues.ts"
import { html, type Html, nothing } from "../html/html.ts"
import { filledSql } from "./filledSql.ts"

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

/** The values as parameters of an address. */
export const addressOf = (
  values: Readonly<Record<string, string>>,
): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(values).map(([name, value]) => [`${PREFIX}${name}`, value])

/** The query that is run: with the values in the place of the parameters. */
export const withValues = (sql: string, values: Readonly<Record<string, string>>): string =>
  filledSql(
    sql,
    Object.fromEntries(Object.entries(values).map(([name, text]) => [name, typedValue(text)])),
  )

/** `--     days: what it means` in the comments of a worked question. */
const meaningOf = (sql: string, name: string): string | undefined =>
  new RegExp(`^--\\s+${name}: (.+)$`, "m").exec(sql)?.[1]

export const parameterFields = (sql: string, values: Readonly<Record<string, string>>): Html => {
  const names = [...parameterNames(sql)]
  return names.length === 0
    ? nothing
    : html`<div class="actions">
        ${names.map((name) => {
          const meaning = meaningOf(sql, name)
          return html`<label
            >${name}
            <input name="${PREFIX}${name}" value="${values[name] ?? ""}" />
            ${meaning !== undefined && html`<span class="note">${meaning}</span>`}</label
          >`
        })}
      </div>`
}
