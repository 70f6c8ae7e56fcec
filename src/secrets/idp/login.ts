import { type Env, nextStatus, type Outcome, type Refused, refuse, type Step } from '../../kernel/index.ts'
import { chooseFactor } from './choose-factor.ts'
import { type LoginVerb, loginLifecycle } from './login-lifecycle.ts'
import type { Login, LoginAsk, LoginPolicy, LoginRefusal } from './login-model.ts'
import type { GroupsAnswer, ProviderAnswer, ProviderProblem } from './provider.ts'

/** A login that takes longer than the longest request is over. */
const longestMs = 90_000
const pauseMs = 1000
/** Why a login ends that waited for its provider too long. */
export const lateProvider = 'the provider did not answer in time'

/**
 * Begins a login (`POST /login/:username`). Its value says what to ask the provider; the answer
 * goes to {@link continueLogin}.
 *
 * @example
 * ```ts
 * import { continueLogin, startLogin } from 'plinth/idp'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const policy = { word: 'idp', providers: ['GOOGLE', 'IDP'], bypassMfa: false, hasApiToken: false }
 * const started = startLogin(undefined, { username: 'ada', provider: '', nonce: '', hasPasscode: false }, env, policy)
 * started.ok && started.value.kind // 'authenticate'
 * const asked = started.ok && continueLogin(started.state,
 *   { kind: 'step', status: 'MFA_REQUIRED', stateToken: 't', factors: [{ id: 'f', type: 'push', provider: 'IDP' }] }, env, policy)
 * asked && asked.ok && asked.value.kind // 'verify'
 * ```
 *
 * @public
 */
export function startLogin(
  _none: undefined,
  input: {
    readonly username: string
    readonly provider: string
    readonly nonce: string
    readonly hasPasscode: boolean
  },
  env: Env,
  policy: LoginPolicy,
): Outcome<Login, LoginAsk, never, LoginRefusal> {
  const provider = input.provider.toUpperCase()
  if (provider !== '' && !policy.providers.includes(provider)) {
    return refuse(
      'idp_provider_unknown',
      `provider ${provider} is not among the supported ones [${policy.providers.slice(0, 2).join(' ')}]`,
    )
  }
  const login: Login = {
    status: 'password',
    username: input.username,
    nonce: input.nonce,
    provider,
    hasPasscode: input.hasPasscode,
    bypassMfa: policy.bypassMfa,
    hasApiToken: policy.hasApiToken,
    deadline: env.now + longestMs,
    factorId: '',
    withPasscode: false,
    stateToken: '',
    userId: '',
    groups: [],
    warnings: [],
  }
  return { ok: true, state: login, value: { kind: 'authenticate' }, events: [] }
}

/**
 * Goes on with a login by what the provider said to the last question. A refusal ends it.
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { continueLogin, startLogin } from 'plinth/idp'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const policy = { word: 'idp', providers: ['IDP'], bypassMfa: false, hasApiToken: true }
 * const begun = startLogin(undefined, { username: 'ada', provider: '', nonce: '', hasPasscode: false }, env, policy)
 * if (!begun.ok) throw new Error(begun.refusal.message)
 *
 * const known = continueLogin(begun.state, { kind: 'step', status: 'SUCCESS', userId: 'u1' }, env, policy)
 * unwrap(known) // { kind: 'groups', userId: 'u1' }
 * const done = known.ok && continueLogin(known.state, { kind: 'groups', names: ['dev'] }, env, policy)
 * done && unwrap(done) // { kind: 'granted', groups: ['dev'], warnings: [] }
 *
 * const locked = continueLogin(begun.state, { kind: 'step', status: 'LOCKED_OUT' }, env, policy)
 * locked.ok || locked.refusal.code // 'idp_refused'
 * ```
 *
 * @public
 */
export function continueLogin(
  login: Login,
  answer: ProviderAnswer | GroupsAnswer,
  env: Env,
  policy: LoginPolicy,
): Outcome<Login, LoginAsk, never, LoginRefusal> {
  if (env.now >= login.deadline) return late(login, policy)
  if (answer.kind === 'verdict' || answer.kind === 'failure') return problem(login, answer, policy)
  if (answer.kind === 'groups') return afterGroups(login, answer.names, policy)
  const known: Login = {
    ...login,
    userId: answer.userId ?? login.userId,
    stateToken: answer.stateToken ?? login.stateToken,
  }
  return login.status === 'password'
    ? afterPassword(known, answer, policy)
    : afterFactor(known, answer, policy)
}

type StepAnswer = Extract<ProviderAnswer, { readonly kind: 'step' }>
type Next = Step<Login, LoginAsk> | Refused<LoginRefusal>

/** All that somebody who may not log in is told where there is nothing they could do about it. */
const failed = ({ word }: LoginPolicy) => refuse('idp_refused', `${word} authentication failed`)

/** Takes one row of the table; a move that is not in it is no login. */
function move(login: Login, verb: LoginVerb, policy: LoginPolicy, go: (next: Login) => LoginAsk): Next {
  const status = nextStatus(loginLifecycle, login.status, verb)
  if (status === undefined) return failed(policy)
  const next = { ...login, status }
  return { ok: true, state: next, value: go(next), events: [] }
}

/** Over time while nobody but the provider was asked, a login waits for the provider; else for its user. */
const late = (login: Login, policy: LoginPolicy): Refused<LoginRefusal> =>
  login.status === 'password' || login.status === 'groups'
    ? problem(login, { kind: 'failure', message: lateProvider }, policy)
    : refuse('idp_factor_timeout', 'failed to complete multi-factor authentication in time')

function problem(login: Login, answer: ProviderProblem, { word }: LoginPolicy): Refused<LoginRefusal> {
  const what = login.status === 'groups' ? `${word} failure retrieving groups` : `${word} auth failed`
  if (answer.kind === 'failure') return refuse('idp_unavailable', `${what}: ${answer.message}`)
  const code = answer.code === undefined ? '' : ` (code=${answer.code})`
  return refuse('idp_refused', `${what}: ${answer.message}${code}`)
}

/** What a status means once the password was looked at. Others, `LOCKED_OUT` among them, never let anybody in. */
const passwordStatuses: Readonly<Record<string, 'accepted' | 'warned' | 'enroll' | 'factor' | 'expired'>> = {
  SUCCESS: 'accepted',
  PASSWORD_WARN: 'warned',
  PASSWORD_EXPIRED: 'expired',
  MFA_ENROLL: 'enroll',
  MFA_ENROLL_ACTIVATE: 'enroll',
  MFA_REQUIRED: 'factor',
}

function afterPassword(login: Login, answer: StepAnswer, policy: LoginPolicy): Next {
  const meaning = Object.hasOwn(passwordStatuses, answer.status) ? passwordStatuses[answer.status] : undefined
  if (meaning === undefined) return failed(policy)
  const warned = meaning === 'warned' ? ['Your password is about to expire.'] : []
  if (meaning === 'accepted' || meaning === 'warned' || login.bypassMfa)
    return accept(login, 'accepted', warned, policy)
  if (meaning === 'enroll') {
    return refuse(
      'idp_enrollment',
      `${policy.word} authentication failed: you must complete MFA enrollment to continue`,
    )
  }
  if (meaning === 'expired') return failed(policy)
  const choice = chooseFactor(answer.factors ?? [], login.provider, login.hasPasscode, policy.providers)
  if (!choice.ok) return choice
  return move({ ...login, ...choice.value }, 'factor_required', policy, (next) => verify(next, 0))
}

function afterFactor(login: Login, answer: StepAnswer, policy: LoginPolicy): Next {
  if (answer.status === 'SUCCESS' || answer.status === 'PASSWORD_WARN')
    return accept(login, 'verified', [], policy)
  if (answer.status !== 'MFA_CHALLENGE') return failed(policy)
  if (answer.factorResult === 'REJECTED')
    return refuse('idp_factor_denied', 'multi-factor authentication denied')
  if (answer.factorResult === 'TIMEOUT') {
    return refuse('idp_factor_timeout', 'failed to complete multi-factor authentication')
  }
  if (answer.factorResult !== 'WAITING') return failed(policy)
  if (answer.correctAnswer === undefined)
    return move(login, 'waiting', policy, (next) => verify(next, pauseMs))
  if (login.nonce === '') {
    return refuse(
      'idp_nonce_missing',
      'nonce must be provided during login request when presented with number challenge',
    )
  }
  const show = { nonce: login.nonce, answer: answer.correctAnswer }
  return move(login, 'challenged', policy, (next) => ({ ...verify(next, pauseMs), show }))
}

const verify = ({ factorId, stateToken, withPasscode, status }: Login, afterMs: number) => ({
  kind: 'verify' as const,
  factorId,
  stateToken,
  // A passcode is sent once; what follows only asks how it stands.
  withPasscode: withPasscode && status === 'factor',
  afterMs,
})

function accept(
  login: Login,
  verb: 'accepted' | 'verified',
  warned: readonly string[],
  policy: LoginPolicy,
): Next {
  const known = { ...login, warnings: [...login.warnings, ...warned] }
  const moved = move(known, verb, policy, (next) => ({ kind: 'groups', userId: next.userId }))
  // Without an API token, and for a user the provider gave no name to, only local groups count.
  return moved.ok && (!login.hasApiToken || known.userId === '') ? granted(moved.state, [], policy) : moved
}

function afterGroups(login: Login, names: readonly string[], policy: LoginPolicy): Next {
  const none =
    names.length === 0
      ? ['No groups found at the identity provider; only policies from locally-defined groups apply.']
      : []
  return granted({ ...login, warnings: [...login.warnings, ...none] }, names, policy)
}

const granted = (login: Login, groups: readonly string[], policy: LoginPolicy): Next =>
  move({ ...login, groups }, 'listed', policy, (next) => ({
    kind: 'granted',
    groups: next.groups,
    warnings: next.warnings,
  }))
