/** The log of a database file, which DuckDB applies to whatever database has that name when it is opened, read-only too. */
export const logOf = (file: string): string => `${file}.wal`
