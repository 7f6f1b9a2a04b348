// A service, a folder with a home and a configuration, and commands that run there, in this process.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setClock } from "./clock.ts"
import { type OptionsPatch, type Simulator, startSimulator } from "../../simulator/index.ts"
import { type Ended, vaulthouse } from "../cli/command.ts"

/** What the service returns, and the time. */
export interface Moment extends OptionsPatch {
  readonly now: string
}

/** Of the service, which is `localhost` to the commands (`clock.ts`). */
const PORT = 47_613

// Small, and yet with a set, a history, revisions and an end of the history to be found.
const platform: OptionsPatch = {
  vaults: 1,
  subaccounts: 3,
  start: "2026-05-31T00:00:00Z",
  slowReadMs: 0,
  serverCaches: false,
  faults: [],
  revision: 0,
  addedFields: false,
  timeField: "timestamp",
}

/** The variables by which effects.c is loaded into the processes that a command starts. */
const watching = Object.fromEntries(
  ["LD_PRELOAD", "EFFECTS_BELOW", "EFFECTS_CONTROL", "EFFECTS_JOURNAL"].map((name) => [
    name,
    process.env[name] ?? "",
  ]),
)

export class World {
  readonly simulator: Simulator
  /** What a proof records: the folders `home` and `data`, and the configuration. */
  readonly root: string
  readonly #outside: string
  readonly key = "demo-admin-key"

  constructor(simulator: Simulator, root: string, outside: string) {
    this.simulator = simulator
    this.root = root
    this.#outside = outside
  }

  static async start(folder: string): Promise<World> {
    const simulator = await startSimulator(
      { ...platform, now: "2026-06-01T05:00:00Z" },
      { host: process.env["PROVEN_SERVICE"] ?? "127.0.0.1", port: PORT },
    )
    const root = join(folder, "world")
    return new World(simulator, root, join(folder, "outside"))
  }

  /** Nothing but the configuration and an empty home. */
  begin(settings: Readonly<Record<string, unknown>>): void {
    this.clear()
    mkdirSync(join(this.root, "home/.cache"), { recursive: true, mode: 0o700 })
    this.configure(settings)
  }

  configure(settings: Readonly<Record<string, unknown>>): void {
    writeFileSync(
      join(this.root, "vaulthouse.config.yaml"),
      `${JSON.stringify({ publishedKeep: { copies: 0 }, ...settings })}\n`,
    )
  }

  clear(): void {
    for (const folder of [this.root, this.#outside]) {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    }
  }

  path(...names: ReadonlyArray<string>): string {
    return join(this.root, ...names)
  }

  /** A folder that is not recorded. */
  outside(name: string): string {
    return join(this.#outside, name)
  }

  at(moment: Moment): void {
    setClock(moment.now)
    this.simulator.patch({ ...platform, ...moment })
  }

  /** Some minutes after the moment, when the service has nothing new. */
  after({ now, ...moment }: Moment, minutes = 10): void {
    this.at({ ...moment, now: new Date(Date.parse(now) + minutes * 60_000).toISOString() })
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      ...watching,
      HOME: this.path("home"),
      VAULTHOUSE_API_KEY: this.key,
      VAULTHOUSE_BASE_URL: `http://localhost:${PORT}`,
    }
  }

  run(args: ReadonlyArray<string>): Promise<Ended> {
    return vaulthouse(args, { cwd: this.root, env: this.environment })
  }

  /** Fails unless the command ends well: for what is no subject of the proof. */
  async must(...args: ReadonlyArray<string>): Promise<void> {
    const { code, stdout, stderr } = await this.run(args)
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stdout}${stderr}`)
  }

  /** How many requests the service has got so far. */
  get requests(): number {
    return Object.values(this.simulator.requests().counts).reduce((sum, count) => sum + count, 0)
  }

  /** An empty data directory that has the archive of `dataDir` and nothing else. */
  archiveAlone(dataDir: string): string {
    const alone = this.outside("alone")
    rmSync(alone, { recursive: true, force: true })
    mkdirSync(alone, { recursive: true })
    const raw = this.path(dataDir, "raw")
    if (existsSync(raw)) cpSync(raw, join(alone, "raw"), { recursive: true })
    return alone
  }

  /** All files below a folder of the world, without the folders. */
  files(folder: string): ReadonlyArray<string> {
    if (!existsSync(this.path(folder))) return []
    return readdirSync(this.path(folder), { recursive: true, withFileTypes: true })
      .filter((each) => !each.isDirectory())
      .map((each) => join(each.parentPath, each.name).slice(this.path(folder).length + 1))
      .toSorted()
  }
}
