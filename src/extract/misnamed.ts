// Whether a refusal is about how it was asked: an input the service calls otherwise than we do (§4: most wire names
// are not shown), and which setting says so, or a value of our own choice. Nothing else may be read out of it.
import type { AnyEndpoint } from "./Endpoint.ts"
import { type Complaint, complaintsIn } from "./complaints.ts"
import type { Parameter } from "./Parameter.ts"
import { snakeCase, type WireRequest, type WireSettings, wireName } from "./request.ts"

interface Sent {
  /** Client-side name. */
  readonly name: string
  readonly parameter: Parameter<never>
  readonly called: string
}

const sentNames = ({ path, body }: WireRequest): ReadonlySet<string> =>
  new Set([
    ...new URL(path, "http://service").searchParams.keys(),
    ...Object.keys(body === undefined ? {} : (JSON.parse(body) as object)),
  ])

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** What to set so that the input goes by the wanted name. */
const setting = ({ name, parameter, called }: Sent, wanted: string, wire: WireSettings): string => {
  const other = wire.case === "snake" ? "camel" : "snake"
  const byCase = other === "snake" ? snakeCase(name) : name
  const isByCase =
    parameter.place !== "body" && wanted === byCase && called !== byCase && !(name in wire.names)
  return isByCase ? `wire.case: ${other}` : `wire.names.${name}: ${wanted}`
}

const advice = (
  { kind, name }: Complaint,
  inputs: ReadonlyArray<Sent>,
  wire: WireSettings,
): string => {
  if (kind === "value") return `the service refuses this value of \`${name}\``
  if (kind === "unknown") {
    const sent = inputs.find(({ called }) => called === name)
    return `the service does not know \`${name}\`: set wire.names.${sent?.name ?? name} to what it calls it, or wire.case`
  }
  const same = inputs.find((each) => plain(each.name) === plain(name))
  if (same !== undefined) {
    return `the service wants \`${name}\` and was sent \`${same.called}\`: set ${setting(same, name, wire)}`
  }
  const uncertain = inputs.filter(({ parameter }) => parameter.certainName === undefined)
  const sent = uncertain.map(({ called }) => `\`${called}\``).join(", ")
  const settings = uncertain.map((each) => `wire.names.${each.name}: ${name}`).join(", or ")
  return uncertain.length === 0
    ? `the service wants \`${name}\`, which it is not sent`
    : `the service wants \`${name}\` and was sent ${sent}: if that is one of them, set ${settings}`
}

// Inputs that say what is asked about: their values come from the service, and it may well not take them.
const subject = /vault|address|chain|token|hash/i

/**
 * What is wrong with the inputs, and what to set; `undefined` where the body complains of none, or of what is
 * asked about.
 */
export const misnamed = (
  endpoint: AnyEndpoint,
  request: WireRequest,
  wire: WireSettings,
  body: unknown,
): { readonly detail: string; readonly isOfKey: boolean } | undefined => {
  const sent = sentNames(request)
  const inputs = Object.entries<Parameter<never>>(endpoint.parameters)
    .map(([name, parameter]) => ({
      name,
      parameter,
      called: wireName(endpoint, name, parameter, wire),
    }))
    .filter(({ called }) => sent.has(called))
  const subjects = new Set(
    inputs.filter(({ name }) => subject.test(name)).map(({ called }) => called),
  )
  const complaints = complaintsIn(body).filter(({ name, kind, isHeader }) => {
    if (isHeader) return kind === "missing"
    if (kind === "missing") return !sent.has(name)
    return sent.has(name) && (kind === "unknown" || !subjects.has(name))
  })
  if (complaints.length === 0) return undefined
  return complaints.some(({ name, isHeader }) => isHeader && /key|auth|token/i.test(name))
    ? { detail: "the service wants a key", isOfKey: true }
    : {
        detail: [...new Set(complaints.map((each) => advice(each, inputs, wire)))].join("; "),
        isOfKey: false,
      }
}
