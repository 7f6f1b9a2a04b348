// Who needs a command, a setting or a mart: each is declared with one such line, and what has none goes.

/** Readers of a warehouse, those who run vaulthouse or work on it, and other marts. The glossary says who they are. */
export const readers = [
  "Administrators",
  "Analysts",
  "Auditors",
  "Allocators",
  "Risk officers",
  "Vault operators",
  "BI tools",
  "Developers",
  "Marts",
] as const

/** Who, and what they need it for: `Analysts: …`. */
export type NeededBy = `${(typeof readers)[number]}: ${string}`

export const isNeededBy = (text: string): text is NeededBy =>
  readers.some((reader) => text.startsWith(`${reader}: `) && text.length > reader.length + 10)
