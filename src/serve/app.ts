// The routes of the server. Each handler is an effect that is interrupted when the client disconnects.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { type Context, Hono, type MiddlewareHandler } from "hono"
import type { Publication } from "../pipelines/readers/latestCopy.ts"
import { completeSql } from "../pipelines/readers/query/sqlCompletion.ts"
import { queryResponse } from "./api/query.ts"
import { seriesResponse } from "./api/series.ts"
import { maySendSql, ownNameOnly, ownSqlOnly, signIn, strictHeaders } from "./access.ts"
import type { PastSites } from "./asOf/pastSites.ts"
import {
  document,
  documentEnd,
  documentHead,
  keeping,
  type Links,
  type Page,
} from "./html/layout.ts"
import { viewOf } from "./html/pastState.ts"
import { readDataPage } from "./pages/data.ts"
import { MCP_PATH } from "./mcp/mcp.ts"
import { readComparePage } from "./pages/compare.ts"
import { readOverviewPage } from "./pages/overview.ts"
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
import { readTablePage } from "./pages/table.ts"
import { readTracePage } from "./pages/trace.ts"
import { readVaultPage } from "./pages/vault.ts"
import { boundedSending, unsentBody } from "./sending.ts"
import type { Site } from "./site.ts"

export interface Services {
  /** The site at an instant. */
  readonly past: PastSites
  /** Answers an assistant's requests (Model Context Protocol). */
  readonly mcp: (request: Request, body: string) => Promise<Response>
}

export const makeApp = (site: Site, { past, mcp }: Services): Hono => {
  const app = new Hono()
  const links = { asset: site.assets.path }
  const { latest } = site

  const linksOf = (c: Context): Links => ({ ...links, view: viewOf(c.req.path, c.req.queries()) })

  const asPage = (c: Context, problem: Problem): Response =>
    c.html<string>(document(problemPage(problem), undefined, linksOf(c)), problem.status)

  const respond = async <E>(
    c: Context,
    effect: Effect.Effect<Response, E>,
    show: (c: Context, problem: Problem) => Response,
  ): Promise<Response> => {
    const exit = await site.run(effect, { signal: c.req.raw.signal })
    if (Exit.isSuccess(exit)) return exit.value
    return failed(c, Cause.squash(exit.cause), show)
  }

  /** The site as of the instant in the address. */
  const siteOf = (c: Context) => past(c.req.query("as-of"))

  /** A route that responds with a page. */
  const page = <E>(path: string, make: (of: Site, c: Context) => Effect.Effect<Page, E>) =>
    app.get(path, (c) =>
      respond(
        c,
        Effect.gen(function* () {
          const publication = yield* latest.publication
          const shownPage = yield* make(yield* siteOf(c), c)
          const linksHere = linksOf(c)
          c.header("content-type", "text/html; charset=utf-8")
          return shownPage.sections === undefined
            ? c.body(document(shownPage, publication, linksHere))
            : c.body(streamed(site.run, shownPage, shownPage.sections, publication, linksHere))
        }),
        asPage,
      ),
    )

  /** A route for programs, with errors as plain text. */
  const api = <E>(path: string, make: (c: Context) => Effect.Effect<Response, E>) =>
    app.get(path, (c) => respond(c, make(c), asText))

  app.use(unsentBody)
  app.use(strictHeaders)
  app.use(ownNameOnly(site.access))
  app.use((c, next) =>
    c.req.url.length > MAX_ADDRESS_BYTES ? Promise.resolve(c.text(LONG_ADDRESS, 414)) : next(),
  )
  app.use((c, next) =>
    Number(c.req.header("content-length") ?? 0) > maxBytes(c)
      ? Promise.resolve(tooLarge(c))
      : next(),
  )
  app.get("/assets/:version/:file", (c) => {
    const found = site.assets.find(c.req.param("file"))
    if (found === undefined) return c.notFound()
    c.header("content-type", found.type)
    c.header("cache-control", "public, max-age=31536000, immutable")
    return c.body(found.content)
  })
  if (site.access.token !== undefined) requireToken(app, site)
  app.use("/api/query", ownSqlOnly(site.access))
  const bounded = boundedSending((c, error) => failed(c, error, isApi(c) ? asText : asPage))
  app.all(MCP_PATH, withBody, bounded, async (c) => {
    const { method, headers, signal } = c.req.raw
    const body = c.get("body")
    const hasBody = method !== "GET" && method !== "HEAD" && body !== ""
    const request = { method, headers, signal, ...(hasBody ? { body } : {}) }
    return mcp(new Request(c.req.url, request), body)
  })
  app.use((c, next) => (isComputed(c) ? bounded(c, next) : next()))

  page("/", (of, c) => readOverviewPage(of, c.req.query()))
  page("/compare", (of, c) =>
    readComparePage(of, { ...c.req.query(), vaults: c.req.queries("vault") ?? [] }),
  )
  page("/vault/:chain/:address", (of, c) =>
    readVaultPage(of, pathParameter(c, "chain"), pathParameter(c, "address"), c.req.query()),
  )
  page("/data", (of, c) => readDataPage(of, c.req.query()))
  page("/data/run/:run", (of, c) => readRunPage(of, pathParameter(c, "run")))
  // What another site puts into a link is shown, and runs when it is sent from here.
  page("/sql", (of, c) => readSqlPage(of, c.req.query(), maySendSql(c, site.access)))
  page("/sql/:table", (of, c) => readTablePage(of, pathParameter(c, "table")))
  page("/trace/:table", (of, c) => {
    const { "as-of": _, ...address } = c.req.query()
    return readTracePage(of, pathParameter(c, "table"), address)
  })

  api("/api/publication", (c) =>
    Effect.map(latest.publication, ({ runId, publishedAt }) =>
      c.json({ run_id: runId, published_at: publishedAt }),
    ),
  )
  api("/api/vault/:chain/:address/series/:series", (c) => {
    const { chain = "", address = "", series = "" } = c.req.param()
    return siteOf(c).pipe(
      Effect.flatMap((of) => seriesResponse(of, { ...c.req.query(), chain, address, series })),
      Effect.map((each) => c.json(each)),
    )
  })
  api("/api/query", (c) => Effect.flatMap(siteOf(c), (of) => queryResponse(of, c.req.query())))
  api("/api/completion", (c) =>
    Effect.map(site.vocabulary, (vocabulary) => {
      const [words, begun] = completeSql(vocabulary, c.req.query("sql") ?? "")
      return c.json({ words, begun })
    }),
  )
  app.onError((error, c) => {
    void site.run(Effect.logError(`serve: ${c.req.method} ${c.req.path}: ${error.message}`), {
      signal: c.req.raw.signal,
    })
    return asText(c, problemOf(error))
  })
  app.notFound((c) =>
    isApi(c)
      ? asText(c, { status: 404, message: `There is no ${c.req.method} ${c.req.path}.` })
      : c.html(document(notFoundPage, undefined, links), 404),
  )
  return app
}

const failed = (
  c: Context,
  error: unknown,
  show: (c: Context, problem: Problem) => Response,
): Response => {
  const problem = problemOf(error)
  if (problem.status === 503) c.header("retry-after", "5")
  return show(c, problem)
}

const pathParameter = (c: Context, name: string): string => c.req.param(name) ?? ""

/** Reads two sections at a time; a section that fails is replaced by its error message. */
const streamed = (
  run: Site["run"],
  page: Page,
  sections: NonNullable<Page["sections"]>,
  publication: Publication,
  links: Links,
): ReadableStream => {
  const keep = keeping(links)
  const read = (section: (typeof sections)[number]) =>
    Effect.promise((signal) => run(section, { signal })).pipe(
      Effect.flatten,
      Effect.catch((error) => Effect.succeed(problemNote(problemOf(error)))),
      Effect.map((text) => keep(String(text))),
    )
  return Stream.make(`${documentHead(page, publication, links)}${keep(String(page.body))}`).pipe(
    Stream.concat(Stream.mapEffect(Stream.fromIterable(sections), read, { concurrency: 2 })),
    Stream.concat(Stream.make(documentEnd)),
    Stream.encodeText,
    Stream.toReadableStream,
  )
}

/** Whether the queries of strangers run for it, or what is not stored is made: a past state, what a response had. */
const isComputed = (c: Context): boolean =>
  ["/sql", "/api/query"].includes(c.req.path) ||
  c.req.path.startsWith("/trace/") ||
  c.req.query("as-of") !== undefined

const isApi = (c: Context): boolean => c.req.path.startsWith("/api/")

const asText = (c: Context, { status, message }: Problem): Response =>
  c.text(`${message}\n`, status) as Response

// The query is part of it. Escaped, it is ASCII.
const MAX_ADDRESS_BYTES = 32_000
const LONG_ADDRESS = `An address has at most ${MAX_ADDRESS_BYTES / 1000} kB: write a shorter query.\n`
// More than any token; nothing else is sent to this server.
const MAX_BODY_BYTES = 4096
// An assistant's call has a query, and values for it.
const MAX_CALL_BYTES = 1_000_000

const maxBytes = (c: Context): number => (c.req.path === MCP_PATH ? MAX_CALL_BYTES : MAX_BODY_BYTES)

const tooLarge = (c: Context): Response =>
  c.text(`A request to this address has at most ${maxBytes(c)} bytes.\n`, 413)

/** The body, also if its length was not sent; `undefined` if it is too long, and then the rest is not read. */
const shortBody = async (c: Context): Promise<string | undefined> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes(c)) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** Before what bounds the queries: a call whose body does not come would keep the place of one. */
const withBody: MiddlewareHandler<{ Variables: { body: string } }> = async (c, next) => {
  const body = await shortBody(c)
  if (body === undefined) return tooLarge(c)
  c.set("body", body)
  return next()
}

const EARLY = "A wrong token came from this address just now: try again in a second.\n"

const early = (c: Context): Response => c.text(EARLY, 429, { "retry-after": "1" })

const requireToken = (app: Hono, { access, assets, run }: Site): void => {
  if (access.token === undefined) return
  const warn = (line: string): void =>
    void run(Effect.logWarning(line), { signal: AbortSignal.any([]) })
  const { required, accept } = signIn(access.token, warn)
  const form = (c: Context, wasWrong: boolean): Response => {
    const page = document(signInPage(wasWrong), undefined, { asset: assets.path })
    return c.html<string>(page, 401)
  }
  app.post("/sign-in", async (c) => {
    if (c.req.header("content-type")?.startsWith("application/x-www-form-urlencoded") !== true) {
      return c.text("Send the token as a form: application/x-www-form-urlencoded.\n", 415)
    }
    const body = await shortBody(c)
    if (body === undefined) return tooLarge(c)
    const typed = new URLSearchParams(body).get("token") ?? ""
    const attempt = await accept(c, typed)
    if (attempt === "early") return early(c)
    return attempt === "right" ? c.redirect("/", 303) : form(c, true)
  })
  app.use(
    required((c, attempt) => {
      if (attempt === "early") return early(c)
      return isApi(c)
        ? c.text("Send the token as `Authorization: Bearer …`.\n", 401)
        : form(c, false)
    }),
  )
}
