// vaulthouse report: one file that needs nothing else, with figures as SQL gives them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { publishAnyway } from "../../src/pipelines/publication/publish.ts"
import { completePart, money, percent } from "../../src/serve/figures.ts"
import { vaulthouse } from "../cli/command.ts"
import { FlushedDisk } from "../support/disk/flushedDisk.ts"
import { shared, sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { change, queryFile, runOnce } from "../support/warehouseRun.ts"
import { warmReaders } from "../support/processes/warmReaders.ts"

const now = "2026-06-01T12:00:00Z"

const synced = sharedWarehouse((dataDir) =>
  Effect.gen(function* () {
    const { url } = yield* simulated({ vaults: 2, days: 30, now })
    yield* runOnce(url, dataDir, { api: asAdmin, publish: { parquet: undefined } })
  }),
)

/** For tests that change nothing of it but reports. */
const unchanged = shared(synced)
warmReaders()

/** In a folder whose `data` is the warehouse. */
const typed = (dataDir: string, args: ReadonlyArray<string>, env = {}) =>
  Effect.promise(() =>
    vaulthouse(["report", "--data-dir", dataDir, ...args], { cwd: dataDir, env }),
  )

const publishedFile = (dataDir: string) => join(dataDir, "published/vaulthouse.duckdb")

describe("a report", () => {
  it.live("compares a period with the one before, in a file that needs nothing else", () =>
    Effect.gen(function* () {
      const dataDir = yield* unchanged
      const { code, stderr } = yield* typed(dataDir, ["--days", "7", "--to", "2026-05-31"])
      expect([code, stderr]).toEqual([0, ""])
      const page = readFileSync(join(dataDir, "report.html"), "utf8")
      expect(page).toContain("2026-05-25 to 2026-05-31")
      expect(page).not.toMatch(/<script|(src|href)="(?!#)|url\(|@import/)
      const figures = yield* queryFile(
        publishedFile(dataDir),
        `select
            format('{:.4f}', floor(min(collateral_ratio_low) filter (day >= '2026-05-25') * 10000) / 10000) as low,
            format('{:.4f}', floor(min(collateral_ratio_low) filter (day < '2026-05-25') * 10000) / 10000) as low_before
        from mart.vault_daily
        where day between '2026-05-18' and '2026-05-31' and collateral_ratio_low is not null
        group by vault_address`,
      )
      expect(figures.length).toBeGreaterThan(0)
      for (const { low, low_before } of figures) {
        expect(page).toMatch(
          new RegExp(`${String(low)}<span class="as-of"\\s*>${String(low_before)}<`),
        )
      }
      const changes = yield* queryFile(
        publishedFile(dataDir),
        `select sum(pnl_usd_change) filter (day >= '2026-05-25') as pnl, sum(pnl_usd_change) filter (day < '2026-05-25') as before
         from mart.pnl_daily where day between '2026-05-18' and '2026-05-31' group by vault_address`,
      )
      for (const { pnl, before } of changes) {
        expect(page).toMatch(new RegExp(`${money(pnl)}<span class="as-of"\\s*>${money(before)}<`))
      }
      expect(page.match(/class="chart"/g)?.length).toBeGreaterThan(figures.length)
      const compared = yield* typed(dataDir, ["--compare", "--days", "7", "--to", "2026-05-31"])
      expect([compared.code, compared.stderr]).toEqual([0, ""])
      const side = readFileSync(join(dataDir, "report.html"), "utf8")
      expect(side).toContain("Vaults compared, 2026-05-25 to 2026-05-31")
      expect(side).not.toMatch(/<script|(src|href)="(?!#)|url\(|@import/)
      for (const { pnl } of changes) expect(side).toContain(money(pnl))
      expect(side.match(/class="chart"/g)).toHaveLength(3)
    }).pipe(Effect.scoped),
  )

  it.live("is on the disk once it is written, and leaves alone what another process writes", () =>
    Effect.gen(function* () {
      const dataDir = yield* unchanged
      const folder = join(dataDir, "reports")
      mkdirSync(folder)
      writeFileSync(join(folder, "week.html.tmp"), "of another")
      const disk = yield* FlushedDisk.watched
      const { code } = yield* typed(dataDir, ["--days", "7", "--out", "reports/week.html"])
      expect(code).toBe(0)
      const written = readFileSync(join(folder, "week.html"))
      expect(disk.left(folder, "week.html")?.equals(written)).toBe(true)
      expect(readdirSync(folder).toSorted()).toEqual(["week.html", "week.html.tmp"])
    }).pipe(Effect.scoped),
  )

  it.live(
    "measures a drawdown from a high that came before, not from a later one of the day; of one vault has that vault alone, and its name harmlessly",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* synced
        const [vault = {}, other = {}] = yield* queryFile(
          publishedFile(dataDir),
          "select vault_name, vault_address from mart.vault_latest order by vault_address",
        )
        const address = String(vault["vault_address"])
        yield* change(
          dataDir,
          `update core.vaults set vault_name = '<script>\u202E' where vault_address = '${address}'`,
          "update core.ratio_history set adjusted_redeem_ratio = case when hour(observed_at) = 20 then 1.9 when hour(observed_at) = 3 then 0.8 else 1 end where observed_at::date = '2026-05-30'",
        )
        yield* publishAnyway({ dataDir, rebuildAll: false, parquet: undefined })
        expect((yield* typed(dataDir, ["--days", "7", "--to", "2026-05-30"])).code).toBe(0)
        const page = readFileSync(join(dataDir, "report.html"), "utf8")
        const points = yield* queryFile(
          publishedFile(dataDir),
          `select vault_address, adjusted_redeem_ratio as ratio from core.ratio_history
         where observed_at >= '2026-05-24' and observed_at < '2026-05-31'
           and adjusted_redeem_ratio is not null and (actual_tvl <> 0 or tvl_on_vault <> 0)
         order by vault_address, observed_at`,
        )
        const vaults = Map.groupBy(points, (point) => point["vault_address"])
        expect(vaults.size).toBeGreaterThan(0)
        for (const ofVault of vaults.values()) {
          let [high, deepest] = [0, 0]
          for (const { ratio } of ofVault) {
            high = Math.max(high, Number(ratio))
            deepest = Math.max(deepest, 1 - Number(ratio) / high)
          }
          expect(deepest).toBeLessThan(0.5)
          expect(page).toContain(percent(deepest))
        }
        expect(page).not.toContain(percent(1 - 0.8 / 1.9))
        const out = join(dataDir, "reports", "one.html")
        expect((yield* typed(dataDir, ["--vault", address, "--out", out])).code).toBe(0)
        const one = readFileSync(out, "utf8")
        expect(one).toContain(String.raw`&lt;script&gt;\u202e`)
        expect(one).not.toContain(String(other["vault_address"]))
        expect(readdirSync(join(dataDir, "reports"))).toEqual(["one.html"])
      }).pipe(Effect.scoped),
  )

  it.live("marks what is of a part of its period", () =>
    Effect.gen(function* () {
      const dataDir = yield* unchanged
      expect((yield* typed(dataDir, ["--days", "20", "--to", "2026-05-31"])).code).toBe(0)
      const page = readFileSync(join(dataDir, "report.html"), "utf8")
      const [{ before, days } = {}] = yield* queryFile(
        publishedFile(dataDir),
        `select sum(pnl_usd_change) as before, sum(days_since_before) filter (pnl_usd_change is not null) as days
         from mart.pnl_daily where day between '2026-04-22' and '2026-05-11'
         group by vault_address order by vault_address`,
      )
      expect(Number(days)).toBeLessThan(20)
      expect(page).toMatch(
        new RegExp(`${money(before)}<span class="note"\\s*>${Number(days)} of 20 days<`),
      )
      const [{ share, with_hours } = {}] = yield* queryFile(
        publishedFile(dataDir),
        `select sum(hours_present) / sum(hours_expected) as share, count(*)::integer as with_hours
         from mart.vault_daily where day between '2026-04-22' and '2026-05-11'
         group by vault_address order by vault_address`,
      )
      expect(page).toMatch(
        new RegExp(
          `${completePart(share, 0)}<span class="note"\\s*>${Number(with_hours)} of 20 days<`,
        ),
      )
    }).pipe(Effect.scoped),
  )

  it.live("ends with a day that was over when it was read, however late it is written", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      yield* change(
        dataDir,
        "update ops.runs set started_at = timestamp '2026-05-20 18:00', finished_at = timestamp '2026-05-20 18:01'",
      )
      yield* publishAnyway({ dataDir, rebuildAll: false, parquet: undefined })
      const refused = yield* typed(dataDir, ["--to", "2026-05-20"])
      expect(refused.code).toBe(2)
      expect(refused.stderr).toContain("2026-05-20 is not complete in the published copy")
      expect(refused.stderr).toContain("The last complete day is 2026-05-19.")
      expect((yield* typed(dataDir, ["--days", "7"])).code).toBe(0)
      const page = readFileSync(join(dataDir, "report.html"), "utf8")
      expect(page).toContain("2026-05-13 to 2026-05-19")
    }).pipe(Effect.scoped),
  )

  it.live("is refused where what was typed is wrong, and where there is no browser for it", () =>
    Effect.gen(function* () {
      const dataDir = yield* unchanged
      mkdirSync(join(dataDir, "empty"))
      const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [["--days", "0"], "--days 0 is not a whole number from 1 to 3650"],
        [["--to", "soon"], "--to soon is not a day: write YYYY-MM-DD"],
        [["--to", "2100-01-01"], "2100-01-01 is not complete in the published copy"],
        [["--to", "2000-01-01"], "no figures from 1999-11-03 to 2000-01-01"],
        [["--out", "report.docx"], '--out "report.docx" does not end with .html, .pdf or .png'],
        [["--out", ""], '--out "" does not end with'],
        [["--vault", "Nobody"], "--vault Nobody is neither an address nor the name of a vault"],
        [["--format", "pdf", "--out", "a.png"], "name two formats"],
        [["--format", "pdf"], "none of chromium, chromium-browser"],
        // Before anything is read.
        [["--format", "pdf", "--vault", "Nobody"], "none of chromium, chromium-browser"],
        [
          ["--out", join(publishedFile(dataDir), "x.html")],
          "x.html: a part of its path is a file, not a folder.",
        ],
      ]
      for (const [args, message] of wrong) {
        const { code, stderr } = yield* typed(dataDir, args, { PATH: join(dataDir, "empty") })
        expect(code).not.toBe(0)
        expect(stderr).toContain(message)
      }
    }).pipe(Effect.scoped),
  )

  it.live("is written by each run that publishes, and can't fail it", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const sync = Effect.fnUntraced(function* (until: string, file: string) {
        const { url } = yield* simulated({ vaults: 2, start: "2026-05-02T12:00:00Z", now: until })
        const config = join(dataDir, "with-report.yaml")
        writeFileSync(config, `report: { file: ${file}, days: 7 }\n`)
        const args = ["--base-url", url, "--data-dir", dataDir, "--config", config]
        return yield* Effect.promise(() =>
          vaulthouse(["sync", "pnl_history", ...args, "--no-progress"], { cwd: dataDir }),
        )
      })
      const failed = yield* sync("2026-06-01T14:00:00Z", "published/vaulthouse.duckdb/run.html")
      expect([failed.code, failed.stderr]).toEqual([
        0,
        expect.stringContaining("the report was not written"),
      ])
      expect((yield* sync("2026-06-01T16:00:00Z", "run.html")).code).toBe(0)
      expect(readFileSync(join(dataDir, "run.html"), "utf8")).toContain(
        "Compared with the previous 7 days",
      )
    }).pipe(Effect.scoped),
  )
})
