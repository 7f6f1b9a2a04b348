// Numbers records with equal keys.

/** For each key, how often it has occurred so far, from 1. */
export const occurrences = (keys: ReadonlyArray<string>): ReadonlyArray<number> => {
  const counts = new Map<string, number>()
  return keys.map((key) => {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count
  })
}
