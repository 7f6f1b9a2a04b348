// A simulator with a fixed clock for each test file, and short ways to send it requests.
import { afterAll } from "vitest"
import type { OptionsPatch, Simulator } from "../../simulator/index.ts"
import { startSimulator } from "../../simulator/index.ts"

export const now = "2026-03-01T10:00:00.000Z"

// The tests assert on the shape themselves; a type for each of 39 responses would prove nothing.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly json: Json
}

export interface Bench {
  readonly simulator: Simulator
  readonly get: (path: string, key?: string) => Promise<Received>
  readonly post: (path: string, body: unknown, key?: string) => Promise<Received>
}

const running: Simulator[] = []

/** For a file whose tests start as many simulators as they like. */
export const closeSimulators = (): void =>
  afterAll(async () => {
    await Promise.all(running.splice(0).map((simulator) => simulator.close()))
  })

export const start = async (options: OptionsPatch = {}): Promise<Bench> => {
  const simulator = await startSimulator({ now, slowReadMs: 5, ...options })
  running.push(simulator)
  const send = async (path: string, init: RequestInit, key?: string): Promise<Received> => {
    const headers = key === undefined ? {} : { "x-api-key": key }
    const response = await fetch(simulator.url + path, { ...init, headers, redirect: "manual" })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") === true
    return {
      status: response.status,
      headers: response.headers,
      json: isJson ? parsed(text) : text,
    }
  }
  return {
    simulator,
    get: (path, key) => send(path, {}, key),
    post: (path, body, key) => send(path, { method: "POST", body: JSON.stringify(body) }, key),
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The vaults of the default directory, by what is odd about them. */
export const vaultsOf = ({ simulator }: Bench) => {
  const [full, holed, empty, young, solana, stellar, closed, plain] = simulator.truth.vaults
  return {
    full: full!,
    holed: holed!,
    empty: empty!,
    young: young!,
    solana: solana!,
    stellar: stellar!,
    closed: closed!,
    plain: plain!,
  }
}

/** One after the other: for tests in which the order of requests matters. */
export const inTurn = async <A, B>(
  items: readonly A[],
  use: (item: A) => Promise<B>,
): Promise<readonly B[]> => {
  const answers: B[] = []
  for (const item of items) answers.push(await use(item))
  return answers
}

export const admin = "demo-admin-key"
export const curator = "demo-curator-key"
export const user = "demo-user-key"
