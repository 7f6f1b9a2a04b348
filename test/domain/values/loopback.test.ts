// Which hosts are this machine alone: no API key leaves it there, and no one else can connect.
import { describe, expect, it } from "vitest"
import { isLoopback } from "../../../src/domain/values/loopback.ts"

describe("a host", () => {
  it.each(["localhost", "127.0.0.1", "127.1.2.3", "::1"])("%s is this machine alone", (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  it.each(["0.0.0.0", "::", "", "192.168.1.5", "1127.0.0.1", "127.0.0.1.evil.example", "127.evil"])(
    "%j is not",
    (host) => {
      expect(isLoopback(host)).toBe(false)
    },
  )
})
