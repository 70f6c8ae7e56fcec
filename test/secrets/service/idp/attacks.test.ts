import { describe, expect, it } from 'vitest'
import { type ProviderAnswer, writeIdpConfig } from '../../../../src/secrets/idp/index.ts'
import { type IdpProvider, scriptedProvider } from '../../../../src/testing/index.ts'
import { asking, client } from '../client.ts'

const push = (number: number) => ({ type: 'push', number, polls: 5 })
const script = {
  users: {
    ada: { password: 'pw', factors: [push(42)] },
    eve: { password: 'pw', factors: [push(13)] },
    bob: { password: 'pw', groups: ['Dev', 'ops'] },
  },
}
const idp = '/v1/auth/idp'

async function setup(idpProvider: IdpProvider = scriptedProvider(script)) {
  const made = await client({ idpProvider })
  await made.ask('POST', `${idp}/config`, { org_name: 'acme', api_token: 't' })
  const anyone = asking(made.service, undefined)
  const login = (name: string, body: object) =>
    anyone('POST', `${idp}/login/${name}`, { password: 'pw', ...body })
  return { ...made, anyone, login }
}

describe('the number to choose', () => {
  it.each([
    ['a login that comes later', 'ada', 'eve', 42],
    ['a login that came before', 'eve', 'ada', 13],
  ])('is never that of %s with the same nonce', async (_, first, second, number) => {
    const { anyone, login, clock } = await setup()
    const shown = async () => (await anyone('GET', `${idp}/verify/n`)).body.data?.correct_answer
    const one = login(first, { nonce: 'n' })
    await clock.advance(1500)
    expect(await shown()).toBe(number)
    const other = await Promise.race([login(second, { nonce: 'n' }), clock.advance(1500)])
    expect(other?.body.errors).toEqual(['another login in progress uses this nonce: generate a new one'])
    expect(await shown()).toBe(number)
    await clock.advance(30_000)
    expect([(await one).status, await shown()]).toEqual([200, undefined])
  })

  it('is that of its own method and namespace', async () => {
    const { ask, anyone, login, clock } = await setup()
    await ask('POST', '/v1/sys/auth/other', { type: 'idp' })
    const one = login('ada', { nonce: 'n' })
    await clock.advance(1500)
    expect((await anyone('GET', '/v1/auth/other/verify/n')).status).toBe(404)
    await clock.advance(30_000)
    expect((await one).status).toBe(200)
  })
})

describe('a login that takes its time', () => {
  it('gets what the configuration grants when it ends, not what it granted before', async () => {
    const { ask, login, clock } = await setup()
    await ask('POST', `${idp}/config`, { org_name: 'acme', token_policies: 'admin' })
    const pending = login('ada', { nonce: 'n' })
    await clock.advance(1500)
    await ask('POST', `${idp}/config`, { org_name: 'acme', token_policies: '' })
    await clock.advance(30_000)
    expect((await pending).body.auth.policies).toEqual(['default'])
  })

  it('is over when its method is moved meanwhile', async () => {
    const { ask, login, clock } = await setup()
    const pending = login('ada', { nonce: 'n' })
    await clock.advance(1500)
    await ask('POST', '/v1/sys/remount', { from: 'auth/idp', to: 'auth/people' })
    await clock.advance(30_000)
    expect((await pending).status).toBe(404)
  })

  it.each([
    ['another organisation is asked', {}, { org_name: 'other' }, 400],
    ['another address is asked', {}, { org_name: 'acme', base_url: 'example.com' }, 400],
    [
      'a second factor, bypassed until then, is asked for',
      { bypass_idp_mfa: true },
      { org_name: 'acme', bypass_idp_mfa: false },
      400,
    ],
    ['it may not come from there', {}, { org_name: 'acme', token_bound_cidrs: '10.0.0.0/8' }, 403],
    ['what is changed is of no matter to it', {}, { org_name: 'acme', token_ttl: 60 }, 200],
  ])('is held to the configuration of its end: %s', async (_, before, after, status) => {
    let answer: (step: ProviderAnswer) => void = () => {}
    const { ask, login } = await setup({
      ...scriptedProvider(script),
      authenticate: () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    })
    await ask('POST', `${idp}/config`, { org_name: 'acme', ...before })
    const pending = login('bob', {})
    await ask('POST', `${idp}/config`, after)
    answer({ kind: 'step', status: 'SUCCESS', userId: 'bob' })
    expect((await pending).status).toBe(status)
  })

  it.each([
    ['the password', 'authenticate', 'bob', 'idp auth failed: the provider did not answer in time'],
    ['groups', 'listGroups', 'bob', 'idp failure retrieving groups: the provider did not answer in time'],
    ['a factor', 'verifyFactor', 'ada', 'failed to complete multi-factor authentication in time'],
  ] as const)('is over in time when the provider never answers about %s', async (_, call, user, text) => {
    const { login, clock } = await setup({ ...scriptedProvider(script), [call]: () => new Promise(() => {}) })
    const pending = login(user, { nonce: 'n' })
    await clock.advance(90_000)
    const { status, body } = await pending
    expect([status, body.errors]).toEqual([call === 'verifyFactor' ? 400 : 502, [text]])
  })
})

describe('groups and users', () => {
  it('never turn a login into a root token', async () => {
    const { ask, login } = await setup()
    for (const [path, body] of [
      ['groups/DEV', { policies: 'Root' }],
      ['users/bob', { policies: ' ROOT ' }],
    ] as const) {
      await ask('POST', `${idp}/${path}`, body)
      expect((await login('bob', {})).body.errors).toEqual(['auth methods cannot create root tokens'])
      await ask('DELETE', `${idp}/${path}`)
    }
    expect((await login('bob', {})).status).toBe(200)
  })

  it('are those of the method they were written in', async () => {
    const { ask, login } = await setup()
    await ask('POST', '/v1/sys/auth/other', { type: 'idp' })
    await ask('POST', '/v1/auth/other/groups/dev', { policies: 'web' })
    await ask('POST', '/v1/auth/other/users/bob', { policies: 'web' })
    expect((await login('bob', {})).body.auth.policies).toEqual(['default'])
  })

  it('names like those of object members mean nothing', async () => {
    const groups = ['__proto__', 'constructor', 'toString', '']
    const { login } = await setup(scriptedProvider({ users: { bob: { password: 'pw', groups } } }))
    expect((await login('bob', {})).body.auth.policies).toEqual(['default'])
  })
})

describe('a batch token', () => {
  it('is carried in a header, however many groups its user is in', async () => {
    const groups = Array.from({ length: 5000 }, (_, index) => `group-${index}`)
    const { ask, login, service } = await setup(
      scriptedProvider({ users: { bob: { password: 'pw', groups } } }),
    )
    await ask('POST', `${idp}/groups/group-4999`, { policies: 'web' })
    await ask('POST', `${idp}/config`, { org_name: 'acme', token_type: 'batch' })
    const { client_token: token } = (await login('bob', {})).body.auth
    expect(token.length).toBeLessThan(4096)
    const self = await asking(service, token)('GET', '/v1/auth/token/lookup-self')
    expect(self.body.data.policies).toEqual(['default', 'web'])
  })
})

describe('what a provider may say', () => {
  it.each([
    ['a status like that of an object member', { status: '__proto__' }],
    [
      'a challenge before any factor was asked',
      { status: 'MFA_CHALLENGE', factorResult: 'WAITING', stateToken: 's' },
    ],
    ['a lock', { status: 'LOCKED_OUT' }],
    ['a success in small letters', { status: 'success' }],
  ])('%s does not log in', async (_, step) => {
    const { ask, login } = await setup({
      ...scriptedProvider(script),
      authenticate: async () => ({ kind: 'step', userId: 'u', ...step }),
    })
    expect((await login('bob', {})).status).toBe(400)
    // Not even where factors are bypassed.
    await ask('POST', `${idp}/config`, { org_name: 'acme', bypass_idp_mfa: true })
    expect((await login('bob', {})).status).toBe(400)
  })
})

it.each(['u@evil.example', ':p@evil.example', 'https://u:p@evil.example', 'https://:p@evil.example'])(
  'a base address never hides another host behind a user or a password: %s',
  (baseUrl) => {
    expect(writeIdpConfig(undefined, { orgName: 'acme', baseUrl }, { now: 0, newId: () => 'a' }).ok).toBe(
      false,
    )
  },
)
