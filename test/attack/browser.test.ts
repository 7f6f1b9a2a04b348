// Attacks for which a real browser decides what is sent: a page of another site with frames, forms, images, scripts and
// links, and a name of another site that comes to mean this machine. Only in `make attack`: it needs Debian's Chromium.
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chromium } from "playwright-core"
import { executable, patient } from "../browser/chromium.ts"
import { queryUrl, smallWarehouse, startServer } from "../serve/support.ts"

const small = smallWarehouse()

/** A site whose pages are made by `page`; it also counts what comes to it. */
const site = (page: (path: string) => string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((request, response) => {
          response.setHeader("content-type", "text/html")
          response.end(page(request.url ?? "/"))
        }).listen(0, "127.0.0.1")
        await once(server, "listening")
        return server
      }),
      (server) => Effect.sync(() => void server.close()),
    ),
    (server) => (server.address() as AddressInfo).port,
  )

it.live("a page of another site makes no query run, whatever it tries", () =>
  Effect.gen(function* () {
    const url = yield* startServer(yield* small)
    const { port } = new URL(url)
    const marker = "select 'it' || ' ran' as x"
    const sql = `${url}/sql?q=${encodeURIComponent(marker)}`
    const api = queryUrl(url, marker)
    const attacks: Readonly<Record<string, string>> = {
      frame: `<iframe src="${sql}"></iframe>`,
      apiFrame: `<iframe src="${api}"></iframe>`,
      sandboxed: `<iframe sandbox="allow-scripts allow-forms" src="${sql}"></iframe>`,
      object: `<object data="${api}"></object><embed src="${sql}">`,
      image: `<img src="${api}"><script src="${api}"></script><link rel="stylesheet" href="${api}">`,
      fetch: `<script>fetch(${JSON.stringify(api)}, {mode: "no-cors"}); fetch(${JSON.stringify(api)}).catch(() => 0)</script>`,
      beacon: `<script>navigator.sendBeacon(${JSON.stringify(api)}, "x")</script>`,
      prefetch: `<link rel="prefetch" href="${api}"><link rel="preload" as="fetch" href="${sql}">`,
      script: `<script>location.href = ${JSON.stringify(sql)}</script>`,
      refresh: `<meta http-equiv="refresh" content="0;url=${api}">`,
      popup: `<script>open(${JSON.stringify(sql)})</script>`,
      getForm: `<form action="${url}/sql"><input name="q" value="${marker}"></form><script>document.forms[0].submit()</script>`,
      framedForm: `<iframe name="f"></iframe><form target="f" action="${url}/sql"><input name="q" value="${marker}"></form><script>document.forms[0].submit()</script>`,
      postForm: `<form method="post" action="${url}/sign-in"><input name="token" value="x"></form><script>document.forms[0].submit()</script>`,
      link: `<a id="link" href="${sql}">a harmless link</a>`,
    }
    // One on another host, one on another port of the same host: another site, and another origin of the same site.
    const evil = yield* site((path) => `<!doctype html><p>evil</p>${attacks[path.slice(1)] ?? ""}`)
    const browser = yield* Effect.acquireRelease(
      Effect.promise(async () =>
        patient(
          await chromium.launch({
            executablePath: executable,
            args: [
              "--headless",
              "--no-sandbox",
              "--disable-gpu",
              "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP rebound.example 127.0.0.1",
            ],
          }),
        ),
      ),
      (open) => Effect.promise(() => open.close()),
    )
    yield* Effect.promise(async () => {
      for (const host of ["evil.example", "127.0.0.1"]) {
        for (const name of Object.keys(attacks)) {
          const context = await browser.newContext()
          const replies: Array<{ readonly status: number; readonly body: string }> = []
          const reading: Array<Promise<unknown>> = []
          context.on("response", (response) => {
            if (!response.url().startsWith(url)) return
            const status = response.status()
            reading.push(
              response.text().then(
                (body) => replies.push({ status, body }),
                () => replies.push({ status, body: "" }),
              ),
            )
          })
          const page = await context.newPage()
          await page.goto(`http://${host}:${evil}/${name}`)
          if (name === "link") {
            await page.click("#link")
            await page.waitForSelector("text=Read it before you run it")
            expect(await page.content()).not.toContain("it ran")
            // The person reads it, and runs it; and can load the page again.
            await page.click("#query button")
            await page.waitForSelector("text=it ran")
            await page.reload()
            expect(await page.content()).toContain("it ran")
          } else {
            await page.waitForLoadState("networkidle")
            await Promise.all(reading)
            const wrong = replies.filter(
              ({ status, body }) => status < 400 || body.includes("it ran"),
            )
            expect({ host, name, wrong }).toEqual({ host, name, wrong: [] })
          }
          await context.close()
        }
      }

      // A name of the attacker that first means its own server, then this machine: the page is its own origin there.
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(`http://rebound.example:${evil}/`)
      const rebound = await page.goto(
        `http://rebound.example:${port}/sql?q=${encodeURIComponent(marker)}`,
      )
      expect(rebound?.status()).toBe(421)
      const read = await page.evaluate(
        async (path) => {
          const response = await fetch(path)
          return `${response.status} ${await response.text()}`
        },
        new URL(api).pathname + new URL(api).search,
      )
      expect(read).toMatch(/^421 This server is not called/)
      await context.close()

      // A person who types the address, or opens a bookmark, gets what it asks for.
      const own = await (await browser.newContext()).newPage()
      await own.goto(sql)
      expect(await own.content()).toContain("it ran")
    })
  }).pipe(Effect.scoped),
)
