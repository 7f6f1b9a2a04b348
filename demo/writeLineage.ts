// Writes docs/lineage.md again: node demo/writeLineage.ts
import { writeFileSync } from "node:fs"
import { lineageFile, lineagePage } from "./lineage.ts"

writeFileSync(lineageFile, await lineagePage())
process.stdout.write("docs/lineage.md\n")
