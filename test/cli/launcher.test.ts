// bin/vaulthouse: finds its Node from wherever it is called, becomes it, and says what is missing.
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { setTimeout } from "node:timers/promises"
import { dirname, join, relative } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bin, start } from "./command.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vaulthouse launcher "))
})
afterAll(() => rmSync(folder, { recursive: true }))

const env = { PATH: process.env["PATH"] }
const { version } = JSON.parse(readFileSync(join(dirname(bin), "../package.json"), "utf8")) as {
  version: string
}

describe("bin/vaulthouse", () => {
  it.each([
    ["absolute", (link: string) => [bin, link] as const],
    [
      "relative, as npm makes them",
      (link: string) => [relative(dirname(link), bin), link] as const,
    ],
  ])("runs through symbolic links that are %s, in folders with spaces", (kind, linked) => {
    const link = join(folder, kind, ".bin", "vaulthouse")
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(...linked(link))
    symlinkSync("vaulthouse", `${link}2`)
    const { status, stdout, stderr } = spawnSync(`${link}2`, ["--version"], {
      env,
      encoding: "utf8",
    })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" })
  })

  it.runIf(process.platform === "linux")(
    "becomes the command: there is no second process to leave behind",
    async () => {
      const child = start(["simulate", "--port", "0", "--days", "2", "--vaults", "1"], {
        cwd: folder,
      })
      await once(child.stdout, "data")
      const command = readFileSync(`/proc/${child.pid}/cmdline`, "utf8").split("\0")
      expect(command[0]).toMatch(/node$/)
      expect(command[1]).toBe(`${bin}.js`)
      expect(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8")).toBe("")
      child.kill("SIGTERM")
      expect(await once(child, "exit")).toEqual([0, null])
    },
  )

  it.runIf(process.platform === "linux")("opens no debugger, whoever signals", async () => {
    const child = start(["simulate", "--port", "0", "--days", "2", "--vaults", "1"], {
      cwd: folder,
    })
    let complaints = ""
    child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()))
    await once(child.stdout, "data")
    child.kill("SIGUSR1")
    // It would say so within milliseconds.
    await setTimeout(1000)
    child.kill("SIGTERM")
    expect(await once(child, "exit")).toEqual([0, null])
    expect(complaints).not.toContain("Debugger")
  })

  it("of a checkout before `make install` names the command that installs it", () => {
    const root = dirname(dirname(bin))
    for (const part of ["bin", "src", "package.json"]) {
      cpSync(join(root, part), join(folder, "checkout", part), { recursive: true })
    }
    const { status, stderr } = spawnSync(join(folder, "checkout/bin/vaulthouse"), ["--version"], {
      env,
      encoding: "utf8",
    })
    expect(status).toBe(2)
    expect(stderr).toMatch(/^vaulthouse is not installed yet: run `make install` .*\n$/)
  })

  it.runIf(process.platform === "linux")(
    "takes the Node on the PATH where the one that npm has installed can't run",
    () => {
      const node = join(folder, `checkout/node_modules/node-linux-${process.arch}/bin/node`)
      mkdirSync(dirname(node), { recursive: true })
      // As the loader of glibc on Alpine.
      writeFileSync(node, "#!/nonexistent/loader\n", { mode: 0o755 })
      const { status, stderr } = spawnSync(join(folder, "checkout/bin/vaulthouse"), ["--version"], {
        env,
        encoding: "utf8",
      })
      expect(status).toBe(2)
      expect(stderr).toMatch(/^vaulthouse is not installed yet/)
    },
  )

  it("says so where there is no Node at all", () => {
    const { status, stderr } = spawnSync("/bin/sh", [join(folder, "checkout/bin/vaulthouse")], {
      env: { PATH: join(folder, "nothing") },
      encoding: "utf8",
    })
    expect(status).toBe(2)
    expect(stderr).toContain(
      "vaulthouse needs Node 24 or newer, and there is no `node` on the PATH",
    )
  })
})
