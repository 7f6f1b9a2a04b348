// A receiver of notifications, which is an entry of the setting `notify`: its name in messages and its identity.
import { basename } from "node:path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { addressOf } from "../../config/secrets/secretUrl.ts"
import type { Settings } from "../../config/settings/settings.ts"
import { fingerprint } from "../../domain/values/fingerprint.ts"

export type Receiver = Settings["notify"][number]

/** One that gets messages; a ping has no content. */
export type MessageReceiver = Exclude<Receiver, { readonly ping: unknown }>

export const isMessageReceiver = (receiver: Receiver): receiver is MessageReceiver =>
  !("ping" in receiver)

const secretOf = (receiver: Receiver): Redacted.Redacted<string> | undefined =>
  "webhook" in receiver ? receiver.webhook : "ping" in receiver ? receiver.ping : undefined

/** `webhook https://hooks.slack.com (notify[0])`, `command mail (notify[1])`: without anything that may be a secret. */
export const nameOf = (receiver: Receiver, index: number): string => {
  const kind = "webhook" in receiver ? "webhook" : "ping" in receiver ? "ping" : "command"
  const shown =
    "command" in receiver ? basename(receiver.command[0] ?? "") : secretOf(receiver)?.label
  return `${kind} ${shown ?? ""} (notify[${index}])`
}

/**
 * The same in every run, wherever the entry stands in the list. It reveals no secret. An entry whose kinds of problems
 * changed counts as a new one.
 */
export const idOf = (receiver: MessageReceiver): string => {
  const target = "command" in receiver ? receiver.command : Redacted.value(receiver.webhook)
  return fingerprint([target, receiver.on.toSorted()]).slice(0, 16)
}

/** Why nothing can be sent to a receiver: its address comes from a variable that holds none. */
export const unreachable = (receiver: Receiver): string | undefined => {
  const secret = secretOf(receiver)
  if (secret === undefined) return undefined
  const address = addressOf(secret)
  return Result.isFailure(address) ? address.failure : undefined
}
