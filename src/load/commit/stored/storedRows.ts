// What a session knows of the stored rows, as long as nothing else writes them.
import type { Database } from "../../storage/Storage.ts"
import { StoredKeys } from "./storedKeys.ts"
import { StoredRanges } from "./storedRanges.ts"

export const storedRows = (rowCounts: Database["rowCounts"]) => {
  const marked = new Set<string>()
  const ranges = new StoredRanges()
  const keys = new StoredKeys()
  let wereFound = false
  return {
    marked,
    ranges,
    keys,
    /** Finds the empty tables, once. */
    findEmptyTables: async (): Promise<void> => {
      if (wereFound) return
      wereFound = true
      const empty = [...(await rowCounts())].flatMap(([name, rows]) => (rows === 0 ? [name] : []))
      ranges.addEmptyTables(empty)
      keys.addEmptyTables(empty)
    },
    /** To be called when another process has written. */
    forget: (): void => {
      marked.clear()
      ranges.forget()
      keys.forget()
    },
  }
}
