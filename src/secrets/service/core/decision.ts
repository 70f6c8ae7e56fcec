import type { Refused } from '../../../kernel/index.ts'
import type { Decision } from '../../../store/transactions/runner.ts'
import type { Happening } from './events.ts'

/** A decision without events. */
export const done = <Value>(value: Value): Decision<Value, never> => ({ ok: true, value, events: [] })

/** An outcome of an engine, whose events contain their location in the service. */
export const happened = <Value, Event extends object, Where extends object, Code extends string>(
  outcome: Decision<Value, Event> | Refused<Code>,
  where: Where,
): Decision<Value, Event & Where> | Refused<Code> =>
  outcome.ok
    ? { ok: true, value: outcome.value, events: outcome.events.map((event) => ({ ...where, ...event })) }
    : outcome

/** The same without a listener. */
export const withoutEvents = <Value, Code extends string>(
  outcome: Decision<Value, unknown> | Refused<Code>,
): Decision<Value, never> | Refused<Code> => (outcome.ok ? done(outcome.value) : outcome)

/** A decision with an event. */
export const tells = <Value>(value: Value, ...events: readonly Happening[]): Decision<Value, Happening> => ({
  ok: true,
  value,
  events,
})
