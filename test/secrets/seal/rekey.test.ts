import { describe, expect, it } from 'vitest'
import { unwrapStep } from '../../../src/kernel/index.ts'
import { giveToAttempt, hideToken, startRekey, startRootGeneration } from '../../../src/secrets/seal/index.ts'
import { testClock } from '../../../src/testing/index.ts'

const env = testClock().env()
const seal = { threshold: 2, shareBytes: 2 }
const begun = () => unwrapStep(startRekey(undefined, { shares: 5, threshold: 3 }, env)).state

describe('changing the key shares', () => {
  it('begins once, with numbers a key can be split by', () => {
    const rekey = begun()
    expect(rekey).toMatchObject({ shares: 5, threshold: 3, given: [] })
    expect(startRekey(rekey, { shares: 1, threshold: 1 }, env)).toMatchObject({
      refusal: { code: 'rekey_under_way' },
    })
    expect(startRekey(undefined, { shares: 2, threshold: 3 }, env)).toMatchObject({
      refusal: { code: 'invalid_shares', message: 'threshold cannot be larger than shares' },
    })
  })

  it('asks for as many of the present shares as open the service', () => {
    const rekey = begun()
    const first = giveToAttempt(rekey, { what: 'rekey', share: 'aa01', nonce: rekey.nonce }, env, seal)
    expect(first).toMatchObject({ ok: true, value: { enough: false } })
    const second = giveToAttempt(
      unwrapStep(first).state,
      { what: 'rekey', share: 'bb02', nonce: rekey.nonce },
      env,
      seal,
    )
    expect(second).toMatchObject({ ok: true, value: { enough: true }, state: { given: ['aa01', 'bb02'] } })
  })

  it('takes no share twice, for no other attempt, and none before it began', () => {
    const rekey = begun()
    const given = { ...rekey, given: ['aa01'] }
    const codeOf = (...input: Parameters<typeof giveToAttempt>) => {
      const outcome = giveToAttempt(...input)
      return outcome.ok ? 'taken' : outcome.refusal.code
    }
    expect(codeOf(given, { what: 'rekey', share: 'AA01', nonce: rekey.nonce }, env, seal)).toBe('share_again')
    expect(codeOf(rekey, { what: 'rekey', share: 'aa01', nonce: 'other' }, env, seal)).toBe('attempt_nonce')
    expect(codeOf(undefined, { what: 'rekey', share: 'aa01', nonce: '' }, env, seal)).toBe(
      'attempt_not_started',
    )
    expect(codeOf(rekey, { what: 'rekey', share: 'aa', nonce: rekey.nonce }, env, seal)).toBe('share_length')
  })
})

describe('making a root token', () => {
  it('begins once, with a one-time password as long as the token', () => {
    const started = startRootGeneration(undefined, { otp: 'x'.repeat(26), tokenLength: 26 }, env)
    expect(started).toMatchObject({ ok: true, state: { given: [] } })
    const again = startRootGeneration(
      started.ok ? started.state : undefined,
      { otp: '', tokenLength: 0 },
      env,
    )
    expect(again).toMatchObject({ refusal: { code: 'root_generation_under_way' } })
    for (const otp of ['short', 'é'.repeat(26)])
      expect(startRootGeneration(undefined, { otp, tokenLength: 26 }, env)).toMatchObject({
        refusal: { code: 'otp_length' },
      })
  })

  it('hides the token so that the password shows it again', () => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    const hidden = hideToken(bytes('s.token'), bytes('otp-otp'))
    expect(hidden).not.toEqual(bytes('s.token'))
    expect(hideToken(hidden, bytes('otp-otp'))).toEqual(bytes('s.token'))
  })
})
