// Bounds the sessions of assistants by HTTP. The protocol's server keeps each one, and the request that opened it, until
// its client ends it, which many clients never do.

const SESSION = "mcp-session-id"
const MAX_SESSIONS = 200
// The client's name, version and capabilities.
const MAX_OPENING_BYTES = 8000

type Handler = (request: Request) => Promise<Response>

/** Ends the session that was unused for longest when there are too many; its client gets 404, and opens another. */
export const boundedSessions = (handler: Handler) => {
  /** The one that was used last comes last. */
  const open = new Set<string>()
  const end = async (url: string, id: string): Promise<void> => {
    open.delete(id)
    await handler(new Request(url, { method: "DELETE", headers: { [SESSION]: id } }))
  }
  return async (request: Request, body: string): Promise<Response> => {
    const used = request.headers.get(SESSION)
    const isOpening = used === null && maybeOpens(body)
    if (isOpening && Buffer.byteLength(body) > MAX_OPENING_BYTES) return tooLarge()
    if (used !== null && open.delete(used)) open.add(used)
    // The id of a session must be seen, also if its client leaves before it has the response.
    const response = await handler(isOpening ? new Request(request, { signal: null }) : request)
    if (used !== null && request.method === "DELETE" && response.status === 204) open.delete(used)
    const opened = response.headers.get(SESSION)
    if (opened !== null) open.add(opened)
    const [oldest] = open
    if (oldest !== undefined && open.size > MAX_SESSIONS) await end(request.url, oldest)
    return response
  }
}

/** What can't be read is taken for one: the server might read it in another way. */
const maybeOpens = (body: string): boolean => {
  try {
    const { method } = JSON.parse(body) as { readonly method?: unknown }
    return typeof method !== "string" || method === "initialize"
  } catch {
    return true
  }
}

const tooLarge = (): Response =>
  new Response(`A request that opens a session has at most ${MAX_OPENING_BYTES} bytes.\n`, {
    status: 413,
  })
