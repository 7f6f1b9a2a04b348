// docs/lineage.md is drawn from the SQL of today, and every table of core has a mart or a reason why not.
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { lineageFile, lineageOf, lineagePage } from "../../demo/lineage.ts"
import { withoutMart } from "../../demo/withoutMart.ts"
import { marts } from "../../src/load/marts/marts.ts"
import { coreTables } from "../../src/pipelines/pipelines.ts"

it("docs/lineage.md is that of the marts as they are; `make docs` writes it", async () => {
  expect(readFileSync(lineageFile, "utf8")).toBe(await lineagePage())
})

it("the tables of a query are those it reads: none of a comment, a text or a step of its own", async () => {
  const lineage = await lineageOf([
    {
      name: "q",
      sql: `-- core.comment
        with core_step as (select 'core.text' as t from core.a asof join mart.b using (k))
        select *, (select max(x) from ops.c where c.x = core_step.t) from core_step`,
    },
  ])
  expect(lineage.get("q")).toEqual(["core.a", "mart.b", "ops.c"])
})

it("every table of core is read by a mart, or there is a reason why none does, and not both", async () => {
  const lineage = await lineageOf(marts)
  const read = new Set([...lineage.values()].flat())
  const unread = coreTables.map(({ name }) => name).filter((name) => !read.has(`core.${name}`))
  expect(Object.keys(withoutMart).toSorted()).toEqual(unread.toSorted())
})

it("a mart reads only marts before it, so that they can be made in their order", async () => {
  const lineage = await lineageOf(marts)
  const names = marts.map(({ name }) => `mart.${name}`)
  for (const [at, { name }] of marts.entries()) {
    const from = (lineage.get(name) ?? []).filter((each) => each.startsWith("mart."))
    expect(names.slice(0, at), name).toEqual(expect.arrayContaining(from))
  }
})
