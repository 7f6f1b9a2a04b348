// Spans of a run's trace. Where nothing exports traces a span costs nothing: Effect alone would make one, and take a
// stack trace for it.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SpanKind } from "effect/Tracer"

/** Whether traces are exported. */
export const IsTraced = Context.Reference<boolean>("vaulthouse/domain/IsTraced", {
  defaultValue: () => false,
})

type Attributes = Readonly<Record<string, unknown>>

/** Runs an effect in a span. No attribute may hold a credential. */
export const spanned =
  (name: string, attributes: Attributes = {}, kind: SpanKind = "internal") =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(IsTraced, (isOn): Effect.Effect<A, E, R> =>
      isOn ? Effect.withSpan(effect, name, { attributes, kind }) : effect,
    )

/** Adds to the span that is open. */
export const annotateSpan = (attributes: Attributes): Effect.Effect<void> =>
  Effect.flatMap(IsTraced, (isOn) =>
    isOn ? Effect.annotateCurrentSpan({ ...attributes }) : Effect.void,
  )
