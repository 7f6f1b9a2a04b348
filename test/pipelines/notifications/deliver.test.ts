// One delivery: what is retried and for how long, against real receivers and real commands.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { problemKinds } from "../../../src/domain/run/problem.ts"
import { Transport } from "../../../src/extract/http/Transport.ts"
import { deliver, ping } from "../../../src/pipelines/notifications/deliver.ts"
import { type Message, testMessage } from "../../../src/pipelines/notifications/message.ts"
import { turned } from "../../support/client.ts"
import { receiver, type Respond, status } from "../../support/servers/receiver.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { untilSo } from "../../support/until.ts"

const message = testMessage({ host: "batch-1", dataDir: "/srv/data", now: 0 })
const to = { on: problemKinds, remindAfter: undefined }

const post = (url: string, retry = true) =>
  deliver({ ...to, webhook: Redacted.make(url) }, message, retry).pipe(
    Effect.result,
    Effect.map(Result.match({ onSuccess: (ok) => ok, onFailure: ({ detail }) => detail })),
    Effect.provide(Transport.layer()),
  )

const run = (command: ReadonlyArray<string>) =>
  deliver({ ...to, command }, message, true).pipe(
    Effect.result,
    Effect.map(Result.match({ onSuccess: (ok) => ok, onFailure: ({ detail }) => detail })),
    Effect.provide(Transport.layer()),
  )

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("a webhook", () => {
  it.live("gets the message as JSON, at the address in the environment", () =>
    Effect.gen(function* () {
      const { url, bodies, requests } = yield* receiver()
      vi.stubEnv("HOOK", `${url}/services/T0?thread=1`)
      expect(yield* post("${HOOK}")).toBe("HTTP 200")
      expect(requests).toEqual(["POST /services/T0?thread=1"])
      expect(bodies).toEqual([message])
      vi.stubEnv("HOOK", "")
      expect(yield* post("${HOOK}")).toBe("the environment variable HOOK is not set")
      vi.stubEnv("HOOK", "hooks.example/T0")
      expect(yield* post("${HOOK}")).toBe(
        "the environment variable HOOK is not an address that begins with `https://` or `http://`, or `${NAME}` for an environment variable that holds it",
      )
    }),
  )

  it.live.each([500, 429, 408])("that responds %d is tried again", (code) =>
    Effect.gen(function* () {
      const { url, requests } = yield* receiver((response, number) =>
        status(number < 2 ? code : 204)(response, number),
      )
      expect(yield* post(url)).toBe("HTTP 204")
      expect(requests).toHaveLength(2)
    }),
  )

  it.live.each([
    [400, "HTTP 400"],
    [404, "HTTP 404"],
    [300, "HTTP 300, a redirect, which is not followed"],
    [302, "HTTP 302, a redirect, which is not followed"],
  ] as const)("that responds %d is not", ([code, detail]) =>
    Effect.gen(function* () {
      const { url, requests } = yield* receiver(status(code, { location: "/elsewhere" }))
      expect(yield* post(url)).toBe(detail)
      expect(requests).toHaveLength(1)
    }),
  )

  it.effect("that says when to come back is tried again then, if that is soon", () =>
    Effect.gen(function* () {
      const soon = yield* receiver((response, number) =>
        status(number === 1 ? 429 : 200, { "retry-after": "5" })(response, number),
      )
      const { result, seconds } = yield* turned(post(soon.url))
      expect(result).toEqual(Result.succeed("HTTP 200"))
      expect(seconds).toBeGreaterThanOrEqual(5)
      const late = yield* receiver(status(429, { "retry-after": "3600" }))
      expect((yield* turned(post(late.url))).result).toEqual(Result.succeed("HTTP 429"))
      expect(late.requests).toHaveLength(1)
    }),
  )

  it.effect.each([
    ["is down", undefined],
    ["never responds", (): void => undefined],
    ["always fails", status(500)],
  ] as const)("that %s is given up within half a minute", ([, respond]) =>
    Effect.gen(function* () {
      const { url, close } = yield* receiver(respond)
      if (respond === undefined) yield* Effect.promise(close)
      const { result, seconds } = yield* turned(post(url))
      expect(Result.getOrThrow(result)).toMatch(
        /^(no complete response from \S+: ECONNREFUSED, after \d+ attempts; check the address, .* way|no response within 10 s|HTTP 500, after \d+ attempts)$/,
      )
      expect(seconds).toBeGreaterThan(5)
      expect(seconds).toBeLessThanOrEqual(31)
    }),
  )

  it.live("of a test is tried once", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* receiver(status(500))
      expect(yield* post(url, false)).toBe("HTTP 500")
      expect(requests).toHaveLength(1)
    }),
  )

  it.live.each<readonly [string, Respond]>([
    ["is long", (response) => void response.end(Buffer.alloc(2_000_000))],
    ["never ends", (response) => void response.writeHead(200).write("o")],
    ["breaks off", (response) => void response.writeHead(200).write("o", () => response.destroy())],
    [
      "follows early hints",
      (response) => {
        response.writeEarlyHints({ link: "</style.css>; rel=preload; as=style" })
        response.end()
      },
    ],
  ])("has the message by its status, though the body %s", ([, respond]) =>
    Effect.gen(function* () {
      const { url, requests } = yield* receiver(respond)
      expect(yield* post(url)).toBe("HTTP 200")
      expect(requests).toHaveLength(1)
    }),
  )
})

it.live("a ping requests its address, without content", () =>
  Effect.gen(function* () {
    const { url, requests, bodies } = yield* receiver()
    const address = Redacted.make(`${url}/5f2a`)
    const detail = yield* Effect.provide(ping(address, true), Transport.layer())
    expect([detail, requests, bodies]).toEqual(["HTTP 200", ["GET /5f2a"], []])
  }),
)

describe("a command", () => {
  it.live("gets the JSON on standard input, its parts in the environment, and no API key", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [json, variables] = [join(folder, "json"), join(folder, "variables")]
      const script = 'cat > "$1"; env > "$2"; echo done'
      vi.stubEnv("OURS", "yes")
      vi.stubEnv("VAULTHOUSE_API_KEY", "sk-live-27182818284590")
      expect(yield* run(["sh", "-c", script, "sh", json, variables])).toBe("exit code 0")
      expect(JSON.parse(readFileSync(json, "utf8")) as Message).toEqual(message)
      const environment = readFileSync(variables, "utf8")
      expect(environment).toContain("OURS=yes\n")
      expect(environment).toContain("NOTIFY_EVENT=test\n")
      expect(environment).toContain(`NOTIFY_TITLE=${message.title}\n`)
      expect(environment).toContain(`NOTIFY_MESSAGE=${message.message}\n`)
      expect(environment).not.toContain("sk-live")
    }),
  )

  it.live.each([
    [["true"], "exit code 0"],
    [["sh", "-c", "echo one >&2; echo no such user >&2; exit 3"], "exit code 3: no such user"],
    [["/no/such/program"], "there is no such program"],
    [["/etc/passwd"], "it can't be run: permission denied"],
    [["sh", "-c", "kill -9 $$"], "it was ended by a signal"],
  ])("%j: %s", ([command, detail]) =>
    Effect.gen(function* () {
      expect(yield* run(command as ReadonlyArray<string>)).toBe(detail)
    }),
  )

  it.effect("that does not end is stopped, with all it started", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const pids = join(folder, "pids")
      const script = 'sleep 50 & echo $! $$ > "$1"; wait'
      const ended = yield* Effect.forkChild(run(["sh", "-c", script, "sh", pids]))
      // It may take long to start; its time is counted by the clock of the test.
      yield* untilSo(
        "the command runs",
        () => existsSync(pids) && readFileSync(pids, "utf8") !== "",
      )
      yield* TestClock.adjust("30 seconds")
      expect(yield* Fiber.join(ended)).toBe("still running after 30 s, so it was stopped")
      const isAlive = (pid: string): boolean => {
        try {
          return process.kill(Number(pid), 0)
        } catch {
          return false
        }
      }
      const started = readFileSync(pids, "utf8").trim().split(" ")
      expect(started).toHaveLength(2)
      expect(started.filter(isAlive)).toEqual([])
    }),
  )
})
