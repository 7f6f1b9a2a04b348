// Reads and checks the fields of a JSON request body, as `query.ts` does for the query.
import { ApiError } from "./errors.ts"

const fail = (name: string, message: string): ApiError =>
  new ApiError(422, [{ type: "value_error", loc: ["body", name], msg: message }])

export class Body {
  readonly #fields: Readonly<Record<string, unknown>>

  constructor(body: unknown) {
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      throw fail("", "Body should be an object")
    }
    this.#fields = body as Record<string, unknown>
  }

  fail(name: string, message: string): ApiError {
    return fail(name, message)
  }

  text(name: string): string {
    const value = this.#fields[name]
    if (typeof value !== "string" || value === "") throw fail(name, "Field required: a string")
    return value
  }

  integer(name: string): number {
    const value = this.#fields[name]
    if (!Number.isSafeInteger(value)) throw fail(name, "Field required: an integer")
    return value as number
  }

  /** Absent and null mean the same. */
  number(name: string): number | undefined {
    const value = this.#fields[name] ?? undefined
    if (value !== undefined && typeof value !== "number") throw fail(name, "Should be a number")
    return value
  }

  flag(name: string): boolean {
    const value = this.#fields[name] ?? false
    if (typeof value !== "boolean") throw fail(name, "Should be a boolean")
    return value
  }

  list(name: string): readonly unknown[] {
    const value = this.#fields[name]
    if (!Array.isArray(value)) throw fail(name, "Field required: a list")
    return value
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined && this.#fields[name] !== null
  }
}
