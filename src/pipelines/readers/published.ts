// What the commands and the web page may use of the published copy: they import nothing of src/load, so that they can't
// open the writer's warehouse. `openPublishedCopy.ts` is apart because it loads DuckDB into the process.
export { explained } from "../../load/published/read/reader/explained.ts"
export { parsedSelect } from "../../load/published/read/reader/parsedSelect.ts"
export {
  openReader,
  type Reader,
  type ReaderLimits,
} from "../../load/published/read/reader/readers.ts"
export {
  type PublishedCopy,
  type QueryResult,
  ReadError,
} from "../../load/published/read/PublishedCopy.ts"
export { sqlFile } from "../../load/sql/sqlFile.ts"
