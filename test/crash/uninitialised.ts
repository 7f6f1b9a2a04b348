// Memory that nobody has written, of which DuckDB writes some into its files.

/** The environment in which it is always alike. Zeros instead of junk would take a fifth of a proof, in the kernel. */
export const uninitialised = {
  DUCKDB_JE_MALLOC_CONF: "junk:alloc,dirty_decay_ms:-1,muzzy_decay_ms:-1",
  MALLOC_PERTURB_: "85",
}
