// Every sslmode against servers that require TLS, refuse it and don't care: as psql connects, which is libpq. Run by
// `make test-postgres`.
import { execFileSync } from "node:child_process"
import { chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { afterAll, beforeAll } from "vitest"
import { postgresTargetOf } from "../../src/config/secrets/secretUrl.ts"
import { parsePostgresUrl, sslModes } from "../../src/domain/stores/postgresUrl.ts"
import { connect } from "../../src/load/postgres/connect.ts"
import {
  installed,
  password,
  type PostgresServer,
  sharedPostgres,
  startPostgres,
} from "../support/servers/postgres.ts"

const fixtures = join(import.meta.dirname, "../fixtures/tls")
const authority = join(fixtures, "authority.pem")
const certificate = join(fixtures, "certificate.pem")

// `localhost` is the name in the certificate, which is used as a client's too.
const hba = `
hostssl tls_only owner all password
hostnossl plain_only owner all password
host postgres,either owner all password
hostssl certificates localhost all cert
`

describe.skipIf(installed === undefined)("sslmode", () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let bare: PostgresServer
  let folder = ""
  let key = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vaulthouse-tls-"))
    key = join(folder, "key.pem")
    // libpq refuses a key that others may read.
    await copyFile(join(fixtures, "key.pem"), key)
    await chmod(key, 0o600)
    const settings = {
      listen_addresses: "127.0.0.1,127.0.0.2",
      ssl: "on",
      ssl_cert_file: "certificate.pem",
      ssl_key_file: "key.pem",
      ssl_ca_file: "authority.pem",
    }
    server = await startPostgres(
      Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      async (cluster) => {
        const { uid, gid } = await stat(cluster)
        for (const name of ["certificate.pem", "key.pem", "authority.pem"]) {
          await copyFile(join(fixtures, name), join(cluster, name))
          await chown(join(cluster, name), uid, gid)
          await chmod(join(cluster, name), 0o600)
        }
        await writeFile(join(cluster, "pg_hba.conf"), hba)
      },
    )
    for (const name of ["tls_only", "plain_only", "either", "certificates"]) {
      await server.query(`create database ${name}`)
    }
    await server.query("create role localhost login")
    bare = sharedPostgres()
  })
  afterAll(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const question = "select ssl from pg_stat_ssl where pid = pg_backend_pid()"

  /** `tls`, `plain` or `refused`. */
  const ofPsql = (url: string): string => {
    try {
      const env = { PATH: process.env["PATH"], HOME: folder, PGGSSENCMODE: "disable" }
      const found = execFileSync("psql", ["-XAtqc", question, url], { env, stdio: "pipe" })
      return String(found).trim() === "t" ? "tls" : "plain"
    } catch {
      return "refused"
    }
  }
  const ofVaulthouse = async (url: string): Promise<string> => {
    try {
      const client = await connect(Result.getOrThrow(postgresTargetOf(Redacted.make(url))))
      try {
        const { rows } = await client.query<{ ssl: boolean }>(question)
        return rows[0]?.ssl === true ? "tls" : "plain"
      } finally {
        await client.end()
      }
    } catch {
      return "refused"
    }
  }

  it("connects where psql does, and as it does", async () => {
    const found: Record<string, string> = {}
    const wrong: Array<string> = []
    const ask = async (what: string, url: string) => {
      const one = await ofVaulthouse(url)
      const other = ofPsql(url)
      found[what] = one
      if (one !== other) wrong.push(`${what}: ${one}, psql ${other}`)
    }
    for (const mode of sslModes) {
      const at = (database: string, parameters = "", host = "127.0.0.1") =>
        server.url(database, `?sslmode=${mode}${parameters}`).replace("@127.0.0.1:", `@${host}:`)
      for (const database of ["tls_only", "plain_only", "either"]) {
        await ask(`${mode} ${database}`, at(database))
        await ask(`${mode} ${database} authority`, at(database, `&sslrootcert=${authority}`))
      }
      // Signed by another than this one, which is no authority.
      await ask(`${mode} other authority`, at("either", `&sslrootcert=${certificate}`))
      await ask(`${mode} other host`, at("either", `&sslrootcert=${authority}`, "127.0.0.2"))
      await ask(`${mode} by name`, at("either", `&sslrootcert=${authority}`, "localhost"))
      await ask(`${mode} no TLS`, bare.url("postgres", `?sslmode=${mode}`))
      const own = `&sslrootcert=${authority}&sslcert=${certificate}&sslkey=${key}`
      await ask(
        `${mode} own certificate`,
        at("certificates", own).replace(/\/\/.*@/, "//localhost@"),
      )
    }
    expect(wrong).toEqual([])
    expect(found).toMatchObject({
      "disable tls_only": "refused",
      "disable either": "plain",
      "allow tls_only": "tls",
      "allow either": "plain",
      "prefer either": "tls",
      "prefer plain_only": "plain",
      "prefer no TLS": "plain",
      "require either": "tls",
      "require plain_only": "refused",
      "require no TLS": "refused",
      "require other authority": "refused",
      "verify-ca either": "refused",
      "verify-ca either authority": "tls",
      "verify-ca other host": "tls",
      "verify-ca own certificate": "tls",
      "verify-full other host": "refused",
      "verify-full by name": "tls",
      "verify-full either authority": "tls",
    })
  })

  it.each(["require", "verify-ca", "verify-full"])(
    "%s says how to connect to a server without TLS",
    async (mode) => {
      const address = Redacted.make(bare.url("postgres", `?sslmode=${mode}`))
      await expect(connect(Result.getOrThrow(postgresTargetOf(address)))).rejects.toThrow(
        `sslmode=${mode} requires TLS, which the server does not offer. Turn on TLS there, or connect without it if the network is trusted: with \`sslmode=prefer\``,
      )
    },
  )

  it("takes the password from PGPASSWORD or the password file where the string has none", async () => {
    const without = server.url("either").replace(/:[^:@]*@/, "@")
    const before = { ...process.env }
    try {
      expect(await ofVaulthouse(without)).toBe("refused")
      process.env["PGPASSWORD"] = password
      expect(await ofVaulthouse(without)).toBe("tls")
      delete process.env["PGPASSWORD"]
      const file = join(folder, "pgpass")
      const escaped = password.replaceAll(/[\\:]/g, "\\$&")
      await writeFile(file, `127.0.0.1:*:either:owner:${escaped}\n`, { mode: 0o600 })
      process.env["PGPASSFILE"] = file
      expect(await ofVaulthouse(without)).toBe("tls")
    } finally {
      process.env = before
    }
  })
})

describe("a connection string", () => {
  it.each([
    ["mysql://db/a", "is not a connection string such as"],
    ["postgres://u:secret@db", "names no database"],
    ["postgres:///analytics", "names no host"],
    ["postgres://u:secret@a,b/x", "names several hosts"],
    ["postgres://u:secret@a:1,b:2/x", "can't be read as a connection string"],
    ["postgres://u:se#cret@db/x", "special characters in it must be percent-encoded"],
    ["postgres://u:12?secret@db/x", "special characters in it must be percent-encoded"],
    ["postgres://u:/secret@db/x", "special characters in it must be percent-encoded"],
    ["postgres://u:12/secret@db/x", "special characters in it must be percent-encoded"],
    ["postgres://u:12/secret%40db/x", "special characters in it must be percent-encoded"],
    [
      "postgres://db/x?password=a&secret=1",
      "has the parameter `…`, which vaulthouse does not know",
    ],
    ["postgres://u:secret%zz@db/x", "not percent-encoded"],
    [
      "postgres://db/x?sslmode=verify",
      "has the sslmode `verify`, which is not one of disable, allow",
    ],
    ["postgres://db/x?channel_binding=require", "has the parameter `channel_binding`, which"],
    ["postgres://db/x?sslcert=a", "has one of sslcert and sslkey"],
    ["postgres://db:0/x", "has a port that is not a number from 1 to 65535"],
    ["postgres://db/x?connect_timeout=soon", "has a connect_timeout that is not"],
  ])("%s is refused", (text, why) => {
    const result = parsePostgresUrl(text)
    const failure = Result.isFailure(result) ? result.failure : "no complaint"
    expect(failure).toContain(why)
    expect(failure).not.toContain("secret")
  })

  it("is read as libpq reads it", () => {
    const target = Result.getOrThrow(
      parsePostgresUrl("postgresql://a%40b:c%2Fd@[::1]:5433/my%20db?connect_timeout=3"),
    )
    expect(target).toMatchObject({
      host: "::1",
      port: 5433,
      database: "my db",
      user: "a@b",
      sslMode: "prefer",
      connectTimeoutSeconds: 3,
      shown: "postgres://[::1]:5433/my db",
    })
    const socket = parsePostgresUrl("postgres:///x?host=/var/run/postgresql&user=me+you")
    expect(Result.getOrThrow(socket)).toMatchObject({ host: "/var/run/postgresql", user: "me+you" })
  })
})
