// Makes the example warehouse for the parts of run.sh: node test/bi/example.ts FOLDER
import { makeExampleWarehouse } from "../../demo/exampleWarehouse.ts"

const [folder = ""] = process.argv.slice(2)
const example = await makeExampleWarehouse(folder)
await example.close()
