// Numbers as people read them.

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

/** `12.3 s`, `4 min 20 s`, `2 h 5 min`, `3 d`. */
export const duration = (seconds: number): string => {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.ceil(seconds)} s`
  const whole = Math.round(seconds)
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return `${Math.round(hours / 24)} d`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

/** An ISO instant to the second, as `2026-06-01 12:00:00 UTC`. */
export const instantText = (instant: string): string =>
  `${instant.slice(0, 19).replace("T", " ")} UTC`
