// The fields for the parameters of a query on the page.
import { expect, it } from "vitest"
import { parameterFields } from "../../../src/serve/sql/parameterFields.ts"

it("the field of a parameter without a value is empty, also of one named as what every object has", () => {
  const values = ["days", "constructor", "toString"].map((name) => {
    const fields = String(parameterFields(`select $${name}`, {}, true))
    return /name="p\.\w+" value="([^"]*)"/.exec(fields)?.[1]
  })
  expect(values).toEqual(["", "", ""])
})
