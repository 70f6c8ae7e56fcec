import {
  answer,
  lifecycle,
  move,
  nextStatus,
  type Outcome,
  refuse,
  type ServiceEvent,
  type Step,
  step,
  systemTimers,
  type Timers,
  unwrap,
  unwrapStep,
} from 'plinth'
import type { CatalogOptions } from 'plinth/catalog'
import type { GatewayOptions } from 'plinth/gateway'
import type { RegistryOptions } from 'plinth/registry'
import type { SchedulerOptions } from 'plinth/scheduler'
import type { SecretsOptions } from 'plinth/secrets'
import { expectAssignable, expectError, expectNotAssignable, expectType } from 'tsd'

const version = lifecycle({
  unreleased: { release: 'active' },
  active: { revoke: 'revoked' },
  revoked: {},
})

// A legal literal move has the exact status it leads to as its type.
expectType<'active'>(move(version, 'unreleased', 'release'))
expectType<'revoked'>(move(version, 'active', 'revoke'))

// An illegal literal move does not compile.
expectError(move(version, 'unreleased', 'revoke'))
expectError(move(version, 'revoked', 'release'))
expectError(move(version, 'gone', 'release'))

// Where the status is data, the answer may be that there is no such move.
declare const status: 'unreleased' | 'active' | 'revoked'
expectType<'unreleased' | 'active' | 'revoked' | undefined>(nextStatus(version, status, 'release'))
expectError(nextStatus(version, status, 'explode'))

// A table cannot lead to a status that is not one of its rows.
expectError(lifecycle({ open: { shut: 'closed' } }))

// A refusal carries its code as a literal; an outcome lists its codes.
expectType<'late'>(refuse('late', 'too late').refusal.code)
expectAssignable<Outcome<{ n: number }, number, never, 'late'>>(refuse('late', 'too late'))
expectNotAssignable<Outcome<{ n: number }, number, never, 'late'>>(refuse('early', 'too early'))

// A step's value and events are those of its recipe; unwrap gives the value.
expectType<number>(step({ n: 1 }, (draft) => (draft.n += 1)).value)
expectType<string>(unwrap(answer({ n: 1 }, 'x')))

// The whole step has the state, the value and the events of the outcome, without its refusals.
declare const outcome: Outcome<{ n: number }, string, 'counted', 'late' | 'early'>
expectType<Step<{ n: number }, string, 'counted'>>(unwrapStep(outcome))
expectType<Step<{ n: number }, string>>(unwrapStep(answer({ n: 1 }, 'x')))
declare const read: Outcome<{ n: number } | undefined, string, 'counted', 'late'>
expectType<{ n: number } | undefined>(unwrapStep(read).state)
expectError(unwrapStep(Promise.resolve(outcome)))

// A timer may hold the process; timers of one's own that know nothing of it will do.
expectType<() => void>(systemTimers.after(10, () => {}, { hold: true }))
expectAssignable<Timers>({ after: (_ms: number, fn: () => void) => fn })

// One listener hears every service.
const hear = ({ type, at }: ServiceEvent): void => {
  expectType<string>(type)
  expectType<number>(at)
}
expectAssignable<CatalogOptions['onEvent']>(hear)
expectAssignable<GatewayOptions['onEvent']>(hear)
expectAssignable<RegistryOptions['onEvent']>(hear)
expectAssignable<SchedulerOptions['onEvent']>(hear)
expectAssignable<SecretsOptions['onEvent']>(hear)
