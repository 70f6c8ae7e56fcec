import { checkArguments } from '../../kernel/check-arguments.ts'
import { checkInput } from '../../kernel/check-input.ts'
import { type Env, nextStatus, type Outcome, type Refused, refuse, type Step } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import { chooseFactor } from './choose-factor.ts'
import { type LoginVerb, loginLifecycle } from './login-lifecycle.ts'
import { type Login, type LoginAsk, type LoginPolicy, type LoginRefusal, loginPolicy } from './login-model.ts'
import type { GroupsAnswer, ProviderAnswer, ProviderProblem } from './provider.ts'

/** The maximum duration of a login is that of the longest request. */
const longestMs = 90_000
const pauseMs = 1000
/** The refusal of a login that waited too long for its provider. */
export const lateProvider = 'the provider did not answer in time'

/**
 * Starts a login (`POST /login/:username`). Its value is the next question for the provider; pass the answer to
 * {@link continueLogin}.
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { continueLogin, startLogin } from 'plinth/idp'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const { state: login, value } = unwrapStep(startLogin(undefined, { username: 'ada' }, env))
 * value // { kind: 'authenticate' }
 * const factors = [{ id: 'f', type: 'push', provider: 'IDP' }]
 * const answer = { kind: 'step', status: 'MFA_REQUIRED', stateToken: 't', factors } as const
 * unwrap(continueLogin(login, answer, env)).kind // 'verify'
 * ```
 */
export function startLogin(
  _none: undefined,
  input: {
    readonly username: string
    /** The requested factor provider; any by default. */
    readonly provider?: string | undefined
    /** The nonce under which a number to choose is shown; none by default. */
    readonly nonce?: string | undefined
    readonly hasPasscode?: boolean | undefined
  },
  env: Env,
  policy: LoginPolicy = loginPolicy,
): Outcome<Login, LoginAsk, never, LoginRefusal> {
  checkInput(input, { username: '' }, { provider: '', nonce: '', hasPasscode: false }, env)
  const { username, nonce = '', hasPasscode = false } = input
  const { providers, bypassMfa, hasApiToken } = policy
  const provider = (input.provider ?? '').toUpperCase()
  const unsupported = providerProblem(provider, providers)
  if (unsupported) return unsupported
  const login: Login = {
    status: 'password',
    username,
    nonce,
    provider,
    hasPasscode,
    bypassMfa,
    hasApiToken,
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

/** Why a factor provider cannot be used; an empty name means any. */
export function providerProblem(
  name: string,
  supported: readonly string[],
): Refused<'idp_provider_unknown'> | undefined {
  const provider = name.toUpperCase()
  return provider === '' || supported.includes(provider)
    ? undefined
    : refuse(
        'idp_provider_unknown',
        `provider ${provider} is not among the supported ones [${supported.slice(0, 2).join(' ')}]`,
      )
}

/**
 * Continues a login with the provider's answer to the last question. A refusal ends it.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { continueLogin, loginPolicy, startLogin } from 'plinth/idp'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const policy = { ...loginPolicy, hasApiToken: true }
 * const begun = unwrapStep(startLogin(undefined, { username: 'ada' }, env, policy)).state
 *
 * const known = unwrapStep(continueLogin(begun, { kind: 'step', status: 'SUCCESS', userId: 'u1' }, env, policy))
 * known.value // { kind: 'groups', userId: 'u1' }
 * const done = unwrapStep(continueLogin(known.state, { kind: 'groups', names: ['dev'] }, env, policy))
 * done.value // { kind: 'granted', groups: ['dev'], warnings: [] }
 *
 * const locked = continueLogin(begun, { kind: 'step', status: 'LOCKED_OUT' }, env, policy)
 * locked.ok || locked.refusal.code // 'idp_refused'
 * ```
 */
export function continueLogin(
  login: Login,
  input: ProviderAnswer | GroupsAnswer,
  env: Env,
  policy: LoginPolicy = loginPolicy,
): Outcome<Login, LoginAsk, never, LoginRefusal> {
  checkArguments('login input env', login, input, env)
  if (env.now >= login.deadline) return late(login, policy)
  if (input.kind === 'verdict' || input.kind === 'failure') return problem(login, input, policy)
  if (input.kind === 'groups') return afterGroups(login, input.names, policy)
  const known: Login = {
    ...login,
    userId: input.userId ?? login.userId,
    stateToken: input.stateToken ?? login.stateToken,
  }
  return login.status === 'password' ? afterPassword(known, input, policy) : afterFactor(known, input, policy)
}

type StepAnswer = Extract<ProviderAnswer, { readonly kind: 'step' }>
type Next = Step<Login, LoginAsk> | Refused<LoginRefusal>

/** The common text of refused logins that the user cannot fix. */
const failed = ({ word }: LoginPolicy) => refuse('idp_refused', `${word} authentication failed`)

/** Applies one transition of the table; any other transition is refused. */
function move(login: Login, verb: LoginVerb, policy: LoginPolicy, go: (next: Login) => LoginAsk): Next {
  const status = nextStatus(loginLifecycle, login.status, verb)
  if (status === undefined) return failed(policy)
  const next = { ...login, status }
  return { ok: true, state: next, value: go(next), events: [] }
}

/** The refusal at the deadline, which depends on whether the login waited for the provider or for its user. */
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

/** The meaning of a status after the password was checked. All others, `LOCKED_OUT` among them, are refused. */
const passwordStatuses: Readonly<Record<string, 'accepted' | 'warned' | 'enroll' | 'factor' | 'expired'>> = {
  SUCCESS: 'accepted',
  PASSWORD_WARN: 'warned',
  PASSWORD_EXPIRED: 'expired',
  MFA_ENROLL: 'enroll',
  MFA_ENROLL_ACTIVATE: 'enroll',
  MFA_REQUIRED: 'factor',
}

function afterPassword(login: Login, answer: StepAnswer, policy: LoginPolicy): Next {
  const meaning = ownValue(passwordStatuses, answer.status)
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
  // A passcode is sent once; later calls only poll the status.
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
