// Management and performance fee of an EVM vault.
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

export const fees = endpoint({
  name: "fees",
  title: "Fees",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/fees/{vault_address}",
  auth: "public",
  parameters: { vault_address: inPath(address("evm")), chainId: integer() },
  absences: { 404: "empty", 422: "unsupported" },
  response: AnyRecord,
})
