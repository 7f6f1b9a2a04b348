// Names for the columns of a result, which may have several of one name: as an object, a row holds one value of each name.

/** The first of a name keeps it. Further ones become `name:1`, `name:2` and so on, as far as the result has no such name. */
export const uniqueNames = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set(names)
  const counts = new Map<string, number>()
  return names.map((name) => {
    let count = counts.get(name)
    if (count === undefined) {
      counts.set(name, 0)
      return name
    }
    do count += 1
    while (taken.has(`${name}:${count}`))
    counts.set(name, count)
    taken.add(`${name}:${count}`)
    return `${name}:${count}`
  })
}
