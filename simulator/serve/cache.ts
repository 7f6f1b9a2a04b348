// The server's own caches (§8): within the cache time a read answers what it answered before,
// computed timestamps included.

const most = 1000

export class ServerCache {
  readonly #held = new Map<string, { readonly at: number; readonly value: unknown }>()

  /** The held value if it is younger than `seconds` on the API's clock. */
  get(key: string, clock: number, seconds: number): { readonly value: unknown } | undefined {
    const held = this.#held.get(key)
    return held && clock >= held.at && clock - held.at < seconds * 1000 ? held : undefined
  }

  set(key: string, clock: number, value: unknown): void {
    this.#held.delete(key)
    this.#held.set(key, { at: clock, value })
    if (this.#held.size > most) this.#held.delete(this.#held.keys().next().value!)
  }
}
