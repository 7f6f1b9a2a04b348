// What docs/policy.md promises to keep is there: every table, column, setting, flag, exit code and metric of each released version
// (test/fixtures/surface; test/cli/json.test.ts has the output with --json), and what names this version.
import { globSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"
import { surface } from "./surface.ts"

const root = join(import.meta.dirname, "../..")
const read = (file: string): string => readFileSync(join(root, file), "utf8")
const { version } = JSON.parse(read("package.json")) as { version: string }
const released = globSync("test/fixtures/surface/*.txt", { cwd: root })

describe("the policy", () => {
  it.each(released)("what %s has is there still", (file) => {
    const present = new Set(surface())
    const promised = read(file).trimEnd().split("\n")
    expect(promised.length).toBeGreaterThan(1000)
    expect(promised.filter((line) => !present.has(line))).toEqual([])
  })

  it("covers this version, whose warehouse is among the fixtures too", () => {
    expect(released.map((file) => basename(file, ".txt"))).toContain(version)
    expect(readdirSync(join(root, "test/fixtures/warehouses"))).toContain(`${version}.tar.gz`)
    expect(read("CHANGELOG.md")).toMatch(new RegExp(`^## ${version} - \\d{4}-\\d\\d-\\d\\d$`, "m"))
  })

  it("is of one version wherever it is named", () => {
    const naming = globSync("{README.md,docs/**/*.md,deploy/**/*}", {
      cwd: root,
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .flatMap((entry) => {
        const text = readFileSync(join(entry.parentPath, entry.name), "utf8")
        return [...text.matchAll(/vaulthouse[-:](\d+\.\d+\.\d+)/g)].map(([, named]) => named)
      })
    expect(naming.length).toBeGreaterThan(3)
    expect(new Set(naming)).toEqual(new Set([version]))
  })
})
