// OTC positions of the whole platform.
import { endpoint } from "../../Endpoint.ts"
import { AnyRecords } from "../records.ts"

export const otcPositions = endpoint({
  name: "otc_positions",
  title: "OTC positions",
  section: "§4.4, §2.7",
  method: "GET",
  path: "/otc/position",
  auth: "admin",
  parameters: {},
  response: AnyRecords,
})
