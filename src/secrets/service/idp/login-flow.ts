import { refuse } from '../../../kernel/index.ts'
import { continueLogin, lateProvider, startLogin } from '../../idp/login.ts'
import type { LoginAsk, LoginPolicy } from '../../idp/login-model.ts'
import type { IdpConfig } from '../../idp/model.ts'
import { numberBoard } from '../../idp/number-board.ts'
import type { GroupsAnswer, IdpProvider, ProviderAnswer } from '../../idp/provider.ts'
import { type Core, type Place, stateOf } from '../core/core.ts'
import { httpProvider } from './http-provider.ts'

/** The credentials of a login. Its secrets stay in this call. */
export interface LoginInput {
  readonly username: string
  readonly password: string
  readonly passcode: string
  readonly provider: string
  readonly nonce: string
  /** The client's address, if known. */
  readonly address: string | undefined
  readonly signal: AbortSignal
}

/** Talks to the identity provider for one login after another. */
export const loginFlows = stateOf(flows)

function flows(core: Core) {
  const [word] = core.idpWords
  const names = core.idpWords.map((name) => name.toUpperCase())
  const provider: IdpProvider =
    core.options.idpProvider ?? httpProvider({ timers: core.timers, word: names[0] ?? 'IDP' })
  const board = numberBoard()
  const providers = ['GOOGLE', ...names]

  const hear = hearing(core, provider)

  /** Continues a login from question to question until it is granted or refused. */
  const talk = async (place: Place, config: IdpConfig, input: LoginInput) => {
    const policy: LoginPolicy = {
      word,
      providers,
      bypassMfa: config.bypassMfa,
      hasApiToken: config.apiToken !== '',
    }
    const { username, nonce } = input
    let outcome = startLogin(
      undefined,
      { username, provider: input.provider, nonce, hasPasscode: input.passcode !== '' },
      core.env(),
      policy,
    )
    if (!outcome.ok) return outcome
    const shown = board.open(`${place.mount.id}\n${nonce}`)
    const limit = new AbortController()
    const cancel = core.timers.after(outcome.state.deadline - core.env().now, () => limit.abort(), {
      hold: true,
    })
    const signal = AbortSignal.any([input.signal, limit.signal])
    try {
      while (outcome.ok) {
        const wanted = outcome.value
        if (wanted.kind === 'granted') return { ok: true, value: wanted } as const
        // A login under the nonce of another user would make that user confirm the wrong login.
        if (wanted.kind === 'verify' && wanted.show && !shown.show(wanted.show.answer, core.env().now))
          return refuse('idp_nonce_missing', 'another login in progress uses this nonce: generate a new one')
        const answer = await hear(wanted, config, input, signal)
        outcome = continueLogin(outcome.state, answer, core.env(), policy)
      }
      return outcome
    } finally {
      // The number is valid for this login only.
      shown.close()
      cancel()
    }
  }

  return { talk, board, providers }
}

type Wanted = Exclude<LoginAsk, { readonly kind: 'granted' }>

/** Asks the provider what a login wants to know, and returns what it answers; a failure to ask is an answer too. */
function hearing(core: Core, provider: IdpProvider) {
  const ask = async (
    wanted: Wanted,
    config: IdpConfig,
    input: LoginInput,
    signal: AbortSignal,
  ): Promise<ProviderAnswer | GroupsAnswer> => {
    const org = { orgName: config.orgName, baseUrl: config.baseUrl, apiToken: config.apiToken }
    if (wanted.kind === 'authenticate')
      return provider.authenticate({
        org,
        username: input.username,
        password: input.password,
        address: input.address,
        signal,
      })
    if (wanted.kind === 'groups') return provider.listGroups({ org, userId: wanted.userId, signal })
    if (wanted.afterMs > 0) await pause(core, wanted.afterMs, signal)
    return provider.verifyFactor({
      org,
      factorId: wanted.factorId,
      stateToken: wanted.stateToken,
      passcode: wanted.withPasscode ? input.passcode : undefined,
      signal,
    })
  }
  /** The answer, unless the login ends before: a provider that ignores the signal does not delay it. */
  return async (wanted: Wanted, config: IdpConfig, input: LoginInput, login: AbortSignal) => {
    try {
      return await unlessAborted(login, ask(wanted, config, input, login))
    } catch (error) {
      if (input.signal.aborted) return failure('the login was aborted')
      if (login.aborted) return failure(lateProvider)
      core.report(error)
      return failure('the provider cannot be reached')
    }
  }
}

const failure = (message: string) => ({ kind: 'failure', message }) as const

/** Waits, but not beyond the end of the login. */
const pause = async (core: Core, ms: number, signal: AbortSignal): Promise<void> => {
  let cancel = () => {}
  const over = new Promise<void>((resolve) => {
    cancel = core.timers.after(ms, resolve, { hold: true })
  })
  try {
    await unlessAborted(signal, over)
  } finally {
    cancel()
  }
}

/** The result of some work, or an error once it is cancelled. */
const unlessAborted = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new Error('the login was aborted'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
