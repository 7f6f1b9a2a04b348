// Spans of a run's trace. Unless traces are exported, a span costs nothing; Effect by itself would create one and
// capture a stack trace.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SpanKind } from "effect/Tracer"

/** Whether traces are exported. */
export const IsTraced = Context.Reference<boolean>("vaulthouse/domain/IsTraced", {
  defaultValue: () => false,
})

type Attributes = Readonly<Record<string, unknown>>

/** Runs an effect in a span. No attribute may contain a credential. */
export const spanned =
  (name: string, attributes: Attributes = {}, kind: SpanKind = "internal") =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(IsTraced, (isOn): Effect.Effect<A, E, R> =>
      isOn ? Effect.withSpan(effect, name, { attributes, kind }) : effect,
    )

/** Adds attributes to the current span. */
export const annotateSpan = (attributes: Attributes): Effect.Effect<void> =>
  Effect.flatMap(IsTraced, (isOn) =>
    isOn ? Effect.annotateCurrentSpan({ ...attributes }) : Effect.void,
  )
