// Spans of a run's trace. Where nothing exports traces, tracing is off and a span costs nothing: Effect alone would take
// a stack trace for each.
import * as Effect from "effect/Effect"
import { TracerEnabled } from "effect/References"
import type { SpanKind } from "effect/Tracer"

type Attributes = Readonly<Record<string, unknown>>

/** Runs an effect in a span. No attribute may hold a credential. */
export const spanned =
  (name: string, attributes: Attributes = {}, kind: SpanKind = "internal") =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(TracerEnabled, (isOn): Effect.Effect<A, E, R> =>
      isOn ? Effect.withSpan(effect, name, { attributes, kind }) : effect,
    )

/** Adds to the span that is open. */
export const annotateSpan = (attributes: Attributes): Effect.Effect<void> =>
  Effect.flatMap(TracerEnabled, (isOn) =>
    isOn ? Effect.annotateCurrentSpan({ ...attributes }) : Effect.void,
  )
