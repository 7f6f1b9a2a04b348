// Tells apart records that are alike in everything that identifies them.

/** For each key how many times it has come so far, from 1: the same list gives the same numbers. */
export const occurrences = (keys: ReadonlyArray<string>): ReadonlyArray<number> => {
  const counts = new Map<string, number>()
  return keys.map((key) => {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count
  })
}
