// Finds the known name closest to a mistyped one.

/** Number of edits between two texts; swapping two neighbours counts as one. */
const editDistance = (a: string, b: string): number => {
  let editsBeforeLast: ReadonlyArray<number> = []
  let lastEdits: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const edits = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(
        (lastEdits[j] ?? 0) + 1,
        (edits[j - 1] ?? 0) + 1,
        (lastEdits[j - 1] ?? 0) + (same ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (editsBeforeLast[j - 2] ?? 0) + 1)
      }
      edits.push(cost)
    }
    editsBeforeLast = lastEdits
    lastEdits = edits
  }
  return lastEdits[b.length] ?? 0
}

const normalized = (text: string): string => text.toLowerCase().replaceAll(/[-_. ]/g, "")

/** Whether two names differ only in capitals and separators. */
export const isSameName = (a: string, b: string): boolean => normalized(a) === normalized(b)

// Shorter texts match too many names.
const MIN_PART = 4
// Comparing takes as long as the text times the names, and anyone can send the text; no name is as long.
const MAX_LENGTH = 100

/** The known name closest to the text; `undefined` if none is close enough. */
export const nearest = (text: string, known: ReadonlyArray<string>): string | undefined => {
  if (text.length > MAX_LENGTH) return undefined
  const wanted = normalized(text)
  const [best] = known
    .map((name) => ({ name, edits: editDistance(wanted, normalized(name)) }))
    .toSorted((a, b) => a.edits - b.edits)
  if (best === undefined) return undefined
  if (best.edits <= Math.max(1, Math.floor(wanted.length / 3))) return best.name
  // Else the shortest name that contains the text.
  return wanted.length < MIN_PART
    ? undefined
    : known
        .filter((name) => normalized(name).includes(wanted))
        .toSorted((a, b) => a.length - b.length)[0]
}

/** `; did you mean X?`, or nothing. */
export const didYouMean = (text: string, known: ReadonlyArray<string>): string => {
  const name = nearest(text, known)
  return name === undefined ? "" : `; did you mean \`${name}\`?`
}
