// HTML as tagged templates: what is put in is escaped, and shown without control characters and bidirectional overrides.
import { html as template, raw } from "hono/html"
import { visible } from "../../domain/visible.ts"

/** HTML that needs no more escaping. */
export interface Html {
  readonly isEscaped: true
  readonly toString: () => string
}

/** What may be put in: text is escaped, nothing is shown for null. */
export type Part = Html | string | number | undefined | null | false | ReadonlyArray<Part>

const shown = (part: Part): unknown =>
  typeof part === "string"
    ? visible(part)
    : Array.isArray(part)
      ? (part as ReadonlyArray<Part>).map(shown)
      : (part ?? "")

// Without a promise among the parts the template is no promise.
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  template(strings, ...parts.map(shown)) as unknown as Html

export const nothing: Html = raw("")

/** A name from elsewhere: its reading direction affects nothing around it. */
export const name = (text: string): Html => html`<bdi>${text}</bdi>`
