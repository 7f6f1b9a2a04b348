// The web page over a published copy, by HTTP: who may read, what pages show, which queries run.
import { once } from "node:events"
import { request } from "node:http"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { publishAnyway } from "../../src/pipelines/publication/publish.ts"
import { money, percent } from "../../src/serve/figures.ts"
import { start, vaulthouse } from "../cli/command.ts"
import { shared, sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { processorSeconds } from "../support/processorSeconds.ts"
import { untilSo } from "../support/until.ts"
import { change, queryFile, runOnce } from "../support/warehouseRun.ts"
import { get, queryUrl, startServer, token } from "./support.ts"
import { withTroubles } from "./troubled.ts"

const endless = "select count(*) from range(100000000000) a, range(1000) b"

const synced = sharedWarehouse((dataDir) =>
  Effect.gen(function* () {
    const { url } = yield* simulated({ vaults: 3, days: 12, now: "2026-06-01T12:00:00Z" })
    yield* runOnce(url, dataDir, { api: asAdmin, publish: { parquet: undefined } })
  }),
)

/** A server of what was synced, for tests that change nothing of it. */
const unchanged = shared(
  Effect.flatMap(synced, (dataDir) =>
    Effect.map(startServer(dataDir), (url) => ({ dataDir, url })),
  ),
)

/** Another one, for those who have the token, whose queries end after a second. */
const limited = shared(
  Effect.flatMap(synced, (dataDir) =>
    startServer(dataDir, { withToken: true, limits: { seconds: 1, rows: 10 } }),
  ),
)
const bearer = { authorization: `Bearer ${token}` }

const publishAgain = (dataDir: string) =>
  publishAnyway({ dataDir, rebuildAll: false, parquet: undefined })

/** Of the vaults in the table of the overview. */
const namesIn = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/class="vault"[^>]*><bdi>([^<]*)</g)].map(([, name = ""]) => name)

const vaultsOf = (dataDir: string) =>
  queryFile(
    join(dataDir, "published/vaulthouse.duckdb"),
    "select chain_id, vault_address, vault_name from mart.vault_latest order by vault_name",
  )

/** Text as it was before it became part of a page. */
const unescaped = (html: string): string =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

describe("who may read", () => {
  it.live("only requests under its own name, and none that another site causes", () =>
    Effect.gen(function* () {
      const { url } = yield* unchanged
      const { host } = new URL(url)
      const status = (headers: Record<string, string>) =>
        Effect.map(get(url, headers), (reply) => reply.status)
      expect(yield* status({})).toBe(200)
      expect(yield* status({ host: `localhost:${new URL(url).port}` })).toBe(200)
      expect(yield* status({ host: "evil.example" })).toBe(421)
      expect(yield* status({ host: "127.0.0.1.evil.example" })).toBe(421)
      expect(yield* status({ host, origin: "http://evil.example" })).toBe(403)
      expect(yield* status({ host, origin: "null" })).toBe(403)
    }).pipe(Effect.scoped),
  )

  it.live("with a token, only those who bring it or have signed in with it", () =>
    Effect.gen(function* () {
      const url = yield* limited
      const refused = yield* get(url)
      expect(refused.status).toBe(401)
      expect(refused.body).toContain('name="token"')
      expect(yield* get(`${url}/api/publication`)).toMatchObject({
        status: 401,
        body: "Send the token as `Authorization: Bearer …`.\n",
      })
      expect((yield* get(`${url}/api/publication`, bearer)).status).toBe(200)
      const lowerCase = { authorization: `bearer ${token}` }
      expect((yield* get(`${url}/api/publication`, lowerCase)).status).toBe(200)
      const signIn = (typed: string, headers: Record<string, string> = {}) =>
        get(
          `${url}/sign-in`,
          { "content-type": "application/x-www-form-urlencoded", origin: url, ...headers },
          { method: "POST", body: new URLSearchParams({ token: typed }).toString() },
        )
      expect((yield* signIn("wrong")).status).toBe(401)
      expect((yield* signIn(token, { origin: "http://evil.example" })).status).toBe(403)
      const accepted = yield* signIn(token)
      expect(accepted.status).toBe(303)
      const cookie = String(accepted.headers["set-cookie"])
      expect(cookie).toMatch(/HttpOnly; SameSite=Strict/)
      expect(cookie).not.toContain(encodeURIComponent(token))
      const [pair = ""] = cookie.split(";")
      expect((yield* get(url, { cookie: pair })).status).toBe(200)
      expect((yield* get(url, { cookie: `${pair}x` })).status).toBe(401)
    }).pipe(Effect.scoped),
  )

  it.live("those who have signed in at two servers of one host, at both", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const urls = [
        yield* startServer(dataDir, { withToken: true }),
        yield* startServer(dataDir, { withToken: true }),
      ]
      // As browsers keep them: by host and name, whatever the port.
      const jar = new Map<string, string>()
      const cookie = () => ({ cookie: [...jar].map((pair) => pair.join("=")).join("; ") })
      for (const url of urls) {
        const accepted = yield* get(
          `${url}/sign-in`,
          { "content-type": "application/x-www-form-urlencoded", origin: url, ...cookie() },
          { method: "POST", body: new URLSearchParams({ token }).toString() },
        )
        const [pair = ""] = String(accepted.headers["set-cookie"]).split(";")
        const [name = "", value = ""] = pair.split("=")
        jar.set(name, value)
      }
      for (const url of urls) expect((yield* get(url, cookie())).status).toBe(200)
    }).pipe(Effect.scoped),
  )

  it.live("nothing but its own files may run or be loaded", () =>
    Effect.gen(function* () {
      const { url } = yield* unchanged
      const { headers, body } = yield* get(url)
      expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'/)
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cache-control": "no-store",
      })
      expect(body).not.toMatch(/ style=| on\w+=|<script>|https?:\/\//)
      const files = [...body.matchAll(/(?:src|href)="(\/assets[^"]+)"/g)].map(([, path]) => path)
      expect(files).toHaveLength(7)
      for (const file of files) expect((yield* get(`${url}${file}`)).status).toBe(200)
    }).pipe(Effect.scoped),
  )
})

describe("pages", () => {
  it.live("show what was known at an instant, and every link of them keeps it", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const second = () => `${new Date().toISOString().slice(0, 19)}Z`
      const synchronized = second()
      yield* untilSo("the next second begins", () => second() > synchronized)
      const known = second()
      yield* change(
        dataDir,
        `insert into core.vaults select * replace ('Later' as vault_name, 'later' as vault_address,
           timestamp '${known.slice(0, 19)}' + interval 1 hour as valid_from) from core.vaults limit 1`,
      )
      yield* publishAgain(dataDir)
      const url = yield* startServer(dataDir)
      const before = yield* get(`${url}/?as-of=2020-01-01`)
      expect(before.status).toBe(400)
      expect(before.body).toMatch(/Nothing was known at 2020-01-01.*Choose an instant since then/s)
      expect((yield* get(`${url}/?as-of=yesterday`)).body).toContain("is not an instant")
      expect((yield* get(`${url}/?as-of=2100-01-01`)).body).toContain("is in the future")
      const now = yield* get(url)
      expect(now.body).toContain("Later")
      expect(now.body).not.toContain("A past state")
      const isEarlier = (row: Readonly<Record<string, unknown>>) => row["vault_name"] !== "Later"
      const vault = (yield* vaultsOf(dataDir)).find(isEarlier) ?? {}
      const address = String(vault["vault_address"])
      const sql = "select vault_name from core.vaults"
      const past = `as-of=${encodeURIComponent(known)}`
      for (const path of [
        "/?sort=-drawdown",
        "/compare?",
        `/vault/${String(vault["chain_id"])}/${address}?`,
        "/data?",
        `/sql?q=${encodeURIComponent(sql)}`,
        "/sql/mart.vault_latest?",
        `/trace/mart.vault_latest?column=collateral_ratio&chain_id=${String(vault["chain_id"])}&vault_address=${address}`,
      ]) {
        const { status, body } = yield* get(`${url}${path}&${past}`)
        expect([path, status, /class="error"[^<]*/.exec(body)?.[0]]).toEqual([path, 200, undefined])
        expect(body).toContain("A past state: what was known at")
        expect([path, body.includes("Later")]).toEqual([path, false])
        const links = [...body.matchAll(/\s(?:href|data-path)="(\/[^"#]*)/g)]
          .map(([, href = ""]) => new URL(unescaped(href), url))
          .filter(({ pathname }) => !pathname.startsWith("/assets/"))
        const presents = links.filter(({ searchParams }) => searchParams.get("as-of") !== known)
        // The two ways back to the present.
        const present = new URL(path, url)
        expect(presents.map(({ pathname }) => pathname)).toEqual([
          present.pathname,
          present.pathname,
        ])
        for (const each of presents) {
          expect([...each.searchParams]).toEqual([...present.searchParams])
        }
        const forms = body.match(/<form[^>]*method="get"/g)?.length ?? 0
        expect(body.match(/name="as-of"/g)).toHaveLength(forms)
      }
      const later = (search: string) =>
        Effect.map(get(`${queryUrl(url, sql)}${search}`), ({ body }) => body.includes("Later"))
      expect([yield* later(""), yield* later(`&${past}`)]).toEqual([true, false])
      const series = `${url}/api/vault/${String(vault["chain_id"])}/${address}/series/ratio`
      expect(JSON.parse((yield* get(`${series}?${past}`)).body)).toEqual(
        JSON.parse((yield* get(series)).body),
      )
    }).pipe(Effect.scoped),
  )

  it.live(
    "draw a vault up to the newest point of any series, from instants that are UTC without an offset",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* synced
        yield* change(
          dataDir,
          "delete from core.ratio_history where observed_at >= '2026-05-31'",
          "delete from core.pnl_history where snapshot_at >= '2026-05-31'",
          "delete from core.apy_history where date >= '2026-05-31'",
          "delete from ops.stored_marts",
        )
        yield* publishAgain(dataDir)
        const url = yield* startServer(dataDir)
        const [newest = {}] = yield* queryFile(
          join(dataDir, "published/vaulthouse.duckdb"),
          `select chain_id, vault_address, max(snapshot_at)::varchar as at from core.position_snapshots
         where total_nav is not null group by all order by all limit 1`,
        )
        const series = `${url}/api/vault/${String(newest["chain_id"])}/${String(newest["vault_address"])}/series`
        const buffer = JSON.parse((yield* get(`${series}/buffer`)).body) as {
          to: string
          columns: Record<string, ReadonlyArray<unknown>>
        }
        expect(buffer.columns["nav_usd"]?.length).toBeGreaterThan(0)
        expect(buffer.to > String(newest["at"]).replace(" ", "T")).toBe(true)
        const machine = process.env["TZ"]
        process.env["TZ"] = "America/New_York"
        try {
          const ratio = yield* get(`${series}/ratio?from=2026-05-30T03:00&to=2026-05-31`)
          expect(JSON.parse(ratio.body)).toMatchObject({
            from: "2026-05-30T03:00:00.000Z",
            to: "2026-05-31T00:00:00.000Z",
          })
        } finally {
          if (machine === undefined) delete process.env["TZ"]
          else process.env["TZ"] = machine
        }
        for (const wrong of ["5", "30 May 2026", ""]) {
          const { status, body } = yield* get(`${series}/ratio?from=${encodeURIComponent(wrong)}`)
          expect([status, body]).toEqual([
            400,
            expect.stringContaining("is not an instant such as"),
          ])
        }
      }).pipe(Effect.scoped),
  )

  it.live("say of a vault whose address stands for another one whose figures these are", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const [vault = {}] = (yield* vaultsOf(dataDir)).slice(-1)
      const [address, chain] = [String(vault["vault_address"]), Number(vault["chain_id"])]
      yield* change(
        dataDir,
        `insert into core.vaults select * replace (chain_id + 1 as chain_id, 'Twin' as vault_name)
         from core.vaults where is_current and vault_address = '${address}'`,
      )
      yield* publishAgain(dataDir)
      const url = yield* startServer(dataDir)
      const note = "Its address is also that of"
      const twin = (yield* get(`${url}/vault/${chain + 1}/${address}`)).body
      expect(twin).toContain(note)
      expect(twin).toContain(`href="/vault/${chain}/${address}"`)
      expect((yield* get(`${url}/vault/${chain}/${address}`)).body).not.toContain(note)
    }).pipe(Effect.scoped),
  )

  it.live("lead from the overview over a vault and its figures to the archived response", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* unchanged
      const overview = yield* get(url)
      expect(overview.status).toBe(200)
      let traces = 0
      for (const { vault_name, chain_id, vault_address } of yield* vaultsOf(dataDir)) {
        expect(overview.body).toContain(String(vault_name))
        const vault = yield* get(`${url}/vault/${String(chain_id)}/${String(vault_address)}`)
        expect(vault.status).toBe(200)
        expect(vault.body).not.toContain('class="error"')
        expect(vault.body).toContain("</html>")
        expect(vault.body).not.toContain("[&quot;")
        const [, trace = ""] =
          /href="(\/trace[^"]*column=collateral_ratio&[^"]*)"/.exec(vault.body) ?? []
        if (trace === "") continue
        traces += 1
        const atNone = yield* get(`${url}${trace.replaceAll("&amp;", "&")}&at=yesterday`)
        expect([atNone.status, atNone.body]).toEqual([
          400,
          expect.stringContaining("at=yesterday is not an instant"),
        ])
        const traced = yield* get(`${url}${trace.replaceAll("&amp;", "&")}`)
        expect(traced.body).toMatch(/core\.ratio_history.*In the response.*adjusted_redeem_ratio/s)
      }
      expect(traces).toBeGreaterThan(0)
    }).pipe(Effect.scoped),
  )

  it.live(
    "show the state of the data: a day with a hole, a gap, a quarantine, a failed check, a run, a vault that has ended and one without data",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* synced
        const [ended = {}, empty = {}] = yield* vaultsOf(dataDir)
        const of = (vault: Readonly<Record<string, unknown>>) =>
          `vault_address = '${String(vault["vault_address"])}'`
        yield* change(
          dataDir,
          "delete from core.ratio_history where observed_at::date in ('2026-05-27', '2026-05-28')",
          `update core.vaults set status = 'closed' where ${of(ended)}`,
          ...[ended, empty].flatMap((vault) => [
            `delete from core.ratio_history where ${of(vault)} and (observed_at > '2026-05-24' or ${of(empty)})`,
            `delete from core.pnl_history where ${of(vault)} and (snapshot_at > '2026-05-24' or ${of(empty)})`,
            `delete from core.apy_history where ${of(vault)} and (date > '2026-05-24' or ${of(empty)})`,
            `delete from core.allocation_history where ${of(vault)} and (date > '2026-05-24' or ${of(empty)})`,
            `delete from core.position_snapshots where ${of(vault)} and (snapshot_at > '2026-05-24' or ${of(empty)})`,
          ]),
          "delete from ops.stored_marts",
          `insert into ops.gaps by name select 'ratio_history' as pipeline, vault_address as entity, vault_address,
           timestamp '2026-05-28' as from_at, timestamp '2026-05-28 23:00' as to_at, 'failed' as reason, 'open' as state, '' as detail,
           run_id, now()::timestamp as updated_at from core.vaults, ops.runs limit 1`,
          `insert into ops.quarantine by name select 'r' as response_id, 'fees' as endpoint, 'fees' as pipeline,
           '' as entity, '' as window, '$.odd' as json_path, 'a text, not a number' as detail, run_id,
           now()::timestamp as quarantined_at from ops.runs limit 1`,
          "update ops.check_results set outcome = 'failed', failures = 3 where check_name = 'ratio_zero'",
        )
        yield* publishAgain(dataDir)
        const url = yield* startServer(dataDir)
        const { body } = yield* get(`${url}/data?day=2026-05-28`)
        expect(body).toMatch(/href="\/data\?day=2026-05-28#hours">.*missing/)
        expect(body).toContain("the service has none")
        const { body: ratios } = yield* get(`${url}/data?series=ratio`)
        expect(ratios).toMatch(
          /class="day level-none" title="2026-05-27: 0\.0 %[^>]*href="\/data\?series=ratio&amp;day=2026-05-27#hours"/,
        )
        expect(body).toMatch(/Absent points of 2026-05-28.*<bdi>missing<\/bdi>/s)
        expect(body).toMatch(/a text, not a number.*<bdi>ratio_zero<\/bdi>/s)
        expect(body).not.toContain('class="error"')
        const record = join(dataDir, "health.json")
        const sections = { failing: [], failed_checks: [], freshness: [], quarantine: [], gaps: [] }
        const as_of = new Date().toISOString()
        writeFileSync(record, JSON.stringify({ as_of, run_ends: [], ...sections }))
        expect((yield* get(`${url}/data`)).body).toContain("No problem is known.")
        // As for a server whose user may not read it.
        rmSync(record)
        const { body: unknown } = yield* get(`${url}/data`)
        expect(unknown).toContain("Whether there are problems is not known")
        expect(unknown).not.toContain("No problem is known.")
        const [, run = ""] = /href="(\/data\/run\/[^"]+)"/.exec(body) ?? []
        const shown = yield* get(`${url}${run}`)
        expect([shown.status, shown.body]).toEqual([200, expect.stringContaining("ratio_history")])

        const page = (vault: Readonly<Record<string, unknown>>) =>
          Effect.map(
            get(`${url}/vault/${String(vault["chain_id"])}/${String(vault["vault_address"])}`),
            (reply) => reply.body,
          )
        const ofEnded = yield* page(ended)
        expect(ofEnded).toContain("It has ended")
        expect(ofEnded).not.toContain("Nothing is wrong with it")
        // What it no longer reports is not expected of it: each day is as complete as the other vaults.
        const day = "2026-05-28"
        const [expected = {}] = yield* queryFile(
          join(dataDir, "published/vaulthouse.duckdb"),
          `select count(*) as points, count(*) filter (state = 'present') as present from mart.completeness
           where expected_at::date = '${day}' and not (${of(ended)} and state = 'empty')`,
        )
        expect((yield* get(`${url}/data`)).body).toContain(
          `${day}: ${((100 * Number(expected["present"])) / Number(expected["points"])).toFixed(1)} %`,
        )
        const ofEmpty = yield* page(empty)
        expect(ofEmpty).toContain("No collateral ratio of it is on record.")
        expect(ofEmpty).not.toContain("It has never been below par")
        expect(ofEmpty).not.toContain('id="charts"')
      }).pipe(Effect.scoped),
  )

  it.live(
    "name a vault in trouble with the reason in words, each of seven, no figure rounded to its limit, and filter by it",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* synced
        const troubles = yield* withTroubles(dataDir, "2026-06-01 12:40:00")
        const url = yield* startServer(dataDir)
        const { body } = yield* get(url)
        const rows = body.split('<th scope="row"').slice(1)
        for (const { vaultName, words } of troubles) {
          expect(rows.find((row) => row.includes(`<bdi>${vaultName}</bdi>`))).toContain(words)
        }
        const below = rows.find((row) => row.includes("(ratio 0.9999)")) ?? ""
        expect(below).toMatch(/class="figure"[^>]*>0\.9999</)
        // An age stands beside a figure that is older than its target, and beside no other.
        expect(below).toMatch(
          />0\.9999<\/a>\s*<span class="as-of"\s*><time[^>]*>[^<]*<\/time><\/span/,
        )
        expect(rows.find((row) => row.includes("APY (smoothed, 7d) series stale"))).toMatch(
          /column=apy_smoothed&[^>]*>[^<]*<\/a>\s*<span class="as-of"\s*><time[^>]*>2026-05-29[^<]*<\/time>, <strong[^>]*>3 d old</,
        )
        const [, path = ""] = /class="vault" href="([^"]+)"/.exec(below) ?? []
        const belowPar = /id="below_par".*?<\/section>/s.exec((yield* get(`${url}${path}`)).body)
        expect(belowPar?.[0]).toMatch(/column=collateral_ratio[^>]*>0\.9999</)
        const executable = rows.find((row) => row.includes("since 2026-05-30")) ?? ""
        const [, traced = ""] =
          /href="([^"]*column=executable_timelocks[^"]*)"/.exec(executable) ?? []
        expect((yield* get(`${url}${traced.replaceAll("&amp;", "&")}`)).status).toBe(200)
        const style = yield* get(
          `${url}${/href="([^"]*tables[^"]*css[^"]*)"/.exec(body)?.[1] ?? ""}`,
        )
        expect(style.body).toMatch(/bdi \{[^}]*overflow-wrap: anywhere/)
        // The worst first.
        expect(rows[0]).toContain("Trouble")
        expect(rows.at(-1)).not.toContain("Trouble")

        // The filter, without script.
        const shown = (query: string) =>
          Effect.map(get(`${url}/?${query}`), (reply) => ({
            body: reply.body,
            names: namesIn(reply.body),
          }))
        const days = "from=2026-05-20&to=2026-05-25"
        /** What the page shows, and what the query below its table gives. */
        const both = Effect.fnUntraced(function* (query: string) {
          const page = (yield* get(`${url}/?${query}&${days}`)).body
          const [, sql = ""] = /name="q" value="([^"]*)"/.exec(page) ?? []
          const { rows: given } = JSON.parse((yield* get(queryUrl(url, unescaped(sql)))).body) as {
            readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
          }
          return { page, names: namesIn(page), given }
        })
        const { names: all } = yield* shown("")
        expect(body).toContain('<form method="get" action="/"')
        const [vault = {}] = yield* vaultsOf(dataDir)
        const { chain_id, vault_address, vault_name } = vault
        for (const typed of [
          String(vault_name).toUpperCase(),
          String(vault_address).slice(0, 12),
        ]) {
          const found = yield* shown(`name=+${encodeURIComponent(typed)}&chain=&trouble=`)
          expect(found.names).toEqual([vault_name])
          expect(found.body).toContain(`1 of ${all.length} vaults`)
          expect(found.body).toContain(`value=" ${typed}"`)
        }
        const onChain = yield* shown(`chain=${String(chain_id)}`)
        expect(onChain.names).toContain(vault_name)
        const states = yield* Effect.forEach(["trouble", "watch", "data", "none"], (state) =>
          Effect.map(shown(`trouble=${state}`), ({ names }) => names),
        )
        expect(new Set(states.flat())).toEqual(new Set(all))
        expect(states[0]?.length).toBeGreaterThan(0)
        // As many as the first sentence counts, and those whose lines say so.
        const [trouble = [], watch = [], data = [], none = []] = states
        for (const [found, mark, words] of [
          [trouble, "Trouble", "in trouble"],
          [watch, "Watch", "to watch"],
          [data, "Data", "with incomplete data"],
        ] as const) {
          expect(body).toContain(`${found.length} ${words}`)
          expect(rows.filter((row) => row.includes(`>${mark}</span>`))).toHaveLength(found.length)
        }
        expect(none.some((each) => [...trouble, ...watch, ...data].includes(each))).toBe(false)
        for (const query of [
          "",
          ...["trouble", "watch", "data", "none"].map((state) => `trouble=${state}`),
          `chain=${String(chain_id)}`,
          `name=+${encodeURIComponent(String(vault_name).toUpperCase())}`,
          `name=${String(vault_address).slice(0, 12)}&chain=${String(chain_id)}`,
        ]) {
          const { page, names, given } = yield* both(query)
          expect(given, query).toHaveLength(names.length)
          expect(new Set(given.map((row) => row["vault_name"])), query).toEqual(new Set(names))
          for (const row of given) {
            expect(page).toContain(money(row["pnl_usd_change"]))
            expect(page).toContain(percent(row["drawdown"]))
          }
        }
        expect((yield* shown("name=nobody")).body).toContain(
          `None of the ${all.length} vaults matches`,
        )
        for (const [query, message] of [
          ["trouble=much", "trouble=much is not one of trouble, watch, data, none"],
          ["chain=0", "chain=0 is not one of "],
        ]) {
          const reply = yield* get(`${url}/?${query}`)
          expect([reply.status, reply.body]).toEqual([
            400,
            expect.stringContaining(String(message)),
          ])
        }
      }).pipe(Effect.scoped),
  )

  it.live("have a calendar that goes back as far as its period, beyond the year without one", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      yield* change(
        dataDir,
        `insert into core.ratio_history
         select * replace (timestamp '2024-01-10 05:00' as observed_at) from core.ratio_history limit 1`,
        "delete from ops.stored_marts",
      )
      yield* publishAgain(dataDir)
      const url = yield* startServer(dataDir)
      const { body } = yield* get(`${url}/data?from=2024-01-01&to=2024-01-31`)
      expect(body).toContain("2024-01-10: ")
      expect(body).not.toMatch(/2024-02-01: |No point is expected/)
      const year = (yield* get(`${url}/data`)).body
      expect(year).toContain("2026-05-30: ")
      expect(year).not.toContain("2024-01-10: ")
    }).pipe(Effect.scoped),
  )

  it.live("compare vaults over a period, in figures computed without its SQL, in any order", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* unchanged
      const vaults = yield* vaultsOf(dataDir)
      const file = join(dataDir, "published/vaulthouse.duckdb")
      const days = "from=2026-05-25&to=2026-05-31"
      const path = `/compare?${vaults.map((vault) => `vault=${String(vault["chain_id"])}/${String(vault["vault_address"])}`).join("&")}`
      const points = yield* queryFile(
        file,
        `select vault_address, adjusted_redeem_ratio as ratio from core.ratio_history
         where observed_at >= '2026-05-25' and observed_at < '2026-06-01'
           and adjusted_redeem_ratio is not null and (actual_tvl <> 0 or tvl_on_vault <> 0)
         order by observed_at`,
      )
      const snapshots = yield* queryFile(
        file,
        "select vault_address, unrealized_pnl as pnl, snapshot_at::varchar as at from core.pnl_history order by snapshot_at",
      )
      const expected = vaults.map(({ vault_address: address, vault_name: title }) => {
        let [high, drawdown] = [0, 0]
        for (const { ratio } of points.filter((each) => each["vault_address"] === address)) {
          high = Math.max(high, Number(ratio))
          drawdown = Math.max(drawdown, 1 - Number(ratio) / high)
        }
        const ofVault = snapshots.filter((each) => each["vault_address"] === address)
        const last = (until: string) =>
          Number(ofVault.findLast(({ at }) => String(at) < until)?.["pnl"])
        return { title, drawdown, pnl: last("2026-06-01") - last("2026-05-25") }
      })
      const { body } = yield* get(`${url}${path}&${days}&sort=-drawdown`)
      const rows = body.split("<tr>").slice(2)
      const ranked = expected
        .filter(({ pnl }) => !Number.isNaN(pnl))
        .toSorted((one, other) => other.drawdown - one.drawdown)
      expect(ranked.length).toBeGreaterThan(1)
      for (const [at, { title, drawdown, pnl }] of ranked.entries()) {
        expect(rows[at]).toContain(String(title))
        expect(rows[at]).toContain(percent(drawdown))
        expect(rows[at]).toContain(money(pnl))
      }
      expect(rows.at(-1)).toContain(money(ranked.reduce((sum, { pnl }) => sum + pnl, 0)))
      expect(body).toContain('aria-sort="descending"')
      expect(body.match(/class="chart"/g)).toHaveLength(3)
      // The overview has the figures of the same days.
      const overview = yield* get(`${url}/?${days}&sort=drawdown&name=${String(ranked[0]?.title)}`)
      expect(overview.body).toContain(percent(ranked[0]?.drawdown))
      expect(overview.body).toContain("sort=-drawdown")
      const calendar = (yield* get(`${url}/data?${days}`)).body
      expect(calendar).toContain("2026-05-25: ")
      expect(calendar).not.toMatch(/2026-05-24: |2026-06-01: /)
      const many = Array.from({ length: 51 }, (_, at) => `vault=1/0x${at}`).join("&")
      for (const [address, status, message] of [
        ["/compare?vault=0x1", 400, "vault=0x1 is not a chain and an address"],
        ["/compare?vault=1/0x1", 404, "There is no vault 0x1 on chain 1"],
        [`/compare?${many}`, 400, "51 vaults are too many"],
        [`${path}&from=soon`, 400, "from=soon is not a day such as 2026-05-31"],
        [`${path}&from=2026-06-02&to=2026-06-01`, 400, "from=2026-06-02 is after to=2026-06-01"],
        ["/?sort=secret", 400, "sort=secret is not one of vault_name"],
        ["/?to=2026-02-30", 400, "to=2026-02-30 is not a day"],
        // The page is there, the section says what is wrong.
        ["/data?from=soon", 200, "from=soon is not a day"],
      ] as const) {
        const reply = yield* get(`${url}${address}`)
        expect([reply.status, reply.body]).toEqual([status, expect.stringContaining(message)])
      }
    }).pipe(Effect.scoped),
  )

  it.live("give charts the lowest and highest of each bucket", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* unchanged
      const [vault = {}] = yield* queryFile(
        join(dataDir, "vaulthouse.duckdb"),
        `select any_value(vaults.chain_id) as chain_id, vault_address, min(adjusted_redeem_ratio) as low,
           max(adjusted_redeem_ratio) as high, count(*)::integer as points
         from core.ratio_history join core.vaults using (vault_address) group by vault_address limit 1`,
      )
      const path = `${url}/api/vault/${String(vault["chain_id"])}/${String(vault["vault_address"])}/series`
      const series = (address: string) =>
        Effect.map(get(address), ({ status, body }) => {
          expect([status, body]).toEqual([200, expect.stringContaining("columns")])
          return JSON.parse(body) as {
            columns: Record<"low" | "high" | "points", ReadonlyArray<number>>
          }
        })
      const { columns } = yield* series(`${path}/ratio?buckets=7`)
      expect(columns.low.length).toBeLessThanOrEqual(7)
      expect(Math.min(...columns.low)).toBe(vault["low"])
      expect(Math.max(...columns.high)).toBe(vault["high"])
      expect(columns.points.reduce((one, other) => one + other)).toBe(vault["points"])
      for (const name of ["pnl", "apy", "allocation", "buffer"]) {
        expect((yield* get(`${path}/${name}?from=2026-05-25&to=2026-05-30`)).status).toBe(200)
      }
      // Who waits for new points gets none, nor does who asks for older ones than there are.
      for (const name of ["ratio", "pnl", "apy", "allocation", "buffer"]) {
        const filled = yield* series(`${path}/${name}`)
        const names = Object.keys(filled.columns)
        expect(names.length).toBeGreaterThan(2)
        const empty = Object.fromEntries(names.map((column) => [column, []]))
        for (const asked of [
          "?from=2099-01-01",
          "?to=2020-01-01",
          `?from=2099-01-01&as-of=${new Date().toISOString()}`,
        ]) {
          expect((yield* series(`${path}/${name}${asked}`)).columns).toEqual(empty)
        }
      }
      const refused: ReadonlyArray<readonly [string, number, string]> = [
        [`${path}/nothing`, 404, "no series nothing; there are ratio, apy"],
        [`${url}/api/nothing`, 404, "There is no GET /api/nothing."],
        [`${path.replace("/vault/", "/vault/9")}/ratio`, 404, "There is no vault"],
        [`${path}/ratio?buckets=0`, 400, "buckets=0 is not a number from 1 to 5000"],
        [`${path}/ratio?from=yesterday`, 400, "from=yesterday is not an instant"],
        [`${path}/ratio?from=2026-06-01&to=2026-05-01`, 400, "is not before to=2026-05-01"],
        [`${url}/api/query`, 400, "There is no query: write one SELECT as the parameter q."],
        [
          `${url}/api/query?q=select+getvariable('n')&p.m=1`,
          400,
          "p.m: the SQL has no parameter m.\nIt has n.",
        ],
        [`${url}/api/query?q=select+1&format=xml`, 400, "format=xml is not json, csv or parquet"],
        [`${url}/api/query?q=select+1&csv_safe=yes`, 400, "csv_safe=yes is not true or false"],
      ]
      for (const [address, status, message] of refused) {
        const reply = yield* get(address)
        expect(reply).toMatchObject({ status, body: expect.stringContaining(message) })
        expect(reply.headers["content-type"]).toMatch(/^text\/plain/)
      }
      const sent = yield* get(`${url}/api/query?q=select+1`, {}, { method: "POST" })
      expect(sent).toMatchObject({ status: 404, body: "There is no POST /api/query.\n" })
    }).pipe(Effect.scoped),
  )

  it.live("take an address as explorers of its chain write it", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* unchanged
      const [{ chain_id: chain, vault_address: address } = {}] = yield* vaultsOf(dataDir)
      const typed = String(address).replace(/[a-f]/g, (letter) => letter.toUpperCase())
      const vault = `${String(chain)}/${typed}`
      for (const path of [`/vault/${vault}`, `/api/vault/${vault}/series/ratio`]) {
        const { status, body } = yield* get(`${url}${path}`)
        expect([path, status]).toEqual([path, 200])
        const stored = yield* get(`${url}${path.replace(typed, String(address))}`)
        // The form that leads to a past state has the path that the page was opened with.
        expect(body.replaceAll(typed, String(address)), path).toBe(stored.body)
      }
      const trace = `/trace/mart.vault_latest?column=vault_name&chain_id=${String(chain)}&vault_address=${typed}`
      expect((yield* get(`${url}${trace}`)).status).toBe(200)
      const both = `vault=${vault}&vault=${String(chain)}/${String(address)}`
      const { body } = yield* get(`${url}/compare?${both}`)
      expect(
        body.split(`<a class="vault" href="/vault/${String(chain)}/${String(address)}`),
      ).toHaveLength(2)
    }).pipe(Effect.scoped),
  )

  it.live("say what is not there", () =>
    Effect.gen(function* () {
      const { url } = yield* unchanged
      const unknown = yield* get(`${url}/vault/1/0x00`)
      expect([unknown.status, unknown.body]).toEqual([
        404,
        expect.stringContaining("There is no vault 0x00"),
      ])
      expect((yield* get(`${url}/nothing`)).status).toBe(404)
      expect((yield* get(`${url}/trace/mart.nothing`)).body).toContain("There is no table")
      expect((yield* get(`${url}/trace/mart.vault_latest`)).body).toMatch(
        /Name one, for example with vault_address=\w+ in the address/,
      )
      const wrong = yield* get(`${url}/data?vault=0x00&day=soon`)
      expect(wrong.body).toContain("There is no vault 0x00")
      expect(wrong.body).toContain("day=soon is not a day")
    }).pipe(Effect.scoped),
  )

  it.live("show hostile names harmlessly, and follow a new publication, of no vaults too", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const url = yield* startServer(dataDir)
      const published = Effect.map(get(`${url}/api/publication`), ({ body }) => body)
      const publishAndFollow = Effect.gen(function* () {
        const before = yield* published
        yield* publishAgain(dataDir)
        yield* untilSo("the server shows the new copy", async () => {
          const now = await Effect.runPromise(published)
          return now !== before
        })
      })
      const hostile = `</td><script>alert(1)</script>"'\u202Ebad\u0007`
      yield* change(
        dataDir,
        `update core.vaults set vault_name = '${hostile.replaceAll("'", "''")}'`,
      )
      yield* publishAndFollow
      const [vault = {}] = yield* vaultsOf(dataDir)
      for (const path of [
        "/",
        `/vault/${String(vault["chain_id"])}/${String(vault["vault_address"])}`,
      ]) {
        const { body, status } = yield* get(`${url}${path}`)
        expect(status).toBe(200)
        expect(body).toContain(
          String.raw`&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;\u202ebad\x07`,
        )
        for (const raw of ["<script>", "\u202E", "\u0007"]) expect(body).not.toContain(raw)
      }
      yield* change(dataDir, "delete from core.vaults")
      yield* publishAndFollow
      expect((yield* get(url)).body).toContain("The warehouse has no vault yet.")
    }).pipe(Effect.scoped),
  )
})

describe("queries", () => {
  it.live("give a page, JSON, CSV and Parquet, up to a number of rows", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* unchanged
      const page = yield* get(`${url}/sql?q=${encodeURIComponent("select '<b>' as x,\r\n7 as n")}`)
      expect(page.body).toContain("&lt;b&gt;")
      expect(page.body).not.toContain("x0d")
      const json = JSON.parse((yield* get(queryUrl(url, "select 7 as n"))).body) as unknown
      expect(json).toMatchObject({ cut_by: null, rows: [{ n: 7 }] })
      const many = JSON.parse((yield* get(queryUrl(url, "from range(5000)"))).body) as { rows: [] }
      expect(many).toMatchObject({ cut_by: "rows" })
      expect(many.rows).toHaveLength(1000)
      for (const format of ["csv", "parquet"]) {
        const { headers } = yield* get(queryUrl(url, "from range(5000)", format))
        expect(headers["content-disposition"]).toContain(`result-first-1000-rows.${format}`)
      }
      const completion = `${url}/api/completion?sql=${encodeURIComponent("select * from mart.vault_l")}`
      expect((yield* get(completion)).body).toContain('"mart.vault_latest"')
      const csv = yield* get(`${queryUrl(url, "select '=1+1' as x", "csv")}&csv_safe=true`)
      expect(csv.body).toBe("x\n'=1+1\n")
      // As the button below each table sends it.
      expect((yield* get(url)).body).toContain('<button name="csv_safe" value="true"')
      const sent = yield* get(
        `${url}/api/query?q=${encodeURIComponent("select '=1+1' as x")}&csv_safe=true`,
      )
      expect(sent.body).toBe(csv.body)
      expect(sent.headers["content-disposition"]).toContain("result.csv")
      const parquet = yield* Effect.promise(() =>
        fetch(queryUrl(url, "from range(5000) order by 1; ", "parquet")).then((each) =>
          each.arrayBuffer(),
        ),
      )
      const file = join(dataDir, "result.parquet")
      writeFileSync(file, new Uint8Array(parquet))
      expect(
        yield* queryFile(
          join(dataDir, "vaulthouse.duckdb"),
          `select count(*)::integer as n, max(range)::integer as last from '${file}'`,
        ),
      ).toEqual([{ n: 1000, last: 999 }])
    }).pipe(Effect.scoped),
  )

  it.live(
    "give no larger body than the limit, whatever its names and quotes add to the values",
    () =>
      Effect.gen(function* () {
        const { url } = yield* unchanged
        const named = (value: string, rows: number) =>
          `select columns('(.*)') as "${String.raw`\1`.repeat(60)}"
         from (select ${value} as "${"n".repeat(1000)}" from range(${rows}) t(i))`
        const json = (yield* get(queryUrl(url, named("i", 1000)))).body
        const { rows, cut_by: cutBy } = JSON.parse(json) as { rows: []; cut_by: string }
        expect(cutBy).toBe("size")
        expect(rows).toHaveLength(Math.floor((32_000_000 - 60_000) / 60_010))
        const quotes = "select [repeat('\"', 15000)] as x from range(1000)"
        const csv = yield* get(queryUrl(url, quotes, "csv"))
        for (const body of [json, csv.body]) {
          expect(body.length).toBeLessThanOrEqual(32_000_000)
          expect(body.length).toBeGreaterThan(31_900_000)
        }
        const lines = csv.body.split("\n").length - 2
        expect(csv.headers["content-disposition"]).toContain(`result-first-${lines}-rows.csv`)
        const one = yield* get(queryUrl(url, named("repeat('x', 31950000)", 1)))
        expect([one.status, one.body]).toEqual([
          400,
          expect.stringContaining("The first row is larger than 32 MB"),
        ])
      }).pipe(Effect.scoped),
  )

  it.live(
    "have fields for their parameters, a hundred rows at a time, and errors that speak of the page",
    () =>
      Effect.gen(function* () {
        const { url } = yield* unchanged
        const page = (query: Record<string, string>) =>
          get(`${url}/sql?${new URLSearchParams(query).toString()}`)
        const q =
          "--     days: how many; 7 unless it is set\nselect $text as t, coalesce(getvariable('days'), 7) * 6 as n"
        const open = (yield* page({ q })).body
        expect(open).toContain('name="p.text"')
        expect(open).toContain("how many; 7 unless it is set")
        expect(open).toContain("Give each parameter a value in its field")
        const filled = (yield* page({ q, "p.text": "it's <b>; drop", "p.days": "11" })).body
        expect(filled).toContain(">it&#39;s &lt;b&gt;; drop</th>")
        expect(filled).toContain(">66</td>")
        expect((yield* get(queryUrl(url, q))).body).toMatch(
          /parameters: text\nGive each a value in the address, such as p\.days=30\.\n$/,
        )
        // The downloads are of what is shown, however often a long value stands in it.
        const download = (body: string) =>
          get(`${url}${unescaped(/href="([^"]*format=csv[^"]*)"/.exec(body)?.[1] ?? "")}`)
        expect((yield* download(filled)).body).toBe("t,n\nit's <b>; drop,66\n")
        const often = `select ${Array.from({ length: 20 }, (_, at) => `$text as t${at}`).join(", ")}`
        const long = yield* page({ q: often, "p.text": "x".repeat(2000) })
        const file = yield* download(long.body)
        expect([file.status, file.body.match(/x{2000}/g)?.length]).toEqual([200, 20])
        const rows = (yield* page({ q: "from range(250)", page: "3" })).body
        expect(rows).toContain("250 rows, 201 to 250 shown")
        expect(rows.match(/<tr>/g)).toHaveLength(51)
        expect(rows).toContain("page=2")
        expect(rows).not.toContain("Next rows")
        expect(rows).toContain("Each page runs the query again.")
        expect((yield* page({ q: "from range(100)" })).body).not.toContain("runs the query again")
        expect((yield* page({ q: "select 1", page: "0" })).status).toBe(400)
        for (const wrong of ["from nothing", "select nothing from mart.vault_latest"]) {
          const { body } = yield* page({ q: wrong })
          expect(body).toContain("The tables and their columns are listed below.")
          expect(body).not.toMatch(/class="error"[^<]*(vaulthouse |--param)/)
        }
        expect((yield* page({})).body).toContain('href="/sql/mart.vault_latest"')
        expect((yield* get(`${url}/sql/mart.vault_latest`)).body).toContain("collateral_ratio")
        expect((yield* get(`${url}/sql/mart.nothing`)).status).toBe(404)
      }).pipe(Effect.scoped),
  )

  it.live("are behind each table, to be downloaded, and read its rows", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* unchanged
      const [vault = {}] = yield* vaultsOf(dataDir)
      const { body: data } = yield* get(`${url}/data?day=2026-05-28`)
      const [, run = ""] = /href="(\/data\/run\/[^"]+)"/.exec(data) ?? []
      const pages = [
        "/",
        "/compare",
        `/vault/${String(vault["chain_id"])}/${String(vault["vault_address"])}`,
        "/data?day=2026-05-28",
        run,
      ]
      const found = new Set<string>()
      for (const path of pages) {
        const { body } = yield* get(`${url}${path}`)
        for (const [, escaped = ""] of body.matchAll(/name="q" value="([^"]*)"/g)) {
          const sql = unescaped(escaped)
          found.add(sql)
          const reply = yield* get(queryUrl(url, sql, "csv"))
          expect([path, reply.status, reply.status === 200 ? "" : reply.body]).toEqual([
            path,
            200,
            "",
          ])
          // One with a heading only would be of a table that the page leaves out.
          expect(reply.body.split("\n").length).toBeGreaterThan(2)
        }
      }
      expect(found.size).toBeGreaterThan(8)
    }).pipe(Effect.scoped),
  )

  it.live("are sent again as they were typed; what another site sent is shown in escapes", () =>
    Effect.gen(function* () {
      const { url } = yield* unchanged
      const typed = { q: "select '\u202ea' || $n as x", "p.n": "'\u200f<b>'" }
      const address = `${url}/sql?${new URLSearchParams(typed).toString()}`
      const own = (yield* get(address)).body
      const [, sql = ""] = /<textarea[^>]*>\n([^<]*)</.exec(own) ?? []
      const [, value = ""] = /name="p\.n" value="([^"]*)"/.exec(own) ?? []
      expect([unescaped(sql), unescaped(value)]).toEqual([typed.q, typed["p.n"]])
      const ofOthers = yield* get(address, {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
        "sec-fetch-user": "?1",
      })
      expect(ofOthers.status).toBe(200)
      expect(ofOthers.body).toMatch(/<textarea[^>]*>\nselect &#39;\\u202ea/)
      const [, filter = ""] =
        /name="name" value="([^"]*)"/.exec((yield* get(`${url}/?name=%E2%80%AEa`)).body) ?? []
      expect(filter).toBe("\u202ea")
    }).pipe(Effect.scoped),
  )

  it.live("that write, reach a file or are several are refused", () =>
    Effect.gen(function* () {
      const { url } = yield* unchanged
      const refused = [
        "create table x as select 1",
        "attach ':memory:' as other",
        "set memory_limit = '9GB'",
        "select 1; select 2",
        "select * from read_text('/etc/passwd')",
        "copy (select 1) to '/tmp/x'",
        "select 1) to '/tmp/x' (format csv",
        "install httpfs",
        "call pragma_version()",
        "from nothing",
        "",
      ]
      for (const sql of refused) {
        for (const format of ["json", "parquet"]) {
          const { status } = yield* get(queryUrl(url, sql, format))
          expect(`${sql} ${status}`).toBe(`${sql} 400`)
        }
      }
    }).pipe(Effect.scoped),
  )

  it.live("end when the reader leaves", () =>
    Effect.gen(function* () {
      // More than run at once: pages are shown meanwhile, and the next query runs only if these have ended.
      const { url } = yield* unchanged
      const leaving = Array.from({ length: 6 }, () => {
        const sent = request(queryUrl(url, endless))
        sent.on("error", () => undefined)
        sent.end()
        return sent
      })
      const before = processorSeconds(process.pid)
      yield* untilSo("they run", () => processorSeconds(process.pid) > before + 0.5)
      expect((yield* get(url)).status).toBe(200)
      for (const sent of leaving) sent.destroy()
      expect((yield* get(queryUrl(url, "select 1"))).status).toBe(200)
    }).pipe(Effect.scoped),
  )
})

describe("more queries than run at once", () => {
  it.live("have their time when they run, and are refused if that would be too late", () =>
    Effect.gen(function* () {
      const url = yield* limited
      const queries = Array.from({ length: 12 }, () => get(queryUrl(url, endless), bearer))
      const replies = yield* Effect.all(queries, { concurrency: "unbounded" })
      const stopped = replies.filter(({ body }) => body.includes("was stopped after 1 s"))
      const refused = replies.filter(({ body }) => body.includes("waited 2 s for others"))
      expect(stopped.length + refused.length).toBe(12)
      // Two at a time, for the two seconds in which they may begin and the moment that it takes to stop one.
      expect(stopped.length).toBeGreaterThanOrEqual(2)
      expect(refused.length).toBeGreaterThanOrEqual(6)
      for (const { status } of stopped) expect(status).toBe(400)
      for (const { status, headers } of refused) {
        expect([status, headers["retry-after"]]).toEqual([503, "5"])
      }
    }).pipe(Effect.scoped),
  )
})

describe("the command", () => {
  it.live("says where the page is, and ends well when it is stopped", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const child = start(["serve", "--data-dir", dataDir, "--port", "0"], { cwd: dataDir })
      const [said] = (yield* Effect.promise(() => once(child.stdout, "data"))) as [Buffer]
      const [, url = ""] = /is at (http:\S+)/.exec(String(said)) ?? []
      expect((yield* get(url)).status).toBe(200)
      // A running query does not keep it.
      const sent = request(queryUrl(url, endless)).on("error", () => undefined)
      sent.end()
      const before = processorSeconds(child.pid)
      yield* untilSo("it runs", () => processorSeconds(child.pid) > before + 0.5)
      child.kill("SIGINT")
      const [code] = (yield* Effect.promise(() => once(child, "exit"))) as [number]
      expect(code).toBe(0)
    }).pipe(Effect.scoped),
  )

  it.live("says what is wrong and what to do", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* unchanged
      const { port } = new URL(url)
      const cases: Array<readonly [ReadonlyArray<string>, number, RegExp]> = [
        [["--data-dir", "nowhere"], 1, /nothing is published.*vaulthouse sync/s],
        [["--port", port], 2, /port \d+ on 127.0.0.1 is in use.*--port 0/s],
        [["--port", "many"], 2, /--port many is not a whole number from 0 to 65535/],
        [["--timeout", "soon"], 2, /--timeout soon is not a duration/],
        [["--host", "0.0.0.0"], 2, /token is needed.*openssl/s],
        [["--allowed-host", "https://a.example"], 2, /"https:\/\/a\.example" is not a name/],
        [
          ["--token-file", "nowhere"],
          2,
          /--token-file nowhere can't be read: there is no such file\./,
        ],
      ]
      const readable = join(dataDir, "token.txt")
      writeFileSync(readable, "short\n", { mode: 0o644 })
      cases.push([
        ["--token-file", readable],
        2,
        /everyone on this machine can read .*chmod 600.*fewer/s,
      ])
      for (const [args, code, message] of cases) {
        const typed = ["serve", "--data-dir", dataDir, ...args]
        const ended = yield* Effect.promise(() => vaulthouse(typed, { cwd: dataDir }))
        expect(ended).toMatchObject({ code, stderr: expect.stringMatching(message) })
      }
    }).pipe(Effect.scoped),
  )
})
