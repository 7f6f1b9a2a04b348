// What a session knows of the stored rows: what it has written itself, and what others have noted on their transactions.
import type { Database } from "../../storage/Storage.ts"
import { type Note, parseNote } from "./note.ts"
import { StoredKeys } from "./storedKeys.ts"
import { StoredRanges } from "./storedRanges.ts"

/** `undefined` if one of them can't be read. */
const parseAll = (texts: ReadonlyArray<string>): ReadonlyArray<Note> | undefined => {
  const notes = texts.map(parseNote).filter((note) => note !== undefined)
  return notes.length === texts.length ? notes : undefined
}

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
    /** To be called when other processes have written, with `Turn.others`. */
    learn: (texts: ReadonlyArray<string> | undefined): void => {
      const notes = texts === undefined ? undefined : parseAll(texts)
      if (notes === undefined) {
        marked.clear()
        ranges.forget()
        keys.forget()
        return
      }
      // Marked months stay marked: a transaction that publishes has no note.
      for (const note of notes) {
        for (const [table, extents] of note.extents) ranges.remember(table, extents)
        keys.learn(note.keys)
      }
    },
  }
}
