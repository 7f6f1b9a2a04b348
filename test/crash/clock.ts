// The clock of this process: what a proof repeats must see the same instants.
const MachineDate = Date

let origin = MachineDate.now()
let since = performance.now()
const now = (): number => Math.floor(origin + performance.now() - since)

/** From now on the clock goes on from `instant`, ISO-8601. */
export const setClock = (instant: string): void => {
  origin = MachineDate.parse(instant)
  since = performance.now()
}

globalThis.Date = new Proxy(MachineDate, {
  construct: (target, given: ReadonlyArray<unknown>, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  get: (target, name) => (name === "now" ? now : (Reflect.get(target, name) as unknown)),
})

const given = process.env["PROVEN_AT"]
if (given !== undefined) setClock(given)
