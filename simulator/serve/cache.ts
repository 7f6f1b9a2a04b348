// The server's own caches (§8): within the cache time a request gets the same response again, including computed
// timestamps.

const maxEntries = 1000

export class ServerCache {
  readonly #entries = new Map<string, { readonly at: number; readonly value: unknown }>()

  /** The cached value if it is younger than `seconds` on the API's clock. */
  get(key: string, clock: number, seconds: number): { readonly value: unknown } | undefined {
    const entry = this.#entries.get(key)
    return entry && clock >= entry.at && clock - entry.at < seconds * 1000 ? entry : undefined
  }

  set(key: string, clock: number, value: unknown): void {
    this.#entries.delete(key)
    this.#entries.set(key, { at: clock, value })
    if (this.#entries.size > maxEntries) this.#entries.delete(this.#entries.keys().next().value!)
  }
}
