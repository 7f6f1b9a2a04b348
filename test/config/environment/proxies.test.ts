// Proxies that the environment names, and values that are none.
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { complaints, config, useConfigFolder } from "../../support/configFolder.ts"

useConfigFolder()

describe("proxies", () => {
  it("come from the variables Node users know, the lower-case name first", () => {
    const named = (environment: Record<string, string>) => {
      const { http, https } = config({ environment }).proxies
      return [http, https].map((proxy) => proxy && `${proxy.variable} ${proxy.origin}`)
    }
    expect(named({})).toEqual([undefined, undefined])
    expect(named({ HTTPS_PROXY: "http://a:1" })).toEqual([undefined, "HTTPS_PROXY http://a:1"])
    const both = { http_proxy: "http://a:1", HTTP_PROXY: "http://b:2" }
    expect(named(both)).toEqual(["http_proxy http://a:1", "http_proxy http://a:1"])
    const off = { https_proxy: "", HTTPS_PROXY: "http://b:2" }
    expect(named(off)).toEqual([undefined, undefined])
    const environment = { no_proxy: "localhost, .example.com 10.0.0.1" }
    expect(config({ environment }).proxies.direct).toEqual([
      "localhost",
      ".example.com",
      "10.0.0.1",
    ])
  })

  it("keep their credentials to themselves", () => {
    const found = config({ environment: { HTTPS_PROXY: "http://reader:s3cret@proxy:3128" } })
    expect(found.proxies.https?.origin).toBe("http://proxy:3128")
    expect(inspect(found, { depth: 10 }) + JSON.stringify(found)).not.toContain("s3cret")
  })

  it.each([
    [
      "proxy:3128",
      "HTTPS_PROXY: `proxy:3128` is not the address of a proxy such as `http://proxy:3128`",
    ],
    ["socks5://proxy:1080", "`socks5://proxy:1080` is not the address of a proxy"],
    ["reader:s3cret@proxy:3128", "HTTPS_PROXY: its value is not the address of a proxy"],
    ["http://reader:s3cret%zz@proxy:3128", "must be percent-encoded"],
    ["http://s3cret%zz:reader@proxy:3128", "must be percent-encoded"],
  ])("no proxy: %s", (value, complaint) => {
    const message = complaints({ environment: { HTTPS_PROXY: value } })
    expect(message).toContain(complaint)
    expect(message).not.toContain("s3cret")
  })
})
