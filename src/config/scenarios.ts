// The file of collateral simulations (setting `scenarios`): a list of entries, each a name and the inputs of
// §2.6. What is wrong with it is said before a run begins, with its line.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseAddress } from "../domain/address.ts"
import { ConfigError, type ConfigProblem } from "./ConfigError.ts"
import { readYamlFile, type YamlFile } from "./file.ts"
import type { Kind, ValueOf } from "./kinds.ts"
import { type Path, type Problem, read } from "./read.ts"

export interface Scenario {
  readonly name: string
  /** Inputs of the collateral simulation, by the names of §2.6. */
  readonly inputs: Readonly<Record<string, unknown>>
}

const chain = { type: "integer", min: 0, max: Number.MAX_SAFE_INTEGER } as const
const number = { type: "text", example: "1000000" } as const
const optional = { default: undefined } as const

const entryKind = {
  type: "record",
  fields: {
    name: { kind: { type: "text", example: "one million USDC" }, describe: "Name" },
    loan_token_chain: { kind: chain, describe: "Chain id of the token lent" },
    loan_token_address: { kind: { type: "address" }, describe: "Token lent" },
    loan_amount: { kind: number, describe: "Amount lent" },
    collateral_tokens: {
      kind: {
        type: "list",
        of: { type: "list", of: { type: "text", example: "1 and 0x…: a chain id, an address" } },
      },
      describe: "Pairs of chain id and token address",
    },
    collateral_token_allocation: {
      kind: { type: "list", of: { type: "text", example: "0.5" } },
      describe: "Share of each token",
    },
    on_platform: { kind: { type: "boolean" }, describe: "Whether the loan stays on the platform" },
    loan_redeployed_token_chain: { kind: chain, describe: "Chain id", ...optional },
    loan_redeployed_token_address: { kind: { type: "address" }, describe: "Token", ...optional },
  },
} as const satisfies Kind

type Entry = ValueOf<typeof entryKind>
type Read<A> = Result.Result<A, ReadonlyArray<Problem>>

/** None where no file is set; fails with everything that is wrong with the file. */
export const readScenarios = (
  path: string | undefined,
): Effect.Effect<ReadonlyArray<Scenario>, ConfigError> => {
  if (path === undefined) return Effect.succeed([])
  return Effect.gen(function* () {
    const file = yield* Effect.try({
      try: () => readYamlFile(path),
      catch: (cause) => {
        const why = cause instanceof Error ? cause.message : String(cause)
        return new ConfigError({ problems: [{ where: path, detail: `can't be read: ${why}` }] })
      },
    })
    return yield* Effect.mapError(
      Effect.fromResult(scenariosIn(file)),
      (problems) => new ConfigError({ problems }),
    )
  })
}

const scenariosIn = (
  file: YamlFile,
): Result.Result<ReadonlyArray<Scenario>, ReadonlyArray<ConfigProblem>> => {
  const { content, lineOf, path, problems } = file
  if (problems.length > 0) return Result.fail(problems)
  if (!Array.isArray(content)) {
    const detail =
      "is not a list of scenarios; expected one `- name: …` with its inputs for each simulation"
    return Result.fail([{ where: path, line: 1, detail }])
  }
  const found: Array<Scenario> = []
  const wrong: Array<ConfigProblem> = []
  const names = new Set<string>()
  for (const [index, served] of content.entries()) {
    const entry = scenarioOf(served, [index])
    const told = (at: Path, detail: string): void => {
      wrong.push({
        where: path,
        line: lineOf(at),
        detail: `${entryText(served, index)}: ${detail}`,
      })
    }
    if (Result.isFailure(entry)) {
      for (const problem of entry.failure) told(problem.path, problem.detail)
      continue
    }
    const { name } = entry.success
    if (names.has(name)) told([index, "name"], `\`${name}\` is the name of an entry before it`)
    names.add(name)
    found.push(entry.success)
  }
  return wrong.length > 0 ? Result.fail(wrong) : Result.succeed(found)
}

const entryText = (served: unknown, index: number): string => {
  const name = (served as { readonly name?: unknown } | null)?.name
  return typeof name === "string" ? `entry ${index + 1} (${name})` : `entry ${index + 1}`
}

const scenarioOf = (served: unknown, path: Path): Read<Scenario> =>
  Result.gen(function* () {
    const entry = (yield* read(entryKind, served, path)) as Entry
    const { name, loan_amount, collateral_tokens, collateral_token_allocation, ...others } = entry
    const amount = yield* numeric(loan_amount, [...path, "loan_amount"], { least: 0 })
    const tokens = yield* each(collateral_tokens, [...path, "collateral_tokens"], pair)
    const sharesPath = [...path, "collateral_token_allocation"]
    const shares = yield* each(collateral_token_allocation, sharesPath, numeric)
    if (shares.length !== tokens.length) {
      return yield* fail(
        sharesPath,
        `collateral_token_allocation has ${shares.length} entries for ${tokens.length} collateral_tokens; expected as many (§7, rule 5)`,
      )
    }
    const missing = (
      ["loan_redeployed_token_chain", "loan_redeployed_token_address"] as const
    ).find((field) => others[field] === undefined)
    if (others.on_platform && missing !== undefined) {
      return yield* fail(
        [...path, "on_platform"],
        `on_platform is true, so \`${missing}\` is expected too (§7, rule 5)`,
      )
    }
    const given = Object.entries(others).filter(([, value]) => value !== undefined)
    return {
      name,
      inputs: {
        ...Object.fromEntries(given),
        loan_amount: amount,
        collateral_tokens: tokens,
        collateral_token_allocation: shares,
      },
    }
  })

const fail = (path: Path, detail: string): Read<never> => Result.fail([{ path, detail }])

/** Every item read, or what is wrong with the first that can't be; none is no list either. */
const each = <A, B>(
  items: ReadonlyArray<A>,
  path: Path,
  readItem: (item: A, path: Path) => Read<B>,
): Read<ReadonlyArray<B>> =>
  items.length === 0
    ? fail(path, `\`${String(path.at(-1))}\` is empty; expected at least one (§7, rule 5)`)
    : Result.all(items.map((item, index) => readItem(item, [...path, index])))

const numeric = (
  text: string,
  path: Path,
  bounds: { readonly least?: number } = {},
): Read<number> => {
  const { least = -Infinity } = bounds
  const value = Number(text)
  return Number.isFinite(value) && value >= least
    ? Result.succeed(value)
    : fail(path, `\`${text}\` is not a number${least === 0 ? " of at least 0" : ""}`)
}

const pair = (parts: ReadonlyArray<string>, path: Path): Read<readonly [number, string]> => {
  const [chainId = "", address = "", ...more] = parts
  if (more.length > 0 || !/^\d{1,15}$/.test(chainId)) {
    return fail(path, `\`${parts.join(", ")}\` is not a pair of chain id and token address`)
  }
  const parsed = parseAddress(address)
  return Result.isSuccess(parsed)
    ? Result.succeed([Number(chainId), address] as const)
    : fail(path, `\`${address}\` ${parsed.failure}`)
}
