// Converts the report to PDF or PNG with this machine's Chromium, which opens only the file and has no network access.
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

const run = promisify(execFile)

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
const SECONDS = 60
const WIDTH = 1240

/** Chromium is not installed, or it failed. */
export class BrowserError extends Data.TaggedError("BrowserError")<{
  readonly why: string
  readonly advice: string
}> {
  override get message(): string {
    return `${this.why}\n${this.advice}`
  }
}

const isInstalled = (name: string): Promise<boolean> =>
  run(name, ["--version"], { timeout: SECONDS * 1000 }).then(
    () => true,
    (cause: NodeJS.ErrnoException) => cause.code !== "ENOENT",
  )

const firstInstalled = async (): Promise<string | undefined> => {
  for (const name of names) if (await isInstalled(name)) return name
  return undefined
}

/** Finds the browser, which then prints pages in the format. */
export const printer = Effect.fnUntraced(function* (format: "pdf" | "png") {
  const browser = yield* Effect.promise(firstInstalled)
  if (browser === undefined) {
    return yield* new BrowserError({
      why: `PDF and PNG need a Chromium; none of ${names.join(", ")} was found.`,
      advice:
        "Install one (Debian: `apt install chromium`), or use `--format html`, which prints well from any browser.",
    })
  }
  return (page: string) => printed(browser, page, format)
})

/** Returns the bytes of the page in the format. */
const printed = (
  browser: string,
  page: string,
  format: "pdf" | "png",
): Effect.Effect<Uint8Array, BrowserError> =>
  Effect.tryPromise({
    try: async (signal) => {
      const folder = await mkdtemp(join(tmpdir(), "vaulthouse-report-"))
      const browse = async (...args: ReadonlyArray<string>): Promise<string> => {
        const { stdout } = await run(
          browser,
          [...commonFlags, `--user-data-dir=${join(folder, "browser")}`, ...args],
          { signal, timeout: SECONDS * 1000, maxBuffer: 64 * 1024 * 1024 },
        )
        return stdout
      }
      try {
        const file = join(folder, "report.html")
        const out = join(folder, `report.${format}`)
        await writeFile(file, page)
        if (format === "pdf") await browse("--no-pdf-header-footer", `--print-to-pdf=${out}`, file)
        else {
          const measured = join(folder, "measured.html")
          await writeFile(measured, withHeight(page))
          const found = await browse(`--window-size=${WIDTH},800`, "--dump-dom", measured)
          const height = /data-height="(\d+)"/.exec(found)?.[1] ?? "2000"
          await browse(
            "--hide-scrollbars",
            `--window-size=${WIDTH},${height}`,
            `--screenshot=${out}`,
            file,
          )
        }
        return await readFile(out)
      } finally {
        await rm(folder, { recursive: true, force: true, maxRetries: 3 })
      }
    },
    catch: (cause) =>
      new BrowserError({
        why: `Chromium did not make the ${format.toUpperCase()}: ${String(cause).split("\n")[0] ?? ""}`,
        advice: "`--format html` needs no browser.",
      }),
  })

const commonFlags = [
  "--headless",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--host-resolver-rules=MAP * ~NOTFOUND",
  // As root, Chromium runs only without its sandbox. That is safe, since the page has no scripts and loads nothing.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
]

/** The page with a script that records its height, and without the policy that would forbid the script. */
const withHeight = (page: string): string =>
  page
    .replace(/<meta\s+http-equiv="content-security-policy"[^>]*>/, "")
    .replace(
      "</body>",
      "<script>document.body.dataset.height = document.documentElement.scrollHeight</script></body>",
    )
