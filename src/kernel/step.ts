import { type Draft, Immer } from 'immer'
import type { Env } from './env.ts'
import { frozenCopy } from './frozen-copy.ts'
import { DomainError, type Refused } from './refusal.ts'

/**
 * A private Immer: a library must neither read nor change its host's process-wide immer settings. It does not freeze,
 * because it would freeze the caller's objects that a recipe puts into the state.
 */
const immer = /* @__PURE__ */ new Immer({ autoFreeze: false })

/**
 * The outcome of a successful command.
 */
export interface Step<State, Value, Event = never> {
  readonly ok: true
  /** The next state; the same reference if nothing changed. */
  readonly state: State
  /** The result for the caller. */
  readonly value: Value
  /** The events of the step, for audit, metrics and wake-ups; never for control flow. */
  readonly events: readonly Event[]
}

/**
 * The result of every command: a {@link Step}, or a {@link Refused} whose codes are listed in the type.
 */
export type Outcome<State, Value, Event = never, Code extends string = never> =
  | Step<State, Value, Event>
  | Refused<Code>

/**
 * The one shape every command of every engine has: pure, synchronous, `(state, input, env, policy?)`.
 *
 * @remarks
 * Every command can be called with all four arguments in this order. These may be left out:
 *
 * - `policy`, the configuration of the service: it has a default.
 * - `env`, if the command reads neither the clock nor identifiers.
 *
 * `state` is `undefined` for a command that creates it. `input` is `{}` for a command without input.
 *
 * @example
 * ```ts
 * import { answer, step, type Transition } from 'plinth'
 *
 * interface Counter {
 *   readonly count: number
 * }
 * const add: Transition<Counter, { readonly by: number }, number, never, never, { readonly most?: number }> = (
 *   counter,
 *   { by },
 *   _env,
 *   { most = 10 } = {},
 * ) => (counter.count + by > most ? answer(counter, counter.count) : step(counter, (draft) => (draft.count += by)))
 *
 * const env = { now: 0, newId: () => 'a' }
 * add({ count: 1 }, { by: 2 }, env) // { ok: true, state: { count: 3 }, value: 3, events: [] }
 * ```
 */
export type Transition<State, Input, Value, Event = never, Code extends string = never, Policy = void> = (
  state: State,
  input: Input,
  env: Env,
  policy?: Policy,
) => Outcome<State, Value, Event, Code>

/**
 * Edits a copy of one aggregate; the return value of the recipe becomes the step's value.
 *
 * @remarks
 * Use it on one record, never on a table: immer copies the whole collection when one entry changes. The recipe must not
 * leak a draft: return primitives or fresh objects.
 *
 * @example
 * ```ts
 * import { step } from 'plinth'
 *
 * const counter = { count: 1 }
 * const outcome = step(counter, (draft) => (draft.count += 1))
 * outcome.value // 2
 * counter.count // 1
 * ```
 */
export function step<State extends object, Value, Event = never>(
  state: State,
  recipe: (draft: Draft<State>, emit: (event: Event) => void) => Value,
): Step<State, Value, Event> {
  const events: Event[] = []
  const draft = immer.createDraft(state)
  const value = recipe(draft, (event) => events.push(event))
  return { ok: true, state: frozenCopy(immer.finishDraft(draft) as State, state), value, events }
}

/**
 * Returns a value without changing anything; costs no proxy.
 *
 * @example
 * ```ts
 * import { answer } from 'plinth'
 *
 * const state = { sealed: false }
 * answer(state, 'already unsealed').state === state // true
 * ```
 */
export const answer = <State, Value>(state: State, value: Value): Step<State, Value, never> => ({
  ok: true,
  state,
  value,
  events: [],
})

/**
 * Returns the value of an outcome, for callers who prefer exceptions to branches. {@link unwrapStep} also returns the
 * state and the events.
 *
 * @throws {@link DomainError} carrying the refusal, when the command was refused
 * @throws TypeError when it is a promise of an outcome instead of an outcome
 *
 * @example
 * ```ts
 * import { refuse, step, unwrap } from 'plinth'
 *
 * unwrap(step({ count: 1 }, (draft) => (draft.count += 1))) // 2
 * try {
 *   unwrap(refuse('sealed', 'unseal the service first'))
 * } catch (error) {
 *   String(error) // 'DomainError: unseal the service first'
 * }
 * ```
 */
export function unwrap<Value>(
  outcome: { readonly ok: true; readonly value: Value } | Refused<string>,
): Value {
  return carriedOut('unwrap', outcome).value
}

/**
 * Returns the whole step of an outcome: the next state, the value and the events. For tests and programs that apply one
 * command after another.
 *
 * @throws {@link DomainError} carrying the refusal, when the command was refused
 * @throws TypeError when it is a promise of an outcome instead of an outcome
 *
 * @example
 * ```ts
 * import { refuse, step, unwrapStep } from 'plinth'
 *
 * const { state, value } = unwrapStep(step({ count: 1 }, (draft) => (draft.count += 1)))
 * state // { count: 2 }
 * value // 2
 * try {
 *   unwrapStep(refuse('sealed', 'unseal the service first'))
 * } catch (error) {
 *   String(error) // 'DomainError: unseal the service first'
 * }
 * ```
 */
export function unwrapStep<State, Value, Event>(
  outcome: Step<State, Value, Event> | Refused<string>,
): Step<State, Value, Event> {
  return carriedOut('unwrapStep', outcome)
}

function carriedOut<Carried extends { readonly ok: true }>(
  name: string,
  outcome: Carried | Refused<string>,
): Carried {
  if (outcome?.ok) return outcome
  if (outcome?.refusal === undefined)
    throw new TypeError(`${name} takes an outcome; a promise of one is to be awaited first`)
  throw new DomainError(outcome.refusal)
}
