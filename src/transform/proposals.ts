// Joins proposals for the setting `fields`: each line once, and the keys of several records in one line.

const keyed = /^(\S+): \{ keys: \[(.*)\] \}(.*)$/

/** The lines of all proposals. */
export const joined = (proposals: ReadonlyArray<string | undefined>): ReadonlyArray<string> => {
  const keys = new Map<string, { readonly rest: string; readonly names: Set<string> }>()
  const lines = new Set<string>()
  for (const line of proposals.flatMap((proposal) => proposal?.split("\n") ?? [])) {
    const [, table = "", names, rest = ""] = keyed.exec(line) ?? []
    if (names === undefined) {
      lines.add(line)
      continue
    }
    const known = keys.get(table) ?? { rest, names: new Set() }
    for (const name of names.split(", ")) known.names.add(name)
    keys.set(table, known)
  }
  const keyLines = [...keys].map(
    ([table, { rest, names }]) => `${table}: { keys: [${[...names].join(", ")}] }${rest}`,
  )
  return [...keyLines, ...lines]
}
