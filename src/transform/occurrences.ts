// Numbers records with equal keys, such as the second holder of a role that the service does not name.

/** For each key, how often it has occurred so far, from 1. */
export const occurrences = (keys: ReadonlyArray<string>): ReadonlyArray<number> => {
  const counts = new Map<string, number>()
  return keys.map((key) => {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count
  })
}

/**
 * The keys of records, some of which repeat and are numbered, as if they were listed in the order of these texts: the order of
 * a response is no fact. Those with equal texts stay in the order of the list.
 */
export const keysInOrder = <A, Key>(
  identities: ReadonlyArray<A>,
  texts: ReadonlyArray<string>,
  keysOf: (identities: ReadonlyArray<A>) => ReadonlyArray<Key>,
): ReadonlyArray<Key> => {
  const rows = identities
    .map((identity, row) => ({ identity, row, text: texts[row] ?? "" }))
    .toSorted((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)))
  const found = keysOf(rows.map(({ identity }) => identity))
  const keys: Array<Key> = []
  for (const [at, { row }] of rows.entries()) keys[row] = found[at] as Key
  return keys
}
