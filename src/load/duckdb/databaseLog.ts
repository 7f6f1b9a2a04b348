// Where the log of a database file is.

/** DuckDB applies it to whatever database has that name when it is opened, read-only too. */
export const logOf = (file: string): string => `${file}.wal`
