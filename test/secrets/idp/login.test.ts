import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  continueLogin,
  type GroupsAnswer,
  type IdpFactor,
  type LoginPolicy,
  loginDiagram,
  type ProviderAnswer,
  startLogin,
} from '../../../src/secrets/idp/index.ts'

const at = (now: number) => ({ now, newId: () => 'id' })
const policy: LoginPolicy = {
  word: 'idp',
  providers: ['GOOGLE', 'IDP'],
  bypassMfa: false,
  hasApiToken: false,
}
const totp: IdpFactor = { id: 'totp', type: 'token:software:totp', provider: 'GOOGLE' }
const ownTotp: IdpFactor = { ...totp, id: 'own', provider: 'IDP' }
const push: IdpFactor = { id: 'push', type: 'push', provider: 'IDP' }
const sms: IdpFactor = { id: 'sms', type: 'sms', provider: 'IDP' }

type Answer = ProviderAnswer | GroupsAnswer
const status = (name: string, more = {}): Answer => ({
  kind: 'step',
  status: name,
  stateToken: 'st',
  userId: 'u',
  ...more,
})
const required = (...factors: IdpFactor[]) => status('MFA_REQUIRED', { factors })
const challenge = (factorResult: string, more = {}) => status('MFA_CHALLENGE', { factorResult, ...more })
const groups = (...names: string[]): Answer => ({ kind: 'groups', names })

/** Runs a login against a list of answers; gives what each step asked, and how it ended. */
const play = (
  input: { provider?: string; nonce?: string; hasPasscode?: boolean },
  answers: readonly Answer[],
  more: Partial<LoginPolicy> = {},
) => {
  const rules = { ...policy, ...more }
  let outcome = startLogin(
    undefined,
    { username: 'ada', provider: '', nonce: '', hasPasscode: false, ...input },
    at(0),
    rules,
  )
  const asked: string[] = []
  for (const answer of answers) {
    if (!outcome.ok) break
    asked.push(outcome.value.kind === 'verify' ? `verify ${outcome.value.factorId}` : outcome.value.kind)
    outcome = continueLogin(outcome.state, answer, at(1000), rules)
  }
  return {
    asked,
    end: outcome.ok ? outcome.value : outcome.refusal.message,
    code: outcome.ok ? '' : outcome.refusal.code,
  }
}

describe('a login', () => {
  it.each<[string, Parameters<typeof play>, object]>([
    ['with the password alone', [{}, [status('SUCCESS')]], { kind: 'granted', warnings: [] }],
    [
      'with a password about to expire',
      [{}, [status('PASSWORD_WARN')]],
      { kind: 'granted', warnings: ['Your password is about to expire.'] },
    ],
    [
      'with groups',
      [{}, [status('SUCCESS'), groups('Dev')], { hasApiToken: true }],
      { kind: 'granted', groups: ['Dev'], warnings: [] },
    ],
    [
      'with no groups, and a warning',
      [{}, [status('SUCCESS'), groups()], { hasApiToken: true }],
      { warnings: [expect.stringMatching(/locally-defined/)] },
    ],
    [
      'with a passcode',
      [{ hasPasscode: true }, [required(totp, push), status('SUCCESS')]],
      { kind: 'granted' },
    ],
    [
      'with a push',
      [{}, [required(totp, push), challenge('WAITING'), challenge('WAITING'), status('SUCCESS')]],
      { kind: 'granted' },
    ],
    ['with the factor bypassed', [{}, [required(sms)], { bypassMfa: true }], { kind: 'granted' }],
    [
      'with an expired password, bypassed',
      [{}, [status('PASSWORD_EXPIRED')], { bypassMfa: true }],
      { kind: 'granted' },
    ],
    ['unenrolled, bypassed', [{}, [status('MFA_ENROLL')], { bypassMfa: true }], { kind: 'granted' }],
  ])('succeeds %s', (_, [input, answers, more], end) => {
    expect(play(input, answers, more).end).toMatchObject(end)
  })

  it.each<[string, Parameters<typeof play>, RegExp, string]>([
    [
      'a wrong password',
      [{}, [{ kind: 'verdict', message: 'Authentication failed', code: 'E0000004' }]],
      /^idp auth failed: Authentication failed \(code=E0000004\)$/,
      'idp_refused',
    ],
    [
      'no connection',
      [{}, [{ kind: 'failure', message: 'timeout' }]],
      /^idp auth failed: timeout$/,
      'idp_unavailable',
    ],
    [
      'no connection for groups',
      [{}, [status('SUCCESS'), { kind: 'failure', message: 'x' }], { hasApiToken: true }],
      /failure retrieving groups/,
      'idp_unavailable',
    ],
    ['a locked account', [{}, [status('LOCKED_OUT')]], /authentication failed/, 'idp_refused'],
    [
      'a locked account, bypass or not',
      [{}, [status('LOCKED_OUT')], { bypassMfa: true }],
      /authentication failed/,
      'idp_refused',
    ],
    ['an expired password', [{}, [status('PASSWORD_EXPIRED')]], /authentication failed/, 'idp_refused'],
    ['an unknown status', [{}, [status('toString')]], /authentication failed/, 'idp_refused'],
    ['an unfinished enrolment', [{}, [status('MFA_ENROLL')]], /complete MFA enrollment/, 'idp_enrollment'],
    [
      'a missing passcode',
      [{}, [required(totp)]],
      /'totp' passcode parameter is required/,
      'idp_passcode_missing',
    ],
    [
      'no usable factor',
      [{}, [required(sms)]],
      /second factor that this login cannot use/,
      'idp_factor_missing',
    ],
    [
      'no factor of the wanted provider',
      [{ provider: 'google', hasPasscode: true }, [required(ownTotp)]],
      /cannot use/,
      'idp_factor_missing',
    ],
    [
      'an unknown factor provider',
      [{ provider: 'duo' }, []],
      /^provider DUO is not among the supported ones \[GOOGLE IDP\]$/,
      'idp_provider_unknown',
    ],
    [
      'a push that is rejected',
      [{}, [required(push), challenge('REJECTED')]],
      /multi-factor authentication denied/,
      'idp_factor_denied',
    ],
    [
      'a push that times out',
      [{}, [required(push), challenge('TIMEOUT')]],
      /failed to complete/,
      'idp_factor_timeout',
    ],
    [
      'a number without a nonce',
      [{}, [required(push), challenge('WAITING', { correctAnswer: 7 })]],
      /nonce must be provided/,
      'idp_nonce_missing',
    ],
    [
      'success said of the factor but not of the login',
      [{}, [required(push), challenge('SUCCESS')]],
      /authentication failed/,
      'idp_refused',
    ],
    [
      'groups before the factor',
      [{}, [required(push), groups('admin')]],
      /authentication failed/,
      'idp_refused',
    ],
  ])('is refused for %s', (_, [input, answers, more], message, code) => {
    const played = play(input, answers, more)
    expect(played.end).toMatch(message)
    expect(played.code).toBe(code)
  })

  it.each([
    ['the passcode factor when there is a passcode', { hasPasscode: true }, [push, totp], 'verify totp'],
    ['the push when there is none', {}, [totp, push], 'verify push'],
    ['the last of a kind', { hasPasscode: true }, [totp, ownTotp], 'verify own'],
    ['the one that was asked for', { hasPasscode: true, provider: 'Google' }, [totp, ownTotp], 'verify totp'],
    ['the push when the passcode has no factor', { hasPasscode: true }, [push], 'verify push'],
  ])('uses %s', (_, input, factors, expected) => {
    expect(play(input, [required(...factors), status('SUCCESS')]).asked[1]).toBe(expected)
  })

  it('shows the number under its nonce, and keeps asking', () => {
    const { end } = play({ nonce: 'n1' }, [required(push), challenge('WAITING', { correctAnswer: 42 })])
    expect(end).toMatchObject({ kind: 'verify', afterMs: 1000, show: { nonce: 'n1', answer: 42 } })
  })

  it('sends a passcode once', () => {
    const once = play({ hasPasscode: true }, [required(totp)]).end
    const after = play({ hasPasscode: true }, [required(totp), challenge('WAITING')]).end
    expect([once, after]).toMatchObject([{ withPasscode: true }, { withPasscode: false }])
  })

  it('expires at its deadline, after any answers', () => {
    const started = startLogin(
      undefined,
      { username: 'ada', provider: '', nonce: '', hasPasscode: false },
      at(0),
      policy,
    )
    expect(started.ok && continueLogin(started.state, status('SUCCESS'), at(90_000), policy).ok).toBe(false)
  })

  const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
    fc.record({
      kind: fc.constant('step' as const),
      status: fc.constantFrom(
        'SUCCESS',
        'PASSWORD_WARN',
        'MFA_REQUIRED',
        'MFA_CHALLENGE',
        'MFA_ENROLL',
        'PASSWORD_EXPIRED',
        'LOCKED_OUT',
        'X',
      ),
      factorResult: fc.constantFrom('WAITING', 'SUCCESS', 'REJECTED', 'TIMEOUT', undefined),
      stateToken: fc.constantFrom('st', undefined),
      userId: fc.constantFrom('u', undefined),
      factors: fc.constantFrom([push], [totp, push], [sms], undefined),
      correctAnswer: fc.constantFrom(7, undefined),
    }),
    fc.constant<Answer>({ kind: 'groups', names: ['admin'] }),
    fc.constant<Answer>({ kind: 'failure', message: 'x' }),
  )
  const isFactorDone = (answer: Answer | undefined) =>
    answer?.kind === 'step' && (answer.status === 'SUCCESS' || answer.status === 'PASSWORD_WARN')

  it('grants nothing without the factor, for any answers and any jumps of the clock', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyAnswer, fc.integer({ min: -1000, max: 40_000 })), {
          minLength: 1,
          maxLength: 12,
        }),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom('', 'n1'),
        (answers, hasPasscode, hasApiToken, nonce) => {
          const rules = { ...policy, hasApiToken }
          let now = 0
          let outcome = startLogin(
            undefined,
            { username: 'ada', provider: '', nonce, hasPasscode },
            at(now),
            rules,
          )
          const said: Answer[] = []
          for (const [answer, jump] of answers) {
            if (!outcome.ok || outcome.value.kind === 'granted') break
            now += jump
            said.push(answer)
            outcome = continueLogin(outcome.state, answer, at(now), rules)
          }
          if (!outcome.ok || outcome.value.kind !== 'granted') return
          expect(now).toBeLessThan(90_000)
          const [first, ...rest] = said
          const needed = first?.kind === 'step' && first.status === 'MFA_REQUIRED'
          // Either the password alone was enough for the provider, or it said so of a factor later.
          expect(needed ? rest.some(isFactorDone) : isFactorDone(first)).toBe(true)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('is drawn in the documentation as its table says', () => {
    expect(readFileSync('site/explanation/login.md', 'utf8')).toContain(loginDiagram())
  })
})
