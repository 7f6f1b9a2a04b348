// What differs from process to process, made equal: clock, chance, process id and the service's address. What a proof
// repeats then writes the same bytes.
import crypto from "node:crypto"
import dns from "node:dns"
import { syncBuiltinESMExports } from "node:module"

const MachineDate = Date

/** The clock stands still so long, so that equal commands record equal instants; then it goes on, for whoever waits. */
const STILL_MILLIS = 200_000

let origin = MachineDate.now()
let since = performance.now()
let draws = 0

const now = (): number => {
  const passed = performance.now() - since
  return Math.floor(origin + (passed < STILL_MILLIS ? 0 : passed))
}

/** From now on the clock stands at `instant`, ISO-8601, and chance begins anew. */
export const setClock = (instant: string): void => {
  origin = MachineDate.parse(instant)
  since = performance.now()
  draws = 0
}

globalThis.Date = new Proxy(MachineDate, {
  construct: (target, given: ReadonlyArray<unknown>, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  get: (target, name) => (name === "now" ? now : (Reflect.get(target, name) as unknown)),
})

/** Numbers that depend on the instant and on how many were drawn before. */
const bytes = (size: number): Buffer => {
  draws += 1
  return crypto.createHash("sha512").update(`${origin} ${draws}`).digest().subarray(0, size)
}
const realBytes = crypto.randomBytes as (...args: ReadonlyArray<unknown>) => Buffer
Object.assign(crypto, {
  randomUUID: () => {
    const hex = bytes(16).toString("hex")
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
  },
  randomBytes: (size: number, ...more: ReadonlyArray<unknown>) =>
    size <= 64 && more.length === 0 ? bytes(size) : realBytes(size, ...more),
})
/** `localhost` of the commands: each worker's service has an address of its own, and all have the same URL. */
const { PROVEN_SERVICE: address } = process.env
if (address !== undefined) {
  const lookup = dns.lookup as (...args: ReadonlyArray<unknown>) => void
  Object.assign(dns, {
    lookup: (name: string, ...more: ReadonlyArray<unknown>) =>
      lookup(name === "localhost" ? address : name, ...more),
  })
}
export const ownPid = process.pid
Object.defineProperty(process, "pid", { value: 1_000_000 })
syncBuiltinESMExports()
Math.random = () => bytes(4).readUInt32LE() / 2 ** 32

const given = process.env["PROVEN_AT"]
if (given !== undefined) setClock(given)
