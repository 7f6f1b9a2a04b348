// What is cut: each scenario begins in a kept state, runs its commands while one message is cut, and is over once a plain
// command has ended well.
import { existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import { type Content, differences, type Examiner, type Problem } from "./examine.ts"
import type { Cut, Loss, Way } from "./postgresProxy.ts"
import type { Ended, Place, Running, World } from "./world.ts"

export interface Scenario {
  readonly name: string
  /** What is cut in it. */
  readonly messages: "PostgreSQL" | "object store"
  readonly losses: ReadonlyArray<Loss>
  /** Makes the state in which each try begins. */
  readonly prepare: () => Promise<void>
  /** Restores that state. */
  readonly begin: () => Promise<void>
  /** Runs the commands while `cut` is made; without one, uninterrupted. */
  readonly attempt: (cut?: Cut) => Promise<Attempt>
  /** A plain command, without anyone's help. */
  readonly recover: (attempt: Attempt) => Promise<Ended>
  /** What is not as after the uninterrupted attempt, which gave `expected`. */
  readonly examine: (expected: Content) => Promise<ReadonlyArray<Problem>>
  readonly content: () => Promise<Content>
}

export interface Attempt {
  /** Of the command that was cut, or that must end well although another was. */
  readonly ended: Ended
  /** Whether it must have ended well. */
  readonly mustEndWell: boolean
  /** Whether the cut was made: two runs do not send exactly as many messages. */
  readonly hasCut: boolean
  readonly sent: ReadonlyArray<Message>
}

export interface Message {
  readonly text: string
  readonly isAnswered: boolean
}

const SYNC = ["sync", "--no-progress"]
const ROWS_ONLY = [...SYNC, "--no-publish"]

export const scenarios = (world: World, examiner: Examiner): ReadonlyArray<Scenario> => {
  const { cwd, proxy, otherProxy, objects, inFolder } = world
  const dataDir = join(cwd, "data")
  const withSlash = (folder: string): string => `${folder}/`
  let place: Place = inFolder

  const content = (): Promise<Content> => examiner.ofLake(world.catalog, withSlash(place.data))
  const replayed = async (): Promise<Content> => {
    const into = join(cwd, "replayed")
    if (place.archive === undefined) return examiner.ofReplay(dataDir, into)
    const ended = await world.run(["replay", "--data-dir", into, "--no-publish"], {
      ...place,
      warehouse: "file",
    })
    if (ended.code !== 0) throw new Error(`replay ended with ${ended.code}: ${ended.complaints}`)
    return examiner.ofFile(join(into, "vaulthouse.duckdb"), false)
  }
  const examine = async (expected: Content): Promise<ReadonlyArray<Problem>> => [
    ...differences(expected, await content()),
    ...differences(expected, await replayed(), "after a replay, "),
    ...(await damages()),
  ]
  const damages = async (): Promise<ReadonlyArray<Problem>> => {
    const { code, output, complaints } = await world.run(["verify"], place)
    // Where nothing was published, that alone is found.
    const isWell = code === 0 || /there is no published copy\n1 finding/.test(output + complaints)
    return isWell
      ? []
      : [{ kind: "lost", what: `verify ended with ${code}: ${output}${complaints}` }]
  }
  const published = async (): Promise<ReadonlyArray<Problem>> => {
    const copy = await examiner.ofFile(join(dataDir, "published", "vaulthouse.duckdb"))
    return differences(await content(), copy, "in the published copy, ")
  }

  /** From now on nothing is cut. */
  const disarmed = (): Pick<Attempt, "hasCut" | "sent"> => {
    const hasCut = proxy.hasCut() || objects.hasCut()
    const sent = messages === "PostgreSQL" ? proxy.sent() : objects.sent()
    for (const each of [proxy, objects]) each.arm()
    return { hasCut, sent }
  }

  /** Runs a command while `cut` is made in its messages. */
  const cutting = async (
    args: ReadonlyArray<string>,
    cut?: Cut,
    counted = proxy,
  ): Promise<Attempt> => {
    let running: Running | undefined
    let restarted: Promise<void> | undefined
    const arm = counted === proxy && messages === "object store" ? objects.arm : counted.arm
    arm(cut, () => {
      if (cut?.loss === "process") running?.child.kill("SIGKILL")
      if (cut?.loss === "server") restarted = world.server.crash()
    })
    running = world.start(args, place)
    const ended = await running.ended
    await restarted
    return { ended, mustEndWell: cut === undefined, ...disarmed() }
  }
  let messages: Scenario["messages"] = "PostgreSQL"

  const base = (name: string): Pick<Scenario, "name" | "messages" | "recover" | "content"> => ({
    name,
    messages: "PostgreSQL",
    recover: () => world.run(ROWS_ONLY, place),
    content,
  })
  const begin =
    (state: string, next: () => Place = () => inFolder) =>
    async () => {
      await world.restore(state)
      place = next()
      messages = "PostgreSQL"
    }
  const synced = async (): Promise<void> => {
    await world.service.moveBack()
    await begin("empty")()
    const { code, complaints } = await world.run(SYNC, place)
    if (code !== 0) throw new Error(`the first sync ended with ${code}: ${complaints}`)
    await world.keep("synced")
    world.service.moveOn()
  }
  const inFile = async (): Promise<void> => {
    await world.service.moveBack()
    await begin("empty")()
    const { code, complaints } = await world.run(ROWS_ONLY, { ...place, warehouse: "file" })
    if (code !== 0) throw new Error(`the first sync ended with ${code}: ${complaints}`)
    await world.keep("file")
  }

  /** A planner and two workers, one of which is cut. */
  const shared = async (cut?: Cut): Promise<Attempt> => {
    let restarted: Promise<void> | undefined
    let one: Running | undefined
    proxy.arm(cut, () => {
      if (cut?.loss === "process") one?.child.kill("SIGKILL")
      if (cut?.loss === "server") {
        otherProxy.dropAll()
        restarted = world.server.crash()
      }
    })
    otherProxy.arm()
    const other = world.start(["worker", "--log-format", "json"], place, otherProxy.port)
    one = world.start(["worker", "--log-format", "json"], place)
    const planner = world.start([...ROWS_ONLY, "--workers"], place, otherProxy.port)
    const ended = await planner.ended
    for (const { child } of [one, other]) child.kill("SIGTERM")
    const [ofOne, ofOther] = [await one.ended, await other.ended]
    await restarted
    const found = disarmed()
    const unclear = [ofOne, ofOther].filter(
      ({ code, signal }, at) =>
        signal !== null && !(at === 0 && cut?.loss === "process") && code !== 0,
    )
    if (unclear.length > 0) {
      return { ended: unclear[0] ?? ended, mustEndWell: true, ...found }
    }
    return { ended, mustEndWell: true, ...found }
  }

  const move = (name: string, args: () => ReadonlyArray<string>): Scenario => ({
    ...base(name),
    losses: ["one", "all", "process"],
    prepare: inFile,
    begin: begin("file"),
    attempt: (cut) => cutting(args(), cut),
    recover: async ({ ended }) => (ended.code === 0 ? ended : world.run(args(), place)),
    examine: async (expected) => differences(expected, await content()),
  })

  const all: ReadonlyArray<Scenario> = [
    {
      ...base("first sync"),
      losses: ["one", "all", "process"],
      prepare: async () => world.service.moveBack(),
      begin: begin("empty"),
      attempt: (cut) => cutting(ROWS_ONLY, cut),
      examine,
    },
    {
      ...base("sync with news, and its publication"),
      losses: ["one", "all", "process"],
      prepare: synced,
      begin: begin("synced"),
      attempt: (cut) => cutting(SYNC, cut),
      recover: () => world.run(SYNC, place),
      examine: async (expected) => [...(await examine(expected)), ...(await published())],
    },
    {
      ...base("first sync, its rows and responses in an object store"),
      messages: "object store",
      losses: ["one", "process"],
      prepare: async () => world.service.moveBack(),
      begin: async () => {
        await begin("empty", world.inObjects)()
        messages = "object store"
      },
      attempt: (cut) => cutting(ROWS_ONLY, cut),
      examine,
    },
    {
      ...base("first sync by two workers"),
      losses: ["process", "one", "server"],
      prepare: async () => world.service.moveBack(),
      begin: begin("empty"),
      attempt: shared,
      examine,
    },
    {
      ...base("first sync, the server stopped at once"),
      losses: ["server"],
      prepare: async () => world.service.moveBack(),
      begin: begin("empty"),
      attempt: (cut) => cutting(ROWS_ONLY, cut),
      examine,
    },
    move("move into a lake", () => [
      "move",
      "--warehouse",
      "file",
      "--to",
      world.address(),
      "--lake-data",
      inFolder.data,
    ]),
    {
      ...move("move into a file", () => ["move", "--to", "file"]),
      prepare: async () => {
        await inFile()
        await begin("file")()
        const moved = await world.run(
          ["move", "--warehouse", "file", "--to", world.address(), "--lake-data", inFolder.data],
          place,
        )
        if (moved.code !== 0) throw new Error(`move ended with ${moved.code}: ${moved.complaints}`)
        renameSync(join(dataDir, "vaulthouse.duckdb"), join(dataDir, "moved.duckdb"))
        await world.keep("moved")
      },
      begin: begin("moved"),
      examine: async (expected) => [
        ...differences(expected, await examiner.ofFile(join(dataDir, "vaulthouse.duckdb"))),
        ...["vaulthouse.duckdb.moving", "vaulthouse.duckdb.moving.wal"]
          .filter((name) => existsSync(join(dataDir, name)))
          .map((name): Problem => ({ kind: "other", what: `${name} is left` })),
      ],
      content: () => examiner.ofFile(join(dataDir, "vaulthouse.duckdb")),
    },
  ]
  return all
}

export const wayApplies = (way: Way, isAnswered: boolean): boolean =>
  isAnswered || way === "before" || way === "within"
