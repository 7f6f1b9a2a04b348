// The house rules that a machine can hold: which folder may import which, file sizes, exact dependencies,
// explicit lists, and a linter that really looks.
import { execFile } from "node:child_process"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import type { Table } from "../src/domain/table/table.ts"
import { operationTables } from "../src/load/tables/index.ts"
import { coreTables } from "../src/pipelines/pipelines.ts"

const root = resolve(import.meta.dirname, "..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const files = (pattern: string) => globSync(pattern, { cwd: root }).toSorted()

/** Sections of package.json that map a name to a text. */
const manifest = JSON.parse(read("package.json")) as Record<
  string,
  Record<string, string> | undefined
>

/** Relative imports of a file, as paths from the root; `import("…")` ones apart. */
const imports = (file: string): { still: string[]; lazy: string[] } => {
  const source = read(file)
  const find = (pattern: RegExp) =>
    [...source.matchAll(pattern)].map((match) =>
      relative(root, resolve(root, dirname(file), match[1] ?? "")),
    )
  return {
    still: find(/(?:^|\n)(?:import|export)\s[^"']*?["'](\.[^"']+)["']/g),
    lazy: find(/\bimport\(\s*["'](\.[^"']+)["']/g),
  }
}
const importsOf = (file: string) => [...imports(file).still, ...imports(file).lazy]
const stage = (file: string) => file.split("/").slice(0, 2).join("/")

const mayImport: Record<string, ReadonlyArray<string>> = {
  "src/domain": ["src/domain"],
  "src/archive": ["src/archive", "src/domain"],
  "src/extract": ["src/extract", "src/archive", "src/domain"],
  "src/transform": ["src/transform", "src/domain"],
  "src/load": ["src/load", "src/domain"],
  "src/config": ["src/config", "src/domain"],
  "src/pipelines": [
    "src/pipelines",
    "src/archive",
    "src/extract",
    "src/transform",
    "src/load",
    "src/domain",
    "src/config",
  ],
  "src/serve": ["src/serve", "src/pipelines", "src/domain"],
  "src/cli": ["src/cli", "src/serve", "src/pipelines", "src/config", "src/domain"],
}

describe("imports", () => {
  const sources = files("src/**/*.ts")
  const all = files("{src,simulator,bench,demo,build,test}/**/*.ts")

  it("finds the sources and their imports", () => {
    expect(sources.length).toBeGreaterThan(20)
    expect(imports("src/load/tables/index.ts").still).toContain("src/domain/table/table.ts")
  })

  it("data moves one way: a stage imports the vocabulary, only pipelines join the stages", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith("src/"))
        .filter((target) => !(mayImport[stage(file)] ?? []).includes(stage(target)))
        .map((target) => `${file} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  // Each may import itself and those before it.
  const pipelineOrder = [
    "model",
    "strategies",
    "areas",
    "pipelines.ts",
    "publication",
    "retention",
    "run",
    "workers",
    "schedule",
    "archive",
    "readers",
    "notifications",
    "backup",
    "service",
  ]

  it("inside pipelines each folder imports those before it, types included", () => {
    const ours = files("src/pipelines/**/*.ts")
    const folderOf = (file: string) => file.split("/")[2] ?? ""
    const place = (file: string) => pipelineOrder.indexOf(folderOf(file))
    expect(ours.filter((file) => place(file) < 0)).toEqual([])
    const wrong = ours.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith("src/pipelines/") && place(target) > place(file))
        .map((target) => `${file} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it("no two neighbours, files or folders side by side, need each other, types included", () => {
    // What each neighbour in a folder needs of the others there.
    const needs = new Map<string, Map<string, Set<string>>>()
    for (const file of all) {
      for (const target of importsOf(file).filter((each) => all.includes(each))) {
        const [ours, theirs] = [file.split("/"), target.split("/")]
        const at = ours.findIndex((part, index) => part !== theirs[index])
        const folder = ours.slice(0, at).join("/")
        const neighbours = needs.get(folder) ?? new Map<string, Set<string>>()
        needs.set(folder, neighbours)
        const needed = neighbours.get(ours[at] ?? "") ?? new Set()
        neighbours.set(ours[at] ?? "", needed.add(theirs[at] ?? ""))
      }
    }
    const circular = [...needs].flatMap(([folder, neighbours]) => {
      const reached = (from: string, seen = new Set<string>()): Set<string> => {
        for (const each of neighbours.get(from) ?? []) {
          if (!seen.has(each)) reached(each, seen.add(each))
        }
        return seen
      }
      return [...neighbours.keys()]
        .filter((name) => reached(name).has(name))
        .map((name) => `${folder}/${name}`)
    })
    expect(needs.size).toBeGreaterThan(30)
    expect(circular).toEqual([])
  })

  it("from the rooms of docs/architecture.md, other stages import what is open to them", () => {
    const page = read("docs/architecture.md")
    const [, parts = ""] = page.split("| part |")
    const rows = [
      ...page.matchAll(/^\| `(src\/\w+\/(?:\w+\/)?)` \|.*\| (.*) \|$/gm),
      ...[...parts.matchAll(/^\| `(\w+\/)` \|.*\| (.*) \|$/gm)].map(([, part, cell]) => [
        "",
        `src/pipelines/${part}`,
        cell,
      ]),
    ]
    const open = new Map(
      rows.map(([, room = "", cell = ""]) => [
        room,
        cell === "all"
          ? cell
          : [...cell.matchAll(/`([\w/]+)`/g)].map(([, name]) => `${room}${name}.ts`),
      ]),
    )
    const ofStage = new Set(["src/archive", "src/serve"])
    const roomOf = (file: string) =>
      ofStage.has(stage(file)) ? `${stage(file)}/` : (/^src\/\w+\/\w+\//.exec(file)?.[0] ?? "")
    const rooms = sources.map(roomOf)
    expect(new Set(open.keys())).toEqual(new Set(rooms.filter((room) => room !== "")))
    const imported = new Set<string>()
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => stage(target) !== stage(file) && open.has(roomOf(target)))
        .filter((target) => {
          imported.add(target)
          const listed = open.get(roomOf(target))
          return listed !== "all" && listed?.includes(target) !== true
        })
        .map((target) => `${file} imports ${target}`),
    )
    expect(wrong).toEqual([])
    expect(
      [...open.values()].flat().filter((file) => file !== "all" && !imported.has(file)),
    ).toEqual([])
  })

  /** What docs/architecture.md opens of the rooms of load. */
  const openOfLoad = (): ReadonlySet<string> =>
    new Set(
      [
        ...read("docs/architecture.md").matchAll(/^\| `(src\/load\/\w+\/)` \|.*\| (.*) \|$/gm),
      ].flatMap(([, room = "", cell = ""]) =>
        [...cell.matchAll(/`([\w/]+)`/g)].map(([, name]) => `${room}${name}.ts`),
      ),
    )

  it("the decision on rooms has each module of load that is open, and their number", () => {
    const decision = read("docs/decisions/0032-what-a-room-opens.md")
    const named = [...decision.matchAll(/^\| [^|]* \| (`.*) \|$/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([\w/]+)`/g)].map(([, name]) => `/${name}.ts`),
    )
    const open = [...openOfLoad()]
    expect(decision).toContain(`${open.length} modules are open`)
    expect(named).toHaveLength(open.length)
    expect(open.filter((file) => !named.some((name) => file.endsWith(name)))).toEqual([])
  })

  it("inside load, Effects are where docs/architecture.md says", () => {
    const open = openOfLoad()
    const wrong = sources
      .filter((file) => file.startsWith("src/load/") && /from "effect\/Effect"/.test(read(file)))
      .filter(
        (file) =>
          !/^src\/load\/(?:Warehouse\.ts|commit\/commitQueue\.ts|work\/|checks\/)/.test(file),
      )
      .filter((file) => !open.has(file))
    // It is about Effect's own client of PostgreSQL.
    expect(wrong).toEqual(["src/load/storage/lake/catalogError.ts"])
  })

  // DuckDB 1.5.5 may fail there, and then refuses everything (docs/decisions/0002-packages.md).
  it("no SQL has a window of all rows", () => {
    const wrong = files("{warehouse,src}/**/*.{sql,ts}").filter((file) =>
      /\bover\s*\(\s*\)/i.test(read(file)),
    )
    expect(wrong).toEqual([])
  })

  it("no folder has more files side by side than a reader can take in", () => {
    const inFolders = files("{src,simulator,bench,demo,build,test}/**/*").filter(
      (file) =>
        !/fixtures|node_modules|^demo\/data\//.test(file) && statSync(join(root, file)).isFile(),
    )
    const count = Map.groupBy(inFolders, dirname)
    const full = [...count].filter(([, inside]) => inside.length > 16).map(([folder]) => folder)
    expect(full).toEqual([])
  })

  it("docs/architecture.md has the folders of pipelines in that order", () => {
    const rows = [...read("docs/architecture.md").matchAll(/^\| `(\w+(?:\/|\.ts))` \|/gm)]
    expect(rows.map(([, name = ""]) => name.replace(/\/$/, ""))).toEqual(pipelineOrder)
  })

  it("every file that a page names by its path is there", () => {
    const named = files("{docs/**/,simulator/,warehouse/,}*.md").flatMap((page) =>
      [
        ...read(page).matchAll(/`((?:src|test|warehouse|simulator|docs|deploy|bench)\/[\w./-]+)`/g),
      ].map(([, file = ""]) => file),
    )
    expect(named).toContain("src/config/settings/settings.ts")
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })

  it("docs/architecture.md states the same rule", () => {
    const rows = [...read("docs/architecture.md").matchAll(/^\| `(src\/\w+)` \|[^|]*\| (.*) \|$/gm)]
    const folders = rows.map(([, folder = ""]) => folder)
    const stated = rows.map(([, folder = "", may = ""], at) => {
      const targets =
        may === "all of the above"
          ? folders.slice(0, at)
          : [...may.matchAll(/`(\w+)`/g)]
              .map(([, name = ""]) => `src/${name}`)
              .filter((target) => target in mayImport)
      return [folder, new Set([folder, ...targets])]
    })
    expect(Object.fromEntries(stated)).toEqual(
      Object.fromEntries(
        Object.entries(mayImport).map(([folder, targets]) => [folder, new Set(targets)]),
      ),
    )
  })

  it("each stage has its place in the rule", () => {
    expect(sources.filter((file) => mayImport[stage(file)] === undefined)).toEqual([])
  })

  it("the simulator stands alone", () => {
    const wrong = files("simulator/**/*.ts").flatMap((file) =>
      importsOf(file)
        .filter((target) => !target.startsWith("simulator/"))
        .map((target) => `${file} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it("the source reaches the simulator from its simulate command only, and only when it runs", () => {
    const toSimulator = (target: string) => target.startsWith("simulator/")
    const reaching = sources.filter((file) => imports(file).still.some(toSimulator))
    expect(reaching).toEqual([
      "src/cli/commands/simulate/command.ts",
      "src/cli/commands/simulate/run.ts",
    ])
    // flags.ts does no work: the flags of the command derive from it. The rest is loaded when it runs.
    const simulate = imports("src/cli/commands/simulate/command.ts")
    expect(simulate.still.filter(toSimulator)).toEqual(["simulator/flags.ts"])
    expect(simulate.lazy).toEqual(["src/cli/commands/simulate/run.ts"])
  })
})

describe("files", () => {
  const ours = files("{src,simulator}/**/*.ts")

  it("none is longer than 300 lines", () => {
    expect(ours.filter((file) => read(file).split("\n").length > 301)).toEqual([])
  })

  it("each begins with what it is for", () => {
    expect(ours.filter((file) => !/^(#!.*\n)?\/\//.test(read(file)))).toEqual([])
  })

  it("none is a drawer for everything", () => {
    expect(
      files("{src,simulator,test}/**/*.ts").filter((file) =>
        /^(utils?|helpers?|misc|common)\./.test(basename(file)),
      ),
    ).toEqual([])
  })
})

describe("tables", () => {
  const lists: ReadonlyArray<[string, ReadonlyArray<Table>]> = [
    ["src/transform/tables", coreTables],
    ["src/load/tables", operationTables],
  ]

  it.each(lists)("%s: each file is a table of that name, and in use", (folder, tables) => {
    const declaring = files(`${folder}/**/*.ts`).filter((file) =>
      /: Table = (\{|\w+\()/.test(read(file)),
    )
    expect(tables.map((table) => table.name).toSorted()).toEqual(
      declaring.map((file) => basename(file, ".ts")).toSorted(),
    )
  })

  // A merge handles no other rows, and bookkeeping is written without a merge.
  it("those of the API keep their past, vaulthouse's own do not", () => {
    const modes = lists.map(([, tables]) => new Set(tables.map(({ mode }) => mode)))
    expect(modes).toEqual([new Set(["history", "slowly_changing"]), new Set(["replace", "first"])])
  })

  it("no two have the same name", () => {
    const names = lists.flatMap(([, tables]) => tables.map((t) => `${t.schema}.${t.name}`))
    expect(names).toEqual([...new Set(names)])
  })
})

describe("dependencies", () => {
  it("are pinned exactly", () => {
    const all = ["dependencies", "devDependencies", "optionalDependencies"].flatMap((kind) =>
      Object.entries(manifest[kind] ?? {}),
    )
    expect(all.length).toBeGreaterThan(10)
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  })

  it("each has its reason in the decision on packages", () => {
    const decision = read("docs/decisions/0002-packages.md")
    const named = ["dependencies", "devDependencies", "optionalDependencies"].flatMap((kind) =>
      Object.keys(manifest[kind] ?? {}),
    )
    expect(named.filter((name) => !decision.includes(`\`${name}\``))).toEqual([])
  })

  it("the versions in the decision on packages are those in use", () => {
    const all = { ...manifest["dependencies"], ...manifest["devDependencies"] }
    const stated = [...read("docs/decisions/0002-packages.md").matchAll(/`([^`\s]+)` (\d[\w.-]*)/g)]
    expect(stated.length).toBeGreaterThan(10)
    const wrong = stated.filter(([, name = "", version]) => (all[name] ?? version) !== version)
    expect(wrong.map(([text]) => text)).toEqual([])
  })

  it("the lock file holds the binaries of every platform: `npm ci` refuses it otherwise", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>
    }
    const missing = Object.values(packages)
      .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
      .filter((name) => packages[`node_modules/${name}`] === undefined)
    expect(missing).toEqual([])
  })

  it("the lock file names no address but the public registry's", () => {
    const lock = read("package-lock.json")
    const resolved = [...lock.matchAll(/"resolved": "([^"]*)"/g)].map((match) => match[1] ?? "")
    expect(resolved.filter((url) => !url.startsWith("https://registry.npmjs.org/"))).toEqual([])
  })

  it("what runs in production is checked by its hash, and runs no script when it is installed", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { dev?: true; integrity?: string; hasInstallScript?: true }>
    }
    const { "": _checkout, ...installed } = packages
    const production = Object.entries(installed).filter(([, { dev }]) => dev !== true)
    expect(production.map(([path]) => path)).toContain("node_modules/@duckdb/node-bindings")
    const wrong = production.filter(
      ([, { integrity, hasInstallScript }]) =>
        integrity?.startsWith("sha512-") !== true || hasInstallScript === true,
    )
    expect(wrong.map(([path]) => path)).toEqual([])
  })

  it("of deploy/ are pinned: actions by commit, images by version", () => {
    const named = (pattern: RegExp) =>
      files("deploy/**/*").flatMap((file) =>
        statSync(join(root, file)).isFile()
          ? [...read(file).matchAll(pattern)].map(([, name = ""]) => name)
          : [],
      )
    const actions = named(/^ *(?:- )?uses: (\S+)/gm)
    expect(actions.length).toBeGreaterThan(2)
    expect(actions.filter((name) => !/@[0-9a-f]{40}$/.test(name))).toEqual([])
    // compose.yaml names the one that it builds.
    const images = named(/^(?:FROM| *image:) (\S+)/gm).filter((name) => name !== "vaulthouse")
    expect(images.length).toBeGreaterThan(3)
    expect(images.filter((name) => !/:\d+\.\d+(\.\d+)?(-[\w-]+)?$/.test(name))).toEqual([])
  })
})

describe("the linter", () => {
  const run = (command: string, args: string[]) =>
    new Promise<{ code: number; output: string }>((done) => {
      execFile(join(root, "node_modules/.bin", command), args, { cwd: root }, (error, out, err) => {
        done({ code: typeof error?.code === "number" ? error.code : 0, output: out + err })
      })
    })

  it("fails on an Effect that is never run", async () => {
    const { scripts } = manifest
    const [command = "", ...args] = (scripts?.["lint:effects"] ?? "").split(" ")
    const project = args.indexOf("--project") + 1
    expect(args[project]).toBe("tsconfig.json")
    const fixture = args.with(project, "test/fixtures/lint/tsconfig.json")
    const { code, output } = await run(command, fixture)
    expect(output).toContain("floatingEffect")
    expect(code).not.toBe(0)
  })

  it("fails on a Promise that is never awaited", async () => {
    const file = "test/fixtures/lint/floating-promise.ts"
    const { code, output } = await run("oxlint", [file])
    expect(output).toContain("no-floating-promises")
    expect(code).not.toBe(0)
  })
})
