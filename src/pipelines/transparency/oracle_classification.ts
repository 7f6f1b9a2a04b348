// Oracle classification (§4.1): the newest daily snapshot of each vault.
import { oracleClassification as endpoint } from "../../extract/endpoints/transparency/oracle_classification.ts"
import { oracleRows } from "../../transform/tables/transparency/oracleRecords.ts"
import { observationWarnings } from "../../transform/tables/transparency/observation_warnings.ts"
import { oracleClassification } from "../../transform/tables/transparency/oracle_classification.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { vaultsByChain } from "../walks/targets.ts"

export const oracleClassificationPipeline = snapshot({
  name: "oracle_classification",
  title: "Oracle classification",
  tables: [oracleClassification, observationWarnings],
  endpoint,
  targets: vaultsByChain,
  questions: ({ served, chainId }) => ask({ vault_address: served, chainId }),
  rows: oracleRows,
})
