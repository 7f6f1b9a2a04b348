import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { parseJson } from "../../../src/domain/values/json.ts"
import { decode } from "../../../src/extract/decode.ts"
import type { AnyEndpoint, Endpoint } from "../../../src/extract/Endpoint.ts"
import { auditLog as auditLogEndpoint } from "../../../src/extract/endpoints/governance/audit_log.ts"
import { permissions as permissionsEndpoint } from "../../../src/extract/endpoints/governance/permissions.ts"
import { roles as rolesEndpoint } from "../../../src/extract/endpoints/governance/roles.ts"
import { timelockRequests as requestsEndpoint } from "../../../src/extract/endpoints/governance/timelock_requests.ts"
import { timelocks as timelocksEndpoint } from "../../../src/extract/endpoints/governance/timelocks.ts"
import { revertReason } from "../../../src/extract/endpoints/transparency/revert_reason.ts"
import type { Parameters } from "../../../src/extract/Parameter.ts"
import { defaultWire, wireRequest } from "../../../src/extract/request.ts"
import { combined } from "../../../src/transform/Source.ts"
import { auditLog, auditLogRows } from "../../../src/transform/tables/governance/audit_log.ts"
import {
  permissions,
  permissionsRows,
} from "../../../src/transform/tables/governance/permissions.ts"
import { roles, rolesRows } from "../../../src/transform/tables/governance/roles.ts"
import { timelockRequests } from "../../../src/transform/tables/governance/timelock_requests.ts"
import { timelocks, timelocksRows } from "../../../src/transform/tables/governance/timelocks.ts"
import { observationWarnings } from "../../../src/transform/tables/transparency/observation_warnings.ts"
import {
  revertReasonRows,
  revertReasons,
} from "../../../src/transform/tables/transparency/revert_reasons.ts"
import { responseEnvelopes } from "../../../src/transform/tables/response_envelopes.ts"
import { timelockRows } from "../../../src/transform/tables/governance/timelockRecords.ts"
import { keysOf, recordsOf, rejectedOf, rowsOf, source, vault } from "./rows.ts"

const parsed = (body: unknown) => parseJson(typeof body === "string" ? body : JSON.stringify(body))

const decoded = <P extends Parameters, A>(endpoint: Endpoint<P, A>, body: unknown): A =>
  Result.getOrThrow(decode<A>(endpoint as unknown as AnyEndpoint, parsed(body)))

const violation = (endpoint: AnyEndpoint, body: unknown): string => {
  const result = decode(endpoint, parsed(body))
  return Result.isFailure(result) ? `${result.failure.path} ${result.failure.detail}` : "none"
}

const scope = { chain_id: vault.chainId, vault_address: vault.address }

describe("roles", () => {
  const rows = (body: unknown) => rolesRows(decoded(rolesEndpoint, body), source)
  const holder = "0x00000000000000000000000000000000000000Bb"

  it.each(["address", "holderAddress", "member_address", "account"])(
    "knows the holder under the name %s",
    (name) => {
      const mapped = rows({
        roles: [{ role: "owner", is_safe: true, safe_threshold: 3, [name]: holder, note: "x" }],
        warnings: [],
      })
      expect(recordsOf(mapped, roles)).toEqual([
        {
          ...scope,
          role: "owner",
          holder_address: holder.toLowerCase(),
          holder_address_wire: holder,
          occurrence: 1,
          is_safe: true,
          safe_threshold: 3,
          reported_at: null,
          reported_times: null,
          extra: { note: "x" },
        },
      ])
      expect(rowsOf(mapped, roles).mergeKey).toEqual(scope)
    },
  )

  it("keeps every record of a role, with a holder or without", () => {
    const role = { role: "keeper", is_safe: false, safe_threshold: null }
    const mapped = rows({
      roles: [{ ...role, address: holder }, role, role, { ...role, address: holder.toLowerCase() }],
      warnings: [],
    })
    expect(
      recordsOf(mapped, roles).map((row) => [row["holder_address"], row["occurrence"]]),
    ).toEqual([
      [holder.toLowerCase(), 1],
      ["-", 1],
      ["-", 2],
      [holder.toLowerCase(), 2],
    ])
    expect(new Set(keysOf(mapped, roles)).size).toBe(4)
  })

  it("numbers equal ones by their content, not by their place or when they were read", () => {
    const one = { role: "operator", is_safe: false, checked_at: "2026-01-02" }
    const other = { role: "operator", is_safe: true, checked_at: "2026-01-01" }
    const numbers = (...list: ReadonlyArray<object>) =>
      recordsOf(rows({ roles: list, warnings: [] }), roles).map((row) => row["occurrence"])
    expect(numbers(one, other)).toEqual([1, 2])
    expect(numbers(other, one)).toEqual([2, 1])
  })

  it("keeps rows without custody data, and the warning about it", () => {
    const mapped = rows({
      roles: [{ role: "owner", address: holder, is_safe: null }],
      warnings: ["custody failed"],
    })
    expect(recordsOf(mapped, roles)[0]).toMatchObject({ is_safe: null, safe_threshold: null })
    expect(rowsOf(mapped, roles).mergeKey).toEqual(scope)
    expect(recordsOf(mapped, observationWarnings)).toEqual([
      { ...scope, endpoint: "roles", warning: "custody failed" },
    ])
  })

  it("beside a warning, a role without a holder is none, and the others are a part of the set", () => {
    const body = {
      roles: [
        { role: "owner", who: "x" },
        { role: "keeper", address: holder },
      ],
      warnings: ["custody failed"],
    }
    const mapped = rows(body)
    expect(recordsOf(mapped, roles).map((row) => row["role"])).toEqual(["keeper"])
    expect(rowsOf(mapped, roles).mergeKey).toBeUndefined()
    expect(Result.getOrThrow(mapped).drift.map(({ path }) => path)).toEqual(["$.who"])
    // Without any row, the set is empty beside a warning, which ends nothing either.
    expect(rowsOf(rows({ ...body, roles: body.roles.slice(0, 1) }), roles)).toMatchObject({
      length: 0,
      mergeKey: scope,
    })
  })

  it("beside a warning, roles of a service that names no holders stay, as a part of the set", () => {
    const owner = { role: "owner", is_safe: true, safe_threshold: 3 }
    const keeper = { role: "keeper", is_safe: false, safe_threshold: null }
    const warnings = ["custody of one holder failed"]
    const mapped = rows({ roles: [owner, keeper], warnings })
    expect(recordsOf(mapped, roles)).toMatchObject([
      { ...owner, holder_address: "-", occurrence: 1 },
      { ...keeper, holder_address: "-", occurrence: 1 },
    ])
    expect(rowsOf(mapped, roles).mergeKey).toBeUndefined()
    // A row that lacks its custody data may lack its holder too.
    const degraded = rows({ roles: [{ role: "owner" }, keeper], warnings })
    expect(recordsOf(degraded, roles)).toMatchObject([keeper])
    expect(rowsOf(degraded, roles).mergeKey).toBeUndefined()
    const others = rows({ roles: [owner, { ...keeper, address: holder }], warnings })
    expect(recordsOf(others, roles)).toMatchObject([keeper])
  })

  it("reads a holder that is a record", () => {
    const mapped = rows({
      roles: [{ role: "owner", is_safe: true, holder: { address: holder, label: "Safe" } }],
      warnings: [],
    })
    expect(recordsOf(mapped, roles)[0]).toMatchObject({
      holder_address: holder.toLowerCase(),
      extra: { holder: { address: holder, label: "Safe" } },
    })
  })

  it("keeps and reports the fields next to the list", () => {
    const mapped = rows({
      roles: [{ role: "owner", is_safe: true }],
      warnings: [],
      pending_roles: ["keeper"],
      vault_address: vault.wireAddress,
    })
    expect(recordsOf(mapped, responseEnvelopes)).toEqual([
      {
        ...scope,
        endpoint: "roles",
        variant: "-",
        reported_at: null,
        reported_times: null,
        compared: expect.stringMatching(/^[0-9a-f]{64}$/),
        extra: { pending_roles: ["keeper"] },
      },
    ])
    expect(Result.getOrThrow(mapped).drift).toContainEqual({
      path: "$.pending_roles",
      kind: "unknown_field",
      detail: "array",
    })
    const empty = rows({ roles: [], warnings: [], pending_roles: ["keeper"] })
    expect(rowsOf(empty, responseEnvelopes).secondary).toBe("total")
  })

  it("keeps a threshold of another type", () => {
    const mapped = rows({
      roles: [{ role: "owner", is_safe: true, safe_threshold: "2 of 3" }],
      warnings: [],
    })
    expect(recordsOf(mapped, roles)[0]).toMatchObject({ extra: { safe_threshold: "2 of 3" } })
  })

  it("is rejected without its documented fields", () => {
    const rejected = (role: object) => rejectedOf(rows({ roles: [role], warnings: [] }))[0]
    expect(rejected({ is_safe: true })).toContain("$.roles[0].role is missing")
    expect(rejected({ role: "owner" })).toContain("$.roles[0].is_safe is missing")
    expect(violation(rolesEndpoint, { roles: [] })).toContain("$.warnings")
    expect(violation(rolesEndpoint, { roles: null, warnings: [] })).toContain("$.roles")
  })
})

describe("permissions", () => {
  const rows = (body: unknown) => permissionsRows(decoded(permissionsEndpoint, body), source)

  it("become one row for each integration and function", () => {
    const mapped = rows({
      permissions: [
        { integration: "Aave", functions: ["supply", "borrow", "supply"], contract: "0x1" },
        { integration: "Aave", functions: ["supply"], contract: "0x2" },
        { integration: "Morpho", functions: [] },
      ],
    })
    const shown = recordsOf(mapped, permissions).map((row) => [
      row["integration"],
      row["function_name"],
      row["occurrence"],
      row["extra"],
    ])
    expect(shown).toEqual([
      ["Aave", "supply", 1, { contract: "0x1" }],
      ["Aave", "borrow", 1, { contract: "0x1" }],
      ["Aave", "supply", 2, { contract: "0x2" }],
      ["Morpho", "-", 1, null],
    ])
    expect(new Set(keysOf(mapped, permissions)).size).toBe(4)
    expect(rowsOf(mapped, permissions).mergeKey).toEqual(scope)
  })

  it("are numbered by their content, without their functions, not by their place", () => {
    const one = { integration: "Aave", functions: ["supply"], target: "0x1" }
    const other = { integration: "Aave", functions: ["borrow", "supply"], target: "0x2" }
    const numbers = (...list: ReadonlyArray<object>) =>
      recordsOf(rows({ permissions: list }), permissions)
        .filter((row) => row["function_name"] === "supply")
        .map((row) => row["occurrence"])
    expect(numbers(one, other)).toEqual([1, 2])
    expect(numbers(other, one)).toEqual([2, 1])
  })

  it("are rejected without their functions", () => {
    const mapped = rows({
      permissions: [
        { integration: "Aave", functions: "all" },
        { integration: "Morpho", functions: ["borrow"] },
      ],
    })
    expect(rejectedOf(mapped)[0]).toBe(
      "$.permissions[0] has no function_name; its fields are integration, functions",
    )
    expect(recordsOf(mapped, permissions)).toMatchObject([{ integration: "Morpho" }])
    // The rejected record may be a stored permission, so none is retired.
    expect(rowsOf(mapped, permissions).mergeKey).toBeUndefined()
  })
})

describe("timelocks", () => {
  const rows = (body: unknown) => timelocksRows(decoded(timelocksEndpoint, body), source)
  const records = (body: unknown) => recordsOf(rows(body), timelocks)

  it.each([
    ["snake", { operation_id: "0x1", scheduled_at: "2026-01-01T00:00:00", note: 1 }],
    ["camel", { operationId: "0x1", scheduledAt: "2026-01-01T00:00:00", note: 1 }],
  ])("read %s case, times as UTC", (_, fields) => {
    const body = {
      timelocks: [
        { ...fields, executable_at: "2026-01-03T00:00:00.5", labels: ["fee"], status: "scheduled" },
      ],
      warnings: [],
    }
    expect(records(body)).toEqual([
      {
        ...scope,
        timelock_id: "0x1",
        status: "scheduled",
        scheduled_at: Date.parse("2026-01-01T00:00:00Z") * 1000,
        executable_at: Date.parse("2026-01-03T00:00:00.500Z") * 1000,
        delay_seconds: null,
        closed_at: null,
        labels: ["fee"],
        reported_at: null,
        reported_times: null,
        extra: { note: 1 },
      },
    ])
  })

  const idless = { scheduled_at: "2026-01-01T00:00:00", function: "setFee", labels: ["a"] }
  const keyOf = (fields: object) =>
    records({ timelocks: [{ ...idless, ...fields }], warnings: [] })[0]?.["timelock_id"]

  const idsOf = (list: ReadonlyArray<object>) =>
    records({ timelocks: list, warnings: [] }).map((row) => row["timelock_id"])

  it("without an id are identified by their unchanging fields", () => {
    const executable_at = "2026-01-03T00:00:00"
    const scheduled = keyOf({ status: "scheduled", executable_at, duration: 172800 })
    const executed = {
      status: "executed",
      // §2.9: the contract's duration is read live, and the reading may fail.
      duration: null,
      executed_by: "0x3",
      executable_at: null,
      executed_at: "2026-01-04T00:00:00",
      tx_hash: "0x2",
      labels: ["b"],
    }
    expect(keyOf(executed)).toBe(scheduled)
    expect(keyOf({ ...executed, function: "setCap" })).not.toBe(scheduled)
    expect(keyOf({ ...executed, scheduled_at: "2026-01-01T00:00:01" })).not.toBe(scheduled)
  })

  it("with only the documented fields are identified by their labels, not by their place", () => {
    const at = (day: number) => `2026-01-0${day}T00:00:00`
    const a = { status: "executed", executable_at: at(1), labels: ["set the fee"] }
    const b = { status: "scheduled", executable_at: at(2), labels: ["add a strategist"] }
    const c = { status: "scheduled", executable_at: at(3), labels: ["upgrade"] }
    const [alone] = idsOf([a])
    const before = idsOf([b, a])
    expect(before[1]).toBe(alone)
    expect(idsOf([c, b, a]).slice(1)).toEqual(before)
    // An execution, a contract that could not be read (§2.9), when the service looked, and what was requested change none.
    const later = { ...b, status: "executed", executable_at: null, checked_at: at(4) }
    const request = { vault_address: vault.wireAddress, chain_id: vault.chainId }
    expect(idsOf([a, { ...later, ...request }])).toEqual(before.toReversed())
  })

  const atOnce = (label: string) => ({
    status: "scheduled",
    scheduled_at: "2026-01-01T00:00:00",
    executable_at: "2026-01-03T00:00:00",
    labels: [label],
  })
  const grant = (month: string, status: string) => ({
    status,
    executable_at: `2026-${month}-01T00:00:00`,
    labels: ["Grant"],
  })

  it.each([
    ["scheduled at once", [atOnce("Set fee"), atOnce("Add strategy")], atOnce("Set cap")],
    [
      "labelled alike",
      [grant("10", "scheduled"), grant("09", "executed")],
      grant("11", "scheduled"),
    ],
  ])("%s are the same in any order, and beside another", (_, list, added) => {
    const before = idsOf(list)
    expect(new Set(before).size).toBe(2)
    expect(idsOf(list.toReversed())).toEqual(before.toReversed())
    expect(idsOf([added, ...list]).slice(1)).toEqual(before)
    expect(idsOf([...list.toReversed(), added]).slice(0, 2)).toEqual(before.toReversed())
  })

  it("scheduled at once stay the same when one is executed and the contract can't be read", () => {
    const [fee, strategy] = [atOnce("Set fee"), atOnce("Add strategy")]
    const later = {
      ...strategy,
      status: "executed",
      executed_at: "2026-01-04",
      executable_at: null,
    }
    expect(idsOf([later, { ...fee, executable_at: null }])).toEqual(idsOf([strategy, fee]))
  })

  it("with equal content each have a row", () => {
    const one = { ...idless, executable_at: null }
    const found = records({ timelocks: [one, one], warnings: [] })
    expect(new Set(found.map((row) => row["timelock_id"])).size).toBe(2)
  })

  it("carry their warnings", () => {
    const mapped = rows({
      timelocks: [{ id: 7, executable_at: null, labels: null }],
      warnings: ["unread"],
    })
    expect(recordsOf(mapped, timelocks)[0]).toMatchObject({ timelock_id: "7", executable_at: null })
    expect(recordsOf(mapped, observationWarnings)[0]).toMatchObject({
      endpoint: "timelocks",
      warning: "unread",
    })
  })

  it.each(["9999-12-31T00:00:00", "9999-12-31T23:59:59-05:00"])(
    "keep a time that means never: %s",
    (executable_at) => {
      const found = records({ timelocks: [{ id: "a", executable_at, labels: null }], warnings: [] })
      expect(found[0]).toMatchObject({ executable_at: null, extra: { executable_at } })
    },
  )

  it("are rejected with an executable_at that is not a time", () => {
    const body = (at: unknown) => ({ timelocks: [{ executable_at: at, labels: [] }], warnings: [] })
    const mapped = rows(body("soon"))
    expect(Result.isFailure(mapped) && mapped.failure.path).toBe("$.timelocks[0].executable_at")
    expect(rejectedOf(rows(body(5)))[0]).toContain("$.timelocks[0].executable_at is 5")
    const unlabelled = rows({ timelocks: [{ executable_at: null }], warnings: [] })
    expect(rejectedOf(unlabelled)[0]).toContain("$.timelocks[0].labels is missing")
  })
})

describe("timelock requests", () => {
  it.each([
    ["delay_seconds", 172800, 172800],
    ["delaySeconds", "172800", 172800],
    ["delay_seconds", 172800, 172800],
    ["delay", 172800, null],
    ["duration_seconds", 172800, 172800],
    ["delay", "2 days", null],
    ["delay", 0.5, null],
  ])("read a delay in seconds: %s %s", (name, value, delay) => {
    const body = [{ id: "a", status: "scheduled", [name]: value }]
    const mapped = combined(timelockRows(timelockRequests, decoded(requestsEndpoint, body), source))
    expect(recordsOf(mapped, timelockRequests)[0]).toMatchObject({
      delay_seconds: delay,
      extra: delay === null ? { [name]: value } : null,
    })
  })

  it("keep every digit of fields without a column", () => {
    const value = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
    const body = `[{"id":"a","status":"executed","value":${value},"scheduledAt":"2026-01-01"}]`
    const mapped = combined(timelockRows(timelockRequests, decoded(requestsEndpoint, body), source))
    const { columns } = rowsOf(mapped, timelockRequests)
    expect(columns.at(-1)).toEqual([`{"value":${value}}`])
    expect(recordsOf(mapped, timelockRequests)[0]).toMatchObject({
      timelock_id: "a",
      status: "executed",
      scheduled_at: Date.parse("2026-01-01T00:00:00Z") * 1000,
    })
  })

  it("accept a positive chain and a known status only", () => {
    const request = (inputs: object) =>
      wireRequest(requestsEndpoint, { vaultAddress: vault.address, ...inputs }, defaultWire)
    expect(Result.isSuccess(request({ chainId: 1, status: "all" }))).toBe(true)
    for (const inputs of [{ chainId: 0 }, { chainId: 1.5 }, { chainId: 1, status: "done" }]) {
      expect(Result.isFailure(request(inputs)), JSON.stringify(inputs)).toBe(true)
    }
  })
})

describe("the audit log", () => {
  const entry = { timestamp: "2026-01-01T00:00:00.000123", type: "fee", summary: "set" }
  const rows = (body: unknown) => auditLogRows(decoded(auditLogEndpoint, body), source)

  it.each(["entries", "events", "items", "log"])("finds its list under the name %s", (name) => {
    const body = { [name]: [entry], has_more: false, tags: ["a"], others: [] }
    expect(recordsOf(rows(body), auditLog)).toHaveLength(1)
  })

  it("prefers entries to events, and names ambiguous lists in the error", () => {
    const both = { events: [entry, entry], entries: [entry], has_more: false }
    expect(decoded(auditLogEndpoint, both).entries).toEqual([entry])
    const ambiguous = violation(auditLogEndpoint, { a: [entry], b: [entry], has_more: false })
    expect(ambiguous).toContain("candidates: a, b")
    expect(violation(auditLogEndpoint, { has_more: false })).toContain("candidates: none")
    expect(violation(auditLogEndpoint, [entry])).toContain("is not an object")
  })

  it("is empty where every list is", () => {
    const { entries } = decoded(auditLogEndpoint, {
      a: [],
      b: [],
      has_more: false,
    })
    expect(entries).toEqual([])
  })

  it("numbers equal entries, to the microsecond, and keeps fields without a column", () => {
    const mapped = rows({
      entries: [
        { ...entry, tx_hash: "0x1" },
        { ...entry, category: "fee", tx_hash: "0x2" },
        { ...entry, timestamp: "2026-01-01T00:00:00.000124" },
        { ...entry, type: "role" },
      ],
      has_more: true,
    })
    const found = recordsOf(mapped, auditLog)
    expect(found.map((row) => row["occurrence"])).toEqual([1, 2, 1, 1])
    expect(found[1]).toEqual({
      ...scope,
      occurred_at: Date.parse("2026-01-01T00:00:00Z") * 1000 + 123,
      type: "fee",
      summary: "set",
      occurrence: 2,
      category: "fee",
      extra: { tx_hash: "0x2" },
    })
  })

  it("is a violation without has_more, or with an invalid timestamp", () => {
    expect(violation(auditLogEndpoint, { entries: [] })).toContain("$.has_more")
    const mapped = rows({
      entries: [
        entry,
        { ...entry, timestamp: "now" },
        { ...entry, type: 1 },
        { ...entry, summary: null },
      ],
      has_more: false,
    })
    expect(recordsOf(mapped, auditLog)).toHaveLength(1)
    expect(rejectedOf(mapped)).toEqual([
      '$.entries[1].timestamp is "now"; expected an instant: ISO-8601, an epoch, or as in HTTP headers',
      "$.entries[2].type is 1; expected text",
      "$.entries[3].summary is null; expected text",
    ])
  })

  it("sends the cursor as it came, and refuses invalid inputs", () => {
    const request = (inputs: object) =>
      wireRequest(
        auditLogEndpoint,
        { vault_address: vault.address, chainId: 1, ...inputs },
        defaultWire,
      )
    const sent = request({ before: "2026-01-01T00:00:00.000123", limit: 200, category: "fee" })
    expect(Result.isSuccess(sent) && decodeURIComponent(sent.success.path)).toBe(
      `/platform/governance/${vault.address}/audit_log?chainId=1&before=2026-01-01T00:00:00.000123&category=fee&limit=200`,
    )
    for (const inputs of [{ limit: 201 }, { limit: 0 }, { category: "" }, { before: "" }]) {
      expect(Result.isFailure(request(inputs)), JSON.stringify(inputs)).toBe(true)
    }
  })
})

describe("revert reasons", () => {
  it("are one row for each transaction, whether or not anything matched", () => {
    const transaction = { ...source, inputs: { chain: 1, transactionHash: "0xAB" } }
    const rows = (body: unknown) =>
      recordsOf(revertReasonRows(decoded(revertReason, body), transaction), revertReasons)
    expect(rows({ revert_reasons: ["no"], revert_strings: ["x"] })).toEqual([
      {
        chain_id: 1,
        transaction_hash: "0xab",
        revert_reasons: ["no"],
        extra: { revert_strings: ["x"] },
      },
    ])
    expect(rows({ revert_reasons: [] })).toMatchObject([{ revert_reasons: [], extra: null }])
    expect(rejectedOf(revertReasonRows({ reasons: [] }, transaction))[0]).toContain(
      "$.revert_reasons is missing",
    )
  })

  it("require a hash", () => {
    const request = wireRequest(revertReason, { transactionHash: " ", chain: 1 }, defaultWire)
    expect(Result.isFailure(request)).toBe(true)
  })
})
