// Preloaded into a vaulthouse process, gives it another clock: it starts at SIMULATED_NOW, runs SPEED times as fast as
// the machine's, and jumps when the parent process sends an instant. Timers whose time has come then fire at once.

// Waits for retries cost little then, and a response from loopback still has seconds until its request times out.
const SPEED = 60

const MachineDate = Date
const machineTimeout = setTimeout
const machineClear = clearTimeout

const machineNow = performance.now.bind(performance)
const machineNanos = process.hrtime.bigint.bind(process.hrtime)

let origin = MachineDate.parse(process.env["SIMULATED_NOW"] ?? "")
let since = machineNow()
const now = (): number => Math.floor(origin + (machineNow() - since) * SPEED)

globalThis.Date = new Proxy(MachineDate, {
  construct: (target, given: ReadonlyArray<unknown>, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  get: (target, name) => (name === "now" ? now : (Reflect.get(target, name) as unknown)),
})

// How much time passes; a jump is none of it, as the sleep of a machine.
performance.now = () => machineNow() * SPEED
process.hrtime.bigint = () => machineNanos() * BigInt(SPEED)

interface Pending {
  readonly due: number
  readonly fire: () => void
}
const pending = new Map<NodeJS.Timeout, Pending>()

const simulatedTimeout = (
  callback: (...given: Array<unknown>) => void,
  millis = 0,
  ...given: Array<unknown>
): NodeJS.Timeout => {
  const fire = (): void => {
    machineClear(handle)
    if (pending.delete(handle)) callback(...given)
  }
  const handle = machineTimeout(fire, millis / SPEED)
  pending.set(handle, { due: now() + millis, fire })
  return handle
}
const simulatedClear = (handle: NodeJS.Timeout): void => {
  pending.delete(handle)
  machineClear(handle)
}

Object.assign(globalThis, { setTimeout: simulatedTimeout, clearTimeout: simulatedClear })

process.on("message", (instant: string) => {
  origin = MachineDate.parse(instant)
  since = machineNow()
  for (const { due, fire } of pending.values()) if (due <= now()) fire()
})
// Listening for a jump does not keep the process alive; the end of the parent ends it.
process.channel?.unref()
process.on("disconnect", () => process.exit(1))
