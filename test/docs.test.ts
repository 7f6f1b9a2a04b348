// What the pages name is there: files and headings that they link to, commands with their flags, tables, environment
// variables. What they claim is tested where it is built.
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { describe, expect, it } from "vitest"
import { commands } from "../src/cli/commands/index.ts"
import { globalFlags } from "../src/cli/parse/globalFlags.ts"
import { exitCodes } from "../src/cli/parse/exit.ts"
import { problemKinds } from "../src/domain/run/problem.ts"
import { settingNames, settingOf } from "../src/config/settings/settings.ts"
import { dictionary } from "../src/pipelines/readers/dictionary.ts"
import { complaints, useConfigFolder } from "./support/configFolder.ts"
import { API_KEY, API_KEY_FILE, environmentName } from "../src/config/settings/Setting.ts"

useConfigFolder()

const root = join(import.meta.dirname, "..")
const read = (file: string): string => readFileSync(join(root, file), "utf8")

// The changelog names what is gone, and the page of commands is generated from them.
const pages = globSync("{docs/**/,simulator/,warehouse/,test/crash/,}*.md", { cwd: root }).filter(
  (page) => page !== "CHANGELOG.md" && page !== "docs/cli.md",
)

/** What `find` finds wrong in each page, with the page's name. */
const wrong = (find: (page: string, text: string) => ReadonlyArray<string>) =>
  pages.flatMap((page) => find(page, read(page)).map((each) => `${page}: ${each}`))

const withoutBlocks = (text: string): string => text.replaceAll(/^```[^]*?^```/gm, "")

/** As GitHub derives them. */
const anchorsOf = (page: string): ReadonlySet<string> =>
  new Set(
    [...withoutBlocks(read(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .trim()
        .replaceAll(" ", "-"),
    ),
  )

/** Inline code, and the lines of blocks, each on one line however it is written. */
const codeIn = (text: string): ReadonlyArray<string> => [
  ...[...text.matchAll(/^```[^\n]*\n([^]*?)^```/gm)].flatMap(([, block = ""]) =>
    block.replaceAll(/\\\n\s*/g, "").split("\n"),
  ),
  // Headings of docs/troubleshooting.md are messages.
  ...[
    ...withoutBlocks(text)
      .replaceAll(/^#.*$/gm, "")
      .matchAll(/`([^`\n]+)`/g),
  ].map(([, code = ""]) => code),
]

const flagsOf = new Map(
  commands.map(({ name, flags }) => [
    name,
    new Set([...Object.keys(flags), ...Object.keys(globalFlags), "help", "version"]),
  ]),
)

/** What may precede a command on its line: a prompt, `npx`, a schedule, variables, the folder of the program. */
const isBefore = (word: string): boolean => /^(?:\$|npx|[\d*]+|\w+=.*|bin\/|\/.*\/)?$/.test(word)

/** `name` and flags of each `vaulthouse <name> …` that a line consists of. */
const callsIn = (text: string) =>
  codeIn(text).flatMap((line) => {
    const at = line.indexOf("vaulthouse ")
    if (at < 0 || !line.slice(0, at).split(" ").every(isBefore)) return []
    // What follows a pipe or a comment is of another program.
    const [own = ""] = line.slice(at).split(/ [|#&>]/)
    const [, name = "", ...words] = own.split(" ")
    if (!/^[a-z]+$/.test(name)) return []
    const flags = words.flatMap((word) => /^--([a-z][a-z-]*)/.exec(word)?.[1] ?? [])
    return [{ name, flags }]
  })

describe("the pages", () => {
  it("link to files and headings that there are", () => {
    const dead = wrong((page, text) =>
      [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
        if (/^\w+:/.test(target)) return []
        const [path = "", anchor] = target.split("#")
        const file = path === "" ? page : normalize(join(dirname(page), path))
        if (!existsSync(join(root, file))) return [target]
        const isThere = anchor === undefined || !file.endsWith(".md") || anchorsOf(file).has(anchor)
        return isThere ? [] : [target]
      }),
    )
    expect(dead).toEqual([])
  })

  it("call commands that there are, with flags that they take", () => {
    const calls = pages.flatMap((page) => callsIn(read(page)))
    expect(calls.length).toBeGreaterThan(commands.length)
    const unknown = wrong((_, text) =>
      callsIn(text).flatMap(({ name, flags }) => {
        const known = flagsOf.get(name)
        if (known === undefined) return [`vaulthouse ${name}`]
        return flags
          .filter((flag) => !known.has(flag) && !known.has(flag.replace(/^no-/, "")))
          .map((flag) => `vaulthouse ${name} --${flag}`)
      }),
    )
    expect(unknown).toEqual([])
  })

  it("name tables and marts that there are", () => {
    const names = new Set(
      dictionary().flatMap(({ name, asOf = "" }) => [name, asOf.replace(/\(.*/, "")]),
    )
    const unknown = wrong((_, text) =>
      [
        ...withoutBlocks(text).matchAll(
          /`((?:core|mart|meta|ops|raw)\.[a-z]\w*)(?:\.\w+|\([^`]*)?`/g,
        ),
      ]
        .map(([, name = ""]) => name)
        .filter((name) => !names.has(name)),
    )
    expect(unknown).toEqual([])
  })

  it("name environment variables that something reads", () => {
    const namesIn = (text: string) =>
      [...text.matchAll(/\bVAULTHOUSE_[A-Z_]+\b/g)].map(([name]) => name)
    const known = new Set([
      API_KEY,
      API_KEY_FILE,
      "VAULTHOUSE_SERVE_TOKEN",
      ...settingNames.map((name) => environmentName(settingOf(name))),
      ...namesIn(read("deploy/dbt/profiles.yml")),
    ])
    const unknown = wrong((_, text) => namesIn(text).filter((name) => !known.has(name)))
    expect(unknown).toEqual([])
  })

  it("list what the code lists: kinds of problems, exit codes, reasons to fail, folders of SQL", () => {
    /** Names in the first cell of a table's rows, between a heading and the next one. */
    const firstCells = (page: string, from: string, pattern: RegExp) => {
      const [, after = ""] = read(page).split(from)
      const [section = ""] = after.split(/^#/m)
      const cells = [...section.matchAll(/^\| ([^|]*) \|/gm)].map(([, cell = ""]) => cell)
      return new Set(cells.flatMap((cell) => [...cell.matchAll(pattern)].map(([name]) => name)))
    }
    const named = /(?<=`)[\w]+(?=\/?`)/g
    expect(firstCells("docs/monitoring.md", "### Kinds of problems\n", named)).toEqual(
      new Set(problemKinds),
    )
    const operations = "docs/operations.md"
    const codes = firstCells(operations, "## Exit codes\n", /^[\d, ]+$/g)
    expect(new Set([...codes].join().split(",").map(Number))).toEqual(
      new Set(Object.values(exitCodes)),
    )
    const { kind } = settingOf("failOn")
    const choices = kind.type === "list" && kind.of.type === "choice" ? kind.of.of : []
    expect(firstCells(operations, "also fails\n", named)).toEqual(new Set(choices))
    const folders = readdirSync(join(root, "warehouse")).filter((name) => !name.includes("."))
    expect(firstCells("warehouse/README.md", "# warehouse\n", named)).toEqual(new Set(folders))
  })

  it("write settings as the configuration file takes them", () => {
    const isSetting = (code: string): boolean => {
      const [, name = ""] = /^(\w+)(?:\.[\w.]+)?: \S/.exec(code) ?? []
      return (settingNames as ReadonlyArray<string>).includes(name)
    }
    const settingsIn = (text: string) => codeIn(text).filter(isSetting)
    expect(pages.flatMap((page) => settingsIn(read(page))).length).toBeGreaterThan(10)
    const refused = wrong((_, text) =>
      settingsIn(text)
        .map((file) => complaints({ file }))
        .filter((complaint) => complaint !== "no complaint"),
    )
    expect(refused).toEqual([])
  })

  it("state defaults that settings have", () => {
    const stated = pages.flatMap((page) =>
      [
        ...withoutBlocks(read(page)).matchAll(/`([a-z]\w*(?:\.\w+)?)` \((\d+)(?: (?:s|days))?\)/g),
      ].map(([, name = "", value]) => ({ page, name, value: Number(value) })),
    )
    const defaults = new Map<string, unknown>(
      settingNames.flatMap((name) => {
        const { default: value } = settingOf(name)
        return [
          [name, value] as const,
          ...Object.entries(Object(value) as object).map(
            ([member, each]) => [`${name}.${member}`, each] as const,
          ),
        ]
      }),
    )
    const known = stated.filter(({ name }) => defaults.has(name))
    expect(known.length).toBeGreaterThan(1)
    expect(known.filter(({ name, value }) => defaults.get(name) !== value)).toEqual([])
  })
})
