// Pictures of the web page for docs/ (`make screenshots`): a simulated platform in which some vaults are in trouble, on a
// clock that stands still, in Debian's Chromium.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { clockFrom } from "../../demo/exampleWarehouse.ts"
import { startServer } from "../serve/support.ts"
import { withTroubles } from "../serve/troubled.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { runOnce } from "../support/warehouseRun.ts"
import { browser } from "./chromium.ts"

const now = "2026-06-01T12:05:00Z"

const folder = join(import.meta.dirname, "../../docs/pictures")

interface Picture {
  readonly name: string
  readonly open: (page: Page) => Promise<unknown>
  readonly height?: number
  readonly dark?: boolean
}

const openVault = (page: Page) => page.locator("a.vault").first().click()

const pictures: ReadonlyArray<Picture> = [
  { name: "overview", open: () => Promise.resolve() },
  {
    name: "compare",
    open: (page) => page.getByRole("link", { name: "Compare", exact: true }).click(),
    height: 1250,
  },
  {
    name: "past",
    open: async (page) => {
      const published = await page.locator(".published time").getAttribute("datetime")
      await page.locator(".as-of-choice summary").click()
      await page.getByLabel("As it was known at").fill(published?.slice(0, 19) ?? "")
      await page.getByRole("button", { name: "Show", exact: true }).first().click()
      await page.getByText("A past state").waitFor()
    },
    height: 500,
  },
  { name: "vault", open: openVault, height: 1000, dark: true },
  { name: "data", open: (page) => page.getByRole("link", { name: "Data" }).click(), height: 900 },
  {
    name: "sql",
    open: async (page) => {
      await page.getByRole("link", { name: "SQL" }).click()
      await page
        .getByRole("textbox")
        .fill(
          "select vault_name, collateral_ratio, apy_smoothed\nfrom mart.vault_latest\norder by collateral_ratio",
        )
      await page.getByRole("button", { name: "Run" }).click()
    },
    height: 900,
  },
  {
    name: "trace",
    open: async (page) => {
      await openVault(page)
      // A figure that `withTroubles` left as the response has it.
      await page.locator("a.figure[href*=pnl_usd]").first().click()
    },
    height: 1000,
  },
]

const take = Effect.gen(function* () {
  const dataDir = yield* temporaryFolder
  const { url: service } = yield* simulated({ vaults: 12, days: 120, now })
  yield* runOnce(service, dataDir, { api: asAdmin, publish: { parquet: undefined } })
  yield* withTroubles(dataDir, "2026-06-01 12:09:00")
  const url = yield* startServer(dataDir)
  const open = yield* browser
  mkdirSync(folder, { recursive: true })
  for (const { name, open: lead, height = 800, dark } of pictures) {
    yield* Effect.promise(async () => {
      const page = await open.newPage({
        viewport: { width: 1200, height },
        colorScheme: dark === true ? "dark" : "light",
      })
      await page.goto(url)
      await lead(page)
      await page.waitForLoadState("networkidle")
      await page.screenshot({ path: join(folder, `${name}.png`) })
      await page.close()
    })
    process.stdout.write(`docs/pictures/${name}.png\n`)
  }
})

const clock = await Effect.runPromise(Clock.Clock)
await take.pipe(
  Effect.provideService(Clock.Clock, clockFrom(now, clock)),
  Effect.scoped,
  Effect.runPromise,
)
