// Between processes and PostgreSQL: counts what they send, message by message over all connections, and cuts their
// connections at one of them. It parses the framing of PostgreSQL's protocol 3, so that a cut falls exactly where it is meant to.
import { connect, createServer, type AddressInfo, type Socket } from "node:net"

/** Where the connection is lost: what the server has then received, and what its client has then received of the answer. */
export const ways = [
  /** Nothing of the message. */
  "before",
  /** Half of the message. */
  "within",
  /** All of the message, which has had its effect; its client nothing of the answer. */
  "after",
  /** All of the message; its client half of the answer. */
  "answer",
] as const
export type Way = (typeof ways)[number]

/** What is lost there. */
export const losses = [
  /** The connection of that message, as where a network drops it. */
  "one",
  /** All connections. */
  "all",
  /** The process that sent it, by SIGKILL. */
  "process",
  /** The server, which is stopped in its mode `immediate`, as where it crashes, and started again. */
  "server",
] as const
export type Loss = (typeof losses)[number]

export interface Cut {
  /** The number of the message in its run, from 1. */
  readonly at: number
  readonly way: Way
  readonly loss: Loss
}

/** A message that was sent. */
export interface Sent {
  /** Its type, what its statement does to which table, the change that it commits, and the one that any connection had committed before it. */
  readonly kind: string
  /** Whether the server answers it at once, so that the answer can be lost as well. */
  readonly isAnswered: boolean
  /** Whether it commits a change, so that a lost answer leaves unknown what is stored. */
  readonly commits: boolean
}

/** Says of each message that is sent whether it is cut, and how. */
export type Cutter = (sent: Sent, at: number) => Omit<Cut, "at"> | undefined

const SSL_REQUEST = 80_877_103
const GSSENC_REQUEST = 80_877_104

/** Types after which the server sends something and waits: a statement, the end of several, a password, the end of a copy. */
const ANSWERED = new Set(["Q", "S", "p", "c", "f", "startup"])

/** Ends an answer: ready for the next statement, ready for the rows of a copy, a request for the password. */
const ENDS = new Set(["Z", "G", "R"])

/** Complete messages at the beginning of `bytes`, and what is left of them. */
const messagesIn = (bytes: Buffer, hasType: boolean): readonly [ReadonlyArray<Buffer>, Buffer] => {
  const found: Array<Buffer> = []
  const typeLength = hasType ? 1 : 0
  let from = 0
  while (bytes.length - from >= typeLength + 4) {
    const end = from + typeLength + bytes.readInt32BE(from + typeLength)
    if (end > bytes.length) break
    found.push(bytes.subarray(from, end))
    from = end
    if (!hasType) break
  }
  return [found, bytes.subarray(from)]
}

/** What others can see of a statement: rows, tables and locks; each by its verb and what it changes. */
const CHANGE =
  /\b(INSERT INTO|DELETE FROM|(?<!FOR )UPDATE|COPY(?= [^;]* FROM STDIN)|CREATE TABLE|CREATE|DROP|ALTER|TRUNCATE|pg_\w*advisory\w*)\b\s*((?:"?\w+"?\.)*"?\w+"?)?/gi

const changesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(CHANGE)].map(([, verb = "", table = ""]) =>
    `${verb} ${table}`.replaceAll(/["\d]+/g, ""),
  )

/** The texts, each ended by a zero, at the beginning of a message. */
const partsOf = (message: Buffer): ReadonlyArray<string> =>
  message.subarray(5).toString("latin1").split("\0", 2)

/** A statement by its verb and table. */
const kindOf = (statement: string): string => {
  const text = statement
    .slice(0, 2000)
    .replaceAll(/[^\x20-\x7e]+/g, " ")
    .trim()
  const [verb = ""] = text.split(/[\s(]/)
  const [, table = ""] =
    /(?:FROM|INTO|UPDATE|TABLE) (?:\(SELECT[^"]*FROM )?((?:"?\w+"?\.)*"?\w+"?)/i.exec(text) ?? []
  return `${verb} ${table === "" ? text.slice(0, 40) : table}`.replaceAll(/\d+/g, "#")
}

export interface PostgresProxy {
  readonly port: number
  /** Begins to count anew; without a cutter nothing is cut. `onCut` is called when a cut happens. */
  readonly arm: (cutter?: Cutter, onCut?: (cut: Cut) => void) => void
  readonly sent: () => ReadonlyArray<Sent>
  /** The cuts that have happened. */
  readonly made: () => ReadonlyArray<Cut>
  /** Resets all connections. */
  readonly dropAll: () => void
  readonly close: () => Promise<void>
}

export const startPostgresProxy = async (server: () => number): Promise<PostgresProxy> => {
  const connections = new Set<() => void>()
  let sent: Array<Sent> = []
  let cutter: Cutter | undefined
  let made: Array<Cut> = []
  let onCut: (cut: Cut) => void = () => undefined
  let lastChange = "nothing"

  const dropAll = (): void => {
    for (const drop of connections) drop()
  }

  const listener = createServer({ noDelay: true }, (client) => {
    const postgres = connect({ port: server(), host: "127.0.0.1", noDelay: true })
    let unsent = Buffer.alloc(0)
    let unread = Buffer.alloc(0)
    let isStarted = false
    const statements = new Map<string, string>()
    let statement = ""
    /** In the transaction that it is in. */
    let changes: ReadonlyArray<string> = []
    let isInTransaction = false
    /** It has been asked for encryption, and answers with one byte. */
    let isAsked = false
    /** How the answer that comes next is lost; what has come of it. */
    let losing: Cut | undefined
    let answer: Array<Buffer> = []
    let isLost = false

    const drop = (): void => {
      connections.delete(drop)
      client.resetAndDestroy()
      postgres.resetAndDestroy()
    }
    connections.add(drop)
    const cutHere = (cut: Cut): void => {
      made.push(cut)
      onCut(cut)
      if (cut.loss === "one") drop()
      else dropAll()
    }

    /** Returns what the message commits, if anything. */
    const follow = (message: Buffer, type: string): string | undefined => {
      const [name = "", text = ""] = partsOf(message)
      if (type === "P") statements.set(name, text)
      if (type === "P") statement = text
      else if (type === "B") statement = statements.get(text) ?? ""
      else if (type === "Q") statement = name
      // Only these two have an effect.
      if (type === "Q" || type === "B") changes = [...changes, ...changesIn(statement)]
      const isExecuted = type === "Q" || type === "S"
      if (!isExecuted) return undefined
      if (/^\s*BEGIN\b/i.test(statement)) isInTransaction = true
      const isEnd = /(^|;)\s*(COMMIT|ROLLBACK)\b[^;]*;?\s*$/i.test(statement)
      if (isInTransaction && !isEnd) return undefined
      const all = [...new Set(changes)].toSorted()
      isInTransaction = false
      changes = []
      return all.length === 0 || /^\s*ROLLBACK\b/i.test(statement) ? undefined : all.join(", ")
    }

    /** Returns whether the connection is still there. */
    const deliver = (message: Buffer, type: string): boolean => {
      const hasStatement = type !== "startup" && type !== "p"
      const change = hasStatement ? follow(message, type) : undefined
      const each: Sent = {
        kind: `${type} ${hasStatement ? kindOf(statement) : ""}${change === undefined ? "" : ` of ${change}`} after ${lastChange}`,
        isAnswered: ANSWERED.has(type),
        commits: change !== undefined,
      }
      sent.push(each)
      const chosen = cutter?.(each, sent.length)
      const isDelivered = chosen?.way !== "before" && chosen?.way !== "within"
      if (isDelivered) lastChange = change ?? lastChange
      if (chosen === undefined) {
        postgres.write(message)
        return true
      }
      const cut: Cut = { at: sent.length, way: chosen.way, loss: chosen.loss }
      if (cut.way === "before" || cut.way === "within") {
        if (cut.way === "before") cutHere(cut)
        else postgres.write(message.subarray(0, Math.ceil(message.length / 2)), () => cutHere(cut))
        return false
      }
      losing = cut
      answer = []
      postgres.write(message)
      return true
    }

    client.on("data", (chunk: Buffer) => {
      unsent = Buffer.concat([unsent, chunk])
      while (unsent.length > 0) {
        const [messages, rest] = messagesIn(unsent, isStarted)
        if (messages.length === 0) return
        unsent = Buffer.from(rest)
        for (const message of messages) {
          const type = isStarted ? String.fromCodePoint(message[0] ?? 0) : "startup"
          if (!isStarted) {
            const code = message.readInt32BE(4)
            isAsked = code === SSL_REQUEST || code === GSSENC_REQUEST
            isStarted = !isAsked
          }
          if (!deliver(message, type)) return
        }
      }
    })
    postgres.on("data", (chunk: Buffer) => {
      if (isLost) return
      if (losing === undefined) {
        client.write(chunk)
        return
      }
      answer.push(chunk)
      unread = Buffer.concat([unread, chunk])
      const [messages, rest] = isAsked ? [[unread], Buffer.alloc(0)] : messagesIn(unread, true)
      unread = Buffer.from(rest)
      const isOver =
        isAsked || messages.some((each) => ENDS.has(String.fromCodePoint(each[0] ?? 0)))
      if (!isOver) return
      const whole = Buffer.concat(answer)
      const cut = losing
      losing = undefined
      isLost = true
      if (cut.way === "after") cutHere(cut)
      else
        client.write(whole.subarray(0, Math.floor(whole.length / 2)), () =>
          setTimeout(() => cutHere(cut), 1),
        )
    })
    const end = (other: Socket) => (): void => {
      connections.delete(drop)
      other.destroy()
    }
    client.on("error", end(postgres)).on("close", end(postgres))
    postgres.on("error", end(client)).on("close", end(client))
  })
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    arm: (next, onNext = () => undefined) => {
      sent = []
      lastChange = "nothing"
      cutter = next
      made = []
      onCut = onNext
    },
    sent: () => sent,
    made: () => made,
    dropAll,
    close: () => {
      dropAll()
      return new Promise((resolve) => listener.close(() => resolve()))
    },
  }
}
