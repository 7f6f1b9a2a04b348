// HTML as tagged templates. Interpolated text is escaped, including control characters and bidirectional overrides.
import { html as template, raw } from "hono/html"
import { visible } from "../../domain/values/visible.ts"

/** HTML that is already escaped. */
export interface Html {
  readonly isEscaped: true
  readonly toString: () => string
}

/** A value to interpolate: text is escaped; null, undefined and false render as nothing. */
export type Child = Html | string | number | undefined | null | false | ReadonlyArray<Child>

const shown = (part: Child): unknown =>
  typeof part === "string"
    ? visible(part)
    : Array.isArray(part)
      ? (part as ReadonlyArray<Child>).map(shown)
      : (part ?? "")

// The template returns a promise only if one of its parts is a promise, which `Child` excludes.
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Child>): Html =>
  template(strings, ...parts.map(shown)) as unknown as Html

/**
 * Text as the value of a field: a form sends back exactly what it was given. Only what the reader of the page typed, or
 * the server: text from outside could look like something else.
 */
export const fieldValue = (text: string): Html => template`${text}` as unknown as Html

export const nothing: Html = raw("")

/** Text from outside, isolated so that its reading direction does not affect the text around it. */
export const name = (text: string): Html => html`<bdi>${text}</bdi>`
