// Limits how many requests are under way. Those of a task that has begun go before first ones: otherwise a partition of many
// pages waits for all others at each page, and is still being read when there is nothing left to send beside it.
import * as Effect from "effect/Effect"

type Resume = (effect: Effect.Effect<void>) => void

export class Slots {
  private readonly continued = new Set<Resume>()
  private readonly first = new Set<Resume>()
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

  /** Runs the effect in a slot. `isContinued`: it goes before those that are not. */
  within<A, E, R>(effect: Effect.Effect<A, E, R>, isContinued: boolean): Effect.Effect<A, E, R> {
    const release = Effect.sync(() => {
      this.taken -= 1
      this.fill()
    })
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(this.take(isContinued ? this.continued : this.first)), () =>
        Effect.ensuring(restore(effect), release),
      ),
    )
  }

  private take(queue: Set<Resume>): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      queue.add(resume)
      this.fill()
      return Effect.sync(() => queue.delete(resume))
    })
  }

  private fill(): void {
    // A resumed fiber runs at once, and may release its slot before it waits for anything.
    if (this.isFilling) return
    this.isFilling = true
    while (this.taken < this.size) {
      const queue = this.continued.size > 0 ? this.continued : this.first
      const [resume] = queue
      if (resume === undefined) break
      queue.delete(resume)
      this.taken += 1
      resume(Effect.void)
    }
    this.isFilling = false
  }
}
