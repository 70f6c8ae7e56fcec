import { describe, expect, it } from 'vitest'
import { nodeCrypto, totp } from '../../src/crypto/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { asking, served } from './catalog.ts'

describe('tokens', () => {
  it('come as bearer, in the legacy header, or in the address, and count in this order', async () => {
    const { catalog, token } = await served({ words: ['Acme'] })
    const ask = asking(catalog)
    const whoami = async (path: string, headers: Record<string, string>) => {
      const answer = await ask(`GET ${path}`, undefined, headers)
      return answer.status === 200 ? answer.body.user.username : answer.status
    }
    const at = '/api/v2/authenticate'
    expect(await whoami(at, { authorization: `Bearer ${token}` })).toBe('alice')
    expect(await whoami(at, { 'x-legacy-token': token })).toBe('alice')
    expect(await whoami(at, { 'x-atlas-token': token })).toBe('alice')
    expect(await whoami(at, { 'x-acme-token': token })).toBe('alice')
    expect(await whoami(`${at}?access_token=${token}`, {})).toBe('alice')
    expect(await whoami(`${at}?access_token=bad`, { 'x-legacy-token': token })).toBe('alice')
    expect(await whoami(`${at}?access_token=${token}`, { authorization: 'Bearer bad' })).toBe(401)
    expect(await whoami(at, {})).toBe(401)
    expect(await whoami(at, { authorization: 'Basic YTpi' })).toBe(401)
  })

  it('are made with a password, work, and are worthless once deleted', async () => {
    const { catalog, ask } = await served()
    unwrap(await catalog.putUser({ username: 'alice', email: 'Alice@example.com' }))
    for (const login of ['alice', 'ALICE', 'alice@EXAMPLE.com']) {
      const made = await ask('POST /api/v1/authenticate', {
        token: { description: 'mine' },
        user: { login, password: 'correct horse' },
        two_factor: { code: null },
      })
      expect(made.status).toBe(200)
      expect(made.body).toEqual({
        description: 'mine',
        token: expect.stringMatching(/^[0-9A-Za-z]{14}\.catalogv1\.[0-9A-Za-z]{60}$/),
        token_hash: expect.stringMatching(/^[0-9a-f]{128}$/),
        created_at: '2026-01-01T00:00:00.000Z',
      })
      const mine = asking(catalog, made.body.token)
      for (const api of ['v1', 'v2'])
        expect((await mine(`GET /api/${api}/authenticate`)).body).toEqual({ user: { username: 'alice' } })
      expect((await mine('DELETE /api/v1/authenticate')).status).toBe(204)
      expect((await mine('DELETE /api/v1/authenticate')).status).toBe(401)
      expect((await mine('GET /api/v1/authenticate')).body.errors).toEqual(['Bad access token!'])
    }
  })

  it.each<[unknown, number, string]>([
    [{ user: { login: 'alice', password: 'wrong' } }, 401, 'Invalid login or password'],
    [{ user: { login: 'unknown', password: 'correct horse' } }, 401, 'Invalid login or password'],
    [{ user: { login: '', password: '' } }, 401, 'Invalid login or password'],
    [{ user: { login: 'a@b', password: '' } }, 401, 'Invalid login or password'],
    [{ user: { login: 'x'.repeat(5000), password: '' } }, 401, 'Invalid login or password'],
    [{ user: { login: 'acme', password: '' } }, 401, 'Invalid login or password'],
    [{}, 422, 'user parameter is required!'],
    [{ user: { login: 'alice' } }, 422, 'user.password parameter is required!'],
  ])('%j makes none: %i', async (body, status, error) => {
    const { catalog, ask } = await served()
    unwrap(await catalog.putOrganization({ username: 'acme', members: [] }))
    const answer = await ask('POST /api/v1/authenticate', body)
    expect([answer.status, answer.body]).toEqual([status, { errors: [error], success: false }])
  })

  it('are made for passwords that are not too long, of which there are none', async () => {
    const { ask, catalog } = await served()
    const password = 'a'.repeat(1025)
    expect(await catalog.putUser({ username: 'bob', password })).toMatchObject({
      refusal: {
        code: 'password_too_long',
        message: 'Password is too long (maximum is 1024 characters)',
      },
    })
    for (const login of ['alice', 'unknown'])
      expect((await ask('POST /api/v1/authenticate', { user: { login, password } })).status).toBe(401)
  })

  it('run two at a time, so that logins leave room for other work, and are refused while 500 wait', async () => {
    let concurrent = 0
    let most = 0
    let release = () => {}
    const crypto = nodeCrypto({ scryptLogN: 4 })
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const { ask } = await served({
      crypto: {
        ...crypto,
        verifyPassword: async (...asked) => {
          concurrent += 1
          most = Math.max(most, concurrent)
          await gate
          concurrent -= 1
          return crypto.verifyPassword(...asked)
        },
      },
    })
    const user = { login: 'alice', password: 'correct horse' }
    const answers = Array.from({ length: 503 }, () => ask('POST /api/v1/authenticate', { user }))
    const refused = await Promise.race(answers)
    expect([refused.status, refused.headers.get('retry-after'), refused.body.errors]).toEqual([
      503,
      '10',
      ['Too many logins at the same time: try again'],
    ])
    release()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect([most, statuses.filter((status) => status === 200).length]).toEqual([2, 502])
    expect((await ask('POST /api/v1/authenticate', { user })).status).toBe(200)
  })

  it('have descriptions that are not too long, which is found out before a code is spent', async () => {
    const { ask, catalog } = await served()
    const user = { login: 'alice', password: 'correct horse' }
    const made = (length: number) =>
      ask('POST /api/v1/authenticate', { user, token: { description: 'a'.repeat(length) } })
    expect((await made(1024)).status).toBe(200)
    expect(await made(1025)).toMatchObject({
      status: 422,
      body: { errors: ['Token description is too long (maximum is 1024 characters)'], success: false },
    })
    expect(await catalog.createToken('alice', { description: 'a'.repeat(1025) })).toMatchObject({
      refusal: { code: 'text_too_long' },
    })
  })

  it('are made although a stale one is sent along', async () => {
    const { catalog } = await served()
    const body = { user: { login: 'alice', password: 'correct horse' } }
    expect((await asking(catalog, 'stale')('POST /api/v1/authenticate', body)).status).toBe(200)
  })
})

describe('two-factor log-in', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const user = { login: 'alice', password: 'correct horse' }
  const codeAt = (now: number) => totp(nodeCrypto(), new TextEncoder().encode('12345678901234567890'), now)

  it('says with 406 that a code is needed, and how to get one', async () => {
    const { catalog, ask } = await served()
    unwrap(await catalog.putUser({ username: 'alice', totpSecret: secret }))
    const answer = await ask('POST /api/v1/authenticate', { user })
    expect([answer.status, answer.body]).toEqual([
      406,
      {
        errors: ['Two-factor authentication is required: send two_factor.code'],
        success: false,
        two_factor: { default_delivery_method: 'app', delivery_methods: ['app'] },
      },
    ])
    expect((await ask('POST /api/v1/authenticate', { user: { ...user, password: 'no' } })).status).toBe(401)
  })

  it('takes a code of the authenticator once', async () => {
    const { catalog, clock, ask } = await served()
    unwrap(await catalog.putUser({ username: 'alice', totpSecret: secret }))
    const code = codeAt(clock.now())
    const wrong = code === '000000' ? '000001' : '000000'
    const log = (sent: string) => ask('POST /api/v1/authenticate', { user, two_factor: { code: sent } })
    expect((await log(wrong)).status).toBe(401)
    expect((await log(code)).status).toBe(200)
    expect((await log(code)).status).toBe(401)
    await clock.advance(30_000)
    expect((await log(codeAt(clock.now()))).status).toBe(200)
  })

  it('is rate-limited after ten wrong codes; the wait doubles each time, up to an hour', async () => {
    const { catalog, clock, ask } = await served()
    unwrap(await catalog.putUser({ username: 'alice', totpSecret: secret }))
    const log = (code: string) => ask('POST /api/v1/authenticate', { user, two_factor: { code } })
    const guesses = await Promise.all(Array.from({ length: 12 }, () => log('wrong')))
    // Passwords are hashed on threads: which of the twelve are the last two is the host's choice.
    expect(guesses.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), 429, 429])
    expect(await log(codeAt(clock.now()))).toMatchObject({
      status: 429,
      body: { errors: ['Too many wrong two-factor codes: wait 30 seconds before the next one'] },
    })
    let waited = 30
    for (const next of [60, 120, 240, 480, 960, 1920, 3600, 3600]) {
      await clock.advance(waited * 1000 - 1)
      expect((await log('wrong')).headers.get('retry-after')).toBe('1')
      await clock.advance(1)
      expect((await log('wrong')).status).toBe(401)
      expect((await log('wrong')).headers.get('retry-after')).toBe(String(next))
      waited = next
    }
    await clock.advance(waited * 1000)
    expect((await log(codeAt(clock.now()))).status).toBe(200)
    expect((await log('wrong')).status).toBe(401)
  })

  it('delivers a code by sms that works once, for ten minutes and five tries', async () => {
    const sent: string[] = []
    const { catalog, clock, ask } = await served({
      deliverCode: async ({ phone, code }) => {
        sent.push(`${phone} ${code}`)
        return undefined
      },
    })
    unwrap(await catalog.putUser({ username: 'alice', phone: '+1 555 010 1234' }))
    const request = () =>
      ask('POST /api/v1/two-factor/request-code', { user, two_factor: { delivery_method: 'sms' } })
    const log = (code: string) => ask('POST /api/v1/authenticate', { user, two_factor: { code } })
    expect((await log('')).body.two_factor).toEqual({
      default_delivery_method: 'sms',
      delivery_methods: ['sms'],
    })
    const latest = async () => {
      const answer = await request()
      expect(answer).toMatchObject({
        status: 200,
        body: { two_factor: { obfuscated_destination: 'SMS number ending in 1234' } },
      })
      return sent.at(-1)?.split(' ').at(-1) ?? ''
    }
    const code = await latest()
    expect(code).toMatch(/^\d{6}$/)
    expect((await log(code)).status).toBe(200)
    expect((await log(code)).status).toBe(401)

    const late = await latest()
    await clock.advance(10 * 60_000)
    expect((await log(late)).status).toBe(401)

    const guessed = await latest()
    const wrong = guessed === '123456' ? '654321' : '123456'
    for (let tries = 0; tries < 5; tries += 1) expect((await log(wrong)).status).toBe(401)
    expect((await log(guessed)).status).toBe(401)
  })

  it.each<[object, number]>([
    [{ user: { ...user, password: 'wrong' }, two_factor: { delivery_method: 'sms' } }, 401],
    [{ user: { login: 'unknown', password: 'x' }, two_factor: { delivery_method: 'sms' } }, 401],
    [{ user, two_factor: { delivery_method: 'pigeon' } }, 422],
    [{ user, two_factor: {} }, 422],
    [{ user }, 422],
  ])('delivers nothing for %j: %i', async (body, status) => {
    let delivered = 0
    const { catalog, ask } = await served({
      deliverCode: async () => {
        delivered += 1
        return undefined
      },
    })
    unwrap(await catalog.putUser({ username: 'alice', phone: '555' }))
    expect((await ask('POST /api/v1/two-factor/request-code', body)).status).toBe(status)
    expect(delivered).toBe(0)
  })

  it('delivers nothing where nothing can be delivered, and says how else', async () => {
    const { catalog, ask } = await served()
    unwrap(await catalog.putUser({ username: 'alice', totpSecret: secret }))
    const answer = await ask('POST /api/v1/two-factor/request-code', {
      user,
      two_factor: { delivery_method: 'sms' },
    })
    expect([answer.status, answer.body.errors[0]]).toEqual([422, expect.stringMatching(/authenticator app/)])
  })

  it('does not exist for a user who did not enable it', async () => {
    const { ask } = await served({ deliverCode: async () => undefined })
    const body = { user, two_factor: { delivery_method: 'sms' } }
    expect((await ask('POST /api/v1/two-factor/request-code', body)).status).toBe(422)
  })
})
