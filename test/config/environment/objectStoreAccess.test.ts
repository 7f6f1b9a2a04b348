// The key, region and address of object storage, from the variables of AWS's own tools.
import { inspect } from "node:util"
import * as Redacted from "effect/Redacted"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { objectStoreAccess } from "../../../src/config/environment/objectStoreAccess.ts"

const names = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_ENDPOINT_URL_S3",
  "AWS_ENDPOINT_URL",
]
beforeEach(() => {
  for (const name of names) vi.stubEnv(name, "")
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const access = (variables: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  return objectStoreAccess()
}

const key = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "s3cret" }

it("there is no key without both of its parts", () => {
  expect(access({}).key).toBeUndefined()
  expect(access({ AWS_ACCESS_KEY_ID: "id" }).key).toBeUndefined()
  expect(access({ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "s3cret" }).key).toBeUndefined()
})

it("secrets are never shown", () => {
  const found = access({ ...key, AWS_SESSION_TOKEN: "t0ken" })
  expect(found.key?.id).toBe("id")
  expect(found.key && Redacted.value(found.key.secret)).toBe("s3cret")
  expect(found.key?.sessionToken && Redacted.value(found.key.sessionToken)).toBe("t0ken")
  expect(inspect(found, { depth: 10 }) + JSON.stringify(found)).not.toMatch(/s3cret|t0ken/)
  expect(access({ ...key, AWS_SESSION_TOKEN: "" }).key?.sessionToken).toBeUndefined()
})

it("the region and the address for S3 come before those for everything", () => {
  expect(access({})).toMatchObject({ region: "us-east-1", endpoint: undefined })
  expect(access({ AWS_DEFAULT_REGION: "eu-west-1" }).region).toBe("eu-west-1")
  expect(access({ AWS_REGION: "eu-north-1" }).region).toBe("eu-north-1")
  expect(access({ AWS_ENDPOINT_URL: "https://all.example" }).endpoint?.host).toBe("all.example")
  expect(access({ AWS_ENDPOINT_URL_S3: "http://s3.example:9" }).endpoint?.host).toBe("s3.example:9")
})

it.each(["s3.example", "ftp://s3.example", "id:s3cret@s3.example"])(
  "an address that is none is refused by the name of its variable: %s",
  (value) => {
    expect(() => access({ AWS_ENDPOINT_URL: value })).toThrow(
      /^the environment variable AWS_ENDPOINT_URL is not an address that begins with https:\/\/ or http:\/\/$/,
    )
  },
)
