// The published copy in this process, for the SQL of commands. Apart from `published.ts`, since whoever imports this loads
// DuckDB.
export { openPublishedCopy } from "../../load/published/read/openPublishedCopy.ts"
