// Pages for errors and for signing in.
import { html, type Html } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"
import { BusyError } from "../runQuery.ts"

export const notFoundPage: Page = {
  title: "Not found",
  body: html`<h1>There is no such page</h1>
    <p><a href="/">The overview</a> leads to every vault.</p>`,
}

export interface Problem {
  readonly status: 400 | 404 | 500 | 503
  /** The first line says what is wrong, the following lines what to do. */
  readonly message: string
}

const statuses = { ReadError: 400, UsageError: 404 } as const

/** The messages of these errors say what to do; any other error is a bug. */
export const problemOf = (error: unknown): Problem => {
  const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : ""
  const status =
    error instanceof BusyError ? 503 : Object.entries(statuses).find(([name]) => name === tag)?.[1]
  return error instanceof Error && status !== undefined
    ? { status, message: error.message }
    : {
        status: 500,
        message: `The page could not be made: ${firstLine(error)}\nThis is a bug: please report it.`,
      }
}

/** Without what may follow, such as a stack trace. */
const firstLine = (error: unknown): string => causeMessage(error).split("\n")[0] ?? ""

export const problemNote = ({ message }: Problem): Html =>
  html`<p class="error" role="alert">${message}</p>`

export const problemPage = ({ status, message }: Problem): Page => ({
  title: status === 404 ? "Not found" : "Problem",
  body: html`<h1>${status === 404 ? "Not found" : "That did not work"}</h1>
    ${problemNote({ status, message })}
    <p><a href="/">Overview</a></p>`,
})

export const signInPage = (wasWrong: boolean): Page => ({
  title: "Sign in",
  body: html`<h1>Sign in</h1>
    ${wasWrong && html`<p class="error" role="alert">That is not the token of this server.</p>`}
    <form method="post" action="/sign-in" class="sign-in">
      <label for="token">Token</label>
      <input
        id="token"
        name="token"
        type="password"
        autocomplete="current-password"
        required
        autofocus
      />
      <button>Sign in</button>
      <p>
        The token is in the file or variable that <code>vaulthouse serve</code> was started with.
      </p>
    </form>`,
})
