// Memory that nobody has written, of which DuckDB writes some into its files.

/** The environment in which it is always alike. */
export const uninitialised = { DUCKDB_JE_MALLOC_CONF: "zero:true", MALLOC_PERTURB_: "85" }
