// What is said of a refused request to object storage.
import { expect, it } from "vitest"
import { explainRefusal } from "../../../src/domain/stores/objectStoreRefusal.ts"

const refused = (code: string) =>
  explainRefusal({
    location: "s3://bucket/archive",
    action: "write",
    status: 403,
    code,
    message: "no",
    region: "us-east-1",
  })

it("a wrong clock is no lack of permission", () => {
  expect(refused("RequestTimeTooSkewed")).toEqual({
    why: "s3://bucket/archive refuses requests dated by a wrong clock (RequestTimeTooSkewed)",
    advice: "Set this machine's clock.",
  })
  expect(refused("AccessDenied").advice).toBe("Allow s3:PutObject there.")
})
