// Numbers in texts for people.

/** `1,234`. */
export const count = (value: number): string => value.toLocaleString("en")

/** `1 row`, `1,234 rows`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`
