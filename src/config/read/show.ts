// A wrong value as messages show it.

export const show = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? "`[]`" : "a list"
  if (typeof value === "object" && value !== null) return "a section"
  const text = String(value)
  return `\`${text.length > 60 ? `${text.slice(0, 57)}…` : text}\``
}
