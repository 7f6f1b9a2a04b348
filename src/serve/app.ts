// Every path of the server and how its response is made: a handler is an effect that stops when the reader leaves.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { type Context, Hono } from "hono"
import { csrf } from "hono/csrf"
import type { Publication } from "../pipelines/readers/latestCopy.ts"
import { completeSql } from "../pipelines/readers/sqlCompletion.ts"
import { isFormat, queryResponse } from "./api/query.ts"
import { readSeries } from "./api/series.ts"
import { ownNameOnly, signIn, strictHeaders } from "./access.ts"
import { document, documentEnd, documentHead, type Links, type Page } from "./html/layout.ts"
import { readDataPage } from "./pages/data.ts"
import { overviewPage } from "./pages/overview.ts"
import {
  notFoundPage,
  type Problem,
  problemNote,
  problemOf,
  problemPage,
  signInPage,
} from "./pages/problem.ts"
import { readRunPage } from "./pages/run.ts"
import { readSqlPage } from "./pages/sql.ts"
import { readTracePage } from "./pages/trace.ts"
import { readVaultPage } from "./pages/vault.ts"
import type { Site } from "./site.ts"

export const makeApp = (site: Site): Hono => {
  const app = new Hono()
  const links = { asset: site.assets.path }
  const { latest } = site

  const asPage = (c: Context, problem: Problem): Response =>
    c.html<string>(document(problemPage(problem), undefined, links), problem.status)

  const respond = async <E>(
    c: Context,
    effect: Effect.Effect<Response, E>,
    show = asPage,
  ): Promise<Response> => {
    const exit = await site.run(effect, { signal: c.req.raw.signal })
    if (Exit.isSuccess(exit)) return exit.value
    return show(c, problemOf(Cause.squash(exit.cause)))
  }

  /** A page with the publication it shows. */
  const page =
    <E>(make: (c: Context) => Effect.Effect<Page, E>) =>
    (c: Context): Promise<Response> =>
      respond(
        c,
        Effect.gen(function* () {
          const publication = yield* latest.publication
          const made = yield* make(c)
          c.header("content-type", "text/html; charset=utf-8")
          return made.sections === undefined
            ? c.body(document(made, publication, links))
            : c.body(streamed(site.run, made, made.sections, publication, links))
        }),
      )

  app.use(strictHeaders)
  app.use(ownNameOnly(site.access))
  app.get("/assets/:version/:file", (c) => {
    const found = site.assets.find(c.req.param("file"))
    if (found === undefined) return c.notFound()
    c.header("content-type", found.type)
    c.header("cache-control", "public, max-age=31536000, immutable")
    return c.body(found.content)
  })
  if (site.access.token !== undefined) requireToken(app, site)
  app.get(
    "/",
    page(() => Effect.map(site.overview, overviewPage)),
  )
  app.get("/api/publication", (c) =>
    respond(
      c,
      Effect.map(latest.publication, ({ runId, publishedAt }) =>
        c.json({ run_id: runId, published_at: publishedAt }),
      ),
    ),
  )
  app.get(
    "/vault/:chain/:address",
    page((c) => readVaultPage(site, c.req.param("chain") ?? "", c.req.param("address") ?? "")),
  )
  app.get("/api/vault/:chain/:address/series/:series", (c) => {
    const { chain, address, series } = c.req.param()
    const { from, to, buckets } = c.req.query()
    const request = { chainId: chain, vaultAddress: address, series, from, to, buckets }
    return respond(
      c,
      Effect.map(readSeries(site, request), (found) => c.json(found)),
      asText,
    )
  })
  app.get(
    "/data",
    page((c) => readDataPage(site, c.req.query())),
  )
  app.get(
    "/data/run/:run",
    page((c) => readRunPage(site, c.req.param("run") ?? "")),
  )
  app.get(
    "/sql",
    page((c) => readSqlPage(site, c.req.query("q") ?? "")),
  )
  app.get("/api/query", async (c) => {
    const format = c.req.query("format") ?? "json"
    if (!isFormat(format)) return c.text("format is json, csv or parquet.\n", 400)
    const sql = c.req.query("q") ?? ""
    if (sql.trim() === "")
      return c.text("There is no query: write one SELECT as the parameter q.\n", 400)
    const isSafe = c.req.query("csv_safe") === "true"
    return respond(c, queryResponse(site, sql, format, isSafe), asText)
  })
  app.get("/api/completion", (c) =>
    respond(
      c,
      Effect.map(site.catalog, (catalog) => {
        const [words, begun] = completeSql(catalog, c.req.query("sql") ?? "")
        return c.json({ words, begun })
      }),
      asText,
    ),
  )
  app.get(
    "/trace/:table",
    page((c) => readTracePage(site, c.req.param("table") ?? "", c.req.query())),
  )
  app.notFound((c) => c.html(document(notFoundPage, undefined, links), 404))
  return app
}

/** Reads two sections at once; the message of one that fails is in its place. */
const streamed = (
  run: Site["run"],
  page: Page,
  sections: NonNullable<Page["sections"]>,
  publication: Publication,
  links: Links,
): ReadableStream => {
  const read = (section: (typeof sections)[number]) =>
    Effect.promise((signal) => run(section, { signal })).pipe(
      Effect.flatten,
      Effect.catch((error) => Effect.succeed(problemNote(problemOf(error)))),
      Effect.map(String),
    )
  return Stream.make(`${documentHead(page, publication, links)}${String(page.body)}`).pipe(
    Stream.concat(Stream.mapEffect(Stream.fromIterable(sections), read, { concurrency: 2 })),
    Stream.concat(Stream.make(documentEnd)),
    Stream.encodeText,
    Stream.toReadableStream,
  )
}

const asText = (c: Context, { status, message }: Problem): Response =>
  c.text(`${message}\n`, status) as Response

const requireToken = (app: Hono, { access, assets }: Site): void => {
  if (access.token === undefined) return
  const { required, accept } = signIn(access.token)
  const form = (c: Context, wasWrong: boolean): Response => {
    const page = document(signInPage(wasWrong), undefined, { asset: assets.path })
    return c.html<string>(page, 401)
  }
  app.post("/sign-in", csrf(), async (c) => {
    const { token } = await c.req.parseBody()
    return accept(c, typeof token === "string" ? token : "") ? c.redirect("/", 303) : form(c, true)
  })
  app.use(required((c) => form(c, false)))
}
