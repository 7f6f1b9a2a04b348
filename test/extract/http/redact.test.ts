import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { redactor } from "../../../src/extract/http/redact.ts"

const unicode = (text: string): string =>
  Array.from(text)
    .map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

const spellings: Readonly<Record<string, (key: string) => string>> = {
  "as it is": (key) => key,
  "in JSON": (key) => JSON.stringify(key).slice(1, -1),
  "in JSON within JSON": (key) => JSON.stringify(JSON.stringify(key).slice(1, -1)).slice(1, -1),
  "in JSON as PHP writes it": (key) => JSON.stringify(key).slice(1, -1).replaceAll("/", "\\/"),
  "with every character escaped": unicode,
  "escaped with upper-case digits": (key) => unicode(key).toUpperCase().replaceAll("\\U", "\\u"),
  "escaped within JSON": (key) => unicode(key).replaceAll("\\", "\\\\"),
  "in a URL": encodeURIComponent,
  "in a URL in lower case": (key) =>
    encodeURIComponent(key).replaceAll(/%../g, (each) => each.toLowerCase()),
  "in a URL within a URL": (key) => encodeURIComponent(encodeURIComponent(key)),
  "with one character escaped": (key) => unicode(key.slice(0, 1)) + key.slice(1),
  "in HTML": (key) =>
    Array.from(key)
      .map((each) => `&#${each.charCodeAt(0)};`)
      .join(""),
  "in HTML, by name": (key) =>
    Array.from(key)
      .map(
        (each) =>
          ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" })[each] ?? each,
      )
      .join(""),
  "in HTML, hexadecimal": (key) =>
    Array.from(key)
      .map((each) => `&#x${each.charCodeAt(0).toString(16)};`)
      .join(""),
}

describe("redactor", () => {
  const keys = Schema.String.check(Schema.isPattern(/^[\x21-\x5b\x5d-\x7e]{8,40}$/))

  for (const [name, spell] of Object.entries(spellings)) {
    it.effect.prop(`finds any key ${name}`, [keys], ([key]) =>
      Effect.sync(() => {
        const redacted = redactor(key)(`{"detail": "no key \n${spell(key)} here"}`)
        expect(redacted).toContain("<redacted>")
        expect(redacted.replace(/\\*<redacted>/, "")).toBe('{"detail": "no key \n here"}')
      }),
    )
  }

  it.effect.prop(
    "finds any key in hexadecimal digits and in base64, wherever it stands",
    [keys],
    ([key]) =>
      Effect.sync(() => {
        const redact = redactor(key)
        const { length } = key
        for (const before of ["", "u", "us", "user:"]) {
          const bytes = Buffer.from(`${before}${key} and more`)
          for (const encoded of [
            bytes.toString("base64"),
            bytes.toString("base64url"),
            JSON.stringify(bytes.toString("base64")).replaceAll("/", String.raw`\/`),
            encodeURIComponent(bytes.toString("base64")),
          ]) {
            const redacted = redact(`{"echo": "${encoded}"}`)
            expect(redacted).toContain("<redacted>")
            // What is left of the key is a part of its first and its last character.
            expect(redacted.length).toBeLessThan(encoded.length + 25 - Math.floor(length * 1.3))
          }
        }
        const hex = Buffer.from(key).toString("hex")
        expect(redact(`0x${hex} ${hex.toUpperCase()}`)).toBe("0x<redacted> <redacted>")
      }),
  )

  it("finds a key with a backslash", () => {
    const key = String.raw`ab\cd\\ef`
    for (const text of [key, JSON.stringify(key), JSON.stringify(JSON.stringify(key))]) {
      expect(redactor(key)(text)).toContain("<redacted>")
    }
  })

  it("changes no other text", () => {
    const text = String.raw`{"a": "\u0041\\ 50%", "b": "sk-live"}`
    expect(redactor("sk-live-0123456789")(text)).toBe(text)
    expect(redactor(undefined)(text)).toBe(text)
  })

  it("takes linear time for a hostile text", () => {
    const redact = redactor('"/key+with\\specials')
    const processorMicros = (length: number): number => {
      const before = process.cpuUsage()
      for (const run of ["\\", "%25", "&#0", "\\\\u002"]) redact(run.repeat(length))
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    processorMicros(1000)
    const short = processorMicros(100_000)
    // Ten times as long: a hundred times the work if it were the square.
    expect(processorMicros(1_000_000)).toBeLessThan(40 * short)
  })
})
