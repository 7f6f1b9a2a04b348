// The dashboards of deploy/bi as dbt exposures, so that dbt's lineage includes them.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Document } from "yaml"
import { dictionary } from "../../../pipelines/readers/dictionary.ts"
import { dbtYaml } from "./sources.ts"

const deployed = join(import.meta.dirname, "../../../../deploy/bi")

const shipped = [
  {
    name: "malloy_model",
    type: "analysis",
    folder: "malloy",
    description: "Measures and views of vaults in Malloy.",
  },
  {
    name: "grafana_dashboard",
    type: "dashboard",
    folder: "grafana",
    description: "The vaults in Grafana, over PostgreSQL.",
  },
  {
    name: "evidence_dashboard",
    type: "dashboard",
    folder: "evidence/sources/vaulthouse",
    description: "The vaults as a static site, by Evidence.",
  },
]

/** YAML of deploy/dbt/models/exposures.yml. */
export const dbtExposures = (): string => {
  const known = new Set(dictionary().map(({ name }) => name))
  return dbtYaml(
    new Document({
      version: 2,
      exposures: shipped.map(({ name, type, folder, description }) => ({
        name,
        type,
        description: `${description} In deploy/bi/${folder}.`,
        owner: { name: "vaulthouse" },
        depends_on: tablesIn(folder)
          .filter((table) => known.has(table))
          .map((table) => `source('${table.replace(".", "', '")}')`),
      })),
    }),
  )
}

/** The tables that the files of a folder name as schema.table. */
const tablesIn = (folder: string): ReadonlyArray<string> => {
  const texts = readdirSync(join(deployed, folder)).map((file) =>
    readFileSync(join(deployed, folder, file), "utf8"),
  )
  const named = texts.flatMap((text) => text.match(/\b(?:mart|core|ops|meta)\.\w+/g) ?? [])
  return [...new Set(named)].toSorted()
}
