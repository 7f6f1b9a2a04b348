// The wording that all comments of tables, marts and columns share.

const sentence = (text: string): string => {
  const trimmed = text.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}

export const relationComment = (comment: string, grain: string): string =>
  `${sentence(comment)} One row per ${sentence(grain)}`

export const unitComment = (comment: string, unit: string | undefined): string =>
  unit === undefined ? sentence(comment) : `${sentence(comment)} [${unit}]`
