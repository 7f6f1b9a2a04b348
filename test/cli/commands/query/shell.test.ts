// The interactive shell: statements over lines, completion, its own commands, history; driven through streams, and
// once through a pseudo-terminal.
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { text } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../../../simulator/index.ts"
import {
  type QueryVocabulary,
  readQueryVocabulary,
} from "../../../../src/pipelines/readers/query/queryVocabulary.ts"
import { complete } from "../../../../src/cli/commands/query/completion.ts"
import { shell } from "../../../../src/cli/commands/query/shell.ts"
import { useStreams } from "../../../../src/cli/terminal/output.ts"
import type { QueryParameters } from "../../../../src/domain/values/queryParameter.ts"
import { openReader, type Reader } from "../../../../src/pipelines/readers/published.ts"
import { splitStatements } from "../../../../src/cli/commands/query/statementText.ts"
import { until } from "../../../support/until.ts"
import { warmReaders } from "../../../support/processes/warmReaders.ts"
import { hasTerminal, startOnTerminal, vaulthouse } from "../../command.ts"

let cwd = ""
let simulator: Simulator
let vocabulary: QueryVocabulary
warmReaders()
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-shell-"))
  simulator = await startSimulator({ now: "2026-06-01T12:00:00Z", days: 3, vaults: 2 })
  const synced = await vaulthouse(
    ["sync", "vaults", "ratio_history", "--base-url", simulator.url, "--no-progress"],
    { cwd },
  )
  expect(synced.code).toBe(0)
  vocabulary = await withCopy(readQueryVocabulary)
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

const withCopy = <A, E>(work: (copy: Reader) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(
        openReader(join(cwd, "data"), { memoryLimit: "500MB", diskLimit: "1GB" }),
        work,
      ),
    ) as Effect.Effect<A, E>,
  )

/** Types into a shell and answers with what it wrote to standard output and standard error. */
const typedInto = async (
  typed: string,
  history = join(cwd, "history"),
  parameters: QueryParameters = {},
) => {
  const streams = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  }
  streams.stdin.end(typed)
  const output = Promise.all([text(streams.stdout), text(streams.stderr)])
  const options = {
    format: "csv",
    maxRows: Infinity,
    maxWidth: Infinity,
    csvSafe: false,
    timeoutSeconds: undefined,
    parameters,
  } as const
  useStreams(streams)
  await withCopy((copy) => Effect.scoped(shell(copy, options, history)))
  useStreams(process)
  streams.stdout.end()
  streams.stderr.end()
  const [stdout, stderr] = await output
  return { stdout, stderr }
}

describe("statements", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
    ["select 1;", ["select 1;"], ""],
    ["select 1; select 2;\n", ["select 1;", "select 2;"], ""],
    ["select 1", [], "select 1"],
    ["select ';'", [], "select ';'"],
    ["select 'it''s;' as \"a;b\";", ["select 'it''s;' as \"a;b\";"], ""],
    ["select 1 -- not yet;\n", [], "select 1 -- not yet;\n"],
    ["select 1 /* a; */;", ["select 1 /* a; */;"], ""],
    ["select 'open;\n", [], "select 'open;\n"],
    ["select $$a;b$$;", ["select $$a;b$$;"], ""],
    ["select $$a;b", [], "select $$a;b"],
    ["select e'it\\'s;'; select 2", ["select e'it\\'s;';"], " select 2"],
    [";;", [], ""],
    ["/* ; */ ;", [], ""],
    ["select 1; -- c\rselect 2;\r", ["select 1;", "-- c\rselect 2;"], ""],
    ["-- nothing\n;", [], ""],
    ["select 1; sel", ["select 1;"], " sel"],
  ]
  it.each(cases)("%j", (typed, statements, rest) => {
    expect(splitStatements(typed)).toEqual({ statements, rest })
  })
})

describe("completion", () => {
  const offered = (line: string, before = "") => complete(vocabulary, before, line)

  it("offers schemas, then tables, where a table is due", () => {
    expect(offered("select * from ")[0]).toEqual(
      expect.arrayContaining(["core.", "mart.", "meta.", "ops.", "raw."]),
    )
    const [tables, begun] = offered("select * from core.ratio_h")
    expect(begun).toBe("core.ratio_h")
    expect(tables).toContain("core.ratio_history")
    expect(tables.every((name) => name.startsWith("core.ratio_h"))).toBe(true)
    expect(offered("select * from mart.ratio_")[0]).toContain("mart.ratio_history_as_of(")
  })

  it("offers columns of the tables the question names, on any of its lines", () => {
    expect(offered("where adj", "select *\nfrom core.ratio_history\n")).toEqual([
      ["adjusted_redeem_ratio"],
      "adj",
    ])
    expect(offered("select * from core.ratio_history r where r.obs")).toEqual([
      ["r.observed_at"],
      "r.obs",
    ])
    expect(offered("select * from core.ratio_history where ratio_history.tvl")[0]).toEqual([
      "ratio_history.tvl_on_vault",
    ])
  })

  it("offers keywords in the case begun, and nothing for nothing", () => {
    expect(offered("sel")[0]).toContain("select")
    expect(offered("SEL")[0]).toEqual(["SELECT"])
    expect(offered("select ")[0]).toEqual([])
  })

  it("completes the shell's own commands", () => {
    expect(offered(".sc")).toEqual([[".schema"], ".sc"])
    expect(offered(".schema mart.vault_lat")).toEqual([["mart.vault_latest"], "mart.vault_lat"])
  })
})

describe("a refused question", () => {
  const refused: ReadonlyArray<readonly [sql: string, advice: string | undefined]> = [
    ["select $day as day", "Give it a value: `--param day=…`."],
    ["select nosuch from mart.vault_latest", "`vaulthouse tables` lists tables and columns."],
    ["select * from core.nosuch", "`vaulthouse tables` lists tables and columns."],
    ["selec 1", undefined],
    ["select 'a'::integer", undefined],
  ]
  it.each(refused)("%s", async (sql, advice) => {
    const { code, stderr } = await vaulthouse(["query", sql], { cwd })
    expect(code).not.toBe(0)
    expect(stderr).toContain("DuckDB refused the query")
    if (advice === undefined) expect(stderr).not.toMatch(/vaulthouse tables|--param/)
    else expect(stderr.trimEnd().split("\n").at(-1)).toBe(advice)
  })
})

describe("shell", () => {
  it.each(["exit", "quit;", "\\q", ".exit"])("%s leaves the shell", async (word) => {
    const { stdout } = await typedInto(`help\n${word}\nselect 99 as never;\n`)
    expect(stdout).toContain("Tab completes")
    expect(stdout).not.toContain("never\n99")
  })

  it("runs a query when a semicolon ends it, several in a line or one over lines", async () => {
    const { stdout, stderr } = await typedInto(
      "select 1 as one; select 'a;b' as two;\nselect count(*) as n\nfrom core.vaults\n;\n",
    )
    expect(stderr).toBe("")
    expect(stdout).toContain("one\n1\n")
    expect(stdout).toContain("two\na;b\n")
    expect(stdout).toContain("n\n2\n")
  })

  it("gives each question the values it has a place for", async () => {
    const { stdout, stderr } = await typedInto(
      "select 1 as one;\nselect $days as days;\n",
      join(cwd, "history"),
      { days: 30 },
    )
    expect(stderr).toBe("")
    expect(stdout).toContain("one\n1\n")
    expect(stdout).toContain("days\n30\n")
  })

  it("goes on after an error, which points at the place", async () => {
    const { stdout, stderr } = await typedInto(
      "select nosuch\nfrom core.vaults;\nselect 42 as x;\n",
    )
    expect(stderr).toMatch(/nosuch.*\n[^]*LINE 1: select nosuch\n +\^/)
    expect(stdout).toContain("x\n42\n")
  })

  it("answers .tables, .schema, .help itself, and guesses at the rest", async () => {
    const { stdout } = await typedInto(
      ".tables vault_l\n.schema vault_latest\n.schema vault_latst\n.tabels\n.help\n.quit\nselect 99 as never;\n",
    )
    expect(stdout).toMatch(/mart\.vault_latest +\S/)
    expect(stdout).toMatch(/ratio_age_hours +double +Age of the newest ratio point/)
    expect(stdout).toContain("There is no table `vault_latst`; did you mean `vault_latest`?")
    expect(stdout).toContain("There is no .tabels; did you mean `.tables`?")
    expect(stdout).toContain("Tab completes")
    expect(stdout).not.toContain("never\n99")
  })

  it("keeps its history in a file of the user's own", async () => {
    const history = join(cwd, "kept")
    await typedInto("select 1;\n", history)
    await typedInto("select 2;\n", history)
    expect(readFileSync(history, "utf8")).toBe("select 2;\nselect 1;")
    expect(statSync(history).mode & 0o777).toBe(0o600)
  })

  it("needs no history where it may not read or write one", async () => {
    // A folder can be neither, whoever the user is.
    const { stdout, stderr } = await typedInto("select 1 as n;\nselect 2 as n;\n", cwd)
    expect({ stdout, stderr }).toMatchObject({
      stdout: expect.stringMatching(/n\r?\n1\r?\n.*n\r?\n2\r?\n/s),
      stderr: "",
    })
  })
})

describe.runIf(hasTerminal)("on a terminal", () => {
  it("prompts, completes at Tab, prints tables, and leaves at Ctrl-D", async () => {
    const child = startOnTerminal(["query"], cwd)
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk))
    const ended = new Promise<number | null>((done) => child.on("close", done))
    const shows = async (wanted: RegExp) => {
      await until(`it shows ${String(wanted)}`, () => wanted.test(output))
      output = ""
    }
    await shows(/vaulthouse> /)
    child.stdin.write("select vault_name from mart.vault_lat")
    await shows(/vault_lat/)
    child.stdin.write("\t")
    await shows(/est/)
    child.stdin.write(";\r")
    await shows(/\(2 rows\)/)
    child.stdin.write("select 1\r")
    await shows(/\.\.\. /)
    child.stdin.write("\u0003")
    await shows(/vaulthouse> /)
    child.stdin.write("\u0004")
    expect(await ended).toBe(0)
  })
})
