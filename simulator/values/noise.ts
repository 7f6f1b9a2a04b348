// Hash-based noise: every generated value is a pure function of a key and a position, so any window of history is
// computed directly, without state and in any order.

/** The FNV-1a hash of the parts: the key of one attribute of one entity. */
export const keyOf = (...parts: ReadonlyArray<string | number>): number => {
  let hash = 0x811c9dc5
  for (const character of parts.join("/")) {
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  }
  return hash >>> 0
}

/** 32 well-mixed bits of (key, position); the position is taken modulo 2^32. */
export const bits = (key: number, position: number): number => {
  let hash = (key ^ Math.imul(position | 0, 0x9e3779b1)) | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** A number in [0, 1). */
export const unit = (key: number, position: number): number => bits(key, position) / 0x1_0000_0000

/** A whole number in [0, count). */
export const pick = (key: number, position: number, count: number): number =>
  Math.floor(unit(key, position) * count)

/** An element of a non-empty list. */
export const choose = <T>(key: number, position: number, from: readonly T[]): T =>
  from[pick(key, position, from.length)]!

/** Smooth noise in [-1, 1] that changes over about one unit of x. */
export const smooth = (key: number, x: number): number => {
  const cell = Math.floor(x)
  const within = x - cell
  const low = unit(key, cell)
  const high = unit(key, cell + 1)
  return (low + (high - low) * within * within * (3 - 2 * within)) * 2 - 1
}

export const bytesOf = (key: number, count: number): Uint8Array => {
  const bytes = new Uint8Array(count)
  for (let index = 0; index < count; index += 1) bytes[index] = bits(key, index) & 0xff
  return bytes
}

export const hexOf = (key: number, count: number): string =>
  `0x${Buffer.from(bytesOf(key, count)).toString("hex")}`

/** Rounds to a number of decimals. */
export const rounded = (value: number, decimals: number): number => {
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale
}
