// OTC margin requirements, optionally only those of a counterparty or payer.
import { endpoint } from "../../Endpoint.ts"
import { address, optional, uuid } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const otcMarginRequirements = endpoint({
  name: "otc_margin_requirements",
  title: "OTC margin requirements",
  section: "§4.4, §2.7",
  method: "GET",
  path: "/otc/margin_requirement",
  auth: "admin",
  parameters: { otcCounterpartyId: optional(uuid), payer: optional(address()) },
  response: AnyRecords,
})
