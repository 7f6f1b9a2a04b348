// What refusals of some tasks say about the other tasks of a run.
import { expect, it } from "vitest"
import { KeyUse } from "../../../../src/pipelines/run/KeyUse.ts"
import { pipelines } from "../../../../src/pipelines/pipelines.ts"

const pipelineFor = (tier: string) => {
  const found = pipelines.find(({ endpoint }) => endpoint.auth === tier)
  if (found === undefined) throw new Error(`no pipeline for ${tier}`)
  return found
}
const ofAdmin = pipelineFor("admin")
const ofCurator = pipelineFor("curator")

it("401 to a key that has opened nothing yet: no other vault need be tried", () => {
  const key = new KeyUse(true)
  key.learn(ofCurator, "a", "Unauthorized")
  expect(key.isRefused(ofCurator)).toBe(true)
  expect(key.isUnknown).toBe(true)
})

it("403 for a vault says nothing about the next, which may be the caller's own", () => {
  const key = new KeyUse(true)
  key.learn(ofCurator, "a", "Forbidden")
  expect(key.isRefused(ofCurator)).toBe(false)
  key.learn(ofAdmin, "a", "Forbidden")
  expect(key.isRefused(ofAdmin)).toBe(true)
  expect(key.access).toBe("none")
})

it("401 for a vault, of a key that has opened another, says nothing about the next", () => {
  const key = new KeyUse(true)
  key.learn(ofCurator, "a", undefined)
  key.learn(ofCurator, "b", "Unauthorized")
  expect(key.isRefused(ofCurator)).toBe(false)
  expect(key.access).toBe("some")
})

it("403 without a key: no vault is the caller's own", () => {
  const key = new KeyUse(false)
  key.learn(ofCurator, "a", "Forbidden")
  expect(key.isRefused(ofCurator)).toBe(true)
  expect(key.refusedPipelines).toEqual([])
})

it("a run without a key needs one as soon as something is refused, and before that none", () => {
  const key = new KeyUse(false)
  expect(key.access).toBeUndefined()
  expect(key.isUnknown).toBe(false)
  key.learn(ofCurator, "-", "Unauthorized")
  expect(key.access).toBe("absent")
  expect(key.isUnknown).toBe(false)
})

it("what is public or fails for another reason says nothing about the key", () => {
  const key = new KeyUse(true)
  key.learn(pipelineFor("public"), "a", undefined)
  key.learn(ofAdmin, "-", "ServerError")
  expect(key.access).toBeUndefined()
  expect(key.isRefused(ofAdmin)).toBe(false)
  expect(key.refusedPipelines).toEqual([])
})

it("a refusal of what is public, without a key, says nothing about the next vault, nor that a key is needed", () => {
  const key = new KeyUse(false)
  for (const tag of ["Unauthorized", "Forbidden"]) key.learn(pipelineFor("public"), "a", tag)
  expect(key.isRefused(pipelineFor("public"))).toBe(false)
  expect(key.access).toBeUndefined()
})

it("401 for what is public: of all as long as nothing was read, of that vault alone once the list of vaults was", () => {
  const ofPublic = pipelineFor("public")
  const key = new KeyUse(true)
  expect(key.mayRefuse(ofPublic)).toBe(true)
  key.learn(ofPublic, "a", "Unauthorized")
  expect(key.isRefused(ofPublic)).toBe(true)
  expect(key.isUnknown).toBe(true)

  const good = new KeyUse(true)
  good.learn(ofPublic, "-", undefined)
  expect(good.mayRefuse(ofPublic)).toBe(false)
  good.learn(ofPublic, "a", "Unauthorized")
  expect(good.isRefused(ofPublic)).toBe(false)
  // It opens nothing that needs a key.
  good.learn(ofCurator, "a", "Unauthorized")
  expect(good.isRefused(ofCurator)).toBe(true)
})
