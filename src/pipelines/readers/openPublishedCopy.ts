// The published copy in this process, for the SQL of this program.
export { openPublishedCopy } from "../../load/published/read/openPublishedCopy.ts"
