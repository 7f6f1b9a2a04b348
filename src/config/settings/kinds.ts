// The kinds of values that settings have, as data: reading, messages, flags and the editor's JSON Schema derive from
// them. Imports nothing but types, since every `--help` loads it.
import type * as Redacted from "effect/Redacted"

export type Kind =
  /** `isSecret`: no message shows it. */
  | { readonly type: "text"; readonly example: string; readonly isSecret?: true }
  /** At most 40 letters, digits and `_`. */
  | { readonly type: "name"; readonly example: string }
  /** Ending with one of these words after a dot, or any. */
  | { readonly type: "path"; readonly endings?: ReadonlyArray<string> }
  | { readonly type: "url" }
  /** An address with a secret in it, or `${NAME}` for the environment variable that holds it. */
  | { readonly type: "secretUrl" }
  /** A connection string, or `${NAME}` as above. */
  | { readonly type: "postgresUrl" }
  /** `file`, or `ducklake:` and a connection string, or `${NAME}` as above. */
  | { readonly type: "warehouse" }
  /** A path, or `s3://bucket/prefix`. */
  | { readonly type: "location" }
  /** A path below the base address, with parameters such as `{address}`; or one segment of such a path. */
  | { readonly type: "servicePath" | "pathSegment"; readonly example: string }
  /** An EVM, Solana or Stellar address. */
  | { readonly type: "address" }
  /** As days since 1970. */
  | { readonly type: "day" }
  /** Seconds; `30s`, `10 min`, or a plain number of seconds. */
  | { readonly type: "duration" }
  /** A cron expression of five fields, in UTC. */
  | { readonly type: "cron" }
  /** An amount of memory as DuckDB reads it, such as `4GB`. */
  | { readonly type: "memory" }
  | { readonly type: "number"; readonly above: number; readonly none: string }
  | {
      readonly type: "integer"
      readonly min: number
      readonly max: number
      /** A word that is allowed in place of a number, and means none. */
      readonly none?: string
    }
  | { readonly type: "boolean" }
  | { readonly type: "choice"; readonly of: ReadonlyArray<string> }
  | { readonly type: "list"; readonly of: Kind; readonly nonEmpty?: true }
  | { readonly type: "map"; readonly of: Kind; readonly keys: string }
  /** `ascending`: the field that is never above the other. */
  | {
      readonly type: "record"
      readonly fields: Fields
      readonly ascending?: readonly [string, string]
    }
  /** The first of these kinds for text, for a list and for a section. */
  | { readonly type: "anyOf"; readonly of: ReadonlyArray<Kind> }
  /** A section with exactly one of these keys, and the fields that go with it. */
  | { readonly type: "variant"; readonly of: Readonly<Record<string, Fields>> }

/** Patterns of kinds that need no other check. */
export const patterns = {
  name: String.raw`^\w{1,40}$`,
  memory: String.raw`^(?=[0-9.]*[1-9])\d{1,6}(\.\d+)? ?[KMGT]i?B$`,
} as const

export type Fields = Readonly<Record<string, Field>>

/** A member of a record, required unless it has a default. */
export interface Field {
  readonly kind: Kind
  readonly describe: string
  readonly default?: unknown
}

/** The TypeScript type of a kind's values. */
export type ValueOf<K extends Kind> = K extends {
  type:
    | "text"
    | "name"
    | "path"
    | "location"
    | "url"
    | "servicePath"
    | "pathSegment"
    | "address"
    | "memory"
    | "cron"
}
  ? string
  : K extends { type: "warehouse" }
    ? "file" | Redacted.Redacted<string>
    : K extends { type: "secretUrl" | "postgresUrl" }
      ? Redacted.Redacted<string>
      : K extends { type: "number"; none: string } | { type: "integer"; none: string }
        ? number | undefined
        : K extends { type: "number" | "integer" | "duration" | "day" }
          ? number
          : K extends { type: "boolean" }
            ? boolean
            : K extends { type: "choice"; of: ReadonlyArray<infer A> }
              ? A
              : K extends { type: "list"; of: infer E extends Kind }
                ? ReadonlyArray<ValueOf<E>>
                : K extends { type: "map"; of: infer E extends Kind }
                  ? Readonly<Record<string, ValueOf<E>>>
                  : K extends { type: "anyOf"; of: ReadonlyArray<infer E extends Kind> }
                    ? ValueOf<E>
                    : K extends { type: "record"; fields: infer F extends Fields }
                      ? ValuesOf<F>
                      : K extends {
                            type: "variant"
                            of: infer V extends Readonly<Record<string, Fields>>
                          }
                        ? { [N in keyof V]: ValuesOf<V[N]> }[keyof V]
                        : never

type ValuesOf<F extends Fields> = {
  readonly [N in keyof F]: ValueOf<F[N]["kind"]> | Absent<F[N]>
}

type Absent<F extends Field> = F extends { default: undefined } ? undefined : never

const quoted = (words: ReadonlyArray<string>): string =>
  words.map((word) => `\`${word}\``).join(", ")

/** What a value of this kind looks like, for messages and documentation. */
export const expected = (kind: Kind): string => {
  switch (kind.type) {
    case "text":
      return `text such as \`${kind.example}\``
    case "name":
      return `a name such as \`${kind.example}\`, of at most 40 letters (a–z), digits and \`_\``
    case "path":
      return kind.endings === undefined
        ? "a path"
        : `a path that ends with one of ${quoted(kind.endings.map((word) => `.${word}`))}`
    case "servicePath":
      return `a path below the base address such as \`${kind.example}\``
    case "pathSegment":
      return `one segment of a path such as \`${kind.example}\``
    case "url":
      return "an address such as `https://api.example.com`"
    case "secretUrl":
      return "an address that begins with `https://` or `http://`, or `${NAME}` for an environment variable that holds it"
    case "postgresUrl":
      return "a connection string such as `postgres://user@db.example.com/analytics`, or `${NAME}` for an environment variable that holds it"
    case "warehouse":
      return "`file`, or a lake such as `ducklake:postgres://user@db.example.com/vaulthouse`, or `${NAME}` for an environment variable that holds the address of a lake"
    case "location":
      return "a folder or `s3://bucket/prefix`"
    case "address":
      return "an EVM, Solana or Stellar address"
    case "day":
      return "a day such as `2026-01-31`"
    case "duration":
      return "a duration above 0 such as `30s` or `10 min`; a plain number is seconds"
    case "cron":
      return "a cron expression such as `7 * * * *`, in UTC"
    case "memory":
      return "an amount such as `4GB` or `512MB`"
    case "number":
      return `a number above ${kind.above}, or \`${kind.none}\``
    case "integer": {
      const range = `a whole number from ${kind.min} to ${kind.max}`
      return kind.none === undefined ? range : `${range}, or \`${kind.none}\``
    }
    case "boolean":
      return "`true` or `false`"
    case "choice":
      return kind.of.length === 1 ? quoted(kind.of) : `one of ${quoted(kind.of)}`
    case "list":
      return `a list${kind.nonEmpty === true ? " with at least one entry" : ""}, each entry ${expected(kind.of)}`
    case "map":
      return `${kind.keys}, each with ${expected(kind.of)}`
    case "anyOf":
      return kind.of.map(expected).join(", or ")
    case "record":
      return `a section with ${quoted(Object.keys(kind.fields))}`
    case "variant":
      return `a section with one of ${quoted(Object.keys(kind.of))}`
  }
}
