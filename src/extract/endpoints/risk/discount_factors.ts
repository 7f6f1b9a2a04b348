// Discount-factor ladders of the whitelisted tokens.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"

const Ladder = Schema.Struct({ address: Schema.String, chain: Schema.Int })

export const discountFactors = endpoint({
  name: "discount_factors",
  title: "Discount-factor ladders",
  section: "§4.4, §2.6",
  method: "GET",
  path: "/risk/discount_factors",
  auth: "key",
  parameters: {},
  serverCacheSeconds: 60,
  response: Schema.Array(Ladder),
})
