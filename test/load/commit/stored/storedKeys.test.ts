// Which rows of vaulthouse's own tables are taken for new: one too many would be stored twice.
import { describe, expect, it } from "vitest"
import { entriesOf } from "../../../../src/load/commit/entries.ts"
import { noteText } from "../../../../src/load/commit/stored/note.ts"
import { StoredKeys } from "../../../../src/load/commit/stored/storedKeys.ts"
import { storedRows } from "../../../../src/load/commit/stored/storedRows.ts"
import { latest, once, rowsOf } from "../../sample.ts"

const rowsFor = (...vaults: ReadonlyArray<string>) =>
  rowsOf(
    latest,
    vaults.map((vault_address) => ({ vault_address, value: 1 })),
  )

const entries = (...vaults: ReadonlyArray<string>) => entriesOf([rowsFor(...vaults)])[0]!

const certain = (...vaults: ReadonlyArray<string>) => ({ ...entries(...vaults), haveNewKeys: true })

const keyOf = (vault: string): string => JSON.stringify([vault])

const empty = (): StoredKeys => {
  const keys = new StoredKeys()
  keys.addEmptyTables(["core.latest"])
  return keys
}

describe("rows of vaulthouse's own tables are new", () => {
  it("where the table was empty and none of their keys was written since", () => {
    const keys = empty()
    expect(keys.add(entries("a", "b"))).toBe(true)
    expect(keys.add(entries("c"))).toBe(true)
    expect(keys.add(entries("d", "a"))).toBe(false)
    expect(keys.add(entries("d"))).toBe(false)
  })

  it("in a table that had rows only where nobody else can have written their keys", () => {
    const keys = new StoredKeys()
    expect(keys.add(entries("a"))).toBe(false)
    expect(keys.add(certain("b"))).toBe(true)
    expect(keys.add(certain("b"))).toBe(false)
    expect(keys.add(certain("a"))).toBe(false)
    // It is found to be empty too late.
    keys.addEmptyTables(["core.latest"])
    expect(keys.add(entries("c"))).toBe(false)
    expect(keys.areAll("core.latest")).toBe(false)
  })

  it("together only where each of them is", () => {
    const [both] = entriesOf([{ ...rowsFor("a"), haveNewKeys: true }, rowsFor("b")])
    expect(both?.haveNewKeys).toBe(false)
    expect(new StoredKeys().add(both!)).toBe(false)
  })

  it("where no other process has noted their keys, or that it wrote any", async () => {
    const added = async (...keys: ReadonlyArray<ReadonlyArray<string> | undefined>) => {
      const stored = storedRows(async () => new Map([["core.latest", 0]]))
      await stored.findEmptyTables()
      stored.learn(keys.map((each) => noteText({ extents: [], keys: [["core.latest", each]] })))
      expect(stored.keys.areAll("core.latest")).toBe(false)
      return ["a", "b", "c"].map((vault) => stored.keys.add(entries(vault)))
    }
    expect(await added([keyOf("a")], [keyOf("b")])).toEqual([false, false, true])
    expect(await added([keyOf("a")], undefined)).toEqual([false, false, false])
    expect(await added(undefined, [keyOf("a")])).toEqual([false, false, false])
  })

  it("in other tables as before, whichever another process wrote", () => {
    const keys = empty()
    keys.learn([["core.once", undefined]])
    expect(keys.add(entries("a"))).toBe(true)
    const [other] = entriesOf([rowsOf(once, [{ vault_address: "a", day: 1, value: 1 }])])
    expect(keys.add(other!)).toBe(false)
  })

  it("no more once it is unknown what another process has written", () => {
    const keys = empty()
    expect(keys.areAll("core.latest")).toBe(true)
    keys.add(entries("a"))
    keys.forget()
    expect(keys.areAll("core.latest")).toBe(false)
    expect(keys.add(entries("b"))).toBe(false)
    expect(keys.add(certain("a"))).toBe(false)
    expect(keys.hasWritten(latest, ["a"])).toBe(true)
    expect(keys.hasWritten(latest, ["c"])).toBe(false)
  })

  it("no more once the table has too many keys to know them all", () => {
    const many = Array.from({ length: 100_001 }, (_, at) => String(at))
    const page = { table: latest, columns: [], keys: many, haveNewKeys: true }
    const keys = empty()
    expect(keys.add(page)).toBe(true)
    expect(keys.add(certain("a"))).toBe(false)
    // Not among those that are known, and yet stored.
    expect(keys.add(entries("a"))).toBe(false)
    expect(keys.areAll("core.latest")).toBe(false)
    const learning = empty()
    learning.learn([["core.latest", many]])
    expect(learning.add(entries("a"))).toBe(false)
    expect(learning.add(entries(many[0]!))).toBe(false)
  })
})
