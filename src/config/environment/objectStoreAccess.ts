// Access to object storage, from the environment variables of AWS's own tools
// (https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html).
import * as Redacted from "effect/Redacted"
import type { ObjectStoreAccess } from "../../domain/stores/objectStore.ts"

/** Throws if the endpoint is not an address. */
export const objectStoreAccess = (): ObjectStoreAccess => {
  const variables = process.env
  const {
    AWS_ACCESS_KEY_ID: id = "",
    AWS_SECRET_ACCESS_KEY: secret = "",
    AWS_SESSION_TOKEN: token = "",
  } = variables
  // An empty variable, as `${AWS_REGION:-}` leaves it, is not set.
  const region = variables["AWS_REGION"] || variables["AWS_DEFAULT_REGION"] || "us-east-1"
  const named = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].find(
    (name) => (variables[name] ?? "") !== "",
  )
  const endpoint = named === undefined ? undefined : URL.parse(variables[named] ?? "")
  if (endpoint === null || (endpoint !== undefined && !/^https?:$/.test(endpoint.protocol))) {
    throw new Error(
      `the environment variable ${named} is not an address that begins with https:// or http://`,
    )
  }
  return {
    key:
      id === "" || secret === ""
        ? undefined
        : {
            id,
            secret: Redacted.make(secret, { label: "AWS_SECRET_ACCESS_KEY" }),
            sessionToken:
              token === "" ? undefined : Redacted.make(token, { label: "AWS_SESSION_TOKEN" }),
          },
    region,
    endpoint,
  }
}
