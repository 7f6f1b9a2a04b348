// Where the value of a setting came from.
import type { Place } from "../ConfigError.ts"

export type Origin =
  | { readonly from: "flag" | "environment"; readonly name: string }
  | { readonly from: "file"; readonly path: string; readonly line: number; readonly column: number }
  | { readonly from: "default" }

/** The origin as messages show it. */
export const originText = (origin: Origin): string => {
  switch (origin.from) {
    case "flag":
    case "environment":
      return origin.name
    case "file":
      return `${origin.path}:${origin.line}`
    case "default":
      return "default"
  }
}

/** The place of a problem with the value. */
export const originPlace = (origin: Origin): Place =>
  origin.from === "file"
    ? { where: origin.path, line: origin.line, column: origin.column }
    : { where: originText(origin) }
