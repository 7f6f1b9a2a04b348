// Reads and checks query parameters by their client-side names (§4), which the options map to wire names. Like most
// servers, it ignores parameters it does not know.
import { parseDay, parseMs } from "../values/calendar.ts"
import { invalid } from "./errors.ts"

export interface WireNaming {
  readonly wireCase: "camel" | "snake"
  readonly wireNames: Readonly<Record<string, string>>
}

export const wireName = (name: string, { wireCase, wireNames }: WireNaming): string =>
  wireNames[name] ??
  (wireCase === "camel" ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

const missing = "Field required"

export class Query {
  readonly #params: URLSearchParams
  readonly #naming: WireNaming

  constructor(params: URLSearchParams, naming: WireNaming) {
    this.#params = params
    this.#naming = naming
  }

  #fail(name: string, message: string) {
    return invalid("query", wireName(name, this.#naming), message)
  }

  text(name: string): string | undefined {
    return this.#params.get(wireName(name, this.#naming)) ?? undefined
  }

  required(name: string): string {
    const text = this.text(name)
    if (text === undefined || text === "") throw this.#fail(name, missing)
    return text
  }

  number(name: string, range: { min?: number; max?: number; whole?: boolean } = {}) {
    const text = this.text(name)
    if (text === undefined) return undefined
    const { min = -Infinity, max = Infinity, whole = false } = range
    const value = text.trim() === "" ? Number.NaN : Number(text)
    if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value))) {
      throw this.#fail(name, `Input should be a valid ${whole ? "integer" : "number"}`)
    }
    if (value < min) throw this.#fail(name, `Input should be greater than or equal to ${min}`)
    if (value > max) throw this.#fail(name, `Input should be less than or equal to ${max}`)
    return value
  }

  integer(name: string, range: { min?: number; max?: number } = {}): number | undefined {
    return this.number(name, { ...range, whole: true })
  }

  requiredInteger(name: string, range: { min?: number; max?: number } = {}): number {
    const value = this.integer(name, range)
    if (value === undefined) throw this.#fail(name, missing)
    return value
  }

  flag(name: string, otherwise: boolean): boolean {
    const text = this.text(name)
    if (text === undefined) return otherwise
    if (/^(true|1)$/i.test(text)) return true
    if (/^(false|0)$/i.test(text)) return false
    throw this.#fail(name, "Input should be a valid boolean")
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const found = allowed.find((value) => value === text)
    if (found === undefined) throw this.#fail(name, `Input should be ${allowed.join(", ")}`)
    return found
  }

  /** A YYYY-MM-DD day, as a day number. */
  day(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const day = parseDay(text)
    if (day === undefined) throw this.#fail(name, "Input should be a date, YYYY-MM-DD")
    return day
  }

  /** An ISO-8601 datetime, as milliseconds. */
  instant(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const ms = parseMs(text)
    if (ms === undefined) throw this.#fail(name, "Input should be an ISO-8601 datetime")
    return ms
  }
}
