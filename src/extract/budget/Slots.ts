// Limits how many requests are under way. Those of a task with the most requests left go first: a task sends one after the
// other, so the longest one that begins last is still being read when there is nothing left to send beside it.
import * as Effect from "effect/Effect"

type Resume = (effect: Effect.Effect<void>) => void

export class Slots {
  /** By the number of requests left. */
  private readonly waiting = new Map<number, Set<Resume>>()
  private size: number
  private taken = 0
  private isFilling = false

  constructor(size: number) {
    this.size = size
  }

  resize(size: number): void {
    this.size = size
    this.fill()
  }

  /** Runs the effect in a slot. `requestsLeft`: of its task, this one included. */
  within<A, E, R>(effect: Effect.Effect<A, E, R>, requestsLeft: number): Effect.Effect<A, E, R> {
    const release = Effect.sync(() => {
      this.taken -= 1
      this.fill()
    })
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(this.take(requestsLeft)), () =>
        Effect.ensuring(restore(effect), release),
      ),
    )
  }

  private take(requestsLeft: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const queue = this.waiting.get(requestsLeft) ?? new Set()
      this.waiting.set(requestsLeft, queue.add(resume))
      this.fill()
      return Effect.sync(() => this.remove(requestsLeft, resume))
    })
  }

  private remove(requestsLeft: number, resume: Resume): void {
    const queue = this.waiting.get(requestsLeft)
    queue?.delete(resume)
    if (queue?.size === 0) this.waiting.delete(requestsLeft)
  }

  private fill(): void {
    // A resumed fiber runs at once, and may release its slot before it waits for anything.
    if (this.isFilling) return
    this.isFilling = true
    while (this.taken < this.size) {
      const most = Math.max(...this.waiting.keys())
      const [resume] = this.waiting.get(most) ?? []
      if (resume === undefined) break
      this.remove(most, resume)
      this.taken += 1
      resume(Effect.void)
    }
    this.isFilling = false
  }
}
