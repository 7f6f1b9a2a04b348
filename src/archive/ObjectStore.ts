// Lists, reads, writes and removes the objects below a prefix of a bucket, with errors that say what to do. A request
// is repeated if the store or the network failed, which is safe because nobody else overwrites an object meanwhile.
import { setTimeout as sleep } from "node:timers/promises"
import type { S3Client } from "@bradenmacdonald/s3-lite-client"
import type { Agent } from "@effect/platform-node/Undici"
import * as Redacted from "effect/Redacted"
import { bucketAndPrefix, type ObjectStoreAccess } from "../domain/stores/objectStore.ts"
import { explainRefusal, type ObjectAction } from "../domain/stores/objectStoreRefusal.ts"
import { causeMessage } from "../domain/values/causeMessage.ts"

/** Object storage refused a request or could not be reached. */
export class ObjectStoreError extends Error {
  readonly why: string
  readonly advice: string

  constructor(why: string, advice: string, cause?: unknown) {
    super(why, { cause })
    this.name = "ObjectStoreError"
    this.why = why
    this.advice = advice
  }
}

export interface StoredObject {
  /** The name below the prefix. */
  readonly name: string
  readonly bytes: number
}

const ATTEMPTS = 5
const FIRST_WAIT_MS = 200

// A store that sends nothing for so long does not respond: by itself, a request would wait for five minutes.
const SILENCE_MS = 30_000
const SILENT = "it does not respond"
// An upload that takes longer than two silences, and one for each of these bytes, stands still: nobody takes more of it.
const BYTES_A_SILENCE = 1_500_000

// The client's requests use `fetch`, whose connections are those of the process; nothing else here uses it.
let connections: Agent | undefined
/** How long they wait for a store that sends nothing. */
let silence: number | undefined

/** Ends the requests of the connections until now. */
const renewConnections = async (silenceMillis: number, ended?: Error): Promise<void> => {
  const { Agent, setGlobalDispatcher } = await import("@effect/platform-node/Undici")
  const before = connections
  silence = silenceMillis
  connections = new Agent({ headersTimeout: silenceMillis, bodyTimeout: silenceMillis })
  setGlobalDispatcher(connections)
  await before?.destroy(ended ?? null)
}

/** An S3 error as parsed by the client. */
interface Refusal {
  readonly statusCode: number
  readonly code: string
  readonly message: string
  readonly region?: string
}

const refusalOf = (cause: unknown): Refusal | undefined =>
  cause instanceof Error && "statusCode" in cause && "code" in cause
    ? (cause as Error & Refusal)
    : undefined

export const isMissing = (cause: unknown): boolean =>
  cause instanceof ObjectStoreError && refusalOf(cause.cause)?.code === "NoSuchKey"

const isRepeatable = (cause: unknown): boolean => {
  if (cause instanceof ObjectStoreError) return false
  const { statusCode: status, code } = refusalOf(cause) ?? {}
  // S3 sends it with status 400, for an upload that stood still.
  if (code === "RequestTimeout") return true
  return status === undefined || status >= 500 || status === 429 || status === 408
}

export class ObjectStore {
  /** `s3://bucket/prefix`, without a slash at the end. */
  readonly location: string
  readonly #bucket: string
  readonly #prefix: string
  readonly #access: () => ObjectStoreAccess
  readonly #silenceMillis: number
  #client: Promise<S3Client> | undefined

  constructor(location: string, access: () => ObjectStoreAccess, silenceMillis = SILENCE_MS) {
    const { bucket, prefix } = bucketAndPrefix(location)
    this.location = `s3://${bucket}/${prefix}`.replace(/\/$/, "")
    this.#bucket = bucket
    this.#prefix = prefix
    this.#access = access
    this.#silenceMillis = silenceMillis
  }

  /** Lists the objects whose names begin with `start`, ordered by name. */
  list(start: string, attempts = ATTEMPTS): Promise<ReadonlyArray<StoredObject>> {
    const listed = async (client: S3Client) => {
      const found: Array<StoredObject> = []
      for await (const { key, size } of client.listObjects({ prefix: this.#prefix + start })) {
        found.push({ name: key.slice(this.#prefix.length), bytes: size })
      }
      return found.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    }
    return this.#attempt("list", listed, attempts)
  }

  /** Whether the store responds, if only to refuse; `false` if it can't be reached or fails. */
  async isReachable(): Promise<boolean> {
    try {
      await this.list("reachable?", 1)
      return true
    } catch (cause) {
      const refused = cause instanceof ObjectStoreError ? cause.cause : cause
      if (refused === undefined) return true
      return !isRepeatable(refused)
    }
  }

  /** Reads `length` bytes from `offset` on. */
  read(name: string, offset: number, length: number): Promise<Buffer> {
    return this.#attempt("read", async (client) => {
      const response = await client.getPartialObject(this.#prefix + name, { offset, length })
      return Buffer.from(await response.arrayBuffer())
    })
  }

  write(name: string, bytes: Buffer): Promise<void> {
    const limit = this.#silenceMillis * (2 + bytes.length / BYTES_A_SILENCE)
    const standsStill = (): void => void renewConnections(this.#silenceMillis, new Error(SILENT))
    return this.#attempt("write", async (client) => {
      const timer = setTimeout(standsStill, limit)
      try {
        await client.makeRequest({
          method: "PUT",
          objectName: this.#prefix + name,
          payload: new Uint8Array(bytes),
        })
      } finally {
        clearTimeout(timer)
      }
    })
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#attempt("delete", (client) => client.deleteObject(this.#prefix + name))
    } catch (cause) {
      // Some stores say so of an object that is gone, such as when an attempt whose response was lost had removed it.
      if (!isMissing(cause)) throw cause
    }
  }

  async #attempt<A>(
    action: ObjectAction,
    work: (client: S3Client) => Promise<A>,
    attempts = ATTEMPTS,
  ): Promise<A> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#client ??= this.#connect()
        return await work(await this.#client)
      } catch (cause) {
        if (attempt === attempts || !isRepeatable(cause)) throw this.#explain(action, cause)
        await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1))
      }
    }
  }

  async #connect(): Promise<S3Client> {
    const { key, region, endpoint } = this.#accessNow()
    // Loaded only when it is used, because most archives are folders.
    const { S3Client } = await import("@bradenmacdonald/s3-lite-client")
    if (silence !== this.#silenceMillis) await renewConnections(this.#silenceMillis)
    return new S3Client({
      endPoint: (endpoint ?? new URL(`https://s3.${region}.amazonaws.com`)).href,
      region,
      bucket: this.#bucket,
      // AWS's certificate does not cover bucket names with dots.
      pathStyle: endpoint !== undefined || this.#bucket.includes("."),
      accessKey: key.id,
      secretKey: Redacted.value(key.secret),
      ...(key.sessionToken === undefined ? {} : { sessionToken: Redacted.value(key.sessionToken) }),
    })
  }

  #accessNow() {
    let access: ObjectStoreAccess
    try {
      access = this.#access()
    } catch (cause) {
      const why = causeMessage(cause)
      throw new ObjectStoreError(why, "Correct it, or unset it for AWS's own S3.", cause)
    }
    const { key } = access
    if (key !== undefined) return { ...access, key }
    throw new ObjectStoreError(
      `there is no key for ${this.location}`,
      "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY where vaulthouse runs; from a profile: `aws configure export-credentials --format env`.",
    )
  }

  #explain(action: ObjectAction, cause: unknown): ObjectStoreError {
    if (cause instanceof ObjectStoreError) return cause
    const at = this.location
    const refusal = refusalOf(cause)
    if (refusal === undefined) {
      const { host } = this.#accessNow().endpoint ?? { host: "S3" }
      return new ObjectStoreError(
        `${at} can't be reached at ${host}: ${rootCause(cause)}`,
        "Check AWS_ENDPOINT_URL_S3, AWS_REGION and the network.",
        cause,
      )
    }
    const { code, statusCode: status, message, region: bucketRegion } = refusal
    const { region } = this.#accessNow()
    const about = { location: at, action, status, code, message, region, bucketRegion }
    const { why, advice } = explainRefusal(about)
    return new ObjectStoreError(why, advice, cause)
  }
}

const timeouts: ReadonlySet<unknown> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"])

/** The message of the innermost cause, which `fetch failed` hides. */
const rootCause = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.cause !== undefined) return rootCause(cause.cause)
  if ("code" in cause && timeouts.has(cause.code)) return SILENT
  return cause.message === "" ? cause.name : cause.message
}
