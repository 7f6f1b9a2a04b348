// The setting `notify`: what it holds, what the error of a wrong entry says, and that its addresses stay secret.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import { problemKinds } from "../../../src/domain/run/problem.ts"
import { type Message, testMessage } from "../../../src/pipelines/notifications/message.ts"
import { complaints, config, useConfigFolder } from "../../support/configFolder.ts"

useConfigFolder()

describe("notify", () => {
  const hook = "https://hooks.example.com/services/T00-secret"

  it("has entries of three kinds, whose addresses are never shown", () => {
    const file = [
      "notify:",
      `  - webhook: ${hook}`,
      "    on: [stale]",
      "    remindAfter: 1 day",
      "  - command: [mail, ops@example.com]",
      "  - ping: ${PING_URL}",
    ].join("\n")
    const found = config({ file })
    const [webhook, command, ping] = found.settings.notify
    expect(webhook).toMatchObject({ on: ["stale"], remindAfter: 86_400 })
    expect(command).toEqual({
      command: ["mail", "ops@example.com"],
      on: problemKinds,
      remindAfter: undefined,
    })
    const secrets = [webhook, ping].map(
      (entry) => Object.values(entry ?? {})[0] as Redacted.Redacted,
    )
    expect(secrets.map((secret) => Redacted.value(secret))).toEqual([hook, "${PING_URL}"])
    expect(secrets.map(({ label }) => label)).toEqual(["https://hooks.example.com", "${PING_URL}"])
    expect(inspect(found, { depth: 10 }) + JSON.stringify(found)).not.toContain("T00-secret")
  })

  it("the example in docs/monitoring.md is valid, and its JSON has the fields of a message", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/monitoring.md"), "utf8")
    const section = page.slice(page.indexOf("## Notifications"))
    const [, yaml = "", json = ""] = /```yaml\n(.*?)```.*?```json\n(.*?)```/s.exec(section) ?? []
    const entries = config({ file: yaml }).settings.notify
    expect(entries.map((entry) => Object.keys(entry)[0])).toEqual([
      "webhook",
      "webhook",
      "webhook",
      "command",
      "ping",
    ])
    const shown = JSON.parse(json) as Message
    const sent = testMessage({ host: "", dataDir: "", now: 0 })
    expect(Object.keys(shown)).toEqual(Object.keys(sent))
  })

  it.each([
    [`notify: ${hook}`, "1:9: notify: is not a list, each entry a section with one of `webhook`,"],
    [
      `notify: [${hook}]`,
      "1:10: notify[0]: is not a section with one of `webhook`, `command`, `ping`",
    ],
    [
      `notify:\n  - webhok: ${hook}`,
      "2:5: notify[0]: has none of `webhook`, `command`, `ping`; did you",
    ],
    [
      "notify: [{ command: \"curl -H 'Key: T00-secret' https://example.com\" }]",
      "1:21: notify[0].command: is not a list",
    ],
    ["notify:\n  - command: [page, [T00-secret]]", "2:21: notify[0].command[1]: is not"],
    [
      "notify: [{webhook:https://example.com/T00-secret: ''}]",
      "1:10: notify[0]: has none of `webhook`, `command`, `ping`",
    ],
    [
      "notify: [{ping: https://example.com, on:T00-secret: ''}]",
      "1:38: notify[0]: unknown setting `on…`; the colon after the name of a setting is followed by a space",
    ],
    [
      "notify:\n  - webhook: T00-secret",
      "2:14: notify[0].webhook: is not an address that begins with",
    ],
    [
      "notify:\n  - ping: ftp://T00-secret",
      "2:11: notify[0].ping: is not an address that begins with",
    ],
    [
      "notify:\n  - ping: https://a:T00-secret@b",
      "2:11: notify[0].ping: contains a user name or pass",
    ],
    [
      "notify:\n  - ping: https://T00-secret@b",
      "2:11: notify[0].ping: contains a user name or pass",
    ],
    [
      "notify:\n  - ping: https://:T00-secret@b",
      "2:11: notify[0].ping: contains a user name or pass",
    ],
    [
      "notify:\n  - webhook: $T00-secret",
      "2:14: notify[0].webhook: is not an address that begins with",
    ],
    [
      `notify:\n  - ping: ${hook}\n    on: [stale]`,
      "3:5: notify[0]: unknown setting `on`; the settings here are `ping`",
    ],
    [
      `notify:\n  - webhook: ${hook}\n    command: [x]`,
      "3:14: notify[0].command: `webhook` and `command` belong in separate entries",
    ],
    [
      "notify:\n  - command: []",
      "2:14: notify[0].command: is not a list with at least one entry, ",
    ],
    [
      "notify:\n  - command: [x]\n    on: [stal]",
      "3:10: notify[0].on[0]: `stal` is not one of `run_failed`, ",
    ],
  ])("names the place of what is wrong, without a secret: %s", (file, complaint) => {
    const message = complaints({ file })
    expect(message).toContain(`vaulthouse.config.yaml:${complaint}`)
    expect(message).not.toContain("T00-secret")
  })
})
