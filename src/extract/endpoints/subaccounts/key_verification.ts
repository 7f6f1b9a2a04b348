// Whether the service knows the API key. The document shows neither the path nor the response.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"

export const keyVerification = endpoint({
  name: "key_verification",
  title: "Key verification",
  section: "§4.3, §5",
  method: "GET",
  path: { setting: "keyVerification" },
  auth: "key",
  parameters: {},
  response: Schema.Unknown,
})
