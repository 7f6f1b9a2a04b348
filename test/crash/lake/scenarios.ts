// What is cut: each scenario begins in a kept state, runs its commands while one message is cut, and is over once a plain
// command has ended well.
import { existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import {
  type CommittedTask,
  type Content,
  differences,
  type Examiner,
  type Problem,
} from "./examine.ts"
import type { Cut, Cutter, Loss, Sent, Way } from "./postgresProxy.ts"
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
  /** Runs the commands while they are cut; without a cutter, uninterrupted. */
  readonly attempt: (cutter?: Cutter) => Promise<Attempt>
  /** A plain command, without anyone's help. */
  readonly recover: (attempt: Attempt) => Promise<Ended>
  /** What is not as after the uninterrupted attempt, which gave `expected`. */
  readonly examine: (expected: Content) => Promise<ReadonlyArray<Problem>>
  readonly content: () => Promise<Content>
  /** Tasks whose requests need not be repeated. */
  readonly committed: () => Promise<ReadonlyArray<CommittedTask>>
  /** What readers of the published copy see. */
  readonly seen?: () => Promise<Content>
  /** What must hold too, and takes long: looked at after some of the tries. */
  readonly checked?: () => Promise<ReadonlyArray<Problem>>
}

export interface Attempt {
  /** Of the command that was cut, or that must end well although another was. */
  readonly ended: Ended
  /** Whether it must have ended well. */
  readonly mustEndWell: boolean
  readonly made: ReadonlyArray<Cut>
  readonly sent: ReadonlyArray<Sent>
  /** How many requests the service got. */
  readonly requests: number
  /** How often a worker that was not killed gave back what it had read and not committed, for whichever claims it next. */
  readonly givenBack?: number
  /** How the workers ended that no signal ended. */
  readonly workers?: ReadonlyArray<Ended>
}

/** Resolves once the worker has begun to read a run; never if it does not. */
const joined = ({ child }: Running): Promise<void> =>
  new Promise((resolve) => {
    let log = ""
    child.stderr?.on("data", (chunk: Buffer) => {
      log += chunk.toString()
      if (log.includes(JOINED)) resolve()
    })
  })

const JOINED = '"message":"worker: reads run '

/** Of a worker's log: it gives its tasks back each time that it waits for what it can't reach, and when it ends in an error. */
const timesGivenBack = ({ code, signal, output, complaints }: Ended): number => {
  const log = `${output}${complaints}`
  const waited = log.match(/waits for (PostgreSQL|s3:)/g)?.length ?? 0
  const isLeft = code !== 0 && signal === null && log.includes(JOINED)
  return waited + (isLeft ? 1 : 0)
}

const SYNC = ["sync", "--no-progress"]
const ROWS_ONLY = [...SYNC, "--no-publish"]

export const scenarios = (world: World, examiner: Examiner): ReadonlyArray<Scenario> => {
  const { cwd, proxy, otherProxy, objects, otherObjects, inFolder } = world
  const dataDir = join(cwd, "data")
  const withSlash = (folder: string): string => `${folder}/`
  let place: Place = inFolder

  const content = (): Promise<Content> => examiner.ofLake(world.catalog, withSlash(place.data))
  const committed = async (): Promise<ReadonlyArray<CommittedTask>> =>
    (await world.hasLake()) ? examiner.committed(world.catalog, withSlash(place.data)) : []
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
  const checked = async (): Promise<ReadonlyArray<Problem>> => {
    const { code, output, complaints } = await world.run(["check"], place)
    if (code === 0) return []
    return [{ kind: "other", what: `check ended with ${code}: ${output}${complaints}` }]
  }
  const copy = () => examiner.ofFile(join(dataDir, "published", "vaulthouse.duckdb"))
  const published = async (): Promise<ReadonlyArray<Problem>> => {
    return differences(await content(), await copy(), "in the published copy, ")
  }

  /** What is between the processes that are cut and the server whose messages are counted. */
  const armed = () => (messages === "object store" ? objects : proxy)

  /** From now on nothing is cut. */
  const disarmed = (before: number): Pick<Attempt, "made" | "sent" | "requests"> => {
    const made = [...proxy.made(), ...objects.made()]
    const sent = armed().sent()
    for (const each of [proxy, objects]) each.arm()
    return { made, sent, requests: world.service.requests() - before }
  }

  /** One crash of the server after the other. */
  const crashed = (before?: Promise<void>): Promise<void> =>
    (before ?? Promise.resolve()).then(() => world.server.crash())

  /** Runs a command while the cuts are made in its messages. */
  const cutting = async (args: ReadonlyArray<string>, cutter?: Cutter): Promise<Attempt> => {
    let running: Running | undefined
    let restarted: Promise<void> | undefined
    const before = world.service.requests()
    armed().arm(cutter, ({ loss }) => {
      if (loss === "process") running?.child.kill("SIGKILL")
      if (loss === "server") restarted = crashed(restarted)
    })
    running = world.start(args, place)
    const ended = await running.ended
    await restarted
    return { ended, mustEndWell: cutter === undefined, ...disarmed(before) }
  }
  let messages: Scenario["messages"] = "PostgreSQL"

  const base = (
    name: string,
  ): Pick<Scenario, "name" | "messages" | "recover" | "content" | "committed" | "checked"> => ({
    name,
    messages: "PostgreSQL",
    recover: () => world.run(ROWS_ONLY, place),
    content,
    committed,
    checked,
  })
  const begin =
    (state: string, next: () => Place = () => inFolder) =>
    async () => {
      await world.restore(state)
      place = next()
      messages = "PostgreSQL"
    }
  const beginInObjects = async (): Promise<void> => {
    await begin("empty", world.inObjects)()
    messages = "object store"
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

  /** A planner and two workers, of which the planner or one worker is cut. */
  const shared =
    (isPlanner: boolean) =>
    async (cutter?: Cutter): Promise<Attempt> => {
      let restarted: Promise<void> | undefined
      let victim: Running | undefined
      const before = world.service.requests()
      armed().arm(cutter, ({ loss }) => {
        if (loss === "process") victim?.child.kill("SIGKILL")
        if (loss === "server") {
          otherProxy.dropAll()
          restarted = crashed(restarted)
        }
      })
      otherProxy.arm()
      otherObjects.arm()
      const start = (args: ReadonlyArray<string>, isCut: boolean): Running => {
        const running = isCut
          ? world.start(args, place)
          : world.start(args, place, otherProxy.port, otherObjects.port)
        if (isCut) victim = running
        return running
      }
      const worker = ["worker", "--log-format", "json"]
      let isPlanned = true
      const workers: Array<Running> = []
      const employ = (isCut: boolean): void => {
        const running = start(worker, isCut)
        workers.push(running)
        // One that has lost the server before it could look for work ends, and is started again as a service would be. A kill is
        // the last cut of an attempt: the messages of a worker that is started after it are those of waiting for the lease.
        running.child.once("close", (code, signal) => {
          if (isPlanned && signal === null && code !== 0) employ(isCut)
        })
      }
      employ(!isPlanner)
      const planner = start([...ROWS_ONLY, "--workers"], isPlanner)
      // Few requests go to the store: the worker that is cut gets the first task, and so some of them.
      const [first] = workers
      if (messages === "object store" && first !== undefined)
        await Promise.race([joined(first), first.ended, planner.ended])
      employ(false)
      const ended = await planner.ended
      isPlanned = false
      for (const { child } of workers) child.kill("SIGTERM")
      const ends = await Promise.all(workers.map((each) => each.ended))
      await restarted
      const found = disarmed(before)
      // One may not have got as far as to wait for the signal that ends it, above.
      const isMeant = (at: number, signal: string): boolean =>
        signal === "SIGTERM" ||
        (workers[at] === victim && found.made.some(({ loss }) => loss === "process"))
      const unclear = ends.find(
        ({ code, signal }, at) => signal !== null && !isMeant(at, signal) && code !== 0,
      )
      return {
        ended: unclear ?? ended,
        mustEndWell: !isPlanner || cutter === undefined,
        givenBack: ends.map(timesGivenBack).reduce((sum, times) => sum + times, 0),
        workers: ends.filter(({ signal }) => signal === null),
        ...found,
      }
    }

  const move = (name: string, args: () => ReadonlyArray<string>): Scenario => ({
    ...base(name),
    losses: ["one", "all", "process"],
    prepare: inFile,
    begin: begin("file"),
    attempt: (cutter) => cutting(args(), cutter),
    recover: async ({ ended }) => (ended.code === 0 ? ended : world.run(args(), place)),
    examine: async (expected) => differences(expected, await content()),
  })

  // An attempt goes on from a lost connection, so that it can be cut more often.
  const connections: ReadonlyArray<Loss> = ["one", "all", "one", "all", "one"]
  const mostlyConnections: ReadonlyArray<Loss> = [
    ...connections,
    "process",
    ...connections,
    "server",
  ]
  const all: ReadonlyArray<Scenario> = [
    {
      ...base("first sync"),
      losses: mostlyConnections,
      prepare: async () => world.service.moveBack(),
      begin: begin("empty"),
      attempt: (cutter) => cutting(ROWS_ONLY, cutter),
      examine,
    },
    {
      ...base("sync with news"),
      losses: mostlyConnections,
      prepare: synced,
      begin: begin("synced"),
      attempt: (cutter) => cutting(ROWS_ONLY, cutter),
      examine,
    },
    {
      ...base("sync with news, and its publication"),
      losses: ["one", "all", "process"],
      prepare: synced,
      begin: begin("synced"),
      seen: copy,
      attempt: (cutter) => cutting(SYNC, cutter),
      recover: () => world.run(SYNC, place),
      examine: async (expected) => [...(await examine(expected)), ...(await published())],
    },
    {
      ...base("first sync, its rows and responses in an object store"),
      messages: "object store",
      losses: ["one", "process"],
      prepare: async () => world.service.moveBack(),
      begin: beginInObjects,
      attempt: (cutter) => cutting(ROWS_ONLY, cutter),
      examine,
    },
    {
      ...base("first sync by two workers, one of them cut"),
      losses: ["process", "one", "server"],
      prepare: async () => world.service.moveBack(2),
      begin: begin("empty"),
      attempt: shared(false),
      examine,
    },
    {
      ...base("first sync by two workers, their planner cut"),
      losses: ["process", "one", "server"],
      prepare: async () => world.service.moveBack(2),
      begin: begin("empty"),
      attempt: shared(true),
      examine,
    },
    {
      ...base("first sync by two workers, one of them cut from the object store"),
      messages: "object store",
      losses: ["one", "process"],
      prepare: async () => world.service.moveBack(2),
      begin: beginInObjects,
      attempt: shared(false),
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
