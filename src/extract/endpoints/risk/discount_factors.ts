// Discount-factor ladders of the whitelisted tokens.
import { endpoint } from "../../Endpoint.ts"
import { AnyRecords } from "../records.ts"

export const discountFactors = endpoint({
  name: "discount_factors",
  title: "Discount-factor ladders",
  section: "§4.4, §2.6",
  method: "GET",
  path: "/risk/discount_factors",
  auth: "key",
  parameters: {},
  serverCacheSeconds: 60,
  response: AnyRecords,
})
