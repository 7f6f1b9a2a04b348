// What is in a configuration file stays as it is when fields are added to it.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readConfigFile } from "../../src/config/read/file.ts"
import { withFields } from "../../src/config/write/withFields.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const before = `# ours
vaults:
  include: [0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045, 0x00dA6BF26964aF9D7eEd9e03E53415D37aA9604e]
publishedMode: 0640 # the group reads
maxPage: 1_000
since: 2026-01-01
archive: ~
revertReasons:
  - { chainId: 1, transactionHash: 0x${"9".repeat(64)} }
`

it.live("keeps what only looks like numbers, and comments", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const valuesOf = (text: string) => {
      writeFileSync(join(folder, "file"), text)
      return readConfigFile(join(folder, "file"), "file").values
    }
    const after = withFields(before, { "vaults.reserve_target": "reserveTgt" })
    const { fields, ...others } = valuesOf(after)
    expect(fields).toEqual({ "vaults.reserve_target": "reserveTgt" })
    expect(others).toEqual(valuesOf(before))
    expect(after).toContain("# ours\n")
    expect(after).toContain("0640 # the group reads")
  }),
)
