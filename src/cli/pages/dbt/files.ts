// The generated files of the dbt project in deploy/dbt.
import { dbtExposures } from "./exposures.ts"
import { dbtModels, dbtSemanticModels } from "./semanticModels.ts"
import { dbtSources } from "./sources.ts"
import { dbtChecks } from "./tests.ts"

/** The text of each file by its path in the repository. */
export const dbtFiles = (): Readonly<Record<string, string>> => ({
  "deploy/dbt/models/sources.yml": dbtSources(),
  "deploy/dbt/models/exposures.yml": dbtExposures(),
  "deploy/dbt/models/semantic_models.yml": dbtSemanticModels(),
  ...Object.fromEntries(
    Object.entries(dbtChecks()).map(([name, sql]) => [`deploy/dbt/tests/checks/${name}`, sql]),
  ),
  ...Object.fromEntries(
    Object.entries(dbtModels()).map(([name, sql]) => [`deploy/dbt/models/marts/${name}`, sql]),
  ),
})
