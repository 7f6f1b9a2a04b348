// What a session knows of the stored rows, as long as nothing else writes them.
import type { Database } from "./storage/Storage.ts"
import { StoredKeys } from "./storedKeys.ts"
import { StoredRanges } from "./storedRanges.ts"

export const knownRows = (rowCounts: Database["rowCounts"]) => {
  const marked = new Set<string>()
  const ranges = new StoredRanges()
  const keys = new StoredKeys()
  let isLooked = false
  return {
    marked,
    ranges,
    keys,
    /** Looks which tables are empty, the first time. */
    look: async (): Promise<void> => {
      if (isLooked) return
      isLooked = true
      const empty = [...(await rowCounts())].flatMap(([name, rows]) => (rows === 0 ? [name] : []))
      ranges.look(empty)
      keys.look(empty)
    },
    /** To be called when another process has written. */
    forget: (): void => {
      marked.clear()
      ranges.forget()
      keys.forget()
    },
  }
}
