// Whether what a statement, view or macro calls may be called.
import { allowed, refusal } from "./callable.ts"
import type { Mentions } from "./mentions.ts"

/** Why a name must not be used, if so; for the views and macros of the copy, by lower-case names. */
export type Verdicts = ReadonlyMap<string, string | undefined>

export const UNKNOWN = "it is not known to be harmless"

/** The first call that is not allowed, and why. `macros` are those of the copy. */
export const wrongCallIn = (
  mentions: Mentions,
  macros: Verdicts,
): { readonly name: string; readonly why: string } | undefined => {
  for (const { name, kind, isAllowed } of callsOf(mentions)) {
    const why = wrongCall(name, kind, isAllowed, macros)
    if (why !== undefined) return { name, why }
  }
  return undefined
}

const callsOf = ({ functions, tableFunctions }: Mentions) => [
  ...[...functions].map((name) => ({
    name,
    kind: "call" as const,
    isAllowed: allowed.scalar.has(name) || allowed.aggregate.has(name),
  })),
  ...[...tableFunctions].map((name) => ({
    name,
    kind: "from" as const,
    isAllowed: allowed.table.has(name),
  })),
]

/** A macro of the file may have the name of a function, and is what is called then. */
const wrongCall = (
  name: string,
  kind: "call" | "from",
  isAllowed: boolean,
  macros: Verdicts,
): string | undefined => {
  if (macros.has(name)) return refusal(name, kind) ?? macros.get(name)
  return isAllowed ? undefined : (refusal(name, kind) ?? UNKNOWN)
}
