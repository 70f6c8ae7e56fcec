import { type Env, nextStatus, type Outcome, type Refused, refuse, type Step } from '../../kernel/index.ts'
import { chooseFactor } from './choose-factor.ts'
import { type LoginStatus, type LoginVerb, loginLifecycle } from './login-lifecycle.ts'
import type { GroupsAnswer, ProviderAnswer, ProviderProblem } from './provider.ts'

/**
 * A login on its way. Holds neither password nor passcode: whoever carries it out keeps them.
 *
 * @public
 */
export interface Login {
  readonly status: LoginStatus
  readonly username: string
  /** Under which name a number to choose is shown; empty when the user gave none. */
  readonly nonce: string
  /** The factor provider that was asked for, upper case; empty for any. */
  readonly provider: string
  readonly hasPasscode: boolean
  /** Fixed while the login lasts: a change of the configuration does not change it half-way. */
  readonly bypassMfa: boolean
  readonly hasApiToken: boolean
  /** When it is over whatever the provider says. */
  readonly deadline: number
  readonly factorId: string
  readonly withPasscode: boolean
  readonly stateToken: string
  readonly userId: string
  readonly groups: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * What the login needs next. `verify` with a delay asks again after that time; `show` is the number that the user
 * has to choose, to be kept under the nonce until the login ends.
 *
 * @public
 */
export type LoginAsk =
  | { readonly kind: 'authenticate' }
  | {
      readonly kind: 'verify'
      readonly factorId: string
      readonly stateToken: string
      readonly withPasscode: boolean
      readonly afterMs: number
      readonly show?: { readonly nonce: string; readonly answer: number }
    }
  | { readonly kind: 'groups'; readonly userId: string }
  | { readonly kind: 'granted'; readonly groups: readonly string[]; readonly warnings: readonly string[] }

/** Why a login ended without a token: the provider's verdict (400), or no answer of it (502). @public */
export type LoginRefusal =
  | 'idp_provider_unknown'
  | 'idp_refused'
  | 'idp_enrollment'
  | 'idp_factor_missing'
  | 'idp_passcode_missing'
  | 'idp_nonce_missing'
  | 'idp_factor_denied'
  | 'idp_factor_timeout'
  | 'idp_unavailable'

/**
 * What a login goes by.
 *
 * @public
 */
export interface LoginPolicy {
  /** The word for the method in texts: `idp`. */
  readonly word: string
  /** Factor providers in capitals: the authenticator app's vendor first, then the identity provider's names. */
  readonly providers: readonly string[]
  readonly bypassMfa: boolean
  readonly hasApiToken: boolean
}

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

/** Takes one row of the table; a move that is not in it is no login. */
function move(login: Login, verb: LoginVerb, word: string, go: (next: Login) => LoginAsk): Next {
  const status = nextStatus(loginLifecycle, login.status, verb)
  if (status === undefined) return refuse('idp_refused', `${word} authentication failed`)
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
  const { word } = policy
  const meaning = Object.hasOwn(passwordStatuses, answer.status) ? passwordStatuses[answer.status] : undefined
  if (meaning === undefined) return refuse('idp_refused', `${word} authentication failed`)
  const warned = meaning === 'warned' ? ['Your password is about to expire.'] : []
  if (meaning === 'accepted' || meaning === 'warned' || login.bypassMfa)
    return accept(login, 'accepted', warned, policy)
  if (meaning === 'enroll') {
    return refuse(
      'idp_enrollment',
      `${word} authentication failed: you must complete MFA enrollment to continue`,
    )
  }
  if (meaning === 'expired') return refuse('idp_refused', `${word} authentication failed`)
  const choice = chooseFactor(answer.factors ?? [], login.provider, login.hasPasscode, policy.providers)
  if (!choice.ok) return choice
  return move({ ...login, ...choice.value }, 'factor_required', word, (next) => verify(next, 0))
}

function afterFactor(login: Login, answer: StepAnswer, policy: LoginPolicy): Next {
  const { word } = policy
  if (answer.status === 'SUCCESS' || answer.status === 'PASSWORD_WARN')
    return accept(login, 'verified', [], policy)
  if (answer.status !== 'MFA_CHALLENGE') return refuse('idp_refused', `${word} authentication failed`)
  if (answer.factorResult === 'REJECTED')
    return refuse('idp_factor_denied', 'multi-factor authentication denied')
  if (answer.factorResult === 'TIMEOUT') {
    return refuse('idp_factor_timeout', 'failed to complete multi-factor authentication')
  }
  if (answer.factorResult !== 'WAITING') return refuse('idp_refused', `${word} authentication failed`)
  if (answer.correctAnswer === undefined) return move(login, 'waiting', word, (next) => verify(next, pauseMs))
  if (login.nonce === '') {
    return refuse(
      'idp_nonce_missing',
      'nonce must be provided during login request when presented with number challenge',
    )
  }
  const show = { nonce: login.nonce, answer: answer.correctAnswer }
  return move(login, 'challenged', word, (next) => ({ ...verify(next, pauseMs), show }))
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
  const moved = move(known, verb, policy.word, (next) => ({ kind: 'groups', userId: next.userId }))
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
  move({ ...login, groups }, 'listed', policy.word, (next) => ({
    kind: 'granted',
    groups: next.groups,
    warnings: next.warnings,
  }))
