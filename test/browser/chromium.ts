// Debian's Chromium, and what a page did in it that it must not.
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import * as Effect from "effect/Effect"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { HANG_SECONDS } from "../support/until.ts"

export const executable = "/usr/bin/chromium"

export const hasChromium = existsSync(executable)

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--hide-scrollbars",
]

/** Every context, that of `newPage` too, waits as long as other tests: the machine may be slow. */
export const patient = (open: Browser): Browser => {
  const newContext = open.newContext.bind(open)
  return Object.assign(open, {
    newContext: async (options?: BrowserContextOptions) => {
      const context = await newContext(options)
      context.setDefaultTimeout(HANG_SECONDS * 1000)
      return context
    },
  })
}

export const browser = Effect.acquireRelease(
  Effect.promise(async () =>
    patient(await chromium.launch({ executablePath: executable, args: flags })),
  ),
  (open) => Effect.promise(() => open.close()),
)

/** Errors on the console, and requests to another host than the page's. */
export const watch = (page: Page, url: string): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error") wrong.push(`console: ${message.text()}`)
  })
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`))
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) wrong.push(`request: ${request.url()}`)
  })
  return wrong
}

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

interface Axe {
  readonly run: () => Promise<{
    readonly violations: ReadonlyArray<{
      readonly id: string
      readonly impact: string
      readonly nodes: ReadonlyArray<{ readonly html: string }>
    }>
  }>
}

/** Serious faults of accessibility; through the debugger, since the page's own policy allows no other script. */
export const faults = async (page: Page): Promise<ReadonlyArray<string>> => {
  const session = await page.context().newCDPSession(page)
  await session.send("Runtime.evaluate", { expression: await readFile(axe, "utf8") })
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: Axe }).axe.run(),
  )
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html }) => html)
          .slice(0, 3)
          .join(" | ")}`,
    )
}
