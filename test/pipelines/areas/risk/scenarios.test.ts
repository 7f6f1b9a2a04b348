// The file of collateral simulations: what is read, and what a wrong one says and where.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readConfig } from "../../../../src/config/Config.ts"
import { readScenarios } from "../../../../src/pipelines/areas/risk/scenarios.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"

const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
const weth = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"

const good = `# Requested in every run.
- name: one million
  loan_token_chain: 1
  loan_token_address: ${usdc}
  loan_amount: 1000000.5
  collateral_tokens:
    - [1, ${weth}]
    - [42161, "${usdc}"]
  collateral_token_allocation: [0.75, 0.25]
  on_platform: false
`

const oneMillion = {
  name: "one million",
  inputs: {
    loan_token_chain: 1,
    loan_token_address: usdc,
    loan_amount: 1_000_000.5,
    collateral_tokens: [
      [1, weth],
      [42161, usdc],
    ],
    collateral_token_allocation: [0.75, 0.25],
    on_platform: false,
  },
}

/** What a configuration file with this setting leads to. */
const readNamed = Effect.fnUntraced(function* (cwd: string, setting: string) {
  writeFileSync(join(cwd, "vaulthouse.config.yaml"), setting)
  return yield* readScenarios(yield* readConfig({ flags: {}, environment: {}, cwd }))
})

const readText = (text: string, name = "scenarios.yaml") =>
  Effect.gen(function* () {
    const cwd = yield* temporaryFolder
    writeFileSync(join(cwd, name), text)
    return yield* readNamed(cwd, `scenarios: ${name}`)
  })

/** What is said, without the folder and the column. */
const complaints = (text: string) =>
  Effect.map(Effect.flip(readText(text)), ({ message }) =>
    message.split("\n").map((line) => line.replace(/^.*scenarios\.yaml:(\d+):\d+/, "$1")),
  )

describe("the scenarios' file", () => {
  it.live("is YAML or JSON; without one nothing is requested", () =>
    Effect.gen(function* () {
      expect(yield* readText(good)).toEqual([oneMillion])
      const { name, inputs } = oneMillion
      expect(yield* readText(JSON.stringify([{ name, ...inputs }]), "s.json")).toEqual([oneMillion])
      expect(yield* readNamed(yield* temporaryFolder, "")).toEqual([])
      const redeployed = good.replace(
        "on_platform: false",
        `on_platform: true\n  loan_redeployed_token_chain: 1\n  loan_redeployed_token_address: ${weth}`,
      )
      expect((yield* readText(redeployed))[0]?.inputs).toMatchObject({
        on_platform: true,
        loan_redeployed_token_chain: 1,
        loan_redeployed_token_address: weth,
      })
    }),
  )

  it.live("is found from the folder of the configuration that names it", () =>
    Effect.gen(function* () {
      const cwd = yield* temporaryFolder
      writeFileSync(join(cwd, "mine.yaml"), good)
      expect(yield* readNamed(cwd, "scenarios: mine.yaml\n")).toHaveLength(1)
    }),
  )

  const entry = "entry 1 (one million):"
  const mistakes: ReadonlyArray<[string, string, string, string]> = [
    [
      "a number below 0",
      "1000000.5",
      "-1",
      `5: ${entry} \`-1\` is not a finite number of at least 0`,
    ],
    ["no number", "1000000.5", "much", `5: ${entry} \`much\` is not a number`],
    [
      "no end",
      "1000000.5",
      "1e999",
      `5: ${entry} \`1e999\` has more digits than a number in JSON keeps`,
    ],
    [
      "an address with a typo",
      weth,
      weth.replace("C02", "c02"),
      `7: ${entry} \`collateral_tokens\` has at [0] [1,"${weth.replace("C02", "c02")}"], which fails its EIP-55 checksum: a digit or the case of a letter is wrong`,
    ],
    [
      "no pair",
      `[1, ${weth}]`,
      `[${weth}]`,
      `7: ${entry} \`collateral_tokens\` has at [0] ["${weth}"], which is not a pair`,
    ],
    [
      "lists of unlike length",
      "[0.75, 0.25]",
      "[1]",
      `9: ${entry} collateral_token_allocation has 1 entries for 2 collateral_tokens; expected the same number (§7, rule 5)`,
    ],
    ["an empty list", "[0.75, 0.25]", "[]", `9: ${entry} \`collateral_token_allocation\` is empty`],
    [
      "half a redeployment",
      "on_platform: false",
      "on_platform: true\n  loan_redeployed_token_chain: 1",
      `2: ${entry} loan_redeployed_token_address is missing; on_platform true requires it (§7, rule 5)`,
    ],
    [
      "a missing input",
      "  on_platform: false\n",
      "",
      `2: ${entry} \`on_platform\` is missing: true or false`,
    ],
    [
      "one wrong item of several",
      "[0.75, 0.25]",
      "\n    - 0.75\n    - most",
      `11: ${entry} \`collateral_token_allocation\` has at [1] "most", which is not a finite number`,
    ],
    ["an amount no double holds", "1000000.5", "1000000.123456789012345678", "more digits"],
    ["no name", "- name: one million\n ", "-", "2: entry 1: `name` is missing"],
    ["an input that is misspelt", "on_platform:", "onplatform:", "did you mean"],
    [
      "a name twice",
      "  on_platform: false\n",
      `  on_platform: false\n${good.split("\n").slice(1).join("\n")}`,
      "11: entry 2 (one million): `one million` is already the name of an earlier entry",
    ],
  ]
  it.live.each(mistakes)("says what is wrong, and where: %s", ([, from, to, expected]) =>
    Effect.gen(function* () {
      expect(good).toContain(from)
      const said = yield* complaints(good.replace(from, () => to))
      expect(said.join("\n")).toContain(expected)
    }),
  )

  it.live("that is no list, or not there, says so", () =>
    Effect.gen(function* () {
      expect(yield* complaints("name: x\n")).toEqual([
        expect.stringContaining("expected one `- name: …`"),
      ])
      expect(yield* complaints("- [\n")).toEqual([expect.stringMatching(/^\d+: /)])
      const folder = yield* temporaryFolder
      const missing = yield* Effect.flip(readNamed(folder, "\nscenarios: none.yaml"))
      expect(missing.message).toBe(
        `vaulthouse.config.yaml:2:1: scenarios: ${join(folder, "none.yaml")}: there is no such file`,
      )
    }),
  )
})
