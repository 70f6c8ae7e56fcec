import { describe, expect, it } from 'vitest'
import { unwrapStep } from '../../../src/index.ts'
import { lockoutSettings } from '../../../src/secrets/lockout/index.ts'
import { unsetTokenSettings } from '../../../src/secrets/tokens/index.ts'
import { judgeUserpassLogin, writeUserpassUser } from '../../../src/secrets/userpass/index.ts'

const env = { now: 0, newId: () => 'id' }
const ada = unwrapStep(writeUserpassUser(undefined, { username: 'Ada', passwordHash: 'h' }, env)).state

describe('a user', () => {
  it('is kept in lower case, with a password', () => {
    expect(ada).toEqual({ username: 'ada', passwordHash: 'h', tokens: unsetTokenSettings })
    expect(writeUserpassUser(undefined, { username: 'bob' }, env)).toMatchObject({
      refusal: { code: 'userpass_password_missing', message: 'missing password' },
    })
  })
  it('keeps what a write leaves out', () => {
    const written = unwrapStep(writeUserpassUser(ada, { username: 'ada', tokens: { ttlSeconds: 60 } }, env))
    expect(written.state).toMatchObject({ passwordHash: 'h', tokens: { ttlSeconds: 60 } })
  })
  it.each([
    [{ username: ' ', passwordHash: 'h' }, 'userpass_name_invalid'],
    [{ username: 'x'.repeat(257), passwordHash: 'h' }, 'userpass_name_invalid'],
    [{ username: 'ada', tokens: { ttlSeconds: 9, maxTtlSeconds: 8 } }, 'token_settings_invalid'],
  ])('is not written as %j', (input, code) => {
    expect(writeUserpassUser(ada, input, env)).toMatchObject({ refusal: { code } })
  })
})

describe('a verdict', () => {
  it('is the same for a wrong name, a wrong password and a locked name', () => {
    const locked = {
      lockout: { status: 'locked', failures: 5, failedAt: 0 },
      settings: lockoutSettings,
    } as const
    const verdicts = [
      judgeUserpassLogin(undefined, { matches: true }, env),
      judgeUserpassLogin(ada, { matches: false }, env),
      judgeUserpassLogin(ada, { matches: true }, env, locked),
    ]
    for (const verdict of verdicts) expect(verdict).toEqual(verdicts[0])
    expect(verdicts[0]).toMatchObject({ refusal: { message: 'invalid username or password' } })
  })
  it('reports an address outside the networks only with the right password', () => {
    const bound = { ...ada, tokens: { ...ada.tokens, boundCidrs: ['10.0.0.0/8'] } }
    const from = (matches: boolean, address: string) => judgeUserpassLogin(bound, { matches, address }, env)
    expect(from(true, '10.1.1.1')).toMatchObject({ ok: true })
    expect(from(true, '11.1.1.1')).toMatchObject({ refusal: { code: 'permission_denied' } })
    expect(from(false, '11.1.1.1')).toMatchObject({ refusal: { code: 'userpass_refused' } })
  })
})
