import { describe, expect, it } from 'vitest'
import { fromBase32, nodeCrypto, totp } from '../../src/crypto/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { served } from './catalog.ts'

const root = '/plinth/v1/user'
const user = { login: 'alice', password: 'correct horse' }

/** Alice, and what proves who she is at some moment. */
async function alone() {
  const world = await served()
  const { ask, clock } = world
  const codeOf = (secret: string) => totp(nodeCrypto(), fromBase32(secret) ?? new Uint8Array(), clock.now())
  const logIn = async (body: object) => (await ask('POST /api/v1/authenticate', body)).status
  /** Turns two-factor log-in on. */
  const enrolled = async () => {
    const begun = await ask(`POST ${root}/two-factor`, { user })
    expect(begun.status).toBe(200)
    const { secret } = begun.body as { readonly secret: string }
    expect(begun.body.url).toBe(`otpauth://totp/Plinth%3Aalice?secret=${secret}&issuer=Plinth`)
    const confirmed = await ask(`PUT ${root}/two-factor`, { user, new_code: codeOf(secret) })
    expect(confirmed.status).toBe(200)
    const codes: readonly string[] = confirmed.body.recovery_codes
    await clock.advance(60_000)
    return { secret, codes }
  }
  return { ...world, codeOf, logIn, enrolled }
}

describe('users change their own password', () => {
  it('with the old one, which ends then', async () => {
    const { ask, alice, logIn, catalog } = await alone()
    const change = (password: string, more = {}) =>
      ask(`PUT ${root}/password`, { user, new_password: password, ...more })
    expect(
      (
        await ask(`PUT ${root}/password`, {
          user: { ...user, password: 'x' },
          new_password: 'battery staple',
        })
      ).status,
    ).toBe(401)
    expect((await change('short')).status).toBe(422)
    expect((await change('x'.repeat(5000))).status).toBe(422)
    expect(await logIn({ user })).toBe(200)
    expect((await change('battery staple')).status).toBe(204)
    expect(await logIn({ user })).toBe(401)
    expect(await logIn({ user: { ...user, password: 'battery staple' } })).toBe(200)
    expect((await alice('GET /api/v2/authenticate')).status).toBe(200)
    const { changes } = unwrap(await catalog.readAudit({ filter: 'type == "account.updated"' }))
    expect(changes).toMatchObject([{ by: 'alice', subject: 'alice' }])
  })
})

describe('users turn two-factor log-in on', () => {
  it('with a code of their authenticator, and log in with its codes from then on, each of which works once', async () => {
    const { ask, logIn, enrolled, codeOf, catalog } = await alone()
    const { secret } = await enrolled()
    expect(await logIn({ user })).toBe(406)
    const code = codeOf(secret)
    expect(await logIn({ user, two_factor: { code } })).toBe(200)
    expect(await logIn({ user, two_factor: { code } })).toBe(401)
    // The password alone changes nothing any more.
    expect((await ask(`POST ${root}/two-factor/disable`, { user })).status).toBe(406)
    expect((await ask(`PUT ${root}/password`, { user, new_password: 'battery staple' })).status).toBe(406)
    expect((await ask(`POST ${root}/two-factor`, { user })).status).toBe(406)
    const whole = JSON.stringify(unwrap(await catalog.readAccount('alice')))
    expect(whole).not.toContain(secret)
  })

  it('and have recovery codes, of which each works once', async () => {
    const { ask, logIn, enrolled, catalog } = await alone()
    const { codes } = await enrolled()
    expect(new Set(codes).size).toBe(10)
    for (const code of codes.slice(0, 9)) expect(await logIn({ user, two_factor: { code } })).toBe(200)
    const code = codes[0] ?? ''
    expect(await logIn({ user, two_factor: { code } })).toBe(401)
    const last = codes[9] ?? ''
    expect((await ask(`POST ${root}/two-factor/disable`, { user, two_factor: { code: last } })).status).toBe(
      204,
    )
    expect(await logIn({ user })).toBe(200)
    await catalog.close()
  })

  it('not with a wrong or late code, or without having begun', async () => {
    const { ask, logIn, clock, codeOf } = await alone()
    const confirm = (new_code: string) => ask(`PUT ${root}/two-factor`, { user, new_code })
    expect((await confirm('123456')).status).toBe(422)
    const { secret } = (await ask(`POST ${root}/two-factor`, { user })).body as { readonly secret: string }
    expect((await confirm('12345x')).status).toBe(401)
    expect(await logIn({ user })).toBe(200)
    await clock.advance(16 * 60_000)
    expect((await confirm(codeOf(secret))).status).toBe(422)
    expect(await logIn({ user })).toBe(200)
  })
})
