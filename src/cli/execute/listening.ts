// Explains why a server can't listen on an address and port.
import { UsageError } from "../../domain/UsageError.ts"

interface ListenFailure {
  readonly code?: string | undefined
  readonly message: string
}

/** `advice`: the flags that name another address or port. */
export const listenProblem = (
  { code, message }: ListenFailure,
  host: string,
  port: number,
  advice: string,
): UsageError => new UsageError({ why: reasonOf(code, host, port) ?? `${message}.`, advice })

const reasonOf = (code: string | undefined, host: string, port: number): string | undefined => {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use.`
    case "EACCES":
      return `Port ${port} needs special privileges; ports from 1024 up need none.`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine.`
    default:
      return undefined
  }
}
