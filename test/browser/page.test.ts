// The web page in a real Chromium: no error, no request to another host, no serious fault of accessibility, and a new
// publication that appears. `make test-browser` runs it; `make test` leaves it out.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Browser, Page } from "playwright-core"
import { publishAnyway } from "../../src/pipelines/publication/publish.ts"
import { startServer } from "../serve/support.ts"
import { withTroubles } from "../serve/troubled.ts"
import { sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { change, runOnce } from "../support/warehouseRun.ts"
import { browser, executable, faults, hasChromium, watch } from "./chromium.ts"

const isWanted = process.env["BROWSER_TESTS"] === "1"
if (isWanted && !hasChromium)
  throw new Error(`${executable} is not there: apt-get install chromium`)

const synced = isWanted
  ? sharedWarehouse((dataDir) =>
      Effect.gen(function* () {
        const { url } = yield* simulated({ vaults: 6, days: 40, now: "2026-06-01T12:00:00Z" })
        yield* runOnce(url, dataDir, { api: asAdmin, publish: { parquet: undefined } })
        yield* withTroubles(dataDir, "2026-06-01 12:40:00")
      }),
    )
  : Effect.succeed("")

const BYTES_BEFORE_PAINT = 20_000

/** Every page, from the links of the overview on. */
const everyPage = async (page: Page, url: string): Promise<ReadonlyArray<string>> => {
  await page.goto(url)
  const href = async (selector: string) => {
    const [link] = await page.locator(selector).all()
    return link === undefined ? null : link.getAttribute("href")
  }
  const found = [
    "/",
    "/?trouble=watch&name=o&sort=-drawdown&from=2026-05-20&to=2026-05-30",
    "/compare",
    "/data?day=2026-05-28",
    "/sql",
    "/sql?q=from+mart.vault_latest",
    "/sql/mart.vault_latest",
    "/nothing",
  ]
  const vault = await href("a.vault")
  const trace = await href("a.figure")
  if (vault !== null) found.push(vault)
  if (trace !== null) found.push(trace)
  await page.goto(`${url}/data`)
  const run = await href("#runs ~ div a")
  return run === null ? found : [...found, run]
}

const visit = (open: Browser, url: string, options: Parameters<Browser["newContext"]>[0] = {}) =>
  Effect.promise(async () => {
    const context = await open.newContext(options)
    const page = await context.newPage()
    const wrong = watch(page, url)
    const pages = await everyPage(page, url)
    for (const path of pages) {
      await page.goto(`${url}${path}`)
      const isHere = path !== "/nothing"
      expect((await faults(page)).map((fault) => `${path} ${fault}`)).toEqual([])
      const width = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
      expect(`${path} is ${width} px too wide`).toBe(`${path} is ${Math.min(0, width)} px too wide`)
      const scroll = `document.querySelector("table.cards")?.parentElement`
      if (options?.viewport) {
        expect(
          await page.evaluate(`${scroll} ? ${scroll}.scrollWidth - ${scroll}.clientWidth : 0`),
        ).toBe(0)
      }
      if (isHere) expect(await page.locator(".error").allTextContents()).toEqual([])
    }
    expect(wrong.filter((each) => !each.includes("404"))).toEqual([])
    await context.close()
    return pages.length
  })

/** What the browser waits for before it paints anything, apart from the page itself. */
const blocking = `performance.getEntriesByType("resource")
  .filter(({ renderBlockingStatus }) => renderBlockingStatus === "blocking")
  .map(({ name, decodedBodySize }) => ({ name, bytes: decodedBodySize }))`

describe.skipIf(!isWanted)("the page in Chromium", () => {
  it.live(
    "with data: wide and narrow, light and dark, painted once its style sheets are there",
    () =>
      Effect.gen(function* () {
        const url = yield* startServer(yield* synced)
        const open = yield* browser
        expect(yield* visit(open, url, { colorScheme: "light" })).toBe(11)
        yield* visit(open, url, { colorScheme: "dark", viewport: { width: 360, height: 740 } })
        yield* Effect.promise(async () => {
          const page = await open.newPage()
          for (const path of ["/", "/data", "/sql"]) {
            await page.goto(`${url}${path}`)
            const found =
              await page.evaluate<ReadonlyArray<{ name: string; bytes: number }>>(blocking)
            const bytes = found.reduce((sum, each) => sum + each.bytes, 0)
            expect(found.filter(({ name }) => !name.endsWith(".css"))).toEqual([])
            expect(bytes).toBeGreaterThan(1000)
            expect(bytes).toBeLessThan(BYTES_BEFORE_PAINT)
          }
        })
      }).pipe(Effect.scoped),
  )

  it.live("with hostile names, and without any vault", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const hostile = `"><img src=http://evil.example/x onerror=alert(1)>\u202E'`
      yield* change(
        dataDir,
        `update core.vaults set vault_name = '${hostile.replaceAll("'", "''")}'`,
      )
      yield* publishAnyway({ dataDir, rebuildAll: false, parquet: undefined })
      const open = yield* browser
      yield* Effect.scoped(Effect.flatMap(startServer(dataDir), (url) => visit(open, url)))
      yield* change(dataDir, "delete from core.vaults")
      yield* publishAnyway({ dataDir, rebuildAll: false, parquet: undefined })
      yield* visit(open, yield* startServer(dataDir))
    }).pipe(Effect.scoped),
  )

  it.live("says that a run was published, and shows it when it is reloaded", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const url = yield* startServer(dataDir)
      const open = yield* browser
      const page = yield* Effect.promise(() => open.newPage())
      yield* Effect.promise(() => page.goto(url))
      yield* change(dataDir, "update core.vaults set vault_name = 'Renamed'")
      yield* publishAnyway({ dataDir, rebuildAll: false, parquet: undefined })
      yield* Effect.promise(async () => {
        await page.getByText("A new run was published at").waitFor()
        expect(await page.getByText("Renamed").count()).toBe(0)
        await page.getByRole("button", { name: "Reload" }).click()
        await page.getByText("Renamed").first().waitFor()
      })
    }).pipe(Effect.scoped),
  )

  it.live("completes SQL by the keyboard, and runs it", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* synced)
      const open = yield* browser
      yield* Effect.promise(async () => {
        const page = await open.newPage()
        await page.goto(`${url}/sql`)
        const field = page.getByRole("textbox")
        await field.pressSequentially("select count(*) as vaults from mart.vault_la")
        await page.getByRole("option", { name: "mart.vault_latest" }).waitFor()
        await field.press("ArrowDown")
        await field.press("Enter")
        expect(await field.inputValue()).toBe("select count(*) as vaults from mart.vault_latest")
        expect(await page.getByRole("listbox").count()).toBe(0)
        await field.press("Control+Enter")
        await page.getByRole("columnheader", { name: "vaults" }).waitFor()
        expect(new URL(page.url()).searchParams.get("q")).toContain("mart.vault_latest")
      })
    }).pipe(Effect.scoped),
  )

  it.live("draws a vault's series over one period, and the result of a query", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* synced)
      const open = yield* browser
      yield* Effect.promise(async () => {
        const page = await open.newPage()
        const wrong = watch(page, url)
        await page.goto(url)
        await page.locator("a.vault").first().click()
        const chart = page.locator("figure[data-series=ratio] .plot")
        await chart.locator("canvas").waitFor()
        const period = page.locator("#charts output")
        const whole = await period.textContent()
        await chart.focus()
        await page.keyboard.press("+")
        await expect.poll(() => period.textContent()).not.toBe(whole)
        const zoomed = await period.textContent()
        // The address leads to the period.
        await page.reload()
        await chart.locator("canvas").waitFor()
        expect(await period.textContent()).toBe(zoomed)
        await page.getByRole("link", { name: "All", exact: true }).click()
        await page.waitForURL(/from=\d{4}-\d\d-\d\d&to=/)
        await chart.locator("canvas").waitFor()
        expect(await period.textContent()).toBe(whole)
        const sql = "select day, vault_name, collateral_ratio_close from mart.vault_daily"
        await page.goto(`${url}/sql?q=${encodeURIComponent(sql)}`)
        await page.locator("#result canvas").waitFor()
        expect(wrong).toEqual([])
      })
    }).pipe(Effect.scoped),
  )

  it.live(
    "shows a past state, which links, charts and their zoom keep until the present is chosen",
    () =>
      Effect.gen(function* () {
        const url = yield* startServer(yield* synced)
        const open = yield* browser
        yield* Effect.promise(async () => {
          const page = await open.newPage({ viewport: { width: 360, height: 740 } })
          const wrong = watch(page, url)
          const synchronized = Math.floor(Date.now() / 1000)
          await expect.poll(() => Math.floor(Date.now() / 1000)).toBeGreaterThan(synchronized)
          const instant = new Date().toISOString().slice(0, 19)
          const asOf = () => new URL(page.url()).searchParams.get("as-of")
          await page.goto(`${url}/?sort=-drawdown`)
          await page.getByText("As known now").click()
          await page.getByLabel("As it was known at").fill(instant)
          await page.getByRole("button", { name: "Show", exact: true }).first().click()
          const note = page.getByText("A past state: what was known at")
          await note.waitFor()
          expect([asOf(), new URL(page.url()).searchParams.get("sort")]).toEqual([
            expect.stringMatching(instant),
            "-drawdown",
          ])
          expect(await faults(page)).toEqual([])
          await page.locator(".as-of-choice summary").click()
          const width = await page.evaluate<number>(
            "document.documentElement.scrollWidth - innerWidth",
          )
          expect(width).toBeLessThanOrEqual(0)
          await page.locator("a.vault").first().click()
          await note.waitFor()
          await page.locator("figure[data-series=ratio] canvas").waitFor()
          await page.locator("figure[data-series=ratio] .plot").focus()
          await page.keyboard.press("+")
          await expect.poll(() => new URL(page.url()).searchParams.get("from")).toMatch(/T/)
          expect(asOf()).toMatch(instant)
          await page.getByRole("link", { name: "SQL", exact: true }).click()
          await note.waitFor()
          await page.locator(".as-of-choice summary").click()
          await page.getByRole("link", { name: "Now", exact: true }).click()
          await page.waitForURL((address) => !address.searchParams.has("as-of"))
          expect(await note.count()).toBe(0)
          expect(wrong).toEqual([])
        })
      }).pipe(Effect.scoped),
  )

  it.live(
    "compares marked vaults over the overview's period, sorted by a header, without script",
    () =>
      Effect.gen(function* () {
        const url = yield* startServer(yield* synced)
        const open = yield* browser
        yield* Effect.promise(async () => {
          const page = await open.newPage({ javaScriptEnabled: false })
          await page.goto(url)
          await page.getByRole("link", { name: "7 days" }).click()
          const days = new URL(page.url()).searchParams
          for (const at of [0, 2]) await page.getByRole("checkbox").nth(at).check()
          await page.getByRole("button", { name: "Compare the marked vaults" }).click()
          await page.getByRole("link", { name: "Volatility" }).click()
          await page.waitForURL(/sort=/, { waitUntil: "load" })
          const address = new URL(page.url())
          expect(address.pathname).toBe("/compare")
          expect(address.searchParams.getAll("vault")).toHaveLength(2)
          for (const name of ["from", "to"])
            expect(address.searchParams.get(name)).toBe(days.get(name))
          expect(await page.locator("tbody tr").count()).toBe(2)
          expect(await page.locator("svg.chart").count()).toBe(3)
          expect(await page.locator("th[aria-sort=descending]").textContent()).toContain(
            "Volatility",
          )
        })
      }).pipe(Effect.scoped),
  )

  it.live("filters the vaults, in the address, by the keyboard", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* synced)
      const open = yield* browser
      yield* Effect.promise(async () => {
        const page = await open.newPage({ javaScriptEnabled: false })
        await page.goto(url)
        const name = (await page.locator("a.vault").last().textContent()) ?? ""
        await page.getByLabel("Name or address").focus()
        await page.keyboard.type(name.toLowerCase())
        await page.keyboard.press("Enter")
        await page.waitForURL(/[?&]name=/)
        expect(await page.locator("a.vault").allTextContents()).toEqual([name])
        expect(new URL(page.url()).searchParams.get("name")).toBe(name.toLowerCase())
        await page.getByRole("link", { name: "Show all" }).click()
        await page.waitForURL((address) => address.search === "")
        expect(await page.locator("a.vault").count()).toBeGreaterThan(1)
      })
    }).pipe(Effect.scoped),
  )

  it.live("signs in with the token", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* synced, { withToken: true })
      const open = yield* browser
      yield* Effect.promise(async () => {
        const page = await open.newPage()
        await page.goto(url)
        expect(await faults(page)).toEqual([])
        await page.getByLabel("Token").fill("a token of twenty characters")
        await page.getByRole("button", { name: "Sign in" }).click()
        await page.getByRole("heading", { name: "Vaults" }).waitFor()
        expect(page.url()).not.toContain("token")
      })
    }).pipe(Effect.scoped),
  )
})
